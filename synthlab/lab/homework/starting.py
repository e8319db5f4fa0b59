"""The beginning of a homework of one's own: a small master that runs, and a check beside it."""

from __future__ import annotations

from importlib.resources import files
from pathlib import Path
from typing import Any

from synthlab import _checks, _files
from synthlab._typing import PathOrStr
from synthlab.exceptions import InputError
from synthlab.lab.homework.versions import notebook_text

# Written in place of this word of the templates.
_NAME = "NAME"


def start_homework(name: str, folder: PathOrStr) -> list[Path]:
    """Write a small master notebook that runs, with one question of each kind, and a check beside it.

    Parameters
    ----------
    name : str
        Short name of the homework: a letter, then letters, digits and underscores, for example ``"hw20"``.
    folder : path
        The folder of the masters; made if it is not there.

    Returns
    -------
    list of Path
        ``<name>_title.ipynb`` (give it a title of your own) and ``<name>_checks.py``.

    Raises
    ------
    InputError
        If the name is no such word, a file is there already, or they cannot be written.
    """
    if not _checks.check_text(name, "name").isidentifier():
        raise InputError(f"name={name!r}: must begin with a letter, and hold letters, digits and underscores alone")
    place = Path(folder)
    there = [path.name for path in (*place.glob(f"{name}_*.ipynb"), place / f"{name}_checks.py") if path.exists()]
    if there:
        raise InputError(f"folder={str(folder)!r}: holds {_checks.named(there)} already; nothing was written")
    texts = {
        f"{name}_title.ipynb": _notebook(_template("master.txt", name)),
        f"{name}_checks.py": _template("checks.txt", name),
    }
    return [_files.write_text(place / file, text) for file, text in texts.items()]


def _template(file: str, name: str) -> str:
    text = files("synthlab.lab.homework").joinpath("templates", file).read_text(encoding="utf-8")
    return text.replace(_NAME, name)


def _notebook(text: str) -> str:
    """Return the text of a notebook whose cells stand below lines ``# %%`` and ``# %% [markdown]``."""
    from nbformat.v4 import new_code_cell, new_markdown_cell, new_notebook

    from synthlab.lab.course_outputs import normalise

    cells = []
    for number, part in enumerate(text.split("# %%")[1:]):
        mark, _, source = part.partition("\n")
        new: Any = new_markdown_cell if mark.strip() == "[markdown]" else new_code_cell
        cells.append(new(source.strip(), id=f"cell-{number:03}"))
    return notebook_text(normalise(new_notebook(cells=cells)))
