"""Figures of utility: lines where the data are."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

from synthlab.exceptions import InputError
from synthlab.plots.utility import plot_ecdf, plot_propensity, plot_shares
from synthlab.utility import pmse


def test_the_ecdf_reaches_its_steps(people: pd.DataFrame, synthetic: list[pd.DataFrame]) -> None:
    ax = plot_ecdf(people, synthetic, variable="income", shown=1.0)
    own = next(line for line in ax.lines if line.get_label() == "confidential")
    assert len(ax.lines) == 4
    assert np.unique(own.get_xdata()) == pytest.approx(np.unique(people["income"]))
    assert own.get_ydata()[-1] == 1.0
    assert ax.get_xlim()[1] > people["income"].max()
    assert ax.get_xlabel() == "income"
    cut = plot_ecdf(people, synthetic, variable="income", shown=0.5)
    assert cut.get_xlim()[1] < people["income"].max()
    assert cut.get_xlabel() == "income (axis: the lower 0.5 of all values)"


def test_the_ecdf_leaves_missing_values_out() -> None:
    frame = pd.DataFrame({"x": [1.0, np.nan, 3.0]})
    line = plot_ecdf(frame, frame, variable="x").lines[-1]
    assert set(line.get_ydata()) == {0.0, 0.5, 1.0}


def test_the_ecdf_refuses_what_it_cannot_draw(people: pd.DataFrame, synthetic: list[pd.DataFrame]) -> None:
    with pytest.raises(InputError, match="'region' is .*, not numeric"):
        plot_ecdf(people, synthetic, variable="region")
    with pytest.raises(InputError, match="'wealth' not in confidential"):
        plot_ecdf(people, synthetic, variable="wealth")
    with pytest.raises(InputError, match="shown=0"):
        plot_ecdf(people, synthetic, variable="income", shown=0)


def test_shares_have_no_values_on_their_axes() -> None:
    p = np.linspace(0, 1, 11)
    ax = plot_shares([p, p], [p**2, p**3], variable="income", data="simulated")
    assert (ax.get_xlabel(), ax.get_ylabel()) == ("share of synthetic records", "share of confidential records")
    assert ax.lines[2].get_ydata() == pytest.approx(p**3)
    with pytest.raises(InputError, match="one array per array of `synthetic`"):
        plot_shares([p], [p[:5]], variable="income")
    with pytest.raises(InputError, match="one array per array of `synthetic`"):
        plot_shares([], [], variable="income")


@pytest.mark.parametrize("m", [1, 3])
def test_propensity_draws_one_point_a_dataset(people: pd.DataFrame, synthetic: list[pd.DataFrame], m: int) -> None:
    result = pmse(people, synthetic[:m], variables=["income"])
    ax = plot_propensity(result)
    points = next(line for line in ax.lines if line.get_marker() == "o")
    assert points.get_ydata() == pytest.approx(result.pmse)
    assert ax.get_ylim()[0] == 0
