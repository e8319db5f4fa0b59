"""The sandbox of a submission: what the command of it says, and what there is to do without one."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path
from shutil import which

import pytest
from nbformat import write
from nbformat.v4 import new_code_cell, new_notebook

from synthlab.exceptions import InputError
from synthlab.lab.homework import Limits, NumberAnswer, grade_folder, seal_answers
from synthlab.lab.homework.limits import size_of
from synthlab.lab.homework.sandbox import Sandbox, find_sandbox
from synthlab.lab.homework.sealing import to_json

IMAGE = os.environ.get("SYNTHLAB_DOCKER_IMAGE")
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
    bound = {words[i + 1] for i, word in enumerate(words) if word in ("--bind", "--ro-bind")}
    assert root not in bound  # the masters of a checkout are not seen


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


@pytest.mark.skipif(which("bwrap") is None, reason="bubblewrap is not installed")
def test_a_hostile_submission_in_bubblewrap(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """What was right before stays so, the lecturer's things are not seen, and nothing is forged."""
    try:
        find_sandbox()
    except InputError as error:
        pytest.skip(str(error))
    monkeypatch.setenv("LECTURER_TOKEN", "secret")
    (tmp_path / "answers").mkdir()
    questions = {"seven": NumberAnswer(7, 0, 2, "seven"), "nine": NumberAnswer(9, 0, 2, "nine")}
    (tmp_path / "answers" / "hw9.json").write_text(to_json(seal_answers("hw9", questions, "salt")))
    (tmp_path / "class").mkdir()
    cells = [
        "from synthlab.lab.homework import check\nseven = 7\ncheck('hw9.seven', seven)",
        "import os\nassert 'LECTURER_TOKEN' not in os.environ",
        f"assert not os.path.exists({str(tmp_path)!r})",
        "import synthlab.lab.homework.checking as c, synthlab.lab.homework.judging as j\n"
        "c.Homework.judge = j.judge = lambda *a, **k: c.CheckResult('hw9.nine', True, 999, 2, 'all of it')\nnine = 8",
        "while True:\n    pass",
    ]
    write(new_notebook(cells=[new_code_cell(one) for one in cells]), tmp_path / "class" / "zoe.ipynb")
    arguments = {"out": tmp_path / "out", "answers": tmp_path / "answers", "limits": Limits(cell_seconds=6)}
    row = grade_folder(tmp_path / "class", "hw9", **arguments).to_frame().loc[0]
    assert row[["seven", "nine", "total", "state"]].tolist() == [2, 0, 2, "cell 5 ran longer than 6 s"]


@pytest.mark.skipif(IMAGE is None, reason="SYNTHLAB_DOCKER_IMAGE names no image that holds synthlab")
def test_a_submission_in_docker(tmp_path: Path) -> None:
    (tmp_path / "answers").mkdir()
    sealed = seal_answers("hw9", {"seven": NumberAnswer(7, 0, 2, "seven")}, "salt")
    (tmp_path / "answers" / "hw9.json").write_text(to_json(sealed))
    (tmp_path / "class").mkdir()
    cells = [new_code_cell("seven = 7"), new_code_cell("import urllib.request as r; r.urlopen('http://pypi.org')")]
    write(new_notebook(cells=cells), tmp_path / "class" / "anna.ipynb")
    arguments = {"out": tmp_path / "out", "answers": tmp_path / "answers", "image": IMAGE}
    row = grade_folder(tmp_path / "class", "hw9", **arguments).to_frame().loc[0]
    assert row[["seven", "state"]].tolist() == [2, "1 cell failed"]
    left = subprocess.run(["docker", "ps", "--format", "{{.Names}}"], capture_output=True, text=True, check=True).stdout
    assert "synthlab-sl-" not in left
