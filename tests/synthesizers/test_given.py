"""Generation of the remaining variables for given values of the first variables."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
import pytest

import synthlab as sl
from synthlab.exceptions import DtypeMismatchError, FitError, InputError, MissingValueError
from tests.loops import every

RNG = np.random.default_rng(5)
N = 400
SEX = RNG.choice(["f", "m"], N)
JOB = np.where(RNG.random(N) < np.where(SEX == "f", 0.8, 0.3), "nurse", "cook")
WORKS = np.where(RNG.random(N) < np.where(JOB == "nurse", 0.9, 0.2), "yes", "no")
SURVEY = pd.DataFrame(
    {
        "id": [f"p{i}" for i in range(N)],
        "sex": pd.Categorical(SEX, categories=["f", "m", "x"]),
        "job": JOB,
        "works": WORKS,
        "wage": np.where(WORKS == "yes", RNG.integers(10, 30, N), 0).astype(float),
        "rent": RNG.integers(0, 5, N).astype(float),
    }
)
SURVEY["income"] = SURVEY["wage"] + SURVEY["rent"]
SURVEY.loc[0, "rent"], SURVEY.loc[0, "income"] = 4.0, SURVEY.loc[0, "wage"] + 4.0


def of_many(fitted: Any, given: dict[str, Any], column: str, n: int) -> tuple[pd.Series, pd.Series]:
    """Return the shares of the values for given values, and by filtering many records."""
    records = fitted.generate(1, 11, n=n)[0]
    kept = records.loc[np.logical_and.reduce([records[name] == value for name, value in given.items()]), column]
    assert len(kept) > 2000
    rows = pd.DataFrame({name: [value] * len(kept) for name, value in given.items()})
    drawn = fitted.generate(1, 12, given=rows)[0]
    assert all((drawn[name] == value).all() for name, value in given.items())
    return drawn[column].value_counts(normalize=True), kept.value_counts(normalize=True)


TREES = sl.CART(["sex", "job", "works", "wage"], min_leaf=20)
PARTS = sl.Sequential(
    [sl.DirichletMultinomial(["sex"]), sl.CART(["job", "works"], ["sex"], min_leaf=20), sl.CART(["wage"], ["works"])],
    [sl.ZeroUnless("wage", "works", ["yes"])],
)
RULE = sl.AllowedCombinations(["sex", "job"], [("f", "nurse"), ("m", "nurse"), ("m", "cook")])
REJECTING = sl.Sequential([sl.Resample(["sex"]), sl.DirichletMultinomial(["job"]), sl.CART(["works"], ["job"])], [RULE])


@every(
    "model, given, column",
    [
        (TREES, {"sex": "f"}, "job"),
        (TREES, {"sex": "m"}, "works"),
        (TREES, {"sex": "m", "job": "cook"}, "works"),
        (PARTS, {"sex": "f"}, "works"),
        (PARTS, {"sex": "f", "job": "cook"}, "works"),
        (REJECTING, {"sex": "f"}, "works"),
    ],
)
def test_the_rest_has_the_conditional_distribution(model: Any, given: dict[str, Any], column: str) -> None:
    columns = ["sex", "job", "works", "wage"]
    survey = SURVEY[columns]
    if model is REJECTING:
        survey = survey[RULE.holds(survey)][columns[:3]].reset_index(drop=True)
    fitted = model.fit(survey, rng=1)
    if fitted.n_draws is not None:
        fitted = fitted.keep_draws([0])
    drawn, filtered = of_many(fitted, given, column, n=40_000)
    marginal = fitted.generate(1, 13, n=40_000)[0][column].value_counts(normalize=True)
    error = drawn.sub(filtered, fill_value=0).abs().max()
    assert error < 0.035  # at most 3 standard errors of a difference of two shares of 2,000 records or more
    assert filtered.sub(marginal, fill_value=0).abs().max() > 3 * 0.035  # ignoring the given values would be noticed


@pytest.mark.filterwarnings("ignore::synthlab.exceptions.TruncationWarning")
def test_classes_of_a_mixture_follow_the_given_values() -> None:
    model = sl.DPMPM(["sex", "job", "works"], ["job", "works"], classes=4)
    survey = SURVEY[["sex", "job", "works"]].astype({"job": pd.CategoricalDtype(["cook", "nurse"])})
    fitted = model.fit(survey, rng=1, draws=300, tune=300).keep_draws([0])
    pi, psi = fitted.parameters(0)  # levels of sex: f, m; of job: cook, nurse
    n = 10_000
    for place, level in enumerate(["f", "m"]):
        given = pd.DataFrame({"sex": [level] * n})
        share = (fitted.generate(1, 3, given=given)[0]["job"] == "nurse").mean()
        classes = pi * psi[place] / (pi @ psi[place])
        assert share == pytest.approx(classes @ psi[3], abs=4 * 0.5 / np.sqrt(n)), level
    assert abs(psi[0] - psi[1]).max() > 0.2


def test_a_deterministic_model_returns_the_exact_values() -> None:
    grid = pd.DataFrame({"a": np.repeat(np.arange(6), 8), "b": np.tile(np.arange(8), 6)})
    grid["c"] = 10 * grid["a"] + grid["b"]
    grid["total"] = grid["b"] + grid["c"]
    trees = [sl.Resample(["a"]), sl.Resample(["b"]), sl.CART(["c"], ["a", "b"], min_leaf=1)]
    fitted = sl.Sequential(trees, [sl.SumOf("total", ["b", "c"])]).fit(grid, rng=1)
    given = pd.DataFrame({"b": [7, 0, 3], "a": [5, 0, 2]}, index=[9, 9, 4])
    release = fitted.generate(3, 1, given=given)
    expected = pd.DataFrame({"a": [5, 0, 2], "b": [7, 0, 3], "c": [57, 0, 23], "total": [64, 0, 26]}, index=[9, 9, 4])
    for frame in release:
        pd.testing.assert_frame_equal(frame, expected)
    assert release.synthesized == ("c", "total")
    assert release.rows == "unknown"
    assert release.provenance["given"] == ["a", "b"]
    half = fitted.generate(1, 1, given=given[["a"]])[0]
    assert (half["c"] == 10 * half["a"] + half["b"]).all()
    assert (half["total"] == half["b"] + half["c"]).all()


def test_each_dataset_has_its_own_stream() -> None:
    fitted = PARTS.fit(SURVEY[["sex", "job", "works", "wage"]], rng=1)
    given = SURVEY[["sex"]].iloc[:50]
    two, five = fitted.generate(2, 4, given=given), fitted.generate(5, 4, given=given)
    for one, other in zip(two, list(five)[:2], strict=True):
        pd.testing.assert_frame_equal(one, other)
    assert not five[0].equals(five[1])
    pd.testing.assert_frame_equal(five[0][["sex"]], given)


def test_constraints_hold_with_given_values() -> None:
    survey = SURVEY[["works", "wage", "rent", "income"]]
    rules = [sl.ZeroUnless("wage", "works", ["yes"]), sl.SumOf("income", ["wage", "rent"]), sl.Bounds("income", 0, 25)]
    survey = survey[survey["income"] <= 25].reset_index(drop=True)
    models = [sl.Resample(["works"]), sl.NormalRegression("wage ~ 1", bounds=(0, None)), sl.Resample(["rent"])]
    fitted = sl.Sequential(models, rules, max_tries=50).fit(survey, rng=1)
    given = pd.DataFrame({"works": ["yes", "no"] * 50, "wage": [21.0, 0.0] * 50})
    made = fitted.generate(1, 2, given=given)[0]
    assert all(rule.holds(made).all() for rule in rules)
    assert (made["rent"] == 4).any()
    whole = given.assign(rent=1.0, income=given["wage"] + 1.0)
    with pytest.raises(InputError, match="no variable remains"):
        fitted.generate(1, 2, given=whole)
    with pytest.raises(InputError, match="given: 50 of 100 rows.*ZeroUnless"):
        fitted.generate(1, 2, given=given.assign(wage=5.0))
    with pytest.raises(InputError, match="'income' is computed from 'wage', 'rent'"):
        fitted.generate(1, 2, given=given.assign(income=given["wage"]))
    with pytest.raises(FitError, match="Bounds"):
        fitted.generate(1, 2, given=given.assign(wage=given["wage"] * 2))


def test_a_given_total_agrees_with_its_parts() -> None:
    survey = SURVEY[["wage", "rent", "income", "job"]]
    models = [sl.Resample(["wage"]), sl.Resample(["rent"]), sl.CART(["job"], ["income"])]
    fitted = sl.Sequential(models, [sl.SumOf("income", ["wage", "rent"])]).fit(survey, rng=1)
    given = pd.DataFrame({"wage": [11.0], "rent": [2.0]})
    with_total = fitted.generate(1, 2, given=given.assign(income=13.0))
    assert with_total.synthesized == ("job",)
    pd.testing.assert_frame_equal(with_total[0], fitted.generate(1, 2, given=given)[0])
    with pytest.raises(InputError, match="given: 1 of 1 rows.*SumOf"):
        fitted.generate(1, 2, given=given.assign(income=14.0))


GIVEN = SURVEY[["id", "sex", "job"]].iloc[:4].reset_index(drop=True)
REFUSED = {
    "no frame": ([1, 2], InputError, "given: must be a data frame of pandas, polars or PyArrow"),
    "no row": (GIVEN.iloc[:0], InputError, "given: has 0 rows"),
    "unknown column": (GIVEN.assign(town="x"), InputError, "given: 'town' not among"),
    "no unchanged variable": (GIVEN[["sex"]], InputError, "lacks the unchanged variables 'id'"),
    "a gap": (
        GIVEN.drop(columns="sex"),
        InputError,
        "given: has 'job', but lacks 'sex'.*'sex', 'job', 'works', 'wage'",
    ),
    "every variable": (SURVEY[["id", "sex", "job", "works", "wage"]], InputError, "no variable remains"),
    "a new level": (GIVEN.assign(job=["pilot", *JOB[:3]]), InputError, "'job'.*1 of 4 rows, the first at position 0"),
    "an empty category": (GIVEN.assign(sex="x"), InputError, "'sex'.*4 of 4 rows"),
    "numbers as text": (GIVEN.assign(job=1.0), DtypeMismatchError, "'job'"),
    "a missing value": (GIVEN.assign(job=[None, *JOB[:3]]), MissingValueError, "'job' has 1 missing"),
}


@every("name", REFUSED)
def test_given_values_are_checked(name: str) -> None:
    given, error, message = REFUSED[name]
    fitted = TREES.fit(SURVEY[["id", "sex", "job", "works", "wage"]], rng=1)
    assert len(fitted.generate(1, 1, given=GIVEN)[0]) == 4
    with pytest.raises(error, match=message) as raised:
        fitted.generate(1, 1, given=given)
    assert not any(level in str(raised.value) for level in ("nurse", "cook", "p1"))


def test_numbers_are_checked() -> None:
    fitted = sl.CART(["wage", "job"]).fit(SURVEY[["wage", "job"]], rng=1)
    for odd, message in [(["a"], "wage"), ([np.inf], "infinite"), ([True], "wage")]:
        with pytest.raises(InputError, match=message):
            fitted.generate(1, 1, given=pd.DataFrame({"wage": odd}))
    assert len(fitted.generate(1, 1, given=pd.DataFrame({"wage": [12]}))[0]) == 1
    with pytest.raises(InputError, match="omit n"):
        fitted.generate(1, 1, n=2, given=pd.DataFrame({"wage": [12]}))


def test_variables_that_are_drawn_together_are_given_together() -> None:
    survey = SURVEY[["sex", "job", "works"]]
    fitted = sl.Sequential([sl.Resample(["sex", "job"]), sl.CART(["works"], ["sex", "job"])]).fit(survey, rng=1)
    assert fitted.generate(1, 1, given=survey[["sex", "job"]]).synthesized == ("works",)
    with pytest.raises(InputError, match="Resample draws 'sex', 'job' together"):
        fitted.generate(1, 1, given=survey[["sex"]])


def test_a_model_that_uses_own_values_refuses() -> None:
    fitted = sl.Sequential([sl.Resample(["job"]), sl.Topcoding("wage", top_share=0.1)]).fit(SURVEY[["job", "wage"]])
    with pytest.raises(InputError, match="confidential values of a record"):
        fitted.generate(1, 1, given=SURVEY[["job"]])
