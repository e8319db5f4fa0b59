"""What counts meet at their edges: the largest numbers, the margins of a model, and tables without anybody in them."""

from __future__ import annotations

import warnings

import numpy as np
import pytest
from scipy import special

from synthlab.counts import GAF, NBI, Poisson, Table, fit_log_linear, total_within
from synthlab.counts._convolution import grid_for
from synthlab.counts._encoding import whole_numbers
from synthlab.counts._frontier import _undominated
from synthlab.counts._model import read_model
from synthlab.counts._pseudocounts import warn_of_pseudocount
from synthlab.counts._sampling import _positive_counts
from synthlab.counts.poisson_inverse_gaussian import _erfcx_drop
from synthlab.exceptions import InputError, PseudocountWarning


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


def test_a_family_with_the_risk_of_another_and_more_loss_is_not_efficient() -> None:
    assert _undominated(np.array([0.2, 0.2, 0.1, 0.1]), np.array([5.0, 4.0, 6.0, 6.0])).tolist() == [
        False,
        True,
        True,
        True,
    ]


@pytest.mark.parametrize("a", [0.5, 2.0, 25.0])
def test_a_small_drop_of_the_scaled_error_function_is_its_slope(a: float) -> None:
    d = 1e-9
    slope = 2.0 / np.sqrt(np.pi) - 2.0 * a * special.erfcx(a)  # of -erfcx
    assert float(_erfcx_drop(np.array(a), np.array(d))) == pytest.approx(slope * d, rel=1e-7)


def test_one_spread_that_keeps_zeros_and_one_that_does_not_are_not_warned_of() -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        warn_of_pseudocount(GAF(sigma=1.0, nu=np.array([-1.0, 1.0])), 0.01, 5, 0.0)
    with pytest.warns(PseudocountWarning):
        warn_of_pseudocount(GAF(sigma=1.0, nu=np.array([-1.0, -0.5])), 0.01, 5, 0.0)


def test_a_drop_far_out_is_its_slope_too() -> None:
    a, d = 40.0, 1e-9
    # -erfcx' = 2 / sqrt(pi) - 2 a erfcx(a), by its asymptotic series 1 / (sqrt(pi) a^2) (1 - 3 / (2 a^2) + ...)
    slope = (1.0 - 1.5 / a**2 + 3.75 / a**4) / (np.sqrt(np.pi) * a**2)
    assert float(_erfcx_drop(np.array(a), np.array(d))) == pytest.approx(slope * d, rel=1e-6)


def test_counts_beyond_the_table_are_drawn_as_well() -> None:
    family = NBI(mu=2000.0, sigma=0.5)
    counts = _positive_counts(family, 4000, np.random.default_rng(1))
    given_positive = float(family.sf(2999)) / float(family.sf(0))
    assert (counts >= 3000).mean() == pytest.approx(given_positive, abs=0.03)
    assert (counts == 512).mean() < 0.01


def test_the_grid_spans_from_the_lowest_to_the_highest() -> None:
    assert grid_for(-100.0, 0.0, 0.0, 0.0) == 256  # 2 x 100 + 16, to the next power of two
    assert grid_for(10.0, 100.0, 50.0, 0.0) == 256  # 2 x 90 + 16
