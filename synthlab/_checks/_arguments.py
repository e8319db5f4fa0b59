"""Checks of numbers, words, lists and paths."""

from __future__ import annotations

import errno
import numbers
import os
import tomllib
from collections.abc import Mapping, Sequence, Set
from pathlib import Path
from typing import Any

import numpy as np

from synthlab._checks._arrays import check_array, check_not_truth
from synthlab._checks._messages import described, first_of, shown
from synthlab._system import size_limits
from synthlab._typing import PathOrStr
from synthlab.exceptions import InputError


def check_choice(value: object, name: str, allowed: Sequence[object]) -> Any:
    """Return the entry of `allowed` that equals `value`.

    Text can also be a `numpy.str_`.
    """
    kind = str if isinstance(value, str) else type(value)
    for one in allowed:
        if value is one or (type(one) is kind and value == one):
            return one
    raise InputError(f"{name}={shown(value)}: must be one of {', '.join(map(repr, allowed))}")


def check_count(value: object, name: str, minimum: int = 1, maximum: int | None = None) -> int:
    """Return an int between `minimum` and `maximum`.

    The default of `maximum` is the limit in `size_limits` for an argument with this name.
    """
    bounded = maximum is not None or name in size_limits.COUNTS
    maximum = size_limits.COUNTS.get(name, size_limits.WHOLE) if maximum is None else maximum
    if isinstance(value, bool) or not isinstance(value, numbers.Integral):
        raise InputError(f"{name}={shown(value)}: must be an int >= {minimum}")
    number = int(value)
    if not minimum <= number <= maximum:
        upper = f" and <= {maximum}" if bounded or number > maximum else ""
        raise InputError(f"{name}={shown(value)}: must be an int >= {minimum}{upper}")
    return number


def check_counts(values: object, name: str, minimum: int = 1) -> list[int]:
    """Return a list of ints >= `minimum`.

    An error names the position of an invalid entry.
    """
    check_not_truth(values, name)
    array = np.asarray(check_numbers(values, name))
    bad = (array != np.rint(array)) | (array < minimum) | (array > size_limits.WHOLE)
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
    """Return a list of finite numbers in the interval from `low` to `high`.

    An error names the position of an invalid number.
    """
    array = check_array(values, name, "a list of numbers").ravel()
    bad = ~np.isfinite(array) | (array < low) | (array > high) | ((array == low) if open_low else False)
    if bad.any():
        left, right = "(" if open_low or low == -np.inf else "[", ")" if high == np.inf else "]"
        raise InputError(f"{name}: must be finite numbers in {left}{low:g}, {high:g}{right}; {first_of(bad)}, are not")
    return [float(v) for v in array]


def check_probability(value: object, name: str) -> float:
    """Return a number in [0, 1]."""
    return check_number(value, name, low=0.0, high=1.0)


def check_callable(value: object, name: str, what: str) -> Any:
    """Return a callable; `what` describes the required signature in the message."""
    if not callable(value):
        raise InputError(f"{name}={shown(value)}: must be {what}")
    return value


def check_list(value: object, name: str, what: str) -> list[Any]:
    """Return the items of an iterable, but reject text and sets.

    `what` describes the items in the message.
    """
    if isinstance(value, Set):
        raise InputError(f"{name}: is a {type(value).__name__}, which has no order; use {what}")
    try:
        if isinstance(value, str | bytes):
            raise TypeError
        items = iter(value)  # type: ignore[call-overload]
    except TypeError:
        raise InputError(f"{name}={shown(value)}: must be {what}") from None
    return list(items)


def check_mapping(value: object, name: str, what: str) -> Mapping[Any, Any]:
    """Return a mapping; `what` describes it in the message.

    A column of a frame is rejected although it has keys and items.
    """
    if not isinstance(value, Mapping):
        raise InputError(f"{name}={shown(value)}: must be a mapping of {what}")
    return value


def check_text(value: object, name: str) -> str:
    """Return text."""
    if not isinstance(value, str):
        raise InputError(f"{name}: must be text, got {type(value).__name__}")
    if any("\ud800" <= character <= "\udfff" for character in value):
        raise InputError(f"{name}: holds half a surrogate pair, which is not valid text")
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
        raise InputError(f"{name}: must be a path; a path must not contain half a surrogate pair") from None
    except OSError as error:
        if error.errno == errno.ENAMETOOLONG:
            raise InputError(f"{name}: must be a path; this name is too long for a file") from None
    return Path(text)


def read_toml(path: PathOrStr, name: str) -> dict[str, Any]:
    """Return the content of a TOML file; `name` names the path in messages."""
    file = check_path(path, name)
    try:
        return tomllib.loads(file.read_text(encoding="utf-8-sig"))
    except OSError as error:
        raise InputError(f"{name}={str(file)!r}: cannot be read: {error.strerror}") from None
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        where = str(error).rpartition("(")[2].rstrip(")") if isinstance(error, tomllib.TOMLDecodeError) else ""
        raise InputError(f"{name}={str(file)!r}: is not TOML in UTF-8{': ' + where if where else ''}") from None
