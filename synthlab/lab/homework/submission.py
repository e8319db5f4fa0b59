"""Run one submission and check what it leaves behind."""

from __future__ import annotations

import json
import re
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from synthlab import _files
from synthlab.exceptions import InputError, SynthlabError
from synthlab.lab.homework.checking import CheckResult, check, sealed_homework
from synthlab.lab.homework.versions import YOURS, read_notebook

WRITTEN = re.compile(r"^<!-- WRITTEN (\w+) -->\s*$", re.MULTILINE)


@dataclass(frozen=True, slots=True)
class Submission:
    """The points of one submission before its written answers are read.

    Attributes
    ----------
    name : str
        File name without its ending.
    results : mapping {question: CheckResult}
    texts : mapping {question: str}
        The written answers.
    state : str
        The outcome of the run: "ran through", "3 cells failed", or why it did not run.
    """

    name: str
    results: dict[str, CheckResult]
    texts: dict[str, str]
    state: str


def run_submission(path: Path, homework: str, *, timeout: int) -> Submission:
    """Run a copy of a submission in a fresh kernel and check the variables that are named as the questions are.

    The checks are called anew, by a cell put at the end: what the notebook itself shows does not count. Code that is
    written to deceive the grader can; look at a notebook before its points matter. Whatever is wrong with it is its
    state, and the others are graded.
    """
    questions = sealed_homework(homework).questions
    checked = [name for name, kept in questions.items() if kept["kind"] != "written"]
    try:
        notebook = read_notebook(path)
        texts = _written_texts(notebook, [name for name in questions if name not in checked])
    except Exception as error:  # noqa: BLE001 - a file called .ipynb can hold anything
        said = error if isinstance(error, InputError) else type(error).__name__
        return _unread(path, homework, f"not read: {said}")
    try:
        state, results = _execute(notebook, homework, checked, timeout)
    except Exception as error:  # noqa: BLE001 - nor is it known what its code leaves behind
        state, results = f"stopped: {_line(f'{type(error).__name__}: {error}')}", {}
    results |= {name: check(f"{homework}.{name}", text) for name, text in texts.items()}
    results = {name: results.get(name) or _nothing(homework, name) for name in questions}
    return Submission(path.stem, results, texts, state)


def _execute(notebook: Any, homework: str, checked: list[str], timeout: int) -> tuple[str, dict[str, CheckResult]]:
    from nbformat.v4 import new_code_cell

    from synthlab.lab.course_outputs import execute

    with TemporaryDirectory() as folder:
        target = Path(folder) / "results.json"
        last = (
            "from synthlab.lab.homework.submission import collect as _collect\n"
            f"_collect({homework!r}, {checked!r}, globals(), {str(target)!r})"
        )
        notebook.cells.append(new_code_cell(last))
        try:
            execute(notebook, Path(folder) / "submission.ipynb", allow_errors=True, timeout=timeout)
        except SynthlabError as error:
            return f"stopped: {_line(str(error).splitlines()[-1])}", {}
        try:
            results = _read_results(target, homework, checked)
        except (OSError, ValueError, RecursionError) as error:
            return f"its results cannot be read: {_line(str(error))}", {}
    failed = sum(any(o.output_type == "error" for o in c.get("outputs", [])) for c in notebook.cells[:-1])
    return (f"{failed} cell{'s' if failed > 1 else ''} failed" if failed else "ran through"), results


def _read_results(path: Path, homework: str, checked: list[str]) -> dict[str, CheckResult]:
    """Read what `collect` wrote, or what a submission put in its place: the points there are depend on the question."""
    found = json.loads(path.read_text(encoding="utf-8")) if path.is_file() else {}
    if not isinstance(found, dict):
        raise ValueError("they are no mapping")
    results = {}
    for name in checked:
        if name not in found:
            continue
        match found[name]:
            case {"passed": bool(passed), "message": str(message)}:
                possible = _possible(homework, name)
                results[name] = CheckResult(f"{homework}.{name}", passed, possible * passed, possible, message)
            case _:
                raise ValueError(f"{name} is neither passed nor not")
    return results


def collect(homework: str, checked: list[str], variables: dict[str, Any], target: str) -> None:
    """Check the variables of the notebook this is called from, and write the results to a file."""
    results = {}
    for name in checked:
        try:
            result = check(f"{homework}.{name}", variables.get(name, ...))
        except Exception as error:  # noqa: BLE001 - an answer of any kind must not stop the grading of the others
            result = _nothing(homework, name, f"could not be checked: {type(error).__name__}: {error}")
        results[name] = {"passed": result.passed, "message": result.message}
    _files.write_text(target, json.dumps(results))


def _written_texts(notebook: Any, names: list[str]) -> dict[str, str]:
    """Return the text below the mark ``<!-- WRITTEN name -->`` of each written question."""
    texts = dict.fromkeys(names, "")
    for cell in notebook.cells:
        mark = WRITTEN.search(cell.source) if cell.cell_type == "markdown" else None
        if mark and mark.group(1) in texts:
            texts[mark.group(1)] = cell.source[mark.end() :].replace(YOURS, "").strip()
    return texts


def _nothing(homework: str, name: str, message: str = "No answer was found.") -> CheckResult:
    return CheckResult(f"{homework}.{name}", False, 0, _possible(homework, name), message)


def _possible(homework: str, name: str) -> int:
    points: int = sealed_homework(homework).questions[name]["points"]
    return points


def _line(text: str) -> str:
    """Return a text as one line that fits into a table."""
    return " ".join(text.split())[:200]


def _unread(path: Path, homework: str, state: str) -> Submission:
    questions = sealed_homework(homework).questions
    texts = {name: "" for name, kept in questions.items() if kept["kind"] == "written"}
    return Submission(path.stem, {name: _nothing(homework, name) for name in questions}, texts, state)
