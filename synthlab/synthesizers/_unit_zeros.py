"""Rules of units in the form that compiled code checks, and random draws of units from a nested mixture."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from synthlab._system.compiled import compiled
from synthlab._typing import BoolArray, FloatArray, IntArray

EXACTLY_ONE, AT_MOST_ONE, DIFFERENCE, DIFFERENT = range(4)
RELATION, RECORD, POSSIBLE = range(3)  # results of `draw_unit`
TOLERANCE = 1e-9  # of differences of numbers, as in `Difference`


class Zeros(NamedTuple):
    """Rules in the form of arrays; V variables occur in rules, each with codes 0, 1, ... for its values.

    Attributes
    ----------
    kind : ndarray of int, shape (R,)
        The kind of each rule.
    variable : ndarray of int, shape (R, 2)
        The variable with the levels, and the variable that is compared.
    level : ndarray of int, shape (R, 2)
        Codes of the levels.
    gap : ndarray of float, shape (R,)
        The smallest difference.
    value : ndarray of float, shape (V, C)
        The number of each code; NaN if it is not a number.
    allowed : ndarray of bool, shape (pairs, C, C)
        Combinations of codes that a record can have.
    pair : ndarray of int, shape (pairs, 2)
        The two variables of each table of `allowed`.
    member, head : ndarray of int, shape (V,)
        The variable among the variables of members, and the household variable with the value of the head. `head` is
        empty if the head is a member like the others; -1 is the variable with the relation to the head.
    member_code, household_code : ndarray of int
        The code of each row of the level probabilities of members and households.
    head_level : ndarray of int, shape (1,)
        The code of the relation of the head.
    """

    kind: IntArray
    variable: IntArray
    level: IntArray
    gap: FloatArray
    value: FloatArray
    allowed: BoolArray
    pair: IntArray
    member: IntArray
    head: IntArray
    member_code: IntArray
    household_code: IntArray
    head_level: IntArray


class Sums(NamedTuple):
    """Cumulative probabilities of one draw of the parameters.

    Attributes
    ----------
    size : ndarray of int, shape (H,)
        Number of members of the units of each size, without the head if its variables are household variables.
    first, first_household : ndarray of int
        First rows of the variables of members and of households.
    pi : ndarray, shape (F,)
    household : ndarray, shape (F, levels)
        Sums within each household variable; the first one is the size.
    relation : ndarray, shape (F, levels)
        Sums of the probabilities of the first variable of the rules.
    omega : ndarray, shape (F, S)
    member : ndarray, shape (F * S, levels)
        Sums within each variable of members.
    phi : ndarray, shape (levels, F * S)
    """

    size: IntArray
    first: IntArray
    first_household: IntArray
    pi: FloatArray
    household: FloatArray
    relation: FloatArray
    omega: FloatArray
    member: FloatArray
    phi: FloatArray


@compiled
def _running(target: FloatArray, source: FloatArray, first: IntArray) -> None:
    """Write the sums within each variable, shape (K, levels), of probabilities of shape (levels, K)."""
    for j in range(first.size - 1):
        for k in range(source.shape[1]):
            total = 0.0
            for row in range(first[j], first[j + 1]):
                total += source[row, k]
                target[k, row] = total


@compiled
def sums_of(
    pi: FloatArray, omega: FloatArray, household: FloatArray, phi: FloatArray,
    size: IntArray, first: IntArray, first_household: IntArray, zeros: Zeros,
) -> Sums:  # fmt: skip
    """Return the cumulative probabilities of one draw of the parameters."""
    F, S = omega.shape
    of_household = np.empty((F, household.shape[0]))
    _running(of_household, household, first_household)
    of_member = np.empty((F * S, phi.shape[0]))
    _running(of_member, phi, first)
    start, end = 0, 0
    if zeros.member.size > 0:
        start, end = first[zeros.member[0]], first[zeros.member[0] + 1]
    relation = np.zeros((F, end - start))
    classes = np.empty((F, S))
    for g in range(F):
        total = 0.0
        for m in range(S):
            total += omega[g, m]
            classes[g, m] = total
        total = 0.0
        for row in range(start, end):
            for m in range(S):
                total += omega[g, m] * phi[row, g * S + m]
            relation[g, row - start] = total
    return Sums(size, first, first_household, np.cumsum(pi), of_household, relation, classes, of_member, phi)


@compiled
def pick(sums: FloatArray, start: int, end: int, rng: np.random.Generator) -> int:
    """Draw a position from `start` to `end` - 1 given cumulative probabilities."""
    mark = rng.random() * sums[end - 1]
    low, high = start, end - 1
    while low < high:
        middle = (low + high) // 2
        if sums[middle] > mark:
            high = middle
        else:
            low = middle + 1
    return low


@compiled
def draw_unit(
    g: int, members: int, sums: Sums, zeros: Zeros, cell: IntArray, rows: IntArray, own: IntArray, head: IntArray,
    rng: np.random.Generator,
) -> int:  # fmt: skip
    """Draw the variables of the rules for one unit of class g, and return whether the unit is possible.

    The first variable of the rules is drawn first, because most impossible units break a rule about this variable
    alone. Then the result is RELATION, and the classes of the members are not drawn.

    Parameters
    ----------
    cell : ndarray of int, shape (most members + 1, V)
        Receives the codes of the members, the head first if its variables are household variables.
    rows : ndarray of int, shape (most members, V)
        Receives the rows of phi.
    own : ndarray of int, shape (most members,)
        Receives the classes of the members.
    head : ndarray of int, shape (V,)
        Receives the rows of the household probabilities of the head.
    """
    V, S = zeros.member.size, sums.omega.shape[1]
    if V == 0:
        for i in range(members):
            own[i] = pick(sums.omega[g], 0, S, rng)
        return POSSIBLE
    ahead = 1 if zeros.head.size > 0 else 0
    if ahead == 1:
        for v in range(V):
            if zeros.head[v] < 0:
                cell[0, v] = zeros.head_level[0]
    start = sums.first[zeros.member[0]]
    for i in range(members):
        rows[i, 0] = start + pick(sums.relation[g], 0, sums.relation.shape[1], rng)
        cell[ahead + i, 0] = zeros.member_code[rows[i, 0]]
    if not (ahead == 1 and zeros.head[0] >= 0) and not counts_hold(cell, ahead + members, 0, zeros):
        return RELATION
    if ahead == 1:
        for v in range(V):
            k = zeros.head[v]
            if k >= 0:
                head[v] = pick(sums.household[g], sums.first_household[k], sums.first_household[k + 1], rng)
                cell[0, v] = zeros.household_code[head[v]]
    posterior = np.empty(S)
    for i in range(members):
        total, last = 0.0, 0.0
        for m in range(S):
            total += (sums.omega[g, m] - last) * sums.phi[rows[i, 0], g * S + m]
            last = sums.omega[g, m]
            posterior[m] = total
        own[i] = pick(posterior, 0, S, rng)
        for v in range(1, V):
            j = zeros.member[v]
            rows[i, v] = pick(sums.member[g * S + own[i]], sums.first[j], sums.first[j + 1], rng)
            cell[ahead + i, v] = zeros.member_code[rows[i, v]]
    return POSSIBLE if rules_hold(cell, ahead + members, zeros) else RECORD


@compiled
def counts_hold(cell: IntArray, members: int, variable: int, zeros: Zeros) -> bool:
    """Return whether the members satisfy the rules that count the members with a level of one variable."""
    for r in range(zeros.kind.size):
        if zeros.kind[r] > AT_MOST_ONE or zeros.variable[r, 0] != variable:
            continue
        count = 0
        for i in range(members):
            count += cell[i, variable] == zeros.level[r, 0]
        if count > 1 or (count == 0 and zeros.kind[r] == EXACTLY_ONE):
            return False
    return True


@compiled
def rules_hold(cell: IntArray, members: int, zeros: Zeros) -> bool:
    """Return whether the members of one unit satisfy all rules."""
    for v in range(zeros.member.size):
        if not counts_hold(cell, members, v, zeros):
            return False
    for r in range(zeros.kind.size):
        if zeros.kind[r] < DIFFERENCE:
            continue
        relation, variable = zeros.variable[r, 0], zeros.variable[r, 1]
        for i in range(members):
            if cell[i, relation] != zeros.level[r, 0]:
                continue
            for j in range(members):
                if cell[j, relation] != zeros.level[r, 1]:
                    continue
                if zeros.kind[r] == DIFFERENT:
                    if cell[i, variable] == cell[j, variable]:
                        return False
                elif (
                    zeros.value[variable, cell[i, variable]] - zeros.value[variable, cell[j, variable]]
                    < zeros.gap[r] - TOLERANCE
                ):
                    return False
    for p in range(zeros.pair.shape[0]):
        for i in range(members):
            if not zeros.allowed[p, cell[i, zeros.pair[p, 0]], cell[i, zeros.pair[p, 1]]]:
                return False
    return True
