"""Every argument check of the package, by parameter name.

A check returns the value in the form the caller works with, or raises an `InputError` whose
message names the argument and what is allowed. Column names are data: they are looked up, never
evaluated. What an argument holds is `shown` only where it is one number or word, or a short list of
them; of anything longer, and of whatever may be data, a message gives type, shape and position alone.
"""

from __future__ import annotations

import datetime
import errno
import numbers
import os
import re
from collections.abc import Iterable, Mapping, Sequence, Set
from pathlib import Path
from typing import Any, TypeGuard, TypeVar

import numpy as np
import pandas as pd

from synthlab import _limits
from synthlab._typing import BoolArray, DatasetLike, FloatArray, IntArray
from synthlab.exceptions import DtypeMismatchError, InputError, MissingValueError, RowAlignmentError

_Array = TypeVar("_Array", bound=np.ndarray[Any, Any])
LARGEST_EXACT = 2**53  # of the integers, below which every one is a float64
MEANING_OF_MISSING = (
    'say what they mean with missing="category" (missing equals missing) or missing="never" (missing matches nothing)'
)
SHOWN = 4  # a list of so many numbers or words is shown in full


def shorten(values: Iterable[object], limit: int = 5) -> str:
    """Name the first few values of a list, and how many more there are."""
    items = [repr(v) for v in values]
    more = len(items) - limit
    return ", ".join(items[:limit]) + (f" and {more} more" if more > 0 else "")


def described(value: object) -> str:
    """Say what something is by type, shape and dtype, never by what it holds."""
    kind = type(value).__name__
    if isinstance(value, pd.DataFrame):
        return f"a {kind} of shape {value.shape}"
    if isinstance(value, pd.Series | pd.Index | np.ndarray):
        return f"a {kind} of shape {value.shape} and dtype {value.dtype}"
    if isinstance(value, list | tuple | set | frozenset | Mapping):
        return f"a {kind} of {len(value)}"
    return "None" if value is None else f"a {kind}"


def shown(value: object) -> str:
    """Show a public argument: one number, word or date, or a short list of them, as it is; anything else as `described`."""
    few = isinstance(value, list | tuple) and len(value) <= SHOWN and all(map(_is_word, value))
    if _is_word(value) or few:
        try:
            return f"{value!r:.80}"
        except ValueError:  # Python writes out no int of more than 4,300 digits
            return "a number of thousands of digits"
    return described(value)


def named(values: Iterable[object]) -> str:
    """Name a few entries of an argument; of more than a few, which may be data in the wrong place, only say how many."""
    items = list(values)
    return (
        ", ".join(map(shown, items)) if len(items) <= SHOWN and all(map(_is_word, items)) else f"{len(items)} entries"
    )


def _is_word(value: object) -> bool:
    return value is None or isinstance(value, str | numbers.Number | np.generic | datetime.date)


def first_of(marked: Any, what: str = "entries") -> str:
    """Say how many entries are marked and the position of the first one, counted from 0."""
    mask = np.atleast_1d(np.asarray(marked, dtype=bool))
    at = tuple(int(axis[0]) for axis in np.nonzero(mask))
    return f"{int(mask.sum()):,} of {mask.size:,} {what}, the first at position {at[0] if len(at) == 1 else at}"


def without_levels(names: Iterable[object]) -> str:
    """Name a few columns of a design without the levels in brackets, which are values: region[T.south] is region[...]."""
    return shorten(dict.fromkeys(re.sub(r"\[.*", "[...]", str(name), flags=re.DOTALL) for name in names))


def check_choice(value: object, name: str, allowed: Sequence[object]) -> Any:
    """Return `value` if it is one of `allowed`."""
    if not any(value is a or (type(value) is type(a) and value == a) for a in allowed):
        raise InputError(f"{name}={shown(value)}: must be one of {', '.join(repr(a) for a in allowed)}")
    return value


def check_count(value: object, name: str, minimum: int = 1, maximum: int | None = None) -> int:
    """Return an int between `minimum` and `maximum`, by default what `_limits` says of an argument of this name."""
    bounded = maximum is not None or name in _limits.COUNTS
    maximum = _limits.COUNTS.get(name, _limits.WHOLE) if maximum is None else maximum
    if isinstance(value, bool) or not isinstance(value, numbers.Integral):
        raise InputError(f"{name}={shown(value)}: must be an int >= {minimum}")
    number = int(value)
    if not minimum <= number <= maximum:
        upper = f" and <= {maximum}" if bounded or number > maximum else ""
        raise InputError(f"{name}={shown(value)}: must be an int >= {minimum}{upper}")
    return number


def check_counts(values: object, name: str, minimum: int = 1) -> list[int]:
    """Return the ints >= `minimum` of a list; one that is not is named by its position."""
    check_not_truth(values, name)
    array = np.asarray(check_numbers(values, name))
    bad = (array != np.rint(array)) | (array < minimum) | (array > _limits.WHOLE)
    if bad.any():
        raise InputError(f"{name}: must be ints >= {minimum}; {first_of(bad)}, are not")
    return [int(value) for value in array]


def check_number(
    value: object,
    name: str,
    *,
    low: float = -np.inf,
    high: float = np.inf,
    open_low: bool = False,
    open_high: bool = False,
) -> float:
    """Return a finite number in the interval from `low` to `high`."""
    left, right = "(" if open_low or low == -np.inf else "[", ")" if open_high or high == np.inf else "]"
    allowed = f"a finite number in {left}{low:g}, {high:g}{right}"
    if isinstance(value, bool) or not isinstance(value, numbers.Real):
        raise InputError(f"{name}={shown(value)}: must be {allowed}")
    try:
        number = float(value)
    except OverflowError:
        raise InputError(f"{name}: must be {allowed}, got an int beyond the largest float") from None
    inside = np.isfinite(number) and low <= number <= high
    if not inside or (open_low and number == low) or (open_high and number == high):
        raise InputError(f"{name}={value!r}: must be {allowed}")
    return number


def check_numbers(
    values: object, name: str, *, low: float = -np.inf, high: float = np.inf, open_low: bool = False
) -> list[float]:
    """Return the numbers of a list, each finite and in the interval from `low` to `high`; one that is not is named by its position."""
    array = check_array(values, name, "a list of numbers").ravel()
    bad = ~np.isfinite(array) | (array < low) | (array > high) | ((array == low) if open_low else False)
    if bad.any():
        left, right = "(" if open_low or low == -np.inf else "[", ")" if high == np.inf else "]"
        raise InputError(f"{name}: must be finite numbers in {left}{low:g}, {high:g}{right}; {first_of(bad)}, are not")
    return [float(v) for v in array]


def check_callable(value: object, name: str, what: str) -> Any:
    """Return something that can be called; `what` says with what it is called."""
    if not callable(value):
        raise InputError(f"{name}={shown(value)}: must be {what}")
    return value


def check_list(value: object, name: str, what: str) -> list[Any]:
    """Return the items, in order, of anything that can be iterated but text and sets; `what` says what they are."""
    if isinstance(value, Set):
        raise InputError(f"{name}: is a {type(value).__name__}, which has no order of its own; give {what}")
    try:
        if isinstance(value, str | bytes):
            raise TypeError
        items = iter(value)  # type: ignore[call-overload]
    except TypeError:
        raise InputError(f"{name}={shown(value)}: must be {what}") from None
    return list(items)


def check_mapping(value: object, name: str, what: str) -> Mapping[Any, Any]:
    """Return a mapping; `what` says of what. A column has keys and items too, but is data."""
    if not isinstance(value, Mapping):
        raise InputError(f"{name}={shown(value)}: must be a mapping of {what}")
    return value


def check_text(value: object, name: str) -> str:
    """Return text."""
    if not isinstance(value, str):
        raise InputError(f"{name}: must be text, got {type(value).__name__}")
    if any("\ud800" <= character <= "\udfff" for character in value):
        raise InputError(f"{name}: holds half a surrogate pair, which is no text")
    return value


def check_path(value: object, name: str) -> Path:
    """Return the path of a file or folder."""
    text = os.fspath(value) if isinstance(value, str | os.PathLike) else None
    if not isinstance(text, str) or not text or "\0" in text:
        raise InputError(
            f"{name}: must be a path, as text without NUL or a pathlib.Path, got {described(value) if text != '' else 'empty text'}"
        )
    try:
        os.stat(text)
    except FileNotFoundError:
        pass
    except UnicodeEncodeError:
        raise InputError(f"{name}: must be a path; half a surrogate pair cannot be spelled in one") from None
    except OSError as error:
        if error.errno == errno.ENAMETOOLONG:
            raise InputError(f"{name}: must be a path; no file can have a name of this length") from None
    return Path(text)


def check_probability(value: object, name: str) -> float:
    """Return a number in [0, 1]."""
    return check_number(value, name, low=0.0, high=1.0)


def check_frame(value: object, name: str) -> pd.DataFrame:
    """Return a DataFrame with at least one row and one column, unique names that are text, and values that can be compared.

    Of a `Dataset` it is the frame.
    """
    value = frame_of(value)
    if not isinstance(value, pd.DataFrame):
        hint = "; synthlab.read makes one of a file" if isinstance(value, str | os.PathLike) else ""
        raise InputError(f"{name}: must be a pandas DataFrame, got {foreign_type(value)}{hint}")
    if value.shape[0] == 0 or value.shape[1] == 0:
        raise InputError(f"{name}: has {value.shape[0]} rows and {value.shape[1]} columns; both must be at least 1")
    if not value.columns.is_unique:
        twice = value.columns[value.columns.duplicated()].unique()
        raise InputError(f"{name}: column names must be unique, these occur twice: {shorten(twice)}")
    odd = [c for c in value.columns if not isinstance(c, str)]
    if odd:
        raise InputError(
            f"{name}: column names must be text, {len(odd)} of {value.shape[1]} are not; frame.columns = frame.columns.map(str) "
            "makes them text"
        )
    for column, dtype in zip(value.columns, value.dtypes, strict=True):
        if not (
            isinstance(dtype, np.dtype) and dtype.kind in "biufmM"
        ):  # these hold numbers, bools or dates, nothing else
            check_values(value[column], name)
    return value


def frame_of(value: object) -> object:
    """Return the frame of a `Dataset`; anything else as it is, and a frame may have columns of any name."""
    return value.frame if not isinstance(value, pd.DataFrame) and isinstance(value, DatasetLike) else value


def foreign_type(value: object) -> str:
    """Say what something is that is no pandas frame: its type, the library it is of, and the way to pandas if it has one."""
    kind = type(value)
    library = (kind.__module__ or "").partition(".")[0]
    if library in ("builtins", "pandas", "numpy", "synthlab", "__main__"):
        return kind.__name__
    hint = "; .to_pandas() makes a pandas DataFrame of it" if hasattr(kind, "to_pandas") else ""
    return f"{kind.__name__} of {library}{hint}"


def check_values(series: pd.Series, name: str) -> None:
    """Raise where a column holds complex numbers, half of a character, or lists and other values that cannot be looked up."""
    what = ""
    cells = series.cat.categories if isinstance(series.dtype, pd.CategoricalDtype) else series
    if pd.api.types.is_complex_dtype(cells.dtype):
        what = "complex numbers"
    elif cells.dtype == object or getattr(cells.dtype, "storage", None) == "python":
        values = cells.to_numpy(dtype=object).tolist()
        kinds = set(map(type, values))
        if any(issubclass(kind, complex | np.complexfloating) for kind in kinds):
            what = "complex numbers"
        elif any(issubclass(kind, str) for kind in kinds) and _half_pairs(values):
            what = "half a surrogate pair, which is no text"
        else:
            bad = {kind.__name__ for kind in kinds if kind.__hash__ is None or issubclass(kind, np.void)}
            if tuple in kinds and not all(map(pd.api.types.is_hashable, values)):
                bad.add("tuple")
            what = f"{' and '.join(sorted(bad))} values" if bad else ""
    if what:
        raise InputError(
            f"{name}: {'' if series.name is None else f'column {series.name!r} '}holds {what}; a column holds numbers, text, bools or dates: "
            "split it into such columns, or leave it out"
        )


def _half_pairs(values: Iterable[object]) -> bool:
    """Return whether a str among the values holds half a surrogate pair, which no file and no other library takes."""
    try:
        "".join(value for value in values if isinstance(value, str)).encode()
    except UnicodeEncodeError:
        return True
    return False


def check_name(column: object, name: str) -> str:
    """Return the name of one column: text."""
    if not isinstance(column, str):
        hint = f"; leave out the brackets: {name}={column[0]!r}" if _is_list_of_one(column) else ""
        raise InputError(f"{name}={shown(column)}: must be the name of one column, which is text{hint}")
    return check_text(column, name)


def _is_list_of_one(value: object) -> TypeGuard[Sequence[str]]:
    return isinstance(value, list | tuple) and len(value) == 1 and isinstance(value[0], str)


def check_column(frame: pd.DataFrame, column: object, name: str, *, where: str) -> str:
    """Return the name of one column of `frame`."""
    checked = check_name(column, name)
    if checked not in frame.columns:
        raise InputError(f"{name}: {checked!r} not in {where}, which has {shorten(frame.columns, 12)}")
    return checked


def check_names(columns: object, name: str, *, where: str = "", allow_empty: bool = True) -> tuple[str, ...]:
    """Return distinct column names; `where` says whose columns, where that is known."""
    example = f", for example [{columns!r:.80}]" if isinstance(columns, str) else ""
    names = check_list(columns, name, f"a list of column names{example}")
    if not names and not allow_empty:
        raise InputError(f"{name}=[]: must name at least one column" + (f" of {where}" if where else ""))
    odd = [not isinstance(c, str) for c in names]
    if any(odd):
        raise InputError(f"{name}: must be a list of column names, which are text; {first_of(odd)}, are none")
    if len(set(names)) < len(names):
        raise InputError(f"{name}: names a column twice; {first_of(pd.Series(names).duplicated())}, name one again")
    return tuple(names)


def check_columns(
    frame: pd.DataFrame, columns: object, name: str, *, where: str, allow_empty: bool = False
) -> list[str]:
    """Return a list of distinct column names that all stand in `frame`."""
    names = list(check_names(columns, name, where=where, allow_empty=allow_empty))
    absent = [c not in frame.columns for c in names]
    if any(absent):
        # In a Series, an Index or an array they are as likely the values of a column that was passed for its name.
        plain = isinstance(columns, list | tuple | set | frozenset)
        which = named([c for c, gone in zip(names, absent, strict=True) if gone]) if plain else first_of(absent)
        raise InputError(f"{name}: {which} not in {where}, which has {shorten(frame.columns, 12)}")
    return names


def check_disjoint(known: Sequence[str], synthesized: Sequence[str]) -> None:
    """Raise when a variable is declared both known and synthesized."""
    both = [c for c in known if c in set(synthesized)]
    if both:
        raise InputError(
            f"known and synthesized overlap in {named(both)}: known are the variables released unchanged; "
            "the intruder's knowledge of the true value of a synthesized variable is assumed already"
        )


def check_rows_aligned(confidential: pd.DataFrame, frames: Sequence[pd.DataFrame]) -> None:
    """Raise unless row i of every synthetic frame can be taken to be about record i.

    Row position decides. The index must say the same: equal in both frames, or a default
    0..n-1 index on either side.
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
                f"{label} has {len(frame)} rows, confidential has {n}: partial synthesis has one row per record"
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


def _is_default_index(index: pd.Index) -> bool:
    return isinstance(index, pd.RangeIndex) and index.start == 0 and index.step == 1


def categories_of(series: pd.Series) -> pd.Series:
    """Return the categories of a categorical column with the dtype they have; `Index.to_series` guesses one."""
    categories = series.cat.categories
    return pd.Series(categories, dtype=categories.dtype)


def kind_of(series: pd.Series) -> str:
    """Say in a word or two what a column holds: number, bool, date, time span, text."""
    values = categories_of(series) if isinstance(series.dtype, pd.CategoricalDtype) else series
    dtype = values.dtype
    if pd.api.types.is_bool_dtype(dtype):
        return "bool"
    if pd.api.types.is_numeric_dtype(dtype):
        return "number"
    if pd.api.types.is_datetime64_any_dtype(dtype):
        return "date"
    if pd.api.types.is_timedelta64_dtype(dtype):
        return TIME_SPAN
    if isinstance(dtype, pd.StringDtype):
        return "text" if values.notna().any() else "nothing"
    kinds = {_kind_of_value(v) for v in values.dropna().unique()}
    if not kinds:
        return "nothing"
    return kinds.pop() if len(kinds) == 1 else "mixture"


def _kind_of_value(value: object) -> str:
    if isinstance(value, bool | np.bool_):
        return "bool"
    if isinstance(value, numbers.Number):
        return "number"
    if isinstance(value, str):
        return "text"
    if isinstance(value, datetime.datetime | np.datetime64):  # a Timestamp is a datetime
        return "date"
    if isinstance(value, datetime.timedelta | np.timedelta64):  # a Timedelta is a timedelta
        return TIME_SPAN
    return type(value).__name__


TIME_SPAN = "time span"
DAY, ZONED = "datetime.date", "date with a time zone"


def comparable_kind(series: pd.Series) -> str:
    """Return `kind_of`; of dates also whether they are days alone or have a time zone, as none of the three equals another."""
    kind = kind_of(series)
    values = categories_of(series) if isinstance(series.dtype, pd.CategoricalDtype) else series
    if kind != "date":
        return kind
    if isinstance(values.dtype, np.dtype) and values.dtype.kind == "M":
        return kind
    if isinstance(values.dtype, pd.DatetimeTZDtype):
        return ZONED
    kinds = {_comparable_date(v) for v in values.dropna().unique()}
    return kinds.pop() if len(kinds) == 1 else "mixture"


def _comparable_date(value: object) -> str:
    if isinstance(value, datetime.date) and not isinstance(value, datetime.datetime):
        return DAY
    return "date" if getattr(value, "tzinfo", None) is None else ZONED


def check_same_kind(
    confidential: pd.DataFrame,
    frames: Sequence[pd.DataFrame],
    columns: Sequence[str],
    name: str | None = None,
    first: str = "confidential",
) -> None:
    """Raise when a column holds, say, numbers in one frame and text in the other.

    `name` is what the caller calls the other frame, where it is a single one and no synthetic dataset; `first` what it
    calls the frame that comes first.
    """
    dtypes = [frame.dtypes.to_dict() for frame in frames]
    for column in columns:
        dtype, kind = confidential[column].dtype, comparable_kind(confidential[column])
        for number, frame in enumerate(frames, start=1):
            if dtypes[number - 1][column] == dtype != np.dtype(object):  # only objects of one dtype can be of two kinds
                continue
            other = comparable_kind(frame[column])
            if "nothing" not in (kind, other) and kind != other:
                raise DtypeMismatchError(
                    f"column {column!r} holds {kind} values ({confidential[column].dtype}) in {first} and {other} "
                    f"values ({frame[column].dtype}) in {name or f'synthetic dataset {number}'}: nothing could match; "
                    "align them"
                    + (
                        f", for example {_aligned(column, kind, other, name or 'synthetic')}"
                        if first == "confidential"
                        else ""
                    )
                )


def _aligned(column: str, kind: str, other: str, name: str) -> str:
    """Return the code that gives two columns one kind."""
    if DAY in (kind, other):
        return f"pd.to_datetime({'confidential' if kind == DAY else name}[{column!r}])"
    if ZONED in (kind, other) and "date" in (kind, other):
        return f"{'confidential' if kind == ZONED else name}[{column!r}].dt.tz_convert(None)"
    return f"{name}[{column!r}].astype(confidential[{column!r}].dtype)"


def check_finite_or_missing(
    frame: pd.DataFrame, columns: Sequence[str], *, where: str, numeric: Sequence[str], missing: str
) -> None:
    """Raise on infinities in `numeric` columns, and on missing values when `missing` is "raise"."""
    for column in columns:
        if missing == "raise":
            check_present(frame, column, where, MEANING_OF_MISSING)
        if column in numeric:
            check_no_infinity(frame, column, where)


def check_meaning(missing: object, function: str, refused: Mapping[str, str] | None = None) -> str:
    """Return what a missing value is, "raise", "category" or "never"; `refused` says of what a function cannot do, why."""
    value: str = check_choice(missing, "missing", ("raise", "category", "never"))
    for other, why in (refused or {}).items():
        if value == other:
            rest = " or ".join(repr(v) for v in ("raise", "category", "never") if v not in (refused or {}))
            raise InputError(f"missing={value!r}: {why}; {function} takes {rest}")
    return value


def check_present(frame: pd.DataFrame, column: str, where: str, hint: str) -> None:
    """Raise on missing values; `hint` says what the caller can do."""
    count = int(frame[column].isna().sum())
    if count:
        raise MissingValueError(f"{where}: column {column!r} has {count} missing values; {hint}")


def check_no_infinity(frame: pd.DataFrame, column: str, where: str) -> None:
    """Raise on infinite values of a numeric column."""
    count = int(np.isinf(as_float(frame[column])).sum())
    if count:
        raise InputError(f"{where}: column {column!r} has {count} infinite values; values must be finite")


def as_float(series: pd.Series) -> FloatArray:
    """Return the values of a numeric column as float64, missing ones as NaN."""
    return series.to_numpy(dtype=np.float64, na_value=np.nan)


def is_whole(dtype: Any) -> bool:
    """Return whether a dtype holds integers, signed or not."""
    return bool(pd.api.types.is_integer_dtype(dtype))


def beyond_float(series: pd.Series) -> bool:
    """Return whether a column of ints holds one beyond 2**53, where a float no longer tells neighbours apart."""
    values = series.dropna()
    return len(values) > 0 and bool(values.max() > LARGEST_EXACT or values.min() < -LARGEST_EXACT)


def exact_float(series: pd.Series) -> FloatArray:
    """Return `as_float` of a column that is compared within an interval, or raise where rounding would move its values."""
    if holds_loose_numbers(series):
        raise InputError(loose_numbers(str(series.name)))
    values = categories_of(series) if isinstance(series.dtype, pd.CategoricalDtype) else series
    if is_whole(values.dtype) and beyond_float(values):
        raise InputError(
            f"column {series.name!r} holds whole numbers beyond 2**53, where a float cannot tell neighbours apart, so an "
            "interval around them is not exact; subtract a constant from it in all data, or compare it by value, without a radius"
        )
    return as_float(series)


def holds_loose_numbers(series: pd.Series) -> bool:
    """Return whether a column of objects holds nothing but numbers, or so many of them that they look measured."""
    return series.dtype == object and (kind_of(series) == "number" or looks_continuous(series))


def loose_numbers(column: str) -> str:
    """Say what is wrong with a column that `holds_loose_numbers`, and the way out."""
    return (
        f"column {column!r} has dtype object and holds numbers, so nothing says whether it is a measurement or a category; "
        f"make it numbers, for example with pd.to_numeric(frame[{column!r}]), or text with .astype(str), in all data"
    )


def check_numeric_column(frame: pd.DataFrame, column: str, *, where: str, why: str) -> None:
    """Raise unless the column holds numbers."""
    dtype = frame[column].dtype
    if holds_loose_numbers(frame[column]):
        raise InputError(f"{where}: {loose_numbers(column)}")
    numeric = pd.api.types.is_numeric_dtype(dtype) and not pd.api.types.is_complex_dtype(dtype)
    if isinstance(dtype, pd.CategoricalDtype) or not numeric:
        raise InputError(f"{where}: column {column!r} is {dtype}, not numeric; {why}")


def looks_continuous(series: pd.Series) -> bool:
    """Guess whether a column is a measurement: more than 100 distinct numbers, or more than 10 with fractions."""
    dtype = series.dtype
    if pd.api.types.is_object_dtype(dtype):
        found = [v for v in series.dropna().unique() if _kind_of_value(v) == "number"]
        fractions = any(not isinstance(v, numbers.Integral) and float(v) % 1 != 0 for v in found)
        return len(found) > 100 or (fractions and len(found) > 10)
    if isinstance(dtype, pd.CategoricalDtype) or not _is_number_column(series):
        return False
    distinct = np.unique(as_float(series.dropna()))
    fractions = bool((distinct != np.floor(distinct)).any())
    return distinct.size > 100 or (fractions and distinct.size > 10)


def _is_number_column(series: pd.Series) -> bool:
    dtype = series.dtype
    return pd.api.types.is_numeric_dtype(dtype) and not pd.api.types.is_bool_dtype(dtype)


def check_radius(
    radius: object,
    *,
    confidential: pd.DataFrame,
    known: Sequence[str],
    synthesized: Sequence[str],
    continuous_known: bool = True,
) -> dict[str, float]:
    """Return the radius of every continuous variable, in the order known, synthesized.

    A mapping names its variables; a bare number is for every synthesized variable that looks
    continuous, or for the only one that holds numbers. A variable with a radius is continuous, every other one is compared by value.
    """
    used = [*known, *synthesized]
    if radius is None:
        radii: dict[str, float] = {}
    elif isinstance(radius, Mapping):
        unknown = [c for c in radius if c not in used]
        if unknown:
            raise InputError(f"radius: {named(unknown)} is neither in known nor in synthesized")
        radii = {c: check_number(radius[c], f"radius[{c!r}]", low=0.0) for c in used if c in radius}
    else:
        value = check_number(radius, "radius", low=0.0)
        radii = {c: value for c in synthesized if looks_continuous(confidential[c])}
        numbers_only = [c for c in synthesized if _is_number_column(confidential[c])]
        if not radii and len(numbers_only) == 1:
            radii = {numbers_only[0]: value}
        if not radii:
            raise InputError(
                f"radius={value:g}: no synthesized variable looks continuous; name the variable, "
                f"for example radius={{{next(iter(synthesized))!r}: {value:g}}}"
            )
    for column in radii:
        check_numeric_column(
            confidential,
            column,
            where="confidential",
            why="a radius is for continuous variables; leave it out of radius",
        )
        if column in known and not continuous_known:
            raise InputError(
                f"radius: {column!r} is a known variable; patterns of known variables are compared by value"
            )
    for column in synthesized:
        if column not in radii and looks_continuous(confidential[column]):
            if holds_loose_numbers(confidential[column]):
                raise InputError(f"confidential: {loose_numbers(column)}")
            raise InputError(
                f"synthesized variable {column!r} has {confidential[column].nunique()} distinct numbers and no radius: "
                f"exact equality is almost surely not wanted; give radius={{{column!r}: 0.1}}, or "
                f"radius={{{column!r}: 0}} if equality is meant"
            )
    return radii


def check_targets(targets: object, n: int) -> IntArray:
    """Return the row positions of the targets: all records, a boolean mask, or a list of positions."""
    where = "row positions of confidential"
    return np.arange(n) if targets is None else check_positions(targets, n, "targets", "record", where)


def check_positions(value: object, n: int, name: str, what: str, where: str = "positions") -> IntArray:
    """Return positions among n things, given as a boolean mask or as a list of positions, none twice."""
    array = positions_array(value, name, what, where)
    if array.dtype == bool:
        if array.size != n:
            raise InputError(f"{name}: the boolean mask has {array.size} values, there are {n} {what}s")
        if not array.any():
            raise InputError(f"{name}: the boolean mask selects no {what}")
        return np.flatnonzero(array)
    if array.min() < 0 or array.max() >= n:
        raise InputError(f"{name}: {where} must lie in [0, {n - 1}]; {first_of((array < 0) | (array >= n))}, do not")
    if np.unique(array).size < array.size:
        raise InputError(f"{name}: names a {what} twice")
    return np.array(array, dtype=np.int64)


def positions_array(value: object, name: str, what: str, where: str = "row positions") -> Any:
    """Return a boolean mask or a list of ints as a read-only array, whatever it is about."""
    check_unmasked(value, name)
    try:
        array = np.array(value)
    except ValueError:  # lists of several lengths
        array = np.empty(0)
    if array.ndim != 1 or array.size == 0:
        raise InputError(f"{name}: must be a non-empty list of {where}, or a boolean mask with one value a {what}")
    if array.dtype != bool and not np.issubdtype(array.dtype, np.integer):
        raise InputError(f"{name}: must be ints or a boolean mask, got {array.dtype}")
    return read_only(array)


def check_unmasked(values: object, name: str) -> None:
    """Raise where values of a masked array, or of one in a list, are masked: an ordinary array would hold what lies below."""
    parts = values if isinstance(values, list | tuple) else [values]
    masked = sum(int(np.ma.getmaskarray(part).sum()) for part in parts if isinstance(part, np.ma.MaskedArray))
    if masked:
        raise InputError(f"{name}: {masked} values are masked; fill them in, or leave them out (array.compressed())")


def check_array(values: object, name: str, allowed: str = "numbers") -> FloatArray:
    """Return an array of real numbers as float64; `allowed` is what the message asks for."""
    check_unmasked(values, name)
    try:
        if isinstance(values, bool | np.bool_):
            raise TypeError
        given = np.asarray(values)
        text = given.dtype == object and any(isinstance(v, str) for v in given.flat)
        # Text, dates, complex numbers and None would be turned into floats.
        if values is None or text or given.dtype.kind not in "biufO":
            raise TypeError
        return np.asarray(values, dtype=np.float64)
    except (TypeError, ValueError, OverflowError):
        if _is_word(values):
            raise InputError(f"{name}={shown(values)}: must be {allowed}") from None
        raise InputError(f"{name}: must be {allowed}, got {described(values)}") from None


def dimensions(value: object) -> int:
    """Return the number of dimensions of an array, or of nested lists; 1 where those are of several lengths."""
    try:
        return int(np.ndim(value))  # type: ignore[arg-type]
    except ValueError:
        return 1


def check_vector(values: object, name: str) -> FloatArray:
    """Return a vector of finite numbers as float64."""
    if _is_word(values):  # a vector is data, and a word in its place may be one of them
        raise InputError(f"{name}: must be a vector of finite numbers, got {described(values)}")
    array = check_array(values, name, "a vector of finite numbers")
    if array.ndim != 1 or not np.isfinite(array).all():
        odd = int(array.size - np.isfinite(array).sum())
        raise InputError(
            f"{name}: must be a vector of finite numbers, got shape {array.shape}, {odd} of them not finite"
        )
    return array


def check_weights(weights: object, n: int, name: str = "weights") -> FloatArray:
    """Return n finite record weights >= 0, of which at least one is positive."""
    array = check_vector(weights, name)
    if array.shape != (n,):
        raise InputError(f"{name}: must have shape ({n},), one weight a record, got {array.shape}")
    if n and array.min() < 0:
        raise InputError(f"{name}: must be >= 0; {first_of(array < 0)}, are not")
    if not array.any():
        raise InputError(f"{name}: all weights are zero, so no record would inform the model")
    with np.errstate(over="ignore"):
        if not np.isfinite(array.sum()):
            raise InputError(f"{name}: add up to more than the largest float; divide them by their largest")
    return array


def read_only(array: _Array) -> _Array:
    """Return the array, marked read-only."""
    array.setflags(write=False)
    return array


def missing_mask(series: pd.Series) -> BoolArray:
    """Return where a column is missing."""
    return series.isna().to_numpy(dtype=bool)


def complete_mask(frame: pd.DataFrame, columns: Sequence[str]) -> BoolArray:
    """Return which records have all of the columns."""
    return np.asarray(np.logical_and.reduce([~missing_mask(frame[column]) for column in columns]), dtype=bool)


def data_kind(frame: object) -> str | None:
    """Return "real" or "simulated" if the frame says which it is (``attrs["synthlab"]["kind"]``), else None."""
    note = getattr(frame, "attrs", {}).get("synthlab")
    kind = note.get("kind") if isinstance(note, Mapping) else None
    return kind if kind in ("real", "simulated") else None


def check_not_truth(value: object, name: str) -> None:
    """Raise for a bool, or a list or array of them; a column of a frame is data, where they count as 0 and 1."""
    several = value if isinstance(value, list | tuple) else [value]
    if any(isinstance(v, bool | np.bool_) or (isinstance(v, np.ndarray) and v.dtype.kind == "b") for v in several):
        raise InputError(f"{name}: must be a number or an array of numbers, not a bool")


def check_parameter(value: object, name: str, *, low: float = -np.inf, open_low: bool = False) -> FloatArray:
    """Return a number, or an array of numbers, as read-only float64; every one finite and above `low`."""
    if value is None:
        raise InputError(f"{name}: must be given, a number or an array of numbers")
    check_not_truth(value, name)
    array = check_array(value, name, "a number or an array of numbers").copy()
    bad = ~np.isfinite(array) | (array < low) | ((array == low) if open_low else False)
    if bad.any():
        left = "(" if open_low or low == -np.inf else "["
        which = f"={float(array):g}:" if array.ndim == 0 else f": {first_of(bad)};"
        raise InputError(f"{name}{which} must be finite and in {left}{low:g}, inf)")
    return read_only(array)
