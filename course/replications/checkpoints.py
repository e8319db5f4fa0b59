"""Finished pieces of a long run, kept as files, so that an interrupted run resumes."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from io import BytesIO
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from synthlab._system import atomic_write, parallel
from synthlab._typing import FloatArray, RngLike
from synthlab.exceptions import InputError

Piece = tuple[pd.DataFrame, dict[str, FloatArray]]


@dataclass(frozen=True, slots=True, eq=False)
class Job:
    """Computation of one piece, possibly in another process or on another machine.

    Parameters
    ----------
    words : str
        Description for the progress bar.
    name : str
        Name of the piece.
    compute : callable
        Function that returns the piece; its arguments are the pieces named in `after`.
    after : tuple of str
        Names of the pieces that must be finished first.
    """

    words: str
    name: str
    compute: Callable[..., Piece]
    after: tuple[str, ...] = ()


class Pieces:
    """A folder with one file per piece.

    Parameters
    ----------
    folder : Path
    settings : mapping
        Settings that determine the pieces, such as the seed. A folder contains the pieces of one run only.

    Raises
    ------
    InputError
        If the folder contains pieces of a run with other settings.
    """

    def __init__(self, folder: Path, settings: Mapping[str, Any]) -> None:
        self.folder = folder
        note, text = folder / "settings.json", json.dumps(settings, sort_keys=True)
        if note.exists() and note.read_text(encoding="utf-8") != text:
            raise InputError(
                f"folder={str(folder.parent)!r}: holds pieces of a run with another seed or size; remove {str(folder)!r} or "
                "give another folder"
            )
        atomic_write.write_text(note, text)

    def has(self, name: str) -> bool:
        """Return whether a piece is finished."""
        return self._path(name).exists()

    def write(self, name: str, piece: Piece) -> None:
        """Write a finished piece completely or not at all."""
        table, arrays = piece
        columns: dict[str, Any] = {f"array:{name}": values for name, values in arrays.items()}
        for column in table.columns:
            values = table[column]
            columns[f"table:{column}"] = values.to_numpy(dtype=None if values.dtype.kind in "if" else str)
        packed = BytesIO()
        np.savez_compressed(packed, **columns)
        atomic_write.write_bytes(self._path(name), packed.getvalue())

    def finish(self, jobs: Sequence[Job], progress: bool = False, probe: bool = False) -> None:
        """Compute the missing pieces in parallel, and write each as soon as it is finished.

        With `probe`, the first piece is computed in this process. Other processes are started only if the remaining pieces
        take longer than starting the processes.
        """
        from tqdm import tqdm

        left = [job for job in jobs if not self.has(job.name)]
        with tqdm(total=len(jobs), initial=len(jobs) - len(left), disable=not progress, unit="piece") as bar:
            while left:
                ready = [job for job in left if all(map(self.has, job.after))]

                def keep(number: int, piece: Piece, ready: Sequence[Job] = ready) -> None:
                    self.write(ready[number].name, piece)
                    bar.set_postfix_str(f"done: {ready[number].words}", refresh=False)
                    bar.update()

                tasks = [(job.compute, [self.read(name) for name in job.after]) for job in ready]
                parallel.parallel_map(_compute, tasks, prefer="processes", probe=probe, done=keep)
                left = [job for job in left if job not in ready]

    def read(self, name: str) -> Piece:
        """Return a finished piece."""
        with np.load(self._path(name), allow_pickle=False) as file:
            table = pd.DataFrame({k[6:]: file[k] for k in file.files if k.startswith("table:")})
            return table, {k[6:]: file[k] for k in file.files if k.startswith("array:")}

    def names(self, prefix: str) -> list[str]:
        """Return the finished pieces whose name begins with `prefix`."""
        found = (p.name.removesuffix(".npz") for p in self.folder.glob(f"{prefix}*.npz"))
        return sorted(n for n in found if not n.endswith(".part"))

    def _path(self, name: str) -> Path:
        return self.folder / f"{name}.npz"


def _compute(task: tuple[Callable[..., Piece], Sequence[Piece]]) -> Piece:
    compute, earlier = task
    return compute(*earlier)


def check_seed(rng: RngLike, default: int) -> int:
    """Return the seed of a run that can be resumed."""
    seed = default if rng is None else rng
    if isinstance(seed, bool) or not isinstance(seed, int | np.integer) or seed < 0:
        raise InputError(f"rng={rng!r}: must be a whole number >= 0, so that an interrupted run can go on")
    return int(seed)


def rounded(table: pd.DataFrame, digits: int) -> pd.DataFrame:
    """Return a table with numbers rounded to significant digits."""
    found = table.copy()
    for column in found.select_dtypes("float"):
        found[column] = [float(f"{v:.{digits}g}") if np.isfinite(v) else v for v in found[column]]
    return found


def write_table(table: pd.DataFrame, path: Path, digits: int) -> None:
    """Write a table as CSV, compressed if the name ends in gz. Equal tables give equal bytes."""
    # The compressed file contains no time stamp, so that equal tables give equal bytes.
    packed: Any = {"method": "gzip", "mtime": 1, "filename": path.name} if path.suffix == ".gz" else None
    data = BytesIO()
    rounded(table, digits).to_csv(data, index=False, lineterminator="\n", compression=packed)
    atomic_write.write_bytes(path, data.getvalue())
