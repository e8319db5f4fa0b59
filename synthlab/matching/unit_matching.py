"""Matching of whole units, such as households: their members are assigned one to one.

A released unit matches a target unit if both have the same number of members and the members can be paired such that each
pair has the same block code and the released values are within the intervals of the target's member. Units are blocked on
the multiset of the block codes of their members. Within a block, the candidates are the units whose smallest value of the
first interval variable is between the smallest lower and the smallest upper end of the target's intervals, which every
match satisfies. Bipartite matching (augmenting paths) decides for each candidate.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from synthlab._system.compiled import compiled
from synthlab._typing import BoolArray, FloatArray, IntArray
from synthlab.matching.kernel import Intervals


@dataclass(frozen=True, slots=True, eq=False)
class Members:
    """Records of a file sorted by unit and block code.

    rows : (n,) positions of the records in this order. start : (units + 1,) first record of each unit in this order. unit :
    (n,) unit of each record in the order of the file. code : (n,) block codes in this order.
    """

    rows: IntArray
    start: IntArray
    unit: IntArray
    code: IntArray

    @classmethod
    def of(cls, unit: IntArray, code: IntArray) -> Members:
        """Sort the records of units numbered 0, 1, ... by unit and code.

        Examples
        --------
        >>> import numpy as np
        >>> Members.of(np.array([0, 1, 0]), np.array([5, 5, 4])).rows.tolist()
        [2, 0, 1]
        """
        rows = np.lexsort((code, unit)).astype(np.int64)
        start = np.concatenate([[0], np.cumsum(np.bincount(unit))]).astype(np.int64)
        return cls(rows, start, unit, code[rows])

    @property
    def size(self) -> IntArray:
        """Number of members of each unit."""
        return np.diff(self.start)


@dataclass(frozen=True, slots=True, eq=False)
class UnitMatches:
    """Matches of one dataset.

    units : (target units,) number of released units that match. own_unit : (target units,) whether the own unit matches.
    persons : (n,) number of released records that match a record in units that match its unit, given the other members.
    own_person : (n,) whether the record's own released record is one of them.
    """

    units: IntArray
    own_unit: BoolArray
    persons: IntArray
    own_person: BoolArray


def signatures(targets: Members, released: Members) -> tuple[IntArray, IntArray]:
    """Return the number of the multiset of codes of each unit of two files.

    Examples
    --------
    >>> import numpy as np
    >>> one = Members.of(np.array([0, 0, 1]), np.array([3, 4, 3]))
    >>> other = Members.of(np.array([0, 1, 1]), np.array([3, 4, 3]))
    >>> [codes.tolist() for codes in signatures(one, other)]
    [[1, 0], [0, 1]]
    """
    combined = np.empty(len(targets.size) + len(released.size), dtype=np.int64)
    sizes = np.concatenate([targets.size, released.size])
    largest = 0
    for size in np.unique(sizes):
        parts = []
        for members in (targets, released):
            first = members.start[:-1][members.size == size]
            parts.append(members.code[first[:, None] + np.arange(size)])
        codes = np.unique(np.concatenate(parts), axis=0, return_inverse=True)[1].reshape(-1)
        combined[sizes == size] = codes + largest
        largest += int(codes.max(initial=-1)) + 1
    return combined[: len(targets.size)], combined[len(targets.size) :]


def match_units(
    targets: Members,
    released: Members,
    intervals: Intervals | None,
    values: FloatArray,
    own: BoolArray | None,
) -> UnitMatches:
    """Count the released units that match each target unit.

    Parameters
    ----------
    targets : units of the confidential data
    released : units of a synthetic dataset; its codes equal those of `targets` if and only if the values are equal
    intervals : intervals of the n confidential records, (n, k); None if k = 0
    values : (n', k) values of the interval variables in the released records. Two missing values are within the interval of
        each other, because the code states what is missing.
    own : (units,) whether row i of the release describes record i for all members of a unit; None if rows do not correspond

    Returns
    -------
    UnitMatches
    """
    key, other = signatures(targets, released)
    n = len(targets.rows)
    if intervals is None:
        lower = upper = np.empty((n, 0))
        closed = True
    else:
        lower, upper, closed = intervals.lower[targets.rows], intervals.upper[targets.rows], intervals.closed
    value = values[released.rows]
    with np.errstate(invalid="ignore"):
        low, high, least = (
            _smallest(members, column) for members, column in _first(targets, released, lower, upper, value)
        )
    order = np.lexsort((least, other)).astype(np.int64)
    begin, stop = np.searchsorted(other[order], key), np.searchsorted(other[order], key, side="right")
    is_own = np.zeros(len(key), dtype=bool) if own is None else own
    place = np.empty(len(values), dtype=np.int64)  # position of each released record in its unit
    place[released.rows] = np.arange(len(values)) - np.repeat(released.start[:-1], released.size)
    own_unit = np.full(len(key), -1, dtype=np.int64)
    own_place = np.full(n, -1, dtype=np.int64)
    if own is not None:
        first = targets.rows[targets.start[:-1]]
        own_unit = np.where(is_own, released.unit[first], -1)
        own_place = place[targets.rows]
    units = np.zeros(len(key), dtype=np.int64)
    persons = np.zeros(n, dtype=np.int64)
    unit_found, person_found = np.zeros(len(key), dtype=bool), np.zeros(n, dtype=bool)
    _count(
        targets.start, targets.code, lower, upper, low, high, released.start, released.code, value, order, least,
        begin, stop, own_unit, own_place, closed, int(targets.size.max(initial=1)),
        units, unit_found, persons, person_found,
    )  # fmt: skip
    by_row, own_by_row = np.empty_like(persons), np.empty_like(person_found)
    by_row[targets.rows], own_by_row[targets.rows] = persons, person_found
    return UnitMatches(units, unit_found, by_row, own_by_row)


def _first(
    targets: Members, released: Members, lower: FloatArray, upper: FloatArray, value: FloatArray
) -> list[tuple[Members, FloatArray]]:
    """Return lower ends, upper ends and values of the first interval variable; zeros without such a variable."""
    if value.shape[1] == 0:
        nothing, none = np.zeros(len(targets.rows)), np.zeros(len(released.rows))
        return [(targets, nothing), (targets, nothing), (released, none)]
    return [(targets, lower[:, 0]), (targets, upper[:, 0]), (released, value[:, 0])]


def _smallest(members: Members, values: FloatArray) -> FloatArray:
    """Return the smallest value of the members of each unit; +inf if all are missing."""
    return np.asarray(np.minimum.reduceat(np.where(np.isnan(values), np.inf, values), members.start[:-1]))


@compiled
def _count(
    start: IntArray, code: IntArray, lower: FloatArray, upper: FloatArray, low: FloatArray, high: FloatArray,
    other_start: IntArray, other_code: IntArray, value: FloatArray, order: IntArray, least: FloatArray,
    begin: IntArray, stop: IntArray, own_unit: IntArray, own_place: IntArray, closed: bool, largest: int,
    units: IntArray, unit_found: BoolArray, persons: IntArray, person_found: BoolArray,
) -> None:  # fmt: skip
    """Count the matches of all target units, and of their members."""
    edge = np.zeros((largest, largest), dtype=np.bool_)
    reach = np.zeros((largest, largest), dtype=np.bool_)
    partner = np.zeros(largest, dtype=np.int64)  # target's member of each released member
    of = np.zeros(largest, dtype=np.int64)  # released member of each target's member
    queue, back = np.zeros(largest, dtype=np.int64), np.zeros(largest, dtype=np.int64)
    for u in range(begin.size):
        size = start[u + 1] - start[u]
        for position in range(begin[u], stop[u]):
            v = order[position]
            if least[v] > high[u]:
                break
            if least[v] < low[u]:
                continue
            if not _edges(edge, start[u], other_start[v], size, code, other_code, lower, upper, value, closed):
                continue
            if not _pair(edge, size, partner, of, queue, back):
                continue
            units[u] += 1
            _reachable(edge, size, partner, reach)
            own = v == own_unit[u]
            unit_found[u] |= own
            for p in range(size):
                for q in range(size):
                    # The pair is part of a perfect matching if it is in this one or on an alternating cycle.
                    if edge[p, q] and (of[p] == q or reach[partner[q], p]):
                        persons[start[u] + p] += 1
                        if own and own_place[start[u] + p] == q:
                            person_found[start[u] + p] = True


@compiled
def _edges(
    edge: BoolArray, first: int, other: int, size: int, code: IntArray, other_code: IntArray, lower: FloatArray,
    upper: FloatArray, value: FloatArray, closed: bool,
) -> bool:  # fmt: skip
    """Set which released member each target's member can be; return False if a member can be none."""
    for p in range(size):
        some = False
        for q in range(size):
            fits = code[first + p] == other_code[other + q]
            for j in range(value.shape[1]):
                if not fits:
                    break
                z, a, b = value[other + q, j], lower[first + p, j], upper[first + p, j]
                if np.isnan(z) and np.isnan(a):
                    continue
                fits = (a <= z <= b) if closed else (a < z < b)
            edge[p, q] = fits
            some |= fits
        if not some:
            return False
    return True


@compiled
def _pair(edge: BoolArray, size: int, partner: IntArray, of: IntArray, queue: IntArray, back: IntArray) -> bool:
    """Pair all members by augmenting paths; return False if this is impossible."""
    partner[:size] = -1
    of[:size] = -1
    for root in range(size):
        back[:size] = -1  # the target's member from which each released member was reached
        queue[0], head, tail, free = root, 0, 1, -1
        while head < tail and free < 0:
            p = queue[head]
            head += 1
            for q in range(size):
                if edge[p, q] and back[q] < 0:
                    back[q] = p
                    if partner[q] < 0:
                        free = q
                        break
                    queue[tail] = partner[q]
                    tail += 1
        if free < 0:
            return False
        while free >= 0:
            p = back[free]
            previous = of[p]
            partner[free], of[p] = p, free
            free = -1 if p == root else previous
    return True


@compiled
def _reachable(edge: BoolArray, size: int, partner: IntArray, reach: BoolArray) -> None:
    """Set which target's members are reached from each one by alternating paths."""
    reach[:size, :size] = False
    for p in range(size):
        for q in range(size):
            if edge[p, q]:
                reach[p, partner[q]] = True
    for middle in range(size):
        for p in range(size):
            if reach[p, middle]:
                for q in range(size):
                    reach[p, q] |= reach[middle, q]
