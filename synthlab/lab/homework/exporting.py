"""From a master notebook to the source notebook of another grader: nbgrader, or otter-grader.

Those bring rosters, late days and learning platforms. Both run the checks in the kernel of the submission, where its code
can reach them; `grade_folder` checks in a process of its own.
"""

from __future__ import annotations

import copy
import json
from collections.abc import Mapping
from contextlib import redirect_stderr
from io import StringIO
from pathlib import Path
from typing import Any

from synthlab import _checks, _files
from synthlab._typing import PathOrStr
from synthlab._warnings import quiet
from synthlab.exceptions import InputError
from synthlab.lab.homework.checking import check
from synthlab.lab.homework.sealing import beside, seal_notebook
from synthlab.lab.homework.sources import STUB, WRITERS, asked
from synthlab.lab.homework.versions import TEXT, YOURS, class_number, is_answers, read_master, version_of

_KERNEL = {"display_name": "Python 3 (ipykernel)", "language": "python", "name": "python3"}
_CONFIG = f"""c = get_config()
# Put in the place of a solution; the line to be completed stands beside it.
c.ClearSolutions.code_stub = {{"python": "{STUB}"}}
c.ClearSolutions.text_stub = "{YOURS}"
# Seconds a cell may take.
c.Execute.timeout = 300
"""


def export_homework(master: PathOrStr, to: str, folder: PathOrStr, *, seed: str | None = None) -> list[Path]:
    """Write a homework as the source of another grader.

    The master is run and sealed; the sealed answers, and the checks beside the master if there are any, are written next
    to the notebook, where `check` finds them. Other files the notebook reads are yours to copy.

    Parameters
    ----------
    master : path
        The master notebook.
    to : {"nbgrader", "otter"}
        For nbgrader the folder is that of a course: ``source/<homework>/<homework>.ipynb``, and an
        ``nbgrader_config.py`` unless there is one. For otter-grader it is ``<homework>/<homework>.ipynb``, the notebook
        for ``otter assign``.
    folder : path
        Made if it is not there; an earlier export of the homework in it is replaced.
    seed : str, optional
        Any text that names the class, as of `write_versions`.

    Returns
    -------
    list of Path
        The files written, the notebook first.

    Raises
    ------
    InputError
        If the master is none, a question has not one cell with its check or with its mark, or a file cannot be written.
    SynthlabError
        If a cell of the master fails.

    Notes
    -----
    A question that is answered in words is for a person to grade, in either tool. Part of the points is given by nbgrader
    as the check gives it, and by otter-grader in whole points.

    Examples
    --------
    >>> from synthlab.lab.homework.exporting import export_homework
    >>> export_homework("hw1.ipynb", "moodle", "course")
    Traceback (most recent call last):
    synthlab.exceptions.InputError: to='moodle': must be one of 'nbgrader', 'otter'
    """
    import nbformat

    _checks.check_choice(to, "to", tuple(WRITERS))
    notebook = read_master(master, seed)
    version_of(notebook, "student", str(master))  # its marks are in order
    homework, sealed = seal_notebook(notebook, Path(master), "" if seed is None else f"-{class_number(seed)}")
    files = beside(master, homework, sealed)
    notebook = _prepared(notebook, master, homework, questions := json.loads(sealed)["questions"])
    notebook.cells = list(WRITERS[to](notebook.cells, homework, questions, list(files)))
    for number, cell in enumerate(notebook.cells):
        cell.id = f"cell-{number:03}"
    place = Path(folder).joinpath(*(["source"] if to == "nbgrader" else []), homework)
    files = {f"{homework}.ipynb": (nbformat.writes(notebook, version=4).rstrip("\n") + "\n").encode(), **files}
    written = [_files.write_bytes(place / name, content) for name, content in files.items()]
    config = Path(folder) / "nbgrader_config.py"
    if to == "nbgrader" and not config.exists():
        written.append(_files.write_text(config, _CONFIG))
    return written


def earned(question: str, answer: Any, least: float = 0.0) -> float:
    """Return the points of an answer: what a test cell of another grader calls.

    Parameters
    ----------
    question : str
        Homework and question, for example ``"hw1.exposed"``.
    answer : object
        The answer found.
    least : float
        The points below which it raises.

    Returns
    -------
    float

    Raises
    ------
    AssertionError
        With the message of the check, if the answer has no points or fewer than `least`.

    Examples
    --------
    >>> from synthlab.lab.homework.exporting import earned
    >>> earned("hw1.exposed", ...)
    Traceback (most recent call last):
    AssertionError: Not answered yet: put your answer in place of `...`.
    """
    # What is written to standard error counts as a failure with nbgrader.
    with redirect_stderr(StringIO()), quiet():
        result = check(question, answer)
    if result.points <= 0 or result.points < least:
        raise AssertionError(result.message)
    return float(result.points)


def _prepared(notebook: Any, master: PathOrStr, homework: str, questions: Mapping[str, Any]) -> Any:
    """Return the master without its answers and outputs, every question in it once."""
    notebook = copy.deepcopy(notebook)
    notebook.cells = [cell for cell in notebook.cells if not is_answers(cell)]
    notebook.nbformat_minor = max(5, notebook.nbformat_minor)  # from there on cells have ids
    notebook.metadata["kernelspec"] = _KERNEL
    found: list[tuple[str, bool]] = []
    for number, cell in enumerate(notebook.cells):
        cell.setdefault("id", f"cell-{number:03}")
        text = cell.cell_type == "markdown"
        names = asked(cell, homework)
        if len(names) > 1 or (text and TEXT.search(cell.source) and not names):
            many = f"{len(names)} questions" if names else "a SOLUTION mark in text without a WRITTEN mark"
            raise InputError(f"{master}: cell {cell.id!r} has {many}; a cell must be graded as one question")
        found += [(name, text) for name in names]
        if cell.cell_type == "code":
            cell.outputs, cell.execution_count = [], None
    for name, kept in questions.items():
        written = kept["kind"] == "written"
        if (count := found.count((name, written))) != 1:
            mark = f"<!-- WRITTEN {name} -->" if written else f'check("{homework}.{name}", {name})'
            raise InputError(f"{master}: has {count} cells with {mark}; it must have one")
    if odd := sorted({name for name, _ in found} - set(questions)):
        raise InputError(f"{master}: {_checks.shorten(odd)} has no answer in the cell # ANSWERS")
    return notebook
