"""The replication of the risk-weighted paper: its engine, its resumption, and the committed results."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

import synthlab as sl
from synthlab import datasets
from synthlab.exceptions import InputError
from synthlab.replication import _ce_study, _nb_study, risk_weighted


@pytest.fixture(scope="module")
def paper():
    return datasets.load("nb_mixture", version="paper").frame


def test_the_grid_is_the_posterior_of_the_package(paper):
    """The synthesizer of the package, sampled with NUTS, and the grid: same priors, same answer, weighted or not."""
    y = paper["outcome"].to_numpy()
    weights = sl.risk_weights(paper, known=[], synthesized=["outcome"], radius=0.15)
    for w in (None, weights):
        fitted = sl.NegativeBinomial("outcome ~ 1").fit(paper, weights=w, rng=1)
        mu, phi = _nb_study.grid_posterior(y, w).mean()
        sampled = np.exp(fitted.posterior["intercept"]), fitted.posterior["phi"]
        for ours, theirs in zip((mu, phi), sampled, strict=True):
            assert abs(ours - theirs.mean()) < 0.15 * theirs.std()


def test_the_grid_is_normalised_and_wide_enough(paper):
    posterior = _nb_study.grid_posterior(paper["outcome"].to_numpy())
    p = posterior.probability
    assert p.sum() == pytest.approx(1)
    assert max(p[0].sum(), p[-1].sum(), p[:, 0].sum(), p[:, -1].sum()) < 1e-8
    assert (p.sum(axis=0) > 1e-4).sum() > 20
    mu, phi = posterior.draw(20_000, np.random.default_rng(1))
    assert mu.mean() == pytest.approx(posterior.mean()[0], abs=0.05)
    assert phi.mean() == pytest.approx(posterior.mean()[1], abs=0.03)


def test_expected_ir_is_the_limit_of_the_drawn_one(paper):
    y, rng = paper["outcome"].to_numpy(), np.random.default_rng(1)
    posterior = _nb_study.grid_posterior(y)
    exact = _nb_study.expected_ir(y, 0.2, posterior, rng)
    drawn = sl.identification_probability(
        paper,
        _nb_study.make_release(posterior, y.size, 400, rng),
        known=[],
        synthesized=["outcome"],
        radius={"outcome": 0.2},
    )
    assert np.abs(exact - drawn.record).max() < 5 * (drawn.per_dataset.std(axis=1).max() / 20)
    assert exact.mean() == pytest.approx(drawn.record.mean(), abs=0.004)


def test_the_radius_by_quantile():
    frame = pd.DataFrame({"gender": 1, "age": 1, "region": 1, "income": np.arange(0.0, 101.0)})
    # of the 5,050 pairs 101 - d are d apart: 100 are 1 apart, 99 are 2 apart
    assert _ce_study.quantile_radius(frame, 198 / 5050) == pytest.approx(2, abs=0.02)


@pytest.mark.slow
def test_quick_run_resumes_and_writes_a_page(tmp_path, monkeypatch):
    calls = []

    def one(frame, seed, number, resamples):
        calls.append(number)
        return real(frame, seed, number, resamples)

    real = _nb_study.repeat
    monkeypatch.setattr(_nb_study, "repeat", one)
    small = {
        "repetitions": 2,
        "samples": 1,
        "resamples": 5,
        "draws": 2,
        "sampler": {"draws": 20, "tune": 20, "thin": 1},
    }
    monkeypatch.setattr(risk_weighted, "QUICK", {**small, "nuts": {}})
    first = risk_weighted.replicate_risk_weighted(quick=True, folder=tmp_path, progress=False)
    assert len(calls) == 3
    (tmp_path / "pieces" / "paper_001.npz").unlink()
    second = risk_weighted.replicate_risk_weighted(quick=True, folder=tmp_path, progress=False)
    assert len(calls) == 4
    pd.testing.assert_frame_equal(first.study_numbers, second.study_numbers)
    pd.testing.assert_frame_equal(first.income_numbers, second.income_numbers)
    page = (tmp_path / "index.html").read_text(encoding="utf-8")
    assert page.count("<img alt=") == page.count("<figcaption>") >= 12
    assert "SIMULATED" in page
    assert "http" not in page.replace("https://", "").replace("http-equiv", "")
    assert len(list(tmp_path.glob("*.csv"))) == 5
    assert len(list(tmp_path.glob("*.csv.gz"))) == 2
    with pytest.raises(InputError, match="another seed or size"):
        risk_weighted.replicate_risk_weighted(quick=True, folder=tmp_path, rng=3, progress=False)
    with pytest.raises(InputError, match="must be a whole number"):
        risk_weighted.replicate_risk_weighted(quick=True, folder=tmp_path, rng=np.random.default_rng(1))
