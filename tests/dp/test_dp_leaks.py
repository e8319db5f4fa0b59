"""A query answers with noise and in no other way: all else is the same on neighboring databases, whatever they hold."""

from __future__ import annotations

import datetime
import re
import warnings
from decimal import Decimal
from fractions import Fraction
from html import escape

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings, strategies as st

from synthlab import dp
from synthlab.exceptions import BudgetExceededError, InputError
from tests.loops import every

MARK = "Jane Doe 987654"


class Loud(float):
    """A number that warns and fails, with its secret, whenever it is looked at."""

    def shout(self, *_):
        warnings.warn(MARK, RuntimeWarning, stacklevel=2)
        raise ValueError(MARK)

    __float__ = __hash__ = __eq__ = shout

    def __repr__(self):
        return MARK


ODD = [
    MARK, None, np.nan, np.inf, -np.inf, pd.NA, pd.NaT, [MARK], {MARK: 1}, np.array([1.0, 2.0]), ("a", [MARK]), 10**400,
    -(10**400), 2**63, 2**53 + 1, Decimal("1.5"), Decimal("sNaN"), Fraction(10**400, 3), 1 + 2j, np.complex64(1), b"a",
    datetime.datetime(2026, 1, 1), datetime.date(2026, 1, 1), np.datetime64("2026-01-01"), np.datetime64("NaT"),
    np.timedelta64(3, "D"), pd.Timestamp("2026-01-01", tz="UTC"), pd.Interval(0, 1), np.float32(0.1),
    np.longdouble("1e4000"), np.bool_(True), Loud(1.0), object, "987654", -0.0,
]  # fmt: skip
PLAIN = [True, False, 0, 1, 2, 2.5, 99, "a", "b"]
values = st.integers(0, len(PLAIN + ODD) - 1).map((PLAIN + ODD).__getitem__)
numbers = st.one_of(st.floats(), st.integers(-(2**62), 2**62))


def inferred(records):
    """Return a series whose dtype depends on all its values, as pandas makes it."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            return pd.Series(records)
        except Exception:  # noqa: BLE001 - not every mixture has a dtype
            return pd.Series(records, dtype=object)


def array(records):
    made = np.empty(len(records), dtype=object)
    for place, record in enumerate(records):
        made[place] = record
    return made


def with_labels(records):
    return pd.Series(array(records), index=[0] * len(records), name=MARK, dtype=object)


CONTAINERS = [list, tuple, inferred, array, with_labels]

QUERIES = {
    "count": lambda x, **k: dp.private_count(x, epsilon=1.0, **k),
    "histogram": lambda x, **k: dp.private_histogram(x, categories=["a", "b"], epsilon=1.0, **k),
    "histogram, other": lambda x, **k: dp.private_histogram(x, categories=[1, 2], other="else", epsilon=1.0, **k),
    "edges": lambda x, **k: dp.private_histogram(x, edges=[0, 1, 50], epsilon=1.0, **k),
    "edges, other": lambda x, **k: dp.private_histogram(x, edges=[0, 1, 50], other="none", epsilon=1.0, **k),
    "mean": lambda x, **k: dp.private_mean(x, low=0, high=10, epsilon=1.0, **k),
    "mean, missing": lambda x, **k: dp.private_mean(x, low=0, high=10, missing=2, epsilon=1.0, **k),
    "quantile": lambda x, **k: dp.private_quantile(x, low=0, high=10, epsilon=1.0, **k),
    "quantile, step": lambda x, **k: dp.private_quantile(x, 0.9, low=0, high=10, step=1, epsilon=1.0, **k),
    "quantile, missing": lambda x, **k: dp.private_quantile(x, low=0, high=10, missing=0, epsilon=1.0, **k),
    "mode": lambda x, **k: dp.private_mode(x, categories=["a", 1, True][:2], epsilon=1.0, **k),
    "mode, other": lambda x, **k: dp.private_mode(x, categories=["a", "b"], other="else", epsilon=1.0, **k),
    "table": lambda x, **k: dp.private_table(
        frame(x), levels={"v": ["a", "b"], "w": [1, 2]}, n_synthetic=5, epsilon=1.0, m=2, **k
    ),
    "table, other": lambda x, **k: dp.private_table(
        frame(x), levels={"v": [1, 2]}, other={"v": "else"}, n_synthetic=5, epsilon=700, **k
    ),
}


def frame(column):
    return pd.DataFrame(
        {"v": column, "w": column if isinstance(column, pd.Series) else pd.Series(column, dtype=object)}
    )


def masked(text, *noisy):
    for value in noisy:
        text = text.replace(value, "#")
    return re.sub(r"[#\s]+", "#", re.sub(r"-?\d[\d.,]*(e[+-]?\d+)?", "#", text))


def look(result):
    """Return everything a result shows but its noisy numbers, and check that these are numbers."""
    frames = [result.to_frame(), result.summary()]
    labels = [(list(f.columns), f.shape, list(f.index)) for f in frames]
    if isinstance(result, dp.PrivateChoiceResult):
        noisy = [
            repr(result.value),
            escape(repr(result.value)),
            f"{result.value:,.6g}" if isinstance(result.value, float) else "#",
        ]
        exact = (result.query, result.epsilon, result.adjacency, str(result.mechanism))
        return exact, labels, masked(str(result), *noisy), masked(result._repr_html_(), *noisy)
    assert np.isfinite(result.estimate if isinstance(result, dp.PrivateResult) else result.counts).all()
    fields = [
        (name, value.dtype, value.shape) if isinstance(value, np.ndarray) else (name, repr(value))
        for name in type(result).__slots__
        for value in [getattr(result, name)]
    ]
    dtypes = [f.dtypes.map(str).to_dict() for f in frames]
    return result.title, fields, labels, dtypes, masked(str(result)), masked(result._repr_html_())


def observe(query, data, adjacency, in_part=None):
    """Return all that can be seen of a query but its noise."""
    budget, rng = dp.Budget(1000.0, adjacency=adjacency), np.random.default_rng(5)
    with warnings.catch_warnings(record=True) as seen:
        warnings.simplefilter("always")
        try:
            account = budget if in_part is None else budget.parallel({"in": in_part, "too": in_part}, "half")["in"]
            if query == "its own rows":
                own = array([d for d, there in zip(data, account.rows, strict=True) if there])
                outcome = look(QUERIES["count"](own, budget=account, adjacency=adjacency, rng=rng))
            else:
                outcome = look(QUERIES[query](data, budget=account, adjacency=adjacency, rng=rng))
        except Exception as error:  # noqa: BLE001 - whatever it is, it must be the same
            outcome = type(error), str(error)
    ledger = budget.to_frame().to_string(), budget.spent, budget.remaining, str(budget)
    stream = rng.bit_generator.state, rng.bit_generator.seed_seq.n_children_spawned
    return outcome, [(w.category, str(w.message)) for w in seen], ledger, stream


def assert_same(query, one, other, adjacency, parts=(None, None)):
    first, second = (observe(query, d, adjacency, part) for d, part in zip((one, other), parts, strict=True))
    assert first == second
    assert MARK not in repr(first)
    assert "987654" not in repr(first)


@st.composite
def neighbors(draw, of=values, size=5):
    """Draw two neighboring databases, what makes them so, and the container they come in."""
    adjacency = draw(st.sampled_from(["add-remove", "replace"]))
    one = draw(st.lists(of, min_size=1, max_size=size))
    place = draw(st.integers(0, len(one) - 1))
    other = [*one[:place], *([] if adjacency == "add-remove" else [draw(of)]), *one[place + 1 :]]
    return one, other, adjacency


@pytest.mark.parametrize("query", QUERIES)
@settings(max_examples=20, deadline=None)
@given(data=st.data())
def test_all_but_the_noise_is_the_same_on_neighbors(query, data):
    one, other, adjacency = data.draw(neighbors())
    make = data.draw(st.sampled_from(CONTAINERS))
    assert_same(query, make(one), make(other), adjacency)


@pytest.mark.parametrize("query", QUERIES)
@settings(max_examples=10, deadline=None)
@given(data=st.data())
def test_whatever_the_dtype_of_the_numbers_is(query, data):
    """Whole numbers become floats where one is missing, and objects where one is text or too large."""
    one, other, adjacency = data.draw(neighbors(st.one_of(numbers, st.sampled_from([None, np.nan, 2**64, "x", True]))))
    make = data.draw(st.sampled_from([inferred, list]))
    assert_same(query, make(one), make(other), adjacency)


@pytest.mark.parametrize("query", [*QUERIES, "its own rows"])
@settings(max_examples=8, deadline=None)
@given(data=st.data())
def test_in_a_part_too_whose_size_nobody_knows(query, data):
    pairs = st.tuples(st.sampled_from([True, False, None, np.nan, 1, MARK]), values)
    one, other, adjacency = data.draw(neighbors(pairs))
    (claims, first), (other_claims, second) = (zip(*d, strict=True) if d else ((), ()) for d in (one, other))
    assert_same(query, array(first), array(second), adjacency, (list(claims), list(other_claims)))


@pytest.mark.parametrize("step", [10, pytest.param(1, marks=pytest.mark.full)])
@every(("number", "query"), [*enumerate(QUERIES)])
def test_an_odd_value_is_seen_by_nobody(number, query, step):
    """Each odd value alone, in some kind of column, against the same column without it; a step leaves out some."""
    without = {a: observe(query, d, a) for a, d in (("add-remove", [1, "a"]), ("replace", [1, 2.5, 2]))}
    for place in range(number % step, len(ODD), step):  # with every step, each odd value is asked about by a query
        odd, make = ODD[place], CONTAINERS[place % len(CONTAINERS)]
        assert observe(query, make([1, "a", odd]), "add-remove") == without["add-remove"]
        assert observe(query, make([1, 2.5, odd]), "replace") == without["replace"]


DTYPES = ["category", "Int64", "boolean", "string", "datetime64[s]", "float32", "Sparse[float]"]


@pytest.mark.parametrize("step", [4, pytest.param(1, marks=pytest.mark.full)])
@every(("number", "query"), [*enumerate(QUERIES)])
def test_whatever_the_column_is(number, query, step):
    for dtype in DTYPES[number % step :: step]:  # with every step, each dtype is asked about by some queries
        one = pd.Series([1, 0, 1], dtype="int8").astype(dtype)
        assert_same(query, one, one.iloc[:2], "add-remove")
        if dtype not in ("float32", "Sparse[float]"):
            assert_same(query, one, one.iloc[:2].reindex(range(3)), "replace")


@every("query", QUERIES)
def test_no_record_is_a_database_like_any_other(query):
    assert_same(query, [], [MARK], "add-remove")
    typed = pd.Series([], dtype=float)
    assert observe(query, typed, "add-remove") == observe(query, [], "add-remove")


@every("query", QUERIES)
def test_what_is_refused_is_refused_before_the_records_are_looked_at(query):
    """An argument out of its range costs nothing, an answer costs the same, and a spent budget refuses the same."""

    class Untouchable(list):
        def __iter__(self):
            raise AssertionError("looked at")

    mask = pd.Series([True])
    for options, error in (
        ({"adjacency": "swap"}, InputError),
        ({"rng": -1}, InputError),
        ({"budget": 1.0}, InputError),
        ({"budget": dp.Budget(1.0, adjacency="replace")}, InputError),
        ({"budget": dp.Budget(0.5)}, BudgetExceededError),
    ):
        data = mask.to_frame("v").assign(w=1) if query.startswith("table") else Untouchable([1])
        with pytest.raises(error):
            QUERIES[query](data["v"] if query.startswith("table") else data, **options)


def test_the_budget_is_charged_before_the_records_are_looked_at():
    class Interrupting(list):
        def __iter__(self):
            raise KeyboardInterrupt

    for name, query in QUERIES.items():
        if not name.startswith("table"):
            budget = dp.Budget(1.0)
            with pytest.raises(KeyboardInterrupt):
                query(Interrupting([1]), budget=budget)
            assert budget.to_frame()["epsilon"].tolist() == [1.0]


def test_mechanisms_do_not_tell_what_they_were_given():
    noise, choice = dp.LaplaceMechanism(1.0), dp.ExponentialMechanism(1.0)
    for odd in ODD:
        plain = noise.add_noise([1.0, 0.0], rng=1)
        np.testing.assert_array_equal(noise.add_noise([1.0, odd], rng=1)[0], plain[0])
        assert np.isfinite(noise.add_noise([1.0, odd], rng=1)).all()
        assert np.isfinite(choice.probabilities([1.0, odd])).all()
    assert choice.probabilities([1.0, MARK]) == pytest.approx(choice.probabilities([1.0, 0.0]))
    for call in (
        lambda: noise.density([MARK], 1.0),
        lambda: noise.density([1.0], 2 + 5j),
        lambda: noise.density([1.0], np.nan),
        lambda: noise.density([1.0, 2.0], [1.0, 2.0, 3.0]),
        lambda: noise.log_ratio(MARK, 1.0, 2.0),
        lambda: noise.log_ratio(1.0, None, 2.0),
        lambda: noise.log_ratio(1.0, 987654j, 2.0),
        lambda: choice.probabilities([1.0, 2.0], [MARK, 1.0]),
        lambda: choice.probabilities([1.0, 2.0], [-987654.0, 1.0]),
        lambda: dp.neighbors([MARK], [1]),
        lambda: dp.largest_change(lambda d: [MARK], [1], [1]),
    ):
        with pytest.raises(InputError) as caught:
            call()
        assert "987654" not in str(caught.value)
