"""Identifying values: released texts, times and numbers that occur in the confidential data."""

from __future__ import annotations

import math
from typing import Any

from synthlab import _checks
from synthlab.exceptions import DtypeMismatchError
from synthlab.report.compared import compared
from synthlab.report.evaluation_inputs import Question
from synthlab.report.measure import CHANCE, NONE, Answer, Finding, Line, Measure, Row, Shown, Table, Write, out_of
from synthlab.risk import IdentifyingValuesResult, identifying_values

REMEDIES = {
    "STOP": "Drop {column}, coarsen it, or draw new values (`identifiers=`).",
    "CHECK": "Smooth {column} (`smooth`): trees reuse the amounts of single people.",
}


class IdentifyingValues(Measure[IdentifyingValuesResult]):
    """Released values that occur in the confidential data and can identify a person, in any role of their column."""

    name = "identifying_values"
    title = "Identifying values"
    section = "risk"
    numbers = ("identifying_values",)
    asks_intruder = False

    def compute(self, question: Question) -> IdentifyingValuesResult:
        """Examine all columns of both files, also identifiers and columns that are declared synthetic."""
        roles = question.columns
        names = [c for c in (*roles.known, *roles.synthesized, *roles.neither) if c not in roles.other_types]
        return identifying_values(
            question.confidential,
            question.release,
            variables=names,
            identifiers=[c for c in roles.identifiers if c in names],
            amounts=[c for c in question.intruder.radii if c in names],
            control=_holdout(question, names),
        )

    def rows(self, result: IdentifyingValuesResult, question: Question) -> list[Row]:
        """Return the released values of the column with most of them beyond chance."""
        if result.table.empty:
            return []
        worst = result.table.iloc[int((result.table["values"] - result.table["chance"]).to_numpy().argmax())]
        of = (float(worst["released"]), float(worst["people"]))
        return [
            Row(
                "identifying_values",
                f"confidential values of {worst.name}",
                "people",
                synthetic=float(worst["values"]),
                confidential=float(worst["people"]),
                random_guess=float(worst["chance"]),
                of=of,
            )
        ]

    def answers(self, result: IdentifyingValuesResult, question: Question, people: Write) -> list[Answer]:
        """State the worst column, or that no column identifies."""
        asked = "Names, numbers, times that identify?"
        table = result.table[result.table["kind"] != "amount"]
        if table.empty:
            return [Answer(asked, "no such column")]
        worst = table.iloc[int((table["values"] - table["chance"]).to_numpy().argmax())]
        values, chance = float(worst["values"]), float(worst["chance"])
        word = NONE if values < 1 else CHANCE
        return [Answer(asked, f"{people(values)} values of {worst.name}", people(round(chance)), word)]

    def findings(self, result: IdentifyingValuesResult, question: Question, people: Write) -> list[Finding]:
        """Report every column with more confidential values than chance explains."""
        kept = compared(question).kept
        found = []
        for one, whose in ((result, "confidential"), (result.control, "holdout")):
            if one is None:
                continue
            for column, row in one.table[one.table["level"].notna()].iterrows():
                level: Any = row["level"]
                if level == "CHECK" and column in kept:  # released by design; its columns are reported by their role
                    continue
                values, total = float(row["values"]), float(row["people"])
                where = "" if question.m == 1 or not row["dataset"] else f" in dataset {row['dataset']}"
                text = (
                    f"{out_of(values, total, people)} {whose} values of {column} are released{where}; by chance "
                    f"{people(round(float(row['chance'])))}."
                )
                dataset = int(row["dataset"]) or None
                remedy = REMEDIES[level].format(column=column)
                found.append(Finding(level, text, self.name, dataset, (str(column),), values, total, remedy))
        return found

    def lines(self, result: IdentifyingValuesResult, question: Question, people: Write) -> list[Line]:
        """State the number of columns that were examined."""
        table = result.table
        if table.empty:
            return []
        most = float(table["values"].max())
        return [
            Line(
                "Identifying values",
                people(most),
                people(float(table["people"].max())),
                f"Largest number of released values of one column that occur in the confidential data. {len(table)} "
                f"{'column has' if len(table) == 1 else 'columns have'} values of which at least 95% are distinct.",
            )
        ]

    def to_dict(self, result: IdentifyingValuesResult, question: Question, *, publish: bool) -> Any:
        """Return the table; for publication, only the kinds of the columns."""
        kinds = {str(column): str(kind) for column, kind in result.table["kind"].items()}
        return {"kinds": kinds} if publish else result.to_dict()

    def show(self, result: IdentifyingValuesResult, question: Question, *, show_values: bool, publish: bool) -> Shown:
        """List the columns."""
        if publish or result.table.empty:
            return Shown()
        rows = [
            [
                str(column), str(row["kind"]), f"{row['values']:,}", f"{row['chance']:,.0f}",
                "" if math.isnan(row["z"]) else f"{row['z']:.1f}", row["level"] or "",
            ]
            for column, row in result.table.iterrows()
        ]  # fmt: skip
        text = "Distinct released values that occur in the confidential data."
        return Shown(
            tables=(Table("Identifying values", text, ["Column", "Kind", "Values", "By chance", "z", "Level"], rows),)
        )


def _holdout(question: Question, names: list[str]) -> Any:
    """Return the holdout sample with the columns that have the type of the confidential data, or None."""
    control = question.control
    if control is None:
        return None
    same = []
    for name in (c for c in names if c in control.columns):
        try:
            _checks.check_same_kind(question.confidential, [control], [name], "control")
        except DtypeMismatchError:
            continue
        same.append(name)
    return control[same] if same else None
