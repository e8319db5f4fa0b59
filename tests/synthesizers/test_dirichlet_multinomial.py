import numpy as np
import pandas as pd
import pytest

from synthlab.exceptions import InputError, MissingValueError
from synthlab.synthesizers import DirichletMultinomial

SURVEY = pd.DataFrame(
    {
        "sex": ["f"] * 6 + ["m"] * 6,
        "smokes": ["no", "no", "no", "no", "yes", "no", "yes", "yes", "no", "yes", "yes", "yes"],
        "kids": pd.Categorical([0, 1, 2, 0, 0, 1, 0, 2, 2, 1, 0, 0]),
    }
)


def test_posterior_is_the_closed_form():
    fitted = DirichletMultinomial(["smokes"], given=["sex"], pseudocount=0.5).fit(SURVEY, rng=1, draws=20_000)
    theta = fitted.posterior["theta"]
    alpha = np.array([[5.5, 1.5], [1.5, 5.5]])
    mean = alpha / alpha.sum(axis=1, keepdims=True)
    np.testing.assert_allclose(theta.mean(axis=0), mean, atol=0.004)
    variance = mean * (1 - mean) / (alpha.sum(axis=1, keepdims=True) + 1)
    np.testing.assert_allclose(theta.var(axis=0), variance, rtol=0.03)
    np.testing.assert_allclose(theta.sum(axis=2), 1.0)
    assert fitted.diagnostics().ok


def test_weights_are_counts():
    weights = np.arange(12) % 3.0
    stacked = pd.concat([SURVEY[weights >= 1], SURVEY[weights == 2]], ignore_index=True)
    model = DirichletMultinomial(["smokes", "sex"])
    one, two = model.fit(SURVEY, weights=weights, rng=5), model.fit(stacked, rng=5)
    np.testing.assert_array_equal(one.posterior["theta"], two.posterior["theta"])


def test_predictive_probabilities():
    """Averaged over theta the first record is drawn with probability (count + a) / (n + cells a)."""
    fitted = DirichletMultinomial(["smokes", "kids"], pseudocount=1.0).fit(SURVEY, rng=1, draws=500)
    release = fitted.generate(m=1000, rng=2)
    found = np.mean([(f["smokes"] == "no") & (f["kids"] == 1) for f in release])
    np.testing.assert_allclose(found, (2 + 1) / (12 + 6), atol=0.02)
    assert release[0]["kids"].dtype == SURVEY["kids"].dtype
    assert release.synthesized == ("smokes", "kids")
    assert (release[0]["sex"] == SURVEY["sex"]).all()


def test_given_decides_the_table():
    fitted = DirichletMultinomial(["smokes"], given=["sex"], pseudocount=1e-6).fit(
        SURVEY.assign(smokes=np.where(SURVEY["sex"] == "f", "no", "yes")), rng=1
    )
    frame = fitted.generate(1, rng=1)[0]
    assert (frame["smokes"] == np.where(frame["sex"] == "f", "no", "yes")).all()


def test_log_likelihood():
    fitted = DirichletMultinomial(["smokes"], given=["sex"]).fit(SURVEY, rng=1)
    theta = fitted.posterior["theta"][7]
    expected = [
        np.log(theta["fm".index(s), ["no", "yes"].index(v)])
        for s, v in zip(SURVEY["sex"], SURVEY["smokes"], strict=True)
    ]
    np.testing.assert_allclose(fitted.log_likelihood()[7], expected)


@pytest.mark.parametrize(
    ("arguments", "error", "message"),
    [
        ({"variables": "smokes"}, InputError, "variables='smokes': must be a list"),
        ({"variables": []}, InputError, "must name at least one"),
        ({"variables": ["wage"]}, InputError, "'wage' not in confidential"),
        ({"variables": ["smokes"], "given": ["smokes"]}, InputError, "names a column twice"),
        ({"variables": ["smokes"], "pseudocount": 0}, InputError, "pseudocount=0"),
        ({"variables": ["gap"]}, MissingValueError, "'gap' has 1 missing"),
        ({"variables": ["wide", "wider"]}, InputError, "the table has 90,000 cells"),
    ],
)
def test_bad_input(arguments, error, message):
    frame = pd.DataFrame({"smokes": ["no", "yes"] * 150, "wide": np.arange(300), "wider": np.arange(300)})
    frame["gap"] = frame["smokes"].where(frame.index > 0)
    with pytest.raises(error, match=message):
        DirichletMultinomial(**arguments).fit(frame)


def test_unseen_level_of_a_given_variable():
    fitted = DirichletMultinomial(["smokes"], given=["sex"]).fit(SURVEY, rng=1)
    with pytest.raises(
        InputError, match="'sex' has levels not seen when the model was fitted: .* rows, the first at position"
    ):
        fitted.draw(SURVEY.assign(sex="x"), 0, np.random.default_rng(1))
