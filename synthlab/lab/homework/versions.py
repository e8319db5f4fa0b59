"""From the master notebook of a homework to what students get, and to the solution.

Marks in the master, each alone on its line:

- in code, ``# SOLUTION BEGIN`` to ``# SOLUTION END``: the student version holds, in its place, the lines that begin with
  ``# STUDENT:`` within it (without that mark), or ``# your code``;
- in text, ``<!-- SOLUTION BEGIN -->`` to ``<!-- SOLUTION END -->``: "*Your answer here.*";
- a cell with ``# ANSWERS`` in its first line: the sealed answers; in neither version.
"""

from __future__ import annotations

import copy
import re
from pathlib import Path
from typing import Any

from synthlab import _checks, _files
from synthlab._typing import PathOrStr
from synthlab.exceptions import InputError

STUDENT = "# STUDENT:"
ANSWERS = "# ANSWERS"
YOURS = "*Your answer here.*"
_CODE = re.compile(r"^( *)# SOLUTION BEGIN\n(.*?)^ *# SOLUTION END$", re.MULTILINE | re.DOTALL)
_TEXT = re.compile(r"^<!-- SOLUTION BEGIN -->\n(.*?)^<!-- SOLUTION END -->$", re.MULTILINE | re.DOTALL)


def make_version(master: PathOrStr, kind: str) -> Any:
    """Return the student or the solution version of a master notebook.

    Parameters
    ----------
    master : path
        The master notebook.
    kind : {"student", "solution"}
        The student version has its solutions blanked and no outputs; the solution version has both.

    Returns
    -------
    nbformat.NotebookNode

    Raises
    ------
    InputError
        If the master cannot be read, a mark has no partner, or there is nothing to blank.
    """
    _checks.check_choice(kind, "kind", ("student", "solution"))
    notebook = copy.deepcopy(read_notebook(master))
    notebook.cells = [c for c in notebook.cells if not is_answers(c)]
    blanked = 0
    for cell in notebook.cells:
        pattern = _CODE if cell.cell_type == "code" else _TEXT
        found = pattern.findall(cell.source)
        marks = len(re.findall(r"SOLUTION (?:BEGIN|END)", cell.source))
        if marks != 2 * len(found):
            raise InputError(f"{master}: cell {cell.id!r} has a SOLUTION mark without its partner")
        blanked += len(found)
        cell.source = pattern.sub(_blank if kind == "student" else _reveal, cell.source)
        if kind == "student" and cell.cell_type == "code":
            cell.outputs, cell.execution_count = [], None
    if blanked == 0:
        raise InputError(f"{master}: has no SOLUTION marks; it is not a master notebook")
    return notebook


def write_versions(master: PathOrStr, folder: PathOrStr) -> list[Path]:
    """Write the student and the solution version of a master into a folder.

    Parameters
    ----------
    master : path
        The master notebook.
    folder : path
        Made if it is not there; earlier versions in it are replaced.

    Returns
    -------
    list of Path
        ``<name>_student.ipynb`` and ``<name>_solution.ipynb``.

    Raises
    ------
    InputError
        As `make_version`, or if the files cannot be written.
    """
    import nbformat

    target = Path(folder)
    written = []
    for kind in ("student", "solution"):
        text = nbformat.writes(make_version(master, kind), version=4).rstrip("\n") + "\n"
        written.append(_files.write_text(target / f"{Path(master).stem}_{kind}.ipynb", text))
    return written


def read_notebook(path: PathOrStr) -> Any:
    """Return a notebook, or raise an `InputError` that names the file."""
    import nbformat

    try:
        return nbformat.read(Path(path), as_version=4)
    except (OSError, ValueError, nbformat.reader.NotJSONError, nbformat.ValidationError) as error:
        raise InputError(f"{str(path)!r}: is no notebook that can be read: {error}") from None


def is_answers(cell: Any) -> bool:
    """Say whether a cell holds the answers to be sealed."""
    return bool(cell.cell_type == "code" and cell.source.lstrip().partition("\n")[0].strip() == ANSWERS)


def _blank(match: re.Match[str]) -> str:
    if match.re is _TEXT:
        return YOURS
    indent = match.group(1)
    stubs = [
        line.strip().removeprefix(STUDENT).removeprefix(" ") for line in match.group(2).splitlines() if STUDENT in line
    ]
    return "\n".join(indent + stub for stub in stubs) if stubs else f"{indent}# your code"


def _reveal(match: re.Match[str]) -> str:
    body = match.group(match.re.groups)
    return "\n".join(line for line in body.splitlines() if STUDENT not in line)
