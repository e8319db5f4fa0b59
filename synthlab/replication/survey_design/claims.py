"""The statements about designs and synthetic data, judged by the coverage under each design."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace

import numpy as np
import pandas as pd
from scipy import stats

from synthlab.replication.claims import Claim
from synthlab.replication.survey_design.methods import LEVEL, M

TOLERANCE = 0.02


def _of(rows: pd.DataFrame, *methods: str) -> pd.DataFrame:
    return rows[rows["method"].isin(methods)]


def _said(*methods: str) -> Callable[[Sequence[pd.DataFrame]], str]:
    def numbers(runs: Sequence[pd.DataFrame]) -> str:
        return "; ".join(f"{r.method}, {r.estimand}: {r.coverage:.1%}" for r in _of(runs[0], *methods).itertuples())

    return numbers


def _claim(statement: str, methods: tuple[str, ...], test: Callable[[pd.DataFrame], bool]) -> Claim[pd.DataFrame]:
    return Claim("summary", statement, lambda rows: test(_of(rows, *methods)), _said(*methods))


UNAWARE = ("survey, as a simple random sample", "posterior, unweighted", "synthetic, unweighted")
CENTRED = ("posterior, weighted", "synthetic, weighted")
ADJUSTED = ("posterior, weighted and adjusted",)
STANDARD = ("survey, design-based",)
RULES = ("pseudo-populations, one dataset each", "pseudo-populations, several datasets each")


def _as_standard(rows: pd.DataFrame) -> bool:
    wide = rows.pivot(index="estimand", columns="method", values="coverage")
    return bool((wide[ADJUSTED[0]] - wide[STANDARD[0]]).abs().max() <= TOLERANCE)


CLAIMS: tuple[Claim[pd.DataFrame], ...] = (
    _claim(
        "a synthesis that ignores the weights is as biased as the sample: its intervals cover less often than they claim "
        f"(below {LEVEL - TOLERANCE:.0%}), the mean and the slope",
        UNAWARE,
        lambda rows: bool((rows["coverage"] < LEVEL - TOLERANCE).all()),
    ),
    _claim(
        "the pseudo-likelihood takes the bias away (below a quarter of a standard error of the survey)",
        CENTRED,
        lambda rows: bool((rows["bias"].abs() < 0.25).all()),
    ),
    _claim(
        f"the intervals of its posterior are too short all the same (coverage below {LEVEL - TOLERANCE:.0%})",
        CENTRED[:1],
        lambda rows: bool((rows["coverage"] < LEVEL - TOLERANCE).all()),
    ),
    _claim(
        f"so are those of its synthetic data (coverage below {LEVEL - TOLERANCE:.0%})",
        CENTRED[1:],
        lambda rows: bool((rows["coverage"] < LEVEL - TOLERANCE).all()),
    ),
    _claim(
        "adjusted draws cover as often as the design-based intervals of the survey (to two points)",
        (*STANDARD, *ADJUSTED),
        _as_standard,
    ),
    _claim(
        f"pseudo-populations and their rules cover at least as often as they claim (above {LEVEL - TOLERANCE:.0%})",
        RULES,
        lambda rows: bool((rows["coverage"] > LEVEL - TOLERANCE).all()),
    ),
)
SHORT, LONG = CLAIMS[2], CLAIMS[3]


def claims_of(rows: pd.DataFrame) -> list[Claim[pd.DataFrame]]:
    """Return the claims, with the reasons that follow from the lengths of the intervals under a design."""
    reasons = {SHORT: _why_not_short(rows), LONG: _why_long(rows)}
    return [replace(claim, reason=reasons.get(claim, claim.reason)) for claim in CLAIMS]


def covers(length: float) -> float:
    """Return how often a normal interval without bias covers that is `length` times as long as the right one."""
    return float(2 * stats.norm.cdf(_normal() * length) - 1)


def longer() -> tuple[float, float, float]:
    """Return degrees of freedom and t quantile of M fully synthetic datasets, and by what factor they lengthen an interval.

    Where the model has the posterior variance V and a dataset as many records as the survey, the variance within a dataset
    is about V, that between datasets 2 V, and the rule estimates ``(1 + 1/M) 2 V - V = (1 + 2/M) V``.
    """
    df = (M - 1) * (1 - 1 / (2 * (1 + 1 / M))) ** 2
    quantile = float(stats.t.ppf((1 + LEVEL) / 2, df))
    return df, quantile, quantile / _normal() * float(np.sqrt(1 + 2 / M))


def _normal() -> float:
    return float(stats.norm.ppf((1 + LEVEL) / 2))


def _lengths(rows: pd.DataFrame, method: str, other: str) -> pd.Series:
    """Return the median length of the intervals of a method, over that of another, for each estimand."""
    wide = rows.pivot(index="estimand", columns="method", values="median_width")
    return wide[method] / wide[other]


def _why_not_short(rows: pd.DataFrame) -> str:
    told = [
        f"{name}, {length:.0%} as long as the design-based one, which gives {covers(length):.1%}"
        for name, length in _lengths(rows, CENTRED[0], STANDARD[0]).items()
    ]
    limit = stats.norm.ppf((1 + LEVEL - TOLERANCE) / 2) / _normal()
    return (
        f"coverage falls below {LEVEL - TOLERANCE:.0%} where an interval has less than {limit:.0%} of its right length. Median lengths: "
        f"{'; '.join(told)}"
    )


def _why_long(rows: pd.DataFrame) -> str:
    df, quantile, factor = longer()
    found = _lengths(rows, CENTRED[1], CENTRED[0])
    right = _lengths(rows, CENTRED[0], STANDARD[0]) * factor
    told = [
        f"{name}, {found[str(name)]:.2f} times as long, and {covers(right[str(name)]):.1%} by these numbers ({rows_of:.1%} found)"
        for name, rows_of in _of(rows, CENTRED[1]).set_index("estimand")["coverage"].items()
    ]
    return (
        f"the rule for {M} datasets makes up for it: with {df:.1f} degrees of freedom its t quantile is {quantile:.2f} in place of "
        f"{_normal():.2f}, and its intervals should be {factor:.2f} times as long as those of the posterior. Median lengths: "
        f"{'; '.join(told)}"
    )
