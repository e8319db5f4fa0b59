"""Units, such as households and panel histories, that are released with all or nearly all of their values."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import ClassVar, Literal

import numpy as np
import pandas as pd

from synthlab import _checks
from synthlab._calls import explains_arguments
from synthlab._result import Result
from synthlab._typing import ColumnNames, FrameLike, FrameOrFrames
from synthlab.exceptions import InputError
from synthlab.release import as_release
from synthlab.risk.copies.copied_people import (
    DIFFER,
    EQUAL,
    SCORE,
    CopiedPeopleResult,
    Counts,
    count_matches,
    count_records,
    explained,
    table_of,
)
from synthlab.risk.copies.unit_rows import MANY, Members, unit_table, units_of_files
from synthlab.risk.copies.unit_twins import unit_sets
from synthlab.units.structure import MEMBERS

STRICT = 4.0  # z from which units of several members with one or two differing columns are reported
Count = Literal["cells", "columns"]
Which = Literal["all", "several"]
LEVELS = (None, "CHECK", "STOP")


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class CopiedUnitsResult(Result):
    """Counts of units that are released with all or nearly all of their values, next to chance.

    Attributes
    ----------
    counts : dict {("cells" or "columns", "all" or "several"): CopiedPeopleResult}
        "cells": a unit is one row, with the cells of its members in order, and may differ in at most two cells.
        "columns": a unit is a multiset of members, which may differ in at most two columns. "all": all units; "several":
        units of at least two members only. In a result, "people" are units.
    repeated : int
        Confidential units that equal another one in all compared columns.
    n : int
        Confidential units.
    panel : bool
        Whether the units are the histories of a panel.
    """

    _table: ClassVar[str] = "to_frame"

    counts: Mapping[tuple[Count, Which], CopiedPeopleResult]
    repeated: int
    n: int
    panel: bool

    @property
    def decides(self) -> tuple[Count, Which]:
        """The count that decides: the worst level, then the most units beyond chance."""

        def rank(key: tuple[Count, Which]) -> tuple[int, float]:
            one = self.counts[key]
            beyond = one.worst["beyond_people"] if one.reason == "repeats" else one.worst["excess"]
            return LEVELS.index(one.level), float(beyond)

        return max(self.counts, key=rank)

    @property
    def worst(self) -> CopiedPeopleResult:
        """The result of the count that decides."""
        return self.counts[self.decides]

    @property
    def level(self) -> Literal["STOP", "CHECK"] | None:
        """STOP, CHECK, or None if chance explains the copies."""
        return self.worst.level

    @property
    def title(self) -> str:
        """The row that decides in a sentence."""
        row, one = self.worst.worst, self.worst
        return (
            f"{row['people']:,.0f} of {one.n:,} {units_counted(self)} are released with {amount(self)}; by chance "
            f"{explained(row, one.reason):,.0f}."
        )

    def to_frame(self) -> pd.DataFrame:
        """Return the tables of all counts; the column `units` contains what a table of `copied_people` calls people."""
        tables = [one.table.assign(count=count, members=which) for (count, which), one in self.counts.items()]
        table = pd.concat(tables, ignore_index=True).rename(
            columns={"people": "units", "beyond_people": "beyond_units", "z_people": "z_units"}
        )
        return table[["count", "members", *table.columns[:-2]]]


def units_counted(result: CopiedUnitsResult) -> str:
    """Return the units that the count compares, in words."""
    if result.decides[1] == "all":
        return "units"
    return f"units of two or more {'waves' if result.panel else 'members'}"


def amount(result: CopiedUnitsResult) -> str:
    """Return which values are copied, in words."""
    row, one = result.worst.worst, result.worst
    differ = int(row["differ"])
    kind = "synthetic " if one.partial else ""
    often = ("", " twice", " three times")[int(row["times"]) - 1]
    if differ == 0:
        return f"all {kind}values of all {'waves' if result.panel else 'members'}{often}"
    but = ("all but one of", "all but two of")[differ - 1]
    return f"{but} their {kind}{'values' if result.decides[0] == 'cells' else 'columns'}{often}"


@explains_arguments
def copied_units(
    confidential: FrameLike,
    release: FrameOrFrames,
    *,
    unit: ColumnNames,
    unit_order: ColumnNames | None = None,
    variables: ColumnNames | None = None,
    partial: bool = False,
    by_row: bool = False,
    max_members: int = MEMBERS,
) -> CopiedUnitsResult:
    """Count units that are released with all or nearly all of their values, beyond what chance explains.

    A unit is a household, a person in a panel, or another group of records. The counts of `copied_people` are applied to
    units, because members of a real household can be released together although each of them resembles other people.

    Parameters
    ----------
    confidential : pandas.DataFrame or Dataset, n rows
        The data as collected, one row per member.
    release : DataFrame, sequence of DataFrames, Release, or paths of files
        m datasets of any number of units.
    unit : str or sequence of str
        The columns that identify a unit. Their values are not compared.
    unit_order : str or sequence of str, optional
        The columns by which the members are sorted; ties are broken by all other columns. The wave of a panel, see
        `unit_structure`. Default: all compared columns.
    variables : sequence of str, optional
        The columns that are compared by value, without unit numbers, member numbers and waves. Default: all columns that
        `confidential` and the release have in common. Of a partially synthetic release, compare the synthesized columns
        only.
    partial : bool
        Whether the release is partially synthetic. Then only an excess over chance is reported.
    by_row : bool
        Whether row i of the release describes record i. Members are then compared in the order of the rows.
    max_members : int, default 50
        Largest allowed number of members of a unit, or of waves.

    Returns
    -------
    CopiedUnitsResult

    Raises
    ------
    InputError
        If a column is missing, no column can be compared, there is only one unit, a unit has more than `max_members` members,
        or a unit has two records of one wave.
    DtypeMismatchError
        If a column holds numbers in one file and text in the other.

    Warns
    -----
    MissingUnitWarning
        Records have no unit number; each of them is a unit of its own.

    Notes
    -----
    There are two counts. For "cells", a unit is one row: its variables once, then the values of each member in order;
    values of members that a unit does not have are missing. Units match if they differ in at most 0, 1 or 2 cells. For
    "columns", units match if the joint values of their members are the same, equally often, in all columns but at most
    0, 1 or 2. In a panel, waves are always compared. Chance, the excess and z are those of `copied_people`.

    Both counts are repeated for the units of at least two members, because units of one member hide copies. There, copies
    that differ in one or two columns are reported from z = 4. A number of differing cells or columns is judged only if at
    least two values of the smallest unit are equal.

    Examples
    --------
    >>> import numpy as np, pandas as pd
    >>> import synthlab as sl
    >>> rng = np.random.default_rng(1)
    >>> def households(first):
    ...     values = {c: rng.integers(0, 40, 800) for c in ("age", "school", "income")}
    ...     return pd.DataFrame({"hhid": first + np.arange(800) // 2, **values})
    >>> real, made = households(0), households(9000)
    >>> made.iloc[:80, 1:] = real.iloc[:80, 1:]
    >>> found = sl.copied_units(real, made, unit="hhid")
    >>> print(found.level, found.title)
    STOP 40 of 400 units are released with all values of all members; by chance 0.
    """
    found, partial = members_of(confidential, release, unit, unit_order, variables, partial, by_row, max_members)
    return count_units(found, partial=partial)


def count_units(found: Members, *, partial: bool) -> CopiedUnitsResult:
    """Return the counts of units by cells and by columns, for all units and for units of several members."""
    counts: dict[tuple[Count, Which], CopiedPeopleResult] = {}
    for which, some in selections(found).items():
        least = MANY if which == "several" else 1
        table = unit_table(some)
        names = list(table.frames[0].columns)
        values = {"cells": table.once + least * table.several, "columns": len(some.columns)}
        for count in ("cells", "columns"):
            if values["cells"] < EQUAL:
                continue  # a value of one column can occur by chance
            every = []
            for file in range(1, len(some.frames)):
                if count == "cells":
                    every.append(count_records(table.frames[0], table.frames[file], names))
                else:
                    sets = unit_sets(some, file)
                    every.append(count_matches(sets.keys, sets.weights_nearby, some.sizes(0).size))
            counts[count, which] = _result(
                every, some, values[count], names if count == "cells" else some.columns, partial, which
            )
    if not counts:
        raise InputError("variables: copies of units require two values per unit")
    first = counts.get(("columns", "all")) or counts["columns", "several"]
    return CopiedUnitsResult(
        counts,
        _repeated(found),
        first.n if ("columns", "all") in counts else found.sizes(0).size,
        found.member == "wave",
    )


def _result(
    every: list[Counts], found: Members, values: int, names: list[str], partial: bool, which: Which
) -> CopiedPeopleResult:
    n = found.sizes(0).size
    return CopiedPeopleResult(
        table=table_of(every, n),
        n=n,
        records=found.sizes(1).size,
        variables=tuple(names),
        partial=partial,
        copies=_checks.read_only(np.array([one.copies for one in every])),
        most_differing=min(max(values - EQUAL, 0), DIFFER[-1]),
        score=STRICT if which == "several" else SCORE,
        what="units",
    )


def selections(found: Members) -> dict[Which, Members]:
    """Return all units, and those of at least two members if there are also units of one member."""
    least = [int(found.sizes(file).min(initial=MANY)) for file in range(len(found.frames))]
    selections: dict[Which, Members] = {"all": found}
    if min(least) < MANY:
        several = found.of_many()
        if all(len(frame) for frame in several.frames):
            selections["several"] = several
    return selections


def _repeated(found: Members) -> int:
    """Return the number of confidential units that equal another one."""
    keys = unit_sets(found, 0).keys[: found.sizes(0).size]
    _, place, count = np.unique(keys, return_inverse=True, return_counts=True)
    return int((count[place] > 1).sum())


def members_of(
    confidential: FrameLike,
    release: FrameOrFrames,
    unit: ColumnNames,
    unit_order: ColumnNames | None,
    variables: ColumnNames | None,
    partial: bool,
    by_row: bool,
    max_members: int,
) -> tuple[Members, bool]:
    """Validate the arguments of `copied_units`, and return the members and `partial`."""
    frame = _checks.check_frame(confidential, "confidential")
    files = as_release(release, name="release", like=frame)
    units = units_of_files(frame, files.frames, unit, unit_order, max_members)
    if variables is None:
        variables = [c for c in frame.columns if c in files[0].columns]
    names = _checks.check_columns(frame, variables, "variables", where="confidential")
    _checks.check_columns(files[0], list(dict.fromkeys([*names, *units.order])), "variables", where="release")
    names = [c for c in names if c not in units.numbers]
    if not names:
        raise InputError("variables: name at least one column that is not a unit number, a member number or a wave")
    _checks.check_same_kind(frame, files.frames, names)
    by_row = bool(_checks.check_choice(by_row, "by_row", (True, False)))
    if by_row and any(len(one) != len(frame) for one in files):
        raise InputError("by_row=True: requires datasets with as many rows as confidential")
    partial = bool(_checks.check_choice(partial, "partial", (True, False)))
    return units.members([frame, *files.frames], names, by_row=by_row), partial
