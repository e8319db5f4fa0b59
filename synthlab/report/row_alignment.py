"""Decide whether row i of a release describes record i.

Disagreement of the known variables can disprove that rows correspond. Agreement cannot prove it: two files that are
sorted by the known variables agree in them. Identifiers that were newly drawn, or that count the rows, are never
evidence.
"""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass
from typing import Literal

import pandas as pd

from synthlab.exceptions import RowAlignmentError
from synthlab.matching.match_inputs import (
    can_disprove_order,
    disagreement,
    disproves_order,
    follows,
    is_sorted,
    numbers_rows,
)
from synthlab.release import Release
from synthlab.release.manifest import new_identifiers


@dataclass(frozen=True, slots=True)
class RowOrder:
    """Whether the rows of a release correspond to the records, and the evidence.

    Attributes
    ----------
    state : {"aligned", "compatible", "refuted", "unknown"}
        "aligned": the caller states that row i describes record i, or the release states it and the known variables do
        not disprove it. "compatible": it is not stated, and the known variables agree, which is not proof. "refuted":
        the files differ in length, the release was shuffled, or the known variables differ in too many rows. "unknown":
        it is not stated, and the known variables carry no information on the order.
    by : {"caller", "release", "known variables", "number of rows", "released values", "nothing"}
        The evidence for the state.
    text : str
        The state and the evidence in a sentence.
    doubt : bool
        Whether the caller states that rows are aligned but the known variables contradict this.
    """

    state: Literal["aligned", "compatible", "refuted", "unknown"]
    by: str
    text: str
    doubt: bool = False

    @property
    def by_row(self) -> bool:
        """Whether measures that compare row i with record i are computed."""
        return self.state in ("aligned", "compatible")


def row_order(
    frame: pd.DataFrame, release: Release, unchanged: Collection[str], told: str | None, by_row: str
) -> RowOrder:
    """Return whether the rows of a release correspond to the confidential records.

    `unchanged` contains the variables that are assumed to be released unchanged; `by_row` names the measures that
    require corresponding rows.
    """
    n = len(frame)
    if release.rows == "shuffled":
        if told == "aligned":
            raise RowAlignmentError('rows="aligned": the rows of this release were shuffled for publication; omit rows')
        return RowOrder(
            "refuted",
            "release",
            _refuted("its rows were shuffled for publication, and its private file restores their order", by_row),
        )
    if release.n != n:
        if told == "aligned":
            raise RowAlignmentError(
                f'rows="aligned": synthetic has {release.n:,} rows, confidential has {n:,}; omit rows'
            )
        length = f"it has {release.n:,} rows, the confidential data {n:,}"
        return RowOrder("refuted", "number of rows", _refuted(length, by_row))
    # Variables that the release declares synthetic may differ in every row.
    checked = [c for c in unchanged if c not in (release.synthesized or ())]
    differing, by_chance, shared = disagreement(frame, release, checked)
    moved = disproves_order(differing, by_chance, n)
    names = ", ".join(checked)
    disagree = f"the known variables ({names}) differ in {differing:,} of {n:,} rows"
    if told == "aligned":
        if moved:
            return RowOrder(
                "aligned", "caller", f"The caller states that row i describes record i, but {disagree}.", True
            )
        return RowOrder("aligned", "caller", "The caller states that row i describes record i.")
    if moved:
        return RowOrder("refuted", "known variables", _refuted(disagree, by_row))
    if release.rows == "aligned":
        return RowOrder("aligned", "release", "The release states that row i describes record i.")
    # Numbers of the rows agree between any two files, so they do not show that rows correspond.
    telling = [c for c in checked if not (numbers_rows(frame[c]) and all(numbers_rows(one[c]) for one in release))]
    if telling != checked:
        differing, by_chance, shared = disagreement(frame, release, telling)
        names = ", ".join(telling)
    if not can_disprove_order(by_chance):
        drawn = {*new_identifiers(release.provenance)}
        names_of_same = [c for c in release.synthesized or () if c in frame.columns and c in release[0].columns]
        same = [
            c
            for c in names_of_same
            if c not in drawn and not is_sorted(frame[c]) and all(follows(frame[c], one[c]) for one in release)
        ]
        if same:
            return RowOrder(
                "compatible",
                "released values",
                f"The release does not state that row i describes record i, but {', '.join(same)}, which it declares synthetic, "
                "has nearly its confidential values row by row.",
            )
        what = (
            f"the known variables ({names}) are the same in nearly all records"
            if telling
            else f"the known variables ({', '.join(checked)}) only count the rows"
            if checked
            else "every known variable is synthetic"
            if unchanged
            else "no variable is known"
        )
        return RowOrder(
            "unknown",
            "nothing",
            f"It is not known whether row i of the release describes record i: the release does not state it, and {what}. "
            f'Measures by row ({by_row}) are not computed; set rows="aligned" if rows correspond.',
        )
    agree = "in every row" if differing == 0 else f"in all but {differing:,} of {n:,} rows"
    return RowOrder(
        "compatible",
        "known variables",
        f"The release does not state that row i describes record i. The known variables ({names}) agree {agree}. This is not "
        f"proof: {shared:,} of {n:,} records share their values with another record, and the order of these records is "
        "not known.",
    )


def _refuted(why: str, by_row: str) -> str:
    return (
        f"The rows of the release do not correspond to the confidential records: {why}. Measures by row ({by_row}) do "
        "not apply."
    )
