"""Machine code kept on disk: the cache is used, may be missing, and damage is reported with a remedy."""

from __future__ import annotations

import os
import runpy
import subprocess
import sys
from pathlib import Path
from typing import Any

import numba
import pytest

from synthlab._system import compiled
from synthlab.exceptions import SynthlabError

ADD = """
from synthlab._system.compiled import compiled

@compiled
def one():
    return 1

@compiled
def add(a, b):
    return a + b * one()

total = add(1, 2)
"""


@pytest.fixture
def script(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Return a script that compiles two functions, one of which calls the other."""
    monkeypatch.setattr(numba.config, "CACHE_DIR", str(tmp_path / "cache"))
    path = tmp_path / "adding.py"
    path.write_text(ADD)
    return path


def loads(script: Path) -> int:
    """Return how many signatures of `add` were loaded from disk instead of compiled."""
    names = runpy.run_path(str(script))
    assert names["total"] == 3
    return sum(names["add"].dispatcher.stats.cache_hits.values())


def test_the_cache_is_used_and_damage_is_reported_with_a_remedy(script: Path) -> None:
    assert (loads(script), loads(script)) == (0, 1)
    for kept in (script.parent / "cache").rglob("*.nb[ic]"):
        data = kept.read_bytes()
        for damaged in (b"", data[: len(data) // 2], b"\x80\x04not a pickle." * 9):
            kept.write_bytes(damaged)
            if "one" in kept.name:  # not read as long as the machine code of `add` is
                assert loads(script) == 1
            else:
                with pytest.raises(SynthlabError, match=r"^the machine code .*delete this folder.*NUMBA_CACHE_DIR"):
                    loads(script)
        kept.write_bytes(data)
    assert loads(script) == 1


def test_functions_are_compiled_without_a_cache_where_numba_finds_no_folder() -> None:
    names: dict[str, Any] = {}
    exec(compile(ADD, "<no file>", "exec"), names)  # noqa: S102
    assert names["total"] == 3
    assert names["add"].dispatcher.stats.cache_path is None


def test_an_error_of_a_compiled_function_is_passed_on() -> None:
    @compiled.compiled
    def divide(a: float, b: float) -> float:
        return a / b

    with pytest.raises(ZeroDivisionError):
        divide(1.0, 0.0)


def test_every_compiled_function_of_the_package_is_kept() -> None:
    package = Path(compiled.__file__).parents[1]
    users = [p.relative_to(package) for p in package.rglob("*.py") if "njit" in p.read_text(encoding="utf-8")]
    assert users == [Path("_system/compiled.py")]


@pytest.mark.full
def test_the_doctor_fills_the_cache(tmp_path: Path) -> None:
    environment = {**os.environ, "NUMBA_CACHE_DIR": str(tmp_path)}
    subprocess.run([sys.executable, "-m", "synthlab.cli", "doctor", "--compile"], env=environment, check=True)
    before = {path: path.stat().st_mtime_ns for path in tmp_path.rglob("*.nbc")}
    first = (
        "import pandas as pd, synthlab as sl; f = pd.DataFrame({'a': [1.0, 2.5, 3.5], 'b': ['x', 'y', 'x']});"
        "sl.identification_risk(f, f, sl.Intruder(known=['b'], synthesized=['a'], radius=0.1))"
    )
    subprocess.run([sys.executable, "-c", first], env=environment, check=True)
    assert before
    assert {path: path.stat().st_mtime_ns for path in tmp_path.rglob("*.nbc")} == before
