"""Lecture 12b: the exponential mechanism."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from synthlab._typing import FloatArray
from synthlab.teaching.checking import Exercise
from synthlab.teaching.exercises.labels import label_values

INCOMES = ("21", "34", "48", "52", "910")
VILLAGE = [-2.0, 0.0, 0.0, -1.0, -2.0]
FAR = [-3000.0, -2998.0, -2997.0]


def exponential(utility: npt.ArrayLike, sensitivity: float, epsilon: float) -> FloatArray:
    """Return candidate probabilities proportional to exp(epsilon u / (2 sensitivity))."""
    u = np.asarray(utility, dtype=np.float64)
    p = np.exp(epsilon * (u - u.max()) / (2 * sensitivity))
    return np.asarray(p / p.sum())


def _answers_exponential(function: Any) -> dict[str, Any]:
    three = ("first candidate", "second candidate", "third candidate")
    return {
        "the village, epsilon 1, Delta 1/2": label_values(function(np.array(VILLAGE), 0.5, 1.0), INCOMES),
        "the village, epsilon 1, Delta 1": label_values(function(np.array(VILLAGE), 1.0, 1.0), INCOMES),
        "the village, epsilon 3, Delta 2": label_values(function(np.array(VILLAGE), 2.0, 3.0), INCOMES),
        "utilities around -3000, Delta 1/2": label_values(function(np.array(FAR), 0.5, 1.0), three),
    }


EXERCISES = (
    Exercise(
        "12b.exponential",
        answers=_answers_exponential,
        right=exponential,
        slips={
            "The 2 is missing: divide the exponent by 2 Delta.": {"(2 * sensitivity)": "sensitivity"},
            "The sensitivity is missing: divide the exponent by 2 Delta.": {"(2 * sensitivity)": "2"},
            "Probabilities must add up to 1; divide by their sum.": {" / p.sum()": ""},
            "The sign of the utility is wrong: better candidates must be more probable.": {
                "np.asarray(utility, dtype": "-np.asarray(utility, dtype"
            },
            "For utilities around -3000, all exponentials are 0; subtract the largest utility first.": {
                "(u - u.max())": "u"
            },
            "Divide the exponent by 2 Delta; you multiply by 2 Delta.": {"/ (2 * sensitivity)": "* (2 * sensitivity)"},
            "The best candidate must not be certain: its probability would be 0 for a neighbor.": {
                "p / p.sum()": "u == u.max(), dtype=np.float64"
            },
        },
    ),
)
