"""Template of a new homework: a master notebook for otter-grader, and checks."""

from __future__ import annotations

from importlib.resources import files
from pathlib import Path
from typing import Any

from synthlab import __version__, _checks
from synthlab._system import atomic_write
from synthlab._typing import PathOrStr
from synthlab.exceptions import InputError

_NAME, _VERSION = "NAME", "VERSION"  # replaced in the templates


def start_homework(name: str, folder: PathOrStr) -> list[Path]:
    """Write a template master notebook for otter-grader, and its checks.

    Parameters
    ----------
    name : str
        Short name of the homework: a letter, then letters, digits and underscores, for example ``"hw20"``.
    folder : path
        Folder for the master; created if it does not exist.

    Returns
    -------
    list of Path
        ``<name>_title.ipynb`` and ``<name>_checks.py``.

    Raises
    ------
    InputError
        If the name has another form, a file of this homework exists, or a file cannot be written.
    """
    if not _checks.check_text(name, "name").isidentifier():
        raise InputError(f"name={name!r}: must begin with a letter and contain only letters, digits and underscores")
    place = Path(folder)
    there = [path.name for path in (*place.glob(f"{name}_*.ipynb"), place / f"{name}_checks.py") if path.exists()]
    if there:
        raise InputError(f"folder={str(folder)!r}: contains {_checks.named(there)} already; nothing was written")
    texts = {
        f"{name}_title.ipynb": _notebook(_template("master.txt", name)),
        f"{name}_checks.py": _template("checks.txt", name),
    }
    return [atomic_write.write_text(place / file, text) for file, text in texts.items()]


def _template(file: str, name: str) -> str:
    text = files("synthlab.teaching.homework").joinpath("templates", file).read_text(encoding="utf-8")
    return text.replace(_NAME, name).replace(_VERSION, __version__)


def _notebook(text: str) -> str:
    """Return the text of a notebook whose cells follow lines ``# %%``, ``# %% [markdown]`` and ``# %% [raw]``."""
    import nbformat
    from nbformat.v4 import new_code_cell, new_markdown_cell, new_notebook, new_raw_cell

    from synthlab.teaching.course_outputs import normalise

    kinds: dict[str, Any] = {"": new_code_cell, "[markdown]": new_markdown_cell, "[raw]": new_raw_cell}
    cells = []
    for number, part in enumerate(text.split("# %%")[1:]):
        mark, _, source = part.partition("\n")
        cells.append(kinds[mark.strip()](source.strip(), id=f"cell-{number:03}"))
    return str(nbformat.writes(normalise(new_notebook(cells=cells)), version=4)).rstrip("\n") + "\n"
