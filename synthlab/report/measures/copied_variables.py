"""Copying on all synthesized variables, on all but one, and on some."""

from __future__ import annotations

from typing import Any

import numpy as np

from synthlab._format import listed
from synthlab.report.evaluation_inputs import Question
from synthlab.report.measure import Finding, Line, Measure, Row, Write, out_of_are
from synthlab.risk import CopiedVariablesResult, copied_variables
from synthlab.risk.copies.copied_variables import CopiedSet

COPIED = 0.20  # share of the unique records, or of the released records, from which copying is reported
STOP, CHECK = 0.10, 0.05  # excess over the share that chance explains
FEWEST = 10  # people
UNLIKELY = 0.001  # probability that chance copies as many people on any set of as many variables


class CopiedVariables(Measure[CopiedVariablesResult]):
    """Unique records that are copied on all, nearly all, or some variables."""

    name = "copied_variables"
    title = "Degrees of copying"
    section = "risk"
    numbers = ("copied_people",)
    asks_intruder = False

    def applies(self, question: Question) -> str | None:
        """Require two columns.

        Copying of a single variable cannot be distinguished from resampling.
        """
        if len(compared(question)) < 2:
            return "requires at least two synthetic columns; a single column can be compared only row by row."
        return None

    def compute(self, question: Question) -> CopiedVariablesResult:
        """Compare the columns that are not released unchanged by declaration."""
        return copied_variables(question.confidential, question.release, variables=compared(question))

    def rows(self, result: CopiedVariablesResult, question: Question) -> list[Row]:
        """Return the number of people with a copy in the dataset with the most copies."""
        every, n = result.sets[0], float(question.n)
        return [
            Row(
                "copied_people",
                "people with an exact copy",
                "people",
                every.people,
                synthetic=float(every.people.max()),
                confidential=n,
                of=(n, n),
            )
        ]

    def findings(self, result: CopiedVariablesResult, question: Question, people: Write) -> list[Finding]:
        """Report the set of variables and the dataset with the largest excess over chance."""
        judged = [(level, one, dataset) for one in result.sets for level, dataset in self._judge(one)]
        if not judged:
            return []
        level, one, dataset = max(judged, key=lambda entry: (entry[0] == "STOP", entry[1].excess[entry[2]]))
        return [self._finding(level, one, dataset, question, people)]

    @staticmethod
    def _judge(one: CopiedSet) -> list[tuple[Any, int]]:
        """Return the datasets with a finding and their levels."""
        found = []
        for dataset, excess in enumerate(one.excess):
            clear = one.copied[dataset] >= FEWEST and one.luck[dataset] <= UNLIKELY
            large = max(one.copied_share[dataset], one.released_share[dataset]) >= COPIED
            if clear and large and excess >= STOP:
                found.append(("STOP", dataset))
            elif clear and excess >= CHECK:
                found.append(("CHECK", dataset))
        return found

    def _finding(self, level: Any, one: CopiedSet, dataset: int, question: Question, people: Write) -> Finding:
        where, copied = question.dataset_name(dataset), float(one.copied[dataset])
        width = len(compared(question))
        columns = "all" if len(one.variables) == width else f"{len(one.variables)} of"
        named = f" ({listed(one.variables, 3)})" if 1 < len(one.variables) <= 4 else ""
        chance = people(round(one.expected_copied * one.unique))
        text = (
            f"{where} copies {people(copied, question.n, one.unique)} of {people(one.unique, question.n)} people who are unique on {columns} {width} "
            f"columns{named}; chance explains {chance}."
        )
        return Finding(level, text, self.name, dataset + 1, one.variables, copied, float(one.unique))

    def lines(self, result: CopiedVariablesResult, question: Question, people: Write) -> list[Line]:
        """State the degrees of copying with the numbers that chance explains.

        For publication, only copying of all columns is stated, because the choice of columns depends on few people.
        """
        sets = result.sets[:1] if question.publish else result.sets
        return [self._line(one, result, question, people) for one in sets]

    @staticmethod
    def _line(one: CopiedSet, result: CopiedVariablesResult, question: Question, people: Write) -> Line:
        dataset = int(np.argmax(one.excess))
        names = {"all": "all columns", "all but one": "all columns but one", "subset": "the columns copied most"}
        which = "the dataset" if question.publish else f"dataset {dataset + 1},"
        most = f" in {which} which copies most" if question.m > 1 else ""
        sample = (
            " The search used a random sample of the records (seed 1)."
            if result.sampled and one.degree == "subset"
            else ""
        )
        return Line(
            f"Unique people copied on {names[one.degree]}",
            people(float(one.copied[dataset]), question.n, one.unique),
            people(float(one.unique), question.n),
            f"{out_of_are(float(one.unique), float(question.n), people)} unique on {listed(one.variables, 6)}. The release has an "
            f"equal record for {people(float(one.copied[dataset]), question.n, one.unique)} of these{most}. Chance explains "
            f"{people(round(one.expected_copied * one.unique))}.{sample}",
        )

    def to_dict(self, result: CopiedVariablesResult, question: Question, *, publish: bool) -> Any:
        """Return the degrees of copying; for publication, only the compared variables."""
        if publish:
            return {"variables": list(result.variables)}
        table = result.summary().reset_index()
        return {
            "sentence": result.title,
            "variables": list(result.variables),
            "degrees": [
                {**row, "columns": list(one.variables)}
                for row, one in zip(table.to_dict("records"), result.sets, strict=True)
            ],
        }


def compared(question: Question) -> list[str]:
    """Return the columns whose copies are counted.

    Columns that are declared and released as unchanged are omitted.
    """
    roles = question.columns
    names = question.chosen if question.chosen is not None else roles.comparable
    apart = {c for one in roles.unchanged for c in one if c not in roles.synthesized}
    return [c for c in names if c in roles.comparable and c not in apart]
