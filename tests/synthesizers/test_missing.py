"""Missing values as a part of the data: shares, codes, types, and what is refused, in the models without a sampler."""

import numpy as np
import pandas as pd
import pytest

import synthlab as sl
from synthlab.exceptions import InputError, MissingValueError
from synthlab.synthesizers._missing import Kinds
from tests.loops import every

N = 1200
CODES = {"income": [-9, -8]}


def holes(rng: np.random.Generator, values, share) -> pd.Series:
    return pd.Series(values).mask(pd.Series(rng.random(N) < share))


@pytest.fixture(scope="module")
def survey() -> pd.DataFrame:
    """A file in which missingness depends on age, two questions are skipped together, and every type has holes."""
    rng = np.random.default_rng(3)
    age = rng.integers(18, 80, N).astype(float)
    income = 500.0 + 40 * age + rng.normal(0, 200, N)
    income[rng.random(N) < np.where(age > 50, 0.35, 0.05)] = np.nan
    income[rng.random(N) < 0.08] = -9
    skipped = rng.random(N) < 0.15
    kind = pd.Series(np.array(["a", "b", "c"], dtype=object)[rng.integers(0, 3, N)], dtype=object)
    kind[skipped] = None
    frame = pd.DataFrame({"age": holes(rng, age, 0.06), "income": income, "kind": kind})
    frame["rooms"] = pd.Series(rng.integers(1, 7, N), dtype="Int64").mask(pd.Series(skipped))
    frame["sex"] = holes(rng, rng.choice(["f", "m"], N), 0.05)
    frame["grade"] = pd.Categorical(
        holes(rng, rng.choice(["low", "mid", "top"], N), 0.1), ["low", "mid", "top"], ordered=True
    )
    frame["works"] = holes(rng, rng.random(N) < 0.6, 0.1).astype("boolean")
    frame["since"] = holes(rng, pd.to_datetime("2020-01-01") + pd.to_timedelta(rng.integers(0, 9, N), "D"), 0.12)
    return frame


NAMES = ["sex", "age", "income", "kind", "rooms", "grade", "works", "since"]


def share(frames, condition) -> float:
    return float(np.mean([condition(frame).mean() for frame in frames]))


def within_error(found: float, wanted: float, m: int) -> bool:
    """Whether a share over m files of N records is within four standard errors, those of fit and draw."""
    return abs(found - wanted) < 4 * np.sqrt(wanted * (1 - wanted) / N * (1 + 1 / m)) + 1e-9


@pytest.mark.parametrize(
    "model",
    [
        sl.CART(NAMES),
        sl.CART(NAMES, bootstrap=True),
        sl.CART(NAMES[2:], predictors=NAMES[:2], smoothing="normal"),
        sl.Resample(NAMES),
        sl.Sequential([sl.Resample(["sex"]), sl.CART(["age", "income"], predictors=["sex", "rooms"])]),
    ],
    ids=repr,
)
def test_shares_of_missing_values_and_of_codes_are_kept(survey, model):
    release = model.fit(survey, rng=1, missing_codes=CODES).generate(m=5, rng=2)
    for name in release.synthesized:
        wanted = survey[name].isna().mean()
        assert wanted > 0
        assert within_error(share(release, lambda f, name=name: f[name].isna()), wanted, 5), name
    assert within_error(share(release, lambda f: f["income"] == -9), (survey["income"] == -9).mean(), 5)


def test_patterns_are_kept_as_far_as_they_are_modelled(survey):
    release = sl.CART(NAMES).fit(survey, rng=1, missing_codes=CODES).generate(m=5, rng=2)
    together = share(release, lambda f: f["kind"].isna() & f["rooms"].isna())
    apart = share(release, lambda f: f["kind"].isna() != f["rooms"].isna())
    assert within_error(together, (survey["kind"].isna() & survey["rooms"].isna()).mean(), 5)
    assert apart < 0.02  # of 26% if the two were drawn apart
    old = share(release, lambda f: f.loc[f["age"] > 50, "income"].isna())
    young = share(release, lambda f: f.loc[f["age"] <= 50, "income"].isna())
    assert old > 0.25
    assert young < 0.1


@pytest.mark.parametrize("smoothing", [None, "normal"])
def test_codes_and_fillers_never_mix_with_numbers(survey, smoothing):
    release = sl.CART(["income"], predictors=["age"], smoothing=smoothing).fit(survey, rng=1, missing_codes=CODES)
    true = survey["income"][survey["income"] != -9]
    for frame in release.generate(m=3, rng=2):
        there = frame["income"][frame["income"] != -9].dropna()
        assert there.min() >= true.min()
        if smoothing is None:
            assert set(there) <= set(true)


def test_what_comes_out_has_the_types_that_went_in(survey):
    (frame,) = sl.CART(NAMES).fit(survey, rng=1, missing_codes=CODES).generate(m=1, rng=2)
    assert (frame.dtypes == survey.dtypes).all()
    assert {type(v) for v in frame["kind"][frame["kind"].isna()]} == {type(None)}
    assert frame["rooms"][frame["rooms"].isna()].iloc[0] is pd.NA
    assert frame["since"][frame["since"].isna()].iloc[0] is pd.NaT
    assert frame["grade"].cat.categories.tolist() == ["low", "mid", "top"]


@pytest.mark.parametrize("given", [(), ("sex",)])
def test_missing_is_a_level_of_a_table(survey, given):
    fitted = sl.DirichletMultinomial(["kind", "grade"], given=given, pseudocount=0.01).fit(survey, rng=1, draws=100)
    release = fitted.generate(m=10, rng=2)
    both = survey["kind"].isna() & survey["grade"].isna()
    assert within_error(share(release, lambda f: f["kind"].isna() & f["grade"].isna()), both.mean(), 10)
    assert (release[0].dtypes == survey.dtypes).all()
    cells = pd.MultiIndex.from_product([["a", "b", "c", None], ["low", "mid", "top", None]], names=["kind", "grade"])
    values = cells.to_frame(index=False).astype({"kind": object})
    values["grade"] = pd.Categorical(values["grade"], survey["grade"].cat.categories, ordered=True)
    np.testing.assert_allclose(fitted.probability_of(survey, values, 0).sum(axis=1), 1.0)
    assert np.isfinite(fitted.log_density(survey)).all()
    np.testing.assert_array_equal(fitted.log_density(survey), fitted.log_likelihood())


def test_missing_is_a_level_of_a_mixture(survey):
    names = ["kind", "rooms", "grade", "works", "sex"]
    fitted = sl.DPMPM(names, classes=20).fit(survey, rng=1, draws=150, tune=150, chains=1)
    release = fitted.generate(m=5, rng=2)
    for name in names:
        assert within_error(share(release, lambda f, name=name: f[name].isna()), survey[name].isna().mean(), 5)
    assert (release[0][names].dtypes == survey[names].dtypes).all()
    assert share(release, lambda f: f["kind"].isna() & f["rooms"].isna()) > 0.08  # 2% if independent
    assert fitted.two_way("kind", "grade").index.tolist() == ["a", "b", "c", "(missing)"]
    np.testing.assert_array_equal(fitted.log_density(survey), fitted.log_likelihood())


def test_cuts_leave_missing_values_and_codes(survey):
    fitted = sl.Topcoding("income", top_share=0.1, bottom_share=0.1).fit(survey, missing_codes=CODES)
    (frame,) = fitted.generate(m=1)
    lost = survey["income"].isna() | (survey["income"] == -9)
    pd.testing.assert_series_equal(frame["income"][lost], survey["income"][lost])
    there = survey["income"][~lost]
    assert fitted.high == pytest.approx(there.quantile(0.9), rel=0.01)
    assert frame["income"][~lost].between(fitted.low, fitted.high).all()


EVERY = [
    sl.CART(["income"], predictors=["age"]),
    sl.DPMPM(["kind", "grade"]),
    sl.DirichletMultinomial(["kind"]),
    sl.Resample(["income"]),
    sl.Topcoding("income", top=3000),
    sl.NormalRegression("income ~ age"),
    sl.TwoPart("income ~ age"),
    sl.FiniteMixture("income ~ age"),
    sl.Sequential([sl.Resample(["kind"]), sl.CART(["income"])]),
]


@pytest.mark.parametrize("model", [*EVERY[:1], *EVERY[3:]], ids=lambda m: type(m).__name__)
def test_codes_count_as_missing_when_these_are_refused(survey, model):
    complete = survey.assign(income=survey["income"].fillna(-9.0), age=survey["age"].fillna(40.0), kind="a")
    with pytest.raises(MissingValueError, match="'income' has"):
        model.fit(complete, missing="raise", missing_codes=CODES)


@every("model", EVERY)
@every(
    ("codes", "message"),
    [
        ({"wage": [-9]}, "'wage' not in confidential"),
        ({"income": ["NA"]}, "missing_codes"),
        ({"kind": [-9]}, "column 'kind' is object; codes apply to numeric columns"),
        ({"grade": [-9]}, "column 'grade' is category"),
        ({"works": [1]}, "column 'works' is boolean"),
        ({"income": [-9, -9]}, "a code of 'income' is named twice"),
        ({"income": [np.nan]}, "missing_codes"),
        ([-9], "must be a mapping of columns"),
    ],
)
def test_codes_that_cannot_be_ones(survey, model, codes, message):
    with pytest.raises(InputError, match=message):
        model.fit(survey, missing_codes=codes)


def test_codes_that_do_not_occur_change_nothing(survey):
    complete = survey[["age", "income"]].dropna()
    one = sl.CART(["income"], predictors=["age"]).fit(complete, rng=1).generate(m=1, rng=2)
    other = sl.CART(["income"], predictors=["age"]).fit(complete, rng=1, missing_codes={"income": [-77], "age": [999]})
    pd.testing.assert_frame_equal(one[0], other.generate(m=1, rng=2)[0])


@pytest.mark.parametrize("model", EVERY[:1] + EVERY[4:], ids=lambda m: type(m).__name__)
def test_a_variable_that_is_missing_throughout(survey, model):
    with pytest.raises(MissingValueError, match="'income' has 1200 missing values and no others"):
        model.fit(survey.assign(income=np.nan))
    with pytest.raises(MissingValueError, match="'income' has 1200 missing values and no others"):
        model.fit(
            survey.assign(income=-9.0).assign(income=lambda f: f["income"].mask(f["age"] > 30)), missing_codes=CODES
        )


def test_one_observed_level(survey):
    frame = survey.assign(kind=survey["kind"].where(survey["kind"] == "a").astype(object))
    for model in (sl.CART(["kind"]), sl.DirichletMultinomial(["kind"])):
        drawn = model.fit(frame, rng=1, draws=50, tune=50).generate(m=1, rng=2)[0]["kind"]
        assert set(drawn.dropna()) == {"a"}
        assert drawn.isna().any()
    with pytest.raises(InputError, match="1 distinct value"):
        sl.LogisticRegression("kind ~ age").fit(frame)


def test_a_constant_with_holes_stays_one(survey):
    frame = survey.assign(income=np.where(survey["age"] > 40, 5.0, np.nan))
    for smoothing in (None, "normal"):
        (drawn,) = sl.CART(["income"], predictors=["age"], smoothing=smoothing).fit(frame, rng=1).generate(m=1, rng=2)
        assert set(drawn["income"].dropna()) == {5.0}
    with pytest.raises(InputError, match="'income' is constant"):
        sl.NormalRegression("income ~ age").fit(frame)


def test_one_record(survey):
    row = survey.iloc[:1].assign(income=np.nan)
    with pytest.raises(MissingValueError, match="and no others"):
        sl.CART(["income"]).fit(row)
    with pytest.raises(InputError, match="'age' is constant"):
        sl.NormalRegression("income ~ age").fit(row)
    assert sl.CART(["kind"]).fit(row, rng=1).generate(m=1, rng=1)[0]["kind"].tolist() == ["b"]


def test_an_identifier_with_holes(survey):
    frame = survey.assign(name=[f"person {i}" if i % 7 else None for i in range(N)])
    with pytest.raises(InputError, match=r"'name' has 1,0\d\d distinct values"):
        sl.CART(["name"]).fit(frame)


def test_missing_values_that_were_not_there_at_the_fit(survey):
    fitted = sl.CART(["income"], predictors=["age", "sex"]).fit(
        survey.dropna(subset=["sex"]).assign(age=lambda f: f["age"].fillna(-1)),
        missing_codes={**CODES, "age": [-1, -2]},
    )
    for change, message in [
        ({"age": np.nan}, "'age' has missing values in"),
        ({"age": -2}, "'age' has values that missing_codes names"),
        ({"sex": None}, "'sex' has"),
    ]:
        with pytest.raises(MissingValueError, match=message):
            fitted.draw(survey.assign(age=40.0).assign(**change), 0, np.random.default_rng(1))


def test_constraints_are_about_values_that_are_there(survey):
    rules = [sl.Bounds("income", 0, None), sl.AllowedCombinations(["kind", "grade"])]
    model = sl.Sequential([sl.CART(["kind", "grade"]), sl.CART(["income"], predictors=["age"])], constraints=rules)
    fitted = model.fit(survey, rng=1, missing_codes=CODES)
    (frame,) = fitted.generate(m=1, rng=2)
    assert frame["income"].isna().any()
    assert (frame["income"] == -9).any()
    seen = set(survey[["kind", "grade"]].astype(object).fillna("-").itertuples(index=False, name=None))
    assert set(frame[["kind", "grade"]].astype(object).fillna("-").itertuples(index=False, name=None)) <= seen
    with pytest.raises(InputError, match="confidential records break"):
        model.fit(survey, rng=1)


def test_listed_combinations_may_hold_a_missing_value():
    rule = sl.AllowedCombinations(["a", "b"], [("x", None), (np.nan, 1.0)])
    frame = pd.DataFrame({"a": ["x", None, "x"], "b": [np.nan, 1.0, 1.0]})
    assert rule.holds(frame).tolist() == [True, True, False]


def test_zero_unless_a_condition_that_is_missing():
    frame = pd.DataFrame({"wage": [0.0, 9.0, np.nan, np.nan], "works": ["no", "yes", None, "yes"]})
    rule = sl.ZeroUnless("wage", "works", ["yes"])
    assert rule.applies(frame).tolist() == [False, True, False, True]
    assert rule.holds(frame).all()


def test_kinds_by_hand():
    frame = pd.DataFrame({"x": [3.0, np.nan, -9.0, 1.0, 2.0, 4.0]})
    kinds = Kinds.of(frame, "x", {"x": (-8.0, -9.0)})
    assert kinds.numbers(frame).tolist() == [0, 1, 3, 0, 0, 0]
    assert kinds.seen == (1, 3)
    assert kinds.fill == 2.0
    assert kinds.filled(frame["x"]).tolist() == [3.0, 2.0, 2.0, 1.0, 2.0, 4.0]
    assert kinds.names == ("x is missing", "x is -9")
    assert kinds.indicators(frame)[:3].tolist() == [[0, 0], [1, 0], [0, 1]]


@pytest.mark.parametrize("dtype", ["int64", "float64", "Int64"])
def test_a_drawn_number_that_equals_a_code_is_not_taken_for_it(dtype):
    like = pd.Series([10, 20, 50, 40, 60, 50, 98, 70], dtype=dtype, name="age")
    kinds = Kinds.of(like.to_frame(), "age", {"age": (50, 98)})
    drawn = pd.Series([50, 98, 20, 70, 60], dtype=dtype)
    made = kinds.column_of(np.array([0, 2, 0, 0, 3, 0, 0]), drawn, like, pd.RangeIndex(7))
    assert made.tolist() == [40, 50, 70, 20, 98, 70, 60]
    assert made.dtype == like.dtype


def test_numbers_moved_on_a_grid_do_not_make_more_codes():
    rng = np.random.default_rng(1)
    income = pd.Series(rng.integers(0, 60, 1500) * 10 + 10_000.0, name="income")
    income = income.where((income != 10_300) & (income != 10_310), 10_290)
    income[rng.random(1500) < 0.001] = 10_300
    income[:3] = 10_300
    frame = pd.DataFrame({"income": income.where(np.arange(1500) < 300, np.nan)})
    fitted = sl.CART(["income"], smoothing="rare").fit(frame, rng=1, missing_codes={"income": [10_300, 10_310]})
    made = fitted.generate(m=200, rng=1)
    codes = np.mean([(one["income"] == 10_300).mean() for one in made])
    assert codes == pytest.approx((frame["income"] == 10_300).mean(), rel=0.2)
    assert not any((one["income"] == 10_310).any() for one in made)
