"""Diagnostics of chains from anywhere: agree with ArviZ, and see what is wrong."""

from __future__ import annotations

import warnings

import numpy as np
import pytest

from synthlab.exceptions import InputError
from synthlab.synthesizers import autocorrelation, diagnose_chains


@pytest.fixture
def draws() -> np.ndarray:
    return np.random.default_rng(1).normal(size=(2, 1000))


def test_the_numbers_are_those_of_arviz(draws):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", FutureWarning)
        import arviz
    table = diagnose_chains({"theta": draws}).to_frame()
    expected = [arviz.rhat(draws), arviz.ess(draws, method="bulk"), arviz.ess(draws, method="tail", prob=(0.05, 0.95))]
    np.testing.assert_allclose(table.loc["theta"], expected)


def test_two_chains_in_two_places_are_seen(draws):
    apart = diagnose_chains({"theta": draws + [[0.0], [5.0]]})
    assert apart.rhat[0] > 1.5
    assert apart.ess_bulk[0] < 20
    assert "R-hat of theta" in apart.problems[0]
    assert apart.method == "given"


def test_elements_of_a_vector_are_named(draws):
    vector = np.stack([draws, draws[:, ::-1]], axis=2)
    assert diagnose_chains({"b": vector}, labels={"b": ["age", "urban"]}).parameters == ("b[age]", "b[urban]")
    assert diagnose_chains({"b": vector}).parameters == ("b[0]", "b[1]")


def test_a_parameter_that_never_moves_is_left_out(draws):
    assert diagnose_chains({"a": draws, "b": np.ones_like(draws)}).parameters == ("a",)


@pytest.mark.parametrize(
    ("chains", "message"),
    [
        ({}, "at least one parameter"),
        ([1.0, 2.0], "must be a mapping"),
        ({"a": np.ones(10)}, "must have shape"),
        ({"a": np.ones((2, 3))}, "4 or more draws"),
        ({"a": np.ones((2, 9)), "b": np.ones((2, 8))}, "chains\\['b'\\]"),
        ({"a": np.full((2, 9), np.nan)}, "not finite"),
        ({"a": np.ones((2, 9))}, "no parameter ever changes"),
    ],
)
def test_bad_chains_are_named(chains, message):
    with pytest.raises(InputError, match=message):
        diagnose_chains(chains)


def test_autocorrelation_of_an_autoregression_falls_geometrically():
    noise = np.random.default_rng(2).normal(size=50_000)
    chain = np.empty_like(noise)
    chain[0] = noise[0]
    for t in range(1, chain.size):
        chain[t] = 0.8 * chain[t - 1] + noise[t]
    np.testing.assert_allclose(autocorrelation(chain, 5), 0.8 ** np.arange(6), atol=0.03)


@pytest.mark.parametrize(
    ("chain", "message"),
    [
        (np.ones((2, 9)), "one-dimensional"),
        (np.arange(3.0), "more than lags=5"),
        (np.ones(9), "never changes"),
        ([np.nan] * 9, "finite"),
    ],
)
def test_bad_draws_are_named(chain, message):
    with pytest.raises(InputError, match=message):
        autocorrelation(chain, 5)
