"""The two-level rule: by hand, its limits, and what it refuses."""

import numpy as np
import pytest
from scipy import stats

from synthlab.exceptions import FewDegreesOfFreedomWarning, InputError, UndefinedStatisticWarning
from synthlab.utility import combine_nested, combine_partial

Q, U = np.array([[9.0, 11.0], [12.0, 14.0], [15.0, 17.0]]), np.ones((3, 2))


def test_by_hand():
    with pytest.warns(FewDegreesOfFreedomWarning, match="'mean'"):
        result = combine_nested(Q, U, names=["mean"])
    # Means of nests 10, 13, 16: b = 9; variances within nests 2: w = 2; u = 1; T = 4/3 9 - 2/2 + 1 = 12.
    assert (result.q_bar[0], result.between[0], result.within_nests[0], result.within[0]) == (13.0, 9.0, 2.0, 1.0)
    assert result.total_variance[0] == pytest.approx(12.0)
    df = 1 / (12**2 / (2 * 12**2) + 1**2 / (3 * 1 * 12**2))
    assert result.df[0] == pytest.approx(df)
    half = stats.t.ppf(0.975, df) * np.sqrt(12)
    np.testing.assert_allclose(result.interval, [[13 - half, 13 + half]])
    assert (result.m, result.synthesis, result.adjusted[0]) == (6, "nested", False)


def test_several_quantities_are_combined_alike():
    rng = np.random.default_rng(1)
    q, u = rng.normal(size=(4, 3, 2)), rng.uniform(1, 2, (4, 3, 2))
    both = combine_nested(q, u)
    for j in range(2):
        one = combine_nested(q[..., j], u[..., j])
        assert one.total_variance[0] == pytest.approx(both.total_variance[j])
        assert one.df[0] == pytest.approx(both.df[j])


def test_without_missing_values_it_is_near_the_rule_for_one_level():
    """Nests that differ by their syntheses alone: T_M is T_p of all M r datasets, on average."""
    rng = np.random.default_rng(2)
    q = rng.normal(0, np.sqrt(2), (50, 5, 4000))
    nested, flat = combine_nested(q, np.ones(q.shape)), combine_partial(q.reshape(250, -1), np.ones((250, 4000)))
    assert nested.total_variance.mean() == pytest.approx(flat.total_variance.mean(), rel=0.005)


def test_a_variance_below_zero_is_replaced():
    result = combine_nested([[0.0, 10.0], [0.0, 10.0]], [[1.0, 1.0], [1.0, 1.0]])
    assert result.adjusted[0]
    assert result.total_variance[0] == 1.0  # (1 + 1/2) 0 + 1 in place of 0 - 25 + 1


def test_no_spread_at_all():
    result = combine_nested(np.ones((2, 2)), np.ones((2, 2)))
    assert (result.total_variance[0], result.df[0]) == (1.0, np.inf)


def test_one_nest_tells_nothing_about_imputations():
    with pytest.warns(UndefinedStatisticWarning, match="M = 1 nest"):
        result = combine_nested(Q[:1], U[:1])
    assert np.isnan(result.total_variance[0])


@pytest.mark.parametrize(
    ("q", "u", "message"),
    [
        (Q[:, :1], U[:, :1], "r = 1 synthesis per nest"),
        (Q.ravel(), U.ravel(), r"must have shape \(M, r\)"),
        (Q, U[:2], "variances: shape"),
        (Q, -U, "variances: must be >= 0"),
        (Q + np.inf, U, "must not be infinite"),
        ("text", U, "estimates"),
    ],
)
def test_bad_input(q, u, message):
    with pytest.raises(InputError, match=message):
        combine_nested(q, u)
