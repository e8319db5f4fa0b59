"""Epsilon and delta of the synthesis of counts, against sums by brute force."""

from __future__ import annotations

from math import log

import numpy as np
import pytest
from hypothesis import given, settings, strategies as st
from scipy import stats

import synthlab.counts as slc
from synthlab.counts._privacy_loss import Rules, changes_of, one_cell
from synthlab.exceptions import InputError

WIDE = 400


def law(family, count: int, *, pseudocount: float, zeros_to_ones: float = 0.0, every: bool = False) -> np.ndarray:
    """The probabilities of 0, 1, ..., by SciPy where it has the family."""
    y = np.arange(WIDE)
    mean = count + (pseudocount if every or count == 0 else 0.0)
    if mean == 0:
        found = (y == 0).astype(float)
    elif isinstance(family, slc.Poisson):
        found = stats.poisson(mean).pmf(y)
    elif isinstance(family, slc.NBI):
        found = stats.nbinom(1 / family.sigma, 1 / (1 + family.sigma * mean)).pmf(y)
    else:
        scale = float(family.sigma) ** 2 * mean ** (float(family.nu) - 1)
        edges = np.concatenate([[0.0], y + 0.5])
        found = np.diff(stats.gamma(mean / scale, scale=scale).cdf(edges))
    if count == 0 and zeros_to_ones:
        found = (1 - zeros_to_ones) * found + zeros_to_ones * (y == 1)
    return found


def by_force(family, epsilon: float, largest: int, adjacency: str, **rules) -> float:
    laws = [law(family, f, **rules) for f in range(largest + 1)]

    def delta(p, q) -> float:
        return float(np.maximum(p - np.exp(epsilon) * q, 0).sum())

    if adjacency == "add-remove":
        pairs = [(f, f + 1) for f in range(largest)]
        return max(max(delta(laws[a], laws[b]), delta(laws[b], laws[a])) for a, b in pairs)
    return max(
        delta(np.outer(laws[i], laws[j + 1]), np.outer(laws[i + 1], laws[j]))
        for i in range(largest)
        for j in range(largest)
    )


FAMILIES = st.one_of(
    st.just(slc.Poisson()),
    st.floats(0.1, 1.5).map(lambda s: slc.NBI(sigma=s)),
    st.tuples(st.floats(0.4, 1.5), st.floats(-1, 1)).map(lambda p: slc.GAF(sigma=p[0], nu=p[1])),
)


@settings(max_examples=25, deadline=None)
@given(
    family=FAMILIES,
    epsilon=st.floats(0, 3),
    largest=st.integers(1, 3),
    pseudocount=st.sampled_from([0.0, 0.3, 1.0, 2.5]),
    zeros_to_ones=st.sampled_from([0.0, 0.2]),
    adjacency=st.sampled_from(["add-remove", "replace"]),
)
def test_delta_is_that_of_brute_force(family, epsilon, largest, pseudocount, zeros_to_ones, adjacency):
    rules = {"pseudocount": pseudocount, "zeros_to_ones": zeros_to_ones}
    found = slc.count_delta(family, epsilon, largest=largest, adjacency=adjacency, **rules).delta[0]
    assert found == pytest.approx(by_force(family, epsilon, largest, adjacency, **rules), rel=1e-9, abs=1e-11)


@pytest.mark.parametrize("adjacency", ["add-remove", "replace"])
@pytest.mark.parametrize("family", [slc.NBI(sigma=0.7), slc.GAF(sigma=1.2, nu=0.5)])
def test_epsilon_and_delta_undo_each_other(family, adjacency):
    options = {"largest": 3, "pseudocount": 1.0, "adjacency": adjacency}
    found = slc.count_epsilon(family, 0.02, **options)
    assert found.delta[0] == pytest.approx(0.02, rel=1e-9)
    assert found.delta[0] <= 0.02
    assert slc.count_delta(family, 0.999 * found.epsilon[0], **options).delta[0] > 0.02


@pytest.mark.parametrize("family", [slc.Poisson(), *(slc.NBI(sigma=s) for s in (0.1, 0.9, 1.0, 3.0, 8.0))])
@pytest.mark.parametrize("epsilon", [0.0, 0.3, 1.0, 3.0])
def test_no_larger_count_is_worse_than_one(family, epsilon):
    """The ground on which all counts are covered: a change at a larger count is what can be made of one at a smaller."""
    deltas = one_cell(changes_of(family, Rules(0.5, True, 0.0), np.arange(12), 10**7), epsilon)
    assert (np.diff(deltas, axis=1) <= 1e-15).all()


def test_birth_and_thinning_lead_from_one_negative_binomial_to_the_next():
    """The channel of the notes, on a lattice: thin by t, then let a birth process with immigration make up for it."""
    sigma, mean, thin = 0.6, 2.0, 0.7
    size, y = 1 / sigma, np.arange(300)
    start = stats.nbinom(size, 1 / (1 + sigma * mean)).pmf(y)
    grown = np.zeros_like(start)
    for n, mass in enumerate(
        start[:150]
    ):  # n lines, each geometric, and the immigrants: a negative binomial of size n + r
        grown[n:] += mass * stats.nbinom(n + size, thin).pmf(y[: 300 - n])
    kept = np.zeros_like(start)
    for n, mass in enumerate(grown):
        kept[: n + 1] += mass * stats.binom(n, thin).pmf(y[: n + 1])
    after = mean + size * (1 - thin)
    np.testing.assert_allclose(kept[:40], stats.nbinom(size, 1 / (1 + sigma * after)).pmf(y[:40]), rtol=1e-6)


@pytest.mark.parametrize("alpha", [0.01, 0.5, 2.0])
@pytest.mark.parametrize("epsilon", [1.5, 3.0, 6.0])
def test_probabilistic_delta_of_the_poisson_is_the_published_formula(alpha, epsilon):
    """1 - delta = F((1 + epsilon) / log((1 + alpha) / alpha)), F of a Poisson of mean 1 + alpha; for epsilon above 1."""
    found = slc.count_delta(slc.Poisson(), epsilon, pseudocount=alpha, smoothing="every")
    published = stats.poisson(1 + alpha).sf((1 + epsilon) / log((1 + alpha) / alpha))
    assert found.probabilistic[0] == pytest.approx(published, rel=1e-10)
    assert found.delta[0] < published


def test_what_the_tail_leaves_out_is_added():
    found = slc.count_delta(slc.Poisson(), 400.0, pseudocount=1.0)
    assert 0 < found.delta[0] <= 2e-24


@pytest.mark.parametrize("sigma", [0.5, 2.0])
def test_zeros_that_stay_zero_are_a_floor(sigma):
    family = slc.GAF(sigma=sigma, nu=-0.5)
    found = slc.count_delta(family, [0.1, 5, 500], largest=3, pseudocount=0.0)
    gives_away = 1 - float(family.at(1).pmf(0))
    assert found.floor == pytest.approx(gives_away, rel=1e-10)
    assert (found.delta >= gives_away * (1 - 1e-10)).all()
    assert "stays empty" in found.cannot[0]
    assert slc.count_epsilon(family, 0.9 * gives_away, largest=3, pseudocount=0.0).epsilon[0] == np.inf


def test_a_pseudocount_hides_nothing_under_nu_below_zero():
    """An empty cell of mean .01 is as good as never 1, so a 1 gives itself away up to a large epsilon."""
    family = slc.GAF(sigma=1.0, nu=-1.0)
    found = slc.count_delta(family, [1.0, 5.0], largest=2, pseudocount=0.01)
    seen, made = (float(family.at(m).sf(0)) for m in (1.0, 0.01))
    assert made < 1e-4
    assert found.delta[1] > 0.95 * seen
    assert found.floor == 0
    assert "has almost no effect" in found.cannot[0]
    assert found.zeros == pytest.approx((made, seen))
    ones = slc.count_delta(family, 5.0, largest=2, pseudocount=0.0, zeros_to_ones=0.5)
    assert ones.floor == pytest.approx(float(family.at(1).sf(1)), rel=1e-10)


def test_no_delta_holds_for_all_counts_under_nu_below_zero():
    family = slc.GAF(sigma=1.0, nu=-1.0)
    found = slc.count_delta(family, 3.0)
    assert found.ground == "limit"
    assert found.delta[0] == found.floor == 1.0
    assert "give the largest count" in found.cannot[0]
    assert slc.count_epsilon(family, 0.99).epsilon[0] == np.inf
    rising = [slc.count_delta(family, 3.0, largest=n, pseudocount=1.0).delta[0] for n in (2, 20, 200)]
    assert rising[0] < rising[1] < rising[2]
    assert rising[2] > 0.98


def test_constant_noise_goes_to_a_rounded_normal():
    """nu = 0: far out the gamma is a normal of standard deviation sigma, and a record moves it by one."""
    sigma, epsilon = 1.5, 0.7
    found = slc.count_delta(slc.GAF(sigma=sigma, nu=0), epsilon, pseudocount=1.0)
    edges = np.arange(-60, 61) + 0.5
    p, q = (np.diff(stats.norm(m, sigma).cdf(edges)) for m in (0.0, 1.0))
    assert found.ground == "searched"
    assert found.delta[0] >= np.maximum(p - np.exp(epsilon) * q, 0).sum() * (1 - 1e-6)
    assert "nothing is proved" in found.cannot[-1]


def test_laplace_noise_keeps_its_epsilon():
    family = slc.LaplaceCount(epsilon=1.0)
    found = slc.count_delta(family, [0.5, 1.0 + 1e-12], largest=40, pseudocount=0.0)
    assert found.delta[0] > 0.1
    assert found.delta[1] < 1e-13
    doubled = slc.count_delta(family, [1.0, 2.0 + 1e-12], largest=10, pseudocount=0.0, adjacency="replace")
    assert doubled.delta[0] > 0.1
    assert doubled.delta[1] < 1e-13


def test_replace_costs_at_most_two_records():
    options = {"pseudocount": 1.0}
    one = slc.count_delta(slc.NBI(sigma=1), 0.5, **options).delta[0]
    both = slc.count_delta(slc.NBI(sigma=1), 1.0, adjacency="replace", **options).delta[0]
    assert both <= (1 + np.exp(0.5)) * one


def test_epsilon_zero_is_total_variation():
    found = slc.count_delta(slc.Poisson(), 0, pseudocount=0.3)
    first, second = (law(slc.Poisson(), f, pseudocount=0.3) for f in (1, 2))
    empty = law(slc.Poisson(), 0, pseudocount=0.3)
    assert found.delta[0] == pytest.approx(
        max(np.abs(first - second).sum() / 2, np.abs(first - empty).sum() / 2), rel=1e-10
    )


def test_result_reads_as_what_it_is():
    found = slc.count_delta(slc.NBI(sigma=1), [1, 2], pseudocount=0.0, zeros_to_ones=0.1)
    assert "zeros_to_ones 0.1" in found.title
    assert "any counts" in found.title
    assert found.to_frame().columns.tolist() == ["epsilon", "delta", "probabilistic", "worst"]
    assert found.worst == ("1 -> 0", "1 -> 0")
    assert found.delta.flags.writeable is False


@pytest.mark.parametrize("bad", [-0.1, np.inf, np.nan, "1", None, True, [], [1, -1]])
def test_epsilon_of_delta_is_checked(bad):
    with pytest.raises(InputError, match="^epsilon"):
        slc.count_delta(slc.Poisson(), bad)


@pytest.mark.parametrize("bad", [0, 1, 1.0, -0.1, 2, np.nan, "x", None, 1e-16, [0.1]])
def test_delta_is_checked(bad):
    with pytest.raises(InputError, match="^delta"):
        slc.count_epsilon(slc.Poisson(), bad)


@pytest.mark.parametrize(
    ("name", "bad"),
    [
        ("largest", 0),
        ("largest", 2.5),
        ("largest", 10**12),
        ("pseudocount", -1),
        ("pseudocount", np.inf),
        ("smoothing", "all"),
        ("zeros_to_ones", 1.5),
        ("adjacency", "swap"),
        ("family", "Poisson"),
        ("family", slc.Poisson(mu=2)),
        ("family", slc.NBI(sigma=[1, 2])),
    ],
)
def test_other_arguments_are_checked(name, bad):
    options = {"family": slc.Poisson(), "epsilon": 1.0, name: bad}
    with pytest.raises(InputError, match=f"^{name}"):
        slc.count_delta(**options)


def test_sums_that_are_too_long_are_refused():
    with pytest.raises(InputError, match="^largest"):
        slc.count_delta(slc.GAF(sigma=1, nu=1), 1, largest=10**7)
    with pytest.raises(InputError, match="^largest"):
        slc.count_delta(slc.GAF(sigma=2, nu=1), 1, largest=20_000)
    with pytest.raises(InputError, match="^largest"):
        slc.count_delta(slc.GAF(sigma=1, nu=0), 1, largest=3_000, adjacency="replace")
