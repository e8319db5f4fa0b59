"""Simulate the coverage of the 95% intervals of `analysis_utility`, for each combining rule.

Each repetition draws a survey of 300 records, synthesizes it 5 times with a third, one and three times as many records,
and lets `analysis_utility` choose the rule from the provenance. ``python -m tests.benchmarks.coverage`` takes about 5
minutes of CPU time and prints the coverage in percent, with the reasons where it differs from 95%.
"""

from __future__ import annotations

import argparse
import time
import warnings
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd

import synthlab as sl
from synthlab.exceptions import SynthlabWarning
from synthlab.synthesizers import Fitted

N, M = 300, 5
SIZES = (N // 3, N, 3 * N)
Z = 1.959963984540054
TRUTH = {"mean": 0.0, "slope": 1.0, "median": 0.0, "90% quantile": 1.2815515655446004 * 2**0.5}
NOTES = (
    "The Monte Carlo error of a coverage of 95% is 1.3 points for 300 repetitions.",
    "Quantiles under trees: the coverage can be a few points lower at three times n. The standard error of a quantile depends on "
    "the density near it. A large dataset measures the density in a narrow range, which contains the values of few confidential "
    "records, so the standard error varies by a quarter of its size. Resampling has the same coverage. Trees also mix records with "
    "different expected values in a leaf, so the 90% quantile has a bias of 0.1 to 0.4 standard errors.",
    "Quantiles under a normal model: the coverage is above 95%, because a quantile of a fitted normal model is more precise than "
    "a sample quantile, and v_bar does not contain this information.",
    "Slope under trees: steps approximate the line, so the slope has a bias of 0.1 to 0.2 standard errors toward 0.",
    "Intervals are not widened for a bias: a combining rule corrects a variance, not a model.",
)


def survey(rng: np.random.Generator, n: int = N) -> pd.DataFrame:
    x = rng.normal(size=n)
    return pd.DataFrame({"x": x, "y": x + rng.normal(size=n)}).round(3)


def measures(frame: pd.DataFrame) -> dict[str, tuple[float, float]]:
    """Return estimate and standard error of each quantity; those of quantiles by order statistics (Woodruff 1952)."""
    x, y = frame["x"].to_numpy(), frame["y"].to_numpy()
    n, centered = len(x), x - x.mean()
    squares = centered @ centered
    slope = centered @ y / squares
    residuals = y - y.mean() - slope * centered
    found = {
        "mean": (y.mean(), y.std(ddof=1) / n**0.5),
        "slope": (slope, (residuals @ residuals / (n - 2) / squares) ** 0.5),
    }
    for name, p in (("median", 0.5), ("90% quantile", 0.9)):
        half = Z * (p * (1 - p) / n) ** 0.5
        low, middle, high = np.quantile(y, [max(p - half, 0.0), p, min(p + half, 1.0)])
        found[name] = (middle, (high - low) / (2 * Z))
    return found


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class FittedPlugIn(Fitted):
    """Normal model of x and y with its parameters fixed at their estimates."""

    def draw(self, frame: pd.DataFrame, draw: int, rng: np.random.Generator) -> dict[str, pd.Series]:
        moments = self.confidential.mean(), self.confidential.cov()
        values = rng.multivariate_normal(*moments, size=len(frame))
        return {name: pd.Series(values[:, j], frame.index) for j, name in enumerate(self.synthesized)}


@dataclass(frozen=True)
class PlugIn:
    """Specification of `FittedPlugIn`."""

    def fit(self, confidential: pd.DataFrame, *, weights: Any = None, rng: Any = None, **sampler: Any) -> FittedPlugIn:
        return FittedPlugIn(self, confidential, weights, ("x", "y"), None)


NORMAL = sl.NormalRegression("y ~ x")
BOTH = sl.Sequential([sl.NormalRegression("x ~ 1"), NORMAL])
METHODS: dict[str, tuple[Any, dict[str, Any], tuple[int, ...]]] = {
    "trees": (sl.CART(["x", "y"], smoothing="rare"), {}, SIZES),
    "trees with bootstrap": (sl.CART(["x", "y"], smoothing="rare", bootstrap=True), {}, SIZES),
    "plug-in normal": (PlugIn(), {}, SIZES),
    "posterior draws": (BOTH, {"draws": 10, "chains": 1}, SIZES),
    "resampling, then posterior draws": (
        sl.Sequential([sl.Resample(["x"]), NORMAL]),
        {"draws": 10, "chains": 1},
        SIZES,
    ),
    "posterior draws, risk weights": (BOTH, {"draws": 10, "chains": 1, "weights": "uniform"}, SIZES),
    "trees of y given x": (sl.CART(["y"], ["x"], smoothing="rare"), {}, (N,)),
}


def simulate(name: str, repetitions: int, seed: int = 1) -> Iterable[Mapping[str, Any]]:
    """Return one row per number of records: the rule and the share of intervals that contain the true value."""
    model, options, sizes = METHODS[name]
    held: dict[int, list[Any]] = {size: [] for size in sizes}
    errors: dict[int, list[Any]] = {size: [] for size in sizes}
    rules = {}
    for stream in np.random.default_rng(seed).spawn(repetitions):
        frame = survey(stream)
        fit = options | ({"weights": stream.uniform(0.5, 1.0, N)} if "weights" in options else {})
        fitted = model.fit(frame, rng=stream, **fit)
        for size in sizes:
            release = fitted.generate(M, rng=stream, n=size if len(fitted.synthesized) == 2 else None)
            result = sl.analysis_utility(frame, release, analysis=measures)
            low, high = result.combined.interval.T
            truth = np.array([TRUTH[quantity] for quantity in result.names])
            held[size].append((low <= truth) & (truth <= high))  # False for an undefined interval
            errors[size].append((result.combined.q_bar - truth) / result.combined.std_error)
            rules[size] = result.combined.kind
    for size in sizes:
        coverage = dict(zip(TRUTH, 100 * np.mean(held[size], axis=0), strict=True))
        bias = dict(zip((f"bias: {quantity}" for quantity in TRUTH), np.nanmean(errors[size], axis=0), strict=True))
        yield {"method": name, "rule": rules[size], "n_syn": size, **coverage, **bias}


def main(arguments: list[str] | None = None) -> None:
    parser = argparse.ArgumentParser(prog="python -m tests.benchmarks.coverage", description=__doc__)
    parser.add_argument("--repetitions", type=int, default=300)
    repetitions = parser.parse_args(arguments).repetitions
    rows: list[Mapping[str, Any]] = []
    for name in METHODS:
        started = time.process_time()
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", SynthlabWarning)
            rows += simulate(name, repetitions)
        print(f"{name}: {time.process_time() - started:.0f} s", flush=True)
    print(
        f"Coverage of 95% intervals in percent, and bias in standard errors; n = {N}, m = {M}, {repetitions} repetitions:"
    )
    print(pd.DataFrame(rows).round(2).to_string(index=False))
    print(*NOTES, sep="\n")


if __name__ == "__main__":
    main()
