"""Figures of weights: what is drawn is what the results hold."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

import synthlab as sl
from synthlab.exceptions import InputError
from synthlab.plots import weights as figures


def test_whack_a_mole_marks_the_risen_records():
    moles = sl.whack_a_mole([0.1, 0.2, 0.6, 0.9], [0.5, 0.3, 0.1, 0.2], null=[0.1, 0.2, 0.6, 0.9])
    ax = moles.plot(labels=("plain", "cost $ & <b>"), data="simulated")
    others, risen = ax.collections[:2]
    np.testing.assert_allclose(risen.get_offsets(), [[0.1, 0.5]])
    assert len(others.get_offsets()) == 3
    line = ax.lines[0].get_xydata()
    np.testing.assert_array_equal(line[:, 0], line[:, 1])
    assert ax.get_title(loc="left") == "1 rise by more than 0.25\n0 between two plain releases"
    assert ax.get_ylabel() == r"IR, cost \$ & <b>"
    assert "simulated data" in [t.get_text() for t in ax.texts]
    limit = next(t for t in ax.texts if t.get_text() == "limit 0.5")
    assert limit.get_position()[0] > 1
    assert limit.get_transform() == ax.get_yaxis_transform()


def test_weights_over_the_density():
    values = np.array([1.0, 2.0, 2.0, 5.0, -3.0])
    ax = figures.plot_weights(values, {"marginal": [0.1, 0.5, 0.5, 0.2, 0.3]}, label="income (dollars)", log=True)
    assert ax.lines[0].get_xydata().tolist() == [[1.0, 0.1], [2.0, 0.5], [2.0, 0.5], [5.0, 0.2]]
    assert ax.get_xlabel() == "income (dollars) (1 records <= 0 are not shown)"
    with pytest.raises(InputError, match="shape"):
        figures.plot_weights(values, [0.5, 0.5])
    with pytest.raises(InputError, match="nothing to draw"):
        figures.plot_weights(values, {})
    with pytest.raises(InputError, match="there are none"):
        figures.plot_weights(-values[:4], [0.5] * 4, log=True)


def test_frontier():
    found = sl.policy_frontier(lambda scale: (scale, 1 - scale), {"scale": [0.2, 0.5, 0.9]}, limit=0.6, progress=False)
    ax = found.plot()
    assert ax.get_xlabel() == "risk: maximum IR"
    chosen = ax.lines[-1].get_xydata()
    np.testing.assert_allclose(chosen, [[0.5, 0.5]])


def test_groups_and_estimates():
    ax = figures.plot_risk_groups({"Data": [0.5, 0.9, 0.7], "Marginal": [0.1, 0.2, 0.3]})
    assert [t.get_text() for t in ax.get_yticklabels()] == ["Data", "Marginal"]
    assert "mean 0.700" in [t.get_text() for t in ax.texts]
    with pytest.raises(InputError, match="empty mapping"):
        figures.plot_risk_groups({})
    table = pd.DataFrame({"estimate": [1.0, 2.0], "low": [0.5, 1.0], "high": [1.5, 3.0]}, index=["Data", "S"])
    ax = figures.plot_estimates(table, label="mean (dollars)")
    assert ax.get_xlabel() == "mean (dollars)"
    assert ax.lines[-1].get_xydata().tolist() == [[2.0, 0.0]]
