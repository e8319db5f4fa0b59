"""Augmentation of the DPMPM sampler with records in the impossible region.

Structural zeros divide the likelihood of n records by (1 - p)^n, where p is the probability of the impossible region S
under the mixture. Manrique-Vallier & Reiter (2014, Journal of Computational and Graphical Statistics 23, 1061-1079)
remove this factor by data augmentation. Given pi and psi, the number of records in S that accompany n possible records
is negative binomial, ``sum_r C(n + r - 1, r) p^r = (1 - p)^-n``. These records are distributed over S according to the
mixture. With both kinds of records, the conditionals of pi, psi and alpha are the same as without structural zeros.

S is a union of disjoint boxes. Pi, psi and alpha depend on the added records only through counts, so only counts are
drawn: over the boxes, over the classes within a box, and over the levels of each variable within both. The time does
not depend on the number of added records.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from synthlab._system.compiled import compiled
from synthlab._typing import BoolArray, FloatArray, IntArray
from synthlab.synthesizers._compiled import copy_into


@dataclass(frozen=True, slots=True, eq=False)
class Boxes:
    """Disjoint boxes as products of factors, which are sets of levels of one variable.

    Sets that contain all levels of a variable are omitted.


    Parameters
    ----------
    levels, levels_from : ndarray of int
        Rows ``levels[levels_from[f]:levels_from[f + 1]]`` of psi are the levels of factor f.
    variable : ndarray of int, shape (F,)
        The variable of each factor; factors of the same variable follow one another.
    factors, factors_from : ndarray of int
        ``factors[factors_from[c]:factors_from[c + 1]]`` are the factors of box c.
    """

    levels: IntArray
    levels_from: IntArray
    variable: IntArray
    factors: IntArray
    factors_from: IntArray

    @classmethod
    def of(cls, boxes: BoolArray, first: IntArray) -> Boxes:
        """Return the boxes given as a mask of levels, shape (C, levels)."""
        member: list[IntArray] = []
        variable: list[int] = []
        number = np.full((len(boxes), first.size - 1), -1, dtype=np.int64)  # factor of each box and variable
        for j in range(first.size - 1):
            sets, which = np.unique(boxes[:, first[j] : first[j + 1]], axis=0, return_inverse=True)
            for s in np.flatnonzero(~sets.all(axis=1)):
                number[which.reshape(-1) == s, j] = len(member)
                member.append(first[j] + np.flatnonzero(sets[s]))
                variable.append(j)
        used = number >= 0
        return cls(
            np.concatenate(member),
            np.cumsum([0, *map(len, member)]),
            np.array(variable, dtype=np.int64),
            number[used],
            np.cumsum([0, *used.sum(axis=1)]),
        )


@compiled
def add_impossible(
    members: FloatArray, counts: FloatArray, records: float, pi: FloatArray, psi: FloatArray, first: IntArray,
    levels: IntArray, levels_from: IntArray, variable: IntArray, factors: IntArray, factors_from: IntArray,
    rng: np.random.Generator,
) -> None:  # fmt: skip
    """Add the impossible records that accompany `records` to the counts."""
    K, C, F = pi.size, factors_from.size - 1, variable.size
    mass = np.zeros((F, K))
    for f in range(F):
        for i in range(levels_from[f], levels_from[f + 1]):
            for k in range(K):
                mass[f, k] += psi[levels[i], k]
    joint = np.empty((C, K))
    box = np.empty(C)
    for c in range(C):
        copy_into(joint[c], pi)
        for i in range(factors_from[c], factors_from[c + 1]):
            for k in range(K):
                joint[c, k] *= mass[factors[i], k]
        box[c] = joint[c].sum()
    p = box.sum()
    if p <= 0.0:
        return
    left = rng.poisson(rng.standard_gamma(records) * p / max(1.0 - p, 1e-12))
    in_class = np.zeros(K, np.int64)
    in_factor = np.zeros((F, K), np.int64)
    for c in range(C):
        here = part_of(left, box[c], p, rng) if c < C - 1 else left
        left, p = left - here, p - box[c]
        rest = box[c]
        for k in range(K):
            if here == 0:
                break
            drawn = part_of(here, joint[c, k], rest, rng) if k < K - 1 else here
            here, rest = here - drawn, rest - joint[c, k]
            in_class[k] += drawn
            for i in range(factors_from[c], factors_from[c + 1]):
                in_factor[factors[i], k] += drawn
    for k in range(K):
        members[k] += in_class[k]
        f = 0
        for j in range(first.size - 1):
            free = in_class[k]
            while f < F and variable[f] == j:
                free -= in_factor[f, k]
                spread(counts, in_factor[f, k], mass[f, k], levels[levels_from[f] : levels_from[f + 1]], psi, k, rng)
                f += 1
            spread(counts, free, 1.0, np.arange(first[j], first[j + 1]), psi, k, rng)


@compiled
def spread(
    counts: FloatArray, number: int, total: float, rows: IntArray, psi: FloatArray, k: int, rng: np.random.Generator
) -> None:
    """Distribute records of class k over levels whose probabilities sum to `total`."""
    for i in range(rows.size):
        if number == 0:
            return
        here = part_of(number, psi[rows[i], k], total, rng) if i < rows.size - 1 else number
        counts[rows[i], k] += here
        number, total = number - here, total - psi[rows[i], k]


@compiled
def part_of(number: int, probability: float, total: float, rng: np.random.Generator) -> int:
    """Draw the number of records in a part with probability `probability / total`."""
    if number == 0 or probability <= 0.0:
        return 0
    if probability >= total:
        return number
    return int(rng.binomial(number, probability / total))
