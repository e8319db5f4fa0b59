"""Count weights of an order, the other reading of scale and shift, longer chains, "record" allocation, and sizes."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pandas as pd
import pytest

import synthlab as sl
from replications.dp import (
    fits,
    measures,
    sample_size,
    scalar_weight,
    settings,
    study as dp,
    tables,
)
from replications.paper_tables import read_claims
from synthlab._warnings import quiet
from synthlab.exceptions import InputError
from synthlab.weights import PseudoPosteriorMechanism
from tests.replications.dp.test_dp import toy

RNG = np.random.default_rng(1)
VALUES = pd.DataFrame({"y": RNG.gamma(2.0, 10.0, 400)})


@pytest.fixture(scope="module")
def plain():
    return fits.fit_plain(toy("counts", VALUES), np.random.SeedSequence(1))


def fit(mechanism, setting, plain):
    one = fits.fit_mechanism(
        toy("counts", VALUES), mechanism, setting, lambda: plain, np.nan, None, np.random.SeedSequence(2)
    )
    return one.weights, one


@pytest.mark.parametrize(("name", "order"), settings.ORDERS.items())
def test_count_weights_are_of_their_order(name, order, plain):
    study = toy("counts", VALUES)
    weights, _ = fit(name, settings.MAIN, plain)
    np.testing.assert_array_equal(weights, sl.risk_weights(study.confidential, study.intruder, order=order).weights)
    assert settings.ORDERS[settings.CITED] == 2


@pytest.mark.parametrize("setting", [s for s in settings.PUBLISHED if s[1]])
def test_the_shift_comes_first_in_the_other_reading(setting, plain):
    scale, shift = setting
    x, _ = fit("DP", settings.MAIN, plain)
    shifted, _ = fit(settings.SHIFTED, setting, plain)
    np.testing.assert_allclose(shifted, sl.scale_and_shift(x, scale=scale, shift=shift, first="shift"), atol=1e-12)
    other, _ = fit("DP", setting, plain)
    assert (shifted >= other).all()
    assert (shifted > other).any()


def test_longer_chains_have_the_same_weights(plain):
    weights, one = fit("DP", settings.MAIN, plain)
    same, longer = fit(settings.LONGER, settings.MAIN, plain)
    np.testing.assert_array_equal(weights, same)
    assert longer.accounting.kept.size == fits.LONG * one.accounting.kept.size


def test_record_allocation_is_the_same_fit_and_not_private():
    rng = np.random.default_rng(3)
    y = np.where(rng.random(120) < 0.5, rng.normal(0, 1, 120), rng.normal(20, 1, 120))
    frame = pd.DataFrame({"modelled": y})
    mixture = sl.FiniteMixture("modelled ~ 1", classes=2)
    study = replace(toy("income", VALUES), frame=frame, confidential=frame.rename(columns={"modelled": "y"}))
    study = replace(study, synthesizer=mixture, sampler={"draws": 60, "tune": 50, "thin": 1, "chains": 2}, again=False)
    one = fits.unweighted(study, fits.fit_plain(study, np.random.SeedSequence(1)))
    named, published = measures.as_published(study, one)
    assert named.name == "income, record"
    assert published.accounting is one.accounting
    assert one.fitted.records_independent
    assert not published.fitted.records_independent
    (release,) = published.fitted.generate(1, 1)
    # Each record keeps its component, and so most of its value.
    assert np.corrcoef(release["modelled"], y)[0, 1] > 0.95
    with quiet(), pytest.raises(InputError, match="no epsilon would hold"):
        PseudoPosteriorMechanism(synthesizer=replace(mixture, allocation="record"), quantile=0.95).fit(
            frame, rng=1, draws=20, tune=10, thin=1, chains=1
        )


def test_values_that_are_kept_are_in_the_releases(plain):
    study = replace(toy("counts", VALUES), rest=np.full(100, 1000.0))
    one = fits.unweighted(study, plain)
    table, _ = measures.measure(study, one, "Unweighted", settings.MAIN, 10, np.random.SeedSequence(1))
    value = table.set_index("measure")["value"]
    deciles = study.confidential["y"].to_numpy()
    assert value["mean, confidential"] == pytest.approx((deciles.sum() + 100_000) / 500)
    assert value["90 % quantile"] == 1000.0


def test_the_spread_of_the_bound_by_size():
    table = pd.DataFrame({"n": [10, 10, 20], "run": [0, 1, 0], "Unweighted": [1.0, 3.0, 5.0], "DP": [1.0, 1.0, 2.0]})
    found = sample_size.spread(table).set_index("n")
    assert found["Unweighted, mean"].tolist() == [2.0, 5.0]
    assert found.loc[10, "Unweighted, std"] == pytest.approx(np.sqrt(2))
    assert found["databases"].tolist() == [2, 1]


@pytest.fixture(scope="module")
def recorded():
    return dp.recorded()


def test_the_recorded_runs_are_all_there(recorded):
    runs = recorded.runs.groupby("study")["run"].nunique()
    assert runs["counts"] == dp.FULL["repetitions"]
    for name in (*settings.REPEATED, tables.FITTED_RECORD):
        assert runs[name] == dp.FULL["runs"] >= 2
    asked = {(m, *s) for m, s in settings.RUN_WORK}
    for name in settings.REPEATED:
        rows = recorded.runs[recorded.runs["study"] == name]
        for _, one in rows.groupby("run"):
            assert set(one[["mechanism", "scale", "shift"]].itertuples(index=False, name=None)) == asked
    assert recorded.sizes.groupby("n").size().to_dict() == dict.fromkeys(dp.FULL["sizes"], dp.FULL["databases"])


def test_record_allocation_has_the_bounds_of_the_same_fit(recorded):
    keys = ["run", "mechanism", "scale", "shift"]
    one, other = (
        recorded.runs[recorded.runs["study"] == name].set_index(keys)["lipschitz_bound"].sort_index()
        for name in (settings.FITTED, tables.FITTED_RECORD)
    )
    pd.testing.assert_series_equal(one, other)


def test_both_readings_stand_in_table_2(recorded):
    table = recorded.table_2.set_index(["scale", "shift"])
    bounds = recorded.runs.set_index(["study", "mechanism", "scale", "shift"])["lipschitz_bound"].sort_index()
    for setting in settings.PUBLISHED:
        several = bounds.loc[(settings.FITTED, "DP", *setting)]
        row = table.loc[setting]
        assert row[settings.FITTED] == pytest.approx(several.mean(), rel=1e-6)
        assert (row[f"{settings.FITTED}, low"], row[f"{settings.FITTED}, high"]) == pytest.approx(
            (several.min(), several.max()), rel=1e-6
        )
        if setting[1]:
            assert row["counts, shift first"] == pytest.approx(
                bounds.loc[("counts", settings.SHIFTED, *setting)].mean(), rel=1e-6
            )
        else:
            assert row["counts, shift first"] == row["counts"]


def test_no_verdict_on_a_published_bound_without_the_data_of_the_paper(recorded):
    assert recorded.published["low"].isna().all()
    assert (recorded.published["repetitions"] == dp.FULL["runs"]).all()
    assert recorded.published["reason"].str.contains("SIMULATED").all()


def test_components_are_apart_or_have_become_one():
    share = np.array([[0.75, 0.25], [0.25, 0.75], [1.0, 0.0]])
    sd = np.array([[1.0, 3.0], [2.0, 1.0], [1.0, 9.0]])
    found = scalar_weight.apart({"pi": share, "sigma": sd})
    assert found["largest component"] == pytest.approx(2.5 / 3)
    assert found["sd of the others"] == pytest.approx(2.5)  # of 3 and 2; the third draw has no others
    assert np.isnan(scalar_weight.apart({"pi": share[:, :1] * 0 + 1, "sigma": sd[:, :1]})["sd of the others"])


def test_one_weight_for_all_on_a_mixture_and_on_one_regression():
    rng = np.random.default_rng(4)
    y = np.where(rng.random(200) < 0.3, rng.normal(0, 1, 200), rng.normal(30, 1, 200))
    frame = pd.DataFrame({"modelled": y})
    study = replace(
        toy("income", VALUES),
        frame=frame,
        confidential=frame.rename(columns={"modelled": "y"}),
        synthesizer=sl.FiniteMixture("modelled ~ 1", classes=2),
    )
    sampler = {"draws": 40, "tune": 60, "thin": 1, "chains": 2}
    two, one = (
        scalar_weight._errors(
            study, replace(study.synthesizer, classes=classes), 1.0, sampler, np.random.SeedSequence(classes)
        )
        for classes in (2, 1)
    )
    assert two["largest component"] == pytest.approx(0.7, abs=0.1)
    assert abs(two["90 % quantile, predictive, error"]) < 1 < one["90 % quantile, predictive, error"]
    assert one["largest component"] == 1


def test_why_two_settings_of_table_2_lie_side_by_side():
    """What is said of the largest c (x + g) (1 - x) is computed, and the recorded bounds are as near as it says."""
    x = np.linspace(0.0, 1.0, 100_001)
    largest = {(c, g): float((c * (x + g) * (1 - x)).max()) for c, g in ((0.6, -0.1), (0.5, 0.0))}
    for (c, g), value in largest.items():
        assert f"{value:.4g} at ({c:g}, {g:g})" in read_claims("dp")["order_shifted"]["reason"]
    table = dp.recorded().table_2.set_index(["scale", "shift"])
    for name in (settings.FITTED, "income, one regression", "counts"):
        ratio = table.loc[(0.6, -0.1), f"{name}, shift first"] / table.loc[(0.5, 0.0), f"{name}, shift first"]
        assert ratio == pytest.approx(largest[0.6, -0.1] / largest[0.5, 0.0], abs=0.07)
        assert ratio < settings.PUBLISHED[0.6, -0.1] / settings.PUBLISHED[0.5, 0.0] - 0.1


def test_what_is_said_of_one_weight_on_a_mixture_is_in_the_record():
    table = dp.recorded().one_weight
    error = table.pivot_table(index="weight", columns="classes", values="90 % quantile, predictive, error")
    one, mixture = error[1.0], error[table["classes"].max()]
    assert abs(mixture[1.0]) < 0.1 * one[1.0]  # with its own weight it fits, and one regression does not
    np.testing.assert_allclose(mixture[error.index < 0.5] / one[error.index < 0.5], 1.0, atol=0.2)
    assert (one.sort_index(ascending=False).diff().dropna() > 0).all()
