"""From the master notebook of a homework to what students get, and to the solution.

Marks in the master, each alone on its line:

- in code, ``# SOLUTION BEGIN`` to ``# SOLUTION END``: the student version holds, in its place, the lines that begin with
  ``# STUDENT:`` within it (without that mark), or ``# your code``;
- in text, ``<!-- SOLUTION BEGIN -->`` to ``<!-- SOLUTION END -->``: "*Your answer here.*";
- in text, ``<!-- WRITTEN name -->``: the written answer to a question; in the versions the cell is known by its metadata
  as well, so that an answer is found where the mark was deleted;
- a cell with ``# ANSWERS`` in its first line: the sealed answers; in neither version;
- in code, one line ``CLASS = 1``: the number of the class, on which all that is asked for depends.
"""

from __future__ import annotations

import copy
import hashlib
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from synthlab import _checks
from synthlab._typing import PathOrStr
from synthlab.exceptions import InputError

STUDENT = "# STUDENT:"
ANSWERS = "# ANSWERS"
YOURS = "*Your answer here.*"
WRITTEN = re.compile(r"^<!-- WRITTEN (\w+) -->\s*$", re.MULTILINE)
CLASSES = 999_999
CODE = re.compile(r"^( *)# SOLUTION BEGIN\n(.*?)^ *# SOLUTION END$", re.MULTILINE | re.DOTALL)
TEXT = re.compile(r"^<!-- SOLUTION BEGIN -->\n(.*?)^<!-- SOLUTION END -->$", re.MULTILINE | re.DOTALL)
_CLASS = re.compile(r"^CLASS = \d+$", re.MULTILINE)
# Of a mark that was misspelt, so that nothing was blanked there.
_LEFT = re.compile(
    r"^ *# *(SOLUTION +(BEGIN|END)|STUDENT *:)|<!-- *SOLUTION|\b(Number|Function|Property|Written)Answer\b",
    re.MULTILINE | re.IGNORECASE,
)
# A line that stands in many places without telling anything: short, an import, a comment, the head of a block.
_TELLS_NOTHING = re.compile(r".{0,14}|(import|from) .*|# .*|.*[:(\[{]", re.DOTALL)


def make_version(master: PathOrStr, kind: str, *, seed: str | None = None) -> Any:
    """Return the student or the solution version of a master notebook.

    Parameters
    ----------
    master : path
        The master notebook.
    kind : {"student", "solution"}
        The student version has its solutions blanked and no outputs; the solution version has both.
    seed : str, optional
        Any text that names the class; the number of the class is made from it (`class_number`). Without it the
        master's own stays.

    Returns
    -------
    nbformat.NotebookNode

    Raises
    ------
    InputError
        If the master cannot be read, a mark has no partner, there is nothing to blank, what students get would hold
        a solution, or there is a seed and not one line ``CLASS = 1``.
    """
    _checks.check_choice(kind, "kind", ("student", "solution"))
    return version_of(read_master(master, seed), kind, str(master))


def version_of(notebook: Any, kind: str, where: str) -> Any:
    """Return a version of a master that was read; the master stays as it is, and messages name `where` it is from."""
    made = copy.deepcopy(notebook)
    made.cells = [c for c in made.cells if not is_answers(c)]
    solutions = solutions_of(made)
    for cell in made.cells:
        pattern = CODE if cell.cell_type == "code" else TEXT
        if len(re.findall(r"SOLUTION (?:BEGIN|END)", cell.source)) != 2 * len(pattern.findall(cell.source)):
            raise InputError(f"{where}: cell {cell.id!r} has a SOLUTION mark without its partner")
        cell.source = pattern.sub(blank if kind == "student" else reveal, cell.source)
        if kind == "student" and cell.cell_type == "code":
            cell.outputs, cell.execution_count = [], None
        if cell.cell_type == "markdown" and (mark := WRITTEN.search(cell.source)):
            cell.metadata["synthlab"] = {"written": mark[1]}
    if not solutions:
        raise InputError(f"{where}: has no SOLUTION marks; it is not a master notebook")
    if kind == "student":
        _check_holds_no_solution(made, solutions, where)
    return made


def read_master(master: PathOrStr, seed: str | None = None) -> Any:
    """Return a master notebook with the number of a class in its line ``CLASS = 1``; without a seed as it is."""
    notebook = read_notebook(master)
    if seed is None:
        return notebook
    code = (cell for cell in notebook.cells if cell.cell_type == "code")
    places = [(cell, match) for cell in code for match in _CLASS.finditer(cell.source)]
    if len(places) != 1 or any(_CLASS.search(body) for body in solutions_of(notebook)):
        raise InputError(
            f"{str(master)!r}: has {len(places)} lines `CLASS = 1`; for a seed it must have one, alone on its line and "
            "outside the solutions"
        )
    ((cell, match),) = places
    cell.source = cell.source[: match.start()] + f"CLASS = {class_number(seed)}" + cell.source[match.end() :]
    return notebook


def class_number(seed: str) -> int:
    """Return the number of a class, 1 to 999,999: the same for the same text on every machine.

    Examples
    --------
    >>> from synthlab.lab.homework.versions import class_number
    >>> class_number("Statistics 310, fall 2026")
    230517
    """
    text = _checks.check_text(seed, "seed")
    if not text.strip():
        raise InputError("seed: must be a text that names the class")
    return int(hashlib.sha256(text.encode()).hexdigest(), 16) % CLASSES + 1


def read_notebook(path: PathOrStr) -> Any:
    """Return a notebook, or raise an `InputError` that names the file."""
    import nbformat

    try:
        return nbformat.read(Path(path), as_version=4)
    except (OSError, ValueError, nbformat.reader.NotJSONError, nbformat.ValidationError) as error:
        raise InputError(f"{str(path)!r}: is no notebook that can be read: {error}") from None


def notebook_text(notebook: Any) -> str:
    """Return a notebook as the text of its file."""
    import nbformat

    return str(nbformat.writes(notebook, version=4)).rstrip("\n") + "\n"


def is_answers(cell: Any) -> bool:
    """Say whether a cell holds the answers to be sealed."""
    return bool(cell.cell_type == "code" and cell.source.lstrip().partition("\n")[0].strip() == ANSWERS)


def solutions_of(notebook: Any) -> list[str]:
    """Return what stands between the marks of a master."""
    found = [(CODE if c.cell_type == "code" else TEXT).finditer(c.source) for c in notebook.cells]
    return [match[match.re.groups] for matches in found for match in matches]


def telling_lines(text: str) -> Iterator[str]:
    """Yield the lines of a solution that would give it away."""
    for line in map(str.strip, text.splitlines()):
        if STUDENT not in line and not _TELLS_NOTHING.fullmatch(line):
            yield line


def _check_holds_no_solution(student: Any, solutions: list[str], where: str) -> None:
    secret = {line for text in solutions for line in telling_lines(text)}
    for cell in student.cells:
        if left := _LEFT.search(cell.source):
            raise InputError(f"{where}: cell {cell.id!r} would show students {left[0].strip()!r}; is a mark misspelt?")
        if "synthlab" in cell.metadata and YOURS not in cell.source:
            raise InputError(f"{where}: cell {cell.id!r} has the mark WRITTEN, and no solution in it to blank")
        if held := secret & {line.strip().removeprefix("# ") for line in cell.source.splitlines()}:
            raise InputError(f"{where}: cell {cell.id!r} would show students a line of a solution: {min(held)!r}")


def blank(match: re.Match[str]) -> str:
    """Return what students get in the place of a solution."""
    if match.re is TEXT:
        return YOURS
    indent = match.group(1)
    stubs = [
        line.strip().removeprefix(STUDENT).removeprefix(" ") for line in match.group(2).splitlines() if STUDENT in line
    ]
    return "\n".join(indent + stub for stub in stubs) if stubs else f"{indent}# your code"


def reveal(match: re.Match[str]) -> str:
    """Return a solution without its marks and stubs."""
    body = match.group(match.re.groups)
    return "\n".join(line for line in body.splitlines() if STUDENT not in line)
