"""Epsilon accounting, the exponential mechanism's weight, and the weight at an equal bound."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings, strategies as st

from synthlab.exceptions import ConvergenceWarning, InputError
from synthlab.weights import achieved_epsilon, exponential_mechanism_weight, lipschitz_weights, match_lipschitz_bound

LOG = np.array([[-1.0, -4.0, 2.0], [-2.0, -3.0, 2.5], [-8.0, -3.0, 1.0], [-1.0, -3.5, 0.5]])


def test_by_hand():
    """Weighted by 1, 0.5, 2: rows have largest 4, 5, 8, 1.75; three of four draws are kept at 0.67."""
    spent = achieved_epsilon(LOG, [1.0, 0.5, 2.0], quantile=0.67, m=5)
    assert spent.draw_sensitivity.tolist() == [4.0, 5.0, 8.0, 1.75]
    assert spent.kept.tolist() == [True, True, False, True]
    assert spent.sensitivity.tolist() == [2.0, 2.0, 5.0]
    assert (spent.lipschitz_bound, spent.epsilon_per_draw, spent.epsilon_total) == (5.0, 10.0, 50.0)
    assert spent.for_datasets(2).epsilon_total == 20.0
    assert spent.adjacency.startswith("leave one out")


def test_no_weights_is_weight_one():
    ones = achieved_epsilon(LOG, np.ones(3), quantile=1.0)
    none = achieved_epsilon(LOG, n=3, quantile=1.0)
    assert (
        none.lipschitz_bound == ones.lipschitz_bound == lipschitz_weights(LOG, n=3, quantile=1.0).lipschitz_bound == 8.0
    )


def test_a_record_of_weight_zero_costs_nothing():
    log = LOG.copy()
    log[:, 1] = -np.inf
    spent = achieved_epsilon(log, [1.0, 0.0, 1.0], quantile=1.0)
    assert spent.sensitivity.tolist() == [8.0, 0.0, 2.5]
    with pytest.raises(InputError, match="probability 0"):
        achieved_epsilon(log, [1.0, 0.1, 1.0], quantile=1.0)


def test_blocks_take_their_own_weights():
    weights = np.array([0.2, 1.0, 0.6])
    whole = achieved_epsilon(LOG, weights, quantile=0.5)
    pieces = achieved_epsilon(lambda: [LOG[:, :1], LOG[:, 1:]], weights, quantile=0.5)
    np.testing.assert_array_equal(pieces.sensitivity, whole.sensitivity)
    np.testing.assert_array_equal(pieces.kept, whole.kept)


@pytest.mark.parametrize(
    ("weights", "options", "message"),
    [
        ([1.0, 1.0], {}, "has 2 values, but log_likelihood has more records"),
        ([1.0] * 4, {}, "4 draws of 3 records, not of n=4"),
        ([1.0, -1.0, 0.0], {}, "must be >= 0; 1 of 3 entries, the first at position 1, are not"),
        ([0.0, 0.0, 0.0], {}, "all weights are zero"),
        (None, {"n": 3, "m": 0}, "m=0: must be an int >= 1"),
        (None, {"n": 3, "quantile": 0.0}, "quantile=0.0"),
    ],
)
def test_bad_arguments(weights, options, message):
    with pytest.raises(InputError, match=message):
        achieved_epsilon(LOG, weights, **{"quantile": 0.9, **options})


def test_the_result_is_honest():
    text = str(achieved_epsilon(LOG, n=3, quantile=1.0, m=3))
    for words in (
        "local and asymptotic", "one omitted record", "for one draw", "m = 3 datasets", "cryptographic", "does not include the cost",
    ):  # fmt: skip
        assert words in text
    assert achieved_epsilon(LOG, n=3, quantile=1.0)._repr_html_().count("<tr") > 5
    assert achieved_epsilon(LOG, n=3, quantile=1.0).to_frame()["sensitivity"].tolist() == [8.0, 4.0, 2.5]


def test_formula_of_the_exponential_mechanism():
    assert exponential_mechanism_weight(6.0, 12.0) == 0.25
    assert exponential_mechanism_weight(30.0, 12.0) == 1.0
    for bad in ((0.0, 1.0), (1.0, 0.0), (-1.0, 1.0), (np.inf, 1.0), ("1", 1.0)):
        with pytest.raises(InputError, match="must be a finite number"):
            exponential_mechanism_weight(*bad)


@settings(deadline=None, max_examples=50)
@given(power=st.floats(0.3, 2.0), level=st.floats(2.0, 50.0), share=st.floats(0.02, 0.9))
def test_the_solver_reaches_the_bound(power, level, share):
    """Any power law between weight and bound is solved; the target lies below what weight 1 reaches."""
    target = level * share
    found = match_lipschitz_bound(lambda w: level * w**power, target, start=share, tolerance=0.001, max_fits=30)
    assert found.matched
    assert found.weight == pytest.approx(share ** (1 / power), rel=0.01)


def test_the_solver_with_a_bound_that_grows_as_the_posterior_spreads():
    found = match_lipschitz_bound(lambda w: w * (10 - 3 * np.log(w)), 4.0, start=0.4, tolerance=1e-4)
    assert found.matched
    assert found.tried["weight"].iloc[0] == 0.4
    assert found.tried["lipschitz_bound"].iloc[0] > 4.0  # the formula's weight misses its own target
    assert found.weight < 0.4
    assert "after" in found.title
    assert found.to_frame().equals(found.tried)
    assert found.summary().loc["refits", "value"] == len(found.tried)
    assert found._repr_html_().startswith("<p>Weight")


def test_noise_is_met_with_a_warning_and_the_nearest_weight():
    rng = np.random.default_rng(1)
    with pytest.warns(ConvergenceWarning, match="the closest of 6 refits"):
        found = match_lipschitz_bound(
            lambda w: 10 * w * np.exp(rng.normal(0, 0.2)), 4.0, start=0.4, tolerance=1e-9, max_fits=6
        )
    assert not found.matched
    gaps = np.abs(np.log(found.tried["lipschitz_bound"] / 4.0))
    assert found.weight == found.tried.loc[gaps.idxmin(), "weight"]


def test_a_target_above_the_unweighted_bound():
    with pytest.warns(ConvergenceWarning, match="weight 1, reaches 10"):
        found = match_lipschitz_bound(lambda w: 10 * w, 20.0, start=1.0)
    assert len(found.tried) == 1


def test_weight_1_is_tried_where_every_smaller_one_stays_below():
    with pytest.warns(ConvergenceWarning, match="the closest of 2 refits, weight 1, reaches 1"):
        found = match_lipschitz_bound(lambda w: w, 5.0, start=0.4)
    assert found.tried["weight"].tolist() == [0.4, 1.0]
    # A power law through two refits points above 1, and the answer is below it.
    found = match_lipschitz_bound(lambda w: 2 * w if w < 0.9 else 10 * w, 9.5, start=0.4, max_fits=30)
    assert found.matched
    assert found.weight == pytest.approx(0.95, rel=0.01)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"target": 0.0}, "target=0.0"),
        ({"start": 1.5}, "start=1.5"),
        ({"tolerance": 0.0}, "tolerance=0.0"),
        ({"max_fits": 0}, "max_fits=0"),
        ({"bound_of": lambda w: np.nan}, r"bound_of\(weight\)=nan"),
    ],
)
def test_bad_arguments_of_the_solver(arguments, message):
    good = {"bound_of": lambda w: w, "target": 0.5, "start": 0.5}
    with pytest.raises(InputError, match=message):
        match_lipschitz_bound(**{**good, **arguments})


def test_a_transposed_matrix_is_no_privacy_statement():
    log = np.random.default_rng(1).normal(-3.0, 1.0, size=(20, 30))
    assert achieved_epsilon(log, n=30, quantile=1.0).sensitivity.shape == (30,)
    assert achieved_epsilon(log, np.ones(30), quantile=1.0).sensitivity.shape == (30,)
    for call in (
        lambda: achieved_epsilon(log.T, n=30, quantile=1.0),
        lambda: lipschitz_weights(log.T, n=30, quantile=0.9),
        lambda: achieved_epsilon(lambda: [log.T[:, :5], log.T[:, 5:]], n=30, quantile=1.0),
    ):
        with pytest.raises(InputError, match=r"30 draws of 20 records, not of n=30; it is transposed"):
            call()
    with pytest.raises(InputError, match="log_likelihood"):
        achieved_epsilon(log.T, np.ones(30), quantile=1.0)
    with pytest.raises(InputError, match="n: required without weights"):
        achieved_epsilon(log, quantile=1.0)
    with pytest.raises(InputError, match="n=20: must equal the number of weights, 30"):
        achieved_epsilon(log, np.ones(30), n=20, quantile=1.0)


@pytest.mark.parametrize("answer", [0, None, 1.5])
def test_a_function_that_returns_no_blocks(answer):
    with pytest.raises(InputError, match="log_likelihood: the function must return"):
        lipschitz_weights(lambda: answer, n=3, quantile=0.9)


@pytest.mark.parametrize("given", ["matrix", "rows", "blocks", "function"])
def test_masked_likelihoods_are_refused(given):
    log = np.ma.masked_array(LOG, mask=False)
    log[0, 0] = np.ma.masked
    several = {"matrix": log, "rows": [log[0], log[1]], "blocks": [log[:, :1], log[:, 1:]], "function": lambda: [log]}
    for call in (
        lambda: achieved_epsilon(several[given], n=3, quantile=1.0),
        lambda: lipschitz_weights(several[given], n=3, quantile=1.0),
    ):
        with pytest.raises(InputError, match=r"log_likelihood.*1 values are masked"):
            call()
    with pytest.raises(InputError, match="weights: 1 values are masked"):
        achieved_epsilon(LOG, np.ma.masked_array([1.0, 1.0, 1.0], mask=[True, False, False]), quantile=1.0)
