"""ROC curves of membership: what is drawn is what the results hold."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

import synthlab as sl
from synthlab.exceptions import InputError


@pytest.fixture(scope="module")
def result():
    people = pd.DataFrame({"ill": ["yes"] * 4 + ["no"] * 30}, index=["$Ann", *range(33)])
    fitted = sl.DirichletMultinomial(["ill"]).fit(people, rng=1)
    return sl.membership_risk(people, fitted.generate(m=1, rng=2), fitted, targets=[4, 0])


def test_the_curve_of_the_best_test(result):
    ax = result.plot(data="simulated")
    np.testing.assert_array_equal(ax.lines[1].get_ydata(), result.roc()["true_positives"])
    assert ax.get_legend().get_texts()[1].get_text() == f"row 0: advantage {result.advantage[1]:.2f}"
    assert "simulated data" in [text.get_text() for text in ax.texts]
    assert not ax.collections


def test_the_region_beyond_a_claim(result):
    ax = result.plot(epsilon=1.0, delta=0.1)
    edge = ax.collections[0].get_paths()[0].vertices
    assert edge[:, 1].min() == pytest.approx(0.1)
    corner = (1 - 0.1) / (1 + np.e)  # where both lines meet
    below = edge[np.abs(edge[:, 0] - corner) < 0.003]
    assert below[:, 1].min() == pytest.approx(1 - corner, abs=0.02)
    for bad in ({"epsilon": 0.0}, {"epsilon": -1.0}, {"epsilon": np.inf}, {"epsilon": 1.0, "delta": 1.0}):
        with pytest.raises(InputError):
            result.plot(**bad)
