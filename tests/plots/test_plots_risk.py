"""Violins of record risks: what is drawn is what the result holds."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

import synthlab as sl
from synthlab.exceptions import InputError
from synthlab.plots.risk import plot_identification_probability, plot_record_risk

INTRUDER = sl.Intruder(known=["region"], synthesized=["income"], radius={"income": 0.2})


@pytest.fixture(scope="module")
def risk(people: pd.DataFrame, synthetic: list[pd.DataFrame]) -> sl.risk.IdentificationRiskResult:
    return sl.identification_risk(people, synthetic, INTRUDER)


@pytest.fixture(scope="module")
def probability(people: pd.DataFrame, synthetic: list[pd.DataFrame]) -> sl.risk.IdentificationProbabilityResult:
    return sl.identification_probability(people, synthetic, INTRUDER)


def marks(ax, symbol: str) -> list[np.ndarray]:
    return [np.asarray(line.get_xdata(), dtype=float) for line in ax.lines if line.get_marker() == symbol]


def labels(ax) -> list[str]:
    return [tick.get_text().replace("\n", " ") for tick in ax.get_yticklabels()]


def test_record_risk_draws_the_confidential_data_and_the_release(risk) -> None:
    ax = risk.plot()
    assert labels(ax) == ["confidential, released as is", "synthetic (mean of m = 3)"]
    means = [x[0] for x in marks(ax, "D")]
    assert means == pytest.approx([risk.baseline.record_match_risk.mean(), risk.record_match_risk.mean()])
    assert len(ax.collections) == 2
    words = [text.get_text() for text in ax.texts]
    assert "simulated data" in words
    assert any(word == f"finds {risk.expected_match_risk.mean():.1f} of 80 on average" for word in words)


def test_the_points_are_the_most_exposed_records(risk) -> None:
    points = marks(plot_record_risk(risk, points=7), ".")[1]
    assert points == pytest.approx(np.sort(risk.record_match_risk.mean(axis=1))[::-1][:7])
    assert all(x.size == 0 for x in marks(plot_record_risk(risk, points=0), "."))
    with pytest.raises(InputError, match="points=-1"):
        plot_record_risk(risk, points=-1)


def test_several_releases_share_one_confidential_violin(risk, probability) -> None:
    for draw, one in ((plot_record_risk, risk), (plot_identification_probability, probability)):
        ax = draw({"first": one, "sec$ond": one})
        assert labels(ax) == ["confidential, released as is", "first (mean of m = 3)", r"sec\$ond (mean of m = 3)"]
        assert len(ax.collections) == 3
        with pytest.raises(InputError, match="empty mapping"):
            draw({})


def test_identification_probability_draws_both_distributions(probability) -> None:
    ax = probability.plot(data="real")
    means = [x[0] for x in marks(ax, "D")]
    assert means == pytest.approx([probability.confidential.mean(), probability.record.mean()])
    assert "real data" in [text.get_text() for text in ax.texts]


def test_a_baseline_alone_and_equal_risks_can_be_drawn(risk) -> None:
    ax = plot_record_risk(risk.baseline)
    assert labels(ax) == ["synthetic"]
    same = pd.DataFrame({"region": list("ABCD"), "job": [1, 1, 1, 1]})
    equal = sl.identification_risk(
        same, same.assign(job=[1, 1, 1, 1]), sl.Intruder(known=[], synthesized=["region", "job"])
    )
    assert len(plot_record_risk(equal).collections) == 2
