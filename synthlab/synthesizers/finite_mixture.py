"""Finite mixture of normal regressions (Hu, Savitsky and Williams)."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
import pandas as pd

from synthlab import _checks, _rng
from synthlab._formulas.formula import check_formula
from synthlab._typing import FloatArray, RngLike
from synthlab.exceptions import InputError
from synthlab.synthesizers import _gibbs_mixture, _mixture, _nuts_mixture
from synthlab.synthesizers._gibbs_mixture import GibbsOptions, Rows, gibbs_options
from synthlab.synthesizers._mixture import Units
from synthlab.synthesizers._posterior import Posterior
from synthlab.synthesizers._pymc import SamplerOptions
from synthlab.synthesizers._transforms import Limits, Scale, draw_normal, mass_between
from synthlab.synthesizers.base import Fitted, posterior_of, weighted
from synthlab.synthesizers.regression import Data, FittedRegression, Regression


@dataclass(frozen=True)
class FiniteMixture(Regression["FittedFiniteMixture"]):
    r"""Synthesizer of a numeric variable by a mixture of K linear regressions.

    Equations: Hu, Savitsky & Williams (4), (10)

    Equations: Savitsky, Williams & Hu (27)

    .. math:: g(y_i) \mid z_i = k \sim N(x_i' \beta_k, \sigma_k), \qquad \Pr(z_i = k) = \pi_k,

    with :math:`\pi \sim` Dirichlet(a/K, ..., a/K), so that with large K most classes stay empty; :math:`\beta_k \sim
    N(0, D \Omega D)`, :math:`\Omega` uniform over the correlation matrices (LKJ(1)), :math:`D = diag(s)`, :math:`s_j
    \sim` half-t(3, 0, 1), and :math:`\sigma_k \sim` half-t(3, 0, 1). By default, the priors refer to g(y) in units of
    its standard deviation and to standardized predictors, where 0/1 predictors are not changed. With
    ``prior_units="raw"``, they refer to g(y) and predictors in their own units.

    Record weights define one of two pseudo posteriors:

    - ``weighting="component"``: the weight is the exponent of the density of the record's component, where z is a
      parameter: :math:`\prod_i \sum_k \pi_k N(y_i \mid k)^{\alpha_i}`;
    - ``weighting="mixture"``: the weight is the exponent of the mixture density: :math:`\prod_i (\sum_k \pi_k N(y_i
      \mid k))^{\alpha_i}`.

    Without weights both are the same. With "component", a Gibbs sampler with exact conditional draws is used, for any
    K. With "mixture", data augmentation is not possible, so PyMC samples with z summed out; use a small K.

    The posterior of a fit holds ``pi``, ``intercept`` and ``sigma`` (draws, K), and ``slopes`` (draws, K, p). The
    sampler options for "component" are draws=1000 kept in each chain, thin=4 (iterations per kept draw), tune=1000,
    chains=2 and progress=False. The options for "mixture" are those of `Regression.fit`.

    Parameters
    ----------
    formula : str
        ``"response ~ predictors"``, as for `NormalRegression`.
    classes : int >= 1
        K, the number of components (latent classes) of the mixture; large with "component", small (2 or 3) with
        "mixture".
    weighting : {"component", "mixture"}
        The density of which the record weight is the exponent.
    transform : {None, "log", "log1p", "asinh", "sqrt", "cube_root"}
        g.
    concentration : float > 0
        a of the Dirichlet prior.
    correlated : bool or None
        Whether Omega is a parameter rather than the identity matrix. Default: True with "component". With "mixture",
        Omega is always the identity.
    allocation : {"predictive", "record"}
        The distribution of the class of a synthetic record. "predictive": pi, which gives the posterior predictive
        distribution. "record": the probabilities given the confidential value of the record, as in the authors' paper
        of 2022, which preserves more of that value.
    bounds : tuple of (float or None, float or None), optional
        Lowest and highest synthetic value. The predictive distribution, but not the likelihood, is truncated to this
        interval. Confidential values must lie within it. On a logarithmic scale, a class with few or no records
        occasionally generates an income of 10^9; use public bounds to exclude such values.
    prior_units : {"standard", "raw"}
        Units to which the priors refer. With "raw", the intercepts of empty classes vary around 0 on the scale of the
        distance of the other intercepts from 0. On a logarithmic scale, such a class generates values that differ by
        many powers of ten.

    Raises
    ------
    InputError
        If an argument has a value that is not allowed, or ``correlated=True`` is given with ``weighting="mixture"``.

    Notes
    -----
    Classes have no fixed order, so R-hat of a coefficient has no meaning. `fit` issues a `ConvergenceWarning` if R-hat
    of the log-likelihood, of a predictive density or of the number of occupied classes is above 1.05, or if the chains
    hardly moved. With n = 6,208 and 36 columns, 2 x 5,000 iterations of the Gibbs sampler take about 20 s on 2 cores.

    Examples
    --------
    >>> import numpy as np, pandas as pd
    >>> import synthlab as sl
    >>> rng = np.random.default_rng(1)
    >>> x = rng.normal(size=300)
    >>> y = np.where(rng.random(300) < 0.6, 1 + x, 6 - x) + rng.normal(0, 0.3, 300)
    >>> survey = pd.DataFrame({"x": x, "y": y})
    >>> fitted = sl.FiniteMixture("y ~ x", classes=3).fit(survey, rng=1)
    >>> int(fitted.occupied_classes()["share of draws"].idxmax())
    2
    >>> fitted.generate(m=3, rng=2).m
    3
    """

    classes: int = 10
    weighting: str = "component"
    transform: str | None = None
    concentration: float = 1.0
    correlated: bool | None = None
    allocation: str = "predictive"
    bounds: Limits | None = None
    prior_units: str = "standard"

    def __post_init__(self) -> None:
        check_formula(self.formula)
        _checks.check_count(self.classes, "classes")
        _checks.check_choice(self.weighting, "weighting", ("component", "mixture"))
        Scale(self.transform, self.bounds)
        _checks.check_number(self.concentration, "concentration", low=0.0, open_low=True)
        _checks.check_choice(self.correlated, "correlated", (None, True, False))
        _checks.check_choice(self.allocation, "allocation", ("predictive", "record"))
        _checks.check_choice(self.prior_units, "prior_units", ("standard", "raw"))
        if self.correlated and self.weighting == "mixture":
            raise InputError('correlated=True: requires weighting="component"')

    @property
    def _scale(self) -> Scale:
        return Scale(self.transform, self.bounds)

    def _options(self, sampler: Mapping[str, Any]) -> SamplerOptions:
        return gibbs_options(sampler) if self.weighting == "component" else Regression._options(self, sampler)

    def _fit(self, data: Data, options: SamplerOptions, rng: RngLike) -> FittedFiniteMixture:
        z = self._scale.response(data.frame, data.response)
        units = Units.of(data.design.matrix, z, data.weights, data.response, self.prior_units == "raw")
        if isinstance(options, GibbsOptions):
            rows, streams = Rows.of(units.matrix), _rng.spawn(rng, options.chains)
            correlated, concentration = self.correlated is not False, float(self.concentration)
            draws = _gibbs_mixture.sample_mixture(
                rows, units.y, data.record_weights, self.classes, concentration, correlated, options, streams
            )
            divergences, method = 0, "gibbs"
        else:
            draws, divergences = _nuts_mixture.sample_mixture(
                units, data.record_weights, self.classes, self.concentration, options, rng
            )
            method = "nuts"
        posterior = Posterior(units.raw(draws), {"slopes": ()}, divergences, method)
        return FittedFiniteMixture(self, *data.fitted_with(posterior))


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class FittedFiniteMixture(FittedRegression):
    """A fitted `FiniteMixture`.

    ``posterior["pi"]`` (draws, K), ``posterior["intercept"]`` (draws, K), ``posterior["slopes"]`` (draws, K, p) and
    ``posterior["sigma"]`` (draws, K) are for predictors in their own units, on the scale of the transformed
    response. The numbering of the classes changes from draw to draw.
    """

    scales: ClassVar[Mapping[str, str]] = {}  # the classes have no common order, so nothing can be averaged over fits

    @property
    def records_independent(self) -> bool:
        """True if a record can be drawn without its confidential values."""
        return bool(self.specification.allocation == "predictive")

    def components(self, draw: int, matrix: FloatArray) -> tuple[FloatArray, FloatArray, FloatArray]:
        """Return (pi, means, sigma) of one draw, of shapes (K,), (n, K), (K,)."""
        posterior = posterior_of(self)
        mean = posterior["intercept"][draw] + matrix @ posterior["slopes"][draw].T
        return posterior["pi"][draw], mean, posterior["sigma"][draw]

    def _values(self, eta: FloatArray, draw: int, rng: np.random.Generator) -> FloatArray:
        pi, sigma = (posterior_of(self)[name][draw] for name in ("pi", "sigma"))
        ends = self._scale.ends
        share = _mixture.shares(self._allocation(pi, eta, sigma) * mass_between(*ends, eta, sigma))
        chosen = np.minimum((np.cumsum(share, axis=1) < rng.random((len(eta), 1))).sum(axis=1), pi.size - 1)
        row = np.arange(len(eta))
        with np.errstate(over="ignore"):
            values = self._scale.g.inverse(
                draw_normal(eta[row, chosen], sigma[chosen], rng, None if np.isinf(ends).all() else ends)
            )
        return np.clip(values, *np.nan_to_num(self._scale.limits))

    @property
    def _scale(self) -> Scale:
        spec: FiniteMixture = self.specification
        return spec._scale

    def _allocation(self, pi: FloatArray, mean: FloatArray, sigma: FloatArray) -> FloatArray:
        """Return the probability of each class for each record, shape (n, K)."""
        if self.specification.allocation == "predictive":
            return np.broadcast_to(pi, mean.shape)
        if len(mean) != len(self.confidential):
            raise InputError('allocation="record" requires the records of the fit, with one synthetic record for each')
        weights = self.weights if self.specification.weighting == "component" else None
        return _mixture.responsibilities(self._transformed(), pi, mean, sigma, weights)

    def _transformed(self) -> FloatArray:
        return self._scale.g.value(self._response())

    def _log_jacobian(self) -> FloatArray:
        return self._scale.g.at(self._response())[1]

    def predictive_probability(self, draw: int, lower: FloatArray, upper: FloatArray, rows: Any) -> FloatArray:
        """Return the probability of each interval for the records in `rows`, (rows, t)."""
        ends = self._scale.ends
        low, high = (np.clip(self._scale.forward(np.asarray(v, dtype=np.float64)), *ends) for v in (lower, upper))
        pi, mean, sigma = self.components(draw, self.design.matrix)
        share = self._allocation(pi, mean, sigma)[rows]
        mean = mean[rows]
        inside = _mixture.interval_probability(low, high, share, mean, sigma)
        total = (share * mass_between(*ends, mean, sigma)).sum(axis=1, keepdims=True)
        return np.asarray(inside / np.maximum(total, 1e-300), dtype=np.float64)

    def log_likelihood(self) -> FloatArray:
        """Return the log mixture density of every record, including the Jacobian.

        Returns
        -------
        ndarray of shape (draws, n), float64
            The log-likelihood with z summed out and without the weights of the fit.

        Raises
        ------
        InputError
            If the density is unbounded at a value (0 under "sqrt" or "cube_root").
        """
        return self._log_density() + self._log_jacobian()

    def pseudo_log_likelihood(self) -> FloatArray:
        """Return the contribution of each record to the log pseudo posterior, (draws, n).

        The contribution is the weight times the log mixture density. With ``weighting="component"``, it is the log of
        the mixture of the component densities, each raised to the power of the weight.
        """
        if self.weights is None or self.specification.weighting == "mixture":
            return Fitted.pseudo_log_likelihood(self)
        return self._log_density(self.weights) + weighted(self._log_jacobian(), self.weights)

    def _log_mass(self) -> FloatArray | float:
        if self.specification.allocation != "predictive":
            raise InputError(
                'allocation="record": the synthetic values depend on the record, so they have no density here'
            )
        if self._scale.bounds is None:
            return 0.0
        parts = (self.components(draw, self.design.matrix) for draw in range(posterior_of(self).n_draws))
        mass = [mass_between(*self._scale.ends, mean, sigma) @ pi for pi, mean, sigma in parts]
        return self._scale.log_mass(mass, self._response())

    def _log_density(self, weights: FloatArray | None = None) -> FloatArray:
        """Return the log mixture of component densities with exponents `weights` (or 1)."""
        z, posterior = self._transformed(), posterior_of(self)
        out = np.empty((posterior.n_draws, z.size))
        weights = np.ones(z.size) if weights is None else weights.copy()  # numba has another type for read-only
        for draw in range(posterior.n_draws):
            out[draw] = _mixture.log_density(z, *self.components(draw, self.design.matrix), weights)
        return out

    def _diagnose(self) -> _mixture.MixtureDiagnostics:
        return _mixture.diagnose_invariants(posterior_of(self), self._log_density(), self._transformed())

    def occupied_classes(self) -> pd.DataFrame:
        """Return the share of the draws by number of occupied classes."""
        occupied = np.rint(posterior_of(self)["occupied"]).astype(int)
        share = pd.Series(occupied).value_counts(normalize=True).sort_index()
        return pd.DataFrame({"share of draws": share}).rename_axis("occupied classes")

    def summary(self) -> pd.DataFrame:
        """Return the posterior summary of quantities that do not depend on class numbers."""
        posterior = posterior_of(self)
        return _mixture.invariant_posterior(posterior).summary()


__all__ = ["FiniteMixture", "FittedFiniteMixture"]
