"""Checks of frames: column names, row alignment and values.

Column names are data: they are looked up, never evaluated.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, TypeGuard

import numpy as np
import pandas as pd

from synthlab._checks._arguments import check_list, check_text
from synthlab._checks._arrays import check_unmasked
from synthlab._checks._messages import described, did_you_mean, first_of, named, shorten, shown
from synthlab._system import optional_dependencies
from synthlab._typing import DatasetLike, IntArray
from synthlab.exceptions import InputError, RowAlignmentError

A_FRAME = "a data frame of pandas, polars or PyArrow"


def check_frame(value: object, name: str) -> pd.DataFrame:
    """Return a non-empty DataFrame, or the frame of a `Dataset`, after validation.

    Polars and PyArrow tables are converted. Column names must be unique texts, and values must be comparable. Sparse columns
    become dense.
    """
    value = frame_of(value, name)
    if not isinstance(value, pd.DataFrame):
        hint = "; use synthlab.read to read a file" if isinstance(value, str | os.PathLike) else ""
        raise InputError(f"{name}: must be {A_FRAME}, got {foreign_type(value)}{hint}")
    if value.shape[0] == 0 or value.shape[1] == 0:
        raise InputError(f"{name}: has {value.shape[0]} rows and {value.shape[1]} columns; both must be at least 1")
    if not value.columns.is_unique:
        twice = value.columns[value.columns.duplicated()].unique()
        raise InputError(f"{name}: column names must be unique; these names occur twice: {shorten(twice)}")
    odd = [c for c in value.columns if not isinstance(c, str)]
    if odd:
        raise InputError(
            f"{name}: column names must be text, but {len(odd)} of {value.shape[1]} are not; convert them with "
            "frame.columns = frame.columns.map(str)"
        )
    dtypes = value.dtypes.to_dict()
    sparse = {c: dtype.subtype for c, dtype in dtypes.items() if isinstance(dtype, pd.SparseDtype)}
    if sparse:
        value = value.astype(sparse)
    for column, dtype in (dtypes | sparse).items():
        if isinstance(dtype, np.dtype) and dtype.kind in "biufmM":
            continue  # these dtypes contain only numbers, bools or dates
        if isinstance(dtype, pd.CategoricalDtype):
            _check_cells(dtype.categories, column, name)
        else:
            _check_cells(value.loc[:, column], column, name)
    return value


def frame_of(value: object, name: str = "data") -> object:
    """Return the frame of a `Dataset`, a table of another library as a DataFrame, and any other value unchanged."""
    if isinstance(value, pd.DataFrame):
        return value
    if isinstance(value, DatasetLike):
        return value.frame
    import narwhals.stable.v2 as nw

    return _to_pandas(nw.from_native(value), name) if nw.dependencies.is_into_dataframe(value) else value


def _to_pandas(table: Any, name: str) -> pd.DataFrame:
    """Convert a table of another library, or raise an error if a column has lists or structures.

    All libraries are converted by Arrow, so that dates are dates, and categories keep their order.
    """
    pyarrow = optional_dependencies.load("files", "pyarrow", "a table of another library than pandas")
    arrow = table.to_arrow()
    nested = [field.name for field in arrow.schema if pyarrow.types.is_nested(field.type)]
    if nested:
        raise InputError(
            f"{name}: {'column' if len(nested) == 1 else 'columns'} {named(nested)} must not contain lists or structures; split "
            "each into columns of single values, or omit it"
        )
    frame: pd.DataFrame = arrow.to_pandas(date_as_object=False)
    return frame


def foreign_type(value: object) -> str:
    """Describe the type of a value that is not a pandas frame."""
    kind = type(value)
    library = (kind.__module__ or "").partition(".")[0]
    if library in ("builtins", "pandas", "numpy", "synthlab", "__main__"):
        return kind.__name__
    ways = [f"; convert it with .{way}()" for way in ("collect", "to_pandas") if hasattr(kind, way)]
    hint = ways[0] if ways else ""
    return f"{kind.__name__} of {library}{hint}"


def check_values(series: pd.Series, name: str) -> None:
    """Raise an error for complex numbers, invalid text or unhashable values."""
    cells = series.cat.categories if isinstance(series.dtype, pd.CategoricalDtype) else series
    _check_cells(cells, series.name, name)


def _check_cells(cells: pd.Series | pd.Index, column: object, name: str) -> None:
    what = ""
    if pd.api.types.is_complex_dtype(cells.dtype):
        what = "complex numbers"
    elif cells.dtype == object or getattr(cells.dtype, "storage", None) == "python":
        values = cells.to_numpy(dtype=object).tolist()
        kinds = set(map(type, values))
        if any(issubclass(kind, complex | np.complexfloating) for kind in kinds):
            what = "complex numbers"
        elif any(issubclass(kind, str) for kind in kinds) and _half_pairs(values):
            what = "half a surrogate pair, which is not valid text"
        else:
            bad = {kind.__name__ for kind in kinds if kind.__hash__ is None or issubclass(kind, np.void)}
            if tuple in kinds and not all(map(pd.api.types.is_hashable, values)):
                bad.add("tuple")
            what = f"{' and '.join(sorted(bad))} values" if bad else ""
    if what:
        raise InputError(
            f"{name}: {'' if column is None else f'column {column!r} '}holds {what}; a column must contain numbers, text, bools "
            "or dates; split it into such columns, or omit it"
        )


def _half_pairs(values: Iterable[object]) -> bool:
    """Return whether a text contains half a surrogate pair.

    Such text cannot be written to files, and other libraries reject it.
    """
    try:
        "".join(value for value in values if isinstance(value, str)).encode()
    except UnicodeEncodeError:
        return True
    return False


def check_name(column: object, name: str) -> str:
    """Return the name of one column, which must be text."""
    if not isinstance(column, str):
        hint = f"; omit the brackets: {name}={column[0]!r}" if _is_list_of_one(column) else ""
        raise InputError(f"{name}={shown(column)}: must be the name of one column, as text{hint}")
    return check_text(column, name)


def _is_list_of_one(value: object) -> TypeGuard[Sequence[str]]:
    return isinstance(value, list | tuple) and len(value) == 1 and isinstance(value[0], str)


def check_column(frame: pd.DataFrame, column: object, name: str, *, where: str) -> str:
    """Return the name of one column of `frame`."""
    checked = check_name(column, name)
    if checked not in frame.columns:
        raise InputError(
            f"{name}: {checked!r} not in {where}, which has {shorten(frame.columns, 12)}{did_you_mean(checked, frame.columns)}"
        )
    return checked


def check_names(columns: object, name: str, *, where: str = "", allow_empty: bool = True) -> tuple[str, ...]:
    """Return distinct column names; a single string is one name.

    `where` names the frame in messages, if it is known.
    """
    names = (
        [columns]
        if isinstance(columns, str)
        else check_list(columns, name, "a list of column names, or one column name")
    )
    if not names and not allow_empty:
        raise InputError(f"{name}=[]: must name at least one column" + (f" of {where}" if where else ""))
    odd = [not isinstance(c, str) for c in names]
    if any(odd):
        raise InputError(f"{name}: must be a list of column names, which are text; {first_of(odd)}, are not text")
    if len(set(names)) < len(names):
        raise InputError(f"{name}: names a column twice; {first_of(pd.Series(names).duplicated())}, are duplicates")
    return tuple(names)


def check_columns(
    frame: pd.DataFrame, columns: object, name: str, *, where: str, allow_empty: bool = False
) -> list[str]:
    """Return a list of distinct column names that all occur in `frame`."""
    names = list(check_names(columns, name, where=where, allow_empty=allow_empty))
    absent = [c not in frame.columns for c in names]
    if any(absent):
        # A Series, an Index or an array might contain the values of a column, so they must not be shown.
        plain = isinstance(columns, str | list | tuple | set | frozenset)
        missing = [c for c, gone in zip(names, absent, strict=True) if gone]
        which = named(missing) if plain else f"{first_of(absent)},"
        hint = did_you_mean(missing[0], frame.columns) if plain and len(missing) == 1 else ""
        raise InputError(f"{name}: {which} not in {where}, which has {shorten(frame.columns, 12)}{hint}")
    return names


def check_disjoint(known: Sequence[str], synthesized: Sequence[str]) -> None:
    """Raise an error if a variable is declared both known and synthesized."""
    both = [c for c in known if c in set(synthesized)]
    if both:
        raise InputError(
            f"known and synthesized overlap in {named(both)}: known contains the variables that are released unchanged; the intruder "
            "is always assumed to know the true values of synthesized variables; remove the overlap from known"
        )


def check_rows_aligned(confidential: pd.DataFrame, frames: Sequence[pd.DataFrame]) -> None:
    """Raise an error unless row i of every synthetic frame can describe record i.

    Rows are aligned by position. The indexes must not contradict this: they must be equal, or both be the default index
    0..n-1.
    """
    n = len(confidential)
    if confidential.index.has_duplicates:
        raise RowAlignmentError(
            "confidential: the index has duplicates; use .reset_index(drop=True) if rows are aligned by position"
        )
    for number, frame in enumerate(frames, start=1):
        label = f"synthetic dataset {number} of {len(frames)}"
        if len(frame) != n:
            raise RowAlignmentError(
                f"{label} has {len(frame)} rows, confidential has {n}: partial synthesis has one row per record; if fewer records "
                "are released, identification_risk and intruder_risk take their positions as `rows`"
            )
        if frame.index.has_duplicates:
            raise RowAlignmentError(
                f"{label}: the index has duplicates; use .reset_index(drop=True) if rows are aligned"
            )
        default = [_is_default_index(f.index) for f in (confidential, frame)]
        if not frame.index.equals(confidential.index) and not all(default):
            hint = "the same labels in another order: use synthetic.loc[confidential.index]"
            if not frame.index.sort_values().equals(confidential.index.sort_values()):
                hint = "different labels: use .reset_index(drop=True) on both if rows are aligned by position"
            raise RowAlignmentError(f"{label}: its index differs from that of confidential ({hint})")


def check_entity(entity: object, n: int) -> IntArray | None:
    """Return the number of the person or unit of each of n records, from 0; None if each record is one."""
    if entity is None:
        return None
    check_unmasked(entity, "entity")
    what = f"a list with one value per record of confidential ({n:,} records)"
    arrays = pd.Series | pd.Index | np.ndarray | pd.api.extensions.ExtensionArray
    try:
        if isinstance(entity, Mapping | pd.DataFrame):
            raise TypeError
        series = pd.Series(entity if isinstance(entity, arrays) else check_list(entity, "entity", what))
        codes, missing = pd.factorize(series)[0], int(series.isna().sum())
    except (TypeError, ValueError, NotImplementedError):  # several columns, or values that are not hashable
        raise InputError(f"entity: must be {what}, got {described(entity)}") from None
    if len(series) != n or missing:
        raise InputError(f"entity: must be {what}, got {len(series):,} values, {missing:,} of them missing")
    return np.asarray(codes, dtype=np.int64)


def _is_default_index(index: pd.Index) -> bool:
    return isinstance(index, pd.RangeIndex) and index.start == 0 and index.step == 1


def data_kind(frame: object) -> str | None:
    """Return ``attrs["synthlab"]["kind"]`` of a frame: "real", "simulated" or None."""
    note = getattr(frame, "attrs", {}).get("synthlab")
    kind = note.get("kind") if isinstance(note, Mapping) else None
    return kind if kind in ("real", "simulated") else None
