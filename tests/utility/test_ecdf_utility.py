from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, strategies as st

from synthlab.exceptions import DtypeMismatchError, InputError, MissingValueError
from synthlab.release import Release
from synthlab.utility import ecdf_utility


def frame(*values: float) -> pd.DataFrame:
    return pd.DataFrame({"x": values})


def test_by_hand() -> None:
    # pooled 1 2 2 3 4 5; confidential steps 1/3 at 1, 2, 3; synthetic 1/3 at 2, 4, 5
    # gaps at 1: 1/3; 2: 1/3 (twice); 3: 2/3; 4: 1/3; 5: 0
    result = ecdf_utility(frame(1, 2, 3), frame(2, 4, 5))
    assert result.ecdf_max.tolist() == [[pytest.approx(2 / 3)]]
    assert result.ecdf_mean_square.tolist() == [[pytest.approx((1 + 1 + 1 + 4 + 1 + 0) / 9 / 6)]]


def test_mean_over_datasets_is_in_the_summary() -> None:
    result = ecdf_utility(frame(1, 2, 3), [frame(1, 2, 3), frame(4, 5, 6)])
    assert result.m == 2
    assert result.ecdf_max.tolist() == [[0.0, 1.0]]
    assert result.summary().loc["x", "ecdf_max"] == 0.5


@pytest.mark.parametrize("kind", ["partial", "full"])
def test_equals_r(confidential, releases, answer, kind) -> None:
    result = ecdf_utility(confidential, releases[kind], variables=["age", "income", "married"])
    ours = result.to_frame().set_index(["dataset", "variable"])
    for measure in ("ecdf_max", "ecdf_mean_square"):
        expected = answer(measure, kind)
        assert len(expected) == 3 * len(releases[kind])
        np.testing.assert_allclose(ours[measure].reindex(expected.index), expected, rtol=1e-12, atol=0)


@given(
    st.lists(st.integers(-5, 5), min_size=1, max_size=30),
    st.lists(st.integers(-5, 5), min_size=1, max_size=30),
)
def test_maximum_over_all_points_and_sides_can_be_swapped(a: list[int], b: list[int]) -> None:
    one, other = ecdf_utility(frame(*a), frame(*b)), ecdf_utility(frame(*b), frame(*a))
    gaps = [abs(np.mean(np.array(a) <= t) - np.mean(np.array(b) <= t)) for t in range(-5, 6)]
    assert one.ecdf_max[0, 0] == pytest.approx(max(gaps), abs=1e-12)
    assert one.ecdf_max[0, 0] == pytest.approx(other.ecdf_max[0, 0])
    assert one.ecdf_mean_square[0, 0] == pytest.approx(other.ecdf_mean_square[0, 0])
    assert 0 <= one.ecdf_mean_square[0, 0] <= one.ecdf_max[0, 0] ** 2 + 1e-15


def test_default_variables_are_the_numeric_synthesized_ones(small) -> None:
    assert ecdf_utility(small, small).variables == ("income", "__import__('os')")
    release = Release([small], synthesized=["sex", "income"])
    assert ecdf_utility(small, release).variables == ("income",)


def test_missing_values_are_an_error_or_left_out() -> None:
    with pytest.raises(MissingValueError, match="synthetic dataset 1 of 1: column 'x' has 1 missing"):
        ecdf_utility(frame(1, 2), frame(1, np.nan))
    dropped = ecdf_utility(frame(1, 2, np.nan), frame(1, 2), missing="never")
    assert dropped.ecdf_max[0, 0] == 0
    with pytest.raises(InputError, match="has only missing values"):
        ecdf_utility(frame(1, 2), frame(np.nan, np.nan), missing="never")


def test_bad_input(small) -> None:
    with pytest.raises(InputError, match="confidential: column names must be unique; these names occur twice: 'x'"):
        ecdf_utility(pd.concat([frame(1, 2), frame(1, 2)], axis=1), frame(1, 2))
    with pytest.raises(InputError, match="column 'sex' is .*, not numeric"):
        ecdf_utility(small, small, variables=["sex"])
    with pytest.raises(InputError, match="none of 'sex' is a number"):
        ecdf_utility(small[["sex"]], small[["sex"]])
    with pytest.raises(InputError, match="'wage' not in confidential"):
        ecdf_utility(small, small, variables=["wage"])
    with pytest.raises(InputError, match="'income' not in the synthetic data"):
        ecdf_utility(small, small.drop(columns="income"), variables=["income"])
    with pytest.raises(DtypeMismatchError, match="column 'income' holds number values"):
        ecdf_utility(small, small.assign(income="ten"), variables=["income"])
    with pytest.raises(InputError, match="1 infinite values"):
        ecdf_utility(frame(1, 2), frame(1, np.inf))
    with pytest.raises(InputError, match="missing='ignore'"):
        ecdf_utility(frame(1), frame(1), missing="ignore")
    with pytest.raises(InputError, match="m = 0"):
        ecdf_utility(frame(1), [])
    with pytest.raises(InputError, match="both must be at least 1"):
        ecdf_utility(frame(), frame(1))
    with pytest.raises(InputError, match="confidential: must be a data frame of pandas, polars or PyArrow"):
        ecdf_utility([1, 2], frame(1))
