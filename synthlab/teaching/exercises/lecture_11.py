"""Lecture 11: the identification probability IR of each record, and risk weights."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from synthlab.teaching.checking import Exercise
from synthlab.teaching.exercises.labels import label_values


def identification(y: npt.ArrayLike, files: Sequence[npt.ArrayLike], r: float) -> Any:
    """Return IR of each record of one pattern, for true values y and synthetic files."""
    return np.mean([_outside(y, z, r).mean(axis=1) * ~_outside(y, z, r).diagonal() for z in files], axis=0)


def _outside(y: npt.ArrayLike, z: npt.ArrayLike, r: float) -> Any:
    t = np.asarray(y, float)
    return np.abs(np.asarray(z, float) - t[:, None]) > r * np.abs(t)[:, None]


def _without_own(y: npt.ArrayLike, files: Sequence[npt.ArrayLike], r: float) -> Any:
    return np.mean([_outside(y, z, r).mean(axis=1) for z in files], axis=0)


def _match_risk(y: npt.ArrayLike, files: Sequence[npt.ArrayLike], r: float) -> Any:
    inside = [~_outside(y, z, r) for z in files]
    return np.mean([one.diagonal() / np.maximum(one.sum(axis=1), 1) for one in inside], axis=0)


def _share_inside(y: npt.ArrayLike, files: Sequence[npt.ArrayLike], r: float) -> Any:
    inside = [~_outside(y, z, r) for z in files]
    return np.mean([one.mean(axis=1) * one.diagonal() for one in inside], axis=0)


def _first_file(y: npt.ArrayLike, files: Sequence[npt.ArrayLike], r: float) -> Any:
    return identification(y, files[:1], r)


def _others_only(y: npt.ArrayLike, files: Sequence[npt.ArrayLike], r: float) -> Any:
    n = np.size(y)
    return identification(y, files, r) * n / (n - 1)


def _signed_radius(y: npt.ArrayLike, files: Sequence[npt.ArrayLike], r: float) -> Any:
    t = np.asarray(y, float)
    outside = [np.abs(np.asarray(z, float) - t[:, None]) > r * t[:, None] for z in files]
    return np.mean([one.mean(axis=1) * ~one.diagonal() for one in outside], axis=0)


def _absolute_radius(y: npt.ArrayLike, files: Sequence[npt.ArrayLike], r: float) -> Any:
    t = np.asarray(y, float)
    outside = [np.abs(np.asarray(z, float) - t[:, None]) > r for z in files]
    return np.mean([one.mean(axis=1) * ~one.diagonal() for one in outside], axis=0)


def _open_ball(y: npt.ArrayLike, files: Sequence[npt.ArrayLike], r: float) -> Any:
    t = np.asarray(y, float)
    outside = [np.abs(np.asarray(z, float) - t[:, None]) >= r * np.abs(t)[:, None] for z in files]
    return np.mean([one.mean(axis=1) * ~one.diagonal() for one in outside], axis=0)


def _number_outside(y: npt.ArrayLike, files: Sequence[npt.ArrayLike], r: float) -> Any:
    return identification(y, files, r) * np.size(y)


def _product_of_means(y: npt.ArrayLike, files: Sequence[npt.ArrayLike], r: float) -> Any:
    outside = np.array([_outside(y, z, r) for z in files])
    return outside.mean(axis=(0, 2)) * (~outside).mean(axis=0).diagonal()


def _columns(y: npt.ArrayLike, files: Sequence[npt.ArrayLike], r: float) -> Any:
    outside = [_outside(y, z, r) for z in files]
    return np.mean([one.mean(axis=0) * ~one.diagonal() for one in outside], axis=0)


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
    outside = _outside(y, y, r).astype(float)
    both = outside @ outside.T / len(outside)
    np.fill_diagonal(both, 0)
    return 1 - outside.mean(axis=1), 1 - both.sum(axis=1) / (len(outside) - 1)


def _turned(y: npt.ArrayLike, r: float) -> Any:
    outside = _outside(y, y, r).T.astype(float)
    both = outside @ outside.T / len(outside)
    np.fill_diagonal(both, 0)
    return 1 - outside.mean(axis=1), 1 - both.sum(axis=1) / (len(outside) - 1)


def _with_itself(y: npt.ArrayLike, r: float) -> Any:
    outside = _outside(y, y, r).astype(float)
    return 1 - outside.mean(axis=1), 1 - (outside @ outside.T / len(outside)).mean(axis=1)


def _either(y: npt.ArrayLike, r: float) -> Any:
    outside = _outside(y, y, r).astype(float)
    one = outside.mean(axis=1)
    both = one[:, None] + one - outside @ outside.T / len(outside)
    np.fill_diagonal(both, 0)
    return 1 - one, 1 - both.sum(axis=1) / (len(outside) - 1)


def _risks(y: npt.ArrayLike, r: float) -> Any:
    marginal, pairwise = weights(y, r)
    return 1 - marginal, 1 - pairwise


def _independent(y: npt.ArrayLike, r: float) -> Any:
    one = _outside(y, y, r).mean(axis=1)
    return 1 - one, 1 - one * (one.sum() - one) / (one.size - 1)


def _sum_over_n(y: npt.ArrayLike, r: float) -> Any:
    outside = _outside(y, y, r).astype(float)
    both = outside @ outside.T / len(outside)
    np.fill_diagonal(both, 0)
    return 1 - outside.mean(axis=1), 1 - both.sum(axis=1) / len(outside)


def _outside_of_whom(y: npt.ArrayLike, r: float) -> Any:
    outside = _outside(y, y, r).astype(float)
    both = outside.T @ outside / len(outside)
    np.fill_diagonal(both, 0)
    return 1 - outside.mean(axis=1), 1 - both.sum(axis=1) / (len(outside) - 1)


def _products_of_truths(y: npt.ArrayLike, r: float) -> Any:
    outside = _outside(y, y, r)
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
            "The record's own synthetic value must also be inside the ball; otherwise, IR is 0 in this file.": _without_own,
            "This is T/c, the match risk of lecture 8; IR is the share of the pattern outside the ball, times T.": _match_risk,
            "IR is the share outside the ball; this is the share inside.": _share_inside,
            "This uses only the first file; average over all files.": _first_file,
            "Use the share of the whole pattern, including the person.": _others_only,
            "For a negative income, your radius is negative; use r times the absolute value.": _signed_radius,
            "The radius is relative: r times the absolute true value, not r.": _absolute_radius,
            "The ends belong to the ball: outside means farther away than the radius.": _open_ball,
            "IR needs the share of the pattern outside the ball; this is the number of records.": _number_outside,
            "Multiply in each file, then average; you average the two factors separately.": _product_of_means,
            "Count the synthetic values outside the ball of i (row i); rows and columns are swapped.": _columns,
        },
    ),
    Exercise(
        "11.weights",
        answers=_answers_weights,
        right=weights,
        slips={
            "The ball must be around the value of i (the row), with the radius of i; here rows and columns are swapped.": _turned,
            "A pair consists of two different people; omit the diagonal and divide by the number of other people.": _with_itself,
            "Count the records outside both balls; these are the records outside at least one ball.": _either,
            "These are the risks; a weight is one minus the risk.": _risks,
            "Count the records outside both balls for each pair; you cannot multiply the two shares.": _independent,
            "A person has n - 1 partners; divide by n - 1, not by n.": _sum_over_n,
            "outside.T @ outside counts pairs in the columns; use outside @ outside.T.": _outside_of_whom,
            "A product of two arrays of True and False is not a count; convert `outside` with astype(float).": _products_of_truths,
        },
    ),
)
