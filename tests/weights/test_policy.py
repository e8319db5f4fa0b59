"""policy_frontier: every setting tried, the frontier among them, and the cheapest one allowed."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

import synthlab as sl
from synthlab.exceptions import InputError

ANSWERS = {
    (1.0, 0.0): (0.9, 0.01),
    (1.0, 0.1): (0.95, 0.02),
    (0.5, 0.0): (0.4, 0.05),
    (0.5, 0.1): (0.5, 0.04),
    (0.2, 0.0): (0.4, 0.30),
}


def evaluate(scale, shift):
    return ANSWERS.get((scale, shift), (0.45, 0.2))


def test_by_hand():
    found = sl.policy_frontier(evaluate, {"scale": [1.0, 0.5, 0.2], "shift": [0.0, 0.1]}, limit=0.5, progress=False)
    assert found.chosen == {"scale": 0.5, "shift": 0.1}
    assert len(found.to_frame()) == 6
    assert found.table["allowed"].sum() == 4
    # (0.95, 0.02) is beaten by (0.9, 0.01), (0.4, 0.30) by (0.4, 0.05), (0.45, 0.2) too
    assert found.summary()[["risk", "loss"]].to_numpy().tolist() == [[0.4, 0.05], [0.5, 0.04], [0.9, 0.01]]
    assert "least loss among them at scale = 0.5, shift = 0.1" in str(found)
    assert found._repr_html_().startswith("<p>6 settings")


def test_settings_may_be_words():
    found = sl.policy_frontier(
        lambda singletons, order: (0.4 if singletons == "certain" else 0.9, 0.1 * order),
        {"singletons": ["formula", "certain"], "order": [1, 2]},
        limit=0.5,
        progress=False,
    )
    assert found.chosen == {"singletons": "certain", "order": 1}
    assert "least loss among them at singletons = certain, order = 1:" in str(found)


def test_no_setting_meets_the_policy():
    found = sl.policy_frontier(evaluate, {"scale": [1.0], "shift": [0.0, 0.1]}, limit=0.5, progress=False)
    assert found.best is None
    assert found.chosen is None
    assert "no setting meets the policy" in found.title


@pytest.mark.filterwarnings("ignore::synthlab.exceptions.ConvergenceWarning")
def test_the_whole_loop():
    """Risk, weights, refit, risk: the smaller the scale, the less of the data is left in the release."""
    rng = np.random.default_rng(0)
    frame = pd.DataFrame({"g": rng.integers(0, 2, 300), "x": rng.normal(size=300)})
    frame["y"] = np.exp(3 + 0.8 * frame["x"] + rng.normal(0, 0.15, 300))
    question = sl.Intruder(known=["g"], synthesized=["y"], radius={"y": 0.2})

    def loop(scale, shift):
        weights = sl.risk_weights(frame, question, scale=scale, shift=shift).weights
        fitted = sl.FiniteMixture("y ~ x", classes=2, transform="log").fit(
            frame, weights=weights, rng=1, draws=100, tune=200
        )
        release = fitted.generate(m=10, rng=1)
        ir = sl.identification_probability(frame, release, question)
        return np.quantile(ir.record, 0.99), sl.ecdf_utility(frame, release, variables=["y"]).ecdf_max.mean()

    found = sl.policy_frontier(
        loop, {"scale": [1.0, 0.05], "shift": [0.0, 1.0]}, limit=0.75, risk_name="99% quantile of IR", progress=False
    )
    table = found.table.set_index(["scale", "shift"])
    assert table.loc[(0.05, 0.0), "risk"] < table.loc[(1.0, 1.0), "risk"]
    assert table.loc[(0.05, 0.0), "loss"] > table.loc[(1.0, 1.0), "loss"]


def test_bad_input():
    with pytest.raises(InputError, match="settings: must be a mapping"):
        sl.policy_frontier(evaluate, {}, limit=0.5)
    with pytest.raises(InputError, match="'scale' has no values"):
        sl.policy_frontier(evaluate, {"scale": []}, limit=0.5)
    with pytest.raises(InputError, match="'risk' has no values, or a reserved name"):
        sl.policy_frontier(evaluate, {"risk": [1]}, limit=0.5)
    with pytest.raises(InputError, match=r"must return \(risk, loss\)"):
        sl.policy_frontier(lambda scale: 1.0, {"scale": [1]}, limit=0.5)
    with pytest.raises(InputError, match="both must be finite"):
        sl.policy_frontier(lambda scale: (np.nan, 1.0), {"scale": [1]}, limit=0.5)
    for function in (None, "x"):
        with pytest.raises(InputError, match=f"evaluate={function!r}: must be a function evaluate"):
            sl.policy_frontier(function, {"scale": [1]}, limit=0.5)
    with pytest.raises(InputError, match="settings: 1 is not text"):
        sl.policy_frontier(evaluate, {1: [1]}, limit=0.5)
    with pytest.raises(InputError, match=r"settings\['scale'\]=1.0: must be a list of values to try"):
        sl.policy_frontier(evaluate, {"scale": 1.0}, limit=0.5)


def test_a_function_that_cannot_be_called_so():
    for evaluate in (int, lambda scale: (0.5, 0.5), lambda: (0.5, 0.5)):
        with pytest.raises(InputError, match="evaluate: cannot be called with scale, shift"):
            sl.policy_frontier(evaluate, {"scale": [1.0], "shift": [0.0]}, limit=0.5, progress=False)

    def faulty(scale):
        return len(scale)

    with pytest.raises(TypeError, match="has no len"):
        sl.policy_frontier(faulty, {"scale": [1.0]}, limit=0.5, progress=False)
