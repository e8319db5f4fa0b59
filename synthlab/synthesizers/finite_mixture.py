"""Finite mixture of normal regressions: the income synthesizer of Hu, Savitsky and Williams."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import pandas as pd

from synthlab import _checks, _rng
from synthlab._formula import check_formula
from synthlab._typing import FloatArray, RngLike
from synthlab.exceptions import InputError
from synthlab.synthesizers import _gibbs_mixture, _mixture, _nuts_mixture
from synthlab.synthesizers._design import Design, make_design, numeric_response
from synthlab.synthesizers._posterior import Posterior
from synthlab.synthesizers._pymc import SamplerOptions, sampler_options
from synthlab.synthesizers._transforms import get_transform, outside
from synthlab.synthesizers.base import Fitted, check_fit, posterior_of, weighted
from synthlab.synthesizers.normal_regression import as_continuous, check_bounds, check_within

GIBBS_DEFAULTS: Mapping[str, Any] = {"tune": 1000, "thin": 4}


@dataclass(frozen=True)
class FiniteMixture:
    r"""Synthesizer of one numeric variable: g(y) follows one of K linear regressions, which one is not known.

    .. math:: g(y_i) \mid z_i = k \sim N(x_i' \beta_k, \sigma_k), \qquad \Pr(z_i = k) = \pi_k,

    with :math:`\pi \sim` Dirichlet(a/K, ..., a/K), so that with large K most components stay empty;
    :math:`\beta_k \sim N(0, D \Omega D)`, :math:`\Omega` uniform over the correlation matrices (LKJ(1)),
    :math:`D = diag(s)`, :math:`s_j \sim` half-t(3, 0, 1), and :math:`\sigma_k \sim` half-t(3, 0, 1). The priors are
    for g(y) in units of its standard deviation, predictors that are 0 or 1 as they are, the others standardised.

    Record weights give one of two different pseudo posteriors:

    - ``weighting="component"``: the weight raises the density of the record's own component, z being a parameter:
      :math:`\prod_i \sum_k \pi_k N(y_i \mid k)^{\alpha_i}`;
    - ``weighting="mixture"``: it raises the density of the mixture:
      :math:`\prod_i (\sum_k \pi_k N(y_i \mid k))^{\alpha_i}`.

    Without weights they are the same.

    Parameters
    ----------
    formula : str
        ``"response ~ predictors"``, as for `NormalRegression`.
    K : int >= 1
        Number of components; over-determined with "gibbs", small (2 or 3) with "nuts".
    weighting : {"component", "mixture"}
        What the record weight raises.
    transform : {None, "log", "log1p", "asinh", "sqrt", "cube_root"}
        g.
    engine : {None, "gibbs", "nuts"}
        "gibbs": data augmentation with exact conditional draws, for any K, ``weighting="component"`` only;
        "nuts": PyMC with z summed out, either weighting. None: "gibbs" where it can, else "nuts".
    concentration : float > 0
        a of the Dirichlet prior.
    correlated : bool or None
        Whether Omega is a parameter, or the identity. None: a parameter with "gibbs"; the identity with "nuts",
        which becomes slow with hundreds of correlations.
    allocation : {"predictive", "record"}
        How a synthetic record gets its component: from pi, the posterior predictive distribution; or as the
        authors write in their paper of 2022, from the probabilities given the record's own confidential value,
        which keeps more of that value.
    bounds : tuple of (float or None, float or None), optional
        Lowest and highest synthetic value: the predictive distribution is truncated to this interval (not the
        likelihood). Confidential values must lie within. On a logarithmic scale a component of a few records, or of
        none, now and then asks for an income of 10^9; bounds that are public knowledge keep it out.

    Raises
    ------
    InputError
        If an argument is none of the values allowed, or ``engine="gibbs"`` is asked for with ``weighting="mixture"``.

    Examples
    --------
    >>> import numpy as np, pandas as pd
    >>> import synthlab as sl
    >>> rng = np.random.default_rng(1)
    >>> x = rng.normal(size=300)
    >>> y = np.where(rng.random(300) < 0.6, 1 + x, 6 - x) + rng.normal(0, 0.3, 300)
    >>> survey = pd.DataFrame({"x": x, "y": y})
    >>> fitted = sl.FiniteMixture("y ~ x", K=3).fit(survey, rng=1)
    >>> int(fitted.clusters()["share of draws"].idxmax())
    2
    >>> fitted.generate(m=3, rng=2).m
    3
    """

    formula: str
    K: int = 10
    weighting: str = "component"
    transform: str | None = None
    engine: str | None = None
    concentration: float = 1.0
    correlated: bool | None = None
    allocation: str = "predictive"
    bounds: tuple[float | None, float | None] | None = None

    def __post_init__(self) -> None:
        check_formula(self.formula)
        _checks.check_count(self.K, "K")
        _checks.check_choice(self.weighting, "weighting", ("component", "mixture"))
        get_transform(self.transform)
        _checks.check_choice(self.engine, "engine", (None, "gibbs", "nuts"))
        _checks.check_number(self.concentration, "concentration", low=0.0, open_low=True)
        _checks.check_choice(self.correlated, "correlated", (None, True, False))
        _checks.check_choice(self.allocation, "allocation", ("predictive", "record"))
        if self.bounds is not None:
            check_bounds(self.bounds)
        if self.engine == "gibbs" and self.weighting == "mixture":
            raise InputError(
                'engine="gibbs": the mixture density to the power of a weight has no data augmentation; '
                'use engine="nuts", or weighting="component"'
            )

    @property
    def engine_used(self) -> str:
        """The engine of a fit."""
        return self.engine or ("gibbs" if self.weighting == "component" else "nuts")

    def fit(
        self, confidential: pd.DataFrame, *, weights: object = None, rng: RngLike = None, **sampler: Any
    ) -> FittedFiniteMixture:
        """Sample the (pseudo) posterior.

        Parameters
        ----------
        confidential : pandas.DataFrame, n rows
            The data as collected, with the variables of the formula.
        weights : array_like of shape (n,), optional
            Record weights >= 0, which raise what `weighting` says to their power; for example from `risk_weights`.
        rng : seed or Generator, optional
            The same seed gives the same draws.
        **sampler
            draws=1000 kept in each chain, tune, chains=2, progress=False; for "gibbs" also thin=4 (iterations a
            kept draw) with tune=1000; for "nuts" target_accept=0.9, sampler="nutpie" with tune=500.

        Returns
        -------
        FittedFiniteMixture
            ``posterior["pi"]``, ``["intercept"]`` and ``["sigma"]`` (draws, K), ``["slopes"]`` (draws, K, p).

        Raises
        ------
        InputError
            For a formula, response, weights or option that cannot be used; the message names it.
        MissingValueError
            If a variable of the formula has missing values.

        Warns
        -----
        ConvergenceWarning
            If R-hat of the log-likelihood, of a predictive density or of the number of occupied components is
            above 1.05, or the chains hardly moved. Components have no fixed order, so R-hat of a coefficient
            would mean nothing.

        Notes
        -----
        n = 6,208 and 36 columns: 2 x 5,000 iterations of Gibbs take about 20 s on 2 cores.
        """
        frame, weights_ = check_fit(confidential, weights)
        design = make_design(self.formula, frame)
        response = design.formula.response
        y = numeric_response(frame, response)
        g = get_transform(self.transform)
        g.check(y, response)
        if self.bounds is not None:
            check_within(y, self.bounds, response)
        units = _mixture.Units.of(design.matrix, g.forward(y), weights_, response)
        w = np.ones(y.size) if weights_ is None else weights_
        if self.engine_used == "gibbs":
            options, thin = _gibbs_options(sampler)
            streams = _rng.spawn(rng, options.chains)
            rows = _gibbs_mixture.Rows.of(units.matrix)
            correlated = self.correlated is not False
            draws = _gibbs_mixture.sample_mixture(
                rows, units.y, w, self.K, float(self.concentration), correlated, options, thin, streams
            )
            divergences, method = 0, "gibbs"
        else:
            draws, divergences = _nuts_mixture.sample_mixture(self, units, w, sampler_options(sampler), rng)
            method = "nuts"
        values = units.raw(draws)
        fitted = FittedFiniteMixture(
            self, frame, weights_, (response,), Posterior(values, {"slopes": ()}, divergences, method), design
        )
        fitted.diagnostics()
        return fitted


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class FittedFiniteMixture(Fitted):
    """A fitted `FiniteMixture`.

    ``posterior["pi"]`` (draws, K), ``posterior["intercept"]`` (draws, K), ``posterior["slopes"]`` (draws, K, p) and
    ``posterior["sigma"]`` (draws, K) are for predictors in their own units, on the scale of the transformed
    response. The numbering of the components changes from draw to draw.
    """

    design: Design = field(repr=False)

    @property
    def row_by_row(self) -> bool:
        """Whether a record can be drawn without its confidential values."""
        return self.specification.allocation == "predictive"

    def components(self, draw: int, matrix: FloatArray) -> tuple[FloatArray, FloatArray, FloatArray]:
        """Return (pi, means, sigma) of one draw, of shapes (K,), (n, K), (K,)."""
        posterior = posterior_of(self)
        mean = posterior["intercept"][draw] + matrix @ posterior["slopes"][draw].T
        return posterior["pi"][draw], mean, posterior["sigma"][draw]

    def draw(self, frame: pd.DataFrame, draw: int, rng: np.random.Generator) -> dict[str, pd.Series]:
        """Return synthetic values for the records of `frame`, from one posterior draw."""
        matrix = self.design.matrix if frame is self.confidential else self.design.apply(frame)
        pi, mean, sigma = self.components(draw, matrix)
        low, high = self._ends()
        mass = _mixture.mass_between(low, high, mean, sigma)
        share = _mixture.shares(self._allocation(pi, mean, sigma) * mass)
        chosen = np.minimum((np.cumsum(share, axis=1) < rng.random((len(frame), 1))).sum(axis=1), pi.size - 1)
        row = np.arange(len(frame))
        values = _mixture.draw_between(low, high, mean[row, chosen], sigma[chosen], rng)
        with np.errstate(over="ignore"):
            values = get_transform(self.specification.transform).inverse(values)
        limit = np.finfo(np.float64).max
        least, most = self.specification.bounds or (None, None)
        values = np.clip(values, -limit if least is None else least, limit if most is None else most)
        column = self.synthesized[0]
        return {column: as_continuous(values, self.confidential[column], frame.index)}

    def _ends(self) -> tuple[float, float]:
        """Return the bounds on the scale of g(y)."""
        g = get_transform(self.specification.transform)
        low, high = self.specification.bounds or (None, None)
        found = np.array([-np.inf if low is None else low, np.inf if high is None else high])
        ends = _mixture.forward_or_infinite(g, found)
        return float(ends[0]), float(ends[1])

    def _allocation(self, pi: FloatArray, mean: FloatArray, sigma: FloatArray) -> FloatArray:
        """Return the probability of each component for each record, shape (n, K)."""
        if self.specification.allocation == "predictive":
            return np.broadcast_to(pi, mean.shape)
        if len(mean) != len(self.confidential):
            raise InputError('allocation="record" needs the records of the fit, one synthetic record each')
        power = self.weights if self.specification.weighting == "component" else None
        return _mixture.responsibilities(self._transformed(), pi, mean, sigma, power)

    def _transformed(self) -> FloatArray:
        return self._transform()[0]

    def _transform(self) -> tuple[FloatArray, FloatArray]:
        y = _checks.as_float(self.confidential[self.synthesized[0]])
        return get_transform(self.specification.transform).at(y)

    def predictive_probability(self, draw: int, lower: FloatArray, upper: FloatArray, rows: Any) -> FloatArray:
        """Return Pr(lower_t <= y*_h <= upper_t | theta_draw) for records h in `rows`, shape (rows, t)."""
        g = get_transform(self.specification.transform)
        low = _mixture.forward_or_infinite(g, np.asarray(lower, dtype=np.float64))
        high = _mixture.forward_or_infinite(g, np.asarray(upper, dtype=np.float64))
        pi, mean, sigma = self.components(draw, self.design.matrix)
        share = self._allocation(pi, mean, sigma)[rows]
        mean, ends = mean[rows], self._ends()
        inside = _mixture.interval_probability(np.clip(low, *ends), np.clip(high, *ends), share, mean, sigma)
        total = (share * _mixture.mass_between(*ends, mean, sigma)).sum(axis=1, keepdims=True)
        return inside / np.maximum(total, 1e-300)

    def log_likelihood(self) -> FloatArray:
        """Return the log of the mixture density of every record under every draw, Jacobian included.

        Returns
        -------
        ndarray of shape (draws, n), float64
            Unweighted, with z summed out, whatever the weights of the fit.

        Raises
        ------
        InputError
            If the density is unbounded at a value (0 under "sqrt" or "cube_root").
        """
        return self._log_density() + self._log_jacobian()

    def pseudo_log_likelihood(self) -> FloatArray:
        """Return what each record adds to the log of the pseudo posterior, shape (draws, n).

        The weight times the log of the mixture density, or with ``weighting="component"`` the log of the mixture of
        the component densities, each to the power of the weight.
        """
        if self.weights is None or self.specification.weighting == "mixture":
            return Fitted.pseudo_log_likelihood(self)
        return self._log_density(self.weights) + weighted(self._log_jacobian(), self.weights)

    def _log_mass(self) -> FloatArray | float:
        if self.specification.allocation != "predictive":
            raise InputError(
                'allocation="record": the synthetic values depend on the record, so they have no density here'
            )
        if self.specification.bounds is None:
            return 0.0
        parts = (self.components(draw, self.design.matrix) for draw in range(posterior_of(self).n_draws))
        mass = np.log([_mixture.mass_between(*self._ends(), mean, sigma) @ pi for pi, mean, sigma in parts])
        y = _checks.as_float(self.confidential[self.synthesized[0]])
        return np.where(outside(self.specification.bounds, y), np.inf, mass)

    def _log_jacobian(self) -> FloatArray:
        return self._transform()[1]

    def _log_density(self, power: FloatArray | None = None) -> FloatArray:
        """Return the log of the mixture of the component densities to a power; None: 1."""
        z, posterior = self._transformed(), posterior_of(self)
        out = np.empty((posterior.n_draws, z.size))
        power = np.ones(z.size) if power is None else power
        for draw in range(posterior.n_draws):
            out[draw] = _mixture.log_density(z, *self.components(draw, self.design.matrix), power)
        return out

    def _diagnose(self) -> _mixture.MixtureDiagnostics:
        return _mixture.diagnose_invariants(posterior_of(self), self._log_density(), self._transformed())

    def clusters(self) -> pd.DataFrame:
        """Return how many components hold records: the share of the draws by number of occupied components."""
        occupied = np.rint(posterior_of(self)["occupied"]).astype(int)
        share = pd.Series(occupied).value_counts(normalize=True).sort_index()
        return pd.DataFrame({"share of draws": share}).rename_axis("occupied components")

    def summary(self) -> pd.DataFrame:
        """Posterior mean, sd and 95 % interval of what does not depend on the numbering of the components."""
        posterior = posterior_of(self)
        return _mixture.invariant_posterior(posterior).summary()


def _gibbs_options(sampler: Mapping[str, Any]) -> tuple[SamplerOptions, int]:
    given = {**GIBBS_DEFAULTS, **sampler}
    thin = _checks.check_count(given.pop("thin"), "thin")
    for name in ("target_accept", "sampler"):
        if name in given:
            raise InputError(f'fit got the option {name!r}, which engine="gibbs" does not have')
    return sampler_options(given), thin


__all__ = ["FiniteMixture", "FittedFiniteMixture"]
