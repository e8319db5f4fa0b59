"""Records, parts, accounts and audits at their edges."""

from __future__ import annotations

import itertools
from decimal import Decimal
from typing import Any

import numpy as np
import pandas as pd
import pytest
from scipy import stats

from synthlab import _epsilon_from_events, dp
from synthlab.dp import _mechanism_runs as runs, _partition, _records
from synthlab.exceptions import BudgetExceededError, InputError


def test_values_become_numbers_one_by_one() -> None:
    values = [
        1,
        2.5,
        True,
        np.float32(0.5),
        Decimal("0.25"),
        10**400,
        -(10**400),
        "3",
        None,
        np.nan,
        pd.NA,
        1j,
        [1],
        np.timedelta64(1, "s"),
    ]
    found = _records.numbers_of(np.array([*values, 0], dtype=object)[:-1])
    plain = [1, 2.5, 1, 0.5, 0.25, np.inf, -np.inf, *[np.nan] * 7]
    np.testing.assert_array_equal(found, plain)
    assert _records.numbers_of(np.array([1, 2], dtype=np.int8)).tolist() == [1.0, 2.0]
    assert _records.finite([1, np.inf, "x", None, -(10**400)]).tolist() == [1.0, 0.0, 0.0, 0.0, 0.0]
    assert _records.finite(np.array([[1.0, np.nan], [-np.inf, 4.0]])).tolist() == [[1.0, 0.0], [0.0, 4.0]]
    assert _records.finite(np.ma.masked_array([1, 2], mask=[True, False])).tolist() == [0.0, 2.0]
    assert _records.finite(3).shape == ()
    masked = np.ma.masked_array([5, 6, 7], mask=[False, True, False])
    assert list(_records.records_of(masked)) == [5, None, 7]


def test_the_records_of_a_part_of_a_part() -> None:
    outer, inner = np.array([True, False, True, True, False]), np.array([False, True, True])
    whole = np.arange(5)
    assert _records.records_of(whole).tolist() == [0, 1, 2, 3, 4]
    assert _records.records_of(whole, [outer]).tolist() == [0, 2, 3]
    assert _records.records_of(whole, [outer, inner]).tolist() == [2, 3]
    assert _records.records_of(whole[:3], [outer, inner]).tolist() == [1, 2]
    assert _records.records_of(whole[:2], [outer, inner]).tolist() == [0, 1]
    assert _records.records_of(whole[:4], [outer, inner]).tolist() == [0, 1]  # fits neither: the first ones
    for bad in ("text", b"text", 3, None, {1: 2}, np.zeros((2, 2))):
        with pytest.raises(InputError, match="confidential"):
            _records.check_column(bad)


def test_disjoint_parts_and_who_is_claimed_twice() -> None:
    masks = _partition.disjoint_parts({"a": [True, False, 1, None], "b": [1, 1, 1], 3: [True] * 5}, [])
    assert {name: m.tolist() for name, m in masks.items()} == {
        "a": [True, False, True, False, False],
        "b": [False, True, False, False, False],
        "3": [False, False, False, True, True],
    }
    outer = [np.array([True, True, False, True, False]), np.array([True, False, True])]
    inner = _partition.disjoint_parts({"a": [True, False], "b": [True, True]}, outer)
    assert {name: m.tolist() for name, m in inner.items()} == {"a": [True, False], "b": [False, True]}
    inner = _partition.disjoint_parts({"a": [True, False, False, True, True]}, outer)
    assert inner["a"].tolist() == [True, True]
    for bad in ({}, [True], None, {"1": [True], 1: [True]}):
        with pytest.raises(InputError, match="parts"):
            _partition.disjoint_parts(bad, [])


@pytest.mark.parametrize(("adjacency", "counted"), [("add-remove", 1), ("replace", 2)])
def test_parts_of_parts_of_parts(adjacency: Any, counted: int) -> None:
    budget = dp.Budget(10.0, adjacency=adjacency)
    column = np.arange(8)
    first = budget.parallel({"x": column < 6, "y": column >= 6}, "one")
    second = first["x"].parallel({"u": column % 2 == 0, "v": column % 2 == 1}, "two")
    third = second["u"].parallel({"p": [True, False, True], "q": [False, True, False]}, "three")
    assert [m.tolist() for m in third["q"]._masks()] == [
        (column < 6).tolist(),
        [True, False] * 3,
        [False, True, False],
    ]
    assert _records.records_of(column, third["q"]._masks()).tolist() == [2]
    assert _records.records_of(column, third["p"]._masks()).tolist() == [0, 4]
    assert third["q"].rows.tolist() == [False, True, False]
    assert budget.rows is None
    for account, cost in ((third["p"], 1.0), (third["q"], 2.0), (second["v"], 0.5), (first["y"], 4.0)):
        account.spend(cost, "asked")
    inner = sum(sorted([1.0, 2.0])[-counted:])
    middle = sum(sorted([inner, 0.5])[-counted:])
    outer = sum(sorted([middle, 4.0])[-counted:])
    assert budget.spent == pytest.approx(outer)
    assert first["x"].spent == pytest.approx(middle)
    assert budget.remaining == pytest.approx(10 - outer)
    parts = ["one: x, two: u, three: p", "one: x, two: u, three: q", "one: x, two: v", "one: y"]
    assert budget.to_frame()["part"].tolist() == parts
    assert budget.to_frame()["what"].tolist() == ["asked"] * 4
    assert budget.to_frame()["epsilon"].tolist() == [1.0, 2.0, 0.5, 4.0]
    assert budget.summary().to_numpy().tolist() == [["one", pytest.approx(outer), pytest.approx(outer)]]
    budget.spend(1.0, "all")
    assert budget.summary()["what"].tolist() == ["one", "all"]
    assert budget.summary()["spent"].tolist() == pytest.approx([outer, outer + 1])
    account = first["y"]
    left = account.remaining
    with pytest.raises(BudgetExceededError):
        account.spend(left * 1.001)
    account.spend(left)
    assert (account.remaining, budget.remaining) == pytest.approx((0.0, 0.0), abs=1e-9)
    assert f"Budget for the part 'y': epsilon {first['y'].spent:.4g} spent" in first["y"].title
    assert budget.title.startswith(f"Budget: epsilon {budget.spent:.4g} spent, {budget.remaining:.4g} left of 10, for ")


def test_an_account_grants_a_rounding_error_and_only_once() -> None:
    budget = dp.Budget(1.0)
    budget.spend(1.0 + 0.9e-12)
    assert budget.remaining == 0.0
    with pytest.raises(BudgetExceededError, match=r"query: requires epsilon 9e-13, but only 0 of 1 is left"):
        budget.spend(0.9e-12)
    with pytest.raises(BudgetExceededError):
        dp.Budget(1.0).spend(1.0 + 1.1e-12)
    dp.Budget(1000.0).spend(1000.0 + 0.9e-9)
    for bad in (0.0, -1.0, np.inf, np.nan, "1"):
        with pytest.raises(InputError, match="epsilon"):
            dp.Budget(1.0).spend(bad)
        with pytest.raises(InputError, match="total"):
            dp.Budget(bad)
    fresh = dp.Budget(1.0)
    assert (fresh.spent, fresh.remaining, fresh.total, fresh.adjacency) == (0.0, 1.0, 1.0, "add-remove")
    assert fresh.to_frame().columns.tolist() == ["part", "what", "epsilon"]
    assert fresh.summary().empty


def test_events_are_counted_and_named() -> None:
    outputs = np.array([1.0, 2.0, 2.0, 3.0])
    for relation, hits in (("=", 2), ("<=", 3), (">=", 3)):
        assert _epsilon_from_events.Event(relation, 2.0).count(outputs) == hits
        assert _epsilon_from_events.Event(relation, 2.0).words == f"output {relation} 2"
    assert _epsilon_from_events.Event("=", "a").count(["a", "b", "a"]) == 2
    assert _epsilon_from_events.Event("=", "a").words == "output = 'a'"
    low, high = _epsilon_from_events.clopper_pearson(np.array([0, 3, 10]), 10, 0.9)
    assert low.tolist() == pytest.approx([0.0, stats.beta.ppf(0.05, 3, 8), stats.beta.ppf(0.05, 10, 1)])
    assert high.tolist() == pytest.approx([stats.beta.ppf(0.95, 1, 10), stats.beta.ppf(0.95, 4, 7), 1.0])


@pytest.mark.parametrize("swap", [False, True])
def test_the_event_that_tells_most_has_the_largest_bound(swap: bool) -> None:
    rng = np.random.default_rng(1)
    first, other = np.round(rng.normal(0, 1, 400), 1), np.round(rng.normal(1.2, 1, 400), 1)
    if swap:
        first, other = other, first
    event, swapped = _epsilon_from_events.telling_event(first, other, 0.95)

    def score(relation: str, value: float) -> tuple[float, bool]:
        hits = np.array([_epsilon_from_events.Event(relation, value).count(x) for x in (first, other)])
        low, high = _epsilon_from_events.clopper_pearson(hits, 400, 0.95)
        with np.errstate(divide="ignore"):
            ways = np.log(low[0] / high[1]), np.log(low[1] / high[0])
        return max(ways), bool(ways[1] > ways[0])

    values = np.unique(np.concatenate([first, other]))
    best = max(score(r, v)[0] for r, v in itertools.product(("=", "<=", ">="), values))
    assert score(event.relation, event.value)[0] == pytest.approx(best, rel=0.02)
    assert swapped == score(event.relation, event.value)[1]


def test_an_audit_says_what_it_did() -> None:
    def answer(database: list[int], rng: np.random.Generator) -> str:
        return "many" if len(database) > 1 else ("many" if rng.random() < 0.2 else "few")

    found = dp.audit_epsilon(answer, [1, 2], [1], epsilon=0.5, runs=2001, level=0.9, rng=1)
    assert (found.event, found.swapped, found.runs, found.claimed, found.level) == (
        "output = 'few'",
        True,
        1000,
        0.5,
        0.9,
    )
    assert found.hits[1] == 0
    assert 750 < found.hits[0] < 850
    assert found.epsilon_observed == np.inf
    low, high = stats.beta.ppf(0.05, found.hits[0], 1001 - found.hits[0]), stats.beta.ppf(0.95, 1, 1000)
    assert found.epsilon_lower == pytest.approx(np.log(low / high))
    assert found.violated
    row = found.to_frame().iloc[0]
    assert row.tolist() == [0.5, 0.0, found.epsilon_lower, np.inf, True, found.event, found.hits[0], 0, 1000]
    assert f"{found.hits[0]:,} of 1,000 runs on the neighbor, 0 on the database" in found.title
    assert "The claim is refuted, for databases that differ by one record" in found.title
    assert found._repr_html_().startswith("<p>output = &#x27;few&#x27;: ")
    straight = dp.audit_epsilon(answer, [1], [1, 2], epsilon=99.0, runs=2000, rng=1)
    assert (straight.swapped, straight.violated) == (False, False)
    assert "does not prove it" in straight.title
    assert dp.audit_epsilon(lambda d, r: 1.0, [1], [1, 2], epsilon=1, runs=100, rng=1).runs == 50
    for options in ({"runs": 99}, {"level": 1.0}, {"level": 0.0}, {"epsilon": 0.0}):
        with pytest.raises(InputError):
            dp.audit_epsilon(answer, [1], [1, 2], **{"epsilon": 1.0, **options})
    for odd in (lambda d, r: np.inf, lambda d, r: [1], lambda d, r: np.nan):
        with pytest.raises(InputError, match="mechanism"):
            dp.audit_epsilon(odd, [1], [1, 2], epsilon=1.0, runs=100)
    truth = runs.run(lambda d, r: True, [1], 3, np.random.default_rng(1))
    assert truth == [True, True, True]
    assert isinstance(runs.run(lambda d, r: np.array(2), [1], 3, np.random.default_rng(1)), np.ndarray)
