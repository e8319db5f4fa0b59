"""The two dials: numbers equal to those of the counts room, and boxes that show what their function computes."""

from __future__ import annotations

import pytest
from hypothesis import given, settings, strategies as st

import synthlab.counts as slc
from synthlab.counts import _gamma_cells
from synthlab.exceptions import InputError, UndefinedStatisticWarning
from synthlab.teaching.widgets import two_dials, two_dials_figure
from tests.loops import every
from tests.teaching.widgets.drawn import outside

TABLE = slc.Table.from_counts([0, 0, 0, 1, 1, 5, 20, 300], {"age": range(8)})


@settings(max_examples=25, deadline=None)
@given(st.floats(0.3, 5), st.floats(-2, 1), st.floats(0, 1))
def test_it_is_what_the_counts_room_says(sigma, nu, share):
    setting = two_dials(TABLE, sigma=sigma, nu=nu, zeros_to_ones=share)
    family = slc.GAF(sigma=sigma, nu=nu)
    risk = slc.expected_tau(TABLE, family, k=[1, 5, 20], pseudocount=0, zeros_to_ones=share)
    assert setting.kept == pytest.approx(risk.tau3.tolist())
    assert setting.true_ones == pytest.approx(risk.tau4[0])
    loss = slc.expected_loss(TABLE, family, pseudocount=0, zeros_to_ones=share)
    assert setting.loss == pytest.approx(loss.occupied + 3 * share)


def test_the_moments_of_the_cells_are_summed_once(monkeypatch):
    asked, sums = [], _gamma_cells.rounded_moments
    monkeypatch.setattr(_gamma_cells, "rounded_moments", lambda *a: asked.append(1) or sums(*a))
    two_dials(TABLE, sigma=10, nu=1)
    assert len(asked) == 1


def test_nu_leaves_a_one_alone_and_sigma_does_not():
    first = two_dials(TABLE, sigma=2, nu=-1)
    assert two_dials(TABLE, sigma=2, nu=1).kept[0] == pytest.approx(first.kept[0])
    assert two_dials(TABLE, sigma=2, nu=1).kept[2] < first.kept[2]
    assert two_dials(TABLE, sigma=3, nu=-1).kept[0] < first.kept[0]


def test_zeros_turned_into_ones_hide_the_true_ones():
    assert (
        two_dials(TABLE, sigma=2, nu=-0.5, zeros_to_ones=0.5).true_ones < two_dials(TABLE, sigma=2, nu=-0.5).true_ones
    )


def test_wrong_input_and_a_table_without_ones():
    with pytest.raises(InputError, match="sigma"):
        two_dials(TABLE, sigma=0, nu=0)
    with pytest.raises(InputError, match="nu"):
        two_dials(TABLE, sigma=1, nu=float("nan"))
    with pytest.raises(InputError, match="zeros_to_ones"):
        two_dials(TABLE, sigma=1, nu=0, zeros_to_ones=1.5)
    with pytest.warns(UndefinedStatisticWarning, match="no cell has that size"):
        two_dials(slc.Table.from_counts([5, 20], {"age": [5, 6]}), sigma=1, nu=0)


def test_the_figure_says_the_numbers():
    figure = two_dials_figure(TABLE, sigma=2, nu=-0.5, zeros_to_ones=0.25)
    assert str(two_dials(TABLE, sigma=2, nu=-0.5, zeros_to_ones=0.25)) in figure.description
    assert "25% of the empty cells become ones" in figure.description
    assert len(figure.figure.axes) == 3


@every("sigma", [0.01, 8.0])
@every("nu", [-4.0, 1.0])
def test_everything_stays_inside_at_the_ends_of_the_boxes(sigma, nu):
    assert outside(two_dials_figure(TABLE, sigma=sigma, nu=nu, zeros_to_ones=1.0).figure) == []
