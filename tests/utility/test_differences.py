"""Clear differences of missing values, categories and ranges."""

from __future__ import annotations

import math

import numpy as np
import pandas as pd

import synthlab as sl

DRAW = np.random.default_rng(1)
N = 600
PEOPLE = pd.DataFrame({"sex": ["f", "m"] * (N // 2), "age": DRAW.integers(20, 80, N), "pay": DRAW.gamma(2, 500, N)})
PEOPLE.loc[:1, "age"] = [20, 79]


def differences(release: pd.DataFrame | list[pd.DataFrame], own: pd.DataFrame = PEOPLE) -> list[tuple[object, ...]]:
    table = sl.column_differences(own, release).table
    return list(table[["column", "difference", "category"]].itertuples(index=False, name=None))


def test_a_share_of_missing_values() -> None:
    lost = PEOPLE.assign(pay=PEOPLE["pay"].where(np.arange(N) % 10 > 0))
    row = sl.column_differences(PEOPLE, [lost, PEOPLE]).table.iloc[0]
    assert (row["column"], row["difference"], row["release"], row["confidential"]) == (
        "pay",
        "missing values",
        0.05,
        0.0,
    )
    assert math.isclose(row["z"], math.sqrt(N / 2) * 0.05 / math.sqrt(0.025 * 0.975))
    assert differences([lost, PEOPLE, PEOPLE]) == []  # 3.3 points
    assert differences(lost.iloc[:60], PEOPLE.iloc[:60]) == []  # z is too small


def test_a_share_of_a_category() -> None:
    more = PEOPLE.assign(sex=np.where(np.arange(N) % 3 > 0, "f", "m"))
    # The two shares differ by the same amount: either can be the first.
    assert sorted(differences(more)) == [("sex", "category", "f"), ("sex", "category", "m")]
    coded = {"f": 0, "m": 1}
    found = differences(more.assign(sex=more["sex"].map(coded)), PEOPLE.assign(sex=PEOPLE["sex"].map(coded)))
    assert sorted(found) == [("sex", "category", 0), ("sex", "category", 1)]
    third = pd.Series(np.arange(N) % 6).map(dict(enumerate("ffmmoo")))
    fewer = pd.Series(np.arange(N) % 6).map(dict(enumerate("fffffm")))
    ordered = [("sex", "category", one) for one in "fom"]  # 50, 33 and 17 points
    assert differences(PEOPLE.assign(sex=fewer), PEOPLE.assign(sex=third)) == ordered
    kept = PEOPLE.assign(sex="m")
    assert differences(kept, PEOPLE.assign(sex="m")) == []


def test_a_range_that_is_left() -> None:
    assert differences(PEOPLE.assign(age=PEOPLE["age"] + 2)) == []  # 2 of 59 years
    assert differences(PEOPLE.assign(age=PEOPLE["age"] + 3)) == [("age", "above the range", None)]
    assert differences([PEOPLE, PEOPLE.assign(age=PEOPLE["age"] - 9)]) == [("age", "below the range", None)]
    born = PEOPLE.assign(age=pd.Timestamp("2000-01-01") - pd.to_timedelta(365 * PEOPLE["age"], "D"))
    assert differences(born.assign(age=born["age"] + pd.Timedelta("3000D")), born) == [("age", "above the range", None)]


def test_an_empty_column_and_a_title() -> None:
    empty = PEOPLE.assign(pay=np.nan)
    assert differences(empty) == [("pay", "missing values", None)]
    assert differences(PEOPLE, empty) == [("pay", "missing values", None)]
    assert differences(empty, empty) == []
    assert sl.column_differences(PEOPLE, empty).title.startswith(
        "1 of 3 columns differs clearly. 100% of pay is missing"
    )
