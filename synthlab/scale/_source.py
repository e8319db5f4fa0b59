"""Reading of Parquet files or dask DataFrames in pieces."""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from synthlab import _checks
from synthlab._system.optional_dependencies import load
from synthlab.exceptions import DtypeMismatchError, InputError

WHAT = "synthlab.scale"
TEXT = pd.StringDtype("pyarrow")
Piece = tuple[str, tuple[int, ...]]  # a file, and the row groups that are read together


@dataclass(frozen=True, slots=True, eq=False)
class Source:
    """Source of records: Parquet files or a dask DataFrame.

    Attributes
    ----------
    frame : dask DataFrame, or None if the records are read from `pieces`.
    name : str
        Name in messages.
    dtypes : dict
        Dtype of each column after reading.
    kinds : dict
        Kind of values of each column: number, bool, text, date, ...; "" if it is not supported.
    pieces : list of (path, row groups)
        Parts of the Parquet files.
    rows : list of int
        Number of records of each piece.
    """

    frame: Any
    name: str
    dtypes: Mapping[str, Any]
    kinds: Mapping[str, str]
    pieces: Sequence[Piece]
    rows: Sequence[int]

    def records(self, columns: Sequence[str]) -> Any:
        """Return a dask DataFrame of the given columns."""
        dd = load("scale", "dask.dataframe", WHAT)
        wanted = {c: self.dtypes[c] for c in columns}
        meta = pd.DataFrame({c: pd.Series([], dtype=dtype) for c, dtype in wanted.items()})
        if self.frame is None:
            return dd.from_map(read_piece, list(self.pieces), wanted=wanted, meta=meta, enforce_metadata=False)
        return self.frame[list(columns)].map_partitions(_cast, wanted, meta=meta, enforce_metadata=False)


def sources(value: object, name: str, piece_rows: int) -> list[Source]:
    """Return the datasets of an argument: a path, a dask DataFrame, or a list of them."""
    several = isinstance(value, list | tuple)
    items: Sequence[object] = value if isinstance(value, list | tuple) else [value]
    if not items:
        raise InputError(f"{name}: must contain at least one path or dask DataFrame, got none")
    return [
        _opened(item, f"{name} dataset {number}" if several or name == "synthetic" else name, name, piece_rows)
        for number, item in enumerate(items, start=1)
    ]


def _opened(value: object, where: str, name: str, piece_rows: int) -> Source:
    dd = load("scale", "dask.dataframe", WHAT)
    if isinstance(value, dd.DataFrame):
        return _of_dask(value, where)
    if isinstance(value, str | os.PathLike):
        return _of_files(_checks.check_path(value, name), where, piece_rows)
    hint = "; for a pandas DataFrame, use the function of the same name in synthlab" if _in_memory(value) else ""
    raise InputError(
        f"{name}: must be the path of a Parquet file or of a folder of Parquet files, or a dask DataFrame, got "
        f"{_checks.foreign_type(value)}{hint}"
    )


def _in_memory(value: object) -> bool:
    return isinstance(_checks.frame_of(value), pd.DataFrame)


def _of_dask(frame: Any, where: str) -> Source:
    _check_names(list(frame.columns), where)
    dtypes = {c: _cast_dtype(frame._meta[c].dtype) for c in frame.columns}
    kinds = {c: "" if dtype is None else _kind(dtype) for c, dtype in dtypes.items()}
    return Source(frame, where, dtypes, kinds, (), ())


def _check_names(names: Sequence[object], where: str) -> None:
    if any(not isinstance(c, str) for c in names) or len(set(names)) < len(names):
        raise InputError(f"{where}: column names must be text, and unique")


def _cast_dtype(dtype: Any) -> Any:
    """Return the dtype to convert a dask column to, or None if it is not supported."""
    if isinstance(dtype, pd.CategoricalDtype):
        dtype = TEXT if dtype.categories is None else dtype.categories.dtype
    if isinstance(dtype, pd.ArrowDtype):
        return _arrow_dtype(dtype.pyarrow_dtype, True)[0]
    if isinstance(dtype, pd.StringDtype) or dtype.kind == "O":
        return TEXT
    if pd.api.types.is_float_dtype(dtype):
        return np.dtype("float64")
    known = pd.api.types.is_numeric_dtype(dtype) or isinstance(dtype, pd.DatetimeTZDtype)
    complex_ = pd.api.types.is_complex_dtype(dtype)
    return dtype if (known or pd.api.types.is_datetime64_dtype(dtype)) and not complex_ else None


def _kind(dtype: Any) -> str:
    if isinstance(dtype, pd.StringDtype):
        return "text"
    if isinstance(dtype, pd.DatetimeTZDtype):
        return _checks.ZONED
    return "bool" if pd.api.types.is_bool_dtype(dtype) else "number" if pd.api.types.is_numeric_dtype(dtype) else "date"


def _cast(part: pd.DataFrame, wanted: Mapping[str, Any]) -> pd.DataFrame:
    return pd.DataFrame({c: _as(part[c], dtype) for c, dtype in wanted.items()}, index=pd.RangeIndex(len(part)))


def _as(series: pd.Series, dtype: Any) -> Any:
    if isinstance(series.dtype, pd.CategoricalDtype):
        values = _checks.categories_of(series)
        if dtype == TEXT and not pd.api.types.is_string_dtype(values.dtype) and len(values):
            raise InputError(
                f"column {series.name!r} has categories that are not text; convert it to numbers or text first"
            )
        codes = series.cat.codes.to_numpy()
        nullable = values.astype(object).reset_index(drop=True).reindex(np.where(codes < 0, len(values), codes))
        series = nullable.reset_index(drop=True)
        return (series.astype(dtype) if codes.min(initial=0) >= 0 or dtype == TEXT else series.astype("Float64")).array
    if series.dtype == object and not all(isinstance(v, str) or pd.isna(v) for v in series):
        raise InputError(
            f"column {series.name!r} has dtype object and holds values other than text; convert it to another dtype"
        )
    if pd.api.types.is_float_dtype(series.dtype):
        return _checks.as_float(series)
    return series.array if series.dtype == dtype else series.astype(dtype).array


def _of_files(path: Path, where: str, piece_rows: int) -> Source:
    parquet = load("scale", "pyarrow.parquet", WHAT)
    pyarrow = load("scale", "pyarrow", WHAT)
    files = sorted(f for f in path.rglob("*.parquet") if f.is_file()) if path.is_dir() else [path]
    files = [f for f in files if not any(part.startswith((".", "_")) for part in f.relative_to(path).parts)]
    if not files or not path.exists():
        raise InputError(f"{where}: {str(path)!r} is not a Parquet file or a folder that contains Parquet files")
    lacking, pieces, rows = set(), [], []
    schema: Any = None
    for file in files:
        try:
            footer = parquet.read_metadata(file)
            found = footer.schema.to_arrow_schema()
        except (pyarrow.ArrowException, OSError) as error:
            raise InputError(f"{where}: {str(file)!r} cannot be read as Parquet: {type(error).__name__}") from None
        if schema is None:
            schema = found
            _check_names(schema.names, where)
        odd = [n for n in schema.names if n not in found.names or found.field(n).type != schema.field(n).type]
        if odd or len(found.names) != len(schema.names):
            which = (
                f"column {odd[0]!r} has different types in the files" if odd else "the columns differ between the files"
            )
            raise InputError(f"{where}: {which} of {str(path)!r}; write them with one schema")
        lacking |= _with_missing(footer, schema.names)
        for groups, size in _groups([footer.row_group(g).num_rows for g in range(footer.num_row_groups)], piece_rows):
            pieces.append((str(file), groups))
            rows.append(size)
    if not sum(rows):
        raise InputError(f"{where}: {str(path)!r} holds no records")
    found_dtypes = {n: _arrow_dtype(schema.field(n).type, n in lacking) for n in schema.names}
    dtypes, kinds = ({n: pair[i] for n, pair in found_dtypes.items()} for i in (0, 1))
    return Source(None, where, dtypes, kinds, pieces, rows)


def _with_missing(footer: Any, names: Sequence[str]) -> set[str]:
    """Return the columns that have, or might have, missing values."""
    found = set()
    for g in range(footer.num_row_groups):
        group = footer.row_group(g)
        for j in range(group.num_columns):
            column = group.column(j)
            stated = column.statistics
            if stated is None or not stated.has_null_count or stated.null_count:
                found.add(column.path_in_schema.split(".")[0])
    return found & set(names)


def _groups(sizes: Sequence[int], limit: int) -> Iterable[tuple[tuple[int, ...], int]]:
    """Join adjacent row groups up to `limit` records."""
    chosen: list[int] = []
    total = 0
    for number, size in enumerate(sizes):
        if chosen and total + size > limit:
            yield tuple(chosen), total
            chosen, total = [], 0
        chosen.append(number)
        total += size
    if chosen:
        yield tuple(chosen), total


def _arrow_dtype(kind: Any, missing: bool) -> tuple[Any, str]:
    """Return the pandas dtype and the kind of values of an Arrow type, if supported."""
    types = load("scale", "pyarrow", WHAT).types
    if types.is_dictionary(kind):
        kind = kind.value_type
    if types.is_integer(kind):
        whole = str(kind)
        return pd.api.types.pandas_dtype(
            whole.replace("int", "Int").replace("uI", "UI") if missing else whole
        ), "number"
    if types.is_floating(kind):
        return np.dtype("float64"), "number"
    if types.is_boolean(kind):
        return pd.BooleanDtype() if missing else np.dtype(bool), "bool"
    if types.is_string(kind) or types.is_large_string(kind) or types.is_string_view(kind):
        return TEXT, "text"
    if types.is_date32(kind):
        return np.dtype("datetime64[s]"), _checks.DAY
    if types.is_timestamp(kind):
        unit = kind.unit
        return (
            (np.dtype(f"datetime64[{unit}]"), "date")
            if kind.tz is None
            else (pd.DatetimeTZDtype(unit, "UTC"), _checks.ZONED)
        )
    if types.is_null(kind):
        return np.dtype("float64"), "nothing"
    return None, ""


def pieces_of(file: Path) -> list[Piece]:
    """Return the row groups of a file, each as a piece."""
    import pyarrow.parquet as pq

    return [(str(file), (group,)) for group in range(pq.read_metadata(file).num_row_groups)]


def read_piece(piece: Piece, wanted: Mapping[str, Any]) -> pd.DataFrame:
    """Return the records of a piece, each column with its dtype."""
    import pyarrow as pa
    import pyarrow.parquet as pq

    path, groups = piece
    with pq.ParquetFile(path) as file:
        table = file.read_row_groups(list(groups), columns=list(wanted), use_threads=False)
    columns = {}
    for name, dtype in wanted.items():
        column = table.column(name)
        if pa.types.is_dictionary(column.type):
            column = column.cast(column.type.value_type)
        if pa.types.is_date32(column.type):
            column = column.cast(pa.timestamp("s"))
        if isinstance(dtype, pd.DatetimeTZDtype):
            column = column.cast(pa.timestamp(dtype.unit, "UTC"))
        if dtype == TEXT:
            columns[name] = pd.array(column.cast(pa.large_string()), dtype=TEXT)
        elif hasattr(dtype, "__from_arrow__"):
            columns[name] = dtype.__from_arrow__(column)
        else:
            columns[name] = column.to_numpy().astype(dtype, copy=False)
    return pd.DataFrame(columns, index=pd.RangeIndex(table.num_rows))


def common_dtypes(frames: Sequence[Source], columns: Sequence[str]) -> dict[str, Any]:
    """Return the dtype that holds each column of all files exactly, or raise."""
    found = {}
    for column in columns:
        kinds = [one.kinds[column] for one in frames]
        for one, kind in zip(frames, kinds, strict=True):
            if not kind:
                raise InputError(
                    f"{one.name}: column {column!r} has an unsupported type; convert it to numbers, text, bools or dates"
                )
            if "nothing" not in (kind, kinds[0]) and kind != kinds[0]:
                raise DtypeMismatchError(
                    f"column {column!r} holds {kinds[0]} values in {frames[0].name} and {kind} values in {one.name}, so no "
                    "value can match; use the same type in all files"
                )
        dtypes = [one.dtypes[column] for one, kind in zip(frames, kinds, strict=True) if kind != "nothing"]
        found[column] = _common(dtypes) if dtypes else np.dtype("float64")
        if "nothing" in kinds and _checks.is_whole(found[column]):
            found[column] = _nullable(found[column])
    return found


def _common(dtypes: Sequence[Any]) -> Any:
    first = dtypes[0]
    if all(dtype == first for dtype in dtypes):
        return first
    if any(isinstance(d, pd.BooleanDtype) for d in dtypes):
        return pd.BooleanDtype()
    if all(pd.api.types.is_numeric_dtype(d) for d in dtypes):
        whole = np.result_type(*[np.dtype(str(d).lower()) for d in dtypes])
        extended = any(pd.api.types.is_extension_array_dtype(d) for d in dtypes)
        return _nullable(whole) if extended and whole.kind in "iu" else whole
    if isinstance(first, pd.DatetimeTZDtype):
        unit: Any = np.datetime_data(np.result_type(*[np.dtype(f"M8[{d.unit}]") for d in dtypes]))[0]
        return pd.DatetimeTZDtype(unit, "UTC")
    return np.result_type(*dtypes)


def _nullable(dtype: Any) -> Any:
    name = str(dtype).lower()
    return pd.api.types.pandas_dtype(name.replace("int", "Int").replace("uI", "UI"))
