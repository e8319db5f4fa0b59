"""Lecture 15: which numbers of two programs are further apart than allowed."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import numpy.typing as npt

from synthlab._typing import BoolArray, FloatArray
from synthlab.lab.course.checking import Exercise

NAN = float("nan")
TOY = ([100.0, 102.0, -50.1, NAN, 3.0], [100.5, 100.0, -50.0, NAN, NAN])
COUNTS = ([0, 3, 4, 7], [0, 3, 5, 6])
EDGES = ([1.25, -8.0, -8.0, 0.0, NAN, 100.0, 110.5], [1.0, -9.5, -7.0, 0.2, 2.0, 89.5, 100.0])


def off(ours: npt.ArrayLike, theirs: npt.ArrayLike, relative: float, absolute: float = 0.0) -> BoolArray:
    """Return, for each pair of numbers, whether they are too far apart; two missing numbers agree."""
    mine, yours = _numbers(ours, theirs)
    return _beyond(np.abs(mine - yours), relative * np.abs(yours) + absolute, mine, yours)


def _numbers(ours: npt.ArrayLike, theirs: npt.ArrayLike) -> tuple[FloatArray, FloatArray]:
    return np.asarray(ours, dtype=np.float64), np.asarray(theirs, dtype=np.float64)


def _beyond(difference: FloatArray, allowed: FloatArray, mine: FloatArray, yours: FloatArray) -> BoolArray:
    return np.asarray(~((difference <= allowed) | (np.isnan(mine) & np.isnan(yours))))


def _missing_agrees(ours: npt.ArrayLike, theirs: npt.ArrayLike, relative: float, absolute: float = 0.0) -> BoolArray:
    mine, yours = _numbers(ours, theirs)
    return np.asarray(np.abs(mine - yours) > relative * np.abs(yours) + absolute)


def _missing_differs(ours: npt.ArrayLike, theirs: npt.ArrayLike, relative: float, absolute: float = 0.0) -> BoolArray:
    mine, yours = _numbers(ours, theirs)
    return np.asarray(~(np.abs(mine - yours) <= relative * np.abs(yours) + absolute))


def _signed(ours: npt.ArrayLike, theirs: npt.ArrayLike, relative: float, absolute: float = 0.0) -> BoolArray:
    mine, yours = _numbers(ours, theirs)
    return _beyond(mine - yours, relative * np.abs(yours) + absolute, mine, yours)


def _negative_allowance(
    ours: npt.ArrayLike, theirs: npt.ArrayLike, relative: float, absolute: float = 0.0
) -> BoolArray:
    mine, yours = _numbers(ours, theirs)
    return _beyond(np.abs(mine - yours), relative * yours + absolute, mine, yours)


def _relative_to_ours(ours: npt.ArrayLike, theirs: npt.ArrayLike, relative: float, absolute: float = 0.0) -> BoolArray:
    return off(theirs, ours, relative, absolute)


def _strict(ours: npt.ArrayLike, theirs: npt.ArrayLike, relative: float, absolute: float = 0.0) -> BoolArray:
    mine, yours = _numbers(ours, theirs)
    near = np.abs(mine - yours) < relative * np.abs(yours) + absolute
    return np.asarray(~(near | (np.isnan(mine) & np.isnan(yours))))


def _relative_alone(ours: npt.ArrayLike, theirs: npt.ArrayLike, relative: float, absolute: float = 0.0) -> BoolArray:
    return off(ours, theirs, relative)


def _asked(function: Callable[..., Any]) -> dict[str, Any]:
    return {
        "the five pairs": function(*TOY, 0.01),
        "counts": function(*COUNTS, 0.0),
        "values at the ends of the intervals": function(*EDGES, 0.1, 0.15),
    }


EXERCISES = (
    Exercise(
        "15.off",
        asked=_asked,
        right=off,
        slips={
            "A missing number beside a number must be off, and NaN > x is False: ask what is near, and negate it.": (
                _missing_agrees
            ),
            "Two missing numbers agree: take out the pairs where both are NaN.": _missing_differs,
            "A number that is too small is off as well: take the absolute value of the difference.": _signed,
            "For negative numbers your tolerance is negative: take the absolute value of theirs.": _negative_allowance,
            "The tolerance is relative to theirs, not to ours.": _relative_to_ours,
            "With a tolerance of 0 equal counts must agree: compare with <=.": _strict,
            "The absolute part of the tolerance is missing.": _relative_alone,
        },
    ),
)
