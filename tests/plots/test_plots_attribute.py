"""Figures of attribute disclosure and linkage: what is drawn is what the results hold."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

import synthlab as sl
from synthlab.exceptions import InputError
from synthlab.plots import attribute as figures
from synthlab.risk import LinkageResult, attribute_risk, cap
from synthlab.risk._attack_result import scores_of

PEOPLE = pd.DataFrame({"region": list("NNNSSS"), "ill": ["yes", "yes", "no", "no", "no", "no"]})
PEOPLE.attrs["synthlab"] = {"kind": "simulated"}
pytestmark = pytest.mark.filterwarnings("ignore::synthlab.exceptions.NoBetterThanBaselineWarning")


def test_attack_and_baseline():
    risk = cap(
        PEOPLE,
        PEOPLE.assign(ill=["yes", "yes", "yes", "no", "no", "yes"]),
        sl.Intruder(known=["region"], synthesized=["ill"]),
        target="ill",
    )
    ax = risk.plot()
    assert [t.get_text() for t in ax.get_yticklabels()] == ["attack", "baseline", "confidential data"]
    points = [line.get_xdata()[0] for line in ax.lines[1::2]]
    assert points == pytest.approx([risk.attack, risk.baseline, risk.confidential])
    assert tuple(ax.lines[0].get_xdata()) == pytest.approx(risk.interval)
    assert "simulated data" in [t.get_text() for t in ax.texts]
    two = figures.plot_attack({"cost $": risk, "again": risk})
    assert two.get_yticklabels()[0].get_text() == r"cost \$: attack"
    with pytest.raises(InputError, match="empty mapping"):
        figures.plot_attack({})


@pytest.fixture(scope="module")
def posterior():
    fitted = sl.DirichletMultinomial(["ill"]).fit(PEOPLE, rng=1)
    released = PEOPLE.assign(ill=["yes"] * 5 + ["no"])
    return attribute_risk(PEOPLE, released, fitted=fitted, targets=[0, 5, 1])


def test_the_truth_before_and_after(posterior):
    ax = posterior.plot()
    drawn = np.vstack([c.get_offsets() for c in ax.collections])
    assert sorted(drawn[:, 1]) == pytest.approx(sorted(posterior.records_to_frame()["after"]))
    assert (ax.lines[0].get_ydata() == 0.5).all()
    assert "brown triangles: the truth ranks first (2 of 3)" in ax.get_xlabel()


def test_guesses(posterior):
    ax = figures.plot_guesses(posterior, 1)
    heights = [bar.get_height() for bar in ax.patches]
    assert heights[:2] == pytest.approx(list(posterior.guesses[1]["posterior"]))
    assert heights[2] == pytest.approx(posterior.scores.attack[1, 0])
    assert [t.get_text() for t in ax.get_xticklabels()] == ["no", "yes"]
    assert ax.get_title(loc="left") == "Record 5: what the intruder believes"
    with pytest.raises(InputError, match="place=3"):
        figures.plot_guesses(posterior, 3)
    with pytest.raises(InputError, match="variable='region'"):
        figures.plot_guesses(posterior, 0, variable="region")


def test_guesses_of_numbers_stand_where_they_are(posterior):
    guesses = pd.DataFrame({"income": [8.0, 10.0, 12.0], "prior": 1 / 3, "posterior": [0.2, 0.5, 0.3]})
    shown = guesses.assign(true=[False, True, False])
    one = type("Shown", (), {"guesses": (shown,), "synthesized": ("income",), "targets": np.array([7])})
    ax = figures.plot_guesses(one)
    assert [bar.get_x() + bar.get_width() / 2 for bar in ax.patches[:3]] == pytest.approx([8, 10, 12])
    assert ax.patches[3].get_x() + ax.patches[3].get_width() / 2 == pytest.approx(10)
    assert ax.get_xlabel().startswith("guess for income\n(hatched")
    assert figures.plot_guesses(one, unit="dollars").get_xlabel().startswith("guess for income, dollars\n(hatched")


def test_links():
    linked = np.array([[0], [2], [1], [3]])
    links = LinkageResult(
        scores=scores_of(linked == np.arange(4)[:, None], np.full((4, 1), 0.25), 0.95),
        linked=linked,
        probability=np.array([[0.9], [0.3], [0.6], [0.95]]),
        agreement=pd.DataFrame(),
        intruder=sl.Intruder(known=[], synthesized=["a"]),
        thresholds=(0.0, 0.5, 0.9, 0.99),
        data_kind="real",
    )
    ax = links.plot()
    np.testing.assert_allclose(ax.lines[0].get_xydata(), [[0.0, 0.5], [0.5, 2 / 3], [0.9, 1.0]])
    np.testing.assert_allclose(ax.lines[1].get_ydata(), [0.5, 0.5, 0.5])
    np.testing.assert_allclose(ax.lines[2].get_ydata(), 0.25)
    assert [t.get_text() for t in ax.texts][-1] == "real data"


def test_the_learned_attack_shows_baseline_attack_and_twin():
    draw = np.random.default_rng(1)
    own = pd.DataFrame({"income": draw.lognormal(8, 0.6, 80), "job": draw.choice(list("abc"), 80)})
    released = own.assign(income=own["income"] * 1.3, job=draw.permutation(own["job"]))
    result = sl.learned_attack(own, [released, released], synthesized=["job", "income"])
    ax = result.plot()
    assert [t.get_text() for t in ax.get_yticklabels()] == ["income", "job"]  # the largest advantage first
    circles = [line.get_xdata()[0] for line in ax.lines if line.get_marker() == "o"]
    squares = [line.get_xdata()[0] for line in ax.lines if line.get_marker() == "s"]
    twins = [line.get_xdata()[0] for line in ax.lines if line.get_marker() == "D"]
    table = result.table.loc[["income", "job"]]
    assert circles == pytest.approx(100 * table["right"])
    assert squares == pytest.approx(100 * table["baseline"])
    assert twins == pytest.approx((100 * table["right"] - table["twin_points"]).dropna())
    assert len(twins) == 1
    assert len(figures.plot_learned_attack(result, columns=1).get_yticklabels()) == 1
    with pytest.raises(InputError, match="columns"):
        figures.plot_learned_attack(result, columns=0)
