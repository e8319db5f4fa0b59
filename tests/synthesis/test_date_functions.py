"""Functions of dates are detected, stated in words, and hold in every released record."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

import synthlab as sl
from synthlab.exceptions import InputError
from synthlab.synthesis.relations.date_parts import PARTS, UNITS, elapsed, part_of
from synthlab.synthesis.relations.relation import parse

pytestmark = pytest.mark.filterwarnings("ignore::synthlab.exceptions.RareValueWarning")

N = 900


def visits(seed: int) -> pd.DataFrame:
    draw = np.random.default_rng(seed)
    visit = pd.Series(pd.Timestamp("2015-01-01") + pd.to_timedelta(draw.integers(0, 1_500, N), "D"))
    born = pd.Series(pd.Timestamp("1935-02-28") + pd.to_timedelta(draw.integers(0, 24_000, N), "D"))
    return pd.DataFrame({"born": born, "visit": visit, "cost": draw.gamma(2, 50, N).round(2)})


def functions(frame: pd.DataFrame) -> pd.DataFrame:
    """Return functions of the dates, computed by pandas."""
    day, born = frame["visit"].dt, frame["born"].dt
    before = day.month * 100 + day.day < born.month * 100 + born.day
    return pd.DataFrame(
        {
            "age": day.year - born.year - before,
            "year": day.year,
            "quarter": "Q" + day.quarter.astype(str),
            "month": day.month_name(),
            "week": day.isocalendar().week.astype("int64"),
            "dom": day.day,
            "wday": day.strftime("%a"),
            "wnum": day.day_of_week,
            "sunday": (day.day_of_week + 1) % 7 + 1,
            "weekend": day.day_of_week >= 5,
            "period": day.year * 100 + day.month,
        }
    )


TEXTS = {
    "age": "age = completed years from born to visit",
    "year": "year = year of visit",
    "quarter": "quarter = quarter of visit",
    "month": "month = month of visit",
    "week": "week = ISO week of visit",
    "dom": "dom = day of the month of visit",
    "wday": "wday = weekday of visit",
    "wnum": "wnum = weekday of visit - 1",
    "sunday": "sunday = weekday from Sunday of visit",
    "weekend": "weekend = weekend of visit",
    "period": "period = month and year of visit",
}


@pytest.mark.parametrize("seed", range(2))
def test_functions_of_dates_are_stated_and_computed(seed: int) -> None:
    frame = visits(seed)
    frame = frame.join(functions(frame))
    release = sl.synthesize(frame, m=1, rng=seed)
    plan = sl.Plan.of(release)
    assert {f"{text}: computed" for text in TEXTS.values()} <= set(plan.relations)
    pd.testing.assert_frame_equal(functions(release[0]), release[0][list(TEXTS)])
    again = sl.synthesize(frame, m=1, rng=seed, relations=plan.relations)
    assert set(sl.Plan.of(again).relations) == set(plan.relations)
    pd.testing.assert_frame_equal(again[0], release[0])


def test_missing_dates_and_missing_functions_are_kept() -> None:
    frame = visits(3)
    frame = frame.join(functions(frame)[["age", "wday"]])
    draw = np.random.default_rng(3)
    lost = draw.random(N) < 0.2
    frame["born"] = frame["born"].mask(lost)
    frame["age"] = frame["age"].astype("Int64").mask(lost)
    frame["wday"] = frame["wday"].mask(draw.random(N) < 0.3)  # missing although the date is known
    made = sl.synthesize(frame, m=1, rng=1)[0]
    there = made["born"].notna()
    assert (made["age"].notna() == there).all()
    assert (functions(made[there])["age"] == made["age"][there]).all()
    known = made["wday"].notna()
    assert 0.15 < 1 - known.mean() < 0.45
    assert (functions(made)["wday"][known] == made["wday"][known]).all()


def test_codes_of_a_part_need_no_formula() -> None:
    frame = visits(4)
    season = frame["visit"].dt.month.map(lambda month: "winter" if month in (12, 1, 2) else "other")
    coded = frame["visit"].dt.quarter.map({1: 40, 2: 10, 3: 30, 4: 20})
    release = sl.synthesize(frame.assign(season=season, coded=coded), m=1, rng=1)
    made = release[0]
    assert "coded = code of the quarter of visit: computed" in sl.Plan.of(release).relations
    assert "season = month of visit: computed" in sl.Plan.of(release).relations
    assert ((made["season"] == "winter") == made["visit"].dt.month.isin([12, 1, 2])).all()
    assert (made["coded"] == made["visit"].dt.quarter.map({1: 40, 2: 10, 3: 30, 4: 20})).all()


def test_unrelated_columns_are_not_functions_of_dates() -> None:
    for seed in range(5):
        draw = np.random.default_rng(100 + seed)
        frame = visits(seed).assign(a=draw.integers(0, 2, N), b=draw.choice(list("abc"), N), c=draw.poisson(3, N))
        release = sl.synthesize(frame, m=1, rng=1)
        assert not any(" of " in text for text in sl.Plan.of(release).relations)


def test_text_dates_and_dates_of_other_units_are_on_one_scale() -> None:
    frame = visits(5)
    frame["age"] = functions(frame)["age"]
    texts = frame.assign(born=frame["born"].dt.strftime("%d.%m.%Y"), visit=frame["visit"].astype("datetime64[s]"))
    assert (
        "age = completed years from born to visit: computed" in sl.Plan.of(sl.synthesize(texts, m=1, rng=1)).relations
    )


@pytest.mark.parametrize("part", PARTS)
def test_parts_agree_with_pandas(part: str) -> None:
    days = np.arange(-10_000.0, 30_000, 7) + 0.3
    dates = pd.Series(np.floor(days).astype("int64").astype("datetime64[D]")).dt
    expected = {
        "weekend": dates.day_of_week >= 5,
        "quarter": dates.quarter,
        "weekday": dates.day_of_week + 1,
        "weekday from Sunday": (dates.day_of_week + 1) % 7 + 1,
        "month": dates.month,
        "day of the month": dates.day,
        "year": dates.year,
        "ISO week": dates.isocalendar().week,
        "week of the year": (dates.day_of_year - 1) // 7 + 1,
        "week from Sunday": dates.strftime("%U").astype(int),
        "week from Monday": dates.strftime("%W").astype(int),
        "quarter and year": dates.year * 10 + dates.quarter,
        "month and year": dates.year * 100 + dates.month,
        "day of the year": dates.day_of_year,
    }
    np.testing.assert_array_equal(part_of(days, part), expected[part].astype(float))


@pytest.mark.parametrize("unit", UNITS)
def test_times_between_dates_agree_with_the_calendar(unit: str) -> None:
    draw = np.random.default_rng(1)
    first = draw.integers(-5_000, 15_000, 400).astype(float)
    last = first + draw.integers(0, 20_000, 400)
    found = elapsed(first, last, unit)
    if unit not in ("years", "months"):
        lengths = {"seconds": 1 / 86_400, "minutes": 1 / 1_440, "hours": 1 / 24, "days": 1, "weeks": 7}
        length = lengths.get(unit) or {"months of 30.4375 days": 30.4375, "years of 365 days": 365}.get(unit, 365.25)
        np.testing.assert_allclose(found, (last - first) / length)
        return
    step = 12 if unit == "years" else 1
    for start, end, count in zip(first, last, found, strict=True):
        one, other = (pd.Timestamp("1970-01-01") + pd.Timedelta(days=day) for day in (start, end))
        if one.day <= 28:
            assert (
                one + pd.DateOffset(months=int(count) * step)
                <= other
                < one + pd.DateOffset(months=int(count + 1) * step)
            )


@pytest.mark.parametrize("text", [*TEXTS.values(), "t = years of 365.25 days from `a b` to c", "each d has one p"])
def test_relations_in_words_are_read_again(text: str) -> None:
    assert str(parse(text)) == text


def test_wrong_relations_in_words_are_refused() -> None:
    frame = visits(1).assign(cost=1.0 * np.arange(N))
    for text, message in (
        ("cost = weekday of born", "holds in fewer than 99.5%"),
        ("born = weekday of cost", "'cost' has no numbers or dates|it mixes"),
        ("cost = years from born to visit", "no fixed length; write 'completed years'"),
        ("born = month of born", "names a column twice"),
    ):
        with pytest.raises(InputError, match=message):
            sl.synthesize(frame, relations=[text], models={"cost": "tree"})
