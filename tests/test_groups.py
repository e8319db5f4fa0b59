"""Numbers in groups: quantiles of all data together, against counts done by hand."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, strategies as st

import synthlab as sl
from synthlab.exceptions import InputError
from tests.loops import every

small = st.integers(-5, 15).map(lambda i: i / 2)
values = st.lists(st.one_of(small, st.none()), min_size=1, max_size=40)


def frame(numbers: list[float | None]) -> pd.DataFrame:
    return pd.DataFrame({"pay": np.array(numbers, dtype=float)})


def by_hand(pooled: list[float], number: int) -> list[float]:
    """Return the inner ends: type-7 quantiles, or equal widths where ties leave too few groups."""
    distinct = sorted(set(pooled))
    if number >= len(distinct):
        return distinct[1:]
    ends = sorted({float(np.quantile(pooled, min(i * (1 / number), 1.0))) for i in range(number + 1)})
    if len(ends) - 1 < min(3, number):
        low, high = min(pooled), max(pooled)
        ends = [low + (high - low) * i / number for i in range(number + 1)]
    return ends[1:-1]


@given(values, values, st.integers(2, 6))
def test_the_groups_are_those_of_the_pooled_quantiles(ours, theirs, number):
    pooled = [v for v in ours + theirs if v is not None]
    if not pooled:
        return
    grouped, release = sl.group_numbers(frame(ours), frame(theirs), groups={"pay": number})
    ends = by_hand(pooled, number)
    if number < len(set(pooled)) and min(np.diff(ends), default=1.0) < 1e-9:
        return  # shares such as .2 * 3 part two ends that are one, and rounding decides
    for given_values, result in ((ours, grouped), (theirs, release[0])):
        for value, code in zip(given_values, result["pay"].cat.codes, strict=True):
            if value is None:
                assert code == -1
            elif number >= len(set(pooled)) or all(abs(value - end) > 1e-9 for end in ends):  # else rounding decides
                assert code == sum(value >= end for end in ends)
    assert grouped["pay"].cat.categories.equals(release[0]["pay"].cat.categories)


def test_shares_are_made_as_r_makes_them():
    """The end at 3/5 of 0, ..., 10 is just above 6, as .2 * 3 is just above .6: 6 is in the third group, not in the fourth."""
    numbers = frame([float(v) for v in range(11)])
    grouped, _ = sl.group_numbers(numbers, numbers[:0].reindex([0]), groups={"pay": 5})
    assert grouped["pay"].cat.codes.tolist() == [0, 0, 1, 1, 2, 2, 2, 3, 4, 4, 4]


def test_two_groups_are_halves_and_ties_give_equal_widths():
    long = frame([*range(1, 10), 100])
    halves, _ = sl.group_numbers(long, long, groups={"pay": 2})
    assert halves["pay"].value_counts().tolist() == [5, 5]
    zeros = frame([0] * 9 + [5, 10, 15, 20])
    wide, _ = sl.group_numbers(zeros, zeros, groups={"pay": 4})
    assert wide["pay"].tolist() == ["[0, 5)"] * 9 + ["[5, 10)", "[10, 15)", "[15, 20]", "[15, 20]"]


def test_one_value_and_few_values_are_groups_of_their_own():
    constant, release = sl.group_numbers(frame([5, 5]), frame([5, None]), groups={"pay": 3})
    assert constant["pay"].tolist() == ["5", "5"]
    assert release[0]["pay"].isna().tolist() == [False, True]
    near = frame([1.0, 1.0 + 1e-12])
    assert sl.group_numbers(near, near, groups={"pay": 5})[0]["pay"].nunique() == 2


def test_a_measurement_can_be_a_target_in_groups():
    people = pd.DataFrame({"region": list("NS") * 60, "pay": np.arange(120) + 0.5})
    someone = sl.Intruder(known=["region"], synthesized=["pay"])
    with pytest.raises(InputError, match="convert them to groups with group_numbers"):
        sl.attribute_disclosure(people, people, someone, target="pay")
    grouped, release = sl.group_numbers(people, sl.Release(people, ["pay"], rows="shuffled"), groups={"pay": 4})
    assert sl.attribute_disclosure(grouped, release, someone, target="pay").to_frame().loc[1, "Dorig"] == 0
    assert (release.rows, release.synthesized) == ("shuffled", ("pay",))
    assert people["pay"].dtype == float


@every(
    ("groups", "said"),
    [
        ({"pay": 1}, r"groups\['pay'\]=1: must be an int >= 2"),
        ({"pay": 2.5}, "must be an int >= 2"),
        ({}, "must name at least one column of confidential"),
        ({"nothing": 3}, "'nothing' not in confidential"),
        ({"region": 3}, "'region' is .*only numbers are put into groups"),
        ({"gap": 3}, "'gap' has only missing values"),
        ({"wide": 3}, "'wide' has 1 infinite"),
        ({"own": 3}, "'own' not in synthetic dataset 1"),
        (["pay"], "groups=.*must be a mapping"),
    ],
)
def test_what_is_refused(groups, said):
    people = pd.DataFrame(
        {"region": list("NS"), "pay": [1.0, 2.0], "gap": np.nan, "wide": [1.0, np.inf], "own": [1, 2]}
    )
    with pytest.raises(InputError, match=said):
        sl.group_numbers(people, people.drop(columns="own"), groups=groups)
