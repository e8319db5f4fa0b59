"""Utility per unit against numbers that are known, and against another sample of the same population."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

import synthlab as sl
from synthlab.exceptions import InputError
from tests.units.survey import households, panel


def value(found: sl.UnitUtilityResult, quantity: str, column: str) -> float:
    table = found.table.set_index("quantity")
    return float(table.loc[quantity, column])


def test_the_confidential_file_has_distance_zero_in_any_order() -> None:
    for frame, options in (
        (households(200), {"unit": "hhid"}),
        (panel(200), {"unit": "pid", "unit_order": "year"}),
    ):
        found = sl.unit_utility(frame, frame.sample(frac=1, random_state=3), **options)
        assert found.table["distance"].dropna().max() == pytest.approx(0, abs=1e-12)
        assert {"size", "correlation"} < set(found.table["kind"])


def test_intraclass_correlation_is_that_of_the_simulation() -> None:
    rng = np.random.default_rng(1)
    home = np.repeat(np.arange(3000), 3)
    age = rng.normal(0, 2, 3000)[home] + rng.normal(0, 1, home.size)
    same = rng.random(3000)[home] < 0.5
    group = np.where(same, rng.integers(0, 2, 3000)[home], rng.integers(0, 2, home.size))
    frame = pd.DataFrame({"id": home, "age": age, "group": np.array(["a", "b"])[group]})
    found = sl.unit_utility(frame, frame, unit="id")
    assert value(found, "age within units", "confidential") == pytest.approx(0.8, abs=0.02)
    pairs = frame.reset_index().merge(frame.reset_index(), on="id").query("index_x != index_y")
    agree, chance = (
        (pairs["group_x"] == pairs["group_y"]).mean(),
        (frame["group"].value_counts(normalize=True) ** 2).sum(),
    )
    assert value(found, "group within units", "confidential") == pytest.approx((agree - chance) / (1 - chance))
    assert value(found, "age, first and second member", "confidential") == pytest.approx(0.8, abs=0.02)


def test_pairs_have_the_names_of_the_relation_and_lost_dependence_is_large() -> None:
    frame = households(400)
    rng = np.random.default_rng(1)
    lost = frame.assign(age=rng.permutation(frame["age"]))
    found = sl.unit_utility(frame, [lost, households(400, 2).iloc[: len(lost)].reset_index(drop=True)][:1], unit="hhid")
    own = value(found, "age, head and partner", "confidential")
    pair = frame.pivot_table(index="hhid", columns="relation", values="age")[["head", "partner"]].dropna()
    assert own == pytest.approx(pair.corr().iloc[0, 1])
    assert value(found, "age, head and partner", "distance") > 0.8


def test_the_distance_between_two_datasets_is_that_of_the_distributions() -> None:
    def homes(sizes: list[int]) -> pd.DataFrame:
        return pd.DataFrame({"id": np.repeat(np.arange(len(sizes)), sizes), "x": np.arange(sum(sizes)) % 3})

    own, one, two = homes([1] * 50 + [2] * 50), homes([1] * 30 + [2] * 60), homes([1] * 150)
    found = sl.unit_utility(own, [one, two], unit="id")
    assert value(found, "number of members", "distance") == pytest.approx((1 / 6 + 1 / 2) / 2)
    assert value(found, "number of members", "between") == pytest.approx(2 / 3)


def test_survival_and_transitions_of_a_panel() -> None:
    waves = [(k, year, "ab"[k * year % 7 % 2]) for k in range(100) for year in (1, 2) if year == 1 or k < 70]
    own = pd.DataFrame(waves, columns=["id", "year", "state"])
    made = own.assign(state="c")[(own["year"] == 1) | (own["id"] < 40)]
    found = sl.unit_utility(own, made, unit="id", unit_order="year")
    assert value(found, "present in wave 2, of the units of wave 1", "confidential") == pytest.approx(0.7)
    assert value(found, "present in wave 2, of the units of wave 1", "release") == pytest.approx(0.4)
    assert value(found, "state in two consecutive waves", "distance") == 1
    with pytest.raises(InputError, match="kind"):
        found.worst("sizes")  # type: ignore[arg-type]


def test_another_sample_is_about_as_far_as_by_chance() -> None:
    found = sl.unit_utility(households(800, 1), households(800, 2), unit="hhid")
    rows = found.table.dropna(subset="by_chance")
    assert (rows["distance"] < 2 * rows["by_chance"] + 0.03).all()
