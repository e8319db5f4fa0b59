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


@wrong("15.off", hint="The two")
def beyond_both_tolerances(mine, other, relative, absolute=0.0):
    a, b = np.asarray(mine, float), np.asarray(other, float)
    near = (np.abs(a - b) <= relative * np.abs(b)) | (np.abs(a - b) <= absolute)
    return ~(near | (np.isnan(a) & np.isnan(b)))


@wrong("15.off", hint="np.isclose has")
def default_absolute_tolerance(mine, other, relative, absolute=0.0):
    return ~np.isclose(mine, other, rtol=relative, equal_nan=True)


@wrong("15.off", hint="This is")
def near(mine, other, relative, absolute=0.0):
    return np.isclose(mine, other, rtol=relative, atol=absolute, equal_nan=True)


@wrong("15.off", hint="Return one")
def one_answer_for_all(mine, other, relative, absolute=0.0):
    return bool((~np.isclose(mine, other, rtol=relative, atol=absolute, equal_nan=True)).any())


@wrong("15.off")
def ratio(mine, other, relative, absolute=0.0):
    with np.errstate(all="ignore"):
        return np.abs(np.asarray(mine, float) / np.asarray(other, float) - 1) > relative + absolute


@wrong("15.off", hint="A missing")
def difference_above_the_tolerance(mine, other, relative, absolute=0.0):
    a, b = np.asarray(mine, float), np.asarray(other, float)
    return np.abs(a - b) > relative * np.abs(b) + absolute


@wrong("15.off", hint="Two missing")
def missing_numbers_never_agree(mine, other, relative, absolute=0.0):
    return ~np.isclose(mine, other, rtol=relative, atol=absolute)


@wrong("15.off")
def differences(mine, other, relative, absolute=0.0):
    return np.asarray(mine, float) - np.asarray(other, float)
