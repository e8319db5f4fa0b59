"""Design-based estimates, and utility under a design: definitions worked by hand, and what is refused."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

import synthlab as sl
from synthlab.exceptions import InputError, MissingValueError, UndefinedStatisticWarning

DESIGN = sl.SurveyDesign(weights="weight", strata="region", clusters="school")


def survey(n: int = 120, rng: int = 1) -> pd.DataFrame:
    draw = np.random.default_rng(rng)
    school = np.arange(n) // 10
    x = draw.normal(size=n).round(3)
    y = (10 + 2 * x + draw.normal(size=n // 10)[school] + draw.normal(size=n)).round(3)
    weight = np.exp(0.2 * (y - 10)).round(3)
    return pd.DataFrame(
        {"region": school // 6, "school": school, "weight": weight, "x": x, "y": y, "works": (x > 0) * 1}
    )


def test_means_and_totals_are_those_of_the_formulas():
    frame = survey()
    w, y = frame["weight"].to_numpy(), frame["y"].to_numpy()
    mean, total = (f(frame, ["y", "works"], DESIGN) for f in (sl.survey_mean, sl.survey_total))
    assert mean.estimate[0] == pytest.approx(w @ y / w.sum())
    assert total.estimate[0] == pytest.approx(w @ y)
    z = pd.Series(w * (y - mean.estimate[0]) / w.sum()).groupby(frame["school"]).sum().to_numpy().reshape(2, 6)
    variance = (6 / 5 * ((z - z.mean(axis=1, keepdims=True)) ** 2).sum(axis=1)).sum()
    assert mean.std_error[0] == pytest.approx(np.sqrt(variance))
    assert mean.df == total.df == 10
    assert mean.summary().index.tolist() == ["y", "works"]
    assert "12" not in mean.title.split("n = ")[0]


def test_a_quantile_is_the_smallest_value_that_reaches_its_share():
    frame = pd.DataFrame({"y": [3.0, 1.0, 2.0, 4.0], "weight": [1.0, 1.0, 1.0, 1.0]})
    found = sl.survey_quantile(
        frame, "y", sl.SurveyDesign(weights="weight"), probabilities=[0.25, 0.5, 0.51], level=0.2
    )
    assert found.estimate.tolist() == [1.0, 2.0, 3.0]
    with pytest.warns(UndefinedStatisticWarning, match="a share is too near 0 or 1"):
        wide = sl.survey_quantile(frame, "y", sl.SurveyDesign(weights="weight"), probabilities=[0.25])
    assert np.isnan(wide.interval[0, 0])
    assert np.isnan(wide.std_error[0])


@pytest.mark.parametrize(
    ("formula", "family"), [("y ~ x", "gaussian"), ("works ~ y", "binomial"), ("school ~ x", "poisson")]
)
def test_a_regression_solves_the_weighted_equations_and_has_the_sandwich_covariance(formula, family):
    frame = survey()
    found = sl.survey_regression(frame, formula, DESIGN, family=family)
    response, predictor = formula.split(" ~ ")
    x = np.column_stack([np.ones(len(frame)), frame[predictor]])
    eta = x @ found.estimate
    mean = {"gaussian": eta, "binomial": 1 / (1 + np.exp(-eta)), "poisson": np.exp(eta)}[family]
    slope = {"gaussian": np.ones(len(eta)), "binomial": mean * (1 - mean), "poisson": mean}[family]
    w = frame["weight"].to_numpy()
    scores = x * (w * (frame[response] - mean).to_numpy())[:, None]
    assert scores.sum(axis=0) == pytest.approx([0, 0], abs=1e-6)
    bread = np.linalg.inv((x * (w * slope)[:, None]).T @ x)
    assert found.covariance == pytest.approx(bread @ DESIGN.read(frame).covariance(scores) @ bread)
    assert found.df == 10 + 1 - 2
    assert found.conf_int(0.05) == pytest.approx(found.interval)


def test_without_a_design_an_equal_probability_sample_is_estimated():
    frame = survey()
    found = sl.survey_mean(frame, ["y"], sl.SurveyDesign())
    assert found.std_error[0] == pytest.approx(frame["y"].std() / np.sqrt(120))


def test_weights_that_do_not_add_up_spoil_a_total_and_not_a_mean():
    frame = survey().assign(people=1000)
    design = sl.SurveyDesign(weights="weight", fpc="people")
    assert np.isfinite(sl.survey_mean(frame, ["y"], design).std_error[0])
    with pytest.raises(InputError, match="weights: do not add up to the population that fpc states"):
        sl.survey_total(frame, ["y"], design)


def test_what_cannot_be_estimated_is_named():
    frame = survey()
    with pytest.raises(InputError, match="variables: 'z' not in survey"):
        sl.survey_mean(frame, ["z"], DESIGN)
    with pytest.raises(MissingValueError, match="survey: column 'y'"):
        sl.survey_mean(frame.assign(y=frame["y"].where(frame["x"] < 1)), ["y"], DESIGN)
    with pytest.raises(InputError, match="design='weight': must be a SurveyDesign"):
        sl.survey_mean(frame, ["y"], "weight")
    with pytest.raises(
        InputError, match="strata: 1 of 3 strata, the first at position 0, have one primary sampling unit"
    ):
        sl.survey_mean(frame.assign(region=np.where(frame["school"] == 0, -1, frame["region"])), ["y"], DESIGN)
    with pytest.raises(InputError, match="probabilities: must be"):
        sl.survey_quantile(frame, "y", DESIGN, probabilities=[1.0])
    with pytest.raises(InputError, match="family='gamma'"):
        sl.survey_regression(frame, "y ~ x", DESIGN, family="gamma")


def test_an_analysis_under_a_design_is_design_based_on_both_sides():
    frame = survey()
    kept = [frame.assign(y=frame["y"] + np.random.default_rng(k).normal(0, 0.1, 120)) for k in range(3)]
    result = sl.analysis_utility(frame, kept, formula="y ~ x", design=DESIGN)
    for place, data in enumerate([frame, *kept]):
        one = sl.survey_regression(data, "y ~ x", DESIGN)
        found = result.confidential_std_error if place == 0 else np.sqrt(result.variances[place - 1])
        assert found == pytest.approx(one.std_error)
    alone = [one[["x", "y"]] for one in kept]
    with pytest.raises(InputError, match="design: 'weight', 'region', 'school' not in synthetic dataset 1 of 3"):
        sl.analysis_utility(frame, alone, formula="y ~ x", design=DESIGN)
    simple = sl.analysis_utility(frame, alone, formula="y ~ x", design=DESIGN, synthetic_design=None)
    assert simple.confidential_std_error == pytest.approx(result.confidential_std_error)
    assert np.sqrt(simple.variances[0]) == pytest.approx(
        sl.survey_regression(alone[0], "y ~ x", sl.SurveyDesign()).std_error
    )
    with pytest.raises(InputError, match="design: requires a formula"):
        sl.analysis_utility(frame, kept, analysis=lambda f: {"a": (1.0, 1.0)}, design=DESIGN)
    with pytest.raises(InputError, match="synthetic_design='mine': must be a SurveyDesign"):
        sl.analysis_utility(frame, kept, formula="y ~ x", design=DESIGN, synthetic_design="mine")
    with pytest.raises(InputError, match="synthetic_design: requires design"):
        sl.analysis_utility(frame, kept, formula="y ~ x", synthetic_design=DESIGN)


MEASURED = {
    "pmse": lambda frame, release, **said: sl.pmse(frame, release, variables=["x", "y"], permutations=2, rng=1, **said),
    "ecdf_utility": lambda frame, release, **said: sl.ecdf_utility(frame, release, variables=["x", "y"], **said),
    "analysis_utility": lambda frame, release, **said: sl.analysis_utility(frame, release, formula="y ~ x", **said),
}


@pytest.mark.parametrize("measure", MEASURED)
def test_a_design_of_arrays_is_not_read_into_rows_of_others(measure):
    frame, ask = survey(), MEASURED[measure]
    arrays = sl.SurveyDesign(weights=frame["weight"], strata=frame["region"].to_numpy())
    synthetic = [frame.assign(y=frame["y"] + shift) for shift in (0.1, 0.2)]
    for release in (synthetic[0], synthetic, sl.Release(synthetic, rows="shuffled")):
        with pytest.raises(InputError, match="design: its 'weights', 'strata' are arrays.*synthetic_design"):
            ask(frame, release, design=arrays)
    about = ask(frame, sl.Release(synthetic, rows="aligned"), design=arrays)
    told = ask(frame, synthetic, design=arrays, synthetic_design=sl.SurveyDesign(weights="weight", strata="region"))
    for found, wanted in zip(
        about.summary().to_numpy(dtype=float).ravel(), told.summary().to_numpy(dtype=float).ravel(), strict=True
    ):
        assert found == pytest.approx(wanted, nan_ok=True)


@pytest.mark.parametrize("measure", MEASURED)
def test_a_design_that_does_not_fit_a_synthetic_dataset_says_whose_it_is(measure):
    frame, ask = survey(), MEASURED[measure]
    weight = frame["weight"]
    fine, holed_, negative = (frame.assign(weight=w) for w in (weight, weight.where(frame.index > 3), -weight))
    where = "read from synthetic dataset 2 of 2: weights: "
    with pytest.raises(MissingValueError, match=f"^design, {where}4 of 120 records"):
        ask(frame, [fine, holed_], design=DESIGN)
    with pytest.raises(InputError, match=f"^synthetic_design, {where}must be finite numbers above 0"):
        ask(frame, [fine, negative], design=DESIGN, synthetic_design=sl.SurveyDesign(weights="weight"))
    with pytest.raises(
        InputError, match="^synthetic_design, read from .*: weights: has 7 entries, but .* has 120 records"
    ):
        ask(frame, fine, design=DESIGN, synthetic_design=sl.SurveyDesign(weights=[1.0] * 7))
    with pytest.raises(InputError, match="^synthetic_design, read from .*: strata: 'county' not in"):
        ask(frame, fine, design=DESIGN, synthetic_design=sl.SurveyDesign(strata="county"))
    half = sl.Release([frame.head(60)], rows="aligned")
    with pytest.raises(InputError, match="weights: has 120 entries, but .* has 60 records"):
        ask(frame, half, design=sl.SurveyDesign(weights=frame["weight"]))


def test_whole_weights_count_as_that_many_records():
    counts = np.array([1, 2, 3, 2, 1, 3] * 10)
    draw = np.random.default_rng(4)
    frame = pd.DataFrame({"y": draw.normal(size=60).round(2), "g": draw.choice(["a", "b"], 60), "w": counts})
    many = frame.loc[np.repeat(np.arange(60), counts)].reset_index(drop=True)
    synthetic = pd.DataFrame({"y": draw.normal(0.3, 1, 60).round(2), "g": draw.choice(["a", "b"], 60)})
    design = {"design": sl.SurveyDesign(weights="w"), "synthetic_design": None}
    ecdf = sl.ecdf_utility(frame, synthetic, variables=["y"], **design)
    plain = sl.ecdf_utility(many, pd.concat([synthetic] * 2, ignore_index=True), variables=["y"])
    assert ecdf.ecdf_max[0, 0] == pytest.approx(plain.ecdf_max[0, 0])
    assert ecdf.ecdf_mean_square[0, 0] == pytest.approx(plain.ecdf_mean_square[0, 0])
    weighted = sl.pmse(frame, synthetic, variables=["y", "g"], permutations=5, rng=1, **design)
    repeated = sl.pmse(many, pd.concat([synthetic] * 2, ignore_index=True), variables=["y", "g"])
    assert weighted.pmse[0] == pytest.approx(repeated.pmse[0], rel=1e-6)
    assert weighted.null == "permutation"
    assert weighted.null_mean[0] > 0
    tree = sl.pmse(frame, synthetic, variables=["y"], model="cart", permutations=2, rng=1, **design)
    assert 0 <= tree.pmse[0] <= 0.25
    with pytest.raises(InputError, match="null='analytic': requires equal weights"):
        sl.pmse(frame, synthetic, variables=["y"], null="analytic", **design)


def holed() -> pd.DataFrame:
    """A survey in which an answer is missing for many, and for all of one cluster."""
    frame = survey()
    return frame.assign(told=frame["y"].where((frame["x"] < 0.8) & (frame["school"] != 4)))


def test_records_that_have_the_variable_are_a_domain_of_the_design():
    frame = holed()
    there = frame["told"].notna().to_numpy()
    w, y = frame["weight"].to_numpy() * there, frame["told"].fillna(0).to_numpy()
    mean, total = (f(frame, ["told"], DESIGN, missing="never") for f in (sl.survey_mean, sl.survey_total))
    assert (mean.estimate[0], total.estimate[0]) == pytest.approx((w @ y / w.sum(), w @ y))
    for found, scores in ((mean, w * (y - mean.estimate[0]) / w.sum()), (total, w * y)):
        assert found.covariance == pytest.approx(DESIGN.read(frame).covariance(scores[:, None]))
        assert (found.df, found.n) == (
            9,
            there.sum(),
        )  # 11 of the 12 clusters have records in the domain, both strata do
    short = sl.survey_mean(frame[there], ["told"], DESIGN)
    assert short.estimate == pytest.approx(mean.estimate)
    assert short.std_error[0] != pytest.approx(mean.std_error[0], rel=1e-6)


@pytest.mark.filterwarnings("ignore::synthlab.exceptions.FewDegreesOfFreedomWarning")
def test_a_domain_keeps_quantiles_and_regressions_to_its_records():
    frame = holed()
    far = frame.assign(told=frame["told"] + 1000)
    found = sl.survey_quantile(far, "told", DESIGN, probabilities=[0.1, 0.5], missing="never")
    assert (found.estimate >= far["told"].min()).all()
    assert found.interval[0, 0] >= far["told"].min()
    fit = sl.survey_regression(frame, "told ~ x", DESIGN, missing="never")
    alone = sl.survey_regression(frame.dropna(), "told ~ x", DESIGN)
    assert fit.estimate == pytest.approx(alone.estimate)
    assert (fit.n, fit.df) == (frame["told"].notna().sum(), 9 + 1 - 2)
    result = sl.analysis_utility(
        frame, [frame, survey().assign(told=survey(rng=2)["y"])], formula="told ~ x + y", design=DESIGN, missing="never"
    )
    one = sl.survey_regression(frame, "told ~ x + y", DESIGN, missing="never")
    assert result.confidential_std_error == pytest.approx(one.std_error)
    assert np.sqrt(result.variances[0]) == pytest.approx(one.std_error)


def test_weights_of_a_domain_need_not_add_up_to_the_population():
    frame = holed().assign(people=1200.0, weight=10.0)
    design = sl.SurveyDesign(weights="weight", fpc="people")
    total = sl.survey_total(frame, ["told"], design, missing="never")
    assert total.estimate[0] == pytest.approx(10 * frame["told"].sum())


@pytest.mark.parametrize("estimate", [sl.survey_mean, sl.survey_total])
def test_a_survey_without_answers_or_with_missing_as_a_category(estimate):
    frame = holed()
    with pytest.raises(InputError, match="no record has all of the variables"):
        estimate(frame.assign(told=np.nan), ["told"], DESIGN, missing="never")
    with pytest.raises(InputError, match="missing='category'"):
        estimate(frame, ["told"], DESIGN, missing="category")
    with pytest.raises(MissingValueError, match='missing="never"'):
        estimate(frame, ["told"], DESIGN)


@pytest.mark.parametrize("estimate", [sl.survey_mean, sl.survey_total])
@pytest.mark.parametrize("power", [1e-160, 1e-200, 1e-300])
def test_squares_below_the_smallest_float_leave_no_interval(estimate, power):
    frame = survey().assign(weight=1.0)
    weights, values = ((power, 1.0), (1.0, power))[estimate is sl.survey_mean]
    tiny = frame.assign(weight=frame["weight"] * weights, y=frame["y"] * values)
    with pytest.warns(UndefinedStatisticWarning, match="too small for their squares"):
        found = estimate(tiny, ["y"], sl.SurveyDesign(weights="weight"))
    assert np.isnan([found.std_error[0], *found.interval[0]]).all()
    assert found.estimate[0] == pytest.approx(
        estimate(frame, ["y"], sl.SurveyDesign(weights="weight")).estimate[0] * power
    )


def test_a_variable_without_spread_has_an_interval_of_no_length():
    found = sl.survey_mean(survey().assign(one=1.0), ["one", "y"], sl.SurveyDesign())
    assert found.std_error[0] == 0
    assert found.interval[0].tolist() == [1.0, 1.0]


def test_below_the_first_step_a_quantile_is_the_smallest_value():
    frame = pd.DataFrame({"y": range(1, 21), "weight": [5.0] + [1.0] * 19})
    with pytest.warns(UndefinedStatisticWarning):
        found = sl.survey_quantile(frame, "y", sl.SurveyDesign(weights="weight"), probabilities=[0.1, 0.2, 0.21, 0.5])
    assert found.estimate.tolist() == [1, 1, 2, 8]  # R's svyquantile, survey 4.1: 2, 2, 2, 8
    assert found.interval[3].tolist() == [1, 16]  # 2, 16


def test_the_largest_value_is_a_quantile_without_standard_error():
    rng = np.random.default_rng(0)
    for _ in range(60):
        weights = np.exp(rng.normal(0, 0.8, int(rng.integers(10, 60)))).round(3)
        frame = pd.DataFrame(
            {"y": rng.normal(size=weights.size).round(2), "w": weights, "s": rng.integers(2, size=weights.size)}
        )
        frame.loc[frame["y"].idxmax(), "w"] = weights.sum() * 0.2
        for design in (sl.SurveyDesign(weights="w"), sl.SurveyDesign(weights="w", strata="s", lonely="certainty")):
            found = sl.survey_quantile(frame, "y", design, probabilities=[0.95])
            assert (*found.interval[0], *found.std_error) == (frame["y"].max(), frame["y"].max(), 0.0)


def test_a_regression_takes_sparse_columns():
    frame = survey()
    sparse = frame.assign(x=pd.arrays.SparseArray(frame["x"]), y=pd.arrays.SparseArray(frame["y"], fill_value=0.0))
    found, dense = (sl.survey_regression(one, "y ~ x", DESIGN) for one in (sparse, frame))
    assert found.estimate == pytest.approx(dense.estimate)
