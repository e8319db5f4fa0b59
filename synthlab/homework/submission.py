"""Run one submission and check what it leaves behind."""

from __future__ import annotations

import json
import re
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from synthlab.exceptions import InputError, SynthlabError
from synthlab.homework.check import CheckResult, check, sealed_homework
from synthlab.homework.versions import YOURS, read_notebook

WRITTEN = re.compile(r"^<!-- WRITTEN (\w+) -->\s*$", re.MULTILINE)


@dataclass(frozen=True, slots=True)
class Submission:
    """What one submission is worth before a person has read its written answers.

    Attributes
    ----------
    name : str
        File name without its ending.
    results : mapping {question: CheckResult}
    texts : mapping {question: str}
        The written answers.
    state : str
        How it ran: "ran through", "3 cells failed", or why it did not run.
    """

    name: str
    results: dict[str, CheckResult]
    texts: dict[str, str]
    state: str


def run_submission(path: Path, homework: str, *, timeout: int) -> Submission:
    """Run a copy of a submission in a fresh kernel and check the variables that are named as the questions are.

    The checks are called anew, by a cell put at the end: what the notebook itself shows does not count. Code that is
    written to deceive the grader can; look at a notebook before its points matter.
    """
    questions = sealed_homework(homework)["questions"]
    checked = [name for name, kept in questions.items() if kept["kind"] != "written"]
    try:
        notebook = read_notebook(path)
    except InputError as error:
        return _unread(path, homework, f"not read: {error}")
    texts = _written_texts(notebook, [name for name in questions if name not in checked])
    state, found = _execute(notebook, homework, checked, timeout)
    results = {name: CheckResult(**found[name]) if name in found else _nothing(homework, name) for name in checked}
    results |= {name: check(f"{homework}.{name}", text) for name, text in texts.items()}
    return Submission(path.stem, {name: results[name] for name in questions}, texts, state)


def _execute(notebook: Any, homework: str, checked: list[str], timeout: int) -> tuple[str, dict[str, dict[str, Any]]]:
    from nbformat.v4 import new_code_cell

    from synthlab.course_outputs import execute

    with TemporaryDirectory() as folder:
        target = Path(folder) / "results.json"
        last = (
            "from synthlab.homework.submission import collect as _collect\n"
            f"_collect({homework!r}, {checked!r}, globals(), {str(target)!r})"
        )
        notebook.cells.append(new_code_cell(last))
        try:
            execute(notebook, Path(folder) / "submission.ipynb", allow_errors=True, timeout=timeout)
        except SynthlabError as error:
            return f"stopped: {str(error).splitlines()[-1][:200]}", {}
        found = json.loads(target.read_text(encoding="utf-8")) if target.is_file() else {}
    failed = sum(any(o.output_type == "error" for o in c.get("outputs", [])) for c in notebook.cells[:-1])
    return (f"{failed} cell{'s' if failed > 1 else ''} failed" if failed else "ran through"), found


def collect(homework: str, checked: list[str], variables: dict[str, Any], target: str) -> None:
    """Check the variables of the notebook this is called from, and write the results to a file."""
    results = {}
    for name in checked:
        try:
            result = check(f"{homework}.{name}", variables.get(name, ...))
        except Exception as error:  # noqa: BLE001 - an answer of any kind must not stop the grading of the others
            result = _nothing(homework, name, f"could not be checked: {type(error).__name__}: {error}")
        results[name] = {part: getattr(result, part) for part in CheckResult.__dataclass_fields__}
    Path(target).write_text(json.dumps(results), encoding="utf-8")


def _written_texts(notebook: Any, names: list[str]) -> dict[str, str]:
    """Return what stands below the mark ``<!-- WRITTEN name -->`` of each written question."""
    texts = dict.fromkeys(names, "")
    for cell in notebook.cells:
        mark = WRITTEN.search(cell.source) if cell.cell_type == "markdown" else None
        if mark and mark.group(1) in texts:
            texts[mark.group(1)] = cell.source[mark.end() :].replace(YOURS, "").strip()
    return texts


def _nothing(homework: str, name: str, message: str = "No answer was found.") -> CheckResult:
    points = sealed_homework(homework)["questions"][name]["points"]
    return CheckResult(f"{homework}.{name}", False, 0, points, message)


def _unread(path: Path, homework: str, state: str) -> Submission:
    questions = sealed_homework(homework)["questions"]
    texts = {name: "" for name, kept in questions.items() if kept["kind"] == "written"}
    return Submission(path.stem, {name: _nothing(homework, name) for name in questions}, texts, state)
