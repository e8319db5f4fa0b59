"""Gibbs steps for truncated stick-breaking weights and products of multinomials, done in place."""

from __future__ import annotations

import math

import numpy as np

from synthlab._system.compiled import compiled
from synthlab._typing import FloatArray, IntArray


@compiled
def draw_probabilities(psi: FloatArray, counts: FloatArray, first: IntArray, rng: np.random.Generator) -> None:
    """Draw level probabilities, shape (levels, K), given the counts of levels and a flat Dirichlet prior."""
    for j in range(first.size - 1):
        for k in range(psi.shape[1]):
            total = 0.0
            for row in range(first[j], first[j + 1]):
                psi[row, k] = rng.standard_gamma(1.0 + counts[row, k])
                total += psi[row, k]
            for row in range(first[j], first[j + 1]):
                psi[row, k] /= total


@compiled
def draw_sticks(pi: FloatArray, members: FloatArray, alpha: float, rng: np.random.Generator) -> None:
    """Draw the class weights given the class sizes and the concentration parameter."""
    K = pi.size
    log_left, remaining = 0.0, members.sum()
    for k in range(K - 1):
        remaining = max(remaining - members[k], 0.0)
        here = rng.standard_gamma(1.0 + members[k])
        later = max(rng.standard_gamma(alpha + remaining), 1e-300)
        pi[k] = np.exp(log_left) * here / (here + later)
        log_left += np.log(later / (here + later))
    pi[K - 1] = np.exp(log_left)


@compiled
def exchange_labels(members: FloatArray, alpha: float, rng: np.random.Generator) -> IntArray:
    """Propose to exchange each pair of neighboring classes except the last pair, and return their new order.

    The stick of the last class is not random.
    """
    order = np.arange(members.size)
    after = members.sum()
    for k in range(members.size - 2):
        after -= members[k]
        rest = max(after - members[k + 1], 0.0)
        if rng.random() * (alpha + members[k] + rest) < alpha + members[k + 1] + rest:
            members[k], members[k + 1] = members[k + 1], members[k]
            order[k], order[k + 1] = order[k + 1], order[k]
            after = rest + members[k + 1]
    return order


@compiled
def reorder_columns(counts: FloatArray, order: IntArray) -> None:
    """Bring the columns of a matrix into a new order."""
    before = np.empty(order.size)
    for row in range(counts.shape[0]):
        for k in range(order.size):
            before[k] = counts[row, k]
        for k in range(order.size):
            counts[row, k] = before[order[k]]


@compiled
def _log_density(log_alpha: float, members: FloatArray, a: float, b: float) -> float:
    """Return the log density of the log concentration parameter given class sizes, with the weights integrated out."""
    K, alpha = members.shape[1], math.exp(log_alpha)
    value = a * log_alpha - b * alpha
    for g in range(members.shape[0] if K > 1 else 0):
        tail = members[g, K - 1]
        value = value + (K - 1) * log_alpha + math.lgamma(alpha + tail)
        for k in range(K - 2, 0, -1):
            tail += members[g, k]
            value -= math.log(alpha + tail)
        value -= math.lgamma(1.0 + alpha + tail + members[g, 0])
    return value


@compiled
def draw_concentration(alpha: float, members: FloatArray, a: float, b: float, rng: np.random.Generator) -> float:
    """Draw a concentration parameter by slice sampling on the log scale (Neal 2003).

    Each row of `members`, shape (G, K), has the class sizes of one stick-breaking process with this parameter.
    """
    here = math.log(alpha)
    height = _log_density(here, members, a, b) - rng.standard_exponential()
    low = here - rng.random()
    high = low + 1.0
    while low > -30.0 and _log_density(low, members, a, b) > height:
        low -= 1.0
    while high < 30.0 and _log_density(high, members, a, b) > height:
        high += 1.0
    while True:
        new = low + rng.random() * (high - low)
        if _log_density(new, members, a, b) >= height or high - low < 1e-12:
            return math.exp(new)
        if new < here:
            low = new
        else:
            high = new
