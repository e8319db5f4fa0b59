"""Counts of equal records; each piece of a file is reduced before the shuffle."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd

from synthlab import _checks
from synthlab._system.optional_dependencies import load
from synthlab._typing import BoolArray, IntArray
from synthlab.exceptions import InputError, MissingValueError
from synthlab.intruder import Intruder
from synthlab.matching.kernel import block_codes
from synthlab.scale import _cluster, _hashing
from synthlab.scale._count import Tally
from synthlab.scale._run import COPIES, PIECE, WORK, WORK_A_VARIABLE, new_folder
from synthlab.scale._source import Source, common_dtypes, sources
from synthlab.scale._validation import DISTINCT, _distinct, rounded


@dataclass(frozen=True, slots=True, eq=False)
class Cells:
    """Cells of a set of keys; all cells of a key are included, each once.

    key : (cells,) code of the key. count : (cells, 1 + m) records of the cell in the confidential data and in each dataset.
    sizes : (cells, 1 + m) records with the key of the cell. value : the other variable of each cell, or None.
    lost : (cells,) whether a variable of the key is missing.
    """

    key: IntArray
    count: IntArray
    sizes: IntArray
    value: pd.Series | None
    lost: BoolArray


@dataclass(frozen=True, slots=True)
class Labels:
    """Column of record ids, and folder for Parquet files with one row per record."""

    id: str
    folder: str


OfCell = Callable[[Cells], pd.DataFrame]  # returns the output values of the records of each cell, (cells, columns)


@contextmanager
def labels(id: object, output: object, everything: Sequence[Source]) -> Iterator[Labels | None]:
    """Yield the destination of the records, or None if no output is requested."""
    if (id is None) != (output is None):
        raise InputError("id, output: give both (to write one row per record) or neither")
    if id is None:
        yield None
        return
    name = _checks.check_column(headers(everything)[0], id, "id", where="confidential")
    with new_folder(output) as folders:
        yield Labels(name, str(folders[0]))


def of_datasets(columns: dict[str, Any]) -> pd.DataFrame:
    """Return a frame; arrays of shape (cells, m) become m columns numbered 1..m."""
    named: dict[str, Any] = {}
    for name, values in columns.items():
        if np.ndim(values) == 1:
            named[name] = values
        else:
            named |= {f"{name}_{number}": one for number, one in enumerate(np.asarray(values).T, start=1)}
    return pd.DataFrame(named)


def opened(confidential: object, synthetic: object, partition_rows: int | None) -> tuple[list[Source], int]:
    """Return all files, and the number of records per partition."""
    rows = None if partition_rows is None else _checks.check_count(partition_rows, "partition_rows")
    fit = _cluster.room(COPIES * 128 + WORK + WORK_A_VARIABLE) if rows is None else rows
    piece = max(1, min(PIECE, fit // 2))
    own = sources(confidential, "confidential", piece)
    if len(own) != 1:
        raise InputError(f"confidential: must be one file, got {len(own)}")
    return [*own, *sources(synthetic, "synthetic", piece)], fit


def headers(everything: Sequence[Source]) -> list[pd.DataFrame]:
    """Return an empty frame for each file."""
    return [pd.DataFrame(columns=list(one.dtypes)) for one in everything]


def tabulated(
    everything: Sequence[Source],
    keys: Sequence[str],
    value: str | None,
    fit: int,
    finish: Callable[[Cells], Tally],
    asked: Labels | None = None,
    of_cell: OfCell | None = None,
) -> tuple[list[int], list[Tally]]:
    """Return the number of records of each file, and the tallies of all partitions.

    `finish` computes a tally from the cells of a partition. If `asked` is given, the confidential records are shuffled too,
    and each partition writes a file with the values that `of_cell` returns for its records.
    """
    dask, dd = (load("scale", name, _cluster.WHAT) for name in ("dask", "dask.dataframe"))
    columns = list(dict.fromkeys([*keys, *([value] if value else [])]))
    dtypes = common_dtypes(everything, columns)
    _check_exact(everything, dtypes)
    inner = {column: f"c{number}" for number, column in enumerate(columns)}
    inner_dtypes = {inner[c]: dtype for c, dtype in dtypes.items()}
    meta = pd.DataFrame(
        {
            c: pd.Series([], dtype=d)
            for c, d in {"place": "int64", "file": "int16", "count": "int64", **inner_dtypes}.items()
        }
    )
    frames = [one.records(columns) for one in everything]
    places = max(1, sum(frame.npartitions for frame in frames) // 2)
    names = _cluster.names_of_places(places)
    inner_keys = [inner[c] for c in keys]
    parts = [
        frame.map_partitions(
            _reduced, number, inner, inner_dtypes, inner_keys, names, meta=meta, enforce_metadata=False
        )
        for number, frame in enumerate(frames)
    ]
    told_once = (inner_keys, inner[value] if value else None, len(parts), finish, asked, of_cell)
    shared = [dask.delayed(one, traverse=False) for one in told_once]
    here = _cluster.shuffled(dd.concat(parts), places).to_delayed()
    people: Sequence[Any] = [None] * len(here)
    if asked is not None:
        own, kind = everything[0], everything[0].dtypes[asked.id]
        empty = meta.drop(columns=["file", "count"])
        empty.insert(1, "id", pd.Series([], dtype=kind))
        frame = own.records(list(dict.fromkeys([asked.id, *columns])))
        labelled = frame.map_partitions(
            _labelled, asked.id, kind, inner, inner_dtypes, inner_keys, names, meta=empty, enforce_metadata=False
        )
        people = _cluster.shuffled(labelled, places).to_delayed()
    finished = dask.delayed(_cluster.Quiet(_finished), pure=False)
    found = _cluster.run([finished(part, one, *shared) for part, one in zip(here, people, strict=True)])
    told = [one for part in found for one in part]
    records = np.sum([one["records"] for one in told], axis=0)
    sizes = [int(size) for size in records]
    for one, size in zip(everything, sizes, strict=True):
        if not size:
            raise InputError(f"{one.name}: contains no records")
    if len(set(sizes[1:])) > 1:
        raise InputError("synthetic: the datasets must have the same number of records")
    return sizes, told


def _check_exact(everything: Sequence[Source], dtypes: dict[str, Any]) -> None:
    """Raise if whole numbers would be rounded by conversion to the common dtype."""
    for one in everything:
        turned = [c for c, dtype in dtypes.items() if _checks.is_whole(one.dtypes[c]) and not _checks.is_whole(dtype)]
        beyond = np.any(_cluster.each_part(_beyond, one.records(turned), turned), axis=0) if turned else []
        for column, large in zip(turned, beyond, strict=True):
            if large:
                raise InputError(rounded(one.name, column))


def _beyond(part: pd.DataFrame, names: list[str]) -> list[bool]:
    return [_checks.beyond_float(part[name]) for name in names]


def _reduced(
    part: pd.DataFrame, number: int, inner: dict[str, str], dtypes: dict[str, Any], keys: list[str], names: IntArray
) -> pd.DataFrame:
    frame = _hashing.typed(part.rename(columns=inner), dtypes)
    code = block_codes([frame], list(frame.columns), "category")[0]
    _, first, count = np.unique(code, return_index=True, return_counts=True)
    cells = frame.iloc[first].reset_index(drop=True)
    place = names[(_hashing.hashes(cells, keys) % np.uint64(names.size)).astype(np.int64)]
    cells.insert(0, "place", place)
    cells.insert(1, "file", np.full(len(cells), number, dtype=np.int16))
    cells.insert(2, "count", count)
    return cells


def _labelled(
    part: pd.DataFrame,
    id: str,
    kind: Any,
    inner: dict[str, str],
    dtypes: dict[str, Any],
    keys: list[str],
    names: IntArray,
) -> pd.DataFrame:
    label = part[id].astype(kind)
    frame = _hashing.typed(part.rename(columns=inner), dtypes)
    place = names[(_hashing.hashes(frame, keys) % np.uint64(names.size)).astype(np.int64)]
    frame.insert(0, "place", place)
    frame.insert(1, "id", label)
    return frame


def _finished(
    part: pd.DataFrame,
    people: pd.DataFrame | None,
    keys: list[str],
    value: str | None,
    files: int,
    finish: Callable[[Cells], Tally],
    asked: Labels | None,
    of_cell: OfCell | None,
) -> list[Tally]:
    found = []
    columns = list(part.columns[3:])
    for place, some in part.groupby("place", sort=True):
        code = block_codes([some], columns, "category")[0]
        _, first, cell = np.unique(code, return_index=True, return_inverse=True)
        count = np.zeros((first.size, files), dtype=np.int64)
        np.add.at(count, (cell, some["file"].to_numpy()), some["count"].to_numpy())
        example = some.iloc[first]
        key = block_codes([example], keys, "category")[0]
        total = np.zeros((int(key.max()) + 1, files), dtype=np.int64)
        np.add.at(total, key, count)
        lost = _hashing.lost(example, keys)
        cells = Cells(key, count, total[key], None if value is None else example[value], lost)
        found.append({**finish(cells), "records": count.sum(axis=0)})
        if people is not None and asked is not None and of_cell is not None:
            mine = people[people["place"] == place].sort_values("id", ignore_index=True)
            _write(
                of_cell(cells).iloc[_at(example, mine, columns)],
                mine["id"],
                asked,
                f"part-{place:05d}.parquet",
            )
    return found


def _at(cells: pd.DataFrame, people: pd.DataFrame, columns: list[str]) -> IntArray:
    """Return the position of the cell of each person."""
    known, asked = block_codes([cells, people], columns, "category")
    order = np.argsort(known)
    return np.asarray(order[np.searchsorted(known[order], asked)], dtype=np.int64)


def _write(told: pd.DataFrame, ids: pd.Series, asked: Labels, name: str) -> None:
    if asked.id in told.columns:
        raise InputError(f"id={asked.id!r}: is the name of an output column; rename the id column")
    if len(ids):
        told = told.reset_index(drop=True)
        told.insert(0, asked.id, ids)
        _cluster.write(told, asked.folder, name)


def check_missing(everything: Sequence[Source], names: Sequence[str], missing: str) -> None:
    """Raise on missing values unless the intruder defines their meaning."""
    if missing != "raise":
        return
    for one in everything:
        lost = np.sum(_cluster.each_part(_missing, one.records(names), list(names)), axis=0)
        for name, count in zip(names, lost, strict=True):
            if count:
                raise MissingValueError(
                    f'{one.name}: column {name!r} has {int(count):,} missing values; use missing="category" to treat them as '
                    "a separate category"
                )


def _missing(part: pd.DataFrame, names: list[str]) -> IntArray:
    return np.array([int(part[name].isna().sum()) for name in names])


def check_finite(everything: Sequence[Source], names: Sequence[str]) -> None:
    """Raise on infinite numbers."""
    for one in everything:
        floats = [name for name in names if pd.api.types.is_float_dtype(one.dtypes[name])]
        found = np.sum(_cluster.each_part(_infinite, one.records(floats), floats), axis=0) if floats else []
        for name, count in zip(floats, found, strict=True):
            if count:
                raise InputError(
                    f"{one.name}: column {name!r} has {int(count):,} infinite values; values must be finite"
                )


def _infinite(part: pd.DataFrame, names: list[str]) -> IntArray:
    return np.array([int(np.isinf(_checks.as_float(part[name])).sum()) for name in names])


def looks_continuous(source: Source, column: str) -> bool:
    """Return `_checks.looks_continuous` for a column of a file."""
    return _checks.looks_continuous(some_of(source, column))


def some_of(source: Source, column: str) -> pd.Series:
    """Return enough distinct numbers to decide whether a column looks continuous.

    For a column without numbers, return one missing value of its dtype.
    """
    parts = _cluster.each_part(_numbers, source.records([column]), column)
    if all(part is None for part in parts):
        return pd.Series([None], dtype="boolean" if _is_bool(source.dtypes[column]) else source.dtypes[column])
    values = np.unique(np.concatenate([part for part in parts if part is not None]))
    return (
        _checks.from_days(values) if pd.api.types.is_datetime64_any_dtype(source.dtypes[column]) else pd.Series(values)
    )


def _is_bool(dtype: Any) -> bool:
    return bool(pd.api.types.is_bool_dtype(dtype))


def _numbers(part: pd.DataFrame, column: str) -> Any:
    if not _checks.is_measured(part[column]):
        return None
    return _distinct(_checks.measurements(part[column]))[:DISTINCT]


def check_keys(
    everything: Sequence[Source], intruder: Intruder, function: str, refused: Mapping[str, str] | None = None
) -> list[str]:
    """Return the known variables, all of which must be compared by value."""
    from synthlab.risk.identification import replicated_uniques

    frames = headers(everything)
    return replicated_uniques.check_keys(frames[0], frames[1:], intruder, function, refused)


def marked(cells: Cells, where: BoolArray) -> IntArray:
    """Return the number of records in the marked cells, per file."""
    return np.asarray(cells.count[where].sum(axis=0))
