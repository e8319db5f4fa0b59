"""Betty's three cases, and a control that shows what its function computes."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, strategies as st

from synthlab.exceptions import InputError, SingletonPatternWarning
from synthlab.teaching.widgets import BETTY, one_record_figure, one_record_probability
from tests.loops import every
from tests.teaching.widgets.drawn import outside


@pytest.mark.parametrize(
    ("case", "expected"),
    [("few near her", Fraction(10, 13)), ("well covered", Fraction(5, 13)), ("not near herself", Fraction(0))],
)
def test_the_three_cases_of_figure_1(case, expected):
    risk = one_record_probability(BETTY[case], true_value=50, radius=10)
    assert risk.probability == pytest.approx(float(expected), abs=1e-15)
    assert (risk.size, risk.own_inside) == (13, case != "not near herself")


@given(
    st.lists(st.integers(-50, 50), min_size=2, max_size=12),
    st.integers(-50, 50),
    st.integers(0, 40),
    st.data(),
)
def test_it_is_the_share_outside_if_the_own_value_is_inside(values, centre, radius, data):
    own = data.draw(st.integers(0, len(values) - 1))
    risk = one_record_probability(values, true_value=centre, radius=radius, own=own)
    near = [abs(value - centre) <= radius for value in values]
    assert risk.outside == near.count(False)
    assert risk.own_inside == near[own]
    assert risk.probability == pytest.approx(near.count(False) / len(values) if near[own] else 0.0)


def test_somebody_alone_in_the_pattern_is_warned_about():
    with pytest.warns(SingletonPatternWarning, match="1 of 1 records"):
        assert one_record_probability([50.0], true_value=50, radius=10).probability == 0


def test_the_figure_says_in_words_what_it_shows():
    described = one_record_figure(BETTY["few near her"], true_value=50, radius=10).description
    assert "10 of their synthetic values are outside the band from 40 to 60" in described
    assert "IR = 10/13 x T = 10/13 x 1 = 0.769" in described
    nobody = one_record_figure(BETTY["not near herself"], true_value=50, radius=10, name="Ada").description
    assert "does not find Ada" in nobody


@every("true_value", [-1e6, 12.0, 50.0, 1e6])
def test_everything_stays_inside_for_extreme_values(true_value):
    for radius, own in ((0.0, 53.0), (10.0, -1e6), (1e6, 170.0)):
        values = [own, *BETTY["well covered"][1:]]
        assert outside(one_record_figure(values, true_value=true_value, radius=radius).figure) == []


@pytest.mark.parametrize("values", [[], [np.nan], ["a"], [[1.0]]])
def test_values_that_are_none(values):
    with pytest.raises(InputError, match="synthetic"):
        one_record_probability(values, true_value=50, radius=10)


def test_bad_settings():
    with pytest.raises(InputError, match="radius"):
        one_record_probability([1.0], true_value=1, radius=-1)
    with pytest.raises(InputError, match="own"):
        one_record_probability([1.0], true_value=1, radius=1, own=1)
