"""Lecture 4: m synthetic columns from the posterior of a normal regression."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from synthlab._typing import FloatArray
from synthlab.teaching.checking import Exercise
from synthlab.teaching.exercises.labels import generator_use

Draws = Mapping[str, FloatArray]
DATASETS, HOUSEHOLDS, KEPT = 1_500, 1_000, 3_000


def synthesize(x: FloatArray, posterior: Draws, m: int, rng: np.random.Generator) -> Any:
    """Return m synthetic columns of amounts, shape (m, len(x))."""
    rows = rng.choice(len(posterior["sigma"]), size=m, replace=False)
    intercept, slope, sigma = (posterior[name][rows, None] for name in ("intercept", "slope", "sigma"))
    return np.exp(intercept + slope * x + sigma * rng.standard_normal((m, len(x))))


def _posterior() -> dict[str, FloatArray]:
    """Return draws with negatively correlated intercept and slope; each is one of two values."""
    sign = np.random.default_rng(1).choice([-1.0, 1.0], size=(2, KEPT))
    sign[:, 0], sign[:, -1] = 1.0, -1.0
    slope = 0.5 + 0.05 * sign[0]
    return {"intercept": 2.0 - 10.0 * slope + 0.6 * sign[1], "slope": slope, "sigma": 0.5 - 0.2 * sign[1]}


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
    second = np.tile([9.5, 10.8], 150)
    other = np.asarray(function(second, _posterior(), 2_000, np.random.default_rng(3)), dtype=float)
    other = np.log(np.maximum(other, 1e-9))
    return {
        **size,
        **generator_use(lambda rng: function(np.array([9.0, 10.5]), _posterior(), 5, rng)),
        "mean of the logarithms in a second call, x = 9.5": other[:, second == 9.5].mean(),
        "mean of the logarithms in a second call, x = 10.8": other[:, second == 10.8].mean(),
        "3 times the covariance of mean and standard deviation over the datasets": 3
        * np.cov(np.nanmean(logs, axis=1), np.nanstd(logs - households, axis=1))[0, 1],
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
            "This is the prediction; add a normal draw with standard deviation sigma for each household.": {
                " + sigma * rng.standard_normal((m, len(x)))": ""
            },
            "`normal` expects the standard deviation sigma, not the variance.": {"+ sigma *": "+ sigma**2 *"},
            "All datasets have the same posterior draw; use a different one for each dataset.": {
                'rng.choice(len(posterior["sigma"]), size=m, replace=False)': "np.zeros(m, dtype=int)"
            },
            "One posterior draw is used for all datasets; each dataset needs a different one.": {
                'rng.choice(len(posterior["sigma"]), size=m, replace=False)': "np.full(m, -1)"
            },
            "All datasets have the posterior means as parameters; use one posterior draw for each dataset.": {
                "posterior[name][rows, None]": "posterior[name].mean()"
            },
            "Intercept, slope and sigma of a dataset must come from the same row of the posterior.": {
                "slope * x": "rng.permutation(slope) * x",
                "+ sigma *": "+ rng.permutation(sigma) *",
            },
            "All datasets have the same normal numbers; draw new ones for each dataset.": {
                "standard_normal((m, len(x)))": "standard_normal(len(x))"
            },
            "Each household has a different posterior draw; use one draw per dataset.": {
                "size=m, replace=False": "size=(m, len(x))",
                "[rows, None]": "[rows]",
            },
            "All households in a dataset have the same normal number; draw one for each household.": {
                "standard_normal((m, len(x)))": "standard_normal((m, 1))"
            },
            "Transform back: the result must be amounts, not logarithms.": {"np.exp(": "("},
            "Each dataset must be a row: the shape is (m, n).": {"len(x))))": "len(x)))).T"},
            "The intercept is missing from the center of the normal draw.": {"intercept + slope": "slope"},
            "`x` is already the log income; do not take its logarithm again.": {"slope * x": "slope * np.log(x)"},
            "Do not add sigma ** 2 / 2: a draw is not a mean, and exp(normal draw) needs no correction.": {
                "+ sigma *": "+ sigma**2 / 2 + sigma *"
            },
            "Add the normal draw on the log scale, before `exp`, not in dollars.": {
                "slope * x +": "slope * x) +",
                "len(x))))": "len(x)))",
            },
            "Transform back with `exp`; the model uses natural logarithms.": {"np.exp(": "10 ** ("},
        },
        tolerance=0.06,
    ),
)
