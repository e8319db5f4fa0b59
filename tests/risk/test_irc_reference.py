"""The matching measures against the recorded output of the R package IdentificationRiskCalculation."""

from __future__ import annotations

import dataclasses
import hashlib
import json
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

import synthlab as sl
from synthlab.exceptions import SynthlabWarning

ROOT = Path(__file__).resolve().parents[2]
RECORDED = json.loads((ROOT / "data/reference/identification_risk_calculation.json").read_text())
CASES = RECORDED["cases"]
pytestmark = [pytest.mark.real, pytest.mark.filterwarnings(f"ignore::{SynthlabWarning.__module__}.SynthlabWarning")]


def run(case, folder):
    listed = lambda v: [v] if isinstance(v, str) else list(v)  # noqa: E731
    confidential = pd.read_csv(folder / case["confidential"])
    synthetic = [pd.read_csv(folder / name) for name in listed(case["synthetic"])]
    known, synthesized = listed(case["known"]), listed(case["synthesized"])
    radius = None
    if "radius_argument" in case:
        # R takes the radii in the order of the columns of the dataset.
        used = [c for c in confidential.columns if c in known + synthesized and c not in case["categorical"]]
        radius = dict(zip(used, case["radius_argument"], strict=True))
    return sl.identification_risk(
        confidential,
        synthetic,
        sl.Intruder(
            known=known,
            synthesized=synthesized,
            radius=radius,
            radius_kind="relative" if case.get("percentage", True) else "absolute",
            convention="irc",
        ),
    )


@pytest.mark.parametrize("case", CASES, ids=[c["id"] for c in CASES])
def test_summaries_equal_r(case, real_data):
    risk = run(case, real_data)
    assert risk.n_unique.tolist() == np.atleast_1d(case["unique_matches"]).tolist()
    np.testing.assert_allclose(risk.expected_match_risk, case["expected_match_risk"], rtol=1e-12)
    np.testing.assert_allclose(risk.true_match_rate, case["true_match_rate"], rtol=1e-12)
    np.testing.assert_allclose(risk.false_match_rate, case["false_match_rate"], rtol=1e-12)
    assert risk.match_count.sum(axis=0).tolist() == np.atleast_1d(case["sum_c"]).tolist()
    assert (risk.match_count == 0).sum(axis=0).tolist() == np.atleast_1d(case["records_without_match"]).tolist()
    assert risk.contains_true.sum(axis=0).tolist() == np.atleast_1d(case["sum_T_where_c_positive"]).tolist()


@pytest.mark.parametrize("name", ["acs-synthetic-lecture", "ce-income"])
def test_every_record_equals_r(name, real_data, reference):
    risk = run(next(c for c in CASES if c["id"] == name), real_data)
    recorded = pd.read_csv(reference / f"records_{name}.csv.gz")
    for dataset in range(risk.m):
        rows = recorded[recorded["dataset"] == dataset + 1].sort_values("record")
        count = rows["c"].to_numpy()
        assert (risk.match_count[:, dataset] == count).all()
        # R reports T = 1 where nothing matches; the definition says 0, so T is compared where c > 0.
        some = count > 0
        assert (risk.contains_true[some, dataset] == rows["T"].to_numpy(bool)[some]).all()
        assert not risk.contains_true[~some, dataset].any()
        assert (risk.unique_true[:, dataset] == rows["K"].to_numpy(bool)).all()
        assert (risk.unique_false[:, dataset] == rows["F"].to_numpy(bool)).all()
        np.testing.assert_allclose(risk.record_match_risk[:, dataset], rows["risk"], rtol=1e-12)


def test_the_samples_are_those_r_saw(real_data):
    for name, digest in RECORDED["inputs_sha256"].items():
        assert hashlib.sha256((real_data / name).read_bytes()).hexdigest() == digest


def test_conventions_differ_as_documented(real_data):
    """Income within 10%: the signed open interval, the open one with |y|, the closed one."""
    confidential = pd.read_csv(real_data / "ce_hornby.csv")
    synthetic = pd.read_csv(real_data / "ce_hornby_synthetic_1.csv")
    someone = sl.Intruder(known=["Age", "Urban", "Marital"], synthesized=["Income"], radius={"Age": 0.1, "Income": 0.1})
    choices = ({"convention": "irc"}, {"boundary": "open"}, {"boundary": "closed"})
    intruders = [dataclasses.replace(someone, **choice) for choice in choices]
    found = [float(sl.identification_risk(confidential, synthetic, one).expected_match_risk[0]) for one in intruders]
    assert np.round(found, 2).tolist() == [193.11, 195.11, 210.85]
    assert int((confidential["Income"] <= 0).sum()) == 449
