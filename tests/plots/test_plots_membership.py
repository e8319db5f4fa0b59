"""ROC curves of membership: what is drawn is what the results hold."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

import synthlab as sl
from synthlab.exceptions import InputError
from synthlab.plots.membership import plot_membership_attack

PEOPLE = pd.DataFrame({"ill": ["yes"] + ["no"] * 30}, index=["$Ann", *range(30)])


@pytest.fixture(scope="module")
def attack():
    options = {"targets": [3, 0], "fits": 40, "false_positives": 0.1, "rng": 1, "n_jobs": 1}
    return sl.membership_attack(PEOPLE, sl.Resample(["ill"]), **options)


def test_the_curves_of_the_records_the_best_told_first(attack):
    ax = attack.plot(data="simulated")
    chance, first, second = ax.lines
    assert list(chance.get_xdata()) == [0, 1]
    for line, place in ((first, 1), (second, 0)):
        table = attack.roc(place)
        np.testing.assert_array_equal(line.get_xdata(), table["false_positives"])
        np.testing.assert_array_equal(line.get_ydata(), table["true_positives"])
    words = [text.get_text() for text in ax.get_legend().get_texts()]
    assert words == ["chance", f"row 0: AUC {attack.auc[1]:.2f}", f"row 3: AUC {attack.auc[0]:.2f}"]
    assert "simulated data" in [text.get_text() for text in ax.texts]
    assert not ax.collections


def test_several_attacks_have_a_curve_each(attack):
    ax = plot_membership_attack({"one": attack, "again": attack})
    assert [text.get_text().partition(":")[0] for text in ax.get_legend().get_texts()] == ["chance", "one", "again"]
    with pytest.raises(InputError, match="result: is an empty mapping"):
        plot_membership_attack({})


def test_the_region_beyond_a_claim(attack):
    ax = attack.plot(epsilon=1.0, delta=0.1)
    edge = ax.collections[0].get_paths()[0].vertices
    assert edge[:, 1].min() == pytest.approx(0.1)
    corner = (1 - 0.1) / (1 + np.e)  # where both lines meet
    below = edge[np.abs(edge[:, 0] - corner) < 0.003]
    assert below[:, 1].min() == pytest.approx(1 - corner, abs=0.02)
    assert ax.get_legend().get_texts()[0].get_text() == "beyond epsilon 1, delta 0.1"
    for bad in ({"epsilon": 0.0}, {"epsilon": -1.0}, {"epsilon": np.inf}, {"epsilon": 1.0, "delta": 1.0}):
        with pytest.raises(InputError):
            attack.plot(**bad)


def test_the_curve_of_the_best_test():
    people = pd.DataFrame({"ill": ["yes"] * 4 + ["no"] * 30}, index=["$Ann", *range(33)])
    fitted = sl.DirichletMultinomial(["ill"]).fit(people, rng=1)
    found = sl.membership_risk(people, fitted.generate(m=1, rng=2), fitted, targets=[4, 0])
    ax = found.plot()
    np.testing.assert_array_equal(ax.lines[1].get_ydata(), found.roc()["true_positives"])
    assert ax.get_legend().get_texts()[1].get_text() == f"row 0: advantage {found.advantage[1]:.2f}"
