"""The CSV files of a saved release: text as it is, whatever the length of a cell."""

from __future__ import annotations

import csv
import errno
import io
import os
import stat
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pandas as pd

from synthlab.exceptions import InputError

LONGEST = 2**31 - 1  # The csv module stops at cells above 131,072 characters unless it is told otherwise.
_limit_lock = threading.Lock()


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
        with cells_of_any_length():
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


@contextmanager
def cells_of_any_length() -> Iterator[None]:
    """Lift the limit of the csv module, which is one for the whole process, for a while."""
    with _limit_lock:
        before = csv.field_size_limit(LONGEST)
        try:
            yield
        finally:
            csv.field_size_limit(before)
