"""The intruder who learns the map from released to confidential values."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from synthlab._checks import half_width
from synthlab._format import count, percent
from synthlab.report.corresponding_rows import NOT_FOUND, corresponding_rows
from synthlab.report.evaluation_inputs import Question
from synthlab.report.measure import WIDE, Answer, Finding, Line, Measure, Row, Shown, Table, Write, draw, points, share
from synthlab.risk import LearnedAttackResult, learned_attack

if TYPE_CHECKING:
    from matplotlib.axes import Axes

UNDO = "Draw new values from a model (`synthesize`): a fixed map, rounding or small noise can be undone."
TOO_FINE = "The model is too fine: use larger leaves (`min_leaf=`) or fewer datasets (`m=`)."
JUDGE = "Use larger leaves (`min_leaf=`), fewer predictors, or fewer datasets (`m=`)."
DRAWN = 12  # columns of the figure


def also(columns: int) -> str:
    """Return the number of further columns as the end of a finding.

    >>> also(0), also(1), also(2)
    ('', ' Also 1 more column.', ' Also 2 more columns.')
    """
    return f" Also {columns} more {'column' if columns == 1 else 'columns'}." if columns else ""


class LearnedAttack(Measure[LearnedAttackResult]):
    """People whose value an intruder predicts who learns from half of the people."""

    name = "learned_attack"
    title = "Intruder who learns the map"
    section = "risk"
    by_record = True
    numbers = ("learned_attack",)
    of_values = True
    asks_intruder = False

    def applies(self, question: Question) -> str | None:
        """Require 60 people whose released record is known, and a synthesized column."""
        return None if question.once(corresponding_rows, shared=True) else NOT_FOUND

    def compute(self, question: Question) -> LearnedAttackResult:
        """Attack every synthesized column."""
        result = question.once(map_attack, shared=True)
        if result is None:
            raise ValueError(NOT_FOUND)
        return result

    def rows(self, result: LearnedAttackResult, question: Question) -> list[Row]:
        """Return the share right for the worst column, with and without the released values."""
        worst, of = result.worst, float(result.people)
        return [
            Row(
                "learned_attack",
                f"{worst.name} predicted by an intruder who learns",
                "share",
                synthetic=float(worst["right"]),
                confidential=1.0,
                known_only=float(worst["baseline"]),
                of=(of, of),
            )
        ]

    def answers(self, result: LearnedAttackResult, question: Question, people: Write) -> list[Answer]:
        """Compare the attack on the worst column with predictions from the known variables."""
        (row,) = self.rows(result, question)
        if np.isnan(row.release):
            return []
        n = float(result.people)
        return [
            Answer(
                f"Can values be learned from the release? (best: {result.worst.name})",
                f"{share(row.release, n, people)} right",
                f"{share(row.known_only, n, people)} from the known variables",
                points(row.release - row.known_only, n, people),
            )
        ]

    def lines(self, result: LearnedAttackResult, question: Question, people: Write) -> list[Line]:
        """State the worst column."""
        worst = result.worst
        twin = (
            ""
            if np.isnan(worst["twin_points"])
            else f" From the other datasets, the truth is predicted more often than the last dataset by {worst['twin_points']:.1f} points."
        )
        return [
            Line(
                f"People whose {worst.name} an intruder predicts who learns from half of the people",
                self._share(worst["right"], result, people),
                "100%",
                f"{self._sentence(str(worst.name), result, question, people)} The sample has {count(float(result.people))} people."
                f"{twin}",
            )
        ]

    def findings(self, result: LearnedAttackResult, question: Question, people: Write) -> list[Finding]:
        """Report the worst column of each level, and name the others."""
        fine = result.too_fine
        found = []
        groups = {
            UNDO: [c for c in result.table.index if result.table.loc[c, "level"] == "STOP"],
            JUDGE: [c for c in result.table.index if result.table.loc[c, "level"] == "CHECK" and c not in fine],
            TOO_FINE: list(fine),
        }
        for remedy, columns in groups.items():
            if columns:
                ordered = sorted(columns, key=lambda c: -result.table.loc[c, "points"])
                worst = result.table.loc[ordered[0]]
                more = also(len(columns) - 1)
                found.append(
                    Finding(
                        worst["level"],
                        self._sentence(ordered[0], result, question, people) + more,
                        self.name,
                        None,
                        tuple(ordered),
                        float(worst["right"] * result.people),
                        float(result.people),
                        remedy,
                    )
                )
        return found

    def _sentence(self, column: str, result: LearnedAttackResult, question: Question, people: Write) -> str:
        rows = question.once(corresponding_rows, shared=True)
        row, whose = result.table.loc[column], "" if rows is None else rows.whose
        return (
            f"An intruder who learns from half of the people{whose} predicts {column}{result.within(column)} for "
            f"{self._share(row['right'], result, people)} of the others; {self._share(row['baseline'], result, people)} without the "
            "released values."
        )

    def _share(self, rate: Any, result: LearnedAttackResult, people: Write) -> str:
        return share(float(rate), float(result.people), people)

    def to_dict(self, result: LearnedAttackResult, question: Question, *, publish: bool) -> Any:
        """Return the table; nothing for publication, because the summary suffices."""
        return None if publish else {"people": result.people, "columns": result.table.reset_index().to_dict("records")}

    def show(self, result: LearnedAttackResult, question: Question, *, show_values: bool, publish: bool) -> Shown:
        """Draw the worst columns and list all."""
        if publish:
            return Shown()
        from synthlab.plots.attribute import plot_learned_attack

        def onto(ax: Axes) -> None:
            plot_learned_attack(result, ax=ax, columns=DRAWN)

        caption = (
            "Share of the people whose value is predicted correctly. Circles: with the release; squares: without it."
        )
        ordered = result.table.sort_values("points", ascending=False, kind="stable")
        described = "; ".join(
            f"{name}: {percent(row['right'])} with the release, {percent(row['baseline'])} without it"
            for name, row in ordered.head(DRAWN).iterrows()
        )
        cells = [
            [
                str(name),
                percent(row["right"]),
                percent(row["baseline"]),
                f"{row['points']:.1f}",
                f"{row['z']:.1f}",
                "" if np.isnan(row["twin_points"]) else f"{row['twin_points']:.1f}",
                row["level"] or "",
            ]
            for name, row in result.table.iterrows()
        ]
        text = "Points: advantage in percent. Twin: the truth is ahead of the last dataset by as many points."
        columns = ["Column", "With the release", "Without it", "Points", "z", "Twin", "Level"]
        return Shown(
            (draw(onto, caption, described, WIDE),), (Table("Intruder who learns the map", text, columns, cells),)
        )


def map_attack(question: Question) -> LearnedAttackResult | None:
    """Return the attack on all synthesized columns, or None if rows do not correspond.

    The radii are those of the intruder if they are positive and relative, or in days.
    """
    rows = question.once(corresponding_rows, shared=True)
    if rows is None:
        return None
    one = np.ones(1)
    radii = {
        c: radius
        for c, radius in question.intruder.radii.items()
        if c in rows.synthesized
        and radius > 0
        and half_width(radius, one, "relative") == half_width(radius, one, question.intruder.radius_kind)
    }
    return learned_attack(rows.confidential, rows.frames, synthesized=rows.synthesized, known=rows.kept, radius=radii)
