"""Smoothed numbers and dates are rounded like those of the file, and are not the numbers of single records."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pandas as pd
import pytest

from synthlab.synthesizers import CART
from synthlab.synthesizers._rounding import DAY, Calendar, Level, Months, Multiples, Weekday, nearest
from synthlab.synthesizers._smoothing import Mover, separate
from tests.loops import every

Draw = Callable[[np.random.Generator, int], np.ndarray]


def mixed(values: np.ndarray, units: dict[float, float], rng: np.random.Generator, decimals: int = 0) -> np.ndarray:
    """Round to each unit with its probability, and otherwise to decimals."""
    number = rng.choice(len(units) + 1, values.size, p=[*units.values(), 1 - sum(units.values())])
    result = np.round(values, decimals)
    for place, unit in enumerate(units):
        result = np.where(number == place, np.round(values / unit) * unit, result)
    return np.round(result, 9)


GRIDS: dict[str, tuple[Draw, dict[float, float], int]] = {
    "thousands": (lambda r, n: r.lognormal(10.5, 0.6, n), {1000: 0.95}, 0),
    "thousands and hundreds": (lambda r, n: r.lognormal(10.5, 0.6, n), {1000: 0.6, 100: 0.25}, 0),
    "hundreds of fractions": (lambda r, n: r.lognormal(8, 0.7, n), {100: 0.6}, 9),
    "tens": (lambda r, n: r.lognormal(5, 0.6, n), {10: 0.7}, 0),
    "two hundred": (lambda r, n: r.lognormal(9, 0.6, n), {200: 0.7}, 0),
    "losses": (lambda r, n: r.normal(0, 3000, n), {100: 0.7}, 0),
    "quarters": (lambda r, n: r.gamma(3, 2, n), {0.25: 0.8}, 2),
    "halves": (lambda r, n: r.normal(70, 9, n), {0.5: 0.8}, 1),
    "tenths": (lambda r, n: r.normal(5, 1, n), {0.1: 0.8}, 3),
    "years in months": (lambda r, n: r.gamma(2, 60, n), {12: 0.7}, 0),
}


def is_multiple(values: np.ndarray, unit: float) -> np.ndarray:
    return np.abs(values / unit - np.rint(values / unit)) < 1e-9


@every("grid", list(GRIDS))
@every("n", [200, 1000, 5000])
def test_the_share_of_multiples_is_preserved(grid: str, n: int) -> None:
    draw, units, decimals = GRIDS[grid]
    rng = np.random.default_rng(n)
    age = rng.integers(18, 90, n)
    y = mixed(draw(rng, n), units, rng, decimals)
    fitted = CART(["y"], ["age"], smoothing="rare").fit(pd.DataFrame({"age": age, "y": y}), rng=1)
    made = pd.concat(fitted.generate(8, rng=1).frames)["y"].to_numpy()
    for unit in units:
        assert abs(is_multiple(made, unit).mean() - is_multiple(y, unit).mean()) < 0.05
    assert abs(made.mean() - y.mean()) < 0.15 * y.std()
    assert abs(made.std() / y.std() - 1) < 0.15


def test_unique_numbers_are_released_no_more_often_than_by_chance() -> None:
    for seed in range(6):
        rng = np.random.default_rng(seed)
        people = [mixed(rng.lognormal(10.5, 0.6, n), {1000: 0.6, 100: 0.25}, rng) for n in (500, 20_000)]
        y, others = pd.Series(people[0]), pd.Series(people[1])
        counts = y.value_counts()
        unique = counts.index[counts == 1]
        made = pd.concat(CART(["y"], smoothing="rare").fit(y.to_frame("y"), rng=1).generate(10, rng=1).frames)["y"]
        assert made.isin(unique).mean() < others.isin(unique).mean() + 0.01


def test_a_unique_round_number_does_not_return_to_itself() -> None:
    rng = np.random.default_rng(1)
    y = mixed(rng.lognormal(10.5, 0.6, 400), {1000: 0.8}, rng)
    mover = Mover.of(pd.Series(y), None)
    assert mover is not None
    assert mover.rounding.names == ("multiples of 1,000",)
    unique = np.flatnonzero(mover.rare & mover.unique & is_multiple(y, 1000))
    assert unique.size > 20
    everyone, start = np.arange(400), np.array([0, 400])
    for seed in range(20):
        noise = np.random.default_rng(seed).normal(size=unique.size)
        moved = mover.move(unique, np.zeros(unique.size, dtype=int), start, everyone, noise)
        assert not (moved == y[unique]).any()
        assert is_multiple(moved, 1000).mean() > 0.99


def test_numbers_without_rounding_have_no_levels() -> None:
    for seed in range(30):
        rng = np.random.default_rng(seed)
        for y in (rng.normal(size=500), rng.lognormal(7, 1, 500).round(), rng.integers(0, 10**6, 500)):
            mover = Mover.of(pd.Series(y), None)
            assert mover is not None
            assert mover.rounding.levels == ()


def test_months_written_as_fractions_of_a_year_stay_on_their_grid() -> None:
    rng = np.random.default_rng(1)
    y = 1990 + rng.integers(0, 300, 400) / 12
    made = CART(["y"], smoothing="rare").fit(pd.DataFrame({"y": y}), rng=1).generate(3, rng=1)
    for frame in made:
        np.testing.assert_allclose(frame["y"] * 12, np.rint(frame["y"] * 12), atol=1e-8)


CODES = {
    "minus nine": (lambda r, n: r.lognormal(7, 1, n).round(), [-9, -8]),
    "minus one": (lambda r, n: r.lognormal(7, 1, n).round(), [-1]),
    "ages": (lambda r, n: r.integers(18, 90, n), [-9]),
    "body mass": (lambda r, n: r.normal(26, 4, n).round(1), [999.0]),
    "weight": (lambda r, n: r.normal(70, 14, n).round(), [998, 999]),
    "shares": (lambda r, n: r.random(n), [-9.0]),
    "both ends": (lambda r, n: r.gamma(3, 50, n).round().clip(0, 700), [-9, 999]),
    "odd code": (lambda r, n: r.lognormal(7, 0.5, n).round(), [-5555]),
}


@every("kind", list(CODES))
def test_isolated_repeated_numbers_are_never_moved_and_nothing_falls_beside_them(kind: str) -> None:
    draw, codes = CODES[kind]
    for seed in range(5):
        rng = np.random.default_rng(seed)
        real = draw(rng, 400).astype(float)
        y = real.copy()
        for code in codes:
            y[rng.choice(400, 6, replace=False)] = code
        real = y[~np.isin(y, codes)]
        fitted = CART(["y"], smoothing="rare").fit(pd.DataFrame({"y": y}), rng=1)
        mover = fitted.movers["y"]
        assert mover is not None
        assert mover.isolated
        assert not mover.rare[np.isin(y, codes)].any()
        made = pd.concat(fitted.generate(10, rng=1).frames)["y"]
        outside = made[(made < real.min()) | (made > real.max())]
        assert set(outside) == set(codes)


def test_numbers_do_not_cross_a_wide_gap() -> None:
    for seed in range(10):
        rng = np.random.default_rng(seed)
        y = np.where(rng.random(300) < 0.5, rng.normal(10, 1, 300), rng.normal(1000, 5, 300))
        made = pd.concat(CART(["y"], smoothing="rare").fit(pd.DataFrame({"y": y}), rng=1).generate(9, rng=1).frames)[
            "y"
        ]
        low, high = y[y < 500].max(), y[y > 500].min()
        assert not ((made > low) & (made < high)).any()
        assert not made.isin(y).any()


def test_one_very_large_number_is_still_moved() -> None:
    rng = np.random.default_rng(1)
    y = np.append(rng.lognormal(3, 0.5, 300), 5000.0)
    groups = separate(np.sort(y), np.ones(301, dtype=int))
    assert not groups.isolated.any()
    assert groups.number.max() == 0
    made = pd.concat(CART(["y"], smoothing="rare").fit(pd.DataFrame({"y": y}), rng=1).generate(50, rng=1).frames)["y"]
    assert (made > 2000).any()
    assert not (made == 5000).any()


def test_positions_of_months_and_weekdays() -> None:
    calendar = Calendar(DAY, 18_000)  # 2019-04-14
    days = pd.Series(pd.date_range("2019-04-14", periods=800, freq="D"))
    values = np.arange(800.0)
    for ends in (False, True):
        months = Months(1, 0, ends, calendar)
        index = months.index(values)
        np.testing.assert_array_equal(index == np.rint(index), days.dt.is_month_end if ends else days.dt.is_month_start)
        assert (np.diff(index) > 0).all()
        points = values[index == np.rint(index)]
        np.testing.assert_array_equal(months.value(months.index(points)), points)
    monday = Weekday(4, calendar)
    index = monday.index(values)
    np.testing.assert_array_equal(index == np.rint(index), days.dt.day_of_week == 0)
    low, high = np.zeros(800), np.full(800, 799.0)
    found = nearest(monday, values, low, high, np.full(800, np.nan))
    assert np.abs(found - values)[7:-7].max() <= 3.5
    assert (days.dt.day_of_week.to_numpy()[found.astype(int)] == 0).all()


@pytest.mark.parametrize("ratio", [0, 2, 3])
def test_the_nearest_point_avoids_coarser_points_and_the_unwanted_one(ratio: int) -> None:
    level = Months(1, ratio, False, Calendar(DAY, 0))
    values = np.random.default_rng(1).uniform(100, 5000, 300)
    unwanted = level.value(np.rint(level.index(values)))
    found = nearest(level, values, np.zeros(300), np.full(300, 6000.0), unwanted)
    assert not (found == unwanted).any()
    position = level.index(found)
    np.testing.assert_array_equal(position, np.rint(position))
    assert ratio == 0 or (position % ratio != 0).all()
    assert np.isnan(nearest(level, values, values + 1, values + 2, unwanted)).mean() > 0.9


@every(
    "level",
    [
        Multiples(1000, 1.0, 10),
        Multiples(25, 100.0, 4),
        Multiples(100, 1.0, 10, shift=1),
        Multiples(12, 1.0, 0, shift=-5),
        Months(3, 4, False, Calendar(DAY, 0)),
        Months(1, 0, True, Calendar(DAY, 18_000)),
        Weekday(2, Calendar(DAY, 7)),
    ],
)
def test_a_point_has_a_whole_position_and_the_position_gives_the_point(level: Level) -> None:
    places = np.arange(-5.0, 40.0)
    points = level.value(places)
    np.testing.assert_allclose(level.index(points), places, atol=1e-9)
    assert np.diff(points) == pytest.approx(level.width, rel=0.1)
