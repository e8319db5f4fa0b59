"""Units such as households and panel histories as records: one row per unit, or a set of members."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import pandas as pd

from synthlab import _checks
from synthlab._typing import ColumnNames, FloatArray, IntArray
from synthlab.exceptions import InputError
from synthlab.matching.kernel import block_codes
from synthlab.units import UnitStructure, unit_codes, unit_structure
from synthlab.units.structure import MEMBERS

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


def units_of_files(
    frame: pd.DataFrame,
    files: Sequence[pd.DataFrame],
    unit: ColumnNames,
    unit_order: ColumnNames | None,
    max_members: int = MEMBERS,
) -> FileUnits:
    """Return the units of the confidential file and its datasets.

    Raises
    ------
    InputError
        As in `unit_structure`; or if a dataset lacks a column of `unit`, has units of more than `max_members` members, or has two records of one unit and wave.
    """
    structure = unit_structure(frame, unit, unit_order, rules=False, max_members=max_members)
    columns = list(structure.unit)
    codes, waves = [structure.code], []
    for number, one in enumerate(files, start=1):
        where = f"synthetic dataset {number}"
        _checks.check_columns(one, columns, "unit", where=where)
        codes.append(unit_codes(one, columns))
        large = int((np.bincount(codes[-1]) > max_members).sum())
        if large:
            raise InputError(
                f"unit: {large:,} units of {where} have more than {max_members} members; check the columns of unit, or "
                "raise max_members"
            )
    order = () if unit_order is None else structure.order
    if structure.wave is not None:
        every = [frame, *files]
        for number, one in enumerate(files, start=1):
            _checks.check_columns(one, [structure.wave], "unit_order", where=f"synthetic dataset {number}")
        waves = _ranks(every, structure.wave)
        for number, (code, wave) in enumerate(zip(codes, waves, strict=True)):
            twice = code.size - np.unique(code * np.int64(wave.max(initial=0) + 1) + wave).size
            if twice:
                raise InputError(
                    f"unit_order: {twice:,} records of synthetic dataset {number} have a unit and a {structure.wave!r} that "
                    "another record has; correct the dataset, or name another column in unit_order"
                )
    return FileUnits(structure, tuple(codes), tuple(waves), tuple(order))


@dataclass(frozen=True, slots=True, eq=False)
class FileUnits:
    """Units of the records of a confidential file (file 0) and its datasets.

    Attributes
    ----------
    structure : UnitStructure
        The structure of the confidential file.
    codes : tuple of numpy.ndarray
        The unit of each record of each file, from 0.
    waves : tuple of numpy.ndarray
        The wave of each record of each file, from 0; empty if the file is not a panel.
    order : tuple of str
        The declared order of the members; empty if it is not declared.
    """

    structure: UnitStructure
    codes: tuple[IntArray, ...]
    waves: tuple[IntArray, ...]
    order: tuple[str, ...]

    @property
    def numbers(self) -> tuple[str, ...]:
        """Columns that only identify units and members: unit numbers, member numbers and waves."""
        one = self.structure
        return tuple(c for c in (*one.unit, one.number_variable, one.wave) if c is not None)

    def members(self, frames: Sequence[pd.DataFrame], columns: Sequence[str], *, by_row: bool = False) -> Members:
        """Return the members of the units in their order.

        The order is the wave of a panel, or the order of the rows with `by_row`, or else the values of the declared order
        and then of all other columns.
        """
        names = [c for c in columns if c not in self.numbers]
        kept = [frame[names].reset_index(drop=True) for frame in frames]
        if self.waves:
            return Members(kept, list(self.codes), list(self.waves), True, "wave")
        keys = [] if by_row else [_ranks(frames, c) for c in dict.fromkeys([*self.order, *names])]
        position = []
        for file, code in enumerate(self.codes):
            order = np.lexsort([key[file] for key in reversed(keys)]) if keys else np.arange(code.size)
            position.append(_places(code, order))
        return Members(kept, list(self.codes), position, by_row)


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


def unit_table(found: Members) -> UnitTable:
    """Return one row per unit.

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
            cells |= {_name(found, c, place): _taken(frame[c], row[:, place]) for c in several}
        tables.append(pd.DataFrame(cells, index=pd.RangeIndex(number)))
    source = {name: c for c in several for name in (_name(found, c, place) for place in range(most))}
    return UnitTable(tables, {**{c: c for c in once}, **source}, len(once), len(several))


@dataclass(frozen=True, slots=True, eq=False)
class UnitTable:
    """One row per unit for each file.

    Attributes
    ----------
    frames : list of pandas.DataFrame
    source : dict {str: str}
        The column of the file from which each column of the table comes.
    once, several : int
        Number of columns that describe the unit, and of columns that describe each member.
    """

    frames: list[pd.DataFrame]
    source: dict[str, str]
    once: int
    several: int


def _name(found: Members, column: str, place: int) -> str:
    return f"{column} of {found.member} {place + 1}"


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
        series = series.convert_dtypes(convert_string=False, convert_boolean=False, convert_floating=False)
    elif series.dtype == bool:
        series = series.astype("boolean")
    return pd.Series(pd.api.extensions.take(series.array, rows, allow_fill=True))
