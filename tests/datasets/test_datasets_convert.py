"""From a file as published to the CSV file we read."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import contextmanager

import pandas as pd
import pytest
import rdata

from synthlab.datasets._convert import _r_number, convert
from synthlab.exceptions import DatasetUnavailableError, ExtraUnavailableError
from tests.loops import every


def r_data_file(tmp_path, **objects: object) -> bytes:
    path = tmp_path / "file.RData"
    rdata.write_rda(path, objects)
    return path.read_bytes()


def test_row_names_go_and_nothing_else():
    published = b'"","a","b"\r\n"1",2,"x,y"\r\n"2",3,""\r\n'
    assert convert(published, "drop_row_names") == b'"a","b"\r\n2,"x,y"\r\n3,""\r\n'


def test_as_is_is_the_same_bytes():
    assert convert(b"\xef\xbb\xbfa,b\r\n1,2", "as_is") == b"\xef\xbb\xbfa,b\r\n1,2"


def test_r_data_is_written_as_by_write_csv(tmp_path):
    frame = pd.DataFrame({"Age": [63, 81], "Expenditure": [72938.3781, 100000.0], "Income": [0.0, -57500.0]})
    frame["Age"] = frame["Age"].astype("int32")
    written = convert(r_data_file(tmp_path, CEdata=frame), "r_data")
    assert written == b'"Age","Expenditure","Income"\n63,72938.3781,0\n81,1e+05,-57500\n'


@every(
    ("value", "text"),
    [
        (0.0, "0"),
        (1.0, "1"),
        (-3000.0, "-3000"),
        (100000.0, "1e+05"),
        (300000.0, "3e+05"),
        (120000.0, "120000"),
        (1e15, "1e+15"),
        (0.0001, "1e-04"),
        (0.1 + 0.2, "0.3"),
        (123456.789, "123456.789"),
    ],
)
def test_numbers_as_r_writes_them(value, text):
    assert _r_number(value) == text


def test_two_data_frames_are_an_error(tmp_path):
    frame = pd.DataFrame({"a": [1.0]})
    with pytest.raises(DatasetUnavailableError, match="contains 2 data frames"):
        convert(r_data_file(tmp_path, first=frame, second=frame), "r_data")


@contextmanager
def without(module: str, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    monkeypatch.setitem(sys.modules, module, None)
    yield


def test_the_missing_reader_is_named(monkeypatch):
    with (
        without("rdata", monkeypatch),
        pytest.raises(ExtraUnavailableError, match="python -m pip install .*rdata"),
    ):
        convert(b"", "r_data")
