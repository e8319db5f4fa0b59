"""Columns whose copies are counted in a report."""

from __future__ import annotations

from synthlab.report.evaluation_inputs import Question
from synthlab.risk.copies.compared_columns import ComparedColumns, compared_columns


def compared(question: Question) -> ComparedColumns:
    """Return the compared and the kept columns, computed once per question.

    Identifiers and columns of another type are omitted. Strata of the survey design are design columns.
    """
    return question.once(_compared)


def _compared(question: Question) -> ComparedColumns:
    roles = question.columns
    names = roles.comparable if question.chosen is None else [c for c in question.chosen if c in roles.comparable]
    if not names:
        return ComparedColumns((), (), (), partial=False, unchanged_file=False)
    strata = question.design.strata if question.design is not None else None
    return compared_columns(
        question.confidential,
        question.release,
        variables=names,
        synthesized=[c for c in names if c in {*roles.synthesized, *question.changed}],
        by_row=question.rows.by_row,
        design=[strata] if isinstance(strata, str) else [],
        categorical=[c for c in question.categorical if c in names],
    )
