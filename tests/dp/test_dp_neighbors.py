"""Neighbors, and sensitivities against every neighbor of every small database."""

from __future__ import annotations

from itertools import product

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings, strategies as st

from synthlab import dp
from synthlab.exceptions import InputError, MissingValueError

DOMAIN = (-3, 0, 2, 5)


def databases(n):
    return [list(d) for d in product(DOMAIN, repeat=n)]


def test_one_record_more_or_one_record_replaced():
    assert dp.are_neighbors([1, 2, 2], [2, 1])
    assert not dp.are_neighbors([1, 2, 2], [2, 1], adjacency="replace")
    assert dp.are_neighbors([1, 2, 2], [2, 1, 3], adjacency="replace")
    assert not dp.are_neighbors([1, 2, 2], [2, 1, 3])
    # the order of the records is nothing, and a database is not its own neighbor
    assert not dp.are_neighbors([1, 2], [2, 1], adjacency="replace")
    assert not dp.are_neighbors([1, 2], [1, 2])
    assert not dp.are_neighbors([1, 1, 2, 2], [1, 2])


def test_rows_of_frames_are_records():
    one = pd.DataFrame({"age": [30, 41], "it's": ["a", "b"]})
    assert dp.are_neighbors(one, one.iloc[[1]])
    assert dp.are_neighbors(one, one.assign(age=[31, 41]), adjacency="replace")
    with pytest.raises(InputError, match="neighbor: must have the same columns"):
        dp.are_neighbors(one, one.rename(columns={"age": "b"}))
    with pytest.raises(MissingValueError, match="neighbor: 1 missing"):
        dp.are_neighbors(one, one.assign(age=[np.nan, 41]))


@settings(max_examples=12, deadline=None)
@given(st.lists(st.sampled_from(DOMAIN), min_size=1, max_size=4), st.sampled_from(["add-remove", "replace"]))
def test_every_neighbor_is_one_and_none_is_left_out(database, adjacency):
    found = list(dp.neighbors(database, DOMAIN, adjacency=adjacency))
    assert all(dp.are_neighbors(database, other, adjacency=adjacency) for other in found)
    sizes = {len(database)} if adjacency == "replace" else {len(database) - 1, len(database) + 1}
    expected = {
        tuple(sorted(other))
        for size in sizes
        for other in databases(size)
        if dp.are_neighbors(database, other, adjacency=adjacency)
    }
    assert {tuple(sorted(other)) for other in found} == expected
    assert len(found) == (len(database) * 3 if adjacency == "replace" else len(database) + 4)


def test_bad_input():
    with pytest.raises(InputError, match=r"adjacency='both': must be one of 'add-remove', 'replace'"):
        dp.are_neighbors([1], [], adjacency="both")
    with pytest.raises(InputError, match="domain: is empty"):
        dp.neighbors([1], [])
    with pytest.raises(InputError, match="database: 1 of its 1 records not in the domain"):
        dp.neighbors([7], DOMAIN)
    with pytest.raises(InputError, match="must be a DataFrame or a sequence"):
        dp.are_neighbors("abc", "ab")
    with pytest.raises(InputError, match="no neighbor"):
        dp.largest_change(sum, [5], [5], adjacency="replace")
    with pytest.raises(InputError, match="query: must have a finite answer"):
        dp.largest_change(lambda d: np.mean(d) if d else np.nan, [5], DOMAIN)
    for domain in (None, 3, "yes"):
        with pytest.raises(InputError, match=f"domain={domain!r}: must be a list of all possible values"):
            dp.neighbors([1], domain)
    with pytest.raises(InputError, match="neighbor: holds dict values"):
        dp.are_neighbors([1], [1, {"a": 1}])
    with pytest.raises(InputError, match="query=3: must be a function of a list of records"):
        dp.largest_change(3, [5], DOMAIN)
    with pytest.raises(
        InputError, match="query: must be a function whose answer is a number or an array of numbers, got str"
    ):
        dp.largest_change(lambda d: "many", [5], DOMAIN)


@pytest.mark.parametrize("adjacency", ["add-remove", "replace"])
def test_declared_sensitivities_are_the_largest_change_over_all_databases(adjacency):
    def largest(query):
        return max(dp.largest_change(query, d, DOMAIN, adjacency=adjacency) for n in (1, 2, 3) for d in databases(n))

    low, high = min(DOMAIN), max(DOMAIN)
    assert largest(sum) == dp.sum_sensitivity(low, high, adjacency=adjacency)
    assert largest(lambda d: sum(x > 0 for x in d)) == dp.count_sensitivity(adjacency=adjacency)
    histogram = dp.histogram_sensitivity(adjacency=adjacency)
    assert largest(lambda d: [d.count(x) for x in DOMAIN]) == histogram


def test_the_mean_under_replace():
    for n in (1, 2, 3):
        largest = max(dp.largest_change(np.mean, d, DOMAIN, adjacency="replace") for d in databases(n))
        assert largest == pytest.approx(dp.mean_sensitivity(-3, 5, n))


def test_the_local_sensitivity_of_a_median_can_be_as_large_as_the_bounds():
    assert dp.largest_change(np.median, [0, 0, 100], [0, 100], adjacency="replace") == 100.0
    assert dp.largest_change(np.median, [0, 0, 0, 0, 100], [0, 100], adjacency="replace") == 0.0


def test_bounds_are_checked():
    for function in (dp.sum_sensitivity, lambda a, b: dp.mean_sensitivity(a, b, 3)):
        with pytest.raises(InputError, match="low must be below high"):
            function(2, 2)
        with pytest.raises(InputError, match="high"):
            function(0, float("inf"))
    with pytest.raises(InputError, match="n=0"):
        dp.mean_sensitivity(0, 1, 0)
    with pytest.raises(InputError, match="adjacency"):
        dp.count_sensitivity(adjacency="")


def test_one_value_is_no_database():
    with pytest.raises(InputError, match="got one value"):
        dp.largest_change(len, np.array(3), domain=DOMAIN)
