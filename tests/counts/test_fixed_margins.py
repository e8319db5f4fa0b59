"""Synthesis with fixed margins, against enumeration of all tables with the same margins."""

from __future__ import annotations

import itertools
from collections import Counter

import numpy as np
import pytest
from scipy import special, stats

import synthlab.counts as slc
from synthlab.exceptions import InputError

LEVELS = {"a": ["x", "y"], "b": [1, 2], "c": ["u", "v"]}
TABLE = slc.Table.from_counts([[[2, 0], [1, 1]], [[0, 1], [3, 0]]], LEVELS)
# All tables with the same total: the positions of 7 bars among 8 records and 7 bars.
BARS = itertools.combinations(range(TABLE.total + 7), 7)
ALL = [(np.diff([-1, *bars, TABLE.total + 7]) - 1).reshape(2, 2, 2) for bars in BARS]


def margins_of(counts: np.ndarray, margins: list[list[str]]) -> list[list[int]]:
    names = list(LEVELS)
    return [counts.sum(axis=tuple(i for i, v in enumerate(names) if v not in m)).ravel().tolist() for m in margins]


@pytest.mark.parametrize(
    ("margins", "family"),
    [
        ([[]], slc.Poisson()),
        ([["a"]], slc.Poisson()),
        ([["b", "c"]], slc.NBI(sigma=0.7)),
        ([["a"], ["b"]], slc.Poisson()),
        ([["a"], ["b", "c"]], slc.NBI(sigma=0.7)),
        ([["a", "b"], ["b", "c"]], slc.GAF(sigma=0.8, nu=0.5)),
        ([["a", "b"], ["a"], []], slc.PIG(sigma=0.5)),
    ],
)
def test_draws_have_the_conditional_distribution(margins, family) -> None:
    m, pseudocount = 4000, 0.4
    goal = margins_of(TABLE.dense(), margins)
    possible = [t for t in ALL if margins_of(t, margins) == goal]
    means = np.where(TABLE.dense() > 0, TABLE.dense(), pseudocount)
    pmf = np.array([np.exp(np.sum(family.at(means).logpmf(t))) for t in possible])
    made = slc.synthesize_table(
        TABLE, family, m=m, pseudocount=pseudocount, fixed_margins=margins, rng=np.random.default_rng(5)
    )
    drawn = Counter(tuple(t.dense().ravel().tolist()) for t in made)
    expected = m * pmf / pmf.sum()
    found = np.array([drawn.pop(tuple(t.ravel().tolist()), 0) for t in possible])
    assert not drawn  # no table has other margins
    order = np.argsort(-expected)
    cut = (expected[order] >= 5).sum()  # rare tables are one class
    f, e = ((np.append(v[order][:cut], v[order][cut:].sum())) for v in (found, expected))
    keep = e > 0
    assert stats.chisquare(f[keep], e[keep]).pvalue > 1e-3
    assert len(possible) > 3


def test_poisson_with_a_fixed_total_is_multinomial_in_a_large_table() -> None:
    rng = np.random.default_rng(1)
    table = slc.Table.from_counts(rng.poisson(3.0, (200, 30)), {"area": range(200), "age": range(30)})
    made = slc.synthesize_table(table, slc.Poisson(), m=200, fixed_margins=[["area"]], rng=2)
    goal = table.marginal(["area"]).dense()
    assert all((t.marginal(["area"]).dense() == goal).all() for t in made)
    counts = np.stack([t.dense() for t in made])
    means = np.where(table.dense() > 0, table.dense(), 0.01)
    shares = means / means.sum(axis=1, keepdims=True)
    np.testing.assert_allclose(counts.var(axis=0).mean(), (goal[:, None] * shares * (1 - shares)).mean(), rtol=0.02)


def test_generalized_poisson_counts_given_their_total_are_quasi_multinomial() -> None:
    table = slc.Table.from_counts([4, 2, 1, 0], {"a": [1, 2, 3, 4]})
    m, sigma = 4000, 0.6
    made = slc.synthesize_table(
        table, slc.GeneralizedPoisson(sigma=sigma), m=m, pseudocount=1.0, fixed_margins=[[]], rng=4
    )
    drawn = np.stack([t.dense() for t in made])
    means = np.array([4.0, 2.0, 1.0, 1.0])
    n, pi, beta = 7, means / means.sum(), sigma / (1 - sigma) / means.sum()
    possible = [c for c in itertools.product(range(n + 1), repeat=4) if sum(c) == n]
    y = np.array(possible, dtype=float)
    log = (np.log(pi) + (y - 1) * np.log(pi + beta * y) - special.gammaln(y + 1)).sum(axis=1)
    pmf = np.exp(special.gammaln(n + 1) - (n - 1) * np.log1p(beta * n) + log)
    assert pmf.sum() == pytest.approx(1)
    np.testing.assert_allclose(pmf @ y, n * pi)
    counted = Counter(map(tuple, drawn.tolist()))
    found, expected = np.array([counted[c] for c in possible]), m * pmf
    common = expected >= 5
    f, e = (np.append(v[common], v[~common].sum()) for v in (found, expected))
    assert stats.chisquare(f, e).pvalue > 1e-3


def test_the_independence_model_with_both_margins_fixed_is_hypergeometric() -> None:
    table = slc.Table.from_counts([[30, 10], [20, 40]], {"sex": ["F", "M"], "age": [1, 2]})
    made = slc.synthesize_table(
        table, slc.Poisson(), model="sex + age", m=1000, fixed_margins=[["sex"], ["age"]], rng=3
    )
    first = np.array([t.dense()[0, 0] for t in made])
    exact = stats.hypergeom(100, 50, 40)
    assert first.mean() == pytest.approx(exact.mean(), abs=4 * exact.std() / np.sqrt(1000))
    assert first.var() == pytest.approx(exact.var(), rel=0.2)
    assert "fixed: sex; age" in made.title
    assert made.fixed_margins == (("sex",), ("age",))


def test_tables_do_not_start_at_the_confidential_table() -> None:
    # Equal means: the chain forgets its start, so that the confidential table is as likely as any other.
    table = slc.Table.from_counts([[5, 0, 0], [0, 5, 0], [0, 0, 5]], {"a": [1, 2, 3], "b": [1, 2, 3]})
    made = slc.synthesize_table(table, slc.Poisson(), model="a + b", m=300, fixed_margins=[["a"], ["b"]], rng=1)
    assert np.mean([(t.dense() == table.dense()).all() for t in made]) < 0.02
    np.testing.assert_allclose(np.mean([t.dense() for t in made], axis=0), 5 / 3, atol=0.3)


def test_structural_zeros_stay_zero_with_one_poisson_margin() -> None:
    made = slc.synthesize_table(
        TABLE, slc.Poisson(), m=50, pseudocount=2.0, structural_zeros=[1, 4], fixed_margins=[["b"]], rng=1
    )
    assert all(t.at(np.array([1, 4])).sum() == 0 for t in made)


@pytest.mark.parametrize(
    ("options", "match"),
    [
        ({"fixed_margins": []}, r"\[\[\]\] fixes the total"),
        ({"fixed_margins": [["a", "b", "c"]]}, "all variables"),
        ({"fixed_margins": [["a"], ["b"], ["c"]]}, "at most 2"),
        ({"fixed_margins": [["z"]]}, "fixed_margins: must be different variables"),
        ({"fixed_margins": "a"}, "fixed_margins"),
        ({"fixed_margins": [["a"]], "zeros_to_ones": 0.1}, "zeros_to_ones"),
        ({"fixed_margins": [["a"], ["b"]], "pseudocount": 0.0}, "above 0"),
        ({"fixed_margins": [["a"], ["b"]], "structural_zeros": [1]}, "no structural zeros"),
    ],
)
def test_wrong_arguments(options, match) -> None:
    with pytest.raises(InputError, match=match):
        slc.synthesize_table(TABLE, slc.Poisson(), rng=1, **options)


def test_no_guarantee_with_exact_margins() -> None:
    with pytest.raises(InputError, match="guarantee"):
        slc.synthesize_table(TABLE, slc.LaplaceCount(epsilon=1), pseudocount=0, fixed_margins=[[]], rng=1)
