"""Population counts from the sizes of cells: Samuels, Pitman and slide negative binomial, against enumeration and simulation."""

from __future__ import annotations

from collections import Counter
from itertools import product

import numpy as np
import pandas as pd
import pytest
from scipy.optimize import minimize
from scipy.stats import binom, nbinom

import synthlab as sl
from synthlab.exceptions import ConvergenceWarning, InputError
from synthlab.risk.population._cell_sizes import (
    Urn,
    fit_pitman,
    fit_sizes,
    fit_slide,
    pitman_log_probability,
    slide_log_probability,
)

SIZES, CELLS = np.array([1, 2, 3, 7]), np.array([14, 4, 2, 1])  # 35 people in 21 cells
PARAMETERS = [(0.0, 1.3), (0.4, 2.0), (0.7, -0.5), (0.9, 10.0)]


def partitions(n, most=None):
    """Return all partitions of n."""
    if n == 0:
        yield []
    for first in range(min(n, most or n), 0, -1):
        for rest in partitions(n - first, first):
            yield [first, *rest]


def seated(tables, alpha, theta, rest):
    """Return the probability of all table sizes after `rest` more people, one person at a time."""
    found = {tuple(tables): 1.0}
    for _ in range(rest):
        later: Counter = Counter()
        for now, p in found.items():
            total = sum(now) + theta
            for table, size in enumerate(now):
                later[(*now[:table], size + 1, *now[table + 1 :])] += p * (size - alpha) / total
            later[(*now, 1)] += p * (theta + alpha * len(now)) / total
        found = later
    return found


def test_pitmans_formula_is_the_probability_of_people_who_come_one_at_a_time():
    for alpha, theta in PARAMETERS:
        found: Counter = Counter()
        for tables, p in seated([1], alpha, theta, 6).items():
            found[tuple(sorted(tables, reverse=True))] += p
        total = 0.0
        for partition in partitions(7):
            sizes, cells = np.unique(partition, return_counts=True)
            probability = np.exp(pitman_log_probability(sizes, cells, alpha, theta))
            assert probability == pytest.approx(found[tuple(partition)], rel=1e-10)
            total += probability
        assert total == pytest.approx(1.0, rel=1e-12)


def test_n_t_is_that_of_all_ways_in_which_the_other_people_can_come():
    sample, rest = [1, 3], 5
    for alpha, theta in PARAMETERS:
        later = seated(sample, alpha, theta, rest)
        sizes = np.array(sample)
        urn = Urn(sizes, sizes - alpha, theta + alpha + sum(sample) - sizes, rest)
        for cell in range(2):
            p, people = np.array([(p, tables[cell]) for tables, p in later.items()]).T
            assert sizes[cell] + urn.mean()[cell] == pytest.approx(p @ people, rel=1e-12)
            assert urn.probability_of_none()[cell] == pytest.approx(p @ (people == sizes[cell]), rel=1e-12)
            assert urn.expected_inverse()[cell] == pytest.approx(p @ (1 / people), rel=1e-8)


def test_large_populations_against_the_sum_over_all_counts():
    rest = 20_000
    counts, a, b = np.array([1, 1, 40]), np.array([1.0, 0.03, 39.5]), np.array([150.0, 80.0, 300.0])
    urn = Urn(counts, a, b, rest)
    from scipy.stats import betabinom

    others = np.arange(rest + 1)
    exact = [(betabinom.pmf(others, rest, *ab) / (n + others)).sum() for n, *ab in zip(counts, a, b, strict=True)]
    np.testing.assert_allclose(urn.expected_inverse(), exact, rtol=1e-6)
    census = Urn(counts, a, b, 0)
    np.testing.assert_allclose(census.expected_inverse(), 1 / counts, rtol=1e-8)
    np.testing.assert_allclose(census.probability_of_none(), 1.0)


def test_the_parameters_maximize_the_likelihood():
    _, theta = fit_pitman(SIZES, CELLS, discount=0.0)
    # The maximum of Ewens' formula: the expected number of cells is the number in the sample.
    assert (theta / (theta + np.arange(35))).sum() == pytest.approx(21, rel=1e-6)
    sizes, cells = np.array([1, 2, 3, 40]), np.array([60, 9, 4, 1])
    alpha, theta = fit_pitman(sizes, cells)
    best = pitman_log_probability(sizes, cells, alpha, theta)
    other = minimize(
        lambda x: (
            -pitman_log_probability(sizes, cells, 1 / (1 + np.exp(-x[0])), np.exp(x[1]) - 1 / (1 + np.exp(-x[0])))
        ),
        [0.0, 1.0],
        method="Nelder-Mead",
        options={"xatol": 1e-9, "fatol": 1e-12, "maxiter": 5000},
    )
    assert 0.1 < alpha < 0.9
    assert best == pytest.approx(-other.fun, abs=1e-8)
    assert alpha == pytest.approx(1 / (1 + np.exp(-other.x[0])), abs=1e-4)
    shape, beta = fit_slide(SIZES, CELLS, 0.1)

    def likelihood(shape, beta):
        empty = np.exp(slide_log_probability(np.array([0]), shape, beta, 0.1))[0]
        return (CELLS * (slide_log_probability(SIZES, shape, beta, 0.1) - np.log(1 - empty))).sum()

    grid = max(likelihood(a, b) for a, b in product(np.geomspace(0.05, 20, 25), np.linspace(0.005, 0.6, 30)))
    assert grid <= likelihood(shape, beta) + 1e-9
    assert likelihood(shape, beta) - grid < 0.3


def test_the_slide_negative_binomial_against_sums_over_population_counts():
    shape, beta, fraction = 0.8, 0.15, 0.2
    people = np.arange(1, 400)
    prior = nbinom.pmf(people - 1, shape, beta)
    sizes = np.arange(6)
    joint = prior * binom.pmf(sizes[:, None], people, fraction)
    np.testing.assert_allclose(
        np.exp(slide_log_probability(sizes, shape, beta, fraction)), joint.sum(axis=1), rtol=1e-10
    )
    sizes, cells = np.array([1, 2, 3]), np.array([30, 9, 4])
    fit = fit_sizes("slide negative binomial", sizes, cells, people=300.0)
    shape, beta = fit.parameters["alpha"], fit.parameters["beta"]
    people = np.arange(1, 5_000)
    given = nbinom.pmf(people - 1, shape, beta) * binom.pmf(sizes[:, None], people, cells @ sizes / 300)
    given /= given.sum(axis=1, keepdims=True)
    np.testing.assert_allclose(sizes + fit.others, given @ people, rtol=1e-8)
    np.testing.assert_allclose(fit.alone, given[np.arange(3), sizes - 1], rtol=1e-8)
    np.testing.assert_allclose(fit.match, given @ (1 / people), rtol=1e-6)


def population(model, rng):
    """Return the cell of each of about 20,000 people."""
    if model == "slide negative binomial":
        return np.repeat(np.arange(4_000), 1 + rng.negative_binomial(0.5, 0.5 / (0.5 + 4.0), 4_000))
    alpha, theta = {"samuels": (0.0, 300.0), "pitman": (0.5, 50.0)}[model]
    cells, sizes, used = np.zeros(20_000, dtype=np.int64), np.zeros(20_000), 0
    for i in range(cells.size):
        if rng.random() * (i + theta) < theta + alpha * used:
            cells[i], used = used, used + 1
        else:  # a person of a known cell, thinned by the discount
            while True:
                one = cells[rng.integers(i)]
                if alpha == 0 or rng.random() > alpha / sizes[one]:
                    break
            cells[i] = one
        sizes[cells[i]] += 1
    return cells


def test_populations_made_by_each_model():
    rng = np.random.default_rng(5)
    for model in ("samuels", "pitman", "slide negative binomial"):
        cells = population(model, rng)
        sizes = np.bincount(cells)
        errors, size_errors = [], []
        for _ in range(4):
            rows = rng.choice(cells.size, 5_000, replace=False)
            survey = pd.DataFrame({"cell": cells[rows], "w": cells.size / rows.size})
            found = sl.population_counts(survey, ["cell"], sl.SurveyDesign(weights="w"), model=model)
            unique = found.unique
            truth = sizes[cells[rows]]
            spread = np.sqrt((found.alone[unique] * (1 - found.alone[unique])).sum())
            errors.append(((truth[unique] == 1).sum() - found.population_uniques) / spread)
            size_errors.append(truth[unique].mean() / found.population[unique].mean() - 1)
            assert (found.population >= found.sample).all()
            correct = (1 / truth[unique]).sum()
            assert abs(correct / found.correct_matches - 1) < 0.15, model
        assert abs(np.mean(errors)) < 2.5, (model, errors)
        assert abs(np.mean(size_errors)) < 0.15, (model, size_errors)


def test_samuels_probability_that_a_sample_unique_is_unique_in_the_population():
    survey = pd.DataFrame({"a": list("xxxyyzuv"), "w": 12.5})
    found = sl.population_counts(survey, ["a"], sl.SurveyDesign(weights="w"), model="samuels")
    theta = found.parameters["theta"]
    np.testing.assert_allclose(found.alone[found.unique], (theta + 7) / (theta + 99), rtol=1e-10)
    assert found.summary().loc[found.method, "population"] == 100
    assert "theta" in found.title
    assert np.isnan(found.specification)
    pitman = sl.population_counts(survey, ["a"], sl.SurveyDesign(weights="w"), model="pitman")
    assert set(pitman.parameters) == {"alpha", "theta"}


def test_what_is_refused_or_undefined():
    survey = pd.DataFrame({"a": list("wxyz"), "pitman": 1, "w": 10.0})
    design = sl.SurveyDesign(weights="w")
    with pytest.warns(ConvergenceWarning, match="every record is unique"):
        found = sl.population_counts(survey, ["a"], design, model="slide negative binomial")
    assert np.isnan(found.population).all()
    assert np.isnan(found.population_uniques)
    assert found.parameters == {}
    with pytest.raises(InputError, match="overdispersed"):
        sl.population_counts(survey, ["a"], design, model="samuels", overdispersed=True)
    with pytest.raises(InputError, match="is also a variable"):
        sl.population_counts(survey, ["a", "pitman"], design, model="pitman")
    with pytest.raises(InputError, match="model"):
        sl.population_counts(survey, ["a"], design, model="sammy")
