"""Detection and start of R; detection runs in a subprocess to protect the kernel."""

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

# Packages with which the results are compared.
PACKAGES = (
    "IdentificationRiskCalculation",
    "gamlss.dist",
    "MASS",
    "nnet",
    "survey",
    "synthpop",
    "sdcMicro",
    "NPBayesImputeCat",
    "NestedCategBayesImpute",
)
RPY2 = "3.6.5"
# Not on CRAN: pinned to the commit that produced the recorded answers.
IDENTIFICATION_RISK_CALCULATION = "RyanHornby/IdentificationRiskCalculation@9a7c72e43548d736d6ce9c1f3a3feb097bc1234a"
TIMEOUT = 120.0
NO_ANSWER = 124  # exit code of a process that timed out, as in the command timeout
UNUSABLE = ("missing", "broken", "no answer")  # states of an R package without a usable version

# R starts without the user's profile, which could stop or quit it.
NO_PROFILE = {"R_PROFILE_USER": "", "R_ENVIRON_USER": ""}
OPTIONS = ("rpy2", "--quiet", "--no-save", "--no-restore", "--no-init-file")

_ASK_R = "cat(R.version.string)"
# R must be started in the same way as by `_start`.
_ASK_RPY2 = f"""
import os
os.environ.update({NO_PROFILE!r})
from rpy2.rinterface_lib import embedded
embedded.set_initoptions({OPTIONS!r})
import rpy2.robjects as r
print(r.r("R.version.string")[0])
"""
_ASK_INSTALLED = 'f <- Sys.glob(file.path(.libPaths(), "*", "DESCRIPTION")); cat(f, as.numeric(file.mtime(f)))'
# Names are passed as arguments, so that no R code is built from them.
_ASK_PACKAGES = """
for (p in commandArgs(TRUE)) {
  v <- if (!nzchar(system.file(package = p))) "missing" else
    tryCatch({ loadNamespace(p); as.character(packageVersion(p)) }, error = function(e) "broken")
  cat(p, v, "\\n", sep = "\\t")
}
"""


@dataclass(frozen=True, slots=True)
class RStatus:
    """State of R on this machine.

    Attributes
    ----------
    r : str or None
        Version string of R; None if R is not on PATH or does not run.
    rpy2 : str or None
        Version of rpy2, if it works with this R.
    packages : dict
        Versions of the R packages that were checked, or "missing", "broken", or "no answer" if R took too long to load the
        package.
    problem, remedy : str
        Problem with R or rpy2, and the command that fixes it; both empty if R can be used.
    path : str
        Path of R.

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
        """Return whether R is usable and has the package; ask R if it was not checked."""
        return self.usable and (self.packages.get(package) or _answer_of(self.path, package)) not in UNUSABLE


@lru_cache(maxsize=1)
def probe() -> RStatus:
    """Detect R and rpy2 without loading them into this process.

    Detection runs once per process. Packages are checked when they are needed.

    Examples
    --------
    >>> import synthlab.r
    >>> found = synthlab.r.probe()
    >>> found.usable or bool(found.remedy)
    True
    """
    return find_r()


def find_r(packages: tuple[str, ...] = ()) -> RStatus:
    """Detect R, rpy2 and the named R packages, without using earlier results."""
    path = shutil.which("R")
    if path is None:
        return RStatus(None, None, problem="R is not on PATH", remedy="sudo apt-get install r-base-dev")
    command = [path, "--vanilla", "-s", "-e", _ASK_R]
    answer = _run(command)
    version = _version(answer)
    if not version:
        problem = f"R at {path} does not run: {error_line(answer)}"
        return RStatus(None, None, problem=problem, remedy="sudo apt-get install --reinstall r-base-core", path=path)
    versions = _packages(path, packages) if packages else {}
    mend = f"{sys.executable} -m pip install rpy2=={RPY2} rpy2-rinterface=={RPY2}"
    try:
        rpy2 = importlib.metadata.version("rpy2")
    except importlib.metadata.PackageNotFoundError:
        return RStatus(version, None, versions, problem="rpy2 is not installed", remedy=mend, path=path)
    answer = _run([sys.executable, "-c", _ASK_RPY2])
    if _version(answer) != version:
        said = f"it finds {_version(answer)}" if _version(answer) else error_line(answer)
        problem, remedy = f"rpy2 {rpy2} cannot load {version}: {said}", f"{mend} --force-reinstall --no-cache-dir"
        return RStatus(version, None, versions, problem=problem, remedy=remedy, path=path)
    return RStatus(version, rpy2, versions, path=path)


def _version(answer: subprocess.CompletedProcess[str]) -> str:
    """Return the line "R version ..." of the output; empty if R did not answer."""
    found = re.search(r"^R version .*", answer.stdout, re.MULTILINE)
    return found.group().strip() if found and not answer.returncode else ""


def require(package: str | None = None) -> Any:
    """Return ``rpy2.robjects`` with R started, or raise if something is missing.

    Parameters
    ----------
    package : str, optional
        R package that must also be installed.

    Raises
    ------
    RUnavailableError
        If R, rpy2 or the package is missing or broken; the message contains the command that fixes it.

    Examples
    --------
    >>> import synthlab.r
    >>> if synthlab.r.probe().usable:
    ...     assert list(synthlab.r.require().r("1 + 1")) == [2.0]
    """
    status = probe()
    if not status.usable:
        raise RUnavailableError(f"{status.problem}; fix it with: {status.remedy}")
    if package is not None:
        state = package_state(package)
        if state in UNUSABLE:
            raise RUnavailableError(package_problem(package, state))
    return _start()


@cache
def functions_of(package: str) -> Any:
    """Return the functions of an R package that `require` found (cached)."""
    return import_module("rpy2.robjects.packages").importr(package)


def _start() -> Any:
    """Return ``rpy2.robjects``, with R started in the same way as by the probe."""
    if "rpy2.robjects" in sys.modules:
        return import_module("rpy2.robjects")
    # rpy2 sets LD_LIBRARY_PATH to R, so that a Python subprocess would load wrong libraries.
    before = {name: os.environ.get(name) for name in (*NO_PROFILE, "LD_LIBRARY_PATH")}
    os.environ.update(NO_PROFILE)  # rpy2 starts a second R, which accepts no options
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
    """Return the version of an R package, or its state in `UNUSABLE`."""
    status = probe()
    return "missing" if status.r is None else _answer_of(status.path, package)


@cache
def _answer_of(path: str, package: str) -> str:
    """Ask the R at a path for the state of one package (cached)."""
    return _packages(path, (package,))[package] if path else "missing"


@cache
def installed() -> str:
    """Return the paths and installation times of all R packages.

    A version alone does not identify the commit from which a package was built.
    """
    return _run([probe().path, "--vanilla", "-s", "-e", _ASK_INSTALLED]).stdout


def package_problem(package: str, state: str) -> str:
    """Return the problem of an R package, with the command that fixes it."""
    if state == "no answer":
        return f"R did not load the package {package} in time; try again when the machine is less busy"
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
    """Run a command; its output can be in any encoding."""
    try:
        return subprocess.run(command, capture_output=True, text=True, errors="replace", check=False, timeout=TIMEOUT)
    except subprocess.TimeoutExpired as error:
        said = error.stdout or b""  # always bytes after a timeout
        printed = said.decode(errors="replace") if isinstance(said, bytes) else said
        return subprocess.CompletedProcess(command, NO_ANSWER, printed, f"no answer in {TIMEOUT:.0f} s")
    except OSError as error:
        return subprocess.CompletedProcess(command, 1, "", str(error))


def error_line(answer: subprocess.CompletedProcess[str]) -> str:
    """Return the error line of R, the last line of output, or the exit code."""
    lines = [line.strip() for line in answer.stderr.splitlines() if line.strip()]
    for number, line in enumerate(lines):
        if re.match(r"Error( in |:)", line):
            # After "Error in f(x) :", the reason is on the next line.
            return " ".join(lines[number : number + 1 + line.endswith(":")])
    return lines[-1] if lines else f"no answer, exit code {answer.returncode}"
