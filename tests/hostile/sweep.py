"""Call everything with hostile values, one argument at a time, and judge what happens.

The calls of a case are made in a process of their own, which has a limit of memory and an alarm for every call, and is
ended from outside where neither helps.
"""

from __future__ import annotations

import inspect
import json
import os
import re
import resource
import select
import signal
import tempfile
import warnings
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, fields, is_dataclass, replace
from typing import Any

import numpy as np
import pandas as pd

from synthlab.exceptions import SynthlabError, SynthlabWarning
from tests.hostile import values
from tests.hostile.bases import Case

MEMORY = 3 * 2**30  # bytes that a call may take beyond what the process has at its start
LONGEST = 2000  # characters of a message that anybody reads
MASKED = ("masked", "masked array")

NAMED, UNNAMED, RETURNED, FOREIGN, TIME, CRASH = (
    "error that names its argument",
    "error that does not",
    "returned",
    "foreign exception",
    "over time",
    "crash",
)
DEAF = "not even the alarm was heard"
OUTCOMES = (NAMED, UNNAMED, RETURNED, FOREIGN, TIME, CRASH)


class Generated(str):
    """Label of the kind of a generated value, which it carries."""

    value: Any = None

    @classmethod
    def of(cls, label: str, value: Any) -> Generated:
        """Return a label with its value."""
        made = cls(label)
        made.value = value
        return made


class TimeUp(BaseException):
    """The alarm of a call went off."""


@dataclass(frozen=True)
class Row:
    """What one call came to.

    Parameters
    ----------
    case, parameter, value : str
        Which call.
    outcome : str
        One of `OUTCOMES`.
    what : str
        Name of the exception, or of what was silently wrong.
    text : str
        Beginning of the message.
    """

    case: str
    parameter: str
    value: str
    outcome: str
    what: str = ""
    text: str = ""

    @property
    def fault(self) -> bool:
        """Whether this should not happen."""
        return self.outcome in (FOREIGN, TIME, CRASH, UNNAMED) or bool(self.outcome == RETURNED and self.what)


def tasks(case: Case) -> list[tuple[str, str]]:
    """Return every parameter of a case with every value it is called with."""
    found = []
    for parameter, ordinary in case.base().items():
        labels = [*values.SCALARS, *values.changes(ordinary)]
        keep = (*values.FEW, *values.FEW_CHANGES)
        found += [(parameter, label) for label in labels if not case.few or label in keep]
    return found


def run(case: Case, chosen: Sequence[tuple[str, str]], seconds: int) -> Iterator[Row]:
    """Make the chosen calls of a case, in processes of their own, and yield one row a call."""
    left = list(chosen)
    while left:
        done, deaf = 0, False
        for row in _in_a_child(case, left, seconds):
            yield row
            done, deaf = done + 1, row.text == "" and row.what == DEAF
        if (
            done < len(left) and not deaf
        ):  # a child that heard no alarm was ended from outside, and its next call not made
            yield Row(case.name, *left[done], CRASH, "the process ended")
            done += 1
        left = left[done:]


def _in_a_child(case: Case, chosen: Sequence[tuple[str, str]], seconds: int) -> Iterator[Row]:
    read, write = os.pipe()
    child = os.fork()
    if child == 0:
        os.close(read)
        try:
            _work(case, chosen, seconds, write)
        finally:
            os._exit(0)
    os.close(write)
    pending, number = b"", 0
    try:
        while True:
            ready, _, _ = select.select([read], [], [], 2 * seconds + 300 * (number == 0))
            if not ready:
                yield Row(case.name, *chosen[number], TIME, DEAF)
                return
            part = os.read(read, 65536)
            if not part:
                return
            *lines, pending = (pending + part).split(b"\n")
            for line in lines:
                number += 1
                yield Row(**json.loads(line))
    finally:
        os.close(read)
        os.kill(child, signal.SIGKILL)
        os.waitpid(child, 0)


def _work(case: Case, chosen: Sequence[tuple[str, str]], seconds: int, pipe: int) -> None:
    """Make the calls: the child's part."""
    os.chdir(tempfile.mkdtemp())  # text is a path in some places, of a folder that is written
    silence = os.open(os.devnull, os.O_WRONLY)
    for stream in (1, 2):
        os.dup2(silence, stream)
    with open("/proc/self/statm") as statm:
        size = int(statm.read().split()[0]) * os.sysconf("SC_PAGE_SIZE")
    try:
        answer = _quietly(case, case.base())[0]
    except Exception:  # noqa: BLE001 - no network to fetch from, or the calls have the same outcome
        answer = None
    resource.setrlimit(resource.RLIMIT_AS, (size + MEMORY,) * 2)
    signal.signal(signal.SIGALRM, _ring)
    for parameter, label in chosen:
        row = one_call(case, parameter, label, seconds, answer)
        text = "".join(c if c.isprintable() else "?" for c in row.text[:200])
        os.write(pipe, json.dumps(asdict(replace(row, text=text))).encode() + b"\n")


def _ring(*_: Any) -> None:
    raise TimeUp


def _quietly(case: Case, arguments: Mapping[str, Any]) -> tuple[Any, list[warnings.WarningMessage]]:
    """Return what the answer of a call holds, and the warnings of the call and of its summary."""
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        result = case.call(**arguments)
        if inspect.isgenerator(result):
            result = list(result)
        found = _content(result)
    return found, caught


def one_call(case: Case, parameter: str, label: str, seconds: int, answer: Any) -> Row:
    """Call a case with one hostile value and say what came of it; `answer` is what the ordinary arguments give."""
    arguments = case.base()
    ordinary = arguments[parameter]
    change = None if label in values.SCALARS else values.changes(ordinary).get(label)
    try:
        if isinstance(label, Generated):
            value = label.value
        else:
            value = values.SCALARS[label]() if change is None else change(ordinary)
    except (TypeError, ValueError, KeyError, IndexError, ArithmeticError, NotImplementedError):
        return Row(case.name, parameter, label, NAMED, "", "cannot be made of the ordinary argument")
    arguments[parameter] = value
    before = _content(value) if isinstance(value, pd.DataFrame | np.ndarray | pd.Series | dict) else None
    row = Row(case.name, parameter, label, RETURNED)
    signal.alarm(seconds)
    try:
        found, caught = _quietly(case, arguments)
    except SynthlabError as error:
        named = is_named(str(error), parameter, case, values.is_frames(ordinary))
        row = replace(
            row, outcome=NAMED if named else UNNAMED, what="" if named else type(error).__name__, text=str(error)
        )
        if named and len(str(error)) > LONGEST:
            row = replace(row, outcome=UNNAMED, what="a long message")
        return row
    except TimeUp:
        return replace(row, outcome=TIME)
    except BaseException as error:  # noqa: BLE001 - whatever it is, it is the answer
        return replace(row, outcome=FOREIGN, what=type(error).__name__, text=str(error))
    finally:
        signal.alarm(0)
    if before is not None and not same(before, _content(value)):
        return replace(row, what="its argument was changed")
    return replace(row, what=judge(case, parameter, label, ordinary, answer, found, caught))


def judge(
    case: Case,
    parameter: str,
    label: str,
    ordinary: Any,
    answer: Any,
    found: Any,
    caught: list[warnings.WarningMessage],
) -> str:
    """Say what is silently wrong with an answer, or nothing.

    Another form of the ordinary argument gives the same answer; a number is not undefined without a warning by name; what
    can be no number, no text or no truth value is not taken for one; hidden values are not used; no library underneath
    warns.
    """
    told = any(issubclass(w.category, SynthlabWarning) for w in caught)
    if label in values.SAME and not (answer is None or same(answer, found)):
        return "another answer"
    if label in MASKED:
        return "a mask is not looked at"
    if label in values.NO_NUMBERS and not _may_be(label, ordinary, case, parameter):
        return "taken for what it is not"
    if not told and answer is not None and _undefined(found) > _undefined(answer):
        return "undefined without a warning"
    foreign = [w for w in caught if not issubclass(w.category, SynthlabWarning | DeprecationWarning)]
    if foreign and not told:
        return f"{foreign[0].category.__name__} of a library"
    return ""


def _may_be(label: str, ordinary: Any, case: Case, parameter: str) -> bool:
    """Whether a value that is no number can be meant in the place of an ordinary one."""
    if isinstance(ordinary, bool):
        return label in ("True", "False", "numpy True")
    if isinstance(ordinary, int | float):
        return parameter in ("rng", "generate_rng") and label == "random generator"
    if isinstance(ordinary, str):
        return label in ("empty text", "text", "number as text", "odd text", "long text", "path")
    return True


def is_named(message: str, parameter: str, case: Case, frames: bool = False) -> bool:
    """Whether a message names its argument, as a word."""
    words = (parameter, *case.aliases.get(parameter, ()), *(("column", "dataset") if frames else ()))
    return any(re.search(rf"\b{re.escape(word)}\b", message) for word in words)


def _content(value: Any, depth: int = 0) -> Any:
    """Return what an answer holds: numbers, text, lists and mappings of them."""
    if depth > 6:
        return "deep"
    if isinstance(value, pd.Series | pd.Index):
        value = value.to_numpy(dtype=object, na_value=None) if isinstance(value, pd.Series) else value.to_numpy(object)
    if isinstance(value, pd.DataFrame):
        return {str(c): _content(value.iloc[:, i], depth + 1) for i, c in enumerate(value.columns)}
    if isinstance(value, np.ndarray):
        value = np.asarray(value)  # without its mask
        if value.dtype.kind in "biuf":
            return value.astype(float)
        return [_content(v, depth + 1) for v in value.ravel()[:500]]
    if isinstance(value, Mapping):
        return {str(k): _content(v, depth + 1) for k, v in value.items()}
    if isinstance(value, list | tuple):
        return [_content(v, depth + 1) for v in value]
    if isinstance(value, bool | int | float | np.number | np.bool_):
        return np.float64(value)
    if value is None or value is pd.NA or value is pd.NaT:
        return np.float64(np.nan)
    if hasattr(value, "frames"):
        return [_content(frame, depth + 1) for frame in value.frames]
    for name in ("summary", "to_frame"):
        if callable(getattr(value, name, None)) and not isinstance(value, type):
            return _content(getattr(value, name)(), depth + 1)
    if is_dataclass(value) and not isinstance(value, type):
        return {f.name: _content(getattr(value, f.name), depth + 1) for f in fields(value) if f.repr}
    return value if isinstance(value, str) else type(value).__name__


def same(one: Any, other: Any) -> bool:
    """Whether two contents say the same, up to rounding and to whether a number is in an array."""
    if isinstance(one, Mapping) and isinstance(other, Mapping):
        return set(one) == set(other) and all(same(v, other[k]) for k, v in one.items())
    if isinstance(one, str) or isinstance(other, str):
        return type(one) is type(other) and one == other
    if isinstance(one, Mapping) or isinstance(other, Mapping):
        return False
    first, second = (_list(v) for v in (one, other))
    if len(first) != len(second):
        return False
    for a, b in zip(first, second, strict=True):
        if isinstance(a, float) and isinstance(b, float):
            if not (a == b or (np.isnan(a) and np.isnan(b)) or abs(a - b) <= 1e-6 * max(abs(a), abs(b))):
                return False
        elif isinstance(a, float) or isinstance(b, float) or not same(a, b):
            return False
    return True


def _list(value: Any) -> list[Any]:
    if isinstance(value, np.ndarray):
        return [float(v) for v in value.ravel()]
    if isinstance(value, float):
        return [float(value)]
    return [float(v) if isinstance(v, float) else v for v in value]


def _undefined(content: Any) -> int:
    """Return how many numbers of an answer are undefined."""
    if isinstance(content, Mapping):
        return sum(map(_undefined, content.values()))
    if isinstance(content, list):
        return sum(map(_undefined, content))
    return 0 if isinstance(content, str) else int(np.isnan(content).sum())
