"""Finished pieces of a long run, kept as files, so that an interrupted run resumes."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from io import BytesIO
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from synthlab import _files
from synthlab._typing import FloatArray, RngLike
from synthlab.exceptions import InputError

Piece = tuple[pd.DataFrame, dict[str, FloatArray]]


class Pieces:
    """A folder with one file a piece.

    Parameters
    ----------
    folder : Path
    settings : mapping
        What decides the pieces, the seed above all; a folder holds pieces of one settings.

    Raises
    ------
    InputError
        If the folder holds pieces of a run with other settings.
    """

    def __init__(self, folder: Path, settings: Mapping[str, Any]) -> None:
        self.folder = folder
        note, text = folder / "settings.json", json.dumps(settings, sort_keys=True)
        if note.exists() and note.read_text(encoding="utf-8") != text:
            raise InputError(
                f"folder={str(folder.parent)!r}: holds pieces of a run with another seed or size; remove {str(folder)!r} or "
                "give another folder"
            )
        _files.write_text(note, text)

    def make(self, name: str, compute: Callable[[], Piece]) -> None:
        """Compute a piece that is not there."""
        path = self.folder / f"{name}.npz"
        if path.exists():
            return
        table, arrays = compute()
        columns: dict[str, Any] = {f"array:{name}": values for name, values in arrays.items()}
        for column in table.columns:
            values = table[column]
            columns[f"table:{column}"] = values.to_numpy(dtype=None if values.dtype.kind in "if" else str)
        packed = BytesIO()
        np.savez_compressed(packed, **columns)
        _files.write_bytes(path, packed.getvalue())

    def read(self, name: str) -> Piece:
        """Return a finished piece."""
        with np.load(self.folder / f"{name}.npz", allow_pickle=False) as file:
            table = pd.DataFrame({k[6:]: file[k] for k in file.files if k.startswith("table:")})
            return table, {k[6:]: file[k] for k in file.files if k.startswith("array:")}

    def names(self, prefix: str) -> list[str]:
        """Return the finished pieces whose name begins with `prefix`."""
        found = (p.name.removesuffix(".npz") for p in self.folder.glob(f"{prefix}*.npz"))
        return sorted(n for n in found if not n.endswith(".part"))


def check_seed(rng: RngLike, default: int) -> int:
    """Return the seed of a run that can be resumed: an int."""
    seed = default if rng is None else rng
    if isinstance(seed, bool) or not isinstance(seed, int | np.integer) or seed < 0:
        raise InputError(f"rng={rng!r}: must be a whole number >= 0, so that an interrupted run can go on")
    return int(seed)


def rounded(table: pd.DataFrame, digits: int) -> pd.DataFrame:
    """Return a table with numbers of so many significant digits."""
    found = table.copy()
    for column in found.select_dtypes("float"):
        found[column] = [float(f"{v:.{digits}g}") if np.isfinite(v) else v for v in found[column]]
    return found


def write_table(table: pd.DataFrame, path: Path, digits: int) -> None:
    """Write a CSV file, packed if its name ends in gz, with numbers of so many digits; equal tables are equal bytes."""
    # No time of day in the file, so that the same table is the same bytes.
    packed: Any = {"method": "gzip", "mtime": 1, "filename": path.name} if path.suffix == ".gz" else None
    data = BytesIO()
    rounded(table, digits).to_csv(data, index=False, lineterminator="\n", compression=packed)
    _files.write_bytes(path, data.getvalue())
