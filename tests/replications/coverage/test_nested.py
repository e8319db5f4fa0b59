"""The coverage of the two-level rule: recorded, and again in small."""

import numpy as np
import pandas as pd
import pytest

from replications.coverage import recorded_nested, simulate_nested
from replications.coverage.nested import METHODS, NESTS, REPETITIONS, SEED, nested_to_csv
from synthlab.exceptions import InputError


@pytest.fixture(scope="module")
def recorded() -> pd.DataFrame:
    return recorded_nested().set_index(["M", "r", "estimand", "method"])["coverage"].unstack()


def test_the_rule_covers_at_least_as_often_as_it_claims(recorded):
    assert len(recorded) == 2 * len(NESTS)
    assert (recorded["combine_nested"] >= 0.935).all()
    many = recorded["combine_nested"].unstack().loc[[(5, 5), (10, 5)]]
    assert ((many >= 0.93) & (many <= 0.97)).all(axis=None)


def test_the_other_rules_do_not(recorded):
    slope = recorded.xs("slope of y on x", level="estimand")
    assert (slope["combine_partial"] < 0.93).all()
    assert (recorded["no_between"] < 0.93).all()
    mean = recorded.xs("mean of y", level="estimand")
    assert (mean["complete_cases"] < 0.6).all()


def test_two_syntheses_of_each_imputation_are_too_few():
    """With r = 2 the median length hides the intervals that have no bounds; with r = 5 there are none."""
    table = recorded_nested().query("method == 'combine_nested'").set_index(["M", "r"])
    assert (table.loc[(5, 2), "unbounded"] > 0.05).all()
    assert np.isinf(table.loc[(5, 2), "width_99"]).all()
    assert (table.loc[(5, 5), "unbounded"] == 0).all()
    assert (table.loc[(5, 5), "width_99"] < 2 * table.loc[(5, 5), "median_width"]).all()


def test_a_small_run_agrees_with_the_record(recorded):
    again = simulate_nested(repetitions=400, sizes=[(5, 5)], rng=1).set_index(["estimand", "method"])["coverage"]
    for estimand, method in again.index:
        wanted = recorded.loc[(5, 5, estimand), method]
        assert abs(again[estimand, method] - wanted) < 4 * np.sqrt(0.25 / 400), (estimand, method)


@pytest.mark.full
def test_the_record_is_what_the_code_gives():
    table = simulate_nested(repetitions=REPETITIONS, rng=SEED)
    assert nested_to_csv(table) == nested_to_csv(recorded_nested())
    assert set(table["method"]) == set(METHODS)


@pytest.mark.parametrize("sizes", [[], [(1, 2)], [(5, 1)], [(5,)], [(5, 2, 3)], "5"])
def test_bad_sizes(sizes):
    with pytest.raises(InputError, match="sizes"):
        simulate_nested(repetitions=10, sizes=sizes)
