"""The roles of columns: unchanged in order or jointly in another order, computed, and identifying."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings, strategies as st

import synthlab as sl
from synthlab.report.columns import ColumnRoles, column_roles

N = 80
CHANGES = st.lists(st.sampled_from(["kept", "permuted", "drawn", "one changed"]), min_size=2, max_size=6)


def roles(
    own: pd.DataFrame, *frames: pd.DataFrame, asked: str = "", known: str = "", by_row: bool = True
) -> ColumnRoles:
    return column_roles(own, sl.Release(list(frames)), list(known), list(asked), by_row=by_row)


@settings(max_examples=60, deadline=None)
@given(st.lists(CHANGES, min_size=1, max_size=2), st.booleans(), st.integers(0, 10**6))
def test_columns_are_unchanged_in_order_or_jointly(datasets: list[list[str]], mixed: bool, seed: int) -> None:
    draw = np.random.default_rng(seed)
    width = min(len(changes) for changes in datasets)
    names = [f"v{place}" for place in range(width)]
    own = pd.DataFrame(draw.integers(0, 9, (N, width)), columns=names)
    frames, kept = [], []
    for changes in datasets:
        frame = own.copy()
        for name, change in zip(names, changes, strict=False):
            if change == "permuted":
                frame[name] = draw.permutation(frame[name])
            elif change == "drawn":
                frame[name] = draw.integers(0, 9, N)
            elif change == "one changed":
                frame.loc[3, name] += 1
        frames.append(frame.sample(frac=1, random_state=seed).reset_index(drop=True) if mixed else frame)
        kept.append(tuple(name for name, change in zip(names, changes, strict=False) if change == "kept"))
    found = column_roles(own, sl.Release(frames), [], names, by_row=not mixed)
    if mixed:  # a single column in another order is a permutation
        kept = [one if len(one) > 1 else () for one in kept]
        assert found.reordered == tuple(kept)
    else:
        assert all(one == () for one in found.reordered)
    assert found.unchanged == tuple(kept)
    assert [tuple(found.released_unchanged(place)) for place in range(len(frames))] == kept


def test_every_column_of_either_file_has_one_role() -> None:
    draw = np.random.default_rng(1)
    own = pd.DataFrame(draw.integers(0, 5, (N, 4)), columns=list("abcd")).assign(lost=1.5)
    release = sl.Release([own[list("abcd")].assign(c=draw.permutation(own["c"]), e="x")], ["c"])
    found = column_roles(own, release, ["a"], ["b"], by_row=True)
    assert (found.known, found.synthesized, found.neither) == (("a",), ("b", "c"), ("d",))
    assert (found.only_released, found.only_confidential) == (("e",), ("lost",))
    assert found.asked_only == ("b",)  # the release declares c alone; both count as synthesized
    assert found.undeclared == ["d"]
    assert found.released_unchanged(0) == ["b"]
    assert set(found.to_frame().index) == {*"abcde", "lost"}


def test_a_synthesized_column_computed_from_unchanged_ones_is_derived() -> None:
    draw = np.random.default_rng(2)
    own = pd.DataFrame(
        {"age": draw.integers(18, 40, 400), "sex": draw.integers(0, 2, 400), "job": draw.integers(0, 5, 400)}
    )
    own = own.assign(group=own["age"] // 5, both=10 * (own["age"] // 5) + own["sex"], other=draw.integers(0, 3, 400))
    release = own.assign(job=draw.permutation(own["job"]))
    found = roles(own, release, known=["age", "sex"], asked=["group", "both", "job", "other"])  # type: ignore[arg-type]
    assert set(found.derived) == {"group", "both"}
    assert found.released_unchanged(0) == ["other"]
    # The sources must be unchanged themselves, and not synthesized.
    assert roles(own, release, asked=list(own)).derived == ()  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("values", "identifies"),
    [
        (np.arange(N) * 7, True),
        ([f"p{i}" for i in range(N)], True),
        (np.arange(N) + 0.5, False),
        (pd.date_range("2020-01-01", periods=N), False),
        (np.arange(N) // 2, False),
    ],
)
def test_distinct_texts_and_whole_numbers_identify(values: object, identifies: bool) -> None:
    draw = np.random.default_rng(3)
    own = pd.DataFrame({"id": values, "x": draw.integers(0, 5, N)})
    mixed = own.assign(id=draw.permutation(own["id"]))
    assert roles(own, mixed).identifiers == (("id",) if identifies else ())
    assert roles(own, mixed, asked=["id"]).identifiers == roles(own, mixed, known=["id"]).identifiers == ()  # type: ignore[arg-type]


@pytest.mark.parametrize(("distinct", "possible"), [(40, True), (39, False)])
def test_a_column_of_the_release_with_many_values_is_a_possible_identifier(distinct: int, possible: bool) -> None:
    own = pd.DataFrame({"x": np.arange(N) % 5})
    found = roles(own, own.assign(key=7 * (np.random.default_rng(1).permutation(N) % distinct)))
    assert found.possible_identifiers == ({"key": distinct} if possible else {})
    assert roles(own, own.assign(key=np.arange(N))).possible_identifiers == {}  # it counts the records


def test_an_unchanged_weight_identifies() -> None:
    draw = np.random.default_rng(4)
    own = pd.DataFrame({"weight": draw.gamma(4, 25, N).round(3), "x": draw.integers(0, 5, N)})
    unique = int((own["weight"].value_counts() == 1).sum())
    drawn = own.assign(x=draw.permutation(own["x"]))
    assert roles(own, drawn).identifying == {"weight": unique}
    assert roles(own, drawn.assign(weight=own["weight"].round(-1))).identifying == {}
    few = pd.DataFrame({"x": [1, 1, 1, 1]})
    assert roles(few, few).unchanged == ((),)  # a constant shows nothing
