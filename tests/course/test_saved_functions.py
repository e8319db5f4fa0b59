"""Functions saved in `mine.py`: they run without other cells, and each check replaces its own block."""

from __future__ import annotations

import linecache
import os
from collections.abc import Callable
from typing import Any

import pytest

from synthlab.teaching import check, course_outputs, mine, saved_functions

RIGHT = """
def combine_partial(q, v):
    q, v = np.asarray(q), np.asarray(v)
    m, b = len(q), q.var(ddof=1)
    T = v.mean() + b / m
    df = (m - 1) * (1 + v.mean() / (b / m)) ** 2
    half = stats.t.ppf(0.975, df) * np.sqrt(T)
    return q.mean(), T, q.mean() - half, q.mean() + half
"""
WITH_HELPER = RIGHT.replace("q.var(ddof=1)", "between(q)")
HELPER = "def between(q):\n    return q.var(ddof=1)\n"
NAME = "07.combine_partial"
OTHER = "# --- 99.other ---\nx = 1\n# --- end of 99.other ---\n"


def cell(source: str, *, before: str = "") -> Callable[..., Any]:
    """Return the function that a notebook defines in a cell, with the source that `inspect` finds."""
    names: dict[str, Any] = {}
    exec("import numpy as np\nimport pandas as pd\nfrom scipy import stats\n" + before, names)  # noqa: S102
    file = f"<cell {hash(source)}>"
    linecache.cache[file] = (len(source), None, source.splitlines(keepends=True), file)
    exec(compile(source, file, "exec"), names)  # noqa: S102
    function: Callable[..., Any] = names["combine_partial"]
    return function


@pytest.fixture(autouse=True)
def folder(tmp_path, monkeypatch):
    monkeypatch.setenv(saved_functions.SWITCH, "on")
    monkeypatch.delenv("BINDER_SERVICE_HOST", raising=False)
    monkeypatch.chdir(tmp_path)
    return tmp_path


def test_a_function_that_passes_is_saved_and_used(folder, capsys):
    result = check(NAME, cell(RIGHT), save=True)
    assert result.passed
    assert result.saved == "Saved in mine.py."
    assert str(result).endswith(result.saved)
    assert "a href" not in result._repr_html_()
    used = mine(NAME)
    assert "your saved function is used" in capsys.readouterr().out
    assert used([1.0, 2.0, 4.0], [1.0, 1.0, 1.0])[0] == pytest.approx(7 / 3)
    compile((folder / "mine.py").read_text(), "mine.py", "exec")


def test_only_its_own_block_is_replaced(folder):
    path = folder / "mine.py"
    path.write_text(f"# my notes\n{OTHER}")
    for source in (RIGHT, RIGHT.replace("half", "width"), RIGHT):
        check(NAME, cell(source), save=True)
    text = path.read_text()
    assert text.startswith(f"# my notes\n{OTHER}")
    assert text.count("def combine_partial") == 1
    assert RIGHT.strip() in text
    assert [one.name for one in folder.iterdir()] == ["mine.py"]


def test_a_function_that_uses_another_cell_is_not_saved(folder):
    result = check(NAME, cell(WITH_HELPER, before=HELPER), save=True)
    assert result.passed
    assert "uses `between`, which is defined in another cell" in result.saved
    assert not any(folder.iterdir())


@pytest.mark.parametrize(
    ("source", "reason"),
    [
        ("combine_partial = lambda q, v: right(q, v)", "define it with `def`"),
        (RIGHT.replace("(q, v):", "(q, v, w=1 / 0 if np is None else missing):"), "uses `missing`"),
    ],
)
def test_what_cannot_be_saved_is_explained(folder, source, reason):
    before = RIGHT.replace("combine_partial", "right") + "missing = 1\n"
    assert reason in check(NAME, cell(source, before=before), save=True).saved
    assert not any(folder.iterdir())


def test_names_defined_inside_a_function_are_allowed():
    saved_functions.run_alone(
        "def f(x):\n    import math\n    def g(y):\n        return f(y)\n    return [g(z) for z in x]\n"
    )


def test_a_function_that_fails_is_not_saved(folder):
    for function in (lambda q, v: None, cell(RIGHT.replace("+ b / m", "+ b"))):
        assert check(NAME, function, save=True).saved == ""
    assert not any(folder.iterdir())


def test_a_saved_function_is_checked_before_it_is_used(folder, capsys):
    for source, reason in (
        (None, "no function is saved"),
        ("def combine_partial(q, v):\n    return 1, 2, 3, 4\n", "does not pass its check"),
        (WITH_HELPER, "uses `between`"),
        ("import os\n", "is not one definition of a function"),
        ("def combine_partial(:\n", "is not one definition of a function"),
    ):
        if source is not None:
            saved_functions.save(NAME, source)
        mine(NAME)
        said = capsys.readouterr().out
        assert reason in said
        assert said.endswith("The solution is used.\n")
        assert said.count("\n") == 1


def test_only_the_block_of_the_exercise_runs(folder, capsys):
    (folder / "mine.py").write_text("raise SystemExit(1)\n")
    check(NAME, cell(RIGHT), save=True)
    mine(NAME)
    assert "your saved function is used" in capsys.readouterr().out


def test_off_neither_writes_nor_reads(folder, monkeypatch, capsys):
    saved_functions.save(NAME, RIGHT)
    before = (folder / "mine.py").read_bytes()
    monkeypatch.setenv(saved_functions.SWITCH, "off")
    assert check(NAME, cell(RIGHT.replace("half", "width")), save=True).saved == ""
    mine(NAME)
    assert "The solution is used" in capsys.readouterr().out
    assert (folder / "mine.py").read_bytes() == before


def test_the_committed_edition_is_written_without_saved_functions():
    with course_outputs.without_samples() as environment:
        assert environment[saved_functions.SWITCH] == "off"


@pytest.mark.skipif(not hasattr(os, "geteuid") or os.geteuid() == 0, reason="root can write into every folder")
def test_a_folder_that_is_read_only_gets_one_sentence(folder):
    folder.chmod(0o500)
    try:
        assert "read-only" in check(NAME, cell(RIGHT), save=True).saved
    finally:
        folder.chmod(0o700)


def test_a_file_that_cannot_be_written_gets_one_sentence(folder):
    (folder / "mine.py").mkdir()
    assert check(NAME, cell(RIGHT), save=True).saved.startswith("Not saved: ")


def test_binder_shows_a_link(monkeypatch):
    monkeypatch.setenv("BINDER_SERVICE_HOST", "127.0.0.1")
    assert 'href="mine.py"' in check(NAME, cell(RIGHT), save=True)._repr_html_()
