"""Ctrl-C and SIGTERM: one line, the exit code of a stopped program, no traceback, no half file."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import threading
from collections.abc import Iterator
from pathlib import Path

import pandas as pd
import pytest

from synthlab import cli
from synthlab._system import atomic_write, signals

ROOT = Path(__file__).resolve().parents[1]
NOTHING = "error: stopped; nothing was written\n"
PATIENCE = 100.0  # seconds; on an idle machine each test takes one to six
# What each command does once it has read its arguments, and a call that gets there.
COMMANDS = {
    "synthlab.report.evaluate": ["evaluate", "a.csv", "b.csv", "--known=x", "--synthesized=y", "--report=r.html"],
    "synthlab.synthesis.synthesize": ["synthesize", "a.csv", "--out=out"],
    "synthlab.report.demo.demonstrate": ["demo", "--out=out"],
    "synthlab.doctor.examine": ["doctor"],
    "replications.registry.replicate": ["replicate", "dp", "--out=r.csv"],
    "synthlab.crosscheck.crosscheck": ["crosscheck"],
    "synthlab.risk.attack_score": ["attack-score", "a.csv", "--confidential=b.csv", "--target=y"],
    "synthlab.datasets.describe": ["data", "list"],
    "synthlab.datasets.load": ["data", "show", "affairs"],
    "synthlab.datasets.fetch": ["data", "fetch", "acs"],
    "synthlab.cli.course_commands._write_edition": ["course", "open", "out"],
    "synthlab._checks.check_choice": ["course", "student", "out"],
    "synthlab.teaching.editions.write_edition": ["course", "teacher", "out"],
    "synthlab.teaching.editions.write_solutions": ["course", "solutions", "8", "out"],
    "synthlab.teaching.homework.gradebook.write_gradebook": ["homework", "gradebook", "class"],
    "synthlab.r.package_files.write_r_package": ["r-package", "out"],
    "synthlab.teaching.homework.start_homework": ["homework", "new", "hw20", "masters"],
}


def leaf_commands() -> set[str]:
    names = {c.name or c.callback.__name__ for c in cli.app.registered_commands if c.callback}
    for group in cli.app.registered_groups:
        assert group.typer_instance is not None
        names |= {f"{group.name} {c.name}" for c in group.typer_instance.registered_commands}
    return names


def test_every_command_is_among_those_that_are_stopped_here() -> None:
    called = {" ".join(call) for call in COMMANDS.values()}
    assert {name for name in leaf_commands() if not any(f"{call} ".startswith(f"{name} ") for call in called)} == set()
    assert len(leaf_commands()) == len(COMMANDS)


@pytest.fixture(autouse=True)
def listening() -> Iterator[None]:
    """Hear Ctrl-C, also where the tests run in the background of a shell, which tells its children to ignore it."""
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    yield
    signal.signal(signal.SIGINT, before)


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Return the folder the commands are run in, with two files of data."""
    monkeypatch.chdir(tmp_path)
    for name in ("a", "b"):
        pd.DataFrame({"x": [1, 2], "y": [1, 2], "record": [0, 1]}).to_csv(f"{name}.csv", index=False)
    return tmp_path


def stopped(*arguments: str) -> int:
    with pytest.raises(SystemExit) as ended:
        cli.main(list(arguments))
    return int(ended.value.code or 0)


@pytest.mark.parametrize(("number", "code"), [(signal.SIGINT, 130), (signal.SIGTERM, 143)])
@pytest.mark.parametrize(("work", "call"), COMMANDS.items(), ids=COMMANDS)
def test_every_command_stops_in_one_line(
    folder: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    work: str,
    call: list[str],
    number: signal.Signals,
    code: int,
) -> None:
    before = {s: signal.getsignal(s) for s in signals.SIGNALS}
    monkeypatch.setattr(work, lambda *arguments, **options: signal.raise_signal(number))
    assert stopped(*call) == code
    assert capsys.readouterr().err == NOTHING
    assert sorted(p.name for p in folder.rglob("*") if p.is_file()) == ["a.csv", "b.csv"]
    assert {s: signal.getsignal(s) for s in signals.SIGNALS} == before


@pytest.mark.parametrize("step", ["fsync", "replace"])
def test_a_save_that_is_stopped_leaves_the_earlier_file_and_says_what_was_written(
    folder: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], step: str
) -> None:
    def save(name: str, place: Path) -> None:
        atomic_write.write_text(place / "first.txt", "new")
        real = getattr(os, step)

        def stop(*arguments: object) -> None:
            signal.raise_signal(signal.SIGINT)
            real(*arguments)

        monkeypatch.setattr(os, step, stop)
        atomic_write.write_text(place / "second.txt", "new")

    for name in ("first.txt", "second.txt"):
        (folder / name).write_text("old")
    monkeypatch.setattr("synthlab.teaching.homework.start_homework", save)
    assert stopped("homework", "new", "hw20", ".") == 130
    assert capsys.readouterr().err == "error: stopped; written before: first.txt\n"
    assert sorted(p.name for p in folder.iterdir()) == ["a.csv", "b.csv", "first.txt", "second.txt"]
    assert [(folder / name).read_text() for name in ("first.txt", "second.txt")] == ["new", "old"]


def test_many_files_are_counted(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    def program() -> int:
        for number in range(5):
            atomic_write.write_text(tmp_path / f"{number}", "new")
        raise KeyboardInterrupt

    assert signals.run(program) == 130
    assert capsys.readouterr().err == f"error: stopped; 5 files were written before, the last one is {tmp_path / '4'}\n"


def test_what_a_library_makes_of_being_stopped_is_being_stopped(capsys: pytest.CaptureFixture[str]) -> None:
    def program() -> int:
        try:
            signal.raise_signal(signal.SIGINT)
        except KeyboardInterrupt:
            raise AssertionError("the kernel died") from None
        return 0

    assert signals.run(program) == 130
    assert capsys.readouterr().err == NOTHING


def test_a_thread_of_a_library_that_fails_meanwhile_says_nothing(capsys: pytest.CaptureFixture[str]) -> None:
    before = threading.excepthook

    def fails() -> None:
        raise KeyError("work item")

    def program() -> int:
        try:
            signal.raise_signal(signal.SIGTERM)
        finally:
            thread = threading.Thread(target=fails)
            thread.start()
            thread.join()
        return 0

    assert signals.run(program) == 143
    assert capsys.readouterr().err == NOTHING
    assert threading.excepthook is before


def test_faults_keep_their_traceback_and_an_ignored_signal_stays_ignored() -> None:
    def program() -> int:
        raise AssertionError("ours")

    with pytest.raises(AssertionError, match="ours"):
        signals.run(program)
    earlier = signal.signal(signal.SIGINT, signal.SIG_IGN)
    try:
        assert signals.run(lambda: signal.raise_signal(signal.SIGINT) or 5) == 5
        assert signal.getsignal(signal.SIGINT) == signal.SIG_IGN
    finally:
        signal.signal(signal.SIGINT, earlier)


# Programs of their own, stopped from outside.


@pytest.fixture
def started(tmp_path: Path) -> Iterator[list[subprocess.Popen[str]]]:
    """Collect the programs a test starts, and end what is left of them."""
    programs: list[subprocess.Popen[str]] = []
    yield programs
    for program in programs:
        if program.poll() is None:
            program.kill()
        program.communicate()


def start(folder: Path, *command: str) -> subprocess.Popen[str]:
    (folder / "tmp").mkdir()
    return subprocess.Popen(
        [sys.executable, *command],
        cwd=folder,
        env={**os.environ, "PYTHONPATH": str(ROOT), "TMPDIR": str(folder / "tmp"), "MPLBACKEND": "agg"},
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        # In the background of a shell Ctrl-C is ignored, and children take that over.
        preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL),
    )


def stop(program: subprocess.Popen[str], number: int = signal.SIGINT) -> tuple[int, str]:
    program.send_signal(number)
    _, err = program.communicate(timeout=PATIENCE)
    return program.returncode, err


# Tells when a module is about to be imported, and waits there as a slow disk would.
SLOW_IMPORT = """
import importlib.abc, sys, time
class Slow(importlib.abc.MetaPathFinder):
    def find_spec(self, name, path, target=None):
        if name == {module!r}:
            print("there", flush=True)
            time.sleep(100)
sys.meta_path.insert(0, Slow())
"""
CALL = "from synthlab.cli import main\nmain({call!r})"


@pytest.mark.parametrize("module", ["typer", "numpy", "pandas"])
def test_stopped_while_libraries_are_loaded(tmp_path: Path, started: list[subprocess.Popen[str]], module: str) -> None:
    program = start(tmp_path, "-c", SLOW_IMPORT.format(module=module) + CALL.format(call=["demo", "--out", "out"]))
    started.append(program)
    assert program.stdout is not None
    assert program.stdout.readline() == "there\n"
    assert stop(program) == (130, NOTHING)
    assert [p.name for p in tmp_path.rglob("*")] == ["tmp"]
