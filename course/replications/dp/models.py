"""Which model of income fits without weights: a mixture is chosen before mechanisms are compared on it.

The rule: of the mixtures whose unweighted releases have, on average, the confidential mean and 90 % quantile to one standard
error of the data, with either way of drawing the component, the one with the highest log score on records it was not fitted to.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

import numpy as np
import pandas as pd
from scipy.special import logsumexp
from scipy.stats import gaussian_kde

from replications.ce2017 import BOUNDS
from replications.checkpoints import Job, Piece
from synthlab import _rng
from synthlab._typing import BoolArray, FloatArray
from synthlab._warnings import quiet
from synthlab.synthesizers import FiniteMixture

DOLLARS = 10_000.0  # the unit of income in asinh
THOUSAND = 1000.0  # and under the cube root
CLASSES = (1, 2, 4, 6, 10)  # one regression is shown, and not what the paper has
RESAMPLED = 0  # stands for one regression with resampled residuals, which has no likelihood and so no mechanism
ALLOCATIONS = ("predictive", "record")
STATISTICS: Mapping[str, Callable[[FloatArray], Any]] = {"mean": np.mean, "90 % quantile": partial(np.quantile, q=0.9)}


@dataclass(frozen=True, slots=True)
class Unit:
    """Transform of income. With `positive`, only positive income is transformed; losses and zeros are unchanged."""

    forward: Callable[[FloatArray], FloatArray]
    back: Callable[[FloatArray], FloatArray]
    log_slope: Callable[[FloatArray], FloatArray]
    positive: bool = False

    @property
    def bounds(self) -> tuple[float | None, float]:
        """Return the bounds of the synthetic values."""
        low, high = self.forward(np.array([1.0 if self.positive else BOUNDS[0], BOUNDS[1]]))
        return None if self.positive else float(low), float(high)


UNITS: Mapping[str, Unit] = {
    "cube root": Unit(
        lambda y: np.cbrt(y / THOUSAND),
        lambda z: np.asarray(THOUSAND * z**3),
        lambda y: -np.log(3.0 * np.cbrt(THOUSAND)) - 2.0 / 3.0 * np.log(np.abs(y)),
    ),
    "log": Unit(np.log, np.exp, lambda y: -np.log(y), positive=True),
    "asinh": Unit(
        lambda y: np.arcsinh(y / DOLLARS),
        lambda z: np.asarray(DOLLARS * np.sinh(z)),
        lambda y: -0.5 * np.log(DOLLARS**2 + np.square(y)),
    ),
}


def judged(models: pd.DataFrame) -> pd.DataFrame:
    """Add how far the mean of the releases is from the data, in standard errors, whether it fits, and which was chosen."""
    far = {
        (statistic, allocation): (models[f"{statistic}, {allocation}"] - models[f"{statistic}, confidential"])
        / models[f"{statistic}, se"]
        for statistic in STATISTICS
        for allocation in ALLOCATIONS
    }
    table = models.assign(**{f"{s}, {a}, errors": values for (s, a), values in far.items()})
    table["fits"] = np.all([errors.abs() <= 1 for errors in far.values()], axis=0)
    mixture = table["classes"] > 1
    candidates = table[mixture & table["fits"]] if (mixture & table["fits"]).any() else table[mixture]
    return table.assign(chosen=table.index == candidates["log score"].idxmax())


def choose(models: pd.DataFrame) -> pd.Series:
    """Return the mixture with the highest score of those that fit, or if none does of all; ``fits`` says which."""
    table = judged(models)
    return table[table["chosen"]].iloc[0]


def model_jobs(seed: int, size: Mapping[str, Any], consumer_units: Callable[[], pd.DataFrame]) -> list[Job]:
    """Return one job per model."""
    tried = [(unit, classes) for unit in UNITS for classes in (RESAMPLED, *CLASSES)]
    return [
        Job(
            f"model of income, {unit}, {classes}",
            f"model_{number:02d}",
            partial(_try, seed, size, consumer_units, *one),
        )
        for number, one in enumerate(tried)
        for unit, classes in [one]
    ]


def _try(
    seed: int, size: Mapping[str, Any], consumer_units: Callable[[], pd.DataFrame], name: str, classes: int
) -> Piece:
    """Score a model on records that were not used to fit it, and measure its unweighted releases."""
    frame, unit = consumer_units(), UNITS[name]
    streams = np.random.SeedSequence([seed, 6, list(UNITS).index(name), classes]).spawn(3)
    income = frame["income"].to_numpy(dtype=np.float64)
    modelled = income > 0 if unit.positive else np.ones(len(frame), dtype=bool)
    data = frame[modelled].drop(columns="income").reset_index(drop=True)
    data["modelled"] = unit.forward(income[modelled])
    model = _resampled if classes == RESAMPLED else partial(_mixture, size, unit, classes)
    half, scored = _halves(frame, np.random.SeedSequence([seed, 6]))
    scores = np.full(len(frame), np.log(np.mean(income > 0)) if unit.positive else 0.0)
    for side, stream in zip((half, ~half), streams, strict=False):
        score, _, _ = model(data[~side[modelled]].reset_index(drop=True), stream)
        held = side & scored
        scores[held] += score(data[held[modelled]].reset_index(drop=True)) + unit.log_slope(income[held])
    _, released, rhat = model(data, streams[2])
    row: dict[str, Any] = {
        "scale": name,
        "classes": classes,
        "log score": scores[scored].mean(),
        "scored": scored.sum(),
        "R-hat, max": rhat,
    }
    for allocation in ALLOCATIONS:
        drawn = [unit.back(values) for values in released(allocation, size["releases"])]
        whole = [np.concatenate([values, income[~modelled]]) for values in drawn]
        for statistic, of in STATISTICS.items():
            values = np.array([of(one) for one in whole])
            row[f"{statistic}, {allocation}"] = values.mean()
            row[f"{statistic}, {allocation}, sd"] = values.std(ddof=1)
    boot = _rng.as_generator(np.random.SeedSequence([seed, 6, 1]))
    again = np.array([np.quantile(boot.choice(income, income.size), 0.9) for _ in range(1000)])
    row |= {"mean, confidential": income.mean(), "mean, se": income.std(ddof=1) / np.sqrt(income.size)}
    row |= {"90 % quantile, confidential": np.quantile(income, 0.9), "90 % quantile, se": again.std(ddof=1)}
    row["releases"] = size["releases"]
    return pd.DataFrame([row]), {}


def _halves(frame: pd.DataFrame, seed: np.random.SeedSequence) -> tuple[BoolArray, BoolArray]:
    """Return one half, and which records are scored: with a positive income, and levels that both halves have."""
    half = _rng.as_generator(seed).permutation(len(frame)) % 2 == 0
    scored = positive = frame["income"].to_numpy() > 0
    for name in frame.columns.drop("income"):
        column = frame[name]
        both = set(column[half & positive]) & set(column[~half & positive])
        scored = scored & column.isin(both).to_numpy()
    return half, scored


def _mixture(
    size: Mapping[str, Any], unit: Unit, classes: int, data: pd.DataFrame, seed: np.random.SeedSequence
) -> Any:
    """Return the log score of other records, what draws releases, and the largest R-hat."""
    first, second = seed.spawn(2)
    predictors = [str(c) for c in data if c != "modelled"]
    synthesizer = FiniteMixture(f"modelled ~ {' + '.join(predictors)}", classes=classes, bounds=unit.bounds)
    with quiet():
        fitted = synthesizer.fit(data, rng=_rng.as_generator(first), **size["models"])
        rhat = float(fitted.diagnostics().rhat.max())

    def score(other: pd.DataFrame) -> FloatArray:
        each = fitted.with_data(other).log_likelihood()
        return np.asarray(logsumexp(each, axis=0) - np.log(len(each)))

    def released(allocation: str, m: int) -> list[FloatArray]:
        asked = replace(fitted, specification=replace(synthesizer, allocation=allocation))
        return [np.asarray(one["modelled"]) for one in asked.generate(m, _rng.as_generator(second))]

    return score, released, rhat


def _resampled(data: pd.DataFrame, seed: np.random.SeedSequence) -> Any:
    """The same of least squares with resampled residuals; for a score their density is smoothed by a kernel."""
    matrix, z = _columns(data), data["modelled"].to_numpy()
    slopes = np.linalg.lstsq(matrix, z, rcond=None)[0]
    residuals = z - matrix @ slopes
    rng = _rng.as_generator(seed)

    def score(other: pd.DataFrame) -> FloatArray:
        return np.asarray(gaussian_kde(residuals).logpdf(other["modelled"].to_numpy() - _columns(other) @ slopes))

    def released(allocation: str, m: int) -> list[FloatArray]:
        return [matrix @ slopes + rng.choice(residuals, residuals.size) for _ in range(m)]

    return score, released, np.nan


def _columns(data: pd.DataFrame) -> FloatArray:
    """Return a constant and an indicator variable for each level of each predictor."""
    predictors = data.drop(columns="modelled")
    table = pd.get_dummies(predictors.astype("category"), dtype=float)
    return np.column_stack([np.ones(len(table)), table.to_numpy()])
