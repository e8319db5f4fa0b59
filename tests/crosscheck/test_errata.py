"""Slips in the papers and the lecture code that no formula of the counts is about (those: tests/counts/test_count_errata.py)."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

import synthlab as sl
from synthlab.r import reference

pytestmark = pytest.mark.filterwarnings("ignore::synthlab.exceptions.SynthlabWarning")
PATTERNS = 40  # Hu, Savitsky and Williams, section 2.3
UNIQUES = range(62, 65)  # Reiter and Mitra, section 3: 64


def test_5_the_patterns_are_by_region_not_by_education():
    frame = sl.datasets.load("ce2017").frame
    found = {third: frame.groupby(["gender", "age", third], observed=True).ngroups for third in ("region", "education")}
    assert found["region"] == PATTERNS == 2 * 5 * 4
    assert found["education"] != PATTERNS


def test_6_the_ball_is_on_income_not_on_its_logarithm():
    """20% of log(60,000) is 2.2, a factor of nine to either side: nobody is alone in such a ball."""
    frame = sl.datasets.load("ce2017").frame
    logged = frame.assign(income=np.log(frame["income"].clip(lower=1)))
    rule = sl.Intruder(known=["gender", "age", "region"], synthesized=["income"], radius={"income": 0.2})
    on_income, on_log = (sl.identification_probability(f, f, rule).confidential.mean() for f in (frame, logged))
    assert on_income > 0.8
    assert on_log < 0.1


def test_7_nobody_matches_and_r_says_that_the_right_one_is_among_them():
    answer = reference("match_risk", live=False)
    assert answer.value(what="c", case="nobody matches") == 0
    assert answer.value(what="T", case="nobody matches") == 1
    confidential, synthetic = (pd.DataFrame({"g": [1], "y": [y]}) for y in (100.0, 500.0))
    ours = sl.identification_risk(
        confidential, synthetic, sl.Intruder(known=["g"], synthesized=["y"], radius={"y": 0.1})
    )
    assert not ours.contains_true.any()
    # The three summaries do not look at T where c = 0.
    assert ours.expected_match_risk.tolist() == ours.true_match_rate.tolist() == [0.0]


@pytest.mark.real
def test_8_the_uniques_are_by_ethnicity_not_by_sex(real_data):
    frame = sl.datasets.load("youths", version="real").frame
    uniques = {}
    for third in ("ethnicty", "gender"):
        size = frame.groupby(["facility", "race", third], observed=True).size()
        uniques[third] = int((size == 1).sum())
    assert uniques["ethnicty"] in UNIQUES
    assert uniques["gender"] not in UNIQUES
