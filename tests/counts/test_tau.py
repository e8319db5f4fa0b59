"""The tau metrics: measured, and known beforehand."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

import synthlab.counts as slc
from synthlab.exceptions import InputError, PseudocountWarning, UndefinedStatisticWarning
from tests.loops import every

# The published numbers of cells of size 0 to 10, and above.
PUBLISHED = (3_134_980, 119_917, 51_412, 25_952, 19_450, 13_076, 10_345, 7_947, 7_077, 5_809, 5_163)
ABOVE = 67_512
TAUS = ("tau1", "tau2", "tau3", "tau4")


def table_of(counts) -> slc.Table:
    return slc.Table.from_counts(counts, {"cell": range(len(counts))})


@pytest.mark.filterwarnings("ignore::synthlab.exceptions.PseudocountWarning")
def test_published_table_of_settings(reference):
    """tau1 and tau4 there leave out what comes from cells above 10: put these cells where they contribute nothing."""
    recorded = pd.read_csv(reference / "tau_metrics_esc_cells_0_to_10.csv", skipinitialspace=True)
    counts = np.repeat(np.arange(11), PUBLISHED)
    far = np.full(ABOVE, 10**9)
    table = table_of(np.concatenate([counts, far]))
    assert table.n_cells == 3_468_640
    checked = 0
    for (name, sigma, nu), rows in recorded.groupby(["family", "sigma", "nu"], dropna=False):
        family = slc.GAF(sigma=sigma, nu=nu) if name == "GAF" else slc.NBI(sigma=sigma)
        beyond = family.at(1e9).pmf(rows["k"].to_numpy()) * ABOVE / table.n_cells
        ours = slc.expected_tau(table, family, k=rows["k"].to_numpy())
        tau1 = ours.tau1 - beyond
        tau4 = ours.tau4 * ours.tau1 / tau1
        for value, column in (
            (tau1, "tau1_from_cells_0_to_10"),
            (ours.tau2, "tau2"),
            (ours.tau3, "tau3"),
            (tau4, "tau4_from_cells_0_to_10"),
        ):
            # The file gives tau1 with 15 decimals and the others with 13.
            np.testing.assert_allclose(value, rows[column], rtol=1e-9, atol=6e-14)
            checked += len(rows)
    assert checked == 4 * 120


def test_by_hand():
    before = table_of([0, 0, 1, 1, 1, 2, 5])
    after = table_of([1, 0, 1, 0, 2, 2, 5])
    result = slc.tau(before, after, k=[0, 1, 2])
    np.testing.assert_allclose(result.tau1[:, 0], [2 / 7, 2 / 7, 2 / 7])
    np.testing.assert_allclose(result.tau2[:, 0], [2 / 7, 3 / 7, 1 / 7])
    np.testing.assert_allclose(result.tau3[:, 0], [1 / 2, 1 / 3, 1])
    np.testing.assert_allclose(result.tau4[:, 0], [1 / 2, 1 / 2, 1 / 2])
    frame = result.to_frame()
    assert frame.columns.tolist() == ["dataset", "k", *TAUS]
    assert frame.shape == (3, 6)
    transitions = slc.size_transitions(before, [after, before])
    pairs = transitions[transitions["dataset"] == 1].drop(columns="dataset")
    assert pairs.to_numpy().tolist() == [[0, 0, 1], [0, 1, 1], [1, 0, 1], [1, 1, 1], [1, 2, 1], [2, 2, 1], [5, 5, 1]]
    assert transitions.groupby("dataset")["cells"].sum().tolist() == [7, 7]


@pytest.fixture(scope="module")
def table() -> slc.Table:
    return table_of(np.random.default_rng(3).negative_binomial(0.2, 0.03, 20_000))


@pytest.mark.parametrize(
    ("family", "options"),
    [
        (slc.NBI(sigma=1), {}),
        (slc.Poisson(), {"pseudocount": 0.2}),
        (slc.PIG(sigma=0.5), {"zeros_to_ones": 0.05}),
        (slc.GAF(sigma=2, nu=-0.5), {"zeros_to_ones": 0.05, "pseudocount": 0.01}),
        (slc.GAF(sigma=1, nu=1), {"pseudocount": 0.1}),
        (slc.LaplaceCount(epsilon=1), {"pseudocount": 0}),
    ],
    ids=lambda v: v.label if isinstance(v, slc.CountFamily) else "",
)
def test_expected_and_measured_agree_within_their_error(table, family, options):
    m = 20
    k = [0, 1, 2, 3, 10]
    expected = slc.expected_tau(table, family, k=k, **options)
    measured = slc.tau(table, slc.synthesize_table(table, family, m=m, rng=1, **options), k=k)
    errors = expected.standard_errors(m)
    for name in ("tau1", "tau3", "tau4"):
        z = (measured.summary()[name] - getattr(expected, name)) / errors[name]
        assert np.abs(z).max() < 4.5, name
        # and the errors are the spread between datasets, to the precision of 20 of them
        spread = getattr(measured, name).std(axis=1, ddof=1) / (errors[name] * np.sqrt(m))
        assert spread.between(0.5, 1.6).all(), name
    np.testing.assert_allclose(measured.tau2[:, 0], expected.tau2)
    for result in (expected, measured):
        np.testing.assert_allclose(result.tau1 * result.tau4, result.tau2 * result.tau3, rtol=1e-12)


@pytest.mark.filterwarnings("ignore::synthlab.exceptions.UndefinedStatisticWarning")
def test_tau1_adds_up_to_one(table):
    largest = int(table.counts.max())
    tau = slc.expected_tau(table, slc.NBI(sigma=0.5), k=np.arange(20 * largest))
    assert tau.tau1.sum() == pytest.approx(1.0, abs=1e-9)


def test_structural_zeros_stay_zero_beforehand_too():
    table = table_of([0, 0, 0, 4])
    with_all = slc.expected_tau(table, slc.NBI(sigma=1), k=[0, 4], pseudocount=0.5)
    without = slc.expected_tau(table, slc.NBI(sigma=1), k=[0, 4], pseudocount=0.5, structural_zeros=[0, 1])
    p0 = float(slc.NBI(0.5, 1).pmf(0))
    assert with_all.tau3[0] == pytest.approx(p0)
    assert without.tau3[0] == pytest.approx((2 + p0) / 3)
    assert without.tau3[1] == with_all.tau3[1]


@pytest.mark.filterwarnings("error")
def test_undefined_metrics_are_nan_and_said():
    table = table_of([1, 1, 3])
    with pytest.warns(
        UndefinedStatisticWarning, match="tau3 is undefined for k = 2, because no cell has that size before"
    ):
        result = slc.expected_tau(table, slc.NBI(sigma=1), k=[1, 2])
    assert np.isnan(result.tau3[1])
    assert result.tau4[1] == 0.0
    with pytest.warns(UndefinedStatisticWarning) as caught:
        measured = slc.tau(table, table, k=[1, 2])
    assert [str(w.message)[:19] for w in caught] == ["tau3 is undefined f", "tau4 is undefined f"]
    assert np.isnan(measured.tau4[1, 0])
    with pytest.warns(PseudocountWarning):
        slc.expected_tau(table_of([0, 1]), slc.GAF(sigma=1, nu=0), k=1)


def test_the_results_show_themselves(table):
    expected = slc.expected_tau(table, slc.NBI(sigma=1), k=1)
    measured = slc.tau(table, table, k=1)
    assert "NBI(sigma = 1), a priori" in str(expected)
    assert "tau metrics of 1 synthetic tables" in str(measured)
    assert "<table" in expected._repr_html_() + measured._repr_html_()
    assert expected.summary().equals(expected.to_frame())


@every(
    ("make", "message"),
    [
        (lambda t: slc.tau(t, []), "m = 0 tables"),
        (lambda t: slc.tau(t, "t"), "synthetic: must be a Table, a list of them"),
        (lambda t: slc.tau(t, [t, 1]), "synthetic table 2: must be a Table"),
        (lambda t: slc.tau(t, t.marginal(["cell"]), k=[1, 1]), "k: each size must be given only once"),
        (lambda t: slc.tau(t, t, k=-1), "k=-1: must be a whole number"),
        (lambda t: slc.tau(t, t, k=0.5), "k=0.5: must be a whole number"),
        (lambda t: slc.tau(t, table_of([1, 2])), "do not have the same variables and levels"),
        (lambda t: slc.tau(1, t), "confidential: must be a Table"),
        (lambda t: slc.expected_tau(t, slc.NBI(3, 1)), "mu=3.0 is set"),
    ],
)
def test_bad_input_is_named(table, make, message):
    with pytest.raises(InputError, match=message):
        make(table)
