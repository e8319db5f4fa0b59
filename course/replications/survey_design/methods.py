"""The intervals that analysts compute from a survey, and from synthetic data made of it in several ways."""

from __future__ import annotations

import numpy as np
import pandas as pd

from replications.survey_design.sampling import PEOPLE
from replications.widths import unbounded
from synthlab import _rng
from synthlab._typing import FloatArray
from synthlab._warnings import quiet
from synthlab.design import SurveyDesign
from synthlab.exceptions import FewDegreesOfFreedomWarning
from synthlab.synthesizers._design import DesignMatrix as Predictors, make_design
from synthlab.synthesizers._posterior import Posterior
from synthlab.synthesizers.base import posterior_of
from synthlab.synthesizers.normal_regression import FittedNormalRegression, NormalRegression
from synthlab.synthesizers.pseudo_populations import draw_pseudo_samples
from synthlab.utility import combine_full, combine_pseudo_populations
from synthlab.utility.survey import survey_mean, survey_regression

DRAWS = 1000
M = 30  # synthetic datasets
POPULATIONS = 60  # pseudo-populations
NESTED = 5  # datasets from each pseudo-population
LEVEL = 0.95
METHODS = (
    "survey, as a simple random sample",
    "survey, design-based",
    "posterior, unweighted",
    "posterior, weighted",
    "posterior, weighted and adjusted",
    "synthetic, unweighted",
    "synthetic, weighted",
    "synthetic, weighted and adjusted",
    "pseudo-populations, one dataset each",
    "pseudo-populations, several datasets each",
)


def intervals(survey: pd.DataFrame, design: SurveyDesign, seed: np.random.Generator) -> FloatArray:
    """Return estimate, lower and upper end of every method and estimand, shape (methods, 2, 3)."""
    streams = _rng.spawn(seed, 5)
    found = [_survey(survey, SurveyDesign()), _survey(survey, design)]
    predictors = [make_design(formula, survey) for formula in ("y ~ 1", "x ~ 1", "y ~ x")]
    weights = design.read(survey).normalised
    plain = [fitted(p, survey, None, None, streams[0]) for p in predictors]
    weighted = [fitted(p, survey, design, weights, streams[1]) for p in predictors]
    adjusted = [fit.adjust_draws() for fit in weighted]
    ways = (plain, weighted, adjusted)
    found += [_posterior(*fits) for fits in ways]
    made = zip(ways, _rng.spawn(streams[2], 3), strict=True)
    found += [_synthetic(fits, len(survey), stream) for fits, stream in made]
    return np.stack([*found, *_pseudo(survey, design, streams[3])])


def fitted(
    predictors: Predictors,
    frame: pd.DataFrame,
    design: SurveyDesign | None,
    weights: FloatArray | None,
    rng: np.random.Generator,
) -> FittedNormalRegression:
    """Return exact draws of a normal regression under the prior 1/sigma^2, with the pseudo-likelihood of the design."""
    w = np.ones(len(frame)) if weights is None else weights
    x = np.column_stack([np.ones(len(frame)), predictors.matrix])
    y = frame[predictors.formula.response].to_numpy()
    lower = np.linalg.cholesky(np.linalg.inv((x * w[:, None]).T @ x))
    beta = lower @ lower.T @ (x * w[:, None]).T @ y
    sigma = np.sqrt(w @ (y - x @ beta) ** 2 / rng.chisquare(len(y) - x.shape[1], DRAWS))
    draws = beta + sigma[:, None] * rng.standard_normal((DRAWS, beta.size)) @ lower.T
    values = {"intercept": draws[None, :, 0], "slopes": draws[None, :, 1:], "sigma": sigma[None]}
    posterior = Posterior(values, {"slopes": predictors.names}, method="exact")
    model, response = NormalRegression(predictors.formula.text), (predictors.formula.response,)
    return FittedNormalRegression(model, frame, weights, response, posterior, predictors, survey=design)


def _survey(survey: pd.DataFrame, design: SurveyDesign) -> FloatArray:
    mean = survey_mean(survey, ["y"], design, level=LEVEL)
    slope = survey_regression(survey, "y ~ x", design, level=LEVEL)
    return np.array([[r.estimate[-1], *r.interval[-1]] for r in (mean, slope)])


def _posterior(mean: FittedNormalRegression, _: FittedNormalRegression, slope: FittedNormalRegression) -> FloatArray:
    draws = [posterior_of(mean)["intercept"], posterior_of(slope)["slopes"][:, 0]]
    return np.array([[one.mean(), *np.quantile(one, [(1 - LEVEL) / 2, (1 + LEVEL) / 2])] for one in draws])


def _synthetic(fits: list[FittedNormalRegression], n: int, rng: np.random.Generator) -> FloatArray:
    """Return the intervals from M fully synthetic datasets: x, then y given x, each with parameters of its own."""
    x = _values(posterior_of(fits[1]), np.zeros((M, n)), rng)
    with quiet(FewDegreesOfFreedomWarning):
        combined = combine_full(*estimates(x, _values(posterior_of(fits[2]), x, rng)), level=LEVEL)
    return np.column_stack([combined.q_bar, unbounded(combined)])


def _values(draws: Posterior, x: FloatArray, rng: np.random.Generator) -> FloatArray:
    """Return a synthetic variable for each row of x, with the parameters of one draw per row."""
    m = len(x)
    slope = draws["slopes"][:m, 0] if draws["slopes"].shape[1] else np.zeros(m)
    mean = draws["intercept"][:m, None] + slope[:, None] * x
    return np.asarray(mean + draws["sigma"][:m, None] * rng.standard_normal(x.shape), dtype=np.float64)


def _pseudo(survey: pd.DataFrame, design: SurveyDesign, rng: np.random.Generator) -> list[FloatArray]:
    """Return the intervals from pseudo-populations, with one dataset from each and with several."""
    first, *streams = _rng.spawn(rng, POPULATIONS + 1)
    samples = draw_pseudo_samples(survey, design, populations=POPULATIONS, population=PEOPLE, rng=first)
    q, v = (np.empty((POPULATIONS, NESTED, 2)) for _ in range(2))
    for nest, (sample, stream) in enumerate(zip(samples, streams, strict=True)):
        x, y = (sample[c].to_numpy() for c in ("x", "y"))
        n = len(x)
        ones = np.ones((n, 1))
        new = _new(ones, x, np.zeros((NESTED, n, 0)), stream)
        made = _new(np.column_stack([ones, x]), y, new[:, :, None], stream)
        q[nest], v[nest] = estimates(new, made)
    share = n / PEOPLE
    with quiet(FewDegreesOfFreedomWarning):
        both = [combine_pseudo_populations(q[:, :r], v[:, :r], level=LEVEL, fraction=share) for r in (1, NESTED)]
    return [np.column_stack([one.q_bar, unbounded(one)]) for one in both]


def _new(design: FloatArray, y: FloatArray, predictors: FloatArray, rng: np.random.Generator) -> FloatArray:
    """Draw parameters of a normal regression, and values from them, once for each of the given predictors (r, n, p)."""
    lower = np.linalg.cholesky(np.linalg.inv(design.T @ design))
    beta = lower @ lower.T @ design.T @ y
    r, n = predictors.shape[:2]
    sigma = np.sqrt(((y - design @ beta) ** 2).sum() / rng.chisquare(len(y) - beta.size, r))
    drawn = beta + sigma[:, None] * rng.standard_normal((r, beta.size)) @ lower.T
    mean = drawn[:, :1] + (predictors @ drawn[:, 1:, None])[:, :, 0]
    return np.asarray(mean + sigma[:, None] * rng.standard_normal((r, n)), dtype=np.float64)


def estimates(x: FloatArray, y: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Return mean of y and slope of y on x with their usual variances, each of shape (datasets, 2)."""
    n = x.shape[1]
    dx, dy = x - x.mean(axis=1, keepdims=True), y - y.mean(axis=1, keepdims=True)
    sxx, sxy, syy = (dx * dx).sum(axis=1), (dx * dy).sum(axis=1), (dy * dy).sum(axis=1)
    slope = sxy / sxx
    variance = np.column_stack([syy / (n - 1) / n, (syy - slope * sxy) / (n - 2) / sxx])
    return np.column_stack([y.mean(axis=1), slope]), variance
