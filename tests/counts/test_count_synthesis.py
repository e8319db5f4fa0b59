"""Synthetic tables: reproducible, with the law they claim, and honest about the pseudocount."""

from __future__ import annotations

import warnings

import numpy as np
import pytest

import synthlab.counts as slc
from synthlab.counts.structural_zeros import choose_empty, structural_cells
from synthlab.datasets.esc import ESC_LEVELS, make_esc_counts
from synthlab.exceptions import InputError, PseudocountWarning
from tests.loops import every

LEVELS = {"a": range(40), "b": range(50)}


@pytest.fixture(scope="module")
def table() -> slc.Table:
    counts = np.random.default_rng(1).negative_binomial(0.15, 0.05, (40, 50))
    return slc.Table.from_counts(counts, LEVELS)


def same(first: slc.Table, second: slc.Table) -> bool:
    return first.cells.tolist() == second.cells.tolist() and first.counts.tolist() == second.counts.tolist()


@pytest.mark.parametrize("family", [slc.NBI(sigma=0.5), slc.Poisson(), slc.PIG(sigma=1)], ids=lambda f: f.label)
@pytest.mark.parametrize("model", ["saturated", "a + b"])
def test_the_first_datasets_do_not_depend_on_m(table, family, model):
    few = slc.synthesize_table(table, family, model=model, m=2, rng=7)
    more = slc.synthesize_table(table, family, model=model, m=4, rng=7)
    assert (few.m, len(more)) == (2, 4)
    assert all(same(a, b) for a, b in zip(few, more, strict=False))
    assert not same(more[0], more[1])
    assert same(few[0], slc.synthesize_table(table, family, model=model, rng=7)[0])
    assert all(t.levels == table.levels for t in more)


def test_cells_follow_their_distribution():
    # 6,000 cells of each size: the share that becomes k is the probability of k.
    sizes = np.repeat([0, 1, 3, 20], 6000)
    table = slc.Table.from_counts(sizes, {"cell": range(sizes.size)})
    for family in (slc.GAF(sigma=2, nu=0.5), slc.NBI(sigma=0.5), slc.PIG(sigma=2)):
        synthetic = slc.synthesize_table(table, family, m=2, pseudocount=0.3, rng=2)
        drawn = np.concatenate([t.dense() for t in synthetic])
        for mean, at in ((0.3, 0), (1, 1), (3, 3), (20, 20)):
            values = drawn[np.tile(sizes, 2) == at]
            for k in (0, 1, 2, 5, 20):
                p = float(family.at(mean).pmf(k))
                assert (values == k).mean() == pytest.approx(p, abs=5 * np.sqrt(p * (1 - p) / 12_000) + 1e-12)


def test_zeros_by_pseudocount_and_by_bernoulli():
    table = slc.Table.from_counts([5] + [0] * 99_999, {"cell": range(100_000)})
    family = slc.NBI(sigma=2)

    def synthetic(**options):
        return slc.synthesize_table(table, family, rng=3, **options)[0]

    assert synthetic(pseudocount=0).n_occupied <= 1
    share = float(family.at(0.05).sf(0))
    found = synthetic(pseudocount=0.05)
    assert found.n_occupied / 1e5 == pytest.approx(share, abs=5 * np.sqrt(share / 1e5))
    beyond = found.counts[found.cells > 0]
    assert (beyond == 1).mean() == pytest.approx(float(family.at(0.05).pmf(1)) / share, abs=0.03)
    ones = synthetic(pseudocount=0, zeros_to_ones=0.02)
    assert set(ones.counts[ones.cells > 0]) == {1}
    assert ones.n_occupied / 1e5 == pytest.approx(0.02, abs=0.003)
    both = synthetic(pseudocount=0.05, zeros_to_ones=0.02)
    assert both.n_occupied / 1e5 == pytest.approx(0.02 + 0.98 * share, abs=0.006)


@pytest.mark.parametrize("model", ["saturated", "a + b"])
def test_structural_zeros_stay_zero(model):
    counts = np.random.default_rng(1).poisson(3.0, (6, 5))
    counts[0, :2] = counts[4, 4] = 0
    table = slc.Table.from_counts(counts, {"a": range(6), "b": range(5)})
    mask = np.zeros((6, 5), dtype=bool)
    mask[0, :2] = mask[4, 4] = True
    rules = [{"a": 0, "b": [0, 1]}, {"a": 4, "b": 4}]
    for structural in (mask, np.flatnonzero(mask), rules):
        assert structural_cells(table, structural).tolist() == [0, 1, 24]
        synthetic = slc.synthesize_table(
            table, slc.NBI(sigma=1), model=model, m=20, pseudocount=2.0, structural_zeros=structural, rng=1
        )
        assert all(t.dense()[mask].sum() == 0 for t in synthetic)
    free = slc.synthesize_table(table, slc.NBI(sigma=1), model=model, m=20, pseudocount=2.0, rng=1)
    assert sum(t.dense()[mask].sum() for t in free) > 0


SMALL = {"a": ["x", "y"], "b": [1, 2, 3]}


def test_structural_zeros_of_a_fit_stay_zero():
    table = slc.Table.from_counts([[0, 10, 5], [20, 0, 8]], SMALL)
    fit = slc.fit_log_linear(table, "a + b", structural_zeros=[0])

    def drawn(**options):
        synthetic = slc.synthesize_table(table, slc.Poisson(), model=fit, m=50, pseudocount=5, rng=1, **options)
        return np.sum([t.dense() for t in synthetic], axis=0)

    alone = drawn()
    assert alone[0, 0] == 0
    assert (alone.ravel()[1:] > 0).all()
    # Those of the caller come on top, the cell of mean 0 and the cell that the model gives a positive mean.
    both = drawn(structural_zeros={"a": "y", "b": 2})
    assert fit.means[1, 1] > 0
    assert np.flatnonzero(both == 0).tolist() == [0, 4]
    # They are no empty cells either: nothing is left at mean 0, so there is nothing to warn of.
    ones = drawn(zeros_to_ones=1.0)
    assert (ones[0, 0], ones[1, 1]) == (0, 50)
    slc.synthesize_table(table, slc.GAF(sigma=1, nu=-0.5), model=fit, rng=1)
    occupied = slc.Table.from_counts([[7, 10, 5], [20, 0, 8]], SMALL)
    with pytest.raises(
        InputError, match="model.structural: 1 of these 1 cells are occupied; the first has the flat index"
    ):
        slc.synthesize_table(occupied, slc.Poisson(), model=fit)


def test_zeros_to_ones_reach_cells_of_fitted_mean_zero():
    table = slc.Table.from_counts([[0, 10, 5], [0, 30, 8]], SMALL)  # nobody has b = 1: the model a + b leaves it at 0
    options = {"model": "a + b", "pseudocount": 0, "rng": 1}
    assert slc.synthesize_table(table, slc.Poisson(), **options)[0].dense()[:, 0].tolist() == [0, 0]
    ones = slc.synthesize_table(table, slc.Poisson(), zeros_to_ones=1.0, **options)[0].dense()
    assert ones[:, 0].tolist() == [1, 1]
    assert (ones[:, 1:] > 1).all()
    half = slc.synthesize_table(table, slc.Poisson(), m=400, zeros_to_ones=0.5, **options)
    share = np.mean([t.dense()[:, 0] for t in half], axis=0)
    assert share == pytest.approx([0.5, 0.5], abs=5 * 0.5 / 20)
    kept = slc.synthesize_table(table, slc.Poisson(), zeros_to_ones=1.0, structural_zeros=[0], **options)[0].dense()
    assert kept[:, 0].tolist() == [0, 1]


def test_empty_cells_are_chosen_evenly():
    table = slc.Table.from_counts([0, 3, 0, 0, 1, 0, 0, 2], {"x": range(8)})
    rng = np.random.default_rng(1)
    drawn = np.concatenate([choose_empty(table, np.array([3]), 2, rng) for _ in range(4000)])
    assert set(drawn) == {0, 2, 5, 6}
    assert np.bincount(drawn)[[0, 2, 5, 6]] / 8000 == pytest.approx([0.25] * 4, abs=0.03)
    assert choose_empty(table, np.array([3]), 4, rng).tolist() == [0, 2, 5, 6]


def test_the_pseudocount_that_cannot_work_is_said(table):
    family = slc.GAF(sigma=2, nu=-0.5)
    share = float(slc.GAF(0.01, 2, -0.5).sf(0))
    assert share == pytest.approx(2.1e-5, rel=0.01)
    with pytest.warns(
        PseudocountWarning, match=r"pseudocount=0.01 under GAF\(sigma = 2, nu = -0.5\) makes a share of 2.1e-05"
    ):
        slc.synthesize_table(table, family, rng=1)
    with pytest.warns(PseudocountWarning) as caught:  # noqa: PT031 - all four warn
        slc.synthesize_table(table, family, rng=1)
        slc.expected_tau(table, family, k=1)
        slc.expected_loss(table, family)
        slc.total_within(table, family, 5)
    assert {w.filename for w in caught} == {__file__}  # the line of the caller is shown
    # No warning where it works, where it is not used, and where the zeros are taken care of.
    slc.synthesize_table(table, slc.GAF(sigma=2, nu=1), rng=1)
    slc.synthesize_table(table, family, pseudocount=0, rng=1)
    slc.synthesize_table(table, family, zeros_to_ones=0.01, rng=1)
    slc.synthesize_table(table, slc.NBI(sigma=2), rng=1)


def test_under_a_model_only_cells_of_fitted_mean_zero_get_the_pseudocount():
    family = slc.GAF(sigma=1, nu=-0.5)
    # One empty cell, with fitted mean 150 * 200 / 830 = 36: no cell gets the pseudocount, so nothing is said.
    slc.synthesize_table(slc.Table.from_counts([[0, 100, 50], [200, 300, 80]], SMALL), family, model="a + b", rng=1)
    # Three empty cells, two of them in an empty margin.
    table = slc.Table.from_counts([[0, 10, 0], [0, 30, 8]], SMALL)
    with pytest.warns(PseudocountWarning, match=r"of the cells of fitted mean 0 non-zero \(about 0 of 2; ") as caught:
        slc.synthesize_table(table, family, model="a + b", rng=1)
    assert {w.filename for w in caught} == {__file__}
    with pytest.warns(PseudocountWarning, match="about 0 of 1; "):
        slc.synthesize_table(table, family, model="a + b", structural_zeros=[0], rng=1)
    with pytest.warns(PseudocountWarning, match="of the empty cells non-zero .about 0 of 3; "):
        slc.synthesize_table(table, family, rng=1)


def test_log_linear_means_are_the_centre(table):
    synthetic = slc.synthesize_table(table, slc.Poisson(), model="a + b", m=200, rng=1)
    fit = slc.fit_log_linear(table, "a + b")
    mean = np.mean([t.dense() for t in synthetic], axis=0)
    z = (mean - fit.means) / np.sqrt(fit.means / 200)
    assert np.abs(z).max() < 5
    assert z.std() == pytest.approx(1.0, abs=0.1)
    again = slc.synthesize_table(table, slc.Poisson(), model=fit, m=2, rng=1)
    assert all(same(a, b) for a, b in zip(again, synthetic, strict=False))
    other = slc.fit_log_linear(slc.Table.from_counts([3, 4], {"x": [0, 1]}), "x")
    with pytest.raises(InputError, match="model: Table x .* do not have the same variables and levels"):
        slc.synthesize_table(table, slc.Poisson(), model=other)
    with_ones = slc.synthesize_table(table, slc.Poisson(), model="a + b", zeros_to_ones=1.0, rng=1)[0]
    assert (with_ones.dense()[table.dense() == 0] == 1).all()


def test_laplace_noise_reaches_every_zero():
    table = slc.Table.from_counts([0] * 5000 + [10] * 5000, {"cell": range(10_000)})
    family = slc.LaplaceCount(epsilon=1.0)
    synthetic = slc.synthesize_table(table, family, pseudocount=0, rng=1)[0]
    kept = float(family.at(0).pmf(0))
    assert (synthetic.dense()[:5000] == 0).mean() == pytest.approx(kept, abs=0.03)
    with pytest.raises(InputError, match="pseudocount=0.01: LaplaceCount.* adds noise to zeros as to any other count"):
        slc.synthesize_table(table, family, rng=1)
    with pytest.raises(InputError, match="the guarantee of LaplaceCount"):
        slc.synthesize_table(table, family, model="cell", pseudocount=0, rng=1)


def test_an_empty_table_can_be_synthesized():
    empty = slc.Table.from_counts(np.zeros(1000), {"x": range(1000)})
    assert slc.synthesize_table(empty, slc.NBI(sigma=1), pseudocount=0, rng=1)[0].total == 0
    assert slc.synthesize_table(empty, slc.NBI(sigma=1), pseudocount=0.5, rng=1)[0].total > 100


@every(
    ("options", "message"),
    [
        ({"family": "GAF"}, "family: must be a count distribution such as GAF"),
        (
            {"family": slc.NBI(5, 1)},
            r"family: mu=5.0 is set, but the table sets the means; omit mu, for example NBI",
        ),
        ({"m": 0}, "m=0: must be an int >= 1"),
        ({"pseudocount": -1}, r"pseudocount=-1: must be a finite number in \[0, 4.61169e\+18\]"),
        ({"zeros_to_ones": 2}, r"zeros_to_ones=2: must be a finite number in \[0, 1\]"),
        ({"rng": "seed"}, "rng='seed'"),
        ({"model": "a + z"}, "'z' not among the variables"),
        ({"structural_zeros": {"a": 99}}, r"structural_zeros\['a'\]: 99 is not a level"),
        ({"structural_zeros": {"a": 0}}, "19 of these 50 cells are occupied; the first has the flat index 0"),
        ({"structural_zeros": np.zeros(3, bool)}, r"the mask has shape \(3,\), but the table has shape \(40, 50\)"),
        ({"structural_zeros": [2000]}, r"must lie in \[0, 1999\]"),
        ({"structural_zeros": "all"}, "must be a mask"),
    ],
)
def test_bad_input_is_named(table, options, message):
    arguments = {"family": slc.NBI(sigma=1), **options}
    with pytest.raises(InputError, match=message):
        slc.synthesize_table(table, **arguments)
    with pytest.raises(InputError, match="table: must be a Table"):
        slc.synthesize_table([1, 2], slc.NBI(sigma=1))


def test_the_result_shows_itself(table, capsys):
    synthetic = slc.synthesize_table(table, slc.NBI(sigma=1), m=2, rng=1, progress=True)
    assert "synthetic tables: 100%" in capsys.readouterr().err
    frame = synthetic.to_frame()
    assert frame["total"].tolist() == [t.total for t in synthetic]
    assert synthetic.summary().loc["total", "mean"] == frame["total"].mean()
    assert len(synthetic.microdata(2)) == synthetic[1].total
    assert synthetic.title == "2 synthetic tables of 2,000 cells by NBI(sigma = 1), saturated means, pseudocount 0.01"
    assert "<table" in synthetic._repr_html_()
    with pytest.raises(InputError, match="dataset=3"):
        synthetic.microdata(3)


def test_the_whole_school_census():
    table = slc.Table.from_counts(make_esc_counts(), ESC_LEVELS)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", PseudocountWarning)
        synthetic = slc.synthesize_table(table, slc.GAF(sigma=2, nu=-0.5), m=10, rng=1)
    assert synthetic.m == 10
    assert sum(t.cells.nbytes + t.counts.nbytes for t in synthetic) < 200e6
