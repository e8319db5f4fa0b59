"""Property tests: what a CSV file holds is what is read."""

from __future__ import annotations

import csv
import io
import warnings
from pathlib import Path
from tempfile import TemporaryDirectory

import pandas as pd
import pytest
from hypothesis import HealthCheck, assume, given, settings, strategies as st

import synthlab as sl
from synthlab.exceptions import InputError
from synthlab.io import read_options
from synthlab.io.column_warnings import Notes
from synthlab.io.csv_text import bytes_to_table, table_to_bytes
from synthlab.io.format_detection import Place
from synthlab.io.type_inference import typed

# No control characters, which a text file does not hold, and no half pairs, which are not text.
CHARACTERS = st.characters(codec="utf-8", exclude_categories=("Cc", "Cs")) | st.sampled_from('\n\r\t,;|" .')
# A letter at both ends, so that no cell is a number, a bool, blank or a word for a missing value.
WORDS = st.text(CHARACTERS, max_size=8).map(lambda text: f"w{text}w")
CODES = st.integers(0, 999).map(lambda number: f"0{number}")
LARGE = st.integers(-(2**63), 2**63 - 1)
FLOATS = st.floats(allow_nan=False, allow_infinity=False)
KINDS = {
    "text": (WORDS, "str"),
    "code": (CODES, "str"),
    "whole": (LARGE, "Int64"),
    "number": (FLOATS, "float64"),
    "bool": (st.booleans(), "boolean"),
}


@st.composite
def frames(draw: st.DrawFn) -> pd.DataFrame:
    """Return a frame with a column of text without missing values, so that it has at least one delimiter and no empty line."""
    n = draw(st.integers(1, 6))
    columns = {"first": pd.Series(draw(st.lists(WORDS, min_size=n, max_size=n)), dtype="str")}
    for place, kind in enumerate(draw(st.lists(st.sampled_from([*KINDS]), min_size=1, max_size=4))):
        values, dtype = KINDS[kind]
        cells = draw(st.lists(values | st.none() if draw(st.booleans()) else values, min_size=n, max_size=n))
        columns[f"{kind}{place}"] = pd.Series(cells, dtype=dtype)
    return pd.DataFrame(columns)


def read(data: bytes, **options: str) -> pd.DataFrame:
    with TemporaryDirectory() as folder, warnings.catch_warnings():
        warnings.simplefilter("ignore")
        path = Path(folder) / "t.csv"
        path.write_bytes(data)
        return sl.read(path, **options)  # type: ignore[arg-type]


def plain(column: pd.Series) -> list[object]:
    return [None if gone else value for value, gone in zip(column.tolist(), column.isna(), strict=True)]


@pytest.mark.parametrize("examples", [20, pytest.param(60, marks=pytest.mark.full)])
def test_a_frame_that_is_written_is_read_with_its_values_and_types(examples: int) -> None:
    @settings(max_examples=examples, deadline=None, suppress_health_check=[HealthCheck.too_slow])
    @given(
        frames(),
        st.sampled_from([",", ";", "\t", "|"]),
        st.sampled_from(["utf-8", "utf-8-sig", "utf-16"]),
        st.sampled_from(["\n", "\r\n"]),
        st.booleans(),
    )
    def compare(frame: pd.DataFrame, delimiter: str, encoding: str, end: str, quoted: bool) -> None:
        # The writer of pandas does not quote a carriage return where lines end in \n.
        returns = any("\r" in str(cell) for cell in frame.to_numpy(dtype=object).ravel())
        quoting = csv.QUOTE_ALL if quoted or returns else csv.QUOTE_MINIMAL
        # Whole numbers and floats in all their digits; the writer of pandas would change the former with missing values.
        text = frame.astype(object).to_csv(index=False, sep=delimiter, lineterminator=end, quoting=quoting)
        found = read(text.encode(encoding), delimiter=delimiter, decimal=".")
        assert list(found) == list(frame)
        for name, column in frame.items():
            present = column.notna()
            values, kind = plain(found[name]), found[name].dtype
            assert values == plain(column), name
            if not present.any():
                assert sl._checks.kind_of(found[name]) == "nothing"
            elif name.startswith(("text", "code", "first")):
                assert sl._checks.kind_of(found[name]) == "text"
            elif name.startswith("bool"):
                assert kind == ("bool" if present.all() else "boolean")
            elif name.startswith("number"):
                assert kind == "float64"
            elif present.all():
                assert kind == "int64"
            else:
                large = column.abs().max() > 2**53 or column.min() == -(2**63)
                assert kind == ("Int64" if large else "float64")

    compare()


CELLS = st.sampled_from(
    [
        *("1", "2.5", "-3", "+4", " 5", "6 ", "1e5", "1e-05", ".5", "7.", "0", "-0", "01", "-01", " 01", "0x1F", "1_0"),
        *(
            "inf",
            "-Infinity",
            "INF",
            "nan",
            "NA",
            "None",
            "-9",
            "-9.0",
            "",
            " ",
            "TRUE",
            "false",
            "True",
            "x",
            "a b",
            "ü",
        ),
        *("9007199254740993", "18446744073709551615", "18446744073709551616", "1e999", "2020-01-05", "٣", "\u00a01"),
    ]
)


@settings(max_examples=150, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(st.lists(CELLS, min_size=1, max_size=5), st.sampled_from(["", "NA,-9", "None"]))
def test_a_column_that_pandas_parses_has_the_type_of_its_cells(cells: list[str], na: str) -> None:
    """Columns of numbers are parsed by pandas; the rules for columns of text must give the same."""
    file = io.StringIO()
    csv.writer(file).writerows([["x", "y"], *([cell, "a"] for cell in cells)])
    data = file.getvalue().encode()
    texts = read(data, text="x")["x"]
    notes = Notes(Place("path", Path("t.csv")))
    codes = read_options.check(na, (), None, None, None, None).na
    wanted = typed(texts, codes.everywhere, ".", "x", notes)
    pd.testing.assert_series_equal(read(data, na=na)["x"], wanted, check_names=False)


@settings(max_examples=100, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(st.lists(st.lists(st.text('ab01,"\n\r ', max_size=4), min_size=1, max_size=3), min_size=2, max_size=5))
def test_records_and_errors_are_those_of_the_csv_module(rows: list[list[str]]) -> None:
    """Any bytes: either the records of the csv module, or an `InputError`."""
    text = "x,y\n" + "\n".join(",".join(row) for row in rows) + "\n"
    try:
        wanted = [row for row in csv.reader(io.StringIO(text, newline=""), strict=True) if row][1:]
    except csv.Error:
        wanted = []
    blank = [row for row in wanted if len(row) == 1 and row[0].isspace()]
    assume(not (blank and '"' in text))  # a blank in quotes is a value, and the csv module does not tell
    wanted = [row for row in wanted if row not in blank]
    valid = bool(wanted) and {len(row) for row in wanted} == {2}
    try:
        found = read(text.encode(), delimiter=",", text="x,y")
    except InputError:
        assert not valid
        return
    assert valid
    assert found.fillna("").to_numpy().tolist() == wanted


@given(st.lists(st.text(CHARACTERS, max_size=6), min_size=1, max_size=5))
def test_a_table_of_text_is_the_same_after_writing_and_reading(cells: list[str]) -> None:
    table = pd.DataFrame({"a": cells, "b": cells[::-1]}, dtype=object)
    table.columns = table.columns.astype(object)
    data = table_to_bytes(table)
    pd.testing.assert_frame_equal(bytes_to_table(data, "file"), table)
    plain = not any(letter in cell for cell in cells for letter in '\r\n",')
    assert (b'"' not in data) == plain
