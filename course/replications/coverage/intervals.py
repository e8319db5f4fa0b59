"""Intervals an analyst computes from synthetic data made of surveys of one population, by method."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from replications.coverage.regression import NOISE, SLOPE, Design, N, Sums, estimate, sums_of, synthesize
from replications.widths import unbounded
from synthlab import _rng
from synthlab._typing import FloatArray
from synthlab._warnings import quiet
from synthlab.exceptions import FewDegreesOfFreedomWarning
from synthlab.utility.combining import combine_full, combine_partial

METHODS = ("confidential", "combine_partial", "combine_full", "no_between", "one_as_real", "stacked_as_real")
NAIVE = ("no_between", "one_as_real", "stacked_as_real")


@dataclass(frozen=True, slots=True, eq=False)
class Estimates:
    """Estimates and variances of one design, repetitions on the last axis.

    Shapes: survey and stacked (2 estimands, repetitions), q and v (2, m, repetitions).
    """

    design: Design
    survey: tuple[FloatArray, FloatArray]
    q: FloatArray
    v: FloatArray
    sums: Sums

    def stacked(self, m: int) -> tuple[FloatArray, FloatArray]:
        """Return estimates and variances of the first m datasets under one another."""
        return estimate(Sums(m * self.design.n_synthetic, *(part[:m].sum(axis=0) for part in self.sums[1:])))


def draw_estimates(design: Design, repetitions: int, m: int, rng: np.random.Generator) -> Estimates:
    """Draw the surveys and m synthetic datasets of each, and estimate."""
    first, *streams = _rng.spawn(rng, m + 1)
    x = first.standard_normal((repetitions, N))
    y = SLOPE * x + NOISE * first.standard_normal((repetitions, N))
    survey = sums_of(x, y)
    datasets = [sums_of(*synthesize(design, survey, x, stream)) for stream in streams]
    sums = Sums(design.n_synthetic, *(np.stack(parts) for parts in list(zip(*datasets, strict=True))[1:]))
    return Estimates(design, estimate(survey), *estimate(sums), sums)


def intervals_of(drawn: Estimates, method: str, m: int, level: float) -> tuple[FloatArray, float]:
    """Return the intervals of a method, shape (2 estimands, repetitions, 2), and the share of negative T_f."""
    q, v, records = drawn.q[:, :m], drawn.v[:, :m], drawn.design.n_synthetic
    if method in ("combine_partial", "combine_full"):
        with quiet(FewDegreesOfFreedomWarning):
            both = [
                combine_partial(*pair, level=level)
                if method == "combine_partial"
                else combine_full(*pair, level=level, size_ratio=records / N)
                for pair in zip(q, v, strict=True)
            ]
        return np.stack([unbounded(one) for one in both]), float(np.mean([one.adjusted.mean() for one in both]))
    if method == "no_between":
        return _usual(q.mean(axis=1), v.mean(axis=1), records, level), 0.0
    if method == "one_as_real":
        return _usual(q[:, 0], v[:, 0], records, level), 0.0
    if method == "stacked_as_real":
        return _usual(*drawn.stacked(m), m * records, level), 0.0
    return _usual(*drawn.survey, N, level), 0.0


def _usual(q: FloatArray, v: FloatArray, records: int, level: float) -> FloatArray:
    """Return q -+ t sqrt(v), the interval of a regression on so many records."""
    from scipy import stats

    half = stats.t.ppf((1 + level) / 2, records - 2) * np.sqrt(v)
    return np.stack([q - half, q + half], axis=-1)
