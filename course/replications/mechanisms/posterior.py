"""The mechanisms that draw from a posterior: weights tuned to an epsilon that is then achieved, and contributions that are clipped."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

import numpy as np
import pandas as pd

from replications.mechanisms.data import UNITS, Case, Made, dollars, limits
from replications.mechanisms.names import AGAIN, CLIPPED, ONE, WEIGHTED
from synthlab import _rng
from synthlab._typing import FloatArray
from synthlab._warnings import quiet
from synthlab.synthesizers import DirichletMultinomial, LogisticRegression, NormalRegression
from synthlab.synthesizers._posterior import INDEPENDENT
from synthlab.weights import (
    EpsilonResult,
    PseudoPosteriorMechanism,
    achieved_epsilon,
    lipschitz_weights,
    match_lipschitz_bound,
    reweighted,
)

QUANTILE, SHARE = 0.95, 0.95  # of the draws kept; k of the re-weighting
TOLERANCE, MOST_FITS = 0.02, 8
WIDEST = 20.0  # scale c at which all weights but those of the most sensitive records are 1


class Weighted:
    """A model of a file, fitted with record weights until an epsilon is achieved."""

    def __init__(self, one: Case, sampler: Mapping[str, Any], rng: np.random.Generator) -> None:
        self.one, self.sampler, self.n = one, sampler, len(one.frame)
        # A log-probability is at most 0, so that a record changes a table's log-likelihood in one direction only.
        # A density has no such limit. The clipped mechanism is charged in the same way.
        self.widths = 2 if one.measured else 1
        self.walk = _rng.integer_seed(rng)  # the same in every fit, or the noise of the draws moves the target
        self.plain = self.fit(None)
        self.log = self.plain.pseudo_log_likelihood()
        self.start = self._spent(self.plain).lipschitz_bound
        self.rhat = largest_rhat(self.plain)

    def fit(self, weights: FloatArray | None) -> Any:
        """Return the fit with these weights."""
        if self.one.measured:
            model = NormalRegression("value ~ 1", bounds=limits())
            units: Any = UNITS
            return model.fit_clipped(
                self.one.frame, bound=None, weights=weights, units=units, rng=self.walk, **self.sampler
            )
        draws = {name: self.sampler[name] for name in ("draws", "chains")}
        return DirichletMultinomial(list(self.one.variables)).fit(
            self.one.frame, weights=weights, rng=self.walk, **draws
        )

    def achieve(self, mechanism: str, epsilon: float) -> tuple[Any, EpsilonResult, float]:
        """Return the fit whose achieved epsilon is nearest to the one wanted, without the draws it may not use, and its R-hat."""
        made: dict[float, tuple[Any, EpsilonResult]] = {}

        def bound_of(weight: float) -> float:
            made[weight] = self._fitted(mechanism, weight)
            return made[weight][1].lipschitz_bound

        bound = epsilon / self.widths
        first = min(1.0, bound / self.start) / (1.0 if mechanism == ONE else 2.0)
        found = match_lipschitz_bound(bound_of, bound, start=first, tolerance=TOLERANCE, max_fits=MOST_FITS)
        fit, spent = made[found.weight]
        return fit.keep_draws(spent.kept), spent, largest_rhat(fit)

    def _fitted(self, mechanism: str, weight: float) -> tuple[Any, EpsilonResult]:
        if mechanism == ONE:
            alpha = np.full(self.n, weight)
        else:
            scale = weight * WIDEST
            alpha = np.asarray(lipschitz_weights(self.log, n=self.n, quantile=QUANTILE, scale=scale).weights)
        fit = self.fit(alpha)
        spent = self._spent(fit)
        if mechanism == AGAIN:
            fit = self.fit(reweighted(alpha, spent.sensitivity, share=SHARE))
            spent = self._spent(fit)
        return fit, spent

    def _spent(self, fit: Any) -> EpsilonResult:
        return achieved_epsilon(fit.pseudo_log_likelihood(), n=self.n, quantile=QUANTILE)


def largest_rhat(*fits: Any) -> float:
    """Return the largest R-hat of the parameters of fits; infinite where a chain never moved, NaN for independent draws."""
    found = [fit._diagnose() for fit in fits]
    chained = [one for one in found if one.method not in INDEPENDENT]
    worst = [np.nan_to_num(one.rhat, nan=np.inf).max() if one.parameters else np.inf for one in chained]
    return float(max(worst, default=np.nan))


def ordinary(model: Weighted, releases: int, rng: np.random.Generator) -> list[Made]:
    """Return datasets of the model fitted without weights."""
    return _generated(model.one, model.plain, releases, rng)


def weighted(
    model: Weighted, epsilon: float, releases: int, rng: np.random.Generator
) -> Iterator[tuple[str, float, float, list[Made]]]:
    """Yield the three mechanisms with weights, each with the epsilon it achieves, its R-hat, and several datasets."""
    for mechanism, stream in zip((ONE, WEIGHTED, AGAIN), _rng.spawn(rng, 3), strict=True):
        with quiet():
            fit, spent, rhat = model.achieve(mechanism, epsilon)
            made = _generated(model.one, fit, releases, stream)
        yield mechanism, model.widths * spent.lipschitz_bound, rhat, made


def clipped(
    one: Case, epsilon: float, sampler: Mapping[str, Any], releases: int, rng: np.random.Generator
) -> tuple[str, float, float, float, list[Made]]:
    """Return the mechanism that clips, its epsilon, the share of contributions that are clipped, its R-hat, and several datasets.

    A table is made one variable after the other, each given those before, at equal shares of epsilon.
    """
    first, second = _rng.spawn(rng, 2)
    with quiet():
        if one.measured:
            model = NormalRegression("value ~ 1", bounds=limits())
            found = PseudoPosteriorMechanism(synthesizer=model, clip=epsilon, units=UNITS)
            fitted = found.fit(one.frame, rng=first, **sampler)
            spent: Any = fitted.accounting
            made = _generated(one, fitted.fitted, releases, second)
            return CLIPPED, _strict(spent), float(spent.clipped.mean()), largest_rhat(fitted.fitted), made
        return _clipped_table(one, epsilon, sampler, releases, first, second)


def _clipped_table(
    one: Case,
    epsilon: float,
    sampler: Mapping[str, Any],
    releases: int,
    first: np.random.Generator,
    second: np.random.Generator,
) -> tuple[str, float, float, float, list[Made]]:
    share = epsilon / len(one.variables)
    numbers = one.frame.astype(np.float64).add_prefix(
        "x_"
    )  # numbers have no categories that would be read from the file
    frame = pd.concat([one.frame, numbers], axis=1)
    chance: FloatArray = np.ones((releases, 1))
    costs, shares, fits = [], [], []
    for place, (name, stream) in enumerate(zip(one.variables, _rng.spawn(first, len(one.variables)), strict=True)):
        before = [f"x_{earlier}" for earlier in one.variables[:place]]
        model = LogisticRegression(f"{name} ~ {' * '.join(before) or '1'}")
        # A logarithm of a probability is at most 0, and uses half of the interval.
        fitted = PseudoPosteriorMechanism(synthesizer=model, clip=2 * share).fit(frame, rng=stream, **sampler)
        spent: Any = fitted.accounting
        costs.append(_strict(spent))
        shares.append(float(spent.clipped.mean()))
        fits.append(fitted.fitted)
        posterior: Any = fitted.fitted.posterior
        chosen = second.choice(len(posterior["intercept"]), releases, replace=False)
        eta = posterior["intercept"][chosen, None] + posterior["slopes"][chosen] @ _terms(place).T
        yes = 1.0 / (1.0 + np.exp(-eta))
        chance = np.stack([chance * (1.0 - yes), chance * yes], axis=2).reshape(releases, -1)
    drawn = [second.multinomial(len(frame), row / row.sum()).astype(np.float64) for row in chance]
    return CLIPPED, sum(costs), float(np.mean(shares)), largest_rhat(*fits), [Made(row) for row in drawn]


def _terms(variables: int) -> FloatArray:
    """Return the terms of ``a * b * ...`` for every combination of so many yes-or-no variables, the last running fastest."""
    cells = np.array(np.unravel_index(np.arange(2**variables), (2,) * variables)).T if variables else np.zeros((1, 0))
    order = sorted(range(1, 2**variables), key=lambda subset: (subset.bit_count(), subset))
    columns = [cells[:, [v for v in range(variables) if subset >> v & 1]].all(axis=1) for subset in order]
    return np.array(columns, dtype=np.float64).T if columns else np.zeros((1, 0))


def _strict(spent: Any) -> float:
    if not spent.strict:
        raise AssertionError(f"not strict: {spent.reasons}")
    return float(spent.epsilon_per_draw)


def _generated(one: Case, fit: Any, releases: int, rng: np.random.Generator) -> list[Made]:
    frames = [pd.DataFrame({v: f[v] for v in one.variables}) for f in fit.generate(releases, rng)]
    if one.measured:
        return [Made(one.counts(f), dollars(f["value"].to_numpy(dtype=np.float64))) for f in frames]
    return [Made(one.counts(f)) for f in frames]
