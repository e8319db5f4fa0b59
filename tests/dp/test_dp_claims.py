"""The claimed epsilon against every neighbor of every small database, with values that nobody declared among them."""

from __future__ import annotations

from itertools import product

import numpy as np
import pandas as pd
import pytest
from scipy import stats

from synthlab import dp
from tests.loops import every

ADJACENCIES = ["add-remove", "replace"]
WORDS = ["a", "b", "undeclared", None, ["a"]]
NUMBERS = [0, 3, 10, np.inf, -np.inf, None, "text", 10**400]
EPSILON = 1.5


def pairs(domain, adjacency, sizes=(1, 2)):
    """Yield all neighbors of all databases; dp.neighbors itself takes no missing values, so places stand for them."""
    for size in sizes:
        for database in product(range(len(domain)), repeat=size):
            for other in dp.neighbors(list(database), range(len(domain)), adjacency=adjacency):
                if other or adjacency == "add-remove":
                    yield [domain[i] for i in database], [domain[i] for i in other]


@pytest.fixture
def told(monkeypatch):
    """Keep what every Laplace mechanism is asked, in units of its noise: an L1 distance of these is a privacy loss."""
    kept = []

    def add_noise(self, answer, *, rng=None, sampler="numpy"):
        kept.append((self.scale, np.ravel(answer) / self.scale))
        return np.array(answer, dtype=float)

    monkeypatch.setattr(dp.LaplaceMechanism, "add_noise", add_noise)
    return kept


def laplace_loss(query, one, other, told):
    asked = []
    for database in (one, other):
        told.clear()
        query(database)
        asked.append((tuple(scale for scale, _ in told), np.concatenate([answer for _, answer in told])))
    assert asked[0][0] == asked[1][0]
    return float(np.abs(asked[0][1] - asked[1][1]).sum())


LAPLACE = {
    "count": (WORDS[1:] + [True, 1, False], lambda d, a: dp.private_count(d, epsilon=EPSILON, adjacency=a)),
    "histogram, left out": (
        WORDS, lambda d, a: dp.private_histogram(d, categories=["a", "b"], epsilon=EPSILON, adjacency=a),
    ),
    "histogram, other": (
        WORDS, lambda d, a: dp.private_histogram(d, categories=["a", "b"], other="else", epsilon=EPSILON, adjacency=a),
    ),
    "edges, left out": (NUMBERS, lambda d, a: dp.private_histogram(d, edges=[0, 2, 9], epsilon=EPSILON, adjacency=a)),
    "edges, other": (
        NUMBERS, lambda d, a: dp.private_histogram(d, edges=[0, 2, 9], other="?", epsilon=EPSILON, adjacency=a),
    ),
    "mean": (NUMBERS, lambda d, a: dp.private_mean(d, low=-4, high=10, epsilon=EPSILON, adjacency=a)),
    "mean, missing": (
        NUMBERS, lambda d, a: dp.private_mean(d, low=-4, high=10, missing=99, epsilon=EPSILON, adjacency=a),
    ),
}  # fmt: skip


@pytest.mark.parametrize("adjacency", ADJACENCIES)
@pytest.mark.parametrize("name", LAPLACE)
def test_laplace_queries_keep_epsilon_and_need_all_of_it(name, adjacency, told):
    domain, query = LAPLACE[name]
    losses = [laplace_loss(lambda d: query(d, adjacency), *pair, told) for pair in pairs(domain, adjacency)]
    assert max(losses) == pytest.approx(EPSILON)


def test_a_mean_in_a_part_keeps_epsilon_under_replace_too(told):
    def mean_in_a_part(database):
        part = dp.Budget(9.0, adjacency="replace").parallel({"all": [True] * len(database)})["all"]
        dp.private_mean(database, low=-4, high=10, epsilon=EPSILON, adjacency="replace", budget=part)

    losses = [laplace_loss(mean_in_a_part, *pair, told) for pair in pairs(NUMBERS, "replace")]
    assert max(losses) == pytest.approx(EPSILON)


class Spy(np.random.Generator):
    """A generator that keeps the probabilities it is asked to choose by."""

    def choice(self, size, p):
        self.kept = p
        return 0


def log_probabilities(query, database):
    spy = Spy(np.random.PCG64(1))
    query(database, spy)
    return np.log(spy.kept)


CHOICES = {
    "mode, left out": (WORDS, {"categories": ["a", "b"]}),
    "mode, other": (WORDS, {"categories": ["a", "b"], "other": "else"}),
    "quantile, left out": (NUMBERS, {"q": 0.8, "low": 0, "high": 10, "step": 2}),
    "quantile, missing": (NUMBERS, {"q": 0.5, "low": 0, "high": 10, "step": 2, "missing": 4}),
}


@every("adjacency", ADJACENCIES)
@every("name", CHOICES)
def test_choices_keep_epsilon(name, adjacency):
    domain, options = CHOICES[name]
    function = dp.private_mode if "mode" in name else dp.private_quantile

    def query(database, rng):
        function(database, epsilon=EPSILON, adjacency=adjacency, rng=rng, **options)

    largest = max(
        np.abs(log_probabilities(query, one) - log_probabilities(query, other)).max()
        for one, other in pairs(domain, adjacency)
    )
    assert 0.3 * EPSILON < largest <= EPSILON + 1e-9


@pytest.mark.parametrize("adjacency", ADJACENCIES)
def test_densities_of_a_quantile_keep_epsilon(adjacency):
    at = np.array([0.5, 2.0, 5.0, 9.5])

    def log_densities(database):
        found = dp.quantile_probabilities(database, 0.3, low=0, high=10, epsilon=EPSILON, adjacency=adjacency)
        wide = found.upper > found.lower
        heights = np.log(found.probability[wide] / (found.upper - found.lower)[wide])
        return heights[np.searchsorted(found.upper[wide], at)]

    for one, other in pairs(NUMBERS, adjacency):
        assert np.abs(log_densities(one) - log_densities(other)).max() <= EPSILON + 1e-9


@pytest.mark.parametrize("adjacency", ADJACENCIES)
@pytest.mark.parametrize("other", [None, {"x": "else"}, {"x": "else", "y": "else"}])
def test_tables_keep_epsilon(other, adjacency, monkeypatch):
    """Every table of two records that can come out, and every pair of neighbors of at most two people."""
    kept = []

    def draw(parameters, size, rng):
        kept.append(parameters)
        return np.full(parameters.size, size)

    monkeypatch.setattr("synthlab.dp.table._draw", draw)

    def log_probabilities_of_tables(database):
        frame = pd.DataFrame(database, columns=["x", "y"], dtype=object)
        options = {"levels": {"x": ["a", "b"], "y": [1]}, "n_synthetic": 2, "epsilon": EPSILON}
        dp.private_table(frame, other=other, adjacency=adjacency, **options)
        alpha = kept.pop()
        cells = np.eye(alpha.size, dtype=int)
        tables = [a + b for a, b in product(cells, repeat=2)]
        return np.array([stats.dirichlet_multinomial.logpmf(t, alpha, 2) for t in tables])

    known = {}
    largest = 0.0
    for one, two in pairs(list(product(["a", "b", "odd", None], [1, None])), adjacency):
        for database in (one, two):
            if str(database) not in known:
                known[str(database)] = log_probabilities_of_tables(database)
        largest = max(largest, float(np.abs(known[str(one)] - known[str(two)]).max()))
    assert 0.3 * EPSILON < largest <= EPSILON + 1e-9


@pytest.mark.parametrize("adjacency", ADJACENCIES)
def test_parts_that_claim_the_same_people_cost_what_the_account_says(adjacency, told):
    """A record is a pair of claims; counts in both parts lose no more together than the account was charged."""
    charged = []

    def counts(database):
        account = dp.Budget(9.0, adjacency=adjacency)
        claims = {"old": [a for a, _ in database], "rural": [b for _, b in database]}
        for part in account.parallel(claims).values():
            dp.private_count([True] * len(database), epsilon=EPSILON, adjacency=adjacency, budget=part)
        charged.append(account.spent)

    domain = list(product([True, None], repeat=2))
    losses = [laplace_loss(counts, *pair, told) for pair in pairs(domain, adjacency)]
    assert set(charged) == {EPSILON if adjacency == "add-remove" else 2 * EPSILON}
    assert max(losses) == pytest.approx(charged[0])
