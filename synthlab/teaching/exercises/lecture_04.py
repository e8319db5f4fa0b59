"""Lecture 4: m synthetic columns from the posterior of a normal regression."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from synthlab._typing import FloatArray
from synthlab.teaching.checking import Exercise

Draws = Mapping[str, FloatArray]
DATASETS, HOUSEHOLDS, KEPT = 1_500, 1_000, 3_000


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
    return synthesize(x, {name: np.full(m, values[0]) for name, values in posterior.items()}, m, rng)


def _another_draw(x: FloatArray, posterior: Draws, m: int, rng: np.random.Generator) -> Any:
    return synthesize(x, {name: np.full(m, values[-1]) for name, values in posterior.items()}, m, rng)


def _mean_of_draws(x: FloatArray, posterior: Draws, m: int, rng: np.random.Generator) -> Any:
    return synthesize(x, {name: np.full(m, values.mean()) for name, values in posterior.items()}, m, rng)


def _no_intercept(x: FloatArray, posterior: Draws, m: int, rng: np.random.Generator) -> Any:
    return synthesize(x, {**posterior, "intercept": np.zeros(len(posterior["sigma"]))}, m, rng)


def _log_again(x: FloatArray, posterior: Draws, m: int, rng: np.random.Generator) -> Any:
    return synthesize(np.log(x), posterior, m, rng)


def _with_correction(x: FloatArray, posterior: Draws, m: int, rng: np.random.Generator) -> Any:
    return synthesize(x, {**posterior, "intercept": posterior["intercept"] + posterior["sigma"] ** 2 / 2}, m, rng)


def _normal_in_dollars(x: FloatArray, posterior: Draws, m: int, rng: np.random.Generator) -> Any:
    rows = rng.choice(len(posterior["sigma"]), m, replace=False)
    noise = posterior["sigma"][rows, None] * rng.standard_normal((m, len(x)))
    return np.exp(_centres(x, posterior, rows)) + noise


def _power_of_ten(x: FloatArray, posterior: Draws, m: int, rng: np.random.Generator) -> Any:
    return 10 ** np.log(synthesize(x, posterior, m, rng))


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
    """Return draws with negatively correlated intercept and slope; each is one of two values."""
    sign = np.random.default_rng(1).choice([-1.0, 1.0], size=(2, KEPT))
    sign[:, 0], sign[:, -1] = 1.0, -1.0
    slope = 0.5 + 0.05 * sign[0]
    return {"intercept": 2.0 - 10.0 * slope + 0.6 * sign[1], "slope": slope, "sigma": np.full(KEPT, 0.5)}


def _answers(function: Any) -> dict[str, Any]:
    x = 10.0 + np.tile([-1.0, 1.0], HOUSEHOLDS // 2)
    given = function(x, _posterior(), DATASETS, np.random.default_rng(2))
    if given is None or given is ...:
        return {"the result": given}
    made = np.asarray(given, dtype=float)
    size = {
        "number of datasets (rows)": made.shape[0] if made.ndim > 1 else 1,
        "number of households (columns)": made.shape[-1] if made.ndim else 1,
    }
    if made.shape != (DATASETS, x.size):
        return size
    usable = (made > 0) & np.isfinite(made)
    size["share of amounts above 0"] = usable.mean()
    if usable.mean() < 0.9:
        return size
    logs = np.log(np.where(usable, made, np.nan))
    households = np.nanmean(logs, axis=0)
    return {
        **size,
        "mean of the logarithms": np.nanmean(logs),
        "standard deviation of a household's logarithms over all datasets": np.nanstd(logs, axis=0).mean(),
        "standard deviation within a dataset, around the mean of each household": np.nanstd(
            logs - households, axis=1
        ).mean(),
        "standard deviation between the means of datasets": np.nanmean(logs, axis=1).std(),
        "slope of the logarithms": (households[x > 10].mean() - households[x < 10].mean()) / 2,
        "standard deviation between the averages of households with x = 11": households[x > 10].std(),
    }


EXERCISES = (
    Exercise(
        "04.synthesize",
        answers=_answers,
        right=synthesize,
        slips={
            "This is the prediction; add a normal draw with standard deviation sigma for each household.": _prediction,
            "`normal` expects the standard deviation sigma, not the variance.": _variance,
            "All datasets have the same posterior draw; use a different one for each dataset.": _one_draw,
            "One posterior draw is used for all datasets; each dataset needs a different one.": _another_draw,
            "All datasets have the posterior means as parameters; use one posterior draw for each dataset.": _mean_of_draws,
            "Intercept, slope and sigma of a dataset must come from the same row of the posterior.": _rows_apart,
            "All datasets have the same normal numbers; draw new ones for each dataset.": _same_noise,
            "Each household has a different posterior draw; use one draw per dataset.": _a_draw_a_household,
            "All households in a dataset have the same normal number; draw one for each household.": _one_noise_a_dataset,
            "Transform back: the result must be amounts, not logarithms.": _not_back,
            "Each dataset must be a row: the shape is (m, n).": _turned,
            "The intercept is missing from the center of the normal draw.": _no_intercept,
            "`x` is already the log income; do not take its logarithm again.": _log_again,
            "Do not add sigma ** 2 / 2: a draw is not a mean, and exp(normal draw) needs no correction.": _with_correction,
            "Add the normal draw on the log scale, before `exp`, not in dollars.": _normal_in_dollars,
            "Transform back with `exp`; the model uses natural logarithms.": _power_of_ten,
        },
        tolerance=0.06,
    ),
)
