"""Risks, losses and totals of counts by brute force: every cell, every possible outcome, every option."""

from __future__ import annotations

import warnings

import numpy as np
import pytest

import synthlab.counts as slc
from synthlab.counts import GAF, NBI, LaplaceCount, Poisson, Table, _convolution, marginal_totals
from synthlab.counts.a_priori_loss import moments_of_empty
from synthlab.exceptions import ApproximationWarning, PseudocountWarning

COUNTS = [0, 1, 1, 2, 0, 5, 0, 2, 0]
LEVELS = {"A": [1, 2, 3], "B": ["x", "y", "z"]}
TABLE = Table.from_counts(np.reshape(COUNTS, (3, 3)), LEVELS)
MANY = 120  # counts that are looked at
OPTIONS = [
    {"pseudocount": 0.0},
    {"pseudocount": 0.3},
    {"pseudocount": 0.0, "zeros_to_ones": 0.25},
    {"pseudocount": 0.3, "zeros_to_ones": 0.25},
    {"pseudocount": 0.3, "zeros_to_ones": 0.25, "structural_zeros": [0, 6]},
    {"pseudocount": 0.0, "zeros_to_ones": 1.0, "structural_zeros": [8]},
]


def _law(family: slc.CountFamily, count: int, structural: bool, pseudocount: float, coin: float) -> np.ndarray:
    """Return P(synthetic count = 0, 1, ...) of a cell."""
    y = np.arange(MANY)
    if count:
        return np.asarray(family.at(count).pmf(y))
    nothing = (y == 0).astype(float)
    if structural:
        return nothing
    own = np.asarray(family.at(pseudocount).pmf(y)) if pseudocount or family.takes_zero else nothing
    return coin * (y == 1) + (1 - coin) * own


def _laws(family: slc.CountFamily, options: dict[str, object]) -> list[np.ndarray]:
    impossible = options.get("structural_zeros", [])
    coin = float(options.get("zeros_to_ones", 0.0))
    return [_law(family, c, i in impossible, float(options["pseudocount"]), coin) for i, c in enumerate(COUNTS)]


@pytest.mark.parametrize("options", OPTIONS)
@pytest.mark.parametrize("family", [NBI(sigma=0.4), Poisson(), LaplaceCount(epsilon=0.9)])
def test_expected_tau_and_its_errors_cell_by_cell(family: slc.CountFamily, options: dict[str, object]) -> None:
    if family.takes_zero:
        options = {**options, "pseudocount": 0.0}
    laws = _laws(family, options)
    found = slc.expected_tau(TABLE, family, k=[0, 1, 2, 5], **options)
    errors = found.standard_errors(m=4)
    for row, k in enumerate([0, 1, 2, 5]):
        p = np.array([law[k] for law in laws])
        own = np.array(COUNTS) == k
        arrived, kept, other = p.sum(), p[own].sum(), p[~own].sum()
        noise, noise_kept, noise_other = ((p * (1 - p))[mask].sum() for mask in (own | True, own, ~own))
        exact = (arrived / 9, own.sum() / 9, kept / own.sum(), kept / arrived)
        assert [getattr(found, f"tau{i}")[row] for i in (1, 2, 3, 4)] == pytest.approx(exact)
        se4 = np.sqrt(other**2 * noise_kept + kept**2 * noise_other) / arrived**2
        exact_errors = (np.sqrt(noise) / 9, np.sqrt(noise_kept) / own.sum(), se4)
        assert [found.se1[row], found.se3[row], found.se4[row]] == pytest.approx(exact_errors, abs=1e-12)
        assert errors.iloc[row].tolist() == pytest.approx([k, *(e / 2 for e in exact_errors)], abs=1e-12)
    assert found.to_frame().columns.tolist() == ["k", "tau1", "tau2", "tau3", "tau4"]
    assert found.to_frame().to_numpy().T.tolist() == [
        list(getattr(found, n)) for n in ("k", "tau1", "tau2", "tau3", "tau4")
    ]
    assert found.title == f"tau metrics under {family.label}, a priori"


@pytest.mark.parametrize("options", OPTIONS)
@pytest.mark.parametrize("family", [NBI(sigma=0.4), GAF(sigma=1.5, nu=0.5), LaplaceCount(epsilon=0.9)])
def test_expected_loss_cell_by_cell(family: slc.CountFamily, options: dict[str, object]) -> None:
    if family.takes_zero:
        options = {**options, "pseudocount": 0.0}
    laws, y = _laws(family, options), np.arange(MANY)
    loss = slc.expected_loss(TABLE, family, m=3, **options)
    occupied = [(law @ (y - law @ y) ** 2, (law @ y - c) ** 2) for law, c in zip(laws, COUNTS, strict=True) if c]
    empty = sum((law @ (y - law @ y) ** 2) / 3 + (law @ y) ** 2 for law, c in zip(laws, COUNTS, strict=True) if not c)
    assert loss.variance == pytest.approx(sum(v for v, _ in occupied) / 3, rel=1e-6)
    assert loss.squared_bias == pytest.approx(sum(b for _, b in occupied), rel=1e-6, abs=1e-9)
    assert loss.empty == pytest.approx(empty, rel=1e-6, abs=1e-12)
    assert loss.occupied == loss.variance + loss.squared_bias
    assert loss.exact == loss.occupied + loss.empty
    assert loss.approximation == pytest.approx(sum(float(family.at(c).nominal_var) for c in COUNTS if c) / 3)
    row = loss.to_frame().iloc[0]
    for name in ("label", "m", "approximation", "variance", "squared_bias", "occupied", "empty", "exact"):
        assert row[name] == getattr(loss, name)


def test_a_table_of_zeros_loses_only_what_its_zeros_become() -> None:
    empty = Table.from_counts([0, 0, 0], {"A": [1, 2, 3]})
    loss = slc.expected_loss(empty, Poisson(), pseudocount=0.2, m=2)
    assert (loss.approximation, loss.variance, loss.squared_bias) == (0.0, 0.0, 0.0)
    assert loss.empty == pytest.approx(3 * (0.1 + 0.04))
    assert moments_of_empty(Poisson(), 0.0, 0.25) == (0.25, 0.25)
    assert moments_of_empty(Poisson(), 2.0, 0.25) == (0.25 + 0.75 * 2, 0.25 + 0.75 * 6)


def _brute_total(family: slc.CountFamily, options: dict[str, object], cells: list[int], d: float) -> float:
    law = np.ones(1)
    laws = _laws(family, options)
    for i in cells:
        law = np.convolve(law, laws[i])
    n = sum(COUNTS[i] for i in cells)
    return float(sum(p for y, p in enumerate(law) if abs(y - n) < d))


MARGINS = [
    (None, list(range(9))),
    ({"A": 1}, [0, 1, 2]),
    ({"A": [2, 3], "B": "y"}, [4, 7]),
    ({"A": 3, "B": ["x", "z"]}, [6, 8]),
]


@pytest.mark.parametrize("options", OPTIONS)
@pytest.mark.parametrize(("where", "cells"), MARGINS)
@pytest.mark.parametrize("d", [1, 2.5, 30])
def test_the_total_of_a_margin_by_adding_up_its_cells(
    options: dict[str, object], where: object, cells: list[int], d: float
) -> None:
    for family in (NBI(sigma=0.4), Poisson(), GAF(sigma=1.0, nu=0.5), LaplaceCount(epsilon=0.9)):
        chosen = {**options, "pseudocount": 0.0} if family.takes_zero else options
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", PseudocountWarning)
            found = slc.total_within(TABLE, family, d, where=where, **chosen)
        assert found.probability == pytest.approx(_brute_total(family, chosen, cells, d), abs=1e-9)
        laws, y = _laws(family, chosen), np.arange(MANY)
        assert found.mean == pytest.approx(sum(laws[i] @ y for i in cells), rel=1e-6, abs=1e-12)
        assert found.sd**2 == pytest.approx(sum(laws[i] @ (y - laws[i] @ y) ** 2 for i in cells), rel=1e-6, abs=1e-12)
        assert (found.n, found.d) == (sum(COUNTS[i] for i in cells), d)
        nominal = sum(float(family.at(COUNTS[i]).nominal_var) for i in cells if COUNTS[i])
        from scipy import stats

        assert found.approximation == pytest.approx(2 * stats.norm.cdf(d / np.sqrt(nominal)) - 1 if nominal else 1.0)
        row = found.to_frame().iloc[0]
        assert [row[n] for n in row.index] == [getattr(found, n) for n in row.index]


def test_too_spread_out_a_sum_is_normal_and_says_when_it_is_skewed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(_convolution, "LARGEST_GRID", 4)
    from scipy import stats

    family = NBI(sigma=0.4)
    with pytest.warns(ApproximationWarning, match="skewness"):
        found = slc.total_within(TABLE, family, 3, pseudocount=0)
    var = sum(c + 0.4 * c * c for c in COUNTS)
    assert found.method == "normal"
    normal = stats.norm(11, np.sqrt(var))
    assert found.probability == pytest.approx(normal.cdf(13.5) - normal.cdf(8.5))
    third = sum(2 * (c + 0.4 * c * c) ** 2 / c for c in COUNTS if c) / var**1.5
    for limit, warned in ((third * 1.001, False), (third * 0.999, True)):
        monkeypatch.setattr(marginal_totals, "SKEWED", limit)
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            slc.total_within(TABLE, family, 3, pseudocount=0)
        assert len(caught) == warned


def test_measured_tau_and_loss_of_every_dataset() -> None:
    after = [
        Table.from_counts(np.reshape(c, (3, 3)), LEVELS)
        for c in ([0, 1, 2, 2, 1, 5, 0, 0, 0], [3, 1, 1, 0, 0, 4, 0, 2, 0])
    ]
    found = slc.tau(TABLE, after, k=[0, 1, 2])
    for column, table in enumerate(after):
        f, g = np.array(COUNTS), table.dense().ravel()
        for row, k in enumerate([0, 1, 2]):
            both = ((f == k) & (g == k)).sum()
            exact = [(g == k).mean(), (f == k).mean(), both / (f == k).sum(), both / (g == k).sum()]
            assert [getattr(found, f"tau{i}")[row, column] for i in (1, 2, 3, 4)] == pytest.approx(exact)
    loss = slc.squared_loss(TABLE, after)
    dense = np.array([t.dense().ravel() for t in after])
    assert loss.by_dataset.tolist() == ((dense - COUNTS) ** 2).sum(axis=1).tolist()
    away = (dense.mean(axis=0) - COUNTS) ** 2
    assert (loss.of_mean, loss.of_mean_empty, loss.mse) == (
        away.sum(),
        away[np.array(COUNTS) == 0].sum(),
        away.sum() / 9,
    )
    assert loss.to_frame().to_numpy().tolist() == [[i + 1, v, v / 9] for i, v in enumerate(loss.by_dataset)]
    assert loss.summary().to_numpy().tolist() == [[loss.of_mean, loss.of_mean_empty, loss.mse]]
    assert slc.mse_utility([0.0, 2.0]).tolist() == pytest.approx([0.5, 1 / (1 + np.exp(2.0))])
