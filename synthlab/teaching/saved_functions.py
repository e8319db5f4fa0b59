"""Functions of a student that passed their checks, saved in the file ``mine.py`` next to the notebooks."""

from __future__ import annotations

import ast
import builtins
import dis
import inspect
import os
import re
import textwrap
from collections.abc import Callable, Iterator
from pathlib import Path
from types import CodeType
from typing import Any

import numpy as np
import pandas as pd
from scipy import stats

from synthlab._system import atomic_write
from synthlab.exceptions import InputError

FILE = "mine.py"
SWITCH = "SYNTHLAB_MINE"  # "off": nothing is written or read
_HEADER = '''"""Functions that passed their checks. Change them in the lectures: a check replaces them here."""

import numpy as np
import pandas as pd
from scipy import stats
'''


class NotSavableError(Exception):
    """Reason why a function cannot be run without the cells of its lecture."""


def is_on() -> bool:
    """Return whether functions are written and read.

    >>> from synthlab.teaching.saved_functions import is_on
    >>> is_on() in (True, False)
    True
    """
    return os.environ.get(SWITCH, "on") != "off"


def source_of(function: Callable[..., Any]) -> str:
    """Return the source of a function, or raise `NotSavableError` if it is not a plain ``def``."""
    try:
        source = textwrap.dedent(inspect.getsource(function)).strip("\n") + "\n"
        (statement,) = ast.parse(source).body
    except (OSError, TypeError, SyntaxError, ValueError):
        statement = None
    if not isinstance(statement, ast.FunctionDef):
        raise NotSavableError("has no source that can be saved; define it with `def` in a cell")
    return source


def run_alone(source: str) -> Callable[..., Any]:
    """Define a function in a namespace that contains only `np`, `pd` and `stats`.

    Raises
    ------
    NotSavableError
        If the source does not define one function, or uses another name.
    """
    names: dict[str, Any] = {"np": np, "pd": pd, "stats": stats}
    try:
        (statement,) = ast.parse(source).body
        code = compile(source, FILE, "exec")
    except (SyntaxError, ValueError):
        raise NotSavableError("is not one definition of a function") from None
    if not isinstance(statement, ast.FunctionDef):
        raise NotSavableError("is not one definition of a function")
    defined = {*names, *dir(builtins), *_named(code, "STORE_NAME", "STORE_GLOBAL")}
    unknown = next((used for used in _named(code, "LOAD_NAME", "LOAD_GLOBAL") if used not in defined), None)
    if unknown is not None:
        raise NotSavableError(f"uses `{unknown}`, which is defined in another cell")
    try:
        exec(code, names)  # noqa: S102 - the student's own function
    except Exception as error:  # noqa: BLE001 - a default value or a decorator can raise anything
        raise NotSavableError(f"raises {type(error).__name__} when it is defined") from None
    function: Callable[..., Any] = names[statement.name]
    return function


def save(name: str, source: str) -> str:
    """Write the block of an exercise into ``mine.py`` in the current folder, and state the result in a sentence.

    Other blocks of the file are kept, and the file is replaced atomically.
    """
    path = Path.cwd() / FILE
    try:
        text = path.read_text(encoding="utf-8") if path.exists() else _HEADER
    except (OSError, UnicodeDecodeError):
        return f"Not saved: {FILE} cannot be read."
    block = f"# --- {name} ---\n{source}# --- end of {name} ---\n"
    kept = _pattern(name).sub(lambda _: block, text, count=1)
    if kept == text and block not in text:
        kept = f"{text.rstrip()}\n\n\n{block}"
    try:
        atomic_write.write_text(path, kept)
    except InputError:
        return f"Not saved: the folder of the notebook is read-only, so {FILE} cannot be written."
    return f"Saved in {FILE}."


def saved_source(name: str) -> str | None:
    """Return the block of an exercise in ``mine.py`` in the current folder, or None."""
    try:
        text = (Path.cwd() / FILE).read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError):
        return None
    found = _pattern(name).search(text)
    return None if found is None else found[1]


def download_link() -> str:
    """Return a link to ``mine.py`` on Binder, where files disappear with the session; otherwise ""."""
    if "BINDER_SERVICE_HOST" not in os.environ:
        return ""
    return f' <a href="{FILE}" download="{FILE}">Download {FILE}</a>: files on Binder disappear with the session.'


def _pattern(name: str) -> re.Pattern[str]:
    title = re.escape(name)
    return re.compile(rf"^# --- {title} ---\n(.*?)^# --- end of {title} ---\n?", re.MULTILINE | re.DOTALL)


def _named(code: CodeType, *operations: str) -> Iterator[str]:
    """Yield the names on which code performs the operations, also in functions inside it."""
    yield from (str(step.argval) for step in dis.get_instructions(code) if step.opname in operations)
    for constant in code.co_consts:
        if isinstance(constant, CodeType):
            yield from _named(constant, *operations)
