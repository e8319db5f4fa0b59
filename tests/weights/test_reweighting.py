"""Weights that use what the bound allows, and the bound against the number of records."""

from __future__ import annotations

import warnings

import numpy as np
import pandas as pd
import pytest

import synthlab as sl
from synthlab.exceptions import InputError, SynthlabWarning
from synthlab.weights import (
    PseudoPosteriorMechanism,
    ScalarWeightMechanism,
    achieved_epsilon,
    bound_by_size,
    reweighted,
)
from tests.loops import every

LOG = np.array([[-1.0, -4.0, -2.0, -9.0], [-2.0, -3.0, -2.5, -8.0]])


def test_by_hand():
    """Reached are 2, 2, 1.25 and 0; three fits in four draws: 0.9 * 2 / reached, times the weight."""
    alpha = np.array([1.0, 0.5, 0.5, 0.0])
    reached = achieved_epsilon(LOG, alpha, quantile=1.0).sensitivity
    assert reached.tolist() == [2.0, 2.0, 1.25, 0.0]
    np.testing.assert_allclose(reweighted(alpha, reached, share=0.9), [0.9, 0.45, 0.72, 0.0])


def test_under_the_same_draws_the_bound_is_the_share_of_what_it_was():
    rng = np.random.default_rng(1)
    log, alpha = rng.normal(-4, 1, (200, 50)), rng.random(50)
    before = achieved_epsilon(log, alpha, quantile=1.0)
    again = reweighted(alpha, before.sensitivity, share=0.8)
    after = achieved_epsilon(log, again, quantile=1.0)
    free = again < 1
    np.testing.assert_allclose(after.sensitivity[free], 0.8 * before.lipschitz_bound)
    assert (after.sensitivity <= 0.8 * before.lipschitz_bound + 1e-12).all()
    # Where the share is 1 no weight falls.
    assert (reweighted(alpha, before.sensitivity, share=1.0) >= alpha - 1e-12).all()


@every(
    ("weights", "sensitivity", "share", "message"),
    [
        ([1.0, 2.0], [1.0, 1.0], 0.9, r"weights: must be in \[0, 1\]"),
        ([1.0, -1.0], [1.0, 1.0], 0.9, "weights: must be >= 0"),
        ([1.0, 0.5], [1.0], 0.9, r"sensitivity: must have shape \(2,\)"),
        ([1.0, 0.5], [1.0, -1.0], 0.9, "sensitivity: must be >= 0"),
        ([1.0, 0.5], [0.0, 0.0], 0.9, "above 0 for at least one record"),
        ([1.0, 0.5], [1.0, np.inf], 0.9, "sensitivity: must be a vector of finite numbers"),
        ([1.0, 0.5], [1.0, 1.0], 0.0, "share=0.0"),
        ([1.0, 0.5], [1.0, 1.0], 1.1, "share=1.1"),
        ([0.3, 0.3], [1.0, 1.0], 5e-324, "share=5e-324.*: is so small"),
    ],
)
def test_bad_input(weights, sensitivity, share, message):
    with pytest.raises(InputError, match=message):
        reweighted(weights, sensitivity, share=share)


@pytest.fixture(scope="module")
def women():
    return sl.datasets.load("affairs").frame


def test_the_mechanism_fits_once_more(women):
    """Dirichlet-multinomial draws are exact and fast: the three steps by hand with the streams of the mechanism."""
    model = sl.DirichletMultinomial(["rate_marriage"])
    options = {"scale": 0.5, "quantile": 0.95}
    plain = PseudoPosteriorMechanism(synthesizer=model, **options).fit(women, rng=1, draws=500)
    again = PseudoPosteriorMechanism(synthesizer=model, reweight=0.95, **options).fit(women, rng=1, draws=500)
    np.testing.assert_array_equal(
        again.record_weights, reweighted(plain.record_weights, plain.accounting.sensitivity, share=0.95)
    )
    np.testing.assert_array_equal(again.record_weights, again.weights.weights)
    assert again.record_weights.mean() > 1.2 * plain.record_weights.mean()
    # More weight moves the posterior: the bound is that of the refit, here 15% above the first one, not the one aimed at.
    assert 1.0 < again.accounting.lipschitz_bound / plain.accounting.lipschitz_bound < 1.25
    third = np.random.default_rng(1).spawn(3)[2]
    refit = model.fit(women, weights=again.record_weights, rng=third, draws=500)
    spent = achieved_epsilon(refit.pseudo_log_likelihood(), n=len(women), quantile=0.95)
    assert spent.lipschitz_bound == again.accounting.lipschitz_bound


@pytest.mark.parametrize("share", [0.0, -1.0, 1.5, np.nan, "1", True])
def test_a_share_that_is_none(share):
    with pytest.raises(InputError, match="reweight="):
        PseudoPosteriorMechanism(synthesizer=sl.DirichletMultinomial(["x"]), quantile=0.9, reweight=share)


def test_bounds_of_files_come_together_where_there_is_a_limit(women):
    """Five ratings: once every one is in every file, the bound is a function of shares that settle."""
    mechanism = PseudoPosteriorMechanism(
        synthesizer=sl.DirichletMultinomial(["rate_marriage"]), quantile=0.95, mapping="maximum", shift=0.2, scale=0.8
    )
    found = bound_by_size(mechanism, women, sizes=[100, 1000, 6000], files=4, rng=1, draws=300)
    table = found.summary()
    assert table.index.tolist() == [100, 1000, 6000]
    assert table["files"].tolist() == [4, 4, 4]
    assert table["relative spread"].iloc[2] < 0.5 * table["relative spread"].iloc[0]
    assert (found.table["unweighted"] > found.table["lipschitz_bound"]).all()
    assert "n = 100 to n = 6,000" in found.title


def test_files_of_a_function_and_their_streams():
    def counts(n, rng):
        return pd.DataFrame({"x": rng.choice(["a", "b", "c"], size=n, p=[0.6, 0.3, 0.1])})

    mechanism = ScalarWeightMechanism(
        synthesizer=sl.DirichletMultinomial(["x"]), lipschitz_bound=1.0, quantile=0.9, max_fits=2
    )
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", SynthlabWarning)
        few = bound_by_size(mechanism, counts, sizes=[50], files=2, rng=3, draws=50).to_frame()
        more = bound_by_size(mechanism, counts, sizes=[50], files=3, rng=3, draws=50).to_frame()
    pd.testing.assert_frame_equal(few, more.iloc[:2])
    assert few["lipschitz_bound"].nunique() == 2


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"sizes": []}, "sizes: must contain at least one"),
        ({"sizes": [1]}, "sizes: must be ints >= 2"),
        ({"sizes": [10_000_000]}, "sizes: must be at most [0-9,]+, the number of records of data$"),
        ({"files": 0}, "files=0"),
        ({"mechanism": 3}, "mechanism"),
        ({"data": 3}, "data"),
        ({"data": lambda n, rng: pd.DataFrame({"rate_marriage": [1, 2]})}, "must return 50 records, but it returned 2"),
    ],
)
def test_experiments_that_cannot_be_done(women, changes, message):
    mechanism = PseudoPosteriorMechanism(synthesizer=sl.DirichletMultinomial(["rate_marriage"]), quantile=0.9)
    arguments = {"mechanism": mechanism, "data": women, "sizes": [50], "files": 1, **changes}
    with pytest.raises(InputError, match=message):
        bound_by_size(**arguments, rng=1, draws=20)
