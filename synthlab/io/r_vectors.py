"""Columns as R represents them: values, missing values and attributes.

This module does not need R. Files of R, rpy2 and reticulate exchange columns as a `Vector`, so that a type has the same
meaning in all of them.
"""

from __future__ import annotations

import zoneinfo
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from numbers import Integral
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from synthlab import _checks
from synthlab._typing import BoolArray, IntArray
from synthlab._warnings import warn
from synthlab.exceptions import ColumnTypeWarning, InputError
from synthlab.io import dates_from_numbers
from synthlab.io.column_labels import LABELS, as_entry, as_entry_of
from synthlab.io.column_warnings import Notes
from synthlab.io.format_detection import Place
from synthlab.io.labelled_values import Stated, own_type
from synthlab.io.missing_kinds import MissingKinds, attach, is_tag, without_missing_codes
from synthlab.io.read_options import Codes

INT_MAX = 2**31 - 1
NA_REAL = np.uint64(1954)  # lower half of the bits of NA; the byte above it is the letter of a tagged NA
MICROSECONDS_A_DAY = 86_400 * 10**6
MOMENTS = {"Date": MICROSECONDS_A_DAY, "POSIXct": 10**6}
MONTHS = {"yearmon": 1, "yearqtr": 3}  # classes of zoo that store years as doubles, and the number of months of a value
UNITS = {
    "secs": 10**6,
    "mins": 60 * 10**6,
    "hours": 3_600 * 10**6,
    "days": MICROSECONDS_A_DAY,
    "weeks": 7 * MICROSECONDS_A_DAY,
}  # microseconds of the units of difftime
SPANS = {"difftime": "", "ITime": "secs", "Duration": "secs"}  # units of classes without the attribute
LABELLED = frozenset({"haven_labelled", "haven_labelled_spss"})
UTC = frozenset({"", "UTC", "GMT", "Etc/UTC", "Etc/GMT"})
# Classes that only affect how values are stored or printed.
PLAIN = frozenset(
    {
        *("logical", "integer", "numeric", "double", "character", "array", "table", "AsIs", "noquote", "ts", "glue"),
        *("labelled", "labelled_spss", "vctrs_vctr"),
    }
)
# Classes whose stored values are not the values of the column.
INSTEAD = {
    "difftime": 'as.numeric(x, units = "secs"), or other units',
    "POSIXlt": "as.POSIXct(x)",
    "Period": 'as.numeric(x, "secs")',
    "Interval": 'as.numeric(x, "secs")',
    "chron": "as.POSIXct(x)",
    "dates": "as.Date(x)",
    "times": "24 * 3600 * as.numeric(x), the seconds",
}


@dataclass(frozen=True, slots=True)
class Vector:
    """Vector of R.

    Attributes
    ----------
    storage : {"logical", "integer", "double", "character"}
        Storage mode of the values in R.
    values : numpy.ndarray or list of str
        Values; arbitrary where a value is missing.
    absent : numpy.ndarray of bool
        Mask of the values that are NA.
    classes : tuple of str
        Class attribute; empty if the class is implicit.
    levels : tuple of str or None
        Levels of a factor; None represents an NA level.
    labels : mapping
        Value labels of haven: mapping from code to label; a tagged NA is the code ".a", ".b", ...
    user_missing : tuple
        Codes of missing values (``na_values`` of haven).
    missing_range : tuple of float
        Lowest and highest code of missing values (``na_range``); empty if not given.
    zone : str
        Time zone of a date-time (``tzone``); empty if not given.
    units : str
        Units of a difftime, such as "mins"; empty if not given.
    """

    storage: str
    values: Any
    absent: BoolArray
    classes: tuple[str, ...] = ()
    levels: tuple[str | None, ...] | None = None
    labels: Mapping[Any, str] | None = None
    user_missing: tuple[Any, ...] = ()
    missing_range: tuple[float, ...] = ()
    zone: str = ""
    units: str = ""


def check_columns(names: list[str], where: str) -> list[str]:
    """Return the names; raise if two are equal, because one column would be lost."""
    twice = [name for name, count in Counter(names).items() if count > 1]
    if twice:
        raise InputError(f"{where}: two columns have the same name as text: {_checks.shorten(twice)}")
    return names


def check_text(texts: list[str], where: str) -> list[str]:
    """Return the texts; raise if R would truncate or cannot represent one."""
    for place, text in enumerate(texts):
        if "\0" in text:
            raise InputError(
                f"{where} at position {place} contains a NUL character, which ends a string in R; remove it"
            )
        if any("\ud800" <= letter <= "\udfff" for letter in text):
            raise InputError(
                f"{where} at position {place} contains half a surrogate pair, which is not Unicode text; remove it"
            )
    return texts


def names_of(frame: pd.DataFrame) -> list[str]:
    """Return the validated column names of a frame as text."""
    return check_columns(check_text([str(c) for c in frame.columns], "frame: the column name"), "frame")


def encode(series: pd.Series) -> Vector:
    """Convert a column to an R vector."""
    dtype, absent = series.dtype, series.isna().to_numpy(dtype=bool)
    if isinstance(dtype, pd.CategoricalDtype):
        codes = np.asarray(series.cat.codes, dtype=np.int64)
        levels = check_text([str(level) for level in dtype.categories], f"column {series.name!r}: the category")
        if len(set(levels)) < len(levels):
            raise InputError(
                f"column {series.name!r}: two of its {len(levels)} categories are equal as text; rename one"
            )
        classes = ("ordered", "factor") if dtype.ordered else ("factor",)
        return Vector("integer", np.where(codes < 0, 0, codes + 1), codes < 0, classes, tuple(levels))
    kind = _checks.comparable_kind(series)
    if kind in ("bool", "nothing"):
        truths = np.zeros(len(series), dtype=np.int64)
        truths[~absent] = [bool(v) for v in series[~absent]]
        return Vector("logical", truths, absent)
    if kind == "number":
        return _numbers(series, absent)
    if kind == "text":
        check_text([str(v) for v in series[~absent]], f"column {series.name!r}: the text")
        return Vector("character", ["" if gone else str(v) for v, gone in zip(series, absent, strict=True)], absent)
    if kind in ("date", _checks.DAY):
        return _dates(series, absent)
    if kind == _checks.TIME_SPAN:
        micro = pd.to_timedelta(series).to_numpy("timedelta64[us]").astype(np.int64)
        return Vector("double", micro / 10**6, absent, ("difftime",), units="secs")
    if kind == _checks.ZONED:
        zone = getattr(getattr(series.dtype, "tz", None), "key", None)
        if zone is None:
            raise InputError(
                f"column {series.name!r}: dates with a time zone must have one zone with a name, such as Europe/Berlin; "
                "use pd.to_datetime(..., utc=True).dt.tz_convert('Europe/Berlin')"
            )
        micro = series.dt.tz_convert(None).to_numpy("datetime64[us]").astype(np.int64)
        return Vector("double", micro / 10**6, absent, ("POSIXct", "POSIXt"), zone=zone)
    if kind == "mixture":
        raise InputError(
            f"column {series.name!r} contains values of several types; convert it to one type before passing it to R"
        )
    raise InputError(
        f"column {series.name!r} contains {kind} values, which have no counterpart in R; convert them to another type"
    )


def _numbers(series: pd.Series, absent: BoolArray) -> Vector:
    if not pd.api.types.is_float_dtype(series.dtype):
        # Floats are doubles in R. Other numbers, such as those of an object column, must be exact as doubles.
        values = [int(v) if isinstance(v, Integral) else v for v in series[~absent]]
        exact = [v for v in values if not isinstance(v, float | np.floating)]
        if any(isinstance(v, complex | np.complexfloating) for v in exact):
            raise InputError(f"column {series.name!r} contains complex numbers, which are not supported in R")
        largest = max((abs(v) for v in exact), default=0)
        if largest > _checks.LARGEST_EXACT:
            raise InputError(f"column {series.name!r}: whole numbers beyond 2**53 have no exact counterpart in R")
        if largest <= INT_MAX and all(isinstance(v, int) for v in values):
            whole = np.zeros(len(series), dtype=np.int64)
            whole[~absent] = values
            return Vector("integer", whole, absent)
    return Vector("double", _checks.as_float(series), absent)


def _dates(series: pd.Series, absent: BoolArray) -> Vector:
    dates = series if isinstance(series.dtype, np.dtype) and series.dtype.kind == "M" else series.astype(object)
    micro = pd.to_datetime(dates).to_numpy("datetime64[us]").astype(np.int64)
    if bool((micro[~absent] % MICROSECONDS_A_DAY == 0).all()):
        return Vector("double", micro / MICROSECONDS_A_DAY, absent, ("Date",))
    return Vector("double", micro / 10**6, absent, ("POSIXct", "POSIXt"), zone="UTC")


def decode(vector: Vector, where: str) -> pd.Series:
    """Convert a vector of R to a column, by its class or else by its storage."""
    return _typed(stated(vector, where))


def _typed(column: Stated) -> pd.Series:
    return own_type(column, Codes(), "", Notes(Place("data", Path()))) if column.labels else column.values


def decode_frame(vectors: Mapping[str, tuple[Vector, str]], rows: int) -> pd.DataFrame:
    """Convert vectors of R, each with its name in messages, to a frame with labels and kinds of missing values."""
    columns = {name: stated(vector, where) for name, (vector, where) in vectors.items()}
    frame = pd.DataFrame({name: _typed(column) for name, column in columns.items()}, index=pd.RangeIndex(rows))
    labels = {name: as_entry_of(column) for name, column in columns.items()}
    if any(labels.values()):
        frame.attrs[LABELS] = {name: entry for name, entry in labels.items() if entry}
    attach(frame, {name: column.kinds for name, column in columns.items()})
    return frame


def tags_of(values: Any) -> list[str | None]:
    """Return the tag of each double, such as ".a" for tagged_na("a") of haven, or None without a tag."""
    bits = np.ascontiguousarray(values, dtype=np.float64).view(np.uint64)
    letters = np.where(
        np.isnan(values) & (bits & np.uint64(0xFFFFFFFF) == NA_REAL), bits >> np.uint64(32) & np.uint64(0xFF), 0
    )
    return [f".{chr(letter)}" if letter else None for letter in letters.tolist()]


def tagged(code: str) -> float:
    """Return the double of a tagged NA."""
    bits = np.uint64(0x7FF80000_00000000) | np.uint64(ord(code[1])) << np.uint64(32) | NA_REAL
    return float(np.array([bits]).view(np.float64)[0])


def encode_codes(kinds: MissingKinds, text: bool) -> tuple[Vector, BoolArray]:
    """Return codes of missing values as a vector of R, and which cells have one."""
    coded = kinds.coded
    codes = ["" if text else 0.0] * 2 + [
        str(code) if text else tagged(str(code)) if is_tag(code) else code for code in kinds.codes
    ]
    given = [codes[cell if one else 0] for cell, one in zip(kinds.cells, coded, strict=True)]
    return Vector(
        "character" if text else "double", given if text else np.array(given, dtype=np.float64), ~coded
    ), coded


def label_codes(storage: str, values: Any, absent: BoolArray, words: Sequence[str | None]) -> dict[Any, str]:
    """Return the label of each code of a labeled vector; a tagged NA is the code ".a", ".b", ..."""
    tags = tags_of(values) if storage == "double" else [None] * len(words)
    codes = [tag or code for tag, code in zip(tags, np.asarray(values, dtype=object).tolist(), strict=True)]
    return {
        code: str(word) for code, word, tag, gone in zip(codes, words, tags, absent, strict=True) if tag or not gone
    }


def stated(vector: Vector, where: str) -> Stated:
    """Return the values of a vector of R, and the labels of its codes.

    Warns with `ColumnTypeWarning` if the class of a vector of numbers or text is unknown; its stored values are returned.
    """
    classes = vector.classes
    if "factor" in classes:
        return Stated(_categories(vector, where))
    kind = next((c for c in classes if c in (*MOMENTS, *MONTHS, *SPANS, "integer64")), None)
    if kind is not None and vector.storage != "character":
        return Stated(_special(vector, kind, where))
    if kind is not None or INSTEAD.keys() & classes:
        raise no_counterpart(where, classes)
    unknown = [c for c in classes if c not in PLAIN | LABELLED]
    if unknown:
        warn(
            f"{where} has the class {_checks.shorten(unknown)} of R, which is unknown here. The stored values are used, "
            "which can differ from the values that R prints. Convert it in R with as.numeric(x) or as.character(x)",
            ColumnTypeWarning,
        )
    plain = _plain(vector)
    return _labelled(vector, plain) if LABELLED.intersection(classes) or vector.storage == "double" else Stated(plain)


def _special(vector: Vector, kind: str, where: str) -> pd.Series:
    """Return dates, months, time spans or integers of 64 bits."""
    if kind == "integer64":  # the bits of an integer in a double
        whole = np.ascontiguousarray(vector.values, dtype=np.float64).view(np.int64)
        return _integers(whole, whole == -(2**63))
    values = np.where(vector.absent, np.nan, vector.values)
    if kind in MONTHS:  # years as doubles, such as 2003 + 7/12
        width = MONTHS[kind]
        return dates_from_numbers.month_starts(np.floor(values * 12 / width + 0.001) * width - 1970 * 12, where)
    if kind in SPANS:
        units = vector.units or SPANS[kind]
        if units not in UNITS:
            raise no_counterpart(where, vector.classes)
        return dates_from_numbers.spans(values, UNITS[units], where)
    dates = dates_from_numbers.dates(values, MOMENTS[kind], where)
    if kind == "Date" or vector.zone in UTC:
        return dates
    try:
        zone = zoneinfo.ZoneInfo(vector.zone)
    except (zoneinfo.ZoneInfoNotFoundError, ValueError):
        raise InputError(
            f"{where}: its time zone is unknown here; use another one in R, for example attr(x, 'tzone') <- 'UTC'"
        ) from None
    zoned: pd.Series = dates.dt.tz_localize("UTC").dt.tz_convert(zone)
    return zoned


def no_counterpart(where: str, classes: Iterable[str], listed: bool = False) -> InputError:
    """Return the error for a class without a counterpart."""
    names = list(classes)
    turn = INSTEAD.get(names[0], "as.numeric(x) or as.character(x)")
    kind = "a list of class" if listed else "class"
    return InputError(f"{where}: {kind} {_checks.shorten(names)} has no counterpart here; use {turn} in R")


def _plain(vector: Vector) -> pd.Series:
    gone = vector.absent
    if vector.storage == "character":
        return pd.Series([None if a else v for v, a in zip(vector.values, gone, strict=True)], dtype="str")
    if vector.storage == "double":
        return pd.Series(np.where(gone, np.nan, vector.values))
    if vector.storage == "logical":
        truths = np.asarray(vector.values) != 0
        return pd.Series(pd.arrays.BooleanArray(truths, gone.copy()) if gone.any() else truths)
    return _integers(np.asarray(vector.values, dtype=np.int64), gone)


def _integers(values: IntArray, gone: BoolArray) -> pd.Series:
    return pd.Series(pd.arrays.IntegerArray(np.where(gone, 1, values), gone.copy()) if gone.any() else values)


def _labelled(vector: Vector, plain: pd.Series) -> Stated:
    """Return the values without the codes of missing values, the labels, and the kinds of missing values."""
    labels = dict(vector.labels or {})
    text = vector.storage == "character"
    tagged = set() if text else {code for code in labels if isinstance(code, str)}
    meant, ranges = set(vector.user_missing), [{"lo": code, "hi": code} for code in vector.user_missing]
    if vector.missing_range:
        low, high = vector.missing_range
        ranges.append({"lo": low, "hi": high})
        meant |= {code for code in {*plain.dropna().unique(), *labels} - tagged if low <= code <= high}
    values, kinds = without_missing_codes(plain, meant)
    if vector.storage == "double" and any(tags := tags_of(vector.values)):
        codes = [None] * 2 + [*(kinds.codes if kinds else ())]
        cells = kinds.cells if kinds else np.zeros(len(values), dtype=np.int64)
        given = [tag or codes[cell] for tag, cell in zip(tags, cells, strict=True)]
        kinds = MissingKinds.of(given, values.isna().to_numpy())
    lost = {code: label for code, label in labels.items() if code in meant | tagged}
    kept = {code: label for code, label in labels.items() if code not in lost}
    return Stated(values, kept, as_entry(None, kept, ranges, lost), kinds)


def _categories(vector: Vector, where: str) -> pd.Series:
    """Return a factor as categories; an NA level (from addNA) becomes missing."""
    if vector.levels is None:
        raise InputError(f"{where} is a factor without levels")
    codes = np.where(vector.absent, 0, np.asarray(vector.values, dtype=np.int64))
    there = np.array([level is not None for level in vector.levels], dtype=bool)
    places = np.concatenate([[-1], np.where(there, np.cumsum(there) - 1, -1)])
    names = pd.Index([level for level in vector.levels if level is not None])
    return pd.Series(pd.Categorical.from_codes(places[codes], names, ordered="ordered" in vector.classes))
