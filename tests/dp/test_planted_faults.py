"""The audit against the mechanisms of the package, which keep their claims, and against faults that are planted in them.

Every mechanism is run many times at once on two neighboring files, or drawn from its exact posterior on a grid. All
bounds together hold with probability .999 at least, so that an honest mechanism is hardly ever accused.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np
import pandas as pd
import pytest
from scipy import stats

import synthlab.counts as slc
from synthlab import dp
from synthlab.synthesizers._clipped_likelihood import Clipped
from synthlab.weights import lipschitz_weights
from tests.loops import every

pytestmark = pytest.mark.filterwarnings("ignore::DeprecationWarning")  # of OpenDP
RUNS = 40_000


class Claim(NamedTuple):
    """Outputs, or scores of them, of a file and of its neighbor, and what is claimed."""

    epsilon: float
    draw: Callable[[int, int, np.random.Generator], Any]  # 0 or 1 for the two files, how many, and the stream
    delta: float = 0.0
    adjacency: str = "add-remove"
    runs: int = RUNS


# --- noise, choices, answers ----------------------------------------------------------------------------------------


def laplace(scale: float = 1.0) -> Any:
    mechanism = dp.LaplaceMechanism(epsilon=1.0 / scale)
    return lambda which, size, rng: mechanism.add_noise(np.full(size, 3.0 - which), rng=rng)


def geometric(which, size, rng):
    return dp.GeometricMechanism(epsilon=1.0).add_noise(np.full(size, 3 - which))


def gaussian(which, size, rng):
    return dp.GaussianMechanism(epsilon=1.0, delta=0.05).add_noise(np.full(size, 3.0 - which))


def response(which, size, rng):
    return dp.randomized_response(["yes", "no"][which : which + 1] * size, categories=["yes", "no"], epsilon=1.0).codes


def chosen(monotone: bool) -> Any:
    """A choice of twenty: the record that one file has and the other has not moves one up and all others down."""
    mechanism = dp.ExponentialMechanism(epsilon=1.0, monotone=monotone)
    first = np.arange(20) == 0
    return lambda which, size, rng: rng.choice(20, size, p=mechanism.probabilities(first != which))


def median(which, size, rng):
    ages = ([1, 2, 2, 3, 3], [1, 2, 2, 3])
    p = dp.quantile_probabilities(ages[which], low=0, high=4, epsilon=1.0, step=1).probability
    return rng.choice(len(p), size, p=p)


def cells(sensitivity: float, *, same_stream: bool = False) -> Any:
    """One record moves from a cell to the other; what is looked at is the difference of the two noisy counts."""
    mechanism = dp.LaplaceMechanism(epsilon=1.0, sensitivity=sensitivity)

    def draw(which, size, rng):
        seed = int(rng.integers(2**31))
        first, second = (np.full(size, float(v)) for v in ((1, 0), (0, 1))[which])
        noisy = mechanism.add_noise(first, rng=seed), mechanism.add_noise(second, rng=seed if same_stream else seed + 1)
        return noisy[0] - noisy[1]

    return draw


def mean_of_two(each: float) -> Any:
    """Two answers to the same question."""
    mechanism = dp.LaplaceMechanism(epsilon=each)
    return lambda which, size, rng: mechanism.add_noise(np.full((2, size), 3.0 - which), rng=rng).mean(axis=0)


def largest_of_the_file(which, size, rng):
    """A total of incomes, cut at the largest of the file, with noise to match."""
    incomes = ([1.0, 1.0, 9.0], [1.0, 1.0])[which]
    return dp.LaplaceMechanism(epsilon=1.0, sensitivity=max(incomes)).add_noise(np.full(size, sum(incomes)), rng=rng)


def divided_by_n(which, size, rng):
    """A mean under add-remove: a noisy sum over the exact number of records."""
    return dp.LaplaceMechanism(epsilon=1.0).add_noise(np.zeros(size), rng=rng) / (2 - which)


def again_until_positive(which, size, rng):
    """A count of 0 or 1 whose noise is drawn again where the answer would be negative."""
    noisy = dp.LaplaceMechanism(epsilon=1.0).add_noise(np.full(8 * size, float(which)), rng=rng)
    return noisy[noisy >= 0][:size]


# --- tables ---------------------------------------------------------------------------------------------------------

LEVELS = {"tenure": ["owns", "rents"]}
PEOPLE = [pd.DataFrame({"tenure": ["rents"] * 3 + ["owns"] * one}) for one in (1, 0)]


def dirichlet(which, size, rng):
    """Synthetic owners, of five, with the prior that the promise demands."""
    return dp.private_table(PEOPLE[which], levels=LEVELS, n_synthetic=5, epsilon=1.0, m=size, rng=rng).counts[0]


def prior_of_the_file(which, size, rng):
    """The same, with a prior that is spread over the cells like the records of the file."""
    counts = np.array([1.0 - which, 3.0])
    prior = 2 * dp.minimum_pseudocount(1.0, 5) * counts / counts.sum()
    return stats.betabinom.rvs(5, *np.maximum(counts + prior, 1e-12), size=size, random_state=rng)


def levels_of_the_file(which, size, rng):
    """Noise on the cells that occur."""
    return np.zeros(size) if which else laplace()(2, size, rng)


def pmse(which, size, rng):
    return dp.private_pmse_table(PEOPLE[which], levels=LEVELS, n_synthetic=6, epsilon=2.0, m=size, rng=rng).counts[0]


def counts(family: Any, pseudocount: float) -> Any:
    """A cell of one record, or of none."""
    return lambda which, size, rng: family.at(pseudocount if which else 1.0).rvs(size, rng=rng)


def promised(family: Any, pseudocount: float, **options: Any) -> float:
    return float(slc.count_epsilon(family, 0.05, pseudocount=pseudocount, **options).epsilon[0])


# --- the pseudo posterior, exactly, on a grid -----------------------------------------------------------------------


class Grid(NamedTuple):
    """A model whose parameters are points, and two neighboring files; the output is the log ratio of the drawn point."""

    log_density: Callable[[np.ndarray], np.ndarray]  # of the records (n,): shape (points, n)
    files: tuple[np.ndarray, np.ndarray]
    signed: bool

    def posterior(self, y: np.ndarray, bound: float, weigh: Any, clip: Any) -> np.ndarray:
        log = self.log_density(y)
        value = clip(Clipped(bound, self.signed, 0.0, ()), log, weigh(log)).sum(axis=1)
        return np.exp(value - np.logaddexp.reduce(value))

    def draws(self, bound: float, weigh: Any = None, clip: Any = None) -> Any:
        weigh = weigh or (lambda log: np.ones(log.shape[1]))
        clip = clip or (lambda how, log, alpha: how.contributions(log, alpha))
        p = [self.posterior(y, bound, weigh, clip) for y in self.files]
        with np.errstate(divide="ignore"):
            score = np.clip(np.log(p[0]) - np.log(p[1]), -50, 50)
        return lambda which, size, rng: score[rng.choice(score.size, size, p=p[which])]


def normals(y):
    mu, log_sd = np.meshgrid(np.linspace(-2, 4, 25), np.linspace(-1, 1.5, 12))
    return stats.norm.logpdf(y[None], mu.ravel()[:, None], np.exp(log_sd).ravel()[:, None])


def count_law(y):
    mu, phi = np.meshgrid(np.linspace(0.5, 12, 40), np.geomspace(0.3, 30, 20))
    mu, phi = mu.ravel()[:, None], phi.ravel()[:, None]
    return stats.nbinom.logpmf(y[None], phi, phi / (phi + mu))


SIXTY = stats.norm.ppf((np.arange(60) + 0.5) / 60)
TWO = Grid(
    lambda y: stats.norm.logpdf(y[None], np.array([[-1.0], [1.0]]), 0.01),
    (np.array([-1.0, 1.0]), np.array([-1.0])),
    True,
)
FAR_OUT = Grid(normals, (np.append(SIXTY, 9.0), SIXTY), True)
NORMAL = Grid(normals, (np.array([-1.3, -0.5, 0.0, 0.5, 1.3, 2.5]), np.array([-1.3, -0.5, 0.0, 0.5, 1.3])), True)
COUNTS = Grid(count_law, (np.array([2.0, 3, 3, 5, 9]), np.array([2.0, 3, 3, 5])), False)


def one_sign(how, log, alpha):
    return np.minimum(log, how.bound)


def of_the_file(log):
    """Weights from the largest bound of the file, which one person far out sets."""
    total = log.sum(axis=1)
    return lipschitz_weights(log[total > total.max() - 6], n=log.shape[1], quantile=1.0).weights


NBI, GAF = slc.NBI(sigma=1), slc.GAF(sigma=2, nu=1)

HONEST = {
    "Laplace noise": Claim(1.0, laplace()),
    "geometric noise, OpenDP": Claim(1.0, geometric, runs=10_000),
    "Gaussian noise, OpenDP": Claim(1.0, gaussian, delta=0.05, runs=4000),
    "randomised response, OpenDP": Claim(1.0, response, adjacency="replace", runs=4000),
    "exponential mechanism": Claim(1.0, chosen(monotone=False)),
    "private quantile": Claim(1.0, median),
    "histogram, replace": Claim(1.0, cells(2.0), adjacency="replace"),
    "two answers, composed": Claim(1.0, mean_of_two(0.5)),
    "Dirichlet-multinomial table": Claim(1.0, dirichlet, runs=10_000),
    "pMSE table": Claim(2.0, pmse, runs=10_000),
    "Poisson counts": Claim(promised(slc.Poisson(), 0.5), counts(slc.Poisson(), 0.5), delta=0.05),
    "negative binomial counts": Claim(promised(NBI, 0.5), counts(NBI, 0.5), delta=0.05),
    "gamma family counts": Claim(promised(GAF, 0.5, largest=5), counts(GAF, 0.5), delta=0.05),
    "clipped posterior, two points": Claim(1.0, TWO.draws(0.5)),
    "clipped posterior, densities": Claim(4.0, NORMAL.draws(2.0)),
    "clipped posterior, counts": Claim(4.0, COUNTS.draws(4.0)),
}

PLANTED = {
    "censor bound doubled": Claim(1.0, TWO.draws(1.0)),
    "clip forgotten on one sign": Claim(1.0, TWO.draws(0.5, clip=one_sign)),
    "weights from the largest bound of the file": Claim(4.0, FAR_OUT.draws(2.0, weigh=of_the_file), runs=100_000),
    "noise scale halved": Claim(1.0, laplace(0.5)),
    "sensitivity of add-remove used for replace": Claim(1.0, cells(1.0), adjacency="replace"),
    "seed used twice": Claim(1.0, cells(2.0, same_stream=True), adjacency="replace"),
    "second release on the same budget": Claim(1.0, mean_of_two(1.0)),
    "delta ignored": Claim(1.0, counts(slc.Poisson(), 0.05)),
    "bounds from the largest value of the file": Claim(1.0, largest_of_the_file),
    "prior fitted to the file": Claim(1.0, prior_of_the_file),
    "levels read off the file": Claim(1.0, levels_of_the_file),
    "exact n under add-remove": Claim(1.0, divided_by_n),
    "negative noise drawn again": Claim(1.0, again_until_positive, runs=100_000),
    "factor 2 of the exponential mechanism left out": Claim(1.0, chosen(monotone=True)),
}
LEVEL = 1.0 - 0.001 / (len(HONEST) + len(PLANTED))


def audited(claim: Claim, seed: int = 20) -> dp.AuditResult:
    with_record, without, halves = np.random.default_rng(seed).spawn(3)
    return dp.epsilon_lower_bound(
        claim.draw(0, claim.runs, with_record),
        claim.draw(1, claim.runs, without),
        epsilon=claim.epsilon,
        delta=claim.delta,
        adjacency=claim.adjacency,
        level=LEVEL,
        rng=halves,
    )


# Mechanisms that draw one output at a time, or ask OpenDP, take longer though they have fewer runs.
QUICK = [name for name, claim in HONEST.items() if claim.runs == RUNS]
SLOW = [name for name in HONEST if name not in QUICK]


@pytest.mark.parametrize("names", [QUICK, pytest.param(SLOW, marks=pytest.mark.full)], ids=["quick", "slow"])
def test_no_honest_mechanism_is_above_its_claim(names):
    @every("name", names)
    def audit(name):
        if "OpenDP" in name:
            pytest.importorskip("opendp")
        found = audited(HONEST[name])
        assert found.epsilon_lower <= HONEST[name].epsilon, found
        assert not found.violated
        assert found.epsilon_lower > 0.02, found  # what the record changes is seen

    audit()


@every("name", PLANTED)
def test_every_planted_fault_is_found(name):
    found = audited(PLANTED[name])
    assert found.epsilon_lower > PLANTED[name].epsilon, found
    assert found.violated
    assert "The claim is refuted" in found.title


def test_with_its_delta_the_same_outputs_are_no_violation():
    """The event that refutes the claim without delta is what delta is for."""
    delta = float(slc.count_delta(slc.Poisson(), 1.0, pseudocount=0.05).delta[0])
    found = audited(PLANTED["delta ignored"]._replace(delta=delta))
    assert not found.violated
    assert found.epsilon_lower > 0.5
    assert f"claimed is 1 and delta {delta:.4g}" in found.title


def test_of_a_file_that_is_released_the_bound_grows_with_the_runs():
    bounds = [
        dp.epsilon_lower_bound(np.ones(runs), np.zeros(runs), level=0.95, rng=1).epsilon_lower
        for runs in (20, 200, 2000, 20_000)
    ]
    exact = [np.log(0.025 ** (2 / n) / (1 - 0.025 ** (2 / n))) for n in (20, 200, 2000, 20_000)]
    np.testing.assert_allclose(bounds, exact, rtol=1e-9)
    assert (np.diff(bounds) > 2).all()
