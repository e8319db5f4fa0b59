"""Log-linear models, tuned parameters and maps of risk and loss at their edges."""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np
import pandas as pd
import pytest

import synthlab.counts as slc
from synthlab.counts import GAF, NBI, LaplaceCount, Poisson, Table, fit_log_linear, log_linear, tuning
from synthlab.counts._fitting import fit_proportionally
from synthlab.counts._model import read_model
from synthlab.counts.frontier import _undominated
from synthlab.exceptions import ConvergenceWarning, FitError, InputError, UndefinedStatisticWarning

LEVELS = {"A": ["a", "b"], "B": [1, 2, 3], "C": ["p", "q"]}
COUNTS = np.array([[[4, 7], [1, 9], [12, 3]], [[5, 5], [8, 2], [6, 11]]])


def _table(counts: Any = COUNTS) -> Table:
    return Table.from_counts(counts, LEVELS)


@pytest.mark.parametrize("method", ["glm", "ipf"])
def test_deviance_coefficients_and_errors_of_independence(method: str) -> None:
    fit = fit_log_linear(_table(), "A + B + C", method=method)
    n = COUNTS.sum()
    margins = [COUNTS.sum(axis=tuple(a for a in range(3) if a != axis)) / n for axis in range(3)]
    means = n * np.einsum("a,b,c->abc", *margins)
    np.testing.assert_allclose(fit.means, means, rtol=1e-8)
    assert fit.deviance == pytest.approx(2 * (COUNTS * np.log(COUNTS / means)).sum(), rel=1e-8)
    table = fit.coefficients()
    assert table["coefficient"].tolist() == ["(intercept)", "A[b]", "B[2]", "B[3]", "C[q]"]
    plain = [np.log(means[0, 0, 0]), *(np.log(m[i] / m[0]) for m in margins for i in range(1, m.size))]
    assert table["estimate"].tolist() == pytest.approx(plain, rel=1e-7)
    # Under independence the variance of a log odds is the sum of two inverse counts; of the intercept it has a form too.
    odds = [np.sqrt(1 / (n * m[i]) + 1 / (n * m[0])) for m in margins for i in range(1, m.size)]
    first = np.sqrt(sum(1 / (n * m[0]) for m in margins) - 2 / n)
    assert table["std_error"].tolist() == pytest.approx([first, *odds], rel=1e-7)
    row = fit.summary().iloc[0]
    assert row.tolist()[:4] == ["A + B + C", method, 12, 5]
    assert row.tolist()[4:] == [fit.deviance, fit.iterations]
    assert fit.title.startswith("Log-linear model A + B + C of 12 cells: 5 coefficients, deviance ")


def test_zero_counts_add_nothing_to_the_deviance() -> None:
    counts = COUNTS.copy()
    counts[0, 0, 0] = 0
    fit = fit_log_linear(_table(counts), "A + B + C")
    seen = counts > 0
    plain = 2 * ((counts[seen] * np.log(counts[seen] / fit.means[seen])).sum() - (counts - fit.means).sum())
    assert fit.deviance == pytest.approx(plain)


@pytest.mark.parametrize("structural", [[0], [0, 5], [3, 7, 11]])
def test_structural_zeros_are_no_cells(structural: list[int]) -> None:
    counts = COUNTS.copy().ravel()
    counts[structural] = 0
    table = _table(counts.reshape(COUNTS.shape))
    glm, ipf = (fit_log_linear(table, "A * B + C", structural_zeros=structural, method=m) for m in ("glm", "ipf"))
    np.testing.assert_allclose(glm.means, ipf.means, atol=1e-7)
    assert glm.means.ravel()[structural].tolist() == [0.0] * len(structural)
    assert ipf.means.sum() == pytest.approx(table.total)
    np.testing.assert_allclose(ipf.means.sum(axis=2), table.dense().sum(axis=2), rtol=1e-7)
    np.testing.assert_allclose(ipf.means.sum(axis=(0, 1)), table.dense().sum(axis=(0, 1)), rtol=1e-7)
    assert glm.summary()["cells"].item() == 12 - len(structural)
    assert np.flatnonzero(glm.structural).tolist() == structural
    assert glm.coefficients()["estimate"].tolist() == pytest.approx(ipf.coefficients()["estimate"].tolist(), rel=1e-5)


def test_an_empty_margin_leaves_its_coefficients_without_an_estimate() -> None:
    counts = COUNTS.copy()
    counts[:, 2, :] = 0
    with pytest.warns(UndefinedStatisticWarning, match="1 of 5 coefficients of A"):
        table = fit_log_linear(_table(counts), "A + B + C").coefficients()
    assert table["estimate"].isna().tolist() == table["std_error"].isna().tolist() == [False, False, False, True, False]
    small = fit_log_linear(Table.from_counts(counts[:, :2], {**LEVELS, "B": [1, 2]}), "A + B + C").coefficients()
    kept = table.drop(index=3)
    assert kept["estimate"].tolist() == pytest.approx(small["estimate"].tolist(), rel=1e-5)
    assert kept["std_error"].tolist() == pytest.approx(small["std_error"].tolist(), rel=1e-5)


def test_counts_of_very_different_sizes_still_have_estimates() -> None:
    table = Table.from_counts([1, 10**6], {"A": [1, 2]})
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        found = fit_log_linear(table, "A", method="ipf").coefficients()
    assert found["estimate"].tolist() == pytest.approx([0.0, np.log(1e6)], abs=1e-7)
    assert found["std_error"].tolist() == pytest.approx([1.0, 1.0], rel=1e-6)


def test_which_method_is_chosen(monkeypatch: pytest.MonkeyPatch) -> None:
    assert fit_log_linear(_table(), "A + B").method == "glm"
    counts = COUNTS.copy()
    counts[1, 1] = 0
    assert fit_log_linear(_table(counts), "A * B + C").method == "ipf"  # an empty cell of a margin
    assert fit_log_linear(_table(counts), "A + B + C").method == "glm"  # and of a table alone
    assert fit_log_linear(_table(), "A + A:B").method == "glm"
    with pytest.raises(InputError, match='method="ipf"'):
        fit_log_linear(_table(), "A + A:B", method="ipf")
    size = 8 * 12 * 5
    monkeypatch.setattr(log_linear, "DESIGN_LIMIT", size)
    assert fit_log_linear(_table(), "A + B + C").method == "glm"
    monkeypatch.setattr(log_linear, "DESIGN_LIMIT", size - 1)
    fit = fit_log_linear(_table(), "A + B + C")
    assert fit.method == "ipf"
    for refused in (lambda: fit_log_linear(_table(), "A + B + C", method="glm"), fit.coefficients):
        with pytest.raises(InputError, match="its design has 12 rows and 5 columns"):
            refused()
    with pytest.raises(FitError, match="holds no record"):
        fit_log_linear(_table(np.zeros_like(COUNTS)), "A")


def test_proportional_fitting_stops_when_every_margin_agrees_and_no_later() -> None:
    table, terms = _table(), read_model(_table(), [["A", "B"], ["B", "C"], ["A", "C"]])
    nothing = np.zeros(COUNTS.shape, dtype=bool)
    means, iterations = fit_proportionally(table, terms, nothing, 1e-9, 500)
    for over in (0, 1, 2):
        np.testing.assert_allclose(means.sum(axis=over), COUNTS.sum(axis=over), rtol=1e-6)
    assert 2 < iterations < 500
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        again, same = fit_proportionally(table, terms, nothing, 1e-9, iterations)
    assert same == iterations
    assert again.tolist() == means.tolist()
    with pytest.warns(ConvergenceWarning, match=f"has not converged in {iterations - 1} iterations"):
        _, count = fit_proportionally(table, terms, nothing, 1e-9, iterations - 1)
    assert count == iterations - 1
    # The gap is the largest over the cells of a margin: margins that agree but in one cell do not agree.
    single = read_model(_table(), [["A", "B", "C"]])
    one, rounds = fit_proportionally(table, single, nothing, 1e-9, 500)
    assert (one.tolist(), rounds) == (COUNTS.astype(float).tolist(), 2)
    # A gap of exactly the tolerance is no gap.
    even = Table.from_counts([3, 5], {"A": [1, 2]})
    _, rounds = fit_proportionally(even, read_model(even, "A"), np.zeros(2, dtype=bool), 1 / 8, 500)
    assert rounds == 1
    _, rounds = fit_proportionally(even, read_model(even, "A"), np.zeros(2, dtype=bool), 0.124, 500)
    assert rounds == 2


def test_a_table_of_structural_zeros_but_one() -> None:
    table = Table.from_counts([0, 0, 6], {"A": [1, 2, 3]})
    means, _ = fit_proportionally(table, read_model(table, "A"), np.array([True, True, False]), 1e-9, 10)
    assert means.tolist() == [0.0, 0.0, 6.0]


SMALL = Table.from_counts([0, 1, 1, 2, 3, 10, 0], {"A": list(range(7))})


@pytest.mark.parametrize(
    ("family", "target", "over"),
    [
        (GAF(sigma=1, nu=-0.5), ("tau3", 1, 0.3), "sigma"),
        (GAF(sigma=1, nu=-0.5), ("tau3", 3, 0.5), "nu"),
        (NBI(sigma=1), ("loss", 60.0), "sigma"),
        (NBI(sigma=1), ("tau1", 0, 0.45), "sigma"),
        (NBI(sigma=1), ("tau4", 1, 0.35), "sigma"),
        (LaplaceCount(epsilon=1), ("tau3", 1, 0.3), "epsilon"),
    ],
)
def test_what_is_tuned_has_its_value_and_every_crossing_is_a_solution(family: Any, target: Any, over: str) -> None:
    options = {"pseudocount": 0.0, "zeros_to_ones": 0.1, "structural_zeros": [6]}
    found = slc.tune(SMALL, family, target=target, over=over, m=2, **options)

    def metric(value: float) -> float:
        from dataclasses import replace

        candidate = replace(family, **{over: value})
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            if target[0] == "loss":
                return slc.expected_loss(SMALL, candidate, m=2, **options).occupied
            return float(getattr(slc.expected_tau(SMALL, candidate, k=target[1], **options), target[0])[0])

    low, high = tuning._RANGES[over]
    grid = np.linspace(low, high, 61) if over == "nu" else np.geomspace(low, high, 61)
    assert found.grid.tolist() == pytest.approx(grid.tolist())
    assert found.curve.tolist() == pytest.approx([metric(v) for v in grid])
    signs = np.sign(found.curve - target[-1])
    assert found.solutions.size == int((signs[:-1] * signs[1:] < 0).sum())
    assert [metric(v) for v in found.solutions] == pytest.approx([target[-1]] * found.solutions.size, rel=1e-8)
    assert found.value == (found.solutions.max() if over == "epsilon" else found.solutions.min())
    assert getattr(found.family, over) == found.value
    assert (found.wanted, found.achieved) == (target[-1], pytest.approx(target[-1], rel=1e-8))
    label = "loss" if target[0] == "loss" else f"{target[0]}({target[1]})"
    row = [found.family.label, over, found.value, label, target[-1], found.achieved, found.solutions.size]
    assert found.summary().iloc[0].tolist() == row
    assert found.to_frame().columns.tolist() == [over, label]
    assert found.to_frame().to_numpy().T.tolist() == [found.grid.tolist(), found.curve.tolist()]
    assert (" (one of " in found.title) == (found.solutions.size > 1)


def test_solutions_at_the_points_of_the_grid_and_between_them() -> None:
    grid = np.array([0.0, 1.0, 2.0, 3.0, 4.0])

    def metric(x: float) -> float:
        return (x - 1.0) * (x - 2.5)

    curve = np.array([metric(x) for x in grid])
    assert tuning._solve(metric, grid, curve, 0.0) == pytest.approx([1.0, 2.5])
    assert tuning._solve(metric, grid, curve, -0.5) == [2.0]
    assert tuning._solve(metric, grid, np.full(5, 0.0), 0.0) == []
    assert tuning._solve(metric, grid, curve, 99.0) == []


@pytest.mark.parametrize(
    "target",
    [
        ("tau3", 1, 0.0),
        ("tau3", 1, 1.0),
        ("tau3", -1, 0.5),
        ("tau2", 1, 0.5),
        ("loss", 0.0),
        ("loss", 1, 2),
        ("tau3", 1),
        "tau3",
        ("tau3", 1, 0.5, 2),
    ],
)
def test_targets_that_cannot_be(target: Any) -> None:
    with pytest.raises(InputError, match="target"):
        slc.tune(SMALL, NBI(sigma=1), target=target)


def test_the_range_that_is_searched() -> None:
    assert tuning._grid("nu", (-1.0, 1.0)).tolist() == np.linspace(-1, 1, 61).tolist()
    assert tuning._grid("sigma", (1.0, 4.0)).tolist() == np.geomspace(1, 4, 61).tolist()
    for over, between in (
        ("sigma", (0.0, 1.0)),
        ("sigma", (1.0, 1.0)),
        ("nu", (1.0, 1.0)),
        ("nu", (2.0, 1.0)),
        ("sigma", 3),
        ("sigma", (1, 2, 3)),
    ):
        with pytest.raises(InputError, match="between"):
            tuning._grid(over, between)
    with pytest.raises(InputError, match="no parameter but its mean"):
        slc.tune(SMALL, Poisson(), target=("tau3", 1, 0.3))
    with pytest.raises(InputError, match=r"is undefined, because no cell has size 7"):
        slc.tune(SMALL, NBI(sigma=1), target=("tau3", 7, 0.3))
    with pytest.raises(InputError, match=r"out of reach; for sigma from 1 to 2 it lies between 0\.1\d+ and 0\.\d+"):
        slc.tune(SMALL, NBI(sigma=1), target=("tau3", 1, 0.9), between=(1, 2))
    with pytest.raises(InputError, match=r"1 to any power nu is 1; tune over another"):
        slc.tune(SMALL, GAF(sigma=1, nu=0), target=("tau3", 1, 0.3), over="nu")


def test_every_column_of_a_map() -> None:
    families = [NBI(sigma=0.2), LaplaceCount(epsilon=0.7), GAF(sigma=2, nu=0.1), NBI(sigma=3.0)]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        found = slc.frontier(SMALL, families, k=2, m=3, pseudocount=0.2, zeros_to_ones=0.1, structural_zeros=[0])
        frame = found.to_frame()
        for row, family in zip(frame.itertuples(), families, strict=True):
            options = {"pseudocount": 0.0 if family.takes_zero else 0.2, "zeros_to_ones": 0.1, "structural_zeros": [0]}
            risk, loss = (
                slc.expected_tau(SMALL, family, k=2, **options),
                slc.expected_loss(SMALL, family, m=3, **options),
            )
            assert (row.label, row.family) == (family.label, type(family).__name__)
            assert (row.tau3, row.tau4) == (risk.tau3[0], risk.tau4[0])
            assert (row.loss, row.loss_empty, row.approximation) == (loss.occupied, loss.empty, loss.approximation)
    assert (found.k, found.m) == (2, 3)
    assert frame["sigma"].fillna(-1).tolist() == [0.2, -1, 2.0, 3.0]
    assert frame["nu"].fillna(-1).tolist() == [-1, -1, 0.1, -1]
    assert frame["epsilon"].fillna(-1).tolist() == [-1, 0.7, -1, -1]
    best = [
        not any((t <= a and x <= b) and (t < a or x < b) for t, x in zip(frame["tau4"], frame["loss"], strict=True))
        for a, b in zip(frame["tau4"], frame["loss"], strict=True)
    ]
    assert frame["efficient"].tolist() == best
    assert found.summary()["tau4"].tolist() == sorted(frame.loc[best, "tau4"])
    assert found.title == f"4 settings, {sum(best)} of them efficient"
    assert _undominated(np.array([1.0, 1.0, 2.0]), np.array([2.0, 3.0, 2.0])).tolist() == [True, False, False]
    for bad in ([], None):
        with pytest.raises(InputError, match="families"):
            slc.frontier(SMALL, bad)


def test_what_a_set_of_tables_says() -> None:
    made = slc.synthesize_table(SMALL, NBI(sigma=0.5), m=3, pseudocount=0.0, zeros_to_ones=0.5, rng=1)
    assert len(made) == made.m == 3
    dense = [t.dense() for t in made]
    rows = [[i + 1, d.sum(), (d > 0).sum(), (d == 1).sum(), d.max()] for i, d in enumerate(dense)]
    assert made.to_frame().to_numpy().tolist() == rows
    assert made.to_frame().columns.tolist() == ["dataset", "total", "occupied", "ones", "largest"]
    columns = np.array(rows)[:, 1:]
    shown = made.summary()
    assert shown.index.tolist() == ["total", "occupied", "ones", "largest"]

    np.testing.assert_allclose(shown.to_numpy(), np.stack([columns.mean(0), columns.min(0), columns.max(0)], axis=1))
    assert (
        made.title
        == "3 synthetic tables of 7 cells by NBI(sigma = 0.5), saturated means, pseudocount 0, 0.5 of the zeros to ones"
    )
    for number in (1, 3):
        assert made.microdata(number).equals(made[number - 1].microdata())
    for bad in (0, 4):
        with pytest.raises(InputError, match="dataset"):
            made.microdata(bad)
    nobody = slc.synthesize_table(Table.from_counts([0], {"A": [1]}), Poisson(), pseudocount=0.0, rng=1)
    assert nobody.to_frame()["largest"].tolist() == [0]
    assert isinstance(made.to_frame(), pd.DataFrame)
