"""Expected and measured squared loss."""

from __future__ import annotations

import numpy as np
import pytest

import synthlab.counts as slc
from synthlab.exceptions import InputError, PseudocountWarning

COUNTS = np.repeat([0, 1, 2, 5, 20, 100], [500, 300, 100, 60, 30, 10])


@pytest.fixture(scope="module")
def table() -> slc.Table:
    return slc.Table.from_counts(COUNTS, {"cell": range(COUNTS.size)})


def test_the_approximation_is_the_papers_formula(table):
    for sigma, nu, m in ((0.5, 0.0, 1), (2.0, -0.5, 10)):
        loss = slc.expected_loss(table, slc.GAF(sigma=sigma, nu=nu), m=m, pseudocount=0)
        positive = COUNTS[COUNTS > 0].astype(float)
        assert loss.approximation == pytest.approx((sigma**2 * positive**nu).sum() / m, rel=1e-13)
    nbi = slc.expected_loss(table, slc.NBI(sigma=2), m=5)
    assert nbi.approximation == pytest.approx(nbi.variance)
    assert nbi.squared_bias == 0


@pytest.mark.parametrize(
    ("family", "options"),
    [
        (slc.GAF(sigma=2, nu=-0.5), {"pseudocount": 0, "zeros_to_ones": 0.1}),
        (slc.GAF(sigma=1, nu=1), {"pseudocount": 0.5}),
        (slc.NBI(sigma=0.2), {"pseudocount": 0.5, "zeros_to_ones": 0.2}),
        (slc.LaplaceCount(epsilon=1), {"pseudocount": 0}),
    ],
    ids=lambda v: v.label if isinstance(v, slc.CountFamily) else "",
)
def test_expected_and_measured_agree(table, family, options):
    m, repetitions = 3, 400
    expected = slc.expected_loss(table, family, m=m, **options)
    runs = [
        slc.squared_loss(table, slc.synthesize_table(table, family, m=m, rng=seed, **options))
        for seed in range(repetitions)
    ]
    for value, wanted in (
        ([r.of_mean for r in runs], expected.exact),
        ([r.of_mean_empty for r in runs], expected.empty),
        ([r.of_mean - r.of_mean_empty for r in runs], expected.occupied),
    ):
        assert np.mean(value) == pytest.approx(wanted, abs=4.5 * np.std(value) / np.sqrt(repetitions))
    one = slc.expected_loss(table, family, **options)
    every = np.concatenate([r.by_dataset for r in runs])
    assert every.mean() == pytest.approx(one.exact, abs=4.5 * every.std() / np.sqrt(every.size))


def test_rounding_biases_what_the_paper_calls_unbiased():
    table = slc.Table.from_counts([1] * 1000, {"cell": range(1000)})
    loss = slc.expected_loss(table, slc.GAF(sigma=2, nu=0), m=10**9)
    assert loss.variance == pytest.approx(0, abs=1e-4)
    assert loss.squared_bias == pytest.approx(1000 * (1 - 0.96134241813) ** 2, rel=1e-9)


def test_empty_cells_dominate_the_loss_that_leaves_them_out():
    # 90% empty cells, a pseudocount of 0.01, sigma 2, nu -1/2: a variance of about 40 in each of them.
    table = slc.Table.from_counts([0] * 900 + [1] * 100, {"cell": range(1000)})
    with pytest.warns(PseudocountWarning):
        loss = slc.expected_loss(table, slc.GAF(sigma=2, nu=-0.5))
    assert loss.empty == pytest.approx(900 * 4 * 0.01**-0.5, rel=0.01)
    assert loss.empty > 50 * loss.occupied


def test_measured_by_hand():
    levels = {"x": range(4)}
    before = slc.Table.from_counts([0, 1, 3, 0], levels)
    after = [slc.Table.from_counts(c, levels) for c in ([2, 1, 3, 0], [0, 3, 1, 0])]
    loss = slc.squared_loss(before, after)
    assert loss.by_dataset.tolist() == [4, 8]
    assert (loss.of_mean, loss.of_mean_empty, loss.mse) == (1 + 1 + 1, 1, 3 / 4)
    assert loss.to_frame()["mse"].tolist() == [1, 2]
    assert loss.summary()["loss"].item() == 3


def test_the_utility_axis_ends_at_one_half():
    assert float(slc.mse_utility(0)) == 0.5
    assert slc.mse_utility([0.0, 1.0, 1e6]).tolist() == pytest.approx([0.5, 1 - 1 / (1 + np.exp(-1)), 0.0])
    with pytest.raises(InputError, match="mse=-1: must be finite and in"):
        slc.mse_utility(-1)


def test_the_results_show_themselves(table):
    expected = slc.expected_loss(table, slc.NBI(sigma=1), m=2)
    measured = slc.squared_loss(table, table)
    assert "m = 2 tables under NBI(sigma = 1)" in str(expected)
    assert "of the mean of 1 tables: 0.0" in str(measured)
    assert "<table" in expected._repr_html_() + measured._repr_html_()
    assert expected.summary()["exact"].item() == expected.exact
    assert slc.expected_loss(slc.Table.from_counts([0, 0], {"x": [0, 1]}), slc.NBI(sigma=1)).occupied == 0


def test_bad_input_is_named(table):
    with pytest.raises(InputError, match="m=0"):
        slc.expected_loss(table, slc.NBI(sigma=1), m=0)
    with pytest.raises(InputError, match="family: must be a count distribution"):
        slc.expected_loss(table, 3)


def test_a_pseudocount_beyond_every_count_is_refused():
    table = slc.Table.from_counts([0, 1, 10], {"age": [5, 6, 7]})
    with pytest.raises(InputError, match=r"pseudocount=1e\+308"):
        slc.expected_loss(table, slc.GAF(sigma=1, nu=0), pseudocount=1e308)
