"""Lecture 12: answers by coins, the Laplace mechanism, the probabilities of the exponential mechanism."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from synthlab._typing import FloatArray
from synthlab.teaching.checking import Exercise

PEOPLE = 40_000
VILLAGE = [-2.0, 0.0, 0.0, -1.0, -2.0]
FAR = [-3000.0, -2998.0, -2997.0]


def coins(truth: npt.ArrayLike, rng: np.random.Generator) -> Any:
    """Return an answer for each person: the truth if the first coin shows heads, else what the second shows."""
    first, second = rng.random((2, np.size(truth))) < 0.5
    return np.where(first, truth, second)


def _one_coin(truth: npt.ArrayLike, rng: np.random.Generator) -> Any:
    return np.where(rng.random(np.size(truth)) < 0.5, truth, True)


def _same_coin(truth: npt.ArrayLike, rng: np.random.Generator) -> Any:
    first = rng.random(np.size(truth)) < 0.5
    return np.where(first, truth, first)


def _opposite(truth: npt.ArrayLike, rng: np.random.Generator) -> Any:
    return np.where(rng.random(np.size(truth)) < 0.5, truth, ~np.asarray(truth))


def _always_coin(truth: npt.ArrayLike, rng: np.random.Generator) -> Any:
    return ~np.asarray(coins(truth, rng))


def _answers_coins(function: Any) -> dict[str, Any]:
    rng = np.random.default_rng(12)
    did = np.ones(PEOPLE, dtype=bool)
    return {
        "share of yes among those who did": np.mean(function(did, rng)),
        "share of yes among those who did not": np.mean(function(~did, rng)),
    }


def laplace(answer: npt.ArrayLike, sensitivity: float, epsilon: float, rng: np.random.Generator) -> Any:
    """Return the answer with independent Laplace noise of scale sensitivity / epsilon."""
    return np.asarray(answer) + rng.laplace(0.0, sensitivity / epsilon, np.shape(answer))


def _turned(answer: npt.ArrayLike, sensitivity: float, epsilon: float, rng: np.random.Generator) -> Any:
    return laplace(answer, epsilon, sensitivity, rng)


def _no_sensitivity(answer: npt.ArrayLike, sensitivity: float, epsilon: float, rng: np.random.Generator) -> Any:
    return laplace(answer, 1.0, epsilon, rng)


def _normal(answer: npt.ArrayLike, sensitivity: float, epsilon: float, rng: np.random.Generator) -> Any:
    return np.asarray(answer) + rng.normal(0.0, sensitivity / epsilon, np.shape(answer))


def _one_noise(answer: npt.ArrayLike, sensitivity: float, epsilon: float, rng: np.random.Generator) -> Any:
    return np.asarray(answer) + rng.laplace(0.0, sensitivity / epsilon)


def _upwards(answer: npt.ArrayLike, sensitivity: float, epsilon: float, rng: np.random.Generator) -> Any:
    return np.asarray(answer) + np.abs(rng.laplace(0.0, sensitivity / epsilon, np.shape(answer)))


def _answers_laplace(function: Any) -> dict[str, Any]:
    true = np.tile([7.0, 100.0], PEOPLE // 2)
    noise = np.asarray(function(true, 2.0, 0.5, np.random.default_rng(12))) - true
    return {
        "cells whose noise is their own, as a share": np.unique(noise.round(9)).size / noise.size,
        "mean of the noise": noise.mean(),
        "mean absolute noise": np.abs(noise).mean(),
    }


def exponential(utility: npt.ArrayLike, sensitivity: float, epsilon: float) -> FloatArray:
    """Return the probability of each candidate, proportional to exp(epsilon u / (2 sensitivity))."""
    u = np.asarray(utility, dtype=np.float64)
    p = np.exp(epsilon * (u - u.max()) / (2 * sensitivity))
    return np.asarray(p / p.sum())


def _no_two(utility: npt.ArrayLike, sensitivity: float, epsilon: float) -> FloatArray:
    return exponential(utility, sensitivity, 2 * epsilon)


def _no_spread(utility: npt.ArrayLike, sensitivity: float, epsilon: float) -> FloatArray:
    return exponential(utility, 1.0, epsilon)


def _no_sum(utility: npt.ArrayLike, sensitivity: float, epsilon: float) -> FloatArray:
    p = exponential(utility, sensitivity, epsilon)
    return np.asarray(p / p.max())


def _loss(utility: npt.ArrayLike, sensitivity: float, epsilon: float) -> FloatArray:
    return exponential(-np.asarray(utility), sensitivity, epsilon)


def _all_zero(utility: npt.ArrayLike, sensitivity: float, epsilon: float) -> FloatArray:
    with np.errstate(all="ignore"):
        p = np.exp(epsilon * np.asarray(utility) / (2 * sensitivity))
        return np.asarray(p / p.sum())


def _answers_exponential(function: Any) -> dict[str, Any]:
    return {
        "the village, epsilon 1": function(np.array(VILLAGE), 0.5, 1.0),
        "utilities around -3000": function(np.array(FAR), 0.5, 1.0),
    }


EXERCISES = (
    Exercise(
        "12.coins",
        answers=_answers_coins,
        right=coins,
        slips={
            "Tails must not always mean yes: then the second coin decides.": _one_coin,
            "The second coin must be a toss of its own; the first has already fallen.": _same_coin,
            "The opposite of the truth half of the time makes every answer a fair coin; on tails the second coin "
            "answers, whatever the truth is.": _opposite,
            "Yes and no are turned around.": _always_coin,
        },
        tolerance=0.015,
    ),
    Exercise(
        "12.laplace",
        answers=_answers_laplace,
        right=laplace,
        slips={
            "The scale is turned around: it is sensitivity / epsilon, so that a small epsilon makes much noise.": _turned,
            "The scale needs the sensitivity too: it is sensitivity / epsilon.": _no_sensitivity,
            "That is normal noise, which keeps a weaker promise: draw from rng.laplace.": _normal,
            "Every number needs noise of its own: one noise for all cancels in a difference.": _one_noise,
            "The noise must go both ways: noise that only adds tells that the truth is not larger.": _upwards,
        },
        tolerance=0.15,
    ),
    Exercise(
        "12.exponential",
        answers=_answers_exponential,
        right=exponential,
        slips={
            "The exponent is divided by 2 Delta, and the 2 is missing.": _no_two,
            "The exponent is divided by 2 Delta, and the sensitivity is missing.": _no_spread,
            "Probabilities must add up to 1: divide by their sum.": _no_sum,
            "The better the candidate, the likelier it must be: the sign of the utility is turned around.": _loss,
            "All powers are 0 for utilities around -3000: subtract the largest utility first.": _all_zero,
        },
    ),
)
