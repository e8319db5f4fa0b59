"""Log-linear models at their edges: structural zeros, empty margins, which method, when it stops."""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np
import pytest

from synthlab.counts import Table, fit_log_linear, log_linear
from synthlab.counts._fitting import fit_proportionally
from synthlab.counts._model import read_model
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
    with pytest.raises(InputError, match="its design has 12 rows and 5 columns"):
        fit_log_linear(_table(), "A + B + C", method="glm")
    assert len(fit.coefficients()) == 5
    with pytest.raises(FitError, match="table: has no records"):
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
