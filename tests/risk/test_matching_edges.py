"""Corners of matching and of what its results show, worked by hand."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pandas as pd
import pytest

import synthlab as sl


def test_a_ball_round_two_measurements_when_one_may_be_missing():
    true = pd.DataFrame({"x": [0.0, 0.0, np.nan], "y": [0.0, np.nan, np.nan]})
    # Record 1 is in the square round target 1, not in the circle; record 2 is compared on x alone, record 3 on nothing.
    released = true.assign(x=[0.9, 0.9, np.nan], y=[0.9, np.nan, np.nan])
    options = sl.Intruder(known=[], synthesized=["x", "y"], radius={"x": 1.0, "y": 1.0}, radius_kind="absolute")
    found = {
        norm: sl.identification_risk(true, released, replace(options, norm=norm, missing="category")).match_count[:, 0]
        for norm in ("box", "euclidean")
    }
    assert found["box"].tolist() == [1, 1, 1]
    assert found["euclidean"].tolist() == [0, 1, 1]


def test_the_random_guess_of_some_of_the_records():
    people = pd.DataFrame({"region": list("NNNSSS"), "job": list("abcdef")})
    risk = sl.identification_risk(people, people, sl.Intruder(known=["region"], synthesized=["job"], targets=[0, 2, 3]))
    assert risk.random_guess == 0.5
    table = risk.summary()["random_guess"]
    assert table.iloc[0] == 0.5
    assert table.iloc[1:].isna().all()


def test_an_identification_probability_shows_its_rule_and_its_table():
    people = pd.DataFrame({"region": list("NNNN"), "income": [100.0, 105.0, 110.0, 400.0]})
    ir = sl.identification_probability(
        people, people, sl.Intruder(known=["region"], synthesized=["income"], radius=0.1)
    )
    html = ir._repr_html_()
    assert "<p>The intruder knows region and the true income; a record matches with income within 0.1 x" in html
    assert "<td>0.3750</td>" in html  # the mean of 0.25, 0.25, 0.25 and 0.75
    assert str(ir).startswith("Identification probability (IR) of 4 records, m = 1\nThe intruder knows region")
    assert ir.summary().loc["synthetic", ["mean", "max"]].tolist() == pytest.approx([0.375, 0.75])
