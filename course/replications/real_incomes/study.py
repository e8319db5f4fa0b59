"""Risk weights and the pseudo posterior mechanism on real incomes: what the stand-in data hide.

Hu, Savitsky & Williams and Savitsky, Williams & Hu synthesize incomes of the first quarter of 2017 that are not part of synthlab.
The studies `risk_weighted` and `dp` use stand-in data. This study fits the same models to the stand-in data, to the 5,133 units
of the slides (the same quarter, two predictors), and to four disjoint samples of 6,208 households of 2015. Incomes of
different files have different levels, so ratios to the confidential data are compared.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import partial
from types import MappingProxyType
from typing import Any

import numpy as np
import pandas as pd

from replications.checkpoints import Job, Piece, Pieces
from replications.claims import Check, judge
from replications.paper_tables import read_claims, read_numbers
from replications.published import Value, compare
from replications.real_incomes.samples import DRAWN, FILES, LOW_INCOME, REAL, STAND_IN, load
from replications.study import Result, Study, Tables
from synthlab import _rng
from synthlab._typing import FloatArray
from synthlab._warnings import quiet
from synthlab.risk import identification_probability
from synthlab.synthesizers import FiniteMixture
from synthlab.synthesizers.base import posterior_of
from synthlab.utility import ecdf_utility
from synthlab.weights import (
    EpsilonResult,
    PseudoPosteriorMechanism,
    ScalarWeightMechanism,
    achieved_epsilon,
    risk_weights,
)

SEED = 20150331
M = 20
QUANTILE = 0.95
ORDERS = {"S": 0, "M": 1, "P": 2}  # Synthesizer, Marginal, Pairwise; order of the risk weights
STATISTICS: Mapping[str, Callable[[Any], Any]] = {
    "mean": np.mean,
    "median": np.median,
    "90 % quantile": lambda y: np.quantile(y, 0.9),
}
FULL: Mapping[str, Any] = {
    "share": 1,
    "releases": 5,
    "sampler": {"draws": 250, "tune": 1000, "thin": 2, "chains": 2},
    "gibbs": {"draws": 300, "tune": 300, "thin": 1, "chains": 2},
    "max_fits": 5,
}
QUICK: Mapping[str, Any] = {
    "share": 8,
    "releases": 2,
    "sampler": {"draws": 60, "tune": 100, "thin": 1, "chains": 2},
    "gibbs": {"draws": 60, "tune": 60, "thin": 1, "chains": 2},
    "max_fits": 2,
}


@dataclass(frozen=True, slots=True, eq=False, repr=False, kw_only=True)
class RealIncomesResult(Result):
    """Results on the six files.

    Attributes
    ----------
    weighted : pandas.DataFrame
        Risk and utility of every release: ``file``, ``case`` (D: the confidential data; S, M, P: Synthesizer, Marginal,
        Pairwise), ``run``, ``measure``, ``value``.
    mechanisms : pandas.DataFrame
        One regression of the logarithm of income under the three mechanisms: ``file``, ``mechanism``, ``measure``, ``value``.
    classes : pandas.DataFrame
        The mixture with risk weights and ten classes or one class: ``file``, ``case``, ``classes`` (0: the data with these
        weights), ``measure``, ``value``.
    ratios : pandas.DataFrame
        Mean, median and 90% quantile of the releases, divided by those of the confidential data; risk and utility; indexed by
        measure, case; one column per file, and ``paper``.
    bounds : pandas.DataFrame
        Lipschitz bounds and errors of the three mechanisms, one column per file.
    """

    weighted: pd.DataFrame
    mechanisms: pd.DataFrame
    classes: pd.DataFrame
    ratios: pd.DataFrame
    bounds: pd.DataFrame


class RealIncomes(Study[RealIncomesResult]):
    """Risk weights and the weighted mechanism on real incomes."""

    name, paper = "real_incomes", "Hu, Savitsky & Williams; Savitsky, Williams & Hu, on real incomes"
    result, seed, full, quick = RealIncomesResult, SEED, FULL, QUICK
    raw = MappingProxyType({"weighted": 8, "mechanisms": 8, "classes": 8})
    derived = MappingProxyType({"ratios": 6, "bounds": 6})
    takes = ("about twenty minutes of one core", "two minutes of one core")

    def jobs(self, seed: int, size: Mapping[str, Any], data: Any) -> list[Job]:
        """Return one job per file and synthesizer, one per file for the mechanisms, and one per file and weights for classes."""
        jobs = [Job(f"{file}, data", f"weighted {file} D", partial(_confidential, size, file)) for file in FILES]
        for file in FILES:
            for case in ORDERS:
                job = partial(_weighted, seed, size, file, case)
                jobs.append(Job(f"{file}, {case}", f"weighted {file} {case}", job))
            jobs.append(Job(f"{file}, mechanisms", f"mechanisms {file}", partial(_mechanisms, seed, size, file)))
            for case in list(ORDERS)[1:]:
                job = partial(_classes, seed, size, file, case)
                jobs.append(Job(f"{file}, {case}, classes", f"classes {file} {case}", job))
        return jobs

    def collect(self, pieces: Pieces, data: Any) -> Tables:
        """Return the raw tables."""
        return {
            kind: pd.concat([pieces.read(name)[0] for name in pieces.names(kind)], ignore_index=True)
            for kind in self.raw
        }

    def derive(self, raw: Tables) -> dict[str, Any]:
        """Return the tables by file, the claims and the published ratios."""
        return {
            "ratios": _by_file(raw["weighted"].assign(of=raw["weighted"]["case"])),
            "bounds": _by_file(raw["mechanisms"].assign(of=raw["mechanisms"]["mechanism"])),
            "claims": _claims(raw),
            "published": _published(raw["weighted"]),
        }


def _confidential(size: Mapping[str, Any], file: str) -> Piece:
    sample = load(file, size["share"])
    income = sample.frame["income"].to_numpy()
    with quiet():
        ir = identification_probability(sample.frame, [sample.frame], sample.intruder).record
    values = {name: of(income) for name, of in STATISTICS.items()} | {
        "records": len(income),
        "patterns of known variables": sample.frame.groupby(list(sample.known), observed=True).ngroups,
        "income below 2,000, share": np.mean(income < LOW_INCOME),
        "IR, mean": ir.mean(),
        "IR, max": ir.max(),
    }
    return _rows(values, file=file, case="D", run=0), {}


def _mixture(frame: pd.DataFrame, classes: int) -> FiniteMixture:
    formula = f"income ~ {' + '.join(frame.columns.drop('income'))}"
    return FiniteMixture(formula, classes=classes, transform="log", allocation="record")


def _weighted(seed: int, size: Mapping[str, Any], file: str, case: str) -> Piece:
    """Fit a mixture with risk weights of an order, and measure its releases."""
    sample = load(file, size["share"])
    frame, income = sample.frame, sample.frame["income"].to_numpy()
    rng = _rng.as_generator(np.random.SeedSequence([seed, *map(ord, file + case)]))
    with quiet():
        order = ORDERS[case]
        weights = risk_weights(frame, sample.intruder, order=order).weights if order else None
        fitted = _mixture(frame, 10).fit(frame, weights=weights, rng=rng, **size["sampler"])
        rhat = float(fitted.diagnostics().rhat.max())  # in the table, in place of a warning
    tables = []
    for run in range(size["releases"]):
        release = fitted.generate(M, rng)
        drawn = np.array([one["income"].to_numpy() for one in release])
        with quiet():
            ir = identification_probability(frame, release, sample.intruder).record
        distance = ecdf_utility(frame, release, variables=["income"]).summary().loc["income"]
        low, high = np.quantile(ir, [0.25, 0.75])
        values = {f"{name}, ratio": np.mean([of(one) for one in drawn]) / of(income) for name, of in STATISTICS.items()}
        # Single draws of 1e11 determine the mean in some releases, so the mean without the largest values is also given.
        values |= {
            "mean up to ten times the largest income, ratio": drawn[drawn <= 10 * income.max()].mean() / income.mean()
        }
        values |= {"IR, mean": ir.mean(), "IR, IQR": high - low, "IR, max": ir.max()}
        values |= {"U_m": distance["ecdf_max"], "U_a": distance["ecdf_mean_square"], "R-hat, max": rhat}
        values |= {"weight, mean": 1.0 if weights is None else weights.mean()}
        tables.append(_rows(values, file=file, case=case, run=run))
    return pd.concat(tables, ignore_index=True), {}


def _classes(seed: int, size: Mapping[str, Any], file: str, case: str) -> Piece:
    """Fit the mixture with ten classes and with one class, to show which of them the weights leave."""
    sample = load(file, size["share"])
    frame, income = sample.frame, sample.frame["income"].to_numpy()
    rng = _rng.as_generator(np.random.SeedSequence([seed, 2, *map(ord, file + case)]))
    with quiet():
        weights = risk_weights(frame, sample.intruder, order=ORDERS[case]).weights
    order = np.argsort(income)
    share, low = np.cumsum(weights[order]) / weights.sum(), income < LOW_INCOME
    data = {
        "90 % quantile, ratio": income[order][np.searchsorted(share, 0.9)] / np.quantile(income, 0.9),
        "weight of incomes below 2,000, relative": weights[low].mean() / weights.mean() if low.any() else np.nan,
        "sd of log income": np.log(income).std(),
    }
    tables = [_rows(data, file=file, case=case, classes=0)]
    for classes in (10, 1):
        with quiet():
            fitted = _mixture(frame, classes).fit(frame, weights=weights, rng=rng, **size["sampler"])
        drawn = [one["income"].to_numpy() for one in fitted.generate(M, rng)]
        shares, sigma = (posterior_of(fitted)[name] for name in ("pi", "sigma"))
        largest = shares.argmax(axis=1)
        values = {
            "90 % quantile, ratio": np.mean([np.quantile(one, 0.9) for one in drawn]) / np.quantile(income, 0.9),
            "largest class": shares.max(axis=1).mean(),
            "sigma of the largest class": sigma[np.arange(largest.size), largest].mean(),
        }
        tables.append(_rows(values, file=file, case=case, classes=classes))
    return pd.concat(tables, ignore_index=True), {}


def _mechanisms(seed: int, size: Mapping[str, Any], file: str) -> Piece:
    """Fit one regression of the logarithm of income: unweighted, weighted, and with one weight at the same bound."""
    sample = load(file, size["share"])
    income = sample.frame["income"].to_numpy()
    frame = sample.frame.drop(columns="income").assign(modelled=np.log(income))
    synthesizer = FiniteMixture(f"modelled ~ {' + '.join(frame.columns.drop('modelled'))}", classes=1)
    streams = [_rng.as_generator(one) for one in np.random.SeedSequence([seed, 1, *map(ord, file)]).spawn(7)]
    tables = []

    def add(mechanism: str, fitted: Any, spent: EpsilonResult, weights: FloatArray, rng: np.random.Generator) -> None:
        drawn = [np.exp(np.asarray(one["modelled"])) for one in fitted.generate(M, rng)]
        values = {
            "Lipschitz bound": spent.lipschitz_bound,
            "weight, mean": weights.mean(),
            "weight 0, records": (weights == 0).sum(),
            "income of the most sensitive record": income[int(np.argmax(spent.sensitivity))],
        }
        values |= {
            f"{name}, ratio": np.mean([of(one) for one in drawn]) / of(income) for name, of in STATISTICS.items()
        }
        tables.append(_rows(values, file=file, mechanism=mechanism))

    with quiet():
        plain = synthesizer.fit(frame, rng=streams[0], **size["gibbs"])
        spent = achieved_epsilon(plain.pseudo_log_likelihood(), n=len(frame), quantile=QUANTILE)
        add("Unweighted", plain.keep_draws(spent.kept), spent, np.ones(len(frame)), streams[2])
        weighted = PseudoPosteriorMechanism(synthesizer=synthesizer, scale=1.0, shift=0.0, quantile=QUANTILE)
        found = weighted.fit(frame, rng=streams[3], unweighted=plain, **size["gibbs"])
        add("DP", found.fitted, found.accounting, found.record_weights, streams[4])
        scalar = ScalarWeightMechanism(
            synthesizer=synthesizer,
            lipschitz_bound=found.accounting.lipschitz_bound,
            quantile=QUANTILE,
            tolerance=0.02,
            max_fits=size["max_fits"],
        )
        one = scalar.fit(frame, rng=streams[5], unweighted=plain, **size["gibbs"])
        add("EM", one.fitted, one.accounting, one.record_weights, streams[6])
    return pd.concat(tables, ignore_index=True), {}


def _rows(values: Mapping[str, Any], **head: Any) -> pd.DataFrame:
    return pd.DataFrame([{**head, "measure": name, "value": float(value)} for name, value in values.items()])


def _by_file(table: pd.DataFrame) -> pd.DataFrame:
    """Return the mean over the releases: one row per measure and case or mechanism, one column per file."""
    wide = table.pivot_table("value", ["measure", "of"], "file", sort=False)
    return wide[list(FILES)].rename_axis(columns=None).reset_index()


class _Look:
    """Mean values of one file."""

    def __init__(self, raw: Tables, file: str) -> None:
        self.values: dict[tuple[str, str], float] = {}
        for name, key in (("weighted", "case"), ("mechanisms", "mechanism")):
            rows = raw[name][raw[name]["file"] == file]
            self.values.update(rows.groupby([key, "measure"])["value"].mean().to_dict())  # type: ignore[arg-type]

    def __call__(self, of: str, measure: str) -> float:
        return float(self.values[of, measure])


def _evidence(*parts: tuple[str, str, str]) -> Callable[[Any], str]:
    def words(looks: Any) -> str:
        shown = [f"{text} {', '.join(f'{look(of, measure):.3g}' for look in looks)}" for text, of, measure in parts]
        return "; ".join(shown)

    return words


def _claims(raw: Tables) -> pd.DataFrame:
    """Return the verdicts on the real files and on the stand-in data."""
    median, high = "median, ratio", "90 % quantile, ratio"
    checks: dict[str, Check[Any]] = {
        "median_rises": Check(lambda v: v("M", median) > 1, _evidence(("M", "M", median), ("S", "S", median))),
        "quantile_falls": Check(
            lambda v: v("M", high) < v("P", high) < v("S", high),
            _evidence(("M", "M", high), ("P", "P", high), ("S", "S", high)),
        ),
        "lower_risk": Check(
            lambda v: v("S", "IR, mean") <= v("D", "IR, mean") / 2,
            _evidence(("S", "S", "IR, mean"), ("D", "D", "IR, mean")),
        ),
        "pairwise_iqr": Check(
            lambda v: v("P", "IR, IQR") < v("M", "IR, IQR"), _evidence(("P", "P", "IR, IQR"), ("M", "M", "IR, IQR"))
        ),
        "pairwise_utility": Check(
            lambda v: v("P", "U_m") < v("M", "U_m"), _evidence(("P", "P", "U_m"), ("M", "M", "U_m"))
        ),
        "bound_falls": Check(
            lambda v: v("DP", "Lipschitz bound") < v("Unweighted", "Lipschitz bound") / 2,
            _evidence(("DP", "DP", "Lipschitz bound"), ("Unweighted", "Unweighted", "Lipschitz bound")),
        ),
        "record_weights": Check(
            lambda v: abs(v("DP", median) - 1) < abs(v("EM", median) - 1),
            _evidence(("DP", "DP", median), ("EM", "EM", median)),
        ),
    }  # fmt: skip
    texts = read_claims(RealIncomes.name)
    parts = [("real incomes", REAL), ("stand-in data", (STAND_IN,))]
    return pd.concat(
        [
            judge(RealIncomes.paper, study, texts, checks, [_Look(raw, file) for file in files])
            for study, files in parts
        ],
        ignore_index=True,
    )


def _published(weighted: pd.DataFrame) -> pd.DataFrame:
    """Return the published ratios; the interval is that of 95% of the releases of the four samples of 2015."""
    drawn = weighted[weighted["file"].isin(DRAWN)].groupby(["case", "measure"])["value"]
    texts, values = read_numbers(RealIncomes.name), {}
    for key, text in texts.items():
        found = drawn.get_group((text["case"], text["measure"])).to_numpy()
        low, high = np.quantile(found, (0.025, 0.975)).tolist()
        values[key] = Value(float(np.median(found)), low, high, found.size)
    return compare(RealIncomes.paper, texts, values)


STUDY = RealIncomes()
run, recorded, summary = STUDY.run, STUDY.recorded, STUDY.summary
