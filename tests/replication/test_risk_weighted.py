"""The replication of the risk-weighted paper: its engine, its resumption, and the committed results."""

from __future__ import annotations

import re

import numpy as np
import pandas as pd
import pytest

import synthlab as sl
from synthlab import datasets
from synthlab.exceptions import InputError
from synthlab.replication import _ce_study, _nb_study, risk_weighted


@pytest.fixture(scope="module")
def paper():
    return datasets.load("nb_mixture", version="paper").frame


def test_the_grid_is_the_posterior_of_the_package(paper):
    """The synthesizer of the package, sampled with NUTS, and the grid: same priors, same answer, weighted or not."""
    y = paper["outcome"].to_numpy()
    weights = sl.risk_weights(paper, sl.Intruder(known=[], synthesized=["outcome"], radius=0.15)).weights
    for w in (None, weights):
        fitted = sl.NegativeBinomial("outcome ~ 1").fit(paper, weights=w, rng=1)
        mu, phi = _nb_study.grid_posterior(y, w).mean()
        sampled = np.exp(fitted.posterior["intercept"]), fitted.posterior["phi"]
        for ours, theirs in zip((mu, phi), sampled, strict=True):
            assert abs(ours - theirs.mean()) < 0.15 * theirs.std()


def test_the_grid_is_normalised_and_wide_enough(paper):
    posterior = _nb_study.grid_posterior(paper["outcome"].to_numpy())
    p = posterior.probability
    assert p.sum() == pytest.approx(1)
    assert max(p[0].sum(), p[-1].sum(), p[:, 0].sum(), p[:, -1].sum()) < 1e-8
    assert (p.sum(axis=0) > 1e-4).sum() > 20
    mu, phi = posterior.draw(20_000, np.random.default_rng(1))
    assert mu.mean() == pytest.approx(posterior.mean()[0], abs=0.05)
    assert phi.mean() == pytest.approx(posterior.mean()[1], abs=0.03)


def test_expected_ir_is_the_limit_of_the_drawn_one(paper):
    y, rng = paper["outcome"].to_numpy(), np.random.default_rng(1)
    posterior = _nb_study.grid_posterior(y)
    exact = _nb_study.expected_ir(y, 0.2, posterior, rng)
    drawn = sl.identification_probability(
        paper,
        _nb_study.make_release(posterior, y.size, 400, rng),
        sl.Intruder(known=[], synthesized=["outcome"], radius={"outcome": 0.2}),
    )
    assert np.abs(exact - drawn.record).max() < 5 * (drawn.per_dataset.std(axis=1).max() / 20)
    assert exact.mean() == pytest.approx(drawn.record.mean(), abs=0.004)


def test_the_radius_by_quantile():
    frame = pd.DataFrame({"gender": 1, "age": 1, "region": 1, "income": np.arange(0.0, 101.0)})
    # of the 5,050 pairs 101 - d are d apart: 100 are 1 apart, 99 are 2 apart
    assert _ce_study.quantile_radius(frame, 198 / 5050) == pytest.approx(2, abs=0.02)


@pytest.mark.slow
def test_quick_run_resumes_and_writes_a_page(tmp_path, monkeypatch):
    calls = []

    def one(frame, seed, number, resamples):
        calls.append(number)
        return real(frame, seed, number, resamples)

    real = _nb_study.repeat
    monkeypatch.setattr(_nb_study, "repeat", one)
    small = {
        "repetitions": 2,
        "samples": 1,
        "resamples": 5,
        "draws": 2,
        "sampler": {"draws": 20, "tune": 20, "thin": 1},
    }
    monkeypatch.setattr(risk_weighted, "QUICK", {**small, "nuts": {}})
    first = risk_weighted.replicate_risk_weighted(quick=True, folder=tmp_path, progress=False)
    assert len(calls) == 3
    (tmp_path / "pieces" / "paper_001.npz").unlink()
    second = risk_weighted.replicate_risk_weighted(quick=True, folder=tmp_path, progress=False)
    assert len(calls) == 4
    pd.testing.assert_frame_equal(first.study_numbers, second.study_numbers)
    pd.testing.assert_frame_equal(first.income_numbers, second.income_numbers)
    page = (tmp_path / "index.html").read_text(encoding="utf-8")
    assert page.count("<img alt=") == page.count("<figcaption>") >= 12
    assert "SIMULATED" in page
    assert not re.search(r"<script|https?://", page)
    assert len(list(tmp_path.glob("*.csv"))) == 5
    assert len(list(tmp_path.glob("*.csv.gz"))) == 2
    with pytest.raises(InputError, match="another seed or size"):
        risk_weighted.replicate_risk_weighted(quick=True, folder=tmp_path, rng=3, progress=False)
    with pytest.raises(InputError, match="must be a whole number"):
        risk_weighted.replicate_risk_weighted(quick=True, folder=tmp_path, rng=np.random.default_rng(1))


@pytest.fixture(scope="module")
def recorded():
    return risk_weighted.recorded_risk_weighted()


def test_the_recorded_run_has_every_published_number_of_tables_5_and_6(recorded):
    numbers = recorded.study_numbers
    assert numbers.groupby("table").size().to_dict() == {5: 10, 6: 88}
    assert numbers["repetitions"].min() >= 30
    half = np.where(numbers["table"] == 5, 0.00005, 0.005)  # of the last printed digit
    inside = (numbers["published"] >= numbers["low"] - half) & (numbers["published"] <= numbers["high"] + half)
    np.testing.assert_array_equal(numbers["inside"], inside)
    # Of 98 right numbers about 5 lie outside a 95 % interval; many more would mean another method.
    assert (~inside).sum() <= 10
    assert inside[numbers["table"] == 5].all()


def test_the_data_row_of_table_6_needs_no_synthesizer(recorded, paper):
    """A bootstrap of the 1,000 values: mean 100.73, and its 95 % interval from the normal distribution."""
    row = recorded.study_numbers.query("row == 'Data'").set_index("quantity")
    y = paper["outcome"]
    half = 1.96 * y.std(ddof=0) / np.sqrt(y.size)
    for quantity, expected in (("mean", y.mean()), ("mean, low", y.mean() - half), ("mean, high", y.mean() + half)):
        for column in ("ours", "published"):
            assert row.loc[quantity, column] == pytest.approx(expected, abs=0.2)


def test_recorded_topcoding_is_what_the_package_computes(recorded):
    frame = datasets.load("ce2017").frame
    table, arrays = _ce_study.run_topcoding(frame, risk_weighted.SEED, resamples=2)
    records = recorded.income_records
    np.testing.assert_allclose(records["D"], arrays["IR D"], rtol=1e-3, atol=1e-4)
    np.testing.assert_allclose(records["T"], arrays["IR T"], rtol=1e-3, atol=1e-4)
    np.testing.assert_allclose(records["income"], frame["income"], rtol=1e-3)
    ours = recorded.income_numbers.set_index(["case", "measure"])["ours"]
    computed = table.set_index(["case", "measure"])["value"]
    for measure in ("U_m", "U_a"):
        assert ours["T", measure] == pytest.approx(computed["T", measure])


def value(recorded, case, measure, allocation="predictive"):
    table = recorded.income_numbers.set_index(["case", "allocation", "measure"])["ours"]
    return table[case, allocation, measure]


def test_topcoding_leaves_the_high_risks_below_the_cut(recorded):
    records = recorded.income_records
    cut = records["topcoded"].max()
    clear = records[(records["income"] + 0.2 * records["income"].abs() < cut) & (records["D"] > 0.9)]
    assert len(clear) > 500
    np.testing.assert_array_equal(clear["T"], clear["D"])


@pytest.mark.parametrize("allocation", ["predictive", "record"])
def test_claims_about_incomes_that_hold(recorded, allocation):
    def each(measure):
        return [value(recorded, case, measure, allocation) for case in ("S", "M", "P")]

    s, m, _ = each("IR, mean")
    assert m < s < value(recorded, "D", "IR, mean", "")
    s, m, p = each("IR, IQR")
    assert p < m
    s, m, p = each("U_m")
    assert s < p < 0.6 * m
    moles = recorded.income_moles.query("allocation == @allocation").set_index("case")["largest expected rise"]
    assert moles["4-way"] < moles["3-way"] < moles["P"] < moles["M"]
    tail = recorded.income_moles.query("allocation == @allocation").set_index("case")["maximum expected IR"]
    claims = recorded.claims[recorded.claims["study"] == f"income, {allocation}"].set_index("claim")["holds"]
    assert tail["P"] < tail["M"]
    assert claims["Pairwise has a shorter tail: smaller maximum IR than Marginal"] == "yes"


@pytest.mark.parametrize(("allocation", "falls"), [("predictive", "no"), ("record", "yes")])
def test_a_fall_of_the_mean_ir_is_judged_without_the_noise_of_one_release(recorded, allocation, falls):
    expected = recorded.income_records[[f"expected {case} {allocation}" for case in ("S", "M")]].mean().to_numpy()
    claims = recorded.claims[recorded.claims["study"] == f"income, {allocation}"].set_index("claim")["holds"]
    assert (expected[1] < 0.99 * expected[0]) == (falls == "yes")
    assert claims["Marginal lowers mean IR below the Synthesizer"] == falls


def test_claims_that_do_not_hold_are_recorded_as_such(recorded):
    table = recorded.claims
    assert set(table["holds"]) == {"yes", "no"}
    assert table["evidence"].str.contains(r"\d").all()
    mean = table[table["claim"].str.contains("the mean income rises under Marginal")]
    assert len(mean) == 2
    for row in mean.itertuples():
        s, m = (value(recorded, case, "mean", row.study.removeprefix("income, ")) for case in ("S", "M"))
        assert row.holds == ("yes" if m > s else "no")


def test_the_chains_of_the_recorded_run_converged_or_say_so(recorded):
    rhat = recorded.income_numbers.query("measure == 'R-hat, max'").set_index("case")["ours"]
    assert {"S", "M", "P", "3-way", "4-way", "S nuts", "M nuts", "P nuts"} <= set(rhat.index)
    assert rhat[["S", "M", "P"]].max() < 1.05


def test_the_page_is_drawn_from_the_recorded_tables(recorded, tmp_path):
    from synthlab.replication._risk_weighted_page import write_page

    write_page(recorded, tmp_path)
    page = (tmp_path / "index.html").read_text(encoding="utf-8")
    assert page.count("<img alt=") == page.count("<figcaption>") >= 12
    assert not re.search(r"<script|https?://", page)
    assert str(len(recorded.study_numbers)) in page
