"""Report on installed versions, extras and R packages, with installation commands."""

from __future__ import annotations

import platform
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from typing import Any, Literal, TypeAlias

from synthlab._system import optional_dependencies, versions
from synthlab.r.session import PACKAGES, UNUSABLE, find_r, how_to_install

State: TypeAlias = Literal["ok", "missing", "other version", "broken"]
PYTHON = ">=3.11"
EXTRAS = ("plots", "report", "bayes", "linkage", "scale", "dp", "files", "data", "course", "homework")
R_PACKAGES = (*PACKAGES, "reticulate")


@dataclass(frozen=True, slots=True)
class Check:
    """Result of one check.

    Attributes
    ----------
    name : str
        The package, extra or program.
    state : {"ok", "missing", "other version", "broken"}
        The result of the check.
    found : str
        The installed version, or the reason why it cannot be used.
    install : str
        The command that installs the package; empty if the state is "ok".
    required : bool
        Whether synthlab requires the package.
    """

    name: str
    state: State
    found: str = ""
    install: str = ""
    required: bool = False


def examine() -> list[Check]:
    """Return the checks of Python, required packages, extras, R and its packages.

    Examples
    --------
    >>> from synthlab.doctor import examine
    >>> examine()[0].name
    'Python'
    """
    python = _versions("Python", [("Python", PYTHON)], "python3.11 -m venv .venv", required=True)
    packages = [
        _versions(name, [(name, allowed)], f"python -m pip install '{name}{allowed}'", required=True)
        for name, allowed in optional_dependencies.requirements("")
    ]
    extras = [
        _versions(
            f"extra {extra}", optional_dependencies.requirements(extra), optional_dependencies.how_to_install(extra)
        )
        for extra in EXTRAS
    ]
    return [python, *packages, *extras, *_r()]


def _versions(name: str, needed: Sequence[tuple[str, str]], install: str, *, required: bool = False) -> Check:
    """Compare installed versions with the allowed versions."""
    from packaging.specifiers import SpecifierSet

    found = {
        one: platform.python_version() if one == "Python" else optional_dependencies.version(one) for one, _ in needed
    }
    absent = [one for one, version in found.items() if version is None]
    if absent:
        return Check(name, "missing", "" if absent == [name] else f"without {', '.join(absent)}", install, required)
    other = [
        (one, allowed)
        for one, allowed in needed
        if not SpecifierSet(allowed).contains(str(found[one]), prereleases=True)
    ]
    if other:
        pip = "python -m pip install " + " ".join(f"'{one}{allowed}'" for one, allowed in other)
        said = ", ".join(f"{one} {found[one]}" for one, _ in other)
        return Check(name, "other version", said, install if required else pip, required)
    return Check(name, "ok", str(found[name]) if name in found else f"{len(found)} packages", "", required)


def _r() -> list[Check]:
    """Check R, its packages and rpy2."""
    status = find_r(R_PACKAGES)
    if status.r is None:
        return [Check("R", "broken" if status.path else "missing", status.problem, status.remedy)]
    checks = [Check("R", "ok", status.r.removeprefix("R version "))]
    for name in R_PACKAGES:
        version = status.packages[name]
        if version in UNUSABLE:
            state: State = "missing" if version == "missing" else "broken"
            checks.append(Check(f"R {name}", state, "" if state == "missing" else version, how_to_install(name)))
        else:
            checks.append(Check(f"R {name}", "ok", version))
    if status.usable:
        return [*checks, Check("rpy2", "ok", str(status.rpy2))]
    state = "missing" if optional_dependencies.version("rpy2") is None else "broken"
    return [*checks, Check("rpy2", state, status.problem, status.remedy)]


def is_working(checks: Sequence[Check]) -> bool:
    """Return whether every required check is "ok".

    Examples
    --------
    >>> from synthlab.doctor import Check, is_working
    >>> is_working([Check("numpy", "ok", required=True), Check("R", "missing")])
    True
    """
    return all(check.state == "ok" for check in checks if check.required)


def to_dict(checks: Sequence[Check], version: str) -> dict[str, Any]:
    """Return the versions of synthlab and all checks, ready for JSON.

    Examples
    --------
    >>> from synthlab.doctor import Check, to_dict
    >>> to_dict([Check("numpy", "missing", required=True)], "1.0")["works"]
    False
    """
    known, (digest, files) = versions.commit(), versions.data_version()
    return {
        "version": version,
        "distribution": versions.DISTRIBUTION,
        "commit": known.name,
        "commit_source": known.source,
        "commit_changed": known.changed,
        "data_sha256": digest,
        "data_files": files,
        "works": is_working(checks),
        "checks": [asdict(check) for check in checks],
    }
