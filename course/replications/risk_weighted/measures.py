"""Risk and utility of a release of incomes."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import numpy as np
import pandas as pd

from replications.ce2017 import SOMEONE
from synthlab._typing import BoolArray, FloatArray
from synthlab._warnings import quiet
from synthlab.intruder import Intruder
from synthlab.release import Release
from synthlab.risk import identification_probability
from synthlab.utility import analysis_utility, bootstrap_statistic, ecdf_utility

ANALYSIS = "income ~ C(region) + C(urban) + C(earner)"
STATISTICS: Mapping[str, Any] = {"mean": "mean", "median": "median", "90 % quantile": 0.9}
TENS = 10  # records in tables 2 and 3
LOW, HIGH = 0.25, 0.5  # where the paper sees the lower part of the distribution of IR, and its limit
Add = Callable[[str, float], None]


def measure(
    add: Add,
    frame: pd.DataFrame,
    release: Release,
    drawn: BoolArray,
    intruder: Intruder,
    resamples: int,
    rng: np.random.Generator,
) -> FloatArray:
    """Add risk (of the records that were drawn) and utility of a release; return IR of each record."""
    with quiet():
        ir = identification_probability(frame, release, SOMEONE)
        if tuple(intruder.known) != tuple(SOMEONE.known):  # in another process it is a copy
            finer = identification_probability(frame, release, intruder)
            alone = finer.singleton
            add("singletons", alone.sum())
            add("singletons found within the radius, share", finer.contains_true[alone].mean())
            add("others found within the radius, share", finer.contains_true[~alone].mean())
    own = ir.record[drawn]
    low, high = np.quantile(own, [0.25, 0.75])
    distance = ecdf_utility(frame, release, variables=["income"]).summary().loc["income"]
    for name, value in {
        "IR, mean": own.mean(),
        "IR, IQR": high - low,
        "IR, max": own.max(),
        "IR above 0.5, records": (own > HIGH).sum(),
        "IR, 25 % quantile": low,
        "IR below 0.25, share": (own < LOW).mean(),
        "U_m": distance["ecdf_max"],
        "U_a": distance["ecdf_mean_square"],
        "largest income": max(float(f["income"].max()) for f in release),
    }.items():
        add(name, value)
    for name, statistic in STATISTICS.items():
        boot = bootstrap_statistic(frame, release, variable="income", statistic=statistic, resamples=resamples, rng=rng)
        for part, value in zip(("", ", low", ", high"), (boot.mean, *boot.interval), strict=True):
            add(name + part, value)
    _earner(add, frame, release)
    for which, order in (("riskiest", np.round(ir.confidential, 4)), ("largest", frame["income"].to_numpy())):
        for place, record in enumerate(np.argsort(-order, kind="stable")[:TENS], start=1):
            add(f"IR of {which} record {place}", ir.record[record])
    return np.asarray(ir.record)


def _earner(add: Add, frame: pd.DataFrame, release: Release) -> None:
    """Add the coefficient of "the reference person is no earner", combined over the datasets."""
    # One dataset has no spread between datasets: its own interval stands, as for the confidential data.
    single = release.m == 1
    found = analysis_utility(
        release[0] if single else frame, [release[0]] * 2 if single else release, formula=ANALYSIS
    ).summary()
    names = ("confidential", "confidential_lower", "confidential_upper") if single else ("q_bar", "lower", "upper")
    for part, name in zip(("", ", low", ", high"), names, strict=True):
        add("earner" + part, found[name]["C(earner)[T.2]"])
