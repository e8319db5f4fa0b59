"""What data/reference records of R is what R says now."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from synthlab.intruder import Intruder
from synthlab.r import identification_risk, probe

RECORDED = Path(__file__).resolve().parents[2] / "data/reference/identification_risk_calculation.json"
CASES = json.loads(RECORDED.read_text())["cases"]

pytestmark = [
    pytest.mark.r,
    pytest.mark.real,
    pytest.mark.skipif(
        not probe().has("IdentificationRiskCalculation"),
        reason=probe().problem or "the R package IdentificationRiskCalculation is not installed",
    ),
    pytest.mark.filterwarnings("ignore::synthlab.exceptions.SynthlabWarning"),
]


@pytest.mark.parametrize("case", CASES, ids=[c["id"] for c in CASES])
def test_matching(case, real_data):
    confidential = pd.read_csv(real_data / case["confidential"])
    radius = None
    if "radius_argument" in case:
        used = [c for c in confidential.columns if c in case["known"] + case["synthesized"]]
        radius = dict(zip([c for c in used if c not in case["categorical"]], case["radius_argument"], strict=True))
    live = identification_risk(
        confidential,
        [pd.read_csv(real_data / name) for name in case["synthetic"]],
        Intruder(
            known=case["known"],
            synthesized=case["synthesized"],
            radius=radius,
            radius_kind="relative" if case.get("percentage", True) else "absolute",
        ),
    )
    assert live.n_unique.tolist() == case["unique_matches"]
    assert live.match_count.sum(axis=0).tolist() == case["sum_c"]
    for name in ("expected_match_risk", "true_match_rate", "false_match_rate"):
        np.testing.assert_allclose(getattr(live, name), case[name], rtol=1e-13)
