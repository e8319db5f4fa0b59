"""Looking for R: every way in which it can be missing has its own message."""

from __future__ import annotations

import os
import subprocess
import sys

import pytest

from synthlab.datasets.entries.consumers import CE_UPSTREAM
from synthlab.exceptions import RUnavailableError
from synthlab.r import session


@pytest.fixture(autouse=True)
def forget():
    session.probe.cache_clear()
    session._answer_of.cache_clear()
    session.installed.cache_clear()
    yield
    session.probe.cache_clear()
    session._answer_of.cache_clear()
    session.installed.cache_clear()


def answers(monkeypatch, **by_word):
    """Let every subprocess whose command holds a word answer (code, stdout, stderr); return the commands run."""
    commands = []

    def run(command, **_):
        commands.append(command)
        for word, (code, out, err) in by_word.items():
            if any(word in part for part in command):
                return subprocess.CompletedProcess(command, code, out, err)
        raise AssertionError(command)

    monkeypatch.setattr(session, "_run", run)
    monkeypatch.setattr(session.shutil, "which", lambda name: f"/usr/bin/{name}")
    return commands


def test_no_r(monkeypatch):
    monkeypatch.setenv("PATH", "/nowhere")
    status = session.probe()
    assert (status.r, status.usable) == (None, False)
    with pytest.raises(RUnavailableError, match="R is not on PATH; fix it with: sudo apt-get install r-base-dev"):
        session.require()


def test_broken_r(monkeypatch):
    answers(monkeypatch, version=(127, "", "libR.so: cannot open shared object file"))
    with pytest.raises(RUnavailableError, match="does not run: libR.so"):
        session.require()


def test_no_rpy2(monkeypatch):
    answers(monkeypatch, version=(0, "R version 4.2.2", ""), commandArgs=(0, "gamlss.dist\t6.1\t\n", ""))

    def absent(name):
        raise session.importlib.metadata.PackageNotFoundError(name)

    monkeypatch.setattr(session.importlib.metadata, "version", absent)
    assert (session.probe().r, session.probe().rpy2) == ("R version 4.2.2", None)
    with pytest.raises(RUnavailableError, match="rpy2 is not installed; fix it with: .*pip install rpy2==3.6.5"):
        session.require()


LOADS_NOT = {
    "robjects": (1, "", "Traceback\nImportError: undefined symbol: R_x"),
    "commandArgs": (0, "", ""),
    "version": (0, "R version 4.2.2", ""),
}


def test_a_library_that_does_not_load(monkeypatch):
    answers(monkeypatch, **LOADS_NOT)
    monkeypatch.setattr(session.importlib.metadata, "version", lambda name: "3.6.5")
    with pytest.raises(
        RUnavailableError, match=r"rpy2 3.6.5 cannot load R version 4.2.2: ImportError.*--force-reinstall"
    ):
        session.require()


@pytest.mark.skipif(session.probe().r is None, reason=session.probe().problem or "R is there")
def test_a_package_that_is_there_and_does_not_load(tmp_path, monkeypatch):
    package = tmp_path / "halfway"
    package.mkdir()
    (package / "DESCRIPTION").write_text("Package: halfway\nVersion: 1.0\nBuilt: R 4.2.2; ; 2026-01-01; unix\n")
    monkeypatch.setenv("R_LIBS", str(tmp_path))
    assert session.package_state("halfway") == "broken"
    assert session.package_state("nowhere") == "missing"
    before = session.installed()
    assert str(package / "DESCRIPTION") in before
    os.utime(package / "DESCRIPTION", (1e9, 1e9))  # built anew, the version the same
    session.installed.cache_clear()
    assert session.installed() != before
    said = session.package_problem("halfway", "broken")
    assert (
        said
        == 'the R package halfway is installed but does not load; reinstall it in R with: install.packages("halfway")'
    )


def test_the_package_in_no_registry_is_named_by_its_commit():
    said = session.package_problem("IdentificationRiskCalculation", "missing")
    at = f"{CE_UPSTREAM.repository}@{CE_UPSTREAM.commit}"
    assert said.endswith(f'install.packages("remotes"); remotes::install_github("{at}", force = TRUE)')


@pytest.mark.skipif(not session.probe().usable, reason=session.probe().problem or "R is there")
def test_missing_package():
    with pytest.raises(RUnavailableError, match="the R package no.such.package is not installed; install it in R"):
        session.require("no.such.package")


def test_importing_the_room_loads_no_r():
    code = "import sys, synthlab.r as r; r.probe(); print('rpy2' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout == "False\n"


# ---- R that starts with what a user, a shell or a folder hands it --------------------------------

needs_rpy2 = pytest.mark.skipif(not session.probe().usable, reason=session.probe().problem or "R is there")
START = """
import os, sys
from synthlab.r import probe, require
print("usable", probe().usable, "rpy2" in sys.modules)
require()
print("still alive", "R_PROFILE_USER" in os.environ)
"""


@pytest.mark.r
@needs_rpy2
def test_neither_the_profile_nor_the_workspace_of_a_user_ends_or_breaks_the_kernel(tmp_path):
    """Whichever of the lines is read, the R that reads it quits or stops."""
    home, here = tmp_path / "home", tmp_path / "here"
    for folder in (home, here):
        folder.mkdir()
    lines = ("if (interactive()) quit(status=0)", ".First <- function() quit(status=0)", 'stop("bad profile")')
    (home / ".Rprofile").write_text("\n".join(lines) + "\n")
    save = [session.probe().path, "--vanilla", "-s", "-e", ".First <- function() quit(status=0); save.image()"]
    subprocess.run(save, cwd=here, check=True)
    assert (here / ".RData").is_file()
    environment = {**os.environ, "HOME": str(home)}
    environment.pop("R_PROFILE_USER", None)
    done = subprocess.run(
        [sys.executable, "-c", START], capture_output=True, text=True, cwd=here, env=environment, check=False
    )
    assert done.stdout == "usable True False\nstill alive False\n", done.stderr


def test_an_rpy2_that_ends_without_an_answer_is_broken(monkeypatch):
    commands = answers(monkeypatch, **{**LOADS_NOT, "robjects": (0, "\n", "")})
    monkeypatch.setattr(session.importlib.metadata, "version", lambda name: "3.6.5")
    status = session.probe()
    assert not status.usable
    assert status.problem == "rpy2 3.6.5 cannot load R version 4.2.2: no answer, exit code 0"
    assert sum("robjects" in command[-1] for command in commands) == 1


def test_when_all_is_well_nothing_is_asked_twice(monkeypatch):
    loads = {"robjects": (0, "\nR version 4.2.2\n", ""), "commandArgs": (0, "MASS\t7.3\t\n", "")}
    commands = answers(monkeypatch, **LOADS_NOT | loads)
    monkeypatch.setattr(session.importlib.metadata, "version", lambda name: "3.6.5")
    assert session.probe().usable
    assert len(commands) == 2  # R and rpy2; no package before it is needed
    assert session.probe().has("MASS")
    assert (session.package_state("MASS"), session.probe().has("nnet")) == ("7.3", False)
    assert [command[-1] for command in commands[2:]] == ["MASS", "nnet"]


def test_an_rpy2_that_finds_another_r_is_no_bridge_to_this_one(monkeypatch):
    answers(monkeypatch, **{**LOADS_NOT, "robjects": (0, "\nR version 4.1.0\n", "")})
    monkeypatch.setattr(session.importlib.metadata, "version", lambda name: "3.6.5")
    assert session.probe().problem == "rpy2 3.6.5 cannot load R version 4.2.2: it finds R version 4.1.0"
    assert (session.probe().r, session.probe().rpy2) == ("R version 4.2.2", None)


@pytest.mark.parametrize(
    ("printed", "said"),
    [
        ("Error: bad profile\nExecution halted\nTraceback\nStopIteration\n", "Error: bad profile"),
        (
            "Error in file(con) :\n  cannot open file 'x'\nExecution halted\n",
            "Error in file(con) : cannot open file 'x'",
        ),
        ("Error in f(1) : out of ideas\nExecution halted\n", "Error in f(1) : out of ideas"),
        ("Traceback\nOSError: Error reading\n", "OSError: Error reading"),
        ("", "no answer, exit code 3"),
    ],
)
def test_what_r_said_is_quoted(printed, said):
    assert session.error_line(subprocess.CompletedProcess([], 3, "", printed)) == said
