"""The check of a release: what could not be made never counts as passed."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

from tests import release_check


def passing() -> None:
    """Pass."""


def failing() -> None:
    raise subprocess.CalledProcessError(1, ["pip"])


def test_a_missing_interpreter_gives_exit_code_3(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    monkeypatch.setenv("HOME", str(tmp_path))
    every = release_check.checks(tmp_path)
    assert len(every) == 9
    code = release_check.report({"passes": passing, "wheel, Python 3.12": every["wheel, Python 3.12"]})
    assert code == 3
    assert "wheel, Python 3.12: not made: Python 3.12 is not installed" in capsys.readouterr().out


def test_a_failure_counts_more_than_a_check_that_was_not_made(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(release_check, "ROOT", tmp_path)
    without_r = lambda: release_check.build_r_package(tmp_path)  # noqa: E731
    assert release_check.report({"passes": passing}) == 0
    assert release_check.report({"R package": without_r, "passes": passing}) == 3
    assert release_check.report({"R package": without_r, "fails": failing}) == 1
