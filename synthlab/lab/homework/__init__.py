"""Homework: checks that help without giving the answer away, versions for students, and grading.

In a notebook: ``from synthlab.lab.homework import check``, then ``check("hw1.uniques", uniques)``.
"""

from __future__ import annotations

from synthlab.lab.homework.checking import CheckResult, check
from synthlab.lab.homework.grading import GradeBook, grade_folder
from synthlab.lab.homework.questions import NumberAnswer, PropertyAnswer, WrittenAnswer
from synthlab.lab.homework.sealing import seal_answers, seal_master
from synthlab.lab.homework.versions import make_version, write_versions

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
