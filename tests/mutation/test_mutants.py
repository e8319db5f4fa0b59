"""The mutator on a module of ten lines, and the verdicts kept by hand."""

from __future__ import annotations

import ast
from pathlib import Path

import pytest

from tests.mutation import child, mutants, table

HERE = Path(__file__).parent
MODULE = '''"""A text of 3 words."""
from typing import TYPE_CHECKING
if TYPE_CHECKING:
    import heavy
SIZE: int = 2

def share(part: int, of: int = 10) -> float:
    """Return 1 / 2."""
    if not of > 0:
        raise ValueError(f"of={of + 1}")
    return dict(repr=True, value=part / of)
'''


@pytest.fixture
def made(tmp_path):
    (tmp_path / "module.py").write_text(MODULE)
    return tmp_path, mutants.mutants(tmp_path, "module.py")


def test_what_is_planted_and_what_is_left_alone(made):
    _, found = made
    assert [(m.first, m.where, m.change) for m in found] == [
        (5, "", "SIZE: int = [2 -> 3]"),
        (5, "", "SIZE: int = [2 -> 1]"),
        (7, "share", "def share(part: int, of: [int=10) -> int=11)] -> float: pass"),
        (7, "share", "def share(part: int, of: [int=10) -> int=9)] -> float: pass"),
        (9, "share", "[if not of > 0: pass -> pass]"),
        (9, "share", "if [not of -> of] > 0: pass"),
        (9, "share", "if not of [> -> >=] 0: pass"),
        (9, "share", "if not of [> -> <=] 0: pass"),
        (9, "share", "if not of > [0: -> 1:] pass"),
        (9, "share", "if not of > [0: -> -1:] pass"),
        (10, "share", "[raise ValueError(f'of={of + 1}') -> pass]"),
        (11, "share", "return [dict(repr=True, value=part / of) -> None]"),
        (11, "share", "...turn dict(repr=True, value=part [/ -> *] of)"),
    ]


def test_each_fault_is_planted_alone(made):
    folder, found = made
    sound = ast.unparse(ast.parse(MODULE)).splitlines()
    for mutant in found:
        lines = ast.unparse(mutants.planted(folder, mutant)).splitlines()
        # A dropped `if` takes its body with it.
        assert len(lines) == len(sound) - mutant.change.startswith("[if")
        assert sum(a != b for a, b in zip(lines, sound, strict=False)) >= 1
        if len(lines) == len(sound):
            assert sum(a != b for a, b in zip(lines, sound, strict=True)) == 1


def test_the_seed_draws_the_sample(made):
    folder, found = made
    first, again, other = (mutants.sample(folder, "module.py", seed=seed, size=5) for seed in (1, 1, 2))
    assert first == again != other
    assert set(first) <= set(found)


def test_a_planted_module_is_found_in_the_place_of_the_file(made, tmp_path):
    folder, found = made
    (folder / "test_it.py").write_text(
        "from module import share\n\ndef test_half():\n    assert share(5)['value'] == 0.5\n"
    )
    divided = next(m for m in found if "[/ -> *]" in m.change)
    options = {"log": tmp_path / "log", "cpu": 60.0}
    order = ["test_it.py::test_half"]
    assert child.run(folder, order, **options).code == 0
    spoilt = child.run(folder, order, **options, file="module.py", tree=mutants.planted(folder, divided))
    assert (spoilt.code, spoilt.failed) == (1, "test_it.py::test_half")
    gone = ast.parse("raise ImportError")
    assert child.run(folder, order, **options, file="module.py", tree=gone).failed == "import"


def test_every_verdict_is_of_a_mutant_that_is_there():
    root = HERE.parents[1]
    verdicts = table.read_verdicts(HERE / "verdicts.toml")
    keys = {m.key for file in {file for file, _, _ in verdicts} for m in mutants.mutants(root, file)}
    assert not [key for key in verdicts if key not in keys]
