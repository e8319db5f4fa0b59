"""The income study of Hu, Savitsky and Williams on ce2017, simulated consumer units in the shape of the paper's.

A fit is one unit of work, and what is released from it another: two allocations of the synthetic records to classes,
the one the authors describe ("record") drawn many times over, each with risk and utility, and the exact expected IR.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import pandas as pd

from replications.ce2017 import BOUNDS, KNOWN, SOMEONE
from replications.checkpoints import Piece
from replications.risk_weighted.measures import measure
from synthlab import _rng
from synthlab._typing import BoolArray, FloatArray
from synthlab._warnings import quiet
from synthlab.intruder import Intruder
from synthlab.release import Release
from synthlab.risk import expected_identification_probability, identification_probability
from synthlab.synthesizers import FiniteMixture, Topcoding
from synthlab.synthesizers._design import make_design
from synthlab.synthesizers._posterior import Posterior
from synthlab.synthesizers.base import posterior_of
from synthlab.synthesizers.finite_mixture import FittedFiniteMixture
from synthlab.synthesizers.regression import Data
from synthlab.weights import risk_weights

CROWDED = ("gender", "age", "region", "education", "marital")  # many patterns of one record
TOP_SHARE = 0.06
M = 20
ALLOCATIONS = ("predictive", "record")  # in the order of their random numbers
MODELS: Mapping[str, Mapping[str, Any]] = {
    "main": {"classes": 10, "transform": "asinh", "bounds": BOUNDS},
    "log": {"classes": 10, "transform": "log"},
    "raw": {"classes": 10, "transform": "log", "prior_units": "raw"},
    # With asinh the second of two classes is a few dozen losses and zeros, on which NUTS hardly moves.
    "nuts": {"classes": 2, "transform": "cube_root", "bounds": BOUNDS, "weighting": "mixture"},
    "nuts 10": {"classes": 10, "transform": "log", "weighting": "mixture"},
}


@dataclass(frozen=True, slots=True)
class Case:
    """One fit.

    Attributes
    ----------
    name, words : str
        Short name, and what it is, or why it was tried.
    weights : mapping or None
        Options of `risk_weights`; None: no weights.
    model : str
        A key of `MODELS`; where it takes the logarithm, losses and zeros are left as they are.
    main : bool
        Whether it is of the main study: released many times, and in a quick run too.
    longer : int
        By how much chains are longer than those of the others.
    share : int
        The fit is to one in so many of the consumer units.
    intruder : Intruder
        Whose risk is measured.
    against : Intruder or None
        Whom the weights are against; None: the same.
    """

    name: str
    words: str
    weights: Mapping[str, Any] | None = None
    model: str = "main"
    main: bool = False
    longer: int = 1
    share: int = 1
    intruder: Intruder = SOMEONE
    against: Intruder | None = None

    @property
    def nuts(self) -> bool:
        """True where NUTS samples it."""
        return "weighting" in MODELS[self.model]

    def drawn(self, frame: pd.DataFrame) -> BoolArray:
        """Return which records are synthesized, shape (n,)."""
        income = frame["income"].to_numpy(dtype=np.float64)
        return np.asarray(income > 0) if MODELS[self.model]["transform"] == "log" else np.ones(income.size, dtype=bool)

    def synthesizer(self, frame: pd.DataFrame) -> FiniteMixture:
        """Return what is fitted."""
        predictors = " + ".join(c for c in frame.columns if c != "income")
        return FiniteMixture(f"income ~ {predictors}", **MODELS[self.model])


def cases(frame: pd.DataFrame) -> list[Case]:
    """Return the fits of the study."""
    crowded = replace(SOMEONE, known=CROWDED)
    absolute = replace(SOMEONE, radius={"income": quantile_radius(frame)}, radius_kind="absolute")
    one, two = {"order": 1}, {"order": 2}
    log = "the paper takes the logarithm of income and names no truncation; losses and zeros are kept as they are"
    raw = "the paper names its priors, and no standardisation: priors on log income itself"
    nuts = "Stan has no class of a record, so weights multiply the log of the mixture; two classes"
    return [
        Case("S", "Synthesizer: no weights", main=True),
        Case("M", "Marginal: order 1", one, main=True, longer=8),
        Case("P", "Pairwise: order 2", two, main=True),
        Case("3-way", "order 3", {"order": 3}),
        Case("4-way", "order 4", {"order": 4}),
        Case("M abs", "radius the 10 % quantile of the gaps in a pattern", one, against=absolute),
        Case("M formula", "five known variables, singletons by the formula", {"singletons": "formula"}, intruder=crowded),
        Case("M certain", "five known variables, singletons certain", {"singletons": "certain"}, intruder=crowded),
        *(Case(f"{name} log", log, weights, "log") for name, weights in (("S", None), ("M", one), ("P", two))),
        *(Case(f"{name} raw", raw, weights, "raw") for name, weights in (("S", None), ("M", one))),
        *(Case(f"{name} nuts", nuts, weights, "nuts") for name, weights in (("S", None), ("M", one), ("P", two))),
        Case("M nuts 10", "the same with ten classes, on log income; one unit in four", one, "nuts 10", share=4),
    ]  # fmt: skip


def quantile_radius(frame: pd.DataFrame, share: float = 0.1) -> float:
    """Return the absolute radius within which lies this share of the pairs of one pattern."""
    gaps = []
    for _, income in frame.groupby(list(KNOWN), observed=True)["income"]:
        values = income.to_numpy(dtype=np.float64)
        gaps.append(np.abs(values[:, None] - values[None, :])[np.triu_indices(values.size, 1)])
    return float(np.quantile(np.concatenate(gaps), share))


def _streams(case: Case, seed: int) -> list[np.random.Generator]:
    return _rng.spawn(np.random.SeedSequence([seed, *map(ord, case.name)]), 5)


def fit(case: Case, frame: pd.DataFrame, seed: int, sampler: Mapping[str, Any], settle: bool = False) -> Piece:
    """Fit; return the numbers of the chains, and the draws.

    With `settle`, chains are as long as the case says, and if they have not converged by the usual diagnostics they are
    run again, four times as long.
    """
    rows, arrays = {}, {}
    drawn = case.drawn(frame)
    with quiet():
        # What a reader must know of convergence and of singletons is in the table.
        weights = None
        if case.weights is not None:
            arrays["weight"] = risk_weights(frame, case.against or case.intruder, **case.weights).weights
            weights = arrays["weight"][drawn]
            rows["weight, mean"] = arrays["weight"].mean()
        fit_rng = _streams(case, seed)[0]
        options = {k: v for k, v in sampler.items() if not (case.nuts and k == "thin")}
        if settle:
            options = _longer(options, case.longer)
        spec = case.synthesizer(frame)
        fitted = spec.fit(frame[drawn], weights=weights, rng=fit_rng, **options)
        diagnostics = fitted.diagnostics()
        if settle and not case.nuts and not diagnostics.ok:
            fitted = spec.fit(frame[drawn], weights=weights, rng=fit_rng, **_longer(options, 4))
            diagnostics = fitted.diagnostics()
    worst, posterior = diagnostics.summary().iloc[0], posterior_of(fitted)  # NaN where the chains never moved
    rows |= {"R-hat, max": worst["max_rhat"], "ESS, min": worst["min_ess_bulk"], "divergences": diagnostics.divergences}
    rows["occupied, mean"] = posterior["occupied"].mean()
    table = pd.DataFrame({"measure": list(rows), "value": np.array(list(rows.values()), dtype=np.float64)})
    return table, {**arrays, **{f"draws {name}": values for name, values in posterior.by_chain.items()}}


def _longer(options: Mapping[str, Any], times: int) -> dict[str, Any]:
    """Return options for chains so many times as long, with as many draws kept."""
    return {**options, "tune": times * options["tune"], "thin": times * options["thin"]} if times > 1 else {**options}


def _fitted(case: Case, frame: pd.DataFrame, arrays: Mapping[str, FloatArray]) -> FittedFiniteMixture:
    """Return the fit whose draws were kept."""
    drawn, spec = case.drawn(frame), case.synthesizer(frame)
    part, weights = frame[drawn], arrays["weight"][drawn] if "weight" in arrays else None
    draws = {k.removeprefix("draws "): v for k, v in arrays.items() if k.startswith("draws ")}
    posterior = Posterior(draws, {"slopes": ()}, 0, "nuts" if case.nuts else "gibbs")
    return FittedFiniteMixture(spec, *Data(part, weights, make_design(spec.formula, part)).fitted_with(posterior))


def release(
    case: Case, frame: pd.DataFrame, seed: int, found: Piece, resamples: int, releases: int, draws: int
) -> Piece:
    """Release from a fit and measure; return one row per number, and arrays of one row per release or one value per record."""
    fitted, drawn = _fitted(case, frame, found[1]), case.drawn(frame)
    rows: list[dict[str, Any]] = []
    arrays: dict[str, FloatArray] = {}
    for allocation, stream in zip(ALLOCATIONS, _streams(case, seed)[1:], strict=False):
        one = replace(fitted, specification=replace(fitted.specification, allocation=allocation))
        release_rng, again_rng, boot_rng = stream.spawn(3)
        risks = []
        for run in range(releases if case.main and allocation == "record" else 1):

            def add(measure: str, value: float, allocation: str = allocation, run: int = run) -> None:
                rows.append({"allocation": allocation, "run": run, "measure": measure, "value": float(value)})

            if run:
                release_rng, boot_rng = stream.spawn(2)
            synthetic = _whole(frame, drawn, one.generate(M, release_rng))
            risks.append(measure(add, frame, synthetic, drawn, case.intruder, resamples, boot_rng))
            if run == 0 and case.name == "S":
                with quiet():
                    again = identification_probability(frame, one.generate(M, again_rng), SOMEONE)
                arrays[f"IR again {allocation}"] = np.asarray(again.record)
            if run == 0 and case.model == "main" and tuple(case.intruder.known) == tuple(SOMEONE.known):
                exact = expected_identification_probability(frame, one, SOMEONE, draws=draws)
                arrays[f"expected IR {allocation}"] = exact
                add("expected IR, mean", exact.mean())
                add("expected IR, 25 % quantile", np.quantile(exact, 0.25))
        arrays[f"IR {allocation}"] = np.array(risks)
    return pd.DataFrame(rows), arrays


def _whole(frame: pd.DataFrame, drawn: BoolArray, synthetic: Release) -> Release:
    """Return a release of all records, those that were not synthesized as they are."""
    if drawn.all():
        return synthetic
    frames = []
    for one in synthetic:
        whole = frame.copy()
        whole.loc[drawn, "income"] = one["income"].to_numpy()
        frames.append(whole)
    return Release(frames, ["income"])


def baseline(frame: pd.DataFrame, seed: int, resamples: int) -> Piece:
    """Measure the topcoded data, and the confidential data themselves."""
    rows: list[dict[str, Any]] = []
    arrays: dict[str, FloatArray] = {"income": frame["income"].to_numpy(dtype=np.float64)}
    coded = Topcoding("income", top_share=TOP_SHARE).fit(frame).generate(m=1)
    everybody = np.ones(len(frame), dtype=bool)
    for name, data in (("D", Release([frame], ["income"])), ("T", coded)):

        def add(measure: str, value: float, name: str = name) -> None:
            rows.append({"case": name, "allocation": "", "run": 0, "measure": measure, "value": float(value)})

        rng = _rng.as_generator(np.random.SeedSequence([seed, ord(name)]))
        arrays[f"IR {name}"] = measure(add, frame, data, everybody, SOMEONE, resamples, rng)
        add("values at the cut, share", float((frame["income"] > data[0]["income"].max()).mean()))
    arrays["topcoded"] = coded[0]["income"].to_numpy(dtype=np.float64)
    return pd.DataFrame(rows), arrays
