"""Bayesian Poisson regression of a count."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from synthlab._typing import FloatArray, RngLike
from synthlab.synthesizers._clipped_likelihood import Clippable, Unit, normal_prior
from synthlab.synthesizers._counts import FittedCounts, counts_of
from synthlab.synthesizers._pymc import SamplerOptions
from synthlab.synthesizers.regression import Data, Likelihood, LogConcave


@dataclass(frozen=True)
class PoissonRegression(LogConcave["FittedPoissonRegression"]):
    """Synthesizer of a count: ``y_i ~ Poisson(exp(a + x_i' b))``.

    With standardized predictors and the (weighted) mean count c the priors are ``a ~ N(log c, 5)``,
    ``b_j ~ N(0, 2.5)``. Record weights multiply the log-likelihood; equal records are merged with their
    weights before sampling. Synthetic values are whole numbers in the dtype of the confidential column. The posterior
    of a fit holds ``intercept`` (draws,) and ``slopes`` (draws, p), for predictors in their own units.

    The default sampler is independence Metropolis, and NUTS if its proposals do not fit the posterior. ``fit(...,
    sampler="independence")``, "nutpie" or "pymc" (both NUTS) selects a sampler.

    Parameters
    ----------
    formula : str
        ``"response ~ predictors"``; the response holds whole numbers >= 0.

    Raises
    ------
    InputError
        If `formula` is not text with one response, one tilde and predictors.

    Examples
    --------
    >>> import numpy as np, pandas as pd
    >>> import synthlab as sl
    >>> rng = np.random.default_rng(1)
    >>> age = rng.integers(18, 80, 200)
    >>> survey = pd.DataFrame({"age": age, "visits": rng.poisson(np.exp(age / 40))})
    >>> fitted = sl.PoissonRegression("visits ~ age").fit(survey, rng=1)
    >>> fitted.generate(m=2, rng=2)[0]["visits"].dtype
    dtype('int64')
    """

    _kind = "poisson regression"
    _data = ("events", "exposure")

    def _fit(self, data: Data, options: SamplerOptions, rng: RngLike) -> FittedPoissonRegression:
        posterior = self._sample(data, (data.record_weights * counts_of(data), data.record_weights), options, rng)
        return FittedPoissonRegression(self, *data.fitted_with(posterior))

    def _clippable(self, data: Data, unit: Unit) -> Clippable:
        from scipy.special import gammaln

        y = counts_of(data)
        return Clippable(
            y=y,
            log_density=lambda y, eta, extra: y * eta - np.exp(eta) - gammaln(y + 1),
            log_prior=normal_prior,
            start=np.array([np.log(y.mean())]),
            fitted=lambda beta, extra: FittedPoissonRegression(self, *data.fitted_with(data.walked(beta))),
            signed=False,
        )

    def _likelihood(self, *sums: FloatArray) -> Likelihood:
        events, exposure = sums
        average = float(np.log(events.sum() / exposure.sum()))

        def at(eta: FloatArray) -> tuple[float, FloatArray, FloatArray]:
            with np.errstate(over="ignore"):
                mean = exposure * np.exp(average + eta)
            return float(events @ (average + eta) - mean.sum()), events - mean, mean

        return Likelihood(at, {"events": events, "exposure": exposure * np.exp(average)}, offset=average)

    @staticmethod
    def _term(math: Any, eta: Any, *data: Any) -> Any:
        events, exposure = data
        return events * eta - exposure * math.exp(eta)


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class FittedPoissonRegression(FittedCounts):
    """A fitted `PoissonRegression`.

    ``posterior["intercept"]`` has shape (draws,), ``posterior["slopes"]`` (draws, p).
    """

    def _log_pmf(self, y: FloatArray) -> FloatArray:
        from scipy.special import gammaln

        eta = self._predictors()
        return np.asarray(y * eta - np.exp(eta) - gammaln(y + 1), dtype=np.float64)

    def _values(self, eta: FloatArray, draw: int, rng: np.random.Generator) -> Any:
        return rng.poisson(self._mean(eta))


__all__ = ["FittedPoissonRegression", "PoissonRegression"]
