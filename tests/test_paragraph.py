"""The loop at the heart of the package reads as one paragraph: fit, generate, measure, weight, fit again, compare."""

from __future__ import annotations

import contextlib
import io
from typing import Any

import numpy as np
import pytest

import synthlab as sl

PARAGRAPH = """
import synthlab as sl

survey  = sl.datasets.load("ce2017")
someone = sl.Intruder(known=["region", "age"], synthesized=["income"], radius={"income": 0.2})

release = sl.NormalRegression("income ~ C(region) + age").fit(survey, rng=1).generate(m=20, rng=2)
risk    = sl.identification_risk(survey, release, someone)
weights = sl.risk_weights(survey, someone, order=2)
safer   = sl.NormalRegression("income ~ C(region) + age").fit(survey, weights=weights, rng=1).generate(m=20, rng=2)
print(sl.compare(survey, {"unweighted": release, "pairwise": safer}, someone))
"""


@pytest.fixture(scope="module", params=[2, pytest.param(20, marks=pytest.mark.full)])
def run(request: pytest.FixtureRequest) -> dict[str, Any]:
    """Run the paragraph with so many datasets; all that the tests say of it holds with few of them too."""
    names: dict[str, Any] = {}
    with contextlib.redirect_stdout(io.StringIO()) as out, pytest.warns(sl.exceptions.NoBetterThanBaselineWarning):
        exec(compile(PARAGRAPH.replace("m=20", f"m={request.param}"), "paragraph", "exec"), names)  # noqa: S102
    return {**names, "printed": out.getvalue()}


def test_risk_to_weights_to_risk(run: dict[str, Any]) -> None:
    risk, weights = run["risk"], run["weights"]
    assert run["survey"].kind == "simulated"
    assert risk.expected_match_risk.mean() < risk.baseline.expected_match_risk[0]
    assert risk.intruder.radii == {"income": 0.2}
    assert len(weights) == run["survey"].n
    assert 0 <= weights.weights.min() < weights.weights.max() <= 1
    assert "The intruder knows region, age and the true income" in run["printed"]
    for name in ("unweighted", "pairwise", "expected_match_risk"):
        assert name in run["printed"]


def test_a_survey_and_its_frame_are_one(run: dict[str, Any]) -> None:
    survey, someone = run["survey"], run["someone"]
    model = sl.NormalRegression("income ~ C(region) + age")
    plain = model.fit(survey.frame, weights=run["weights"].weights, rng=1).generate(m=1, rng=2)
    np.testing.assert_array_equal(plain[0]["income"], run["safer"][0]["income"])
    same = sl.risk_weights(survey.frame, someone, order=2)
    np.testing.assert_array_equal(same, run["weights"])


def test_the_loop_goes_on_with_any_order_and_radius(run: dict[str, Any]) -> None:
    by_number = sl.Intruder(known=["region", "age"], synthesized=["income"], radius=0.2)
    weights = sl.risk_weights(run["survey"], by_number, order=2)
    np.testing.assert_array_equal(weights, run["weights"])
    assert weights.intruder.radii == {"income": 0.2}
    assert str(weights) == str(run["weights"])
