"""The lectures: exercises that are checked where they are written, editions for students and teachers, slides.

In a lecture: ``from synthlab.lab.course import check``, then ``check("08.matches", matches)``.
"""

from __future__ import annotations

from synthlab.lab.course.checking import Exercise, ExerciseResult, check
from synthlab.lab.course.files import data_file

__all__ = ["Exercise", "ExerciseResult", "check", "data_file"]
