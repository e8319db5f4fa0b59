"""Blocked Gibbs sampler of the Dirichlet process mixture of multinomials.

The target, for records i, classes k = 1..K and variables j, is

    prod_i pi_{z_i} [prod_j psi_{z_i, j, x_ij}]^{w_i}  p(pi | alpha) p(psi) p(alpha),

with the truncated stick-breaking prior pi_k = V_k prod_{l<k} (1 - V_l), V_k ~ Beta(1, alpha), V_K = 1,
psi_kj ~ Dirichlet(1, ..., 1), alpha ~ Gamma(a, b) (shape, rate).

Given the classes z, an iteration first updates alpha and the order of the classes with pi integrated out, because they
would hardly change given pi. Neighboring labels are exchanged (Metropolis), and alpha is drawn by slice sampling. Then
pi and psi are drawn from their full conditionals. Let m_k be the number of records in class k, and R the number of
records in the classes after k + 1. Exchanging k and k + 1 changes the probability of z by the factor (alpha + m_{k+1} +
R) / (alpha + m_k + R).

If some records are impossible, the added impossible records are counted in the classes before pi, psi and alpha are
updated (`_gibbs_structural_zeros`).

Records with the same values and the same weight (a pattern) have the same class probabilities, which are computed once
per pattern. Only the class is drawn for every record. The patterns are in lexical order, so products over the leading
variables that a pattern shares with the previous pattern are reused.
"""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from dataclasses import astuple, dataclass

import numpy as np

from synthlab._system import parallel
from synthlab._system.compiled import compiled
from synthlab._typing import FloatArray, IntArray
from synthlab.synthesizers._compiled import copy_into
from synthlab.synthesizers._gibbs_sticks import (
    draw_concentration,
    draw_probabilities,
    draw_sticks,
    exchange_labels,
    reorder_columns,
)
from synthlab.synthesizers._gibbs_structural_zeros import Boxes, add_impossible
from synthlab.synthesizers._pymc import SamplerOptions

CHUNK = 25  # iterations between checks for interrupts and updates of the progress bar
VANISHING = 1e-200  # class probabilities are computed on the log scale if the largest one is below this


@dataclass(frozen=True, slots=True, eq=False)
class Patterns:
    """Distinct records.

    Parameters
    ----------
    rows : ndarray of shape (g, J)
        The row of psi for each pattern and variable, in lexical order.
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
    """Kept draws of all chains, each with shape (chains, draws, ...)."""

    pi: FloatArray
    psi: FloatArray
    alpha: FloatArray
    occupied: FloatArray

    def keep(self, rows: IntArray) -> Kept:
        """Return a subset of the draws as one chain."""
        arrays = (self.pi, self.psi, self.alpha, self.occupied)
        return Kept(*(a.reshape(-1, *a.shape[2:])[rows][None] for a in arrays))


def sample_dpmpm(
    patterns: Patterns,
    classes: int,
    prior: tuple[float, float],
    options: SamplerOptions,
    thin: int,
    streams: list[np.random.Generator],
    impossible: Boxes | None = None,
) -> Kept:
    """Run the chains in parallel, in chunks of iterations.

    Records in impossible boxes are added, if there are any.
    """
    from tqdm import tqdm

    levels, total = int(patterns.first[-1]), options.tune + options.draws * thin
    shape = (len(streams), options.draws)
    kept = Kept(np.empty((*shape, classes)), np.empty((*shape, levels, classes)), np.empty(shape), np.empty(shape))
    nothing = np.zeros(0, dtype=np.int64)
    zeros = (nothing,) * 5 if impossible is None else astuple(impossible)
    states = [_start(patterns, classes, stream) for stream in streams]

    def advance(chain: int, done: int) -> None:
        pi, psi, alpha = states[chain]
        _iterate(
            min(CHUNK, total - done), done, options.tune, thin,
            patterns.rows, patterns.size, patterns.weight, patterns.first, prior[0], prior[1],
            pi, psi, alpha, streams[chain], zeros,
            kept.pi[chain], kept.psi[chain], kept.alpha[chain], kept.occupied[chain],
        )  # fmt: skip

    workers = parallel.workers(len(streams))
    bar = tqdm(total=total, desc="Gibbs", unit="it", disable=not options.progress, leave=False)
    with bar, ThreadPoolExecutor(workers) as pool:
        for done in range(0, total, CHUNK):
            list(pool.map(advance, range(len(streams)), [done] * len(streams)))
            bar.update(min(CHUNK, total - done))
    return kept


def _start(patterns: Patterns, classes: int, rng: np.random.Generator) -> tuple[FloatArray, FloatArray, FloatArray]:
    """Return start values: equal classes, and level probabilities from their prior.

    Chains that start with all classes and lose superfluous ones mix better than chains that start with few.
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
    zeros: tuple[IntArray, IntArray, IntArray, IntArray, IntArray],
    kept_pi: FloatArray, kept_psi: FloatArray, kept_alpha: FloatArray, kept_occupied: FloatArray,
) -> None:  # fmt: skip
    K = pi.size
    members = np.empty(K)
    counts = np.empty(psi.shape)
    records = (size * weight).sum()
    for step in range(done, done + steps):
        _draw_classes(members, counts, rows, size, weight, pi, psi, rng)
        occupied = 0
        for k in range(K):
            occupied += members[k] > 0
        if zeros[2].size > 0:
            add_impossible(members, counts, records, pi, psi, first, *zeros, rng)
        reorder_columns(counts, exchange_labels(members, alpha[0], rng))
        alpha[0] = draw_concentration(alpha[0], members.reshape(1, K), a, b, rng)
        draw_probabilities(psi, counts, first, rng)
        draw_sticks(pi, members, alpha[0], rng)
        if step >= tune and (step - tune + 1) % thin == 0:
            s = (step - tune) // thin
            copy_into(kept_pi[s], pi)
            copy_into(kept_psi[s], psi)
            kept_alpha[s] = alpha[0]
            kept_occupied[s] = occupied


@compiled
def _draw_classes(
    members: FloatArray, counts: FloatArray, rows: IntArray, size: IntArray, weight: FloatArray,
    pi: FloatArray, psi: FloatArray, rng: np.random.Generator,
) -> None:  # fmt: skip
    """Draw the class of every record; count records per class and weights per level."""
    K, J = pi.size, rows.shape[1]
    cumulative = np.empty(K)
    logs = np.empty((0, K))
    product = np.empty((J + 1, K))  # pi_k times psi_k of the first j variables
    copy_into(product[0], pi)
    counts[:] = 0.0
    members[:] = 0.0
    for g in range(rows.shape[0]):
        shared = 0
        if g > 0:
            while shared < J and rows[g, shared] == rows[g - 1, shared]:
                shared += 1
        for j in range(shared, J):
            row = rows[g, j]
            for k in range(K):
                product[j + 1, k] = product[j, k] * psi[row, k]
        total = 0.0
        for k in range(K):
            total += product[J, k]
            cumulative[k] = total
        if weight[g] != 1.0 or not (total > 2.0 * K * VANISHING or product[J].max() > VANISHING):
            if logs.size == 0:
                logs = np.log(np.maximum(psi, 1e-300))
            total = _accumulate_powers(cumulative, pi, logs, rows[g], weight[g])
        for _ in range(size[g]):
            u = rng.random() * total
            chosen = 0
            for k in range(K):  # faster than a binary search, because it needs no branch prediction
                chosen += cumulative[k] <= u
            chosen = min(chosen, K - 1)
            members[chosen] += 1
            for j in range(J):
                counts[rows[g, j], chosen] += weight[g]


@compiled
def _accumulate_powers(cumulative: FloatArray, pi: FloatArray, logs: FloatArray, row: IntArray, weight: float) -> float:
    """Compute cumulative sums of pi_k [prod_j psi_kj]^weight up to a factor.

    The sums are stored in `cumulative`; the last one is returned.
    """
    K = pi.size
    cumulative[:] = 0.0
    for j in range(row.size):
        for k in range(K):
            cumulative[k] += logs[row[j], k]
    for k in range(K):
        cumulative[k] = np.log(max(pi[k], 1e-300)) + weight * cumulative[k]
    largest, total = cumulative.max(), 0.0
    for k in range(K):
        total += np.exp(cumulative[k] - largest)
        cumulative[k] = total
    return total


@compiled
def sums_of_logs(rows: IntArray, logs: FloatArray) -> FloatArray:
    """Return the sum of log psi over the variables of each pattern, shape (g, K)."""
    J, K = rows.shape[1], logs.shape[1]
    result = np.empty((rows.shape[0], K))
    upto = np.zeros((J + 1, K))
    for g in range(rows.shape[0]):
        shared = 0
        if g > 0:
            while shared < J and rows[g, shared] == rows[g - 1, shared]:
                shared += 1
        for j in range(shared, J):
            row = rows[g, j]
            for k in range(K):
                upto[j + 1, k] = upto[j, k] + logs[row, k]
        copy_into(result[g], upto[J])
    return result
