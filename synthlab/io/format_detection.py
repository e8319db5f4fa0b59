"""Detect a file's format from its content, and compare it with the file name."""

from __future__ import annotations

import bz2
import gzip
import io
import lzma
import os
import select
import stat
import time
import zipfile
import zlib
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path

from synthlab import _checks
from synthlab.exceptions import InputError
from synthlab.io.csv_text import read_bytes
from synthlab.io.expansion import PACKED, Expansion

CSV, EXCEL, PARQUET, STATA, SPSS, PORTABLE, SAS, TRANSPORT, R = (
    *("CSV", "Excel", "Parquet", "Stata", "SPSS", "SPSS portable", "SAS", "SAS transport", "R"),
)
WHAT = {
    CSV: "a CSV file",
    EXCEL: "an Excel workbook",
    PARQUET: "a Parquet file",
    STATA: "a Stata file",
    SPSS: "an SPSS file",
    PORTABLE: "an SPSS portable file",
    SAS: "a SAS file",
    TRANSPORT: "a SAS transport file",
    R: "an R file",
}
ENDINGS = {
    **dict.fromkeys((".csv", ".tsv", ".txt", ".tab", ".dat"), CSV),
    **dict.fromkeys((".xlsx", ".xlsm"), EXCEL),
    **dict.fromkeys((".parquet", ".pq"), PARQUET),
    ".dta": STATA,
    **dict.fromkeys((".sav", ".zsav"), SPSS),
    ".por": PORTABLE,
    ".sas7bdat": SAS,
    ".xpt": TRANSPORT,
    **dict.fromkeys((".rds", ".rdata", ".rda"), R),
}
BEGINNINGS = (
    (b"PAR1", PARQUET),
    (b"<stata_dta>", STATA),
    (b"$FL2", SPSS),
    (b"$FL3", SPSS),
    (b"\0" * 12 + bytes.fromhex("c2ea8160b31411cfbd92080009c7318c181f1011"), SAS),
    (b"HEADER RECORD*******LIB", TRANSPORT),
    *((start, R) for start in (b"RDX2\n", b"RDX3\n", b"RDA2\n", b"RDA3\n", b"X\n\0\0\0", b"A\n2\n", b"A\n3\n")),
)
MARKUP = (b"<!doctype", b"<html", b"<?xml", b'{"', b"[{", b"{\n", b"[\n")
PACKERS: tuple[tuple[bytes, Callable[[io.BytesIO], io.BufferedIOBase]], ...] = (
    (b"\x1f\x8b", lambda stream: gzip.GzipFile(fileobj=stream)),
    (b"BZh", bz2.BZ2File),
    (b"\xfd7zXZ\0", lzma.LZMAFile),
)
PIECE = 2**20  # bytes that are unpacked at once
PATIENCE = 1.0  # seconds to wait until another program opens a pipe
DAMAGED = "is damaged or was cut off"


@dataclass(frozen=True, slots=True)
class Place:
    """Location of a file in messages: the name of the argument, and the path."""

    name: str
    path: Path

    def __str__(self) -> str:
        return f"{self.name}: {str(self.path)!r}"

    @property
    def cannot(self) -> str:
        """The beginning of a message about a file that cannot be read."""
        return f"{self.name}: cannot read {str(self.path)!r}"

    def column(self, name: str) -> str:
        """Return the beginning of a message about a column."""
        return f"{self}: column {name!r}"


def load(at: Place) -> bytes:
    """Return the content of a regular file or a pipe, unpacked."""
    path, where = at.path, at.cannot
    try:
        about = path.stat()
        Expansion(where, about.st_size).add(about.st_size)
        data = _read_pipe(path, where) if stat.S_ISFIFO(about.st_mode) else read_bytes(path)
        after = path.stat()
        if (after.st_size, after.st_mtime_ns) != (about.st_size, about.st_mtime_ns) and stat.S_ISREG(about.st_mode):
            raise InputError(f"{where}: the file changed while it was read; read it again when no program writes to it")
        opened = next((opened for start, opened in PACKERS if data.startswith(start)), None)
    except FileNotFoundError:
        raise InputError(f"{at.name}: no file {str(path)!r}") from None
    except InputError:
        raise
    except (OSError, ValueError) as error:
        if path.is_dir():
            what = "it is a folder; Release.load reads the folder of a saved release"
            if at.name == "confidential":
                what += "; the confidential file comes first, then the release"
        elif path.exists() and not path.is_file():
            what = "it is a device or a socket; write the data to a file and read this file"
        else:
            what = getattr(error, "strerror", None) or "it is not a valid file path"
        raise InputError(f"{where}: {what}") from None
    try:
        return data if opened is None else _unpack(opened, data, where)
    except (OSError, EOFError, zlib.error, lzma.LZMAError):
        raise InputError(f"{where}: it is packed, and {DAMAGED}") from None


def _read_pipe(path: Path, where: str) -> bytes:
    """Return the text that another program writes into a pipe.

    Raises an `InputError` if no program opens the pipe for writing.
    """
    content, expansion = io.BytesIO(), Expansion(where, 0)
    end, connected = time.monotonic() + PATIENCE, False
    descriptor = os.open(path, os.O_RDONLY | os.O_NONBLOCK)
    try:
        while True:
            try:
                piece = os.read(descriptor, PIECE)
            except BlockingIOError:  # the other program has not written yet
                connected = True
                select.select([descriptor], [], [])
                continue
            if piece:
                connected = True
                expansion.add(len(piece))
                content.write(piece)
            elif connected:
                return content.getvalue()
            elif time.monotonic() > end:
                raise InputError(f"{where}: it is a pipe, but no program writes into it")
            else:
                time.sleep(PATIENCE / 100)
    finally:
        os.close(descriptor)


def _unpack(opened: Callable[[io.BytesIO], io.BufferedIOBase], data: bytes, where: str) -> bytes:
    """Return the unpacked content, or raise an `InputError` if it exceeds the limit."""
    content, expansion = io.BytesIO(), Expansion(where, len(data), PACKED)
    with opened(io.BytesIO(data)) as stream:
        while piece := stream.read(PIECE):
            expansion.add(len(piece))
            content.write(piece)
    return content.getvalue()


def recognise(data: bytes, at: Place) -> str:
    """Return the format of a file, or raise an error if its name has another format."""
    if not data or data.isspace():
        raise InputError(f"{at.cannot}: the file is empty")
    found = _format(data, at.cannot)
    endings = [ending.lower() for ending in at.path.suffixes if ending.lower() not in (".gz", ".bz2", ".xz")]
    named = ENDINGS.get(endings[-1], found) if endings else found
    if named == found:
        return found
    right = next(ending for ending, kind in ENDINGS.items() if kind == found)
    raise InputError(
        f"{at.cannot}: by its name, it is {WHAT[named]}, but by its content {WHAT[found]}"
        f"{f', or it {DAMAGED}' * (found == CSV)}; if the content is right, rename it to {at.path.stem + right!r}"
    )


def choose(tables: Mapping[str, object], wanted: str | None, what: str, at: Place) -> str:
    """Return the name of the table to read: the wanted one, or the only one."""
    if not tables:
        raise InputError(f"{at.cannot}: it contains no {what} with data")
    if wanted is None and len(tables) == 1:
        return next(iter(tables))
    if wanted is None or wanted not in tables:
        other = "" if wanted is None else f" and none named {wanted!r}"
        raise InputError(
            f"{at.cannot}: it contains {len(tables)} {what}s{other}: {_checks.shorten(tables, 12)}; choose one, for example "
            f"table={next(iter(tables))!r}"
        )
    return wanted


def _format(data: bytes, where: str) -> str:
    if data.startswith(b"PK\x03\x04"):
        return _of_zip(data, where)
    kind = next((kind for start, kind in BEGINNINGS if data.startswith(start)), None)
    if kind is not None:
        return kind
    if b"SPSSPORT" in data[:600].replace(b"\r", b"").replace(b"\n", b""):
        return PORTABLE
    # Stata up to version 12: format number, byte order, the number 1, and a zero byte.
    if len(data) > 4 and 102 <= data[0] <= 115 and data[1] in (1, 2) and data[2:4] == b"\1\0":
        return STATA
    if data[:100].lstrip(b"\xef\xbb\xbf \t\r\n").lower().startswith(MARKUP):
        raise InputError(f"{where}: it is a web page, an XML document or a JSON document; export the data as CSV")
    return CSV


def _of_zip(data: bytes, where: str) -> str:
    try:
        parts = zipfile.ZipFile(io.BytesIO(data)).infolist()
    except (zipfile.BadZipFile, ValueError, NotImplementedError, OSError):
        raise InputError(f"{where}: it is an Excel workbook or another zip archive, and {DAMAGED}") from None
    if all(part.filename != "xl/workbook.xml" for part in parts):
        raise InputError(
            f"{where}: it is a zip archive, but not an Excel workbook (.xlsx); unpack it, or save it as .xlsx"
        )
    # zipfile unpacks at most the declared size of a part.
    Expansion(where, len(data), PACKED).add(sum(part.file_size for part in parts))
    return EXCEL
