"""Libraries that only a part of the package needs, by the extras of pyproject.toml that install them."""

from __future__ import annotations

from importlib import import_module, metadata
from typing import Any

from synthlab.exceptions import ExtraUnavailableError


def load(extra: str, name: str, what: str) -> Any:
    """Return a library of an extra, or raise saying what needs it and how to install what is missing."""
    try:
        return import_module(name)
    except ImportError:
        raise ExtraUnavailableError(f"{what} needs {name}, which is not installed: {how_to_install(extra)}") from None


def requirements(extra: str) -> list[tuple[str, str]]:
    """Return (name, allowed versions) of what the package declares, for itself ("") or for one of its extras."""
    from packaging.requirements import Requirement

    declared = [Requirement(line) for line in metadata.requires("synthlab") or []]
    chosen = [r for r in declared if r.marker is None or r.marker.evaluate({"extra": extra})]
    if extra:
        chosen = [r for r in chosen if r.marker is not None and not r.marker.evaluate({"extra": ""})]
    return [(r.name, str(r.specifier)) for r in chosen if r.name != "synthlab"]


def how_to_install(extra: str) -> str:
    """Return the command that installs what is missing of an extra, by the libraries' own names."""
    # The project need not be on an index under its name.
    needed = requirements(extra)
    missing = [one for one in needed if version(one[0]) is None] or needed
    return "python -m pip install " + " ".join(f"'{name}{allowed}'" for name, allowed in missing)


def version(name: str) -> str | None:
    """Return the version of an installed library."""
    try:
        return metadata.version(name)
    except metadata.PackageNotFoundError:
        return None
