"""Looking for R: every way in which it can be missing has its own message."""

from __future__ import annotations

import subprocess
import sys

import pytest

from synthlab.datasets._registry import CE_UPSTREAM
from synthlab.exceptions import RUnavailableError
from synthlab.r import session


@pytest.fixture(autouse=True)
def forget():
    session.probe.cache_clear()
    session.package_state.cache_clear()
    yield
    session.probe.cache_clear()
    session.package_state.cache_clear()


def answers(monkeypatch, **by_word):
    """Let every subprocess whose command holds a word answer (code, stdout, stderr)."""

    def run(command):
        for word, (code, out, err) in by_word.items():
            if any(word in part for part in command):
                return subprocess.CompletedProcess(command, code, out, err)
        raise AssertionError(command)

    monkeypatch.setattr(session, "_run", run)
    monkeypatch.setattr(session.shutil, "which", lambda name: f"/usr/bin/{name}")


def test_no_r(monkeypatch):
    monkeypatch.setenv("PATH", "/nowhere")
    status = session.probe()
    assert (status.r, status.usable) == (None, False)
    with pytest.raises(RUnavailableError, match="R is not on PATH; mend it with: sudo apt-get install r-base-dev"):
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
    with pytest.raises(RUnavailableError, match="rpy2 is not installed; mend it with: .*pip install rpy2==3.6.5"):
        session.require()


LOADS_NOT = {
    "robjects": (1, "", "Traceback\nImportError: undefined symbol: R_x"),
    "commandArgs": (0, "", ""),
    "version": (0, "R version 4.2.2", ""),
}


def test_r_too_old_for_rpy2(monkeypatch):
    answers(monkeypatch, **LOADS_NOT)
    versions = {"rpy2": "3.6.7", "rpy2-rinterface": "3.6.7"}
    monkeypatch.setattr(session.importlib.metadata, "version", versions.__getitem__)
    with pytest.raises(
        RUnavailableError,
        match=r"R version 4.2.2 is too old for rpy2-rinterface 3.6.7, which needs R 4.5 or later \(ImportError.*"
        r"mend it with: .*pip install rpy2==3.6.5 rpy2-rinterface==3.6.5$",
    ):
        session.require()


def test_a_library_that_does_not_load(monkeypatch):
    answers(monkeypatch, **LOADS_NOT)
    monkeypatch.setattr(session.importlib.metadata, "version", lambda name: "3.6.5")
    with pytest.raises(
        RUnavailableError, match=r"rpy2 3.6.5 cannot load R version 4.2.2: ImportError.*--force-reinstall"
    ):
        session.require()


def test_half_of_rpy2(monkeypatch):
    answers(monkeypatch, **LOADS_NOT)

    def version(name):
        if name == "rpy2-rinterface":
            raise session.importlib.metadata.PackageNotFoundError(name)
        return "3.6.5"

    monkeypatch.setattr(session.importlib.metadata, "version", version)
    with pytest.raises(RUnavailableError, match="installed without rpy2-rinterface; mend it with"):
        session.require()


@pytest.mark.skipif(session.probe().r is None, reason=session.probe().problem or "R is there")
def test_a_package_that_is_there_and_does_not_load(tmp_path, monkeypatch):
    package = tmp_path / "halfway"
    package.mkdir()
    (package / "DESCRIPTION").write_text("Package: halfway\nVersion: 1.0\nBuilt: R 4.2.2; ; 2026-01-01; unix\n")
    monkeypatch.setenv("R_LIBS", str(tmp_path))
    assert session.package_state("halfway") == "broken"
    assert session.package_state("nowhere") == "missing"
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
