"""The sandbox of a submission: what the command of it says, and what there is to do without one."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from synthlab.exceptions import InputError
from synthlab.lab.homework.limits import Limits, size_of
from synthlab.lab.homework.sandbox import Sandbox, find_sandbox

INNER = ["python", "-m", "kernel", "{connection_file}"]


def after(words: list[str], *name: str) -> bool:
    return any(words[i : i + len(name)] == list(name) for i in range(len(words)))


def test_bubblewrap_shows_the_box_and_what_python_needs(tmp_path: Path) -> None:
    shown = {tmp_path / "hw1.json": "hw1.json"}
    words = Sandbox("bubblewrap").command(tmp_path, INNER, shown, Limits(disk_mb=7))
    assert words[-4:] == [sys.executable, *INNER[1:]]
    assert {"--unshare-all", "--die-with-parent", "--clearenv", "--new-session"} <= set(words)
    assert after(words, "--bind", str(tmp_path), str(tmp_path))
    assert after(words, "--ro-bind", str(tmp_path / "hw1.json"), "/home/student/hw1.json")
    assert after(words, "--size", "7000000", "--tmpfs", "/home/student")
    assert words.count("--bind") == 1
    root = str(Path(__file__).resolve().parents[3])
    assert root not in words  # the masters of a checkout are not seen


def test_docker_has_no_network_and_the_same_limits(tmp_path: Path) -> None:
    words = Sandbox("docker", "a/image:1").command(tmp_path, INNER, {}, Limits(memory_mb=9, processes=5))
    assert words[-5:] == ["a/image:1", *INNER]
    assert after(words, "--network", "none")
    assert after(words, "--memory", "9m")
    assert after(words, "--pids-limit", "5")
    assert after(words, "--cap-drop", "ALL")
    assert after(words, "--volume", f"{tmp_path}:{tmp_path}")


def test_without_a_sandbox_nothing_runs(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    with pytest.raises(InputError, match="install bubblewrap.*--image.*--unsafe"):
        find_sandbox()
    with pytest.raises(InputError, match="docker does not work here: FileNotFoundError"):
        find_sandbox(image="some/image")
    assert find_sandbox(unsafe=True) == Sandbox("none")
    broken = tmp_path / "bwrap"
    broken.write_text("#!/bin/sh\necho no namespaces >&2; exit 1\n")
    broken.chmod(0o755)
    with pytest.raises(InputError, match="bubblewrap does not work here: .*namespaces"):
        find_sandbox()


def test_limits_are_counts() -> None:
    with pytest.raises(InputError, match="cell_seconds=0"):
        Limits(cell_seconds=0)
    with pytest.raises(InputError, match="memory_mb"):
        Limits(memory_mb=1.5)  # type: ignore[arg-type]


def test_the_size_of_a_folder_follows_no_link(tmp_path: Path) -> None:
    (tmp_path / "a").mkdir()
    (tmp_path / "a" / "big").write_bytes(b"0" * 100_000)
    (tmp_path / "loop").symlink_to(tmp_path)
    assert 100_000 <= size_of(tmp_path, 10**9) < 150_000
