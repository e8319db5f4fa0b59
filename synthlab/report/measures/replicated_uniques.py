"""Replicated uniques: people who are unique in the data and in the release."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np

from synthlab._format import count
from synthlab.matching.kernel import block_codes
from synthlab.report.evaluation_inputs import Question
from synthlab.report.measure import CHANCE, NONE, Answer, Line, Measure, Row, Write, out_of_are
from synthlab.risk import ReplicatedUniquesResult, replicated_uniques


class ReplicatedUniques(Measure[ReplicatedUniquesResult]):
    """Number of people who are unique on the known variables in both files."""

    name = "replicated_uniques"
    title = "Replicated uniques"
    section = "risk"
    by_record = True
    numbers = ("replicated_uniques",)
    exposes = "replicated_uniques"

    def applies(self, question: Question) -> str | None:
        """Require known variables that are compared by value."""
        return not_by_value(question)

    def compute(self, question: Question) -> ReplicatedUniquesResult:
        """Count the replicated uniques among all records."""
        everybody = replace(question.asked, boundary="closed", convention=None, targets=None)
        return replicated_uniques(question.confidential, question.release, everybody)

    def rows(self, result: ReplicatedUniquesResult, question: Question) -> list[Row]:
        """Return the replicated uniques; an unchanged release replicates all of them."""
        return [
            Row(
                "replicated_uniques",
                "replicated uniques",
                "people",
                result.replicated,
                synthetic=float(result.replicated.max()),
                confidential=result.unique,
                random_guess=float(round(result.unique * question.once(_chance))),
                of=(float(question.n), float(question.n)),
                within=float(result.unique),
            )
        ]

    def answers(self, result: ReplicatedUniquesResult, question: Question, people: Write) -> list[Answer]:
        """Compare the people who are unique in both files with an independent sample."""
        (row,) = self.rows(result, question)
        n, found, chance = float(result.n), row.release, row.random_guess
        word = CHANCE if found == chance else "below chance" if found < chance else "above chance"
        return [
            Answer(
                finding_people(question),
                f"at most {people(found, n, row.within)} of {count(n)}",
                f"{people(chance, n)}; with the real file {people(row.confidential, n)}",
                word if found else NONE,
            )
        ]

    def lines(self, result: ReplicatedUniquesResult, question: Question, people: Write) -> list[Line]:
        """State how many people are unique in the data and in the release."""
        unique = people(float(result.unique), result.n)
        kept = people(float(result.replicated.max()), result.n, result.unique)
        return [
            Line(
                "People unique in the data and in the release",
                kept,
                unique,
                f"{out_of_are(float(result.unique), result.n, people)} unique in {', '.join(result.intruder.known)}; {kept} of these "
                f"also in the release, with the same values{_worst(question)}. The order of the rows does not matter.",
            )
        ]

    def to_dict(self, result: ReplicatedUniquesResult, question: Question, *, publish: bool) -> dict[str, Any]:
        """Return the shares of each dataset; nothing for publication."""
        return {} if publish else {"sentence": result.title, "per_dataset": result.to_frame().to_dict("list")}


def _chance(question: Question) -> float:
    """Return the largest expected share of unique people in an independent sample.

    Split the n people at random into halves, and let u be the share of the unique people of one half who have the same
    values as a person of the other half. An independent sample of N people has these values of at most a share
    1 - (1 - u)^(2N/n).
    """
    (codes,) = block_codes([question.confidential], list(question.intruder.known), "category")
    sizes = np.bincount(codes)[codes].astype(np.float64)
    weight = 2.0**-sizes
    share = float(weight[sizes > 1].sum() / weight.sum()) if weight.any() else 1.0
    return float(1.0 - (1.0 - share) ** (2.0 * question.release.n / question.n))


def _worst(question: Question) -> str:
    return " (the dataset with the most)" if question.m > 1 else ""


def finding_people(question: Question) -> str:
    """Ask whether the intruder can find people."""
    return f"Can an intruder who knows {question.knows()} find people?"


def not_by_value(question: Question) -> str | None:
    """Return the reason why uniques of the known variables cannot be counted, or None."""
    intruder = question.intruder
    if not intruder.known:
        return "the intruder knows no variable."
    measured = [name for name in intruder.known if name in intruder.radii]
    if measured:
        return f"uniques are counted by equal values, but {measured[0]!r} has a radius."
    if intruder.missing == "never":
        return 'with missing="never", every person with a missing value would be unique.'
    return None
