"""Lecture 13: Lipschitz weights and the epsilon of a weighted fit."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from synthlab._typing import FloatArray
from synthlab.teaching.checking import Exercise
from synthlab.teaching.exercises.labels import as_number, label_values

PENCIL = np.array([[-1, -2, -4, 0.5], [-1.5, -3, -5, 1], [-1, -2.5, -4.5, 0.8], [-0.5, -9, -4, 0.2]])
PEOPLE = ("Ann", "Bob", "Cem", "Dana")
OTHERS = ("Eva", "Filip", "Gita")
HARDER = np.array([[-2.9, 2.0, -3.0], [-1.0, 2.5, -3.5], [-0.2, 6.0, -1.0], [-0.6, 0.5, -7.0], [-0.7, 1.0, -2.0]])


def lipschitz(log: npt.ArrayLike, keep: int, c: float = 1.0, g: float = 0.0) -> FloatArray:
    """Return record weights (columns) from the `keep` draws with the smallest maximum."""
    size = np.abs(np.asarray(log, dtype=np.float64))
    f = size[np.argsort(size.max(axis=1))[:keep]].max(axis=0)
    far = (f - f.min()) / (f.max() - f.min())
    return np.asarray(np.clip(c * (1 - far) + g, 0, 1))


def _answers_weights(function: Any) -> dict[str, Any]:
    return {
        "3 of 4 draws, c = 1, g = 0": label_values(function(PENCIL.copy(), 3), PEOPLE),
        "3 of 4 draws, c = 0.5, g = -0.1": label_values(function(PENCIL.copy(), 3, 0.5, -0.1), PEOPLE),
        "3 of 4 draws, c = 1, g = 0.5": label_values(function(PENCIL.copy(), 3, 1.0, 0.5), PEOPLE),
        "3 of 5 draws, c = 1, g = 0": label_values(function(HARDER.copy(), 3), OTHERS),
    }


def epsilon(log: npt.ArrayLike, weights: npt.ArrayLike, keep: int) -> float:
    """Return epsilon: twice the largest weighted |log-likelihood| over the kept draws."""
    size = np.abs(np.asarray(log, dtype=np.float64))
    worst = (np.asarray(weights) * size).max(axis=1)
    return float(2 * np.sort(worst)[keep - 1])


def _answers_epsilon(function: Any) -> dict[str, Any]:
    return {
        "weights 1, 3 of 4 draws": function(PENCIL.copy(), np.ones(4), 3),
        "weights 1, 0.25 and 0.5, 3 of 5 draws": function(HARDER.copy(), np.array([1.0, 0.25, 0.5]), 3),
        "weights 1, 0.9 and 0.1, 2 of 5 draws": function(HARDER.copy(), np.array([1.0, 0.9, 0.1]), 2),
    }


EXERCISES = (
    Exercise(
        "13.lipschitz",
        answers=_answers_weights,
        right=lipschitz,
        slips={
            "Only the distance of a log-likelihood from 0 matters; take absolute values first.": {"np.abs": ""},
            "Drop the draws with the largest maximum before you compute f.": {"[:keep]": ""},
            "Keep the draws with the smallest maximum, not the first draws in the matrix.": {
                "np.argsort(size.max(axis=1))[:keep]": ":keep"
            },
            "The most sensitive record must have the smallest weight; here the order is reversed.": {
                "(1 - far)": "far"
            },
            "Weights below 0 must become 0.": {"np.clip(c * (1 - far) + g, 0, 1)": "c * (1 - far) + g"},
            "Map f to [0, 1] from its smallest value to its largest, not from 0.": {
                "(f - f.min()) / (f.max() - f.min())": "f / f.max()"
            },
            "f is the largest value over the kept draws, not the mean: a bound must hold for every draw.": {
                "].max(axis=0)": "].mean(axis=0)"
            },
            "The scale c multiplies all of 1 - f, not only f.": {"c * (1 - far)": "1 - c * far"},
            "Drop whole draws, the same for all records; you drop the largest values of each record.": {
                "size[np.argsort(size.max(axis=1))[:keep]].max(axis=0)": "np.sort(size, axis=0)[keep - 1]"
            },
        },
    ),
    Exercise(
        "13.epsilon",
        form=as_number,
        answers=_answers_epsilon,
        right=epsilon,
        slips={
            "The ratio has two terms, so epsilon is twice the bound.": {"2 * ": ""},
            "Only the distance of a log-likelihood from 0 matters; take absolute values first.": {"np.abs": ""},
            "Only the kept draws can be released; drop the other draws.": {"[keep - 1]": "[-1]"},
            "Multiply the log-likelihood of each record by its weight.": {"np.asarray(weights) * ": ""},
            "Apply the weights first; then drop draws by their largest weighted value.": {
                "np.sort(worst)[keep - 1]": "worst[np.argsort(size.max(axis=1))[:keep]].max()"
            },
            "You keep one draw too many: Python counts from 0.": {"[keep - 1]": "[keep]"},
            "Take the largest record of each draw, not the sum over the records.": {".max(axis=1)": ".sum(axis=1)"},
        },
    ),
)
