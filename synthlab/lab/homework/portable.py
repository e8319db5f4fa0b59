"""Answers as plain data: what leaves the kernel of a student, as JSON and Parquet, and what is sent in.

Nothing in these files is run when they are read.
"""

from __future__ import annotations

import json
import shutil
import sys
from collections.abc import Callable, Mapping, Sequence
from numbers import Integral, Real
from pathlib import Path
from types import FrameType
from typing import Any

import numpy as np
import pandas as pd

from synthlab import _files
from synthlab.exceptions import InputError

MOST_VALUES = 100_000  # of an answer that is no table
MOST_FRAMES = 100
MOST_CELLS = 20_000_000  # rows times columns, of all tables of an answer
DEEPEST = 6
PACKAGE = str(Path(__file__).resolve().parents[2])
HERE = str(Path(__file__).resolve().parent)


def as_plain(value: Any) -> Any:
    """Return an answer as plain data: a number, a text, None, a list, a mapping, an array, a frame or a list of frames.

    Parameters
    ----------
    value : object
        A release becomes the list of its datasets; a Series the array of its values.

    Returns
    -------
    object

    Raises
    ------
    InputError
        If it is something else, or too large; the message says what.
    """
    from synthlab.release import Release

    if isinstance(value, pd.DataFrame):
        return _frames([value])[0]
    if isinstance(value, Release) or _is_frames(value):
        return _frames(list(value))
    return _plain(value, 0)


def _is_frames(value: Any) -> bool:
    return isinstance(value, list | tuple) and bool(value) and all(isinstance(one, pd.DataFrame) for one in value)


def _frames(frames: Sequence[pd.DataFrame]) -> list[pd.DataFrame]:
    if len(frames) > MOST_FRAMES:
        raise InputError(f"these are {len(frames):,} tables, and at most {MOST_FRAMES} are taken")
    if sum(one.size for one in frames) > MOST_CELLS:
        raise InputError(f"it is a table of more than {MOST_CELLS:,} cells")
    return [one.copy() for one in frames]


def _plain(value: Any, depth: int) -> Any:
    if depth > DEEPEST:
        raise InputError(f"it is nested more than {DEEPEST} times")
    match value:
        case None | bool() | str():
            return value if not isinstance(value, str) or len(value) <= MOST_VALUES else value[:MOST_VALUES]
        case np.bool_():
            return bool(value)
        case Integral():
            number = int(value)
            return number if number.bit_length() < 1024 else float("inf")
        case Real():
            return float(value)
        case pd.Series() | pd.Index():
            return _array(value.to_numpy())
        case np.ndarray():
            return _array(value)
        case Mapping():
            _count(value)
            return {str(key): _plain(one, depth + 1) for key, one in value.items()}
        case list() | tuple() | set() | frozenset():
            _count(value)
            return [_plain(one, depth + 1) for one in value]
    raise InputError(f"it is {_kind(value)}, and no number, text, list, array, table or release")


def _array(values: Any) -> Any:
    _count(np.ravel(values))
    if values.ndim == 0 or (values.size == 1 and values.dtype.kind in "biuf"):
        return _plain(values.item(), 0)
    if values.dtype.kind in "biuf":
        return np.array(values)
    return [_plain(one, 1) for one in values.tolist()]


def _count(values: Any) -> None:
    if len(values) > MOST_VALUES:
        raise InputError(f"it holds {len(values):,} values, and at most {MOST_VALUES:,} are taken")


def _kind(value: Any) -> str:
    return "a function" if callable(value) and not isinstance(value, type) else f"of type {type(value).__name__}"


def to_plain(value: Any) -> Any:
    """Return portable data as JSON can hold it: arrays and frames as mappings with one key."""
    match value:
        case np.ndarray():
            return {"$array": value.tolist()}
        case pd.DataFrame():
            columns = [{"name": str(c), "dtype": str(value[c].dtype), "values": _column(value[c])} for c in value]
            return {"$frame": columns}
        case dict():
            return {key: to_plain(one) for key, one in value.items()}
        case list():
            return [to_plain(one) for one in value]
    return value


def from_plain(value: Any) -> Any:
    """Return what `to_plain` was given."""
    match value:
        case {"$array": list(values)}:
            return np.asarray(values)
        case {"$frame": list(columns)}:
            made = {c["name"]: pd.Series(c["values"], dtype=_dtype(c["dtype"])) for c in columns}
            return pd.DataFrame(made)
        case dict():
            return {key: from_plain(one) for key, one in value.items()}
        case list():
            return [from_plain(one) for one in value]
    return value


def _column(column: pd.Series) -> list[Any]:
    values = column.astype(object).where(column.notna(), None)
    return [_plain(one, 0) for one in values.tolist()]


def _dtype(name: str) -> str | None:
    return name if name in ("int64", "float64", "bool", "category", "object") else None


def write_answer(value: Any, folder: Path) -> None:
    """Write an answer, as it came from the student, into a folder; what cannot be written is said there."""
    try:
        kept = as_plain(value)
        if _is_frames(kept) or isinstance(kept, pd.DataFrame):
            tables = kept if isinstance(kept, list) else [kept]
            for number, one in enumerate(tables):
                one.to_parquet(_made(folder) / f"{number}.parquet")
            about: dict[str, Any] = {"frames": len(tables), "single": isinstance(kept, pd.DataFrame)}
            about["categories"] = [_categories(one) for one in tables]
        else:
            about = {"value": to_plain(kept)}
    except Exception as error:  # noqa: BLE001 - an answer can be anything, and what it does when it is looked at as well
        about = {
            "unfit": f"{error}" if isinstance(error, InputError) else f"it cannot be written down: {_short(error)}"
        }
    _files.write_text(folder / "answer.json", json.dumps(about))


def write_calls(function: Any, cases: Sequence[Sequence[Any]], folder: Path) -> None:
    """Call a student's function on the cases and write what it returns."""
    about = {"calls": call(function, cases)} if callable(function) else {"unfit": f"it is {_no_function(function)}"}
    _files.write_text(folder / "answer.json", json.dumps(about))


def call(function: Callable[..., Any], cases: Sequence[Sequence[Any]]) -> list[dict[str, Any]]:
    """Return, for each case, the value a function returns or the error it raised, and what of the package it called.

    Parameters
    ----------
    function : callable
    cases : sequence of sequences
        The arguments, as plain data.

    Returns
    -------
    list of dict
        With the key "value" or "error", and "package" where it called the package.
    """
    return [_one_call(function, [from_plain(one) for one in case]) for case in cases]


def _one_call(function: Callable[..., Any], arguments: Sequence[Any]) -> dict[str, Any]:
    used: list[str] = []

    def watch(frame: FrameType, event: str, _: Any) -> None:
        if used or event != "call":
            return
        path, name = frame.f_code.co_filename, frame.f_code.co_qualname
        ours = path.startswith(PACKAGE) and not path.startswith(HERE) and name[0] not in "_<"
        caller = frame.f_back.f_code.co_filename if frame.f_back else ""
        if ours and not caller.startswith((PACKAGE, "<frozen")):
            used.append(name)

    before = sys.getprofile()
    sys.setprofile(watch)
    try:
        returned = function(*arguments)
    except Exception as error:  # noqa: BLE001 - whatever a student's function raises is told to the student
        sys.setprofile(before)
        return {"error": _short(error)}
    finally:
        sys.setprofile(before)
    try:
        answer: dict[str, Any] = {"value": "..." if returned is ... else to_plain(as_plain(returned))}
    except Exception as error:  # noqa: BLE001 - what it returns can be anything as well
        answer = {"error": str(error) if isinstance(error, InputError) else _short(error)}
    return answer | ({"package": used[0]} if used else {})


def export(order: str, variables: Mapping[str, Any]) -> None:
    """Write a variable of the notebook down, as the grader orders it; a variable that is not there is no answer."""
    asked = json.loads(order)
    answer = variables.get(asked["name"], ...)
    if answer is ...:
        return
    folder = Path(asked["folder"]) / asked["name"]
    shutil.rmtree(folder, ignore_errors=True)
    if asked["calls"] is None:
        write_answer(answer, folder)
    else:
        write_calls(answer, asked["calls"], folder)


def read_answer(folder: Path) -> Any:
    """Return what is written in a folder, or raise an `InputError` with what the student is told.

    Raises
    ------
    InputError
        If the answer is unfit, or the files are not as `write_answer` and `write_calls` write them.
    """
    try:
        about = json.loads((folder / "answer.json").read_text(encoding="utf-8"))
    except (OSError, ValueError, RecursionError):
        raise InputError("what was written down of it cannot be read") from None
    match about:
        case {"unfit": str(text)}:
            raise InputError(text[:500])
        case {"calls": list(calls)}:
            return [from_plain(one) for one in calls]
        case {"frames": int(count), "single": bool(single), "categories": list(kept)} if 1 <= count <= MOST_FRAMES:
            frames = [_read_frame(folder / f"{number}.parquet", kept[number:][:1]) for number in range(count)]
            return frames[0] if single else frames
        case {"value": value}:
            return from_plain(value)
    raise InputError("what was written down of it cannot be read")


def _categories(frame: pd.DataFrame) -> dict[str, Any]:
    """Return the categories of a frame's columns where they are numbers: Parquet keeps those of texts alone."""
    kinds = {str(name): column.dtype for name, column in frame.items() if isinstance(column.dtype, pd.CategoricalDtype)}
    return {
        name: [_plain(kind.categories.tolist(), 1), bool(kind.ordered)]
        for name, kind in kinds.items()
        if kind.categories.dtype.kind in "biuf"
    }


def _read_frame(path: Path, categories: Sequence[Mapping[str, Any]]) -> pd.DataFrame:
    import pyarrow.parquet as pq

    try:
        about = pq.read_metadata(path)
        if about.num_rows * about.num_columns > MOST_CELLS:
            raise InputError(f"it is a table of more than {MOST_CELLS:,} cells")
        frame: pd.DataFrame = pd.read_parquet(path)
        for name, (values, ordered) in categories[0].items():
            frame[name] = pd.Categorical(frame[name], values, ordered=ordered)
    except InputError:
        raise
    except Exception:  # noqa: BLE001 - a file under the name of a table can hold anything
        raise InputError("its tables cannot be read") from None
    return frame


def _made(folder: Path) -> Path:
    folder.mkdir(parents=True, exist_ok=True)
    return folder


def _no_function(value: Any) -> str:
    return "not answered yet" if value is ... else f"no function, but of type {type(value).__name__}"


def _short(error: BaseException) -> str:
    try:
        text = str(error)
    except Exception:  # noqa: BLE001 - an exception of a student can fail in its own words
        text = ""
    return f"{type(error).__name__}: {' '.join(text.split())[:200]}"
