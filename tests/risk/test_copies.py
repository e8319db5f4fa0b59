"""Exact copies: counted whatever the order of the rows."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings, strategies as st

import synthlab as sl
from synthlab.exceptions import DtypeMismatchError, InputError

SIX = pd.DataFrame({"region": list("NNNSSS"), "income": [10, 20, 20, 15, 30, 30]})


def test_six_people_by_hand() -> None:
    # N 20 is the record of two people, S 15 of one; W 15 and N 30 are nobody's.
    released = pd.DataFrame({"income": [20, 15, 15, 30], "region": ["N", "S", "W", "N"], "extra": 1})
    result = sl.exact_copies(SIX, [released, released[::-1]])
    assert result.copies.tolist() == [2, 2]
    assert result.unique_copies.tolist() == [1, 1]
    assert (result.records, result.n, result.duplicates, result.m) == (4, 6, 4, 2)
    assert (result.share, result.duplicate_share) == (0.5, 4 / 6)
    assert result.variables == ("region", "income")
    assert result.to_frame().loc[2].to_dict() == {"exact_copies": 2, "unique_copies": 1}
    assert result.title == (
        "2 of 4 released records on average are exact copies of a confidential record in all 2 compared variables, 1 of them "
        "of a record that is unique in the confidential data; of the confidential records, 4 of 6 equal another."
    )
    assert "exact_copies" in str(result)
    assert "<table" in result._repr_html_()


@pytest.mark.parametrize("order", [[0, 1, 2, 3, 4, 5], [5, 3, 1, 0, 2, 4]])
def test_the_file_itself_is_all_copies_in_any_order(order: list[int]) -> None:
    result = sl.exact_copies(SIX, SIX.iloc[order])
    assert result.copies.tolist() == [6]
    assert result.unique_copies.tolist() == [2]
    assert result.title.startswith("Every one of the 6 released records is an exact copy")


def test_fewer_variables_make_more_copies() -> None:
    other = SIX.assign(income=0)
    assert sl.exact_copies(SIX, other).copies.tolist() == [0]
    assert sl.exact_copies(SIX, other, variables=["region"]).copies.tolist() == [6]


def test_a_missing_value_equals_a_missing_value() -> None:
    holes = pd.DataFrame({"a": [1.0, np.nan, np.nan, 2.0], "b": list("xxyy")})
    released = pd.DataFrame({"a": [np.nan, np.nan, 1.0], "b": ["y", "z", "x"]})
    assert sl.exact_copies(holes, released).copies.tolist() == [2]


def test_what_is_wrong_is_named() -> None:
    with pytest.raises(InputError, match="variables: 'wealth' not in confidential"):
        sl.exact_copies(SIX, SIX, variables=["wealth"])
    with pytest.raises(InputError, match="variables: 'income' not in the synthetic data"):
        sl.exact_copies(SIX, SIX[["region"]], variables=["income"])
    with pytest.raises(InputError, match="variables"):
        sl.exact_copies(SIX, pd.DataFrame({"other": [1]}))
    with pytest.raises(DtypeMismatchError, match="'income'"):
        sl.exact_copies(SIX, SIX.astype({"income": str}))


@settings(max_examples=60, deadline=None)
@given(st.lists(st.tuples(st.integers(0, 2), st.sampled_from("ab")), min_size=1, max_size=12), st.data())
def test_against_the_double_loop(rows: list[tuple[int, str]], data: st.DataObject) -> None:
    other = data.draw(st.lists(st.tuples(st.integers(0, 2), st.sampled_from("ab")), min_size=1, max_size=12))
    mine, theirs = (pd.DataFrame(part, columns=["x", "y"]) for part in (rows, other))
    result = sl.exact_copies(mine, theirs)
    assert result.copies.tolist() == [sum(one in rows for one in other)]
    assert result.unique_copies.tolist() == [sum(rows.count(one) == 1 for one in other)]
    assert result.duplicates == sum(rows.count(one) > 1 for one in rows)
