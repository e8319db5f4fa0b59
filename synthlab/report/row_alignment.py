"""The order of rows: whether row i of a release is about record i, as declared and by the known variables.

Agreement of the known variables can refute that rows correspond, never prove it: a file sorted by them agrees with any
other file sorted by them.
"""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass
from typing import Literal

import pandas as pd

from synthlab.exceptions import RowAlignmentError
from synthlab.matching.match_inputs import can_disprove_order, disagreement, disproves_order, follows
from synthlab.release import Release


@dataclass(frozen=True, slots=True)
class RowOrder:
    """The knowledge of the order of the rows.

    Attributes
    ----------
    state : {"aligned", "compatible", "refuted", "unknown"}
        "aligned": the release or the caller says that row i is about record i, and nothing speaks against it or the
        caller insists. "compatible": it is not stated, and the known variables agree, which proves nothing. "refuted": the
        files differ in length, the release was shuffled, or the known variables differ in too many rows. "unknown":
        it is not stated, and nothing could show it.
    by : {"caller", "release", "known variables", "number of rows", "released values", "nothing"}
        The grounds of the state.
    text : str
        The same in a sentence.
    doubt : bool
        The caller says aligned, and the known variables say otherwise.
    """

    state: Literal["aligned", "compatible", "refuted", "unknown"]
    by: str
    text: str
    doubt: bool = False

    @property
    def by_row(self) -> bool:
        """Return whether measures that compare row i with record i are given."""
        return self.state in ("aligned", "compatible")


def row_order(
    frame: pd.DataFrame, release: Release, unchanged: Collection[str], told: str | None, by_row: str
) -> RowOrder:
    """Return whether the rows of a release correspond to those of the confidential data.

    `unchanged` are the variables that the release is taken to leave alone, `by_row` names the measures that need the order.
    """
    n = len(frame)
    if release.rows == "shuffled":
        if told == "aligned":
            raise RowAlignmentError('rows="aligned": the rows of this release were shuffled for publication')
        return RowOrder(
            "refuted",
            "release",
            _refuted("its rows were shuffled for publication, and its private file restores their order", by_row),
        )
    if release.n != n:
        if told == "aligned":
            raise RowAlignmentError(f'rows="aligned": synthetic has {release.n:,} rows, confidential has {n:,}')
        length = f"it has {release.n:,} rows, the confidential data {n:,}"
        return RowOrder("refuted", "number of rows", _refuted(length, by_row))
    # What the release says it synthesized may differ in every row.
    checked = [c for c in unchanged if c not in (release.synthesized or ())]
    differing, by_chance, shared = disagreement(frame, release, checked)
    moved = disproves_order(differing, by_chance, n)
    names = ", ".join(checked)
    disagree = f"the known variables ({names}) differ in {differing:,} of {n:,} rows"
    if told == "aligned":
        if moved:
            return RowOrder("aligned", "caller", f"The caller says that row i is about record i; but {disagree}.", True)
        return RowOrder("aligned", "caller", "The caller says that row i is about record i.")
    if moved:
        return RowOrder("refuted", "known variables", _refuted(disagree, by_row))
    if release.rows == "aligned":
        return RowOrder("aligned", "release", "The release says that row i is about record i.")
    if not can_disprove_order(by_chance):
        names_of_same = [c for c in release.synthesized or () if c in frame.columns and c in release[0].columns]
        same = [c for c in names_of_same if all(follows(frame[c], one[c]) for one in release)]
        if same:
            return RowOrder(
                "compatible",
                "released values",
                f"The release does not say that row i is about record i; but {', '.join(same)}, which it says it synthesized, "
                "has nearly its confidential values row by row.",
            )
        what = (
            f"the known variables ({names}) are the same in nearly all records"
            if checked
            else "every known variable is synthetic"
            if unchanged
            else "no variable is known"
        )
        return RowOrder(
            "unknown",
            "nothing",
            f"Whether row i of the release is about record i is not known: the release does not say, and {what}. Measures by "
            f'row ({by_row}) are not given; rows="aligned" says that rows correspond.',
        )
    agree = "in every row" if differing == 0 else f"in all but {differing:,} of {n:,} rows"
    return RowOrder(
        "compatible",
        "known variables",
        f"The release does not say that row i is about record i. The known variables ({names}) agree {agree}, which cannot "
        f"prove it: {shared:,} of {n:,} records share their values with another record, and the order among these "
        "shows nowhere.",
    )


def _refuted(why: str, by_row: str) -> str:
    return (
        f"The rows of the release do not correspond to the confidential records: {why}. Measures by row ({by_row}) do "
        "not apply."
    )
