"""Seal the answers of a master notebook: run it, and keep the digests."""

from __future__ import annotations

import copy
import json
import re
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from synthlab import _checks
from synthlab._typing import PathOrStr
from synthlab.exceptions import InputError
from synthlab.lab.homework.questions import FunctionAnswer, NumberAnswer, PropertyAnswer, WrittenAnswer
from synthlab.lab.homework.versions import is_answers, read_notebook


def seal_answers(homework: str, answers: Any, salt: str) -> dict[str, Any]:
    """Return what is kept about a homework, without the answers.

    Parameters
    ----------
    homework : str
        Its short name, letters and digits.
    answers : mapping {question: NumberAnswer, PropertyAnswer or WrittenAnswer}
        The values the master computed.
    salt : str
        Any text; another one makes all digests different.

    Returns
    -------
    dict

    Raises
    ------
    InputError
        If a name is not made of letters, digits and underscores, or an answer is none of the three kinds.
    """
    for name in (homework, *answers):
        if not isinstance(name, str) or not name.isidentifier():
            raise InputError(f"{name!r}: a homework and a question are named by letters, digits and underscores")
    if not isinstance(salt, str) or not salt:
        raise InputError("salt: must be a text")
    kinds = NumberAnswer | FunctionAnswer | PropertyAnswer | WrittenAnswer
    odd = [name for name, answer in answers.items() if not isinstance(answer, kinds)]
    if odd:
        raise InputError(
            f"answers: {_checks.shorten(odd)} is none of NumberAnswer, FunctionAnswer, PropertyAnswer, WrittenAnswer"
        )
    kept = {name: answer.sealed(salt, name) for name, answer in answers.items()}
    return {"homework": homework, "salt": salt, "questions": kept}


def seal_master(master: PathOrStr) -> tuple[str, str]:
    """Run a master notebook and return the name of the homework and what is kept about it, as JSON.

    The cell marked ``# ANSWERS`` of the master must leave ``homework``, ``salt`` and ``answers`` behind.

    Parameters
    ----------
    master : path
        The master notebook; it is run in its own folder and not changed.

    Returns
    -------
    tuple of two str

    Raises
    ------
    InputError
        If the master has no such cell, or not one alone.
    SynthlabError
        If a cell of it fails.
    """
    from nbformat.v4 import new_code_cell

    from synthlab.lab.course_outputs import execute

    notebook = copy.deepcopy(read_notebook(master))
    marked = sum(is_answers(cell) for cell in notebook.cells)
    if marked != 1:
        raise InputError(f"{master}: has {marked} cells marked # ANSWERS; it must have one")
    with TemporaryDirectory() as folder:
        target = Path(folder) / "sealed.json"
        last = (
            "from synthlab._files import write_text as _write\n"
            "from synthlab.lab.homework.sealing import seal_answers as _seal, to_json as _json\n"
            f"_write({str(target)!r}, _json(_seal(homework, answers, salt)))"
        )
        # What is sealed does not exist yet, so there is nothing to check against.
        first = "import synthlab.lab.homework as _homework\n_homework.check = lambda question, answer: None"
        notebook.cells = [new_code_cell(first), *notebook.cells, new_code_cell(last)]
        execute(notebook, Path(master))
        text = target.read_text(encoding="utf-8")
    return str(json.loads(text)["homework"]), text


def to_json(kept: dict[str, Any]) -> str:
    """Return what is kept as the text of its file."""
    text = json.dumps(kept, indent=1, ensure_ascii=False)
    return re.sub(r"\s+$", "", text) + "\n"
