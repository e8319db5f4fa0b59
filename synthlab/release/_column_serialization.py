"""Conversion of columns to text for CSV files, and back.

A CSV file does not state types: a reader might turn the county code 01 into the number 1, or the answer "NA" into a
missing value. Therefore each column is written with a description, which is used to read it.
"""

from __future__ import annotations

import json
from typing import Any, TypeAlias

import numpy as np
import pandas as pd

from synthlab import _checks
from synthlab._typing import BoolArray
from synthlab.exceptions import InputError
from synthlab.io.date_formats import DateFormat
from synthlab.io.notation import Notation

# Keys: "dtype", the name of the dtype; "missing", the text of a missing value, if there are any. For text in an object
# column, "none" is true if a missing value is None. "date" is the pattern of dates, with directives of strptime. "words" are
# the words for true and false, if these are not True and False. "as" is "json" if each value is written as JSON. For a categorical,
# "ordered", "categories" (as texts) and "of" (the description of the categories). "missing_codes" contains pairs of a code
# that means missing and what the file contains instead.
Description: TypeAlias = dict[str, Any]
KINDS = "biufmMO"  # kinds of NumPy dtypes that a column of a frame can have
JSON_NULL = "null"
TRUTH = {"True": True, "False": False}
# Errors that json and pandas raise for a wrong text or a damaged description.
FAULTS = (
    LookupError,
    TypeError,
    ValueError,
    ArithmeticError,
    AttributeError,
    RuntimeError,
    ImportError,
    MemoryError,
    pd.errors.InvalidIndexError,
)


def to_text(series: pd.Series, name: str, form: DateFormat | Notation | None = None) -> tuple[pd.Series, Description]:
    """Return the values as text, and a description for `from_text`.

    Parameters
    ----------
    series : pandas.Series
        The column.
    name : str
        Name of the column in messages.
    form : DateFormat or Notation, optional
        Format of dates, or notation of numbers or bools. It is used if it restores all values.

    Returns
    -------
    texts : pandas.Series of object
        One text per value, with index 0, 1, ...
    description : dict
        Description of the column, ready for JSON.

    Raises
    ------
    InputError
        If the values cannot be restored from text, for example intervals.

    Examples
    --------
    >>> import pandas as pd
    >>> texts, description = to_text(pd.Series(["01", "NA", None], dtype=object), "county")
    >>> texts.tolist(), description
    (['01', 'NA', ''], {'dtype': 'object', 'missing': '', 'none': True})
    >>> from_text(texts, description, "county").tolist()
    ['01', 'NA', None]
    """
    series = series.reset_index(drop=True)
    dated = pd.api.types.is_datetime64_any_dtype(series.dtype)
    suits = form is not None and isinstance(form, DateFormat) == dated
    for given in (form, None) if suits else (None,):
        try:
            texts, description = _encode(series, given)
            back = from_text(texts, description, name)
            if back.equals(series) and str(back.dtype) == str(series.dtype):
                return texts, description
        except (InputError, *FAULTS):
            continue
    raise InputError(
        f"{name}: {_kind(series)} cannot be written as text and read back unchanged; convert them to numbers, text, bools "
        "or dates first, for example with .astype(str) or pd.to_datetime"
    )


def from_text(texts: pd.Series, description: Description, name: str) -> pd.Series:
    """Restore the values that `to_text` wrote.

    Parameters
    ----------
    texts : pandas.Series of object
        One text per value.
    description : dict
        Description of the column, from `to_text`.
    name : str
        Name of the column in messages.

    Returns
    -------
    pandas.Series

    Raises
    ------
    InputError
        If a text is not a value of the dtype, or the description is invalid.
    """
    try:
        marker = description.get("missing")
        if not isinstance(marker, str | None):
            raise TypeError
        missing = np.zeros(len(texts), dtype=bool) if marker is None else (texts == marker).to_numpy(dtype=bool)
        return _decode(texts, missing, description, name)
    except InputError:
        raise
    except FAULTS:
        what = description.get("dtype") if isinstance(description, dict) else None
        said = f"{what!r:.60}" if isinstance(what, str) else "of a dtype that is named"
        raise InputError(f"{name}: not every value is {said}") from None


def stored_to_text(values: pd.Series, description: Description, name: str) -> pd.Series:
    """Return values of an SPSS, Stata or Parquet file as the texts of `to_text`.

    Parameters
    ----------
    values : pandas.Series
        The values of the file: numbers, dates, text, or codes of categories.
    description : dict
        Description of the column, from `to_text`, with the key "stored" of `synthlab.io.write_files.file_bytes`.
    name : str
        Name of the column in messages.

    Returns
    -------
    pandas.Series of object

    Raises
    ------
    InputError
        If a value does not fit the description.
    """
    try:
        return _to_text_again(values, description, name)
    except InputError:
        raise
    except FAULTS:
        raise InputError(f"{name}: does not match its description") from None


def _to_text_again(values: pd.Series, description: Description, name: str) -> pd.Series:
    stored, dtype = description["stored"], description["dtype"]
    missing = values.isna().to_numpy(dtype=bool)
    if isinstance(stored, list):
        places = pd.Index(stored).get_indexer(pd.Index(values.astype(float)))
        _check_all_known((places >= 0) | missing, "one of its codes", name)
        texts = pd.Series(np.append(np.array(description["categories"], dtype=object), "")[places], dtype=object)
    elif stored in ("text", "bool"):
        texts = values.astype(object).map(str, na_action="ignore").astype(object)
    elif dtype == "category":
        inner = from_text(pd.Series(description["categories"], dtype=object), description["of"], name)
        places = pd.Index(inner, dtype=inner.dtype).get_indexer(pd.Index(values.astype(object)))
        _check_all_known((places >= 0) | missing, "one of its categories", name)
        places[missing] = -1
        texts = pd.Series(np.append(np.array(description["categories"], dtype=object), "")[places], dtype=object)
    else:
        if stored == "seconds":
            values = pd.to_timedelta(values, unit="s")
        elif stored == "utc":
            values = values.dt.tz_localize("UTC")
        texts = values.astype(pd.api.types.pandas_dtype(dtype)).astype(str).astype(object)
    texts[missing] = description.get("missing", "")
    return texts


def _encode(series: pd.Series, form: DateFormat | Notation | None = None) -> tuple[pd.Series, Description]:
    missing = series.isna().to_numpy(dtype=bool)
    description: Description
    if isinstance(form, Notation) and (written := form.write(series)) is not None:
        texts, description = written, {"dtype": str(series.dtype)}
        if pd.api.types.is_bool_dtype(series.dtype) and form.words != tuple(TRUTH):
            description["words"] = list(form.words)
    elif isinstance(form, DateFormat):
        texts, description = form.write(series), {"dtype": str(series.dtype), "date": form.pattern}
    elif isinstance(series.dtype, pd.CategoricalDtype):
        categories, of = to_text(_checks.categories_of(series), "categories")
        described = {"categories": categories.tolist(), "ordered": bool(series.dtype.ordered), "of": of}
        texts = pd.Series(np.append(categories.to_numpy(), "")[series.cat.codes], dtype=object)
        description = {"dtype": "category", **described}
    elif series.dtype == object:
        nones = [value is None for value in series[missing]]
        if not all(isinstance(value, str) for value in series[~missing]) or (any(nones) and not all(nones)):
            return pd.Series([_to_json(v) for v in series], dtype=object), {"dtype": "object", "as": "json"}
        texts, description = series.copy(), {"dtype": "object"}
        if missing.any():
            texts[missing], description["missing"] = _marker(texts[~missing])
            description["none"] = all(nones)
        return texts, description
    else:
        texts, description = series.astype(str).astype(object), {"dtype": str(series.dtype)}
    if missing.any():
        texts[missing], description["missing"] = _marker(texts[~missing])
    return texts, description


def _marker(texts: pd.Series) -> tuple[str, str]:
    """Return, twice, a text that marks a missing value and is not a value.

    The text is "", or NA, NA 2, NA 3, ...
    """
    taken = set(texts)
    marker, number = "", 1
    while marker in taken:
        marker, number = "NA" if number == 1 else f"NA {number}", number + 1
    return marker, marker


def _to_json(value: Any) -> str:
    # Only these NumPy numbers equal the Python numbers that JSON restores.
    same = isinstance(value, np.integer | np.bool_ | np.float64)
    return json.dumps(value.item() if same else value, ensure_ascii=False)


def _decode(texts: pd.Series, missing: BoolArray, description: Description, name: str) -> pd.Series:
    dtype = description["dtype"]
    if dtype == "category":
        labels = pd.Series(description["categories"], dtype=object)
        if not labels.is_unique:
            raise InputError(f"{name}: a category occurs twice in its description")
        of = from_text(labels, description["of"], name)
        categories = pd.Index(of, dtype=of.dtype)
        codes = pd.Index(labels).get_indexer(pd.Index(texts))
        _check_all_known((codes >= 0) | missing, "one of its categories", name)
        codes[missing] = -1
        return pd.Series(
            pd.Categorical.from_codes(codes, dtype=pd.CategoricalDtype(categories, description["ordered"]))
        )
    if description.get("as") == "json":
        return pd.Series([json.loads(text) for text in texts], dtype=object)
    if dtype in ("object", "str"):
        values = texts.copy()
        values[missing] = None if description.get("none") else np.nan
        # Text has the dtype "str" since pandas 3; earlier versions use objects.
        return values if dtype == "object" else values.astype(pd.Series(["text"]).dtype)
    if dtype in ("bool", "boolean"):
        true, false = description.get("words", TRUTH)
        _check_all_known(texts.isin([true, false]).to_numpy() | missing, f"{true} or {false}", name)
        texts = texts.map({true: True, false: False}).astype(object)
    if not isinstance(dtype, str):
        raise TypeError
    known = pd.api.types.pandas_dtype(dtype)
    if isinstance(known, np.dtype) and known.kind not in KINDS:
        raise TypeError
    if "date" in description:
        dates = DateFormat(description["date"]).read(texts.where(~missing, None))
        _check_all_known(dates.notna().to_numpy() | missing, "a date in its format", name)
        return dates.astype(known)
    return texts.where(~missing, None).astype(known)


def _check_all_known(known: BoolArray, what: str, name: str) -> None:
    if not known.all():
        raise InputError(f"{name}: record {int(np.argmin(known)) + 1} is not {what}")


def _kind(series: pd.Series) -> str:
    """Describe the values of a column for a message."""
    if isinstance(series.dtype, pd.CategoricalDtype):
        return f"categories that are {_kind(_checks.categories_of(series))}"
    if series.dtype == object:
        return f"values of the types {', '.join(sorted({type(v).__name__ for v in series}))}"
    return f"{series.dtype} values"
