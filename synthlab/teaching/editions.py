"""Student and teacher editions of the course: copies of the notebooks in a folder.

The student edition has no outputs, no solutions in the lectures, and no solution notebooks; the teacher edition has all of
these. A notebook that the user changed in the folder is never overwritten.
"""

from __future__ import annotations

import copy
import hashlib
import json
import os
import subprocess
import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

from synthlab import _checks
from synthlab._system import atomic_write
from synthlab._typing import PathOrStr
from synthlab.exceptions import InputError
from synthlab.teaching import cell_tags
from synthlab.teaching.edition_files import course_files, keep_links, student_version, unmark
from synthlab.teaching.files import read_notebook

Kind = Literal["student", "teacher"]
KINDS = ("student", "teacher")
WRITTEN = ".synthlab-edition.json"  # digests of the written files, to detect later changes
SETTINGS = ".jupyterlab"  # folder of the settings of JupyterLab
OVERRIDES = Path(__file__).with_name("jupyterlab_overrides.json")
PACKAGED = "_course"  # folder of the student edition in an installed package


@dataclass(frozen=True, slots=True)
class Edition:
    """Files of an edition: written files and kept files.

    Attributes
    ----------
    folder : Path
    written, kept : tuple of Path
        Files that were written, and files that were kept because the user changed them.
    """

    folder: Path
    written: tuple[Path, ...]
    kept: tuple[Path, ...]


def write_edition(kind: Kind, folder: PathOrStr, *, source: PathOrStr | None = None) -> Edition:
    """Write the student or the teacher edition of the course into a folder.

    Parameters
    ----------
    kind : {"student", "teacher"}
        Edition without or with outputs and solutions.
    folder : path
        Target folder, created if necessary. Files in it that were changed after they were written are kept.
    source : path, optional
        Folder of the course in a checkout of the project. Default: the folder "course" of the checkout in which this
        package is, otherwise the student edition of the installed package.

    Returns
    -------
    Edition

    Raises
    ------
    InputError
        If `source` contains no lecture, `folder` is inside `source`, or a file cannot be written; for the teacher
        edition also if there is no checkout.
    """
    _checks.check_choice(kind, "kind", KINDS)
    root, target = _source(kind) if source is None else Path(source).resolve(), Path(folder).resolve()
    if not any(root.glob("*.ipynb")):
        raise InputError(f"source={str(source)!r}: contains no notebook; use the folder 'course' of a checkout")
    if target == root or target.is_relative_to(root):
        raise InputError(f"folder={str(folder)!r}: is inside the course; choose another folder")
    try:
        contents = course_files(root, kind)
    except ValueError as error:
        raise InputError(f"source={str(source or root)!r}: {error}") from None
    return _write(contents, target)


def write_solutions(lectures: Sequence[str], folder: PathOrStr, *, source: PathOrStr | None = None) -> Edition:
    """Write the solutions of some lectures into a folder, for example into the student edition of a class.

    Parameters
    ----------
    lectures : sequence of str
        Numbers of lectures, for example ``["8", "9b"]``.
    folder : path
        Target folder, created if necessary. It gets the solutions of the exercises, in the folder ``solutions``, and each
        lecture with its functions completed. Files in it that were changed after they were written are kept.
    source : path, optional
        Folder of the course in a checkout of the project. Default: the course of the checkout in which this package is.

    Returns
    -------
    Edition

    Raises
    ------
    InputError
        If a lecture does not exist, or as in `write_edition` for the teacher edition.
    """
    import nbformat

    root, target = _source("teacher") if source is None else Path(source).resolve(), Path(folder).resolve()
    if target == root or target.is_relative_to(root):
        raise InputError(f"folder={str(folder)!r}: is inside the course; choose another folder")
    solved = {path.name.split("_")[0].lstrip("0"): path for path in sorted((root / "solutions").glob("[0-9]*.ipynb"))}
    if unknown := [number for number in lectures if number.lstrip("0") not in solved]:
        raise InputError(f"lectures: no solutions of {_checks.named(unknown)}; there are {', '.join(solved)}")
    notebooks = {}
    for path in (solved[number.lstrip("0")] for number in lectures):
        lecture = path.name.replace("_solutions", "")
        notebooks[Path("solutions", path.name)] = read_notebook(path)
        notebooks[Path(lecture.replace(".ipynb", "_completed.ipynb"))] = filled_version(read_notebook(root / lecture))
    files = {*course_files(root, "student"), *notebooks}
    for name, notebook in notebooks.items():
        for cell in notebook.cells:
            unmark(cell)
            if cell.cell_type == "markdown":
                cell.source = keep_links(cell.source, name, files)
    contents = {name: (nbformat.writes(notebook) + "\n").encode() for name, notebook in notebooks.items()}
    return _write(contents, target)


def _write(contents: Mapping[Path, bytes], target: Path) -> Edition:
    """Write files into a folder, except files that were changed after they were written."""
    written, kept = [], []
    known = _written_before(target)
    for name, data in contents.items():
        place = target / name
        if place.exists() and known.get(name.as_posix()) != _digest(place.read_bytes()):
            if place.read_bytes() != data:
                kept.append(place)
            continue
        atomic_write.write_bytes(place, data)
        known[name.as_posix()] = _digest(data)
        written.append(place)
    atomic_write.write_text(target / WRITTEN, json.dumps(known, indent=1, sort_keys=True) + "\n")
    return Edition(target, tuple(written), tuple(kept))


def open_edition(folder: PathOrStr, *, port: int = 8888, browser: bool = True) -> None:
    """Open an edition in JupyterLab, which replaces this process where the system allows it.

    Markdown files open rendered, and JupyterLab shows no news.
    """
    root = Path(folder).resolve()
    options = [
        f"--port={port}",
        f"--ServerApp.root_dir={root}",
        "--LabApp.default_url=/lab/tree/README.md",
        f"--LabApp.app_settings_dir={root / SETTINGS}",
    ]
    atomic_write.write_text(root / SETTINGS / "overrides.json", OVERRIDES.read_text(encoding="utf-8"))
    options += ["--no-browser"] * (not browser) + ["--allow-root"] * (getattr(os, "geteuid", lambda: 1)() == 0)
    command = [sys.executable, "-m", "jupyterlab", *options]
    if os.name == "posix":
        sys.stdout.flush()  # a replaced process writes nothing more
        os.execv(sys.executable, command)  # JupyterLab itself answers Ctrl-C
    subprocess.run(command, check=False)


def _source(kind: Kind) -> Path:
    """Return the course of the checkout, or the student edition of the installed package."""
    package = Path(__file__).resolve().parents[1]
    checkout = package.parent / "course"
    if kind == "student" and (package / PACKAGED).is_dir():
        return package / PACKAGED
    if not checkout.is_dir():
        raise InputError(
            f"source: the installed package contains only the student edition; for the {kind} edition name the folder "
            "'course' of a checkout of the project"
        )
    return checkout


def filled_version(notebook: Any) -> Any:
    """Return the student version with every ``# your turn`` cell solved."""
    filled = copy.deepcopy(notebook)
    empty = None
    for cell in filled.cells:
        if cell.cell_type == "code" and cell.source.startswith("# your turn"):
            empty = cell
        elif "solution" in cell_tags.tags(cell) and empty is not None:
            empty.source, empty = f"# your turn\n{cell.source}", None
    return student_version(filled)


def _written_before(folder: Path) -> dict[str, str]:
    try:
        known: dict[str, str] = json.loads((folder / WRITTEN).read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return {}
    return known if isinstance(known, dict) else {}


def _digest(data: bytes) -> str:
    return hashlib.sha256(data).hexdigest()
