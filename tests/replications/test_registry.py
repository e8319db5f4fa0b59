"""The registry: every entry can be run, and says what it takes."""

from __future__ import annotations

from importlib import import_module
from pathlib import Path

import pytest

from replications.registry import REPLICATIONS, find, replicate, to_csv
from synthlab.exceptions import InputError
from tests.loops import every

README = Path(__file__).parents[2].joinpath("course", "README.md").read_text(encoding="utf-8")


@every("name", REPLICATIONS)
def test_every_study_has_one_form(name: str) -> None:
    study = find(name)
    folder = import_module(f"replications.{study.name}")
    for function in ("run", "recorded", "summary"):
        assert getattr(folder, function) == getattr(study, function)
    assert study.paper
    assert f"({study.notebook.removeprefix('course/')})" in README
    assert Path(__file__).parents[2].joinpath(study.notebook).is_file()
    assert (study.seed is None) is (name == "lecture-8")
    assert set(study.quick) <= {*study.full, "bare", "two_way"}
    assert all(study.takes) or name in ("coverage", "lecture-8"), "seconds"


def test_quick_and_seed_are_passed_on(tmp_path: Path) -> None:
    first, second, other = (
        replicate("coverage", quick=True, rng=s, folder=tmp_path / f"{n}") for n, s in enumerate((1, 1, 2))
    )
    assert first.repetitions == 200
    assert to_csv("coverage", first) == to_csv("coverage", second) != to_csv("coverage", other)
    assert sorted(p.name for p in (tmp_path / "0").iterdir()) == [
        "claims.csv",
        "coverage.csv",
        "published.csv",
    ]


def test_a_result_is_written_as_its_table(tmp_path: Path) -> None:
    result = replicate("lecture-8", folder=tmp_path)
    assert to_csv("lecture-8", result).startswith("release,measure,published")
    assert to_csv("dp", find("dp").recorded()).startswith("paper,where,quantity,published,ours")


@pytest.mark.parametrize(
    ("name", "options", "message"),
    [
        ("lecture-9", {}, "did you mean 'lecture-8'"),
        ("lecture-8", {"quick": True}, "does not have a quick version"),
        ("lecture-8", {"rng": 1}, "does not use random numbers"),
    ],
)
def test_what_it_does_not_take_is_an_error(name: str, options: dict, message: str) -> None:
    with pytest.raises(InputError, match=message):
        replicate(name, **options)
