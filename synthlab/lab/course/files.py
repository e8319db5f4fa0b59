"""Files of the project's data folder that a page of the course reads."""

from __future__ import annotations

from pathlib import Path

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
    >>> from synthlab.lab.course import data_file
    >>> data_file("foreign").is_dir()
    True
    """
    path = Path(str(packaged_file(name)))
    if ".." in Path(name).parts or not path.exists():
        raise InputError(f"name={name!r}: there is no such file in the project's data")
    return path
