"""Lecture 4: m synthetic columns from the posterior of a normal regression."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from synthlab._typing import FloatArray
from synthlab.teaching.checking import Exercise

Draws = Mapping[str, FloatArray]
DATASETS, KEPT = 2_000, 3_000


def synthesize(x: FloatArray, posterior: Draws, m: int, rng: np.random.Generator) -> Any:
    """Return m synthetic columns of amounts, shape (m, len(x))."""
    rows = rng.choice(len(posterior["sigma"]), size=m, replace=False)
    return np.exp(_centres(x, posterior, rows) + posterior["sigma"][rows, None] * rng.standard_normal((m, len(x))))


def _centres(x: FloatArray, posterior: Draws, rows: Any, slopes: Any = None) -> FloatArray:
    slope = posterior["slope"][rows if slopes is None else slopes]
    return np.asarray(posterior["intercept"][rows, None] + slope[:, None] * x, dtype=np.float64)


def _prediction(x: FloatArray, posterior: Draws, m: int, rng: np.random.Generator) -> Any:
    return np.exp(_centres(x, posterior, rng.choice(len(posterior["sigma"]), m, replace=False)))


def _variance(x: FloatArray, posterior: Draws, m: int, rng: np.random.Generator) -> Any:
    return synthesize(x, {**posterior, "sigma": posterior["sigma"] ** 2}, m, rng)


def _one_draw(x: FloatArray, posterior: Draws, m: int, rng: np.random.Generator) -> Any:
    row = np.full(m, 17 % len(posterior["sigma"]))
    return np.exp(_centres(x, posterior, row) + posterior["sigma"][row, None] * rng.standard_normal((m, len(x))))


def _rows_apart(x: FloatArray, posterior: Draws, m: int, rng: np.random.Generator) -> Any:
    rows, others = (rng.choice(len(posterior["sigma"]), m, replace=False) for _ in range(2))
    noise = posterior["sigma"][rows, None] * rng.standard_normal((m, len(x)))
    return np.exp(_centres(x, posterior, rows, others) + noise)


def _same_noise(x: FloatArray, posterior: Draws, m: int, rng: np.random.Generator) -> Any:
    rows = rng.choice(len(posterior["sigma"]), m, replace=False)
    return np.exp(_centres(x, posterior, rows) + posterior["sigma"][rows, None] * rng.standard_normal(len(x)))


def _a_draw_a_household(x: FloatArray, posterior: Draws, m: int, rng: np.random.Generator) -> Any:
    rows = rng.integers(len(posterior["sigma"]), size=(m, len(x)))
    centre = posterior["intercept"][rows] + posterior["slope"][rows] * x
    return np.exp(centre + posterior["sigma"][rows] * rng.standard_normal((m, len(x))))


def _one_noise_a_dataset(x: FloatArray, posterior: Draws, m: int, rng: np.random.Generator) -> Any:
    rows = rng.choice(len(posterior["sigma"]), m, replace=False)
    return np.exp(_centres(x, posterior, rows) + posterior["sigma"][rows, None] * rng.standard_normal((m, 1)))


def _not_back(x: FloatArray, posterior: Draws, m: int, rng: np.random.Generator) -> Any:
    return np.log(synthesize(x, posterior, m, rng))


def _turned(x: FloatArray, posterior: Draws, m: int, rng: np.random.Generator) -> Any:
    return synthesize(x, posterior, m, rng).T


def _posterior() -> dict[str, FloatArray]:
    """Return draws with negatively correlated intercept and slope."""
    z = np.random.default_rng(1).standard_normal((2, KEPT))
    slope = 0.5 + 0.05 * z[0]
    return {"intercept": 9.0 - 10.0 * slope + 0.6 * z[1], "slope": slope, "sigma": np.full(KEPT, 0.5)}


def _answers(function: Any) -> dict[str, Any]:
    x = 10.0 + np.tile([-1.0, 1.0], 50)
    given = function(x, _posterior(), DATASETS, np.random.default_rng(2))
    if given is None or given is ...:
        return {"the result": given}
    made = np.asarray(given, dtype=float)
    if made.shape != (DATASETS, x.size) or not (made > 0).all():
        return {"the shape of the result": made.shape, "amounts above 0": bool(made.size and (made > 0).all())}
    logs = np.log(made)
    return {
        "the shape of the result": made.shape,
        "amounts above 0": True,
        "mean of the logarithms, without decimals": np.round(logs.mean()),
        "standard deviation around the mean of a household": logs.std(axis=0).mean(),
        "standard deviation within a dataset": (logs - logs.mean(axis=0)).std(axis=1).mean(),
        "standard deviation between the means of datasets": logs.mean(axis=1).std(),
        "standard deviation between the averages of households": np.std(logs[:, x > 10].mean(axis=0)),
    }


EXERCISES = (
    Exercise(
        "04.synthesize",
        answers=_answers,
        right=synthesize,
        slips={
            "This is the prediction; add a normal draw with standard deviation sigma for each household.": _prediction,
            "`normal` expects the standard deviation sigma, not the variance.": _variance,
            "All datasets have the same parameters; use a different posterior draw for each dataset.": _one_draw,
            "Intercept, slope and sigma of a dataset must come from the same row of the posterior.": _rows_apart,
            "All datasets have the same normal numbers; draw new ones for each dataset.": _same_noise,
            "Each household has a different posterior draw; use one draw per dataset.": _a_draw_a_household,
            "All households in a dataset have the same normal number; draw one for each household.": _one_noise_a_dataset,
            "Transform back: the result must be amounts, not logarithms.": _not_back,
            "Each dataset must be a row: the shape is (m, n).": _turned,
        },
        tolerance=0.06,
    ),
)
