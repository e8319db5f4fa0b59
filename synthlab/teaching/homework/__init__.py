"""Homework: checks that otter-grader calls, properties of releases, and a template for a new homework."""

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
