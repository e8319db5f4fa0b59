from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, strategies as st

from synthlab.exceptions import InputError, UndefinedStatisticWarning
from synthlab.utility import interval_overlap


def test_by_hand() -> None:
    pairs = [
        ([0, 2], [0, 2], 1.0, 1.0),  # equal
        ([0, 2], [1, 5], 0.375, 0.375),  # L = 1: (1/2 + 1/4) / 2
        ([0, 4], [1, 2], 0.625, 0.625),  # inside: (1/4 + 1) / 2
        ([0, 2], [2, 4], 0.0, 0.0),  # touching
        ([0, 2], [3, 5], -0.5, 0.0),  # a gap of 1: L = -1
    ]
    result = interval_overlap([p[0] for p in pairs], [p[1] for p in pairs])
    np.testing.assert_allclose(result.interval_overlap, [p[2] for p in pairs])
    np.testing.assert_allclose(result.interval_overlap_clipped, [p[3] for p in pairs])


def test_one_pair() -> None:
    assert interval_overlap((0, 2), (1, 3)).interval_overlap.tolist() == [0.5]


intervals = st.tuples(st.floats(-100, 100), st.floats(0.1, 50)).map(lambda p: (p[0], p[0] + p[1]))


@given(intervals, intervals, st.floats(-10, 10), st.floats(0.1, 10))
def test_symmetric_at_most_one_and_free_of_the_unit(a, b, shift, scale) -> None:
    overlap = interval_overlap(a, b).interval_overlap[0]
    assert overlap <= 1 + 1e-12
    assert interval_overlap(b, a).interval_overlap[0] == pytest.approx(overlap, abs=1e-9)
    moved = interval_overlap(shift + scale * np.array(a), shift + scale * np.array(b)).interval_overlap[0]
    assert moved == pytest.approx(overlap, rel=1e-6, abs=1e-6)
    assert interval_overlap(a, a).interval_overlap[0] == pytest.approx(1)


def test_undefined_is_named() -> None:
    with pytest.warns(UndefinedStatisticWarning, match="length 0"):
        result = interval_overlap([[0, 1], [2, 2], [0, 1]], [[0, 1], [1, 3], [np.nan, np.nan]])
    assert result.interval_overlap[0] == 1
    assert np.isnan(result.interval_overlap[1:]).all()
    assert np.isnan(result.interval_overlap_clipped[1:]).all()


def test_bad_input() -> None:
    with pytest.raises(InputError, match="interval 2 has its lower end above its upper end"):
        interval_overlap([[0, 1], [3, 1]], [[0, 1], [0, 1]])
    with pytest.raises(InputError, match="synthetic: 1 intervals, but confidential has 2"):
        interval_overlap([[0, 1], [0, 1]], [0, 1])
    with pytest.raises(InputError, match=r"confidential: must have shape \(2,\)"):
        interval_overlap([0, 1, 2], [0, 1])
    with pytest.raises(InputError, match="synthetic: must be numbers"):
        interval_overlap([0, 1], ["a", "b"])


def test_no_interval_is_refused() -> None:
    with pytest.raises(InputError, match="confidential: must have shape"):
        interval_overlap(np.empty((0, 2)), np.empty((0, 2)))
