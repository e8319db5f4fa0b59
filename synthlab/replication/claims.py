"""The claims of a paper in words, tested in every repetition of a study, and one rule for the verdict."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Any, Generic, TypeVar

import numpy as np
import pandas as pd

COLUMNS = ("paper", "where", "study", "claim", "repetitions", "share", "verdict", "evidence", "reason")
MOST, FEW = 0.9, 0.1  # shares of the repetitions from which a claim holds, and up to which it does not
VERDICTS = ("holds", "in part", "does not hold", "cannot test")

One = TypeVar("One")


@dataclass(frozen=True, slots=True, eq=False)
class Claim(Generic[One]):
    """A statement of a paper.

    Attributes
    ----------
    where : str
        Table, figure or section of the paper.
    statement : str
        What the paper says, with the number that "little" or "about" is read as.
    test : callable
        Whether it holds in one repetition.
    evidence : callable
        The numbers behind it, in words, from all repetitions.
    reason : str
        Why it does not hold here, where that is known.
    untestable : str
        Why these data and models cannot say; empty where they can.
    """

    where: str
    statement: str
    test: Callable[[One], Any]
    evidence: Callable[[Sequence[One]], str]
    reason: str = ""
    untestable: str = ""


class Rows:
    """The table of one repetition, in which numbers are looked up by mechanism, by its parameter and by column."""

    def __init__(self, table: pd.DataFrame, parameter: str) -> None:
        self.columns = {str(name): values.to_numpy() for name, values in table.items()}
        self.places: dict[str, dict[float, int]] = {}
        for place, (mechanism, at) in enumerate(zip(table["mechanism"], table[parameter], strict=True)):
            self.places.setdefault(mechanism, {})[at] = place


def verdict(share: float) -> str:
    """Return the verdict on a claim that holds in a share of the repetitions.

    Examples
    --------
    >>> from synthlab.replication.claims import verdict
    >>> [verdict(share) for share in (1.0, 0.9, 0.5, 0.1)]
    ['holds', 'holds', 'in part', 'does not hold']
    """
    if share >= MOST:
        return "holds"
    return "does not hold" if share <= FEW else "in part"


def judge(paper: str, study: str, claims: Iterable[Claim[One]], repetitions: Sequence[One]) -> pd.DataFrame:
    """Return one row a claim: in which share of the repetitions it holds, the verdict, the evidence."""
    rows = []
    for claim in claims:
        share = sum(bool(claim.test(one)) for one in repetitions) / len(repetitions)
        found = "cannot test" if claim.untestable else verdict(share)
        evidence, reason = claim.evidence(repetitions), claim.untestable or claim.reason * (found != "holds")
        rows.append((paper, claim.where, study, claim.statement, len(repetitions), share, found, evidence, reason))
    return pd.DataFrame(rows, columns=list(COLUMNS))


def times(runs: Sequence[One], test: Callable[[One], bool]) -> int:
    """Return in how many repetitions a test holds."""
    return sum(test(one) for one in runs)


def mean(runs: Sequence[Callable[..., Any]], *number: Any) -> float:
    """Return the mean over the repetitions of what each looks up."""
    return float(np.mean([look(*number) for look in runs]))


def count(share: float, repetitions: int) -> str:
    """Say in how many repetitions a claim holds; a study that was run once says so."""
    return "one run" if repetitions == 1 else f"{round(share * repetitions)} of {repetitions} repetitions"


def lines(claims: pd.DataFrame) -> str:
    """Return claims with verdict and evidence as text."""
    found = []
    for row in claims.to_dict("records"):
        found.append(f"  [{row['verdict']}] {row['where']}; {row['study']}: {row['claim']}")
        found.append(f"      {count(row['share'], row['repetitions'])}; {row['evidence']}")
        found += [f"      {row['reason']}"] * bool(row["reason"])
    return "\n".join(found)
