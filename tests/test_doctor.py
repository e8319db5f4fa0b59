"""`synthlab doctor` reports versions, and the command that installs what is missing."""

from __future__ import annotations

from typing import Any

import pytest

from synthlab import doctor
from synthlab._system import optional_dependencies
from synthlab.doctor import Check, examine, is_working
from synthlab.r.session import RStatus

DECLARED = {"": [("numpy", ">=1.26"), ("pandas", ">=2.2")], "bayes": [("pymc", ">=5.27"), ("nutpie", ">=0.15")]}


@pytest.fixture
def machine(monkeypatch: pytest.MonkeyPatch) -> dict[str, Any]:
    """Return a made-up machine: versions of packages and the state of R, both of which a test can change."""
    versions = {"numpy": "2.0", "pandas": "2.2", "pymc": "5.27", "nutpie": "0.15", "rpy2": "3.6.5"}
    packages = dict.fromkeys(doctor.R_PACKAGES, "1.0")
    found: dict[str, Any] = {"versions": versions, "r": RStatus("R version 4.4.3", "3.6.5", packages, path="/bin/R")}
    monkeypatch.setattr(doctor, "EXTRAS", ("bayes",))
    monkeypatch.setattr(optional_dependencies, "requirements", DECLARED.__getitem__)
    monkeypatch.setattr(optional_dependencies, "version", lambda name: found["versions"].get(name))
    monkeypatch.setattr(doctor, "find_r", lambda packages: found["r"])
    return found


def by_name() -> dict[str, Check]:
    return {check.name: check for check in examine()}


def test_all_is_in_order(machine: dict[str, Any]) -> None:
    checks = examine()
    assert {check.state for check in checks} == {"ok"}
    assert not any(check.install for check in checks)
    assert [check.name for check in checks if check.required] == ["Python", "numpy", "pandas"]
    assert by_name()["pandas"].found == "2.2"
    assert by_name()["R"].found == "4.4.3"


def test_each_missing_or_old_package_has_its_command(machine: dict[str, Any]) -> None:
    versions = machine["versions"]
    versions["numpy"] = "1.20"
    assert by_name()["numpy"] == Check(
        "numpy", "other version", "numpy 1.20", "python -m pip install 'numpy>=1.26'", True
    )
    versions["nutpie"] = "0.1"
    extra = Check("extra bayes", "other version", "nutpie 0.1", "python -m pip install 'nutpie>=0.15'")
    assert by_name()["extra bayes"] == extra
    assert not is_working(examine())
    del versions["numpy"], versions["nutpie"]
    found = by_name()
    assert found["numpy"] == Check("numpy", "missing", "", "python -m pip install 'numpy>=1.26'", True)
    assert (found["extra bayes"].found, found["extra bayes"].state) == ("without nutpie", "missing")
    assert found["extra bayes"].install == "python -m pip install 'nutpie>=0.15'"


def test_r_its_packages_and_rpy2_have_their_commands(machine: dict[str, Any]) -> None:
    machine["r"] = RStatus(None, None, problem="R is not on PATH", remedy="sudo apt-get install r-base-dev")
    assert by_name()["R"] == Check("R", "missing", "R is not on PATH", "sudo apt-get install r-base-dev")
    packages = dict.fromkeys(doctor.R_PACKAGES, "1.0") | {"MASS": "missing", "nnet": "broken"}
    del machine["versions"]["rpy2"]
    machine["r"] = RStatus("R version 4.4.3", None, packages, "rpy2 is not installed", "pip install rpy2", "/bin/R")
    found = by_name()
    assert (found["R MASS"].state, found["R nnet"].state, found["R survey"].state) == ("missing", "broken", "ok")
    assert "MASS" in found["R MASS"].install
    assert found["rpy2"] == Check("rpy2", "missing", "rpy2 is not installed", "pip install rpy2")
    assert is_working(examine())


@pytest.mark.full
def test_on_this_machine_everything_required_is_in_order() -> None:
    assert is_working(examine())
