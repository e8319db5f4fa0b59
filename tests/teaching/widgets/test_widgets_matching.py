"""The control shows what its function computes, and nothing it does not."""

from __future__ import annotations

import warnings

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
import pytest

import synthlab as sl
from synthlab.exceptions import InputError, SynthlabWarning
from synthlab.teaching.widgets import match_risk_by_radius, match_risk_figure
from tests.teaching.widgets.drawn import outside

CHOICES = {"region and sex": ["region", "sex"], "region": ["region"], "nothing else": []}


@pytest.fixture(scope="module")
def data():
    rng = np.random.default_rng(3)
    frame = pd.DataFrame(
        {"region": rng.integers(0, 4, 80), "sex": rng.integers(0, 2, 80), "income": rng.lognormal(3, 1, 80)}
    )
    return frame, [frame.assign(income=rng.permutation(frame["income"])) for _ in range(3)]


def risk_at(frame, released, radius):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", SynthlabWarning)
        return sl.identification_risk(
            frame, released, sl.Intruder(known=["region"], synthesized=["income"], radius={"income": radius})
        )


def test_the_table_is_identification_risk_at_each_radius(data):
    frame, released = data
    table = match_risk_by_radius(frame, released, known=["region"], synthesized="income", radii=[0.5, 0.1, 0.5])
    assert table.index.tolist() == [0.1, 0.5]
    for radius, row in table.iterrows():
        risk = risk_at(frame, released, radius)
        assert row["synthetic"] == pytest.approx(risk.expected_match_risk.mean())
        assert row["synthetic_min"] == pytest.approx(risk.expected_match_risk.min())
        assert row["synthetic_max"] == pytest.approx(risk.expected_match_risk.max())
        assert row["confidential"] == pytest.approx(risk.baseline.expected_match_risk[0])
        assert row["known_only"] == pytest.approx(4.0)


def test_the_limits(data):
    frame, released = data
    table = match_risk_by_radius(frame, released, known=["region"], synthesized="income", radii=[1e-9, 1e9])
    assert table.loc[1e-9, "confidential"] == pytest.approx(80)
    assert table.loc[1e9].to_numpy() == pytest.approx(4.0)
    assert np.diff(match_risk_by_radius(frame, released, known=[], synthesized="income")["confidential"]).max() <= 1e-9


def test_the_figure_says_in_words_what_it_shows(data):
    frame, released = data
    figure = match_risk_figure(frame, released, known=["region"], synthesized="income", radius=0.15)
    risk = risk_at(frame, released, 0.15)
    assert f"is {risk.expected_match_risk.mean():,.1f} in the synthetic data" in figure.description
    assert "within 15%" in figure.description
    assert "4.0 from the known variables alone" in figure.description
    assert plt.get_fignums() == []


@pytest.mark.parametrize("radii", [[], [0.0], [-0.1], [float("nan")], ["a"]])
def test_radii_that_are_none(data, radii):
    with pytest.raises(InputError, match="radii"):
        match_risk_by_radius(data[0], data[1], known=["region"], synthesized="income", radii=radii)


@pytest.mark.parametrize("known", [["region", "sex"], []])
def test_everything_stays_inside_at_the_ends_of_the_boxes(data, known):
    for radius in (0.001, 0.2, 10.0):
        figure = match_risk_figure(data[0], data[1], known=known, synthesized="income", radius=radius).figure
        assert outside(figure) == []
