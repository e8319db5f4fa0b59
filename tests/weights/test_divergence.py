"""Theorem 1 from draws, against closed forms; and what several releases cost together."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pandas as pd
import pytest
from scipy.special import betaln, digamma

import synthlab as sl
from synthlab import dp
from synthlab.exceptions import InputError, LowEffectiveSampleSizeWarning
from synthlab.weights import PseudoPosteriorMechanism, leave_one_out_divergence, total_epsilon


def kl_beta(a, b, c, d):
    """Of Beta(a, b) from Beta(c, d)."""
    return betaln(c, d) - betaln(a, b) + (a - c) * digamma(a) + (b - d) * digamma(b) + (c - a + d - b) * digamma(a + b)


def test_a_rate_with_and_without_a_person():
    """Twenty answers, six of them yes, flat prior: Beta(7, 15), without a yes Beta(6, 15), without a no Beta(7, 14)."""
    p = np.random.default_rng(1).beta(7, 15, size=200_000)
    found = leave_one_out_divergence(np.log(np.column_stack([p, 1 - p])), n=2)
    np.testing.assert_allclose(found.forward, [kl_beta(7, 15, 6, 15), kl_beta(7, 15, 7, 14)], rtol=0.02)
    np.testing.assert_allclose(found.reverse, [kl_beta(6, 15, 7, 15), kl_beta(7, 14, 7, 15)], rtol=0.02)
    ratio = np.log(p) + betaln(6, 15) - betaln(7, 15)  # of the densities of Beta(7, 15) and Beta(6, 15)
    assert found.log_ratio[0] == pytest.approx(np.abs(ratio).max(), abs=0.02)


def test_nothing_is_beyond_the_bound():
    values = np.random.default_rng(2).normal(0, 0.5, size=(400, 30))
    values[:, 3] = 1.7  # a constant cancels
    found = leave_one_out_divergence(values, n=30)
    for one in (found.forward, found.reverse, found.log_ratio):
        assert (one <= found.bound).all()
        assert one[3] == pytest.approx(0.0, abs=1e-12)
    assert found.bound == 2 * np.abs(values).max()
    assert found.effective[3] == pytest.approx(400)
    assert found.largest == max(found.forward.max(), found.reverse.max())
    assert found.summary().loc["bound", "value"] == found.bound
    assert len(found.to_frame()) == 30


def test_few_draws_that_count_are_named():
    values = np.zeros((500, 4))
    values[0, 2] = -50.0
    with pytest.warns(LowEffectiveSampleSizeWarning, match="1 of 4 records have fewer than 100 effective draws"):
        leave_one_out_divergence(values, n=4)


@pytest.mark.parametrize(
    ("values", "n", "message"),
    [
        (np.zeros((5, 3)), 5, r"must have shape \(draws, n=5\)"),
        (np.zeros(5), 5, r"must have shape \(draws, n=5\)"),
        (np.zeros((0, 3)), 3, "at least one draw"),
        (np.full((5, 3), -np.inf), 3, "must be finite"),
        (np.zeros((5, 3)), 0, "n=0"),
        ("abc", 3, "contributions"),
    ],
)
def test_contributions_that_are_none(values, n, message):
    with pytest.raises(InputError, match=message):
        leave_one_out_divergence(values, n=n)


@pytest.fixture(scope="module")
def releases():
    survey = sl.datasets.load("affairs").frame
    mechanism = PseudoPosteriorMechanism(synthesizer=sl.DirichletMultinomial(["rate_marriage"]), quantile=0.9)
    fitted = mechanism.fit(survey, rng=1, draws=50)
    return fitted.generate(m=1, rng=1), fitted.generate(m=4, rng=2)


def test_releases_add_up(releases):
    one, four = releases
    assert total_epsilon(releases) == pytest.approx(5 * one.provenance["epsilon_per_draw"])
    assert total_epsilon([four]) == four.provenance["epsilon_total"]


def test_datasets_that_are_not_accounted_for_are_not_free(releases):
    """The datasets of two releases, with the provenance of one of them."""
    one, four = releases
    mixed = sl.Release([*one.frames, *four.frames], one.synthesized, one.provenance)
    with pytest.raises(InputError, match=r"releases\[1\]: has 5 datasets, but its accounting is for 1"):
        total_epsilon([four, mixed])
    part = sl.Release(four.frames[:2], four.synthesized, four.provenance)
    assert total_epsilon([part]) == four.provenance["epsilon_total"]


def test_private_tables_add_up_and_not_with_a_posterior(releases):
    people = pd.DataFrame({"tenure": ["owns"] * 6 + ["rents"] * 4})
    options = {"levels": {"tenure": ["owns", "rents"]}, "n_synthetic": 5, "epsilon": 0.25, "m": 3}
    tables = [
        dp.private_table(people, rng=seed, adjacency=way, **options).release()
        for seed, way in ((1, "add-remove"), (2, "add-remove"), (3, "replace"))
    ]
    assert total_epsilon(tables[:2]) == 1.5
    for other in (tables[2], releases[0]):
        with pytest.raises(InputError, match="define neighbors differently"):
            total_epsilon([tables[0], other])


def changed(release, **provenance):
    return replace(release, provenance={**release.provenance, **provenance})


def test_an_unknown_account_is_not_left_out(releases):
    one, four = releases
    survey = sl.datasets.load("affairs").frame
    plain = sl.DirichletMultinomial(["rate_marriage"]).fit(survey, rng=1, draws=10).generate(m=1, rng=1)
    with pytest.raises(InputError, match=r"releases\[1\]: its accounting is unknown"):
        total_epsilon([one, plain])
    for unknown in (None, "2", np.inf, np.nan, -1.0, True):
        with pytest.raises(InputError, match=r"releases\[0\]: its accounting is unknown"):
            total_epsilon([changed(four, epsilon_total=unknown)])
    with pytest.raises(InputError, match="exceeds the largest float"):
        total_epsilon([changed(one, epsilon_total=1.7e308)] * 2)
    with pytest.raises(InputError, match="define neighbors differently"):
        total_epsilon([one, changed(four, adjacency="replace")])
    with pytest.raises(InputError, match="at least one release"):
        total_epsilon([])
    with pytest.raises(InputError, match=r"releases\[0\]: must be a Release, got int"):
        total_epsilon([3])
