"""Access to notebooks and to the data folder of the project."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from synthlab._typing import PathOrStr
from synthlab.datasets._files import packaged_file
from synthlab.exceptions import InputError


def data_file(name: str) -> Path:
    """Return the path of a file or folder in the data folder of the project.

    Parameters
    ----------
    name : str
        Name in the folder ``data`` of the project, for example ``"foreign"``.

    Returns
    -------
    Path

    Raises
    ------
    InputError
        If the file does not exist.

    Examples
    --------
    >>> from synthlab.teaching import data_file
    >>> data_file("foreign").is_dir()
    True
    """
    path = Path(str(packaged_file(name)))
    if ".." in Path(name).parts or not path.exists():
        raise InputError(f"name={name!r}: does not exist in the data folder of the project")
    return path


def read_notebook(path: PathOrStr) -> Any:
    """Read a notebook, or raise an `InputError` that names the file."""
    import nbformat

    try:
        return nbformat.read(Path(path), as_version=4)
    except (OSError, ValueError, nbformat.reader.NotJSONError, nbformat.ValidationError) as error:
        raise InputError(f"{str(path)!r}: the notebook cannot be read: {error}") from None
