"""What counts meet at their edges: the largest numbers, the margins of a model, and tables without anybody in them."""

from __future__ import annotations

import numpy as np
import pytest

from synthlab.counts import NBI, Poisson, Table, fit_log_linear, total_within
from synthlab.counts._encoding import whole_numbers
from synthlab.counts._model import read_model
from synthlab.exceptions import InputError


def test_the_largest_count_is_2_to_the_62() -> None:
    assert whole_numbers([2**62], "counts").tolist() == [2**62]
    with pytest.raises(InputError, match=r"counts: counts must be whole numbers >= 0; .* are not"):
        whole_numbers([2.0**62 * (1 + 2**-52)], "counts")


def _table() -> Table:
    values = np.arange(1, 13).reshape(2, 3, 2)
    return Table.from_counts(values, {"A": ["a", "b"], "B": ["p", "q", "r"], "C": ["x", "y"]})


def test_margins_are_the_terms_that_no_other_contains() -> None:
    assert set(read_model(_table(), [["A", "B"], ["C"]]).margins) == {(0, 1), (2,)}
    assert set(read_model(_table(), "(A + B + C)**2").margins) == {(0, 1), (0, 2), (1, 2)}
    assert set(read_model(_table(), "A + B").margins) == {(0,), (1,)}


def test_a_model_of_a_pair_and_a_single_fits_both_margins() -> None:
    table = _table()
    fitted = np.asarray(fit_log_linear(table, [["A", "B"], ["C"]]).means).reshape(2, 3, 2)
    assert np.allclose(fitted.sum(axis=2), np.arange(1, 13).reshape(2, 3, 2).sum(axis=2))
    assert np.allclose(fitted.sum(axis=(0, 1)), np.arange(1, 13).reshape(2, 3, 2).sum(axis=(0, 1)))


@pytest.mark.parametrize("family", [Poisson(), NBI(sigma=0.5)])
def test_the_total_of_a_table_without_anybody_is_certain(family: object) -> None:
    table = Table.from_counts(np.zeros((2, 2), dtype=int), {"A": ["a", "b"], "B": ["p", "q"]})
    result = total_within(table, family=family, d=1, pseudocount=0.0)
    assert (result.probability, result.mean, result.sd) == (1.0, 0.0, 0.0)
