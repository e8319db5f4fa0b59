"""Lecture 10b: guesses of the true values from a fitted model."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from synthlab.teaching.checking import Exercise
from synthlab.teaching.exercises.labels import as_integers, generator_use

DRAWS = 10_000


def chances(beta: npt.ArrayLike, x: npt.ArrayLike) -> Any:
    """Return the probabilities of three facilities (columns) for each record (row)."""
    b, x = np.asarray(beta, float), np.asarray(x, float)
    eta = np.column_stack([0 * x, b[0] + b[1] * x, b[2] + b[3] * x])
    p = np.exp(eta - eta.max(axis=1, keepdims=True))
    return p / p.sum(axis=1, keepdims=True)


def guesses(betas: Sequence[Sequence[float]], x: npt.ArrayLike, draws: int, rng: np.random.Generator) -> Any:
    """Return `draws` guesses of each record's facility, at the mean coefficients."""
    p = chances(np.mean(betas, axis=0), x)
    u = rng.random((draws, len(p), 1))
    return (u > p.cumsum(axis=1)[:, :2]).sum(axis=2)


TWO_FITS = [[3.0, -1.0, 1.0, -3.0], [-2.0, 0.0, 1.0, 1.0]]
X = [-1.0, 0.0, 0.0, 2.0]


def _answers_guesses(function: Callable[..., Any]) -> dict[str, Any]:
    given = function(TWO_FITS, np.array(X), DRAWS, np.random.default_rng(10))
    if given is None or given is ...:
        return {"the draws": None}
    drawn = np.asarray(given)
    if drawn.shape != (DRAWS, len(X)):
        return {"number of draws and of records": drawn.shape}
    other = np.asarray(
        function([[0.5, 0.2, -1.0, 0.4], [0.1, 0.6, 1.0, 0.0]], np.array([1.5, -0.5]), 2_000, np.random.default_rng(11))
    )
    return {
        **generator_use(lambda rng: function(TWO_FITS, np.array(X), 10, rng)),
        "number of draws and of records": drawn.shape,
        "mean facility in a second call": other.mean(axis=0),
        **{
            f"record {record + 1}: share of draws in facilities 0, 1, 2": np.bincount(
                drawn[:, record].astype(int).clip(0, 3), minlength=4
            )[:3]
            / DRAWS
            for record in range(len(X))
        },
        "share of draws in which records 2 and 3 are in the same facility": np.mean(drawn[:, 1] == drawn[:, 2]),
    }


EXERCISES = (
    Exercise(
        "10b.guesses",
        form=as_integers,
        answers=_answers_guesses,
        right=guesses,
        slips={
            "These are averaged probabilities; first average the coefficients, then compute the probabilities.": {
                "chances(np.mean(betas, axis=0), x)": "np.mean([chances(beta, x) for beta in betas], axis=0)"
            },
            "These are the coefficients of the first file; average over all files.": {
                "np.mean(betas, axis=0)": "betas[0]"
            },
            "All records in a guess use the same random number; draw one for each record.": {
                "(draws, len(p), 1)": "(draws, 1, 1)"
            },
            "This always uses the most probable facility; draw the facility.": {
                "(u > p.cumsum(axis=1)[:, :2]).sum(axis=2)": "np.tile(p.argmax(axis=1), (draws, 1))"
            },
        },
        tolerance=0.04,
    ),
)
