"""Lecture 6b: the largest distance between two empirical distribution functions."""

from __future__ import annotations

from typing import Any

import numpy as np

from synthlab.teaching.checking import Exercise
from synthlab.teaching.exercises.labels import as_number


def largest(confidential: Any, synthetic: Any) -> float:
    """Return the largest absolute difference between the ECDFs of two files."""
    a, b = np.sort(np.asarray(confidential, float)), np.sort(np.asarray(synthetic, float))
    x = np.concatenate([a, b])
    gaps = np.searchsorted(a, x, side="right") / a.size - np.searchsorted(b, x, side="right") / b.size
    return float(np.abs(gaps).max())


def _answers(function: Any) -> dict[str, Any]:
    rng = np.random.default_rng(3)
    many = [np.round(rng.gamma(2.0, scale, size), 0) for scale, size in ((2.0, 30), (2.6, 47))]
    return {
        "the eight incomes": function(np.array([0, 0, 10, 20]), np.array([0, 10, 10, 40])),
        "another order, another length": function(np.array([20, 0, 10]), np.array([30, 15, 12, 5, 30])),
        "a synthetic file around the confidential one": function(np.array([5, 10]), np.array([1, 2, 20])),
        "a value between two equal ones": function(np.array([1, 2, 2, 3, 9]), np.array([2, 2, 2, 4])),
        "values at very different distances": function(
            np.array([1.0, 1.001, 50.0, 900.0]), np.array([1.0005, 1.0007, 1.0008, 60.0, 100.0])
        ),
        "ties": function(*many),
        "ties, the files exchanged": function(*many[::-1]),
    }


EXERCISES = (
    Exercise(
        "06b.largest_gap",
        form=as_number,
        answers=_answers,
        right=largest,
        slips={
            "The curves can cross; take the absolute difference before the maximum.": {"np.abs(gaps)": "gaps"},
            "The largest gap can be at a synthetic value; use the values of both files.": {
                "np.concatenate([a, b])": "a"
            },
            "The largest gap can be at a confidential value; use the values of both files.": {
                "np.concatenate([a, b])": "b"
            },
            "These are shares equal to x; use the shares at or below x.": {
                'np.searchsorted(a, x, side="right") / a.size': "(a == x[:, None]).mean(axis=1)",
                'np.searchsorted(b, x, side="right") / b.size': "(b == x[:, None]).mean(axis=1)",
            },
            "This is the mean gap; U_m is the largest gap.": {".max()": ".mean()"},
            "This is U_a, the mean squared gap; U_m is the largest gap.": {"np.abs(gaps).max()": "(gaps**2).mean()"},
            "These are counts; divide each by the number of records in its file.": {" / a.size": "", " / b.size": ""},
        },
    ),
)
