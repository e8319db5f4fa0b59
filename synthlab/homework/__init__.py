"""Homework: checks that help without giving the answer away, versions for students, and grading.

In a notebook: ``from synthlab.homework import check``, then ``check("hw1.uniques", uniques)``.
"""

from __future__ import annotations

from synthlab.homework.check import CheckResult, check
from synthlab.homework.grading import GradeBook, grade_folder
from synthlab.homework.questions import NumberAnswer, PropertyAnswer, WrittenAnswer
from synthlab.homework.sealing import seal_answers, seal_master
from synthlab.homework.versions import make_version, write_versions

__all__ = [
    "CheckResult",
    "GradeBook",
    "NumberAnswer",
    "PropertyAnswer",
    "WrittenAnswer",
    "check",
    "grade_folder",
    "make_version",
    "seal_answers",
    "seal_master",
    "write_versions",
]
