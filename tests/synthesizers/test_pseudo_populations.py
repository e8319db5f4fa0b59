"""Pseudo-populations: their mean and variance, what is released, and the rules that combine it."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

import synthlab as sl
from synthlab.exceptions import InputError
from synthlab.synthesizers import draw_pseudo_samples
from synthlab.synthesizers.pseudo_populations import _counts, _resampled


def survey(n: int = 80, rng: int = 1) -> pd.DataFrame:
    draw = np.random.default_rng(rng)
    y = draw.normal(10, 2, n)
    frame = {
        "y": y,
        "weight": np.exp(0.2 * (y - 10)) * 25,
        "region": np.arange(n) % 2,
        "school": np.arange(n) // 4 * 2 + np.arange(n) % 2,
    }
    return pd.DataFrame({**frame, "works": draw.choice(["no", "yes"], n)})


WEIGHTS = sl.SurveyDesign(weights="weight")
CLUSTERED = sl.SurveyDesign(weights="weight", strata="region", clusters="school", fpc=np.full(80, 40.0))


@pytest.mark.parametrize("design", [WEIGHTS, CLUSTERED])
def test_resampled_weights_give_the_variance_of_the_design(design):
    frame = survey()
    sampled, draw = design.read(frame), np.random.default_rng(2)
    z = (frame["weight"] * frame["y"]).to_numpy()
    totals = np.array([z @ _resampled(sampled, draw) for _ in range(4000)])
    assert totals.mean() == pytest.approx(z.sum(), rel=0.01)
    assert totals.var() == pytest.approx(sampled.covariance(z[:, None])[0, 0], rel=0.1)


def test_a_pseudo_population_has_the_weighted_mean_and_two_parts_of_variance():
    frame = survey(n=200)
    sampled, draw = WEIGHTS.read(frame), np.random.default_rng(3)
    y, w = frame["y"].to_numpy(), frame["weight"].to_numpy()
    members = round(w.sum())
    counts = np.stack([_counts(sampled, members, draw) for _ in range(3000)])
    assert (counts.sum(axis=1) == members).all()
    mean, centre = counts @ y / members, w @ y / w.sum()
    assert mean.mean() == pytest.approx(centre, abs=0.01)
    design = sampled.covariance((w * (y - centre) / w.sum())[:, None])[0, 0]
    urn = (1 - 200 / members) * (w @ (y - centre) ** 2 / w.sum()) / 201
    assert mean.var() == pytest.approx(design + urn, rel=0.1)


def test_samples_lose_what_is_about_the_sample_that_was():
    frame = survey().assign(schools=40.0)
    design = sl.SurveyDesign(weights="weight", strata="region", clusters="school", fpc="schools")
    samples = draw_pseudo_samples(frame, design, populations=3, rng=1)
    assert [list(one.columns) for one in samples] == [["y", "region", "works"]] * 3
    assert [len(one) for one in samples] == [80] * 3
    again = draw_pseudo_samples(frame, design, populations=2, rng=1)
    pd.testing.assert_frame_equal(samples[1], again[1])
    assert set(samples[0]["y"]) <= set(frame["y"])


def test_only_synthesized_variables_are_released_in_nests():
    frame = survey()
    model = sl.DirichletMultinomial(["works"])
    release = sl.synthesize_pseudo_populations(model, frame, WEIGHTS, populations=3, datasets=2, rng=1, draws=20)
    assert release.m == 6
    assert list(release[0].columns) == ["works"]
    assert release.rows == "unknown"
    assert release.provenance["pseudo_populations"] == 3
    assert release.provenance["datasets_of_each"] == 2
    assert "(pseudo-populations)" in release.provenance["estimates"]
    again = sl.synthesize_pseudo_populations(model, frame, WEIGHTS, populations=3, datasets=2, rng=1, draws=20)
    for one, other in zip(release, again, strict=True):
        pd.testing.assert_frame_equal(one, other)


def test_weights_must_be_numbers_of_people():
    normalised = survey().assign(weight=lambda d: d["weight"] / d["weight"].mean())
    with pytest.raises(InputError, match="weights: add up to no more than the 80 records"):
        draw_pseudo_samples(normalised, WEIGHTS)
    assert len(draw_pseudo_samples(normalised, WEIGHTS, population=2000, populations=1, rng=1)) == 1
    with pytest.raises(InputError, match="population: is no more than the 80 records"):
        draw_pseudo_samples(normalised, WEIGHTS, population=80)
    with pytest.raises(InputError, match="weights: do not add up to the population that fpc states"):
        draw_pseudo_samples(survey().assign(people=9000), sl.SurveyDesign(weights="weight", fpc="people"))


def test_a_stratum_with_one_unit_keeps_it_if_the_design_says_so():
    frame = survey().assign(region=lambda d: np.where(np.arange(80) == 0, 5, d["region"]))
    with pytest.raises(InputError, match="strata: 1 of 3 strata"):
        draw_pseudo_samples(frame, sl.SurveyDesign(weights="weight", strata="region"))
    certain = sl.SurveyDesign(weights="weight", strata="region", lonely="certainty")
    factors = _resampled(certain.read(frame), np.random.default_rng(1))
    assert factors[0] == 1
    assert set(np.unique(factors[1:])) != {1.0}


def test_what_is_no_model_or_design_is_named():
    with pytest.raises(InputError, match="model: must be a synthesizer"):
        sl.synthesize_pseudo_populations("y ~ 1", survey(), WEIGHTS)
    with pytest.raises(InputError, match="design='weight': must be a SurveyDesign"):
        draw_pseudo_samples(survey(), "weight")


@pytest.mark.parametrize(("several", "parameters"), [(1, "drawn"), (1, "fixed"), (4, "drawn"), (4, "fixed")])
@pytest.mark.filterwarnings("ignore::synthlab.exceptions.FewDegreesOfFreedomWarning")
def test_the_total_variance_is_that_of_the_design_on_average(several, parameters):
    draw = np.random.default_rng(6)
    repetitions, populations, sought, v, f = 4000, 10, 3.0, 1.0, 0.1

    def normal(variance, *shape):
        return np.sqrt(variance) * draw.standard_normal(shape)

    nests = normal(sought, repetitions, populations) + normal(2 * (1 - f) * v, repetitions, populations)
    inside = v * (2 if parameters == "drawn" else 1)
    q = nests[..., None] + normal(inside, repetitions, populations, several)
    arranged = q.transpose(1, 2, 0)
    result = sl.combine_pseudo_populations(
        arranged,
        np.full_like(arranged, v),
        parameters=parameters,
        fraction=f,
        names=[str(k) for k in range(repetitions)],
    )
    b, w = (
        arranged.mean(axis=1).var(axis=0, ddof=1),
        arranged.var(axis=1, ddof=1).mean(axis=0) / several if several > 1 else 0.0,
    )
    noise = 2 * (1 - f) * v + (0 if several > 1 else inside)
    raw = 1.1 * b - w - noise
    assert raw.mean() == pytest.approx(
        sought * 1.1 + 0.1 * (noise + (inside / several if several > 1 else 0)), rel=0.05
    )
    assert result.total_variance[raw > 0] == pytest.approx(raw[raw > 0])
    assert (result.adjusted == (raw < 0)).all()
    assert (result.total_variance[raw < 0] == v).all()


@pytest.mark.parametrize(
    ("estimates", "variances", "options", "words"),
    [
        ([1.0, 2.0], [1.0, 1.0], {}, r"estimates: must have shape \(M, r\)"),
        ([[1.0, 2.0]], [[1.0, 1.0]], {}, "with M >= 2 pseudo-populations"),
        ([[1.0], [2.0]], [[1.0]], {}, r"variances: shape \(1, 1\) must be that of estimates"),
        ([[1.0], [2.0]], [[1.0], [-1.0]], {}, "variances: must be >= 0"),
        ([[1.0], [2.0]], [[1.0], [1.0]], {"fraction": 1.0}, "fraction=1.0"),
        ([[1.0], [2.0]], [[1.0], [1.0]], {"parameters": "posterior"}, "parameters='posterior'"),
    ],
)
def test_what_cannot_be_combined_is_named(estimates, variances, options, words):
    with pytest.raises(InputError, match=words):
        sl.combine_pseudo_populations(estimates, variances, **options)


def test_a_population_beyond_whole_numbers_is_refused():
    survey = pd.DataFrame({"y": np.arange(8.0), "weight": np.tile([1e-3, 2e15], 4)})
    draw_pseudo_samples(survey, sl.SurveyDesign(weights="weight"), populations=1, rng=1)
    for scale in (10.0, 1e280):
        design = sl.SurveyDesign(weights=survey["weight"] * scale)
        with pytest.raises(InputError, match="^weights: add up to more than"):
            draw_pseudo_samples(survey, design, populations=1, rng=1)
    with pytest.raises(InputError, match="^population="):
        draw_pseudo_samples(survey, sl.SurveyDesign(weights="weight"), population=10**19, populations=1, rng=1)
