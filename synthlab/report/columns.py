"""Roles of the columns of the confidential and the released data."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import ClassVar

import numpy as np
import pandas as pd

from synthlab import _checks
from synthlab._result import Result
from synthlab._typing import IntArray
from synthlab.exceptions import DtypeMismatchError
from synthlab.matching.kernel import block_codes
from synthlab.matching.match_inputs import can_disprove_order, determines
from synthlab.release import Release
from synthlab.report.column_types import How, Resolved
from synthlab.risk.copies.design_columns import counts_from_start
from synthlab.risk.copies.row_agreement import equal_counts, is_design, jointly_in_another_order
from synthlab.synthesis._variable_types import IDENTIFIER
from synthlab.synthesis.plan import plan_or_none

MANY_VALUES = 0.5  # distinct values per record from which a column that occurs only in the release may be an identifier
ENOUGH = 10  # records; with fewer, distinct values do not show an identifier


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class ColumnRoles(Result):
    """Role of every column, and columns that were released unchanged.

    Attributes
    ----------
    known, synthesized, neither : tuple of str
        Columns of both files: known to the intruder; declared synthetic by the caller or the release; and all others.
    asked_only : tuple of str
        Columns that the caller declares synthetic and the release does not. Empty if the release declares none.
    only_released, only_confidential : tuple of str
        Columns that occur in only one of the files.
    possible_identifiers : dict {str: int}
        Columns that occur only in the release and have distinct values in at least half of its records, with the number
        of distinct values. Columns that count the records from 0 or 1 are omitted.
    identifiers : tuple of str
        Columns of both files that the plan declares to be identifiers, or that identify units. Also columns that are neither known nor declared
        synthetic and whose texts or integers are all distinct. Identifiers are excluded from all measures.
    other_types : tuple of str
        Columns whose values have another type in the release, or no category in common with the confidential data.
    resolved : dict {str: {"dates", "numbers", "texts"}}
        Columns whose texts were read as dates or numbers, or that differ in the spelling of texts, see `resolve_types`.
    unchanged : tuple of m tuples of str
        Columns of each dataset that contain the confidential values of all records. The values are equal row by row if
        rows may correspond. Otherwise they are equal in another order, either jointly with other columns (at least 20
        combinations, more often than by chance, without balanced columns such as the waves of a panel) or in a column that
        the release states is not synthetic. Constant columns are omitted.
    reordered : tuple of m tuples of str
        Unchanged columns of each dataset that are not equal row by row.
    derived : tuple of str
        Synthesized columns that are constant, or computed only from unchanged columns that are not synthesized.
    identifying : dict {str: int}
        Unchanged columns, not declared synthetic, each of which identifies more than half of the records, with the
        number of records.
    by_row : bool
        Whether the columns were compared row by row.
    """

    _table: ClassVar[str] = "to_frame"

    known: tuple[str, ...]
    synthesized: tuple[str, ...]
    neither: tuple[str, ...]
    asked_only: tuple[str, ...]
    only_released: tuple[str, ...]
    only_confidential: tuple[str, ...]
    possible_identifiers: dict[str, int]
    identifiers: tuple[str, ...]
    other_types: tuple[str, ...]
    unchanged: tuple[tuple[str, ...], ...]
    reordered: tuple[tuple[str, ...], ...]
    derived: tuple[str, ...]
    identifying: dict[str, int] = field(default_factory=dict)
    by_row: bool = False
    resolved: Mapping[str, How] = field(default_factory=dict)

    @property
    def title(self) -> str:
        """The number of columns in each role."""
        return (
            f"{len(self.known)} known, {len(self.synthesized)} synthesized and {len(self.neither)} other columns in both files; "
            f"{len(self.only_released)} only in the release, {len(self.only_confidential)} only in the confidential data."
        )

    @property
    def comparable(self) -> list[str]:
        """Columns of both files with the same type, without identifiers."""
        apart = {*self.identifiers, *self.other_types}
        return [c for c in (*self.known, *self.synthesized, *self.neither) if c not in apart]

    def released_unchanged(self, dataset: int) -> list[str]:
        """Return the columns of a dataset (from 0) that are falsely declared synthetic."""
        return [c for c in self.unchanged[dataset] if c in self.synthesized and c not in self.derived]

    @property
    def undeclared(self) -> list[str]:
        """Columns unchanged in some dataset that are neither known nor declared synthetic."""
        anywhere = {c for one in self.unchanged for c in one}
        return [c for c in self.neither if c in anywhere and c not in self.identifiers]

    def to_frame(self) -> pd.DataFrame:
        """Return the role of each column, and whether it is unchanged in some dataset."""
        roles = {
            "known": self.known,
            "synthesized": self.synthesized,
            "neither": self.neither,
            "only in the release": self.only_released,
            "only in the confidential data": self.only_confidential,
        }
        anywhere = {c for one in self.unchanged for c in one}
        rows = [
            (column, "identifier" if column in self.identifiers else role, column in anywhere)
            for role, columns in roles.items()
            for column in columns
        ]
        return pd.DataFrame(rows, columns=["column", "role", "unchanged"]).set_index("column")


def column_roles(
    frame: pd.DataFrame,
    release: Release,
    known: Sequence[str],
    asked: Sequence[str],
    *,
    by_row: bool,
    resolved: Resolved | None = None,
    units: Sequence[str] = (),
) -> ColumnRoles:
    """Return the role of every column.

    `asked` contains the columns that the caller declares synthetic, `units` the columns that identify units.
    """
    released = release[0]
    both = [str(c) for c in frame.columns if c in released.columns]
    declared_synthetic = [c for c in release.synthesized or () if c in both]
    synthesized = [c for c in both if c in asked or c in declared_synthetic]
    unlike = [c for c in both if not _same_kind(frame, release, c) or (resolved is not None and c in resolved.unlike)]
    plan = plan_or_none(release)
    declared = [v.variable for v in plan.variables if v.role == IDENTIFIER] if plan else []
    identifiers = [
        c
        for c in both
        if c in declared
        or c in units
        or (c not in synthesized and c not in known and c not in unlike and _is_distinct(frame[c]))
    ]
    others = [c for c in both if c not in unlike]
    codes = {c: block_codes([frame, *release], [c], "category") for c in others}
    varying = [c for c in others if can_disprove_order(_disagreement_by_chance(codes[c][0]))]
    same_length = release.n == len(frame)
    candidates = [c for c in varying if c not in identifiers] if same_length else []
    design = {c for c in candidates if is_design(frame[c], codes[c][0])}
    in_order, jointly = [], []
    for place in range(1, release.m + 1):
        files = {c: (codes[c][0], codes[c][place]) for c in candidates}
        in_order.append([c for c, (own, other) in files.items() if by_row and np.array_equal(own, other)])
        stated = [c for c in equal_counts(files) if release.synthesized is not None and c not in synthesized]
        evident = {c: pair for c, pair in files.items() if c not in design}
        jointly.append([] if len(in_order[-1]) == len(files) else [*jointly_in_another_order(evident), *stated])
    unchanged = tuple(tuple(c for c in both if c in {*a, *b}) for a, b in zip(in_order, jointly, strict=True))
    reordered = tuple(tuple(c for c in b if c not in a) for a, b in zip(in_order, jointly, strict=True))
    anywhere = {c for one in unchanged for c in one}
    sources = [c for c in both if c in anywhere and c not in synthesized]
    return ColumnRoles(
        known=tuple(c for c in both if c in known and c not in synthesized),
        synthesized=tuple(synthesized),
        neither=tuple(c for c in both if c not in known and c not in synthesized),
        asked_only=tuple(c for c in asked if c in both and c not in declared_synthetic)
        if release.synthesized is not None
        else (),
        only_released=tuple(str(c) for c in released.columns if c not in frame.columns),
        only_confidential=tuple(str(c) for c in frame.columns if c not in released.columns),
        possible_identifiers={
            str(c): int(values)
            for c in released.columns
            if c not in frame.columns
            and release.n >= ENOUGH
            and (values := released[c].nunique()) >= MANY_VALUES * release.n
            and not all(counts_from_start(one[c]) for one in release)
        },
        identifiers=tuple(identifiers),
        other_types=tuple(unlike),
        unchanged=unchanged,
        reordered=reordered,
        derived=tuple(c for c in anywhere if c in synthesized and sources and _is_computed(frame, sources, c)),
        identifying={c: count for c in sources if (count := unique_values(codes[c][0])) > MANY_VALUES * len(frame)},
        by_row=by_row,
        resolved={} if resolved is None else resolved.changed,
    )


def unique_values(codes: IntArray) -> int:
    """Return the number of records with a value that no other record has."""
    return int((np.bincount(codes) == 1).sum())


def _same_kind(frame: pd.DataFrame, release: Release, column: str) -> bool:
    try:
        _checks.check_same_kind(frame, release.frames, [column])
    except DtypeMismatchError:
        return False
    return True


def _is_distinct(series: pd.Series) -> bool:
    """Return whether all values are distinct texts or distinct integers."""
    present = series.dropna()
    if len(present) < ENOUGH or not present.is_unique:
        return False
    values = _checks.categories_of(present) if isinstance(present.dtype, pd.CategoricalDtype) else present
    kind = _checks.kind_of(values)
    if kind == "text":
        return True
    if kind != "number" or _checks.holds_loose_numbers(values):
        return False
    numbers = _checks.as_float(present)
    return bool((numbers == np.rint(numbers)).all())


def _disagreement_by_chance(codes: IntArray) -> float:
    """Return the expected number of rows that differ in a random order."""
    counts = np.bincount(codes).astype(np.float64)
    return codes.size - float((counts**2).sum()) / max(codes.size, 1)


def _is_computed(frame: pd.DataFrame, sources: Sequence[str], column: str) -> bool:
    """Return whether unchanged columns determine a column in every record."""
    if any(determines(frame[source], frame[column]) for source in sources):
        return True
    (joint,) = block_codes([frame[list(sources)]], list(sources), "category")
    return determines(pd.Series(joint.astype(str)), frame[column])
