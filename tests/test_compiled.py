"""Machine code kept on disk: a damaged file is replaced, and the function is compiled again."""

from __future__ import annotations

import runpy
from collections.abc import Callable
from pathlib import Path

import numba
import pytest

from synthlab import _compiled

ADD = """
from synthlab._compiled import compiled

@compiled
def add(a, b):
    return a + b

total = add(1, 2)
"""
DAMAGE: dict[str, Callable[[bytes], bytes]] = {
    "empty": lambda data: b"",
    "cut in the middle": lambda data: data[: len(data) // 2],
    "without its last byte": lambda data: data[:-1],
    "other bytes": lambda data: b"\x80\x04not a pickle." * 9,
}


@pytest.fixture
def script(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Return a script that compiles a function, whose machine code is kept next to the script."""
    monkeypatch.setattr(numba.config, "CACHE_DIR", str(tmp_path / "cache"))
    path = tmp_path / "adding.py"
    path.write_text(ADD)
    return path


def loads(script: Path) -> int:
    """Return how many functions were loaded from disk rather than compiled."""
    names = runpy.run_path(str(script))
    assert names["total"] == 3
    return sum(names["add"].stats.cache_hits.values())


@pytest.mark.parametrize("damage", DAMAGE)
@pytest.mark.parametrize("ending", ["nbi", "nbc"])
def test_a_damaged_cache_is_compiled_again_and_replaced(script: Path, ending: str, damage: str) -> None:
    assert (loads(script), loads(script)) == (0, 1)
    (kept,) = (script.parent / "cache").rglob(f"*.{ending}")
    kept.write_bytes(DAMAGE[damage](kept.read_bytes()))
    assert (loads(script), loads(script)) == (0, 1)


def test_a_damaged_cache_that_cannot_be_replaced_is_not_used(script: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(cache: object) -> None:
        raise PermissionError

    monkeypatch.setattr(_compiled.ReplacedIfDamaged, "flush", refuse)
    loads(script)
    (kept,) = (script.parent / "cache").rglob("*.nbi")
    damaged = kept.read_bytes()[:-1]
    kept.write_bytes(damaged)
    assert loads(script) == 0
    assert kept.read_bytes() == damaged


def test_every_compiled_function_of_the_package_replaces_damaged_files() -> None:
    package = Path(_compiled.__file__).parent
    users = [p.relative_to(package) for p in package.rglob("*.py") if "njit" in p.read_text(encoding="utf-8")]
    assert users == [Path("_compiled.py")]
