"""Lecture 5b: Gibbs sampling of a finite mixture of categories."""

from __future__ import annotations

from typing import Any

import numpy as np

from synthlab._typing import FloatArray
from synthlab.teaching.checking import Exercise
from synthlab.teaching.exercises.labels import generator_use

STEPS, DROPPED = 4_000, 100
Rng = np.random.Generator


def gibbs(Y: FloatArray, S: FloatArray, K: int, steps: int, rng: Rng) -> Any:
    """Return draws of pi (K,), psi (L, K) and the classes of the records z (n,)."""
    Y, z, draws = np.asarray(Y, dtype=float), rng.integers(K, size=len(Y)), []
    for _ in range(steps):
        member = np.eye(K)[z]
        pi = rng.dirichlet(1 + member.sum(axis=0))
        psi = rng.standard_gamma(1 + Y.T @ member)
        psi = psi / (S @ psi)
        p = pi * np.exp(Y @ np.log(psi))
        u = rng.random((len(Y), 1)) * p.sum(axis=1, keepdims=True)
        z = (u > p.cumsum(axis=1)).sum(axis=1)
        draws.append((pi, psi, z))
    return draws


ANSWERS = np.repeat([[0, 0, 0], [1, 1, 1], [0, 1, 1], [0, 0, 1]], [8, 3, 1, 1], axis=0)
ONE_HOT = np.stack([ANSWERS == 0, ANSWERS == 1], axis=2).reshape(len(ANSWERS), 6).astype(float)
SAME = np.kron(np.eye(3), np.ones((2, 2)))


def _as_draws(result: Any, *_: Any, **__: Any) -> list[tuple[FloatArray, FloatArray, Any]]:
    """Return the draws as tuples of arrays."""
    return [
        (np.asarray(pi, dtype=np.float64), np.asarray(psi, dtype=np.float64), np.asarray(z, dtype=np.int64))
        for pi, psi, z in result
    ]


# A variable with two levels and one with three, for three classes.
OTHER = np.repeat([[1.0, 0, 1, 0, 0], [0, 1, 0, 1, 0], [0, 1, 0, 0, 1]], [6, 2, 3], axis=0)
OTHER_SAME = np.array([[1, 1, 0, 0, 0], [1, 1, 0, 0, 0], *[[0, 0, 1, 1, 1]] * 3], dtype=float)


def _answers(function: Any) -> dict[str, Any]:
    given = function(ONE_HOT, SAME, 2, STEPS, np.random.default_rng(1))
    if given is None or given is ...:
        return {"the result": given}
    draws = list(given)
    if len(draws) != STEPS:
        return {"number of draws": len(draws)}
    other = list(function(OTHER, OTHER_SAME, 3, 200, np.random.default_rng(2)))
    classes = np.array([draw[2] for draw in other])
    draws = draws[DROPPED:]
    pi = np.array([draw[0] for draw in draws], dtype=float)
    z = np.array([draw[2] for draw in draws])
    psi = np.array([draw[1] for draw in draws], dtype=float)
    same = (z[:, :, None] == z[:, None, :]).mean(axis=0)
    sizes = np.array([np.bincount(one, minlength=2)[:2] for one in z[:-1].astype(int)])
    return {
        **generator_use(lambda rng: function(ONE_HOT, SAME, 2, 5, rng)[-1][1]),
        "number of draws": STEPS,
        "sum of the level shares psi of one variable in a class": (SAME @ psi).mean(),
        "share of draws with persons 1 and 2 (equal answers) in one class": same[0, 1],
        "share of draws with persons 1 and 9 (opposite answers) in one class": same[0, 8],
        "share of draws with persons 1 and 12 (one equal answer) in one class": same[0, 11],
        "sum of the squares of all level shares psi": (psi**2).sum(axis=(1, 2)).mean(),
        "10 times the variance of the class shares pi, given the classes of the step before": 10
        * ((pi[1:] - (1 + sizes) / (2 + len(ANSWERS))) ** 2).sum(axis=1).mean(),
        "three classes: sum of the class shares pi": np.mean([np.sum(draw[0]) for draw in other]),
        "three classes: sum of the level shares psi of one variable": np.mean([OTHER_SAME @ draw[1] for draw in other]),
        "three classes: number of records with a class": classes.shape[1],
    }


EXERCISES = (
    Exercise(
        "05b.gibbs",
        form=_as_draws,
        answers=_answers,
        right=gibbs,
        slips={
            "This assigns each record to its most probable class; draw the class with its probability.": {
                "(u > p.cumsum(axis=1)).sum(axis=1)": "p.argmax(axis=1)"
            },
            "The class shares pi must multiply the probability of the answers.": {"pi * np.exp": "np.exp"},
            "Within a class the answers are independent: multiply their probabilities, do not add them.": {
                "np.exp(Y @ np.log(psi))": "(Y @ psi)"
            },
            "Estimate the level shares of a class from the records in this class, not from all records.": {
                "Y.T @ member": "Y.T @ np.ones((len(Y), K))"
            },
            "These are posterior means of psi; draw psi.": {"rng.standard_gamma(1 + Y.T @ member)": "1 + Y.T @ member"},
            "All records have the same uniform number; draw one for each record.": {
                "rng.random((len(Y), 1))": "rng.random()"
            },
            "The cumulative probabilities of a person do not end at 1; multiply the uniform number by the last one.": {
                " * p.sum(axis=1, keepdims=True)": "",
                "p.cumsum(axis=1)": "p.cumsum(axis=1)[:, :-1]",
            },
            "Divide psi by its sum over the levels of one variable (S @ psi), not over all levels.": {
                "(S @ psi)": "psi.sum(axis=0)"
            },
            "The gamma numbers are not shares yet; divide them by S @ psi.": {"psi / (S @ psi)": "psi"},
            "The classes never change; in every step draw them anew from pi and psi.": {"z = (u": "_ = (u"},
        },
        tolerance=0.04,
    ),
)
