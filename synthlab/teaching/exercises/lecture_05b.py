"""Lecture 5b: Gibbs sampling of a finite mixture of categories."""

from __future__ import annotations

from typing import Any

import numpy as np

from synthlab._typing import FloatArray
from synthlab.teaching.checking import Exercise

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
