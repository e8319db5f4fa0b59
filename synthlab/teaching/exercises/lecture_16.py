"""Lecture 16: the pseudo-posterior of a share, with survey weights."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from synthlab.teaching.checking import Exercise
from synthlab.teaching.exercises.labels import label_values

FOUR = ([1, 1, 0, 0], [1.0, 1.0, 3.0, 3.0])
GRID = [0.25, 0.5, 0.75]
SIX = ([1, 0, 1, 0, 0, 1], [2.0, 9.0, 4.0, 1.0, 30.0, 14.0])


def pseudo_posterior(y: Any, w: Any, p: Any) -> Any:
    """Return the pseudo-posterior of a share on the grid p (flat prior, sum 1)."""
    alpha = len(y) * w / w.sum()
    log = (alpha * y).sum() * np.log(p) + (alpha * (1 - y)).sum() * np.log(1 - p)
    density = np.exp(log - log.max())
    return density / density.sum()


def _answers(function: Callable[..., Any]) -> dict[str, Any]:
    cases: dict[str, Any] = {
        "four women": (*FOUR, GRID),
        "six women": (*SIX, [0.1, 0.3, 0.5, 0.7, 0.9]),
        "6,000 women": (SIX[0] * 1_000, SIX[1] * 1_000, [0.33, 0.335, 0.5]),
    }
    return {
        name: label_values(function(np.array(y), np.array(w), np.array(p)), [f"share {at:g}" for at in p])
        for name, (y, w, p) in cases.items()
    }


EXERCISES = (
    Exercise(
        "16.pseudo_posterior",
        answers=_answers,
        right=pseudo_posterior,
        slips={
            "The weights have no effect here: every person counts once.": {"len(y) * w / w.sum()": "np.ones(len(y))"},
            "The weights must add up to n, the number of records, not to the number of people they represent.": {
                "len(y) * w / w.sum()": "w"
            },
            "The weights must add up to n; these add up to 1, as if only one person had answered.": {"len(y) * ": ""},
            "This is the inclusion probability; the weight is its inverse, which is given.": {
                "len(y) * w / w.sum()": "len(y) / w / (1 / w).sum()"
            },
            "The people who say no also have weights.": {"alpha * (1 - y)": "1 - y"},
            "The result does not add up to 1; divide by its sum.": {"log - log.max()": "log", " / density.sum()": ""},
            "With many people, the likelihood underflows to 0; subtract the largest log-likelihood before exp.": {
                "log - log.max()": "log"
            },
            "The weights must add up to n; dividing by the largest weight makes the sum smaller.": {
                "w / w.sum()": "w / w.max()",
                "len(y) * ": "",
            },
            "The values on the grid must add up to 1; do not divide by the step of the grid.": {
                "density.sum()": "density.sum() / (p[1] - p[0])"
            },
        },
    ),
)
