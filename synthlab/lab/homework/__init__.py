"""Homework: checks that help without giving the answer away, versions for students, and grading.

In a notebook: ``from synthlab.lab.homework import check``, then ``check("hw1.uniques", uniques)``.
"""

from __future__ import annotations

from synthlab.lab.homework.checking import CheckResult, Homework, check, sealed_homework
from synthlab.lab.homework.classes import class_sample
from synthlab.lab.homework.gradebook import GradeBook
from synthlab.lab.homework.grading import grade_folder
from synthlab.lab.homework.limits import Limits
from synthlab.lab.homework.making import write_versions
from synthlab.lab.homework.questions import FunctionAnswer, NumberAnswer, PropertyAnswer, WrittenAnswer
from synthlab.lab.homework.sealing import beside, seal_answers, seal_master
from synthlab.lab.homework.starting import start_homework
from synthlab.lab.homework.versions import make_version

__all__ = [
    "CheckResult",
    "FunctionAnswer",
    "GradeBook",
    "Homework",
    "Limits",
    "NumberAnswer",
    "PropertyAnswer",
    "WrittenAnswer",
    "beside",
    "check",
    "class_sample",
    "grade_folder",
    "make_version",
    "seal_answers",
    "seal_master",
    "sealed_homework",
    "start_homework",
    "write_versions",
]
