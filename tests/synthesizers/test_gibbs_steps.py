"""Single draws of the Gibbs sampler where rounding could spoil them."""

from __future__ import annotations

import numpy as np
import pytest

from synthlab.synthesizers import _gibbs_steps
from synthlab.synthesizers._gibbs_mixture import Rows


def draw(matrix, y, factor, repeats=1):
    """Draw the coefficients of one component with all records, prior beta = factor u."""
    rows, n = Rows.of(matrix), y.size
    inverse = np.linalg.inv(factor)
    rng = np.random.default_rng(1)
    found = np.empty((repeats, matrix.shape[1]))
    for s in range(repeats):
        beta = np.zeros((1, matrix.shape[1]))
        _gibbs_steps.draw_coefficients(
            rows.start, rows.column, rows.value, y, np.ones(n), np.zeros(n, dtype=np.int64), np.array([n]), np.ones(1),
            beta, factor, inverse.T @ inverse, rng,
        )  # fmt: skip
        found[s] = beta[0]
    return found


def test_a_cholesky_factor_or_none():
    lower, good = _gibbs_steps._cholesky(np.array([[4.0, 2.0], [2.0, 5.0]]))
    assert good
    np.testing.assert_allclose(lower, [[2.0, 0.0], [1.0, 2.0]])
    assert not _gibbs_steps._cholesky(-np.eye(2))[1]


@pytest.mark.parametrize("nearness", [0.5, 1e-9])
def test_coefficients_with_a_correlation_of_nearly_one(nearness):
    """With 1e-9 the precision is 1e18 in places, and rounding leaves no positive definite sum."""
    rng = np.random.default_rng(2)
    matrix = rng.normal(size=(50, 3))
    y = matrix @ [1.0, 1.0, 1.0] + rng.normal(size=50)
    rho = np.sqrt(1 - nearness**2)
    factor = np.array([[1.0, 0.0, 0.0], [rho, nearness, 0.0], [rho, 0.0, nearness]])
    found = draw(matrix, y, factor, repeats=4000)
    # The posterior in the whitened coefficients, by its textbook formula.
    design = matrix @ factor
    cover = np.linalg.inv(np.eye(3) + design.T @ design)
    mean, sd = factor @ (cover @ (design.T @ y)), np.sqrt(np.diag(factor @ cover @ factor.T))
    assert np.isfinite(found).all()
    np.testing.assert_allclose(found.mean(axis=0), mean, atol=5 * sd.max() / np.sqrt(4000))
    np.testing.assert_allclose(found.std(axis=0), sd, rtol=0.06)


def test_coefficients_with_scales_beyond_all_bounds():
    """A design of rank 2 in 3 columns: the prior alone says what the third coefficient is."""
    rng = np.random.default_rng(3)
    matrix = rng.normal(size=(50, 3))
    matrix[:, 2] = matrix[:, 1]
    y = matrix @ [1.0, 1.0, 0.0] + rng.normal(size=50)
    found = draw(matrix, y, np.diag([1e152, 1e120, 1e100]), repeats=500)
    assert np.isfinite(found).all()
    assert np.abs(found).max() < 10 * _gibbs_steps.LARGEST_SCALE
    sums = np.column_stack([found[:, 0], found[:, 1] + found[:, 2]])  # what the records speak of
    fitted = np.linalg.lstsq(matrix[:, :2], y, rcond=None)[0]
    np.testing.assert_allclose(sums.mean(axis=0), fitted, atol=0.05)
