"""Agreement: how often a synthetic value equals the confidential value."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any, ClassVar, NamedTuple

import numpy as np
import pandas as pd

from synthlab._format import percent
from synthlab._result import Result
from synthlab._typing import IntArray
from synthlab.matching.kernel import block_codes
from synthlab.report.evaluation_inputs import Question
from synthlab.report.measure import Finding, Line, Measure, Row, Shown, Table, Write, share

CHECK = 0.10  # excess over the expected agreement
LUCK = 1e-3  # probability that independent synthetic values exceed the limit in any column or dataset
COMPARED = 20  # largest number of other datasets with which each dataset is compared
SAME, STOP = 0.95, 0.20  # share of equal values, and its excess, from which a column counts as unchanged
FEWEST = 50  # smallest number of people whose released record must be found


class Agreed(NamedTuple):
    """Agreement of one column in one dataset (from 1)."""

    column: str
    dataset: int
    people: int
    share: float
    expected: float


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class AgreementResult(Result):
    """Agreement of synthesized columns with the same people's confidential values.

    Attributes
    ----------
    entries : tuple of Agreed
        One entry per column and dataset: the number of people compared, the share that agrees, and the expected share.
        The expected share is the agreement with the other datasets or, if smaller, the share of the most frequent
        value.
    by_row : bool
        Whether people are found by the order of the rows. If False, they are found by unique values of unchanged
        columns.
    """

    _table: ClassVar[str] = "to_frame"

    entries: tuple[Agreed, ...]
    by_row: bool

    def to_frame(self) -> pd.DataFrame:
        """Return one row per column and dataset."""
        return pd.DataFrame(list(self.entries), columns=list(Agreed._fields))

    @property
    def title(self) -> str:
        """A sentence on the column with the largest excess."""
        worst = self.worst
        return (
            f"{worst.share:.1%} of the values of {worst.column} in dataset {worst.dataset} equal the confidential value of "
            f"the same person; {worst.expected:.1%} are expected."
        )

    @property
    def worst(self) -> Agreed:
        """The entry with the largest excess."""
        return max(self.entries, key=lambda one: one.share - one.expected)

    def by_column(self) -> list[Agreed]:
        """Return the entry with the largest share for each column."""
        columns = dict.fromkeys(one.column for one in self.entries)
        return [max((one for one in self.entries if one.column == c), key=lambda one: one.share) for c in columns]


class Agreement(Measure[AgreementResult]):
    """Share of synthetic values that equal the confidential value of the same person."""

    name = "agreement"
    title = "Agreement of synthetic values"
    section = "risk"
    numbers = ("agreement",)
    asks_intruder = False

    def applies(self, question: Question) -> str | None:
        """Require synthesized columns, and people whose released record can be found."""
        if not _compared(question):
            return "no column of both files is declared synthetic."
        return None if question.once(_places) else "the released record of a person cannot be found."

    def compute(self, question: Question) -> AgreementResult:
        """Compare every synthesized column."""
        places = question.once(_places)
        entries = []
        for column in _compared(question):
            own, *others = block_codes([question.confidential, *question.release], [column], "category")
            most = float(np.bincount(own).max()) / own.size
            values = [
                np.where(place >= 0, one[place], -1 - number)
                for number, (one, place) in enumerate(zip(others, places, strict=True))
            ]
            for dataset, (here, place) in enumerate(zip(values, places, strict=True)):
                found = place >= 0
                expected = min([most, *_agreement_between(values, dataset, found)])
                agrees = float((here == own)[found].mean())
                entries.append(Agreed(column, dataset + 1, int(found.sum()), agrees, expected))
        return AgreementResult(tuple(entries), question.rows.by_row)

    def rows(self, result: AgreementResult, question: Question) -> list[Row]:
        """Return the agreement of the column with the largest excess."""
        worst = result.worst
        of = float(worst.people)
        return [
            Row(
                "agreement",
                f"{worst.column} equal to the confidential value",
                "share",
                synthetic=worst.share,
                confidential=1.0,
                random_guess=worst.expected,
                of=(of, of),
                hidden=("random_guess",),
            )
        ]

    def findings(self, result: AgreementResult, question: Question, people: Write) -> list[Finding]:
        """Report columns with more confidential values than chance explains."""
        found, roles = [], question.columns
        for row in result.entries:
            excess = row.share - row.expected
            if excess < CHECK or by_luck(row.share, row.people, row.expected, len(result.entries)) > LUCK:
                continue
            if row.column in roles.derived or row.column in roles.unchanged[row.dataset - 1]:
                continue
            level: Any = "STOP" if row.share >= SAME and excess >= STOP else "CHECK"
            found.append((level, row))
        by_level = {level: [row for other, row in found if other == level] for level, _ in found}
        return [self._finding(level, rows, result, question, people) for level, rows in by_level.items()]

    def _finding(
        self, level: Any, rows: list[Agreed], result: AgreementResult, question: Question, people: Write
    ) -> Finding:
        """Report the column that agrees most often, and count the other columns."""
        worst = max(rows, key=lambda row: row.share - row.expected)
        columns = tuple(dict.fromkeys([worst.column, *(row.column for row in rows)]))
        agree, where = share(worst.share, worst.people, people), question.dataset_name(worst.dataset - 1, False)
        whose = "" if result.by_row else " with unique known or unchanged values"
        also = (
            ""
            if len(columns) == 1
            else f" Also {len(columns) - 1} more {'column' if len(columns) == 2 else 'columns'}."
        )
        text = (
            f"Of {people(float(worst.people), question.n)} people{whose}, {agree} have their confidential value of {worst.column} in {where}; "
            f"{share(worst.expected, worst.people, people)} are expected.{also}"
        )
        remedy = "Use larger leaves, fewer predictors or a simpler model."
        return Finding(
            level,
            text,
            self.name,
            worst.dataset,
            columns,
            worst.share * worst.people,
            float(worst.people),
            "" if level == "STOP" else remedy,
        )

    def lines(self, result: AgreementResult, question: Question, people: Write) -> list[Line]:
        """State the column with the largest excess."""
        worst = result.worst
        how = "in the same row" if result.by_row else "with the same unique values of the unchanged columns"
        return [
            Line(
                f"Values of {worst.column} that equal the confidential values",
                share(worst.share, worst.people, people),
                "100%",
                f"Share of the people whose released value, {how}, is their confidential value. {share(worst.expected, worst.people, people)} are expected: "
                "the agreement between two synthetic datasets, or the share of the most frequent value if that is smaller.",
            )
        ]

    def to_dict(self, result: AgreementResult, question: Question, *, publish: bool) -> Any:
        """Return the table."""
        return None if publish else result.to_frame().to_dict("records")

    def show(self, result: AgreementResult, question: Question, *, show_values: bool, publish: bool) -> Shown:
        """List every synthesized column."""
        if publish:
            return Shown()
        rows = [[one.column, str(one.dataset), percent(one.share), percent(one.expected)] for one in result.by_column()]
        text = "The dataset with the largest agreement."
        return Shown(
            tables=(Table("Agreement of synthetic values", text, ["Column", "Dataset", "Agrees", "Expected"], rows),)
        )


def by_luck(share: float, of: float, expected: float, tried: int) -> float:
    """Return the probability that one of `tried` shares reaches `share` by chance.

    The probability is an upper bound for shares of `of` records whose expected value is `expected`.
    """
    from scipy import stats

    return tried * float(stats.binom.sf(math.ceil(round(share * of, 6)) - 1, of, expected))


def _agreement_between(values: list[IntArray], dataset: int, found: Any) -> list[float]:
    """Return the mean agreement of one dataset with each of at most 20 others, as a list.

    The list is empty if there are no others.
    """
    others = [*values[dataset + 1 :], *values[:dataset]][:COMPARED]
    shares = [float((values[dataset] == one)[both].mean()) for one in others if (both := found & (one >= 0)).any()]
    return [float(np.mean(shares))] if shares else []


def _compared(question: Question) -> list[str]:
    """Return the synthesized columns; for publication without columns that have a single value after merging."""
    roles, constant = question.columns, question.constants if question.publish else []
    return [c for c in roles.synthesized if c in roles.comparable and c not in constant]


def _places(question: Question) -> list[IntArray]:
    """Return the row of each person's released record in each dataset.

    A row is -1 if it is not known. The list is empty if few rows are known.
    """
    n = question.n
    if question.rows.by_row:
        return [np.arange(n)] * question.m
    roles = question.columns
    declared = [c for c in roles.comparable if c not in roles.synthesized]
    places = []
    for number, one in enumerate(question.release):
        keys = [c for c in declared if c in roles.unchanged[number]]
        if not keys:
            return []
        own, other = block_codes([question.confidential, one], keys, "category")
        place = _unique_places(own, other)
        if (place >= 0).sum() < min(FEWEST, n):
            return []
        places.append(place)
    return places


def _unique_places(own: IntArray, other: IntArray) -> IntArray:
    """Return the row of `other` with the code of each record.

    The row is -1 unless the code is unique in both files.
    """
    size = max(int(own.max()), int(other.max())) + 1
    alone = (np.bincount(own, minlength=size) == 1) & (np.bincount(other, minlength=size) == 1)
    row = np.full(size, -1, dtype=np.int64)
    row[other] = np.arange(other.size)
    return np.where(alone[own], row[own], -1)
