"""Report what is installed on this machine, what is missing, and what that costs.

Nothing is repaired and nothing heavy is imported: packages are looked up by their metadata, R and
the bridge to it are asked in processes of their own.
"""

from __future__ import annotations

import platform
from dataclasses import dataclass
from typing import Literal

import pandas as pd

from synthlab import _extras
from synthlab.r.session import RStatus, how_to_install, look

State = Literal["ok", "missing", "other version", "broken"]

EXTRAS = {
    "bayes": "no posterior by Markov chains: regressions that need NUTS, diagnostics of chains",
    "linkage": "no record linkage (linkage_risk)",
    "scale": "no files larger than memory (synthlab.scale)",
    "files": "no datasets in R's own format",
    "course": "no lectures in JupyterLab",
    "dev": "no tests, type checks and builds; needed by developers alone",
}
R_PACKAGES = {
    "IdentificationRiskCalculation": "matching risks are compared with the recorded answers of R alone",
    "gamlss.dist": "count distributions are compared with the recorded answers of R alone",
    "MASS": "fitted models are compared with the recorded answers of R alone",
    "nnet": "fitted models are compared with the recorded answers of R alone",
    "synthpop": "disclosure and tables are compared with the recorded answers of R alone",
}


@dataclass(frozen=True, slots=True)
class Check:
    """One thing looked for.

    Attributes
    ----------
    name : str
        The thing looked for.
    state : {"ok", "missing", "other version", "broken"}
        The finding.
    found : str
        Version or place; empty if missing.
    cost : str
        The parts that do not work without it; empty if all is well.
    mend : str
        The command that fixes it; empty if all is well.
    required : bool
        Whether the package cannot do its main work without it.
    """

    name: str
    state: State
    found: str = ""
    cost: str = ""
    mend: str = ""
    required: bool = False


def examine() -> list[Check]:
    """Look for everything the package can use, and say what is missing and what that costs.

    Returns
    -------
    list of Check

    Examples
    --------
    >>> from synthlab.doctor import examine
    >>> examine()[0].name
    'Python'
    """
    return [
        Check("Python", "ok", platform.python_version(), required=True),
        *_packages(),
        *_optional(),
        *_r(),
        *_data(),
    ]


def to_frame(checks: list[Check]) -> pd.DataFrame:
    """Return one row per check."""
    return pd.DataFrame([{name: getattr(check, name) for name in Check.__slots__} for check in checks])


def _is_allowed(version: str, allowed: str) -> bool:
    from packaging.specifiers import SpecifierSet

    return SpecifierSet(allowed).contains(version, prereleases=True)


def _packages() -> list[Check]:
    """Look up what the package cannot work without."""
    checks = []
    for name, allowed in _extras.requirements(""):
        version, mend = _extras.version(name), f"python -m pip install '{name}{allowed}'"
        if version is None:
            checks.append(Check(name, "missing", "", "synthlab does not work", mend, required=True))
        elif not _is_allowed(version, allowed):
            checks.append(
                Check(
                    name,
                    "other version",
                    version,
                    f"it is not a version synthlab works with ({allowed})",
                    mend,
                    required=True,
                )
            )
        else:
            checks.append(Check(name, "ok", version, required=True))
    return checks


def _optional() -> list[Check]:
    """Look up the optional groups of packages, one line a group."""
    checks = []
    for extra, cost in EXTRAS.items():
        needed = _extras.requirements(extra)
        absent = [name for name, _ in needed if _extras.version(name) is None]
        if absent:
            found = f"without {', '.join(absent)}"
            checks.append(Check(f"extra {extra}", "missing", found, cost, _extras.how_to_install(extra)))
        else:
            checks.append(Check(f"extra {extra}", "ok", f"{len(needed)} packages"))
    return checks


def _r() -> list[Check]:
    """Ask R for its version and its packages, and a fresh Python whether the bridge starts."""
    status, cost = look(), "R is not run: its recorded answers are used instead"
    if status.r is None:
        state: State = "broken" if status.path else "missing"
        said = f"{cost} ({status.problem})" if status.path else cost
        return [Check("R", state, status.path, said, status.remedy)]
    checks = [Check("R", "ok", f"{status.r.removeprefix('R version ')} at {status.path}")]
    for name, package_cost in R_PACKAGES.items():
        found = status.packages[name]
        if found == "missing":
            checks.append(Check(f"R {name}", "missing", "", package_cost, how_to_install(name)))
        elif found == "broken":
            checks.append(Check(f"R {name}", "broken", "", package_cost, f"re{how_to_install(name)}"))
        else:
            checks.append(Check(f"R {name}", "ok", found))
    return [*checks, _bridge(status)]


def _bridge(status: RStatus) -> Check:
    cost = "R cannot be called from Python: its recorded answers are used instead"
    if status.usable:
        return Check("rpy2", "ok", str(status.rpy2))
    version = _extras.version("rpy2")
    if version is None:
        return Check("rpy2", "missing", "", cost, status.remedy)
    return Check("rpy2", "broken", version, f"{cost} ({status.problem})", status.remedy)


def _data() -> list[Check]:
    """Say which real surveys are at hand, and where they are looked for."""
    from synthlab import datasets

    table = datasets.describe()
    checks = []
    for row in table[table["version"] == "real"].itertuples(index=False):
        name = f"data {row.name}"
        if row.at_hand:
            checks.append(Check(name, "ok", f"{row.rows:,} records"))
        else:
            cost = "a simulated stand-in is loaded in its place"
            mend = f"synthlab data fetch {row.name}, or set SYNTHLAB_DATA_DIR to a folder that holds it"
            checks.append(Check(name, "missing", "", cost, mend))
    return checks
