"""Imputed: what is there stays, what is missing is drawn given the rest, M times r datasets come out."""

import numpy as np
import pandas as pd
import pytest

import synthlab as sl
from synthlab.exceptions import InputError, MissingValueError
from tests.loops import every

N = 300


@pytest.fixture(scope="module")
def survey() -> pd.DataFrame:
    rng = np.random.default_rng(5)
    age = rng.integers(18, 80, N).astype(float)
    income = 100 * age + rng.normal(0, 300, N)
    frame = pd.DataFrame({"age": age, "income": np.where(rng.random(N) < age / 110, np.nan, income)})
    frame["kind"] = pd.Series(rng.choice(["a", "b"], N), dtype=object).mask(pd.Series(rng.random(N) < 0.1), None)
    frame["rooms"] = pd.Series(rng.integers(1, 7, N), dtype="Int64").mask(pd.Series(rng.random(N) < 0.1))
    frame.loc[::29, "income"] = -9
    return frame


@pytest.fixture(scope="module")
def imputed(survey) -> sl.Imputed:
    return sl.Imputed(survey, 3, rounds=2, missing_codes={"income": [-9]}, rng=1)


def test_what_is_there_stays_and_the_rest_is_filled(survey, imputed):
    lost = survey.mask(survey == -9)
    assert len(imputed.frames) == 3
    for frame in imputed.frames:
        assert not frame.isna().any(axis=None)
        assert (frame.dtypes == survey.dtypes).all()
        for name in survey:
            there = lost[name].notna()
            assert (frame[name][there] == lost[name][there]).all()
    one, other = imputed.frames[:2]
    assert (one["income"] != other["income"]).any()


def test_imputations_follow_the_other_variables(survey, imputed):
    lost = survey["income"].isna() | (survey["income"] == -9)
    old = survey["age"] > 60
    for frame in imputed.frames:  # missing at random given age: the average of those who answered is too low
        assert frame["income"][lost & old].mean() == pytest.approx(100 * survey["age"][lost & old].mean(), rel=0.06)
    assert survey["income"][~lost].mean() < imputed.frames[0]["income"].mean() - 200


def test_the_same_seed_gives_the_same_copies(survey, imputed):
    again = sl.Imputed(survey, 3, rounds=2, missing_codes={"income": [-9]}, rng=1)
    for one, other in zip(imputed.frames, again.frames, strict=True):
        pd.testing.assert_frame_equal(one, other)


@pytest.mark.filterwarnings("ignore::synthlab.exceptions.FewDegreesOfFreedomWarning")
def test_nests_of_syntheses(imputed):
    release = imputed.synthesize(sl.CART(["income"], predictors=["age", "kind"]), r=2, rng=3)
    assert (release.m, release.provenance["nests"], release.synthesized) == (6, 3, ("income",))
    for place, frame in enumerate(release):
        pd.testing.assert_series_equal(frame["rooms"], imputed.frames[place // 2]["rooms"])
    means = np.reshape([frame["income"].mean() for frame in release], (3, 2))
    result = sl.combine_nested(means, np.full((3, 2), 1.0))
    assert result.m == 6


def test_a_model_of_a_variable_in_place_of_a_tree(survey):
    class Shift:
        def fit(self, confidential, *, weights=None, rng=None, **sampler):
            assert confidential["income"].notna().all()
            assert sampler == {"draws": 10}
            return sl.Resample(["income"]).fit(confidential.assign(income=7.0), rng=rng)

    made = sl.Imputed(survey[["age", "income"]], 2, models={"income": Shift()}, rounds=1, sampler={"draws": 10}, rng=1)
    assert (made.frames[0]["income"][survey["income"].isna()] == 7.0).all()


def test_variables_that_take_no_part_stay_as_they_are(survey):
    made = sl.Imputed(survey, 2, variables=["age", "rooms"], rounds=1, rng=1)
    pd.testing.assert_series_equal(made.frames[0]["income"], survey["income"])
    assert not made.frames[0]["rooms"].isna().any()


def test_one_synthesis_a_nest_is_an_error(imputed):
    for r in (1, 10**8):
        with pytest.raises(InputError, match=f"^r={r}: must be"):
            imputed.synthesize(sl.Resample(["income"]), r=r)
    with pytest.raises(InputError, match="is not a synthesizer"):
        imputed.synthesize("cart")


@every(
    ("options", "error", "message"),
    [
        ({"M": 1}, InputError, "M=1"),
        ({"M": 10**8}, InputError, "M=100000000"),
        ({"sampler": {1: None}}, InputError, "sampler: must be text, got int"),
        ({"rounds": 0}, InputError, "rounds=0"),
        ({"models": {"age": sl.CART(["age"])}}, InputError, "'age' is not a variable with missing values"),
        ({"models": {"income": "cart"}}, InputError, "is not a synthesizer"),
        ({"models": {"income": sl.Resample(["rooms"])}}, InputError, "must synthesize this variable and no other"),
        ({"variables": ["age"]}, InputError, "nothing to impute"),
        ({"missing_codes": {"kind": [1]}}, InputError, "codes apply to numeric columns"),
    ],
)
def test_bad_input(survey, options, error, message):
    with pytest.raises(error, match=message):
        sl.Imputed(survey, **{"M": 2, "rounds": 1, "rng": 1, **options})


def test_a_variable_that_is_missing_throughout(survey):
    with pytest.raises(MissingValueError, match="'income' has 300 missing values and no others"):
        sl.Imputed(survey.assign(income=np.nan))


@pytest.mark.filterwarnings("ignore::synthlab.exceptions.FewDegreesOfFreedomWarning")
def test_an_analysis_of_the_release_takes_the_rule_for_nests(survey, imputed):
    release = imputed.synthesize(sl.CART(["income"], predictors=["age"]), r=2, rng=3)
    confidential = survey.mask(survey == -9)
    options = {"formula": "income ~ age", "missing": "never"}
    found = sl.analysis_utility(confidential, release, synthesis="nested", **options)
    alone = sl.combine_nested(found.estimates.reshape(3, 2, 2), found.variances.reshape(3, 2, 2), names=found.names)
    assert found.combined.synthesis == "nested"
    pd.testing.assert_frame_equal(found.combined.summary(), alone.summary())
    for other in (list(release), sl.Release(list(release), provenance={"nests": 4})):
        with pytest.raises(InputError, match="the number of nests"):
            sl.analysis_utility(confidential, other, synthesis="nested", **options)


def test_a_level_in_which_the_variable_is_missing_throughout_is_imputed_from_the_others():
    rng = np.random.default_rng(1)
    survey = pd.DataFrame({"group": np.repeat(["adult", "child"], [40, 10])})
    survey["income"] = pd.Series(rng.normal(size=50)).mask(survey["group"] == "child")
    survey["job"] = pd.Series(rng.choice(["a", "b"], 50)).mask(survey["group"] == "child")
    survey.loc[:2, ["income", "job"]] = None
    for frame in sl.Imputed(survey, M=2, rounds=3, rng=1).frames:
        assert frame.notna().all(axis=None)
        assert frame["income"].isin(survey["income"].dropna()).all()


def test_rounds_have_an_end(survey):
    with pytest.raises(InputError, match="rounds"):
        sl.Imputed(survey, 2, rounds=10**8, rng=1)


def days(n: int) -> pd.DatetimeIndex:
    return pd.to_datetime("2020-01-01") + pd.to_timedelta(np.arange(n) % 50, "D")


def of_kind(kind: str, n: int = 90) -> pd.Series:
    """Return a column of one kind; those of numbers are whole, so that each may hold codes."""
    draw = np.random.default_rng(4)
    letters, numbers = draw.choice(list("abc"), n), draw.integers(0, 9, n)
    made = {
        "bool": numbers > 4,
        "boolean": pd.array(numbers > 4, dtype="boolean"),
        "datetime64": days(n),
        "with time zone": days(n).tz_localize("Europe/Vienna"),
        "timedelta64": pd.to_timedelta(numbers, "h"),
        "period": pd.PeriodIndex(days(n), freq="M"),
        "category": pd.Categorical(letters, list("abcd")),
        "ordered": pd.Categorical(letters, list("cbad"), ordered=True),
        "categories of numbers": pd.Categorical(numbers),
    }
    if kind in made:
        return pd.Series(made[kind])
    return pd.Series(letters if kind in ("object", "str", "string") else numbers).astype(kind)


NUMBERS = ("int64", "int8", "UInt8", "Int64", "float64", "float32", "Float64")
KINDS = (
    *NUMBERS, "object", "str", "string", "bool", "boolean", "datetime64", "with time zone", "timedelta64", "period",
    "category", "ordered", "categories of numbers",
)  # fmt: skip
PATTERNS = {
    "some": lambda n: np.arange(n) % 4 == 1,
    "one is missing": lambda n: np.arange(n) == 5,
    "one is there": lambda n: np.arange(n) != 5,
}


CASES = [(kind, pattern, ()) for kind in KINDS for pattern in PATTERNS]
CASES += [(kind, pattern, codes) for kind in NUMBERS for pattern in (*PATTERNS, "none") for codes in ((99,), (99, 98))]
# Every kind, pattern and number of codes, but not all of them together.
FEW = [(k, (*PATTERNS, "none")[i % 4], ((99,), (99, 98))[i % 2]) for i, k in enumerate(NUMBERS)]
FEW += [(k, [*PATTERNS][i % 3], ()) for i, k in enumerate(KINDS[len(NUMBERS) :])]


@pytest.mark.parametrize("cases", [FEW, pytest.param(CASES, marks=pytest.mark.full)], ids=["few", "all"])
def test_every_kind_of_column_is_imputed_whatever_is_missing(cases):
    @every(("kind", "pattern", "codes"), cases)
    def compare(kind, pattern, codes):
        column = of_kind(kind)
        n = len(column)
        for place, code in enumerate(codes):
            column[np.arange(n) % 9 == 3 + place] = code
        if pattern != "none":
            column = column.mask(pd.Series(PATTERNS[pattern](n)))
        other = pd.Series(np.random.default_rng(1).choice(["u", "v"], n)).mask(pd.Series(np.arange(n) % 7 == 1))
        frame = pd.DataFrame({"column": column, "other": other, "x": np.random.default_rng(2).normal(size=n)})
        imputed = sl.Imputed(frame, 2, rounds=2, missing_codes={"column": codes} if codes else None, rng=1)
        lost = frame["column"].isna() | frame["column"].isin(codes).to_numpy(dtype=bool)
        seen = set(frame["column"][~lost])
        for one in imputed.frames:
            assert not one.isna().any(axis=None)
            assert one["column"].dtype == frame["column"].dtype
            assert set(one["column"]) <= seen
            assert (one["column"][~lost] == frame["column"][~lost]).all()
        release = imputed.synthesize(sl.CART(["column"], predictors=["other", "x"]), r=2, rng=1)
        assert release.m == 4
        for made in release:
            assert made["column"].dtype == frame["column"].dtype
            assert set(made["column"]) <= seen

    compare()


@every("kind", KINDS)
def test_a_column_of_any_kind_that_is_missing_throughout_is_named(kind):
    column = of_kind(kind, 20)
    frame = pd.DataFrame({"column": column.mask(column.notna()), "x": range(20)})
    with pytest.raises(MissingValueError, match="column 'column' has 20 missing values and no others"):
        sl.Imputed(frame, 2, rng=1)
    if kind in NUMBERS:
        coded = frame.assign(column=pd.Series(99, index=frame.index).astype(kind))
        with pytest.raises(MissingValueError, match="column 'column' has 20 missing values and no others"):
            sl.Imputed(coded, 2, missing_codes={"column": [99]}, rng=1)


def test_whole_numbers_stay_so_unless_a_model_draws_fractions():
    frame = pd.DataFrame({"x": np.arange(40), "y": np.where(np.arange(40) % 5 == 0, -9, 2 * np.arange(40))})
    frame["y"] += np.random.default_rng(1).integers(0, 5, 40) * (frame["y"] != -9)
    codes = {"missing_codes": {"y": [-9]}, "rng": 1, "rounds": 1}
    whole = sl.Imputed(frame, 2, **codes).frames[0]["y"]
    drawn = sl.Imputed(frame, 2, models={"y": sl.NormalRegression("y ~ x")}, **codes).frames[0]["y"]
    assert (whole.dtype, drawn.dtype) == (np.dtype("int64"), np.dtype("float64"))
    assert (drawn[frame["y"] == -9] % 1 != 0).any()
