"""Missing values in regressions: indicators and levels of predictors, the two parts of a response, and what follows from them."""

import numpy as np
import pandas as pd
import pytest

import synthlab as sl
from synthlab.exceptions import InputError, MissingValueError
from synthlab.synthesizers._design import make_design
from synthlab.synthesizers._missing_response import FittedKept

pytestmark = pytest.mark.filterwarnings("ignore::synthlab.exceptions.ConvergenceWarning")
N = 600
CODES = {"income": [-9]}
FEW = {"draws": 150, "tune": 150, "chains": 2}


@pytest.fixture(scope="module")
def survey() -> pd.DataFrame:
    rng = np.random.default_rng(7)
    age = rng.uniform(20, 70, N)
    income = 500.0 + 40 * age + rng.normal(0, 150, N)
    income[rng.random(N) < np.where(age > 50, 0.4, 0.05)] = np.nan
    income[rng.random(N) < 0.1] = -9
    frame = pd.DataFrame({"age": age, "income": income, "wealth": rng.uniform(1, 5, N)})
    frame["region"] = pd.Series(rng.choice(["n", "s"], N)).mask(pd.Series(rng.random(N) < 0.15))
    frame.loc[rng.random(N) < 0.2, "wealth"] = np.nan
    rich = frame["wealth"].fillna(8.0)  # those who do not say are the richest
    frame["spent"] = 10 * rich + rng.normal(0, 1, N)
    frame["visits"] = pd.Series(rng.poisson(2, N), dtype="Int64").mask(pd.Series(rng.random(N) < 0.1))
    frame["smokes"] = pd.Series(rng.random(N) < 0.3).astype("boolean").mask(pd.Series(rng.random(N) < 0.12))
    return frame


@pytest.fixture(scope="module")
def income(survey) -> FittedKept:
    return sl.NormalRegression("income ~ age + region").fit(survey, rng=1, missing_codes=CODES, **FEW)


def test_predictors_by_hand():
    frame = pd.DataFrame({"y": range(6), "x": [1.0, 2.0, np.nan, 4.0, -9.0, 9.0], "g": ["a", None, "b", "b", "a", "b"]})
    design = make_design("y ~ log(x) + g", frame, codes={"x": (-9.0,)})
    assert design.names == ("log(x)", "g[T.b]", "g[T.(missing)]", "x is missing", "x is -9")
    np.testing.assert_allclose(np.exp(design.matrix[:, 0]), [1, 2, 2, 4, 2, 9])  # 2 is the lower median of 1, 2, 4, 9
    assert design.matrix[:, 1].tolist() == [0, 0, 1, 1, 0, 1]
    assert design.matrix[:, 2].tolist() == [0, 1, 0, 0, 0, 0]
    assert design.matrix[:, 3:].sum(axis=0).tolist() == [1, 1]
    np.testing.assert_array_equal(design.apply(frame), design.matrix)


def test_a_number_that_never_varies_has_its_indicators_alone():
    frame = pd.DataFrame(
        {"y": np.arange(8.0), "x": [5.0, np.nan, 5, 5, -9, 5, np.nan, 5], "z": [3, 1, 4, 1, 5, 9, 2, 6]}
    )
    for formula in ("y ~ x + z", "y ~ log(x) + z"):
        design = make_design(formula, frame, codes={"x": (-9.0,)})
        assert design.names == ("z", "x is missing", "x is -9")
        assert design.matrix[:, 1].tolist() == [0, 1, 0, 0, 0, 0, 1, 0]
        np.testing.assert_array_equal(design.apply(frame), design.matrix)
    with pytest.raises(InputError, match="predictor 'x' is constant"):
        make_design("y ~ x + z", frame.assign(x=5.0), codes={})
    with pytest.raises(InputError, match="predictor 'z' is constant"):
        make_design("y ~ x + z", frame.assign(z=1), codes={"x": (-9.0,)})
    one = frame.assign(x=pd.Series([True, None] * 4, dtype="boolean"))
    assert make_design("y ~ x + z", one, codes={}).names == ("z", "x is missing")


def test_variables_that_are_missing_together_have_one_indicator():
    rng = np.random.default_rng(1)
    frame = pd.DataFrame({"y": rng.normal(size=50), "x": rng.normal(size=50), "z": rng.normal(size=50)})
    frame["g"] = pd.Series(rng.choice(["a", "b"], 50))
    frame.loc[:9, ["x", "z", "g"]] = np.nan
    assert make_design("y ~ x * z + g", frame, codes={}).names == ("x", "z", "g[T.b]", "g[T.(missing)]", "x:z")


@pytest.mark.parametrize(
    ("formula", "names"),
    [
        ("y ~ C(x)", ("C(x)[T.2.0]", "C(x)[T.(missing)]")),
        ("y ~ C(x):z", ("C(x)[1.0]:z", "C(x)[2.0]:z", "C(x)[(missing)]:z")),
        ("y ~ bs(z, df=3)", ("bs(z, df=3)[1]", "bs(z, df=3)[2]", "bs(z, df=3)[3]", "z is missing")),
    ],
)
def test_levels_of_numbers_interactions_and_splines(formula, names):
    rng = np.random.default_rng(2)
    frame = pd.DataFrame({"y": rng.normal(size=90), "x": rng.choice([1.0, 2.0, np.nan], 90), "z": rng.normal(size=90)})
    frame.loc[::9, "z"] = np.nan if "bs" in formula else 1.0
    found = make_design(formula, frame, codes={}).names
    assert found == names


def test_some_records_keep_the_columns_that_vary_among_them():
    frame = pd.DataFrame({"y": range(8), "x": [1.0, 2.0, 3.0, 5.0, np.nan, np.nan, 1.0, 2.0], "g": list("aaaabbcc")})
    design = make_design("y ~ x + g", frame, codes={})
    part = design.where(np.arange(8) < 4)
    assert part.names == ("x",)
    assert part.apply(frame).shape == (8, 1)  # also where x is missing, and of levels that have none of these records
    assert part.apply(frame)[4, 0] == 2.0


def test_shares_and_values_of_a_response(survey, income):
    release = income.generate(m=10, rng=2)
    for old in (True, False):
        rows = (survey["age"] > 50) == old
        for condition in (lambda f: f["income"].isna(), lambda f: f["income"] == -9):
            found = np.mean([condition(frame)[rows].mean() for frame in release])
            wanted = condition(survey)[rows].mean()
            assert abs(found - wanted) < 4 * np.sqrt(wanted * (1 - wanted) / rows.sum() * 1.1), old
    there = pd.concat([frame["income"][frame["income"] != -9].dropna() for frame in release])
    true = survey["income"][survey["income"] != -9]
    assert there.mean() == pytest.approx(true.mean(), rel=0.02)
    assert there.min() > 400  # no code and no filler among the numbers


def test_the_likelihood_is_that_of_the_kind_and_of_the_value(survey, income):
    values = income.log_likelihood()
    kind = income.kind.log_likelihood()
    there = (survey["income"].notna() & (survey["income"] != -9)).to_numpy()
    np.testing.assert_array_equal(values[:, ~there], kind[:, ~there])
    posterior, rows = income.value.posterior, income.value.design.matrix
    mean = posterior["intercept"][:, None] + posterior["slopes"] @ rows.T
    sigma, y = posterior["sigma"][:, None], survey["income"].to_numpy()[there]
    normal = -0.5 * np.square((y - mean) / sigma) - np.log(sigma) - 0.5 * np.log(2 * np.pi)
    np.testing.assert_allclose(values[:, there] - kind[:, there], normal)
    np.testing.assert_array_equal(income.log_density(survey), values)
    np.testing.assert_array_equal(income.with_data(survey.iloc[:50]).log_likelihood(), values[:, :50])
    np.testing.assert_array_equal(income.keep_draws([3, 5]).log_likelihood(), values[[3, 5]])
    shares = np.exp([income.kind.logarithms(income.kind.design.matrix, s) for s in range(3)])
    np.testing.assert_allclose(shares.sum(axis=2), 1.0)


def test_weights_apply_to_both_parts(survey):
    twice = pd.concat([survey, survey], ignore_index=True)
    weights = np.r_[np.ones(N), np.zeros(N)]
    model = sl.NormalRegression("income ~ age")
    one = model.fit(survey, rng=1, missing_codes=CODES, **FEW)
    weighted = model.fit(twice, weights=weights, rng=1, missing_codes=CODES, **FEW)
    for part in ("kind intercept", "intercept", "sigma"):
        spread = one.posterior[part].std(axis=0)
        assert (np.abs(one.posterior[part].mean(axis=0) - weighted.posterior[part].mean(axis=0)) < spread).all(), part
    pseudo = weighted.pseudo_log_likelihood()
    assert (pseudo[:, N:] == 0).all()
    np.testing.assert_allclose(pseudo[:, :N], weighted.log_likelihood()[:, :N])


def test_a_predictor_enters_with_its_indicator(survey):
    fitted = sl.NormalRegression("spent ~ wealth").fit(survey, rng=1, **FEW)
    assert not isinstance(fitted, FittedKept)
    means = fitted.summary()["mean"]
    fill = fitted.design.kinds["wealth"].fill
    assert means["slopes[wealth]"] == pytest.approx(10, rel=0.03)
    assert means["slopes[wealth is missing]"] == pytest.approx(10 * (8 - fill), rel=0.03)
    (frame,) = fitted.generate(m=1, rng=2)
    assert frame["spent"][survey["wealth"].isna()].mean() == pytest.approx(80, rel=0.02)


def test_missing_values_that_were_not_there_at_the_fit(survey):
    fitted = sl.NormalRegression("spent ~ age").fit(survey, rng=1, **FEW)
    with pytest.raises(MissingValueError, match="'age' has 600 missing values"):
        fitted.draw(survey.assign(age=np.nan), 0, np.random.default_rng(1))
    with pytest.raises(MissingValueError, match="which have no density"):
        fitted.log_density(survey.assign(spent=np.nan))


@pytest.mark.parametrize(
    ("model", "column"),
    [
        (sl.PoissonRegression("visits ~ age"), "visits"),
        (sl.LogisticRegression("smokes ~ age + income"), "smokes"),
        (sl.MultinomialRegression("region ~ age + wealth"), "region"),
        (sl.OrderedLogisticRegression("visits ~ age + wealth"), "visits"),
    ],
    ids=lambda v: type(v).__name__ if not isinstance(v, str) else "",
)
def test_types_shares_and_probabilities(survey, model, column):
    fitted = model.fit(survey, rng=1, missing_codes=CODES, **FEW)
    release = fitted.generate(m=10, rng=2)
    assert release[0][column].dtype == survey[column].dtype
    found, wanted = np.mean([frame[column].isna().mean() for frame in release]), survey[column].isna().mean()
    assert abs(found - wanted) < 4 * np.sqrt(wanted * (1 - wanted) / N * 1.1)
    np.testing.assert_allclose(fitted.log_density(survey), fitted.log_likelihood(), rtol=1e-12)
    if fitted.has_probabilities:
        values = survey[[column]].drop_duplicates()
        table = fitted.probability_of(survey, values, 0)
        np.testing.assert_allclose(table.sum(axis=1), 1.0)
        lost = int(np.argmax(values[column].isna()))
        rows = survey[column].isna().to_numpy()
        np.testing.assert_allclose(np.log(table[rows, lost]), fitted.log_likelihood()[0, rows])


def test_two_parts_and_missing_values_are_three(survey):
    amount = survey["wealth"].where(survey["age"] > 35, 0.0)
    frame = survey.assign(wealth=amount)
    fitted = sl.TwoPart("wealth ~ age + region").fit(frame, rng=1, **FEW)
    (drawn, *_), values = fitted.generate(m=5, rng=2), fitted.log_likelihood()
    for share in (lambda f: f["wealth"].isna().mean(), lambda f: (f["wealth"] == 0).mean()):
        assert share(drawn) == pytest.approx(share(frame), abs=0.07)
    np.testing.assert_array_equal(fitted.log_density(frame), values)
    assert {"kind slopes", "any slopes", "amount slopes"} <= set(fitted.posterior)


def test_a_mixture_with_missing_values(survey):
    model = sl.FiniteMixture("income ~ age + region", classes=2)
    fitted = model.fit(survey, rng=1, missing_codes=CODES, draws=100, tune=100, thin=1)
    (drawn,) = fitted.generate(m=1, rng=2)
    assert drawn["income"].isna().mean() == pytest.approx(survey["income"].isna().mean(), abs=0.07)
    np.testing.assert_array_equal(fitted.log_density(survey), fitted.log_likelihood())
    with pytest.raises(InputError, match='allocation="predictive"'):
        sl.FiniteMixture("income ~ age", classes=2, allocation="record").fit(
            survey, rng=1, missing_codes=CODES, draws=20, tune=20, thin=1
        )


def test_pooled_over_datasets(survey, income):
    other = sl.NormalRegression("income ~ age + region").fit(survey.iloc[::-1], rng=3, missing_codes=CODES, **FEW)
    pooled = income.pooled([other], draws=10, rng=1)
    assert pooled.n_draws == 10
    drawn = pooled.draw(survey, 9, np.random.default_rng(1))["income"]
    assert drawn.isna().any()
    complete = sl.NormalRegression("spent ~ age").fit(survey, rng=1, **FEW)
    with pytest.raises(InputError, match="missing values in only some datasets"):
        income.pooled([complete])


def test_a_part_that_cannot_be_fitted_says_which(survey):
    constant = survey.assign(income=survey["income"].where(survey["income"].isna(), 5.0))
    with pytest.raises(InputError, match="records in which 'income' is not missing: .*'income' is constant"):
        sl.NormalRegression("income ~ age").fit(constant, **FEW)
    weights = (survey["income"].isna()).to_numpy(dtype=float)
    with pytest.raises(InputError, match="weights: all records with an observed 'income' have weight 0"):
        sl.NormalRegression("income ~ age").fit(survey, weights=weights)


def test_a_sequence_keeps_the_order_of_kinds_and_values(survey):
    model = sl.Sequential(
        [sl.Resample(["region"]), sl.NormalRegression("income ~ age + region"), sl.NormalRegression("spent ~ income")],
        constraints=[sl.Bounds("income", 0, None)],
    )
    fitted = model.fit(survey, rng=1, missing_codes=CODES, **FEW)
    (frame,) = fitted.generate(m=1, rng=2)
    assert (frame["income"] == -9).any()
    assert frame["income"].isna().any()
    assert frame["spent"].notna().all()


def test_draws_of_both_parts_are_adjusted_for_a_design(survey):
    """The intercept alone: its spread after adjustment is the design-based standard error, of the share and of the mean."""
    frame = survey.assign(cluster=np.arange(N) // 10)
    shift = np.random.default_rng(3).normal(0, 1, N // 10)[frame["cluster"]]
    frame["income"] = frame["income"].mask(frame["income"] == -9)
    frame.loc[shift > 0.8, "income"] = np.nan
    frame["income"] += 300 * shift
    design = sl.SurveyDesign(clusters="cluster")
    options = {"draws": 600, "tune": 300, "chains": 2}
    fitted = sl.NormalRegression("income ~ 1").fit(frame, design=design, rng=1, **options)
    adjusted = fitted.adjust_draws()
    lost = frame.assign(lost=frame["income"].isna())
    share = sl.survey_mean(lost, ["lost"], design).std_error[0]
    mean = sl.survey_mean(frame, ["income"], design, missing="never").std_error[0]
    for one, wanted in ((adjusted, (1.0, 1.0)), (fitted, None)):
        logits = one.kind.posterior["intercept"]
        shares = 1 / (1 + np.exp(logits[:, 0] - logits[:, 1]))
        ratios = (shares.std() / share, one.value.posterior["intercept"].std() / mean)
        if wanted is None:
            assert max(ratios) < 0.85
        else:
            assert ratios == pytest.approx(wanted, rel=0.12)
    assert adjusted.posterior.n_draws == fitted.posterior.n_draws
    assert adjusted.generate(2, rng=1).m == 2


def test_a_sequence_has_probabilities_of_missing_values(survey):
    """P(region, smokes) is the product of the parts, a missing region a group as another, and adds up to 1."""
    models = [sl.MultinomialRegression("region ~ age"), sl.LogisticRegression("smokes ~ age + region")]
    fitted = sl.Sequential(models).fit(survey, rng=1, **FEW)
    every = [(region, smokes) for region in ("n", "s", None) for smokes in (True, False, pd.NA)]
    asked = pd.DataFrame(every, columns=["region", "smokes"]).astype({"region": object, "smokes": "boolean"})
    people = survey.iloc[:4]
    found = fitted.probability_of(people, asked, 0)
    first, second = fitted.parts
    for place in range(len(asked)):
        one = asked.iloc[[place]]
        known = people.assign(region=pd.Series([one["region"].iloc[0]] * 4, index=people.index, dtype=object))
        wanted = first.probability_of(people, one, 0) * second.probability_of(known, one, 0)
        np.testing.assert_allclose(found[:, [place]], wanted, rtol=1e-10)
    assert (found > 0).all()
    np.testing.assert_allclose(found.sum(axis=1), 1, rtol=1e-10)
