"""Polars and PyArrow tables are accepted wherever a pandas data frame is, and give the same results."""

from __future__ import annotations

import datetime as dt
import sys
import warnings
from collections.abc import Callable
from typing import Any

import numpy as np
import pandas as pd
import pytest

import synthlab as sl
from synthlab import _checks, dp
from synthlab.exceptions import ExtraUnavailableError, InputError, SynthlabError
from tests.hostile.bases import Case
from tests.loops import every
from tests.recorded.calls import CALLS, LEFT_OUT
from tests.recorded.reading import differences, read

polars, pyarrow = pytest.importorskip("polars"), pytest.importorskip("pyarrow")
LIBRARIES: dict[str, Callable[[pd.DataFrame], Any]] = {
    "polars": polars.from_pandas,
    "PyArrow": pyarrow.Table.from_pandas,
}


def converted(value: Any, convert: Callable[[pd.DataFrame], Any]) -> Any:
    """Return an argument with a table of another library in the place of every frame."""
    if isinstance(value, pd.DataFrame):
        return convert(value)
    if isinstance(value, list | tuple) and any(isinstance(one, pd.DataFrame) for one in value):
        return type(value)(converted(one, convert) for one in value)
    return value


def answer(case: Case, convert: Callable[[pd.DataFrame], Any]) -> Any:
    """Return what a call gives as plain data, or the name of its error."""
    given = {name: converted(value, convert) for name, value in case.base().items()}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            return read(case.call(**given))
        except SynthlabError as error:
            return type(error).__name__


def with_frames() -> list[str]:
    """Return the names of the recorded calls that have a frame, or a list of frames, among their arguments."""
    return [n for n, c in CALLS.items() if any(converted(v, lambda frame: None) is not v for v in c.base().values())]


def test_most_calls_have_frames() -> None:
    names = with_frames()
    assert {"identification_risk", "evaluate", "synthesize", "pmse", "risk_weights", "Release", "CART"} <= set(names)
    assert not set(names) & set(LEFT_OUT)


@pytest.mark.full
@every("name", with_frames)
def test_every_call_gives_the_same_result(name: str) -> None:
    expected = answer(CALLS[name], lambda frame: frame)
    for library, convert in LIBRARIES.items():
        assert differences(expected, answer(CALLS[name], convert)) == [], library


def of_every_type() -> Any:
    days, noon = [dt.date(2020, 1, 1), None, dt.date(2021, 1, 1)], dt.datetime(2020, 1, 1, 12)
    return polars.DataFrame(
        {
            "whole": [1, None, 3],
            "small": polars.Series([1, 2, 3], dtype=polars.UInt8),
            "text": ["a", None, "c"],
            "sure": [True, None, False],
            "day": days,
            "time": [noon, None, noon],
            "zone": polars.Series([noon] * 3).dt.replace_time_zone("Europe/Zurich"),
            "length": [dt.timedelta(days=1), None, dt.timedelta(days=2)],
            "kind": polars.Series(["x", None, "y"], dtype=polars.Categorical),
            "grade": polars.Series(["low", None, "high"], dtype=polars.Enum(["low", "mid", "high"])),
        }
    )


@pytest.mark.parametrize("arrow", [False, True])
def test_types_are_those_of_pandas(arrow: bool) -> None:
    table = of_every_type()
    frame = _checks.check_frame(table.to_arrow() if arrow else table, "frame")
    pd.testing.assert_series_equal(frame["whole"], pd.Series([1.0, np.nan, 3.0], name="whole"))
    assert frame["small"].dtype == np.uint8
    assert frame["text"].dtype == pd.Series(["a"]).dtype
    assert frame["text"].isna().tolist() == [False, True, False]
    assert frame["sure"].tolist() == [True, None, False]
    assert frame["day"].dtype.kind == frame["time"].dtype.kind == "M"
    assert frame["day"].iloc[2] == pd.Timestamp("2021-01-01")
    assert str(frame["zone"].dtype.tz) == "Europe/Zurich"
    assert frame["length"].iloc[2] == pd.Timedelta(days=2)
    assert frame["kind"].dtype == "category"
    assert not frame["kind"].cat.ordered
    assert frame["grade"].cat.ordered
    assert frame["grade"].cat.categories.tolist() == ["low", "mid", "high"]
    assert frame["grade"].isna().tolist() == [False, True, False]


@pytest.mark.filterwarnings("ignore::synthlab.exceptions.SynthlabWarning")
def test_results_are_frames_of_pandas() -> None:
    rng = np.random.default_rng(1)
    survey = polars.DataFrame({"age": rng.integers(20, 60, 60), "grade": rng.choice(["a", "b"], 60)})
    release = sl.synthesize(survey, m=2, rng=1)
    assert all(isinstance(one, pd.DataFrame) for one in release)
    fitted = sl.CART(["grade"], predictors=["age"]).fit(survey, rng=1)
    made = fitted.generate(m=1, rng=1, given=survey.select("age"))
    pd.testing.assert_frame_equal(made[0][["age"]], survey.select("age").to_pandas())
    assert sl.Release([survey, survey]).m == 2
    assert sl.Release(survey).m == 1
    assert dp.are_neighbors(survey, survey[1:])
    with pytest.raises(InputError, match="neighbor: must have the same columns"):
        dp.are_neighbors(survey, survey.select("age").to_arrow())


@every("name", LIBRARIES)
def test_a_column_of_lists_is_named(name: str) -> None:
    table = polars.DataFrame({"age": [1, 2], "answers": [["secret"], []], "place": [{"x": 1}, {"x": 2}]})
    given = table if name == "polars" else table.to_arrow()
    message = "confidential: columns 'answers', 'place' must not contain lists or structures; split"
    with pytest.raises(InputError, match=message) as raised:
        sl.ecdf_utility(given, given)
    assert "secret" not in str(raised.value)
    with pytest.raises(InputError, match="confidential: column 'answers' must not"):
        sl.CART(["age"]).fit(table.select("age", "answers"))
    with pytest.raises(InputError, match="synthetic dataset 2 of 2: column 'answers' must not"):
        sl.Release([table.select("age", "answers").drop("answers"), table.select("age", "answers")])


def test_lazy_tables_and_columns_are_refused() -> None:
    table = polars.DataFrame({"age": [1, 2]})
    with pytest.raises(InputError, match=r"got LazyFrame of polars; convert it with \.collect\(\)"):
        sl.ecdf_utility(table.lazy(), table)
    with pytest.raises(InputError, match="got Series of polars"):
        sl.ecdf_utility(table["age"], table)


def test_without_pyarrow_the_extra_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "pyarrow", None)
    with pytest.raises(ExtraUnavailableError, match=r"synthlab-sdc\[files\]"):
        sl.CART(["age"]).fit(polars.DataFrame({"age": [1, 2]}))
