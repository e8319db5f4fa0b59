"""Log-linear means: two methods, one answer."""

from __future__ import annotations

import itertools

import numpy as np
import pytest
import statsmodels.api as sm

from synthlab.counts import Table, fit_log_linear, log_linear as module
from synthlab.counts._model import design_matrix, read_model
from synthlab.exceptions import ConvergenceWarning, FitError, InputError, UndefinedStatisticWarning
from tests.loops import every

NAMES = {"area": ["n", "s", "w", "e"], "sex": ["F", "M", "x"], "age": [5, 6, 7, 8, 9]}


@pytest.fixture(scope="module")
def table() -> Table:
    mean = np.exp(np.random.default_rng(4).normal(1.5, 1.0, (4, 3, 5)))
    return Table.from_counts(np.random.default_rng(5).poisson(mean), NAMES)


@pytest.mark.parametrize(
    "model", ["area + sex + age", "area*sex + age", "(area + sex + age)**2", [["area", "age"], ["sex", "age"]]]
)
def test_both_methods_give_the_same_means(table, model):
    glm, ipf = (fit_log_linear(table, model, method=method) for method in ("glm", "ipf"))
    np.testing.assert_allclose(ipf.means, glm.means, rtol=1e-6)
    assert ipf.deviance == pytest.approx(glm.deviance, rel=1e-9)
    assert (glm.method, ipf.method) == ("glm", "ipf")
    assert glm.means.sum() == pytest.approx(table.total)


def test_margins_of_the_model_are_kept(table):
    fit = fit_log_linear(table, "(area + sex + age)**2", method="ipf")
    for pair in itertools.combinations(range(3), 2):
        rest = tuple({0, 1, 2} - set(pair))
        np.testing.assert_allclose(fit.means.sum(axis=rest), table.dense().sum(axis=rest), rtol=1e-7)


@pytest.mark.parametrize("method", ["glm", "ipf"])
def test_coefficients_are_those_of_statsmodels(table, method):
    fit = fit_log_linear(table, "area*sex + age", method=method)
    terms = read_model(table, "area*sex + age")
    reference = sm.GLM(table.dense().ravel(), design_matrix(terms, table.shape), family=sm.families.Poisson()).fit(
        tol=1e-13
    )
    ours = fit.coefficients()
    np.testing.assert_allclose(ours["estimate"], reference.params, rtol=1e-6, atol=1e-8)
    np.testing.assert_allclose(ours["std_error"], reference.bse, rtol=1e-6)
    assert fit.n_parameters == len(ours) == 1 + 3 + 2 + 4 + 6
    assert ours["coefficient"].tolist()[:3] == ["(intercept)", "area[s]", "area[w]"]
    assert "area[e]:sex[x]" in set(ours["coefficient"])


def test_independence_by_hand(table):
    counts = table.dense()
    a, b, c = (counts.sum(axis=tuple({0, 1, 2} - {i})) for i in range(3))
    expected = np.einsum("i,j,k->ijk", a, b, c) / counts.sum() ** 2
    np.testing.assert_allclose(fit_log_linear(table, "area + sex + age").means, expected, rtol=1e-8)


def test_a_model_that_is_not_hierarchical(table):
    fit = fit_log_linear(table, "area + area:sex")
    assert fit.method == "glm"
    with pytest.raises(InputError, match="has no margins to fit"):
        fit_log_linear(table, "area + area:sex", method="ipf")


def test_structural_zeros_take_no_part():
    counts = np.array([[0, 20, 10], [30, 12, 6]])
    table = Table.from_counts(counts, {"a": [0, 1], "b": [0, 1, 2]})
    fits = [fit_log_linear(table, "a + b", structural_zeros={"a": 0, "b": 0}, method=m) for m in ("glm", "ipf")]
    for fit in fits:
        assert fit.means[0, 0] == 0
        np.testing.assert_allclose(fit.means[:, 1:], counts[:, 1:], rtol=1e-6)  # quasi-independence fits exactly
        assert fit.summary()["cells"].item() == 5


def test_an_empty_margin_is_fitted_by_zero():
    counts = np.array([[5, 3, 0], [2, 8, 0]])
    table = Table.from_counts(counts, {"a": [0, 1], "b": [0, 1, 2]})
    fit = fit_log_linear(table, "a + b")
    assert fit.method == "ipf"
    assert fit.means[:, 2].tolist() == [0, 0]
    with pytest.warns(UndefinedStatisticWarning, match="1 of 4 coefficients of a \\+ b have no finite estimate"):
        coefficients = fit.coefficients().set_index("coefficient")
    assert np.isnan(coefficients.loc["b[2]", "estimate"])
    assert np.isfinite(coefficients.drop("b[2]")).all(axis=None)


def test_a_design_too_large_is_never_written(table, monkeypatch):
    monkeypatch.setattr(module, "DESIGN_LIMIT", 1000)
    assert fit_log_linear(table, "area + sex").method == "ipf"
    with pytest.raises(InputError, match="its design has 60 rows and 6 columns"):
        fit_log_linear(table, "area + sex", method="glm")
    assert len(fit_log_linear(table, "area + sex").coefficients()) == 6  # margins are enough
    monkeypatch.setattr(module, "DESIGN_LIMIT", 287)
    with pytest.raises(InputError, match="its information matrix has 6 rows and 6 columns"):
        fit_log_linear(table, "area + sex").coefficients()


def test_too_few_iterations_are_said(table):
    with pytest.warns(ConvergenceWarning, match="has not converged in 1 iterations"):
        fit_log_linear(table, "(area + sex + age)**2", method="ipf", max_iterations=1)
    with pytest.warns(ConvergenceWarning, match="has not converged in 1 iterations"):
        fit_log_linear(table, "(area + sex + age)**2", method="glm", max_iterations=1)


@every(
    ("model", "message"),
    [
        ("area + height", "'height' not among the variables"),
        ("__import__('os').getcwd()", "cannot be read as a formula"),
        ("system(area)", "not among the variables"),
        ("area +", "cannot be read as a formula"),
        ("count ~ area", "must have only the right-hand side"),
        ("0 + area", "has no intercept"),
        ([], 'must be "saturated", a formula, or a list of lists'),
        (["area", "sex"], "a list of lists of variables"),
        ([["area", "height"]], "must be different variables of the table"),
        (3, "a formula, or a list of lists"),
        ([3], "a list of lists of variables"),
        ("", "model='': has no variable; use variables of the table"),
        ("1", "model='1': has no variable"),
    ],
)
def test_models_that_cannot_be_read(table, model, message):
    with pytest.raises(InputError, match=message):
        fit_log_linear(table, model)


def test_names_a_formula_cannot_spell():
    names = {"a `b`": [0, 1], "__import__('os')": [0, 1]}
    table = Table.from_counts([[4, 2], [2, 1]], names)
    np.testing.assert_allclose(fit_log_linear(table, [[n] for n in names]).means, [[4, 2], [2, 1]], rtol=1e-8)


def test_an_empty_table():
    with pytest.raises(FitError, match="table: has no records"):
        fit_log_linear(Table.from_counts([0, 0], {"a": [0, 1]}), "a")
