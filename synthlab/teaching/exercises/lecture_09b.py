"""Lecture 9b: the two updating lines of EM for the Fellegi-Sunter model."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from synthlab.teaching.checking import Exercise
from synthlab.teaching.exercises.labels import labeled

Array = npt.NDArray[Any]
Updated = tuple[Array, Array]


def em_step(agree: Array, count: Array, m: Array, u: Array, p: float) -> Updated:
    """Return m and u after one EM step, from agree[pattern, field] and count[pattern]."""
    g = _match(agree, m, u, p)
    return _share(agree, g * count), _share(agree, (1 - g) * count)


def _match(agree: Array, m: Array, u: Array, p: float) -> Array:
    match = p * np.where(agree, m, 1 - m).prod(axis=1)
    other = (1 - p) * np.where(agree, u, 1 - u).prod(axis=1)
    return np.asarray(match / (match + other))


def _share(agree: Array, weight: Array) -> Array:
    return np.asarray(weight @ agree / weight.sum())


def _without_counts(agree: Array, count: Array, m: Array, u: Array, p: float) -> Updated:
    return em_step(agree, np.ones(len(agree)), m, u, p)


def _of_all_pairs(agree: Array, count: Array, m: Array, u: Array, p: float) -> Updated:
    g = _match(agree, m, u, p)
    return (g * count) @ agree / count.sum(), ((1 - g) * count) @ agree / count.sum()


def _same_weight(agree: Array, count: Array, m: Array, u: Array, p: float) -> Updated:
    new = em_step(agree, count, m, u, p)[0]
    return new, new


def _u_of_all_pairs(agree: Array, count: Array, m: Array, u: Array, p: float) -> Updated:
    return em_step(agree, count, m, u, p)[0], count @ agree / count.sum()


def _only_m(agree: Array, count: Array, m: Array, u: Array, p: float) -> Updated:
    return em_step(agree, count, m, u, p)[0], u


def _turned(agree: Array, count: Array, m: Array, u: Array, p: float) -> Updated:
    new_m, new_u = em_step(agree, count, m, u, p)
    return new_u, new_m


def _decided(agree: Array, count: Array, m: Array, u: Array, p: float) -> Updated:
    g = _match(agree, m, u, p) > 0.5
    return _share(agree, g * count), _share(agree, ~g * count)


def _unchanged(agree: Array, count: Array, m: Array, u: Array, p: float) -> Updated:
    return m, u


PATTERNS = np.array([[a, b, c] for a in (False, True) for b in (False, True) for c in (False, True)])
COUNTS = np.array([500, 210, 90, 40, 60, 30, 30, 40])


def _answers(function: Any) -> dict[str, Any]:
    answers: dict[str, Any] = {}
    for name, start, share in (("first step", 0.9, 0.05), ("from another start", 0.6, 0.2)):
        given = function(PATTERNS, COUNTS, np.full(3, start), np.array([0.2, 0.3, 0.45]), share)
        both = labeled(name, given, ("m", "u"))
        for part in [label for label in both if label.endswith((": m", ": u"))]:
            both |= labeled(part, both.pop(part), ("age", "tenure", "education"))
        answers |= both
    return answers


EXERCISES = (
    Exercise(
        "09b.em_step",
        answers=_answers,
        right=em_step,
        slips={
            "Each pattern represents many pairs; weight it by its count.": _without_counts,
            "Divide by the expected number of matches (for u, of non-matches), not by the number of all pairs.": _of_all_pairs,
            "Non-matching pairs have the weight 1 - g.": _same_weight,
            "u is the share of agreement among the non-matches; weight each pattern by (1 - g) times its count.": _u_of_all_pairs,
            "This is the old u; update u as well.": _only_m,
            "Return m first, then u; here they are swapped.": _turned,
            "EM does not classify pairs: a pair with g = 0.3 counts as 0.3 of a match.": _decided,
            "These are the old m and u; the two updates are missing.": _unchanged,
        },
    ),
)
