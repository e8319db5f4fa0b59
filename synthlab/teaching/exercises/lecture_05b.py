"""Lecture 5b: Gibbs sampling of a finite mixture of categories."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from synthlab._typing import FloatArray, IntArray
from synthlab.teaching.checking import Exercise

STEPS, DROPPED = 4_000, 100
Rng = np.random.Generator


def gibbs(Y: FloatArray, S: FloatArray, K: int, steps: int, rng: Rng) -> Any:
    """Return draws of pi (K,), psi (L, K) and the classes of the records z (n,)."""
    return _sample(Y, S, K, steps, rng)


def _shares(alpha: FloatArray, rng: Rng) -> FloatArray:
    return rng.standard_gamma(alpha)


def _product(Y: FloatArray, pi: FloatArray, psi: FloatArray) -> FloatArray:
    return np.asarray(pi * np.exp(Y @ np.log(psi)), dtype=np.float64)


def _choose(p: FloatArray, rng: Rng) -> IntArray:
    return np.asarray((rng.random((len(p), 1)) * p.sum(axis=1, keepdims=True) > p.cumsum(axis=1)).sum(axis=1))


def _within_variables(psi: FloatArray, S: FloatArray) -> FloatArray:
    return np.asarray(psi / (S @ psi), dtype=np.float64)


def _sample(
    Y: FloatArray,
    S: FloatArray,
    K: int,
    steps: int,
    rng: Rng,
    *,
    gamma: Callable[..., FloatArray] = _shares,
    weigh: Callable[..., FloatArray] = _product,
    choose: Callable[..., IntArray] = _choose,
    normalize: Callable[..., FloatArray] = _within_variables,
    classes_apart: bool = True,
    classes_change: bool = True,
) -> Any:
    Y, z, draws = np.asarray(Y, dtype=float), rng.integers(K, size=len(Y)), []
    for _ in range(steps):
        member = np.eye(K)[z]
        pi = rng.dirichlet(1 + member.sum(axis=0))
        counts = Y.T @ (member if classes_apart else np.ones((len(Y), K)))
        psi = gamma(1 + counts, rng)
        psi = normalize(psi, S)
        chosen = choose(weigh(Y, pi, psi), rng)
        z = chosen if classes_change else z
        draws.append((pi, psi, z))
    return draws


def _slip(**changed: Any) -> Callable[..., Any]:
    def function(Y: FloatArray, S: FloatArray, K: int, steps: int, rng: Rng) -> Any:
        return _sample(Y, S, K, steps, rng, **changed)

    return function


def _largest(p: FloatArray, rng: Rng) -> IntArray:
    return np.asarray(p.argmax(axis=1))


def _one_uniform(p: FloatArray, rng: Rng) -> IntArray:
    return np.asarray((rng.random() * p.sum(axis=1, keepdims=True) > p.cumsum(axis=1)).sum(axis=1))


def _no_shares(Y: FloatArray, pi: FloatArray, psi: FloatArray) -> FloatArray:
    return np.asarray(np.exp(Y @ np.log(psi)), dtype=np.float64)


def _sum(Y: FloatArray, pi: FloatArray, psi: FloatArray) -> FloatArray:
    return np.asarray(pi * (Y @ psi), dtype=np.float64)


def _mean(alpha: FloatArray, rng: Rng) -> FloatArray:
    return alpha


def _total_of_one(p: FloatArray, rng: Rng) -> IntArray:
    return np.asarray(np.minimum((rng.random((len(p), 1)) > p.cumsum(axis=1)).sum(axis=1), p.shape[1] - 1))


_largest_class = _slip(choose=_largest)
_without_shares = _slip(weigh=_no_shares)
_added = _slip(weigh=_sum)
_all_records = _slip(classes_apart=False)
_mean_shares = _slip(gamma=_mean)
_same_uniform = _slip(choose=_one_uniform)
_not_scaled = _slip(choose=_total_of_one)
_over_all_levels = _slip(normalize=lambda psi, S: psi / psi.sum(axis=0))
_not_normalized = _slip(normalize=lambda psi, S: psi)
_fixed_classes = _slip(classes_change=False)

ANSWERS = np.repeat([[0, 0, 0], [1, 1, 1], [0, 1, 1], [0, 0, 1]], [8, 3, 1, 1], axis=0)
ONE_HOT = np.stack([ANSWERS == 0, ANSWERS == 1], axis=2).reshape(len(ANSWERS), 6).astype(float)
SAME = np.kron(np.eye(3), np.ones((2, 2)))


def _answers(function: Any) -> dict[str, Any]:
    given = function(ONE_HOT, SAME, 2, STEPS, np.random.default_rng(1))
    if given is None or given is ...:
        return {"the result": given}
    draws = list(given)
    if len(draws) != STEPS:
        return {"number of draws": len(draws)}
    draws = draws[DROPPED:]
    z = np.array([draw[2] for draw in draws])
    psi = np.array([draw[1] for draw in draws], dtype=float)
    same = (z[:, :, None] == z[:, None, :]).mean(axis=0)
    return {
        "number of draws": STEPS,
        "sum of the level shares psi of one variable in a class": (SAME @ psi).mean(),
        "share of draws with persons 1 and 2 (equal answers) in one class": same[0, 1],
        "share of draws with persons 1 and 9 (opposite answers) in one class": same[0, 8],
        "share of draws with persons 1 and 12 (one equal answer) in one class": same[0, 11],
        "sum of the squares of all level shares psi": (psi**2).sum(axis=(1, 2)).mean(),
    }


EXERCISES = (
    Exercise(
        "05b.gibbs",
        answers=_answers,
        right=gibbs,
        slips={
            "This assigns each record to its most probable class; draw the class with its probability.": _largest_class,
            "The class shares pi must multiply the probability of the answers.": _without_shares,
            "Within a class the answers are independent: multiply their probabilities, do not add them.": _added,
            "Estimate the level shares of a class from the records in this class, not from all records.": _all_records,
            "These are posterior means of psi; draw psi.": _mean_shares,
            "All records have the same uniform number; draw one for each record.": _same_uniform,
            "The cumulative probabilities of a person do not end at 1; multiply the uniform number by the last one.": _not_scaled,
            "Divide psi by its sum over the levels of one variable (S @ psi), not over all levels.": _over_all_levels,
            "The gamma numbers are not shares yet; divide them by S @ psi.": _not_normalized,
            "The classes never change; in every step draw them anew from pi and psi.": _fixed_classes,
        },
        tolerance=0.04,
    ),
)
