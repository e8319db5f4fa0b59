"""What comes in at the doors: frames of other libraries, levels, paths, and whether to show a bar."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

import synthlab as sl
import synthlab.counts as slc
from synthlab.exceptions import InputError
from synthlab.report.plain import save
from synthlab.risk import OneOf
from tests.hostile.values import Foreign

PEOPLE = pd.DataFrame({"sex": list("fmfmfm"), "income": [1.0, 2, 4, 3, 5, 6]})
OTHERS = [PEOPLE.assign(income=PEOPLE["income"] + 0.5), PEOPLE]
RULE = {"known": ["sex"], "synthesized": ["income"], "radius": {"income": 0.2}}
TABLE = slc.Table.from_counts([[1, 2], [3, 0]], {"sex": ["F", "M"], "age": [5, 6]})
LIKELIHOODS = [[-1.0, -3.0], [-2.0, -4.5]]


def test_a_frame_of_another_library_is_told_the_way_to_pandas():
    message = r"must be a pandas DataFrame, got Foreign of polars; .to_pandas\(\) makes a pandas DataFrame of it"
    with pytest.raises(InputError, match="confidential: " + message):
        sl.ecdf_utility(Foreign(), PEOPLE)
    with pytest.raises(InputError, match="frame: " + message):
        slc.Table.from_frame(Foreign())
    with pytest.raises(InputError, match="must be a pandas DataFrame, got dict"):
        sl.ecdf_utility({"a": [1]}, PEOPLE)


@pytest.mark.parametrize("progress", ["no", 1, None, np.array([True, False])])
@pytest.mark.parametrize(
    "call",
    [
        lambda p: sl.risk_weights(PEOPLE, **RULE, progress=p),
        lambda p: sl.lipschitz_weights(LIKELIHOODS, n=2, quantile=1.0, progress=p),
        lambda p: sl.achieved_epsilon(LIKELIHOODS, n=2, quantile=1.0, progress=p),
        lambda p: sl.policy_frontier(lambda s: (s, s), {"s": [1.0]}, level=1.0, progress=p),
        lambda p: slc.synthesize_table(TABLE, slc.Poisson(), progress=p),
        lambda p: sl.linkage_risk(PEOPLE, OTHERS, blocking=[], compared=["sex"], progress=p),
        lambda p: sl.attribute_risk(PEOPLE, OTHERS, fitted=None, progress=p),
        lambda p: sl.expected_identification_probability(PEOPLE, None, **RULE, progress=p),
        lambda p: sl.datasets.fetch("affairs", progress=p),
    ],
)
def test_progress_is_true_or_false(call, progress):
    with pytest.raises(InputError, match="progress=.*must be one of True, False"):
        call(progress)


@pytest.mark.parametrize(
    "levels", [5, "x", [1], {"sex": 0.1}, {"sex": None}, {"sex": [["f"]]}, {"sex": []}, {1: ["f"]}]
)
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
def test_draws_of_a_scenario_are_a_number_or_exact(value):
    with pytest.raises(InputError, match=r"\bdraws\b"):
        sl.Scenario(draws=value)


def test_a_set_of_values_holds_no_lists():
    with pytest.raises(InputError, match="town: a set of OneOf holds lists"):
        OneOf({"a": np.ones((2, 2)).tolist()}).of(["a"], "town")
    with pytest.raises(InputError, match=r"\btruth\b"):
        OneOf({"a": {"a"}}).of(1.5)


@pytest.mark.parametrize("value", [np.array([1.0, 2.0]), [1], None, PEOPLE])
def test_a_statistic_is_a_name_a_number_or_a_function(value):
    with pytest.raises(InputError, match=r"\bstatistic\b"):
        sl.bootstrap_statistic(PEOPLE, OTHERS, variable="income", statistic=value)


@pytest.mark.parametrize("option", ["missing", "singletons", "model"])
@pytest.mark.parametrize("value", [np.array(["raise", "raise"]), ["raise"], None, 1])
def test_options_of_an_evaluation_are_words(option, value):
    with pytest.raises(InputError, match=rf"\b{option}\b"):
        sl.evaluate(PEOPLE, OTHERS, **RULE, **{option: value})


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
