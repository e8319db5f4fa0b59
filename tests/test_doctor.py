"""What is missing is found, and its cost is named."""

from __future__ import annotations

import stat
import sys
from importlib import metadata
from pathlib import Path

import pytest

import synthlab as sl
from synthlab import doctor
from synthlab.r import session

REQUIRED = {"numpy", "pandas", "statsmodels", "matplotlib", "typer"}


def by_name() -> dict[str, doctor.Check]:
    return {check.name: check for check in doctor.examine()}


@pytest.fixture
def without_r(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))


def fake_r(folder: Path, script: str, monkeypatch: pytest.MonkeyPatch) -> None:
    path = folder / "R"
    path.write_text(f"#!/bin/sh\n{script}\n")
    path.chmod(path.stat().st_mode | stat.S_IXUSR)
    monkeypatch.setenv("PATH", str(folder))


@pytest.mark.usefixtures("without_r")
def test_what_is_installed_is_found_with_its_version() -> None:
    found = by_name()
    for name in REQUIRED:
        assert found[name].state == "ok"
        assert found[name].found == metadata.version(name)
        assert found[name].required
    assert found["Python"].found == sys.version.split()[0]


@pytest.mark.usefixtures("without_r")
def test_a_missing_r_is_named_with_its_cost() -> None:
    found = by_name()
    assert found["R"].state == "missing"
    assert "recorded answers" in found["R"].cost
    assert "apt-get install r-base" in found["R"].mend
    assert not found["R"].required
    assert "rpy2" not in found


SPEAKS = """case "$*" in
  *commandArgs*) printf 'IdentificationRiskCalculation\\t1.0.0\\t\\nMASS\\tbroken\\t\\ngamlss.dist\\tmissing\\t\\n';;
  *) printf 'R version 4.9.1';;
esac"""


def test_r_is_asked_in_a_process_of_its_own(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    loaded = "rpy2.robjects" in sys.modules  # another test of this process may have started R
    fake_r(tmp_path, SPEAKS, monkeypatch)
    found = by_name()
    assert found["R"].found == f"4.9.1 at {tmp_path / 'R'}"
    assert found["R IdentificationRiskCalculation"].found == "1.0.0"
    assert found["R gamlss.dist"].state == "missing"
    assert found["R gamlss.dist"].mend == 'install it in R with: install.packages("gamlss.dist")'
    assert found["R MASS"].state == "broken"
    assert found["R MASS"].mend.startswith("reinstall it in R with")
    assert found["R nnet"].state == "broken"  # not a word about it
    assert ("rpy2.robjects" in sys.modules) == loaded


@pytest.mark.parametrize(
    ("script", "said"),
    [("echo no library >&2; exit 3", "no library"), ("exit 4", "exit code 4"), ("sleep 9", "no answer in")],
)
def test_an_r_that_does_not_work_is_called_broken(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, script: str, said: str
) -> None:
    fake_r(tmp_path, script.replace("sleep", "exec /bin/sleep"), monkeypatch)
    monkeypatch.setattr(session, "TIMEOUT", 1.0)
    found = by_name()
    assert found["R"].state == "broken"
    assert said in found["R"].cost
    assert found["R"].mend == "sudo apt-get install --reinstall r-base-core"


@pytest.mark.parametrize(
    "round_it",
    ["echo 'WARNING: ignoring environment value of R_HOME'; %s", "printf '\\377\\n'; %s", "printf '\\377' >&2; %s"],
    ids=["a warning", "bytes that are not UTF-8", "such an error"],
)
def test_an_r_that_says_more_than_its_version_works(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, round_it: str
) -> None:
    fake_r(tmp_path, round_it.replace("%s", SPEAKS), monkeypatch)
    found = by_name()
    assert found["R"].state == "ok"
    assert found["R"].found == f"4.9.1 at {tmp_path / 'R'}"
    assert found["R IdentificationRiskCalculation"].found == "1.0.0"


def test_a_broken_r_that_prints_no_utf8_is_called_broken(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    fake_r(tmp_path, "printf 'kein Zugriff: \\374\\n' >&2; exit 2", monkeypatch)
    found = by_name()["R"]
    assert found.state == "broken"
    assert "kein Zugriff" in found.cost


def test_an_r_that_the_library_path_breaks_is_mended_by_unsetting_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    fake_r(tmp_path, f'[ -z "$LD_LIBRARY_PATH" ] || {{ echo "file too short" >&2; exit 127; }}\n{SPEAKS}', monkeypatch)
    monkeypatch.setenv("LD_LIBRARY_PATH", "/nowhere")
    monkeypatch.delenv("R_HOME", raising=False)
    found = by_name()["R"]
    assert found.state == "broken"
    assert "with LD_LIBRARY_PATH=/nowhere: file too short" in found.cost
    assert found.mend == "unset LD_LIBRARY_PATH"


@pytest.mark.usefixtures("without_r")
def test_missing_and_other_versions_are_found(monkeypatch: pytest.MonkeyPatch) -> None:
    declared = ["numpy>=999", "no-such-package>=1", 'no-such-extra>=2; extra == "course"', 'pip; python_version < "3"']
    monkeypatch.setattr(metadata, "requires", lambda name: declared)
    found = by_name()
    assert found["numpy"].state == "other version"
    assert ">=999" in found["numpy"].cost
    assert found["no-such-package"].state == "missing"
    assert found["no-such-package"].mend == "python -m pip install 'no-such-package>=1'"
    assert found["extra course"].found == "without no-such-extra"
    assert found["extra course"].mend == "python -m pip install 'no-such-extra>=2'"
    assert found["extra dev"].state == "ok"
    assert "pip" not in found
    assert "no-such-extra" not in found


@pytest.mark.usefixtures("without_r")
def test_real_data_that_are_not_here_are_named(monkeypatch: pytest.MonkeyPatch) -> None:
    table = sl.datasets.describe()
    monkeypatch.setattr(sl.datasets, "describe", lambda: table.assign(at_hand=table["name"] != "acs"))
    found = by_name()
    assert found["data affairs"].state == "ok"
    assert found["data acs"].state == "missing"
    assert "simulated stand-in" in found["data acs"].cost
    assert "synthlab data fetch acs" in found["data acs"].mend
    assert "data ce2017" not in found  # there are no real ones


def test_the_bridge_is_found_missing_or_broken(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(doctor._extras, "version", lambda name: None)
    assert doctor._bridge(session.RStatus("R", None, problem="rpy2 is not installed", remedy="pip")).state == "missing"
    monkeypatch.setattr(doctor._extras, "version", lambda name: "3.6.5")
    broken = doctor._bridge(session.RStatus("R", None, problem="R_HOME is not set", remedy="pip"))
    assert (broken.state, broken.mend) == ("broken", "pip")
    assert "R_HOME is not set" in broken.cost
    assert doctor._bridge(session.RStatus("R", "3.6.5")).state == "ok"


def test_the_table_has_a_row_a_check() -> None:
    checks = [doctor.Check("a", "ok", "1"), doctor.Check("b", "missing", "", "c", "d")]
    assert doctor.to_frame(checks)["state"].tolist() == ["ok", "missing"]
