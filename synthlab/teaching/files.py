"""Access to notebooks, to the replications and to the data folder of the project."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

from synthlab._typing import PathOrStr
from synthlab.datasets.files import course_folder, packaged_file
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


def course_path(folder: PathOrStr | None = None) -> None:
    """Make the package `replications` of the course importable.

    The folder that contains it becomes the first entry of ``sys.path``.

    Parameters
    ----------
    folder : path, optional
        Folder that contains ``replications``. Default: the nearest of the current folder and the two folders above it,
        otherwise the installed course.

    Raises
    ------
    InputError
        If no such folder contains the replications.

    Examples
    --------
    >>> from synthlab.teaching import course_path
    >>> course_path()
    """
    here, installed = Path.cwd(), course_folder()
    nearest = [here, *here.parents[:2], *([] if installed is None else [installed])]
    candidates = nearest if folder is None else [Path(folder).resolve()]
    for candidate in candidates:
        if (candidate / "replications" / "registry.py").is_file():
            if str(candidate) not in sys.path:
                sys.path.insert(0, str(candidate))
            return
    where = "the course is not installed" if folder is None else f"folder={str(folder)!r}: contains no replications"
    raise InputError(f"{where}; write it to a folder with: synthlab course student FOLDER")


def read_notebook(path: PathOrStr) -> Any:
    """Read a notebook, or raise an `InputError` that names the file."""
    import nbformat

    try:
        return nbformat.read(Path(path), as_version=4)
    except (OSError, ValueError, nbformat.reader.NotJSONError, nbformat.ValidationError) as error:
        raise InputError(f"{str(path)!r}: the notebook cannot be read: {error}") from None
