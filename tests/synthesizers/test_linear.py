import numpy as np
import pytest
from hypothesis import given, strategies as st
from hypothesis.extra import numpy as hnp

from synthlab.exceptions import FitError
from synthlab.synthesizers._linear import aggregate, equal_rows, posterior_mode, standardise


@given(
    hnp.arrays(float, st.tuples(st.integers(1, 30), st.integers(0, 4)), elements=st.sampled_from([-1.0, 0.0, 0.5, 3.0]))
)
def test_equal_rows_agree_with_numpy(matrix):
    first, group = equal_rows(matrix)
    if matrix.shape[1] == 0:
        assert first.tolist() == [0]
        return
    _, expected_first, expected_group = np.unique(matrix, axis=0, return_index=True, return_inverse=True)
    np.testing.assert_array_equal(first, expected_first)
    np.testing.assert_array_equal(group, expected_group.reshape(-1))


def test_aggregate_sums_what_belongs_together():
    rows, total = aggregate(np.array([[1.0, 2.0], [0.0, 1.0], [1.0, 2.0]]), np.array([0.5, 2.0, 4.0]))
    assert rows.tolist() == [[0.0, 1.0], [1.0, 2.0]]
    assert total.tolist() == [2.0, 4.5]


def test_standardised_coefficients_come_back():
    rng = np.random.default_rng(1)
    matrix, weights = rng.normal([3, -2], [5, 0.1], size=(50, 2)), rng.random(50)
    predictors = standardise(matrix, weights)
    np.testing.assert_allclose(weights @ predictors.matrix[:, 1:], 0, atol=1e-10)
    np.testing.assert_allclose(weights @ predictors.matrix[:, 1:] ** 2, weights.sum())
    beta = rng.normal(size=(4, 3))
    intercept, slopes = predictors.raw(beta)
    np.testing.assert_allclose(intercept[:, None] + slopes @ matrix.T, beta @ predictors.matrix.T)


def test_mode_of_a_normal_model_is_ridge_regression():
    rng = np.random.default_rng(2)
    x, y, sd = rng.normal(size=(30, 3)), rng.normal(size=30), np.array([1.0, 2.0, 0.5])

    def likelihood(eta):
        return float(-0.5 * np.sum((y - eta) ** 2)), y - eta, np.ones(30)

    mode, spread = posterior_mode(x, likelihood, sd)
    precision = x.T @ x + np.diag(1 / sd**2)
    np.testing.assert_allclose(mode, np.linalg.solve(precision, x.T @ y), rtol=1e-8)
    np.testing.assert_allclose(spread @ spread.T, np.linalg.inv(precision), rtol=1e-8)


def test_a_likelihood_without_a_mode_is_an_error():
    def likelihood(eta):
        return float(np.exp(eta).sum()), np.exp(eta), np.ones(1)

    with pytest.raises(FitError, match="mode of the posterior"), np.errstate(over="ignore"):
        posterior_mode(np.ones((1, 1)), likelihood, np.array([1e6]))
