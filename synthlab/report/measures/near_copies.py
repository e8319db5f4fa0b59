"""Near copies: records closer to a record than that record's nearest neighbor."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from synthlab.report.evaluation_inputs import Question
from synthlab.report.measure import Finding, Line, Measure, Row, Write, coarse, share
from synthlab.report.measures.agreement import LUCK, by_luck
from synthlab.report.measures.copied_variables import compared
from synthlab.risk import NearCopiesResult, near_copies

CHECK = 0.80  # share from which the verdict is CHECK
PUBLISHED = 0.05  # step of the share in a publication; each confidential record affects it
MUTUAL = 2 / 3  # expected share in an independent sample with one variable; smaller with several variables


class NearCopies(Measure[NearCopiesResult]):
    """Share of near copies, which does not require a holdout sample."""

    name = "near_copies"
    title = "Near copies"
    section = "risk"
    numbers = ("near_copies",)
    asks_intruder = False

    def applies(self, question: Question) -> str | None:
        """Require several columns and no holdout sample."""
        if question.control is not None:
            return "replaced by the distance to the closest record, because there is a holdout sample."
        if len(compared(question)) < 2:
            return "requires at least two synthetic columns."
        return None if question.n >= 3 else "there are fewer than 3 confidential records."

    def compute(self, question: Question) -> NearCopiesResult:
        """Compare the columns that are not released unchanged by declaration."""
        names = compared(question)
        categorical = [c for c in question.categorical if c in names]
        return near_copies(question.confidential, question.release, variables=names, categorical=categorical)

    def rows(self, result: NearCopiesResult, question: Question) -> list[Row]:
        """Return the share in the dataset with the most near copies."""
        return [
            Row(
                "near_copies",
                "near copies",
                "share",
                result.share,
                synthetic=float(result.share.max()),
                step=PUBLISHED,
                of=(float(result.compared), math.nan),
            )
        ]

    def findings(self, result: NearCopiesResult, question: Question, people: Write) -> list[Finding]:
        """Report a share that independent synthetic data rarely reach."""
        dataset = int(np.argmax(result.share))
        luck = by_luck(float(result.share[dataset]), result.compared, MUTUAL, question.m)
        if result.share[dataset] < CHECK or luck > LUCK:
            return []
        near = share(float(result.share[dataset]), result.compared, people)
        text = (
            f"In {question.dataset_name(dataset, False)}, {near} of the records are closer to a confidential record than "
            "that record's nearest confidential neighbor: possible near copies."
        )
        remedy = "Evaluate with a holdout sample (control) if there is one."
        return [Finding("CHECK", text, self.name, dataset + 1, result.variables, remedy=remedy)]

    def lines(self, result: NearCopiesResult, question: Question, people: Write) -> list[Line]:
        """State the share and what it means."""
        most = coarse(float(result.share.max()), PUBLISHED if question.publish else 0.0)
        return [
            Line(
                "Near copies",
                share(most, result.compared, people),
                "",
                "Share of the released records that are closer to a confidential record than that record's own nearest neighbor. An "
                f"independent sample gives about 50% to 65%. A random sample of {result.compared:,} records of each dataset was compared (seed 1). "
                "This is not proof; a holdout sample (control) gives a better measure.",
            )
        ]

    def to_dict(self, result: NearCopiesResult, question: Question, *, publish: bool) -> Any:
        """Return the share of each dataset."""
        return (
            {"compared": result.compared}
            if publish
            else {"sentence": result.title, "per_dataset": result.share, "compared": result.compared}
        )
