"""Columns whose copies are counted in a report."""

from __future__ import annotations

from synthlab.report.evaluation_inputs import Question
from synthlab.risk.copies.compared_columns import ComparedColumns, compared_columns
from synthlab.risk.copies.unit_rows import Members

PANEL = "the records are the waves of a panel; copies of units are counted instead."


def compared(question: Question) -> ComparedColumns:
    """Return the compared and the kept columns, computed once per question.

    Identifiers and columns of another type are omitted. Strata of the survey design and waves are design columns.
    """
    return question.once(_compared)


def _compared(question: Question) -> ComparedColumns:
    roles = question.columns
    names = roles.comparable if question.chosen is None else [c for c in question.chosen if c in roles.comparable]
    if not names:
        return ComparedColumns((), (), (), partial=False, unchanged_file=False)
    strata = question.design.strata if question.design is not None else None
    wave = question.units.structure.wave if question.units is not None else None
    return compared_columns(
        question.confidential,
        question.release,
        variables=names,
        synthesized=[c for c in names if c in {*roles.synthesized, *question.changed}],
        by_row=question.rows.by_row,
        design=[c for c in (strata, wave) if isinstance(c, str)],
        categorical=[c for c in question.categorical if c in names],
    )


def compared_members(question: Question) -> Members:
    """Return the members of the units with their compared columns, computed once per question.

    There can be no such column. In a partially synthetic release whose rows correspond, the
    members are in the order of the rows.
    """
    return question.once(_members)


def _members(question: Question) -> Members:
    found, units = compared(question), question.declared_units
    names = [*found.kept, *found.compared] if found.unchanged_file else list(found.compared)
    names = [c for c in names if c not in units.numbers]
    by_row = found.partial and question.rows.by_row
    return units.members([question.confidential, *question.release], names, by_row=by_row)
