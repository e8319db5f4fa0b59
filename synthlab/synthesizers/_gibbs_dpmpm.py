"""Blocked Gibbs sampler of the Dirichlet process mixture of products of multinomials.

The target, for records i, classes k = 1..K and variables j, is

    prod_i pi_{z_i} [prod_j psi_{z_i, j, x_ij}]^{w_i}  p(pi | alpha) p(psi) p(alpha),

with the truncated stick-breaking prior pi_k = V_k prod_{l<k} (1 - V_l), V_k ~ Beta(1, alpha), V_K = 1,
psi_kj ~ Dirichlet(1, ..., 1), alpha ~ Gamma(a, b) (shape, rate).

Given the classes z, an iteration moves what else there is with pi integrated out, since alpha and
the order of the classes would hardly move given pi: neighbouring labels are exchanged (Metropolis), alpha
is drawn by slice sampling, and only then pi and psi are drawn from their full conditionals. With
m_k the records in class k and R those in the classes after k + 1, exchanging k and k + 1
changes the probability of z by the factor (alpha + m_{k+1} + R) / (alpha + m_k + R).

Records that agree in all variables and in their weight have the same class probabilities, so these
are computed once for each such pattern; only the draw of the class is made for every record.
"""

from __future__ import annotations

import math
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass

import numpy as np

from synthlab import _parallel
from synthlab._typing import FloatArray, IntArray
from synthlab.synthesizers._compiled import compiled
from synthlab.synthesizers._pymc import SamplerOptions

CHUNK = 25  # iterations between two looks at the keyboard and the progress bar


@dataclass(frozen=True, slots=True, eq=False)
class Patterns:
    """The distinct records.

    Parameters
    ----------
    rows : ndarray of shape (g, J)
        For each pattern and variable the row of psi that belongs to its level.
    size : ndarray of shape (g,)
        Number of records.
    weight : ndarray of shape (g,)
        Weight of each of these records.
    first : ndarray of shape (J + 1,)
        Rows first[j] to first[j + 1] of psi are the levels of variable j.
    """

    rows: IntArray
    size: IntArray
    weight: FloatArray
    first: IntArray


@dataclass(frozen=True, slots=True, eq=False)
class Kept:
    """The kept draws of all chains, each with shape (chains, draws, ...)."""

    pi: FloatArray
    psi: FloatArray
    alpha: FloatArray
    occupied: FloatArray

    def keep(self, rows: IntArray) -> Kept:
        """Return these draws alone, as one chain."""
        arrays = (self.pi, self.psi, self.alpha, self.occupied)
        return Kept(*(a.reshape(-1, *a.shape[2:])[rows][None] for a in arrays))


def sample_dpmpm(
    patterns: Patterns,
    classes: int,
    prior: tuple[float, float],
    options: SamplerOptions,
    thin: int,
    streams: list[np.random.Generator],
) -> Kept:
    """Run the chains side by side, a chunk of iterations at a time."""
    from tqdm import tqdm

    levels, total = int(patterns.first[-1]), options.tune + options.draws * thin
    shape = (len(streams), options.draws)
    kept = Kept(np.empty((*shape, classes)), np.empty((*shape, levels, classes)), np.empty(shape), np.empty(shape))
    states = [_start(patterns, classes, stream) for stream in streams]

    def advance(chain: int, done: int) -> None:
        pi, psi, alpha = states[chain]
        _iterate(
            min(CHUNK, total - done), done, options.tune, thin,
            patterns.rows, patterns.size, patterns.weight, patterns.first, prior[0], prior[1],
            pi, psi, alpha, streams[chain],
            kept.pi[chain], kept.psi[chain], kept.alpha[chain], kept.occupied[chain],
        )  # fmt: skip

    workers = _parallel.workers(len(streams))
    bar = tqdm(total=total, desc="Gibbs", unit="it", disable=not options.progress, leave=False)
    with bar, ThreadPoolExecutor(workers) as pool:
        for done in range(0, total, CHUNK):
            list(pool.map(advance, range(len(streams)), [done] * len(streams)))
            bar.update(min(CHUNK, total - done))
    return kept


def _start(patterns: Patterns, classes: int, rng: np.random.Generator) -> tuple[FloatArray, FloatArray, FloatArray]:
    """Start with equal classes and probabilities of the levels from their prior.

    Chains that start with all classes in use, and lose the superfluous ones, get stuck less than chains
    that start with few.
    """
    psi = np.empty((int(patterns.first[-1]), classes))
    for start, end in zip(patterns.first[:-1], patterns.first[1:], strict=True):
        gammas = rng.standard_gamma(1.0, size=(end - start, classes))
        psi[start:end] = gammas / gammas.sum(axis=0)
    return np.full(classes, 1.0 / classes), psi, np.ones(1)


@compiled
def _iterate(
    steps: int, done: int, tune: int, thin: int, rows: IntArray, size: IntArray, weight: FloatArray, first: IntArray,
    a: float, b: float, pi: FloatArray, psi: FloatArray, alpha: FloatArray, rng: np.random.Generator,
    kept_pi: FloatArray, kept_psi: FloatArray, kept_alpha: FloatArray, kept_occupied: FloatArray,
) -> None:  # fmt: skip
    K = pi.size
    probability, cumulative = np.empty(K), np.empty(K)
    members = np.empty(K)
    counts = np.empty(psi.shape)
    for step in range(done, done + steps):
        counts[:] = 0.0
        members[:] = 0.0
        for g in range(rows.shape[0]):
            _class_probability(probability, pi, psi, rows[g], weight[g])
            total = 0.0
            for k in range(K):
                total += probability[k]
                cumulative[k] = total
            for _ in range(size[g]):
                k = min(int(np.searchsorted(cumulative, rng.random() * total, side="right")), K - 1)
                members[k] += 1
                for j in range(rows.shape[1]):
                    counts[rows[g, j], k] += weight[g]
        _exchange_labels(members, counts, alpha[0], rng)
        alpha[0] = _draw_alpha(alpha[0], members, a, b, rng)
        for j in range(first.size - 1):
            for k in range(K):
                total = 0.0
                for row in range(first[j], first[j + 1]):
                    psi[row, k] = rng.standard_gamma(1.0 + counts[row, k])
                    total += psi[row, k]
                for row in range(first[j], first[j + 1]):
                    psi[row, k] /= total
        log_left, remaining = 0.0, members.sum()
        for k in range(K - 1):
            remaining = max(remaining - members[k], 0.0)
            here = rng.standard_gamma(1.0 + members[k])
            later = max(rng.standard_gamma(alpha[0] + remaining), 1e-300)
            pi[k] = np.exp(log_left) * here / (here + later)
            log_left += np.log(later / (here + later))
        pi[K - 1] = np.exp(log_left)
        if step >= tune and (step - tune + 1) % thin == 0:
            s = (step - tune) // thin
            kept_pi[s] = pi
            kept_psi[s] = psi
            kept_alpha[s] = alpha[0]
            occupied = 0
            for k in range(K):
                occupied += members[k] > 0
            kept_occupied[s] = occupied


@compiled
def _exchange_labels(members: FloatArray, counts: FloatArray, alpha: float, rng: np.random.Generator) -> None:
    """Propose to exchange each pair of neighbouring classes but the last, whose stick is not random."""
    after = members.sum()
    for k in range(members.size - 2):
        after -= members[k]
        rest = max(after - members[k + 1], 0.0)
        if rng.random() * (alpha + members[k] + rest) < alpha + members[k + 1] + rest:
            members[k], members[k + 1] = members[k + 1], members[k]
            for row in range(counts.shape[0]):
                counts[row, k], counts[row, k + 1] = counts[row, k + 1], counts[row, k]
            after = rest + members[k + 1]


@compiled
def _log_density_alpha(log_alpha: float, members: FloatArray, a: float, b: float) -> float:
    """Log density of log alpha given the records in the classes, pi integrated out."""
    K, alpha = members.size, math.exp(log_alpha)
    tail = members[K - 1]
    value = a * log_alpha - b * alpha + (K - 1) * log_alpha + math.lgamma(alpha + tail)
    for k in range(K - 2, 0, -1):
        tail += members[k]
        value -= math.log(alpha + tail)
    return value - math.lgamma(1.0 + alpha + tail + members[0])


@compiled
def _draw_alpha(alpha: float, members: FloatArray, a: float, b: float, rng: np.random.Generator) -> float:
    """Draw alpha by slice sampling on the log scale (Neal 2003: stepping out, shrinking)."""
    here = math.log(alpha)
    height = _log_density_alpha(here, members, a, b) - rng.standard_exponential()
    low = here - rng.random()
    high = low + 1.0
    while low > -30.0 and _log_density_alpha(low, members, a, b) > height:
        low -= 1.0
    while high < 30.0 and _log_density_alpha(high, members, a, b) > height:
        high += 1.0
    while True:
        new = low + rng.random() * (high - low)
        if _log_density_alpha(new, members, a, b) >= height or high - low < 1e-12:
            return math.exp(new)
        if new < here:
            low = new
        else:
            high = new


@compiled
def _class_probability(out: FloatArray, pi: FloatArray, psi: FloatArray, row: IntArray, weight: float) -> None:
    """Fill `out` with pi_k [prod_j psi_kj]^weight up to a factor; in logs when the product would vanish."""
    K = pi.size
    largest = 0.0
    if weight == 1.0:
        for k in range(K):
            out[k] = pi[k]
        for j in range(row.size):
            for k in range(K):
                out[k] *= psi[row[j], k]
        for k in range(K):
            largest = max(largest, out[k])
        if largest > 1e-200:
            return
    largest = -np.inf
    for k in range(K):
        value = 0.0
        for j in range(row.size):
            value += np.log(max(psi[row[j], k], 1e-300))
        out[k] = np.log(max(pi[k], 1e-300)) + weight * value
        largest = max(largest, out[k])
    for k in range(K):
        out[k] = np.exp(out[k] - largest)
