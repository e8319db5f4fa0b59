"""One evaluation as a file: what `synthlab evaluate --config FILE` reads, and the intruders of `--intruders FILE`."""

from __future__ import annotations

import tomllib
from collections.abc import Collection, Mapping
from pathlib import Path
from typing import Any

from synthlab import _checks
from synthlab._typing import PathOrStr
from synthlab.exceptions import InputError
from synthlab.intruder import Intruder

PATHS = ("confidential", "synthetic", "control", "intruders", "report", "json", "overview", "dossier")


def read_config(path: PathOrStr, allowed: Collection[str]) -> dict[str, Any]:
    """Return the options a TOML file sets, by their names in Python; paths are beside the file.

    Parameters
    ----------
    path : path
        The file. Keys are the options without dashes in front, such as ``known = ["age"]``, ``radius = {income = 0.2}``,
        tables ``[limits]`` and ``[intruders.NAME]``.
    allowed : collection of str
        The options there are.

    Returns
    -------
    dict
        `intruders` is a path or a mapping {name: Intruder}, `radius` and `limit` are lists of NAME=NUMBER.

    Raises
    ------
    InputError
        If the file cannot be read, is not TOML, or has a key that is no option.
    """
    file = _checks.check_path(path, "config")
    found = {key.replace("-", "_"): value for key, value in read_toml(file, "config").items()}
    known = ["limits" if name == "limit" else name for name in allowed]
    if odd := [key for key in found if key not in known]:
        raise InputError(f"config={str(path)!r}: has no {_checks.named(odd)}; there are {', '.join(known)}")
    if "limits" in found:
        limits = _checks.check_mapping(found.pop("limits"), "limits", "{number: largest value}")
        found["limit"] = [f"{name}={value}" for name, value in limits.items()]
    if isinstance(found.get("radius"), Mapping):
        found["radius"] = [f"{name}={value}" for name, value in found["radius"].items()]
    if isinstance(found.get("intruders"), Mapping):
        found["intruders"] = intruders_of(found["intruders"], f"config={str(path)!r}")
    for key, value in found.items():
        if key in PATHS and isinstance(value, str | list):
            several = [_beside(file, one) for one in ([value] if isinstance(value, str) else value)]
            found[key] = several if key in LISTS or not isinstance(value, str) else several[0]
        elif isinstance(value, str | int | float) and not isinstance(value, bool) and key in LISTS:
            found[key] = [str(value)]
    return found


# Options that may be repeated; in the file one value needs no brackets.
LISTS = ("synthetic", "known", "synthesized", "radius", "variables", "categorical", "limit", "na", "text")


def read_intruders(path: PathOrStr) -> dict[str, Intruder]:
    """Read several intruders from a TOML file, a table ``[NAME]`` each, or the one it describes without tables.

    Parameters
    ----------
    path : path
        The file.

    Returns
    -------
    dict of {str: Intruder}

    Raises
    ------
    InputError
        If the file cannot be read, is not TOML, or says what an intruder does not.
    """
    file = _checks.check_path(path, "intruders")
    found = read_toml(file, "intruders")
    if not all(isinstance(value, Mapping) for value in found.values()):
        return {file.stem: Intruder.from_toml(file)}
    return intruders_of(found, f"intruders={str(path)!r}")


def intruders_of(tables: Mapping[str, Any], where: str) -> dict[str, Intruder]:
    """Return the intruders that tables describe."""
    if not tables:
        raise InputError(
            f"{where}: describes no intruder; write a table such as [neighbour] with known and synthesized"
        )
    return {name: Intruder.from_table(table, f"{where}, [{name}]") for name, table in tables.items()}


def read_toml(path: PathOrStr, name: str) -> dict[str, Any]:
    """Return what a TOML file holds, or raise; `name` is its name in messages."""
    file = _checks.check_path(path, name)
    try:
        return tomllib.loads(file.read_text(encoding="utf-8-sig"))
    except OSError as error:
        raise InputError(f"{name}={str(file)!r}: cannot be read: {error.strerror}") from None
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        where = str(error).rpartition("(")[2].rstrip(")") if isinstance(error, tomllib.TOMLDecodeError) else ""
        raise InputError(f"{name}={str(file)!r}: is not TOML in UTF-8{': ' + where if where else ''}") from None


def _beside(file: Path, value: object) -> Any:
    return str(file.parent / value) if isinstance(value, str) else value
