"""Files of the R package synthlabr, which calls synthlab from R."""

from __future__ import annotations

from importlib import resources
from pathlib import Path

from synthlab import _checks
from synthlab._system import atomic_write
from synthlab._typing import PathOrStr
from synthlab.exceptions import InputError

PACKAGED = "_r_package"  # folder of the R package in an installed package
NAME = "synthlabr"


def package_folder() -> Path:
    """Return the folder of the R package.

    In an installed wheel, it is ``synthlab/_r_package``; in a checkout, ``course/r/synthlabr``.
    """
    package = Path(str(resources.files("synthlab")))
    packaged = package / PACKAGED
    return packaged if packaged.is_dir() else package.parent / "course" / "r" / NAME


def write_r_package(folder: PathOrStr) -> Path:
    """Write the source of the R package synthlabr to a folder.

    Parameters
    ----------
    folder : path
        A new or empty folder, or a folder with an earlier version of the package, whose files are replaced.

    Returns
    -------
    pathlib.Path
        The folder.

    Raises
    ------
    InputError
        If the folder contains other files, or cannot be written.

    Examples
    --------
    >>> from tempfile import TemporaryDirectory
    >>> from synthlab.r.package_files import write_r_package
    >>> with TemporaryDirectory() as place:
    ...     (write_r_package(f"{place}/synthlabr") / "DESCRIPTION").read_text().splitlines()[0]
    'Package: synthlabr'
    """
    target, source = _checks.check_path(folder, "folder"), package_folder()
    if not source.is_dir():
        raise InputError("the R package is not installed with synthlab; install the wheel, or use a checkout")
    if target.exists() and not _is_replaceable(target):
        raise InputError(f"folder={str(folder)!r}: contains other files; choose a new or empty folder")
    for file in sorted(source.rglob("*")):
        if file.is_file():
            atomic_write.write_bytes(target / file.relative_to(source), file.read_bytes())
    return target


def _is_replaceable(folder: Path) -> bool:
    """Return whether a folder is empty or contains the package."""
    if not folder.is_dir():
        return False
    description = folder / "DESCRIPTION"
    if description.is_file():
        return description.read_bytes().startswith(f"Package: {NAME}\n".encode())
    return not any(folder.iterdir())
