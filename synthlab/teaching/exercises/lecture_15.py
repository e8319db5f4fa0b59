"""Lecture 15: numbers of two programs that differ by more than a tolerance."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import numpy.typing as npt

from synthlab._typing import BoolArray
from synthlab.teaching.checking import Exercise
from synthlab.teaching.exercises.labels import as_booleans, label_values

NAN = float("nan")
TOY = ([100.0, 102.0, -50.1, NAN, 3.0], [100.5, 100.0, -50.0, NAN, NAN])
COUNTS = ([0, 3, 4, 7], [0, 3, 5, 6])
SMALL = ([1e-9, 2.0, 3.0], [0.0, 2.0, 3.0])
EDGES = ([1.25, 0.1, -8.0, -8.0, 0.0, NAN, 100.0, 110.5], [1.0, 0.0, -9.5, -7.0, 0.2, 2.0, 89.5, 100.0])


def off(mine: npt.ArrayLike, other: npt.ArrayLike, relative: float, absolute: float = 0.0) -> BoolArray:
    """Return whether each pair of numbers differs too much; two missing numbers agree."""
    a, b = np.asarray(mine, dtype=np.float64), np.asarray(other, dtype=np.float64)
    near = np.abs(a - b) <= relative * np.abs(b) + absolute
    return np.asarray(~(near | (np.isnan(a) & np.isnan(b))))


def _answers(function: Callable[..., Any]) -> dict[str, Any]:
    cases: dict[str, Any] = {
        "relative 0.01": (*TOY, 0.01),
        "counts, relative 0": (*COUNTS, 0.0),
        "relative 0.1, absolute 0.15": (*EDGES, 0.1, 0.15),
        "relative 0": (*SMALL, 0.0),
    }
    return {
        name: label_values(
            function(np.array(mine), np.array(other), *rest),
            [f"{a:g} and {b:g}, off (1) or near (0)" for a, b in zip(mine, other, strict=True)],
        )
        for name, (mine, other, *rest) in cases.items()
    }


EXERCISES = (
    Exercise(
        "15.off",
        form=as_booleans,
        answers=_answers,
        right=off,
        slips={
            "A missing number and a number must differ, but NaN > x is False; test for agreement and negate the result.": (
                {"<=": ">", "~(near | (np.isnan(a) & np.isnan(b)))": "near"}
            ),
            "Two missing numbers agree; treat pairs where both are NaN separately.": {
                " | (np.isnan(a) & np.isnan(b))": ""
            },
            "A number that is too small also differs; take the absolute value of the difference.": {
                "np.abs(a - b)": "a - b"
            },
            "For negative numbers your tolerance is negative; take the absolute value of the other number.": {
                "np.abs(b)": "b"
            },
            "The tolerance is relative to the other program's number, not to your own.": {"np.abs(b)": "np.abs(a)"},
            "With a tolerance of 0, equal counts must agree; compare with <=.": {"<=": "<"},
            "The absolute part of the tolerance is missing.": {" + absolute": ""},
            "The two parts of the tolerance add up; you use only the larger one.": {
                "relative * np.abs(b) + absolute": "np.maximum(relative * np.abs(b), absolute)"
            },
            "np.isclose has an absolute tolerance of 1e-8 by default; pass atol=absolute.": {"+ absolute": "+ 1e-8"},
            "This is True where the numbers agree; return True where they are off.": {"~": ""},
            "Return one answer for each pair, not one answer for all.": {"np.isnan(b))))": "np.isnan(b)))).any()"},
        },
    ),
)
