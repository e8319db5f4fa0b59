"""Lecture 14: probabilities of the discretized gamma family."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from scipy import stats

from synthlab._typing import FloatArray
from synthlab.teaching.checking import Exercise
from synthlab.teaching.exercises.labels import label_values

CASES = ((1.0, 2.0, -0.5), (10.0, 2.0, -0.5), (3.0, 0.5, 1.0))


def _counts(function: Callable[..., Any]) -> dict[str, Any]:
    names = [f"P(Y = {y})" for y in range(13)]
    return {
        f"mu {mu:g}, sigma {sigma:g}, nu {nu:g}": label_values(function(np.arange(13.0), mu, sigma, nu), names)
        for mu, sigma, nu in CASES
    }


def gaf_pmf(y: FloatArray, mu: float, sigma: float, nu: float) -> FloatArray:
    """Return P(Y = y) of a rounded gamma with mean mu and variance sigma^2 mu^nu."""
    s1 = sigma * mu ** (nu / 2 - 1)
    w = stats.gamma(a=s1**-2, scale=mu * s1**2)
    return np.asarray(w.cdf(y + 0.5) - w.cdf(y - 0.5))


EXERCISES = (
    Exercise(
        "14.gaf_pmf",
        answers=_counts,
        right=gaf_pmf,
        slips={
            "The shape of the gamma is sigma1 to the power -2; the paper has a misprint (+2).": {"s1**-2": "s1**2"},
            "The scale is mu times sigma1 squared, because shape times scale must be mu.": {"mu * s1**2": "mu"},
            "The exponent of mu is nu / 2 - 1: mu to the power nu is a variance, and sigma1 uses its square root.": (
                {"nu / 2 - 1": "nu - 1"}
            ),
            "This rounds down; a count of y contains the values from y - 1/2 to y + 1/2.": {
                "y + 0.5": "y + 1",
                "y - 0.5": "y",
            },
            "This is the density of the gamma at y; a probability is a difference of two values of the .cdf.": {
                "w.cdf(y + 0.5) - w.cdf(y - 0.5)": "w.pdf(np.maximum(y, 1e-300))"
            },
            "This is the probability of y or less; subtract the .cdf at y - 1/2.": {" - w.cdf(y - 0.5)": ""},
            "SciPy's gamma has a scale, not a rate: scale = mu * sigma1**2, not its reciprocal.": {
                "mu * s1**2": "1 / (mu * s1**2)"
            },
            "The second positional argument of stats.gamma is a location; write scale=...": {
                "a=s1**-2, scale=": "s1**-2, "
            },
        },
    ),
)
