"""Check an answer: right or not yet, and a message that helps, without giving the answer away."""

from __future__ import annotations

import json
from collections.abc import Sized
from dataclasses import dataclass
from functools import cache
from html import escape
from importlib.resources import files
from math import isfinite
from typing import Any

import numpy as np

from synthlab.exceptions import InputError
from synthlab.lab.homework import seal
from synthlab.lab.homework.properties import PROPERTIES

NOT_YET = "not answered yet"


@dataclass(frozen=True, slots=True)
class CheckResult:
    """The outcome of the check of an answer, and its message.

    Attributes
    ----------
    question : str
        Homework and question, for example ``hw1.uniques``.
    passed : bool
    points, possible : int
        Points earned, and points there are.
    message : str
        The next step.
    """

    question: str
    passed: bool
    points: int
    possible: int
    message: str

    def __str__(self) -> str:
        state = "right" if self.passed else "not yet"
        return f"{self.question}: {state} ({self.points} of {self.possible} points). {self.message}"

    __repr__ = __str__

    def _repr_html_(self) -> str:
        mark = "&#10003;" if self.passed else "&#10007;"
        return f"<p>{mark} {escape(str(self))}</p>"


@cache
def sealed_homework(homework: str) -> dict[str, Any]:
    """Return what is kept about a homework: its questions, without the answers.

    Raises
    ------
    InputError
        If there is no such homework.
    """
    folder = files("synthlab.lab.homework").joinpath("answers")
    there = sorted(entry.name.removesuffix(".json") for entry in folder.iterdir() if entry.name.endswith(".json"))
    if homework not in there:
        raise InputError(f"homework={homework!r}: must be one of {', '.join(there)}")
    kept: dict[str, Any] = json.loads(folder.joinpath(f"{homework}.json").read_text(encoding="utf-8"))
    return kept


def check(question: str, answer: Any) -> CheckResult:
    """Check the answer to a question of a homework.

    Parameters
    ----------
    question : str
        Homework and question, for example ``"hw1.uniques"``.
    answer : object
        The answer found; for a written question the text.

    Returns
    -------
    CheckResult
        Shows itself at the end of a cell; it is never raised, so that the notebook runs on.

    Raises
    ------
    InputError
        If there is no such question.

    Notes
    -----
    Numbers are compared through salted digests of cells as wide as the tolerance: right within the tolerance, not right
    beyond twice of it. Other answers are held against properties computed from the data.

    Examples
    --------
    >>> from synthlab.lab.homework import check
    >>> check("hw1.uniques", ...)
    hw1.uniques: not yet (0 of 2 points). Not answered yet: put your answer in place of `...`.
    >>> check("hw1.uniques", 1085)
    hw1.uniques: not yet (0 of 2 points). That is the number of different patterns; how many of them hold one woman?
    """
    homework, _, name = str(question).partition(".")
    questions = sealed_homework(homework)["questions"]
    if name not in questions:
        raise InputError(f"question={question!r}: must be one of {', '.join(f'{homework}.{q}' for q in questions)}")
    kept = questions[name]
    if kept["kind"] == "written" and answer is not ...:
        return _written(question, kept, answer)
    try:
        problem = _problem(sealed_homework(homework)["salt"], name, kept, answer)
    except Exception as error:  # noqa: BLE001 - an answer can be anything, and the notebook must run on
        problem = f"it could not be checked: {type(error).__name__}: {error}"
    passed = problem is None
    message = "Well done." if problem is None else problem[0].upper() + problem[1:]
    return CheckResult(question, passed, kept["points"] if passed else 0, kept["points"], message)


def _problem(salt: str, name: str, kept: dict[str, Any], answer: Any) -> str | None:
    """Return what is wrong with the answer to a question that is not written, or None."""
    if answer is ...:
        return f"{NOT_YET}: put your answer in place of `...`."
    if kept["kind"] == "number":
        return _number_problem(salt, name, kept, answer)
    return PROPERTIES[kept["name"]](answer, kept["settings"])


def _number_problem(salt: str, name: str, kept: dict[str, Any], answer: Any) -> str | None:
    value = answer.item() if isinstance(answer, np.ndarray | np.generic) and np.size(answer) == 1 else answer
    if isinstance(value, bool) or not isinstance(value, int | float):
        size = f" of {len(value)} values" if isinstance(value, Sized) and not isinstance(value, str) else ""
        return f"asked for is one number ({kept['what']}), and this is {type(answer).__name__}{size}."
    if isinstance(value, float) and not isfinite(value):
        return f"asked for is one number ({kept['what']}), and this is {value}."
    tolerance = kept["tolerance"]
    if tolerance == 0 and value != round(value):
        return f"asked for is a whole number ({kept['what']}), and this is {value:g}."
    digests = [seal.digest(salt, name, cell) for cell in seal.candidates(value, tolerance)]
    if kept["right"] in digests:
        return None
    hints = [kept["wrong"][found] for found in digests if found in kept["wrong"]]
    return hints[0] if hints else f"that is not {kept['what']}. Do it by hand for the first ten rows, and compare."


def _written(question: str, kept: dict[str, Any], answer: Any) -> CheckResult:
    words = len(answer.split()) if isinstance(answer, str) else 0
    if words < kept["fewest"]:
        message = f"{words} words; write at least {kept['fewest']}. What is looked for: {'; '.join(kept['criteria'])}."
        return CheckResult(question, False, 0, kept["points"], message)
    message = "Words are read by a person, who gives the points."
    return CheckResult(question, True, 0, kept["points"], message)
