"""Lecture 11: the identification probability IR of each record, and risk weights."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from synthlab.teaching.checking import Exercise


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


FIVE = [10.0, 11.0, 12.0, 20.0, 40.0]
FILES = [[11.0, 10.0, 21.0, 23.0, 39.0], [10.0, 30.0, 13.0, 9.0, 47.0]]


def _answers_identification(function: Callable[..., Any]) -> dict[str, Any]:
    five, files = np.array(FIVE), [np.array(z) for z in FILES]
    return {
        "the true values released as they are": function(five, [five], 0.2),
        "five people, two files": function(five, files, 0.2),
        "losses": function(-five, [-z for z in files], 0.2),
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


def _answers_weights(function: Callable[..., Any]) -> dict[str, Any]:
    small, wide = function(np.array(FIVE), 0.2), function(np.array(FIVE), 0.6)
    if any(given is None or given is ... for given in (small, wide)):
        return {"the weights": None}
    parts: dict[str, Any] = {}
    for words, (marginal, pairwise) in (("", small), (", radius 60%", wide)):
        parts |= {f"marginal{words}": marginal, f"pairwise{words}": pairwise}
    return parts


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
        },
    ),
)
