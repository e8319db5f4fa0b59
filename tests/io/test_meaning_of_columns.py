"""Dates, decorated numbers and codes of missing values in CSV files."""

from __future__ import annotations

import os
import warnings
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from hypothesis import HealthCheck, given, settings, strategies as st

import synthlab as sl
from synthlab import _checks
from synthlab._warnings import quiet
from synthlab.exceptions import (
    ColumnTypeWarning,
    DtypeMismatchError,
    InputError,
    RareValueWarning,
    UndeclaredCodeWarning,
)
from synthlab.io import format_detection
from synthlab.io.date_formats import DateFormat, recognize

DAYS = ("%Y-%m-%d", "%Y/%m/%d", "%d/%m/%Y", "%m/%d/%Y", "%d-%m-%Y", "%m-%d-%Y", "%d.%m.%Y", "%d.%m.%y", "%m/%d/%y")
NAMED = ("%d%b%Y", "%d %b %Y", "%d-%b-%y", "%d %B %Y", "%B %d, %Y", "%b %d, %Y")
TIMES = ("", " %H:%M", " %H:%M:%S", " %H:%M:%S.%f", " %I:%M %p")
ZONES = ("%Y-%m-%dT%H:%M%z", "%Y-%m-%dT%H:%M:%S%z", "%Y-%m-%d %H:%M:%S%z")


def file_of(folder: Path, cells: list[str], name: str = "x", quote: str = '"') -> Path:
    path = folder / "survey.csv"
    path.write_text(f"{name},y\n" + "".join(f"{quote}{cell}{quote},{i % 3}\n" for i, cell in enumerate(cells)))
    return path


def texts_of(found: list[warnings.WarningMessage], category: type[Warning]) -> list[str]:
    return [str(one.message) for one in found if issubclass(one.category, category)]


def read(path: Path, **options) -> tuple[pd.DataFrame, list[warnings.WarningMessage]]:
    with warnings.catch_warnings(record=True) as found:
        warnings.simplefilter("always")
        return sl.read(path, **options), found


@st.composite
def formats(draw: st.DrawFn) -> DateFormat:
    if draw(st.booleans()):
        return DateFormat(draw(st.sampled_from(ZONES)), zone=draw(st.sampled_from(("Z", "+01:00", "+0100"))))
    pattern = draw(st.sampled_from(DAYS + NAMED)) + draw(st.sampled_from(TIMES))
    case = draw(st.sampled_from(("title", "lower", "upper")))
    return DateFormat(pattern, draw(st.booleans()), draw(st.booleans()), case, 6)


@settings(max_examples=80, deadline=None, suppress_health_check=list(HealthCheck))
@given(formats(), st.sampled_from((None, "Europe/Berlin", "UTC")), st.integers(0, 2**32), st.booleans())
def test_dates_in_any_format_are_read_and_written_back(tmp_path, form, zone, seed, gaps) -> None:
    rng = np.random.default_rng(seed)
    # Days above 12 decide between day first and month first.
    dates = pd.Series(pd.Timestamp("1975-01-13") + pd.to_timedelta(rng.integers(0, 24 * 365 * 50, 60), unit="h"))
    dates[0] = pd.Timestamp("1999-10-17 10:00")
    dates = dates if "%H" in form.pattern or "%I" in form.pattern else dates.dt.floor("D")
    if form.zone:
        dates = dates.dt.tz_localize("UTC" if form.zone == "Z" else "+01:00")
    texts = form.write(dates)
    if gaps:
        dates[3], texts[3] = pd.NaT, ""
    frame, found = read(file_of(tmp_path, texts))
    assert not texts_of(found, ColumnTypeWarning)
    assert frame["x"].isna().tolist() == dates.isna().tolist()
    assert (frame["x"].dropna() == dates.dropna()).all()
    back = frame.attrs["synthlab_dates"]["x"].write(frame["x"])
    assert back.fillna("").tolist() == texts.tolist()


def test_a_release_is_written_in_the_format_of_the_file(tmp_path) -> None:
    rng = np.random.default_rng(1)
    for number, form in enumerate((*DAYS, *NAMED, "%Y-%m-%dT%H:%M:%S%z")):
        zone = "Z" if form.endswith("%z") else ""
        days = pd.Series(
            pd.Timestamp("1970-01-31", tz="UTC" if zone else None)
            + pd.to_timedelta(rng.integers(0, 9999, 80), unit="D")
        )
        frame = sl.read(file_of(tmp_path, DateFormat(form, zone=zone).write(days).tolist()))
        with quiet():
            release = sl.synthesize(frame, m=1, rng=1)
        folder = release.save(tmp_path / str(number), allow_short_seed=True, keep_order=True)
        written = pd.read_csv(tmp_path / str(number) / "synthetic_001.csv", dtype=str)["x"]
        assert recognize(list(written.unique())).format == DateFormat(form, zone=zone)
        assert sl.Release.load(tmp_path / str(number))[0]["x"].equals(release[0]["x"])
        assert folder is None or Path(folder).exists()


@pytest.mark.parametrize("mark", ["/", "-"])
def test_an_ambiguous_order_is_reported_and_can_be_declared(tmp_path, mark) -> None:
    path = file_of(tmp_path, [f"{day:02d}{mark}{month:02d}{mark}2020" for day, month in [(1, 2), (3, 4), (5, 5)]])
    frame, found = read(path)
    (message,) = texts_of(found, ColumnTypeWarning)
    assert f"%m{mark}%d{mark}%Y" in message
    assert "dates=" in message
    assert frame["x"].dt.day.tolist() == [1, 3, 5]
    frame, found = read(path, dates={"x": f"%m{mark}%d{mark}%Y"})
    assert not found
    assert frame["x"].dt.day.tolist() == [2, 4, 5]
    kept, found = read(path, dates={"x": "none"})
    assert not found
    assert kept["x"].tolist()[0] == f"01{mark}02{mark}2020"
    with pytest.raises(InputError, match="position 0"):
        sl.read(path, dates={"x": "%Y-%m-%d"})


@pytest.mark.parametrize(
    ("cells", "formats"),
    [
        (["2020-01-31", "31.01.2020"], ("%Y-%m-%d", "%d.%m.%Y")),
        (["13/01/2020", "01/13/2020"], ("%d/%m/%Y", "%m/%d/%Y")),
        (["2020-01-31", "31jan2020"], ("%Y-%m-%d", "%d%b%Y")),
    ],
)
def test_two_formats_in_a_column_are_an_error_that_names_both(tmp_path, cells, formats) -> None:
    path = file_of(tmp_path, cells * 10)
    with pytest.raises(InputError) as error:
        sl.read(path)
    assert all(one in str(error.value) for one in formats)
    assert not any(cell in str(error.value) for cell in cells)
    assert sl.read(path, text="x")["x"].tolist() == cells * 10


def test_cells_that_are_not_dates_are_counted(tmp_path) -> None:
    days = [f"{1900 + i}-05-17" for i in range(100)]
    for odd, hint in (("secret", "na={"), ("NA", 'na="x=NA"')):
        path = file_of(tmp_path, [*days, odd], quote="")
        frame, found = read(path)
        (message,) = texts_of(found, ColumnTypeWarning)
        assert "1 cell" in message
        assert hint in message
        assert "secret" not in message
        assert frame["x"].dtype.kind == "O"
        assert sl.read(path, na={"x": [odd]})["x"].isna().sum() == 1


def test_years_outside_the_range_of_nanoseconds(tmp_path) -> None:
    frame, found = read(
        file_of(tmp_path, [*(f"{y}-06-30" for y in range(1950, 2000)), *["9999-12-31"] * 3, "0001-01-01"])
    )
    assert frame["x"].dt.year.tolist()[-4:] == [9999, 9999, 9999, 1]
    assert "9999-12-31" in "".join(texts_of(found, UndeclaredCodeWarning))


def test_numbers_are_dates_only_if_all_are_plausible(tmp_path) -> None:
    days = [d.strftime("%Y%m%d") for d in pd.date_range("1999-12-01", periods=60, freq="9D")]
    frame, found = read(file_of(tmp_path, days))
    assert frame["x"].dtype.kind == "M"
    assert "yyyymmdd" in "".join(texts_of(found, ColumnTypeWarning))
    assert sl.read(file_of(tmp_path, days), dates={"x": "none"})["x"].dtype.kind == "i"
    rng = np.random.default_rng(1)
    for numbers in (
        [20200101] * 9,
        [*days, "20201301"],
        rng.integers(19000101, 21000101, 60),
        range(20200101, 20200161),
        [1, 2],
    ):
        assert sl.read(file_of(tmp_path, [str(x) for x in numbers]))["x"].dtype.kind == "i"
    assert sl.read(file_of(tmp_path, ["20200101", "20200102"]), dates={"x": "%Y%m%d"})["x"].dt.day.tolist() == [1, 2]


@pytest.mark.parametrize(
    "cells",
    [
        ["01.11.10", "01.13.41", "10.11.11"],
        ["1.2.3", "2.4.5", "1.0.0"],
        ["A-1-2", "B-2-3"],
        ["12-34-56", "99-88-77"],
        ["192.168.1.1", "10.0.0.1"],
        ["2020-Q1", "2020-Q2"],
        ["may", "june"],
    ],
)
def test_codes_are_not_dates(tmp_path, cells) -> None:
    frame, found = read(file_of(tmp_path, cells * 4))
    assert frame["x"].tolist() == cells * 4
    assert not found


def test_times_of_day_are_modeled_and_written_back(tmp_path) -> None:
    rng = np.random.default_rng(1)
    for pattern in ("%H:%M", "%H:%M:%S"):
        times = DateFormat(pattern).write(
            pd.Series(pd.Timestamp("2020-01-01") + pd.to_timedelta(rng.integers(0, 86_400, 300), unit="s"))
        )
        frame = sl.read(file_of(tmp_path, times.tolist()))
        assert frame["x"].tolist() == times.tolist()
        with quiet():
            made = sl.synthesize(frame, m=1, rng=1)[0]["x"]
        assert pd.to_datetime(made, format=pattern).notna().all()
        assert made.nunique() > 100


def test_a_second_file_is_read_with_the_format_of_the_first(tmp_path) -> None:
    first = sl.read(file_of(tmp_path, ["01/13/2020", "02/03/2020"]))
    second, found = read(file_of(tmp_path, ["02/03/2020", "04/05/2020"]), like=first)
    assert second["x"].dt.month.tolist() == [2, 4]
    assert not found
    assert sl.read(file_of(tmp_path, ["2020-02-03", "2020-04-05"]), like=first)["x"].dt.month.tolist() == [2, 4]
    with pytest.raises(DtypeMismatchError, match="'x'"):
        sl.read(file_of(tmp_path, ["a", "b"]), like=first)


@pytest.mark.parametrize(
    ("cells", "numbers"),
    [
        (["12.5%", "3%", "100.0 %"], [12.5, 3, 100]),
        (["1,000", "12,345,678", "950"], [1000, 12345678, 950]),
        (["$5", "$ 1,200.50", "-$7"], [5, 1200.5, -7]),
        (["\u20ac 5", "\u20ac6.5"], [5, 6.5]),
        (["5 EUR", "1,200 EUR"], [5, 1200]),
        (["\u22125", "3.5"], [-5, 3.5]),
        (["1 000", "12\u00a0500", "7"], [1000, 12500, 7]),
    ],
)
def test_decorated_numbers_are_numbers_and_reported(tmp_path, cells, numbers) -> None:
    path = file_of(tmp_path, cells)
    frame, found = read(path)
    assert frame["x"].tolist() == numbers
    (message,) = texts_of(found, ColumnTypeWarning)
    assert "text='x'" in message
    assert sl.read(path, text="x")["x"].tolist() == cells
    assert read(path, like=pd.DataFrame({"x": [1.5]}))[0]["x"].tolist() == numbers


@pytest.mark.parametrize(
    "cells", [["1,2", "3"], ["007", "1"], ["5%", "5"], ["$5", "\u20ac5"], ["1,00", "2"], ["01,000", "2"], ["$", "5"]]
)
def test_codes_are_not_numbers(tmp_path, cells) -> None:
    assert sl.read(file_of(tmp_path, cells * 8))["x"].tolist() == cells * 8


def test_decimal_commas_of_a_file_with_tabs(tmp_path) -> None:
    path = tmp_path / "a.tsv"
    for cells, wanted in ((["1,5", "2,25"], [1.5, 2.25]), (["1,500", "2,250"], [1500, 2250])):
        path.write_text("x\ty\n" + "".join(f"{cell}\ta\n" for cell in cells))
        assert read(path)[0]["x"].tolist() == wanted


def test_na_without_quotes_is_missing_as_in_r(tmp_path) -> None:
    path = tmp_path / "a.csv"
    for end in ("\n", "\r\n"):
        path.write_bytes(end.join(['"g","x","z"', '"NA",1,NA', "NA,NA,2", '"b",3,4', ""]).encode())
        frame, found = read(path)
        assert not found
        assert frame["g"].fillna("missing").tolist() == ["NA", "missing", "b"]
        assert frame["x"].isna().tolist() == [False, True, False]
        assert frame["z"].isna().tolist() == [True, False, False]
    path.write_text("g,x\nNA,1\nb,2\n")
    assert sl.read(path)["g"].tolist() == ["NA", "b"]


@pytest.mark.parametrize("na", ["income=-9,NA", {"income": [-9, "NA"]}, {"income": "-9,NA", None: []}])
def test_codes_of_one_column(tmp_path, na) -> None:
    path = tmp_path / "a.csv"
    path.write_text("income,x,g\n-9,-9,NA\nNA,1,b\n5,2,c\n")
    frame = sl.read(path, na=na)
    assert frame["income"].isna().tolist() == [True, True, False]
    assert frame["x"].tolist() == [-9, 1, 2]
    assert frame["g"].tolist() == ["NA", "b", "c"]
    with pytest.raises(InputError, match="na: 'pay'"):
        sl.read(path, na={"pay": [-9]})


def test_undeclared_codes_are_reported_and_skewed_incomes_are_not(tmp_path) -> None:
    for seed in range(30):
        rng = np.random.default_rng(seed)
        others = (
            np.round(np.exp(rng.normal(7, 1.5, 400))),
            rng.integers(18, 93, 400),
            rng.integers(1, 6, 400),
            np.round(rng.normal(0, 30, 400)),
            rng.poisson(2, 400),
            rng.integers(-2, 3, 400),
        )
        for values in others:
            assert _checks.undeclared_codes(pd.Series(values)) == []
        for values, codes in (
            (others[0], [-9]),
            (others[0], [-9, -8]),
            (others[1], [999]),
            (others[2], [98, 99]),
            (others[1], [-99]),
        ):
            mixed = np.concatenate([values, np.repeat(codes, 12)])
            assert set(_checks.undeclared_codes(pd.Series(mixed))) == set(codes)
    path = file_of(tmp_path, [*(str(1000 + i * 37 % 500) for i in range(60)), *["999998"] * 12], "income")
    _, found = read(path)
    (message,) = texts_of(found, UndeclaredCodeWarning)
    assert 'na="income=999998"' in message
    assert not texts_of(read(path, na="income=999998")[1], UndeclaredCodeWarning)


def test_codes_of_data_frames_are_reported_by_synthesize() -> None:
    rng = np.random.default_rng(1)
    frame = pd.DataFrame(
        {"income": np.where(rng.random(300) < 0.1, -9, rng.integers(60, 900, 300)), "x": rng.integers(0, 3, 300)}
    )
    with quiet(RareValueWarning), pytest.warns(UndeclaredCodeWarning, match="missing_codes"):
        sl.synthesize(frame, m=1, rng=1)
    with warnings.catch_warnings():
        warnings.simplefilter("error", UndeclaredCodeWarning)
        sl.synthesize(frame, m=1, rng=1, missing_codes={"income": [-9]})


def test_texts_that_differ_in_blanks_or_case_are_reported(tmp_path) -> None:
    for variants, count in ((["m", "m "], 1), (["male", "Male", "MALE"], 2), (["a  b", "a b"], 1), (["m", "f"], 0)):
        _, found = read(file_of(tmp_path, variants * 9))
        assert len(texts_of(found, ColumnTypeWarning)) == (count > 0)
        assert not count or f"{count} in 'x'" in texts_of(found, ColumnTypeWarning)[0]
    like = pd.DataFrame({"x": ["m", "f"]})
    assert texts_of(read(file_of(tmp_path, ["m ", "f "]), like=like)[1], ColumnTypeWarning)


def test_a_file_that_changes_while_it_is_read_is_an_error(tmp_path, monkeypatch) -> None:
    path = file_of(tmp_path, ["1", "2"])
    original = format_detection.read_bytes

    def changing(name: Path) -> bytes:
        data = original(name)
        with open(name, "ab") as file:
            file.write(b"3,3\n")
        return data

    monkeypatch.setattr(format_detection, "read_bytes", changing)
    with pytest.raises(InputError, match="changed while it was read"):
        sl.read(path)
    monkeypatch.undo()
    os.utime(path)
    assert len(sl.read(path)) == 3


@pytest.mark.parametrize(
    "texts",
    [
        ["2021-01-31:10:20", "2021-02-01:11:30"],
        ["2021-01-31 10:20 PM", "2021-02-01 11:30 AM"],
        ["2021-01-31 09:20", "2021-02-01 11:30"],
        ["2021-01-31", "2021-02-28"],
        ["2021-1-5", "2021-2-17"],
    ],
)
def test_a_recognized_format_reads_and_writes_its_texts(texts: list[str]) -> None:
    found = recognize(texts).format
    assert found is not None
    dates = found.read(pd.Series(texts, dtype=object))
    assert dates.notna().all()
    assert found.write(dates).tolist() == texts
