"""Masters of homework, run in this process: what their cells leave behind, and what their checks say."""

from __future__ import annotations

import contextlib
import io
import warnings
from functools import cached_property
from pathlib import Path
from typing import Any

from synthlab.lab.homework import check, make_version, seal_answers
from synthlab.lab.homework.sealing import to_json
from synthlab.lab.homework.versions import read_notebook

ROOT = Path(__file__).resolve().parents[3]


class Master:
    """A master of ours: `course/instructor/<stem>.ipynb`."""

    def __init__(self, stem: str) -> None:
        self.homework = stem.partition("_")[0]
        self.path = ROOT / "course" / "instructor" / f"{stem}.ipynb"
        self.edition = ROOT / "course" / "homework" / f"{stem}.ipynb"
        self.sealed = ROOT / "synthlab" / "lab" / "homework" / "answers" / f"{self.homework}.json"

    @cached_property
    def notebook(self) -> Any:
        return read_notebook(self.path)

    @cached_property
    def left(self) -> dict[str, Any]:
        """The variables of the master."""
        return run_cells(self.notebook)

    @cached_property
    def empty(self) -> dict[str, Any]:
        """The variables of the student edition with nothing filled in."""
        return run_cells(read_notebook(self.edition))

    def text(self, question: str) -> str:
        """Return the written model answer."""
        return next(c.source for c in self.notebook.cells if f"<!-- WRITTEN {question} -->" in c.source)

    def hint(self, question: str, answer: Any, points: float = 0) -> str:
        """Return the message of an answer that is not right."""
        result = check(f"{self.homework}.{question}", answer)
        assert not result.passed, result
        assert result.points == points, result
        return result.message

    def seal(self, number: int = 1) -> str:
        """Return the sealed answers of the class with this number."""
        left = self.left if number == 1 else run_cells(self.notebook, number)
        return to_json(seal_answers(self.homework, left["answers"], left["salt"]))

    def passes(self, question: str, number: int) -> Any:
        """Return the judgement of the property of a question about the solution of the class with this number."""
        from synthlab.lab.homework.properties import PROPERTIES

        left = run_cells(self.notebook, number)
        asked = left["answers"][question]
        return PROPERTIES[asked.name](left[question], asked.settings)

    def student_edition(self) -> Any:
        """Return the student edition as it is made from the master."""
        return make_version(self.path, "student")


def run_cells(notebook: Any, number: int = 1) -> dict[str, Any]:
    """Run the code cells of a notebook, for the class with this number, and return the variables."""
    variables: dict[str, Any] = {}
    with warnings.catch_warnings(), contextlib.redirect_stdout(io.StringIO()):
        for cell in notebook.cells:
            if cell.cell_type == "code":
                source = cell.source.replace("\nCLASS = 1\n", f"\nCLASS = {number}\n")
                exec(compile(source, cell.id, "exec"), variables)  # noqa: S102 - our own notebook
    return variables
