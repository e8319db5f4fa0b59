from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, strategies as st
from scipy import stats

from synthlab._warnings import quiet
from synthlab.exceptions import FewDegreesOfFreedomWarning, InputError, UndefinedStatisticWarning
from synthlab.utility import combine_full, combine_partial


def test_partial_by_hand() -> None:
    # q 10 12 14: q_bar 12, b = (4 + 0 + 4)/2 = 4; v_bar = 3; T = 4/3 + 3; df = 2 (1 + 3/(4/3))^2
    result = combine_partial([10, 12, 14], [2, 3, 4])
    assert result.q_bar.tolist() == [12]
    assert result.between.tolist() == [4]
    assert result.within.tolist() == [3]
    assert result.total_variance[0] == pytest.approx(13 / 3)
    assert result.df[0] == pytest.approx(2 * (1 + 9 / 4) ** 2)
    half = stats.t.ppf(0.975, 2 * 3.25**2) * np.sqrt(13 / 3)
    np.testing.assert_allclose(result.interval, [[12 - half, 12 + half]])


def test_full_by_hand() -> None:
    # T = (4/3) 4 - 3 = 7/3; df = 2 (1 - 3/(16/3))^2
    with pytest.warns(FewDegreesOfFreedomWarning):
        few = combine_full([10, 12, 14], [2, 3, 4], level=0.9)
    assert few.total_variance[0] == pytest.approx(7 / 3)
    assert few.df[0] == pytest.approx(2 * (7 / 16) ** 2)
    assert np.isnan(few.interval).all()
    # m = 6: T = (7/6) 4 - 0.5; df = 5 (1 - 0.5/(14/3))^2
    result = combine_full([10, 10, 12, 12, 14, 14], [0.5] * 6, level=0.9)
    b, df = 16 / 5, 5 * (1 - 0.5 / (7 / 6 * 16 / 5)) ** 2
    assert result.df[0] == pytest.approx(df)
    half = stats.t.ppf(0.95, df) * np.sqrt(7 / 6 * b - 0.5)
    np.testing.assert_allclose(result.interval, [[12 - half, 12 + half]])
    assert not result.adjusted[0]


def test_negative_variance_of_full_synthesis_is_replaced() -> None:
    # T = (4/3) 4 - 9 < 0, so (n_syn / n) v_bar = 9/2, normal
    result = combine_full([10, 12, 14], [9, 9, 9], size_ratio=0.5)
    assert result.adjusted.tolist() == [True]
    assert result.total_variance[0] == pytest.approx(4.5)
    assert result.df[0] == np.inf
    assert result.interval[0, 1] == pytest.approx(12 + stats.norm.ppf(0.975) * np.sqrt(4.5))


def test_no_spread_between_datasets() -> None:
    partial, full = combine_partial([5, 5], [4, 4]), combine_full([5, 5], [4, 4])
    for result in (partial, full):
        assert result.total_variance[0] == 4
        assert result.df[0] == np.inf
        np.testing.assert_allclose(result.interval, [[5 - 2 * 1.959963984540054, 5 + 2 * 1.959963984540054]])
    assert full.adjusted[0]
    assert not partial.adjusted[0]
    assert combine_partial([5, 5], [0, 0]).interval.tolist() == [[5, 5]]
    assert combine_full([5, 5], [0, 0]).interval.tolist() == [[5, 5]]


def test_variance_zero_within_leaves_the_spread_between() -> None:
    with pytest.warns(FewDegreesOfFreedomWarning):
        result = combine_partial([1.0, 3.0], [0.0, 0.0])
    assert result.total_variance[0] == 1
    assert result.df[0] == 1


@pytest.mark.parametrize("combine", [combine_partial, combine_full])
def test_one_dataset_tells_nothing_about_the_spread(combine) -> None:
    with pytest.warns(UndefinedStatisticWarning, match="cannot be estimated from m = 1 dataset"):
        result = combine([[1.0, 2.0]], [[0.1, 0.1]])
    assert result.q_bar.tolist() == [1, 2]
    assert result.within.tolist() == [0.1, 0.1]
    for name in ("between", "total_variance", "df", "interval", "std_error"):
        assert np.isnan(getattr(result, name)).all(), name


def test_one_undefined_estimate_leaves_the_others_alone() -> None:
    with pytest.warns(UndefinedStatisticWarning, match="an estimate is NaN; variance and interval of 'b' are NaN"):
        result = combine_partial([[1, np.nan], [2, 1]], [[1, 1], [1, 1]], names=["a", "b"])
    assert np.isfinite(result.interval[0]).all()
    assert np.isnan(result.interval[1]).all()


@pytest.mark.parametrize("kind", ["partial", "full"])
@pytest.mark.parametrize("rule", ["partial", "full"])
@pytest.mark.parametrize("model", ["gaussian", "binomial", "poisson"])
def test_equals_r(answer, kind, rule, model) -> None:
    estimates = answer(f"{model} estimate", kind).unstack("name").drop(index=0)
    variances = answer(f"{model} std_error", kind).unstack("name").drop(index=0) ** 2
    with quiet(FewDegreesOfFreedomWarning):
        if rule == "partial":
            result = combine_partial(estimates, variances)
        else:
            result = combine_full(estimates, variances, size_ratio={"partial": 1.0, "full": 250 / 300}[kind])
    assert list(result.names) == list(estimates.columns)
    table = result.to_frame()
    for measure in ("q_bar", "between", "within", "total_variance", "df", "lower", "upper"):
        expected = answer(f"{model} {rule} {measure}", kind).droplevel("dataset").reindex(table.index)
        if measure in ("lower", "upper"):  # R computes them at any degrees of freedom
            expected = expected.where(table["df"] >= 1)
        # T_f is a difference of nearly equal numbers: the 15 recorded digits of q and v are all there is
        np.testing.assert_allclose(table[measure], expected, rtol=1e-9, err_msg=measure)


@given(
    st.lists(st.floats(-100, 100), min_size=2, max_size=8),
    st.floats(0.01, 50),
    st.floats(-5, 5),
    st.floats(0.1, 10),
)
def test_linear_change_of_unit(q: list[float], v: float, shift: float, scale: float) -> None:
    with quiet(FewDegreesOfFreedomWarning):
        before = combine_partial(q, [v] * len(q))
        after = combine_partial(shift + scale * np.array(q), [scale**2 * v] * len(q))
    np.testing.assert_allclose(after.interval, shift + scale * before.interval, rtol=1e-7, atol=1e-7)


@pytest.mark.parametrize("m", [20, 60])
def test_partial_intervals_cover_and_naive_ones_do_not(m) -> None:
    # Each synthetic mean is the confidential mean plus a proper posterior predictive error, n = 100, all values synthesized.
    draw = np.random.default_rng(42)
    repetitions, n = 4000, 100
    y = draw.normal(size=(repetitions, n))
    variance = y.var(axis=1, ddof=1)[:, None] * (n - 1) / draw.chisquare(n - 1, (repetitions, m))
    centre = y.mean(axis=1)[:, None] + np.sqrt(variance / n) * draw.normal(size=(repetitions, m))
    q = centre + np.sqrt(variance / n) * draw.normal(size=(repetitions, m))
    v = variance * draw.chisquare(n - 1, (repetitions, m)) / (n - 1) / n
    covered = _covers(combine_partial(q.T, v.T).interval)
    assert 0.93 <= covered <= 0.97
    half = 1.96 * np.sqrt(v[:, 0])
    assert np.mean(np.abs(q[:, 0]) <= half) < 0.80
    if m == 60:
        with pytest.warns(FewDegreesOfFreedomWarning):
            full = combine_full(q.T, v.T)
        assert (full.df < 1).mean() < 0.01
        assert 0.93 <= _covers(full.interval) <= 0.97


def _covers(interval: np.ndarray) -> float:
    return float(np.mean((interval[:, 0] <= 0) & (interval[:, 1] >= 0)))


def test_bad_input() -> None:
    with pytest.raises(InputError, match="variances: shape"):
        combine_partial([1, 2], [1, 2, 3])
    with pytest.raises(InputError, match="variances: must be >= 0"):
        combine_partial([1, 2], [1, -1])
    with pytest.raises(InputError, match="must not be infinite"):
        combine_full([1, np.inf], [1, 1])
    with pytest.raises(InputError, match="level=1"):
        combine_full([1, 2], [1, 1], level=1)
    with pytest.raises(InputError, match="estimates: must have shape"):
        combine_full([], [])
    with pytest.raises(InputError, match="estimates: must be numbers"):
        combine_partial(["a"], [1])
    with pytest.raises(InputError, match="2 names for 1"):
        combine_partial([1, 2], [1, 1], names=["a", "b"])
    for combine in (combine_partial, combine_full):
        with pytest.raises(InputError, match="names=5: must be a list of names"):
            combine([1, 2], [1, 1], names=5)
    with pytest.raises(InputError, match="estimates: must be numbers"):
        combine_partial(np.array([1 + 2j, 2]), [1, 1])
    with pytest.raises(InputError, match="size_ratio=0"):
        combine_full([1, 2], [1, 1], size_ratio=0)


def test_names_come_from_a_frame() -> None:
    table = pd.DataFrame({"age": [1.0, 2.0], "sex": [0.5, 0.7]})
    assert combine_partial(table, table).names == ("age", "sex")
