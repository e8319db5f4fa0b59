"""The Python side of ``course/r/synthlab.R``: what R passes through reticulate, and what it is told.

Columns travel as bytes with a mask of what is missing, since reticulate's own conversion takes an integer NA for
-2147483648 and a missing text for "NA", and needs a NumPy of its own age. Nothing of R is loaded here.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from numbers import Integral, Real
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from synthlab import Release, _checks
from synthlab._system import atomic_write
from synthlab._warnings import collected
from synthlab.exceptions import InputError
from synthlab.plots import style
from synthlab.r.vectors import Vector, check_columns, decode, encode, names_of, no_counterpart

DTYPES = {"logical": "<i4", "integer": "<i4", "double": "<f8"}


def vector(packed: Mapping[str, Any], where: str) -> Vector:
    """Return the vector that R packed."""
    storage, classes = packed["storage"], tuple(packed["classes"])
    absent = np.frombuffer(bytes(packed["absent"]), dtype=np.uint8).astype(bool)
    if storage not in (*DTYPES, "character"):
        raise no_counterpart(where, classes, storage == "list")
    more: dict[str, Any] = {}
    if packed.get("levels") is not None:
        more["levels"] = _texts(packed["levels"])
    if packed.get("labels") is not None:
        more["labels"] = _labels(packed["labels"], packed["label_names"])
    for name in ("user_missing", "missing_range"):
        if packed.get(name) is not None:
            more[name] = tuple(vector(packed[name], name).values)
    return Vector(storage, _values(packed["values"], storage), absent, classes, **more)


def _values(values: Any, storage: str) -> Any:
    if storage == "character":
        return list(values)
    return np.frombuffer(bytes(values), dtype=DTYPES[storage]).astype(np.float64 if storage == "double" else np.int64)


def _texts(packed: Mapping[str, Any]) -> tuple[str | None, ...]:
    found = vector(packed, "levels")
    return tuple(None if gone else str(v) for v, gone in zip(found.values, found.absent, strict=True))


def _labels(codes: Mapping[str, Any], names: Mapping[str, Any]) -> dict[Any, str]:
    found, words = vector(codes, "labels"), _texts(names)
    pairs = zip(found.values, words, found.absent, strict=True)
    return {code: str(word) for code, word, gone in pairs if not gone}


def column(packed: Mapping[str, Any], where: str = "the vector of R") -> pd.Series:
    """Return a column that R packed."""
    if packed["dims"] > 1:
        raise InputError(f"{where} is a matrix or an array; pass its columns one by one")
    return decode(vector(packed, where), where)


def frame(names: Sequence[str], columns: Sequence[Mapping[str, Any]], rows: int) -> pd.DataFrame:
    """Return the data frame that R packed."""
    check_columns(list(names), "the data.frame of R")
    made = {name: column(packed, f"column {name!r} of R") for name, packed in zip(names, columns, strict=True)}
    return pd.DataFrame(made, index=pd.RangeIndex(rows))


def release(frames: Sequence[pd.DataFrame], synthesized: Sequence[str] | None) -> Release:
    """Return a release of data frames of R."""
    return Release(list(frames), None if synthesized is None else list(synthesized))


def packed(series: pd.Series) -> dict[str, Any]:
    """Return a column as R unpacks it."""
    made = encode(series)
    values = made.values if made.storage == "character" else _bytes(made.values, made.storage)
    return {
        "storage": made.storage,
        "values": values,
        "absent": bytearray(made.absent.astype(np.uint8).tobytes()),
        "classes": list(made.classes),
        "levels": None if made.levels is None else list(made.levels),
        "zone": made.zone,
    }


def _bytes(values: Any, storage: str) -> bytearray:
    return bytearray(np.asarray(values).astype(DTYPES[storage]).tobytes())


def told(value: Any) -> dict[str, Any]:
    """Return what R needs to know of an object of Python: its kind, and its content where R has such a thing."""
    if value is None:
        return {"kind": "none"}
    if isinstance(value, pd.Series):
        value = value.to_frame("value" if value.name is None else str(value.name)).reset_index()
    if isinstance(value, pd.DataFrame):
        named = [name is not None for name in value.index.names]
        table = value.reset_index(level=[i for i, there in enumerate(named) if there]) if any(named) else value
        table = table.set_axis([_word(c) for c in table.columns], axis=1)
        columns = [packed(_simple(table.iloc[:, i])) for i in range(table.shape[1])]
        return {"kind": "frame", "names": names_of(table), "columns": columns, "rows": len(table)}
    if isinstance(value, bool | np.bool_ | str | Real):
        return {"kind": "value", "value": _scalar(value)}
    if isinstance(value, np.ndarray) and value.dtype.kind in "biufO" and value.ndim:
        flat = packed(pd.Series(value.ravel(order="F")))
        return {"kind": "array", "column": flat, "dim": list(value.shape)}
    if isinstance(value, Mapping):
        return {"kind": "mapping", "names": [_word(key) for key in value], "length": len(value)}
    if isinstance(value, list | tuple):
        simple = bool(value) and all(isinstance(v, str | bool | Real) for v in value)
        if simple and len({_checks_kind(v) for v in value}) == 1:
            return {"kind": "array", "column": packed(pd.Series(list(value))), "dim": [len(value)]}
        return {"kind": "list", "length": len(value)}
    if callable(value):
        return {"kind": "callable"}
    return {"kind": "object"}


def _checks_kind(value: Any) -> str:
    return "bool" if isinstance(value, bool) else "text" if isinstance(value, str) else "number"


def _word(key: Any) -> str:
    return ", ".join(map(str, key)) if isinstance(key, tuple) else str(key)


def _simple(series: pd.Series) -> pd.Series:
    """Return a column of a table of results as R can have it: a mixture, such as of numbers and text, as text."""
    try:
        encode(series)
    except InputError:
        return pd.Series([None if _gone(v) else str(v) for v in series], name=series.name, dtype="str")
    return series


def _gone(value: Any) -> bool:
    return bool(np.ndim(value) == 0 and pd.isna(value))


def _scalar(value: Any) -> Any:
    """Return a scalar of Python itself; a whole number that R's integers cannot hold as a double."""
    if isinstance(value, bool | np.bool_):
        return bool(value)
    if isinstance(value, str):
        return str(value)
    if isinstance(value, Integral) and abs(int(value)) < 2**31:
        return int(value)
    return float(value)


def item(value: Any, place: int) -> Any:
    """Return an element of a list, or of a mapping in its order."""
    return list(value.values())[place] if isinstance(value, Mapping) else value[place]


def numbers(values: Mapping[str, Any], scalar: bool) -> Any:
    """Return numbers or truth values of R as Python's own; a whole double is an int, as R's users write m = 5."""
    found = column(values)
    made = [None if pd.isna(v) else _whole(v) for v in found.tolist()]
    if found.dtype.kind == "f" and not scalar:
        made = [float("nan") if v is None else v for v in made]
    return made[0] if scalar else made


def _whole(value: Any) -> Any:
    exact = isinstance(value, float) and value.is_integer() and abs(value) <= _checks.LARGEST_EXACT
    return int(value) if exact else value


def call(function: Callable[..., Any], args: Sequence[Any], kwargs: Mapping[str, Any]) -> tuple[Any, list[str]]:
    """Call a function; return its answer and the warnings it gave."""
    with collected() as caught:
        answer = function(*args, **kwargs)
    return answer, list(dict.fromkeys(f"{w.category.__name__}: {w.message}" for w in caught))


def text(value: Any) -> str:
    """Return what Python prints of an object."""
    return str(value)


def names(value: Any) -> list[str]:
    """Return the public names of an object."""
    return [name for name in dir(value) if not name.startswith("_")]


def save_plot(value: Any, file: str, dpi: int) -> None:
    """Write the picture of a result into a PNG or SVG file, or a figure, or the figure of axes."""
    path = Path(file)
    if path.suffix not in (".png", ".svg"):
        raise InputError(f"file: a picture is written as .png or .svg, not as {path.suffix!r}")
    with style.context():
        drawn = value.plot(ax=style.off_screen()) if hasattr(value, "plot") else value
        figure = drawn if hasattr(drawn, "canvas") else getattr(drawn, "figure", None)
        if figure is None:
            raise InputError(f"plot: a {type(value).__name__} has no picture")
        content = style.png(figure, int(dpi)) if path.suffix == ".png" else style.svg(figure).encode()
    atomic_write.write_bytes(path, content)
