"""CSV files, read record by record: nothing is cut off or filled up in silence, whatever the length of a cell."""

from __future__ import annotations

import bz2
import csv
import errno
import gzip
import io
import lzma
import os
import stat
import threading
import zlib
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO, Any

import pandas as pd

from synthlab import _checks
from synthlab._typing import PathOrStr
from synthlab.exceptions import InputError

LONGEST = 2**31 - 1  # The csv module stops at cells above 131,072 characters unless it is told otherwise.
OPEN: dict[str, Callable[[Path], Any]] = {".gz": gzip.GzipFile, ".bz2": bz2.BZ2File, ".xz": lzma.LZMAFile}
_limit_lock = threading.Lock()


def read_csv(path: PathOrStr, name: str) -> pd.DataFrame:
    """Read a CSV file, with or without a byte-order mark, guessing what the columns hold, or raise an `InputError`.

    Parameters
    ----------
    path : path
        A file in UTF-8; one that ends in .gz, .bz2 or .xz is unpacked.
    name : str
        Its name in messages.

    Returns
    -------
    pandas.DataFrame
        The result of `pandas.read_csv`.

    Raises
    ------
    InputError
        If it cannot be read, or a record has more or fewer values than there are columns, as the last one of a file that
        was cut off.
    """
    try:
        with OPEN.get(Path(path).suffix, _open)(Path(path)) as file:
            text = file.read().decode("utf-8-sig")
        _check_widths(text, f"{name}: {str(path)!r}")
        frame = pd.read_csv(io.StringIO(text, newline=""), low_memory=False)
    except FileNotFoundError:
        raise InputError(f"{name}: no file {str(path)!r}") from None
    except InputError:
        raise
    except (OSError, EOFError, ValueError, csv.Error, zlib.error, lzma.LZMAError) as error:
        raise InputError(f"{name}: cannot read {str(path)!r} as CSV: {error}") from None
    return _checks.check_frame(frame, f"{name} {str(path)!r}")


def table_to_bytes(table: pd.DataFrame) -> bytes:
    """Return a frame of text as a CSV file."""
    text = table.to_csv(index=False, lineterminator="\n")
    if "\r" in text:
        # Where lines end in \n alone, the csv module sees no reason to quote \r.
        text = table.to_csv(index=False, lineterminator="\n", quoting=csv.QUOTE_ALL)
    return text.encode("utf-8")


def bytes_to_table(data: bytes, where: str, encoding: str = "utf-8") -> pd.DataFrame:
    """Return the frame of text that a CSV file holds: nothing is guessed, nothing is missing."""
    try:
        with _cells_of_any_length():
            rows = list(csv.reader(io.StringIO(data.decode(encoding), newline=""), strict=True))
    except (UnicodeDecodeError, csv.Error) as error:
        raise InputError(f"{where}: cannot be read as CSV: {error}") from None
    names = rows.pop(0) if rows else []
    odd = next((number for number, row in enumerate(rows, start=1) if len(row) != len(names)), None)
    if odd is not None:
        raise InputError(f"{where}: record {odd} has {len(rows[odd - 1])} values for {len(names)} columns")
    if len(set(names)) < len(names):
        raise InputError(f"{where}: a column name occurs twice in its first line")
    return pd.DataFrame(rows, columns=pd.Index(names, dtype=object), dtype=object)


def read_bytes(path: Path) -> bytes:
    """Return what a regular file holds, or raise an `OSError`: a pipe may keep its reader waiting for ever."""

    def opened(name: str, flags: int) -> int:
        return os.open(name, flags | getattr(os, "O_NONBLOCK", 0))

    with open(path, "rb", opener=opened) as file:
        if not stat.S_ISREG(os.fstat(file.fileno()).st_mode):
            raise OSError(errno.EINVAL, "not a regular file", str(path))
        return file.read()


def _open(path: Path) -> IO[bytes]:
    return path.open("rb")


def _check_widths(text: str, where: str) -> None:
    """Raise where a record has more or fewer values than the first line has columns; pandas fills such a record up."""
    columns, line = None, 1
    with _cells_of_any_length():
        reader = csv.reader(io.StringIO(text, newline=""))
        for row in reader:
            # pandas passes over lines with nothing in them, too.
            if row and not (len(row) == 1 and row[0].isspace()):
                columns = len(row) if columns is None else columns
                if len(row) != columns:
                    raise InputError(
                        f"{where}, line {line}: {len(row)} values for {columns} columns; was the file cut off, or is there a "
                        "comma in text without quotes?"
                    )
            line = reader.line_num + 1


@contextmanager
def _cells_of_any_length() -> Iterator[None]:
    """Lift the limit of the csv module, which is one for the whole process, for a while."""
    with _limit_lock:
        before = csv.field_size_limit(LONGEST)
        try:
            yield
        finally:
            csv.field_size_limit(before)
