"""Numbers are equal when their values are, whatever holds them: integers of any size, floats, decimals, missing ones."""

from __future__ import annotations

import warnings
from decimal import Decimal
from fractions import Fraction
from types import SimpleNamespace

import numpy as np
import pandas as pd
import pytest
from hypothesis import example, given, settings, strategies as st

import synthlab as sl
from synthlab.counts import Table
from synthlab.exceptions import InputError, SynthlabWarning
from synthlab.matching.kernel import block_codes
from synthlab.matching.match_inputs import check_fitted_to
from tests.loops import every

BIG = 2**53


def matches(confidential: pd.Series, synthetic: pd.Series, **options: object) -> list[int]:
    """Return the number of matches of each record when the identifier is all that is known."""
    frames = [pd.DataFrame({"id": ids, "x": ["a"] * len(ids)}) for ids in (confidential, synthetic)]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", SynthlabWarning)
        risk = sl.identification_risk(*frames, sl.Intruder(**options, known=["id"], synthesized=["x"]))
    return risk.match_count[:, 0].tolist()


def test_a_large_unsigned_identifier_is_no_negative_one():
    assert matches(pd.Series([2**64 - 1, 5], dtype="uint64"), pd.Series([-1, 5], dtype="int64")) == [0, 1]


def test_a_missing_identifier_does_not_blur_the_others():
    ours = pd.Series([BIG, BIG + 2, None], dtype="Int64")
    theirs = pd.Series([BIG + 1, BIG + 3, None], dtype="Int64")
    assert matches(ours, theirs, missing="category") == [0, 0, 1]
    assert matches(ours, ours, missing="category") == [1, 1, 1]
    assert matches(ours, ours, missing="never") == [1, 1, 0]


def test_a_whole_number_is_compared_with_a_float_exactly():
    ours, theirs = pd.Series([BIG + 1, BIG, 2, 0]), pd.Series([float(BIG), 2.0, -0.0, 0.5])
    assert matches(ours, theirs) == [0, 1, 1, 1]


def test_numbers_of_more_than_64_bits():
    ours = pd.Series([2**70, 2**70 + 1, -(2**70), 3], dtype=object)
    assert matches(ours, pd.Series([2**70 + 1, 2**70 + 2, 2**70 + 3, 3], dtype=object)) == [0, 1, 0, 1]
    assert matches(ours, pd.Series([2.0**70, 2.0**70, -(2.0**70), 4.0])) == [2, 0, 1, 0]


@pytest.mark.parametrize("kind", [Decimal, Fraction])
def test_decimals_and_fractions_are_compared_by_their_value(kind):
    ours = pd.Series([kind("0.5"), kind("0.1"), kind("3")], dtype=object)
    assert matches(ours, pd.Series([0.5, 0.1, 3.0])) == [1, 0, 1]
    assert matches(ours, pd.Series([Fraction(1, 2), Decimal("0.1"), 3], dtype=object)) == [1, 1, 1]


def test_numpy_numbers_in_a_column_of_objects_are_numbers_like_any_other():
    ours = pd.Series([np.int64(BIG + 1), np.uint64(2**64 - 1)], dtype=object)
    assert matches(ours, pd.Series([float(BIG), BIG + 1], dtype=object)) == [1, 0]
    assert matches(ours, pd.Series([2**64 - 1, 2**64 - 1], dtype="uint64")) == [0, 2]


DTYPES = {
    "int64": (-(2**63), 2**63 - 1),
    "uint64": (0, 2**64 - 1),
    "float64": (-(2**80), 2**80),
    "object": (-(2**80), 2**80),
}
NAMES = [
    "int64", "uint64", "float64", "object", "Int64", "UInt64", "Float64", "int64[pyarrow]", "uint64[pyarrow]",
    "double[pyarrow]", "category of int64", "category of uint64", "category of float64", "category of object",
]  # fmt: skip
VALUES = sorted({base + step for base in (0, BIG, 2**63, 2**64, -BIG, -(2**63)) for step in (-2, -1, 0, 1, 2)})


def column(name: str, values: list[int | None]) -> tuple[pd.Series, list[object]]:
    """Return a column of a dtype, and what it holds as numbers of Python; what does not fit is 7."""
    plain = name.removeprefix("category of ")
    base = plain.lower().removesuffix("[pyarrow]").replace("double", "float64")
    low, high = DTYPES[base]
    as_held = float if base == "float64" else int
    missing_fits = plain not in ("int64", "uint64") or name != plain
    held = [
        None if v is None and missing_fits else as_held(v if v is not None and low <= v <= high else 7) for v in values
    ]
    if name in ("Int64", "UInt64"):  # from a list, pandas makes floats of large unsigned numbers first
        exact = np.array([v or 0 for v in held], dtype=base)
        return pd.Series(pd.arrays.IntegerArray(exact, np.array([v is None for v in held]))), held
    if name == plain:
        return pd.Series(held, dtype=plain), held
    there = pd.Series([v for v in held if v is not None], dtype=plain).drop_duplicates()
    codes = [-1 if v is None else there.tolist().index(v) for v in held]
    return pd.Series(pd.Categorical.from_codes(codes, categories=there)), held


@example(ours=("uint64", [2**64 - 1, 0]), theirs=("int64", [-1, 2**63 - 1]), missing="category")
@settings(max_examples=400, deadline=None)
@given(
    ours=st.tuples(st.sampled_from(NAMES), st.lists(st.sampled_from([None, *VALUES]), min_size=1, max_size=6)),
    theirs=st.tuples(st.sampled_from(NAMES), st.lists(st.sampled_from([None, *VALUES]), min_size=1, max_size=6)),
    missing=st.sampled_from(["category", "never"]),
)
def test_equal_codes_are_what_python_calls_equal(ours, theirs, missing):
    (here, first), (there, second) = column(*ours), column(*theirs)
    a, b = block_codes([pd.DataFrame({"id": here}), pd.DataFrame({"id": there})], ["id"], missing)
    for codes, others, values, their_values in ((a, b, first, second), (a, a, first, first), (b, b, second, second)):
        for i, x in enumerate(values):
            for j, y in enumerate(their_values):
                equal = x == y if None not in (x, y) else x is y and missing == "category"
                # With missing="never" a record still has its own code, which stands for no other record.
                if codes is others and i == j:
                    equal = True
                assert (codes[i] == others[j]) == equal, (x, y)


@every("dtype", ["int64", "uint64", "Int64", "int64[pyarrow]"])
@every("at", ["confidential", "synthetic"])
def test_an_interval_round_a_number_that_no_float_holds_is_refused(dtype, at):
    small, large = (pd.DataFrame({"id": pd.Series(v, dtype=dtype)}) for v in ([1, 2], [BIG + 1, BIG + 2]))
    frames = (large, small) if at == "confidential" else (small, large)
    options = {"synthesized": ["id"], "radius": {"id": 0.0}, "radius_kind": "absolute"}
    with pytest.raises(InputError, match=r"column 'id' holds whole numbers beyond 2\*\*53.*subtract a constant"):
        sl.identification_risk(*frames, sl.Intruder(**options, known=[]))
    if at == "confidential":
        with pytest.raises(InputError, match=r"column 'id' holds whole numbers beyond"):
            sl.risk_weights(large, sl.Intruder(**options, known=[]))


def test_up_to_the_last_number_that_a_float_holds_intervals_are_exact():
    ours, theirs = (pd.DataFrame({"id": [BIG + k, -BIG - k]}) for k in (0, -1))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", SynthlabWarning)
        risk = sl.identification_risk(
            ours, theirs, sl.Intruder(known=[], synthesized=["id"], radius={"id": 0.0}, radius_kind="absolute")
        )
    assert risk.match_count.ravel().tolist() == [0, 0]
    assert risk.baseline.match_count.ravel().tolist() == [1, 1]


def test_other_measures_compare_identifiers_as_exactly():
    ours = pd.DataFrame({"id": [BIG + 1, BIG + 3, BIG + 5, BIG + 7], "ill": [1, 0, 0, 0]})
    theirs = pd.DataFrame({"id": [float(BIG), BIG + 4.0, BIG + 4.0, BIG + 8.0], "ill": [1, 0, 0, 0]})
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", SynthlabWarning)
        assert sl.cap(ours, theirs, sl.Intruder(known=["id"], synthesized=["ill"]), target="ill").absent.all()
        guesses = pd.DataFrame({"record": range(4), "id": theirs["id"]})
        scores = sl.attack_score(ours, guesses, target="id", fewest=1)
    assert scores.attack == 0
    with pytest.raises(InputError, match="column 'id' is not the one fitted was fitted to"):
        check_fitted_to(ours, SimpleNamespace(confidential=theirs), "fitted")


@pytest.mark.parametrize("names", [{"region"}, frozenset({"region"}), {"region": 1}.keys()])
def test_names_without_an_order_are_refused(names):
    people = pd.DataFrame({"region": list("NNSS"), "sex": list("fmfm"), "income": [1, 2, 3, 4]})
    for options in (
        {"known": names, "synthesized": ["sex"]},
        {"known": ["sex"], "synthesized": names},
    ):
        with pytest.raises(InputError, match=rf": is a {type(names).__name__}, which has no order; use a list"):
            sl.identification_risk(people, people, sl.Intruder(**options))
    for call in (
        lambda: sl.table_utility(people, people, variables=names),
        lambda: sl.table_utility(people, people, margins=[names]),
        lambda: sl.pmse(people, people, categorical=names),
        lambda: sl.cap(people, people, sl.Intruder(known=names, synthesized=["sex"]), target="sex"),
        lambda: sl.Resample(names),
        lambda: Table.from_frame(people, variables=names),
        lambda: Table.from_frame(people[["sex", "region"]]).marginal(names),
        lambda: sl.CART(["sex"], predictors=names),
    ):
        with pytest.raises(InputError, match="has no order"):
            call()
