"""Lecture 2: posterior predictive draws of a share."""

from __future__ import annotations

from typing import Any

import numpy as np

from synthlab.teaching.checking import Exercise

CALLS, EACH = 800, 25  # a quantity that is constant across datasets appears as a difference between calls


def synthesize_share(y: int, n: int, m: int, rng: np.random.Generator) -> Any:
    """Return the number of yes answers in each of m synthetic datasets of n people.

    In the confidential data, y of n people answer yes. The prior of the share is flat.
    """
    theta = rng.beta(1 + y, 1 + n - y, size=m)
    return rng.binomial(n, theta)


def _plug_in(y: int, n: int, m: int, rng: np.random.Generator) -> Any:
    return rng.binomial(n, y / n, size=m)


def _one_share(y: int, n: int, m: int, rng: np.random.Generator) -> Any:
    return rng.binomial(n, rng.beta(1 + y, 1 + n - y), size=m)


def _share_only(y: int, n: int, m: int, rng: np.random.Generator) -> Any:
    return rng.beta(1 + y, 1 + n - y, size=m)


def _expected(y: int, n: int, m: int, rng: np.random.Generator) -> Any:
    return n * rng.beta(1 + y, 1 + n - y, size=m)


def _no_prior(y: int, n: int, m: int, rng: np.random.Generator) -> Any:
    return rng.binomial(n, rng.beta(y, n - y, size=m))


def _turned(y: int, n: int, m: int, rng: np.random.Generator) -> Any:
    return rng.binomial(n, rng.beta(1 + n - y, 1 + y, size=m))


def _share_a_person(y: int, n: int, m: int, rng: np.random.Generator) -> Any:
    return (rng.random((m, n)) < rng.beta(1 + y, 1 + n - y, size=(m, n))).sum(axis=1)


def _moments(function: Any, y: int, n: int, seed: int) -> list[float]:
    """Return the mean, the sd within a call, and the sd of the means of calls."""
    rng = np.random.default_rng(seed)
    calls = [function(y, n, EACH, rng) for _ in range(CALLS)]
    if any(len(one) != EACH for one in calls):
        raise ValueError("return m numbers, one for each synthetic dataset")
    values = np.array(calls, dtype=float)
    return [values.mean(), np.sqrt(values.var(axis=1, ddof=1).mean()), values.mean(axis=1).std(ddof=1)]


def _answers(function: Any) -> dict[str, Any]:
    return {
        "mean, sd and sd between calls after 3 of 5": _moments(function, 3, 5, 1),
        "mean, sd and sd between calls after 1 of 4": _moments(function, 1, 4, 2),
    }


EXERCISES = (
    Exercise(
        "02.synthesize_share",
        answers=_answers,
        right=synthesize_share,
        slips={
            "This uses the share y / n; first draw a share from the posterior for each dataset.": _plug_in,
            "All datasets use the same share; draw a new share for each dataset.": _one_share,
            "This is the posterior of the share; now draw n people with this share.": _share_only,
            "This is n times a share; you must also draw the people.": _expected,
            "The prior Beta(1, 1) is missing: it adds one imaginary yes and one imaginary no.": _no_prior,
            "Yes and no are swapped: the posterior is Beta(1 + y, 1 + n - y).": _turned,
            "Each person has a different share; draw one share per dataset.": _share_a_person,
        },
        tolerance=0.1,
    ),
)
