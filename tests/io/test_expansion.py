"""A file whose content does not fit into memory is refused early, and so are devices, sockets and idle pipes."""

from __future__ import annotations

import bz2
import gzip
import lzma
import os
import re
import socket
import subprocess
import tracemalloc
import zipfile
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq
import pyreadstat
import pytest
import rdata

import synthlab as sl
from synthlab.exceptions import InputError
from synthlab.io import expansion

MB = 10**6
TABLE = pd.DataFrame({f"v{place}": np.full(20_000, 123456.5) for place in range(8)})  # more than 1 MB in each format
FEW = 4_000  # rows with which a workbook has more than 1 MB
CSV = TABLE.to_csv(index=False).encode()
WRITERS: dict[str, Callable[[Path], object]] = {
    "t.csv": lambda path: path.write_bytes(CSV),
    "t.csv.gz": lambda path: path.write_bytes(gzip.compress(CSV)),
    "t.csv.bz2": lambda path: path.write_bytes(bz2.compress(CSV)),
    "t.csv.xz": lambda path: path.write_bytes(lzma.compress(CSV)),
    "t.xlsx": lambda path: TABLE.to_excel(path, index=False),
    "few rows.xlsx": lambda path: TABLE[:FEW].to_excel(path, index=False),
    "t.parquet": lambda path: TABLE.to_parquet(path),
    "t.zsav": lambda path: pyreadstat.write_sav(TABLE, path, compress=True),
    "t.sav": lambda path: pyreadstat.write_sav(TABLE, path),
    "t.dta": lambda path: pyreadstat.write_dta(TABLE, path),
    "t.rds": lambda path: rdata.write_rds(path, TABLE),
}
SLOW = dict.fromkeys(["t.xlsx", "long.xlsx"], pytest.mark.full)


@pytest.mark.parametrize("name", [pytest.param(name, marks=SLOW.get(name, ())) for name in WRITERS])
def test_the_limit_holds_for_every_format_and_can_be_raised(
    name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / name
    WRITERS[name](path)
    monkeypatch.setenv(expansion.VARIABLE, "1")
    with pytest.raises(InputError, match=f"(?s)cannot read .*{name}.*more than 1 MB.*{expansion.VARIABLE}"):
        sl.read(path)
    monkeypatch.setenv(expansion.VARIABLE, "30")
    pd.testing.assert_frame_equal(sl.read(path), TABLE[:FEW] if "few" in name else TABLE, check_dtype=False)


@pytest.mark.parametrize("value", ["0", "-1", "1.5", "many", "9" * 5_000, "\u0663"])
def test_a_limit_that_is_no_number_of_mb_is_refused(
    value: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "t.csv").write_bytes(b"a,b\n1,2\n")
    monkeypatch.setenv(expansion.VARIABLE, value)
    with pytest.raises(InputError, match=f"{expansion.VARIABLE}: must be a whole number of MB"):
        sl.read(tmp_path / "t.csv")


def change_workbook(path: Path, cells: str, text: str = "a") -> None:
    """Write a workbook with these rows, and with one text that its cells can share."""
    pd.DataFrame({"a": [1]}).to_excel(path, index=False)
    with zipfile.ZipFile(path) as book:
        parts = {name: book.read(name) for name in book.namelist()}
    space = "http://schemas.openxmlformats.org/spreadsheetml/2006/main"
    parts["xl/worksheets/sheet1.xml"] = (
        f'<worksheet xmlns="{space}"><sheetData>{cells}</sheetData></worksheet>'.encode()
    )
    parts["xl/sharedStrings.xml"] = f'<sst xmlns="{space}"><si><t>{text}</t></si></sst>'.encode()
    kind = "application/vnd.openxmlformats-officedocument.spreadsheetml.sharedStrings+xml"
    declared = f'<Override PartName="/xl/sharedStrings.xml" ContentType="{kind}" /></Types>'.encode()
    parts["[Content_Types].xml"] = parts["[Content_Types].xml"].replace(b"</Types>", declared)
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as book:
        for name, content in parts.items():
            book.writestr(name, content)


def write_zeros(path: Path) -> None:
    pq.write_table(pa.table({"a": np.zeros(20 * MB)}), path, compression="zstd", use_dictionary=False)


def write_sequence_of_r(path: Path) -> None:
    """Write what R writes of ``structure(list(a = 1:2e9), class = "data.frame", row.names = 1L)``."""
    code = 'saveRDS(structure(list(a = 1:2e9), class = "data.frame", row.names = 1L), commandArgs(TRUE))'
    try:
        subprocess.run(["Rscript", "--vanilla", "-e", code, path], check=True, capture_output=True)
    except FileNotFoundError:
        pytest.skip("R is not installed; it writes this file")


BOMBS: dict[str, Callable[[Path], object]] = {  # small files with 300 MB of content and more
    "packed.csv.gz": lambda path: path.write_bytes(gzip.compress(b"a,b\n" + b"1,2\n" * (MB // 4)) * 3_000),
    "packed.csv.bz2": lambda path: path.write_bytes(bz2.compress(b"1,2\n" * (MB // 4)) * 3_000),
    "packed.csv.xz": lambda path: path.write_bytes(lzma.compress(b"1,2\n" * (MB // 4)) * 3_000),
    "packed.rds": lambda path: path.write_bytes(gzip.compress(b"X\n\0\0\0\3" + bytes(MB)) * 3_000),
    "long.xlsx": lambda path: change_workbook(path, "<row><c><v>1</v></c></row>" * (12 * MB)),
    "wide.xlsx": lambda path: change_workbook(path, '<row><c r="ZZZ1"><v>1</v></c></row>' * 5_000),
    "shared.xlsx": lambda path: change_workbook(path, '<row><c t="s"><v>0</v></c></row>' * 100, "x" * 2 * MB),
    "text.parquet": lambda path: pd.DataFrame({"a": ["x" * 1_000] * (MB // 2)}).to_parquet(path),
    "zeros.parquet": write_zeros,
    "sequence.rds": write_sequence_of_r,
}


@pytest.mark.parametrize("name", [pytest.param(name, marks=SLOW.get(name, ())) for name in BOMBS])
def test_a_small_file_with_a_large_content_is_refused_before_it_is_in_memory(name: str, tmp_path: Path) -> None:
    path = tmp_path / name
    BOMBS[name](path)
    assert path.stat().st_size < 5 * MB
    tracemalloc.start()
    try:
        with pytest.raises(InputError, match=r"its content takes more than [\d,]+ MB"):
            sl.read(path)
        _, peak = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert peak < 500 * MB


def test_numbers_of_rows_that_no_sheet_has_are_refused(tmp_path: Path) -> None:
    path = tmp_path / "t.xlsx"
    change_workbook(path, '<row r="1"><c><v>1</v></c></row><row r="99999999999"><c><v>1</v></c></row>')
    with pytest.raises(InputError, match="row number above 1,048,576"):
        sl.read(path)


@pytest.mark.parametrize(("ending", "place", "records"), [("sav", 80, -1), ("sav", 80, 10**9), ("dta", 81, 10**9)])
def test_a_wrong_number_of_records_in_a_header_takes_no_memory(
    ending: str, place: int, records: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Files of SPSS may declare -1 records, which means that the number is unknown."""
    path = tmp_path / f"t.{ending}"
    WRITERS[path.name](path)
    data = path.read_bytes()
    count = len(TABLE).to_bytes(4, "little")
    assert data[place : place + 4] == count
    path.write_bytes(data[:place] + records.to_bytes(4, "little", signed=True) + data[place + 4 :])
    monkeypatch.setenv(expansion.VARIABLE, "2")
    if records == -1:
        assert len(sl.read(path)) == len(TABLE)
        monkeypatch.setenv(expansion.VARIABLE, "1")
    with pytest.raises(InputError, match="its content takes more than"):
        sl.read(path)


@pytest.fixture
def bound(tmp_path: Path) -> str:
    """Return the path of a socket, which has to be short."""
    here = os.getcwd()
    os.chdir(tmp_path)
    try:
        with socket.socket(socket.AF_UNIX) as one:
            one.bind("t.csv")
    finally:
        os.chdir(here)
    return str(tmp_path / "t.csv")


def test_a_device_a_socket_and_a_pipe_without_a_writer_are_refused(tmp_path: Path, bound: str) -> None:
    os.mkfifo(tmp_path / "pipe.csv")
    for path in ("/dev/zero", "/dev/null", bound):
        with pytest.raises(InputError, match=f"cannot read {re.escape(repr(str(path)))}: it is a device or a socket"):
            sl.read(path)
    with pytest.raises(InputError, match="it is a pipe, but no program writes into it"):
        sl.read(tmp_path / "pipe.csv")


def test_the_limit_holds_for_a_pipe(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    os.mkfifo(tmp_path / "pipe.csv")
    monkeypatch.setenv(expansion.VARIABLE, "1")
    with subprocess.Popen(["sh", "-c", 'exec cat /dev/zero > "$0"', tmp_path / "pipe.csv"]) as endless:
        with pytest.raises(InputError, match="its content takes more than 1 MB"):
            sl.read(tmp_path / "pipe.csv")
        assert endless.wait() != 0  # its pipe was closed
