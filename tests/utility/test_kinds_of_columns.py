"""What a column is, measurement or category, is one rule for every measure of utility; what is neither is refused by name."""

from __future__ import annotations

import warnings
from decimal import Decimal
from typing import Any

import numpy as np
import pandas as pd
import pytest

import synthlab as sl
from synthlab.exceptions import InputError, SynthlabWarning
from synthlab.utility import (
    analysis_utility,
    barycenter,
    bootstrap_statistic,
    cluster_utility,
    ecdf_utility,
    pmse,
    table_utility,
)
from synthlab.utility._design import pmse_refuses
from tests.loops import every

MEASURES: dict[str, Any] = {
    "table_utility": lambda a, b: table_utility(a, b),
    "table_utility, margins": lambda a, b: table_utility(a, b, margins=[["x"]]),
    "cluster_utility": lambda a, b: cluster_utility(a, b, clusters=3, rng=1),
    "pmse": lambda a, b: pmse(a, b),
    "pmse, cart": lambda a, b: pmse(a, b, model="cart", rng=1),
    "ecdf_utility": lambda a, b: ecdf_utility(a, b),
    "ecdf_utility, named": lambda a, b: ecdf_utility(a, b, variables=["x"]),
    "barycenter": lambda a, b: barycenter(a, b, variable="x"),
    "bootstrap_statistic": lambda a, b: bootstrap_statistic(a, b, variable="x", rng=1),
    "analysis_utility, predictor": lambda a, b: analysis_utility(a, b, formula="y ~ x"),
    "analysis_utility, response": lambda a, b: analysis_utility(a, b, formula="x ~ y"),
    "identification_risk": lambda a, b: sl.identification_risk(a, b, sl.Intruder(known=[], synthesized=["x"])),
    "identification_risk, radius": lambda a, b: sl.identification_risk(
        a, b, sl.Intruder(known=[], synthesized=["x"], radius=0.1)
    ),
    "risk_weights": lambda a, b: (
        sl.risk_weights(a, sl.Intruder(known=[], synthesized=["x"], radius={"x": 0.1})).weights
    ),
    "cap": lambda a, b: sl.cap(a, b, sl.Intruder(known=["y"], synthesized=["x"]), target="x"),
    "attack_score": lambda a, b: sl.attack_score(a, b.assign(record=range(len(b))), target="x", radius=0.1),
}


def two_frames() -> list[pd.DataFrame]:
    draw = np.random.default_rng(1)
    return [pd.DataFrame({"x": draw.normal(50, 10, 60).round(2), "y": draw.normal(size=60)}) for _ in range(2)]


def quietly(measure: Any, *frames: pd.DataFrame) -> Any:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", SynthlabWarning)
        return measure(*frames)


@every("measure", MEASURES)
@every("held", ["floats", "decimals", "numbers among text"])
def test_numbers_in_a_column_of_objects_are_refused_by_name(measure, held) -> None:
    frames = two_frames()
    for frame in frames:
        values = frame["x"].map(lambda v: Decimal(str(v))) if held == "decimals" else frame["x"].astype(object)
        frame["x"] = values.where(frame.index > 1, "unknown") if held == "numbers among text" else values
    with pytest.raises(
        InputError, match=r"column 'x' has dtype object and holds numbers.*pd\.to_numeric\(frame\['x'\]\)"
    ):
        quietly(MEASURES[measure], *frames)


@every("measure", MEASURES)
def test_numbers_as_objects_in_one_dataset_alone_are_refused_or_not_looked_at(measure) -> None:
    ours, theirs = two_frames()
    theirs["x"] = theirs["x"].astype(object)
    if measure in ("identification_risk", "cap"):  # no radius: the confidential numbers are refused before
        message = "distinct numbers and no radius"
    elif measure == "risk_weights":  # of the confidential data alone
        quietly(MEASURES[measure], ours, theirs)
        return
    else:
        message = "column 'x' has dtype object and holds numbers"
    with pytest.raises(InputError, match=message):
        quietly(MEASURES[measure], ours, theirs)


def test_numbers_as_objects_can_be_declared_categories_and_few_kinds_of_values_are_levels() -> None:
    codes = [pd.DataFrame({"x": pd.Series(values, dtype=object)}) for values in ([1, 2, 3, 1] * 9, [1, 2, 2, 3] * 9)]
    text = [frame.astype(str) for frame in codes]
    assert pmse(*codes, categorical=["x"]).pmse == pytest.approx(pmse(*text).pmse)
    ours, theirs = (cluster_utility(*f, clusters=2, categorical=["x"], rng=1) for f in (codes, text))
    assert ours.cluster_utility == pytest.approx(theirs.cluster_utility)
    mixed = pd.DataFrame({"x": pd.Series([1, "a", 2, "b"], dtype=object)})
    assert len(table_utility(mixed, mixed).margins[0].levels[0]) == 4


@pytest.mark.parametrize("kind", ["dates", "dates with a zone", "days", "time spans", "dates as objects"])
def test_dates_and_time_spans_are_measured(kind) -> None:
    draw = np.random.default_rng(2)
    numbers = [pd.DataFrame({"d": draw.integers(0, 1000, 300).astype(float)}) for _ in range(2)]

    def dated(days: pd.Series) -> pd.Series:
        spans = pd.to_timedelta(days, unit="D")
        moments = pd.Timestamp("2001-02-03") + spans
        return {
            "dates": moments,
            "dates with a zone": moments.dt.tz_localize("UTC"),
            "days": moments.dt.date,
            "time spans": spans,
            "dates as objects": moments.astype(object),
        }[kind]

    frames = [frame.apply(dated) for frame in numbers]
    for model in ("logistic", "cart"):
        ours, theirs = (pmse(*f, model=model, rng=1) for f in (frames, numbers))
        assert ours.pmse == pytest.approx(theirs.pmse, rel=1e-9)
        assert ours.null_mean == pytest.approx(theirs.null_mean)
    assert pmse(*frames).n_parameters.tolist() == [2]
    ours, theirs = (cluster_utility(*f, clusters=4, rng=1) for f in (frames, numbers))
    assert ours.cluster_utility == pytest.approx(theirs.cluster_utility)
    ours, theirs = (table_utility(*f) for f in (frames, numbers))
    assert ours.total_variation == pytest.approx(theirs.total_variation)
    assert pmse_refuses(frames[0], frames[1:], "d") is None
    for pair in (frames, numbers):
        for frame, row in zip(pair, (3, 5), strict=True):
            frame.loc[row, "d"] = None
    ours, theirs = (pmse(*f, missing="category") for f in (frames, numbers))
    assert ours.pmse == pytest.approx(theirs.pmse, rel=1e-9)


def test_dates_in_a_formula_are_refused_with_the_way_out() -> None:
    frame = pd.DataFrame(
        {"y": [1.0, 2, 4, 3], "d": pd.to_datetime(["2020-01-01", "2020-01-02", "2020-01-05", "2020-02-01"])}
    )
    with pytest.raises(InputError, match=r"column 'd' holds dates or time spans; convert it to a number"):
        analysis_utility(frame, [frame, frame], formula="y ~ d")


def many_levels(n: int, levels: int) -> pd.DataFrame:
    return pd.DataFrame({"name": [f"p{i % levels}" for i in range(n)], "x": np.arange(n) % 7})


@pytest.mark.parametrize("model", ["logistic", "cart"])
def test_a_category_with_too_many_levels_is_refused_by_name_before_memory_is_taken(model) -> None:
    frame = many_levels(50_000, 40_000)  # 100,000 x 40,000 indicators are 30 GiB
    message = "column 'name' is a category with 40,000 levels in 100,000 stacked records.*leave it out"
    with pytest.raises(InputError, match=message):
        pmse(frame, frame, model=model)
    with pytest.raises(InputError, match=message):
        cluster_utility(frame, frame)
    assert pmse_refuses(frame, [frame], "name").startswith("variables: column 'name' is a category with 40,000 levels")
    assert pmse_refuses(frame, [frame], "x") is None


def test_how_many_levels_are_too_many() -> None:
    for n, levels, refused in ((500, 100, False), (500, 101, True), (1000, 200, False), (1000, 201, True)):
        frame = many_levels(n, levels)
        assert (pmse_refuses(frame, [frame], "name") is not None) == refused
    wide = many_levels(56_000, 2_500)  # enough records a level, and 2.1 GiB
    assert "would take 2.1 GiB, more than 2" in pmse_refuses(wide, [wide], "name")


def test_a_design_that_takes_too_much_memory_is_refused_before_it_is_made() -> None:
    draw = np.random.default_rng(1)
    frame = pd.DataFrame({c: draw.integers(0, 1200, 60_000).astype(str) for c in "ab"})
    with pytest.raises(
        InputError, match=r"variables: a design of 120,000 rows and 2,400 columns takes 2\.1 GiB, more than 2"
    ):
        cluster_utility(frame, frame)
    frame = pd.DataFrame({c: draw.integers(0, 100, 20_000).astype(str) for c in "ab"}).assign(
        x=draw.normal(size=20_000)
    )
    with pytest.raises(
        InputError, match=r"variables: a design of .* rows and 10,198 columns takes .* GiB.*or use a lower order"
    ):
        pmse(frame, frame.assign(x=-frame["x"]), order=2)


def test_a_regression_on_too_many_levels_is_refused_before_it_is_made() -> None:
    frame = many_levels(60_000, 50_000).assign(y=1.0)
    other = many_levels(40_000, 40_000).assign(y=1.0)
    with pytest.raises(
        InputError, match="column 'name' is a category with 50,000 levels, and a dataset has 40,000 records"
    ):
        analysis_utility(frame, [other, other], formula="y ~ name")
    frame = many_levels(30_000, 20_000).assign(y=1.0)
    with pytest.raises(
        InputError, match=r"20,000 levels, whose indicators would take 4\.5 GiB, more than 2; leave it out"
    ):
        analysis_utility(frame, frame, formula="y ~ name")


def test_pmse_refuses_what_pmse_refuses() -> None:
    frame = pd.DataFrame({"x": pd.Series(range(30), dtype=object)})
    with pytest.raises(InputError) as caught:
        pmse(frame, frame)
    assert str(caught.value) == f"confidential: {pmse_refuses(frame, [frame], 'x')}"
    assert pmse_refuses(frame, [frame], "x", categorical=["x"]) is None
