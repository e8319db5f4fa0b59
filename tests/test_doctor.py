"""What is missing is found, and its cost is named."""

from __future__ import annotations

import json
import os
import re
import shutil
import socket
import stat
import subprocess
import sys
import threading
import tomllib
from collections.abc import Callable
from importlib import metadata
from pathlib import Path

import pytest

import synthlab as sl
from synthlab import _about, doctor
from synthlab.datasets import _files
from synthlab.doctor import _check, _lessons, _machine, _package, _r
from synthlab.exceptions import InputError
from synthlab.r import session

REQUIRED = {"numpy", "pandas", "statsmodels", "scipy", "typer"}


def by_name(*looks: Callable[[], list[doctor.Check]]) -> dict[str, doctor.Check]:
    """Return what these groups of checks find, by name."""
    return {check.name: check for look in looks for check in look()}


def fake_r(folder: Path, script: str, monkeypatch: pytest.MonkeyPatch) -> None:
    path = folder / "R"
    path.write_text(f"#!/bin/sh\n{script}\n")
    path.chmod(path.stat().st_mode | stat.S_IXUSR)
    monkeypatch.setenv("PATH", str(folder))


def test_what_is_installed_is_found_with_its_version() -> None:
    found = by_name(_package.look_up)
    for name in REQUIRED:
        assert found[name].state == "ok"
        assert found[name].found == metadata.version(name)
        assert found[name].required
    assert found["Python"].found == sys.version.split()[0]


def test_a_missing_r_is_named_with_its_cost(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    found = by_name(_r.look_up)
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
    found = by_name(_r.look_up)
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
    found = by_name(_r.look_up)
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
    found = by_name(_r.look_up)
    assert found["R"].state == "ok"
    assert found["R"].found == f"4.9.1 at {tmp_path / 'R'}"
    assert found["R IdentificationRiskCalculation"].found == "1.0.0"


def test_a_broken_r_that_prints_no_utf8_is_called_broken(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    fake_r(tmp_path, "printf 'kein Zugriff: \\374\\n' >&2; exit 2", monkeypatch)
    found = by_name(_r.look_up)["R"]
    assert found.state == "broken"
    assert "kein Zugriff" in found.cost


def test_an_r_that_the_library_path_breaks_is_mended_by_unsetting_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    fake_r(tmp_path, f'[ -z "$LD_LIBRARY_PATH" ] || {{ echo "file too short" >&2; exit 127; }}\n{SPEAKS}', monkeypatch)
    monkeypatch.setenv("LD_LIBRARY_PATH", "/nowhere")
    monkeypatch.delenv("R_HOME", raising=False)
    found = by_name(_r.look_up)["R"]
    assert found.state == "broken"
    assert "with LD_LIBRARY_PATH=/nowhere: file too short" in found.cost
    assert found.mend == "unset LD_LIBRARY_PATH"


def test_missing_and_other_versions_are_found(monkeypatch: pytest.MonkeyPatch) -> None:
    declared = ["numpy>=999", "no-such-package>=1", 'no-such-extra>=2; extra == "course"', 'pip; python_version < "3"']
    declared += ['scipy>=999; extra == "dp"', 'synthlab-sdc[dp]; extra == "report"']
    monkeypatch.setattr(metadata, "requires", lambda name: declared)
    found = by_name(_package.look_up, _package.extras)
    assert found["numpy"].state == "other version"
    assert ">=999" in found["numpy"].cost
    assert found["no-such-package"].state == "missing"
    assert found["no-such-package"].mend == "python -m pip install 'no-such-package>=1'"
    assert found["extra course"].found == "without no-such-extra"
    assert found["extra course"].mend == "python -m pip install 'no-such-extra>=2'"
    for extra in ("dp", "report"):  # one takes the other in
        assert found[f"extra {extra}"].state == "other version"
        assert found[f"extra {extra}"].mend == "python -m pip install 'scipy>=999'"
    assert found["extra files"].state == "ok"
    assert "pip" not in found
    assert "no-such-extra" not in found


@pytest.mark.parametrize(("version", "state"), [("3.10.14", "other version"), ("3.11.0", "ok"), ("3.14.0rc1", "ok")])
def test_python_is_compared_with_what_the_project_declares(monkeypatch, root, version: str, state: str) -> None:
    project = tomllib.loads((root / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    assert project["requires-python"] == _package.PYTHON
    monkeypatch.setattr(_package.platform, "python_version", lambda: version)
    found = by_name(_package.look_up)["Python"]
    assert (found.state, found.required) == (state, True)


def test_every_extra_has_its_line(root) -> None:
    extras = tomllib.loads((root / "pyproject.toml").read_text(encoding="utf-8"))["project"]["optional-dependencies"]
    assert {*_package.EXTRAS} == {*extras} - {"r"}, "of R and rpy2 another check says more"


def test_a_namesake_is_found(monkeypatch: pytest.MonkeyPatch) -> None:
    real = _package._extras.version
    for other in ("0.1.6", None):
        monkeypatch.setattr(_package._extras, "version", lambda name, v=other: v if name == "synthlab" else real(name))
        found = by_name(_package.look_up).get("distribution synthlab")
        if other is None:
            assert found is None
        else:
            assert (found.state, found.found, found.mend) == ("broken", other, "python -m pip uninstall synthlab")


def test_a_package_that_does_not_say_what_it_needs_is_not_called_whole(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(_package._extras, "declared", list)
    found = _package.look_up()
    assert not doctor.is_working(found)
    assert found[-1].name == "requirements"


def test_real_data_that_are_not_here_are_named(monkeypatch: pytest.MonkeyPatch) -> None:
    table = sl.datasets.describe()
    monkeypatch.delenv("SYNTHLAB_DATA_DIR", raising=False)
    monkeypatch.setattr(sl.datasets, "describe", lambda: table.assign(at_hand=table["name"] != "acs"))
    found = by_name(_machine.surveys)
    assert found["data affairs"].state == "ok"
    assert found["data acs"].state == "missing"
    assert "simulated stand-in" in found["data acs"].cost
    assert found["data acs"].mend == "synthlab data fetch acs"
    assert "data ce2017" not in found  # there are no real ones
    assert found["SYNTHLAB_DATA_DIR"].state == found["network"].state == "ok"


def test_a_folder_of_data_that_is_not_there_is_named(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("SYNTHLAB_DATA_DIR", str(tmp_path / "nowhere"))
    found = by_name(_machine.surveys)
    assert list(found) == ["SYNTHLAB_DATA_DIR"]
    assert (found["SYNTHLAB_DATA_DIR"].state, found["SYNTHLAB_DATA_DIR"].mend) == ("broken", "unset SYNTHLAB_DATA_DIR")
    monkeypatch.setattr(_check, "SYSTEM", "win32")
    assert by_name(_machine.surveys)["SYNTHLAB_DATA_DIR"].mend == "Remove-Item Env:SYNTHLAB_DATA_DIR"


def test_the_bridge_is_found_missing_or_broken(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(_r._extras, "version", lambda name: None)
    assert _r.bridge(session.RStatus("R", None, problem="rpy2 is not installed", remedy="pip")).state == "missing"
    monkeypatch.setattr(_r._extras, "version", lambda name: "3.6.5")
    broken = _r.bridge(session.RStatus("R", None, problem="R_HOME is not set", remedy="pip"))
    assert (broken.state, broken.mend) == ("broken", "pip")
    assert "R_HOME is not set" in broken.cost
    assert _r.bridge(session.RStatus("R", "3.6.5")).state == "ok"


def test_a_question_to_r_is_not_waited_for_longer_than_the_doctor_waits(tmp_path, monkeypatch) -> None:
    fake_r(tmp_path, "exec /bin/sleep 60", monkeypatch)
    monkeypatch.setattr(_r, "SECONDS", 0.5)
    assert "no answer in 0 s" in by_name(_r.look_up)["R"].cost
    assert session._seconds.get() == 0.5
    session._seconds.set(float("inf"))


def test_packages_of_which_a_slow_r_says_nothing_are_not_called_broken(tmp_path, monkeypatch) -> None:
    slow = SPEAKS.replace("MASS\\tbroken\\t\\n", "").replace("';;", "'; exec /bin/sleep 60;;", 1)
    fake_r(tmp_path, slow, monkeypatch)
    monkeypatch.setattr(_r, "SECONDS", 1.0)
    found = by_name(_r.look_up)
    session._seconds.set(float("inf"))
    assert found["R IdentificationRiskCalculation"].found == "1.0.0"
    assert found["R gamlss.dist"].state == "missing"
    assert "R took longer than 1 s" in found["R MASS"].cost
    assert found["R MASS"].mend == "synthlab doctor"
    said = session.package_problem("MASS", "no answer")
    assert "in time" in said
    assert "install" not in said


def test_the_bundled_data_are_compared_with_their_digests(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (good,) = _machine.bundled_data()
    assert (good.state, good.required) == ("ok", True)
    assert _about.data_version()[0][:12] in good.found
    real = _files.packaged_file
    edited = tmp_path / "acs_simulated.csv"
    edited.write_bytes(real(edited.name).read_bytes() + b"\n")
    for path in (edited, tmp_path / "nowhere.csv"):
        monkeypatch.setattr(
            _files, "packaged_file", lambda name, path=path: path if name == "acs_simulated.csv" else real(name)
        )
        (bad,) = _machine.bundled_data()
        assert (bad.state, bad.required, bad.mend) == ("broken", True, "git checkout -- data")
        assert bad.cost == "these datasets cannot be loaded: acs_simulated.csv"


def test_compiled_code_is_loaded_by_another_python(monkeypatch: pytest.MonkeyPatch) -> None:
    (good,) = _machine.compiled_code()
    assert (good.state, good.required) == ("ok", True)
    assert Path(good.found.removeprefix("kept in ")).is_dir()
    for problem, mend in (
        ("RuntimeError: cannot cache function 'look': no locator available for file", "export NUMBA_CACHE_DIR="),
        ("ImportError: Numba needs NumPy 2.4 or less", "python -m pip install --force-reinstall numba"),
    ):
        monkeypatch.setattr(_machine, "ask", lambda code, problem=problem: ("", problem))
        (bad,) = _machine.compiled_code()
        assert (bad.state, bad.required) == ("broken", True)
        assert bad.mend.startswith(mend)


def test_folders_that_cannot_be_written_to_are_named(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "not" / "yet"))
    found = by_name(_machine.folders)
    assert {check.state for check in found.values()} == {"ok"}
    assert list(tmp_path.iterdir()) == []

    def closed(dir: Path) -> None:
        raise PermissionError(13, "Permission denied", str(dir))

    monkeypatch.setattr(_machine.tempfile, "TemporaryFile", closed)
    found = by_name(_machine.folders)
    assert list(found) == ["this folder", "temporary files", "cache"]
    for check in found.values():
        assert check.state == "broken"
        assert check.cost.endswith("(Permission denied)")
        assert check.mend


def test_cores_memory_and_space_are_counted(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(_machine, "memory_gb", lambda: 8.0)
    monkeypatch.setattr(_machine.shutil, "disk_usage", lambda path: shutil._ntuple_diskusage(9e9, 1e9, 8e9))
    found = by_name(_machine.machine)
    assert [check.state for check in found.values()] == ["ok"] * 3
    assert (found["memory"].found, found["disk space"].found) == ("8.0 GB", "8.0 GB free")
    monkeypatch.setattr(_machine, "memory_gb", lambda: 1.5)
    monkeypatch.setattr(_machine.shutil, "disk_usage", lambda path: shutil._ntuple_diskusage(9e9, 8.9e9, 1e8))
    found = by_name(_machine.machine)
    assert (found["memory"].state, found["disk space"].state) == ("missing", "missing")
    monkeypatch.setattr(_machine, "memory_gb", lambda: None)
    assert "not known" in by_name(_machine.machine)["memory"].cost


def test_the_memory_of_a_container_counts(monkeypatch: pytest.MonkeyPatch) -> None:
    whole = _machine.memory_gb()
    assert whole is not None
    monkeypatch.setattr(Path, "read_text", lambda self, encoding: "2147483648\n")
    assert _machine.memory_gb() == pytest.approx(min(whole, 2.147483648))
    monkeypatch.setattr(Path, "read_text", lambda self, encoding: "max\n")
    assert _machine.memory_gb() >= whole


def test_a_compiler_is_looked_for(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    assert by_name(_machine.compiler)["compiler"].state == "missing"
    (tmp_path / "clang").write_text("")
    (tmp_path / "clang").chmod(0o755)
    assert by_name(_machine.compiler)["compiler"].found == str(tmp_path / "clang")


def test_the_browser_of_the_tests_is_looked_for(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    (missing,) = _machine.browser()
    assert (missing.state, "make site-test" in missing.cost) == ("missing", True)
    (tmp_path / "google-chrome").write_text("")
    (tmp_path / "google-chrome").chmod(0o755)
    assert _machine.browser()[0].found == str(tmp_path / "google-chrome")


def test_the_kernel_is_that_of_this_python(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    (found,) = _lessons.kernel()
    assert found.state == "ok", found
    other = tmp_path / "python3.9"
    other.write_text("")
    other.chmod(0o755)
    for first, state in ((str(other), "other version"), (str(tmp_path / "gone"), "broken"), ("python", "ok")):
        monkeypatch.setattr(_lessons, "ask", lambda code, first=first: (json.dumps([first, "-m", "x"]), ""))
        (found,) = _lessons.kernel()
        assert found.state == state
        assert (found.mend == "") == (state == "ok")
    monkeypatch.setattr(_lessons, "ask", lambda code: ("", "NoSuchKernel: python3"))
    assert _lessons.kernel()[0].state == "broken"
    monkeypatch.setattr(_lessons._extras, "version", lambda name: None)
    assert _lessons.kernel()[0].state == "missing"


def test_a_port_that_is_taken_is_named_with_one_that_is_free(monkeypatch: pytest.MonkeyPatch) -> None:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        number = taken.getsockname()[1]
        monkeypatch.setattr(_lessons, "PORT", number)
        (found,) = _lessons.port()
        assert (found.state, found.found) == ("missing", f"{number} is taken")
        other = int(found.mend.removeprefix("jupyter lab --port="))
        assert number < other < number + 100
    monkeypatch.setattr(_lessons, "PORT", other)
    assert _lessons.port()[0].state == "ok"


@pytest.mark.parametrize(
    ("code", "said", "problem"),
    [
        ("print(3)", "3", ""),
        ("raise KeyError('x')", "", "KeyError: 'x'"),
        ("import sys; sys.exit(4)", "", "exit code 4"),
        ("import time; time.sleep(60)", "", "no answer in 1 s"),
    ],
)
def test_another_python_is_asked_and_not_waited_for_without_end(code: str, said: str, problem: str) -> None:
    assert _check.ask(code, 1.0 if "sleep" in code else None) == (said, problem)


def test_a_group_that_fails_or_hangs_is_a_finding_and_shows_no_value() -> None:
    let_go = threading.Event()
    good = doctor.Check("good", "ok")

    def wrong() -> list[doctor.Check]:
        raise ValueError("income 48,200 of record 17")

    def named() -> list[doctor.Check]:
        raise InputError("folder: no such folder")

    def hangs() -> list[doctor.Check]:
        let_go.wait(60)
        return [good]

    groups = {"a": lambda: [good], "b": wrong, "c": named, "d": hangs, "e": lambda: [good]}
    found = doctor.within(0.5, groups, required=["d"])
    let_go.set()
    assert [check.name for check in found] == ["good", "b", "c", "d", "good"]
    assert [check.state for check in found] == ["ok", "broken", "broken", "broken", "ok"]
    assert [check.required for check in found] == [False, False, False, True, False]
    assert not doctor.is_working(found)
    assert doctor.is_working(found[:3])
    assert "ValueError" in found[1].cost
    assert not any("48,200" in check.cost for check in found)
    assert "no such folder" in found[2].cost


@pytest.mark.slow
def test_the_whole_doctor_needs_no_network_and_shows_no_record(tmp_path: Path) -> None:
    for name in ("acs_confidential.csv", "survey.csv"):
        (tmp_path / name).write_text("income,name\n48200,Secret Person\n")
    code = """
import socket, sys
def refused(self, address):
    raise AssertionError(f"asked the network: {address}")
socket.socket.connect = socket.socket.connect_ex = refused
from synthlab import cli
cli.main(["doctor", "--json"])
"""
    settings = {**os.environ, "SYNTHLAB_DATA_DIR": str(tmp_path)}
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=False, cwd=tmp_path, env=settings
    )
    assert done.returncode == 0, done.stderr
    said = json.loads(done.stdout)
    names = [check["name"] for check in said["checks"]]
    assert len({*names}) == len(names) > 40
    wanted = ["Python", "numpy", "cores", "memory", "network", "compiler", "browser", "port", "cache", "R"]
    assert {*wanted, "compiled code", "bundled data", "this folder", "disk space", "kernel python3"} <= {*names}
    assert all(check["cost"] and check["mend"] for check in said["checks"] if check["state"] != "ok")
    assert all(check["found"] and not check["cost"] for check in said["checks"] if check["state"] == "ok")
    assert not any("\n" in check["mend"] for check in said["checks"])
    assert not re.search("48200|Secret", done.stdout + done.stderr)


@pytest.mark.parametrize(
    ("system", "starts"),
    [
        ("linux", ["sudo apt-get", "sudo apt-get", "export TMPDIR="]),
        ("darwin", ["brew", "xcode-select", "export TMPDIR="]),
        ("win32", ["winget", "winget", "$env:TMPDIR ="]),
    ],
)
def test_what_mends_it_is_a_command_of_the_system(monkeypatch, tmp_path, system: str, starts: list[str]) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    monkeypatch.setattr(_check, "SYSTEM", system)
    looks = (_r.look_up, _machine.compiler)
    mends = [look()[0].mend for look in looks] + [_machine._set("TMPDIR", tmp_path)]
    assert all(mend.startswith(start) for mend, start in zip(mends, starts, strict=True)), mends


def test_the_table_has_a_row_a_check() -> None:
    checks = [doctor.Check("a", "ok", "1"), doctor.Check("b", "missing", "", "c", "d")]
    assert doctor.to_frame(checks)["state"].tolist() == ["ok", "missing"]
    said = doctor.to_dict(checks, "9.9")
    assert said["checks"][1] == {
        "name": "b",
        "state": "missing",
        "found": "",
        "cost": "c",
        "mend": "d",
        "required": False,
    }
    assert (said["commit"], said["commit_source"], said["commit_changed"]) == _about.commit()
    assert said["data_sha256"] == _about.data_version()[0]
