"""Seal the answers of a master notebook: run it, and keep the digests."""

from __future__ import annotations

import copy
import json
import re
from collections.abc import Mapping
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from synthlab import _checks
from synthlab._typing import PathOrStr
from synthlab.exceptions import InputError
from synthlab.lab.homework.checking import read_checks
from synthlab.lab.homework.questions import FunctionAnswer, NumberAnswer, PropertyAnswer, WrittenAnswer
from synthlab.lab.homework.versions import is_answers, read_notebook


def seal_answers(homework: str, answers: Any, salt: str) -> dict[str, Any]:
    """Return what is kept about a homework, without the answers.

    Parameters
    ----------
    homework : str
        Its short name, letters and digits.
    answers : mapping {question: NumberAnswer, FunctionAnswer, PropertyAnswer or WrittenAnswer}
        The values the master computed.
    salt : str
        Any text; another one makes all digests different.

    Returns
    -------
    dict

    Raises
    ------
    InputError
        If a name is not made of letters, digits and underscores, or an answer is none of the four kinds.
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
        If the master has no such cell, or not one alone, or a property is found neither in the package nor in
        ``<homework>_checks.py`` beside the master.
    SynthlabError
        If a cell of it fails.
    """
    return seal_notebook(read_notebook(master), Path(master))


def seal_notebook(notebook: Any, path: Path, pepper: str = "") -> tuple[str, str]:
    """Run a master that was read as if it stood at `path`; `pepper` is put after its salt. Else as `seal_master`."""
    from nbformat.v4 import new_code_cell

    from synthlab.lab.course_outputs import execute

    master = copy.deepcopy(notebook)
    marked = sum(is_answers(cell) for cell in master.cells)
    if marked != 1:
        raise InputError(f"{path}: has {marked} cells marked # ANSWERS; it must have one")
    with TemporaryDirectory() as folder:
        target = Path(folder) / "sealed.json"
        last = (
            "from synthlab._files import write_text as _write\n"
            "from synthlab.lab.homework.sealing import seal_answers as _seal, to_json as _json\n"
            f"_write({str(target)!r}, _json(_seal(homework, answers, salt + {pepper!r})))"
        )
        # What is sealed does not exist yet, so there is nothing to check against.
        first = "import synthlab.lab.homework as _homework\n_homework.check = lambda question, answer: None"
        master.cells = [new_code_cell(first), *master.cells, new_code_cell(last)]
        execute(master, path)
        text = target.read_text(encoding="utf-8")
    kept = json.loads(text)
    own = read_checks(checks_of(path, kept["homework"]))
    for question, one in kept["questions"].items():
        if one["kind"] == "property" and one["name"] not in own and one["name"] not in _package_properties():
            raise InputError(
                f"{path}: {question!r} asks for the property {one['name']!r}, which is neither in the package nor in "
                f"{checks_of(path, kept['homework']).name} beside the master"
            )
    return str(kept["homework"]), text


def _package_properties() -> Mapping[str, Any]:
    from synthlab.lab.homework.properties import PROPERTIES

    return PROPERTIES


def checks_of(master: Path, homework: str) -> Path:
    """Return the place beside a master where the checks of its own are, if it has any."""
    return master.with_name(f"{homework}_checks.py")


def beside(master: PathOrStr, homework: str, text: str) -> dict[str, bytes]:
    """Return what stands beside a notebook of a homework, by name: sealed answers, and checks and data where there are."""
    checks, data = checks_of(Path(master), homework), Path(master).with_name(f"{homework}_data")
    there = [checks, *(path for path in sorted(data.rglob("*")) if not path.name.startswith("."))]
    kept = {path.relative_to(data.parent).as_posix(): path.read_bytes() for path in there if path.is_file()}
    return {f"{homework}.json": text.encode(), **kept}


def to_json(kept: dict[str, Any]) -> str:
    """Return what is kept as the text of its file."""
    text = json.dumps(kept, indent=1, ensure_ascii=False)
    return re.sub(r"\s+$", "", text) + "\n"
