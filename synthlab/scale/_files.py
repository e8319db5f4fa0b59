"""Parquet and CSV files, their column types, and the SQL that gives all files one type."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from synthlab import _checks
from synthlab._system.optional_dependencies import load
from synthlab.exceptions import DtypeMismatchError, InputError

WHAT = "synthlab.scale"
WHOLE = ("TINYINT", "SMALLINT", "INTEGER", "BIGINT", "UTINYINT", "USMALLINT", "UINTEGER", "UBIGINT")
PIECE = 4_000_000  # records of a file that a worker of Dask reads at a time


@dataclass(frozen=True, slots=True)
class Piece:
    """Files that one task reads; `groups` are the row groups of a single file, or None for all."""

    paths: tuple[str, ...]
    groups: tuple[int, ...] | None = None


@dataclass(frozen=True, slots=True, eq=False)
class Source:
    """Records of one argument, on disk.

    Attributes
    ----------
    name : str
        Name in messages.
    types : dict {column: SQL type}
        Types of the columns; "" is an unsupported type.
    pieces : tuple of Piece
        The files; Dask reads each piece in a task of its own.
    rows : int
        Number of records.
    stamp : list
        Path, size and time of change of each file, from which a repeated run sees whether the files changed.
    """

    name: str
    types: Mapping[str, str]
    pieces: tuple[Piece, ...]
    rows: int
    stamp: Sequence[Any]


def listed(value: object, name: str) -> list[tuple[str, Any]]:
    """Return the datasets of an argument with their names: paths or dask DataFrames."""
    items: Sequence[Any] = value if isinstance(value, list | tuple) else [value]
    if not items:
        raise InputError(f"{name}: must contain at least one path or dask DataFrame, got none")
    if name == "confidential" and len(items) != 1:
        raise InputError(f"confidential: must be one file, got {len(items)}")
    found = []
    for number, item in enumerate(items, start=1):
        where = name if name == "confidential" else f"{name} dataset {number}"
        if isinstance(item, str | os.PathLike):
            found.append((where, _checks.check_path(item, name)))
        elif type(item).__module__.startswith("dask"):
            found.append((where, item))
        else:
            in_memory = "; for a pandas DataFrame, use the function of the same name in synthlab"
            hint = in_memory if hasattr(_checks.frame_of(item), "columns") else ""
            raise InputError(
                f"{name}: must be the path of a Parquet or CSV file or of a folder of such files, or a dask DataFrame, got "
                f"{_checks.foreign_type(item)}{hint}"
            )
    return found


def files_below(path: Path, where: str) -> list[Path]:
    """Return the Parquet or CSV files of a path, without hidden files."""
    found = [path]
    if path.is_dir():
        found = sorted(one for one in path.rglob("*") if one.is_file() and one.suffix.lower() in (".parquet", ".csv"))
        found = [one for one in found if not any(part.startswith((".", "_")) for part in one.relative_to(path).parts)]
    if not found or not path.exists():
        raise InputError(f"{where}: {str(path)!r} is not a Parquet or CSV file or a folder that contains such files")
    if len({one.suffix.lower() == ".csv" for one in found}) > 1:
        raise InputError(f"{where}: {str(path)!r} contains Parquet and CSV files; use one format")
    return found


def parquet_source(files: Sequence[Path], where: str, whole: bool) -> Source:
    """Return the records of Parquet files with one schema; `whole` gives a single piece."""
    parquet, pyarrow = (load("scale", name, WHAT) for name in ("pyarrow.parquet", "pyarrow"))
    schema, pieces, rows = None, [], 0
    for file in files:
        try:
            footer = parquet.read_metadata(file)
            found = footer.schema.to_arrow_schema()
        except (pyarrow.ArrowException, OSError) as error:
            raise InputError(f"{where}: {str(file)!r} cannot be read as Parquet: {type(error).__name__}") from None
        schema = found if schema is None else schema
        odd = [
            n for n in schema.names if n not in found.names or _type(found.field(n).type) != _type(schema.field(n).type)
        ]
        if odd or len(found.names) != len(schema.names):
            what = f"column {odd[0]!r} has different types in" if odd else "the columns differ between"
            raise InputError(f"{where}: {what} the files of {str(file.parent)!r}; write them with one schema")
        sizes = [footer.row_group(group).num_rows for group in range(footer.num_row_groups)]
        pieces += [Piece((str(file),), groups) for groups in _stretches(sizes)]
        rows += footer.num_rows
    if schema is None or not rows:
        raise InputError(f"{where}: contains no records")
    if len(set(schema.names)) < len(schema.names):
        raise InputError(f"{where}: column names must be unique")
    if whole:
        pieces = [Piece(tuple(map(str, files)))]
    stamp = [[str(file), file.stat().st_size, file.stat().st_mtime_ns] for file in files]
    return Source(where, {name: _type(schema.field(name).type) for name in schema.names}, tuple(pieces), rows, stamp)


def _stretches(sizes: Sequence[int]) -> Iterator[tuple[int, ...]]:
    """Yield adjacent row groups with at most `PIECE` records together."""
    chosen: list[int] = []
    for number, size in enumerate(sizes):
        if chosen and sum(sizes[at] for at in chosen) + size > PIECE:
            yield tuple(chosen)
            chosen = []
        chosen.append(number)
    if chosen:
        yield tuple(chosen)


def _type(kind: Any) -> str:
    """Return the SQL type of an Arrow type, "" if it is not supported."""
    types = load("scale", "pyarrow", WHAT).types
    if types.is_dictionary(kind):
        kind = kind.value_type
    if types.is_integer(kind):
        return WHOLE[4 * types.is_unsigned_integer(kind) + (8, 16, 32, 64).index(kind.bit_width)]
    if types.is_floating(kind):
        return "DOUBLE"
    if types.is_boolean(kind):
        return "BOOLEAN"
    if types.is_string(kind) or types.is_large_string(kind) or types.is_string_view(kind):
        return "VARCHAR"
    if types.is_date(kind):
        return "DATE"
    if types.is_timestamp(kind):
        return "TIMESTAMPTZ" if kind.tz else "TIMESTAMP_NS" if kind.unit == "ns" else "TIMESTAMP"
    return "NULL" if types.is_null(kind) else ""


def kind_of(sql: str) -> str:
    """Return the kind of values of an SQL type: number, bool, text, date, ..."""
    kinds = {"BOOLEAN": "bool", "VARCHAR": "text", "DATE": _checks.DAY, "TIMESTAMPTZ": _checks.ZONED, "NULL": "nothing"}
    return kinds.get(sql, "date" if sql.startswith("TIMESTAMP") else "number" if sql else "")


def common_types(everything: Sequence[Source], columns: Sequence[str]) -> dict[str, str]:
    """Return the SQL type that holds each column of all files, or raise."""
    found = {}
    for column in columns:
        kinds = [kind_of(one.types[column]) for one in everything]
        for one, kind in zip(everything, kinds, strict=True):
            if not kind:
                raise InputError(
                    f"{one.name}: column {column!r} has an unsupported type; convert it to numbers, text, bools or dates"
                )
            if "nothing" not in (kind, kinds[0]) and kind != kinds[0]:
                raise DtypeMismatchError(
                    f"column {column!r} holds {kinds[0]} values in {everything[0].name} and {kind} values in {one.name}, so no "
                    "value can match; use the same type in all files"
                )
        types = {one.types[column] for one in everything} - {"NULL"} or {"DOUBLE"}
        if types <= set(WHOLE):
            large = "UBIGINT" in types
            signed = any(not one.startswith("U") for one in types)
            found[column] = ("DOUBLE" if signed else "UBIGINT") if large else "BIGINT"
        elif len(types) == 1:
            found[column] = "TIMESTAMP" if types == {"DATE"} else types.pop()
        else:
            found[column] = "DOUBLE" if kinds[0] == "number" or "DOUBLE" in types else "TIMESTAMP_NS"
    return found


def cast(column: str, sql: str) -> str:
    """Return the SQL of a column with its common type; NaN is a missing value."""
    if sql == "DOUBLE":
        return f"nullif({quoted(column)}::DOUBLE, 'nan'::DOUBLE)"
    return f"{quoted(column)}::{sql}"


def quoted(column: str) -> str:
    """Return a column name in SQL."""
    return '"' + column.replace('"', '""') + '"'


def path_in_sql(path: object) -> str:
    """Return a path in SQL."""
    return "'" + str(path).replace("'", "''") + "'"


def read_sql(paths: Sequence[object]) -> str:
    """Return the SQL that reads Parquet files; their folders are not columns."""
    names = ", ".join(map(path_in_sql, paths))
    return f"read_parquet([{names}], hive_partitioning = false)"


def relation(connection: Any, piece: Piece) -> str:
    """Return the SQL of a piece; row groups are registered as a table of the connection."""
    if piece.groups is None:
        return read_sql(piece.paths)
    import pyarrow.dataset as ds
    import pyarrow.fs as fs
    import pyarrow.parquet as pq

    disk, form = fs.LocalFileSystem(), ds.ParquetFileFormat()
    fragment = form.make_fragment(piece.paths[0], disk, row_groups=list(piece.groups))
    name = f"piece_{abs(hash(piece))}"
    connection.register(name, ds.FileSystemDataset([fragment], pq.read_schema(piece.paths[0]), form, disk))
    return name
