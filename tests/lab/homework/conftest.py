"""The master of homework 1, run in this process: what its cells leave behind."""

from __future__ import annotations

import contextlib
import io
import warnings
from pathlib import Path
from typing import Any

import pytest

from synthlab.lab.homework.versions import make_version, read_notebook

MASTER = Path(__file__).resolve().parents[3] / "course" / "homework" / "hw1_a_release_of_your_own.ipynb"


def run_cells(notebook: Any) -> dict[str, Any]:
    """Run the code cells of a notebook one after the other and return the variables."""
    variables: dict[str, Any] = {}
    with warnings.catch_warnings(), contextlib.redirect_stdout(io.StringIO()):
        for cell in notebook.cells:
            if cell.cell_type == "code":
                exec(compile(cell.source, cell.id, "exec"), variables)  # noqa: S102 - our own notebook
    return variables


@pytest.fixture(scope="session")
def master_path() -> Path:
    return MASTER


@pytest.fixture(scope="session")
def master() -> dict[str, Any]:
    return run_cells(read_notebook(MASTER))


@pytest.fixture(scope="session")
def student() -> dict[str, Any]:
    return run_cells(make_version(MASTER, "student"))
