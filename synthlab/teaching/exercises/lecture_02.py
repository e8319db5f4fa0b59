"""Lecture 2: posterior predictive draws of a share."""

from __future__ import annotations

from typing import Any

import numpy as np

from synthlab.teaching.checking import Exercise

CALLS, EACH = 800, 25  # what does not change from dataset to dataset shows as a difference between calls


def synthesize_share(y: int, n: int, m: int, rng: np.random.Generator) -> Any:
    """Return for each of m synthetic datasets of n people how many say yes, after y of n, with a flat prior."""
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
    """Return the mean, the standard deviation within a call, and that of the means of calls."""
    rng = np.random.default_rng(seed)
    calls = [function(y, n, EACH, rng) for _ in range(CALLS)]
    if any(len(one) != EACH for one in calls):
        raise ValueError("give m numbers, one for each synthetic dataset")
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
            "The share y / n is plugged in; draw a share from the posterior for each dataset first.": _plug_in,
            "One share is drawn for all datasets; draw a new one for each.": _one_share,
            "That is the posterior of the share; now draw n people with it.": _share_only,
            "That is n times a share; the people themselves have to be drawn too.": _expected,
            "The prior Beta(1, 1) is missing: it adds one imaginary yes and one imaginary no.": _no_prior,
            "Yes and no are exchanged: Beta(1 + y, 1 + n - y).": _turned,
            "Each person has a share of their own; the people of a dataset share one.": _share_a_person,
        },
        tolerance=0.1,
    ),
)
