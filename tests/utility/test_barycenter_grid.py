"""The probabilities of a barycenter: given one by one."""

from __future__ import annotations

import numpy as np
import pytest

import synthlab as sl
from synthlab.exceptions import InputError


@pytest.mark.parametrize("grid", [[0.0, 0.25, 1.0], np.array([0.0, 0.25, 1.0]), (0, 0.25, 1)])
def test_probabilities_one_by_one(grid):
    result = sl.barycenter([1.0, 3.0], [[0.0, 4.0], [2.0, 8.0]], probabilities=grid)
    assert result.probabilities.tolist() == [0.0, 0.25, 1.0]
    assert result.synthetic.tolist() == [[0.0, 1.0, 4.0], [2.0, 3.5, 8.0]]
    assert result.barycenter.tolist() == [1.0, 2.25, 6.0]
    assert result.confidential.tolist() == [1.0, 1.5, 3.0]
    assert sl.barycenter([1.0, 3.0], [[0.0, 4.0]], probabilities=grid[::2]).barycenter.tolist() == [0.0, 4.0]


@pytest.mark.parametrize("grid", [[0.0], [[0.0, 1.0]], [0.1, 1.0], [0.0, 0.9], [0.0, 0.5, 0.5, 1.0], [0.0, 2.0, 1.0]])
def test_probabilities_that_do_not_go_from_0_to_1(grid):
    with pytest.raises(InputError, match="probabilities"):
        sl.barycenter([1.0, 3.0], [[0.0, 4.0]], probabilities=grid)
