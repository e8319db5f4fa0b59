"""Bayesian multinomial regression of a categorical variable with tens of levels."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import numpy as np
import pandas as pd

from synthlab import _checks, _rng
from synthlab._typing import FloatArray, RngLike
from synthlab.exceptions import FitError, InputError
from synthlab.synthesizers._design import Design, make_design
from synthlab.synthesizers._levels import Levels, draw_codes
from synthlab.synthesizers._linear import INTERCEPT_PRIOR_SD, Standardised, equal_rows, standardise
from synthlab.synthesizers._posterior import Posterior
from synthlab.synthesizers._pymc import sampler_options
from synthlab.synthesizers.base import Fitted, check_fit, posterior_of

MAX_PARAMETERS = 8000
BLOCK = 20_000  # records of which probabilities are held at a time


@dataclass(frozen=True)
class MultinomialRegression:
    """Synthesizer of one categorical variable: ``Pr(y_i = k)`` is proportional to ``exp(a_k + x_i' b_k)``.

    Every level has coefficients of its own (none is the reference, so the order of the levels does not
    matter); they are identified by the prior, with standardised predictors ``a_k ~ N(0, 5)`` and
    ``b_kj ~ N(0, prior_scale)``. The prior keeps levels with few records, for which no
    maximum-likelihood estimate exists, near the others.

    The posterior is approximated by a normal distribution: its mode (L-BFGS, then Newton), and the
    inverse of the negative Hessian there (Laplace). Draws are independent; no chain has to converge.

    Parameters
    ----------
    formula : str
        ``"response ~ predictors"``; the response holds at most 1,000 levels.
    prior_scale : float, default 1.0
        Standard deviation of the prior of the slopes.

    Examples
    --------
    >>> import synthlab as sl
    >>> survey = sl.datasets.load("affairs").frame
    >>> fitted = sl.MultinomialRegression("occupation ~ educ + age").fit(survey, rng=1)
    >>> fitted.diagnostics().method
    'laplace'
    """

    formula: str
    prior_scale: float = 1.0

    def __post_init__(self) -> None:
        _checks.check_number(self.prior_scale, "prior_scale", low=0.0, open_low=True)

    def fit(
        self, confidential: pd.DataFrame, *, weights: object = None, rng: RngLike = None, **sampler: Any
    ) -> FittedMultinomialRegression:
        """Find the mode and draw from the normal approximation of the posterior.

        Of the sampler's options only ``chains`` and ``draws`` matter: chains x draws draws are made.

        Raises
        ------
        InputError
            As `NormalRegression.fit`, and if there are more than 8,000 coefficients.
        FitError
            If the mode is not found.
        """
        options = sampler_options(sampler)
        frame, weights_ = check_fit(confidential, weights)
        design = make_design(self.formula, frame)
        levels = Levels.of(frame, design.formula.response)
        if len(levels) < 2:
            raise InputError(f"response {levels.column!r} has one level: there is nothing to model")
        predictors = standardise(design.matrix, weights_)
        shape = (len(levels), predictors.matrix.shape[1])
        if shape[0] * shape[1] > MAX_PARAMETERS:
            raise InputError(
                f"formula={self.formula!r}: {shape[0]} levels x {shape[1]} columns are too many coefficients"
            )
        sd = np.concatenate([[INTERCEPT_PRIOR_SD], np.full(shape[1] - 1, self.prior_scale)])
        x, counts = _table(predictors.matrix, levels.codes(frame), len(levels), weights_)
        mode, factor = _mode(x, counts, sd)
        coefficients = _draws(mode, factor, options.chains, options.draws, _rng.as_generator(rng))
        posterior = _posterior(coefficients, predictors, levels, design)
        return FittedMultinomialRegression(self, frame, weights_, (levels.column,), posterior, design, levels)


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class FittedMultinomialRegression(Fitted):
    """A fitted `MultinomialRegression`.

    ``posterior["intercept"]`` has shape (draws, K), ``posterior["slopes"]`` (draws, K, p), for predictors in
    their own units, the K levels in the order of ``levels.values``.
    """

    design: Design = field(repr=False)
    levels: Levels = field(repr=False)

    def probabilities(self, frame: pd.DataFrame, draw: int) -> FloatArray:
        """Return Pr(y_i = k) for the records of a frame under one draw, shape (n, K)."""
        return np.exp(self._log_probabilities(frame, draw))

    def draw(self, frame: pd.DataFrame, draw: int, rng: np.random.Generator) -> dict[str, pd.Series]:
        """Return synthetic values for the records of `frame`, from one posterior draw."""
        codes = draw_codes(self.probabilities(frame, draw), rng)
        return {self.levels.column: self.levels.series(codes, frame.index)}

    def log_likelihood(self) -> FloatArray:
        """Return log Pr(y_i | x_i, theta_s), unweighted, shape (draws, n)."""
        codes = self.levels.codes(self.confidential)
        rows = np.arange(codes.size)
        draws = range(posterior_of(self).n_draws)
        return np.stack([self._log_probabilities(self.confidential, s)[rows, codes] for s in draws])

    def _log_probabilities(self, frame: pd.DataFrame, draw: int) -> FloatArray:
        matrix = self.design.matrix if frame is self.confidential else self.design.apply(frame)
        posterior = posterior_of(self)
        return _log_softmax(posterior["intercept"][draw] + matrix @ posterior["slopes"][draw].T)


def _log_softmax(eta: FloatArray) -> FloatArray:
    eta = eta - eta.max(axis=1, keepdims=True)
    return eta - np.log(np.exp(eta).sum(axis=1, keepdims=True))


def _table(matrix: FloatArray, codes: Any, levels: int, weights: FloatArray | None) -> tuple[FloatArray, FloatArray]:
    """Merge equal rows of predictors; return them with the weighted counts of each level, (g, p) and (g, K)."""
    w = np.ones(codes.size) if weights is None else weights
    used = w > 0
    first, group = equal_rows(matrix[used])
    cell = group * levels + codes[used]
    counts = np.bincount(cell, weights=w[used], minlength=first.size * levels)
    return matrix[used][first], np.asarray(counts, dtype=np.float64).reshape(first.size, levels)


def _mode(x: FloatArray, counts: FloatArray, sd: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Return the mode, shape (K, p), and the lower Cholesky factor of the negative Hessian there."""
    from scipy.linalg import solve_triangular
    from scipy.optimize import minimize

    shape = (counts.shape[1], x.shape[1])
    totals = counts.sum(axis=1, keepdims=True)

    def minus_log_posterior(flat: FloatArray) -> tuple[float, FloatArray]:
        beta = flat.reshape(shape)
        log_p = _log_softmax(x @ beta.T)
        gradient = (totals * np.exp(log_p) - counts).T @ x + beta / sd**2
        return float(0.5 * np.sum(np.square(beta / sd)) - np.sum(counts * log_p)), gradient.ravel()

    result = minimize(
        minus_log_posterior, np.zeros(shape).ravel(), jac=True, method="L-BFGS-B", options={"maxiter": 300}
    )
    flat, value = result.x, float(result.fun)
    for _ in range(50):
        gradient = minus_log_posterior(flat)[1]
        factor = np.asarray(np.linalg.cholesky(_hessian(x, totals, flat.reshape(shape), sd)), dtype=np.float64)
        half = solve_triangular(factor, gradient, lower=True)
        if half @ half < 1e-8:
            return np.asarray(flat, dtype=np.float64).reshape(shape), factor
        step, size = solve_triangular(factor, half, lower=True, trans=1), 1.0
        while minus_log_posterior(flat - size * step)[0] > value and size > 1e-8:
            size /= 2
        flat = flat - size * step
        value = minus_log_posterior(flat)[0]
    raise FitError("the mode of the multinomial regression was not found")


def _hessian(x: FloatArray, totals: FloatArray, beta: FloatArray, sd: FloatArray) -> FloatArray:
    """Negative Hessian of the log posterior: one matrix product for all pairs of levels, blocks of records at a time."""
    levels, p = beta.shape
    hessian = np.diag(np.tile(1 / sd**2, levels))
    for start in range(0, len(x), max(1, BLOCK // levels)):
        rows, w = x[start : start + BLOCK // levels], totals[start : start + BLOCK // levels]
        prob = np.exp(_log_softmax(rows @ beta.T))
        spread = (np.sqrt(w) * prob)[:, :, None] * rows[:, None, :]
        flat = spread.reshape(len(rows), levels * p)
        hessian -= flat.T @ flat
        for k in range(levels):
            block = slice(k * p, (k + 1) * p)
            hessian[block, block] += (rows * (w * prob)[:, k, None]).T @ rows
    return hessian


def _draws(mode: FloatArray, factor: FloatArray, chains: int, draws: int, rng: np.random.Generator) -> FloatArray:
    """Draw coefficients, shape (chains, draws, K, p)."""
    from scipy.linalg import solve_triangular

    standard = rng.standard_normal((mode.size, chains * draws))
    deviations = solve_triangular(factor, standard, lower=True, trans=1)
    return mode + deviations.T.reshape(chains, draws, *mode.shape)


def _posterior(coefficients: FloatArray, predictors: Standardised, levels: Levels, design: Design) -> Posterior:
    intercept, slopes = predictors.raw(coefficients)
    names = [str(v) for v in levels.values]
    labels = {"intercept": tuple(names), "slopes": tuple(f"{k}, {c}" for k in names for c in design.names)}
    return Posterior({"intercept": intercept, "slopes": slopes}, labels, method="laplace")


__all__ = ["FittedMultinomialRegression", "MultinomialRegression"]
