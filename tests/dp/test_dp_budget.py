"""The account: sums, refusals, disjoint parts under both adjacencies."""

from __future__ import annotations

import copy
import os
import pickle
import signal
import sys
import time
import warnings
from concurrent.futures import ThreadPoolExecutor
from threading import Barrier, Event, Thread

import cloudpickle
import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings, strategies as st

from synthlab import dp
from synthlab.dp import budget as budgets
from synthlab.exceptions import BudgetCopyError, BudgetExceededError, InputError
from tests.loops import every

NORTH, SOUTH, WEST = np.eye(3, dtype=bool).repeat(2, axis=1)


def test_losses_add_up_and_the_account_refuses():
    budget = dp.Budget(1.0)
    budget.spend(0.5, "first")
    budget.spend(0.25, "second")
    assert (budget.spent, budget.remaining) == (0.75, 0.25)
    with pytest.raises(BudgetExceededError, match=r"third: requires epsilon 0.3, but only 0.25 of 1 is left"):
        budget.spend(0.3, "third")
    # nothing was charged, and a smaller one still fits
    budget.spend(0.25, "third")
    assert budget.remaining == 0
    with pytest.raises(BudgetExceededError, match="0 of 1 is left"):
        budget.spend(1e-6)
    assert budget.to_frame()["epsilon"].tolist() == [0.5, 0.25, 0.25]
    assert budget.summary()["spent"].tolist() == [0.5, 0.75, 1.0]


def test_ten_tenths_are_one_and_a_millionth_more_is_not():
    budget = dp.Budget(1.0)
    for _ in range(10):
        budget.spend(0.1)
    assert budget.remaining == pytest.approx(0, abs=1e-12)
    thirds = dp.Budget(0.3)
    for _ in range(3):
        thirds.spend(0.1)
    with pytest.raises(BudgetExceededError):
        dp.Budget(0.3).spend(0.300001)


def test_parallel_costs_the_dearest_part_under_add_remove():
    budget = dp.Budget(1.0)
    part = budget.parallel({"north": NORTH, "south": SOUTH, "west": WEST}, "by region")
    part["north"].spend(0.6, "a")
    part["south"].spend(0.6, "b")
    part["west"].spend(0.2, "c")
    assert budget.spent == 0.6
    assert part["west"].remaining == pytest.approx(0.8)
    budget.spend(0.4, "everybody")
    assert part["west"].remaining == pytest.approx(0.4)
    with pytest.raises(BudgetExceededError):
        part["north"].spend(0.1)
    part["west"].spend(0.4)
    assert budget.spent == pytest.approx(1.0)
    assert budget.to_frame()["part"].tolist() == ["by region: north", "by region: south", *["by region: west"] * 2, ""]


def test_parallel_costs_the_two_dearest_under_replace():
    budget = dp.Budget(1.0, adjacency="replace")
    part = budget.parallel({"north": NORTH, "south": SOUTH, "west": WEST})
    part["north"].spend(0.5)
    assert budget.spent == 0.5
    part["south"].spend(0.3)
    assert budget.spent == pytest.approx(0.8)
    part["west"].spend(0.3)
    assert budget.spent == pytest.approx(0.8)
    # west may go up to 0.5: with north that is the whole
    assert part["west"].remaining == pytest.approx(0.2)
    with pytest.raises(BudgetExceededError):
        part["west"].spend(0.21)


@settings(max_examples=60, deadline=None)
@given(
    st.lists(st.tuples(st.sampled_from(["all", "a", "b", "a1", "a2"]), st.floats(0.01, 0.6)), max_size=12),
    st.sampled_from(["add-remove", "replace"]),
)
def test_the_total_is_never_passed_and_what_remains_is_what_can_be_spent(requests, adjacency):
    budget = dp.Budget(1.0, adjacency=adjacency)
    outer = budget.parallel({"a": [True, True, False], "b": [False, False, True]})
    inner = outer["a"].parallel({"a1": [True, False], "a2": [False, True]})
    accounts = {"all": budget, **outer, **inner}
    for name, epsilon in requests:
        left, before = accounts[name].remaining, budget.spent
        try:
            accounts[name].spend(epsilon)
        except BudgetExceededError:
            assert epsilon > left
            assert budget.spent == before
        assert budget.spent <= 1.0 + 1e-9
    spent = accounts["b"].spent
    accounts["b"].spend(max(accounts["b"].remaining, 1e-14))
    assert accounts["b"].spent >= spent
    assert budget.spent <= 1.0 + 1e-9


def test_the_tolerance_is_of_the_total_not_of_each_query():
    budget = dp.Budget(1.0)
    part = budget.parallel({"all": [True, True]})["all"]
    part.spend(1.0)
    granted = 0
    for account in (budget, part) * 50:
        try:
            account.spend(9e-13)
            granted += 1
        except BudgetExceededError:
            pass
    assert granted == 1
    assert budget.spent <= 1.0 + 1e-12


@pytest.mark.parametrize("runs", [600, pytest.param(4000, marks=pytest.mark.full)])
def test_the_size_of_a_part_is_not_public_under_replace(runs):
    """Who moves from one part to the other changes the sizes of both, so the scale of a mean's noise must not tell."""

    def mean_of_north(people, rng):
        north = np.array([p == "n" for p in people])
        budget = dp.Budget(2.0, adjacency="replace")
        part = budget.parallel({"north": north, "south": ~north})["north"]
        answer = dp.private_mean(
            np.where(north, 60.0, 40.0)[part.rows],
            low=0,
            high=100,
            epsilon=1.0,
            adjacency="replace",
            budget=part,
            rng=rng,
        )
        return answer.value if rng.random() < 0.5 else next(iter(answer.mechanisms.values())).sensitivity

    audit = dp.audit_epsilon(
        mean_of_north, ["n", "n", "n", "s"], ["n", "n", "s", "s"], epsilon=1.0, adjacency="replace", runs=runs, rng=1
    )
    assert not audit.violated
    public = dp.private_mean([60.0] * 3, low=0, high=100, epsilon=1.0, adjacency="replace", rng=1)
    assert public.mechanisms["mean"].sensitivity == 100 / 3


def test_who_is_claimed_twice_is_in_the_first_part_and_no_error_says_so():
    """That two parts share somebody, and how many rows there are, is confidential: an error would tell it for nothing."""
    budget = dp.Budget(1.0)
    part = budget.parallel({"rich": [True, False, False], "old": [True, True, None]})
    assert {name: account.rows.tolist() for name, account in part.items()} == {
        "rich": [True, False, False],
        "old": [False, True, False],
    }
    longer = budget.parallel({"a": [1, 0], "b": [0, 1, 1]})
    assert longer["a"].rows.tolist() == [True, False, False]
    assert longer["b"].rows.tolist() == [False, True, True]
    for nothing in ({}, [[True]]):
        with pytest.raises(InputError, match="at least one part"):
            budget.parallel(nothing)
    with pytest.raises(InputError, match=r"parts\['a'\]: must be one value per record, got bool"):
        budget.parallel({"a": True})
    with pytest.raises(InputError, match="two parts have the same name"):
        budget.parallel({1: [True], "1": [False]})
    assert not part["rich"].rows.flags.writeable


def test_a_part_is_given_the_whole_column_or_its_own_rows():
    budget, urban, old = dp.Budget(9.0), np.array([True, True, False, True]), np.array([True, False, True, True])
    part = budget.parallel({"urban": urban})["urban"]
    inner = part.parallel({"old": old[urban]})["old"]
    # a column of the outer part, or of everybody, is as good
    assert part.parallel({"old": old})["old"].rows.tolist() == inner.rows.tolist() == [True, False, True]
    rich = np.array([True, True, True, False])

    cases = [(part, rich, 2), (part, rich[urban], 2)]
    cases += [(inner, column, 1) for column in (rich, rich[urban], rich[urban][inner.rows])]
    for seed, (account, column, expected) in enumerate(cases):
        noise = dp.private_count([], epsilon=1.0, rng=seed).value
        answer = dp.private_count(column, budget=account, epsilon=1.0, rng=seed)
        assert answer.value - noise == pytest.approx(expected)


def test_queries_charge_what_they_cost_and_only_when_they_answer():
    frame = pd.DataFrame({"urban": [True, True, False, False], "age": [20, 30, 40, 50]})
    budget = dp.Budget(1.0)
    dp.private_count(frame["urban"], epsilon=0.25, budget=budget, query="urban", rng=1)
    dp.private_mean(frame["age"], low=0, high=100, epsilon=0.25, budget=budget, rng=2)
    dp.private_quantile(frame["age"], low=0, high=100, epsilon=0.125, budget=budget, rng=3)
    dp.private_mode(frame["urban"], categories=[True, False], epsilon=0.125, budget=budget, rng=4)
    levels = {"urban": [True, False]}
    dp.private_table(frame, levels=levels, n_synthetic=4, epsilon=0.0625, m=3, budget=budget, rng=5)
    assert budget.to_frame()["epsilon"].tolist() == [0.25, 0.25, 0.125, 0.125, 0.1875]
    with pytest.raises(InputError, match="level"):
        dp.private_count(frame["urban"], epsilon=0.01, budget=budget, level=2)
    with pytest.raises(InputError, match="seed"):
        dp.private_count(frame["urban"], epsilon=0.01, budget=budget, rng=-1)
    assert budget.spent == 0.9375
    with pytest.raises(BudgetExceededError, match="histogram: requires epsilon 0.5"):
        dp.private_histogram(frame["urban"], categories=[True, False], epsilon=0.5, budget=budget)


@pytest.mark.parametrize("again", [1, np.int64(1)])
def test_one_seed_draws_noise_for_an_account_once(again):
    """The difference of two answers with the same noise is exact: the epsilon of the account would be a lie."""
    budget = dp.Budget(3.0)
    parts = budget.parallel({"north": NORTH, "south": SOUTH})
    frame = pd.DataFrame({"x": [1, 2]})
    dp.private_count([True, True], epsilon=0.5, budget=budget, rng=1)
    refused = (
        lambda: dp.private_count([True], epsilon=0.5, budget=budget, rng=again),
        lambda: dp.private_count([True], epsilon=0.5, budget=parts["north"], rng=again),
        lambda: dp.private_mean([1.0], low=0, high=2, epsilon=0.5, budget=budget, rng=again),
        lambda: dp.private_quantile([1.0], low=0, high=2, epsilon=0.5, budget=budget, rng=again),
        lambda: dp.private_mode([1], categories=[1, 2], epsilon=0.5, budget=budget, rng=again),
        lambda: dp.private_histogram([1], categories=[1, 2], epsilon=0.5, budget=budget, rng=again),
        lambda: dp.private_table(frame, levels={"x": [1, 2]}, n_synthetic=2, epsilon=0.5, budget=budget, rng=again),
        lambda: dp.private_pmse_table(
            frame, levels={"x": [1, 2]}, n_synthetic=2, epsilon=0.5, budget=budget, rng=again
        ),
    )
    for query in refused:
        with pytest.raises(InputError, match="^rng: an earlier query with this budget started"):
            query()
    assert budget.spent == 0.5
    one = np.random.default_rng(9)
    for source in (2, one, one, None, None):
        dp.private_count([True], epsilon=0.125, budget=parts["south"], rng=source)
    with pytest.raises(InputError, match="^rng: an earlier query"):
        dp.private_count([True], epsilon=0.125, budget=parts["north"], rng=2)
    with pytest.raises(BudgetExceededError):
        dp.private_count([True], epsilon=9.0, budget=budget, rng=3)
    dp.private_count([True], epsilon=0.125, budget=budget, rng=3)  # nothing was drawn with it
    other = dp.Budget(1.0)
    dp.private_count([True], epsilon=0.5, budget=other, rng=1)
    assert other.spent == 0.5


def _set_to(bit_generator, state):
    bit_generator.state = state
    return np.random.Generator(bit_generator)


def _with_half_a_number(rng):
    rng.integers(9, dtype=np.uint32)  # the other half of the number is kept for the next call
    return _set_to(rng.bit_generator, rng.bit_generator.state | {"state": np.random.PCG64(5).state["state"]})


SAME_STREAM = {
    "seed": lambda: 5,
    "numpy seed": lambda: np.int64(5),
    "SeedSequence": lambda: np.random.SeedSequence(5),
    "Generator": lambda: np.random.default_rng(5),
    "copy": lambda: copy.deepcopy(np.random.default_rng(5)),
    "state": lambda: _set_to(np.random.PCG64(1), np.random.PCG64(5).state),
    "half a number": lambda: _with_half_a_number(np.random.default_rng(1)),
}
LEVELS = {"x": [1, 2]}
PEOPLE = pd.DataFrame({"x": [1, 2, 2]})


def _count(budget, rng):
    return dp.private_count([True], epsilon=0.25, budget=budget, rng=rng).value


def _table(budget, rng):
    made = dp.private_table(PEOPLE, levels=LEVELS, n_synthetic=10**9, epsilon=0.125, m=2, budget=budget, rng=rng)
    return tuple(made.counts.ravel())


@every("first", SAME_STREAM)
@every("second", SAME_STREAM)
def test_the_same_noise_is_refused_however_its_source_is_given(first, second):
    one, other = SAME_STREAM[first], SAME_STREAM[second]
    assert _count(None, one()) == _count(None, other())
    budget = dp.Budget(1.0)
    _count(budget, one())
    with pytest.raises(InputError, match="^rng: an earlier query"):
        _count(budget, other())
    assert budget.spent == 0.25


@pytest.mark.parametrize("kind", ["MT19937", "PCG64", "PCG64DXSM", "Philox", "SFC64"])
def test_a_generator_that_goes_on_is_accepted_and_one_that_was_set_back_is_refused(kind):
    rng = np.random.Generator(getattr(np.random, kind)(5))
    budget = dp.Budget(100.0)
    start = rng.bit_generator.state
    answers = [query(budget, rng) for _ in range(20) for query in (_count, _table, _count)]
    assert len(set(answers)) == len(answers)
    spent = budget.spent
    rng.bit_generator.state = start
    with pytest.raises(InputError, match="^rng: an earlier query"):
        _count(budget, rng)
    assert budget.spent == spent


def test_the_streams_of_a_table_are_remembered():
    def child():
        return np.random.default_rng(5).spawn(2)[1]

    for first, second in (
        (lambda b: _table(b, 5), lambda b: _count(b, child())),
        (lambda b: _count(b, child()), lambda b: _table(b, np.random.SeedSequence(5))),
        (lambda b: _table(b, np.random.default_rng(5)), lambda b: _table(b, np.random.default_rng(5))),
        (lambda b: _count(b, child()), lambda b: _count(b.parallel({"all": [True]})["all"], child())),
    ):
        budget = dp.Budget(1.0)
        first(budget)
        with pytest.raises(InputError, match="^rng: an earlier query"):
            second(budget)
        assert budget.spent == 0.25


def _at_once(queries):
    """Run queries in 16 threads that start together; return the answers, and the errors of the package."""
    start = Barrier(16)

    def run(query):
        start.wait()
        try:
            return query()
        except (BudgetExceededError, InputError) as error:
            return error

    with ThreadPoolExecutor(16) as pool:
        found = list(pool.map(run, queries))
    return [f for f in found if not isinstance(f, Exception)], [f for f in found if isinstance(f, Exception)]


@pytest.fixture
def paused(monkeypatch):
    """Let other threads run between the check of a budget and the charge."""

    class Slow(budgets.Spending):
        def __init__(self, *values):
            time.sleep(0.002)
            super().__init__(*values)

    monkeypatch.setattr(budgets, "Spending", Slow)
    interval = sys.getswitchinterval()
    sys.setswitchinterval(1e-6)
    yield
    sys.setswitchinterval(interval)


@pytest.mark.usefixtures("paused")
def test_threads_together_do_not_pass_the_total():
    for repetition in range(30):
        budget = dp.Budget(1.0)
        parts = list(budget.parallel({"north": NORTH, "south": SOUTH}).values())
        accounts = [budget] * 16 if repetition % 2 else parts * 8
        answers, errors = _at_once([lambda a=a: _count(a, None) for a in accounts])
        assert len(answers) == (4 if repetition % 2 else 8)
        assert {type(error) for error in errors} == {BudgetExceededError}
        assert budget.spent == 1.0
        assert len(budget.to_frame()) == len(answers)


@pytest.mark.usefixtures("paused")
def test_of_threads_with_the_same_noise_one_is_answered():
    for seed in range(30):
        budget = dp.Budget(16.0)
        sources = [source for _ in range(8) for source in (seed, np.random.default_rng(seed))]
        answers, errors = _at_once([lambda b=budget, s=s: _count(b, s) for s in sources])
        assert (len(answers), {type(error) for error in errors}) == (1, {InputError})
        own = np.random.default_rng(seed + 100).spawn(16)
        answers, errors = _at_once([lambda b=budget, s=s: _count(b, s) for s in own])
        assert (len(set(answers)), errors, budget.spent) == (16, [], 17 * 0.25)


def test_a_budget_has_no_copy():
    budget = dp.Budget(1.0)
    for account in (budget, budget.parallel({"north": NORTH})["north"]):
        for copied in (copy.copy, copy.deepcopy, cloudpickle.dumps, lambda b: copy.deepcopy({"budget": [b]})):
            with pytest.raises(BudgetCopyError):
                copied(account)
        for protocol in range(pickle.HIGHEST_PROTOCOL + 1):
            with pytest.raises(BudgetCopyError):
                pickle.dumps(account, protocol)


def _in_a_fork(work):
    """Return the name of the class of what `work` returns or raises in a forked process."""
    reading, writing = os.pipe()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DeprecationWarning)  # the tests have other threads
        child = os.fork()
    if not child:
        signal.alarm(30)  # a child that waits for a lock is ended
        try:
            name = type(work()).__name__
        except BaseException as error:  # noqa: BLE001
            name = type(error).__name__
        os.write(writing, name.encode())
        os._exit(0)
    os.waitpid(child, 0)
    os.close(writing)
    with os.fdopen(reading) as pipe:
        return pipe.read()


@pytest.mark.skipif(not hasattr(os, "fork"), reason="this system has no fork")
def test_a_forked_process_cannot_spend_the_budget():
    budget = dp.Budget(1.0)
    part = budget.parallel({"north": NORTH})["north"]
    taken, done = Event(), Event()

    def long_query():
        with budget._shared.lock:
            taken.set()
            done.wait()

    Thread(target=long_query, daemon=True).start()
    assert taken.wait(30)
    try:
        for work in (
            lambda: budget.spend(0.5),
            lambda: part.spend(0.5),
            lambda: _count(budget, 1),
            lambda: budget.parallel({"south": SOUTH}),
        ):
            assert _in_a_fork(work) == "BudgetCopyError"
        assert _in_a_fork(lambda: budget.spent) == "float"
    finally:
        done.set()
    assert _in_a_fork(lambda: dp.Budget(1.0).spend(1.0)) == "NoneType"
    budget.spend(1.0)
    assert budget.remaining == 0


def test_a_query_must_fit_the_account():
    budget = dp.Budget(1.0)
    with pytest.raises(InputError, match="the budget is for adjacency='add-remove'"):
        dp.private_count([True], epsilon=0.1, adjacency="replace", budget=budget)
    with pytest.raises(InputError, match="budget: must be a Budget, got float"):
        dp.private_count([True], epsilon=0.1, budget=1.0)
    part = budget.parallel({"north": NORTH})["north"]
    dp.private_count(SOUTH[part.rows], epsilon=0.1, budget=part, rng=1)
    assert budget.spent == 0.1
    # how many are in the part is confidential: no size is refused
    for size in range(9):
        dp.private_count([True] * size, epsilon=0.1, budget=part, rng=2 + size)
    assert budget.spent == pytest.approx(1.0)


def test_it_shows_itself():
    budget = dp.Budget(1.0)
    assert "0 spent, 1 left of 1" in str(budget)
    part = budget.parallel({"<north>": NORTH}, "by $region")
    part["<north>"].spend(0.5, "a & b")
    assert "by $region" in str(budget)
    assert "for the part '<north>'" in str(part["<north>"])
    assert "&lt;north&gt;" in part["<north>"]._repr_html_()
    assert repr(budget) == str(budget)


def test_tables_of_an_unspent_budget_have_the_same_types() -> None:
    unspent, spent = dp.Budget(1.0), dp.Budget(1.0)
    spent.spend(0.5, "a count")
    assert unspent.to_frame().dtypes.equals(spent.to_frame().dtypes)
    assert unspent.summary().dtypes.equals(spent.summary().dtypes)
