"""The statements about designs and synthetic data, judged by the coverage under each design."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import pandas as pd

from synthlab.lab.replication.claims import Claim
from synthlab.lab.replication.survey_design.methods import LEVEL

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
