"""Other distributions before rounding, and the analysis of the average of the tables."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

import synthlab.counts as slc
from replications.gamma_family import STUDY
from replications.gamma_family.data import load_table
from replications.gamma_family.mixing_distributions import (
    AVERAGED,
    LAWS,
    compare_laws,
    law,
)
from replications.gamma_family.overlap import coefficients, measure_overlap_of_average
from replications.gamma_family.settings import NUS, SIGMAS
from synthlab.utility import interval_overlap


@pytest.fixture(scope="module")
def recorded():
    return STUDY.recorded()


def test_the_recorded_laws_are_what_the_package_computes(recorded):
    table, rows = load_table(), recorded.laws
    assert len(rows) == len(LAWS) * len(SIGMAS) * len(NUS)
    occurring, cells = table.sizes()
    for name in ("gamma", "lognormal"):
        row = rows[(rows["law"] == name) & (rows["sigma"] == 2) & (rows["nu"] == -0.5)].iloc[0]
        family = law(name, 2.0, -0.5)
        arrived = float(cells[occurring > 0] @ family.at(occurring[occurring > 0].astype(float)).pmf(1))
        from_zero = float(cells[occurring == 0][0] * family.at(0.01).pmf(1))
        stay = float(family.at(1.0).pmf(1))
        assert row["tau3_1"] == pytest.approx(stay, rel=1e-6)
        assert row["tau4_1"] == pytest.approx(stay * cells[occurring == 1][0] / (arrived + from_zero), rel=1e-6)


def test_the_gamma_rows_are_those_of_the_study(recorded):
    mine = recorded.laws[recorded.laws["law"] == "gamma"]
    for row in mine.itertuples():
        label = f"GAF(sigma = {row.sigma:g}, nu = {row.nu:g})"
        other = recorded.settings.set_index("setting").loc[label]
        assert row.tau3_1 == pytest.approx(other["tau3_1_expected"], rel=1e-6)
        assert row.tau4_1 == pytest.approx(other["tau4_1_expected"], rel=1e-6)


def test_the_laws_of_a_small_table():
    table = slc.Table.from_counts([1, 1, 5, 10, 10], {"cell": list(range(5))})
    found = compare_laws(table)
    assert found["tau3_1"].between(0, 1).all()


def test_the_average_of_one_table_is_that_table():
    levels = {"ETHNICITY": list("ab"), "AGE": [1, 2, 3], "LANGUAGE": list("xy"), "SEX": [1, 2]}
    rng = np.random.default_rng(1)
    table = slc.Table.from_counts(rng.integers(20, 90, (2, 3, 2, 2)), levels)
    synthetic = slc.synthesize_table(table, slc.NBI(sigma=0.05), m=1, rng=1)
    confidential, own = coefficients(table), coefficients(synthetic[0])
    overlap = measure_overlap_of_average(confidential, synthetic)
    ends = [np.column_stack([f["estimate"] - 1.959963984540054 * f["std_error"], f["estimate"] + 1.959963984540054 * f["std_error"]])
            for f in (confidential, own)]  # fmt: skip
    np.testing.assert_allclose(overlap["overlap_unclipped"], interval_overlap(*ends).interval_overlap, rtol=1e-6)


def test_the_average_of_many_poisson_tables_comes_near_the_table():
    levels = {"ETHNICITY": list("ab"), "AGE": [1, 2, 3], "LANGUAGE": list("xy")}
    table = slc.Table.from_counts(np.random.default_rng(1).integers(20, 90, (2, 3, 2)), levels)
    many = slc.synthesize_table(table, slc.Poisson(), m=400, rng=1)
    overlap = measure_overlap_of_average(coefficients(table), many)["overlap"]
    assert overlap.median() > 0.9
    assert overlap.min() > 0.8


def test_the_recorded_average_is_of_the_same_tables_as_the_combined(recorded):
    found = recorded.average
    assert len(found) == 2 * (len(AVERAGED) + 1)
    assert set(found["analysis"]) == {"combined", "average"}
    assert found.groupby("setting")["m"].nunique().eq(1).all()
    # other draws of the same settings: the combined overlap is the one of Figure 6 but for chance
    figure_6 = recorded.settings.set_index("setting")["overlap_q50"]
    combined = found[found["analysis"] == "combined"].set_index("setting")["overlap_q50"]
    pd.testing.assert_series_equal(combined, figure_6[combined.index], atol=0.15, check_names=False)
