"""Lecture 12: randomized response, the Laplace and the exponential mechanism."""

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
    """Return an answer for each person: the truth on heads, otherwise the second coin."""
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
    """Return candidate probabilities proportional to exp(epsilon u / (2 sensitivity))."""
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
            "Tails must not always mean yes; on tails, the second coin decides.": _one_coin,
            "The second coin must be a new toss, not the first one again.": _same_coin,
            "This returns the opposite of the truth half of the time, so every answer is a fair coin; on tails, the second coin "
            "decides, independent of the truth.": _opposite,
            "Yes and no are swapped.": _always_coin,
        },
        tolerance=0.015,
    ),
    Exercise(
        "12.laplace",
        answers=_answers_laplace,
        right=laplace,
        slips={
            "The scale is inverted: it is sensitivity / epsilon, so a small epsilon gives much noise.": _turned,
            "The sensitivity is missing: the scale is sensitivity / epsilon.": _no_sensitivity,
            "This is normal noise, which gives a weaker guarantee; draw from rng.laplace.": _normal,
            "Every number needs its own noise; the same noise cancels in a difference.": _one_noise,
            "The noise must be positive or negative; positive noise reveals that the truth is not larger.": _upwards,
        },
        tolerance=0.15,
    ),
    Exercise(
        "12.exponential",
        answers=_answers_exponential,
        right=exponential,
        slips={
            "The 2 is missing: divide the exponent by 2 Delta.": _no_two,
            "The sensitivity is missing: divide the exponent by 2 Delta.": _no_spread,
            "Probabilities must add up to 1; divide by their sum.": _no_sum,
            "The sign of the utility is wrong: better candidates must be more probable.": _loss,
            "For utilities around -3000, all exponentials are 0; subtract the largest utility first.": _all_zero,
        },
    ),
)
