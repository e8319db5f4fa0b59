"""Everything a class gets and its lecturer keeps, made from a master: two versions, each beside the sealed answers."""

from __future__ import annotations

import copy
import json
from collections.abc import Mapping
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from synthlab import _files
from synthlab._typing import PathOrStr
from synthlab._warnings import warn
from synthlab.exceptions import InputError, SameAnswersWarning
from synthlab.lab.homework.checking import sealed_homework
from synthlab.lab.homework.sealing import beside, seal_notebook
from synthlab.lab.homework.versions import class_number, notebook_text, read_master, read_notebook, version_of


def write_versions(master: PathOrStr, out: PathOrStr, *, seed: str | None = None) -> list[Path]:
    """Run a master, and write what students get and the solution, each beside its sealed answers.

    Both are run before they are written: the solution must pass all its checks, and the student version must run
    through, as it is handed out, and pass none.

    Parameters
    ----------
    master : path
        The master notebook; it is run in its own folder and not changed.
    out : path
        Made if it is not there; earlier versions in it are replaced.
    seed : str, optional
        Any text that names the class: the number made from it (`versions.class_number`) takes the place of the master's
        own in the line ``CLASS = 1``, so that the class has other numbers than everybody who reads the master.

    Returns
    -------
    list of Path
        In the folders ``student`` and ``solution``: the notebook, under the name of the master; the sealed answers
        ``<homework>.json``; and ``<homework>_checks.py`` and the folder ``<homework>_data`` where they are beside the
        master.

    Warns
    -----
    SameAnswersWarning
        If a sealed answer of the class is that of the master itself.

    Raises
    ------
    InputError
        As `make_version` and `seal_master`; if `out` lies in the folder of the master, a check of the solution fails, one
        of the student version passes, or the files cannot be written.
    SynthlabError
        If a cell fails.
    """
    path, target = Path(master), Path(out)
    if target.resolve().is_relative_to(path.resolve().parent):
        raise InputError(f"out={str(out)!r}: lies in the folder of the masters, which students must not get")
    notebook = read_master(path, seed)
    versions = {kind: version_of(notebook, kind, str(master)) for kind in ("student", "solution")}
    pepper = "" if seed is None else f"-{class_number(seed)}"
    name, text = seal_notebook(notebook, path, pepper)
    if seed is not None:
        _warn_of_the_same(text, seal_notebook(read_notebook(path), path, pepper)[1])
    files = beside(path, name, text)
    passed = {kind: _passed(version, kind, name, files) for kind, version in versions.items()}
    if missed := [question for question, right in passed["solution"].items() if not right]:
        raise InputError(f"{master}: the solution does not pass the check of {', '.join(missed)}")
    if given := [question for question, right in passed["student"].items() if right]:
        raise InputError(f"{master}: what students get passes the check of {', '.join(given)}, with nothing filled in")
    texts: dict[Path, bytes] = {}
    for kind, version in versions.items():
        texts |= {target / kind / path.name: notebook_text(version).encode()}
        texts |= {target / kind / file: content for file, content in files.items()}
    return [_files.write_bytes(place, content) for place, content in texts.items()]


def _passed(version: Any, kind: str, homework: str, files: Mapping[str, bytes]) -> dict[str, bool]:
    """Run a version as whoever gets it, and say which checks it passes; a solution keeps its outputs."""
    from nbformat.v4 import new_code_cell

    from synthlab.lab.course_outputs import execute, normalise

    ran = copy.deepcopy(version)
    with TemporaryDirectory() as folder:
        for file, content in files.items():
            _files.write_bytes(Path(folder) / file, content)
        questions, target = sealed_homework(homework, folder).checked, Path(folder) / "passed.json"
        last = (
            "from synthlab.lab.homework.making import leave_passed as _leave\n"
            f"_leave({homework!r}, {questions!r}, globals(), {str(target)!r})"
        )
        ran.cells.append(new_code_cell(last))
        execute(ran, Path(folder) / f"{kind}.ipynb")
        passed: dict[str, bool] = json.loads(target.read_text(encoding="utf-8"))
    for cell, one in zip(version.cells, normalise(ran).cells, strict=False):
        if kind == "solution" and cell.cell_type == "code":
            cell.outputs, cell.execution_count = one.outputs, one.execution_count
    return passed


def leave_passed(homework: str, questions: list[str], variables: Mapping[str, Any], target: str) -> None:
    """Check the variables of the notebook this is called from, and write which of them are right."""
    from synthlab.lab.homework.checking import check

    passed = {question: check(f"{homework}.{question}", variables.get(question, ...)).passed for question in questions}
    _files.write_text(target, json.dumps(passed))


def _warn_of_the_same(text: str, own: str) -> None:
    numbers, others = (_sealed_numbers(json.loads(one)["questions"]) for one in (text, own))
    if same := [question for question, digests in numbers.items() if digests == others.get(question)]:
        warn(
            f"{', '.join(same)}: the same for this class as in the master; let what is asked for depend on CLASS",
            SameAnswersWarning,
            stacklevel=3,
        )


def _sealed_numbers(questions: Mapping[str, Any]) -> dict[str, Any]:
    """Return the digests of the right answers, of a function one for each case."""
    digests = {}
    for question, kept in questions.items():
        if kept["kind"] == "number":
            digests[question] = kept["right"]
        elif kept["kind"] == "function":
            digests[question] = [case["right"] for case in kept["cases"]]
    return digests
