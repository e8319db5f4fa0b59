"""Agreement: rows with the person's own values, values in another order, and datasets that are copies of each other."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
import pandas as pd

from synthlab._format import listed, percent
from synthlab._result import Result
from synthlab.matching.kernel import block_codes
from synthlab.report.corresponding_rows import NOT_FOUND, corresponding_rows
from synthlab.report.evaluation_inputs import Question
from synthlab.report.measure import CHANCE, Answer, Finding, Line, Measure, Row, Shown, Table, Write, out_of, share
from synthlab.report.measures.learned_attack import also, map_attack
from synthlab.risk.copies.row_agreement import (
    Agreed,
    Level,
    OwnAmounts,
    RowAgreementResult,
    copied_datasets,
    is_design,
    row_agreement,
    same_in_another_order,
)

FINER = "Use larger leaves (`min_leaf=`), fewer predictors, or fewer datasets (`m=`)."
SMOOTH = "Use `smooth`, or round the column: the release contains the exact amounts of single people."
REDRAW = "Use `smooth`, or round or synthesize the column: a permutation releases all its exact values."
SEEDS = "Give each dataset its own random numbers: use another seed, or fewer datasets (`m=`)."


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class AgreementResult(Result):
    """Agreement of a release with the same people's confidential values, and of its datasets.

    Attributes
    ----------
    by_row : RowAgreementResult or None
        Agreement of rows; None if the released records of at least 60 people are not known.
    reordered : dict {str: tuple of int}
        Columns that have all their confidential values in another order, with the datasets (from 1).
    copies : tuple of (int, int)
        Datasets (from 1) that have the joint values of an earlier one in all synthesized columns.
    level : {"STOP", "CHECK"} or None
        Level of the copied datasets.
    """

    _table: ClassVar[str] = "to_frame"

    by_row: RowAgreementResult | None
    reordered: dict[str, tuple[int, ...]]
    copies: tuple[tuple[int, int], ...]
    level: Level | None

    def to_frame(self) -> pd.DataFrame:
        """Return one row per column and one for all columns together; without known rows, an empty table."""
        return pd.DataFrame() if self.by_row is None else self.by_row.to_frame()

    @property
    def title(self) -> str:
        """A sentence on the column that agrees most often."""
        return f"Rows: {NOT_FOUND}" if self.by_row is None else self.by_row.title


class Agreement(Measure[AgreementResult]):
    """Agreement of values with the same person's record, with confidential columns, and between datasets."""

    name = "agreement"
    title = "Agreement of synthetic values"
    section = "risk"
    numbers = ("agreement",)
    asks_intruder = False

    def applies(self, question: Question) -> str | None:
        """Require a synthesized column, and rows or files that can be compared."""
        if not _changed(question):
            return "no column of both files is synthetic."
        if question.once(corresponding_rows, shared=True) or question.m > 1 or question.release.n == question.n:
            return None
        return NOT_FOUND

    def compute(self, question: Question) -> AgreementResult:
        """Compare rows, columns and datasets."""
        rows = question.once(corresponding_rows, shared=True)
        found = None if rows is None else row_agreement(rows.confidential, rows.frames, rows.synthesized)
        copies = tuple(copied_datasets(question.release.frames, _changed(question)))
        level: Level | None = "CHECK" if copies else None
        if copies and found is not None:
            attack = question.once(map_attack, shared=True)
            level = "STOP" if found.level or (attack and attack.level) else "CHECK"
        return AgreementResult(found, _reordered(question), copies, level)

    def rows(self, result: AgreementResult, question: Question) -> list[Row]:
        """Return the agreement of the column with the largest excess."""
        if result.by_row is None:
            return []
        worst, of = _worst(result.by_row.agreed), float(result.by_row.n)
        return [
            Row(
                "agreement",
                f"{_named(worst)} equal to the confidential value",
                "share",
                synthetic=worst.own,
                confidential=1.0,
                random_guess=worst.others,
                of=(of, of),
            )
        ]

    def answers(self, result: AgreementResult, question: Question, people: Write) -> list[Answer]:
        """Compare the rows, the exact amounts or the columns that decide with chance."""
        asked = "Do rows or columns contain people's own values?"
        if result.by_row is not None:
            worst, n = _worst(result.by_row.agreed), float(result.by_row.n)
            amounts = [one for one in result.by_row.amounts if one.level]
            if worst.level or not (amounts or result.reordered or math.isnan(worst.others)):
                found = f"{share(worst.own, n, people)} of {_named(worst)}"
                return [Answer(asked, found, f"{share(worst.others, n, people)} in another dataset", CHANCE)]
            if amounts:
                most = max(amounts, key=lambda one: one.people - one.chance)
                found = f"{people(most.people, n)} people: exact {most.column}"
                return [Answer(asked, found, f"{people(round(most.chance), n)} people", CHANCE)]
        if result.reordered:
            return [Answer(asked, f"{listed(list(result.reordered), 3)}, in another order", "", CHANCE)]
        return []

    def findings(self, result: AgreementResult, question: Question, people: Write) -> list[Finding]:
        """Report rows, exact amounts, values in another order, and copied datasets."""
        found = []
        if result.by_row is not None:
            for level in ("STOP", "CHECK"):
                if entries := [one for one in result.by_row.agreed if one.level == level]:
                    found.append(self._rows(entries, result.by_row, question, people))
            if amounts := [one for one in result.by_row.amounts if one.level]:
                found.append(self._amounts(amounts, result.by_row, question, people))
        if result.reordered:
            columns, n = tuple(result.reordered), float(question.n)
            verb = "have" if len(columns) > 1 else "has"
            where = question.dataset_name(result.reordered[columns[0]][0] - 1, False)
            text = f"{listed(columns, 3)} {verb} the confidential values of all {people(n)} people in {where}, in another order."
            found.append(Finding("CHECK", text, self.name, None, columns, remedy=REDRAW))
        if result.copies and result.level:
            first, second = result.copies[0]
            more = len(result.copies) - 1
            text = f"Dataset {second} has the same records as dataset {first} in all synthesized columns." + (
                f" {more} more {'dataset is a copy' if more == 1 else 'datasets are copies'}." if more else ""
            )
            found.append(Finding(result.level, text, self.name, second, _changed(question), remedy=SEEDS))
        return found

    def _rows(
        self, entries: Sequence[Agreed], result: RowAgreementResult, question: Question, people: Write
    ) -> Finding:
        """Report the columns that agree more often with the file than with another dataset, the worst first."""
        worst = _worst(entries)
        columns = tuple(dict.fromkeys([*worst.columns, *(c for one in entries for c in one.columns)]))
        n = float(result.n)
        text = (
            f"{share(worst.own, n, people)} of the values of {_named(worst)} are the person's own; two datasets agree in "
            f"{share(worst.others, n, people)}.{also(len(columns) - 1) if len(worst.columns) == 1 else ''}"
        )
        return Finding(worst.level or "CHECK", text, self.name, None, columns, worst.own * n, n, FINER)

    def _amounts(
        self, entries: Sequence[OwnAmounts], result: RowAgreementResult, question: Question, people: Write
    ) -> Finding:
        """Report exact amounts of single people in their own row, the worst column first."""
        worst, n = max(entries, key=lambda one: one.people - one.chance), float(result.n)
        columns = tuple(dict.fromkeys([worst.column, *(one.column for one in entries)]))
        text = (
            f"{out_of(worst.people, n, people)} people are released in their row with their exact {worst.column}, which only they "
            f"have; by chance {people(round(worst.chance))}.{also(len(columns) - 1)}"
        )
        return Finding("CHECK", text, self.name, None, columns, worst.people, n, SMOOTH)

    def lines(self, result: AgreementResult, question: Question, people: Write) -> list[Line]:
        """State the column with the largest excess."""
        if result.by_row is None:
            return []
        worst, n = _worst(result.by_row.agreed), float(result.by_row.n)
        rows = question.once(corresponding_rows, shared=True)
        how = (
            "in the same row" if rows is None or rows.by_row else "with the same unique values of the unchanged columns"
        )
        baseline = (
            "With one dataset there is no baseline; see the intruder who learns the map."
            if math.isnan(worst.others)
            else f"Two datasets agree in {share(worst.others, n, people)}; an honest model gives about the same share."
        )
        return [
            Line(
                f"Values of {_named(worst)} that equal the confidential values",
                share(worst.own, n, people),
                "100%",
                f"Share of the people whose released value, {how}, is their confidential value. {baseline}",
            )
        ]

    def to_dict(self, result: AgreementResult, question: Question, *, publish: bool) -> Any:
        """Return the tables."""
        if publish:
            return None
        table = result.to_frame()
        return {
            "rows": [] if table.empty else table.to_dict("records"),
            "reordered": result.reordered,
            "copied_datasets": list(result.copies),
        }

    def show(self, result: AgreementResult, question: Question, *, show_values: bool, publish: bool) -> Shown:
        """List every synthesized column."""
        if publish or result.by_row is None:
            return Shown()
        rows = [
            [
                _named(one),
                percent(one.own),
                "" if math.isnan(one.others) else percent(one.others),
                "" if math.isnan(one.z) else f"{one.z:.1f}",
                one.level or "",
            ]
            for one in result.by_row.agreed
        ]
        text = "Share of rows with the person's own value, and with the value of another dataset."
        columns = ["Column", "Own value", "Other dataset", "z", "Level"]
        return Shown(tables=(Table("Agreement of synthetic values", text, columns, rows),))


def _named(one: Agreed) -> str:
    return one.columns[0] if len(one.columns) == 1 else f"all {len(one.columns)} synthesized columns"


def _worst(entries: Sequence[Agreed]) -> Agreed:
    """Return the entry of the highest level with the largest excess, or without a baseline the largest agreement."""
    return max(
        entries,
        key=lambda one: (one.level == "STOP", one.level == "CHECK", one.own if math.isnan(one.points) else one.points),
    )


def _changed(question: Question) -> tuple[str, ...]:
    """Return the columns that are declared synthetic or differ in some dataset, without derived columns."""
    roles = question.columns
    kept = set.intersection(*map(set, roles.unchanged)) - set(roles.synthesized)
    apart = {*kept, *roles.derived, *question.constants}
    return tuple(c for c in roles.comparable if c not in apart)


def _reordered(question: Question) -> dict[str, tuple[int, ...]]:
    """Return columns with all their confidential values in another order, unless another finding reports them."""
    if question.release.n != question.n:
        return {}
    roles, found = question.columns, dict[str, list[int]]()
    names = [c for c in _changed(question) if c not in roles.known]
    codes = {c: block_codes([question.confidential, *question.release], [c], "category") for c in names}
    codes = {c: one for c, one in codes.items() if not is_design(question.confidential[c], one[0])}
    for dataset in range(1, question.m + 1):
        files = {
            c: (one[0], one[dataset])
            for c, one in codes.items()
            if c not in roles.unchanged[dataset - 1] and not np.array_equal(one[0], one[dataset])
        }
        for column in same_in_another_order(files):
            found.setdefault(column, []).append(dataset)
    return {column: tuple(datasets) for column, datasets in found.items()}
