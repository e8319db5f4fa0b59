"""The places of the files of the datasets, and the check that they are the right files."""

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
from synthlab.datasets._entry import DataFile, Variable
from synthlab.exceptions import ChecksumError, DtypeMismatchError, InputError

DATA_DIR_VARIABLE = "SYNTHLAB_DATA_DIR"


def packaged_file(name: str) -> Traversable:
    """Return a file of the project's ``data`` folder.

    An installed wheel holds that folder as ``synthlab/_data``; in a checkout it stands beside the package.
    """
    package = resources.files("synthlab")
    folder = package.joinpath("_data")
    if not folder.is_dir():
        folder = Path(str(package)).parent / "data"
    return folder.joinpath(name)


def data_folder() -> Path | None:
    """Return the folder named by SYNTHLAB_DATA_DIR, or None where it is not set."""
    value = os.environ.get(DATA_DIR_VARIABLE, "").strip()
    if not value:
        return None
    folder = Path(value).expanduser()
    if not folder.is_dir():
        raise InputError(
            f"{DATA_DIR_VARIABLE}={value!r}: no such folder; name a folder with the data files, or unset it"
        )
    return folder


def cache_folder() -> Path:
    """Return the folder that `fetch` writes to: synthlab/data in XDG_CACHE_HOME, or in ~/.cache; it might not exist."""
    return Path(os.environ.get("XDG_CACHE_HOME") or "~/.cache").expanduser() / "synthlab" / "data"


def find_on_machine(name: str) -> Path | None:
    """Return the file `name` in SYNTHLAB_DATA_DIR, else in the user's cache, else None."""
    for folder in (data_folder(), cache_folder()):
        if folder is not None and (folder / name).is_file():
            return folder / name
    return None


def sha256(data: bytes) -> str:
    """Return the SHA-256 of bytes as hexadecimal digits."""
    return hashlib.sha256(data).hexdigest()


def frame_sha256(frame: pd.DataFrame) -> str:
    """Return the SHA-256 of the canonical CSV text of a frame: ten significant digits, no index."""
    return sha256(frame.to_csv(index=False, lineterminator="\n", float_format="%.10g").encode())


def read_checked(path: Traversable | Path, file: DataFile) -> pd.DataFrame:
    """Read a CSV file after checking that it is the file the registry knows."""
    data = path.read_bytes()
    found = sha256(data)
    if found != file.sha256:
        raise ChecksumError(
            f"{path}: is not the file it should be (SHA-256 {found}, expected {file.sha256}); it may be cut off, edited, "
            "or saved with other line ends; remove it or put the right file in its place"
        )
    return pd.read_csv(BytesIO(data), encoding="utf-8-sig")


def declare(frame: pd.DataFrame, variables: Mapping[str, Variable], where: str) -> pd.DataFrame:
    """Return the frame with exactly the declared columns and dtypes."""
    if list(frame.columns) != list(variables):
        raise DtypeMismatchError(f"{where}: has columns {list(frame.columns)}, expected {list(variables)}")
    columns: dict[str, pd.Series] = {}
    for name, variable in variables.items():
        values = frame[name]
        if values.isna().any() and not variable.missing:
            raise DtypeMismatchError(f"{where}: column {name!r} has missing values and is declared to have none")
        if isinstance(variable.dtype, pd.CategoricalDtype):
            odd = values.notna() & ~values.isin(variable.dtype.categories)
            if odd.any():
                raise DtypeMismatchError(
                    f"{where}: column {name!r} holds codes that are not declared: {_checks.first_of(odd, 'rows')}"
                )
            if values.dtype != variable.dtype:
                plain = values if values.isna().any() else values.astype(variable.dtype.categories.dtype)
                values = plain.astype(variable.dtype)
            columns[name] = values
            continue
        if variable.dtype == "int64" and not (values == values.round()).all():
            raise DtypeMismatchError(f"{where}: column {name!r} is declared whole and holds fractions")
        columns[name] = values.astype(variable.dtype)
    return pd.DataFrame(columns)
