"""Translation of library messages to option names, such as ``--missing category``."""

from __future__ import annotations

import re
from collections.abc import Mapping

QUOTES = "'\""


def in_options(message: str, options: Mapping[str, str]) -> str:
    """Replace the arguments in a message by the options of a command.

    Parameters
    ----------
    message : str
        The message of the library.
    options : mapping
        Options by argument, such as ``{"known": "--known"}``. Arguments without an option stay unchanged.

    Examples
    --------
    >>> from synthlab.cli.option_messages import in_options
    >>> in_options('missing="category" takes all; radius=-1.0: must be >= 0', {"radius": "--radius", "missing": "--missing"})
    '--missing category takes all; --radius -1.0: must be >= 0'
    >>> in_options("set radius={'income': 0.1}", {"radius": "--radius"})
    'set --radius income=0.1'
    """
    if not options:
        return message
    name = r"(?<![\w.'\"=-])(" + "|".join(sorted(map(re.escape, options), key=len, reverse=True)) + ")"
    named = re.compile(name + r"\[['\"]([^'\"]*)['\"]\](=|(?=:))")
    value = re.compile(name + r"=(?:(True|None)\b|['\"](\w+)['\"]|(?=\S))")

    def said(found: re.Match[str]) -> str:
        option, truth, word = options[found[1]], found[2], found[3]
        return {"True": option, "None": f"no {option}"}.get(truth, f"{option} {word or ''}")

    entry = re.compile(name + r"=\{['\"]([^'\"]+)['\"]: ([^{}]+)\}")
    message = entry.sub(lambda m: f"{options[m[1]]} {m[2]}={m[3].strip(QUOTES)}", message)
    message = value.sub(said, named.sub(lambda m: f"{options[m[1]]} {m[2]}{m[3]}", message))
    return re.sub("^" + name + ":", lambda m: f"{options[m[1]]}:", message)
