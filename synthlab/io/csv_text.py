"""CSV files of a saved release, read and written as text."""

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

LONGEST = 2**31 - 1  # By default, the csv module rejects cells of more than 131,072 characters.
_limit_lock = threading.Lock()


def table_to_bytes(table: pd.DataFrame) -> bytes:
    """Return a frame of text as a CSV file."""
    text = table.to_csv(index=False, lineterminator="\n")
    if "\r" in text:
        # With "\n" as the line end, the csv module does not quote "\r".
        text = table.to_csv(index=False, lineterminator="\n", quoting=csv.QUOTE_ALL)
    return text.encode("utf-8")


def bytes_to_table(data: bytes, where: str, encoding: str = "utf-8") -> pd.DataFrame:
    """Return a CSV file as a frame of text, without type detection or missing values."""
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
        raise InputError(f"{where}: a column name occurs twice in the first line; column names must be unique")
    return pd.DataFrame(rows, columns=pd.Index(names, dtype=object), dtype=object)


def read_bytes(path: Path) -> bytes:
    """Return the content of a regular file, or raise an `OSError`.

    Pipes are rejected because reading from a pipe can wait forever.
    """

    def opened(name: str, flags: int) -> int:
        return os.open(name, flags | getattr(os, "O_NONBLOCK", 0))

    with open(path, "rb", opener=opened) as file:
        if not stat.S_ISREG(os.fstat(file.fileno()).st_mode):
            raise OSError(errno.EINVAL, "not a regular file", str(path))
        return file.read()


@contextmanager
def cells_of_any_length() -> Iterator[None]:
    """Lift the limit of the csv module temporarily; it applies to the whole process."""
    with _limit_lock:
        before = csv.field_size_limit(LONGEST)
        try:
            yield
        finally:
            csv.field_size_limit(before)
