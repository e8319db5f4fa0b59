"""Synthesizers under a survey design: the pseudo-likelihood, what is estimated, and adjusted draws."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

import synthlab as sl
from synthlab.exceptions import InputError

N = 300
FEW = {"draws": 100, "tune": 100}
pytestmark = pytest.mark.filterwarnings("ignore::synthlab.exceptions.ConvergenceWarning")


def survey(n: int = N, clusters: int = 60, rng: int = 1) -> pd.DataFrame:
    """Return a sample in which large y are more likely, and clusters share a part of y."""
    draw = np.random.default_rng(rng)
    group = np.repeat(np.arange(clusters), n // clusters)
    x = draw.normal(size=n)
    y = 1 + 2 * x + draw.normal(size=clusters)[group] + draw.normal(size=n)
    return pd.DataFrame(
        {
            "x": x,
            "y": y,
            "school": group,
            "weight": np.exp(-0.15 * y) * draw.uniform(50, 60, n),
            "sex": draw.choice(["f", "m"], n),
            "visits": draw.poisson(2.0, n),
        }
    )


DESIGN = sl.SurveyDesign(weights="weight", clusters="school")
PARTS = [sl.TwoPart("visits ~ x"), sl.Sequential([sl.Resample(["x"]), sl.NormalRegression("y ~ x")])]


def test_weights_move_the_mean_to_that_of_the_population():
    draw = np.random.default_rng(3)
    population = pd.DataFrame({"y": draw.normal(10, 2, 20_000)})
    chance = np.exp(0.3 * population["y"])
    taken = population[draw.random(20_000) < 500 * chance / chance.sum()]
    frame = taken.assign(weight=(chance.sum() / (500 * chance))[taken.index])
    design = sl.SurveyDesign(weights="weight")
    for model in (sl.Resample(["y"]), sl.NormalRegression("y ~ 1"), sl.CART(["y"])):
        blind, aware = (model.fit(frame, design=d, rng=1, **FEW).generate(20, rng=2) for d in (None, design))
        means = [np.mean([one["y"].mean() for one in release]) for release in (blind, aware)]
        assert means[0] > 10.8
        assert means[1] == pytest.approx(10, abs=0.35)


def test_constant_weights_change_nothing():
    frame = survey().assign(weight=3.0)
    model = sl.NormalRegression("y ~ x")
    plain, constant = (model.fit(frame, design=d, rng=1, **FEW) for d in (None, sl.SurveyDesign(weights="weight")))
    assert constant.posterior["slopes"] == pytest.approx(plain.posterior["slopes"], rel=1e-6)


def test_adjusted_draws_have_the_sandwich_covariance():
    frame = survey()
    fitted = sl.NormalRegression("y ~ x").fit(frame, design=DESIGN, rng=1)
    adjusted = fitted.adjust_draws()
    x = np.column_stack([np.ones(N), frame["x"]])
    w = frame["weight"].to_numpy() * N / frame["weight"].sum()
    bread = np.linalg.inv((x * w[:, None]).T @ x)
    beta = bread @ (x * w[:, None]).T @ frame["y"].to_numpy()
    scores = x * (w * (frame["y"].to_numpy() - x @ beta))[:, None]
    wanted = bread @ DESIGN.read(frame).covariance(scores) @ bread
    draws = np.column_stack([adjusted.posterior["intercept"], adjusted.posterior["slopes"]])
    size = np.sqrt(np.diag(wanted))
    assert np.cov(draws, rowvar=False) / np.outer(size, size) == pytest.approx(wanted / np.outer(size, size), abs=0.2)
    assert draws.mean(axis=0) == pytest.approx(beta, abs=0.02)
    assert adjusted.posterior["intercept"].std() > 1.5 * fitted.posterior["intercept"].std()
    assert adjusted.generate(2, rng=1).m == 2


def test_an_equal_probability_sample_of_people_needs_next_to_no_adjustment():
    frame = survey(n=1200, clusters=1200).assign(
        y=lambda d: 1 + 2 * d["x"] + np.random.default_rng(8).normal(size=1200)
    )
    fitted = sl.NormalRegression("y ~ x").fit(frame, design=sl.SurveyDesign(), rng=1)
    adjusted = fitted.adjust_draws()
    for name in ("intercept", "slopes", "sigma"):
        assert adjusted.posterior[name].std() == pytest.approx(fitted.posterior[name].std(), rel=0.12)


@pytest.mark.parametrize("model", PARTS, ids=["TwoPart", "Sequential"])
def test_the_parts_of_a_model_are_adjusted_one_by_one(model):
    fitted = model.fit(survey(), design=DESIGN, rng=1, **FEW)
    adjusted = fitted.adjust_draws()
    parts = (lambda f: f.parts[1:]) if isinstance(model, sl.Sequential) else (lambda f: (f.any_part, f.amount_part))
    for before, after in zip(parts(fitted), parts(adjusted), strict=True):
        assert after.posterior["slopes"].shape == before.posterior["slopes"].shape
        assert not np.allclose(after.posterior["slopes"], before.posterior["slopes"])
    assert adjusted.generate(1, rng=1).m == 1
    if isinstance(model, sl.TwoPart):
        assert np.array_equal(adjusted.posterior["amount slopes"], adjusted.amount_part.posterior["slopes"])


def test_what_cannot_be_adjusted_is_named():
    frame = survey()
    with pytest.raises(InputError, match="the fit has no survey design"):
        sl.NormalRegression("y ~ x").fit(frame, rng=1, **FEW).adjust_draws()
    for model in (sl.CART(["y"], ["x"]), sl.DirichletMultinomial(["sex"]), sl.Sequential([sl.Resample(["x"])])):
        with pytest.raises(InputError, match="has no coefficients whose draws can be adjusted"):
            model.fit(frame, design=DESIGN, rng=1).adjust_draws()
    two = sl.SurveyDesign(clusters=[0] * 150 + [1] * 150)
    with pytest.raises(InputError, match="the design has 1 degrees of freedom .*NormalRegression"):
        sl.NormalRegression("y ~ x").fit(frame, design=two, rng=1, **FEW).adjust_draws()


def test_a_design_is_a_design_and_fits_the_frame():
    with pytest.raises(InputError, match=r"design='weight': must be a SurveyDesign"):
        sl.Resample(["y"]).fit(survey(), design="weight")
    with pytest.raises(InputError, match="weights: 'w' not in confidential"):
        sl.Resample(["y"]).fit(survey(), design=sl.SurveyDesign(weights="w"))
