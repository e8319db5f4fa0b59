"""Lecture 6b: the largest distance between two empirical distribution functions."""

from __future__ import annotations

from typing import Any

import numpy as np

from synthlab._typing import FloatArray
from synthlab.teaching.checking import Exercise


def _gaps(confidential: Any, synthetic: Any, points: Any = None) -> FloatArray:
    a, b = np.sort(np.asarray(confidential, float)), np.sort(np.asarray(synthetic, float))
    x = np.concatenate([a, b]) if points is None else np.asarray(points, float)
    gaps: FloatArray = np.searchsorted(a, x, side="right") / a.size - np.searchsorted(b, x, side="right") / b.size
    return gaps


def largest(confidential: Any, synthetic: Any) -> float:
    """Return the largest absolute difference between the ECDFs of two files."""
    return float(np.abs(_gaps(confidential, synthetic)).max())


def _signed(confidential: Any, synthetic: Any) -> float:
    return float(_gaps(confidential, synthetic).max())


def _at_confidential(confidential: Any, synthetic: Any) -> float:
    return float(np.abs(_gaps(confidential, synthetic, points=confidential)).max())


def _mean(confidential: Any, synthetic: Any) -> float:
    return float(np.abs(_gaps(confidential, synthetic)).mean())


def _mean_square(confidential: Any, synthetic: Any) -> float:
    return float((_gaps(confidential, synthetic) ** 2).mean())


def _counts(confidential: Any, synthetic: Any) -> float:
    a, b = np.sort(np.asarray(confidential)), np.sort(np.asarray(synthetic))
    x = np.concatenate([a, b])
    return float(np.abs(np.searchsorted(a, x, side="right") - np.searchsorted(b, x, side="right")).max())


def _at_synthetic(confidential: Any, synthetic: Any) -> float:
    return float(np.abs(_gaps(confidential, synthetic, points=synthetic)).max())


def _equal_values(confidential: Any, synthetic: Any) -> float:
    a, b = np.asarray(confidential, float), np.asarray(synthetic, float)
    return float(max(abs((a == x).mean() - (b == x).mean()) for x in np.concatenate([a, b])))


def _answers(function: Any) -> dict[str, Any]:
    rng = np.random.default_rng(3)
    many = [np.round(rng.gamma(2.0, scale, size), 0) for scale, size in ((2.0, 30), (2.6, 47))]
    return {
        "the eight incomes": function(np.array([0, 0, 10, 20]), np.array([0, 10, 10, 40])),
        "another order, another length": function(np.array([20, 0, 10]), np.array([30, 15, 12, 5, 30])),
        "a synthetic file around the confidential one": function(np.array([5, 10]), np.array([1, 2, 20])),
        "a value between two equal ones": function(np.array([1, 2, 2, 3, 9]), np.array([2, 2, 2, 4])),
        "ties": function(*many),
        "ties, the files exchanged": function(*many[::-1]),
    }


EXERCISES = (
    Exercise(
        "06b.largest_gap",
        answers=_answers,
        right=largest,
        slips={
            "The curves can cross; take the absolute difference before the maximum.": _signed,
            "The largest gap can be at a synthetic value; use the values of both files.": _at_confidential,
            "The largest gap can be at a confidential value; use the values of both files.": _at_synthetic,
            "These are shares equal to x; use the shares at or below x.": _equal_values,
            "This is the mean gap; U_m is the largest gap.": _mean,
            "This is U_a, the mean squared gap; U_m is the largest gap.": _mean_square,
            "These are counts; divide each by the number of records in its file.": _counts,
        },
    ),
)
