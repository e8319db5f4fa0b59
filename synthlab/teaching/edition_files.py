"""Contents of the files of an edition of the course.

Only the standard library is used, because the build of the wheel runs this module to include the student edition.
"""

from __future__ import annotations

import copy
import json
import re
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

ENDINGS = (".ipynb", ".md", ".png", ".svg", ".json", ".csv", "_checks.py", "requirements.txt")
REPLICATIONS = "replications"  # folder of a package, which lectures import
CODE = (".py", ".csv.gz")  # endings of files of that package
SITE = "site"  # folder with the settings of the documentation site
PAGES_FOR_LECTURERS = ("teach_30_students.md", "write_a_homework.md", "publishing_synthlab.md")
NOT_FOR_STUDENTS = ("solutions", "instructor", *(f"pages/{name}" for name in PAGES_FOR_LECTURERS))
FOR_LECTURERS = "## Time plan"
MARKER = "nbval-"  # start of the tags for tests
_MENTION = re.compile(
    rf"^.*(?:\]\((?:\.\./)*|course/)(?:{'|'.join(map(re.escape, NOT_FOR_STUDENTS))}).*\n?", re.MULTILINE
)
_LINK = re.compile(r"\[([^\]]*)\]\(([^)#:\s]+)(#[^)\s]*)?\)")


def student_version(notebook: Any) -> Any:
    """Return a copy of a lecture without outputs, solutions, time plan and markers of tests."""
    notebook = copy.deepcopy(notebook)
    notebook["cells"] = [cell for cell in notebook["cells"] if not _is_for_lecturers(cell)]
    for cell in notebook["cells"]:
        if cell["cell_type"] == "code":
            unmark(cell)
            cell["outputs"], cell["execution_count"] = [], None
            cell["metadata"].get("jupyter", {}).pop("outputs_hidden", None)
            if not cell["metadata"].get("jupyter", True):
                del cell["metadata"]["jupyter"]
    return notebook


def unmark(cell: Any) -> None:
    """Remove the tags for tests from a cell, in place."""
    tags = [tag for tag in cell["metadata"].pop("tags", ()) if not tag.startswith(MARKER)]
    if tags:
        cell["metadata"]["tags"] = tags


def _is_for_lecturers(cell: Any) -> bool:
    return "solution" in cell["metadata"].get("tags", ()) or cell["source"].lstrip().startswith(FOR_LECTURERS)


def course_files(root: Path, kind: str) -> dict[Path, bytes]:
    """Return the contents of the files of an edition, by path relative to the course.

    Raises
    ------
    ValueError
        If a file is not a notebook; the message names the file.
    """
    files = {path.relative_to(root): path for path in sorted(root.rglob("*")) if _is_in_edition(path, root, kind)}
    return {name: _content(path, kind, name, files) for name, path in files.items()}


def _is_in_edition(path: Path, root: Path, kind: str) -> bool:
    name = path.relative_to(root)
    parts = name.parts
    hidden = any(part.startswith(".") for part in parts)
    left_out = (SITE, *NOT_FOR_STUDENTS) if kind == "student" else (SITE,)
    endings = ENDINGS + CODE * (parts[0] == REPLICATIONS)
    is_left_out = any(name.is_relative_to(one) for one in left_out)
    return path.name.endswith(endings) and not hidden and not is_left_out and path.is_file()


def _content(path: Path, kind: str, name: Path, files: Mapping[Path, Path]) -> bytes:
    if path.suffix == ".md":
        return _text(path.read_text(encoding="utf-8"), kind, name, files).encode()
    if path.suffix != ".ipynb":
        return path.read_bytes()
    try:
        notebook = json.loads(path.read_text(encoding="utf-8"))
        for cell in notebook["cells"]:
            cell["source"] = "".join(cell["source"])
    except (ValueError, KeyError, TypeError) as error:
        raise ValueError(f"{name.as_posix()!r}: the notebook cannot be read: {error}") from None
    if kind == "student":
        notebook = student_version(notebook)
    for cell in notebook["cells"]:
        text = cell["source"] if cell["cell_type"] != "markdown" else _text(cell["source"], kind, name, files)
        cell["source"] = text.splitlines(keepends=True)
    return (json.dumps(notebook, indent=1, sort_keys=True, ensure_ascii=False) + "\n").encode()


def _text(text: str, kind: str, name: Path, files: Mapping[Path, Path]) -> str:
    """Remove the lines about files for lecturers from the student edition, and links to files outside the edition."""
    return keep_links(_MENTION.sub("", text) if kind == "student" else text, name, files)


def keep_links(text: str, name: Path, files: Iterable[Path]) -> str:
    """Replace links to files outside the edition by their text."""

    def kept(link: re.Match[str]) -> str:
        parts: list[str] = []
        for part in (name.parent / link[2]).parts:
            if part == ".." and parts and parts[-1] != "..":
                parts.pop()
            else:
                parts.append(part)
        goal = Path(*parts)
        there = any(file.is_relative_to(goal) for file in files)
        return link[0] if there else link[1]

    return _LINK.sub(kept, text)
