"""The income study of Hu, Savitsky and Williams on ce2017, simulated consumer units in the shape of the paper's.

One unit of work is one fitted synthesizer: two allocations of the synthetic records to components, each
with risk, utility and the exact expected IR. Units are independent, so an interrupted run goes on.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import pandas as pd

from synthlab import _rng
from synthlab._quiet import quiet
from synthlab._typing import FloatArray
from synthlab.intruder import Intruder
from synthlab.lab.replication.ce2017 import BOUNDS, KNOWN, SOMEONE
from synthlab.release import Release
from synthlab.risk import expected_identification_probability, identification_probability
from synthlab.synthesizers import FiniteMixture, Topcoding
from synthlab.synthesizers.base import posterior_of
from synthlab.utility import analysis_utility, bootstrap_statistic, ecdf_utility
from synthlab.weights import risk_weights

CROWDED = ("gender", "age", "region", "education", "marital")  # many patterns of one record
TOP_SHARE = 0.06
M = 20
ANALYSIS = "income ~ C(region) + C(urban) + C(earner)"
STATISTICS: Mapping[str, Any] = {"mean": "mean", "median": "median", "90 % quantile": 0.9}


@dataclass(frozen=True, slots=True)
class Case:
    """One fit.

    Attributes
    ----------
    name, words : str
        Short name, and what it is.
    weights : mapping or None
        Options of `risk_weights`; None: no weights.
    engine : {"gibbs", "nuts"}
        "gibbs": K = 10, component weighting; "nuts": K = 2, mixture weighting.
    intruder : Intruder
        Whose risk is measured.
    against : Intruder or None
        Whom the weights are against; None: the same.
    """

    name: str
    words: str
    weights: Mapping[str, Any] | None = None
    engine: str = "gibbs"
    quick: bool = False
    intruder: Intruder = SOMEONE
    against: Intruder | None = None


def cases(frame: pd.DataFrame) -> list[Case]:
    """Return the fits of the study."""
    crowded = replace(SOMEONE, known=CROWDED)
    absolute = replace(SOMEONE, radius={"income": quantile_radius(frame)}, radius_kind="absolute")
    return [
        Case("S", "Synthesizer: no weights", quick=True),
        Case("M", "Marginal: order 1", {"order": 1}, quick=True),
        Case("P", "Pairwise: order 2", {"order": 2}, quick=True),
        Case("3-way", "order 3", {"order": 3}),
        Case("4-way", "order 4", {"order": 4}),
        Case("M abs", "Marginal, radius the 10 % quantile of the gaps in a pattern", {"order": 1}, against=absolute),
        Case(
            "M formula",
            "Marginal, five known variables, singletons by the formula",
            {"singletons": "formula"},
            intruder=crowded,
        ),
        Case(
            "M certain",
            "Marginal, five known variables, singletons certain",
            {"singletons": "certain"},
            intruder=crowded,
        ),
        Case("S nuts", "Synthesizer: K = 2, mixture density", None, "nuts"),
        Case("M nuts", "Marginal: K = 2, mixture density", {"order": 1}, "nuts"),
        Case("P nuts", "Pairwise: K = 2, mixture density", {"order": 2}, "nuts"),
    ]


def quantile_radius(frame: pd.DataFrame, share: float = 0.1) -> float:
    """Return the absolute radius within which lies this share of the pairs of one pattern."""
    gaps = []
    for _, income in frame.groupby(list(KNOWN), observed=True)["income"]:
        values = income.to_numpy(dtype=np.float64)
        gaps.append(np.abs(values[:, None] - values[None, :])[np.triu_indices(values.size, 1)])
    return float(np.quantile(np.concatenate(gaps), share))


def run_case(
    case: Case,
    frame: pd.DataFrame,
    seed: int,
    sampler: Mapping[str, Any],
    resamples: int,
    draws: int,
    longer: bool = False,
) -> tuple[pd.DataFrame, dict[str, FloatArray]]:
    """Fit, generate, measure; return one row a number, and arrays of one value a record.

    With `longer`, chains that have not converged by the usual diagnostics are run again, four times as long.
    """
    predictors = " + ".join(c for c in frame.columns if c != "income")
    nuts = case.engine == "nuts"
    spec = FiniteMixture(
        f"income ~ {predictors}",
        classes=2 if nuts else 10,
        weighting="mixture" if nuts else "component",
        # With asinh the second of two components is a few dozen losses and zeros, on which NUTS hardly moves.
        transform="cube_root" if nuts else "asinh",
        bounds=BOUNDS,
    )
    arrays: dict[str, FloatArray] = {}
    rows: list[dict[str, Any]] = []

    def add(allocation: str, measure: str, value: float) -> None:
        rows.append({"case": case.name, "allocation": allocation, "measure": measure, "value": float(value)})

    with quiet():
        # What a reader must know of convergence and of singletons is in the table.
        weights = None
        if case.weights is not None:
            weights = risk_weights(frame, case.against or case.intruder, **case.weights).weights
            arrays["weight"] = weights
            add("", "weight, mean", weights.mean())
        fit_rng, *streams = _rng.spawn(np.random.SeedSequence([seed, *map(ord, case.name)]), 5)
        options = {k: v for k, v in sampler.items() if not (nuts and k == "thin")}
        fitted = spec.fit(frame, weights=weights, rng=fit_rng, **options)
        diagnostics = fitted.diagnostics()
        if longer and not nuts and not diagnostics.ok:
            fitted = spec.fit(frame, weights=weights, rng=fit_rng, **_longer(options))
            diagnostics = fitted.diagnostics()
    worst = diagnostics.summary().iloc[0]  # NaN where the chains never moved
    add("", "R-hat, max", worst["max_rhat"])
    add("", "ESS, min", worst["min_ess_bulk"])
    add("", "divergences", diagnostics.divergences)
    add("", "occupied, mean", posterior_of(fitted)["occupied"].mean())
    for allocation, stream in zip(("predictive", "record"), streams, strict=False):
        one = replace(fitted, specification=replace(spec, allocation=allocation))
        release_rng, again_rng, boot_rng = stream.spawn(3)
        release = one.generate(M, release_rng)
        arrays[f"IR {allocation}"] = measure(
            add, allocation, frame, release, case.intruder, resamples, boot_rng, risk_intruder=SOMEONE
        )
        if case.name == "S":
            with quiet():
                again = identification_probability(frame, one.generate(M, again_rng), SOMEONE)
            arrays[f"IR again {allocation}"] = np.asarray(again.record)
        if case.engine == "gibbs" and case.intruder is SOMEONE:
            exact = expected_identification_probability(frame, one, SOMEONE, draws=draws)
            arrays[f"expected IR {allocation}"] = exact
            add(allocation, "expected IR, mean", exact.mean())
    return pd.DataFrame(rows), arrays


def _longer(options: Mapping[str, Any]) -> dict[str, Any]:
    """Return options for chains four times as long, with as many draws kept."""
    return {**options, "tune": 4 * options["tune"], "thin": 4 * options["thin"]}


def run_topcoding(frame: pd.DataFrame, seed: int, resamples: int) -> tuple[pd.DataFrame, dict[str, FloatArray]]:
    """Measure the topcoded data, and the confidential data themselves."""
    rows: list[dict[str, Any]] = []
    arrays: dict[str, FloatArray] = {}
    coded = Topcoding("income", top_share=TOP_SHARE).fit(frame).generate(m=1)
    for name, release in (("D", Release([frame], ["income"])), ("T", coded)):

        def add(allocation: str, measure: str, value: float, name: str = name) -> None:
            rows.append({"case": name, "allocation": allocation, "measure": measure, "value": float(value)})

        rng = _rng.as_generator(np.random.SeedSequence([seed, ord(name)]))
        arrays[f"IR {name}"] = measure(add, "", frame, release, SOMEONE, resamples, rng, risk_intruder=SOMEONE)
        add("", "values at the cut, share", float((frame["income"] > release[0]["income"].max()).mean()))
    arrays["topcoded"] = coded[0]["income"].to_numpy(dtype=np.float64)
    return pd.DataFrame(rows), arrays


def measure(
    add: Any,
    allocation: str,
    frame: pd.DataFrame,
    release: Release,
    intruder: Intruder,
    resamples: int,
    rng: np.random.Generator,
    *,
    risk_intruder: Intruder,
) -> FloatArray:
    """Add risk and utility of a release; return IR of each record."""
    with quiet():
        ir = identification_probability(frame, release, risk_intruder)
        if intruder is not risk_intruder:
            finer = identification_probability(frame, release, intruder)
            alone = finer.singleton
            add(allocation, "singletons", alone.sum())
            add(allocation, "singletons found within the radius, share", finer.contains_true[alone].mean())
            add(allocation, "others found within the radius, share", finer.contains_true[~alone].mean())
    low, high = np.quantile(ir.record, [0.25, 0.75])
    distance = ecdf_utility(frame, release, variables=["income"]).summary().loc["income"]
    for name, value in {
        "IR, mean": ir.record.mean(),
        "IR, IQR": high - low,
        "IR, max": ir.record.max(),
        "IR above 0.5, records": (ir.record > 0.5).sum(),
        "U_m": distance["ecdf_max"],
        "U_a": distance["ecdf_mean_square"],
        "largest income": max(float(f["income"].max()) for f in release),
    }.items():
        add(allocation, name, value)
    for name, statistic in STATISTICS.items():
        boot = bootstrap_statistic(frame, release, variable="income", statistic=statistic, resamples=resamples, rng=rng)
        for part, value in zip(("", ", low", ", high"), (boot.mean, *boot.interval), strict=True):
            add(allocation, name + part, value)
    _earner(add, allocation, frame, release)
    return np.asarray(ir.record)


def _earner(add: Any, allocation: str, frame: pd.DataFrame, release: Release) -> None:
    """Add the coefficient of "the reference person is no earner", combined over the datasets."""
    # One dataset has no spread between datasets: its own interval stands, as for the confidential data.
    single = release.m == 1
    found = analysis_utility(release[0] if single else frame, [release[0]] * 2 if single else release, formula=ANALYSIS)
    row = found.summary().loc["C(earner)[T.2]"]
    names = ("confidential", "confidential_lower", "confidential_upper") if single else ("q_bar", "lower", "upper")
    for part, column in zip(("", ", low", ", high"), names, strict=True):
        add(allocation, "earner" + part, row[column])
