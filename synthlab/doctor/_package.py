"""Python, the packages without which nothing works, and the extras."""

from __future__ import annotations

import platform

from synthlab import _about, _extras
from synthlab.doctor._check import Check

EXTRAS = {
    "bayes": "no posterior by Markov chains: regressions that need NUTS, diagnostics of chains",
    "linkage": "no record linkage (linkage_risk)",
    "scale": "no files larger than memory (synthlab.scale)",
    "dp": "no noise that is safe from the gaps of floating point (OpenDP, in synthlab.dp)",
    "files": "no files of Excel, Parquet, Stata, SPSS, SAS and R",
    "data": "no downloads of public survey data (synthlab data fetch)",
    "course": "no lectures in JupyterLab",
    "docs": "no documentation site (make site)",
    "dev": "no tests, type checks and builds; needed by developers alone",
}
PYTHON = ">=3.11"


def look_up() -> list[Check]:
    """Look up Python, the distribution and what the package cannot work without."""
    return [_python(), _distribution(), *_namesake(), *_required()]


def _is_allowed(version: str, allowed: str) -> bool:
    from packaging.specifiers import SpecifierSet

    return SpecifierSet(allowed).contains(version, prereleases=True)


def _python() -> Check:
    version = platform.python_version()
    if _is_allowed(version, PYTHON):
        return Check("Python", "ok", version, required=True)
    cost = f"it is not a version synthlab works with ({PYTHON})"
    return Check("Python", "other version", version, cost, "python3.11 -m venv .venv", required=True)


def _distribution() -> Check:
    name, version = _about.DISTRIBUTION, _extras.version(_about.DISTRIBUTION)
    if version is None:
        cost = "the package is used from a folder, without the command synthlab"
        return Check(name, "missing", str(_about.PACKAGE.parent), cost, "python -m pip install --editable .")
    return Check(name, "ok", version)


def _namesake() -> list[Check]:
    """Warn of another distribution that installs files into the same folder of imports."""
    other = _extras.version("synthlab")
    if other is None:
        return []
    cost = "it has files of the same names, and which of them Python takes depends on what was installed last"
    return [Check("distribution synthlab", "broken", other, cost, "python -m pip uninstall synthlab")]


def _required() -> list[Check]:
    """Look up what the package cannot work without."""
    checks = []
    for name, allowed in _extras.requirements(""):
        version, mend = _extras.version(name), f"python -m pip install '{name}{allowed}'"
        if version is None:
            checks.append(Check(name, "missing", "", "synthlab does not work", mend, required=True))
        elif not _is_allowed(version, allowed):
            cost = f"it is not a version synthlab works with ({allowed})"
            checks.append(Check(name, "other version", version, cost, mend, required=True))
        else:
            checks.append(Check(name, "ok", version, required=True))
    if not checks:
        cost, mend = (
            "neither the installed package nor a checkout says what it needs",
            "python -m pip install --editable .",
        )
        return [Check("requirements", "missing", "", cost, mend, required=True)]
    return checks


def extras() -> list[Check]:
    """Look up the optional groups of packages, one line a group."""
    checks = []
    for extra, cost in EXTRAS.items():
        needed = _extras.requirements(extra)
        absent = [name for name, _ in needed if _extras.version(name) is None]
        odd = [
            name
            for name, allowed in needed
            if name not in absent and not _is_allowed(str(_extras.version(name)), allowed)
        ]
        if absent:
            found = f"without {', '.join(absent)}"
            checks.append(Check(f"extra {extra}", "missing", found, cost, _extras.how_to_install(extra)))
        elif odd:
            found = ", ".join(f"{name} {_extras.version(name)}" for name in odd)
            mend = "python -m pip install " + " ".join(f"'{name}{allowed}'" for name, allowed in needed if name in odd)
            checks.append(Check(f"extra {extra}", "other version", found, cost, mend))
        else:
            checks.append(Check(f"extra {extra}", "ok", f"{len(needed)} package{'s' * (len(needed) != 1)}"))
    return checks
