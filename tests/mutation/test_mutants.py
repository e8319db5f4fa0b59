"""Mutants differ from the source in one place, compile, and are drawn by the seed."""

from __future__ import annotations

import ast
import shutil
from argparse import Namespace
from pathlib import Path

import pytest
from coverage import CoverageData

from tests.mutation.__main__ import FOLDERS, ROOT, executing, ordered, outcomes, row, run, tests_of as files_of
from tests.mutation.mutants import draw, mutants

SOURCE = '''"""Doc 1 < 2."""
def f(x: int = 3, y: "a < b" = None) -> bool:
    if not x <= 1 and g(x, y):
        raise ValueError(1 + 1)
    return -x * 2 > 0.5 if y is None else True
'''


def test_every_kind_of_change_is_made_and_nothing_else(tmp_path: Path) -> None:
    file = tmp_path / "x.py"
    file.write_text(SOURCE, encoding="utf-8")
    found = {(one.before, one.after) for one in mutants(file)}
    assert {before for before, _ in found} >= {
        "3",
        "not x <= 1",
        "x <= 1",
        "g(x, y)",
        "-x * 2",
        "-x",
        "y is None",
        "True",
    }
    assert {("x <= 1", "(x < 1)"), ("-x * 2", "(-x / 2)"), ("0.5", "(1.5)"), ("g(x, y)", "(g(y, x))")} <= found
    assert not any("1 + 1" in before or "a < b" in before for before, _ in found)
    for one in mutants(file):
        assert ast.unparse(ast.parse(one.source)) != ast.unparse(ast.parse(SOURCE))


def test_the_seed_draws_the_mutants() -> None:
    folder = ROOT / "synthlab" / "weights"
    one, again, other = (draw(folder, 5, seed) for seed in (1, 1, 2))
    assert one == again != other
    assert len(one) == 5
    assert len(draw(folder / "__init__.py", 5, 1)) == 0


def test_every_folder_has_tests_and_those_that_mention_the_function_come_first() -> None:
    for folder in FOLDERS:
        assert len(files_of(folder)) > 2, folder
    mutant = next(one for one in mutants(ROOT / "synthlab/weights/lipschitz.py") if one.function == "lipschitz_weights")
    assert "lipschitz" in ordered(mutant, files_of("synthlab/weights"))[0]


def test_tests_that_do_not_run_kill_no_mutant(tmp_path: Path) -> None:
    options = Namespace(tests=["missing.py"], n=1, seed=1, seconds=60)
    with pytest.raises(SystemExit, match="exit code 4"):
        outcomes("synthlab/weights", options, tmp_path)


def test_the_tests_of_a_copy_run(tmp_path: Path) -> None:
    (tmp_path / "test_one.py").write_text("def test_one():\n    assert True\n", encoding="utf-8")
    shutil.copy2(ROOT / "pyproject.toml", tmp_path)
    code, printed = run(tmp_path, ["test_one.py"], 60, cache=tmp_path)
    assert code == 0, printed


def test_only_the_files_that_execute_the_line_of_a_mutant_run(tmp_path: Path) -> None:
    (tmp_path / "module.py").write_text(
        "LIMIT = 3\n\n\ndef low(x):\n    return (\n        x < 1\n    )\n\n\ndef idle():\n    return 1 + 1\n"
    )
    (tmp_path / "test_low.py").write_text("import module\ndef test_low():\n    assert module.low(0)\n")
    (tmp_path / "test_limit.py").write_text("import module\ndef test_limit():\n    assert module.LIMIT == 3\n")
    (tmp_path / "tests").symlink_to(ROOT / "tests")
    tests = ["test_limit.py", "test_low.py"]
    code, printed = run(tmp_path, tests, 60, cache=tmp_path, measured="module.py")
    assert code == 0, printed
    covered = CoverageData(str(tmp_path / ".coverage"))
    covered.read()
    contexts = covered.contexts_by_lineno(str(tmp_path / "module.py"))
    chosen = {one.before: executing(one, tests, contexts) for one in mutants(tmp_path / "module.py")}
    assert chosen["x < 1"] == ["test_low.py"]
    assert chosen["3"] == chosen["1 + 1"] == tests


def test_a_row_counts_the_time_limit_as_alive() -> None:
    text = row("x", ["killed"] * 17 + ["time limit"] + ["survived"] * 2)
    assert text.split()[:4] == ["x", "20", "17", "3"]
    assert text.endswith("85.0%  64.0% to 94.8%")
