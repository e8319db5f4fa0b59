"""Identifying values: released texts, times and identifiers that occur in the confidential data."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import pandas as pd

from synthlab import _checks
from synthlab.report.evaluation_inputs import Question
from synthlab.report.measure import CHANCE, NONE, Answer, Finding, Line, Measure, Row, Write, about, out_of
from synthlab.risk import IdentifyingValuesResult, identifying_values
from synthlab.risk.copies.design_columns import design_columns
from synthlab.risk.copies.identifying_values import DISTINCT
from synthlab.synthesis._identifiers import find_identifiers
from synthlab.synthesis._variable_types import IDENTIFIER, NUMBER
from synthlab.synthesis.plan import plan_or_none

SEED = 1  # order of the values of a number whose form is examined
REMEDY = {
    "text": "Drop {} or replace its texts by categories.",
    "time": "Drop {} or release only the hour.",
    "date and time": "Drop {} or release only the day.",
    "number": 'Drop {} or draw new numbers: identifiers="new" of synthesize.',
    "amount": "Synthesize {} again with smooth (or drop it): trees without smoothing release the amounts of real people.",
}


class IdentifyingValues(Measure[IdentifyingValuesResult]):
    """Values of texts, times and identifiers that occur in both files, in columns with any role."""

    name = "identifying_values"
    title = "Identifying values"
    section = "risk"
    numbers = ("identifying_values",)
    asks_intruder = False

    def applies(self, question: Question) -> str | None:
        """Require a column whose values can identify a person."""
        result = question.once(released_values)
        if len(result.table):
            return None
        return "no column has texts, times or numbers that are different for nearly all people."

    def compute(self, question: Question) -> IdentifyingValuesResult:
        """Return the counts of every column."""
        return question.once(released_values)

    def rows(self, result: IdentifyingValuesResult, question: Question) -> list[Row]:
        """Return the counts of the column with the largest z."""
        table = result.table[result.table["kind"] != "amount"]
        if table.empty:
            return []
        worst = table.iloc[int(table["z"].to_numpy().argmax())]
        people = float(worst["people"])
        return [
            Row(
                "identifying_values",
                "released identifying values",
                "people",
                synthetic=float(worst["values"]),
                confidential=people,
                random_guess=float(worst["chance"]),
                of=(people, people),
            )
        ]

    def answers(self, result: IdentifyingValuesResult, question: Question, people: Write) -> list[Answer]:
        """Compare the column with the worst level and the largest z with chance."""
        table = result.table.assign(rank=result.table["level"].map({"STOP": 2, "CHECK": 1}).fillna(0))
        table = table.sort_values(["rank", "z"], ascending=False, kind="stable")
        column, row = str(table.index[0]), table.iloc[0]
        values, total = float(row["values"]), float(row["people"])
        return [
            Answer(
                "Names, numbers, times, exact amounts?",
                f"{out_of(values, total, people)} values of {column}",
                about(float(row["chance"]), total, people),
                CHANCE if values else NONE,
            )
        ]

    def lines(self, result: IdentifyingValuesResult, question: Question, people: Write) -> list[Line]:
        """State for each column how many values are released, and how many by chance."""
        return [
            Line(
                f"Confidential values of {column}",
                people(float(row["values"]), float(row["people"])),
                people(float(row["people"])),
                f"Different values of the {row['kind']} {column} that occur in the release{_where(row, question)}; "
                f"by chance {about(float(row['chance']), float(row['people']), people)}.",
            )
            for column, row in result.table.iterrows()
        ]

    def findings(self, result: IdentifyingValuesResult, question: Question, people: Write) -> list[Finding]:
        """Report more values of people than chance explains."""
        found = self._found(result.table, question, people, "confidential values of {}")
        if result.control is not None:
            found += self._found(result.control.table, question, people, "values of {} in the holdout sample")
        return found

    def _found(self, table: pd.DataFrame, question: Question, people: Write, whose: str) -> list[Finding]:
        found = []
        for column, row in table[table["level"].notna()].iterrows():
            values, total = float(row["values"]), float(row["people"])
            what = f"amounts of {column} that one person has" if row["kind"] == "amount" else whose.format(column)
            text = (
                f"{out_of(values, total, people)} {what} are released{_where(row, question)}; "
                f"by chance {about(float(row['chance']), total, people)}."
            )
            dataset = int(row["dataset"]) or None
            remedy = REMEDY[str(row["kind"])].format(column)
            found.append(Finding(row["level"], text, self.name, dataset, (str(column),), values, total, remedy))
        return found

    def to_dict(self, result: IdentifyingValuesResult, question: Question, *, publish: bool) -> Any:
        """Return the counts; for publication, only the kinds of the columns."""
        if publish:
            return {"kinds": result.table["kind"].to_dict()}
        tables = {"confidential": result.table, **({} if result.control is None else {"control": result.control.table})}
        return {name: table.reset_index().to_dict("records") for name, table in tables.items()}


def _where(row: Any, question: Question) -> str:
    if question.m == 1:
        return ""
    return f" in dataset {row['dataset']}" if row["dataset"] else f" in the {question.m} datasets together"


def released_values(question: Question) -> IdentifyingValuesResult:
    """Return the counts of all columns of both files.

    Amounts of variables that are released unchanged by design are omitted: `Columns` reports them.
    """
    frame, roles = question.confidential, question.columns
    names = [c for c in (*roles.known, *roles.synthesized, *roles.neither) if c not in roles.other_types]
    radius, plan = question.asked.radius, plan_or_none(question.release)
    units = () if question.units is None else question.units.structure.unit
    declared = {v.variable for v in plan.variables if v.role == IDENTIFIER} if plan else set()
    result = identifying_values(
        frame,
        question.release,
        variables=names,
        identifiers=[c for c in names if c in declared or c in units or _is_identifier(frame[c])],
        amounts=[c for c, one in radius.items() if c in names and one] if isinstance(radius, Mapping) else [],
        design=question.once(design),
        control=_comparable(question, names),
        entity=None if question.units is None else question.units.codes[0],
    )
    kept = {*roles.known, *(c for one in roles.unchanged for c in one)} - {*roles.synthesized}
    by_design = (result.table["kind"] == "amount") & result.table.index.isin(list(kept))
    control = result.control
    return IdentifyingValuesResult(
        result.table[~by_design],
        result.n,
        result.m,
        None
        if control is None
        else IdentifyingValuesResult(control.table[control.table["kind"] != "amount"], control.n, control.m),
    )


def design(question: Question) -> tuple[str, ...]:
    """Return the design columns: constants, strata, clusters and columns that count."""
    given = question.design
    declared = [] if given is None else [c for c in (given.strata, given.clusters) if isinstance(c, str)]
    wave = None if question.units is None else question.units.structure.wave
    return design_columns(question.confidential, [*declared, *([] if wave is None else [wave])])


def reported(question: Question) -> set[str]:
    """Return the columns whose values are reported."""
    table = question.once(released_values).table
    return set(table.index[table["level"].notna()])


def _comparable(question: Question, names: list[str]) -> pd.DataFrame | None:
    """Return the columns of the holdout sample that have the types of the confidential data."""
    control = question.control
    if control is None:
        return None
    frame = question.confidential
    kinds = {c: {_checks.comparable_kind(one[c]) for one in (frame, control)} for c in names if c in control.columns}
    same = [c for c, both in kinds.items() if len(both - {"nothing"}) < 2]
    return control[same] if same else None


def _is_identifier(series: pd.Series) -> bool:
    """Return whether numbers look like an identifier of records, in any order of the rows."""
    if not pd.api.types.is_numeric_dtype(series.dtype) or pd.api.types.is_bool_dtype(series.dtype):
        return False
    present = series.dropna()
    if present.nunique() < DISTINCT * len(present) or not len(present):
        return False
    mixed = present.sort_values().sample(frac=1, random_state=SEED)
    return bool(find_identifiers(mixed.to_frame(), {str(series.name): NUMBER}))
