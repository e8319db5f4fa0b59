"""Homework: checks for otter-grader, properties, and a template."""

from __future__ import annotations

from synthlab.teaching.homework.class_seeds import class_sample
from synthlab.teaching.homework.hints import examples, require_function, require_number, require_property
from synthlab.teaching.homework.new_assignment import start_homework

__all__ = [
    "class_sample",
    "examples",
    "require_function",
    "require_number",
    "require_property",
    "start_homework",
]
