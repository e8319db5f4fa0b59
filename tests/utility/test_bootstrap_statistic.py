from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

from synthlab.exceptions import InputError, MissingValueError, UndefinedStatisticWarning
from synthlab.utility import bootstrap_statistic


def test_mean_has_the_bootstrap_variance_it_must_have(confidential, releases) -> None:
    result = bootstrap_statistic(confidential, releases["full"], variable="income", resamples=4000, rng=1)
    for draws, frame in zip([result.confidential_draws, *result.draws], [confidential, *releases["full"]], strict=True):
        expected = frame["income"].std(ddof=0) / np.sqrt(len(frame))
        # 4,000 resamples: relative standard error of a standard deviation 1.1%
        assert draws.std() == pytest.approx(expected, rel=0.06)
        assert draws.mean() == pytest.approx(frame["income"].mean(), abs=5 * expected / np.sqrt(4000))
    np.testing.assert_allclose(result.estimates, [f["income"].mean() for f in releases["full"]])
    assert result.confidential_estimate == pytest.approx(confidential["income"].mean())


def test_pooled_mean_and_percentiles(confidential, releases) -> None:
    result = bootstrap_statistic(confidential, releases["partial"], variable="income", resamples=200, level=0.9, rng=1)
    pooled = np.sort(result.draws.ravel())
    assert pooled.size == 800
    assert result.mean == pytest.approx(pooled.mean())
    np.testing.assert_allclose(result.interval, np.quantile(pooled, [0.05, 0.95]))
    assert result.summary().loc["synthetic", "upper"] == result.interval[1]
    assert -1 < result.interval_overlap <= 1


def test_every_resample_of_two_records_can_be_listed() -> None:
    frame = pd.DataFrame({"x": [0.0, 10.0]})
    result = bootstrap_statistic(frame, frame, variable="x", statistic="mean", resamples=4000, rng=3)
    values, counts = np.unique(result.draws, return_counts=True)
    assert values.tolist() == [0.0, 5.0, 10.0]
    np.testing.assert_allclose(counts / 4000, [0.25, 0.5, 0.25], atol=0.03)


@pytest.mark.parametrize(
    ("statistic", "function"),
    [("mean", np.mean), ("median", np.median), (0.9, lambda x: np.quantile(x, 0.9))],
)
def test_named_statistics_are_the_functions_they_name(confidential, releases, statistic, function) -> None:
    named = bootstrap_statistic(
        confidential, releases["full"], variable="income", statistic=statistic, resamples=50, rng=9
    )
    by_hand = bootstrap_statistic(
        confidential, releases["full"], variable="income", statistic=function, resamples=50, rng=9
    )
    np.testing.assert_allclose(named.draws, by_hand.draws, rtol=1e-12)
    np.testing.assert_allclose(named.estimates, by_hand.estimates, rtol=1e-12)


def test_function_of_whole_records(confidential, releases) -> None:
    def slope(frame: pd.DataFrame) -> float:
        return float(np.polyfit(frame["age"], frame["income"], 1)[0])

    result = bootstrap_statistic(confidential, releases["full"], statistic=slope, resamples=40, rng=1)
    assert result.statistic == "slope"
    assert result.variable == "the dataset"
    assert result.confidential_estimate == pytest.approx(slope(confidential))
    assert np.abs(result.draws - 40).max() < 20


def test_first_datasets_do_not_depend_on_m(confidential, releases) -> None:
    four, two = (
        bootstrap_statistic(confidential, releases["partial"][:m], variable="income", resamples=20, rng=5)
        for m in (4, 2)
    )
    np.testing.assert_array_equal(four.draws[:2], two.draws)
    np.testing.assert_array_equal(four.confidential_draws, two.confidential_draws)
    other = bootstrap_statistic(confidential, releases["partial"][:2], variable="income", resamples=20, rng=6)
    assert (other.draws != two.draws).any()


def test_undefined_on_some_resamples(small) -> None:
    with pytest.warns(UndefinedStatisticWarning, match="NaN on some resamples of 2 of 2 datasets"):
        result = bootstrap_statistic(small, small, variable="income", statistic=lambda x: np.nan, resamples=3, rng=1)
    assert np.isnan(result.mean)
    assert result.statistic == "statistic"


def test_bad_input(small) -> None:
    with pytest.raises(InputError, match="statistic='mode'"):
        bootstrap_statistic(small, small, variable="income", statistic="mode")
    with pytest.raises(InputError, match=r"statistic=1: must be a finite number in \(0, 1\)"):
        bootstrap_statistic(small, small, variable="income", statistic=1)
    with pytest.raises(InputError, match="statistic must then be a function"):
        bootstrap_statistic(small, small)
    with pytest.raises(InputError, match="variable=\\['income'\\]: must be the name of one variable"):
        bootstrap_statistic(small, small, variable=["income"])
    with pytest.raises(InputError, match="column 'sex' is .*, not numeric"):
        bootstrap_statistic(small, small, variable="sex")
    with pytest.raises(InputError, match="resamples=0"):
        bootstrap_statistic(small, small, variable="income", resamples=0)
    with pytest.raises(InputError, match="must return one number"):
        bootstrap_statistic(small, small, variable="income", statistic=lambda x: [1, 2])
    with pytest.raises(InputError, match="must return one number"):
        bootstrap_statistic(small, small, variable="income", statistic=lambda x: "a")
    with pytest.raises(MissingValueError, match="column 'income' has 1 missing"):
        bootstrap_statistic(small, small.assign(income=[np.nan, *range(7)]), variable="income")


@pytest.mark.parametrize("level", [0.0, 1.0])
def test_a_level_lies_between_0_and_1(level):
    frame = pd.DataFrame({"y": [1.0, 2.0, 4.0]})
    with pytest.raises(InputError, match=r"level=.*\(0, 1\)"):
        bootstrap_statistic(frame, [frame], variable="y", statistic="mean", level=level, rng=1)


def test_an_infinite_statistic_warns_by_name(small) -> None:
    with pytest.warns(UndefinedStatisticWarning, match="infinite or NaN on some resamples of 2 of 2 datasets"):
        result = bootstrap_statistic(small, small, variable="income", statistic=lambda x: np.inf, resamples=3, rng=1)
    assert np.isnan(result.summary()["lower"]).all()
    assert (result.summary()["mean"] == np.inf).all()


def test_a_mean_is_found_where_the_sum_is_beyond_the_largest_float(small) -> None:
    result = bootstrap_statistic(small, small, variable="income", statistic=lambda x: 1e308, resamples=4, rng=1)
    assert result.summary()["mean"].tolist() == pytest.approx([1e308, 1e308])
    assert result.to_frame()["mean"].tolist() == pytest.approx([1e308])
