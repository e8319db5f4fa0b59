from __future__ import annotations

import re

import numpy as np
import pandas as pd
import pytest
import statsmodels.formula.api as smf
from scipy import stats

from synthlab._warnings import quiet
from synthlab.exceptions import (
    FitError,
    InputError,
    MissingValueError,
    UndefinedIntervalWarning,
    UndefinedStatisticWarning,
)
from synthlab.utility import analysis_utility, combine_full
from synthlab.utility.intervals import overlap
from tests.loops import every

FORMULAS = {
    "gaussian": "income ~ age + region",
    "binomial": "married ~ age + log(income + 3000)",
    "poisson": "children ~ age * region",
}
OUR_NAMES = {
    "(Intercept)": "Intercept",
    "regionsouth": "region[T.south]",
    "regionwest": "region[T.west]",
    "age:regionsouth": "age:region[T.south]",
    "age:regionwest": "age:region[T.west]",
}


@pytest.mark.parametrize("kind", ["partial", "full"])
@pytest.mark.filterwarnings("ignore::synthlab.exceptions.FewDegreesOfFreedomWarning")
@pytest.mark.parametrize("model", ["gaussian", "binomial", "poisson"])
def test_equals_r(confidential, releases, answer, kind, model) -> None:
    rule = "partial" if kind == "partial" else "none"  # R's answers for full synthesis are those of the rule of 2003
    with quiet(UndefinedIntervalWarning):
        result = analysis_utility(confidential, releases[kind], formula=FORMULAS[model], family=model, synthesis=rule)
    together, df = result.combined.interval, result.combined.df
    if kind == "full":
        by_hand = combine_full(result.estimates, result.variances, size_ratio=250 / 300)
        together, df = by_hand.interval, by_hand.df

    def said(what: str) -> pd.Series:
        return answer(f"{model} {what}", kind).rename(index=OUR_NAMES, level="name")

    ours = said("estimate").xs(0, level="dataset")
    names = [n if "log" not in n else "log(income + 3000)" for n in result.names]
    assert sorted(names) == sorted(ours.index)
    np.testing.assert_allclose(result.confidential_estimate, ours[names], rtol=1e-9)
    np.testing.assert_allclose(
        result.confidential_std_error, said("std_error").xs(0, level="dataset")[names], rtol=1e-9
    )
    for column, what in enumerate(["lower", "upper"]):
        expected = said(what).xs(0, level="dataset")[names]
        np.testing.assert_allclose(result.confidential_interval[:, column], expected, rtol=1e-9)
    estimates = said("estimate").unstack("name").drop(index=0)[names]
    np.testing.assert_allclose(result.estimates, estimates, rtol=1e-9)
    np.testing.assert_allclose(
        np.sqrt(result.variances), said("std_error").unstack("name").drop(index=0)[names], rtol=1e-9
    )
    np.testing.assert_allclose(result.dataset_overlap, said("dataset_overlap").unstack("name")[names], rtol=1e-8)
    combined = said(f"{kind} overlap").droplevel("dataset")[names].where(df >= 1)
    np.testing.assert_allclose(overlap(result.confidential_interval, together), combined, rtol=1e-8, atol=1e-12)
    if kind == "partial":
        np.testing.assert_allclose(result.interval_overlap, combined, rtol=1e-8, atol=1e-12)
        np.testing.assert_allclose(result.interval_overlap_clipped, combined.clip(lower=0), rtol=1e-8, atol=1e-12)


def test_fitted_models_formula_and_function_agree(confidential, releases) -> None:

    def fit(frame: pd.DataFrame):
        return smf.ols("income ~ age", frame).fit()

    by_formula = analysis_utility(confidential, releases["partial"], formula="income ~ age")
    by_function = analysis_utility(confidential, releases["partial"], analysis=fit)
    by_models = analysis_utility(fit(confidential), [fit(f) for f in releases["partial"]])
    for other in (by_function, by_models):
        pd.testing.assert_frame_equal(by_formula.summary(), other.summary(), rtol=1e-9)
    assert by_function.analysis == "fit"
    assert by_models.analysis == "the models given"


def test_any_estimate_with_a_standard_error() -> None:
    frames = [pd.DataFrame({"x": values}) for values in ([1.0, 2, 3, 4], [2.0, 3, 4, 5], [1.0, 1, 4, 4])]

    def mean(frame: pd.DataFrame) -> dict[str, tuple[float, float]]:
        return {"mean": (frame["x"].mean(), frame["x"].std() / 2)}

    result = analysis_utility(frames[0], frames[1:], analysis=mean)
    assert result.names == ("mean",)
    assert result.combined.q_bar.tolist() == [3.0]
    assert result.combined.between.tolist() == [0.5]
    assert result.confidential_interval[0, 1] == pytest.approx(
        2.5 + 1.959963984540054 * np.std([1, 2, 3, 4], ddof=1) / 2
    )
    assert result.standardised_difference[0] == pytest.approx(0.5 / (np.std([1, 2, 3, 4], ddof=1) / 2))


@pytest.mark.parametrize("parameters", ["fixed", "drawn", "mixed"])
def test_size_of_full_synthetic_data_enters_the_variance(confidential, releases, parameters) -> None:
    options = {"formula": "income ~ age", "synthesis": "full", "parameters": parameters}
    result = analysis_utility(confidential, releases["full"], **options)
    k, m, v_bar = 250 / 300, 3, result.variances.mean(axis=0)
    b = result.estimates.var(axis=0, ddof=1)
    expected = {"fixed": v_bar * (k + 1 / m), "drawn": v_bar * (k + (1 + k) / m), "mixed": k * v_bar + b / m}
    df = {"mixed": (m - 1) * (1 + k * v_bar / (b / m)) ** 2}.get(parameters, np.full(2, np.inf))
    np.testing.assert_allclose(result.combined.total_variance, expected[parameters])
    np.testing.assert_allclose(result.combined.df, df)
    half = stats.t.ppf(0.975, df) * np.sqrt(expected[parameters])
    np.testing.assert_allclose(result.combined.interval[:, 1] - result.combined.q_bar, half)
    assert result.to_dict()["reference"].startswith("Raab")
    assert result.stated_by == "synthesis"


def test_models_say_of_how_many_records_they_are(confidential, releases) -> None:
    def fit(frame: pd.DataFrame):
        return smf.ols("income ~ age", frame).fit()

    full = {"synthesis": "full", "parameters": "fixed"}
    models = fit(confidential), [fit(releases["full"][0])] * 3
    expected = analysis_utility(confidential, [releases["full"][0]] * 3, formula="income ~ age", **full)
    result = analysis_utility(*models, **full)
    np.testing.assert_allclose(result.combined.total_variance, expected.combined.total_variance, rtol=1e-9)
    given = analysis_utility(*models, size_ratio=0.5, **full)
    np.testing.assert_allclose(given.combined.total_variance, (0.5 + 1 / 3) * given.variances[0])
    with pytest.raises(InputError, match="another number of records"):
        analysis_utility(*models)
    assert analysis_utility(*models, synthesis="partial").combined.synthesis == "partial"
    silent = {"age": (1.0, 0.1)}
    with pytest.raises(InputError, match=r"size_ratio: must be given .* not all models state their number of records"):
        analysis_utility(silent, [silent, silent], **full)
    with pytest.raises(InputError, match="or the synthetic datasets differ in size"):
        analysis_utility(models[0], [models[1][0], models[0]], **full)
    half = analysis_utility(silent, [silent, silent], size_ratio=0.5, **full)
    assert half.combined.total_variance == pytest.approx(0.01)


def test_one_dataset(confidential, releases) -> None:
    with pytest.warns(UndefinedStatisticWarning, match="m = 1"):
        result = analysis_utility(confidential, releases["partial"][0], formula="income ~ age")
    assert np.isnan(result.interval_overlap).all()
    assert np.isfinite(result.dataset_overlap).all()
    assert result.summary()["mean_dataset_overlap"].notna().all()


def test_level_that_one_dataset_lacks_is_nan(confidential, releases) -> None:
    poor = releases["partial"][1].replace({"region": {"west": "south"}})
    with pytest.warns(UndefinedStatisticWarning) as caught:
        result = analysis_utility(confidential, [releases["partial"][0], poor], formula="income ~ age + region")
    assert "'region[...]': the level does not occur in every dataset" in str(caught[0].message)
    table = result.summary()
    assert np.isnan(table.loc["region[T.west]", "interval_overlap"])
    assert np.isfinite(table.loc["region[T.south]", "interval_overlap"])


def test_reference_level_that_one_dataset_lacks_is_an_error(confidential, releases) -> None:
    poor = releases["partial"][1].replace({"region": {"north": "south"}})
    with pytest.raises(
        FitError, match="synthetic dataset 1 of 1: .*the reference level of 'region' does not"
    ) as refused:
        analysis_utility(confidential, poor, formula="income ~ age + region")
    assert "north" not in str(refused.value)


def test_levels_of_several_kinds_have_an_order() -> None:
    frame = pd.DataFrame({"y": [1.0, 2, 4, 3, 5, 9], "g": pd.Categorical([1, "a", 2, "b", "a", 2])})
    frame["h"] = frame["g"].astype(object)
    names = analysis_utility(frame, [frame, frame], formula="y ~ h").names
    assert names == ("Intercept", "h[T.2]", "h[T.a]", "h[T.b]")
    assert len(analysis_utility(frame, [frame, frame], formula="y ~ g").names) == 4


@pytest.mark.parametrize(("name", "called"), [("Intercept", "'Intercept'"), ("region[T.south]", "'region[...]'")])
def test_coefficients_of_one_name_are_refused(confidential, name, called) -> None:
    frame = confidential.assign(**{name: np.arange(len(confidential)) % 7})
    with pytest.raises(
        InputError, match=re.escape(f"confidential: the names of the coefficients {called} are not unique")
    ):
        analysis_utility(frame, frame, formula=f"income ~ region + `{name}`")


def test_declared_order_of_categories_names_the_reference(confidential, releases) -> None:
    order = pd.CategoricalDtype(["west", "north", "south"])
    frames = [f.astype({"region": order}) for f in (confidential, *releases["partial"])]
    result = analysis_utility(frames[0], frames[1:], formula="income ~ region")
    assert result.names == ("Intercept", "region[T.north]", "region[T.south]")


@every(
    "formula",
    [
        "income ~ __import__('os').system('touch /tmp/never')",
        "income ~ age.mean()",
        "income ~ I(().__class__)",
        "income ~ {age}",
        "income ~ eval('1')",
        "income ~ wage",
        "income",
        "~ age",
        "",
        7,
    ],
)
def test_formula_never_runs_code(confidential, releases, formula) -> None:
    with pytest.raises(InputError, match="formula"):
        analysis_utility(confidential, releases["partial"], formula=formula)


def test_odd_column_names(small) -> None:
    odd = {"__import__('os')": "__import__('os')", "income": "my `odd` income"}
    frames = [small.rename(columns=odd), small.rename(columns=odd).sample(frac=1, random_state=1, replace=True)]
    frames[1] = frames[1].reset_index(drop=True)
    formula = "`__import__('os')` ~ `my ``odd`` income`"
    result = analysis_utility(frames[0], [frames[1], frames[0]], formula=formula)
    assert result.names == ("Intercept", "my `odd` income")
    assert np.isfinite(result.interval_overlap).all()


def test_bad_input(confidential, releases) -> None:
    synthetic = releases["partial"]
    with pytest.raises(InputError, match="formula, analysis: give one of them"):
        analysis_utility(confidential, synthetic, formula="income ~ age", analysis=len)
    with pytest.raises(InputError, match="family='gamma'"):
        analysis_utility(confidential, synthetic, formula="income ~ age", family="gamma")
    with pytest.raises(InputError, match="synthesis='both'"):
        analysis_utility(confidential, synthetic, formula="income ~ age", synthesis="both")
    with pytest.raises(InputError, match="response 'income' must be 0 or 1"):
        analysis_utility(confidential, synthetic, formula="income ~ age", family="binomial")
    with pytest.raises(InputError, match="response 'income' must be >= 0"):
        analysis_utility(confidential.assign(income=-1.0), synthetic, formula="income ~ age", family="poisson")
    with pytest.raises(InputError, match="response 'region' is .*; it must hold numbers"):
        analysis_utility(confidential, synthetic, formula="region ~ age")
    with pytest.raises(InputError, match="'income' not in the synthetic data"):
        analysis_utility(confidential, synthetic[0].drop(columns="income"), formula="income ~ age")
    broken = synthetic[0].assign(age=synthetic[0]["age"].where(synthetic[0].index > 0))
    with pytest.raises(MissingValueError, match="synthetic dataset 1 of 1: column 'age' has 1 missing"):
        analysis_utility(confidential, broken, formula="income ~ age")
    with pytest.raises(InputError, match="not finite on confidential"):
        analysis_utility(confidential, synthetic, formula="age ~ log(children)")
    with pytest.raises(FitError, match="the predictors are collinear"):
        analysis_utility(
            confidential.assign(twice=2 * confidential["age"]),
            [f.assign(twice=2 * f["age"]) for f in synthetic],
            formula="income ~ age + twice",
        )
    split = synthetic[0].assign(married=(synthetic[0]["age"] > 50).astype(int))
    with pytest.raises(FitError, match="synthetic dataset 1 of 1: no finite estimate"):
        analysis_utility(confidential, split, formula="married ~ age", family="binomial")
    with pytest.raises(InputError, match="int is neither a statsmodels result"):
        analysis_utility(confidential, synthetic, analysis=len)
    with pytest.raises(InputError, match="must be a function of a DataFrame"):
        analysis_utility(confidential, synthetic, analysis="mean")
    with pytest.raises(InputError, match=r"the mapping must give \(estimate, standard error\)"):
        analysis_utility(confidential, synthetic, analysis=lambda frame: {"mean": 3.0})
    with pytest.raises(InputError, match="different coefficients: 'r[0-9]+'"):
        analysis_utility(confidential, synthetic[:2], analysis=lambda f: {f"r{f['income'].sum():.0f}": (1.0, 1.0)})
    with pytest.raises(InputError, match="m = 0"):
        analysis_utility(len, [])


@pytest.mark.parametrize("synthesis", ["partial", "full"])
def test_a_size_ratio_is_a_number_whatever_the_synthesis(synthesis):
    frame = pd.DataFrame({"x": np.arange(10.0), "y": np.arange(10.0) ** 2})
    with pytest.raises(InputError, match="size_ratio='nonsense'"):
        analysis_utility(frame, [frame], formula="y ~ x", synthesis=synthesis, size_ratio="nonsense")


def test_an_interval_of_no_length_warns_by_name() -> None:
    frame = pd.DataFrame({"x": [1.0, 2.0, 4.0]})
    fits = [{"mean": (m, error)} for m, error in ((2.0, 1.0), (2.1, 0.0), (2.2, 0.0))]
    given = iter(fits)
    with pytest.warns(UndefinedStatisticWarning, match="'mean' is NaN, or a standard error is 0"):
        result = analysis_utility(
            frame, [frame, frame], analysis=lambda _: next(given), synthesis="full", parameters="fixed"
        )
    assert np.isnan(result.interval_overlap).all()


def test_counts_that_leave_the_floats_end_with_an_error_by_name() -> None:
    frame = pd.DataFrame({"y": [0.0, 1.0, 2.0, 0.0, 3.0, 5.0], "x": [1.0, 5.0, 2.0, 4.0, 3.0, 7.0]})
    with pytest.raises(
        FitError, match=r"'y ~ x', synthetic dataset 1 of 1: no finite estimate, because values are too large"
    ):
        analysis_utility(frame, frame * 1e300, formula="y ~ x", family="poisson")
