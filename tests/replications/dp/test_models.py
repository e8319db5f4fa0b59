"""Which model of income is chosen, and what a model that does not fit keeps from being tested."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

import synthlab as sl
from replications.dp import claims, models, statements, study as dp
from replications.dp.models import ALLOCATIONS, STATISTICS, UNITS

SE = 100.0


def tried(*rows: tuple[int, float, float]) -> pd.DataFrame:
    """Models by number of classes, log score, and error of the mean in standard errors."""
    table = pd.DataFrame(rows, columns=["classes", "log score", "far"]).assign(scale="asinh")
    for statistic in STATISTICS:
        table[f"{statistic}, confidential"], table[f"{statistic}, se"] = 5000.0, SE
        for allocation in ALLOCATIONS:
            table[f"{statistic}, {allocation}"] = 5000.0
    table["mean, predictive"] += SE * table["far"]
    return table


def test_the_best_score_of_the_mixtures_that_fit_is_chosen():
    table = tried((0, -1.0, 0.0), (1, -2.0, 0.0), (2, -3.0, 1.01), (4, -4.0, -1.0), (6, -5.0, 0.5))
    assert models.judged(table)["fits"].tolist() == [True, True, False, True, True]
    assert models.choose(table)["classes"] == 4
    assert models.choose(table)["fits"]


def test_if_none_fits_the_best_score_of_all_mixtures_is_shown_and_says_so():
    table = tried((1, -1.0, 0.0), (2, -3.0, 1.01), (4, -4.0, -1.5))
    assert models.choose(table)["classes"] == 2
    assert not models.choose(table)["fits"]


@pytest.mark.parametrize("name", UNITS)
def test_a_unit_goes_there_and_back_and_knows_its_slope(name):
    unit, step = UNITS[name], 1e-3
    income = np.array([500.0, 50_000.0, 1_790_000.0])
    if not unit.positive:
        income = np.append(income, -6_900.0)
    np.testing.assert_allclose(unit.back(unit.forward(income)), income, rtol=1e-10)
    slope = (unit.forward(income + step) - unit.forward(income - step)) / (2 * step)
    np.testing.assert_allclose(unit.log_slope(income), np.log(slope), rtol=1e-5)
    low, high = unit.bounds
    assert high == pytest.approx(float(unit.forward(np.array([2e6]))[0]))
    assert (low is None) == unit.positive


def test_records_are_scored_where_both_halves_have_their_levels():
    frame = sl.datasets.load("ce2017").frame
    half, scored = models._halves(frame, np.random.SeedSequence(1))
    assert half.sum() == len(frame) // 2
    assert scored.sum() < (frame["income"] > 0).sum()
    for name in frame.columns.drop("income"):
        seen = [set(frame.loc[side & (frame["income"] > 0), name]) for side in (half, ~half)]
        assert set(frame.loc[scored, name]) <= seen[0] & seen[1]


def test_a_model_is_tried_on_a_small_file(monkeypatch):
    frame = sl.datasets.load("ce2017").frame.iloc[:400]
    size = {"models": {"draws": 20, "tune": 20, "thin": 1, "chains": 2}, "releases": 20}
    names = [job.name for job in models.model_jobs(1, size, lambda: frame)]
    assert len(set(names)) == len(UNITS) * (1 + len(models.CLASSES))
    rows = [models._try(1, size, lambda: frame, "log", classes)[0].iloc[0] for classes in (0, 2)]
    for row in rows:
        assert row["scored"] == rows[0]["scored"] > 350
        assert row["mean, confidential"] == frame["income"].mean()
        assert -14 < row["log score"] < -10
        assert row["mean, predictive"] == pytest.approx(frame["income"].mean(), rel=0.3)


def run_of(**errors: float):
    """One run in which the unweighted releases miss the statistics by so many standard errors."""
    numbers = {f"{s}, error": errors.get(s.split()[0], 0.0) * SE for s in STATISTICS}
    numbers |= {f"{s}, confidential sd": SE for s in STATISTICS}
    return lambda mechanism, measure, setting=(1.0, 0.0): numbers.get(measure, 1.0)


@pytest.mark.parametrize(("errors", "testable"), [(0.99, True), (-0.99, True), (1.01, False), (-1.01, False)])
def test_what_is_kept_is_tested_only_on_a_model_that_fits(errors, testable):
    found = claims._judge("counts", [run_of(mean=errors)])
    assert len(found) == len(statements.CLAIMS)
    for key, row in zip(statements.CLAIMS, found.to_dict("records"), strict=True):
        tested = row["verdict"] != "cannot test"
        assert tested == (testable or "mean" not in statements.NEEDED.get(key, ()))
        assert tested or "the mean by 1.0 standard errors" in row["reason"]


def test_the_mean_of_the_runs_says_whether_a_model_fits():
    assert claims._misfit([run_of(mean=3.0), run_of(mean=-2.0)], ["mean"]) == ""


def test_a_statement_about_what_was_not_run_cannot_be_tested():
    def look(mechanism, measure, setting=(1.0, 0.0)):
        if mechanism not in statements.NAMES or mechanism == statements.CITED:
            raise KeyError(mechanism)
        return 1.0

    found = claims._judge("income", [look]).set_index(pd.Index(statements.CLAIMS))
    missing = found[found["verdict"] == "cannot test"]
    assert set(missing["reason"]) == {claims.NOT_RUN}
    assert {"unweighted_highest", "count_weights", "count_quantile", "dropped_draws"} <= set(missing.index)
    assert "weights_lower" not in missing.index


@pytest.fixture(scope="module")
def recorded():
    return dp.recorded()


def test_the_recorded_choice_follows_from_the_recorded_scores(recorded):
    table = models.judged(recorded.models)
    assert len(table) == len(UNITS) * (1 + len(models.CLASSES))
    assert table["releases"].min() >= 20
    chosen = table[table["chosen"]]
    assert len(chosen) == 1
    assert chosen["classes"].iloc[0] > 1
    better = table[(table["classes"] > 1) & (table["log score"] > chosen["log score"].iloc[0])]
    assert not better["fits"].any()
    told = recorded.claims.query("study == 'income, fitted, record'")["verdict"]
    assert ("cannot test" not in set(told)) or not chosen["fits"].iloc[0]


def test_everything_that_does_not_hold_has_a_reason(recorded):
    rest = recorded.claims[recorded.claims["verdict"] != "holds"]
    assert (rest["reason"] != "").all()
    assert not rest["reason"].str.contains("not know").any()


def test_the_mixture_of_two_regressions_cannot_test_what_is_kept(recorded):
    verdicts = recorded.claims.query("study == 'income'").set_index("claim")["verdict"]
    kept = verdicts[verdicts.index.str.contains("preserves|deteriorates")]
    assert len(kept) == 8
    assert set(kept) == {"cannot test"}
