"""Student and teacher editions of the course: copies of the notebooks in a folder.

The student edition has no outputs, no solutions in the lectures, and no solution notebooks; the teacher edition has all of
these. A notebook that the user changed in the folder is never overwritten.
"""

from __future__ import annotations

import copy
import hashlib
import json
import re
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

from synthlab import _checks
from synthlab._system import atomic_write
from synthlab._typing import PathOrStr
from synthlab.exceptions import InputError
from synthlab.teaching import cell_tags
from synthlab.teaching.files import read_notebook

Kind = Literal["student", "teacher"]
KINDS = ("student", "teacher")
WRITTEN = ".synthlab-edition.json"  # digests of the written files, to detect later changes
ENDINGS = (".ipynb", ".md", ".png", ".svg", ".json", ".csv", "_checks.py")
SITE = "site"  # folder with the settings of the documentation site
NOT_FOR_STUDENTS = ("solutions", "instructor")
_LINK = re.compile(r"\[([^\]]*)\]\(([^)#:\s]+)(#[^)\s]*)?\)")


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


def write_edition(kind: Kind, folder: PathOrStr, *, source: PathOrStr = "course") -> Edition:
    """Write the student or the teacher edition of the course into a folder.

    Parameters
    ----------
    kind : {"student", "teacher"}
        Edition without or with outputs and solutions.
    folder : path
        Target folder, created if necessary. Files in it that were changed after they were written are kept.
    source : path, default "course"
        Folder of the course in a checkout of the project.

    Returns
    -------
    Edition

    Raises
    ------
    InputError
        If `source` contains no lecture, `folder` is inside `source`, or a file cannot be written.
    """
    _checks.check_choice(kind, "kind", KINDS)
    root, target = Path(source).resolve(), Path(folder).resolve()
    if not any(root.glob("*.ipynb")):
        raise InputError(f"source={str(source)!r}: contains no notebook; use the folder 'course' of a checkout")
    if target == root or target.is_relative_to(root):
        raise InputError(f"folder={str(folder)!r}: is inside the course; choose another folder")
    files = {path.relative_to(root): path for path in _files_of(root, kind)}
    contents = {name: _content(path, kind, name, files) for name, path in files.items()}
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


def student_version(notebook: Any) -> Any:
    """Return a copy of a lecture without outputs and cells tagged ``solution``."""
    notebook = copy.deepcopy(notebook)
    notebook.cells = [cell for cell in notebook.cells if "solution" not in cell_tags.tags(cell)]
    for cell in notebook.cells:
        if cell.cell_type == "code":
            cell.outputs, cell.execution_count = [], None
            cell.metadata.get("jupyter", {}).pop("outputs_hidden", None)
            if not cell.metadata.get("jupyter", True):
                del cell.metadata["jupyter"]
    return notebook


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


def _files_of(root: Path, kind: str) -> list[Path]:
    found = []
    for path in sorted(root.rglob("*")):
        parts = path.relative_to(root).parts
        hidden = any(part.startswith(".") for part in parts)
        if not path.name.endswith(ENDINGS) or hidden or parts[0] == SITE or not path.is_file():
            continue
        if kind == "student" and parts[0] in NOT_FOR_STUDENTS:
            continue
        found.append(path)
    return found


def _content(path: Path, kind: str, name: Path, files: Mapping[Path, Path]) -> bytes:
    import nbformat

    if path.suffix == ".md":
        return _links(path.read_text(encoding="utf-8"), name, files).encode()
    if path.suffix != ".ipynb":
        return path.read_bytes()
    notebook = read_notebook(path)
    if kind == "student":
        notebook = student_version(notebook)
    for cell in notebook.cells:
        if cell.cell_type == "markdown":
            cell.source = _links(cell.source, name, files)
    text: str = nbformat.writes(notebook, version=4)
    return (text.rstrip("\n") + "\n").encode()


def _links(text: str, name: Path, files: Mapping[Path, Path]) -> str:
    """Replace links to files outside the edition by their text."""

    def kept(link: re.Match[str]) -> str:
        parts: list[str] = []
        for part in (name.parent / link[2]).parts:
            if part == ".." and parts and parts[-1] != "..":
                parts.pop()
            else:
                parts.append(part)
        goal = Path(*parts)
        there = goal in files or any(file.is_relative_to(goal) for file in files)
        return link[0] if there else link[1]

    return _LINK.sub(kept, text)


def _written_before(folder: Path) -> dict[str, str]:
    try:
        known: dict[str, str] = json.loads((folder / WRITTEN).read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return {}
    return known if isinstance(known, dict) else {}


def _digest(data: bytes) -> str:
    return hashlib.sha256(data).hexdigest()
