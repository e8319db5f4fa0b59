"""Cell tags of the lectures: hidden cells and slide types.

A *prompt* asks for a prediction: a text cell with ``**Predict``, ``**Bet``, ``**Vote`` or ``**Guess``, or with a heading
"Exercise N". From a prompt to the next heading the outputs of code are hidden when the notebook opens. Cells tagged
``hide-input`` or ``solution`` have their code hidden.
"""

from __future__ import annotations

import re
from typing import Any

from synthlab.teaching.edition_files import FOR_LECTURERS

PROMPT = re.compile(r"\*\*(?:Predict|Bet|Vote|Guess)|^#+ .*\bExercise \d", re.MULTILINE)
HEADING = re.compile(r"^(#+) ", re.MULTILINE)
LECTURE = "## What you will be able to do"
HIDDEN_CODE = ("hide-input", "solution")


def is_lecture(notebook: Any) -> bool:
    """Return whether a notebook is a lecture, that is, has learning goals."""
    return any(c.cell_type == "markdown" and LECTURE in c.source for c in notebook.cells)


def is_prompt(cell: Any) -> bool:
    """Return whether a cell asks for a prediction."""
    return bool(cell.cell_type == "markdown" and PROMPT.search(cell.source))


def starts_section(cell: Any) -> bool:
    """Return whether a cell begins with a heading."""
    return bool(cell.cell_type == "markdown" and HEADING.match(cell.source.lstrip()))


def tags(cell: Any) -> list[str]:
    """Return the tags of a cell."""
    return list(cell.metadata.get("tags", ()))


def asked(notebook: Any) -> list[list[Any]]:
    """Return, for each prompt, the cells from the prompt to the next heading."""
    found: list[list[Any]] = []
    open_ = False
    for cell in notebook.cells:
        if is_prompt(cell):
            found.append([cell])
            open_ = True
        elif starts_section(cell):
            open_ = False
        elif open_:
            found[-1].append(cell)
    return found


def mark(notebook: Any) -> Any:
    """Set hidden outputs and slide types from the text and tags, in place."""
    after = {cell.id for cells in asked(notebook) for cell in cells[1:]}
    for cell in notebook.cells:
        hidden = {}
        if cell.cell_type == "code":
            if cell.id in after and cell.outputs:
                hidden["outputs_hidden"] = True
            if set(tags(cell)) & set(HIDDEN_CODE):
                hidden["source_hidden"] = True
        for name in ("jupyter", "slideshow"):
            cell.metadata.pop(name, None)
        if hidden:
            cell.metadata["jupyter"] = hidden
        asked_for = cell.id in after and "solution" not in tags(cell)
        cell.metadata["slideshow"] = {"slide_type": "fragment" if asked_for else _slide(cell)}
    return notebook


def _slide(cell: Any) -> str:
    """Return the slide type: sections, subsections, or notes (for the time plan)."""
    if cell.cell_type == "markdown":
        heading = HEADING.match(cell.source.lstrip())
        if cell.source.lstrip().startswith(FOR_LECTURERS):
            return "notes"
        if heading is None:
            return "fragment" if is_prompt(cell) else "-"
        return "slide" if len(heading[1]) <= 2 else "subslide"
    if "solution" in tags(cell):
        return "subslide"
    return "skip" if "hide-input" in tags(cell) and not cell.outputs else "-"
