"""Streams: the same seed gives the same numbers, and stream l does not depend on m."""

from __future__ import annotations

import numpy as np
import pytest

from synthlab._rng import as_generator, integer_seed, spawn
from synthlab.exceptions import InputError


def test_streams_are_nested():
    few = [g.random() for g in spawn(7, 5)]
    many = [g.random() for g in spawn(7, 20)]
    assert many[:5] == few
    assert len(set(many)) == 20


def test_generators_pass_through():
    generator = np.random.default_rng(1)
    assert as_generator(generator) is generator
    assert integer_seed(as_generator(3)) == integer_seed(as_generator(np.int64(3)))


@pytest.mark.parametrize("value", ["1", 1.5, -1, True])
def test_bad_seeds(value):
    with pytest.raises(InputError, match="rng="):
        as_generator(value)
