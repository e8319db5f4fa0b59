"""Copies of units: both counts against enumeration, leaks that only one count finds, and honest files."""

from __future__ import annotations

import itertools
from collections import Counter

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings, strategies as st

import synthlab as sl
from synthlab.exceptions import InputError
from synthlab.risk.copies.unit_rows import Members, unit_table, units_of_files
from synthlab.risk.copies.unit_twins import unit_sets
from tests.units.survey import households, panel


def renumbered(frame: pd.DataFrame, unit: str, seed: int = 1) -> pd.DataFrame:
    """Return the units shuffled and numbered from 1."""
    rng = np.random.default_rng(seed)
    codes = pd.factorize(frame[unit])[0]
    new = frame.assign(**{unit: rng.permutation(codes.max() + 1)[codes] + 1})
    return new.sample(frac=1, random_state=seed).sort_values(unit, kind="stable").reset_index(drop=True)


def with_copies(own: pd.DataFrame, other: pd.DataFrame, number: int, unit: str) -> pd.DataFrame:
    """Return another file in which some units are replaced by units of the confidential file."""
    kept = other[other[unit].isin(other[unit].unique()[number:])]
    copied = own[own[unit].isin(own[unit].unique()[:number])]
    codes = np.concatenate([pd.factorize(kept[unit])[0], pd.factorize(copied[unit])[0] + 10**6])
    return renumbered(pd.concat([kept, copied], ignore_index=True).assign(**{unit: codes}), unit)


@settings(max_examples=20, deadline=None)
@given(st.integers(0, 10**6), st.integers(1, 4), st.integers(2, 3), st.booleans())
def test_units_that_agree_as_multisets_are_counted_as_by_enumeration(
    seed: int, columns: int, levels: int, ordered: bool
) -> None:
    rng = np.random.default_rng(seed)
    names = [f"c{j}" for j in range(columns)]
    frames, units, positions = [], [], []
    for number in (8, 6):
        size = rng.integers(1, 4, number)
        unit = np.repeat(np.arange(number), size)
        frames.append(pd.DataFrame(rng.integers(0, levels, (unit.size, columns)), columns=names))
        units.append(unit)
        positions.append(np.concatenate([rng.permutation(3)[:k] for k in size]).astype(np.int64))
    sets = unit_sets(Members(frames, units, positions, ordered), 1)
    rows = np.unique(sets.keys, return_index=True)[1]
    near = sets.weights_nearby(rows, np.eye(rows.size))
    whole = [
        [
            (*values, place * ordered)
            for values, place in zip(frame[unit == k].to_numpy().tolist(), where[unit == k], strict=True)
        ]
        for frame, unit, where in zip(frames, units, positions, strict=True)
        for k in range(int(unit.max()) + 1)
    ]

    def differing(one: list[tuple[int, ...]], other: list[tuple[int, ...]]) -> int:
        for number in range(3):
            for lost in itertools.combinations(range(columns), number):
                kept = [j for j in range(columns + 1) if j not in lost]
                first, second = (Counter(tuple(row[j] for j in kept) for row in part) for part in (one, other))
                if first == second:
                    return number
        return 3

    for i, j in itertools.permutations(range(rows.size), 2):
        expected = differing(whole[rows[i]], whole[rows[j]])
        assert near[i, :, j].tolist() == [float(k == expected) for k in range(3)]


def test_one_row_per_unit_has_unit_variables_once_and_the_cells_of_each_member() -> None:
    own = pd.DataFrame({"id": [1, 1, 2], "town": ["a", "a", "b"], "age": [30, 7, 50], "old": [True, False, True]})
    units = units_of_files(own, [own], "id", ["age"])
    table = unit_table(units.members([own, own], ["town", "age", "old"]))
    assert list(table.frames[0]) == ["town", *(f"{c} of member {k}" for k in (1, 2) for c in ("age", "old"))]
    assert table.frames[0].iloc[0].tolist() == ["a", 7, False, 30, True]
    assert table.frames[0].iloc[1, :3].tolist() == ["b", 50, True]
    assert table.frames[0].iloc[1, 3:].isna().all()
    assert (table.once, table.several) == (1, 2)


def test_copied_households_are_stopped_and_another_sample_is_not() -> None:
    own, other = households(300, 1), households(300, 2)
    options = {"unit": "hhid", "unit_order": ["relation", "age"]}
    honest, leak = renumbered(other, "hhid"), with_copies(own, other, 40, "hhid")
    assert sl.copied_units(own, honest, **options).level is None
    assert sl.near_units(own, honest, **options).level is None
    found = sl.copied_units(own, leak, **options)
    assert found.level == "STOP"
    assert found.worst.worst["people"] >= 40
    assert found.worst.n in (300, int((own.groupby("hhid").size() > 1).sum()))


def test_members_in_another_order_and_another_numbering_are_the_same_units() -> None:
    own, leak = households(200, 1), with_copies(households(200, 1), households(200, 2), 60, "hhid")
    tables = [
        sl.copied_units(one, two, unit="hhid").to_frame()
        for one, two in ((own, leak), (renumbered(own, "hhid", 5), leak.sample(frac=1, random_state=3)))
    ]
    pd.testing.assert_frame_equal(*tables)


def test_columns_find_households_in_which_two_columns_of_all_members_were_drawn_again() -> None:
    own = households(300, 1)
    rng = np.random.default_rng(1)
    leak = renumbered(own.assign(income=rng.permutation(own["income"]), educ=rng.permutation(own["educ"])), "hhid")
    found = sl.copied_units(own, leak, unit="hhid")
    assert found.counts["columns", "several"].level == "STOP"
    assert found.counts["columns", "several"].worst["differ"] == 2
    assert found.counts["cells", "several"].worst["people"] < found.counts["columns", "several"].worst["people"]


def test_units_of_one_member_are_counted_like_people() -> None:
    own = households(500, 1).drop_duplicates("hhid").reset_index(drop=True)
    made = with_copies(own, households(500, 2).drop_duplicates("hhid").reset_index(drop=True), 20, "hhid")
    names = [c for c in own if c != "hhid"]
    people = sl.copied_people(own, made, variables=names)
    units = sl.copied_units(own, made, unit="hhid")
    for count in ("cells", "columns"):
        pd.testing.assert_frame_equal(units.counts[count, "all"].table, people.table)
    assert "several" not in {which for _, which in units.counts}


def test_histories_of_a_panel_are_compared_by_wave() -> None:
    own, other = panel(300, 1), panel(300, 2)
    options = {"unit": "pid", "unit_order": "year"}
    assert sl.copied_units(own, renumbered(other, "pid"), **options).level is None
    leak = with_copies(own, other, 285, "pid")
    found = sl.copied_units(own, leak, **options)
    assert found.panel
    assert found.level == "STOP"
    later = leak.assign(year=leak["year"].replace({2015: 2017, 2017: 2015}))
    wrong = sl.copied_units(own, later, **options)
    assert (
        wrong.counts["columns", "several"].table["people"][0]
        < found.counts["columns", "several"].table["people"][0] / 2
    )


def test_with_kept_composition_members_are_compared_in_the_order_of_the_rows() -> None:
    own = households(300, 1)
    rng = np.random.default_rng(1)
    honest = own.assign(income=rng.permutation(own["income"]), educ=rng.permutation(own["educ"]))
    copied = own["hhid"].isin(own["hhid"].unique()[:60])
    leak = honest.mask(copied, own)
    options = {"unit": "hhid", "variables": ["income", "educ"], "partial": True, "by_row": True}
    assert sl.copied_units(own, honest, **options).level is None
    assert sl.copied_units(own, leak, **options).level == "STOP"


def test_unit_numbers_are_identifying_values_unless_they_count() -> None:
    own = households(300, 1)
    made = households(300, 2)  # with the true numbers
    entity = own["hhid"]
    table = sl.identifying_values(own, made, entity=entity).table
    assert table.loc["hhid", "level"] == "STOP"
    assert table.loc["hhid", "values"] == table.loc["hhid", "people"] == 300
    assert "hhid" not in sl.identifying_values(own, renumbered(made, "hhid"), entity=entity).table.index
    drawn = np.random.default_rng(1).choice(np.arange(5000, 7100), 300, replace=False)
    new = made.assign(hhid=drawn[pd.factorize(made["hhid"])[0]])
    assert sl.identifying_values(own, new, entity=entity).table.loc["hhid", "level"] is None


@pytest.mark.parametrize(
    ("change", "words"),
    [
        (lambda f: f.drop(columns="pid"), "unit"),
        (lambda f: f.assign(pid=1), "more than 50 members"),
        (lambda f: pd.concat([f, f]), "that another record has"),
    ],
)
def test_a_release_whose_units_cannot_be_compared_is_refused(change, words: str) -> None:
    own = panel(200, 1)
    with pytest.raises(InputError, match=words):
        sl.copied_units(own, change(panel(200, 2)), unit="pid", unit_order="year")


def test_datasets_can_have_different_numbers_of_units() -> None:
    own = households(200, 1).iloc[:400]
    files = [households(200, seed).sort_values("hhid").iloc[:400] for seed in (2, 3)]
    assert files[0]["hhid"].nunique() != files[1]["hhid"].nunique()
    assert sl.copied_units(own, files, unit="hhid").level is None
    assert sl.near_units(own, files, unit="hhid").level is None
