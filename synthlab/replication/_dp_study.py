"""The mechanisms of Savitsky, Williams and Hu on one dataset: fitted, accounted for, released and measured.

Unweighted; DPweighted, the pseudo posterior mechanism at several (scale, shift); EMweighted, one weight for all at
the bound that DPweighted achieved; Countweighted, the marginal risk weights of Hu, Savitsky and Williams.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import pandas as pd

from synthlab import _rng
from synthlab._typing import FloatArray
from synthlab.exceptions import SynthlabWarning
from synthlab.release import Release
from synthlab.utility import barycenter, bootstrap_statistic, ecdf_utility
from synthlab.weights import (
    EpsilonResult,
    PseudoPosteriorMechanism,
    ScalarWeightMechanism,
    achieved_epsilon,
    risk_weights,
)

QUANTILE = 0.95
M = 20
MAIN = (1.0, 0.0)  # DPweighted in Figures 2 to 4; the paper's own setting there is not in the text we have
PUBLISHED = {(0.7, 0.0): 10.10, (0.6, 0.0): 8.16, (0.6, -0.1): 7.30, (0.5, 0.0): 6.09, (0.5, -0.1): 5.71}
SETTINGS = (MAIN, *PUBLISHED)
WORK = (
    ("Unweighted", MAIN),
    ("Countweighted", MAIN),
    *(("DP", s) for s in SETTINGS),
    ("DP maximum", MAIN),
    *(("EM", s) for s in SETTINGS),
)
# Weights on the density of a record's own component, to see why the mechanism wants them on that of the mixture.
COMPONENT_WORK = (("Unweighted", MAIN), *(("DP", s) for s in (MAIN, (0.7, 0.0), (0.5, -0.1))))
STATISTICS: Mapping[str, Any] = {"mean": "mean", "90 % quantile": 0.9}
PROBABILITIES = 201
Rows = list[dict[str, Any]]


@dataclass(frozen=True, slots=True, eq=False)
class Study:
    """One confidential dataset and how it is synthesized.

    Attributes
    ----------
    name : str
        Short name.
    frame : pandas.DataFrame
        What the synthesizer is fitted to; its column `modelled` gets synthetic values.
    confidential : pandas.DataFrame
        The variable of interest, column `column`, in its own unit, with the known variables.
    modelled, column : str
    back : callable
        From modelled values to the unit of `column`; applied to releases, so it costs nothing.
    synthesizer : Synthesizer
    sampler : mapping
        Options of its fit.
    question : mapping
        Known, synthesized and radius of the count weights.
    tolerance, max_fits : float, int
        How near the equal bound is, and after how many refits to stop.
    quantile : float
        Share of the draws kept.
    """

    name: str
    frame: pd.DataFrame
    confidential: pd.DataFrame
    modelled: str
    column: str
    back: Callable[[FloatArray], FloatArray]
    synthesizer: Any
    sampler: Mapping[str, Any]
    question: Mapping[str, Any]
    tolerance: float
    max_fits: int
    quantile: float = QUANTILE


@dataclass(frozen=True, slots=True, eq=False)
class Fit:
    """A fit that may be released from, with its accounting."""

    fitted: Any
    accounting: EpsilonResult
    weights: FloatArray
    chains: Any
    numbers: Mapping[str, float] = field(default_factory=dict)
    tried: FloatArray | None = None


def fit_plain(study: Study, seed: np.random.SeedSequence) -> Any:
    """Fit without weights."""
    with _quietly():
        return study.synthesizer.fit(study.frame, rng=_rng.as_generator(seed), **study.sampler)


def unweighted(study: Study, plain: Any) -> Fit:
    """Account for the posterior itself."""
    return _fit_of(study, plain, np.ones(len(study.frame)))


def countweighted(study: Study, seed: np.random.SeedSequence) -> Fit:
    """Fit with marginal risk weights, which promise nothing about epsilon."""
    with _quietly():
        weights = risk_weights(study.confidential, **study.question, order=1, progress=False)
        rng = _rng.as_generator(seed)
        fitted = study.synthesizer.fit(study.frame, weights=weights, rng=rng, **study.sampler)
    return _fit_of(study, fitted, weights)


def dp_weighted(
    study: Study,
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
    with _quietly():
        found = mechanism.fit(study.frame, rng=_rng.as_generator(seed), unweighted=plain, **study.sampler)
    return Fit(found.fitted, found.accounting, found.record_weights, found.chains)


def em_weighted(
    study: Study, plain: Any, bound: float, seed: np.random.SeedSequence, tried: FloatArray | None = None
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
    with _quietly():
        found = mechanism.fit(study.frame, rng=_rng.as_generator(seed), unweighted=plain, **study.sampler)
    table = found.tried.to_numpy()
    numbers = {"target": bound, "formula's weight": bound / found.weights.lipschitz_bound, "refits": float(len(table))}
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


def _fit_of(study: Study, fitted: Any, weights: FloatArray) -> Fit:
    with _quietly():
        spent = achieved_epsilon(fitted.pseudo_log_likelihood(), quantile=study.quantile)
        return Fit(fitted.keep_draws(spent.kept), spent, weights, fitted.diagnostics())


def fit_mechanism(
    study: Study,
    mechanism: str,
    setting: tuple[float, float],
    plain: Callable[[], Any],
    bound: float,
    tried: FloatArray | None,
    seed: np.random.SeedSequence,
) -> Fit:
    """Fit one of the mechanisms of `WORK`; `plain` returns the unweighted fit, `bound` and `tried` are for EM."""
    if mechanism == "Unweighted":
        return unweighted(study, plain())
    if mechanism == "Countweighted":
        return countweighted(study, seed)
    if mechanism == "EM":
        return em_weighted(study, plain(), bound, seed, tried)
    return dp_weighted(study, plain(), setting, seed, "maximum" if mechanism == "DP maximum" else "range")


def repeat(study: Study, seed: np.random.SeedSequence, resamples: int) -> tuple[pd.DataFrame, dict[str, FloatArray]]:
    """Fit, release and measure every mechanism once."""
    first, *seeds = seed.spawn(1 + 2 * len(WORK))
    plain = fit_plain(study, first)
    tables: list[pd.DataFrame] = []
    arrays: dict[str, FloatArray] = {}
    bounds: dict[tuple[float, float], float] = {}
    tried: FloatArray | None = None
    for number, (mechanism, setting) in enumerate(WORK):
        target = bounds.get(setting, np.nan)
        fit = fit_mechanism(study, mechanism, setting, lambda: plain, target, tried, seeds[2 * number])
        if mechanism == "DP":
            bounds[setting] = fit.accounting.lipschitz_bound
        if fit.tried is not None:
            tried = fit.tried if tried is None else np.vstack([tried, fit.tried])
        table, found = measure(study, fit, mechanism, setting, resamples, seeds[2 * number + 1])
        tables.append(table)
        arrays |= {f"{words(mechanism, setting)}|{name}": values for name, values in found.items()}
    return pd.concat(tables, ignore_index=True), arrays


def measure(
    study: Study,
    fit: Fit,
    mechanism: str,
    setting: tuple[float, float],
    resamples: int,
    seed: np.random.SeedSequence,
) -> tuple[pd.DataFrame, dict[str, FloatArray]]:
    """Release m datasets and measure them; return rows of numbers, and arrays for the figures."""
    scale, shift = setting
    rows: Rows = []

    def add(name: str, value: float) -> None:
        head = {"study": study.name, "mechanism": mechanism, "scale": scale, "shift": shift}
        rows.append({**head, "measure": name, "value": float(value)})

    spent = fit.accounting
    add("lipschitz_bound", spent.lipschitz_bound)
    add("lipschitz_bound, all draws", spent.draw_sensitivity.max())
    add("epsilon_per_draw", spent.epsilon_per_draw)
    add("median sensitivity", float(np.median(spent.sensitivity)))
    add("weight, mean", fit.weights.mean())
    add("weight 0, records", (fit.weights == 0).sum())
    # The bound again, where the weight raises the likelihood of the record.
    add("largest weight x |log-likelihood|", np.abs(fit.weights * fit.fitted.log_likelihood()).max())
    most = int(np.argmax(spent.sensitivity))
    add("value of the most sensitive record", study.confidential[study.column].iloc[most])
    for name, value in fit.numbers.items():
        add(name, value)
    rhat = fit.chains.rhat[~np.isnan(fit.chains.rhat)]
    add("R-hat, max", rhat.max() if rhat.size else np.nan)
    add("ESS, min", fit.chains.ess_bulk.min())
    release_rng, boot_rng = _rng.spawn(seed, 2)
    released = [
        study.back(np.asarray(f[study.modelled], dtype=np.float64)) for f in fit.fitted.generate(M, release_rng)
    ]
    release = Release([pd.DataFrame({study.column: values}) for values in released], [study.column])
    confidential = study.confidential[[study.column]].reset_index(drop=True)
    add("U_m", ecdf_utility(confidential, release, variables=[study.column]).ecdf_max.mean())
    arrays = {"sensitivity": np.asarray(spent.sensitivity), "weight": np.asarray(fit.weights)}
    if fit.tried is not None:
        arrays["tried"] = fit.tried
    for name, statistic in STATISTICS.items():
        boot = bootstrap_statistic(
            confidential, release, variable=study.column, statistic=statistic, resamples=resamples, rng=boot_rng
        )
        middle = barycenter(boot.confidential_draws, boot.draws, probabilities=PROBABILITIES)
        low, high = np.quantile(middle.barycenter, [0.025, 0.975])
        estimates = {
            "": boot.estimates.mean(),
            ", confidential": boot.confidential_estimate,
            ", error": boot.estimates.mean() - boot.confidential_estimate,
            ", sd between datasets": boot.estimates.std(ddof=1),
            ", error of one dataset": np.sqrt(np.mean((boot.estimates - boot.confidential_estimate) ** 2)),
            ", low": low,
            ", high": high,
            ", distance": middle.distance,
            ", confidential sd": boot.confidential_draws.std(ddof=1),
        }
        for part, value in estimates.items():
            add(name + part, value)
        arrays[f"barycenter {name}"] = np.asarray(middle.barycenter)
        arrays[f"confidential {name}"] = np.asarray(middle.confidential)
    return pd.DataFrame(rows), arrays


def words(mechanism: str, setting: tuple[float, float]) -> str:
    """Name a piece of work."""
    return f"{mechanism} ({setting[0]:g}, {setting[1]:g})" if mechanism in ("DP", "EM", "DP maximum") else mechanism


@contextmanager
def _quietly() -> Iterator[None]:
    """Silence the package's warnings: what a reader must know of convergence is in the table."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", SynthlabWarning)
        yield
