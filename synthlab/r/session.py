"""Is R there, and can this Python talk to it? Asked once, in a subprocess, so that the kernel never dies."""

from __future__ import annotations

import importlib.metadata
import json
import re
import shutil
import subprocess
import sys
from dataclasses import dataclass, field
from functools import cache, lru_cache
from typing import Any

from synthlab.exceptions import RUnavailableError

PACKAGES = ("IdentificationRiskCalculation", "gamlss.dist", "MASS", "nnet")
RPY2 = "3.6.5"
# In no registry: named by the commit that the recorded answers are of.
IDENTIFICATION_RISK_CALCULATION = "RyanHornby/IdentificationRiskCalculation@9a7c72e43548d736d6ce9c1f3a3feb097bc1234a"
# rpy2-rinterface after 3.6.5 is written for this R.
NEWER_NEEDS_R = (4, 5)
TIMEOUT = 120.0

_ASK_RPY2 = "import rpy2.robjects as r; print(r.r('R.version.string')[0])"
# Names come as arguments: no R code is put together from them.
_ASK_PACKAGES = """
for (p in commandArgs(TRUE)) {
  v <- if (!nzchar(system.file(package = p))) "missing" else
    tryCatch({ loadNamespace(p); as.character(packageVersion(p)) }, error = function(e) "broken")
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
    path : str
        Where R is.
    """

    r: str | None
    rpy2: str | None
    packages: dict[str, str] = field(default_factory=dict)
    problem: str = ""
    remedy: str = ""
    path: str = ""

    @property
    def usable(self) -> bool:
        """Whether R can be called from this Python."""
        return not self.problem

    def has(self, package: str) -> bool:
        """Whether R can be called from this Python and has the package."""
        return self.usable and self.packages.get(package, "missing") not in ("missing", "broken")


@lru_cache(maxsize=1)
def probe() -> RStatus:
    """Look for R, rpy2 and the R packages, once a process, without loading any of them into it."""
    return look()


def look() -> RStatus:
    """Look for R, rpy2 and the R packages now."""
    path = shutil.which("R")
    if path is None:
        return RStatus(None, None, problem="R is not on PATH", remedy="sudo apt-get install r-base-dev")
    answer = _run([path, "--vanilla", "-s", "-e", "cat(R.version.string)"])
    if answer.returncode or not answer.stdout.startswith("R version"):
        problem = f"R at {path} does not run: {_last_line(answer)}"
        return RStatus(None, None, problem=problem, remedy="sudo apt-get install --reinstall r-base-core", path=path)
    version = answer.stdout.strip()
    packages = _packages(path)
    mend = f"{sys.executable} -m pip install rpy2=={RPY2} rpy2-rinterface=={RPY2}"
    try:
        rpy2 = importlib.metadata.version("rpy2")
    except importlib.metadata.PackageNotFoundError:
        return RStatus(version, None, packages, problem="rpy2 is not installed", remedy=mend, path=path)
    answer = _run([sys.executable, "-c", _ASK_RPY2])
    if answer.returncode:
        problem, remedy = _why_rpy2_fails(rpy2, version, _last_line(answer), mend)
        return RStatus(version, None, packages, problem=problem, remedy=remedy, path=path)
    return RStatus(version, rpy2, packages, path=path)


def _why_rpy2_fails(rpy2: str, version: str, said: str, mend: str) -> tuple[str, str]:
    """Return the problem and its remedy: an R too old for this rpy2, or a library that does not load."""
    try:
        interface = importlib.metadata.version("rpy2-rinterface")
    except importlib.metadata.PackageNotFoundError:
        return f"rpy2 {rpy2} is installed without rpy2-rinterface", mend
    if _numbers(interface) > _numbers(RPY2) and _numbers(version.removeprefix("R version ")) < NEWER_NEEDS_R:
        needed = ".".join(map(str, NEWER_NEEDS_R))
        return f"{version} is too old for rpy2-rinterface {interface}, which needs R {needed} or later ({said})", mend
    return f"rpy2 {rpy2} cannot load {version}: {said}", f"{mend} --force-reinstall --no-cache-dir"


def _numbers(version: str) -> tuple[int, ...]:
    """Return 4, 2, 2 of "4.2.2 Patched (2022-11-10)"."""
    found = re.match(r"[\d.]*\d", version)
    return tuple(int(part) for part in found.group().split(".")) if found else ()


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
        state = package_state(package)
        if state in ("missing", "broken"):
            raise RUnavailableError(package_problem(package, state))
    import rpy2.robjects

    return rpy2.robjects


@cache
def package_state(package: str) -> str:
    """Return the version of an R package, "missing" or "broken"."""
    status = probe()
    if status.r is None:
        return "missing"
    return status.packages.get(package) or _packages(status.path, (package,))[package]


def package_problem(package: str, state: str) -> str:
    """Say what is wrong with an R package, and the command that mends it."""
    found = "not installed" if state == "missing" else "installed but does not load"
    return f"the R package {package} is {found}; {'' if state == 'missing' else 're'}{how_to_install(package)}"


def how_to_install(package: str) -> str:
    """Return the R command that installs a package."""
    if package == "IdentificationRiskCalculation":
        source = json.dumps(IDENTIFICATION_RISK_CALCULATION)
        return f'install it in R with: install.packages("remotes"); remotes::install_github({source}, force = TRUE)'
    return f"install it in R with: install.packages({json.dumps(package)})"


def _packages(path: str, names: tuple[str, ...] = PACKAGES) -> dict[str, str]:
    answer = _run([path, "--vanilla", "-s", "-e", _ASK_PACKAGES, "--args", *names])
    rows = [line.split("\t") for line in answer.stdout.splitlines() if "\t" in line]
    return dict.fromkeys(names, "broken") | {row[0]: row[1] for row in rows if row[0] in names}


def _run(command: list[str]) -> subprocess.CompletedProcess[str]:
    try:
        return subprocess.run(command, capture_output=True, text=True, check=False, timeout=TIMEOUT)
    except subprocess.TimeoutExpired:
        return subprocess.CompletedProcess(command, 1, "", f"no answer in {TIMEOUT:.0f} s")
    except OSError as error:
        return subprocess.CompletedProcess(command, 1, "", str(error))


def _last_line(answer: subprocess.CompletedProcess[str]) -> str:
    lines = [line for line in answer.stderr.splitlines() if line.strip()]
    return lines[-1].strip() if lines else f"exit code {answer.returncode}"
