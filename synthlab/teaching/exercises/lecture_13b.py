"""Lecture 13b: clipping of the contributions of records."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from synthlab._typing import FloatArray
from synthlab.teaching.checking import Exercise
from synthlab.teaching.exercises.labels import label_values
from synthlab.teaching.exercises.lecture_13 import HARDER, OTHERS, PENCIL, PEOPLE


def clipped(log: npt.ArrayLike, epsilon: float) -> FloatArray:
    """Return the log-likelihoods, clipped to [-epsilon / 2, epsilon / 2]."""
    return np.clip(np.asarray(log, dtype=np.float64), -epsilon / 2, epsilon / 2)


def _too_wide(log: npt.ArrayLike, epsilon: float) -> FloatArray:
    return clipped(log, 2 * epsilon)


def _one_side(log: npt.ArrayLike, epsilon: float) -> FloatArray:
    return np.maximum(np.asarray(log, dtype=np.float64), -epsilon / 2)


def _shrunk(log: npt.ArrayLike, epsilon: float) -> FloatArray:
    values = np.asarray(log, dtype=np.float64)
    return np.asarray(values * min(1.0, epsilon / 2 / np.abs(values).max()))


def _dropped(log: npt.ArrayLike, epsilon: float) -> FloatArray:
    values = np.asarray(log, dtype=np.float64)
    return np.where(np.abs(values) <= epsilon / 2, values, 0.0)


def _no_sign(log: npt.ArrayLike, epsilon: float) -> FloatArray:
    return np.minimum(np.abs(np.asarray(log, dtype=np.float64)), epsilon / 2)


def _not_positive(log: npt.ArrayLike, epsilon: float) -> FloatArray:
    return np.clip(np.asarray(log, dtype=np.float64), -epsilon / 2, 0.0)


def _answers_clipped(function: Any) -> dict[str, Any]:
    four, five = ([f"draw {k + 1}" for k in range(len(log))] for log in (PENCIL, HARDER))
    return {
        "epsilon 4": label_values(function(PENCIL.copy(), 4.0), four, PEOPLE),
        "epsilon 3": label_values(function(HARDER.copy(), 3.0), five, OTHERS),
        "epsilon 40, which clips nothing": label_values(function(PENCIL.copy(), 40.0), four, PEOPLE),
    }


EXERCISES = (
    Exercise(
        "13b.clipped",
        answers=_answers_clipped,
        right=clipped,
        slips={
            "Two values can differ by epsilon, so each must be within epsilon / 2 of 0.": _too_wide,
            "A density above 1 has a positive logarithm; clip from above as well.": _one_side,
            "Clip each value separately; one extreme value must not shrink the others.": _shrunk,
            "A value beyond a limit must become the limit, not 0.": _dropped,
            "Keep the sign: a likelihood below 1 has a negative logarithm.": _no_sign,
            "The logarithm of a density can be positive; its upper limit is epsilon / 2, not 0.": _not_positive,
        },
    ),
)
