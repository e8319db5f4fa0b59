"""The corpus: no exception, no column changes its form, and every broken relation is named."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.corpus import files, made
from tests.corpus.checks import Outcome, examine


def check(outcome: Outcome) -> None:
    assert not outcome.traceback, outcome.traceback
    assert not [one for one in outcome.problems if one.startswith(("form of", "type of", "precisions of"))], (
        outcome.file
    )
    assert outcome.unnamed == 0, outcome.problems


@pytest.mark.editions
@pytest.mark.parametrize("name", made.MADE)
def test_generated_files(name: str, tmp_path: Path) -> None:
    (path,) = [one for one in made.write_all(tmp_path) if one.stem == f"made_{name}"]
    outcome = examine(path)
    check(outcome)
    assert outcome.broken == 0, outcome.problems
    assert outcome.verdict.startswith("NOTHING FOUND")


@pytest.mark.editions
@pytest.mark.parametrize("place", range(64))
def test_files_of_packages(place: int) -> None:
    files.install()
    paths = files.chosen(64)
    if place >= len(paths):
        pytest.skip("the packages with the files could not be installed")
    check(examine(paths[place]))
