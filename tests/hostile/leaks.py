"""Plant values that cannot be overlooked, call a function with them, and look for them in whatever it says."""

from __future__ import annotations

import contextlib
import datetime
import io
import json
import re
import traceback
import warnings
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache
from typing import Any

import numpy as np
import pandas as pd

from synthlab.release import Release

TEXT = "Jane-Doe-HIV"
YEAR = 1937
NUMBERS = [round(98765.4321 * 1.0731**i, 4) for i in range(40)] + [987654321.0 + 7919 * i for i in range(8)]
DIGITS = 4  # a number printed with fewer significant digits tells too little to be known again
IMAGE = re.compile(r"base64,[A-Za-z0-9+/=]+")  # its letters are no text: four digits in a row come by chance
_NUMBER = re.compile(r"(?<![\w.#])\d[\d,_]*\.?\d*(?:[eE][+-]?\d+)?")


def found_in(text: str) -> list[str]:
    """Return the planted values that a text gives away, in whatever notation."""
    found = [TEXT] if TEXT.casefold() in text.casefold() else []
    found += [str(YEAR)] if re.search(rf"(?<!\d){YEAR}(?!\d)", text) else []
    return found + [token for token in _NUMBER.findall(text) if _is_planted(token)]


def _is_planted(token: str) -> bool:
    plain = token.replace(",", "").replace("_", "").rstrip(".")
    digits = len(plain.split("e")[0].split("E")[0].replace(".", "").lstrip("0"))
    value = float(plain)
    if digits < DIGITS or not value:
        return False
    return value in _written(digits) or any(abs(value - planted) <= 1e-8 + 1e-12 * planted for planted in NUMBERS)


@cache
def _written(digits: int) -> frozenset[float]:
    """Return the planted numbers rounded to so many digits, and cut to whole ones."""
    return frozenset(
        number for planted in NUMBERS for number in (float(f"{planted:.{digits - 1}e}"), float(int(planted)))
    )


@dataclass
class Said:
    """What a call said in errors, warnings and on the screen, what it raised, and what it returned."""

    texts: list[str] = field(default_factory=list)
    error: BaseException | None = None
    result: Any = None


def listen(function: Callable[..., Any], *args: Any, **kwargs: Any) -> Said:
    """Call, and keep what is said: of an error also its notes and those that a traceback prints before it."""
    import matplotlib.pyplot as plt

    said, screen = Said(), io.StringIO()
    with (
        warnings.catch_warnings(record=True) as caught,
        contextlib.redirect_stdout(screen),
        contextlib.redirect_stderr(screen),
    ):
        warnings.simplefilter("always")
        try:
            said.result = function(*args, **kwargs)
            if isinstance(said.result, Iterator):
                said.result = next(said.result, None)
        except (Exception, SystemExit) as error:  # noqa: BLE001  (whatever it is, it must say no value)
            said.error = error
            said.texts += list(texts_of(error))
    plt.close("all")
    said.texts += [str(w.message) for w in caught] + [screen.getvalue()]
    return said


def texts_of(error: BaseException) -> Iterator[str]:
    """Yield what a traceback prints of an error, but the lines of code."""
    printed = traceback.TracebackException.from_exception(error)
    while printed is not None:
        yield "".join(printed.format_exception_only())
        printed = printed.__cause__ or (None if printed.__suppress_context__ else printed.__context__)
    yield repr(error)


def faces(result: Any) -> Iterator[str]:
    """Yield the texts that show a result without being asked for more than it."""
    if isinstance(result, tuple):
        for part in result:
            yield from faces(part)
        return
    yield from (repr(result), str(result))
    for name in ("_repr_html_", "to_dict", "summary", "to_html"):
        method = getattr(result, name, None)
        if callable(method) and not isinstance(result, type | pd.DataFrame | pd.Series):
            with warnings.catch_warnings(), contextlib.suppress(Exception):
                warnings.simplefilter("ignore")
                value = method()
                text = json.dumps(value, default=str) if isinstance(value, Mapping) else str(value)
                yield IMAGE.sub("", text)


def numbers(n: int) -> list[float]:
    return [NUMBERS[i % 40] for i in range(n)]


def texts(n: int, kinds: int = 48) -> list[str]:
    return [f"{TEXT}-{i % kinds}" for i in range(n)]


def days(n: int) -> list[datetime.datetime]:
    return [datetime.datetime(YEAR, 1 + i % 12, 1 + i % 28) for i in range(n)]


def columns(n: int) -> dict[str, Any]:
    """Return what can stand in a column where something else is wanted, all of it planted."""
    values = numbers(n)
    return {
        "text": texts(n),
        "negative numbers": [-v for v in values],
        "numbers as text": [str(v) for v in values],
        "mixture": pd.Series([*values[: n // 2], *texts(n - n // 2)], dtype=object),
        "missing": [None, *values[1:]],
        "infinite": [*values[:-1], np.inf],
        "dates": days(n),
        "lists": [[v] for v in values],
        "one number": [values[0]] * n,
    }


def frames(frame: pd.DataFrame) -> Iterator[tuple[str, Any]]:
    """Yield what a frame can be spoilt into: one column at a time, all of them, its rows, its labels, its type."""
    n = len(frame)
    for name, values in columns(n).items():
        for column in frame.columns:
            yield f"{column}: {name}", frame.assign(**{column: values}) if isinstance(column, str) else frame
    for values in (numbers(n), texts(n), texts(n, 2)):
        yield f"all {values[0]}", pd.DataFrame(dict.fromkeys(frame.columns, values))
    yield "no such column", frame.drop(columns=frame.columns[0]).assign(other=texts(n))
    yield "one row fewer", frame.assign(**{frame.columns[-1]: texts(n)}).iloc[1:] if n > 1 else frame
    yield "labels", frame.set_axis(texts(n), axis=0)
    yield "labels twice", frame.set_axis(texts(n, 2), axis=0)
    yield "other labels", frame.set_axis(numbers(n), axis=0).iloc[::-1]
    yield from arguments(n)


def arguments(n: int = 6) -> Iterator[tuple[str, Any]]:
    """Yield data in the place of any argument."""
    n = max(n, 6)
    table = pd.DataFrame({"name": texts(n), "income": numbers(n), "born": days(n)}, index=texts(n))
    yield "a frame", table
    yield "an array of objects", table.to_numpy(dtype=object)
    yield "a mapping of data", {"a": table["income"], "b": table["name"]}
    yield "labels", table.index
    yield "a row", table.iloc[0]
    yield "a method of the data", table["income"].map
    yield "an iterator", iter(texts(n))
    yield "a list of records", table.to_dict("records")
    for name in ("text", "mixture", "negative numbers", "infinite"):
        yield f"a list: {name}", list(columns(n)[name])
    yield "a column", table["income"]
    yield "a matrix", np.array([numbers(n)] * 3)
    yield "whole numbers", np.array(numbers(n)).astype(np.int64)


def spoilt(value: Any) -> Iterator[tuple[str, Any]]:
    """Yield what to give in the place of an argument that was right."""
    if isinstance(value, pd.DataFrame) and len(value.columns) <= 8:
        yield from frames(value)
    elif isinstance(value, Release):
        for name, frame in frames(value[0]):
            if isinstance(frame, pd.DataFrame):
                yield name, [frame] * len(value)
    elif isinstance(value, Sequence) and value and all(isinstance(v, pd.DataFrame) for v in value):
        for name, frame in frames(value[0]):
            yield name, [*value[1:], frame]
    else:
        listed = isinstance(value, list | tuple)
        yield from arguments(len(value) if listed else value.size if isinstance(value, np.ndarray | pd.Series) else 6)
