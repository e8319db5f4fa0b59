"""Is R there, and can this Python talk to it? Asked once, in a subprocess, so that the kernel never dies."""

from __future__ import annotations

import importlib.metadata
import json
import shutil
import subprocess
import sys
from dataclasses import dataclass, field
from functools import lru_cache
from typing import Any

from synthlab.exceptions import RUnavailableError

PACKAGES = ("IdentificationRiskCalculation", "gamlss.dist")
RPY2 = "3.6.5"

_ASK_RPY2 = "import rpy2.robjects as r; print(r.r('R.version.string')[0])"
_ASK_PACKAGES = """
for (p in commandArgs(TRUE)) {
  v <- tryCatch(if (requireNamespace(p, quietly = TRUE)) as.character(packageVersion(p)) else "missing",
                error = function(e) "broken")
  cat(p, v, "\\n", sep = "\\t")
}
"""


@dataclass(frozen=True, slots=True)
class RStatus:
    """What of R this machine has.

    Attributes
    ----------
    r : str or None
        The version string of R, None where it is not on PATH or does not run.
    rpy2 : str or None
        The version of rpy2 that can talk to it.
    packages : dict
        Versions of the R packages synthlab compares itself with; "missing" or "broken" otherwise.
    problem, remedy : str
        What is wrong with R or rpy2, and the command that mends it; both empty when R can be used.
    """

    r: str | None
    rpy2: str | None
    packages: dict[str, str] = field(default_factory=dict)
    problem: str = ""
    remedy: str = ""

    @property
    def usable(self) -> bool:
        """Whether R can be called from this Python."""
        return not self.problem

    def has(self, package: str) -> bool:
        """Whether R can be called and has the package."""
        return self.usable and self.packages.get(package, "missing") not in ("missing", "broken")


@lru_cache(maxsize=1)
def probe() -> RStatus:
    """Look for R, rpy2 and the R packages, once a process, without loading any of them into it."""
    path = shutil.which("R")
    if path is None:
        return RStatus(None, None, problem="R is not on PATH", remedy="sudo apt-get install r-base-dev")
    answer = _run([path, "--vanilla", "-s", "-e", "cat(R.version.string)"])
    if answer.returncode or not answer.stdout.startswith("R version"):
        return RStatus(
            None, None, problem=f"R at {path} does not run: {_last_line(answer)}", remedy="reinstall R (r-base-dev)"
        )
    version = answer.stdout.strip()
    packages = _packages(path)
    mend = f"{sys.executable} -m pip install rpy2=={RPY2} rpy2-rinterface=={RPY2}"
    try:
        rpy2 = importlib.metadata.version("rpy2")
    except importlib.metadata.PackageNotFoundError:
        return RStatus(version, None, packages, problem="rpy2 is not installed", remedy=mend)
    answer = _run([sys.executable, "-c", _ASK_RPY2])
    if answer.returncode:
        problem = f"rpy2 {rpy2} cannot load {version}: {_last_line(answer)}"
        return RStatus(version, None, packages, problem=problem, remedy=f"{mend} --force-reinstall --no-cache-dir")
    return RStatus(version, rpy2, packages)


def require(package: str | None = None) -> Any:
    """Return ``rpy2.robjects``, with R started, or raise an error that says how to mend what is missing.

    Parameters
    ----------
    package : str, optional
        An R package that must be installed as well.

    Raises
    ------
    RUnavailableError
        R, rpy2 or the package is missing or broken.
    """
    status = probe()
    if not status.usable:
        raise RUnavailableError(f"{status.problem}; mend it with: {status.remedy}")
    if package is not None:
        state = status.packages.get(package) or _packages(shutil.which("R") or "R", (package,)).get(package, "missing")
        if state in ("missing", "broken"):
            raise RUnavailableError(
                f"the R package {package} is {'not installed' if state == 'missing' else 'installed but does not load'}; "
                f"{_how_to_install(package)}"
            )
    import rpy2.robjects

    return rpy2.robjects


def _how_to_install(package: str) -> str:
    if package == "IdentificationRiskCalculation":
        return "install it in R with: remotes::install_github('RyanHornby/IdentificationRiskCalculation')"
    return f"install it in R with: install.packages({json.dumps(package)})"


def _packages(path: str, names: tuple[str, ...] = PACKAGES) -> dict[str, str]:
    answer = _run([path, "--vanilla", "-s", "-e", _ASK_PACKAGES, "--args", *names])
    rows = [line.split("\t") for line in answer.stdout.splitlines() if "\t" in line]
    return {row[0]: row[1] for row in rows} or dict.fromkeys(names, "broken")


def _run(command: list[str]) -> subprocess.CompletedProcess[str]:
    try:
        return subprocess.run(command, capture_output=True, text=True, check=False, timeout=120)
    except (OSError, subprocess.TimeoutExpired) as error:
        return subprocess.CompletedProcess(command, 1, "", str(error))


def _last_line(answer: subprocess.CompletedProcess[str]) -> str:
    lines = [line for line in answer.stderr.splitlines() if line.strip()]
    return lines[-1].strip() if lines else f"exit code {answer.returncode}"
