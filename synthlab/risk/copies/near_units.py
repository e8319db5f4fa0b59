"""Units, such as households and panel histories, that are closer to released units than chance explains."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import ClassVar, Literal

import pandas as pd

from synthlab import _checks, _rng
from synthlab._calls import explains_arguments
from synthlab._result import Result
from synthlab._typing import ColumnNames, FrameLike, FrameOrFrames
from synthlab.exceptions import InputError
from synthlab.risk.copies.copied_units import LEVELS, Which, members_of, selections
from synthlab.risk.copies.near_copies import FEWEST, FEWEST_SYNTHESIZED, NearCopiesResult, compare_files
from synthlab.risk.copies.unit_rows import Members, unit_table
from synthlab.units.structure import MEMBERS

SEED = 1  # seed of the samples, as in `near_copies`


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class NearUnitsResult(Result):
    """Units that are closer to released units than units, and released units, are to each other.

    Attributes
    ----------
    near : dict {"all" or "several": NearCopiesResult}
        The results for all units, and for units of at least two members if there are also units of one member and at
        least 20 others. In a result, people are units.
    panel : bool
        Whether the units are the histories of a panel.
    """

    _table: ClassVar[str] = "to_frame"

    near: Mapping[Which, NearCopiesResult]
    panel: bool

    @property
    def decides(self) -> Which:
        """The units that decide: the worst level, then the largest z."""
        return max(self.near, key=lambda which: (LEVELS.index(self.near[which].level), self.near[which].worst["z"]))

    @property
    def worst(self) -> NearCopiesResult:
        """The result that decides."""
        return self.near[self.decides]

    @property
    def level(self) -> Literal["STOP", "CHECK"] | None:
        """STOP, CHECK, or None if chance explains the closeness."""
        return self.worst.level

    @property
    def title(self) -> str:
        """Sentence that states the number of units."""
        one, row = self.worst, self.worst.worst
        which = "" if self.decides == "all" else f" of two or more {'waves' if self.panel else 'members'}"
        return (
            f"{row['people']:,.0f} of {one.n:,} units{which} have a released unit that is closer than chance explains "
            f"(z = {row['z']:.1f})."
        )

    def to_frame(self) -> pd.DataFrame:
        """Return the tables of both results; the column `units` contains what a table of `near_copies` calls people."""
        tables = {which: one.to_frame() for which, one in self.near.items()}
        return pd.concat(tables, names=["members"]).rename(columns={"people": "units"})


@explains_arguments
def near_units(
    confidential: FrameLike,
    release: FrameOrFrames,
    *,
    unit: ColumnNames,
    unit_order: ColumnNames | None = None,
    variables: ColumnNames | None = None,
    partial: bool = False,
    by_row: bool = False,
    categorical: ColumnNames = (),
    sample: int = 1500,
    max_members: int = MEMBERS,
) -> NearUnitsResult:
    """Count units that are closer to released units than chance explains.

    `near_copies` is applied to one row per unit, for all units and for units of at least two members.

    Parameters
    ----------
    confidential, release, unit, unit_order, variables, partial, by_row
        As in `copied_units`.
    categorical : sequence of str
        Categorical variables that are stored as numbers. Default: none.
    sample : int, default 1500
        Units whose closest units are searched, as in `near_copies`.
    max_members : int, default 50
        Largest allowed number of members of a unit, or of waves.

    Returns
    -------
    NearUnitsResult

    Raises
    ------
    InputError, DtypeMismatchError
        As in `copied_units` and `near_copies`.

    Examples
    --------
    >>> import numpy as np, pandas as pd
    >>> import synthlab as sl
    >>> rng = np.random.default_rng(1)
    >>> def panel():
    ...     return pd.DataFrame(rng.normal(50, 9, (400, 3)), columns=list("abc")).assign(id=np.arange(400) // 4)
    >>> real, made = panel(), panel()
    >>> [sl.near_units(real, file, unit="id").level for file in (made, real * [1.02, 1, 1, 1])]
    [None, 'STOP']
    """
    found, partial = members_of(confidential, release, unit, unit_order, variables, partial, by_row, max_members)
    names = _checks.check_columns(found.frames[0], categorical, "categorical", where="confidential", allow_empty=True)
    _checks.check_count(sample, "sample")
    if partial and len(found.columns) < FEWEST_SYNTHESIZED:
        raise InputError(
            f"variables: in a partially synthetic release, near copies require at least {FEWEST_SYNTHESIZED} synthesized variables"
        )
    if min(found.sizes(file).size for file in range(len(found.frames))) < FEWEST:
        raise InputError(f"unit: near copies require at least {FEWEST} units in each file")
    return near_in_units(found, partial=partial, categorical=names, sample=sample)


def near_in_units(found: Members, *, partial: bool, categorical: ColumnNames, sample: int = 1500) -> NearUnitsResult:
    """Return the near copies among all units, and among units of at least two members."""
    results: dict[Which, NearCopiesResult] = {}
    for which, some in selections(found).items():
        table = unit_table(some)
        if which == "several" and min(map(len, table.frames)) < FEWEST:
            continue
        codes = [name for name, source in table.source.items() if source in categorical]
        results[which] = compare_files(
            table.frames[0],
            table.frames[1:],
            list(table.source),
            partial=partial,
            categories=codes,
            sample=sample,
            rng=_rng.as_generator(SEED),
        )
    return NearUnitsResult(results, found.member == "wave")
