"""The page course/pages/households.md does what it says, and its table is that of the dataset."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.site.test_how_to import run
from tests.snippets import read

PAGE = "course/pages/households.md"


@pytest.mark.full
def test_the_page_runs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    assert run(read(PAGE)) == 7
