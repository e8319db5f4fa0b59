"""Lecture 12: randomized response and the Laplace mechanism."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from synthlab._typing import FloatArray
from synthlab.teaching.checking import Exercise

PEOPLE = 40_000
CLASS, CLASSES = 5, 8_000


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


def _one_toss_for_all(truth: npt.ArrayLike, rng: np.random.Generator) -> Any:
    return np.where(rng.random() < 0.5, truth, rng.random() < 0.5)


def _one_second_coin(truth: npt.ArrayLike, rng: np.random.Generator) -> Any:
    return np.where(rng.random(np.size(truth)) < 0.5, truth, rng.random() < 0.5)


def _answers_coins(function: Any) -> dict[str, Any]:
    rng = np.random.default_rng(12)
    found: dict[str, Any] = {}
    for who, truth in (("did it", np.ones(CLASS, dtype=bool)), ("did not", np.zeros(CLASS, dtype=bool))):
        classes = [function(truth.copy(), rng) for _ in range(CLASSES)]
        if any(one is None or one is ... for one in classes):
            return {"number of answers": None}
        sizes = {np.size(one) for one in classes}
        found[f"number of answers of {CLASS} people"] = float(next(iter(sizes))) if len(sizes) == 1 else np.nan
        shares = [np.asarray(one, dtype=np.float64).mean() for one in classes]
        found[f"share of yes among people who {who}"] = np.mean(shares)
        found[f"standard deviation of the share in classes of {CLASS} people who {who}"] = np.std(shares)
    return found


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


def _rounded(answer: npt.ArrayLike, sensitivity: float, epsilon: float, rng: np.random.Generator) -> Any:
    return np.round(laplace(answer, sensitivity, epsilon, rng))


def _at_least_zero(answer: npt.ArrayLike, sensitivity: float, epsilon: float, rng: np.random.Generator) -> Any:
    return np.maximum(laplace(answer, sensitivity, epsilon, rng), 0.0)


def _answers_laplace(function: Any) -> dict[str, Any]:
    rng = np.random.default_rng(12)
    true = np.tile([7.0, 100.0], PEOPLE // 2)
    given = function(true.copy(), 2.0, 0.5, rng)
    single = function(8.0, 2.0, 0.5, rng)
    if given is None or given is ... or single is None or single is ...:
        return {"number of values": None}
    noise = np.asarray(given, dtype=np.float64) - true
    return {
        "number of values": float(noise.size),
        "number of values for one count": float(np.size(single)),
        "share of the values that are whole numbers": np.mean(noise == np.round(noise)),
        "correlation of the noise of neighboring cells": _correlation(noise[:-1], noise[1:]),
        "smallest value below 0": float(np.min(true + noise) < 0),
        "mean of the noise": noise.mean(),
        "mean absolute noise": np.abs(noise).mean(),
        "mean absolute noise at sensitivity 1": np.abs(np.asarray(function(true.copy(), 1.0, 0.5, rng)) - true).mean(),
        "share of noise beyond 3 times its mean size": np.mean(np.abs(noise) > 3 * np.abs(noise).mean()) * 10,
    }


def _correlation(first: FloatArray, second: FloatArray) -> float:
    """Return the correlation of two arrays, and 1 if they do not vary."""
    if first.std() < 1e-9 or second.std() < 1e-9:
        return 1.0
    return float(np.corrcoef(first, second)[0, 1])


EXERCISES = (
    Exercise(
        "12.coins",
        answers=_answers_coins,
        right=coins,
        slips={
            "Tails must not always mean yes; on tails, the second coin decides.": _one_coin,
            "On tails, the answer is always no; the second coin decides, and it must be a new toss.": _same_coin,
            "Every answer is a fair coin, so the answers say nothing about the truth; on heads, the answer is the truth, and on "
            "tails, the second coin decides.": _opposite,
            "Yes and no are swapped.": _always_coin,
            "Each person tosses two coins; you toss both coins once for the whole class.": _one_toss_for_all,
            "Each person tosses a second coin; you toss the second coin once for the whole class.": _one_second_coin,
        },
        tolerance=0.02,
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
            "Do not round in this function; rounding afterwards is post-processing.": _rounded,
            "Do not cut at 0 in this function: it makes the mean too large.": _at_least_zero,
        },
        tolerance=0.15,
    ),
)
