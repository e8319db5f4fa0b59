"""Optional libraries, and the extras of pyproject.toml that install them."""

from __future__ import annotations

from importlib import import_module, metadata
from typing import Any

from synthlab._system.versions import DISTRIBUTION, PACKAGE
from synthlab.exceptions import ExtraUnavailableError


def load(extra: str, name: str, what: str) -> Any:
    """Return a library of an extra, or raise an error with the installation command."""
    try:
        return import_module(name)
    except ImportError:
        raise ExtraUnavailableError(
            f"{what} needs {name}, which is not installed; it is in the extra {DISTRIBUTION}[{extra}]: "
            f"{how_to_install(extra)}"
        ) from None


def declared() -> list[str]:
    """Return the requirements of the installed package or of a checkout."""
    try:
        return metadata.requires(DISTRIBUTION) or []
    except metadata.PackageNotFoundError:
        import tomllib

        path = PACKAGE.parent / "pyproject.toml"
        if not path.is_file():
            return []
        project = tomllib.loads(path.read_text(encoding="utf-8"))["project"]
        extras = project["optional-dependencies"].items()
        return [*project["dependencies"], *(f'{line}; extra == "{extra}"' for extra, lines in extras for line in lines)]


def requirements(extra: str) -> list[tuple[str, str]]:
    """Return (name, allowed versions) of the package ("") or of an extra."""
    from packaging.requirements import Requirement
    from packaging.utils import canonicalize_name

    lines = [Requirement(line) for line in declared()]
    chosen = [r for r in lines if r.marker is None or r.marker.evaluate({"extra": extra})]
    if extra:
        chosen = [r for r in chosen if r.marker is not None and not r.marker.evaluate({"extra": ""})]
    found: dict[str, str] = {}
    for one in chosen:
        if one.name == DISTRIBUTION:  # an extra that includes other extras
            found |= {name: allowed for inner in sorted(one.extras) for name, allowed in requirements(inner)}
        else:
            found[canonicalize_name(one.name)] = str(one.specifier)
    return list(found.items())


def how_to_install(extra: str) -> str:
    """Return the command that installs the missing libraries of an extra."""
    # Naming the libraries works for every source of the package: an index, a folder or a repository.
    needed = requirements(extra)
    missing = [one for one in needed if version(one[0]) is None] or needed
    if not missing:
        return f"python -m pip install '{DISTRIBUTION}[{extra}]'"
    return "python -m pip install " + " ".join(f"'{name}{allowed}'" for name, allowed in missing)


def version(name: str) -> str | None:
    """Return the version of a library, or None if it is not installed."""
    try:
        return metadata.version(name)
    except metadata.PackageNotFoundError:
        return None
