"""Tests of the statements of the slides."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
import pandas as pd

from replications.claims import Check, judge
from replications.hu_course.orders import RANDOM, SLIDES
from replications.paper_tables import read_claims

RATIO = 2.0  # pMSE of a correct Bayesian synthesizer, relative to its expected value with fixed parameters
CRITICAL = 1.358  # of the two-sample Kolmogorov-Smirnov test at 5%, times the square root of 2 / n

One = Mapping[str, float]

ONE_RELEASE: Mapping[str, Check[One]] = {
    "distinguish": Check(
        lambda one: one["pmse_ratio"] <= RATIO,
        lambda runs: (
            f"pMSE is {np.mean([one['pmse_ratio'] for one in runs]):.1f} times its expected value for a correct model"
        ),
    ),
    "similar": Check(
        lambda one: one["u_m"] <= CRITICAL * np.sqrt(2 / one["records"]),
        lambda runs: (
            f"U_m {np.mean([one['u_m'] for one in runs]):.4f}; the critical value of the Kolmogorov-Smirnov test "
            f"at 5% is {CRITICAL * np.sqrt(2 / runs[0]['records']):.4f}"
        ),
    ),
}
REPEATED: Mapping[str, Check[One]] = {
    "specified": Check(
        lambda one: one["overlap_mean"] > 0.5 and one["overlap_slope"] < 0,
        lambda runs: (
            f"overlap of the intervals: mean of Expenditure {np.mean([one['overlap_mean'] for one in runs]):.2f}, "
            f"slope of Income {np.mean([one['overlap_slope'] for one in runs]):.2f}"
        ),
    ),
}
EXACT: Mapping[str, Check[One]] = {
    "sensitivity": Check(
        lambda one: one["sensitivity_income"] > one["sensitivity_expenditure"],
        lambda runs: (
            f"sensitivity of the mean with the ranges of the sample: Income ${runs[0]['sensitivity_income']:,.0f}, "
            f"Expenditure ${runs[0]['sensitivity_expenditure']:,.0f}"
        ),
    ),
    "budget": Check(
        lambda one: one["noise_0.1"] > one["noise_1"],
        lambda runs: (
            f"distance {runs[0]['noise_0.1']:.0f} with epsilon 0.1 and {runs[0]['noise_1']:.0f} with epsilon 1, with one "
            "seed; with independent noise the smaller epsilon gives the larger distance with probability 10/11"
        ),
    ),
}
LINKS: Mapping[str, Check[One]] = {
    "links": Check(
        lambda one: one["synthetic"] < one["confidential"],
        lambda runs: (
            f"true links: synthetic {np.mean([one['synthetic'] for one in runs]):,.0f}, confidential "
            f"{np.mean([one['confidential'] for one in runs]):,.0f}"
        ),
    ),
    "percentage": Check(
        lambda one: abs(one["confidential"] / one["people"] - 0.6458) < 0.005,
        lambda runs: (
            f"true links among the confidential data: "
            f"{100 * np.mean([one['confidential'] / one['people'] for one in runs]):.2f}%"
        ),
    ),
}


def rows_of(table: pd.DataFrame) -> list[One]:
    """Return the rows of a table as mappings from its numeric columns."""
    numeric = table.select_dtypes("number")
    names = [str(name) for name in numeric]
    return [dict(zip(names, row, strict=True)) for row in numeric.to_numpy(dtype=np.float64).tolist()]


def claims_of(paper: str, numbers: pd.DataFrame, releases: pd.DataFrame, orders: pd.DataFrame) -> pd.DataFrame:
    """Return the verdict on every statement."""
    texts = read_claims("hu_course")
    once = numbers.set_index("key")["ours"].to_dict()
    slide = rows_of(pd.DataFrame([once]).assign(records=once["ce_records"]))
    fresh = rows_of(releases.assign(records=once["ce_records"]))
    wide = orders.pivot(index=["order", "repetition"], columns="file", values="true_links")
    links = wide.assign(people=once["acs_records"]).reset_index()
    found = [
        judge(paper, "release of the slide", texts, ONE_RELEASE, slide),
        judge(paper, "releases of this package", texts, {**ONE_RELEASE, **REPEATED}, fresh),
        judge(paper, "sample of the slides", texts, EXACT, slide),
        *(judge(paper, order, texts, LINKS, rows_of(links[links["order"] == order])) for order in (SLIDES, RANDOM)),
    ]
    return pd.concat(found, ignore_index=True)
