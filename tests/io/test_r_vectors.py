"""Vectors of R become columns without R."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

from synthlab.exceptions import ColumnTypeWarning, InputError
from synthlab.io.r_vectors import Vector, decode, encode


def doubles(values: list[float], *classes: str, **more: str) -> Vector:
    array = np.array(values)
    return Vector("double", array, np.isnan(array), classes, **more)


def test_classes_give_dates_spans_and_integers() -> None:
    nan = float("nan")
    whole = np.array([1, -5, -(2**63)], dtype=np.int64).view(np.float64)
    cases: list[tuple[Vector, list[object]]] = [
        (doubles([1.5, nan], "difftime", units="hours"), [pd.Timedelta("90min"), pd.NaT]),
        (doubles([1.5, nan], "hms", "difftime", units="secs"), [pd.Timedelta("1500ms"), pd.NaT]),
        (doubles([2003 + 11 / 12, 1969 + 1 / 12], "yearmon"), [pd.Timestamp("2003-12-01"), pd.Timestamp("1969-02-01")]),
        (doubles([2003.25, nan], "yearqtr"), [pd.Timestamp("2003-04-01"), pd.NaT]),
        (
            doubles([-0.5, 0], "POSIXct", zone="UTC"),
            [pd.Timestamp("1969-12-31 23:59:59.5"), pd.Timestamp("1970-01-01")],
        ),
        (doubles([0, nan], "POSIXct", zone="Asia/Tokyo"), [pd.Timestamp("1970-01-01 09:00", tz="Asia/Tokyo"), pd.NaT]),
        (Vector("double", whole, np.isnan(whole), ("integer64",)), [1, -5, pd.NA]),
        (doubles([3.0, 4.0], "ts"), [3.0, 4.0]),
    ]
    assert [(vector.classes, decode(vector, "x").tolist()) for vector, _ in cases] == [
        (vector.classes, values) for vector, values in cases
    ]


def test_every_month_and_quarter_is_exact() -> None:
    months = np.arange(-1200, 1200)
    found = decode(doubles(list(1970 + months / 12), "yearmon"), "x")
    assert (found.dt.year * 12 + found.dt.month - 1 - 1970 * 12 == months).all()
    assert (found.dt.day == 1).all()
    quarters = decode(doubles(list(1970 + months / 4), "yearqtr"), "x")
    assert ((quarters.dt.year - 1970) * 4 + quarters.dt.quarter - 1 == months).all()


def test_what_cannot_be_decoded_is_refused_or_reported() -> None:
    for vector in (
        doubles([1.0], "difftime", units="decades"),
        doubles([1.0], "POSIXct", zone="Mars/Base"),
        doubles([1e13], "POSIXct"),
        doubles([0.5], "chron", "dates", "times"),
        doubles([1.0], "Period"),
    ):
        with pytest.raises(InputError, match="^column 'x'"):
            decode(vector, "column 'x'")
    with pytest.warns(ColumnTypeWarning, match="'Money'"):
        assert decode(doubles([2.5], "Money"), "column 'x'").tolist() == [2.5]


def test_spans_and_zones_return() -> None:
    for series in (
        pd.Series(pd.to_timedelta(["1h", None, "-3D"])).astype("timedelta64[us]"),
        pd.Series(pd.to_datetime(["2020-07-01", None])).dt.tz_localize("Europe/Berlin").dt.as_unit("us"),
    ):
        pd.testing.assert_series_equal(decode(encode(series), "x"), series)


def test_text_that_r_cannot_hold_is_refused() -> None:
    for series in (
        pd.Series(["a", "b\0"]),
        pd.Series(["a", "b\ud800"], dtype=object),
        pd.Series(["a", "b\0"]).astype("category"),
    ):
        with pytest.raises(InputError, match="at position 1 contains"):
            encode(series)


@pytest.mark.parametrize(
    ("values", "storage", "classes", "numbers"),
    [
        (pd.to_datetime(["1970-01-03", None]), "double", ("Date",), [2.0]),
        (pd.to_datetime(["1970-01-03 06:00", None]), "double", ("POSIXct", "POSIXt"), [194_400.0]),
        (pd.to_timedelta(["2min", None]), "double", ("difftime",), [120.0]),
        (pd.Series([pd.Timedelta("2min"), None], dtype=object), "double", ("difftime",), [120.0]),
        ([True, None], "logical", (), [1]),
        (pd.array([7, None], dtype="Int64"), "integer", (), [7]),
        (pd.array([2**31, None], dtype="Int64"), "double", (), [2.0**31]),
        ([0.5, None], "double", (), [0.5]),
        (["a", None], "character", (), ["a"]),
        (pd.Categorical(["b", None], ["a", "b"]), "integer", ("factor",), [2]),
        (pd.Categorical(["b", None], ["a", "b"], ordered=True), "integer", ("ordered", "factor"), [2]),
    ],
)
def test_columns_have_the_class_and_numbers_of_r(
    values: object, storage: str, classes: tuple[str, ...], numbers: list[object]
) -> None:
    vector = encode(pd.Series(values))  # type: ignore[call-overload]
    assert (vector.storage, vector.classes) == (storage, classes)
    assert list(vector.values)[:1] == numbers
    assert list(vector.absent) == [False, True]
