"""Tests of the statements about survey designs, by the coverage under each design."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

import numpy as np
import pandas as pd
from scipy import stats

from replications.claims import Check
from replications.survey_design.methods import LEVEL, M

TOLERANCE = 0.02


def _of(rows: pd.DataFrame, *methods: str) -> pd.DataFrame:
    return rows[rows["method"].isin(methods)]


def _said(*methods: str) -> Callable[[Sequence[pd.DataFrame]], str]:
    def numbers(runs: Sequence[pd.DataFrame]) -> str:
        return "; ".join(f"{r.method}, {r.estimand}: {r.coverage:.1%}" for r in _of(runs[0], *methods).itertuples())

    return numbers


def _check(methods: tuple[str, ...], test: Callable[[pd.DataFrame], bool]) -> Check[pd.DataFrame]:
    return Check(lambda rows: test(_of(rows, *methods)), _said(*methods))


UNAWARE = ("survey, as a simple random sample", "posterior, unweighted", "synthetic, unweighted")
CENTRED = ("posterior, weighted", "synthetic, weighted")
ADJUSTED = ("posterior, weighted and adjusted",)
STANDARD = ("survey, design-based",)
RULES = ("pseudo-populations, one dataset each", "pseudo-populations, several datasets each")


def _as_standard(rows: pd.DataFrame) -> bool:
    wide = rows.pivot(index="estimand", columns="method", values="coverage")
    return bool((wide[ADJUSTED[0]] - wide[STANDARD[0]]).abs().max() <= TOLERANCE)


CLAIMS: Mapping[str, Check[pd.DataFrame]] = {
    "unaware": _check(
        UNAWARE,
        lambda rows: bool((rows["coverage"] < LEVEL - TOLERANCE).all()),
    ),
    "centered": _check(
        CENTRED,
        lambda rows: bool((rows["bias"].abs() < 0.25).all()),
    ),
    "posterior_short": _check(
        CENTRED[:1],
        lambda rows: bool((rows["coverage"] < LEVEL - TOLERANCE).all()),
    ),
    "synthetic_short": _check(
        CENTRED[1:],
        lambda rows: bool((rows["coverage"] < LEVEL - TOLERANCE).all()),
    ),
    "adjusted": _check(
        (*STANDARD, *ADJUSTED),
        _as_standard,
    ),
    "pseudo_populations": _check(
        RULES,
        lambda rows: bool((rows["coverage"] > LEVEL - TOLERANCE).all()),
    ),
}


def reasons(rows: pd.DataFrame) -> dict[str, str]:
    """Return the reasons that follow from the lengths of the intervals under a design."""
    return {"posterior_short": _why_not_short(rows), "synthetic_short": _why_long(rows)}


def covers(length: float) -> float:
    """Return the coverage of an unbiased normal interval with `length` times the correct length."""
    return float(2 * stats.norm.cdf(_normal() * length) - 1)


def longer() -> tuple[float, float, float]:
    """Return degrees of freedom, t quantile and relative length for M fully synthetic datasets.

    Where the model has the posterior variance V and a dataset as many records as the survey, the variance within a dataset
    is about V, that between datasets 2 V, and the rule estimates ``(1 + 1/M) 2 V - V = (1 + 2/M) V``.
    """
    df = (M - 1) * (1 - 1 / (2 * (1 + 1 / M))) ** 2
    quantile = float(stats.t.ppf((1 + LEVEL) / 2, df))
    return df, quantile, quantile / _normal() * float(np.sqrt(1 + 2 / M))


def _normal() -> float:
    return float(stats.norm.ppf((1 + LEVEL) / 2))


def _lengths(rows: pd.DataFrame, method: str, other: str) -> pd.Series:
    """Return the ratio of the median interval lengths of two methods, by estimand."""
    wide = rows.pivot(index="estimand", columns="method", values="median_width")
    return wide[method] / wide[other]


def _why_not_short(rows: pd.DataFrame) -> str:
    lengths = [
        f"{name}, {length:.0%} as long as the design-based one, which gives {covers(length):.1%}"
        for name, length in _lengths(rows, CENTRED[0], STANDARD[0]).items()
    ]
    limit = stats.norm.ppf((1 + LEVEL - TOLERANCE) / 2) / _normal()
    return (
        f"coverage falls below {LEVEL - TOLERANCE:.0%} where an interval has less than {limit:.0%} of its right length. Median lengths: "
        f"{'; '.join(lengths)}"
    )


def _why_long(rows: pd.DataFrame) -> str:
    df, quantile, factor = longer()
    found = _lengths(rows, CENTRED[1], CENTRED[0])
    right = _lengths(rows, CENTRED[0], STANDARD[0]) * factor
    lengths = [
        f"{name}, {found[str(name)]:.2f} times as long, and {covers(right[str(name)]):.1%} by these numbers ({rows_of:.1%} found)"
        for name, rows_of in _of(rows, CENTRED[1]).set_index("estimand")["coverage"].items()
    ]
    return (
        f"the rule for {M} datasets corrects this: with {df:.1f} degrees of freedom its t quantile is {quantile:.2f} in place of "
        f"{_normal():.2f}, and its intervals should be {factor:.2f} times as long as those of the posterior. Median lengths: "
        f"{'; '.join(lengths)}"
    )
