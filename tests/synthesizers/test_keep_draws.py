"""Keeping some posterior draws of a fit: the others are gone."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

import synthlab as sl
from synthlab.exceptions import InputError, UndefinedStatisticWarning


@pytest.fixture(scope="module")
def fitted():
    frame = pd.DataFrame({"a": list("xxyyyz"), "b": list("uvuvuv")})
    return sl.DirichletMultinomial(["a"], given=["b"]).fit(frame, rng=1, draws=10, chains=2)


def test_a_mask_and_numbers_say_the_same(fitted):
    mask = np.zeros(20, dtype=bool)
    mask[[3, 12, 19]] = True
    for kept in (mask, [3, 12, 19], np.array([3, 12, 19])):
        part = fitted.keep_draws(kept)
        assert part.n_draws == 3
        np.testing.assert_array_equal(part.posterior["theta"], fitted.posterior["theta"][[3, 12, 19]])
        np.testing.assert_array_equal(part.log_likelihood(), fitted.log_likelihood()[[3, 12, 19]])


def test_one_draw_has_no_standard_deviation(fitted):
    with pytest.warns(UndefinedStatisticWarning, match="sd: one draw has no standard deviation"):
        table = fitted.keep_draws([5]).posterior.summary()
    assert table["sd"].isna().all()
    np.testing.assert_array_equal(table["mean"], fitted.posterior["theta"][5].ravel())


def test_the_fit_itself_is_as_it_was(fitted):
    fitted.keep_draws([1])
    assert fitted.n_draws == 20
    assert fitted.posterior.by_chain["theta"].shape[:2] == (2, 10)


def test_the_numbering_is_chain_after_chain(fitted):
    np.testing.assert_array_equal(
        fitted.keep_draws([11]).posterior["theta"][0], fitted.posterior.by_chain["theta"][1, 1]
    )


@pytest.mark.parametrize(
    ("kept", "message"),
    [
        ([], "non-empty"),
        ([20], r"kept: positions must lie in \[0, 19\]"),
        ([-1], "positions must lie in"),
        ([1, 1], "kept: names a draw twice"),
        (np.zeros(20, dtype=bool), "selects no draw"),
        (np.ones(5, dtype=bool), "has 5 values, there are 20 draws"),
        ([0.5], "ints or a boolean mask"),
        (None, "kept=None"),
    ],
)
def test_bad_draws(fitted, kept, message):
    with pytest.raises(InputError, match=message):
        fitted.keep_draws(kept)


def test_a_method_without_draws():
    frame = pd.DataFrame({"a": [1.0, 2.0]})
    with pytest.raises(InputError, match="no posterior draws to keep"):
        sl.Resample(["a"]).fit(frame).keep_draws([0])


def test_a_sequence_keeps_the_draws_of_its_parts():
    frame = pd.DataFrame({"a": list("xxyyyz"), "b": list("uvuvuv")})
    model = sl.Sequential([sl.DirichletMultinomial(["a"]), sl.DirichletMultinomial(["b"], given=["a"])])
    whole = model.fit(frame, rng=1, draws=10, chains=1)
    part = whole.keep_draws([2, 7])
    assert part.n_draws == 2
    np.testing.assert_allclose(part.log_likelihood(), whole.log_likelihood()[[2, 7]])
    assert part.generate(m=2, rng=1).m == 2


def test_pseudo_log_likelihood_without_weights_is_the_log_likelihood(fitted):
    np.testing.assert_array_equal(fitted.pseudo_log_likelihood(), fitted.log_likelihood())
