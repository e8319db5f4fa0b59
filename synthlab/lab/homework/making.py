"""Everything a class gets and its lecturer keeps, made from a master: two versions, and the answers under seal."""

from __future__ import annotations

import json
import warnings
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

from synthlab import _files
from synthlab._typing import PathOrStr
from synthlab.exceptions import InputError, SameAnswersWarning
from synthlab.lab.homework.sealing import run_master
from synthlab.lab.homework.versions import class_number, notebook_text, read_master, version_of


def write_versions(master: PathOrStr, out: PathOrStr, *, seed: str | None = None) -> list[Path]:
    """Run a master, and write what students get and the solution, each beside its sealed answers.

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
        In the folders ``student`` and ``solution`` the notebook, under the name of the master, the sealed answers
        ``<homework>.json``, and ``<homework>_checks.py`` where there is one beside the master.

    Warns
    -----
    SameAnswersWarning
        If a sealed answer of the class is that of the master itself.

    Raises
    ------
    InputError
        As `make_version` and `seal_master`, if `out` lies in the folder of the master, or the files cannot be written.
    SynthlabError
        If a cell of the master fails.
    """
    path, target = Path(master), Path(out)
    if target.resolve().is_relative_to(path.resolve().parent):
        raise InputError(f"out={str(out)!r}: lies in the folder of the masters; students must not get that one")
    notebook = read_master(path, seed)
    student = version_of(notebook, "student", str(master))  # marks are complained of before anything runs
    salt = "" if seed is None else f"-{class_number(seed)}"
    sealed = run_master(notebook, path, salt)
    if seed is not None:
        own = run_master(read_master(path), path, salt)
        _warn_of_the_same(json.loads(sealed.text)["questions"], json.loads(own.text)["questions"])
    versions = {"student": student, "solution": version_of(sealed.notebook, "solution", str(master))}
    texts = {}
    for kind, version in versions.items():
        texts |= {target / kind / path.name: notebook_text(version)}
        texts |= {target / kind / name: text for name, text in sealed.files.items()}
    return [_files.write_text(place, text) for place, text in texts.items()]


def _warn_of_the_same(questions: Mapping[str, Any], own: Mapping[str, Any]) -> None:
    same = [name for name, kept in questions.items() if "right" in kept and kept["right"] == own[name]["right"]]
    if same:
        warnings.warn(
            f"{', '.join(same)}: the same for this class as in the master; let the answer depend on CLASS",
            SameAnswersWarning,
            stacklevel=3,
        )
