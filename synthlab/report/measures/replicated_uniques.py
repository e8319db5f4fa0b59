"""Replicated uniques: people who are unique in the data and in the release."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np

from synthlab.matching.kernel import block_codes
from synthlab.report.evaluation_inputs import Question
from synthlab.report.measure import Line, Measure, Row, Write, out_of, out_of_are
from synthlab.risk import ReplicatedUniquesResult, replicated_uniques


class ReplicatedUniques(Measure[ReplicatedUniquesResult]):
    """Number of people who are unique on the known variables in both files."""

    name = "replicated_uniques"
    title = "Replicated uniques"
    section = "risk"
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

    def people(self, result: ReplicatedUniquesResult, question: Question, people: Write) -> str:
        """State how many people are unique in both files."""
        kept, n, unique = float(result.replicated.max()), float(result.n), float(result.unique)
        same = set.intersection(*map(set, question.columns.unchanged)) - set(question.columns.synthesized)
        alone = (
            f"without the synthetic values {people(kept, n, unique)}, "
            if same.issuperset(result.intruder.known)
            else ""
        )
        return (
            f"An intruder who knows {question.knows()} can find at most {out_of(kept, n, people)} people (unique in both "
            f"files); {alone}with the unchanged file {people(unique, n)}, by chance at most {people(round(unique * question.once(_chance)), n)}."
        )

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
