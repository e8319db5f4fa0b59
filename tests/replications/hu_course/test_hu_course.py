"""The numbers on the slides of lectures 4 to 12, and the computations behind them."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings, strategies as st

from replications import hu_course
from replications.hu_course import (
    claims,
    data,
    deterministic,
    nearest_neighbors,
    orders,
    posteriors,
    r_random,
    record_linkage,
    releases,
)
from replications.paper_tables import read_numbers
from replications.published import rounds_to
from synthlab.exceptions import DatasetUnavailableError
from synthlab.utility import analysis_utility

KEYS, COMPARED = ("block",), ("a", "b", "c")


@pytest.fixture(scope="module")
def recorded() -> hu_course.HuCourseResult:
    return hu_course.recorded()


def units(n: int, seed: int = 1) -> pd.DataFrame:
    rng = np.random.default_rng(seed)
    income = np.exp(rng.normal(10.5, 1.0, n)).round(2)
    return pd.DataFrame(
        {
            "UrbanRural": rng.choice([1, 1, 1, 2], n),
            "Income": income,
            "Race": rng.integers(1, 7, n),
            "Expenditure": np.exp(5 + 0.36 * np.log(income) + rng.normal(0, 0.7, n)).round(4),
            "KidsCount": rng.poisson(0.5, n),
        }
    )


# Printed by R 4.2.2.
@pytest.mark.parametrize(
    ("seed", "uniform", "normal", "thousandth"),
    [
        (0, [0.896697200136259, 0.265508663142100], [1.262954284880793, -0.326233360705649], -0.703252294210806),
        (1, [0.265508663142100, 0.372123899636790], [-0.626453810742332, 0.183643324222082], -0.697318199400121),
        (683, [0.711788883199915, 0.138773885555565], [0.558618308484374, -0.870773908985679], 0.258794206671159),
        (2**31 - 1, [0.689667426748201, 0.987875178223476], [0.494907901076881, -0.853235969526475], 0.587888967631485),
    ],
)
def test_random_numbers_are_those_of_r(seed, uniform, normal, thousandth):
    np.testing.assert_allclose(r_random.uniform(seed, 2), uniform, rtol=1e-14)
    drawn = r_random.normal(seed, 1000)
    np.testing.assert_allclose([*drawn[:2], drawn[-1]], [*normal, thousandth], rtol=1e-13)


def test_laplace_noise_inverts_its_distribution_function():
    noise, u = r_random.laplace(5, 1000, 2.0), r_random.uniform(5, 1000)
    np.testing.assert_allclose(np.where(noise < 0, np.exp(noise / 2) / 2, 1 - np.exp(-noise / 2) / 2), u, rtol=1e-12)


@settings(max_examples=30, deadline=None)
@given(st.integers(0, 2**32 - 1), st.integers(3, 60), st.integers(1, 4), st.integers(1, 3))
def test_nearest_neighbors_are_nearest(seed, n, dimensions, neighbors):
    rng = np.random.default_rng(seed)
    train, query, response = rng.normal(size=(n, dimensions)), rng.normal(size=(9, dimensions)), rng.normal(size=n)
    order = np.argsort(np.square(query[:, None] - train).sum(axis=2), axis=1)[:, :neighbors]
    found = nearest_neighbors.predict(train, response, query, neighbors)
    np.testing.assert_allclose(found, response[order].mean(axis=1))


def test_ties_are_broken_like_fnn():
    """FNN 1.1.4.1 chose these neighbors on a grid where nearly all records are tied."""
    points = (
        "31222221203021120011213010101011310131212122210132320101103022310220021102303001",
        "003001303021023131103032",
    )
    train, query = (np.array(list(map(float, text))).reshape(-1, 2) for text in points)
    found = nearest_neighbors.predict(train, np.arange(1.0, 41) ** 2, query)
    thirds = [1189, 3109, 2905, 3109, 3109, 857, 3683, 1386, 1386, 1262, 3109, 1662]
    np.testing.assert_allclose(3 * found, thirds)


def files(n: int, seed: int) -> tuple[pd.DataFrame, pd.DataFrame]:
    rng = np.random.default_rng(seed)
    left, right = (pd.DataFrame(rng.integers(0, 2, (n, 3)), columns=list(COMPARED)) for _ in range(2))
    block = rng.integers(0, 3, n)
    return left.assign(block=block), right.assign(block=block)


@settings(max_examples=30, deadline=None)
@given(st.integers(2, 25), st.integers(0, 2**32 - 1))
def test_links_are_those_of_all_pairs_in_the_order_of_weight_and_position(n, seed):
    left, right = files(n, seed)
    blocks = record_linkage.pairs_within_blocks(left, right, KEYS, COMPARED)
    weights = np.random.default_rng(seed).normal(size=8).round(1)
    pairs = []
    for i in range(n):
        for j in np.flatnonzero(right["block"] == left["block"][i]):
            pattern = sum(int(left[v][i] == right[v][j]) << bit for bit, v in enumerate(COMPARED))
            pairs.append((-weights[pattern], i, int(j), pattern))
    np.testing.assert_array_equal(blocks.counts, np.bincount([p[3] for p in pairs], minlength=8))
    # Two patterns of one weight are ordered by their number, so only distinct weights have one order.
    if np.unique(weights).size == 8:
        expected, taken = np.full(n, -1), set()
        for weight, i, j, _ in sorted(pairs):
            if weight < 0 and expected[i] < 0 and j not in taken:
                expected[i] = j
                taken.add(j)
        np.testing.assert_array_equal(record_linkage.link_greedily(blocks, weights, n), expected)


def test_match_weights_increase_the_likelihood_to_near_its_maximum():
    """With clear matches, the weights are the logs of the ratios of the shares of agreement."""
    rng = np.random.default_rng(3)
    right = pd.DataFrame(rng.integers(0, 40, (400, 3)), columns=list(COMPARED)).assign(block=0)
    left = right.copy()
    for name in COMPARED:
        wrong = rng.random(400) < 0.1
        left.loc[wrong, name] = rng.integers(0, 40, wrong.sum())
    found = record_linkage.link(left, right, KEYS, COMPARED)
    same = np.column_stack([left[v] == right[v] for v in COMPARED])
    m = same.mean(axis=0)
    u = np.array(
        [(left[v].to_numpy()[:, None] == right[v].to_numpy()).sum() - same[:, j].sum() for j, v in enumerate(COMPARED)]
    )
    expected = np.log(m / (u / (400 * 399))).sum()
    assert found.weights[7] == pytest.approx(expected, rel=0.03)
    assert found.weights.argmax() == 7
    assert found.true_links > 300


def test_equal_records_are_linked_by_position():
    same = pd.DataFrame({"block": [0] * 4, "a": [1] * 4, "b": [1] * 4, "c": [1] * 4})
    blocks = record_linkage.pairs_within_blocks(same, same, KEYS, COMPARED)
    assert record_linkage.link_greedily(blocks, np.ones(8), 4).tolist() == [0, 1, 2, 3]
    assert record_linkage.link_greedily(blocks, np.zeros(8), 4).tolist() == [-1] * 4


def test_true_links_of_a_moved_file_are_counted_by_record():
    """With unique records every link is true, in any order."""
    acs = pd.DataFrame({name: np.arange(12) for name in (*data.KEYS, *deterministic.COMPARED)})
    samples = data.Samples(acs, acs, acs, acs)
    found = orders.true_links(
        samples.__class__(acs, acs, acs.assign(SEX=0, RACE=0, MAR=0), acs.assign(SEX=0, RACE=0, MAR=0)), 3, 1
    )
    assert found["true_links"].tolist() == [12] * 8


def test_three_values_determine_the_release():
    samples = data.Samples(units(50), *[pd.DataFrame()] * 3)
    parameters = np.array([5.1, 0.34, 0.71])
    release = releases.released(samples, parameters, releases.RELEASE_SEED)
    found = releases.release_parameters(samples, release["Expenditure"].to_numpy()[:3])
    np.testing.assert_allclose(found, parameters, rtol=1e-9)
    assert release.drop(columns="Expenditure").equals(samples.ce.drop(columns="Expenditure"))


def test_combined_estimates_are_those_of_the_regressions():
    frames = [units(80, seed) for seed in range(4)]
    income = frames[0]["Income"]
    frames = [one.assign(Income=income) for one in frames]
    found = releases.combine(income.to_numpy(), np.stack([one["Expenditure"].to_numpy() for one in frames]))
    mean = analysis_utility(frames[0], frames, formula="Expenditure ~ 1").combined
    slope = analysis_utility(frames[0], frames, formula="Expenditure ~ Income").combined
    np.testing.assert_allclose(found.q_bar, [mean.q_bar[0], slope.q_bar[1]], rtol=1e-9)
    np.testing.assert_allclose(found.interval, [mean.interval[0], slope.interval[1]], rtol=1e-9)


@pytest.mark.parametrize("name", ["normal", "poisson"])
def test_draws_can_be_exchanged(name):
    """The log posterior of the own draws is that of the same draws given back."""
    frame = units(60)
    fitted = posteriors.fit(name, frame, 1, draws=500, tune=300, chains=2)
    draws = posteriors.draws_of(name, fitted)
    again = posteriors.with_draws(name, fitted, draws)
    np.testing.assert_allclose(again.log_likelihood(), fitted.log_likelihood())
    density = posteriors.log_posterior(name, fitted, draws)
    likelihood = fitted.log_likelihood().sum(axis=1)
    assert np.corrcoef(density, likelihood)[0, 1] > 0.5
    moved = posteriors.log_posterior(name, fitted, draws.assign(intercept=draws["intercept"] + 5))
    assert (moved < density).all()


def test_every_number_without_randomness_is_exact(recorded):
    table = recorded.table
    fixed = table["kind"].isin(["data", "deterministic"])
    assert table.loc[fixed, "verdict"].eq("exact").all()
    assert fixed.sum() == 81
    random = table[~fixed]
    assert random["verdict"].isin(["exact", "inside 95 %", "outside"]).all()
    # About one of twenty draws lies outside its interval; more than one of five would be another posterior.
    outside = random[random["verdict"] == "outside"]
    assert len(outside) < 0.2 * len(random)
    assert set(outside["kind"]) <= {"posterior draw", "release"}


def test_r_computes_the_same_numbers(recorded):
    rows = recorded.table.dropna(subset="r")
    assert len(rows) == 66
    np.testing.assert_allclose(rows["ours"].to_numpy(float), rows["r"].to_numpy(float), rtol=2e-7)


def test_the_keys_of_the_slides_are_those_of_the_computed_numbers(recorded):
    keys = set(recorded.numbers["key"])
    assert set(read_numbers("hu_course")) == keys - {"pmse_ratio", "sensitivity_income", "sensitivity_expenditure"}
    assert recorded.verdicts().to_numpy().sum() == len(recorded.to_frame()) == 167


def test_the_statements_depend_on_the_numbers(recorded):
    """A changed number changes the verdict of every statement."""

    def verdicts(numbers=recorded.numbers, rows=recorded.releases, links=recorded.orders):
        table = claims.claims_of("x", numbers, rows, links)
        return dict(zip(zip(table["study"], table["claim"], strict=True), table["verdict"], strict=True))

    before = verdicts()
    numbers = recorded.numbers.set_index("key")
    for key, value in {"pmse_ratio": 1.0, "u_m": 0.5, "sensitivity_income": 0.0, "noise_0.1": 0.0}.items():
        numbers.loc[key, "ours"] = value
    rows = recorded.releases.assign(pmse_ratio=1.0, u_m=0.5, overlap_slope=0.9)
    links = recorded.orders.assign(
        true_links=recorded.orders["true_links"].where(recorded.orders["file"] == "synthetic", 0)
    )
    links["true_links"] = (
        links["true_links"]
        .mask((links["order"] == orders.RANDOM) & (links["file"] == "confidential"), 6458)
        .mask(links["file"] == "synthetic", 6459)
    )
    after = verdicts(numbers.reset_index(), rows, links)
    assert all(before[key] != after[key] for key in before)


def test_without_the_data_the_study_says_how_to_get_them(monkeypatch, tmp_path):
    monkeypatch.setenv("SYNTHLAB_DATA_DIR", str(tmp_path))
    monkeypatch.setattr("synthlab.datasets.files.cache_folder", lambda: tmp_path)
    with pytest.raises(DatasetUnavailableError, match="synthlab data fetch ce_lecture"):
        hu_course.run(folder=tmp_path / "out")


def test_a_missing_synthetic_file_is_named(monkeypatch, tmp_path, real_data):
    for name in ("ce_slides.csv",):
        (tmp_path / name).write_bytes((real_data / name).read_bytes())
    monkeypatch.setenv("SYNTHLAB_DATA_DIR", str(tmp_path))
    monkeypatch.setattr("synthlab.datasets.files.cache_folder", lambda: tmp_path)
    with pytest.raises(DatasetUnavailableError, match=r"ce_slides_synthetic\.csv"):
        data.load()


@pytest.mark.real
def test_the_real_samples_give_the_recorded_numbers(real_data, recorded):
    samples = data.load()
    found = deterministic.numbers(samples).set_index("key")["ours"]
    texts = read_numbers("hu_course")
    assert [key for key in found.index if not rounds_to(found[key], texts[key]["printed"])] == []
    stored = recorded.numbers.set_index("key")["ours"]
    np.testing.assert_allclose(found.to_numpy(), stored[found.index].to_numpy(), rtol=1e-9)
    values = np.array([float(texts[f"synthetic_{i}"]["printed"]) for i in (1, 2, 3)])
    release = releases.released(samples, releases.release_parameters(samples, values), releases.RELEASE_SEED)
    assert releases.propensity(samples, release).pmse[0] == pytest.approx(stored["pmse"], rel=1e-6)


@pytest.mark.real
def test_the_released_file_of_lecture_8_has_the_noise_of_lecture_4(real_data):
    """Seed 246 of lecture 4 explains the file without a residual, so its parameters are known."""
    samples = data.load()
    x = np.log(samples.ce["Income"].to_numpy())
    design = np.column_stack([np.ones(x.size), x, r_random.normal(246, x.size)])
    y = np.log(samples.ce_synthetic["Expenditure"].to_numpy())
    parameters, residual, *_ = np.linalg.lstsq(design, y, rcond=None)
    assert residual[0] < 1e-18 * x.size
    np.testing.assert_allclose(parameters, [5.023857, 0.358956, 0.7386134], rtol=1e-6)
