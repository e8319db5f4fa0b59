"""Locations and checks of the files of the datasets."""

from __future__ import annotations

import hashlib
import os
from collections.abc import Mapping
from importlib import resources
from importlib.resources.abc import Traversable
from io import BytesIO
from pathlib import Path

import pandas as pd

from synthlab import _checks
from synthlab.datasets._convert import r_frame
from synthlab.datasets._entry import DataFile, Variable
from synthlab.exceptions import ChecksumError, DtypeMismatchError, InputError

DATA_DIR_VARIABLE = "SYNTHLAB_DATA_DIR"


def packaged_file(name: str) -> Traversable:
    """Return a file of the project's ``data`` folder.

    In an installed wheel, the folder is ``synthlab/_data``; in a checkout, it is next to the package.
    """
    package = resources.files("synthlab")
    folder = package.joinpath("_data")
    if not folder.is_dir():
        folder = Path(str(package)).parent / "data"
    return folder.joinpath(name)


def course_folder() -> Path | None:
    """Return the folder of the course, or None if it is not installed.

    In an installed wheel, it is ``synthlab/_course`` (the student edition); in a checkout, it is next to the package.
    """
    package = Path(str(resources.files("synthlab")))
    return next((folder for folder in (package / "_course", package.parent / "course") if folder.is_dir()), None)


def data_folder() -> Path | None:
    """Return the folder named by SYNTHLAB_DATA_DIR, or None if it is not set."""
    value = os.environ.get(DATA_DIR_VARIABLE, "").strip()
    if not value:
        return None
    folder = Path(value).expanduser()
    if not folder.is_dir():
        raise InputError(
            f"{DATA_DIR_VARIABLE}={value!r}: no such folder; set it to a folder with the data files, or unset it"
        )
    return folder


def cache_folder() -> Path:
    """Return the default folder of `fetch`, which might not exist.

    It is synthlab/data in XDG_CACHE_HOME or in ~/.cache.
    """
    return Path(os.environ.get("XDG_CACHE_HOME") or "~/.cache").expanduser() / "synthlab" / "data"


def find_on_machine(name: str) -> Path | None:
    """Return the file in SYNTHLAB_DATA_DIR or in the user's cache, or None."""
    for folder in (data_folder(), cache_folder()):
        if folder is not None and (folder / name).is_file():
            return folder / name
    return None


def sha256(data: bytes) -> str:
    """Return the SHA-256 of bytes as hexadecimal digits."""
    return hashlib.sha256(data).hexdigest()


def frame_sha256(frame: pd.DataFrame) -> str:
    """Return the SHA-256 of a frame as CSV.

    Numbers have ten significant digits; the index is omitted.
    """
    return sha256(frame.to_csv(index=False, lineterminator="\n", float_format="%.10g").encode())


def read_checked(path: Traversable | Path, file: DataFile) -> pd.DataFrame:
    """Read a CSV file or an R data file after comparing its SHA-256 with the registry."""
    data = path.read_bytes()
    found = sha256(data)
    if found != file.sha256:
        raise ChecksumError(
            f"{path}: is not the expected file (SHA-256 {found}, expected {file.sha256}); it might be cut off, edited, "
            "or saved with other line ends; remove or replace it"
        )
    return r_frame(data) if file.name.endswith(".rda") else pd.read_csv(BytesIO(data), encoding="utf-8-sig")


def declare(frame: pd.DataFrame, variables: Mapping[str, Variable], where: str) -> pd.DataFrame:
    """Return the frame with exactly the declared columns and dtypes."""
    if list(frame.columns) != list(variables):
        raise DtypeMismatchError(f"{where}: has columns {list(frame.columns)}, expected {list(variables)}")
    columns: dict[str, pd.Series] = {}
    for name, variable in variables.items():
        values = frame[name]
        if values.isna().any() and not variable.missing:
            raise DtypeMismatchError(f"{where}: column {name!r} has missing values but is declared to have none")
        if isinstance(variable.dtype, pd.CategoricalDtype):
            odd = values.notna() & ~values.isin(variable.dtype.categories)
            if odd.any():
                raise DtypeMismatchError(
                    f"{where}: column {name!r} contains codes that are not declared: {_checks.first_of(odd, 'rows')}"
                )
            if values.dtype != variable.dtype:
                plain = values if values.isna().any() else values.astype(variable.dtype.categories.dtype)
                values = plain.astype(variable.dtype)
            columns[name] = values
            continue
        if variable.dtype == "int64" and not (values == values.round()).all():
            raise DtypeMismatchError(f"{where}: column {name!r} is declared as integer but contains fractions")
        columns[name] = values.astype(variable.dtype)
    return pd.DataFrame(columns)
