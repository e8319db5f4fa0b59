"""Python side of the R package synthlabr (``course/r/synthlabr``), which calls synthlab by reticulate.

Columns are passed as bytes with a mask of missing values. The conversion of reticulate itself turns an integer NA into
-2147483648 and missing text into "NA", and it depends on the version of NumPy. This module does not load R.
"""

from __future__ import annotations

import inspect
import re
from collections.abc import Callable, Mapping, Sequence
from numbers import Integral, Real
from pathlib import Path
from types import ModuleType
from typing import Any

import numpy as np
import pandas as pd

from synthlab import Release, __version__, _checks
from synthlab._calls import proposal
from synthlab._formulas.formula import FUNCTIONS
from synthlab._system import atomic_write
from synthlab._warnings import collected
from synthlab.exceptions import InputError
from synthlab.io.missing_kinds import MissingKinds, is_tag, kinds_of
from synthlab.io.r_vectors import (
    Vector,
    check_columns,
    decode,
    decode_frame,
    encode,
    encode_codes,
    label_codes,
    names_of,
    no_counterpart,
)
from synthlab.plots import style

DTYPES = {"logical": "<i4", "integer": "<i4", "double": "<f8"}


# Words of Python in messages, with what a user of R calls them.
WORDS = {
    r"\bTrue\b": "TRUE",
    r"\bFalse\b": "FALSE",
    r"\bNone\b": "NULL",
    r"\ban? (int|integer)\b": "a whole number",
    r"\bint\b(?=,| or\b)": "whole number",
    r"\ban? float\b": "a number",
    r"\ban? bool\b": "TRUE or FALSE",
    r"\b(a |an )?(dict|mapping)\b": "a named list",
    r"\bgot (a |an )?str\b": "got text",
    r"\bgot (a |an )?int\b": "got a whole number",
    r"\bgot (a |an )?float\b": "got a number",
    r"\bgot (a |an )?bool\b": "got TRUE or FALSE",
    r"\bgot (a |an )?(list|tuple)\b": "got a list",
    r"\bgot NoneType\b": "got NULL",
    r"\b(pandas\.|pd\.)?DataFrames\b": "data frames",
    r"\b(pandas\.|pd\.)?DataFrame\b": "data frame",
    r"\b(pandas\.|pd\.)?Series\b": "vector",
    r"\b(numpy\.|np\.)?(random\.)?Generators?(?=\b)": "generator",
    r"\b(numpy\.|np\.)?ndarray\b": "array",
    r"\ba Release\b": "a release",
    r"\bRelease\.load\b": "read_release",
    r"\bRelease\.save\b": "save_release",
    r"\b(a |an |the )?Fitted[A-Z]\w+": "a fit",
    r"\b(a |an )?([A-Z]\w+)?Result\b": "a result",
    r"\bsl\.(?=[A-Za-z])": "",
}
_CLASS = r"(?m)^(?:\w+\.)*\w*(?:Error|Exception|Warning|Interrupt): "


def in_r(message: str) -> str:
    """Return a message with names of arguments and values of Python in the syntax of R, without the names of classes.

    Examples
    --------
    >>> from synthlab.r.reticulate import in_r
    >>> in_r("synthlab.exceptions.InputError: known=['kanton']: use radius={'income': 0.1}, None or True")
    'known = list("kanton"): use radius = list(income = 0.1), NULL or TRUE'
    >>> in_r("variables=['age', 'sex']: must be two columns of a DataFrame, got str")
    'variables = c("age", "sex"): must be two columns of a data frame, got text'
    """

    def entries(found: re.Match[str]) -> str:
        return "list(" + re.sub(r"'([^']+)': ", r"\1 = ", found[1]) + ")"

    def elements(found: re.Match[str]) -> str:
        return ("c(" if "," in found[1] else "list(") + found[1].replace("'", '"') + ")"

    text = re.sub(_CLASS, "", message.strip())
    text = re.sub(r"\{('[^']+': [^{}]+)\}", entries, text)
    text = re.sub(r"\[('[^']*'(?:, '[^']*')*)\]", elements, text)
    text = re.sub(r"(?<![\w-])([A-Za-z_]\w*)=(?=[^\s=,;)])", r"\1 = ", text)
    parts = re.split(r"((?<!\w)'[^']*'(?!\w)|\"[^\"]*\")", text)  # quoted names and levels are not changed
    for python, r in WORDS.items():
        parts[::2] = [re.sub(python, r, part) for part in parts[::2]]
    return "".join(parts)


def version() -> str:
    """Return the version of synthlab, which the R package must have too."""
    return __version__


def formula_functions() -> list[str]:
    """Return the names of the functions that a formula can call."""
    return list(FUNCTIONS)


def vector(packed: Mapping[str, Any], where: str) -> Vector:
    """Unpack a vector from R."""
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
    for name in ("zone", "units"):
        more[name] = str(packed.get(name) or "")
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
    return label_codes(found.storage, found.values, found.absent, words)


def column(packed: Mapping[str, Any], where: str = "the vector of R") -> pd.Series:
    """Unpack a column from R."""
    return decode(_single(packed, where), where)


def _single(packed: Mapping[str, Any], where: str) -> Vector:
    if packed["dims"] > 1:
        raise InputError(f"{where} is a matrix or an array; pass its columns one by one")
    return vector(packed, where)


def frame(names: Sequence[str], columns: Sequence[Mapping[str, Any]], rows: int) -> pd.DataFrame:
    """Unpack a data frame from R."""
    check_columns(list(names), "the data.frame of R")
    pairs = zip(names, columns, strict=True)
    return decode_frame({name: (_single(one, where := f"column {name!r} of R"), where) for name, one in pairs}, rows)


def release(frames: Sequence[pd.DataFrame], synthesized: Sequence[str] | None) -> Release:
    """Return a release of data frames from R."""
    return Release(list(frames), None if synthesized is None else list(synthesized))


def packed(series: pd.Series) -> dict[str, Any]:
    """Pack a column for R."""
    made = encode(series)
    values = made.values if made.storage == "character" else _bytes(made.values, made.storage)
    return {
        "storage": made.storage,
        "values": values,
        "absent": bytearray(made.absent.astype(np.uint8).tobytes()),
        "classes": list(made.classes),
        "levels": None if made.levels is None else list(made.levels),
        "zone": made.zone,
        "units": made.units,
    }


def _with_codes(packed: dict[str, Any], kinds: MissingKinds | None) -> dict[str, Any]:
    """Add the codes of missing values to a packed column."""
    if kinds is None:
        return packed
    text = any(isinstance(code, str) and not is_tag(code) for code in kinds.codes)
    made, coded = encode_codes(kinds, text)
    codes = made.values if text else _bytes(made.values, made.storage)
    return {**packed, "codes": codes, "coded": bytearray(coded.astype(np.uint8).tobytes())}


def _bytes(values: Any, storage: str) -> bytearray:
    return bytearray(np.asarray(values).astype(DTYPES[storage]).tobytes())


def described(value: Any) -> dict[str, Any]:
    """Describe a Python object for R: its kind, and its content if R can hold it."""
    if value is None:
        return {"kind": "none"}
    if isinstance(value, pd.Series):
        value = value.to_frame("value" if value.name is None else str(value.name)).reset_index()
    if isinstance(value, pd.DataFrame):
        named = [name is not None for name in value.index.names]
        table = value.reset_index(level=[i for i, there in enumerate(named) if there]) if any(named) else value
        table = table.set_axis([_word(c) for c in table.columns], axis=1)
        kinds = kinds_of(value)[0]
        columns = [
            _with_codes(packed(_simple(table.iloc[:, i])), kinds.get(name)) for i, name in enumerate(table.columns)
        ]
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
    return {"kind": "object", "role": role_of(value)}


def role_of(value: Any) -> str:
    """Return the class that an object has in R: what a user can do with it."""
    if isinstance(value, Release):
        return "release"
    roles = {"evaluation": "answers", "fit": "generate", "model": "fit", "result": "to_frame"}
    return next((role for role, method in roles.items() if hasattr(value, method)), "other")


def _checks_kind(value: Any) -> str:
    return "bool" if isinstance(value, bool) else "text" if isinstance(value, str) else "number"


def _word(key: Any) -> str:
    return ", ".join(map(str, key)) if isinstance(key, tuple) else str(key)


def _simple(series: pd.Series) -> pd.Series:
    """Return a result column in a type that R supports; mixed values become text."""
    try:
        encode(series)
    except InputError:
        return pd.Series([None if _gone(v) else str(v) for v in series], name=series.name, dtype="str")
    return series


def _gone(value: Any) -> bool:
    return bool(np.ndim(value) == 0 and pd.isna(value))


def _scalar(value: Any) -> Any:
    """Return a built-in scalar; whole numbers too large for R integers become floats."""
    if isinstance(value, bool | np.bool_):
        return bool(value)
    if isinstance(value, str):
        return str(value)
    if isinstance(value, Integral) and abs(int(value)) < 2**31:
        return int(value)
    return float(value)


def item(value: Any, place: int | str) -> Any:
    """Return an element by position or, of a result, by name."""
    if isinstance(value, Mapping) and not isinstance(place, str):
        return list(value.values())[place]
    return value[place]


def attribute(value: Any, name: str) -> Any:
    """Return a public attribute of an object."""
    if name.startswith("_"):
        raise InputError(f"{name!r} is not a public name")
    try:
        return getattr(value, name)
    except AttributeError as error:
        if isinstance(value, ModuleType):  # its message proposes a similar name
            raise InputError(re.sub(r"module '([\w.]+)'", r"\1", str(error))) from None
    raise InputError(f"{name!r} is not a part of this object{proposal(name, names(value))}")


def numbers(values: Mapping[str, Any], scalar: bool) -> Any:
    """Return numbers or booleans of R; whole doubles become ints, as in m = 5."""
    found = column(values)
    made = [None if pd.isna(v) else _whole(v) for v in found.tolist()]
    if found.dtype.kind == "f" and not scalar:
        made = [float("nan") if v is None else v for v in made]
    return made[0] if scalar else made


def _whole(value: Any) -> Any:
    exact = isinstance(value, float) and value.is_integer() and abs(value) <= _checks.LARGEST_EXACT
    return int(value) if exact else value


def call(
    function: Callable[..., Any], args: Sequence[Any], kwargs: Mapping[str, Any]
) -> tuple[Any, list[tuple[str, str]]]:
    """Call a function; return its result, and the name and the text of its warnings."""
    with collected() as caught:
        answer = function(*args, **kwargs)
    return answer, list(dict.fromkeys((w.category.__name__, in_r(str(w.message))) for w in caught))


def text(value: Any) -> str:
    """Return the printed text of an object, in the syntax of R."""
    if isinstance(value, ModuleType):
        return f"{value.__name__}: {', '.join(names(value))}"
    if callable(value):
        parameters = inspect.signature(value).parameters
        shown = ["..." if one.kind is one.VAR_KEYWORD else one.name for one in parameters.values()]
        return f"{value.__name__}({', '.join(name for name in shown if name != 'self' and name[0] != '_')})"
    return in_r(str(value))


def names(value: Any) -> list[str]:
    """Return the public names of an object."""
    return [name for name in dir(value) if not name.startswith("_")]


def save_plot(value: Any, file: str, dpi: int) -> None:
    """Save a figure as PNG or SVG, given a result, a figure or axes."""
    path = Path(file)
    if path.suffix not in (".png", ".svg"):
        raise InputError(f"file: must end in .png or .svg, not {path.suffix!r}")
    with style.context():
        figure = _figure(value)
        content = style.png(figure, int(dpi)) if path.suffix == ".png" else style.svg(figure).encode()
    atomic_write.write_bytes(path, content)


def pixels(value: Any, dpi: int) -> dict[str, Any]:
    """Return the colors of the pixels of a figure, by rows, as text such as "#ff8000"."""
    with style.context():
        image = style.picture(_figure(value), int(dpi))
    drawn = np.asarray(image.convert("RGB"), dtype=np.int64)
    colors = [f"#{color:06x}" for color in (drawn @ [1 << 16, 1 << 8, 1]).ravel().tolist()]
    return {"colors": colors, "height": drawn.shape[0], "width": drawn.shape[1]}


def _figure(value: Any) -> Any:
    """Return the figure of a result, or a figure, or the figure of axes."""
    if hasattr(value, "plot") and getattr(value, "_figure", None):
        value = value.plot(ax=style.off_screen())
    figure = value if hasattr(value, "canvas") else getattr(value, "figure", None)
    if figure is None:
        raise InputError("this object has no figure; as.data.frame() returns the numbers of a result")
    return figure
