"""One dataset alone says nothing of the variance between datasets, of one quantity or of several."""

from __future__ import annotations

import numpy as np
import pytest

import synthlab as sl
from synthlab.exceptions import UndefinedStatisticWarning


@pytest.mark.parametrize("combine", [sl.combine_partial, sl.combine_full])
@pytest.mark.parametrize("p", [1, 3])
def test_b_is_undefined_for_each_quantity_of_one_dataset(combine, p):
    estimates = np.arange(1.0, p + 1)[None, :]
    with pytest.warns(UndefinedStatisticWarning, match="cannot be estimated from m = 1 dataset"):
        result = combine(estimates, np.ones((1, p)))
    assert np.isnan(result.between).tolist() == [True] * p
    assert result.summary()["q_bar"].tolist() == estimates[0].tolist()
