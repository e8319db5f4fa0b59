"""One thread while it is asked for, and as many as before afterwards."""

from __future__ import annotations

import numpy as np
import pytest
from threadpoolctl import threadpool_info

from synthlab.exceptions import InputError
from synthlab.utility import interval_overlap
from synthlab.utility._threads import one_thread


def test_every_pool_has_one_thread_and_gets_the_others_back() -> None:
    np.ones((2, 2)) @ np.ones((2, 2))  # the library of NumPy is loaded
    before = [pool["num_threads"] for pool in threadpool_info()]
    with one_thread():
        assert {pool["num_threads"] for pool in threadpool_info()} == {1}
    assert [pool["num_threads"] for pool in threadpool_info()] == before


def test_the_first_interval_that_ends_before_it_begins_is_named() -> None:
    with pytest.raises(InputError, match="interval 2 has its lower end above"):
        interval_overlap([[0, 1], [3, 2], [5, 4]], [[0, 1], [0, 1], [0, 1]])
