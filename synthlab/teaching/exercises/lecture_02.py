"""Lecture 2: posterior predictive draws of a share."""

from __future__ import annotations

from typing import Any

import numpy as np

from synthlab.teaching.checking import Exercise
from synthlab.teaching.exercises.labels import generator_use

CALLS, EACH = 800, 25  # a quantity that is constant across datasets appears as a difference between calls


def synthesize_share(y: int, n: int, m: int, rng: np.random.Generator) -> Any:
    """Return the number of yes answers in each of m synthetic datasets of n people.

    In the confidential data, y of n people answer yes. The prior of the share is flat.
    """
    theta = rng.beta(1 + y, 1 + n - y, size=m)
    return rng.binomial(n, theta)


def _answers(function: Any) -> dict[str, Any]:
    found: dict[str, Any] = {}
    for y, n, seed in ((3, 5, 1), (1, 20, 2)):
        rng, case = np.random.default_rng(seed), f"if {y} of {n} say yes"
        calls = [function(y, n, EACH, rng) for _ in range(CALLS)]
        if calls[0] is None or calls[0] is ...:
            return {"the result": calls[0]}
        values = np.array(calls, dtype=float)
        found[f"numbers returned for {EACH} datasets, {case}"] = float(np.size(calls[0]))
        found |= generator_use(lambda rng, y=y, n=n: function(y, n, EACH, rng))  # type: ignore[misc]
        if values.shape != (CALLS, EACH):
            return found
        between = values.mean(axis=1).std(ddof=1)
        varies = between > 1e-9
        found[f"share of whole numbers, {case}"] = np.mean(values == np.round(values))
        found[f"mean number of yes, {case}"] = values.mean() if varies else np.nan
        found[f"standard deviation between the datasets of one call, {case}"] = (
            np.sqrt(values.var(axis=1, ddof=1).mean()) if varies else np.nan
        )
        found[f"standard deviation between the means of several calls, {case}"] = between
    return found


EXERCISES = (
    Exercise(
        "02.synthesize_share",
        answers=_answers,
        right=synthesize_share,
        slips={
            "This uses the share y / n; first draw a share from the posterior for each dataset.": {
                "rng.beta(1 + y, 1 + n - y, size=m)": "np.full(m, y / n)"
            },
            "All datasets use the same share; draw a new share for each dataset.": {
                "1 + n - y, size=m": "1 + n - y",
                "(n, theta)": "(n, theta, size=m)",
            },
            "This is the posterior of the share; now draw n people with this share.": {
                "rng.binomial(n, theta)": "theta"
            },
            "This is n times a share; you must also draw the people.": {"rng.binomial(n, theta)": "n * theta"},
            "The prior Beta(1, 1) is missing: it adds one imaginary yes and one imaginary no.": {
                "1 + y, 1 + n - y": "y, n - y"
            },
            "Yes and no are swapped: the posterior is Beta(1 + y, 1 + n - y).": {
                "1 + y, 1 + n - y": "1 + n - y, 1 + y"
            },
            "The answers of the people are independent, as if each had a different share, or all the share "
            "(y + 1) / (n + 2); draw one share for each dataset.": {
                "size=m": "size=(n, m)",
                "binomial(n, theta)": "binomial(1, theta).sum(axis=0)",
            },
            "This draws one person for each dataset; draw n people.": {"binomial(n": "binomial(1"},
            "Each dataset has n people, not m.": {"binomial(n": "binomial(m"},
            "The second parameter of the posterior is 1 + n - y: the people who say no.": {"1 + n - y": "1 + n"},
            "Every call returns the same numbers: use `rng`, not a generator with a seed of its own.": {
                "rng.beta": "(rng := np.random.default_rng(1)).beta"
            },
        },
        tolerance=0.1,
    ),
)
