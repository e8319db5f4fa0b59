import numpy as np
import pandas as pd
import pytest

import synthlab as sl
from synthlab.exceptions import FitError, InputError
from synthlab.synthesizers import (
    CART,
    DPMPM,
    AllowedCombinations,
    Bounds,
    DirichletMultinomial,
    LogisticRegression,
    NormalRegression,
    Resample,
    Sequential,
    ZeroUnless,
)

N = 800


@pytest.fixture(scope="module")
def survey():
    rng = np.random.default_rng(7)
    frame = pd.DataFrame({"age": rng.integers(18, 80, N), "sex": rng.choice(["f", "m"], N)})
    frame["works"] = np.where(rng.random(N) < np.where(frame["age"] < 60, 0.8, 0.2), "yes", "no")
    frame["retired"] = np.where((frame["age"] >= 60) & (frame["works"] == "no"), "yes", "no")
    wage = 1000 + 20 * frame["age"] + 300 * (frame["sex"] == "m") + rng.normal(0, 200, N)
    frame["wage"] = np.where(frame["works"] == "yes", wage, 0.0)
    frame["rent"] = 300 + 0.2 * frame["wage"] + rng.normal(0, 30, N)
    return frame


def test_predictors_are_the_synthetic_ones(survey):
    """rent follows wage; when wage is drawn from its marginal, rent must follow the synthetic wage."""
    model = Sequential([Resample(["wage"]), NormalRegression("rent ~ wage")])
    for frame in model.fit(survey, rng=1).generate(3, rng=1):
        assert np.corrcoef(frame["rent"], frame["wage"])[0, 1] > 0.97
        assert abs(np.corrcoef(frame["rent"], survey["wage"])[0, 1]) < 0.15


def test_order_matters_and_is_kept(survey):
    release = (
        Sequential([LogisticRegression("works ~ age"), CART(["retired"], ["works", "age"])])
        .fit(survey, rng=1)
        .generate(2, rng=1)
    )
    assert release.synthesized == ("works", "retired")
    assert list(release[0].columns) == list(survey.columns)
    assert not ((release[0]["works"] == "yes") & (release[0]["retired"] == "yes")).any()


def test_full_synthesis(survey):
    model = Sequential(
        [
            Resample(["age"]),
            DirichletMultinomial(["sex", "works"]),
            CART(["retired"], ["age", "works"]),
            CART(["wage", "rent"], ["age", "sex", "works"], smoothing="normal"),
        ]
    )
    release = model.fit(survey, rng=1).generate(2, rng=1)
    assert set(release.synthesized) == set(survey.columns)
    assert release[0].dtypes.equals(survey.dtypes)


def test_log_likelihood_is_the_sum(survey):
    fitted = Sequential([NormalRegression("wage ~ age"), NormalRegression("rent ~ wage")]).fit(survey, rng=1)
    np.testing.assert_allclose(fitted.log_likelihood(), sum(part.log_likelihood() for part in fitted.parts))
    assert len(fitted.diagnostics().parameters) == 6
    assert ("wage", "slopes[age]") in fitted.summary().index
    with pytest.raises(InputError, match="Resample has no likelihood"):
        Sequential([Resample(["age"]), NormalRegression("rent ~ wage")]).fit(survey, rng=1).log_likelihood()


def test_bounds_hold_in_every_record(survey):
    rule = Bounds("rent", float(survey["rent"].min()), float(survey["rent"].max()))
    plain = Sequential([NormalRegression("rent ~ age")]).fit(survey, rng=1)
    kept = Sequential([NormalRegression("rent ~ age")], constraints=[rule]).fit(survey, rng=1)
    assert not all(rule.holds(frame).all() for frame in plain.generate(5, rng=1))
    release = kept.generate(5, rng=1)
    assert all(rule.holds(frame).all() for frame in release)
    assert release[0]["rent"].nunique() == N  # drawn again, not moved to the bound
    unchanged = rule.holds(plain.generate(5, rng=1)[0])
    np.testing.assert_array_equal(release[0]["rent"][unchanged], plain.generate(5, rng=1)[0]["rent"][unchanged])


def test_rejection_draws_from_the_conditional_distribution():
    frame = pd.DataFrame({"y": np.random.default_rng(1).normal(size=2000)})
    frame["y"] = frame["y"].abs()
    fitted = Sequential([NormalRegression("y ~ 1")], constraints=[Bounds("y", 0.0)]).fit(frame, rng=1)
    values = np.concatenate([f["y"] for f in fitted.generate(10, rng=1)])
    from scipy import stats

    a = -frame["y"].mean() / frame["y"].std()
    expected = stats.truncnorm(a, np.inf, frame["y"].mean(), frame["y"].std())
    np.testing.assert_allclose(values.mean(), expected.mean(), rtol=0.02)
    np.testing.assert_allclose(values.std(), expected.std(), rtol=0.03)


def test_allowed_combinations(survey):
    models = [LogisticRegression("works ~ sex"), LogisticRegression("retired ~ sex")]
    rule = AllowedCombinations(["works", "retired"])
    plain = Sequential(models).fit(survey, rng=1).generate(2, rng=1)
    assert ((plain[0]["works"] == "yes") & (plain[0]["retired"] == "yes")).any()
    release = Sequential(models, constraints=[rule]).fit(survey, rng=1).generate(5, rng=1)
    for frame in release:
        assert not ((frame["works"] == "yes") & (frame["retired"] == "yes")).any()
    listed = AllowedCombinations(["works", "retired"], [("yes", "no"), ("no", "no"), ("no", "yes")])
    same = Sequential(models, constraints=[listed]).fit(survey, rng=1).generate(5, rng=1)
    pd.testing.assert_frame_equal(same[4], release[4])


def test_zero_unless_is_built_into_the_model(survey):
    rule = ZeroUnless("wage", "works", ["yes"])
    model = Sequential([LogisticRegression("works ~ age"), NormalRegression("wage ~ age + sex")], constraints=[rule])
    fitted = model.fit(survey, rng=1)
    workers = survey[survey["works"] == "yes"]
    alone = NormalRegression("wage ~ age + sex").fit(workers, rng=1)
    np.testing.assert_allclose(
        fitted.parts[1].posterior["slopes"].mean(axis=0), alone.posterior["slopes"].mean(axis=0), rtol=0.02
    )
    release = fitted.generate(5, rng=1)
    for frame in release:
        assert (frame["wage"][frame["works"] == "no"] == 0).all()
        assert (frame["wage"][frame["works"] == "yes"] != 0).all()
    paid = np.mean([f["wage"][f["works"] == "yes"].mean() for f in release])
    np.testing.assert_allclose(paid, workers["wage"].mean(), rtol=0.03)
    likelihood = fitted.log_likelihood()
    idle = (survey["works"] == "no").to_numpy()
    np.testing.assert_allclose(likelihood[:, idle], fitted.parts[0].log_likelihood()[:, idle])


def test_zero_unless_needs_its_condition_first(survey):
    rule = ZeroUnless("wage", "works", ["yes"])
    model = Sequential([NormalRegression("wage ~ age"), LogisticRegression("works ~ age")], constraints=[rule])
    with pytest.raises(InputError, match="'works' must be synthesized before 'wage'"):
        model.fit(survey, rng=1)


def test_zero_unless_by_rejection(survey):
    """A tree makes several variables, so the rule cannot be built in: whole records are drawn again."""
    rule = ZeroUnless("wage", "works", ["yes"])
    model = Sequential([Resample(["works"]), Resample(["wage"])], constraints=[rule])
    for frame in model.fit(survey, rng=1).generate(2, rng=1):
        assert rule.holds(frame).all()


def test_constraints_with_a_model_that_needs_all_records(survey):
    mixture = DPMPM(["works", "retired", "sex"], ["works", "retired"], classes=20, membership="record", thin=2)
    rule = AllowedCombinations(["works", "retired"])
    fitted = Sequential([mixture], constraints=[rule]).fit(survey, rng=1, tune=1000)
    assert not fitted.records_independent
    assert all(rule.fitted_to(survey).holds(frame).all() for frame in fitted.generate(3, rng=1))


def test_constraints_that_can_hardly_hold(survey):
    far = survey.assign(rent=survey["rent"] * 1e-3)
    far.loc[0, "rent"] = 1e5
    rule = Bounds("rent", 0.0)
    model = Sequential([NormalRegression("rent ~ 1")], constraints=[rule, Bounds("wage", 0.0)], max_tries=2)
    with pytest.raises(FitError, match=r"of 800 records still break Bounds\(column='rent', low=0.0.* after 2 tries"):
        model.fit(far, rng=1).generate(1, rng=1)


def test_confidential_data_must_satisfy_the_constraints(survey):
    with pytest.raises(InputError, match="confidential records break Bounds"):
        Sequential([NormalRegression("rent ~ age")], constraints=[Bounds("age", 30)]).fit(survey)


def test_weights_reach_every_part(survey):
    weights = (survey["sex"] == "f").astype(float)
    fitted = Sequential([NormalRegression("rent ~ age"), Resample(["sex"])]).fit(survey, weights=weights, rng=1)
    assert all(part.weights is not None for part in fitted.parts)
    assert (fitted.generate(1, rng=1)[0]["sex"] == "f").all()
    assert fitted.generate(1, rng=1).provenance["weighted"] is True


def test_duplicated_index_labels(survey):
    frame = survey.set_axis([0] * N)
    rules = [ZeroUnless("wage", "works", ["yes"]), Bounds("rent", float(survey["rent"].min()))]
    model = Sequential([NormalRegression("wage ~ age"), NormalRegression("rent ~ wage")], constraints=rules)
    release = model.fit(frame, rng=1).generate(1, rng=1)
    assert all(rule.holds(release[0]).all() for rule in rules)
    assert release[0].index.equals(frame.index)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (([],), "at least one synthesizer"),
        (("NormalRegression",), "at least one synthesizer"),
        ((["y ~ x"],), "a str is not a synthesizer"),
        (([NormalRegression],), "is not a synthesizer"),
        (([Resample(["a"])], ["a > 0"]), "a str is not a constraint"),
        (([Resample(["a"])], Bounds("a", 0)), "must be a list of constraints"),
        (([Resample(["a"])], [], 0), "max_tries=0"),
    ],
)
def test_bad_specifications(arguments, message):
    with pytest.raises(InputError, match=message):
        Sequential(*arguments)


def test_a_variable_synthesized_twice(survey):
    with pytest.raises(InputError, match="'rent' is synthesized twice"):
        Sequential([Resample(["rent"]), NormalRegression("rent ~ age")]).fit(survey)


def test_bad_constraints(survey):
    with pytest.raises(InputError, match="give low, high or both"):
        Bounds("a")
    with pytest.raises(InputError, match="low=2 is above high=1"):
        Bounds("a", 2, 1)
    with pytest.raises(InputError, match="tuples of 2 values"):
        AllowedCombinations(["a", "b"], [("x",)])
    for combinations in (3, "ab", [3], ["ab"], [[["x"], 1]]):
        with pytest.raises(InputError, match="combinations.*must be a non-empty list of tuples of 2 values"):
            AllowedCombinations(["a", "b"], combinations)
    for columns in ([["a"]], [], ["a", "a"], 3):
        with pytest.raises(InputError, match="columns"):
            AllowedCombinations(columns)
    with pytest.raises(InputError, match=r"column=\['a'\]: must be the name of one column, .*: column='a'"):
        Bounds(["a"], 0)
    with pytest.raises(InputError, match=r"other=\['b'\]: must be the name of one column"):
        ZeroUnless("a", ["b"], [1])
    with pytest.raises(InputError, match="values='yes'"):
        ZeroUnless("a", "b", "yes")
    with pytest.raises(InputError, match="are both 'a'"):
        ZeroUnless("a", "a", [1])
    with pytest.raises(InputError, match="'height' not among the columns"):
        Sequential([Resample(["age"])], constraints=[Bounds("height", 0)]).fit(survey)
    with pytest.raises(InputError, match="'sex' is str, not numeric"):
        Sequential([Resample(["age"])], constraints=[Bounds("sex", 0)]).fit(survey)
    with pytest.raises(InputError, match="use fitted_to"):
        AllowedCombinations(["age"]).holds(survey)


def test_saved_release_remembers_the_models(survey, tmp_path):
    rule = Bounds("age", 18, public=True)
    release = Sequential([Resample(["age"])], constraints=[rule]).fit(survey).generate(1, rng=1)
    loaded = sl.Release.load(release.save(tmp_path / "release", allow_short_seed=True, keep_order=True))
    assert "Bounds(column='age', low=18)" in loaded.provenance["synthesizer"]
