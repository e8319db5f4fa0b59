"""A population that is a normal linear regression, surveys of it, and synthetic data made of them.

The posterior predictive distribution has a closed form, so that thousands of surveys are drawn and
synthesized side by side: every array has one row per survey.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from synthlab._typing import FloatArray

N = 200
# y is about the logarithm of a quarter's expenditure, x the standardised logarithm of income.
INTERCEPT, SLOPE, NOISE = 8.8, 0.6, 0.7
ESTIMANDS = {"mean of y": INTERCEPT, "slope of y on x": SLOPE}


@dataclass(frozen=True, slots=True)
class Design:
    """The design of the synthetic data.

    Attributes
    ----------
    name : str
        What the tables call it.
    synthesis : {"partial", "full"}
        Partial: x is released, y is synthetic. Full: all n_synthetic records are new.
    n_synthetic : int
        Records of one synthetic dataset.
    uses_x : bool
        Whether the synthesizer of y has x as predictor, as the population has.
    headline_m : int or None
        Number of datasets at which the design stands in the summary; None: not there.
    """

    name: str
    synthesis: str
    n_synthetic: int
    uses_x: bool = True
    headline_m: int | None = None

    @property
    def rule(self) -> str:
        """The combining rule that is made for this design."""
        return f"combine_{self.synthesis}"


DESIGNS = (
    Design("partial", "partial", N, headline_m=3),
    Design("full, 5n records", "full", 5 * N, headline_m=20),
    Design("full, n records", "full", N),
    Design("partial, model without x", "partial", N, uses_x=False),
)


class Sums(NamedTuple):
    """Number of records and sums of x, y, x*x, x*y, y*y, each of shape (..., repetitions); y is centred."""

    records: float
    x: FloatArray
    y: FloatArray
    xx: FloatArray
    xy: FloatArray
    yy: FloatArray


def synthesize(design: Design, survey: Sums, x: FloatArray, rng: np.random.Generator) -> tuple[FloatArray, FloatArray]:
    """Draw parameters from the posterior of each survey and a synthetic dataset from them."""
    n, repetitions = survey.records, len(x)
    x_mean, y_mean = survey.x / n, survey.y / n
    sxx = survey.xx - survey.x * x_mean
    if design.synthesis == "full":
        x_sd = np.sqrt(sxx / rng.chisquare(n - 1, repetitions))
        centre = x_mean + x_sd / np.sqrt(n) * rng.standard_normal(repetitions)
        x = centre[:, None] + x_sd[:, None] * rng.standard_normal((repetitions, design.n_synthetic))
    sxy, syy = survey.xy - survey.x * y_mean, survey.yy - survey.y * y_mean
    slope = sxy / sxx if design.uses_x else np.zeros(repetitions)
    sigma = np.sqrt((syy - slope * sxy) / rng.chisquare(n - 1 - design.uses_x, repetitions))
    middle = y_mean + sigma / np.sqrt(n) * rng.standard_normal(repetitions)
    if design.uses_x:
        slope = slope + sigma / np.sqrt(sxx) * rng.standard_normal(repetitions)
    mean = middle[:, None] + slope[:, None] * (x - x_mean[:, None])
    return x, mean + sigma[:, None] * rng.standard_normal(x.shape)


def sums_of(x: FloatArray, y: FloatArray) -> Sums:
    """Sum over the records, the last axis; y without the intercept of the population."""
    return Sums(x.shape[-1], x.sum(-1), y.sum(-1), (x * x).sum(-1), (x * y).sum(-1), (y * y).sum(-1))


def estimate(sums: Sums) -> tuple[FloatArray, FloatArray]:
    """Return mean and slope with their usual variances, each of shape (2, ...)."""
    n = sums.records
    sxx = sums.xx - sums.x**2 / n
    sxy = sums.xy - sums.x * sums.y / n
    syy = sums.yy - sums.y**2 / n
    slope = sxy / sxx
    variances = [syy / (n - 1) / n, (syy - slope * sxy) / (n - 2) / sxx]
    return np.stack([INTERCEPT + sums.y / n, slope]), np.stack(variances)
