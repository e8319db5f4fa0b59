"""Answers to the exercise of lecture 15."""

from __future__ import annotations

import numpy as np

from tests.course.answers import right, wrong


@right("15.off")
def negated_isclose(mine, other, relative, absolute=0.0):
    return ~np.isclose(mine, other, rtol=relative, atol=absolute, equal_nan=True)


@right("15.off")
def near_or_both_missing(mine, other, relative, absolute=0.0):
    a, b = np.asarray(mine, float), np.asarray(other, float)
    return ~((np.abs(a - b) <= relative * np.abs(b) + absolute) | (np.isnan(a) & np.isnan(b)))


@right("15.off")
def loop_over_pairs(mine, other, relative, absolute=0.0):
    def one(a, b):
        if np.isnan(a) or np.isnan(b):
            return bool(np.isnan(a) != np.isnan(b))
        return abs(a - b) > relative * abs(b) + absolute

    return [one(a, b) for a, b in zip(mine, other, strict=True)]


@wrong("15.off")
def ratio(mine, other, relative, absolute=0.0):
    with np.errstate(all="ignore"):
        return np.abs(np.asarray(mine, float) / np.asarray(other, float) - 1) > relative + absolute


@wrong("15.off")
def differences(mine, other, relative, absolute=0.0):
    return np.asarray(mine, float) - np.asarray(other, float)
