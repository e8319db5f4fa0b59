"""The coverage simulation: right rules cover as often as they say, naive ones do not, and we know why."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from scipy import stats

from replications.coverage import recorded, repeated_intervals, simulate_coverage
from replications.coverage.intervals import METHODS, NAIVE
from replications.coverage.regression import (
    DESIGNS,
    ESTIMANDS,
    INTERCEPT,
    N,
    Sums,
    estimate,
    sums_of,
    synthesize,
)
from replications.coverage.study import to_csv
from synthlab.exceptions import InputError


@pytest.fixture(scope="module")
def full_run():
    return simulate_coverage()


def test_right_rules_cover_as_claimed_and_naive_ones_do_not(full_run):
    rows = full_run.headline()
    assert len(rows) == 2 * 4 * len(ESTIMANDS)
    right = rows["method"].isin(["combine_partial", "combine_full"])
    assert full_run.repetitions == 1_000
    assert rows.loc[right, "coverage"].between(0.93, 0.97).all()
    assert rows.loc[right, "as_claimed"].all()
    assert (rows.loc[~right, "coverage"] < 0.92).all()
    assert set(rows.loc[~right, "method"]) == set(NAIVE)


def test_the_recorded_table_is_the_one_the_command_makes(full_run, root):
    text = (root / "course" / "replications" / "coverage" / "coverage.csv").read_bytes().decode()
    assert text == to_csv(full_run)
    again = recorded()
    assert again.repetitions == 1_000
    assert again.level == 0.95
    pd.testing.assert_frame_equal(again.summary(), full_run.summary(), rtol=1e-3)


def test_the_survey_itself_covers(full_run):
    rows = full_run.to_frame().query("method == 'confidential'")
    assert len(rows) == len(DESIGNS) * len(ESTIMANDS)
    assert rows["coverage"].between(0.93, 0.97).all()


@pytest.mark.parametrize("m", [2, 3, 5, 10])
def test_without_the_between_part_coverage_is_what_theory_says(full_run, m):
    # The slope under partial synthesis: b is 2 v_bar, so the interval misses a factor 1 + 2/m of variance.
    theory = 2 * stats.norm.cdf(1.96 / np.sqrt(1 + 2 / m)) - 1
    found = full_run.coverage("partial", "no_between", "slope of y on x")[m]
    assert abs(found - theory) < 4 * np.sqrt(theory * (1 - theory) / 1_000)


def test_one_dataset_as_real_misses_two_thirds_of_the_variance(full_run):
    theory = 2 * stats.norm.cdf(1.96 / np.sqrt(3)) - 1
    found = full_run.coverage("partial", "one_as_real", "slope of y on x")[1]
    assert abs(found - theory) < 4 * np.sqrt(theory * (1 - theory) / 1_000)


def test_stacking_gets_worse_with_every_dataset(full_run):
    for design in ("partial", "full, n records", "full, 5n records"):
        stacked = full_run.coverage(design, "stacked_as_real", "mean of y")
        assert (stacked.diff().dropna() < 0).all()
        assert stacked[50] < 0.3


def test_rules_belong_to_their_kind_of_synthesis(full_run):
    wrong = full_run.coverage("full, 5n records", "combine_partial", "mean of y")
    assert (wrong < 0.9).all()
    # With n_syn = n the rule for partial synthesis estimates the same variance.
    assert (
        full_run.coverage("full, n records", "combine_partial", "mean of y")[[5, 10, 20, 50]].between(0.93, 0.97).all()
    )


def test_no_rule_mends_a_model_that_left_out_the_predictor(full_run):
    design = "partial, model without x"
    assert full_run.coverage(design, "combine_partial", "slope of y on x")[5] == 0.0
    assert full_run.coverage(design, "combine_partial", "mean of y")[5] > 0.93


def test_the_full_rule_needs_many_datasets_of_size_n(full_run):
    table = full_run.to_frame().query("design == 'full, n records' and method == 'combine_full'")
    few, many = table.query("m == 5"), table.query("m == 50")
    assert (few["adjusted"] > 0.1).all()
    assert (many["adjusted"] < 0.02).all()
    assert (few["median_width"].to_numpy() > 3 * many["median_width"].to_numpy()).all()
    assert (few["unbounded"] > 0.2).all()
    assert np.isinf(few["width_90"]).all()
    assert (many["unbounded"] < 0.02).all()
    assert np.isfinite(many["width_90"]).all()


def test_the_same_seed_gives_the_same_table_and_a_small_m_comes_first():
    first = simulate_coverage(repetitions=20, sizes=[2, 4], rng=5)
    again = simulate_coverage(repetitions=20, sizes=[2, 4], rng=np.random.default_rng(5))
    other = simulate_coverage(repetitions=20, sizes=[2, 4], rng=6)
    alone = simulate_coverage(repetitions=20, sizes=[2], rng=5)
    pd.testing.assert_frame_equal(first.to_frame(), again.to_frame())
    assert not first.to_frame().equals(other.to_frame())
    pd.testing.assert_frame_equal(
        first.to_frame().query("m == 2").reset_index(drop=True),
        alone.to_frame().query("m == 2").reset_index(drop=True),
    )


def test_estimates_are_those_of_ordinary_least_squares():
    rng = np.random.default_rng(3)
    x, y = rng.normal(size=(2, 4, 30))
    q, v = estimate(sums_of(x, y))
    for r in range(4):
        line = stats.linregress(x[r], y[r])
        assert q[:, r] == pytest.approx([INTERCEPT + y[r].mean(), line.slope])
        assert v[:, r] == pytest.approx([y[r].var(ddof=1) / 30, line.stderr**2])


@pytest.mark.parametrize("design", DESIGNS, ids=lambda d: d.name)
def test_synthetic_data_come_from_the_posterior_predictive_distribution(design):
    # One survey, many datasets: their estimates scatter around those of the survey, twice as far as one survey would.
    rng = np.random.default_rng(8)
    x = rng.standard_normal(N)
    y = 0.6 * x + 0.7 * rng.standard_normal(N)
    copies = 4_000
    survey = Sums(*(np.broadcast_to(part, copies) if i else part for i, part in enumerate(sums_of(x, y))))
    q, _ = estimate(sums_of(*synthesize(design, survey, np.tile(x, (copies, 1)), rng)))
    own, variance = estimate(sums_of(x, y))
    centre = own if design.uses_x else np.array([own[0], 0.0])
    assert (np.abs(q.mean(axis=1) - centre) < 4.5 * q.std(axis=1) / np.sqrt(copies)).all()
    share = N / design.n_synthetic
    if design.uses_x:
        assert q[1].var() == pytest.approx(variance[1] * (1 + share), rel=0.1)
    if design.synthesis == "full":
        assert q[0].var() == pytest.approx(variance[0] * (1 + share), rel=0.1)


def test_every_method_stands_in_the_table():
    result = simulate_coverage(repetitions=20, sizes=[2], rng=1)
    table = result.to_frame()
    assert len(table) == len(DESIGNS) * len(METHODS) * len(ESTIMANDS)
    assert table["coverage"].between(0, 1).all()
    lengths = ["median_width", "width_90", "width_99"]
    assert np.isfinite(table.select_dtypes("number").drop(columns=lengths)).all(axis=None)
    assert (np.isfinite(table[lengths]).all(axis=1) == (table["unbounded"] < 0.01)).all()
    assert (table[lengths].iloc[:, :-1].to_numpy() <= table[lengths].iloc[:, 1:].to_numpy()).all()
    assert set(table.loc[table["unbounded"] > 0, "method"]) == {"combine_full"}
    assert table.groupby("method")["m"].unique().map(list).to_dict()["confidential"] == [0]


def test_it_shows_itself(full_run):
    assert str(full_run).startswith("Coverage in per cent of 95 % intervals in 1,000 repetitions, surveys of n = 200")
    assert "needed to judge" not in str(full_run)
    assert "1,000 are needed to judge" in simulate_coverage(repetitions=20, sizes=[3, 20], rng=1).describe()
    assert full_run.summary()["in 93-97 %"].tolist() == ["yes", "no", "no", "no"] * 2
    assert "<table" in full_run._repr_html_()


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"repetitions": 1}, "repetitions=1: must be an int >= 2"),
        ({"sizes": [1]}, "sizes: must be ints >= 2; 1 of 1 entries, the first at position 0"),
        ({"sizes": []}, "name at least one number of datasets"),
        ({"level": 1.0}, "level=1.0"),
        ({"rng": -1}, "rng=-1"),
    ],
)
def test_bad_arguments_are_named(arguments, message):
    with pytest.raises(InputError, match=message):
        simulate_coverage(**{"repetitions": 2, "sizes": [2]} | arguments)


def test_a_combination_that_was_not_simulated_is_an_error(full_run):
    with pytest.raises(InputError, match="was simulated"):
        full_run.coverage("partial", "combine_partial", "median of y")


def test_repeated_intervals_are_those_that_are_counted():
    rng = np.random.default_rng(4)
    held = {}
    for method in METHODS:
        ends, truth = repeated_intervals(method, m=5, repetitions=400, rng=4)
        assert ends.shape == (400, 2)
        assert truth == ESTIMANDS["slope of y on x"]
        held[method] = ((ends[:, 0] <= truth) & (truth <= ends[:, 1])).mean()
    assert held["stacked_as_real"] < held["one_as_real"] < held["no_between"] < held["combine_partial"]
    again, _ = repeated_intervals("no_between", m=5, repetitions=400, rng=rng)
    assert again == pytest.approx(repeated_intervals("no_between", m=5, repetitions=400, rng=4)[0])


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"method": "magic"}, "method='magic': must be one of 'confidential'"),
        ({"design": "magic"}, "design='magic'"),
        ({"estimand": "median"}, "estimand='median'"),
        ({"m": 1}, "m=1"),
        ({"repetitions": 1}, "repetitions=1"),
        ({"level": 0.0}, "level=0.0"),
    ],
)
def test_bad_arguments_of_repeated_intervals_are_named(arguments, message):
    with pytest.raises(InputError, match=message):
        repeated_intervals(**{"method": "no_between"} | arguments)
