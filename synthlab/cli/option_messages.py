"""Translation of library messages to the options and TOML keys of a command."""

from __future__ import annotations

import ast
import json
import re
import shlex
import tomllib
from collections.abc import Iterable, Mapping
from typing import Any

BRACKETS = {"{": "}", "[": "]", "(": ")"}
QUOTES = "'\""


def in_options(message: str, options: Mapping[str, str], keys: Iterable[str] = ()) -> str:
    """Replace the arguments in a message by the options of a command or the keys of its TOML file.

    Values are written so that they can be pasted into a shell or into a TOML file.

    Parameters
    ----------
    message : str
        The message of the library.
    options : mapping
        Options by argument, such as ``{"known": "--known"}``. Arguments that are neither an option nor a key stay
        unchanged.
    keys : iterable of str, optional
        Arguments that are keys of the TOML file.

    Examples
    --------
    >>> from synthlab.cli.option_messages import in_options
    >>> in_options('missing="category" takes all; radius=-1.0: must be >= 0', {"radius": "--radius", "missing": "--missing"})
    '--missing category takes all; --radius -1.0: must be >= 0'
    >>> in_options("set radius={'monthly income': 0.1}", {"radius": "--radius"})
    "set --radius 'monthly income=0.1'"
    >>> in_options("give it a model: models={'person id': 'tree'}", {}, ["models"])
    'give it a model: models = { "person id" = "tree" }'
    """
    names = [*options, *(key for key in keys if key not in options)]
    if not names:
        return message
    name = r"(?<![\w.'\"=-])(" + "|".join(sorted(map(re.escape, names), key=len, reverse=True)) + ")"
    written, place = "", 0
    for found in re.finditer(name + r"(?:\[['\"]([^'\"]*)['\"]\](?==|:)|(?==))=?", message):
        if found.start() < place:
            continue
        written, place = written + message[place : found.start()], found.end()
        argument, entry = found[1], found[2]
        if entry is not None:
            colon = "" if found[0].endswith("=") else message[place : place + 1]
            written += f"{options.get(argument, argument)} {entry}{'=' if not colon else ''}"
            continue
        value, end = _literal(message, place)
        if argument not in options:
            written += f"{argument}=" if end is None else _in_toml(argument, value, message[place:end])
        elif end is None:  # not a literal, such as a path
            written += f"{options[argument]} " if message[place : place + 1].strip() else found[0]
        else:
            written += _in_shell(options[argument], value)
        place = place if end is None else end
    return re.sub("^" + name + ":", lambda m: f"{options.get(m[1], m[1])}:", written + message[place:])


def name_keys(message: str, keys: Iterable[str]) -> str:
    """Add a note to a message if an argument in it is a key of the TOML file."""
    named = [key for key in keys if re.search(rf"(?<![\w.'\"-]){key}( ?=|:)", message)]
    return f"{message} ({named[0]} is a key of the TOML file of --config)" if named else message


def _literal(message: str, start: int) -> tuple[Any, int | None]:
    """Return the Python literal at a place of a message, and the place after it; None if there is no literal."""
    first = message[start : start + 1]
    if first in BRACKETS or (first and first in QUOTES):
        ends: Iterable[int] = (
            place + 1 for place in range(start + 1, len(message)) if message[place] == BRACKETS.get(first, first)
        )
    else:
        word = re.compile(r"(True|False|None)\b|-?\d+(\.\d+)?(e[-+]?\d+)?(?![\w.]*\w)").match(message, start)
        ends = [word.end()] if word else []
    for end in ends:
        try:
            return ast.literal_eval(message[start:end]), end
        except (ValueError, SyntaxError):
            continue
    return None, None


def _in_shell(option: str, value: Any) -> str:
    """Return an option with its value as typed in a shell."""
    if value is None or value is False:
        return f"no {option}"
    if value is True:
        return option
    if isinstance(value, Mapping):
        return " ".join(f"{option} {shlex.quote(f'{key}={_words(one)}')}" for key, one in value.items())
    return f"{option} {shlex.quote(_words(value))}"


def _words(value: Any) -> str:
    return ",".join(map(_words, value)) if isinstance(value, list | tuple) else "..." if value is ... else str(value)


def _in_toml(key: str, value: Any, written: str) -> str:
    """Return a key with its value; as written in Python if TOML reads the same."""
    try:
        same = tomllib.loads(f"key={written}") == {"key": value}
    except tomllib.TOMLDecodeError:
        same = False
    return f"{key}={written}" if same else f"no {key}" if value is None else f"{key} = {_toml(value)}"


def _toml(value: Any) -> str:
    """Return a value in the syntax of TOML."""
    if isinstance(value, Mapping):
        return "{ " + ", ".join(f"{_toml_key(str(key))} = {_toml(one)}" for key, one in value.items()) + " }"
    if isinstance(value, list | tuple):
        return "[" + ", ".join(map(_toml, value)) + "]"
    if value is ...:
        return "..."
    return json.dumps(value, ensure_ascii=False) if isinstance(value, str | bool) else repr(value)


def _toml_key(key: str) -> str:
    return key if re.fullmatch(r"[A-Za-z0-9_-]+", key) else json.dumps(key, ensure_ascii=False)
