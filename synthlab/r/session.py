"""Is R there, and can this Python talk to it? Asked once, in a subprocess, so that the kernel never dies."""

from __future__ import annotations

import importlib.metadata
import json
import os
import re
import shutil
import subprocess
import sys
from dataclasses import dataclass, field
from functools import cache, lru_cache
from importlib import import_module
from typing import Any

from synthlab.exceptions import RUnavailableError

PACKAGES = ("IdentificationRiskCalculation", "gamlss.dist", "MASS", "nnet", "synthpop")
RPY2 = "3.6.5"
# In no registry: named by the commit that the recorded answers are of.
IDENTIFICATION_RISK_CALCULATION = "RyanHornby/IdentificationRiskCalculation@9a7c72e43548d736d6ce9c1f3a3feb097bc1234a"
TIMEOUT = 120.0
NO_ANSWER = 124  # the exit code of a process that was not waited for any longer, as the command timeout has it
UNUSABLE = ("missing", "broken", "no answer")  # what an R package is in place of a version

# R starts without what a user has it do first, which may stop or quit it: as our scripts start it.
NO_PROFILE = {"R_PROFILE_USER": "", "R_ENVIRON_USER": ""}
OPTIONS = ("rpy2", "--quiet", "--no-save", "--no-restore", "--no-init-file")

_ASK_R = "cat(R.version.string)"
# Started as `_start` starts it.
_ASK_RPY2 = f"""
import os
os.environ.update({NO_PROFILE!r})
from rpy2.rinterface_lib import embedded
embedded.set_initoptions({OPTIONS!r})
import rpy2.robjects as r
print(r.r("R.version.string")[0])
"""
_ASK_INSTALLED = 'f <- Sys.glob(file.path(.libPaths(), "*", "DESCRIPTION")); cat(f, as.numeric(file.mtime(f)))'
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
    """The state of R on this machine.

    Attributes
    ----------
    r : str or None
        The version string of R, None where it is not on PATH or does not run.
    rpy2 : str or None
        The version of rpy2 that can talk to it.
    packages : dict
        Versions of the R packages that were looked for; otherwise "missing", "broken", or "no answer" where R took too long
        to load one.
    problem, remedy : str
        What is wrong with R or rpy2, and the command that mends it; both empty when R can be used.
    path : str
        Where R is.

    Examples
    --------
    >>> from synthlab.r import RStatus
    >>> RStatus("R version 4.4.3", "3.6.5", {"MASS": "7.3-65"}).has("MASS")
    True
    """

    r: str | None
    rpy2: str | None
    packages: dict[str, str] = field(default_factory=dict)
    problem: str = ""
    remedy: str = ""
    path: str = ""

    @property
    def usable(self) -> bool:
        """Return whether R can be called from this Python."""
        return not self.problem

    def has(self, package: str) -> bool:
        """Return whether R can be called from this Python and has the package; R is asked if it was not looked for."""
        return self.usable and (self.packages.get(package) or _asked(self.path, package)) not in UNUSABLE


@lru_cache(maxsize=1)
def probe() -> RStatus:
    """Look for R and rpy2, once a process, without loading them into it; R is asked about a package when it is needed.

    Examples
    --------
    >>> import synthlab.r
    >>> found = synthlab.r.probe()
    >>> found.usable or bool(found.remedy)
    True
    """
    return look()


def look(packages: tuple[str, ...] = ()) -> RStatus:
    """Look for R, rpy2 and the named R packages now."""
    path = shutil.which("R")
    if path is None:
        return RStatus(None, None, problem="R is not on PATH", remedy="sudo apt-get install r-base-dev")
    command = [path, "--vanilla", "-s", "-e", _ASK_R]
    answer = _run(command)
    version = _version(answer)
    if not version:
        problem = f"R at {path} does not run: {what_it_said(answer)}"
        return RStatus(None, None, problem=problem, remedy="sudo apt-get install --reinstall r-base-core", path=path)
    versions = _packages(path, packages) if packages else {}
    mend = f"{sys.executable} -m pip install rpy2=={RPY2} rpy2-rinterface=={RPY2}"
    try:
        rpy2 = importlib.metadata.version("rpy2")
    except importlib.metadata.PackageNotFoundError:
        return RStatus(version, None, versions, problem="rpy2 is not installed", remedy=mend, path=path)
    answer = _run([sys.executable, "-c", _ASK_RPY2])
    if _version(answer) != version:
        said = f"it finds {_version(answer)}" if _version(answer) else what_it_said(answer)
        problem, remedy = f"rpy2 {rpy2} cannot load {version}: {said}", f"{mend} --force-reinstall --no-cache-dir"
        return RStatus(version, None, versions, problem=problem, remedy=remedy, path=path)
    return RStatus(version, rpy2, versions, path=path)


def _version(answer: subprocess.CompletedProcess[str]) -> str:
    """Return the line "R version ..." out of what was printed; empty if R did not answer."""
    found = re.search(r"^R version .*", answer.stdout, re.MULTILINE)
    return found.group().strip() if found and not answer.returncode else ""


def require(package: str | None = None) -> Any:
    """Return ``rpy2.robjects``, with R started, or raise an error that says how to install what is missing.

    Parameters
    ----------
    package : str, optional
        An R package that must be installed as well.

    Raises
    ------
    RUnavailableError
        R, rpy2 or the package is missing or broken.

    Examples
    --------
    >>> import synthlab.r
    >>> if synthlab.r.probe().usable:
    ...     assert list(synthlab.r.require().r("1 + 1")) == [2.0]
    """
    status = probe()
    if not status.usable:
        raise RUnavailableError(f"{status.problem}; mend it with: {status.remedy}")
    if package is not None:
        state = package_state(package)
        if state in UNUSABLE:
            raise RUnavailableError(package_problem(package, state))
    return _start()


@cache
def functions_of(package: str) -> Any:
    """Return the functions of an R package, which `require` has found; rpy2 takes half a second to wrap them."""
    return import_module("rpy2.robjects.packages").importr(package)


def _start() -> Any:
    """Return ``rpy2.robjects``, with R started as the probe started it."""
    if "rpy2.robjects" in sys.modules:
        return import_module("rpy2.robjects")
    # rpy2 points LD_LIBRARY_PATH at R, and a Python started from here would load wrong libraries.
    before = {name: os.environ.get(name) for name in (*NO_PROFILE, "LD_LIBRARY_PATH")}
    os.environ.update(NO_PROFILE)  # rpy2 starts a second R, which takes no options
    try:
        from rpy2.rinterface_lib import embedded

        if not embedded.isinitialized():
            embedded.set_initoptions(OPTIONS)
        return import_module("rpy2.robjects")
    finally:
        for name, value in before.items():
            if value is None:
                os.environ.pop(name, None)
            else:
                os.environ[name] = value


def package_state(package: str) -> str:
    """Return the version of an R package, or why there is none: one of `UNUSABLE`."""
    status = probe()
    return "missing" if status.r is None else _asked(status.path, package)


@cache
def _asked(path: str, package: str) -> str:
    """Ask the R at a path for the state of one package; some take seconds to load."""
    return _packages(path, (package,))[package] if path else "missing"


@cache
def installed() -> str:
    """Return where R has its packages and when each was installed; a version does not tell from which commit one was built."""
    return _run([probe().path, "--vanilla", "-s", "-e", _ASK_INSTALLED]).stdout


def package_problem(package: str, state: str) -> str:
    """Say what is wrong with an R package, and the command that fixes it."""
    if state == "no answer":
        return (
            f"R did not say in time whether it can load its package {package}; try again when the machine is less busy"
        )
    found = "not installed" if state == "missing" else "installed but does not load"
    return f"the R package {package} is {found}; {'' if state == 'missing' else 're'}{how_to_install(package)}"


def how_to_install(package: str) -> str:
    """Return the R command that installs a package."""
    if package == "IdentificationRiskCalculation":
        source = json.dumps(IDENTIFICATION_RISK_CALCULATION)
        return f'install it in R with: install.packages("remotes"); remotes::install_github({source}, force = TRUE)'
    return f"install it in R with: install.packages({json.dumps(package)})"


def _packages(path: str, names: tuple[str, ...]) -> dict[str, str]:
    answer = _run([path, "--vanilla", "-s", "-e", _ASK_PACKAGES, "--args", *names])
    rows = [line.split("\t") for line in answer.stdout.splitlines() if "\t" in line]
    unsaid = "no answer" if answer.returncode == NO_ANSWER else "broken"
    return dict.fromkeys(names, unsaid) | {row[0]: row[1] for row in rows if row[0] in names}


def _run(command: list[str]) -> subprocess.CompletedProcess[str]:
    """Run a command; its output need not be UTF-8."""
    try:
        return subprocess.run(command, capture_output=True, text=True, errors="replace", check=False, timeout=TIMEOUT)
    except subprocess.TimeoutExpired as error:
        said = error.stdout or b""  # bytes, whatever was asked for
        printed = said.decode(errors="replace") if isinstance(said, bytes) else said
        return subprocess.CompletedProcess(command, NO_ANSWER, printed, f"no answer in {TIMEOUT:.0f} s")
    except OSError as error:
        return subprocess.CompletedProcess(command, 1, "", str(error))


def what_it_said(answer: subprocess.CompletedProcess[str]) -> str:
    """Return R's own line of an error, else the last line of a failed process, else how it ended."""
    lines = [line.strip() for line in answer.stderr.splitlines() if line.strip()]
    for number, line in enumerate(lines):
        if re.match(r"Error( in |:)", line):
            # "Error in f(x) :" has its reason on the next line.
            return " ".join(lines[number : number + 1 + line.endswith(":")])
    return lines[-1] if lines else f"no answer, exit code {answer.returncode}"
