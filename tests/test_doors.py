"""What comes in at the doors: frames of other libraries, levels, paths, and whether to show a bar."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

import synthlab as sl
import synthlab.counts as slc
from synthlab import dp
from synthlab.exceptions import FewDegreesOfFreedomWarning, InputError, UndefinedStatisticWarning
from synthlab.report.export import save
from synthlab.risk import OneOf
from synthlab.synthesizers._counts import as_count
from tests.asking import ask
from tests.hostile.values import Foreign
from tests.loops import every

PEOPLE = pd.DataFrame({"sex": list("fmfmfm"), "income": [1.0, 2, 4, 3, 5, 6]})
OTHERS = [PEOPLE.assign(income=PEOPLE["income"] + 0.5), PEOPLE]
QUESTION = {"known": ["sex"], "synthesized": ["income"], "radius": {"income": 0.2}}
SOMEONE = sl.Intruder(**QUESTION)
TABLE = slc.Table.from_counts([[1, 2], [3, 0]], {"sex": ["F", "M"], "age": [5, 6]})
LIKELIHOODS = [[-1.0, -3.0], [-2.0, -4.5]]


def test_a_frame_of_another_library_is_told_the_way_to_pandas():
    message = (
        r"must be a data frame of pandas, polars or PyArrow, got Foreign of polars; convert it with .to_pandas\(\)"
    )
    with pytest.raises(InputError, match="confidential: " + message):
        sl.ecdf_utility(Foreign(), PEOPLE)
    with pytest.raises(InputError, match="frame: " + message):
        slc.Table.from_frame(Foreign())
    with pytest.raises(InputError, match="must be a data frame of pandas, polars or PyArrow, got dict"):
        sl.ecdf_utility({"a": [1]}, PEOPLE)


@every("progress", ["no", 1, None, np.array([True, False])])
@every(
    "call",
    [
        lambda p: sl.risk_weights(PEOPLE, SOMEONE, progress=p),
        lambda p: sl.lipschitz_weights(LIKELIHOODS, n=2, quantile=1.0, progress=p),
        lambda p: sl.achieved_epsilon(LIKELIHOODS, n=2, quantile=1.0, progress=p),
        lambda p: sl.policy_frontier(lambda s: (s, s), {"s": [1.0]}, limit=1.0, progress=p),
        lambda p: slc.synthesize_table(TABLE, slc.Poisson(), progress=p),
        lambda p: sl.linkage_risk(PEOPLE, OTHERS, sl.Intruder(known=[], synthesized=["sex"]), progress=p),
        lambda p: sl.attribute_risk(PEOPLE, OTHERS, fitted=None, progress=p),
        lambda p: sl.expected_identification_probability(PEOPLE, None, SOMEONE, progress=p),
        lambda p: sl.datasets.fetch("affairs", progress=p),
    ],
)
def test_progress_is_true_or_false(call, progress):
    with pytest.raises(InputError, match="progress=.*must be one of True, False"):
        call(progress)


@every("levels", [5, "x", [1], {"sex": 0.1}, {"sex": None}, {"sex": [["f"]]}, {"sex": []}, {1: ["f"]}])
def test_declared_levels_are_a_mapping_to_lists(levels):
    with pytest.raises(InputError, match=r"\blevels\b"):
        slc.Table.from_frame(PEOPLE, ["sex"], levels=levels)
    with pytest.raises(InputError, match=r"\blevels\b"):
        slc.Table.from_counts([1], levels)


def test_levels_that_are_tuples_are_levels():
    pairs = pd.DataFrame({"who": [("f", 1), ("m", 2), ("f", 1)]})
    assert slc.Table.from_frame(pairs).counts.tolist() == [2, 1]
    table = slc.Table.from_counts([1, 2], {"who": [("f", 1), ("m", 2)]})
    assert table.select({"who": [("m", 2)]}).tolist() == [False, True]


@pytest.mark.parametrize("cells", [None, "ab", [0.5], [2**64], 10**400, np.ma.masked_array([0, 1], [True, False])])
def test_cells_are_whole_numbers(cells):
    for call in (TABLE.at, lambda c: TABLE.with_counts(c, [1, 1])):
        with pytest.raises(InputError, match=r"\bcells\b"):
            call(cells)


@pytest.mark.parametrize("where", [0.0, [], "sex", np.array([1.0])])
def test_a_margin_is_a_mapping(where):
    with pytest.raises(InputError, match="where: must be a mapping"):
        slc.total_within(TABLE, slc.Poisson(), 2.0, where=where)


def test_an_empty_margin_is_the_whole_table():
    whole = slc.total_within(TABLE, slc.Poisson(), 2.0)
    assert slc.total_within(TABLE, slc.Poisson(), 2.0, where={}).probability == whole.probability


@pytest.mark.parametrize("value", [np.array([1.0, 2.0]), [1], 0.5, None, "many"])
def test_draws_of_an_attack_are_a_number_or_exact(value):
    with pytest.raises(InputError, match=r"\bdraws\b"):
        sl.intruder_risk(PEOPLE, OTHERS, sl.Intruder(known=["region"], synthesized=["income"]), draws=value)


def test_a_set_of_values_holds_no_lists():
    with pytest.raises(InputError, match="town: a set of OneOf contains lists"):
        OneOf({"a": np.ones((2, 2)).tolist()}).of(["a"], "town")
    with pytest.raises(InputError, match=r"\btruth\b"):
        OneOf({"a": {"a"}}).of(1.5)


@pytest.mark.parametrize("value", [np.array([1.0, 2.0]), [1], None, PEOPLE])
def test_a_statistic_is_a_name_a_number_or_a_function(value):
    with pytest.raises(InputError, match=r"\bstatistic\b"):
        sl.bootstrap_statistic(PEOPLE, OTHERS, variable="income", statistic=value)


@every("option", ["missing", "singletons", "model"])
@every("value", [np.array(["raise", "raise"]), ["raise"], None, 1])
def test_options_of_an_evaluation_are_words(option, value):
    with pytest.raises(InputError, match=rf"\b{option}\b"):
        ask(sl.evaluate, PEOPLE, OTHERS, **{**QUESTION, option: value})


@pytest.mark.parametrize("value", [0.5, 2**63, True, np.array(0.5), 2j])
def test_probabilities_of_a_barycenter_are_a_number_of_points_or_a_grid(value):
    with pytest.raises(InputError, match=r"\bprobabilities\b"):
        sl.barycenter(PEOPLE, OTHERS, variable="income", probabilities=value)


@pytest.mark.parametrize("answer", [0, None, "text", 1.5])
def test_a_function_of_log_likelihoods_returns_blocks(answer):
    with pytest.raises(InputError, match=r"\blog_likelihood\b"):
        sl.lipschitz_weights(lambda: answer, n=2, quantile=1.0)


@pytest.mark.parametrize("path", [5, None, b"report.json", ["a.json"], "a\0.json"])
def test_a_report_is_saved_under_a_path(path):
    with pytest.raises(InputError, match=r"\bpath\b"):
        save(None, path)
    with pytest.raises(InputError, match=r"\bfolder\b"):
        sl.datasets.fetch("affairs", folder=path or 0)


@pytest.mark.parametrize("synthetic", ["", "x" * 100_000, "a\ud83d", "a\0"])
def test_a_release_is_read_from_a_path(synthetic):
    with pytest.raises(InputError, match=r"synthetic: must be a path"):
        sl.ecdf_utility(PEOPLE, synthetic)
    with pytest.raises(InputError, match=r"\bpaths\b"):
        sl.Release.from_files([synthetic])


@pytest.mark.parametrize("paths", [b"a.csv", [], [None], [b"a.csv"]])
def test_csv_files_are_a_list_of_paths(paths):
    with pytest.raises(InputError, match=r"\bpaths\b"):
        sl.Release.from_files(paths)


RULES = [sl.Bounds("income", 0, 9), sl.AllowedCombinations(["sex"], [("f",)]), sl.ZeroUnless("income", "sex", ["f"])]


@every("data", [None, {"income": [1]}, [PEOPLE], PEOPLE.assign(sex=[[1]] * 6), Foreign()])
@every("rule", RULES)
def test_a_constraint_is_asked_about_a_frame(rule, data):
    with pytest.raises(InputError, match=r"\bframe\b"):
        rule.holds(data)


@every("model", [sl.Resample(["income"]), sl.Topcoding("income", top_share=0.2)])
@every("rng", ["text", [1], -1, True, 0.5])
def test_a_seed_without_effect_is_a_seed(model, rng):
    with pytest.raises(InputError, match=r"\brng\b"):
        model.fit(PEOPLE, rng=rng)


@pytest.mark.parametrize("value", [None, "x", PEOPLE, [1], [sl.Resample(["sex"])]])
def test_fits_are_pooled_with_fits(value):
    fitted = sl.DirichletMultinomial(["sex"]).fit(PEOPLE, rng=1, draws=4)
    with pytest.raises(InputError, match=r"\bothers\b"):
        fitted.pooled(value)
    with pytest.raises(InputError, match=r"\bas_drawn\b"):
        fitted.log_density(PEOPLE, as_drawn=value)


@pytest.mark.parametrize("labels", [1, "ab", {"b": ["x", "y"]}, {"a": ["x"]}, {"a": True}, {"a": [None, "y"]}])
def test_labels_of_chains_name_their_elements(labels):
    draws = np.random.default_rng(1).normal(size=(2, 20, 2))
    with pytest.raises(InputError, match=r"\blabels\b"):
        sl.synthesizers.diagnose_chains({"a": draws}, labels=labels)


@pytest.mark.parametrize("what", [None, 1, ["q"], {}, "a\ud83d"])
def test_a_query_has_a_name(what):
    with pytest.raises(InputError, match=r"\bwhat\b"):
        dp.Budget(1.0).spend(0.5, what)
    with pytest.raises(InputError, match=r"\bquery\b"):
        dp.private_count([True, False], epsilon=1.0, query=what)


@pytest.mark.parametrize("p", [-0.1, 1.5, float("nan"), [0.5, 2.0]])
def test_quantiles_of_the_gamma_family_are_of_probabilities(p):
    family = slc.GammaFamily(mu=3.0, sigma=0.5, nu=0.5)
    for name, call in (("p", family.ppf), ("q", family.isf), ("u", family.from_uniform)):
        with pytest.raises(InputError, match=rf"\b{name}\b"):
            call(p)


def test_whole_numbers_of_thousands_of_digits_are_described():
    for value in (10**5000, [10**5000, 1]):
        with pytest.raises(InputError, match="m=.*must be an int"):
            slc.synthesize_table(TABLE, slc.Poisson(), m=value)


def test_what_is_undefined_warns_by_name():
    def constant(frame):
        return {"mean": (float(frame["income"].mean()), 0.0)}

    with (
        pytest.warns(UndefinedStatisticWarning, match="standard error is 0 or NaN"),
        pytest.warns(FewDegreesOfFreedomWarning, match="'mean'"),
    ):
        sl.analysis_utility(PEOPLE, OTHERS, analysis=constant)
    with pytest.warns(UndefinedStatisticWarning, match="largest float"):
        sl.combine_full([1.7e308, 1.7e308], [1.0, 1.0])
    with pytest.warns(UndefinedStatisticWarning, match="PIG"):
        slc.PIG(mu=3.0, sigma=0.5).sf(1e308)


def test_counts_in_arrow_dtypes_keep_them():
    column = pd.Series([1, 2, 3], dtype="int64[pyarrow]")
    assert as_count(np.array([4, 5]), column, pd.RangeIndex(2)).dtype == column.dtype
    assert as_count(np.array([400]), column.astype("int8[pyarrow]"), pd.RangeIndex(1)).dtype == np.int64
