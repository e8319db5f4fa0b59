"""Tests of the statements of a paper in every repetition of a study, and the rule for the verdict."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Generic, TypeVar

import numpy as np
import pandas as pd

from replications.paper_tables import Texts
from synthlab.exceptions import InputError

COLUMNS = ("paper", "where", "study", "claim", "repetitions", "share", "verdict", "evidence", "reason")
MOST, FEW = 0.9, 0.1  # a claim holds from the first share of the repetitions, and does not hold up to the second
VERDICTS = ("holds", "in part", "does not hold", "cannot test")
QUICK = "no verdict (quick run)"
LEAST = 10  # repetitions that a quick run needs for a verdict

One = TypeVar("One")


@dataclass(frozen=True, slots=True, eq=False)
class Check(Generic[One]):
    """Test of a statement.

    Attributes
    ----------
    test : callable
        Returns whether the statement holds in one repetition.
    evidence : callable
        Returns the numbers behind the verdict as text, from all repetitions.
    """

    test: Callable[[One], Any]
    evidence: Callable[[Sequence[One]], str]


class Rows:
    """Table of one repetition, with the position of each mechanism and parameter value."""

    def __init__(self, table: pd.DataFrame, parameter: str) -> None:
        self.columns = {str(name): values.to_numpy() for name, values in table.items()}
        self.places: dict[str, dict[float, int]] = {}
        for place, (mechanism, at) in enumerate(zip(table["mechanism"], table[parameter], strict=True)):
            self.places.setdefault(mechanism, {})[at] = place


def verdict(share: float) -> str:
    """Return the verdict on a claim that holds in a share of the repetitions.

    Examples
    --------
    >>> from replications.claims import verdict
    >>> [verdict(share) for share in (1.0, 0.9, 0.5, 0.1)]
    ['holds', 'holds', 'in part', 'does not hold']
    """
    if share >= MOST:
        return "holds"
    return "does not hold" if share <= FEW else "in part"


def judge(
    paper: str,
    study: str,
    texts: Texts,
    checks: Mapping[str, Check[One]],
    repetitions: Sequence[One],
    *,
    reasons: Mapping[str, str] | None = None,
    untestable: Mapping[str, str] | None = None,
) -> pd.DataFrame:
    """Return the verdict on each statement.

    Parameters
    ----------
    paper, study : str
        Names of the paper and of the study, as in the columns of the result.
    texts : mapping
        Return value of `replications.paper_tables.read_claims`.
    checks : mapping {key: Check}
        Tests of the statements.
    repetitions : sequence
        Arguments of the tests, one per repetition.
    reasons : mapping {key: str}, optional
        Reasons that replace the reasons in `texts`.
    untestable : mapping {key: str}, optional
        Reasons why these data and models cannot test a statement.

    Returns
    -------
    pandas.DataFrame
        One row per check, with the columns `COLUMNS`.

    Raises
    ------
    InputError
        If `texts` has no statement for a check.
    """
    rows = []
    for key, check in checks.items():
        if key not in texts:
            raise InputError(f"checks: paper_claims.csv has no statement with the key {key!r}")
        text, blocked = texts[key], (untestable or {}).get(key, "")
        share = sum(bool(check.test(one)) for one in repetitions) / len(repetitions)
        found = "cannot test" if blocked else verdict(share)
        reason = blocked or (reasons or {}).get(key, text["reason"]) * (found != "holds")
        where, statement, evidence = text["where"], text["statement"], check.evidence(repetitions)
        rows.append((paper, where, study, statement, len(repetitions), share, found, evidence, reason))
    return pd.DataFrame(rows, columns=list(COLUMNS))


def without_verdicts(found: pd.DataFrame) -> pd.DataFrame:
    """Return the claims of a quick run: no verdict from fewer than `LEAST` repetitions."""
    few = (found["repetitions"] < LEAST) & (found["verdict"] != "cannot test")
    return found.assign(verdict=found["verdict"].mask(few, QUICK), reason=found["reason"].mask(few, ""))


def times(runs: Sequence[One], test: Callable[[One], bool]) -> int:
    """Return the number of repetitions in which a test holds."""
    return sum(test(one) for one in runs)


def mean(runs: Sequence[Callable[..., Any]], *number: Any) -> float:
    """Return the mean of a number over the repetitions."""
    return float(np.mean([look(*number) for look in runs]))


def count(share: float, repetitions: int) -> str:
    """Return the number of repetitions in which a claim holds, as text; "one run" for a single repetition."""
    return "one run" if repetitions == 1 else f"{round(share * repetitions)} of {repetitions} repetitions"


def lines(claims: pd.DataFrame) -> str:
    """Return claims with verdict and evidence as text."""
    found = []
    for row in claims.to_dict("records"):
        found.append(f"  [{row['verdict']}] {row['where']}; {row['study']}: {row['claim']}")
        found.append(f"      {count(row['share'], row['repetitions'])}; {row['evidence']}")
        found += [f"      {row['reason']}"] * bool(row["reason"])
    return "\n".join(found)
