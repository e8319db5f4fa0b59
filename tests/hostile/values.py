"""Values that no argument was written for, and other forms of the values that it was.

A table maps a label to a function. Those of `SCALARS` take nothing and go to every parameter; those of the other tables take
the ordinary argument and make something else of it. `SAME` names the forms that say the same as the ordinary argument:
they must give the same answer, or an error.
"""

from __future__ import annotations

import datetime
import itertools
import pathlib
import types
from collections import OrderedDict
from collections.abc import Callable, Mapping
from decimal import Decimal
from fractions import Fraction
from typing import Any

import numpy as np
import pandas as pd

Make = Callable[[], Any]
Change = Callable[[Any], Any]


class Foreign:
    """A frame of another library: rows and columns, and the way to pandas that such libraries have."""

    __module__ = "polars.dataframe.frame"
    columns = ("region", "income")
    shape = (12, 2)

    def to_pandas(self) -> pd.DataFrame:
        raise AssertionError("nobody asked for it")


class Endless:
    """Something that holds itself."""

    def __iter__(self) -> Any:
        return iter([self])


_HOLDS_ITSELF: list[Any] = []
_HOLDS_ITSELF.append(_HOLDS_ITSELF)

NUMBERS: dict[str, Make] = {
    "0": lambda: 0,
    "1": lambda: 1,
    "-1": lambda: -1,
    "2": lambda: 2,
    "0.5": lambda: 0.5,
    "-0.5": lambda: -0.5,
    "1e308": lambda: 1e308,
    "5e-324": lambda: 5e-324,
    "10**8": lambda: 10**8,
    "2**31": lambda: 2**31,
    "2**63": lambda: 2**63,
    "2**64": lambda: 2**64,
    "10**30": lambda: 10**30,
    "10**400": lambda: 10**400,
    "10**5000": lambda: 10**5000,
    "-10**30": lambda: -(10**30),
    "int64": lambda: np.int64(3),
    "float32": lambda: np.float32(0.5),
    "Decimal": lambda: Decimal("0.5"),
    "Fraction": lambda: Fraction(1, 3),
    "0-d array": lambda: np.array(0.5),
}

# No argument that is one number means any of these.
NO_NUMBERS: dict[str, Make] = {
    "NaN": lambda: float("nan"),
    "numpy NaN": lambda: np.float64("nan"),
    "Decimal NaN": lambda: Decimal("NaN"),
    "NA": lambda: pd.NA,
    "NaT": lambda: pd.NaT,
    "True": lambda: True,
    "False": lambda: False,
    "numpy True": lambda: np.True_,
    "complex": lambda: 2 + 5j,
    "numpy complex": lambda: np.complex128(1 + 1j),
    "empty text": lambda: "",
    "text": lambda: "nonsense",
    "number as text": lambda: "0.5",
    "odd text": lambda: "a\x00b\n`'\"{}%s<b>\ud83d",
    "long text": lambda: "x" * 100_000,
    "bytes": lambda: b"0.5",
    "[]": list,
    "()": tuple,
    "{}": dict,
    "set()": set,
    "[None]": lambda: [None],
    "[text]": lambda: ["nonsense"],
    "[NaN]": lambda: [float("nan")],
    "[1, 2]": lambda: [1, 2],
    "ragged list": lambda: [[1], [2, 3]],
    "list that holds itself": lambda: _HOLDS_ITSELF,
    "iterable of itself": Endless,
    "{text: 1}": lambda: {"nonsense": 1},
    "{1: None}": lambda: {1: None},
    "{None: text}": lambda: {None: "a"},
    "set": lambda: {1, "a"},
    "frozenset": lambda: frozenset([2]),
    "generator": lambda: (v for v in (1, 2)),
    "range": lambda: range(3),
    "lambda": lambda: lambda: 0,
    "lambda of anything": lambda: lambda *a, **k: 0,
    "class": lambda: int,
    "module": lambda: itertools,
    "object": object,
    "exception": lambda: ValueError("x"),
    "Ellipsis": lambda: ...,
    "datetime": lambda: datetime.datetime(2020, 1, 1),
    "date": lambda: datetime.date(2020, 1, 1),
    "timedelta": lambda: datetime.timedelta(1),
    "Timestamp": lambda: pd.Timestamp("2020-01-01", tz="UTC"),
    "datetime64": lambda: np.datetime64("2020-01-01"),
    "path": lambda: pathlib.PurePosixPath("no/such/file"),
    "empty array": lambda: np.empty(0),
    "array": lambda: np.array([1.0, 2.0]),
    "2-d array": lambda: np.ones((2, 2)),
    "3-d array": lambda: np.ones((2, 2, 2)),
    "object array": lambda: np.array([None, "a", 1], dtype=object),
    "complex array": lambda: np.array([1j, 2.0]),
    "structured array": lambda: np.zeros(2, dtype=[("a", "i4"), ("b", "f8")]),
    "masked array": lambda: np.ma.masked_array([1.0, 2.0], mask=[True, True]),
    "Series": lambda: pd.Series([1.0, 2.0], name="x"),
    "Index": lambda: pd.Index(["a", "b"]),
    "MultiIndex": lambda: pd.MultiIndex.from_tuples([(1, "a"), (2, "b")]),
    "Categorical": lambda: pd.Categorical(["a", "b"]),
    "frame": lambda: pd.DataFrame({"a": [1, 2]}),
    "empty frame": pd.DataFrame,
    "foreign frame": Foreign,
    "random generator": lambda: np.random.default_rng(1),
}

SCALARS: dict[str, Make] = {
    "None": lambda: None,
    "inf": lambda: float("inf"),
    "-inf": lambda: float("-inf"),
    **NUMBERS,
    **NO_NUMBERS,
}
FEW = (
    *("None", "NaN", "inf", "True", "0", "-1", "10**8", "2**63", "10**30", "1e308", "complex", "text", "bytes", "[]"),
    *("{1: None}", "set", "lambda", "array", "frame", "foreign frame"),
)


def _text(frame: pd.DataFrame) -> list[str]:
    return [c for c in frame if not pd.api.types.is_numeric_dtype(frame[c].dtype)]


def _numbers(frame: pd.DataFrame) -> list[str]:
    return [c for c in frame if pd.api.types.is_numeric_dtype(frame[c].dtype)]


def _read_only(frame: pd.DataFrame) -> pd.DataFrame:
    out = frame.copy()
    for column in _numbers(out):
        values = out[column].to_numpy().copy()
        values.setflags(write=False)
        out[column] = values
    return out


def _each(frame: pd.DataFrame, columns: list[str], change: Callable[[pd.Series], Any]) -> pd.DataFrame:
    return frame.assign(**{c: change(frame[c]) for c in columns})


def _one_cell(frame: pd.DataFrame, columns: list[str], value: Any) -> pd.DataFrame:
    """Put a value into the first cell of every one of some columns."""
    out = frame.copy()
    for column in columns:
        cells = out[column].astype(object).tolist()
        cells[0] = value
        out[column] = pd.Series(cells, index=out.index, dtype=None if isinstance(value, float) else object)
    return out


class _Frame(pd.DataFrame):
    @property
    def _constructor(self) -> Any:
        return _Frame


_SAME_FRAMES: dict[str, Change] = {
    "Arrow dtypes": lambda f: f.convert_dtypes(dtype_backend="pyarrow"),
    "nullable dtypes": lambda f: f.convert_dtypes(),
    "text as categorical": lambda f: _each(f, _text(f), lambda s: s.astype("category")),
    "text as string dtype": lambda f: _each(f, _text(f), lambda s: s.astype("string")),
    "numbers as float": lambda f: _each(f, _numbers(f), lambda s: s.astype(float)),
    "numbers in objects": lambda f: f.astype(object),
    "sparse numbers": lambda f: _each(f, _numbers(f), lambda s: s.astype(pd.SparseDtype(s.dtype))),
    "reordered columns": lambda f: f[f.columns[::-1]],
    "read-only": _read_only,
    "subclass": _Frame,
    "attrs": lambda f: _with_attrs(f, {"a": [1]}),
    "named columns": lambda f: f.rename_axis(columns="variable"),
}
_OTHER_FRAMES: dict[str, Change] = {
    "no rows": lambda f: f.iloc[:0],
    "no columns": lambda f: f[[]],
    "one row": lambda f: f.iloc[:1],
    "two rows": lambda f: f.iloc[:2],
    "twice as long": lambda f: pd.concat([f, f], ignore_index=True),
    "one column": lambda f: f.iloc[:, :1],
    "a column less": lambda f: f.iloc[:, :-1],
    "a column more": lambda f: f.assign(zz=1),
    "300 columns more": lambda f: pd.concat(
        [f, pd.DataFrame(np.ones((len(f), 300)), index=f.index).add_prefix("z")], axis=1
    ),
    "column names twice": lambda f: pd.concat([f, f], axis=1),
    "column names are numbers": lambda f: f.set_axis(range(f.shape[1]), axis=1),
    "column names are tuples": lambda f: f.set_axis(pd.Index([(c, 1) for c in f.columns], tupleize_cols=False), axis=1),
    "MultiIndex columns": lambda f: pd.concat({"a": f}, axis=1),
    "a column named NaN": lambda f: pd.concat([f, pd.DataFrame({np.nan: np.ones(len(f))}, index=f.index)], axis=1),
    "odd column names": lambda f: f.assign(**{"": 1, " ": 2, "`a`": 3, "a b": 4, "__class__": 5, "\n": 6}),
    "MultiIndex rows": lambda f: f.set_axis(pd.MultiIndex.from_product([[0], range(len(f))]), axis=0),
    "index twice": lambda f: f.set_axis([0] * len(f), axis=0),
    "index reversed": lambda f: f.iloc[::-1],
    "index of dates": lambda f: f.set_axis(pd.date_range("2020", periods=len(f)), axis=0),
    "index named as a column": lambda f: f.rename_axis(f.columns[0]),
    "a missing number": lambda f: _one_cell(f, _numbers(f), np.nan),
    "a missing text": lambda f: _one_cell(f, _text(f), None),
    "all missing": lambda f: _each(f, list(f.columns), lambda s: np.nan),
    "all None": lambda f: _each(f, list(f.columns), lambda s: pd.Series([None] * len(s), index=s.index, dtype=object)),
    "nullable with NA": lambda f: _one_cell(f, list(f.columns), None).convert_dtypes(),
    "Arrow with NA": lambda f: _one_cell(f, list(f.columns), None).convert_dtypes(dtype_backend="pyarrow"),
    "infinite": lambda f: _one_cell(f, _numbers(f), np.inf),
    "huge": lambda f: _each(f, _numbers(f), lambda s: s.astype(float) * 1e300),
    "tiny": lambda f: _each(f, _numbers(f), lambda s: s.astype(float) * 1e-300),
    "negative": lambda f: _each(f, _numbers(f), lambda s: -s),
    "zero": lambda f: _each(f, _numbers(f), lambda s: s * 0),
    "constant": lambda f: _each(f, list(f.columns), lambda s: s.iloc[0]),
    "complex numbers": lambda f: _each(f, _numbers(f), lambda s: s.astype(complex)),
    "truth values": lambda f: _each(f, list(f.columns), lambda s: s == s.iloc[0]),
    "numbers as text": lambda f: _each(f, _numbers(f), lambda s: s.astype(str)),
    "numbers as categorical": lambda f: _each(f, _numbers(f), lambda s: s.astype("category")),
    "text as numbers": lambda f: _each(f, _text(f), lambda s: pd.factorize(s)[0]),
    "one text among numbers": lambda f: _one_cell(f, _numbers(f), "a"),
    "one number among text": lambda f: _one_cell(f, _text(f), 1),
    "dates": lambda f: _each(f, list(f.columns), lambda s: pd.date_range("2020", periods=len(s))),
    "dates with a time zone": lambda f: _each(
        f, list(f.columns), lambda s: pd.date_range("2020", periods=len(s), tz="Europe/Rome")
    ),
    "days": lambda f: _each(f, list(f.columns), lambda s: [datetime.date(2020, 1, 1)] * len(s)),
    "time spans": lambda f: _each(f, list(f.columns), lambda s: pd.to_timedelta(range(len(s)), unit="D")),
    "periods": lambda f: _each(f, list(f.columns), lambda s: pd.period_range("2020", periods=len(s), freq="M")),
    "intervals": lambda f: _each(f, list(f.columns), lambda s: pd.interval_range(0, len(s))),
    "Decimals": lambda f: _each(f, _numbers(f), lambda s: [Decimal(str(v)) for v in s]),
    "Fractions": lambda f: _each(f, _numbers(f), lambda s: [Fraction(int(v), 7) for v in s]),
    "text as bytes": lambda f: _each(f, _text(f), lambda s: [str(v).encode() for v in s]),
    "lists in cells": lambda f: _one_cell(f, list(f.columns), [1]),
    "dicts in cells": lambda f: _one_cell(f, list(f.columns), {"a": 1}),
    "sets in cells": lambda f: _one_cell(f, list(f.columns), {1}),
    "tuples in cells": lambda f: _each(f, _text(f), lambda s: [(v, 1) for v in s]),
    "frames in cells": lambda f: _one_cell(f, list(f.columns), pd.DataFrame({"a": [1]})),
    "functions in cells": lambda f: _one_cell(f, list(f.columns), len),
    "one odd text": lambda f: _one_cell(f, _text(f), "a\x00b\n\ud83d"),
    "one long text": lambda f: _one_cell(f, _text(f), "x" * 100_000),
    "one empty text": lambda f: _one_cell(f, _text(f), ""),
    "uint64": lambda f: _each(f, _numbers(f), lambda s: np.full(len(s), 2**64 - 1, dtype=np.uint64)),
    "int64 min": lambda f: _each(f, _numbers(f), lambda s: np.full(len(s), -(2**63), dtype=np.int64)),
    "float16": lambda f: _each(f, _numbers(f), lambda s: s.astype(np.float16)),
    "uint8": lambda f: _each(f, _numbers(f), lambda s: (s % 200).astype(np.uint8)),
    "whole numbers beyond 64 bits": lambda f: _each(f, _numbers(f), lambda s: [10**30 + i for i in range(len(s))]),
    "odd attrs": lambda f: _with_attrs(f, {"synthlab": ["x"]}),
    "dict of lists": lambda f: f.to_dict("list"),
    "list of dicts": lambda f: f.to_dict("records"),
    "numbers without names": lambda f: f[_numbers(f)].to_numpy(),
    "record array": lambda f: f.to_records(),
    "column": lambda f: f.iloc[:, 0],
    "list of none": lambda f: [],
    "list with None": lambda f: [f, None],
    "nested list": lambda f: [[f]],
    "mapping of frames": lambda f: {"a": f},
    "generator of frames": lambda f: (one for one in [f]),
    "frames of two shapes": lambda f: [f, f.iloc[:-1]],
    "frames of two kinds": lambda f: [f, _each(f, _numbers(f), lambda s: s.astype(str))],
}


def _with_attrs(frame: pd.DataFrame, attrs: Mapping[str, Any]) -> pd.DataFrame:
    out = frame.copy()
    out.attrs = dict(attrs)
    return out


_SAME_ARRAYS: dict[str, Change] = {
    "as a list": lambda a: np.asarray(a).tolist(),
    "as objects": lambda a: np.asarray(a).astype(object),
    "as float": lambda a: np.asarray(a, dtype=float),
    "long double": lambda a: np.asarray(a, dtype=np.longdouble),
    "read-only": lambda a: _frozen(a),
    "column-major": lambda a: np.asfortranarray(a),
    "every second": lambda a: np.repeat(np.asarray(a), 2, axis=0)[::2],
    "masked, nothing hidden": lambda a: np.ma.masked_array(a, mask=np.zeros(np.shape(a), dtype=bool)),
    "as a Series": lambda a: pd.Series(list(a)) if np.ndim(a) == 1 else pd.DataFrame(a),
    "odd index": lambda a: pd.Series(list(a), index=range(len(a), 0, -1)) if np.ndim(a) == 1 else pd.DataFrame(a),
    "nullable": lambda a: pd.Series(list(a)).convert_dtypes() if np.ndim(a) == 1 else pd.DataFrame(a).convert_dtypes(),
    "Arrow": lambda a: (pd.Series(list(a)) if np.ndim(a) == 1 else pd.DataFrame(a)).convert_dtypes(
        dtype_backend="pyarrow"
    ),
}
_OTHER_ARRAYS: dict[str, Change] = {
    "masked": lambda a: np.ma.masked_array(a, mask=np.ones(np.shape(a), dtype=bool)),
    "one NaN": lambda a: _first(a, np.nan),
    "one infinite": lambda a: _first(a, np.inf),
    "one minus infinite": lambda a: _first(a, -np.inf),
    "one huge": lambda a: _first(a, 1e308),
    "one negative": lambda a: _first(a, -1.0),
    "all NaN": lambda a: np.full(np.shape(a), np.nan),
    "all infinite": lambda a: np.full(np.shape(a), np.inf),
    "all minus infinite": lambda a: np.full(np.shape(a), -np.inf),
    "all huge": lambda a: np.full(np.shape(a), 1e308),
    "all tiny": lambda a: np.full(np.shape(a), 5e-324),
    "all zero": lambda a: np.zeros(np.shape(a)),
    "all equal": lambda a: np.ones(np.shape(a)),
    "no items": lambda a: np.asarray(a)[:0],
    "one item": lambda a: np.asarray(a)[:1],
    "one less": lambda a: np.asarray(a)[:-1],
    "one more": lambda a: np.concatenate([np.asarray(a), np.asarray(a)[:1]]),
    "a row": lambda a: np.asarray(a)[None],
    "a column": lambda a: np.asarray(a)[..., None],
    "truth values": lambda a: np.asarray(a).astype(bool),
    "complex numbers": lambda a: np.asarray(a).astype(complex) + 1j,
    "numbers as text": lambda a: np.asarray(a).astype(str),
    "None inside": lambda a: [None, *np.asarray(a).tolist()[1:]],
    "text inside": lambda a: ["a", *np.asarray(a).tolist()[1:]],
    "ragged": lambda a: [[1.0], *np.asarray(a).tolist()[1:]],
    "Decimals": lambda a: [Decimal("0.5")] * len(a),
    "whole numbers beyond 64 bits": lambda a: [10**30] * len(a),
    "dates": lambda a: np.array(["2020-01-01"] * len(a), dtype="datetime64[D]"),
    "with NA": lambda a: pd.Series([None, *np.asarray(a).ravel().tolist()[1:]], dtype="Float64"),
    "Arrow with NA": lambda a: pd.Series([None, *map(float, np.asarray(a).ravel()[1:])], dtype="float64[pyarrow]"),
    "Sparse": lambda a: pd.Series(pd.arrays.SparseArray(np.asarray(a, dtype=float).ravel())),
    "numbers as categories": lambda a: pd.Series(np.asarray(a).ravel()).astype("category"),
}


def _frozen(values: Any) -> Any:
    array = np.array(values)
    array.setflags(write=False)
    return array


def _first(values: Any, value: float) -> Any:
    array = np.array(values, dtype=float)
    array.flat[0] = value
    return array


_SAME_NAMES: dict[str, Change] = {
    "as a tuple": tuple,
    "as an array": np.array,
    "as an Index": pd.Index,
    "as a Series": pd.Series,
    "as a generator": lambda names: (c for c in names),
    "as keys": dict.fromkeys,
}
_OTHER_NAMES: dict[str, Change] = {
    "one twice": lambda names: [*names, names[0]],
    "one unknown": lambda names: [*names, "nobody"],
    "None inside": lambda names: [*names, None],
    "number inside": lambda names: [*names, 1],
    "NaN inside": lambda names: [*names, float("nan")],
    "list inside": lambda names: [*names, ["a"]],
    "names as bytes": lambda names: [c.encode() for c in names],
    "empty text inside": lambda names: [*names, ""],
    "first name": lambda names: names[0],
    "1000 names": lambda names: [f"c{i}" for i in range(1000)],
}
_SAME_MAPPINGS: dict[str, Change] = {
    "ordered": OrderedDict,
    "proxy": types.MappingProxyType,
}


def _of_key(change: Callable[[str, Any], Any]) -> Change:
    return lambda mapping: dict(change(k, v) for k, v in mapping.items())


_OTHER_MAPPINGS: dict[str, Change] = {
    "unknown key": lambda m: {**m, "nobody": next(iter(m.values()))},
    "keys are numbers": lambda m: dict(enumerate(m.values())),
    "keys are None": _of_key(lambda k, v: (None, v)),
    "keys are tuples": _of_key(lambda k, v: ((k, 1), v)),
    "pairs": lambda m: list(m.items()),
    "keys alone": list,
    "mapping as a Series": lambda m: pd.Series(list(m.values()), index=list(m), dtype=object),
    **{
        f"values are {label}": lambda m, make=SCALARS[label]: {k: make() for k in m}
        for label in (
            *("None", "NaN", "inf", "0", "-1", "1e308", "10**30", "True", "complex", "text", "bytes", "[]", "[1, 2]"),
            *("[None]", "ragged list", "{}", "set", "lambda", "object", "array", "2-d array", "frame", "generator"),
        )
    },
}
_ANSWERS: dict[str, Change] = {
    f"returns {label}": lambda f, make=SCALARS[label]: lambda *a, **k: make()
    for label in (
        *("None", "NaN", "inf", "-1", "1e308", "10**30", "10**400", "True", "complex", "text", "bytes", "[]", "[1, 2]"),
        *("[NaN]", "ragged list", "{}", "{text: 1}", "set", "lambda", "object", "array", "2-d array", "3-d array"),
        *("object array", "complex array", "masked array", "empty array", "Series", "frame", "generator", "class"),
    )
}

SAME = {*_SAME_FRAMES, *_SAME_ARRAYS, *_SAME_NAMES, *_SAME_MAPPINGS}
FEW_CHANGES = (
    *("Arrow dtypes", "nullable dtypes", "numbers in objects", "no rows", "one row", "column names twice"),
    *("a missing number", "infinite", "huge", "lists in cells", "dates", "list with None", "MultiIndex columns"),
    *("as a list", "masked", "one NaN", "all zero", "no items", "a row", "one unknown", "one twice", "None inside"),
    *("unknown key", "values are None", "values are array", "returns None", "returns text", "returns array"),
)


def is_frames(value: Any) -> bool:
    """Whether an argument is a frame, or a list of them."""
    return isinstance(value, pd.DataFrame) or (isinstance(value, list) and is_frames(value[0] if value else None))


def changes(ordinary: Any) -> dict[str, Change]:
    """Return the table of what to make of an ordinary argument, which depends on what it is."""
    if is_frames(ordinary):
        several = isinstance(ordinary, list)

        def on_all(change: Change) -> Change:
            return lambda value: [change(one) for one in value] if several else change(value)

        return {label: on_all(change) for label, change in {**_SAME_FRAMES, **_OTHER_FRAMES}.items()}
    if isinstance(ordinary, np.ndarray):
        return {**_SAME_ARRAYS, **_OTHER_ARRAYS}
    if isinstance(ordinary, list) and ordinary and all(isinstance(v, str) for v in ordinary):
        return {**_SAME_NAMES, **_OTHER_NAMES}
    if isinstance(ordinary, Mapping) and ordinary:
        return {**_SAME_MAPPINGS, **_OTHER_MAPPINGS}
    if isinstance(ordinary, types.FunctionType):
        return _ANSWERS
    return {}
