"""Distinct rows of a design: by value, to the last bit, and of no columns at all."""

from __future__ import annotations

import numpy as np

from synthlab.utility._design import _distinct


def test_rows_are_told_apart_by_value():
    kept, member = _distinct(np.array([[0.0], [1e-20], [-0.0], [1e-20]]))
    assert sorted(kept.tolist()) == [0, 1]
    assert member[0] == member[2] != member[1] == member[3]


def test_rows_without_columns_are_one_row():
    kept, member = _distinct(np.empty((3, 0)))
    assert kept.tolist() == [0]
    assert member.tolist() == [0, 0, 0]
