"""Lecture 12: randomized response and the Laplace mechanism."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from synthlab._typing import FloatArray
from synthlab.teaching.checking import Exercise
from synthlab.teaching.exercises.labels import as_booleans, generator_use

PEOPLE = 40_000
CLASS, CLASSES = 5, 8_000


def coins(truth: npt.ArrayLike, rng: np.random.Generator) -> Any:
    """Return an answer for each person: the truth on heads, otherwise the second coin."""
    first, second = rng.random((2, np.size(truth))) < 0.5
    return np.where(first, truth, second)


def _answers_coins(function: Any) -> dict[str, Any]:
    rng = np.random.default_rng(12)
    found: dict[str, Any] = generator_use(lambda rng: function(np.arange(40) % 3 == 0, rng))
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
    noise = rng.laplace(0.0, sensitivity / epsilon, np.shape(answer))
    return np.asarray(answer) + noise


def _answers_laplace(function: Any) -> dict[str, Any]:
    rng = np.random.default_rng(12)
    true = np.tile([7.0, 100.0], PEOPLE // 2)
    given = function(true.copy(), 2.0, 0.5, rng)
    single = function(8.0, 2.0, 0.5, rng)
    if given is None or given is ... or single is None or single is ...:
        return {"number of values": None}
    noise = np.asarray(given, dtype=np.float64) - true
    return {
        **generator_use(lambda rng: function(true[:40].copy(), 2.0, 0.5, rng)),
        "number of values": float(noise.size),
        "number of values for one count": float(np.size(single)),
        "share of the values that are whole numbers": np.mean(noise == np.round(noise)),
        "correlation of the noise of neighboring cells": _correlation(noise[:-1], noise[1:]),
        "smallest value below 0": float(np.min(true + noise) < 0),
        "mean of the noise": noise.mean(),
        "mean absolute noise": np.abs(noise).mean(),
        "mean absolute noise at epsilon 2": np.abs(np.asarray(function(true.copy(), 2.0, 2.0, rng)) - true).mean(),
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
        form=as_booleans,
        answers=_answers_coins,
        right=coins,
        slips={
            "Tails must not always mean yes; on tails, the second coin decides.": {"truth, second": "truth, True"},
            "On tails, the answer is always no; the second coin decides, and it must be a new toss.": {
                "truth, second": "truth, first"
            },
            "Every answer is a fair coin, so the answers say nothing about the truth; on heads, the answer is the truth, and on "
            "tails, the second coin decides.": {"truth, second": "truth, ~np.asarray(truth)"},
            "Yes and no are swapped.": {"np.where": "~np.where"},
            "Each person tosses two coins; you toss both coins once for the whole class.": {"(2, np.size(truth))": "2"},
            "Each person tosses a second coin; you toss the second coin once for the whole class.": {
                "truth, second": "truth, rng.random() < 0.5"
            },
        },
        tolerance=0.02,
    ),
    Exercise(
        "12.laplace",
        answers=_answers_laplace,
        right=laplace,
        slips={
            "The scale is inverted: it is sensitivity / epsilon, so a small epsilon gives much noise.": {
                "0.0, sensitivity / epsilon": "0.0, epsilon / sensitivity"
            },
            "The sensitivity is missing: the scale is sensitivity / epsilon.": {"0.0, sensitivity": "0.0, 1.0"},
            "This is normal noise, which gives a weaker guarantee; draw from rng.laplace.": {
                "rng.laplace": "rng.normal"
            },
            "Every number needs its own noise; the same noise cancels in a difference.": {", np.shape(answer)": ""},
            "The noise must be positive or negative; positive noise reveals that the truth is not larger.": {
                "+ noise": "+ np.abs(noise)"
            },
            "Do not round in this function; rounding afterwards is post-processing.": {
                "np.asarray(answer) + noise": "np.round(np.asarray(answer) + noise)"
            },
            "Do not cut at 0 in this function: it makes the mean too large.": {
                "np.asarray(answer) + noise": "np.maximum(np.asarray(answer) + noise, 0.0)"
            },
        },
        tolerance=0.15,
    ),
)
