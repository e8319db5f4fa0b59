"""Units such as households and panel histories as records: one row per unit, or a set of members."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import pandas as pd

from synthlab import _checks
from synthlab._typing import FloatArray, IntArray
from synthlab.matching.kernel import block_codes

MANY = 2  # members of the units that are compared again, because units of one member hide copies
EXACT = 2**53  # larger integers are not exact in float64


@dataclass(frozen=True, slots=True, eq=False)
class Members:
    """The members of all units of a confidential file (file 0) and its datasets, in the order of the rows.

    Attributes
    ----------
    frames : list of pandas.DataFrame
        The compared columns of each file.
    unit : list of numpy.ndarray
        The unit of each record, from 0.
    position : list of numpy.ndarray
        The position of each record in its unit, or its wave in a panel, from 0.
    ordered : bool
        Whether the position is known, so that two units are equal only if members at the same positions are equal: the
        waves of a panel, and rows that correspond. Otherwise positions only arrange the cells.
    member : str
        What a member is called: "member" or "wave".
    """

    frames: list[pd.DataFrame]
    unit: list[IntArray]
    position: list[IntArray]
    ordered: bool
    member: str = "member"

    @property
    def columns(self) -> list[str]:
        """The compared columns."""
        return [str(c) for c in self.frames[0].columns]

    def sizes(self, file: int) -> IntArray:
        """Return the number of members of each unit of a file."""
        return np.bincount(self.unit[file])

    def of_many(self) -> Members:
        """Return the units of at least two members, numbered again."""
        frames, unit, position = [], [], []
        for file, frame in enumerate(self.frames):
            kept = (self.sizes(file) >= MANY)[self.unit[file]]
            frames.append(frame[kept].reset_index(drop=True))
            unit.append(np.unique(self.unit[file][kept], return_inverse=True)[1].reshape(-1))
            position.append(self.position[file][kept])
        return Members(frames, unit, position, self.ordered, self.member)


def members(
    frames: Sequence[pd.DataFrame],
    units: Sequence[IntArray],
    columns: Sequence[str],
    *,
    order: Sequence[str] = (),
    panel: bool = False,
    by_row: bool = False,
) -> Members:
    """Return the members of units in their order.

    The order is the order of the rows with `by_row`, the wave (`order`) of a panel, or else the values of `order`, then of
    all other columns. `frames` are the confidential file and the datasets; `units` gives the unit of each record.
    """
    kept = [frame[list(columns)].reset_index(drop=True) for frame in frames]
    if panel:
        (wave,) = order
        position = _ranks(frames, wave)
    elif by_row:
        position = [_places(unit, np.arange(unit.size)) for unit in units]
    else:
        keys = [_ranks(frames, c) for c in (*order, *(c for c in columns if c not in order))]
        position = [
            _places(unit, np.lexsort([key[file] for key in keys][::-1]) if keys else np.arange(unit.size))
            for file, unit in enumerate(units)
        ]
    return Members(kept, list(units), position, panel or by_row, "wave" if panel else "member")


def _places(unit: IntArray, order: IntArray) -> IntArray:
    """Return the position of each record in its unit, for records in an order."""
    by_unit = order[np.argsort(unit[order], kind="stable")]
    sizes = np.bincount(unit)
    place = np.empty(unit.size, dtype=np.int64)
    place[by_unit] = np.arange(unit.size) - np.repeat(np.cumsum(sizes) - sizes, sizes)
    return place


def _ranks(frames: Sequence[pd.DataFrame], column: str) -> list[IntArray]:
    """Return the ranks of the values of a column in all files; missing values are last."""
    series = [frame[column] for frame in frames]
    if all(_checks.is_measured(one) for one in series):
        values: list[FloatArray] = [_checks.without_rounding_errors(_checks.measurements(one)) for one in series]
        ranks = np.unique(np.concatenate(values), return_inverse=True)[1].reshape(-1)
    elif all(isinstance(one.dtype, pd.CategoricalDtype) and one.dtype == series[0].dtype for one in series):
        codes = np.concatenate([one.cat.codes.to_numpy(dtype=np.int64) for one in series])
        ranks = np.where(codes < 0, codes.max(initial=0) + 1, codes)
    else:
        codes = np.concatenate(block_codes(frames, [column], "category"))
        first = np.unique(codes, return_index=True)[1]
        texts = pd.concat([one.astype(object) for one in series], ignore_index=True).iloc[first]
        order = np.argsort(texts.map(str).where(texts.notna(), "\U0010ffff").to_numpy(dtype=object), kind="stable")
        ranks = np.argsort(order, kind="stable")[codes]
    return np.split(ranks.astype(np.int64), np.cumsum([len(one) for one in series])[:-1])


def unit_table(found: Members) -> tuple[list[pd.DataFrame], int, int]:
    """Return one row per unit, and the numbers of columns that describe the unit and a member.

    Columns that are constant within the units of all files come once, with their names. The cells of the members follow,
    such as "age of member 2". Cells of members that a unit does not have are missing.
    """
    once = [c for c in found.columns if _is_constant(found, c)]
    several = [c for c in found.columns if c not in once]
    most = 1 + max(int(one.max(initial=0)) for one in found.position)
    tables = []
    for frame, unit, position in zip(found.frames, found.unit, found.position, strict=True):
        number = int(unit.max(initial=-1)) + 1
        first = np.zeros(number, dtype=np.int64)
        first[unit[::-1]] = np.arange(unit.size)[::-1]
        row = np.full((number, most), -1)
        row[unit, position] = np.arange(unit.size)
        cells = {c: frame[c].iloc[first].reset_index(drop=True) for c in once}
        for place in range(most):
            cells |= {f"{c} of {found.member} {place + 1}": _taken(frame[c], row[:, place]) for c in several}
        tables.append(pd.DataFrame(cells, index=pd.RangeIndex(number)))
    return tables, len(once), len(several)


def _is_constant(found: Members, column: str) -> bool:
    for codes, unit in zip(block_codes(found.frames, [column], "category"), found.unit, strict=True):
        first = np.zeros(int(unit.max(initial=-1)) + 1, dtype=np.int64)
        first[unit] = codes
        if (first[unit] != codes).any():
            return False
    return True


def _taken(series: pd.Series, rows: IntArray) -> pd.Series:
    """Return the values at rows; missing for row -1."""
    if series.dtype.kind in "iu" and isinstance(series.dtype, np.dtype) and (series.abs() > EXACT).any():
        series = series.astype(series.dtype.name.replace("int", "Int").replace("uI", "UI"))
    elif series.dtype == bool:
        series = series.astype("boolean")
    return pd.Series(pd.api.extensions.take(series.array, rows, allow_fill=True))
