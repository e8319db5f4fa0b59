"""Bayesian negative binomial regression of a count, with or without predictors."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, ClassVar

import numpy as np
import pandas as pd

from synthlab import _checks
from synthlab._formula import check_formula
from synthlab._typing import FloatArray, RngLike
from synthlab.exceptions import InputError
from synthlab.synthesizers._design import Design, make_design
from synthlab.synthesizers._linear import (
    aggregate,
    equal_rows,
    pad,
    posterior_mode,
    prior_sd,
    rotated,
    standardise,
    whitened_predictor,
)
from synthlab.synthesizers._pooling import POSITIVE, REAL
from synthlab.synthesizers._posterior import Posterior
from synthlab.synthesizers._pymc import SamplerOptions, log_gamma, sample, sampler_options, width
from synthlab.synthesizers.base import Fitted, check_fit, posterior_of
from synthlab.synthesizers.poisson_regression import as_count, counts_of, log_mean

CAUCHY_SCALE = 5.0
LOG_CAUCHY_SQUARE = 2 * float(np.log(CAUCHY_SCALE))
LOG_3 = float(np.log(3.0))


@dataclass(frozen=True)
class NegativeBinomial:
    """Synthesizer of one count with mean mu and variance ``mu + mu^2 / phi``.

    ``y_i ~ NB(exp(b_0 + x_i' b), phi)`` with ``1/phi ~ half-Cauchy(0, 5)``, ``b_j ~ N(0, s)`` for the intercept
    and the coefficients of the standardised predictors alike, and ``s ~ half-t(3, 0, 1)``: the synthesizer of the
    simulation study of Hu, Savitsky & Williams, with their mu, phi. Record weights (their alpha) multiply
    the log-likelihood. Equal records are merged with their weights before sampling.

    Parameters
    ----------
    formula : str
        ``"response ~ predictors"``, or ``"response ~ 1"`` without any; the response holds whole numbers >= 0.

    Raises
    ------
    InputError
        If `formula` is no text with one response, one tilde and predictors.

    Examples
    --------
    >>> import numpy as np, pandas as pd
    >>> import synthlab as sl
    >>> counts = np.random.default_rng(1).negative_binomial(10, 0.1, size=300)
    >>> fitted = sl.NegativeBinomial("y ~ 1").fit(pd.DataFrame({"y": counts}), rng=1)
    >>> sorted(fitted.posterior)
    ['intercept', 'phi', 'scale', 'slopes']
    """

    formula: str

    def __post_init__(self) -> None:
        check_formula(self.formula)

    def fit(
        self, confidential: pd.DataFrame, *, weights: object = None, rng: RngLike = None, **sampler: Any
    ) -> FittedNegativeBinomial:
        """Sample the posterior. See `NormalRegression.fit` for the options of the sampler.

        Parameters
        ----------
        confidential : pandas.DataFrame, n rows
            The data as collected, with the variables of the formula.
        weights : array_like of shape (n,), optional
            Record weights >= 0; each multiplies the log-likelihood of its record. None: 1 for everybody.
        rng : seed or Generator, optional
            The same seed gives the same draws.
        **sampler
            The options of `NormalRegression.fit`.

        Returns
        -------
        FittedNegativeBinomial
            ``posterior["intercept"]``, ``["phi"]`` and ``["scale"]`` (draws,), ``["slopes"]`` (draws, p).

        Raises
        ------
        InputError
            For a formula, response, weights or option that cannot be used, or a response that is no count; the message names it.
        MissingValueError
            If a variable of the formula has missing values.

        Warns
        -----
        ConvergenceWarning
            If the chains did not converge.
        """
        options = sampler_options(sampler)
        frame, weights_ = check_fit(confidential, weights)
        design = make_design(self.formula, frame)
        response = design.formula.response
        posterior = _sample(counts_of(frame, response), design, weights_, options, rng)
        fitted = FittedNegativeBinomial(self, frame, weights_, (response,), posterior, design)
        fitted.diagnostics()
        return fitted


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class FittedNegativeBinomial(Fitted):
    """A fitted `NegativeBinomial`.

    ``posterior["intercept"]``, ``["phi"]`` and ``["scale"]`` (s) have shape (draws,), ``["slopes"]`` (draws, p) for
    predictors in their own units; without predictors mu is ``exp(intercept)``.
    """

    scales: ClassVar[Mapping[str, str]] = {"intercept": REAL, "slopes": REAL, "phi": POSITIVE, "scale": POSITIVE}

    design: Design = field(repr=False)

    def draw(self, frame: pd.DataFrame, draw: int, rng: np.random.Generator) -> dict[str, pd.Series]:
        """Return synthetic values for the records of `frame`, from one posterior draw."""
        phi = float(posterior_of(self)["phi"][draw])
        mean = np.exp(log_mean(self, self.design, frame, draw))
        column = self.synthesized[0]
        return {
            column: as_count(rng.negative_binomial(phi, phi / (phi + mean)), self.confidential[column], frame.index)
        }

    def log_likelihood(self) -> FloatArray:
        """Return log Pr(y_i | x_i, theta_s), unweighted, shape (draws, n)."""
        y = _checks.as_float(self.confidential[self.synthesized[0]])
        posterior = posterior_of(self)
        first, group = equal_rows(np.column_stack([self.design.matrix, y]))
        eta = posterior["intercept"][:, None] + posterior["slopes"] @ self.design.matrix[first].T
        return log_pmf(y[first], eta, posterior["phi"][:, None])[:, group]


def log_pmf(y: FloatArray, eta: FloatArray, phi: FloatArray | float) -> FloatArray:
    """Return the log probability of counts with log mean `eta` and size `phi`."""
    from scipy.special import gammaln

    log_phi = np.log(phi)
    choose = gammaln(y + phi) - gammaln(phi) - gammaln(y + 1)
    return np.asarray(choose + y * (eta - log_phi) - (y + phi) * np.logaddexp(0, eta - log_phi), dtype=np.float64)


def _sample(
    y: FloatArray, design: Design, weights: FloatArray | None, options: SamplerOptions, rng: RngLike
) -> Posterior:
    predictors = standardise(design.matrix, weights)
    w = np.ones(y.size) if weights is None else weights
    rows, merged = aggregate(np.column_stack([predictors.matrix, y])[w > 0], w[w > 0])
    x, counts = np.ascontiguousarray(rows[:, :-1]), rows[:, -1]
    if not counts.any():
        raise InputError(
            f"confidential: response {design.formula.response!r} is 0 throughout: there is nothing to model"
        )
    mode, spread, log_phi, log_phi_sd = _approximate(x, counts, merged)
    size = width(x.shape[1])
    data = {
        "mode": pad(mode, size),
        "spread": pad(spread, size),
        "used": (np.arange(size) < mode.size).astype(np.float64),
        **rotated(x, mode, spread, size),
        "y": counts,
        "weight": merged,
        "log_phi_guess": np.array([log_phi, log_phi_sd]),
    }
    names = ["u", "log_phi_standard", "log_scale"]
    chains = sample("negative binomial regression", _model, data, (size,), names, options, rng)
    intercept, slopes = predictors.raw(mode + chains.values["u"][..., : mode.size] @ spread.T)
    values = {
        "intercept": intercept,
        "slopes": slopes,
        "phi": np.exp(log_phi + log_phi_sd * chains.values["log_phi_standard"]),
        "scale": np.exp(chains.values["log_scale"]),
    }
    return Posterior(values, {"slopes": design.names}, chains.divergences)


def _approximate(x: FloatArray, y: FloatArray, w: FloatArray) -> tuple[FloatArray, FloatArray, float, float]:
    """Find where the posterior is, for the sampler to start and scale by: mode and spread of beta, log phi and its sd."""
    from scipy.optimize import minimize_scalar

    average = float(np.log(w @ y / w.sum()))
    log_phi = 0.0
    mode, spread = np.zeros(x.shape[1]), np.eye(x.shape[1])

    def minus_log_posterior(value: float) -> float:
        # 1/phi ~ half-Cauchy, on the scale of log phi
        prior = value + np.log1p(np.exp(-2 * value) / CAUCHY_SCALE**2)
        return float(prior - w @ log_pmf(y, x @ mode, np.exp(value)))

    for _ in range(5):
        phi = np.exp(log_phi)

        def likelihood(eta: FloatArray, phi: float = phi) -> tuple[float, FloatArray, FloatArray]:
            with np.errstate(over="ignore"):
                share = 1 / (1 + phi * np.exp(-(average + eta)))
            slope = w * (y - (y + phi) * share)
            return float(w @ log_pmf(y, average + eta, phi)), slope, w * (y + phi) * share * (1 - share)

        offset, spread = posterior_mode(x, likelihood, prior_sd(x.shape[1]))
        mode = offset + average * np.eye(x.shape[1])[0]
        log_phi = float(minimize_scalar(minus_log_posterior, bounds=(-8.0, 16.0), method="bounded").x)
    step = 0.1
    here, below, above = (minus_log_posterior(log_phi + d) for d in (0.0, -step, step))
    curvature = (below + above - 2 * here) / step**2
    return mode, spread, log_phi, float(1 / np.sqrt(max(curvature, 0.25)))


def _model(pm: Any, data: Mapping[str, FloatArray], shape: tuple[int, ...]) -> Any:
    with pm.Model() as model:
        mode, spread, used, y, weight, guess = (
            pm.Data(name, data[name]) for name in ("mode", "spread", "used", "y", "weight", "log_phi_guess")
        )
        u = pm.Flat("u", shape=shape)
        eta = whitened_predictor(pm, data, u)
        log_phi = guess[0] + guess[1] * pm.Flat("log_phi_standard")
        log_scale = pm.Flat("log_scale")
        phi = pm.math.exp(log_phi)
        squares = pm.math.sum(used * pm.math.sqr(mode + pm.math.dot(spread, u)))
        pm.Potential("prior_beta", -0.5 * squares * pm.math.exp(-2 * log_scale) - pm.math.sum(used) * log_scale)
        pm.Potential("prior_padding", -0.5 * pm.math.sum((1 - used) * pm.math.sqr(u)))
        # half-t(3, 0, 1) and half-Cauchy(0, 5), each with the Jacobian of its logarithm
        pm.Potential("prior_scale", log_scale - 2 * pm.math.log1pexp(2 * log_scale - LOG_3))
        pm.Potential("prior_phi", -log_phi - pm.math.log1pexp(-2 * log_phi - LOG_CAUCHY_SQUARE))
        choose = log_gamma(y + phi) - log_gamma(phi)
        excess = eta - log_phi
        pm.Potential("likelihood", pm.math.sum(weight * (choose + y * excess - (y + phi) * pm.math.log1pexp(excess))))
    return model


__all__ = ["FittedNegativeBinomial", "NegativeBinomial"]
