"""Fit, release and measurement of one dataset under every mechanism."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any, TypeAlias

import numpy as np
import pandas as pd

from replications.dp.fits import Fit, fit_mechanism, fit_plain
from replications.dp.scalar_weight import apart
from replications.dp.settings import RECORD, STATISTICS, VARIANTS, WORK, Case, M, words
from synthlab import _rng
from synthlab._typing import FloatArray
from synthlab.release import Release
from synthlab.utility import barycenter, bootstrap_statistic, ecdf_utility

PROBABILITIES = 201
ALL = WORK + VARIANTS
Work: TypeAlias = Sequence[tuple[str, tuple[float, float]]]


def repeat(
    study: Case, seed: np.random.SeedSequence, resamples: int, work: Work = WORK
) -> tuple[pd.DataFrame, dict[str, FloatArray]]:
    """Fit, release and measure every mechanism once."""
    first, *seeds = seed.spawn(1 + 2 * len(ALL))
    plain = fit_plain(study, first)
    tables: list[pd.DataFrame] = []
    arrays: dict[str, FloatArray] = {}
    bounds: dict[tuple[float, float], float] = {}
    tried: FloatArray | None = None
    for mechanism, setting in work:
        number = ALL.index((mechanism, setting))
        target = bounds.get(setting, np.nan)
        fit = fit_mechanism(study, mechanism, setting, lambda: plain, target, tried, seeds[2 * number])
        if mechanism == "DP":
            bounds[setting] = fit.accounting.lipschitz_bound
        if fit.tried is not None:
            tried = fit.tried if tried is None else np.vstack([tried, fit.tried])
        table, found = measure(study, fit, mechanism, setting, resamples, seeds[2 * number + 1])
        tables.append(table)
        arrays |= {f"{words(mechanism, setting)}|{name}": values for name, values in found.items()}
        if getattr(study.synthesizer, "classes", 1) > 1:
            published, other = as_published(study, fit)
            table, found = measure(published, other, mechanism, setting, resamples, seeds[2 * number + 1])
            tables.append(table)
            arrays |= {f"{RECORD}{words(mechanism, setting)}|{name}": values for name, values in found.items()}
    return pd.concat(tables, ignore_index=True), arrays


def as_published(study: Case, fit: Fit) -> tuple[Case, Fit]:
    """Return the same fit, with the component of a synthetic record drawn given its own confidential value.

    So the paper's appendix says. Such a release is no function of the parameters alone: it is not private.
    """
    specification = replace(fit.fitted.specification, allocation="record")
    fitted = replace(fit.fitted, specification=specification)
    return replace(study, name=study.name + RECORD), replace(fit, fitted=fitted)


def measure(
    study: Case,
    fit: Fit,
    mechanism: str,
    setting: tuple[float, float],
    resamples: int,
    seed: np.random.SeedSequence,
) -> tuple[pd.DataFrame, dict[str, FloatArray]]:
    """Release m datasets and measure them; return rows of numbers, and arrays for the figures."""
    scale, shift = setting
    rows: list[dict[str, Any]] = []

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
    apart_by = apart(fit.fitted.posterior) if getattr(study.synthesizer, "classes", 1) > 1 else {}
    for name, value in {**fit.numbers, **apart_by}.items():
        add(name, value)
    # A chain that never moved has neither.
    rhat, ess = fit.chains.rhat[~np.isnan(fit.chains.rhat)], fit.chains.ess_bulk
    add("R-hat, max", rhat.max() if rhat.size else np.nan)
    add("ESS, min", ess.min() if ess.size else np.nan)
    release_rng, boot_rng = _rng.spawn(seed, 2)
    drawn = [study.back(np.asarray(f[study.modelled], dtype=np.float64)) for f in fit.fitted.generate(M, release_rng)]
    released = [np.concatenate([values, study.rest]) for values in drawn]
    release = Release([pd.DataFrame({study.column: values}) for values in released], [study.column])
    whole = np.concatenate([study.confidential[study.column].to_numpy(dtype=np.float64), study.rest])
    confidential = pd.DataFrame({study.column: whole})
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
