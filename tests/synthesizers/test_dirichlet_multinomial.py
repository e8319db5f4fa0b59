import numpy as np
import pandas as pd
import pytest

from synthlab.exceptions import InputError, MissingValueError
from synthlab.synthesizers import DirichletMultinomial, Sequential

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


@pytest.mark.parametrize("pseudocount", [5e-324, 1e-300, 1e-10, 5e-4, 0.004])
def test_a_combination_without_records_has_every_cell_alike(pseudocount):
    """With a tiny pseudocount all gammas underflow; the shares are then all but one 0, each cell as often."""
    survey = SURVEY.assign(kids=np.where(SURVEY["sex"] == "f", 0, 1))
    fitted = DirichletMultinomial(["smokes"], given=["sex", "kids"], pseudocount=pseudocount).fit(
        survey, rng=3, draws=2000
    )
    theta = fitted.posterior["theta"]
    np.testing.assert_allclose(theta.sum(axis=2), 1.0)
    empty = theta[:, 1:3].reshape(-1, 2)  # f with 1, m with 0
    first = int((empty[:, 0] > empty[:, 1]).sum())
    assert abs(first - len(empty) / 2) < 4.5 * np.sqrt(len(empty)) / 2
    unseen = survey.assign(kids=1 - survey["kids"])
    logs = fitted.log_density(unseen)
    assert not np.isnan(logs).any()
    assert (logs <= 0).all()
    assert not np.isnan(fitted.log_likelihood()).any()


def test_shares_in_logarithms_follow_the_dirichlet(monkeypatch):
    from synthlab.synthesizers import dirichlet_multinomial as module

    parameters = np.array([[0.3, 0.3, 2.0], [1.0, 0.5, 0.1]])
    usual = module._draw_shares(parameters, (40_000,), np.random.default_rng(1))
    monkeypatch.setattr(module, "_SMALLEST_TOTAL", np.inf)
    logs = module._draw_shares(parameters, (40_000,), np.random.default_rng(2))
    total = parameters.sum(axis=1, keepdims=True)
    mean = parameters / total
    variance = mean * (1 - mean) / (total + 1)
    for theta in (usual, logs):
        np.testing.assert_allclose(theta.mean(axis=0), mean, atol=0.008)
        np.testing.assert_allclose(theta.var(axis=0), variance, rtol=0.06)


def test_a_release_of_unseen_combinations_has_equal_shares():
    survey = pd.DataFrame({"a": ["p", "q"] * 20, "b": ["s"] * 20 + ["t"] * 20})
    survey = survey[~((survey["a"] == "p") & (survey["b"] == "t"))].assign(y="u").reset_index(drop=True)
    survey.loc[::3, "y"] = "v"
    models = [DirichletMultinomial(["b"]), DirichletMultinomial(["y"], given=["a", "b"], pseudocount=5e-4)]
    fitted = Sequential(models).fit(survey, rng=1)
    shares = []
    for frame in fitted.generate(m=200, rng=2):
        unseen = frame[(frame["a"] == "p") & (frame["b"] == "t")]
        if len(unseen):
            shares.append((unseen["y"] == "v").mean())  # one cell has the whole share, so 0 or 1
    assert set(shares) == {0.0, 1.0}
    assert len(shares) > 150
    assert abs(np.mean(shares) - 0.5) < 4.0 * 0.5 / np.sqrt(len(shares))


def test_tuples_are_refused_by_name():
    with pytest.raises(InputError, match="confidential: column 'pair' has tuple values"):
        DirichletMultinomial(["pair"]).fit(pd.DataFrame({"pair": [(1, 2), (3, 4), (1, 2)]}), rng=1)


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
        ({"variables": 3}, InputError, "variables=3: must be a list"),
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
        DirichletMultinomial(**arguments).fit(frame, missing="raise")


def test_unseen_level_of_a_given_variable():
    fitted = DirichletMultinomial(["smokes"], given=["sex"]).fit(SURVEY, rng=1)
    with pytest.raises(
        InputError, match="'sex' has levels not seen when the model was fitted: .* rows, the first at position"
    ):
        fitted.draw(SURVEY.assign(sex="x"), 0, np.random.default_rng(1))


def test_a_pseudocount_whose_sum_is_no_float_gives_equal_shares():
    fitted = DirichletMultinomial(["smokes", "kids"], pseudocount=1e308).fit(SURVEY, rng=1, draws=5)
    np.testing.assert_allclose(fitted.posterior["theta"], 1 / 6)
