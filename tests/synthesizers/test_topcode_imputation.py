"""Imputation above a cutoff."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from scipy import stats

import synthlab as sl
from synthlab.exceptions import InputError
from synthlab.synthesizers.topcode_imputation import METHODS

Y = np.array([-2.0, 1.0, 2.0, 3.0, 5.0, 8.0, 12.0, 20.0])
C = 4.0


def draws(method: str, m: int, weights: object = None) -> np.ndarray:
    """Return the first imputed value of m datasets, each with its own parameters."""
    fit = sl.TopcodeImputation("y", top=C, method=method).fit(pd.DataFrame({"y": Y}), weights=weights)
    rng = np.random.default_rng(3)
    return np.array([fit._tail(1, rng)[0] for _ in range(m)])


def test_values_up_to_the_cutoff_stay_and_the_others_are_new() -> None:
    frame = pd.DataFrame({"y": Y, "z": range(8)})
    for method in METHODS:
        release = sl.TopcodeImputation("y", top=C, method=method).fit(frame).generate(20, rng=1)
        for one in release:
            np.testing.assert_array_equal(one["y"][:4], Y[:4])
            assert (one["y"][4:] > C).all()
            assert one["z"].equals(frame["z"])
        if method == "hot deck":
            assert set(np.concatenate([one["y"][4:] for one in release])) == set(Y[4:])
    by_share = sl.TopcodeImputation("y", top_share=0.25).fit(frame)
    assert by_share.high == sl.Topcoding("y", top_share=0.25).fit(frame).high == 8.0


@pytest.mark.parametrize("weights", [None, np.array([1, 1, 1, 1, 1.0, 0.5, 0.0, 2.0])])
def test_pareto_has_the_exact_predictive_distribution(weights: np.ndarray | None) -> None:
    # Integrating a ~ Gamma(W, T) gives P(y > x) = (T / (T + log(x / c)))^W.
    w = np.ones(8) if weights is None else weights
    W, T = w[4:].sum(), w[4:] @ np.log(Y[4:] / C)
    cdf = lambda x: 1 - (T / (T + np.log(x / C))) ** W  # noqa: E731
    assert stats.kstest(draws("pareto", 4000, weights), cdf).pvalue > 0.01


def test_lognormal_has_the_exact_predictive_distribution() -> None:
    # P(y > x | y > c) averaged over a grid of equally likely (mu, s^2).
    logs = np.log(Y[1:])
    n, mean, Q = logs.size, logs.mean(), ((logs - logs.mean()) ** 2).sum()
    grid = (np.arange(1000) + 0.5) / 1000
    s = np.sqrt(Q / stats.chi2.ppf(grid, n - 1))[:, None]
    mu = mean + stats.norm.ppf(grid) * s / np.sqrt(n)

    def tail(x: float) -> float:
        return np.exp(stats.norm.logsf(np.log(x), mu, s) - stats.norm.logsf(np.log(C), mu, s)).mean()

    found = draws("lognormal", 4000)
    for x in (5.0, 8.0, 20.0, 60.0):
        share = tail(x)
        assert (found > x).mean() == pytest.approx(share, abs=4 * np.sqrt(share * (1 - share) / 4000)), x


def test_hot_deck_has_the_mean_and_variance_of_the_bayesian_bootstrap() -> None:
    weights = np.array([0, 0, 0, 0, 1.0, 1.0, 0.0, 2.0])
    found = draws("hot deck", 8000, weights)
    for value, p in ((5.0, 0.25), (8.0, 0.25), (12.0, 0.0), (20.0, 0.5)):
        assert (found == value).mean() == pytest.approx(p, abs=4 * np.sqrt(0.25 / 8000))
    fit = sl.TopcodeImputation("y", top=C).fit(pd.DataFrame({"y": Y}))
    rng = np.random.default_rng(1)
    means = [fit._tail(4, rng).mean() for _ in range(8000)]
    s2 = Y[4:].var()
    # Var = Var(E | p) + E Var(. | p) / 4 = s2 / 5 + (4/5) s2 / 4: Rubin (1981), divisor r + 1 = 5
    assert np.var(means) == pytest.approx(s2 / 5 + s2 / 5, rel=0.06)


def test_the_mean_is_kept_and_the_interval_covers() -> None:
    # A cutoff at the 90% quantile of a log-normal population: topcoding lowers the mean, imputation does not.
    rng, covered, low = np.random.default_rng(2), [], []
    truth = np.exp(0.5)
    for _ in range(60):
        frame = pd.DataFrame({"y": rng.lognormal(0.0, 1.0, 400)})
        release = sl.TopcodeImputation("y", top_share=0.1, method="lognormal").fit(frame).generate(5, rng=rng)
        values = [one["y"] for one in release]
        ends = sl.combine_partial([v.mean() for v in values], [v.var() / v.size for v in values]).interval[0]
        covered.append(ends[0] <= truth <= ends[1])
        low.append(sl.Topcoding("y", top_share=0.1).fit(frame).generate(1)[0]["y"].mean() < 0.9 * truth)
    assert np.mean(covered) > 0.85
    assert np.mean(low) > 0.8


@pytest.mark.parametrize("method", METHODS)
def test_types_and_missing_values(method: str) -> None:
    frame = pd.DataFrame({"y": pd.array([1, 2, None, -9, 50, 60, 70], dtype="Int64")})
    model = sl.TopcodeImputation("y", top=10, method=method)
    one = model.fit(frame, missing_codes={"y": [-9]}).generate(1, rng=1)[0]["y"]
    assert one.dtype == "Int64"
    assert one[:2].tolist() == [1, 2]
    assert pd.isna(one[2])
    assert one[3] == -9
    assert (one[4:] > 10).all()
    small = pd.DataFrame({"y": np.array([1, 2, 100, 120, 127], dtype=np.int8)})
    drawn = model.fit(small).generate(50, rng=1)
    assert all(one["y"].dtype == np.int8 and (one["y"][2:] > 10).all() for one in drawn)
    codes = pd.DataFrame({"y": [1.0, 2.0, 999.0, 50.0, 60.0]})
    kept = model.fit(codes, missing_codes={"y": [999]}).generate(1, rng=1)[0]["y"]
    assert kept[2] == 999


def test_enormous_draws_are_finite() -> None:
    frame = pd.DataFrame({"y": [1.0, 2.0, 1e200, 1e300]})
    weights = [1.0, 1.0, 1e-3, 1e-3]
    for method in ("lognormal", "pareto"):
        fit = sl.TopcodeImputation("y", top=1e100, method=method).fit(frame, weights=weights)
        assert all(np.isfinite(one["y"]).all() for one in fit.generate(50, rng=1))


def test_wrong_arguments() -> None:
    frame = pd.DataFrame({"y": Y})
    for options, match in (
        ({}, "exactly one"),
        ({"top": 1.0, "top_share": 0.1}, "exactly one"),
        ({"top": np.inf}, "top"),
        ({"top_share": 1.0}, "top_share"),
        ({"top": 0.0, "method": "pareto"}, "cutoff above 0"),
        ({"top": 1.0, "method": "gpd"}, "method"),
    ):
        with pytest.raises(InputError, match=match):
            sl.TopcodeImputation("y", **options)
    for options in ({"top": 12.0}, {"top": 100.0}):
        with pytest.raises(InputError, match="fewer than two"):
            sl.TopcodeImputation("y", **options).fit(frame)
    with pytest.raises(InputError, match="cutoff above 0"):
        sl.TopcodeImputation("y", top_share=0.5, method="lognormal").fit(pd.DataFrame({"y": -Y}))
