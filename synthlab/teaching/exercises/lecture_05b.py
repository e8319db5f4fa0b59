"""Lecture 5b: Gibbs sampling of a finite mixture of categories."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from synthlab._typing import FloatArray, IntArray
from synthlab.teaching.checking import Exercise

STEPS, DROPPED = 8_000, 200
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
    classes_apart: bool = True,
) -> Any:
    Y, z, draws = np.asarray(Y, dtype=float), rng.integers(K, size=len(Y)), []
    for _ in range(steps):
        member = np.eye(K)[z]
        pi = rng.dirichlet(1 + member.sum(axis=0))
        counts = Y.T @ (member if classes_apart else np.ones((len(Y), K)))
        psi = gamma(1 + counts, rng)
        psi = psi / (S @ psi)
        z = choose(weigh(Y, pi, psi), rng)
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


ANSWERS = np.repeat([[0, 0, 0], [1, 1, 1], [0, 1, 1], [0, 0, 1]], [8, 3, 1, 1], axis=0)
ONE_HOT = np.stack([ANSWERS == 0, ANSWERS == 1], axis=2).reshape(len(ANSWERS), 6).astype(float)
SAME = np.kron(np.eye(3), np.ones((2, 2)))


def _answers(function: Any) -> dict[str, Any]:
    given = function(ONE_HOT, SAME, 2, STEPS, np.random.default_rng(1))
    if given is None or given is ...:
        return {"the result": given}
    draws = list(given)[DROPPED:]
    if len(draws) != STEPS - DROPPED:
        return {"the number of draws": len(draws) + DROPPED}
    z = np.array([draw[2] for draw in draws])
    psi = np.array([draw[1] for draw in draws], dtype=float)
    same = (z[:, :, None] == z[:, None, :]).mean(axis=0)
    return {
        "the number of draws": STEPS,
        "the level shares of a variable add to": (SAME @ psi[-1]).mean(),
        "records 1 and 2 are in the same class": same[0, 1],
        "records 1 and 9 are in the same class": same[0, 8],
        "records 1 and 12 are in the same class": same[0, 11],
        "sum of the squares of the level shares": (psi**2).sum(axis=(1, 2)).mean(),
    }


EXERCISES = (
    Exercise(
        "05b.gibbs",
        answers=_answers,
        right=gibbs,
        slips={
            "This assigns each record to its most probable class; draw the class with its probability.": _slip(
                choose=_largest
            ),
            "The class shares pi must multiply the probability of the answers.": _slip(weigh=_no_shares),
            "Within a class the answers are independent: multiply their probabilities, do not add them.": _slip(
                weigh=_sum
            ),
            "Estimate the level shares of a class from the records in this class, not from all records.": _slip(
                classes_apart=False
            ),
            "These are posterior means of psi; draw psi.": _slip(gamma=_mean),
            "All records have the same uniform number; draw one for each record.": _slip(choose=_one_uniform),
        },
        tolerance=0.04,
    ),
)
