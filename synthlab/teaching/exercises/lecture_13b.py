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
    values, limit = np.asarray(log, dtype=np.float64), epsilon / 2
    return np.asarray(np.clip(values, -limit, limit))


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
            "Two values can differ by epsilon, so each must be within epsilon / 2 of 0.": {
                "dtype=np.float64), epsilon / 2": "dtype=np.float64), epsilon"
            },
            "A density above 1 has a positive logarithm; clip from above as well.": {"-limit, limit": "-limit, None"},
            "Clip each value separately; one extreme value must not shrink the others.": {
                "np.clip(values, -limit, limit)": "values * min(1.0, limit / np.abs(values).max())"
            },
            "A value beyond a limit must become the limit, not 0.": {
                "np.clip(values, -limit, limit)": "np.where(np.abs(values) <= limit, values, 0.0)"
            },
            "Keep the sign: a likelihood below 1 has a negative logarithm.": {
                "np.clip(values, -limit, limit)": "np.minimum(np.abs(values), limit)"
            },
            "The logarithm of a density can be positive; its upper limit is epsilon / 2, not 0.": {
                "-limit, limit": "-limit, 0.0"
            },
        },
    ),
)
