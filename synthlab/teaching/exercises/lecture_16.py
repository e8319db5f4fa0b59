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
    return _posterior(y, len(y) * w / w.sum(), p)


def _posterior(y: Any, alpha: Any, p: Any) -> Any:
    return _normed((alpha * y).sum() * np.log(p) + (alpha * (1 - y)).sum() * np.log(1 - p))


def _normed(log: Any) -> Any:
    density = np.exp(log - log.max())
    return density / density.sum()


def _unweighted(y: Any, w: Any, p: Any) -> Any:
    return _posterior(y, np.ones(len(y)), p)


def _people(y: Any, w: Any, p: Any) -> Any:
    return _posterior(y, w, p)


def _one(y: Any, w: Any, p: Any) -> Any:
    return _posterior(y, w / w.sum(), p)


def _chances(y: Any, w: Any, p: Any) -> Any:
    return pseudo_posterior(y, 1 / w, p)


def _yes_alone(y: Any, w: Any, p: Any) -> Any:
    alpha = len(y) * w / w.sum()
    return _normed((alpha * y).sum() * np.log(p) + (1 - y).sum() * np.log(1 - p))


def _not_normed(y: Any, w: Any, p: Any) -> Any:
    alpha = len(y) * w / w.sum()
    return p ** (alpha * y).sum() * (1 - p) ** (alpha * (1 - y)).sum()


def _underflow(y: Any, w: Any, p: Any) -> Any:
    density = _not_normed(y, w, p)
    with np.errstate(invalid="ignore"):
        return density / density.sum()


def _largest(y: Any, w: Any, p: Any) -> Any:
    return _posterior(y, w / w.max(), p)


def _divided_by_step(y: Any, w: Any, p: Any) -> Any:
    return pseudo_posterior(y, w, p) / (p[1] - p[0])


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
            "The weights have no effect here: every person counts once.": _unweighted,
            "The weights must add up to n, the number of records, not to the number of people they represent.": _people,
            "The weights must add up to n; these add up to 1, as if only one person had answered.": _one,
            "This is the inclusion probability; the weight is its inverse, which is given.": _chances,
            "The people who say no also have weights.": _yes_alone,
            "The result does not add up to 1; divide by its sum.": _not_normed,
            "With many people, the likelihood underflows to 0; subtract the largest log-likelihood before exp.": _underflow,
            "The weights must add up to n; dividing by the largest weight makes the sum smaller.": _largest,
            "The values on the grid must add up to 1; do not divide by the step of the grid.": _divided_by_step,
        },
    ),
)
