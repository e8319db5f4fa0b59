"""Right and wrong answers to the exercises of the lectures.

A module ``lecture_08`` contains the answers to the exercises of lecture 8::

    @wrong("08.matches")
    def own_record_only(...): ...

A hint depends only on the numbers that a function returns, so the mistakes of an exercise test the hints. Wrong answers with
a hint are here only for functions that draw random numbers in several ways.
"""

from __future__ import annotations

import importlib
import pkgutil
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True)
class StudentAnswer:
    """A function that a student might write.

    Parameters
    ----------
    exercise : str
        Lecture and function, for example ``"08.matches"``.
    function : callable
    is_right : bool
    hint : str or None
        Beginning of the hint that the check must show; None if no hint describes the mistake.
    """

    exercise: str
    function: Callable[..., Any]
    is_right: bool
    hint: str | None = None

    def __str__(self) -> str:
        return f"{self.exercise} {self.function.__name__}"


_ANSWERS: list[StudentAnswer] = []


def right(exercise: str) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    """Register a right answer."""
    return _register(exercise, True, None)


def wrong(exercise: str, hint: str | None = None) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    """Register a wrong answer."""
    return _register(exercise, False, hint)


def student_answers() -> list[StudentAnswer]:
    """Return the answers to all exercises."""
    for module in pkgutil.iter_modules(__path__):
        importlib.import_module(f"{__name__}.{module.name}")
    return list(_ANSWERS)


def _register(exercise: str, is_right: bool, hint: str | None) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    def decorate(function: Callable[..., Any]) -> Callable[..., Any]:
        _ANSWERS.append(StudentAnswer(exercise, function, is_right, hint))
        return function

    return decorate
