"""Dates keep their rounding, codes occur in the file, and the plan states what was detected."""

from __future__ import annotations

import json
import tomllib
from collections.abc import Callable

import numpy as np
import pandas as pd
import pytest

import synthlab as sl
from synthlab.exceptions import InputError, UndeclaredCodeWarning
from synthlab.synthesis._nominal import is_nominal
from synthlab.synthesis._rare_values import warn_of_codes
from synthlab.synthesis._record_order import ordered_columns
from tests.loops import every

quiet = pytest.mark.filterwarnings("ignore::synthlab.exceptions.RareValueWarning")
Property = Callable[[pd.Series], pd.Series]
DAYS: dict[str, tuple[Callable[[pd.Series], pd.Series], float, Property]] = {
    "month starts": (lambda d: d.dt.to_period("M").dt.start_time, 0.95, lambda d: d.dt.is_month_start),
    "some month starts": (lambda d: d.dt.to_period("M").dt.start_time, 0.6, lambda d: d.dt.is_month_start),
    "month ends": (lambda d: d.dt.to_period("M").dt.end_time.dt.normalize(), 0.8, lambda d: d.dt.is_month_end),
    "quarters": (lambda d: d.dt.to_period("Q").dt.start_time, 1.0, lambda d: d.dt.is_quarter_start),
    "years": (lambda d: d.dt.to_period("Y").dt.start_time, 0.6, lambda d: d.dt.is_year_start),
    "Mondays": (
        lambda d: d - pd.to_timedelta(d.dt.day_of_week, "D"),
        0.8,
        lambda d: d.dt.day_of_week == 0,
    ),
    "working days": (
        lambda d: d - pd.to_timedelta((d.dt.day_of_week - 4).clip(0), "D"),
        1.0,
        lambda d: d.dt.day_of_week < 5,
    ),
}


@quiet
@pytest.mark.parametrize("n", [200, pytest.param(1500, marks=pytest.mark.full)])
@every("kind", list(DAYS))
def test_dates_keep_their_rounding(kind: str, n: int) -> None:
    rounded, share, has = DAYS[kind]
    rng = np.random.default_rng(n)
    days = pd.Series(pd.Timestamp("2004-03-17") + pd.to_timedelta((rng.beta(2, 1.5, n) * 5000).astype(int), "D"))
    days = rounded(days).where(rng.random(n) < share, days)
    for column in (days, days.dt.strftime("%d.%m.%Y"), days.dt.date):
        release = sl.synthesize(pd.DataFrame({"x": rng.integers(0, 5, n), "day": column}), m=6, rng=1)
        made = pd.concat([frame["day"] for frame in release])
        made = pd.to_datetime(made, format="%d.%m.%Y" if isinstance(made.iloc[0], str) else None)
        if share == 1:
            assert has(made).all()
        assert abs(has(made).mean() - has(days).mean()) < 0.05
        assert days.min() <= made.min()
        assert made.max() <= days.max()


@quiet
def test_times_and_spans_keep_whole_hours() -> None:
    rng = np.random.default_rng(1)
    time = pd.Series(pd.Timestamp("2020-01-01 07:30") + pd.to_timedelta(rng.integers(0, 86_400 * 60, 500), "s"))
    time = time.dt.floor("h").where(rng.random(500) < 0.8, time)
    frame = pd.DataFrame(
        {"time": time, "zoned": time.dt.tz_localize("Europe/Vienna"), "span": time - time.iloc[0].normalize()}
    )
    release = sl.synthesize(frame, m=5, rng=1)
    for column in frame.columns:

        def whole(series: pd.Series) -> float:
            clock = series.dt.components[["minutes", "seconds"]] if series.name == "span" else None
            late = series.dt.minute + series.dt.second if clock is None else clock.sum(axis=1)
            return float((late == 0).mean())

        assert abs(np.mean([whole(made[column]) for made in release]) - whole(frame[column])) < 0.05
        assert {v.variable: v.rounding for v in sl.Plan.of(release).variables}[column] == "multiples of 1 hour"


def codes(kind: str, n: int, rng: np.random.Generator) -> np.ndarray:
    if kind == "steps":
        return rng.choice(np.arange(10_115, 14_199, 13), n)
    if kind == "skewed":
        return rng.choice(rng.integers(10_000, 99_999, n // 6), n, p=rng.dirichlet(np.full(n // 6, 0.5)))
    return rng.choice(rng.integers(1000, 99_999, n // 4), n)


def measurements(kind: str, n: int, rng: np.random.Generator) -> np.ndarray:
    return {
        "incomes": rng.lognormal(10, 0.7, n).round(-3),
        "lognormal": rng.lognormal(8, 1, n).round(),
        "ages": rng.integers(15, 90, n),
        "hours": np.where(rng.random(n) < 0.4, 40, rng.normal(35, 12, n).round().clip(1)),
        "years": rng.integers(1950, 2020, n),
        "counts": rng.negative_binomial(2, 0.02, n),
        "heavy tail": rng.pareto(1, n).round(),
        "heights": (rng.normal(68, 4, n).round() * 2.54).round(),
        "minutes": (rng.gamma(2, 40, n) / 5).round() * 5,
    }[kind]


@every("n", [300, 800, 3000])
def test_codes_are_recognized_by_their_values_or_by_name(n: int) -> None:
    for seed in range(5):
        rng = np.random.default_rng([n, seed])
        for kind in ("steps", "skewed", "few"):
            assert is_nominal(pd.Series(codes(kind, n, rng), name="x")), kind
        for kind in ("incomes", "lognormal", "ages", "hours", "years", "counts", "heavy tail", "heights", "minutes"):
            assert not is_nominal(pd.Series(measurements(kind, n, rng), name="x")), kind
        named = pd.Series(rng.integers(1000, 1300, n))
        for name in ("zip", "zipCode", "postal_code", "PLZ", "naics", "isco08", "isco_08", "industry code", "occ2010"):
            assert is_nominal(named.rename(name)), name
        for name in ("x", "zipper", "coder", "income", "occurrences"):
            assert not is_nominal(named.rename(name)), name


@quiet
def test_released_codes_occur_in_the_file() -> None:
    rng = np.random.default_rng(1)
    frame = pd.DataFrame({"age": rng.integers(18, 90, 500), "area": codes("steps", 500, rng)})
    release = sl.synthesize(frame, m=3, rng=1)
    assert all(made["area"].isin(frame["area"]).all() for made in release)
    plan = sl.Plan.of(release)
    assert [v.codes for v in plan.variables] == ["", "codes; released values occur in the file"]
    assert any(note.startswith("area: codes; released values occur in the file") for note in plan.notes)
    smoothed = sl.synthesize(frame, m=3, rng=1, smooth=["age", "area"])
    assert not all(made["area"].isin(frame["area"]).all() for made in smoothed)
    assert {v.codes for v in sl.Plan.of(smoothed).variables} == {""}


@quiet
@pytest.mark.filterwarnings("ignore::synthlab.exceptions.UndeclaredCodeWarning")
def test_the_plan_states_what_was_detected_and_can_be_edited() -> None:
    rng = np.random.default_rng(1)
    income = rng.integers(1, 200, 400) * 1000
    income[:20] = rng.integers(1000, 200_000, 20)
    frame = pd.DataFrame({"age": np.sort(rng.integers(18, 90, 400)), "income": income, "kind": "x"})
    frame["rent"] = rng.lognormal(6, 0.5, 400).round()
    frame.loc[frame.sample(5, random_state=1).index, "rent"] = -9
    plan = sl.Plan.of(sl.synthesize(frame, m=1, rng=1, keep=["age"]))
    found = {v.variable: v for v in plan.variables}
    assert found["income"].rounding == "multiples of 1,000"
    assert found["rent"].codes == "repeated values far from all others are released unchanged"
    for start in ("income: rounding is preserved", "rent: repeated values", "The file is sorted by age."):
        assert sum(note.startswith(start) for note in plan.notes) == 1
    values = plan.to_dict()
    assert sl.Plan.from_dict(json.loads(json.dumps(values))).to_dict() == values
    # TOML has no null, so variables that are not synthesized have no key "place".
    lines = [f"{name} = {json.dumps(values[name])}" for name in ("notes", "min_leaf")]
    for variable in values["variables"]:
        present = {key: value for key, value in variable.items() if value is not None}
        lines += ["[[variables]]", *(f"{key} = {json.dumps(value)}" for key, value in present.items())]
    assert sl.Plan.from_dict(tomllib.loads("\n".join(lines))).to_dict() == values
    edited = json.loads(json.dumps(values))
    edited["variables"][0]["rounding"] = "multiples of 500"
    again = sl.Plan.from_dict(edited)
    assert again.variables[0].rounding == "multiples of 500"
    assert again.variables[1:] == plan.variables[1:]
    edited["variables"][0]["rounded"] = "no"
    with pytest.raises(InputError, match="rounding, codes"):
        sl.Plan.from_dict(edited)


def shuffled_file(seed: int) -> pd.DataFrame:
    rng = np.random.default_rng(seed)
    n = int(rng.choice([10, 30, 60, 200, 500]))
    return pd.DataFrame(
        {
            "number": rng.normal(size=n),
            "skewed": rng.lognormal(0, 2, n).round(1),
            "level": rng.integers(0, 3, n),
            "text": rng.choice(list("abcdefgh"), n),
            "rare": rng.random(n) < 0.05,
            "two": rng.choice(["x", "y"], n, p=[0.9, 0.1]),
            "zeros": np.where(rng.random(n) < 0.8, 0, rng.normal(size=n)),
            "day": pd.Timestamp("2020-01-01") + pd.to_timedelta(rng.integers(0, 999, n), "D"),
            "missing": pd.Series(rng.integers(0, 5, n)).where(rng.random(n) < 0.7),
        }
    )


def test_no_shuffled_file_is_reported_as_ordered() -> None:
    alarms = [
        seed for seed in range(400) if ordered_columns(shuffled_file(seed), shuffled_file(seed).columns) != ([], [])
    ]
    assert alarms == []


def test_order_in_the_file_is_found() -> None:
    rng = np.random.default_rng(1)
    for n in (12, 100, 1000):
        frame = pd.DataFrame(
            {
                "up": np.sort(rng.normal(size=n)),
                "x": rng.normal(size=n),
                "region": np.sort(rng.choice(list("abcdef"), n)),
            }
        )
        frame["down"] = frame["up"][::-1].to_numpy()
        assert ordered_columns(frame, frame.columns) == (["up", "region", "down"], [])
    walk = pd.DataFrame(
        {
            "walk": np.cumsum(rng.normal(size=400)),
            "blocks": np.repeat(rng.integers(0, 9, 80), 5).astype(str),
            "x": rng.normal(size=400),
        }
    )
    assert ordered_columns(walk, walk.columns) == ([], ["walk", "blocks"])
    assert ordered_columns(walk.sample(frac=1, random_state=1), walk.columns) == ([], [])


def test_the_remedy_of_an_undeclared_code_depends_on_its_type() -> None:
    numbers = pd.Series([-9 if i % 20 == 0 else i for i in range(300)])
    dates = pd.Timestamp("2020-01-01") + pd.to_timedelta(np.arange(300), "D").to_series(index=range(300))
    for column, remedy in ((numbers, r"missing_codes=\{'rent': \[-9\]\}"), (dates, "replace it by a missing value")):
        frame = pd.DataFrame({"rent": column})
        if remedy.startswith("replace"):
            frame.loc[::20, "rent"] = pd.Timestamp("2999-12-31")
        with pytest.warns(UndeclaredCodeWarning, match=f"'rent'.*{remedy}"):
            warn_of_codes(frame, {})
