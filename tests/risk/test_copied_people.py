"""Copied people: all counts against loops, and numbers of an independent implementation."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings, strategies as st
from scipy import stats

import synthlab as sl
from synthlab.exceptions import DtypeMismatchError, InputError
from synthlab.risk.copies import record_twins

VALUES = st.sampled_from([0, 1, 2, None])
COUNTS = ["people", "hits", "twins", "release_twins", "excess", "z", "beyond_people", "z_people"]


def records(columns: int, most: int) -> Any:
    return st.lists(st.tuples(*[VALUES] * columns), min_size=2, max_size=most)


def differences(one: list, other: list) -> np.ndarray:
    """Return the number of columns in which each pair of records differs."""
    return np.array([[sum(a != b for a, b in zip(x, y, strict=True)) for y in other] for x in one])


def by_loops(own: list, datasets: list[list], entity: list[int], differ: int, times: int) -> dict[str, float]:
    """Return one row of the table, for all datasets together."""
    n, records = len(own), len(datasets[0])
    kept = max(min(n, records) - 1, 1)

    def enough(matches: np.ndarray, candidates: int) -> np.ndarray:
        if candidates - kept < 2:
            return (matches >= times).astype(float)
        return np.asarray(stats.binom.sf(times - 1, matches, kept / candidates))

    def each(values: np.ndarray, combine: Any) -> np.ndarray:
        return np.array([combine(values[np.array(entity) == one]) for one in sorted(set(entity))])

    others = np.array([[a != b for b in entity] for a in entity])
    twins = ((differences(own, own) <= differ) & others).sum(axis=1)
    group = each(1 + twins, np.max)
    hit, twin, drawn = np.zeros(group.size), np.zeros(group.size), np.zeros(group.size)
    found, alone, spread = np.zeros(group.size, dtype=bool), 0.0, 0.0
    for other in datasets:
        near = differences(own, other) <= differ
        found |= each(near.sum(axis=1) >= times, np.max).astype(bool)
        hit += each(enough(near.sum(axis=1), records), np.max)
        twin += each(enough(twins, n - 1), np.max)
        again = (differences(other, other) <= differ).sum(axis=1) - 1
        share = enough(again, records - 1) * n / records
        matched = near.sum(axis=0)
        drawn += each((near * np.where(matched > 0, share / np.maximum(matched, 1), 0)).sum(axis=1), np.sum)
        left = np.where(matched > 0, 0, share)
        alone, spread = alone + left.sum(), spread + (left**2 * (1 + again)).sum()
    scale = 1 if records - n < 2 else records / kept
    most = sum(each((np.stack([(differences(own, o) <= differ).any(axis=1) for o in datasets])).any(axis=0), np.max))
    z_people = (hit - twin).sum() / max(1e-9, ((hit - twin) ** 2 * group).sum() ** 0.5)
    z_release = (hit.sum() - drawn.sum() - alone) / max(1e-9, (((hit - drawn) ** 2 * group).sum() + spread) ** 0.5)
    m = len(datasets)
    return {
        "people": found.sum(),
        "hits": hit.sum() / m,
        "twins": twin.sum() / m,
        "release_twins": (drawn.sum() + alone) / m,
        "excess": min(most, scale * (hit.sum() - max(twin.sum(), drawn.sum() + alone))),
        "z": min(z_people, z_release),
        "beyond_people": min(most, scale * (hit - twin).sum()),
        "z_people": z_people,
    }


@pytest.mark.parametrize("columns", [1, 2, 5])
@pytest.mark.parametrize("grouped", [0, 1e9])  # compare pairs of records, or count sets of columns
@pytest.mark.parametrize("examples", [8, pytest.param(80, marks=pytest.mark.full)])
def test_every_count_agrees_with_a_loop(
    monkeypatch: pytest.MonkeyPatch, columns: int, grouped: float, examples: int
) -> None:
    monkeypatch.setattr(record_twins, "GROUPED", grouped)

    @settings(max_examples=examples, deadline=None)
    @given(records(columns, 9), st.lists(records(columns, 14), min_size=1, max_size=2), st.data())
    def compare(own: list, datasets: list[list], data: st.DataObject) -> None:
        size = min(len(one) for one in datasets)
        datasets = [one[:size] for one in datasets]
        names = list("abcde")[:columns]
        people = pd.DataFrame(own, columns=names, dtype="Int64")
        frames = [pd.DataFrame(one, columns=names, dtype="Int64").iloc[::-1, ::-1] for one in datasets]
        entity = data.draw(st.none() | st.lists(st.integers(0, 3), min_size=len(own), max_size=len(own)))
        result = sl.copied_people(people, frames, entity=entity)
        units = list(range(len(own))) if entity is None else entity
        for _, row in result.table.iterrows():
            dataset, differ, times = (int(row[name]) for name in ("dataset", "differ", "times"))
            expected = by_loops(
                own, datasets if len(datasets) == 1 or not dataset else [datasets[dataset - 1]], units, differ, times
            )
            # A z of 1e9 is a sum of rounding errors divided by the smallest error.
            for name in COUNTS:
                assert row[name] == pytest.approx(expected[name], abs=1e-5), (dataset, differ, times, name)
        equal = [sum(min(differences([record], own)[0]) == 0 for record in one) / size for one in datasets]
        assert result.copies.tolist() == pytest.approx(equal)
        assert result.n == len(set(units))

    compare()


def drawn(n: int, seed: int, levels: tuple[int, ...]) -> pd.DataFrame:
    rng = np.random.default_rng(seed)
    return pd.DataFrame({f"x{place}": np.floor(rng.random(n) ** 2 * size) for place, size in enumerate(levels)})


TEN = (400, 60, 12, 8, 8, 5, 4, 3, 2, 2)
FEW = (6, 4, 3, 3, 2, 2)
# For dataset, differ and times: twins, release_twins, excess, z, beyond_people, z_people.
RECORDED: dict[str, dict[tuple[int, int, int], tuple[float, ...]]] = {
    "fewer": {(0, 0, 1): (0, 0, 50, 7.07106781, 50, 7.07106781), (1, 0, 1): (0, 0, 25, 5, 25, 5)},
    "more": {
        (0, 0, 1): (161, 165.516759, -2.32822091, -0.0338930685, 24.8629723, 0.446073933),
        (0, 1, 2): (285, 283.272526, -28.3033884, -0.747440679, -28.3033884, -0.747440679),
        (0, 2, 3): (299, 299.906249, -1.01171936, -0.00358645636, 4.44395815, 0.7034517),
        (1, 0, 1): (161, 169.224957, -4.06961817, -0.0990766954, 20.6877782, 0.741712241),
    },
    "copies": {
        (1, 0, 1): (0, 60, -30, -5.47722558, 30, 5.47722558),
        (1, 1, 2): (0, 0, 30, 5.47722558, 30, 5.47722558),
        (1, 2, 3): (0, 0, 2, 1.41421356, 2, 1.41421356),
    },
}


@pytest.mark.parametrize("name", ["fewer", "more", "copies"])
def test_numbers_of_an_independent_implementation(name: str) -> None:
    people = drawn(300, 1, FEW if name == "more" else TEN)
    release = {
        "fewer": [pd.concat([people[25 * k : 25 * k + 25], drawn(125, 2 + k, TEN)]) for k in range(2)],
        "more": [drawn(900, 5 + k, FEW) for k in range(2)],
        "copies": [pd.concat([people[:30], people[:30], drawn(240, 9, TEN)])],
    }[name]
    table = sl.copied_people(people, release).table.set_index(["dataset", "differ", "times"])
    for place, expected in RECORDED[name].items():
        found = table.loc[place, COUNTS[2:]]
        np.testing.assert_allclose(found, expected, rtol=1e-6, atol=1e-6)


@pytest.mark.parametrize("m", [1, 3])
def test_copies_are_counted_in_people(m: int) -> None:
    people, release = drawn(500, 1, TEN), [drawn(500, 2 + k, TEN) for k in range(m)]
    assert sl.copied_people(people, release).level is None
    release[-1] = pd.concat([people[:20], release[-1][20:]]).sample(frac=1, random_state=1)
    result = sl.copied_people(people, release)
    assert (result.level, result.reason) == ("STOP", "copies")
    assert (result.worst["dataset"], result.worst["differ"], result.worst["times"]) == (m, 0, 1)
    assert result.worst["people"] == 20
    changed = release[-1].assign(x0=drawn(500, 9, TEN)["x0"].to_numpy())
    result = sl.copied_people(people, [*release[:-1], changed])
    assert (result.level, result.worst["differ"]) == ("STOP", 1)
    assert 20 <= result.worst["people"] <= 20 + result.worst["twins"] + 2


def test_people_are_added_over_the_datasets() -> None:
    people = drawn(500, 1, TEN)
    release = [pd.concat([people[8 * k : 8 * k + 8], drawn(492, 2 + k, TEN)]) for k in range(4)]
    result = sl.copied_people(people, release)
    assert (result.level, result.worst["dataset"], result.worst["people"]) == ("STOP", 0, 32)
    assert all(sl.copied_people(people, one).level is None for one in release)


def test_a_resampled_file_and_a_release_that_repeats_its_records() -> None:
    people = drawn(600, 1, TEN)
    resampled = people.sample(600, replace=True, random_state=1)
    result = sl.copied_people(people, resampled)
    assert (result.level, result.reason, result.copies[0]) == ("STOP", "bootstrap", 1)
    assert result.worst["people"] == len(resampled.drop_duplicates())
    part = pd.concat([resampled[:240], drawn(360, 2, TEN)])
    result = sl.copied_people(people, part)
    assert (result.level, result.reason) == ("CHECK", "repeats")
    assert result.worst["people"] == len(resampled[:240].drop_duplicates())
    assert {sl.copied_people(people, one, partial=True).level for one in (resampled, part)} == {None}


def test_a_few_columns_that_many_people_share_are_not_copied() -> None:
    people = drawn(2000, 1, (3, 2, 2))
    result = sl.copied_people(people, people.sample(frac=1, random_state=1))
    assert (result.level, result.copies[0]) == (None, 1)


def test_permuted_columns_share_values_but_not_records() -> None:
    draw = np.random.default_rng(1)
    people = pd.DataFrame(draw.normal(size=(300, 3)), columns=list("abc"))
    assert sl.copied_people(people, people.apply(lambda c: draw.permutation(c))).level is None


def test_the_people_of_the_holdout_sample_are_people() -> None:
    people, control, honest = (drawn(400, seed, TEN) for seed in (1, 2, 3))
    assert sl.copied_people(people, honest, control=control).control.level is None
    mixed = pd.concat([control[:200], honest[200:]])
    result = sl.copied_people(people, mixed, control=control)
    assert (result.level, result.control.level, result.control.worst["people"]) == (None, "STOP", 200)
    result = sl.copied_people(people, control, control=control)
    assert (result.control.level, result.control.worst["people"], result.control.n) == ("STOP", 400, 400)
    with pytest.raises(InputError, match="control: 400 of its 400 records are among the confidential ones"):
        sl.copied_people(people, honest, control=people)
    with pytest.raises(InputError, match="control has no column 'x9'"):
        sl.copied_people(people, honest, control=control.drop(columns="x9"))
    with pytest.raises(DtypeMismatchError, match="x0"):
        sl.copied_people(people, honest, control=control.assign(x0="a"))
    with pytest.raises(InputError, match="control: has no rows"):
        sl.copied_people(people, honest, control=control[:0])


def test_the_values_count_and_not_their_types() -> None:
    people = drawn(200, 1, (9, 9, 9)).assign(sum=np.random.default_rng(1).integers(1, 500, (200, 2)).sum(axis=1) / 10)
    other = people.astype({"x0": "Int64", "x1": "int8"}).assign(sum=people["sum"] / 3 * 3)[::-1]
    pd.testing.assert_frame_equal(sl.copied_people(people, other).table, sl.copied_people(people, people).table)
    with pytest.raises(DtypeMismatchError):
        sl.copied_people(people, people.assign(x0="a"))


@pytest.mark.parametrize("entity", [[0] * 199, [None, *range(199)]])
def test_an_entity_for_each_record_is_required(entity: list) -> None:
    people = drawn(200, 1, TEN)
    with pytest.raises(InputError, match="entity: "):
        sl.copied_people(people, people, entity=entity)


@pytest.mark.parametrize(
    ("n", "records", "columns"), [(1, 1, 2), (1, 9, 3), (5, 5, 1), (5, 1, 4), (60, 6, 500), (300, 60, 70)]
)
def test_all_numbers_are_finite(n: int, records: int, columns: int) -> None:
    people, release = drawn(n, 1, (2,) * columns), drawn(records, 2, (2,) * columns)
    result = sl.copied_people(people, [release.assign(x0=np.nan)] * 3)
    assert np.isfinite(result.table).all(axis=None)
    assert result.level is None
