"""Lecture 11: the identification probability IR of each record, and risk weights."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from synthlab.teaching.checking import Exercise
from synthlab.teaching.exercises.labels import as_arrays, label_values


def identification(y: npt.ArrayLike, files: Sequence[npt.ArrayLike], r: float) -> Any:
    """Return IR of each record of one pattern, for true values y and synthetic files."""
    t, products = np.asarray(y, float)[:, None], []
    for z in files:
        outside = np.abs(np.asarray(z, float) - t) > r * np.abs(t)
        products.append(outside.mean(axis=1) * ~outside.diagonal())
    return np.mean(products, axis=0)


FIVE = [10.0, 11.0, 12.0, 20.0, 40.0]
FILES = [[11.0, 10.0, 21.0, 24.0, 39.0], [10.0, 30.0, 13.0, 9.0, 47.0]]
PERSONS = [f"person {k + 1}" for k in range(len(FIVE))]


def _answers_identification(function: Callable[..., Any]) -> dict[str, Any]:
    five, files = np.array(FIVE), [np.array(z) for z in FILES]
    cases: dict[str, Any] = {
        "true values released": (five, [five]),
        "two files": (five, files),
        "negative incomes": (-five, [-z for z in files]),
    }
    return {
        name: label_values(function(y.copy(), [z.copy() for z in made], 0.2), PERSONS)
        for name, (y, made) in cases.items()
    }


def weights(y: npt.ArrayLike, r: float) -> Any:
    """Return the marginal and pairwise weights of the records of one pattern."""
    t = np.asarray(y, float)
    outside = (np.abs(t - t[:, None]) > r * np.abs(t)[:, None]).astype(float)
    both = outside @ outside.T / len(outside)
    np.fill_diagonal(both, 0)
    return 1 - outside.mean(axis=1), 1 - both.sum(axis=1) / (len(outside) - 1)


def _answers_weights(function: Callable[..., Any]) -> dict[str, Any]:
    answers: dict[str, Any] = {}
    for radius in (0.2, 0.6):
        given = function(np.array(FIVE), radius)
        if given is None or given is ...:
            return {"the weights": None}
        two = isinstance(given, tuple | list | np.ndarray) and len(given) == 2
        answers[f"number of arrays, radius {radius:.0%}"] = 2.0 if two else 1.0
        for name, values in zip(("marginal", "pairwise"), given if two else (), strict=False):
            answers[f"{name} weight, radius {radius:.0%}"] = label_values(values, PERSONS)
    return answers


EXERCISES = (
    Exercise(
        "11.identification",
        answers=_answers_identification,
        right=identification,
        slips={
            "The record's own synthetic value must also be inside the ball; otherwise, IR is 0 in this file.": {
                " * ~outside.diagonal()": ""
            },
            "This is T/c, the match risk of lecture 8; IR is the share of the pattern outside the ball, times T.": {
                "outside.mean(axis=1) * ~outside.diagonal()": "~outside.diagonal() / np.maximum((~outside).sum(axis=1), 1)"
            },
            "IR is the share outside the ball; this is the share inside.": {"outside.mean": "(~outside).mean"},
            "This uses only the first file; average over all files.": {"in files": "in files[:1]"},
            "Use the share of the whole pattern, including the person.": {
                "outside.mean(axis=1)": "outside.sum(axis=1) / (len(t) - 1)"
            },
            "For a negative income, your radius is negative; use r times the absolute value.": {
                "r * np.abs(t)": "r * t"
            },
            "The radius is relative: r times the absolute true value, not r.": {"r * np.abs(t)": "r"},
            "The ends belong to the ball: outside means farther away than the radius.": {" > ": " >= "},
            "IR needs the share of the pattern outside the ball; this is the number of records.": {
                "outside.mean": "outside.sum"
            },
            "Multiply in each file, then average; you average the two factors separately.": {
                "outside.mean(axis=1) * ~outside.diagonal()": "[outside.mean(axis=1), ~outside.diagonal()]",
                "np.mean(products, axis=0)": "np.mean(products, axis=0).prod(axis=0)",
            },
            "Count the synthetic values outside the ball of i (row i); rows and columns are swapped.": {
                "mean(axis=1)": "mean(axis=0)"
            },
        },
    ),
    Exercise(
        "11.weights",
        form=as_arrays,
        answers=_answers_weights,
        right=weights,
        slips={
            "The ball must be around the value of i (the row), with the radius of i; here rows and columns are swapped.": {
                ".astype(float)": ".astype(float).T"
            },
            "A pair consists of two different people; omit the diagonal and divide by the number of other people.": {
                "    np.fill_diagonal(both, 0)\n": "",
                "(len(outside) - 1)": "len(outside)",
            },
            "Count the records outside both balls; these are the records outside at least one ball.": {
                "outside @ outside.T / len(outside)": "1 - (1 - outside) @ (1 - outside).T / len(outside)"
            },
            "These are the risks; a weight is one minus the risk.": {"1 - outside": "outside", "1 - both": "both"},
            "Count the records outside both balls for each pair; you cannot multiply the two shares.": {
                "outside @ outside.T / len(outside)": "np.outer(outside.mean(axis=1), outside.mean(axis=1))"
            },
            "A person has n - 1 partners; divide by n - 1, not by n.": {"(len(outside) - 1)": "len(outside)"},
            "outside.T @ outside counts pairs in the columns; use outside @ outside.T.": {
                "outside @ outside.T": "outside.T @ outside"
            },
            "A product of two arrays of True and False is not a count; convert `outside` with astype(float).": {
                ".astype(float)": ""
            },
        },
    ),
)
