"""Blocked Gibbs sampler of the nested Dirichlet process mixture of products of multinomials.

The target, for units i with size h_i and variables x_i, and their members j, is the mixture truncated to possible units,

    prod_i [pi_{G_i} {prod_k lambda_{G_i, k, x_ik}}^w_i prod_j omega_{G_i, M_ij} {prod_k phi_{G_i, M_ij, k, x_ijk}}^w_i]
    / Pr(possible)^{sum_i w_i}  p(pi | alpha) p(omega | beta) p(lambda) p(phi) p(alpha) p(beta),

with truncated stick-breaking priors of pi and of each omega_g, flat Dirichlet priors of lambda and phi, and gamma priors
of alpha and beta. The size is the first of the variables with probabilities lambda.

Each iteration adds the impossible units that the mixture would generate before the n-th possible one. Their number is
negative binomial with n = sum_i w_i. For the fractional part f of n, the impossible units before one more possible unit
are each added with a probability from Beta(f, 1 - f): a Beta(f, 1 - f) share of a standard exponential variable is
Gamma(f), so the number of added units is negative binomial with f. If the impossible units are added by size, this is done
for each size apart, with n_h = the sum of the weights of the units of the size.
"""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass

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
from synthlab.synthesizers._impossible_units import add_impossible, hardly_possible
from synthlab.synthesizers._pymc import SamplerOptions
from synthlab.synthesizers._unit_zeros import Zeros, pick, sums_of

CHUNK = 5  # iterations between checks for interrupts and updates of the progress bar
LEAST = 1e-300


@dataclass(frozen=True, slots=True, eq=False)
class Units:
    """Units as rows of the level probabilities.

    Parameters
    ----------
    rows : ndarray of int, shape (n, q)
        The row of lambda of each unit and household variable; the size is the first variable.
    weight : ndarray of float, shape (n,)
    start : ndarray of int, shape (n + 1,)
        Members ``start[i]`` to ``start[i + 1]`` belong to unit i.
    pattern : ndarray of int, shape (members,)
        The pattern of each member.
    patterns : ndarray of int, shape (g, p)
        Distinct members as rows of phi, in lexical order.
    pattern_weight : ndarray of float, shape (g,)
    size : ndarray of int, shape (H,)
        Number of members of the units of each size, without the head if its variables are household variables.
    first, first_household : ndarray of int
        First rows of the variables of members and of households.
    """

    rows: IntArray
    weight: FloatArray
    start: IntArray
    pattern: IntArray
    patterns: IntArray
    pattern_weight: FloatArray
    size: IntArray
    first: IntArray
    first_household: IntArray


@dataclass(frozen=True, slots=True, eq=False)
class KeptNested:
    """Kept draws of all chains, each with shape (chains, draws, ...)."""

    pi: FloatArray
    omega: FloatArray
    household: FloatArray
    phi: FloatArray
    alpha: FloatArray
    beta: FloatArray
    occupied: FloatArray
    occupied_members: FloatArray
    impossible: FloatArray

    def keep(self, rows: IntArray) -> KeptNested:
        """Return a subset of the draws as one chain."""
        arrays = (getattr(self, name) for name in self.__dataclass_fields__)
        return KeptNested(*(a.reshape(-1, *a.shape[2:])[rows][None] for a in arrays))


def sample_nested(
    units: Units,
    classes: tuple[int, int],
    prior: tuple[float, float],
    options: SamplerOptions,
    thin: int,
    streams: list[np.random.Generator],
    zeros: Zeros,
    by_size: bool = False,
) -> KeptNested:
    """Run the chains in parallel, in chunks of iterations.

    With `by_size`, the impossible units of each size are drawn before the n_h-th possible unit of this size.

    Raises
    ------
    FitError
        If hardly any unit of the mixture is possible.
    """
    from tqdm import tqdm

    (F, S), total = classes, options.tune + options.draws * thin
    shape = (len(streams), options.draws)
    levels, outer = int(units.first[-1]), int(units.first_household[-1])
    kept = KeptNested(
        np.empty((*shape, F)), np.empty((*shape, F, S)), np.empty((*shape, outer, F)), np.empty((*shape, levels, F * S)),
        np.empty(shape), np.empty(shape), np.empty(shape), np.empty(shape), np.empty((*shape, units.size.size)),
    )  # fmt: skip
    states = [_start(units, F, S, stream) for stream in streams]
    target: FloatArray = np.bincount(units.rows[:, 0], units.weight, units.size.size).astype(np.float64)
    if not by_size:
        target = np.array([target.sum()])

    def advance(chain: int, done: int) -> bool:
        found: bool = _iterate(
            min(CHUNK, total - done), done, options.tune, thin,
            units.rows, units.weight, units.start, units.pattern, units.patterns, units.pattern_weight,
            units.size, units.first, units.first_household, zeros, target, prior[0], prior[1], *states[chain], streams[chain],
            kept.pi[chain], kept.omega[chain], kept.household[chain], kept.phi[chain], kept.alpha[chain],
            kept.beta[chain], kept.occupied[chain], kept.occupied_members[chain], kept.impossible[chain],
        )  # fmt: skip
        return found

    workers = parallel.workers(len(streams))
    bar = tqdm(total=total, desc="Gibbs", unit="it", disable=not options.progress, leave=False)
    with bar, ThreadPoolExecutor(workers) as pool:
        for done in range(0, total, CHUNK):
            if not all(pool.map(advance, range(len(streams)), [done] * len(streams))):
                raise hardly_possible()
            bar.update(min(CHUNK, total - done))
    return kept


def _start(
    units: Units, F: int, S: int, rng: np.random.Generator
) -> tuple[FloatArray, FloatArray, FloatArray, FloatArray, FloatArray]:
    """Return start values: equal classes, and level probabilities near the shares of the file."""
    members = units.patterns[units.pattern]
    household = _near_shares(units.rows, units.first_household, F, rng)
    phi = _near_shares(members, units.first, F * S, rng)
    return np.full(F, 1.0 / F), np.full((F, S), 1.0 / S), household, phi, np.ones(2)


def _near_shares(rows: IntArray, first: IntArray, classes: int, rng: np.random.Generator) -> FloatArray:
    """Return level probabilities drawn from Dirichlet distributions around the shares of the file."""
    result = np.empty((int(first[-1]), classes))
    for j in range(first.size - 1):
        levels = slice(first[j], first[j + 1])
        counts = np.bincount(rows[:, j] - first[j], minlength=first[j + 1] - first[j])
        shape = 0.5 + 10.0 * counts / max(len(rows), 1)
        gammas = rng.standard_gamma(shape[:, None], size=(shape.size, classes)) + 1e-12
        result[levels] = gammas / gammas.sum(axis=0)
    return result


@compiled
def _iterate(
    steps: int, done: int, tune: int, thin: int, rows: IntArray, weight: FloatArray, start: IntArray, pattern: IntArray,
    patterns: IntArray, pattern_weight: FloatArray, size: IntArray, first: IntArray, first_household: IntArray,
    zeros: Zeros, target: FloatArray, a: float, b: float, pi: FloatArray, omega: FloatArray, household: FloatArray, phi: FloatArray,
    concentration: FloatArray, rng: np.random.Generator,
    kept_pi: FloatArray, kept_omega: FloatArray, kept_household: FloatArray, kept_phi: FloatArray,
    kept_alpha: FloatArray, kept_beta: FloatArray, kept_occupied: FloatArray, kept_occupied_members: FloatArray,
    kept_impossible: FloatArray,
) -> bool:  # fmt: skip
    F, S = omega.shape
    number = np.empty(F)  # of units in each class
    members = np.empty((F, S))
    of_household, of_member = np.empty(household.shape), np.empty(phi.shape)
    impossible = np.zeros(size.size)
    order = np.empty(F * S, np.int64)
    for step in range(done, done + steps):
        number[:] = 0.0
        members[:] = 0.0
        of_household[:] = 0.0
        of_member[:] = 0.0
        impossible[:] = 0.0
        _draw_classes(
            number, members, of_household, of_member, rows, weight, start, pattern, patterns, pattern_weight, pi, omega,
            household, phi, rng,
        )  # fmt: skip
        occupied, most = 0, 0
        for g in range(F):
            occupied += number[g] > 0
            inner = 0
            for m in range(S):
                inner += members[g, m] > 0
            most = max(most, inner)
        if zeros.member.size > 0:
            sums = sums_of(pi, omega, household, phi, size, first, first_household, zeros)
            if not add_impossible(
                number, members, of_household, of_member, impossible, target, sums, household, zeros, rng
            ):
                return False
        classes = exchange_labels(number, concentration[0], rng)
        reorder_columns(of_household, classes)
        reorder_columns(members.T, classes)
        for g in range(F):
            inner_order = exchange_labels(members[g], concentration[1], rng)
            for m in range(S):
                order[g * S + m] = classes[g] * S + inner_order[m]
        reorder_columns(of_member, order)
        concentration[0] = draw_concentration(concentration[0], number.reshape(1, F), a, b, rng)
        concentration[1] = draw_concentration(concentration[1], members, a, b, rng)
        draw_probabilities(household, of_household, first_household, rng)
        draw_probabilities(phi, of_member, first, rng)
        draw_sticks(pi, number, concentration[0], rng)
        for g in range(F):
            draw_sticks(omega[g], members[g], concentration[1], rng)
        if step >= tune and (step - tune + 1) % thin == 0:
            s = (step - tune) // thin
            copy_into(kept_pi[s], pi)
            copy_into(kept_omega[s], omega)
            copy_into(kept_household[s], household)
            copy_into(kept_phi[s], phi)
            copy_into(kept_impossible[s], impossible)
            kept_alpha[s], kept_beta[s] = concentration[0], concentration[1]
            kept_occupied[s], kept_occupied_members[s] = occupied, most
    return True


@compiled
def log_of_patterns(patterns: IntArray, weight: FloatArray, omega: FloatArray, phi: FloatArray) -> FloatArray:
    """Return the log probability of each distinct member in each household class, shape (g, F).

    The weight of a pattern is the exponent of the probability in the class of the member.
    """
    F, S = omega.shape
    J = patterns.shape[1]
    result = np.empty((patterns.shape[0], F))
    product = np.empty((J + 1, F * S))
    copy_into(product[0], omega.reshape(F * S))
    for p in range(patterns.shape[0]):
        shared = 0
        if p > 0:
            while shared < J and patterns[p, shared] == patterns[p - 1, shared]:
                shared += 1
        for j in range(shared, J):
            row = patterns[p, j]
            for c in range(F * S):
                product[j + 1, c] = product[j, c] * phi[row, c]
        for g in range(F):
            total = 0.0
            for m in range(S):
                total += product[J, g * S + m]
            result[p, g] = np.log(total) if total > LEAST else -np.inf
        if weight[p] != 1.0 or result[p].min() == -np.inf:
            for g in range(F):
                logs = _logs_within(patterns[p], weight[p], g, omega, phi)
                top = logs.max()
                result[p, g] = top + np.log(np.exp(logs - top).sum())
    return result


@compiled
def _logs_within(row: IntArray, weight: float, g: int, omega: FloatArray, phi: FloatArray) -> FloatArray:
    """Return the log probability of a member and each of its classes within a household class, shape (S,)."""
    S = omega.shape[1]
    logs = np.empty(S)
    for m in range(S):
        total = 0.0
        for j in range(row.size):
            total += np.log(max(phi[row[j], g * S + m], LEAST))
        logs[m] = np.log(max(omega[g, m], LEAST)) + weight * total
    return logs


@compiled
def _draw_classes(
    number: FloatArray, members: FloatArray, of_household: FloatArray, of_member: FloatArray, rows: IntArray,
    weight: FloatArray, start: IntArray, pattern: IntArray, patterns: IntArray, pattern_weight: FloatArray,
    pi: FloatArray, omega: FloatArray, household: FloatArray, phi: FloatArray, rng: np.random.Generator,
) -> None:  # fmt: skip
    """Draw the classes of all units and members; count units, members and the weights of levels."""
    F, S = omega.shape
    inside = log_of_patterns(patterns, pattern_weight, omega, phi)
    log_pi = np.log(np.maximum(pi, LEAST))
    log_household = np.log(np.maximum(household, LEAST))
    joint, within = np.empty(F), np.empty(S)
    for i in range(rows.shape[0]):
        for g in range(F):
            joint[g] = 0.0
        for k in range(rows.shape[1]):
            for g in range(F):
                joint[g] += log_household[rows[i, k], g]
        for g in range(F):
            joint[g] = log_pi[g] + weight[i] * joint[g]
        for t in range(start[i], start[i + 1]):
            for g in range(F):
                joint[g] += inside[pattern[t], g]
        top, total = joint.max(), 0.0
        for g in range(F):
            total += np.exp(joint[g] - top)
            joint[g] = total
        g = pick(joint, 0, F, rng)
        number[g] += 1.0
        for k in range(rows.shape[1]):
            of_household[rows[i, k], g] += weight[i]
        for t in range(start[i], start[i + 1]):
            row = patterns[pattern[t]]
            total = 0.0
            for m in range(S):
                value = omega[g, m]
                for j in range(row.size):
                    value *= phi[row[j], g * S + m]
                total += value
                within[m] = total
            if weight[i] != 1.0 or total <= LEAST:
                logs = _logs_within(row, weight[i], g, omega, phi)
                copy_into(within, np.cumsum(np.exp(logs - logs.max())))
            m = pick(within, 0, S, rng)
            members[g, m] += 1.0
            for j in range(row.size):
                of_member[row[j], g * S + m] += weight[i]
