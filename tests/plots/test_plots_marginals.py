"""Figure of the marginal distributions of a release: shares, missing values, common bins and refusals."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

import synthlab as sl
from synthlab.exceptions import DtypeMismatchError, InputError
from synthlab.plots import plot_marginals

RNG = np.random.default_rng(1)
PEOPLE = pd.DataFrame(
    {
        "town": pd.Series([f"t{i % 13:02d}" for i in range(80)]).where(np.arange(80) % 9 > 0),
        "grade": pd.Categorical(RNG.choice(["low", "high"], 80), ["low", "mid", "high"], ordered=True),
        "income": np.where(np.arange(80) % 8 > 0, RNG.normal(50, 9, 80), np.nan),
        "born": pd.Timestamp("1990-01-01") + pd.to_timedelta(RNG.integers(0, 9000, 80), "D"),
        "owner": RNG.random(80) < 0.3,
    }
)
RELEASE = sl.Release([PEOPLE.iloc[RNG.integers(0, 80, 60)].reset_index(drop=True) for _ in range(3)])


def test_the_bars_of_a_file_add_up_to_one_and_are_the_means_of_the_datasets() -> None:
    for panel in RELEASE.plot(PEOPLE):
        for bars in panel.containers[:2]:
            assert sum(bar.get_height() for bar in bars) == pytest.approx(1)
    (owner,) = RELEASE.plot(PEOPLE, variables="owner")
    made = [bar.get_height() for bar in owner.containers[1]]
    assert made[1] == pytest.approx(np.mean([one["owner"].mean() for one in RELEASE]))


def test_labels_levels_and_missing_values() -> None:
    town, grade, income, born, _ = RELEASE.plot(PEOPLE, bins=5)
    words = [label.get_text() for label in town.get_xticklabels()]
    assert words == sorted(words[:-2]) + ["other", "missing"]
    assert len(words) == 12
    assert [label.get_text() for label in grade.get_xticklabels()] == ["low", "high"]
    assert income.get_xticklabels()[-1].get_text() == "missing"
    assert income.containers[0][-1].get_height() == pytest.approx(PEOPLE["income"].isna().mean())
    assert len(income.containers[0]) == 6
    assert len(born.containers[0]) == 5
    assert (
        born.get_xticklabels()[0].get_text()
        == f"{min(PEOPLE['born'].min(), *(f['born'].min() for f in RELEASE)):%Y-%m-%d}"
    )


def test_a_column_without_values_is_drawn() -> None:
    empty = PEOPLE.assign(income=np.nan)
    (panel,) = sl.Release(empty).plot(empty, variables=["income"])
    assert [bar.get_height() for bar in panel.containers[0]] == [1.0]


def test_refusals() -> None:
    with pytest.raises(InputError, match="variables"):
        RELEASE.plot(PEOPLE, variables=["age"])
    wide = pd.DataFrame(np.eye(25)).rename(columns="x{}".format)
    with pytest.raises(InputError, match="at most 24"):
        plot_marginals(sl.Release(wide), wide, variables=list(wide.columns))
    with pytest.raises(DtypeMismatchError):
        RELEASE.plot(PEOPLE.assign(income="x"), variables=["income"])
    with pytest.raises(InputError, match="bins"):
        RELEASE.plot(PEOPLE, bins=1)
