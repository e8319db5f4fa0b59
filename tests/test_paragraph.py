"""The loop at the heart of the package reads as one paragraph: fit, generate, measure, weight, fit again, compare."""

from __future__ import annotations

import warnings

import synthlab as sl
from synthlab.exceptions import NoBetterThanBaselineWarning


def test_risk_to_weights_to_risk():
    survey = sl.datasets.load("ce2017")
    model = sl.NormalRegression("income ~ C(region) + age")
    arguments = {"known": ["region", "age"], "synthesized": ["income"], "radius": {"income": 0.2}}
    release = model.fit(survey.frame, rng=1).generate(m=5, rng=1)
    weights = sl.risk_weights(survey.frame, **arguments, order=2)
    safer = model.fit(survey.frame, weights=weights, rng=1).generate(m=5, rng=1)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", NoBetterThanBaselineWarning)
        risk = sl.identification_risk(survey.frame, release, **arguments)
        table = sl.compare({"unweighted": release, "pairwise": safer}, confidential=survey.frame, **arguments, rng=1)
    assert survey.kind == "simulated"
    assert risk.expected_match_risk.mean() < risk.baseline.expected_match_risk[0]
    assert weights.shape == (survey.n,)
    assert 0 <= weights.min() < weights.max() <= 1
    assert {"unweighted", "pairwise"} <= set(table.to_frame().reset_index().astype(str).to_numpy().ravel())
    assert "pairwise" in str(table)
