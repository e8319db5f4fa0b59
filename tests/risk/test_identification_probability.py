"""identification_probability: by hand, by the definition, and at the edges."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings, strategies as st

import synthlab as sl
from synthlab.exceptions import InputError, SingletonPatternWarning

ARGUMENTS = {"known": ["g"], "synthesized": ["y"], "radius": {"y": 0.1}}


def test_by_hand():
    confidential = pd.DataFrame({"g": list("NNNN"), "y": [100.0, 105.0, 110.0, 400.0]})
    synthetic = confidential.assign(y=[109.0, 300.0, 110.0, 401.0])
    ir = sl.identification_probability(confidential, [synthetic, confidential], sl.Intruder(**ARGUMENTS))
    # Ball of record 1 is [90, 110]: 300 and 401 lie outside; record 2's own value left its ball.
    assert ir.per_dataset[:, 0].tolist() == [0.5, 0.0, 0.5, 0.75]
    assert ir.per_dataset[:, 1].tolist() == ir.confidential.tolist() == [0.25, 0.25, 0.25, 0.75]
    assert ir.record.tolist() == [0.375, 0.125, 0.375, 0.75]
    assert ir.summary().loc["confidential", "max"] == 0.75
    assert list(ir.to_frame().index) == [1, 2]


@settings(max_examples=100, deadline=None)
@given(
    rows=st.lists(
        st.tuples(st.integers(0, 2), st.integers(-5, 5), st.integers(-5, 5), st.integers(-3, 3), st.integers(-3, 3)),
        min_size=1,
        max_size=25,
    ),
    r=st.sampled_from([0.0, 0.25, 1.0]),
    boundary=st.sampled_from(["closed", "open"]),
)
@pytest.mark.filterwarnings("ignore::synthlab.exceptions.SingletonPatternWarning")
def test_equals_the_definition(rows, r, boundary):
    g, y, z, a, b = zip(*rows, strict=True)
    confidential = pd.DataFrame({"g": g, "y": y, "x": a})
    synthetic = pd.DataFrame({"g": g, "y": z, "x": b})
    ir = sl.identification_probability(
        confidential,
        synthetic,
        sl.Intruder(known=["g"], synthesized=["y", "x"], radius={"y": r, "x": 1.0}, boundary=boundary),
    )
    for i in range(len(rows)):
        pattern = [h for h in range(len(rows)) if g[h] == g[i]]

        def inside(h, i=i):
            gaps = [(abs(z[h] - y[i]), r * abs(y[i])), (abs(b[h] - a[i]), 1.0 * abs(a[i]))]
            return all(gap <= d if boundary == "closed" else gap < d for gap, d in gaps)

        expected = inside(i) * sum(not inside(h) for h in pattern) / len(pattern)
        assert ir.record[i] == pytest.approx(expected, abs=1e-15)
    weights = sl.risk_weights(
        confidential,
        sl.Intruder(known=["g"], synthesized=["y", "x"], radius={"y": r, "x": 1.0}, boundary=boundary),
        order=1,
    ).weights
    np.testing.assert_allclose(1 - ir.confidential, weights, atol=1e-13)


def test_singletons():
    frame = pd.DataFrame({"g": list("NNS"), "y": [1.0, 5.0, 1.0]})
    with pytest.warns(SingletonPatternWarning, match="1 of 3 records are alone"):
        ir = sl.identification_probability(frame, frame, sl.Intruder(**ARGUMENTS))
    assert ir.record.tolist() == [0.5, 0.5, 0.0]
    certain = sl.identification_probability(frame, frame, sl.Intruder(**ARGUMENTS), singletons="certain")
    assert certain.record.tolist() == [0.5, 0.5, 1.0]
    assert certain.singleton.tolist() == [False, False, True]


def test_an_open_ball_without_width_leaves_its_own_record_the_most_exposed():
    frame = pd.DataFrame({"y": [0.0, -10.0, 5.0, 100.0]})
    question = sl.Intruder(known=[], synthesized=["y"], radius={"y": 0.1}, boundary="open")
    ir = sl.identification_probability(frame, frame, question)
    assert ir.confidential.tolist() == [1.0, 0.75, 0.75, 0.75]
    np.testing.assert_allclose(1 - ir.confidential, sl.risk_weights(frame, question, order=1).weights)
    assert ir.record.tolist() == [0.0, 0.75, 0.75, 0.75]


def test_one_pattern_when_nothing_is_known():
    frame = pd.DataFrame({"y": np.arange(1.0, 11.0)})
    ir = sl.identification_probability(frame, frame, sl.Intruder(known=[], synthesized=["y"], radius={"y": 0}))
    assert ir.record.tolist() == [0.9] * 10
    assert ir.pattern_size[:, 0].tolist() == [10] * 10


def test_a_known_variable_has_no_radius():
    frame = pd.DataFrame({"g": [1, 1], "y": [1.0, 2.0]})
    with pytest.raises(InputError, match="radius: 'g' is a known variable"):
        sl.identification_probability(frame, frame, sl.Intruder(**{**ARGUMENTS, "radius": {"g": 1, "y": 1}}))
    with pytest.raises(InputError, match="singletons='maybe'"):
        sl.identification_probability(frame, frame, sl.Intruder(**ARGUMENTS), singletons="maybe")
