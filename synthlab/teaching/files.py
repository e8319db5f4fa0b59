"""Files that the course reads: notebooks, and the data folder of the project."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from synthlab._typing import PathOrStr
from synthlab.datasets._files import packaged_file
from synthlab.exceptions import InputError


def data_file(name: str) -> Path:
    """Return a file or folder of the project's data, wherever the notebook stands that asks.

    Parameters
    ----------
    name : str
        As in the folder ``data`` of the project, for example ``"foreign"``.

    Returns
    -------
    Path

    Raises
    ------
    InputError
        If there is none of this name.

    Examples
    --------
    >>> from synthlab.teaching import data_file
    >>> data_file("foreign").is_dir()
    True
    """
    path = Path(str(packaged_file(name)))
    if ".." in Path(name).parts or not path.exists():
        raise InputError(f"name={name!r}: there is no such file in the project's data")
    return path


def read_notebook(path: PathOrStr) -> Any:
    """Return a notebook, or raise an `InputError` that names the file."""
    import nbformat

    try:
        return nbformat.read(Path(path), as_version=4)
    except (OSError, ValueError, nbformat.reader.NotJSONError, nbformat.ValidationError) as error:
        raise InputError(f"{str(path)!r}: the notebook cannot be read: {error}") from None
