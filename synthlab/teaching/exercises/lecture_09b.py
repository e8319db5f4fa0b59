"""Lecture 9b: the two updating lines of EM for the Fellegi-Sunter model."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from synthlab.teaching.checking import Exercise
from synthlab.teaching.exercises.labels import as_arrays, labeled

Array = npt.NDArray[Any]
Updated = tuple[Array, Array]


def em_step(agree: Array, count: Array, m: Array, u: Array, p: float) -> Updated:
    """Return m and u after one EM step, from agree[pattern, field] and count[pattern]."""
    match = p * np.where(agree, m, 1 - m).prod(axis=1)
    other = (1 - p) * np.where(agree, u, 1 - u).prod(axis=1)
    g = match / (match + other)
    matches, others = g * count, (1 - g) * count
    return matches @ agree / matches.sum(), others @ agree / others.sum()


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
        form=as_arrays,
        answers=_answers,
        right=em_step,
        slips={
            "Each pattern represents many pairs; weight it by its count.": {"g * count, (1 - g) * count": "g, 1 - g"},
            "Divide by the expected number of matches (for u, of non-matches), not by the number of all pairs.": {
                "matches.sum()": "count.sum()",
                "others.sum()": "count.sum()",
            },
            "Non-matching pairs have the weight 1 - g.": {"(1 - g) * count": "g * count"},
            "u is the share of agreement among the non-matches; weight each pattern by (1 - g) times its count.": {
                "others @ agree / others.sum()": "count @ agree / count.sum()"
            },
            "This is the old u; update u as well.": {"others @ agree / others.sum()": "u"},
            "Return m first, then u; here they are swapped.": {"matches, others =": "others, matches ="},
            "EM does not classify pairs: a pair with g = 0.3 counts as 0.3 of a match.": {
                "match / (match + other)": "match > other"
            },
            "These are the old m and u; the two updates are missing.": {
                "matches @ agree / matches.sum(), others @ agree / others.sum()": "m, u"
            },
        },
    ),
)
