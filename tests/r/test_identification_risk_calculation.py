"""Our matching risk beside the R package, live, in the same run."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pandas as pd
import pytest

import synthlab as sl
from synthlab.exceptions import InputError, KnownVariableChangedWarning, SynthlabWarning
from synthlab.r import identification_risk as risk_in_r, probe

pytestmark = [
    pytest.mark.r,
    pytest.mark.filterwarnings(f"ignore::{SynthlabWarning.__module__}.SynthlabWarning"),
    pytest.mark.skipif(
        not probe().has("IdentificationRiskCalculation"),
        reason=probe().problem or "the R package IdentificationRiskCalculation is not installed",
    ),
]


def assert_same(ours, theirs):
    np.testing.assert_array_equal(ours.match_count, theirs.match_count)
    np.testing.assert_array_equal(ours.contains_true, theirs.contains_true)
    np.testing.assert_array_equal(ours.unique_true, theirs.unique_true)
    np.testing.assert_array_equal(ours.unique_false, theirs.unique_false)
    np.testing.assert_allclose(ours.expected_match_risk, theirs.expected_match_risk, rtol=1e-12)
    np.testing.assert_allclose(ours.false_match_rate, theirs.false_match_rate, rtol=1e-12)


@pytest.mark.parametrize("kind", ["relative", "absolute"])
@pytest.mark.parametrize("m", [1, 3])
def test_continuous_with_zeros_negatives_and_ties(kind, m):
    rng = np.random.default_rng(5)
    n = 300
    # Multiples of 0.5: many values sit exactly at the end of an interval.
    frame = pd.DataFrame(
        {
            "my age": rng.integers(20, 80, n),
            "g`r'oup": rng.choice(["a", "ü", "c d"], n),
            "y": rng.integers(-10, 60, n) / 2,
            "x": np.round(rng.normal(50, 20, n)),
        }
    )
    sets = [frame.assign(y=rng.permutation(frame["y"]), x=frame["x"] + rng.integers(-5, 6, n)) for _ in range(m)]
    arguments = sl.Intruder(
        known=["g`r'oup", "my age"],
        synthesized=["x", "y"],
        radius={"y": 0.5, "x": 0.1, "my age": 0.25} if kind == "relative" else {"y": 2.5, "x": 4, "my age": 10},
        radius_kind=kind,
    )
    ours = sl.identification_risk(frame, sets, replace(arguments, convention="irc"))
    assert ours.expected_match_risk.min() > 0
    assert_same(ours, risk_in_r(frame, sets, arguments))


def test_categorical_with_levels_only_in_a_later_dataset():
    rng = np.random.default_rng(6)
    frame = pd.DataFrame(rng.integers(0, 3, (200, 4)), columns=list("abcd"))
    sets = [frame.assign(d=rng.integers(0, 3, 200)), frame.assign(d=rng.integers(0, 5, 200))]
    arguments = sl.Intruder(known=["a", "b"], synthesized=["c", "d"])
    assert_same(
        sl.identification_risk(frame, sets, replace(arguments, convention="irc")),
        risk_in_r(frame, sets, arguments),
    )


@pytest.mark.parametrize("radius", [None, {"y": 0.2}])
def test_an_intruder_who_knows_nothing(radius):
    frame = pd.DataFrame({"y": [10, 11, 20, 30, 30], "c": list("aabba")})
    synthetic = frame.assign(y=[11, 10, 22, 30, 35])
    arguments = sl.Intruder(known=[], synthesized=["y", "c"], radius=radius)
    ours = sl.identification_risk(frame, synthetic, replace(arguments, convention="irc"))
    theirs = risk_in_r(frame, synthetic, arguments)
    assert theirs.match_count[:, 0].tolist() == ([1, 1, 0, 1, 0] if radius is None else [2, 2, 1, 1, 1])
    assert theirs.intruder.known == ()
    assert_same(ours, theirs)


def test_names_that_r_would_make_the_same():
    frame = pd.DataFrame([[1, 2], [1, 3], [2, 2]], columns=["a b", "a.b"])
    synthetic = frame.assign(**{"a.b": [3, 3, 2]})
    arguments = sl.Intruder(known=["a b"], synthesized=["a.b"])
    theirs = risk_in_r(frame, synthetic, arguments)
    assert theirs.match_count[:, 0].tolist() == [0, 2, 1]
    assert_same(sl.identification_risk(frame, synthetic, replace(arguments, convention="irc")), theirs)


def test_what_ours_refuses_is_refused():
    frame = pd.DataFrame({"g": [1, 1, 2], "y": [10.0, 20.0, 30.0]})
    arguments = sl.Intruder(known=["g"], synthesized=["y"], radius={"y": 0.1})
    bad = {
        "'g' holds number values .* and text": frame.assign(g=["1", "1", "2"]),
        "synthetic dataset 1: column 'y' has 1 infinite": frame.assign(y=[np.inf, 1, 2]),
    }
    for message, synthetic in bad.items():
        for measure in (sl.identification_risk, risk_in_r):
            with pytest.raises(InputError, match=message):
                measure(frame, synthetic, arguments)
    with pytest.warns(KnownVariableChangedWarning, match="known variable 'g' differs"):
        risk_in_r(frame, frame.assign(g=[1, 2, 2]), arguments)


def test_missing_values_are_refused():
    frame = pd.DataFrame({"g": [1, 1], "y": [1.0, np.nan]})
    with pytest.raises(InputError, match="'y' has 1 missing"):
        risk_in_r(frame, frame, sl.Intruder(known=["g"], synthesized=["y"], radius={"y": 0.1}))
