"""What every homework of the course must hold: its master, its student edition, its sealed answers, its hints."""

from __future__ import annotations

import contextlib
import io
import warnings
from pathlib import Path
from typing import Any

import matplotlib.pyplot as plt
import nbformat

from synthlab.lab.homework import FunctionAnswer, NumberAnswer, check, make_version, seal_answers
from synthlab.lab.homework.sealing import to_json
from synthlab.lab.homework.versions import read_notebook

ROOT = Path(__file__).resolve().parents[3]
FEWEST_HINTS = 3


def path_of(stem: str, folder: str = "instructor") -> Path:
    return ROOT / "course" / folder / f"{stem}.ipynb"


def run_cells(notebook: Any, number: int = 1) -> dict[str, Any]:
    """Run the code cells as the class with this number would, and return the variables."""
    variables: dict[str, Any] = {}
    with warnings.catch_warnings(), contextlib.redirect_stdout(io.StringIO()):
        for cell in notebook.cells:
            if cell.cell_type == "code":
                source = cell.source.replace("CLASS = 1\n", f"CLASS = {number}\n")
                exec(compile(source, cell.id, "exec"), variables)  # noqa: S102 - our own notebook
    plt.close("all")
    return variables


def run_master(stem: str, number: int = 1) -> dict[str, Any]:
    return run_cells(read_notebook(path_of(stem)), number)


def run_student(stem: str) -> dict[str, Any]:
    return run_cells(read_notebook(path_of(stem, "homework")))


def hint(question: str, answer: Any) -> str:
    """Return what the check says of an answer that earns nothing."""
    result = check(question, answer)
    assert not result.passed
    assert result.points == 0, result
    return result.message


def told_otherwise(master: dict[str, Any]) -> list[str]:
    """Return the hints of typical wrong answers that are not what the check says of them."""
    wrong = {name: getattr(answer, "wrong", {}) for name, answer in master["answers"].items()}
    return [
        f"{name}: {said} -- {told}"
        for name, slips in wrong.items()
        for said, slip in slips.items()
        if (told := hint(f"{master['homework']}.{name}", slip)) != said[0].upper() + said[1:]
    ]


def too_few_hints(master: dict[str, Any]) -> list[str]:
    kinds = NumberAnswer | FunctionAnswer
    asked = {name: answer for name, answer in master["answers"].items() if isinstance(answer, kinds)}
    return [name for name, answer in asked.items() if len(answer.wrong) < FEWEST_HINTS]


def seals_are_those_of(master: dict[str, Any]) -> bool:
    name = master["homework"]
    kept = to_json(seal_answers(name, master["answers"], master["salt"]))
    return kept == (ROOT / f"synthlab/lab/homework/answers/{name}.json").read_text(encoding="utf-8")


def edition_is_that_of(stem: str) -> bool:
    """Say whether the committed student edition is the one that is made of the master."""
    made = nbformat.writes(make_version(path_of(stem), "student"), version=4).rstrip("\n") + "\n"
    return made == path_of(stem, "homework").read_text(encoding="utf-8")
