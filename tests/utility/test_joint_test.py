from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings, strategies as st
from scipy import integrate, stats

from synthlab._warnings import quiet
from synthlab.exceptions import FewDegreesOfFreedomWarning, InputError, UndefinedStatisticWarning
from synthlab.utility import combine_full, combine_partial, joint_test

Q = np.array([[1.0, 0.0], [3.0, 2.0], [2.0, 4.0]])
U = np.tile([[1.0, 0.5], [0.5, 2.0]], (3, 1, 1))


def test_partial_and_full_by_hand() -> None:
    # U^-1 = [[2, -.5], [-.5, 1]] / 1.75; B = [[1, 1], [1, 4]]; trace(B U^-1) = (1.5 + 3.5) / 1.75 = 20/7
    # D = (2, 2) U^-1 (2, 2)' = (4 (2 - .5 - .5 + 1)) / 1.75 = 32/7; t = 2 * 2 = 4, so w = 4 (3/2) (1 +- 1/r)^2 / 2
    partial, full = joint_test(Q, U), joint_test(Q, U, synthesis="full")
    r_p, r_f = 20 / 7 / 3 / 2, (4 / 3) * 20 / 7 / 2
    assert partial.ratio == pytest.approx(r_p)
    assert full.ratio == pytest.approx(r_f)
    assert partial.statistic == pytest.approx(32 / 7 / (2 * (1 + r_p)))
    assert full.statistic == pytest.approx(32 / 7 / (2 * (r_f - 1)))
    assert partial.df_denominator == pytest.approx(3 * (1 + 1 / r_p) ** 2 * 2 / 2)
    assert full.df_denominator == pytest.approx(3 * (1 - 1 / r_f) ** 2)
    assert partial.p_value == pytest.approx(1 - stats.f.cdf(partial.statistic, 2, partial.df_denominator))
    # four datasets: t = 6 > 4
    more = joint_test(np.vstack([Q, [[2, 2]]]), U[[0, 0, 0, 0]])
    r = (3 * (20 / 7) * 2 / 3 / 3) / 4 / 2 * 1  # the fourth point is the mean: the sums of squares stay, divisor 3
    assert more.ratio == pytest.approx(r)
    assert more.df_denominator == pytest.approx(4 + 2 * (1 + (2 / 3) / r) ** 2)


@pytest.mark.parametrize("m", [2, 5, 40])
def test_one_quantity_gives_the_t_test(m: int) -> None:
    rng = np.random.default_rng(m)
    q, v = rng.normal(1.0, 2.0, (m, 1)), rng.uniform(0.1, 0.5, (m, 1))
    for kind, combine in (("partial", combine_partial), ("full", combine_full)):
        with quiet(FewDegreesOfFreedomWarning):
            combined = combine(q, v)
        found = joint_test(q, v[:, :, None], null=0.3, synthesis=kind)
        t = (combined.q_bar[0] - 0.3) / combined.std_error[0]
        assert found.statistic == pytest.approx(t**2)
        assert found.df_denominator == pytest.approx(combined.df[0])
        assert found.p_value == pytest.approx(2 * stats.t.sf(abs(t), combined.df[0]))


@pytest.mark.parametrize("kind", ["partial", "full"])
def test_degrees_of_freedom_match_the_coefficient_of_variation(kind: str) -> None:
    # The variance of 1 + r t / X (or r t / X - 1), X ~ chi2_t, by quadrature, against that of w / chi2_w.
    rng = np.random.default_rng(1)
    q, u = 3 * rng.normal(size=(6, 3)), np.tile(np.eye(3), (6, 1, 1))
    found, t, shift = joint_test(q, u, synthesis=kind), 15, 1.0 if kind == "partial" else -1.0

    def moment(power: int) -> float:
        value = lambda x: (shift + found.ratio * t / x) ** power * stats.chi2.pdf(x, t)  # noqa: E731
        return integrate.quad(value, 0, 400, limit=400, points=[5, 10, 20, 40])[0]

    squared_cv = moment(2) / moment(1) ** 2 - 1
    assert squared_cv == pytest.approx(2 / (found.df_denominator - 4), rel=1e-6)


@settings(max_examples=30, deadline=None)
@given(st.integers(0, 10_000), st.sampled_from(["partial", "full"]))
def test_other_coordinates_give_the_same_test(seed: int, kind: str) -> None:
    rng = np.random.default_rng(seed)
    q, a, shift = 4 * rng.normal(size=(5, 3)), rng.normal(size=(3, 3)) + 3 * np.eye(3), rng.normal(size=3)
    factors = rng.normal(size=(5, 3, 6))
    u = factors @ factors.transpose(0, 2, 1)
    one = joint_test(q, u, null=[1.0, 2.0, 3.0], synthesis=kind)
    two = joint_test(q @ a.T + shift, a @ u @ a.T, null=a @ [1.0, 2.0, 3.0] + shift, synthesis=kind)
    np.testing.assert_allclose(one.summary(), two.summary(), rtol=1e-6)


@pytest.mark.parametrize("kind", ["partial", "full"])
def test_level_of_the_test(kind: str) -> None:
    # Normal theory: q_obs ~ N(0, U); partial: q_l ~ N(q_obs, 2 U); full: q_l ~ N(q_obs, 2 U) with variance U within.
    rng, k, m, repetitions = np.random.default_rng(7), 3, 20, 2000
    observed = rng.normal(size=(repetitions, 1, k))
    q = observed + np.sqrt(2) * rng.normal(size=(repetitions, m, k))
    u = np.tile(np.eye(k), (m, 1, 1))
    p = np.array([joint_test(one, u, synthesis=kind).p_value for one in q])
    assert 0.03 < (p < 0.05).mean() < 0.07
    q += 1.5
    assert np.mean([joint_test(one, u, synthesis=kind).p_value < 0.05 for one in q]) > 0.4


def test_degenerate_cases() -> None:
    same = np.tile([1.0, 2.0], (3, 1))
    found = joint_test(same, U)
    assert (found.ratio, found.df_denominator) == (0.0, np.inf)
    assert found.p_value == pytest.approx(stats.chi2.sf([1, 2] @ np.linalg.solve(U[0], [1, 2]), 2))
    replaced = joint_test(same, U, synthesis="full", size_ratio=0.5)
    assert replaced.adjusted
    assert replaced.statistic == pytest.approx(2 * found.statistic)
    with pytest.warns(UndefinedStatisticWarning, match="m = 1"):
        assert np.isnan(joint_test(Q[:1], U[:1]).p_value)
    with pytest.warns(UndefinedStatisticWarning, match="NaN"):
        assert np.isnan(joint_test(Q * np.nan, U).p_value)
    singular = np.tile([[1.0, 1.0], [1.0, 1.0]], (3, 1, 1))
    for wrong, match in (
        ((Q, U[:2]), "one matrix per dataset"),
        ((Q[0], U), "estimates: must have shape"),
        ((Q, singular), "positive definite"),
        ((Q, np.triu(U)), "symmetric"),
        ((Q, -U), "positive definite"),
    ):
        with pytest.raises(InputError, match=match):
            joint_test(*wrong)
    with pytest.raises(InputError, match="null"):
        joint_test(Q, U, null=[1.0, 2.0, 3.0])
    with pytest.raises(InputError, match="synthesis"):
        joint_test(Q, U, synthesis="nested")
