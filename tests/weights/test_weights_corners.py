"""Weights and their bookkeeping at the edges: a rise of just the threshold, defaults that change nothing, bad settings."""

from __future__ import annotations

import numpy as np
import pytest

import synthlab as sl
from synthlab.exceptions import InputError
from synthlab.weights import ScalarWeightMechanism
from synthlab.weights._whack_a_mole import WhackAMoleResult


def moles(**given):
    # In quarters, which floats hold exactly: record 1 rises by the threshold, record 2 by more, record 3 falls.
    values = {
        "before": np.array([0.25, 0.25, 0.5]),
        "after": np.array([0.5, 0.75, 0.0]),
        "null": np.array([0.5, 0.25, 1.0]),
        "expected_before": np.array([0.0, 0.0, 0.0]),
        "expected_after": np.array([0.25, 0.5, 0.5]),
    }
    return WhackAMoleResult(**{**values, **given}, threshold=0.25, limit=0.5)


def test_a_rise_of_the_threshold_is_none():
    found = moles()
    assert found.risen.tolist() == [False, True, False]
    assert (found.n_risen, found.n_risen_by_noise, found.n_beyond_noise, found.n_expected_risen) == (1, 1.0, 0.0, 2.0)
    # One record rises in the first comparison alone, one in the other alone.
    assert found.excess_z == 0.0
    assert found.expected_rise.tolist() == [0.25, 0.5, 0.5]


@pytest.mark.parametrize("absent", ["expected_before", "expected_after"])
def test_an_expected_rise_needs_both_ends(absent):
    found = moles(**{absent: None})
    assert np.isnan(found.n_expected_risen)
    assert found.expected_rise is None


def test_without_a_null_nothing_is_said_of_noise():
    found = moles(null=None)
    assert np.isnan([found.n_risen_by_noise, found.n_beyond_noise, found.excess_z]).all()


def test_scale_and_shift_change_nothing_by_default():
    assert sl.scale_and_shift([0.0, 0.25, 1.0]).tolist() == [0.0, 0.25, 1.0]


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"lipschitz_bound": 0.0}, "lipschitz_bound"),
        ({"quantile": 0.0}, "quantile"),
        ({"quantile": 1.5}, "quantile"),
        ({"tolerance": 0.0}, "tolerance"),
        ({"max_fits": 0}, "max_fits"),
        ({"start": 0.0}, "start"),
        ({"start": 1.5}, "start"),
    ],
)
def test_settings_of_one_weight_for_all(change, message):
    settings = {"synthesizer": sl.NormalRegression("y ~ x"), "lipschitz_bound": 0.5, "quantile": 1.0, "tolerance": 0.5}
    assert ScalarWeightMechanism(**settings, max_fits=1, start=1.0).start == 1.0
    with pytest.raises(InputError, match=message):
        ScalarWeightMechanism(**{**settings, **change})


def test_an_equal_loss_with_less_risk_dominates():
    # a and b lose the same and a risks less; c and a risk the same and a loses less; d equals a.
    answers = {"a": (0.25, 0.5), "b": (0.5, 0.5), "c": (0.25, 0.75), "d": (0.25, 0.5)}
    found = sl.policy_frontier(lambda setting: answers[setting], settings={"setting": list("abcd")}, limit=0.5)
    assert found.table["on_frontier"].tolist() == [True, False, False, True]
    assert found.table["allowed"].tolist() == [True] * 4
