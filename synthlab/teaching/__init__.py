"""Tools for the course: exercise checks, student and teacher editions, slides.

In a lecture, use ``from synthlab.teaching import check``, then ``check("08.matches", matches)``.
"""

from __future__ import annotations

from synthlab.teaching.checking import Exercise, ExerciseResult, check, mine, own_or_solution
from synthlab.teaching.files import course_path, data_file

__all__ = ["Exercise", "ExerciseResult", "check", "course_path", "data_file", "mine", "own_or_solution"]
