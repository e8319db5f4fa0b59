"""The mechanisms of Savitsky, Williams and Hu on one dataset: fitted, and accounted for.

Unweighted; DPweighted, the pseudo posterior mechanism at several (scale, shift); EMweighted, one weight for all at
the bound that DPweighted achieved; Countweighted, the marginal risk weights of Hu, Savitsky and Williams.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

from replications.dp.settings import LONGER, ORDERS, SHIFTED, Case
from synthlab import _rng
from synthlab._typing import FloatArray
from synthlab._warnings import quiet
from synthlab.weights import (
    EpsilonResult,
    PseudoPosteriorMechanism,
    ScalarWeightMechanism,
    achieved_epsilon,
    risk_weights,
)

STUCK_RHAT = 1.1
LONG = 4  # times the draws, of the chains that show what truncation does


@dataclass(frozen=True, slots=True, eq=False)
class Fit:
    """Fit from which datasets can be released, with its accounting."""

    fitted: Any
    accounting: EpsilonResult
    weights: FloatArray
    chains: Any
    numbers: Mapping[str, float] = field(default_factory=dict)
    tried: FloatArray | None = None


def fit_plain(study: Case, seed: np.random.SeedSequence) -> Any:
    """Fit without weights. If a chain is stuck, fit again with longer chains."""
    with quiet():
        fitted = study.synthesizer.fit(study.frame, rng=_rng.as_generator(seed), **study.sampler)
        if study.again and _stuck(fitted.diagnostics()):
            again = _rng.as_generator(seed.spawn(1)[0])
            fitted = study.synthesizer.fit(study.frame, rng=again, **_longer(study).sampler)
    return fitted


def _stuck(chains: Any) -> bool:
    """Return whether R-hat is far too large, or undefined because a chain never moved."""
    return not chains.rhat.size or bool((chains.rhat > STUCK_RHAT).any())


def _longer(study: Case, times: int = 2) -> Case:
    """Return the study with chains whose adaptation and sampling are at least twice as long."""
    more = {name: times * study.sampler[name] for name in ("draws", "tune") if name in study.sampler}
    return replace(study, sampler={**study.sampler, **more})


def unweighted(study: Case, plain: Any) -> Fit:
    """Return the unweighted fit with its accounting."""
    return _fit_of(study, plain, np.ones(len(study.frame)))


def countweighted(study: Case, seed: np.random.SeedSequence, order: int = 1) -> Fit:
    """Fit with risk weights of an order. These weights guarantee no epsilon."""
    with quiet():
        weights = risk_weights(study.confidential, study.intruder, order=order).weights
        rng = _rng.as_generator(seed)
        fitted = study.synthesizer.fit(study.frame, weights=weights, rng=rng, **study.sampler)
    return _fit_of(study, fitted, weights)


def dp_weighted(
    study: Case,
    plain: Any,
    setting: tuple[float, float],
    seed: np.random.SeedSequence,
    mapping: str = "range",
) -> Fit:
    """Fit the pseudo posterior mechanism at a (scale, shift)."""
    scale, shift = setting
    mechanism = PseudoPosteriorMechanism(
        synthesizer=study.synthesizer, scale=scale, shift=shift, quantile=study.quantile, mapping=mapping
    )
    with quiet():
        found = mechanism.fit(study.frame, rng=_rng.as_generator(seed), unweighted=plain, **study.sampler)
    return Fit(found.fitted, found.accounting, found.record_weights, found.chains)


def em_weighted(
    study: Case, plain: Any, bound: float, seed: np.random.SeedSequence, tried: FloatArray | None = None
) -> Fit:
    """Fit with one weight for all, at a bound.

    `tried`, shape (k, 2), are weights and bounds of earlier refits to start from; without them the first weight is
    that of the formula, and its bound is reported.
    """
    start = None if tried is None else _start(tried, bound)
    mechanism = ScalarWeightMechanism(
        synthesizer=study.synthesizer,
        lipschitz_bound=bound,
        quantile=study.quantile,
        tolerance=study.tolerance,
        max_fits=study.max_fits,
        start=start,
    )
    with quiet():
        found = mechanism.fit(study.frame, rng=_rng.as_generator(seed), unweighted=plain, **study.sampler)
    table = found.tried.to_numpy()
    formula = np.nan if found.weights is None else bound / found.weights.lipschitz_bound
    numbers = {"target": bound, "formula's weight": formula, "refits": float(len(table))}
    if start is None:
        numbers["bound of the formula's weight"] = float(table[0, 1])
    return Fit(found.fitted, found.accounting, found.record_weights, found.chains, numbers, table)


def _start(tried: FloatArray, bound: float) -> float:
    """Interpolate the weight on the logarithms; beyond the refits the bound is taken as proportional to the weight."""
    weight, reached = np.log(tried[np.argsort(tried[:, 1])]).T
    goal = np.log(bound)
    inside = float(np.interp(goal, reached, weight))
    beyond = goal - float(np.clip(goal, reached[0], reached[-1]))
    return float(np.exp(min(inside + beyond, 0.0)))


def _fit_of(study: Case, fitted: Any, weights: FloatArray) -> Fit:
    with quiet():
        spent = achieved_epsilon(fitted.pseudo_log_likelihood(), n=weights.size, quantile=study.quantile)
        return Fit(fitted.keep_draws(spent.kept), spent, weights, fitted.diagnostics())


def fit_mechanism(
    study: Case,
    mechanism: str,
    setting: tuple[float, float],
    plain: Callable[[], Any],
    bound: float,
    tried: FloatArray | None,
    seed: np.random.SeedSequence,
) -> Fit:
    """Fit one of the mechanisms of `WORK` and `VARIANTS`; once more and longer if a chain is stuck.

    `plain` returns the unweighted fit; `bound` and `tried` are for EM.
    """
    fit = _fit_once(study, mechanism, setting, plain, bound, tried, seed)
    if study.again and mechanism != "Unweighted" and _stuck(fit.chains):
        fit = _fit_once(_longer(study), mechanism, setting, plain, bound, tried, seed.spawn(1)[0])
    return fit


def _fit_once(
    study: Case,
    mechanism: str,
    setting: tuple[float, float],
    plain: Callable[[], Any],
    bound: float,
    tried: FloatArray | None,
    seed: np.random.SeedSequence,
) -> Fit:
    if mechanism == "Unweighted":
        return unweighted(study, plain())
    if mechanism in ORDERS:
        return countweighted(study, seed, ORDERS[mechanism])
    if mechanism == "EM":
        return em_weighted(study, plain(), bound, seed, tried)
    if mechanism == SHIFTED:
        setting = (setting[0], setting[0] * setting[1])  # c (x + g) = c x + c g
    if mechanism == LONGER:
        study = _longer(study, LONG)
    return dp_weighted(study, plain(), setting, seed, "maximum" if mechanism == "DP maximum" else "range")
