"""The notebooks of the replications show the recorded numbers: a changed number changes a compared output."""

from __future__ import annotations

import contextlib
import io
from pathlib import Path

import nbformat
import pytest

from replications.registry import REPLICATIONS, find
from replications.study import Study

ROOT = Path(__file__).resolve().parents[2]
CHECKED = "nbval-check-output"
# By study: a recorded table, a column of it, and the place of a compared cell that shows it.
SHOWN = {
    "coverage": ("table", "coverage", 0),
    "dp": ("runs", "lipschitz_bound", 0),
    "gamma-family": ("settings", "overlap_q50", 2),
    "hu-course": ("numbers", "ours", 0),
    "intruder": ("baseline", "confidential, expected", 0),
    "lecture-8": ("numbers", "here", 0),
    "nested-households": ("chains", "value", 0),
    "real-incomes": ("weighted", "value", 0),
    "risk-weighted": ("repetitions", "value", 0),
    "strict": ("mechanisms", "U_m", 0),
    "survey-design": ("coverage", "coverage", 0),
}


def cells(name: str) -> list[nbformat.NotebookNode]:
    return [c for c in nbformat.read(ROOT / find(name).notebook, as_version=4).cells if c.cell_type == "code"]


def printed(first: str, compared: str) -> str:
    """Return what a compared cell prints after the first cell of its notebook."""
    space: dict[str, object] = {}
    exec(first, space)  # noqa: S102 - a cell of our own notebook
    with contextlib.redirect_stdout(io.StringIO()) as out:
        exec(compared, space)  # noqa: S102
    return out.getvalue()


@pytest.mark.parametrize("name", REPLICATIONS)
def test_a_notebook_has_three_compared_cells_and_a_picture(name: str) -> None:
    found = cells(name)
    assert sum(CHECKED in c.metadata.get("tags", ()) for c in found) >= 3
    assert any("<figure" in o.get("data", {}).get("text/html", "") for c in found for o in c.outputs)


@pytest.mark.parametrize("name", REPLICATIONS)
def test_a_changed_number_of_the_record_changes_the_notebook(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    table, column, place = SHOWN[name]
    found = cells(name)
    compared = [c for c in found if CHECKED in c.metadata.get("tags", ())][place]
    saved = "".join(o["text"] for o in compared.outputs)
    assert printed(found[0].source, compared.source) == saved
    study = type(find(name))
    read = study.read

    def changed(self: Study, which: str):
        rows = read(self, which)
        return rows.assign(**{column: 1.5 * rows[column]}) if which == table else rows

    monkeypatch.setattr(study, "read", changed)
    assert printed(found[0].source, compared.source) != saved
