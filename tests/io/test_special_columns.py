"""Times, durations, dates of other programs, formulas, second lines of names, sparse and repeated columns."""

from __future__ import annotations

import datetime
import decimal
import re
import warnings
import zipfile
from pathlib import Path

import numpy as np
import openpyxl
import pandas as pd
import pyarrow as pa
import pyarrow.parquet
import pyreadstat
import pytest

import synthlab as sl
from synthlab.exceptions import ColumnTypeWarning, InputError
from synthlab.io.dates_from_numbers import kind_of_format

N = 60
HOURS = pd.Series(pd.to_timedelta(np.arange(N) % 24, unit="h")).astype("timedelta64[us]")


def said(path: Path) -> tuple[pd.DataFrame, list[str]]:
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        frame = sl.read(path)
    assert all(warning.category is ColumnTypeWarning for warning in caught)
    return frame, [str(warning.message) for warning in caught]


def workbook(path: Path, rows: list[list[object]]) -> Path:
    book = openpyxl.Workbook()
    for row in rows:
        book.active.append(row)
    book.save(path)
    return path


def times() -> list[datetime.time]:
    return [datetime.time(hour % 24) for hour in range(N)]


def test_times_of_day_are_time_spans_from_every_format_and_can_be_synthesized(tmp_path: Path) -> None:
    frame = pd.DataFrame({"q": [1.0, 2.0, 3.0] * 20, "t": times()})
    pyreadstat.write_sav(frame, tmp_path / "t.sav")
    pyreadstat.write_dta(frame, tmp_path / "t.dta")
    pyreadstat.write_xport(frame, tmp_path / "t.xpt")
    frame.to_parquet(tmp_path / "t.parquet")
    workbook(tmp_path / "t.xlsx", [["q", "t"], *frame.to_numpy().tolist()])
    for ending in ("sav", "dta", "xpt", "parquet", "xlsx"):
        found, messages = said(tmp_path / f"t.{ending}")
        pd.testing.assert_series_equal(found["t"], HOURS, check_names=False)
        assert messages == []
    made = sl.synthesize(found, m=1, rng=1)[0]
    assert made["t"].dtype == found["t"].dtype
    assert made["t"].dropna().between(pd.Timedelta(0), pd.Timedelta("24h")).all()
    made.to_csv(tmp_path / "made.csv", index=False)
    again = sl.read(tmp_path / "made.csv", like=found)
    pd.testing.assert_series_equal(again["t"], made["t"])


def test_durations_of_a_workbook_and_of_spss_keep_their_days(tmp_path: Path) -> None:
    hours = pd.Series([0.5, 20, 25, 49.25] * 15)
    spans = pd.to_timedelta(hours, unit="h").astype("timedelta64[us]")
    path = workbook(tmp_path / "t.xlsx", [["d", "h"], *[[span, span] for span in spans.astype(object)]])
    book = openpyxl.load_workbook(path)
    for row in range(2, N + 2):
        book.active.cell(row, 2).number_format = "h:mm:ss"  # shows 25 hours as 1:00:00
    book.save(path)
    found = sl.read(path)
    pd.testing.assert_series_equal(found["d"], spans, check_names=False)
    pd.testing.assert_series_equal(found["h"], spans, check_names=False)
    seconds = pd.DataFrame(dict.fromkeys(("TIME", "DTIME", "MTIME"), hours * 3600))
    pyreadstat.write_sav(
        seconds, tmp_path / "t.sav", variable_format={"TIME": "TIME8", "DTIME": "DTIME20", "MTIME": "MTIME8"}
    )
    found = sl.read(tmp_path / "t.sav")
    for name in seconds:
        pd.testing.assert_series_equal(found[name], spans, check_names=False)


def test_formats_of_dates_of_spss_and_stata(tmp_path: Path) -> None:
    days = pd.Series(pd.date_range("1999-12-01", periods=12, freq="MS")).astype("datetime64[us]")
    seconds = (days - pd.Timestamp("1582-10-14")).dt.total_seconds()
    forms = {
        "DATE": "DATE11",
        "MOYR": "MOYR8",
        "QYR": "QYR6",
        "WKYR": "WKYR8",
        "JDATE": "JDATE5",
        "STAMP": "DATETIME20",
    }
    pyreadstat.write_sav(pd.DataFrame(dict.fromkeys(forms, seconds)), tmp_path / "t.sav", variable_format=forms)
    found = sl.read(tmp_path / "t.sav")
    for name in forms:
        pd.testing.assert_series_equal(found[name], days, check_names=False)
    # Numbers as in the manual of Stata: days, weeks, months, quarters and half-years since 1960, and milliseconds.
    values = {
        "td": 14_579,
        "tw": 2_080,
        "tm": 478,
        "tq": 159,
        "th": 79,
        "tdDD/NN/CCYY": 14_579,
        "tc": 14_579 * 86_400_000.0,
    }
    first = ["1999-12-01", "2000-01-01", "1999-11-01", "1999-10-01", "1999-07-01", "1999-12-01", "1999-12-01"]
    frame = pd.DataFrame({f"v{place}": [value, value + 1] for place, value in enumerate(values.values())})
    frame["year"] = [1999, 2000]
    forms = {f"v{place}": f"%{form}" for place, form in enumerate(values)} | {"year": "%ty"}
    pyreadstat.write_dta(frame, tmp_path / "t.dta", variable_format=forms)
    found = sl.read(tmp_path / "t.dta")
    assert [str(found[name][0])[:10] for name in found.columns[:-1]] == first
    assert [str(found[name][1])[:10] for name in ("v1", "v2", "v3", "v4")] == [
        "2000-01-08",
        "1999-12-01",
        "2000-01-01",
        "2000-01-01",
    ]
    assert found["year"].tolist() == [1999, 2000]


def test_formats_of_sas() -> None:
    kinds = {
        "date": ["DATE9", "MMDDYY10", "DDMMYYP10", "YYMMDD", "MONYY7", "YYQ6", "JULIAN", "WORDDATE18", "E8601DA10"],
        "time span": ["TIME8", "HHMM5", "TOD", "E8601TM"],
        "": ["F8.2", "BEST12", "COMMA10.2", "YEAR4", "", "DOLLAR8"],
    }
    for kind, forms in kinds.items():
        assert [form for form in forms if (kind_of_format(form, "SAS") or ("",))[0] != kind] == []
    assert kind_of_format("DATETIME20", "SAS") == ("date", 10**6, "1960-01-01") == kind_of_format("E8601DT26.6", "SAS")
    assert kind_of_format("DTDATE9", "SAS") == kind_of_format("DATETIME20", "SAS") != kind_of_format("DATE9", "SAS")


def test_types_of_parquet(tmp_path: Path) -> None:
    table = pa.table(
        {
            "duration": pa.array([1, None, 3], pa.duration("s")),
            "decimal": pa.array([decimal.Decimal("0.50"), None, decimal.Decimal("2.25")]),
            "whole": pa.array([decimal.Decimal(k) for k in (1, 2, 3)], pa.decimal128(20, 0)),
            "dictionary": pa.array(["b", None, "a"]).dictionary_encode(),
            "zone": pa.array([0, None, 3_600], pa.timestamp("s", "Europe/Berlin")),
            "time": pa.array([datetime.time(1, 30), None, datetime.time(0)], pa.time64("us")),
        }
    )
    pa.parquet.write_table(table, tmp_path / "t.parquet")
    found, messages = said(tmp_path / "t.parquet")
    assert messages == []
    assert found["duration"].tolist() == [pd.Timedelta(1, "s"), pd.NaT, pd.Timedelta(3, "s")]
    assert found["decimal"].dropna().tolist() == [0.5, 2.25]
    assert found["whole"].dtype == np.int64
    assert found["dictionary"].dropna().tolist() == ["b", "a"]
    assert str(found["zone"].dtype).endswith("Europe/Berlin]")
    assert found["time"].tolist() == [pd.Timedelta("1h30min"), pd.NaT, pd.Timedelta(0)]
    twice = pa.Table.from_arrays([pa.array([1]), pa.array([2]), pa.array([3])], names=["a", "b", "a"])
    pa.parquet.write_table(twice, tmp_path / "t.parquet")
    with pytest.raises(InputError, match="column names must be unique.*'a'"):
        sl.read(tmp_path / "t.parquet")


def test_formulas_without_results_are_reported_and_those_with_results_are_not(tmp_path: Path) -> None:
    rows: list[list[object]] = [["a", "total", "b", "note"]]
    rows += [[i, f"=A{i + 2}*2", i % 3, "=A1" if i == 4 else "text"] for i in range(9)]
    rows += [[None, "=A1*2", None, None]]
    path = workbook(tmp_path / "t.xlsx", rows)
    found, messages = said(path)
    assert found["total"].isna().all()
    assert len(messages) == 1
    assert "'total' (10 cells), 'note' (1 cells)" in messages[0]
    with zipfile.ZipFile(path) as parts:
        content = {part: parts.read(part) for part in parts.namelist()}
    with zipfile.ZipFile(path, "w") as parts:  # as saved by a program that stores results
        for part, data in content.items():
            parts.writestr(part, re.sub(rb"</f><v ?/>|</f><v></v>", b"</f><v>7</v>", data))
    found, messages = said(path)
    assert found["total"].tolist() == [7] * 10
    assert not [text for text in messages if "formula" in text]


HEADERS: dict[str, tuple[list[list[object]], tuple[str, ...]]] = {
    "groups": ([["Person", None, "Pay"], ["age", "sex", "wage"]], ("Person", "Pay")),
    "units": ([["age", "sex", "wage"], ["years", None, "dollars"]], ("age", "wage")),
    "questions": (
        [["Q1", "Q2", "Q3"], ["How old?", "Which sex?", "What wage?"], ["{id: 1}", "{id: 2}", "{id: 3}"]],
        ("Q1", "Q3"),
    ),
}


def test_more_lines_of_names_are_reported(tmp_path: Path) -> None:
    records: list[list[object]] = [[20 + i % 40, "mf"[i % 2], i * 13 % 700] for i in range(N)]
    for lines, names in HEADERS.values():
        workbook(tmp_path / "t.xlsx", [*lines, *records])
        pd.DataFrame([*lines, *records]).to_csv(tmp_path / "t.csv", index=False, header=False)
        for ending in ("xlsx", "csv"):
            messages = [text for text in said(tmp_path / f"t.{ending}")[1] if "column names" in text]
            assert len(messages) == 1
            assert all(repr(name) in messages[0] for name in names)
            assert "How old" not in messages[0]


def test_a_first_record_with_words_is_no_line_of_names(tmp_path: Path) -> None:
    columns = {
        "a code": ([["age", "sex"], ["unknown", "m"]], [[i, "mf"[i % 2]] for i in range(N)]),
        "a word for missing": ([["age", "pay"], ["NA", "NA"]], [[i, i * 2] for i in range(N)]),
        "one column": ([["age"], ["unknown"]], [[i] for i in range(N)]),
        "a number": ([["age", "pay"], ["unknown", 5]], [[i, i * 2] for i in range(N)]),
        "text": ([["a", "b"], ["x", "y"]], [["p", "q"]] * N),
    }
    for lines, records in columns.values():
        pd.DataFrame([*lines, *records]).to_csv(tmp_path / "t.csv", index=False, header=False)
        assert [text for text in said(tmp_path / "t.csv")[1] if "second line" in text] == []


def test_sparse_columns_are_read_as_dense(tmp_path: Path) -> None:
    dense = pd.DataFrame({"x": np.arange(200) % 9, "flag": np.arange(200) % 7 == 0, "y": np.arange(200) % 3})
    sparse = dense.astype({"x": "Sparse[int]", "flag": "Sparse[bool]"})
    pd.testing.assert_frame_equal(sl.synthesize(sparse, m=1, rng=1)[0], sl.synthesize(dense, m=1, rng=1)[0])


def test_the_message_of_a_library_is_shown_only_without_values(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "t.parquet"
    pd.DataFrame({"a": [1]}).to_parquet(path)
    for message, shown in (("Unsupported cipher.", True), ("bad value 12345", False), ("cannot parse 'smith'", False)):

        def fail(*_: object, message: str = message, **__: object) -> None:
            raise RuntimeError(message)

        monkeypatch.setattr("pyarrow.parquet.ParquetFile", fail)
        with pytest.raises(InputError, match="could not be read .RuntimeError") as caught:
            sl.read(path)
        assert (message.rstrip(".") in str(caught.value)) == shown
