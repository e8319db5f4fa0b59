"""Check a function written in a lecture: right or not yet, and which typical slip it makes.

An exercise holds a right function and typical wrong ones. What a student wrote is called with the same arguments, and its
answer compared with that of each: nothing is kept secret, since the exercises of a lecture are for learning. The homework
uses the same exercises.
"""

from __future__ import annotations

import importlib
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from html import escape
from importlib.resources import files
from typing import Any

import numpy as np
import numpy.typing as npt

from synthlab.exceptions import InputError

Answer = float | npt.ArrayLike | Mapping[str, Any]
ROOM = "synthlab.teaching.exercises"
FEWEST_SLIPS = 3


@dataclass(frozen=True, slots=True)
class Exercise:
    """A function to be written in a lecture, with a right one and typical wrong ones.

    Parameters
    ----------
    name : str
        Lecture and function, for example ``"08.matches"``.
    answers : callable
        Takes a function and returns what it gives on small examples: a number, an array, or a mapping of them.
    right : callable
        A function whose answer is right.
    slips : mapping {str: callable}
        The sentence that helps, and a function that makes this slip.
    tolerance : float >= 0
        The largest absolute difference from the right answer that counts as right; for functions that draw at random
        it must hold the sampling variation of `answers`.

    Examples
    --------
    >>> from synthlab.teaching import Exercise
    >>> mean = Exercise(
    ...     "00.mean",
    ...     answers=lambda f: f([1.0, 2.0, 6.0]),
    ...     right=lambda x: sum(x) / len(x),
    ...     slips={"That is the sum; divide by the number of values.": sum},
    ... )
    >>> mean.check(lambda x: sum(x) / len(x))
    00.mean: right. Well done.
    >>> mean.check(sum)
    00.mean: not yet. That is the sum; divide by the number of values.
    """

    name: str
    answers: Callable[[Callable[..., Any]], Answer]
    right: Callable[..., Any]
    slips: Mapping[str, Callable[..., Any]] = field(default_factory=dict)
    tolerance: float = 1e-9
    _known: dict[str, Answer] = field(default_factory=dict, init=False, repr=False, compare=False)

    def check(self, function: Callable[..., Any]) -> ExerciseResult:
        """Check a function; whatever it does, the notebook runs on."""
        problem = self._problem(function)
        return ExerciseResult(self.name, problem is None, "Well done." if problem is None else problem)

    def _problem(self, function: Any) -> str | None:
        if not callable(function):
            return f"Hand over the function itself, without calling it; this is {type(function).__name__}."
        try:
            given = self.answers(function)
        except Exception as error:  # noqa: BLE001 - a student's function can raise anything, and the notebook runs on
            if _returns_nothing(error):
                return "It returns nothing yet: write its lines, and end with `return`."
            return f"It stopped with {type(error).__name__}: {error}"
        if _is_nothing(given):
            return "It returns nothing yet: write its lines, and end with `return`."
        wanted = self._of("", self.right)
        different = _difference(given, wanted, self.tolerance)
        if different is None:
            return None
        made = {sentence: self._of(sentence, slip) for sentence, slip in self.slips.items()}
        for part in (None, _first_wrong(given, wanted, self.tolerance)):  # everywhere, else where it is wrong first
            for sentence, wrong in made.items():
                if _alike(given, wrong, part, self.tolerance) and not _alike(wrong, wanted, part, self.tolerance):
                    return sentence
        return different

    def _of(self, name: str, function: Callable[..., Any]) -> Answer:
        """Return the answer of the right function or of one that makes a slip, asked for once."""
        if name not in self._known:
            self._known[name] = self.answers(function)
        return self._known[name]


@dataclass(frozen=True, slots=True)
class ExerciseResult:
    """The outcome of a check, and the next step.

    Attributes
    ----------
    name : str
        Lecture and function.
    passed : bool
    message : str
        One or two sentences.
    """

    name: str
    passed: bool
    message: str

    def __str__(self) -> str:
        return f"{self.name}: {'right' if self.passed else 'not yet'}. {self.message}"

    __repr__ = __str__

    def _repr_html_(self) -> str:
        return f"<p>{'&#10003;' if self.passed else '&#10007;'} {escape(str(self))}</p>"


def check(name: str, function: Callable[..., Any]) -> ExerciseResult:
    """Check a function written in a lecture.

    Parameters
    ----------
    name : str
        Lecture and function, for example ``"08.matches"``.
    function : callable
        The function, not its result.

    Returns
    -------
    ExerciseResult
        Shows itself at the end of a cell; an error of the function is told in it, and never raised.

    Raises
    ------
    InputError
        If there is no such exercise.

    Examples
    --------
    >>> from synthlab.teaching import check
    >>> check("08.matches", None)
    08.matches: not yet. Hand over the function itself, without calling it; this is NoneType.
    """
    lecture, _, _ = str(name).partition(".")
    lectures = exercise_lectures()
    if lecture not in lectures:
        raise InputError(f"name={name!r}: must begin with a lecture that has exercises, one of {', '.join(lectures)}")
    found = {one.name: one for one in exercises_of(lecture)}
    if name not in found:
        raise InputError(f"name={name!r}: must be one of {', '.join(found)}")
    return found[name].check(function)


def exercise_lectures() -> list[str]:
    """Return the lectures that have exercises, for example ``["08", "09b"]``."""
    names = sorted(entry.name for entry in files(ROOM).iterdir())
    return [
        name[len("lecture_") : -len(".py")] for name in names if name.startswith("lecture_") and name.endswith(".py")
    ]


def exercises_of(lecture: str) -> tuple[Exercise, ...]:
    """Return the exercises of a lecture."""
    found: tuple[Exercise, ...] = importlib.import_module(f"{ROOM}.lecture_{lecture}").EXERCISES
    return found


def _returns_nothing(error: BaseException) -> bool:
    """Say whether an error comes from using None, which a function without its lines returns."""
    return isinstance(error, TypeError | AttributeError) and "NoneType" in str(error)


def _is_nothing(given: Any) -> bool:
    values = list(given.values()) if isinstance(given, Mapping) else [given]
    return any(value is None or value is ... for value in values)


def _difference(given: Answer, wanted: Answer, tolerance: float) -> str | None:
    """Return where two answers differ, or None."""
    if isinstance(wanted, Mapping):
        if not isinstance(given, Mapping):
            return f"It must give {', '.join(map(str, wanted))}."
        found = ((part, _difference(given[part], value, tolerance)) for part, value in wanted.items())
        return next((f"{part}: {what}" for part, what in found if what is not None), None)
    right = np.asarray(wanted, dtype=float)
    try:
        mine = np.asarray(given, dtype=float)
    except (TypeError, ValueError):
        return f"It must give {_kind(right)}, and gives {type(given).__name__}."
    if mine.shape != right.shape:
        return f"It must give {_kind(right)}, and gives {_kind(mine)}."
    if np.allclose(mine, right, rtol=0.0, atol=tolerance, equal_nan=True):
        return None
    return f"It gives {_shown(mine)}; right is {_shown(right)}."


def _first_wrong(given: Answer, wanted: Answer, tolerance: float) -> str | None:
    """Return the first part of an answer that is wrong, or None for an answer without parts."""
    if not (isinstance(wanted, Mapping) and isinstance(given, Mapping)):
        return None
    return next((part for part in wanted if _difference(given[part], wanted[part], tolerance) is not None), None)


def _alike(one: Answer, other: Answer, part: str | None, tolerance: float) -> bool:
    """Say whether two answers are the same, in one part or (None) everywhere."""
    if part is not None and isinstance(one, Mapping) and isinstance(other, Mapping):
        one, other = one[part], other[part]
    return _difference(one, other, tolerance) is None


def _kind(values: npt.NDArray[np.float64]) -> str:
    if values.ndim == 0:
        return "one number"
    return f"{' by '.join(map(str, values.shape))} numbers"


def _shown(values: npt.NDArray[np.float64]) -> str:
    if values.ndim == 0:
        return f"{float(values):.6g}"
    return np.array2string(values, precision=4, threshold=12, separator=", ", floatmode="maxprec").replace("\n", "")
