"""What is installed on this machine, what is missing, and what that costs.

Nothing is repaired and nothing heavy is imported: packages are looked up by their metadata, R and
the bridge to it are asked in processes of their own.
"""

from __future__ import annotations

import platform
import shutil
import subprocess
import sys
from dataclasses import dataclass
from importlib import metadata
from typing import Literal

import pandas as pd

State = Literal["ok", "missing", "other version", "broken"]

TIMEOUT = 60.0
EXTRAS = {
    "course": "no lectures in JupyterLab",
    "dev": "no tests, type checks and builds; needed by developers alone",
}
R_PACKAGES = {
    "IdentificationRiskCalculation": (
        "matching risks are compared with the recorded answers of R alone",
        "Rscript -e 'remotes::install_github(\"RyanHornby/IdentificationRiskCalculation\")'",
    ),
    "gamlss.dist": (
        "count distributions are compared with the recorded answers of R alone",
        "Rscript -e 'install.packages(\"gamlss.dist\")'",
    ),
}
# Names come as arguments: no R code is put together from them.
ASK_R = (
    "cat(R.version$major, '.', R.version$minor, '\\n', sep = '');"
    "for (p in commandArgs(TRUE)) cat(p,"
    " tryCatch(as.character(utils::packageVersion(p)), error = function(e) '-'), '\\n')"
)


@dataclass(frozen=True, slots=True)
class Check:
    """One thing looked for.

    Attributes
    ----------
    name : str
        What was looked for.
    state : {"ok", "missing", "other version", "broken"}
        What was found out.
    found : str
        Version or place; empty if missing.
    cost : str
        What does not work without it; empty if all is well.
    mend : str
        The command that mends it; empty if all is well.
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
    return [Check("Python", "ok", platform.python_version(), required=True), *_packages(), *_extras(), *_r(), *_data()]


def to_frame(checks: list[Check]) -> pd.DataFrame:
    """Return one row per check."""
    return pd.DataFrame([{name: getattr(check, name) for name in Check.__slots__} for check in checks])


def _requirements(extra: str) -> list[tuple[str, str]]:
    """Return (name, allowed versions) of what the package declares, for itself or for one of its extras."""
    from packaging.requirements import Requirement

    declared = [Requirement(line) for line in metadata.requires("synthlab") or []]
    chosen = [r for r in declared if r.marker is None or r.marker.evaluate({"extra": extra})]
    if extra:
        chosen = [r for r in chosen if r.marker is not None and not r.marker.evaluate({"extra": ""})]
    return [(r.name, str(r.specifier)) for r in chosen]


def _version(name: str) -> str | None:
    try:
        return metadata.version(name)
    except metadata.PackageNotFoundError:
        return None


def _is_allowed(version: str, allowed: str) -> bool:
    from packaging.specifiers import SpecifierSet

    return SpecifierSet(allowed).contains(version, prereleases=True)


def _packages() -> list[Check]:
    """Look up what the package cannot work without."""
    checks = []
    for name, allowed in _requirements(""):
        version, mend = _version(name), f"python -m pip install '{name}{allowed}'"
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


def _extras() -> list[Check]:
    """Look up the optional groups of packages, one line a group."""
    checks = []
    for extra, cost in EXTRAS.items():
        names = [name for name, _ in _requirements(extra)]
        absent = [name for name in names if _version(name) is None]
        if absent:
            mend = f"python -m pip install 'synthlab[{extra}]'"
            checks.append(Check(f"extra {extra}", "missing", f"without {', '.join(absent)}", cost, mend))
        else:
            checks.append(Check(f"extra {extra}", "ok", f"{len(names)} packages"))
    return checks


def _r() -> list[Check]:
    """Ask R for its version and its packages, and a fresh Python whether the bridge starts."""
    where, cost = shutil.which("Rscript"), "R is not run: its recorded answers stand in for it"
    if where is None:
        return [Check("R", "missing", "", cost, "apt-get install r-base, or https://cran.r-project.org")]
    answer = _run([where, "-e", ASK_R, *R_PACKAGES])
    if isinstance(answer, str):
        return [Check("R", "broken", where, f"{cost} ({answer})", f"{where} --version")]
    version, *lines = answer.stdout.split("\n")
    found = dict(line.split(maxsplit=1) for line in lines if line.strip())
    checks = [Check("R", "ok", f"{version.strip()} at {where}")]
    for name, (package_cost, mend) in R_PACKAGES.items():
        text = found.get(name, "-").strip()
        checks.append(
            Check(f"R {name}", "missing", "", package_cost, mend) if text == "-" else Check(f"R {name}", "ok", text)
        )
    return [*checks, _bridge()]


def _bridge() -> Check:
    version, mend = _version("rpy2"), "python -m pip install 'synthlab[r]'"
    cost = "R cannot be called from Python: its recorded answers stand in for it"
    if version is None:
        return Check("rpy2", "missing", "", cost, mend)
    answer = _run([sys.executable, "-c", "import rpy2.robjects"])
    if isinstance(answer, str):
        return Check(
            "rpy2", "broken", version, f"{cost} ({answer})", f"{mend} --force-reinstall --no-binary rpy2-rinterface"
        )
    return Check("rpy2", "ok", version)


def _run(command: list[str]) -> subprocess.CompletedProcess[str] | str:
    """Run a command; return what it did, or in a few words why it failed."""
    try:
        done = subprocess.run(command, capture_output=True, text=True, timeout=TIMEOUT, check=False)
    except subprocess.TimeoutExpired:
        return f"no answer in {TIMEOUT:.0f} s"
    except OSError as error:
        return str(error.strerror or error)
    if done.returncode != 0:
        last = done.stderr.strip().splitlines()
        return last[-1] if last else f"exit code {done.returncode}"
    return done


def _data() -> list[Check]:
    """Say which real surveys are at hand, and where they are looked for."""
    from synthlab import datasets

    table = datasets.describe()
    checks = []
    for row in table[table["kind"] == "real"].itertuples(index=False):
        name = f"data {row.name}"
        if row.at_hand:
            checks.append(Check(name, "ok", f"{row.rows:,} records"))
        else:
            cost = "a simulated stand-in is loaded in its place"
            mend = f"synthlab data fetch {row.name}, or set SYNTHLAB_DATA_DIR to a folder that holds it"
            checks.append(Check(name, "missing", "", cost, mend))
    return checks
