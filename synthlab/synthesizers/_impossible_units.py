"""Impossible households that accompany possible ones, and random draws of possible households.

Most of the impossible units break a rule about the first variable of the rules alone. For these units, only the numbers
of members with each level of this variable are drawn one by one. The other variables of impossible units are independent
given the classes, so only their counts are drawn.
"""

from __future__ import annotations

import numpy as np

from synthlab._system.compiled import compiled
from synthlab._typing import FloatArray, IntArray
from synthlab.exceptions import FitError
from synthlab.synthesizers._gibbs_structural_zeros import part_of, spread
from synthlab.synthesizers._unit_zeros import POSSIBLE, RELATION, Sums, Zeros, draw_unit, pick, sums_of

MOST_PER_UNIT = 10_000  # largest number of impossible units per possible one


def hardly_possible() -> FitError:
    """Return the error that hardly any unit of the mixture is possible."""
    return FitError(
        f"rules: fewer than 1 in {MOST_PER_UNIT:,} units of the mixture satisfy the rules; use head='household', fit with "
        "more classes, remove a rule, or use the sequential model"
    )


@compiled
def classes_by_size(sums: Sums) -> FloatArray:
    """Return the sums of the probabilities of each size and class, shape (H, F)."""
    result = np.empty((sums.size.size, sums.pi.size))
    for h in range(sums.size.size):
        total, before = 0.0, 0.0
        for g in range(sums.pi.size):
            share = sums.household[g, h] - (sums.household[g, h - 1] if h > 0 else 0.0)
            total += (sums.pi[g] - before) * share
            before = sums.pi[g]
            result[h, g] = total
    return result


@compiled
def add_impossible(
    number: FloatArray, members: FloatArray, of_household: FloatArray, of_member: FloatArray, impossible: FloatArray,
    target: FloatArray, sums: Sums, household: FloatArray, zeros: Zeros, rng: np.random.Generator,
) -> bool:  # fmt: skip
    """Add the impossible units before `target` possible ones to the counts; return False if there are too many.

    With several numbers in `target`, the units of each size are drawn apart.
    """
    F, S = sums.omega.shape
    V = zeros.member.size
    cell = np.zeros((sums.size.max() + 1, V), np.int64)
    rows = np.zeros((sums.size.max() + 1, V), np.int64)
    own = np.zeros(sums.size.max() + 1, np.int64)
    head = np.zeros(V, np.int64)
    early = np.zeros(F, np.int64)  # units that break a rule about the first variable
    late = np.zeros(F, np.int64)
    early_level = np.zeros((sums.relation.shape[1], F), np.int64)
    early_member, late_member = np.zeros(F * S, np.int64), np.zeros(F * S, np.int64)
    by_size = target.size > 1
    of_size = classes_by_size(sums)
    for stream in range(target.size):
        whole = int(np.floor(target[stream] + 1e-9))
        rest = max(target[stream] - whole, 0.0)
        share = 1.0
        possible, trials, most = 0, 0.0, MOST_PER_UNIT * (target[stream] + 1000.0)
        while possible < whole + (rest > 1e-9):
            if possible == whole and share == 1.0:
                share = rng.beta(rest, 1.0 - rest)
            trials += 1.0
            if trials > most:
                return False
            if by_size:
                h = stream
                g = pick(of_size[h], 0, F, rng)
            else:
                g = pick(sums.pi, 0, F, rng)
                h = pick(sums.household[g], 0, sums.first_household[1], rng)
            result = draw_unit(g, sums.size[h], sums, zeros, cell, rows, own, head, rng)
            if result == POSSIBLE:
                possible += 1
                continue
            if share < 1.0 and rng.random() > share:
                continue
            impossible[h] += 1.0
            of_household[h, g] += 1.0
            if result == RELATION:
                early[g] += 1
                start = sums.first[zeros.member[0]]
                for i in range(sums.size[h]):
                    early_level[rows[i, 0] - start, g] += 1
                continue
            late[g] += 1
            for v in range(V if zeros.head.size > 0 else 0):
                if zeros.head[v] >= 0:
                    of_household[head[v], g] += 1.0
            for i in range(sums.size[h]):
                c = g * S + own[i]
                late_member[c] += 1
                for v in range(V):
                    of_member[rows[i, v], c] += 1.0
    _add_early(early_level, early_member, of_member, sums, zeros, rng)
    for k in range(1, sums.first_household.size - 1):
        levels = np.arange(sums.first_household[k], sums.first_household[k + 1])
        drawn = zeros.head.size > 0 and (zeros.head == k).any()
        for g in range(F):
            count = early[g] if drawn else early[g] + late[g]
            spread(of_household, count, 1.0, levels, household, g, rng)
    for j in range(sums.first.size - 1):
        levels = np.arange(sums.first[j], sums.first[j + 1])
        drawn = (zeros.member == j).any()
        for c in range(F * S):
            count = early_member[c] if drawn else early_member[c] + late_member[c]
            if j != zeros.member[0]:
                spread(of_member, count, 1.0, levels, sums.phi, c, rng)
    for g in range(F):
        number[g] += early[g] + late[g]
        for m in range(S):
            members[g, m] += early_member[g * S + m] + late_member[g * S + m]
    return True


@compiled
def _add_early(
    early_level: IntArray, early_member: IntArray, of_member: FloatArray, sums: Sums, zeros: Zeros,
    rng: np.random.Generator,
) -> None:  # fmt: skip
    """Draw the classes of the members of impossible units of which only the first variable was drawn."""
    F, S = sums.omega.shape
    start = sums.first[zeros.member[0]]
    joint = np.empty(S)
    for level in range(early_level.shape[0]):
        row = start + level
        for g in range(F):
            last, total = 0.0, 0.0
            for m in range(S):
                joint[m] = (sums.omega[g, m] - last) * sums.phi[row, g * S + m]
                last = sums.omega[g, m]
                total += joint[m]
            left = early_level[level, g]
            for m in range(S):
                here = part_of(left, joint[m], total, rng) if m < S - 1 else left
                left, total = left - here, total - joint[m]
                early_member[g * S + m] += here
                of_member[row, g * S + m] += here


@compiled
def share_possible(
    wanted: int, most: int, pi: FloatArray, omega: FloatArray, household: FloatArray, phi: FloatArray, size: IntArray,
    first: IntArray, first_household: IntArray, zeros: Zeros, rng: np.random.Generator,
) -> tuple[int, int]:  # fmt: skip
    """Draw units until `wanted` are possible or `most` are drawn; return the numbers of possible and of all units."""
    sums = sums_of(pi, omega, household, phi, size, first, first_household, zeros)
    V = zeros.member.size
    cell, rows = np.zeros((size.max() + 1, V), np.int64), np.zeros((size.max() + 1, V), np.int64)
    own, head = np.zeros(size.max() + 1, np.int64), np.zeros(V, np.int64)
    possible, trials = 0, 0
    while possible < wanted and trials < most:
        trials += 1
        g = pick(sums.pi, 0, pi.size, rng)
        h = pick(sums.household[g], 0, first_household[1], rng)
        possible += draw_unit(g, size[h], sums, zeros, cell, rows, own, head, rng) == POSSIBLE
    return possible, trials


@compiled
def draw_sizes(
    number: int, pi: FloatArray, omega: FloatArray, household: FloatArray, phi: FloatArray, size: IntArray,
    first: IntArray, first_household: IntArray, zeros: Zeros, rng: np.random.Generator,
) -> IntArray:  # fmt: skip
    """Draw the sizes of possible units, as numbers of the size; -1 if too few units are possible."""
    sums = sums_of(pi, omega, household, phi, size, first, first_household, zeros)
    V = zeros.member.size
    cell, rows = np.zeros((size.max() + 1, V), np.int64), np.zeros((size.max() + 1, V), np.int64)
    own, head = np.zeros(size.max() + 1, np.int64), np.zeros(V, np.int64)
    result = np.full(number, -1, np.int64)
    done, trials = 0, 0.0
    while done < number and trials < MOST_PER_UNIT * (number + 1000.0):
        trials += 1.0
        g = pick(sums.pi, 0, pi.size, rng)
        h = pick(sums.household[g], 0, first_household[1], rng)
        if draw_unit(g, size[h], sums, zeros, cell, rows, own, head, rng) == POSSIBLE:
            result[done] = h
            done += 1
    return result


@compiled
def draw_units(
    sizes: IntArray, household_rows: IntArray, member_rows: IntArray, pi: FloatArray, omega: FloatArray,
    household: FloatArray, phi: FloatArray, size: IntArray, first: IntArray, first_household: IntArray, zeros: Zeros,
    rng: np.random.Generator,
) -> bool:  # fmt: skip
    """Draw possible units of given sizes as rows of the level probabilities; return False if too few are possible."""
    sums = sums_of(pi, omega, household, phi, size, first, first_household, zeros)
    F, S = omega.shape
    V = zeros.member.size
    cell, rows = np.zeros((size.max() + 1, V), np.int64), np.zeros((size.max() + 1, V), np.int64)
    own, head = np.zeros(size.max() + 1, np.int64), np.zeros(V, np.int64)
    of_size = classes_by_size(sums)
    place, trials = 0, 0.0
    for i in range(sizes.size):
        h = sizes[i]
        while True:
            trials += 1.0
            if trials > MOST_PER_UNIT * (sizes.size + 1000.0):
                return False
            g = pick(of_size[h], 0, F, rng)
            if draw_unit(g, size[h], sums, zeros, cell, rows, own, head, rng) == POSSIBLE:
                break
        household_rows[i, 0] = h
        for k in range(1, first_household.size - 1):
            household_rows[i, k] = pick(sums.household[g], first_household[k], first_household[k + 1], rng)
        for v in range(V if zeros.head.size > 0 else 0):
            if zeros.head[v] >= 0:
                household_rows[i, zeros.head[v]] = head[v]
        for t in range(size[h]):
            c = g * S + own[t]
            for j in range(first.size - 1):
                member_rows[place, j] = pick(sums.member[c], first[j], first[j + 1], rng)
            for v in range(V):
                member_rows[place, zeros.member[v]] = rows[t, v]
            place += 1
    return True
