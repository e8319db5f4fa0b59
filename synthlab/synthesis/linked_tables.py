"""Synthesis of two linked tables, such as households and the persons in them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from synthlab import _checks
from synthlab._calls import explains_arguments
from synthlab._typing import ColumnNames, FrameLike, PathOrStr, RngLike
from synthlab.exceptions import InputError
from synthlab.release import Release
from synthlab.synthesis.synthesize_file import synthesize
from synthlab.units.codes import unit_codes

FIXED = ("unit", "unit_variables", "n", "m", "rng")  # arguments of `synthesize` that this module sets


@dataclass(frozen=True, slots=True, eq=False)
class LinkedRelease:
    """Release of two linked tables.

    Attributes
    ----------
    joined : Release
        One record per record of the inner table, with the columns of the outer table. Use it in `evaluate` with ``unit=key``.
    columns : mapping {str: tuple of str}
        The columns of each table, the outer table first.
    key : tuple of str
        The columns that link the tables.

    Examples
    --------
    See `synthesize_tables`.
    """

    joined: Release
    columns: Mapping[str, tuple[str, ...]]
    key: tuple[str, ...]

    @property
    def m(self) -> int:
        """Number of synthetic datasets."""
        return self.joined.m

    def __len__(self) -> int:
        return self.m

    def __getitem__(self, index: int) -> dict[str, pd.DataFrame]:
        """Return the tables of one dataset by name."""
        frame = self.joined[index]
        outer, inner = self.columns
        first = ~frame[list(self.key)].duplicated().to_numpy()
        return {
            outer: frame.loc[first, list(self.columns[outer])].reset_index(drop=True),
            inner: frame[list(self.columns[inner])],
        }

    def __str__(self) -> str:
        sizes = " and ".join(f"{len(table):,} {name}" for name, table in self[0].items())
        return f"Release of linked tables: m = {self.m}, with {sizes} in the first dataset, linked by {', '.join(self.key)}"

    __repr__ = __str__

    def save(self, folder: PathOrStr, **options: Any) -> Path:
        """Write one folder per table, each with its datasets and a manifest.

        Parameters
        ----------
        folder : path
            The folder; it must not exist.
        **options
            Arguments of `Release.save`, except `keep_private`.

        Returns
        -------
        pathlib.Path
            The folder. The tables can be joined by the key, which is the same in both.

        Raises
        ------
        InputError
            As in `Release.save`.
        """
        if "keep_private" in options:
            raise InputError("keep_private: linked tables have no order to restore; omit it")
        target = Path(folder)
        if target.exists():
            raise InputError(f"folder={str(target)!r}: already exists; choose a new folder")
        for name in self.columns:
            frames = [self[number][name] for number in range(self.m)]
            made = [c for c in self.joined.synthesized or () if c in self.columns[name]]
            private = {key: value for key, value in self.joined.private.items() if key == "seed"}
            # Every table is shuffled on its own, because the key links the records.
            Release(frames, made, self.joined.provenance, private=private).save(target / name, **options)
        return target


@explains_arguments
def synthesize_tables(
    tables: Mapping[str, FrameLike],
    keys: Mapping[str, ColumnNames],
    *,
    m: int = 5,
    n: int | None = None,
    rng: RngLike = None,
    **options: Any,
) -> LinkedRelease:
    """Synthesize two linked tables, such as households and the persons in them.

    The tables are joined, synthesized with `unit`, and split again. The columns of the outer table are unit variables.

    Parameters
    ----------
    tables : mapping {str: DataFrame or Dataset}
        Two tables: the outer table with one record per unit, and the inner table with one record per member. Their columns
        have different names, apart from the key.
    keys : mapping {str: str or sequence of str}
        The key columns of the inner table, such as ``{"persons": "hhid"}``. They have the same names in the outer table, in
        which every key occurs once.
    m : int, default 5
        Number of synthetic datasets.
    n : int, optional
        Number of units of each dataset. Default: that of the outer table.
    rng : int, Generator or None
        Seed or generator, as in `synthesize`.
    **options
        Other arguments of `synthesize`, except `unit` and `unit_variables`.

    Returns
    -------
    LinkedRelease

    Raises
    ------
    InputError
        If there are not exactly two tables or one key (deeper nesting and many-to-many links are not supported); if a key of
        the outer table occurs twice or is missing; if records of the inner table have no record in the outer table, or the
        reverse; or if other columns have the same name.

    Examples
    --------
    >>> import numpy as np, pandas as pd
    >>> import synthlab as sl
    >>> households = pd.DataFrame({"hhid": range(100), "region": ["north", "south"] * 50})
    >>> persons = pd.DataFrame({"hhid": np.repeat(range(100), 2), "age": np.random.default_rng(1).integers(18, 90, 200)})
    >>> release = sl.synthesize_tables({"households": households, "persons": persons}, {"persons": "hhid"}, m=1, rng=1)
    >>> {name: table.shape for name, table in release[0].items()}
    {'households': (100, 2), 'persons': (200, 2)}
    >>> release[0]["persons"]["hhid"].isin(release[0]["households"]["hhid"]).all()
    np.True_
    """
    outer, inner, key, frames = _check_tables(tables, keys)
    wrong = [name for name in options if name in FIXED]
    if wrong:
        raise InputError(f"{wrong[0]}: is set by synthesize_tables; omit it")
    joined = _joined(frames, outer, inner, key)
    variables = [c for c in frames[outer].columns if c not in key]
    release = synthesize(joined, m=m, n=n, rng=rng, unit=list(key), unit_variables=variables or None, **options)
    columns = {name: tuple(c for c in frames[name].columns if c in release[0].columns) for name in (outer, inner)}
    return LinkedRelease(release, columns, key)


def _check_tables(tables: object, keys: object) -> tuple[str, str, tuple[str, ...], dict[str, pd.DataFrame]]:
    """Return the names of the outer and the inner table, the key, and the frames."""
    given = _checks.check_mapping(tables, "tables", '{"households": h, "persons": p}')
    links = _checks.check_mapping(keys, "keys", '{"persons": "hhid"}')
    if len(given) != 2 or len(links) != 1:
        raise InputError(
            f"tables: {len(given)} tables and {len(links)} keys; exactly two tables and the key of one of them are supported "
            "(one level of nesting). Join deeper levels first, or synthesize them separately"
        )
    inner = next(iter(links))
    if inner not in given:
        raise InputError(f"keys: {inner!r} is not one of the tables {_checks.named(given)}")
    outer = next(name for name in given if name != inner)
    frames = {name: _checks.check_frame(frame, f"tables[{name!r}]") for name, frame in given.items()}
    key = tuple(_checks.check_columns(frames[inner], links[inner], "keys", where=f"tables[{inner!r}]"))
    _checks.check_columns(frames[outer], list(key), "keys", where=f"tables[{outer!r}]")
    return outer, inner, key, frames


def _joined(frames: Mapping[str, pd.DataFrame], outer: str, inner: str, key: tuple[str, ...]) -> pd.DataFrame:
    """Return the records of the inner table with the columns of the outer table."""
    names = list(key)
    both = [c for c in frames[outer].columns if c in frames[inner].columns and c not in key]
    if both:
        raise InputError(f"tables: both tables have the column {_checks.named(both)}; rename it in one of them")
    for name in (outer, inner):
        missing = int(frames[name][names].isna().any(axis=1).sum())
        if missing:
            raise InputError(f"tables: {missing:,} records of {name!r} have no value of {_checks.named(names)}")
    twice = int(frames[outer][names].duplicated().sum())
    if twice:
        raise InputError(
            f"tables: {twice:,} records of {outer!r} repeat a value of {_checks.named(names)}; the outer table must have one "
            "record per unit (many-to-many links are not supported)"
        )
    codes = unit_codes(pd.concat([frames[outer][names], frames[inner][names]], ignore_index=True), names)
    units, members = np.split(codes, [len(frames[outer])])
    lost = int((~np.isin(members, units)).sum())
    empty = int((~np.isin(units, members)).sum())
    if lost:
        raise InputError(
            f"tables: {lost:,} records of {inner!r} have no record in {outer!r}; remove them or add their units"
        )
    if empty:
        raise InputError(f"tables: {empty:,} records of {outer!r} have no record in {inner!r}; remove them")
    place = np.empty(codes.max() + 1, dtype=np.int64)
    place[units] = np.arange(len(units))
    extra = frames[outer].drop(columns=names).iloc[place[members]].reset_index(drop=True)
    return pd.concat([frames[inner].reset_index(drop=True), extra], axis=1)
