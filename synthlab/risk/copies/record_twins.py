"""Records, or units of several records, that differ in at most two columns: weighted counts for each of them."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from synthlab._system.compiled import compiled
from synthlab._typing import FloatArray, IntArray

GROUPED = 40  # cost of finding the group of a record, in comparisons of two records
NO_SETS = np.zeros((0, 0), dtype=np.uint64), np.zeros(0, dtype=np.int64)  # the rows are records


def weights_nearby(codes: IntArray, weights: FloatArray) -> FloatArray:
    """Return the sums of the weights of the records that differ from each record in exactly 0, 1 and 2 columns.

    Parameters
    ----------
    codes : numpy.ndarray of int, shape (u, p)
        Distinct records. Two values of a column are equal if their codes are equal.
    weights : numpy.ndarray, shape (u, k)
        k weights of each record.

    Returns
    -------
    numpy.ndarray, shape (u, 3, k)

    Notes
    -----
    Records that agree on all but two columns agree on at least one of three groups of columns, so that only records with the
    same values in a group are compared. If many records share these values, the records that agree on all columns, on all
    but one and on all but two are counted for every such set of columns instead, and the exact numbers of differences
    follow by inclusion and exclusion.
    """
    size, columns = codes.shape
    near = np.zeros((size, 3, weights.shape[1]))
    near[:, 0] = weights
    sets = 1 + columns + math.comb(columns, 2)
    if columns > 2:
        groups = _balanced_groups(codes)
        orders = [np.argsort(key, kind="stable") for key in groups]
        pairs = sum(
            float((_run_lengths(key[order]).astype(np.float64) ** 2).sum()) / 2
            for key, order in zip(groups, orders, strict=True)
        )
        if pairs <= GROUPED * float(sets) * size:
            for number, order in enumerate(orders):
                found = np.zeros_like(near)
                _compare_groups(codes[order], groups[:, order], number, order, *NO_SETS, weights[order], found)
                near[order] += found
            return near
    one, two = np.zeros_like(weights), np.zeros_like(weights)
    _sum_by_sets(codes, weights, one, two)
    near[:, 1] = one - columns * weights
    near[:, 2] = two - (columns - 1) * near[:, 1] - math.comb(columns, 2) * weights
    return near


def weights_nearby_sets(
    codes: IntArray, rows: IntArray, hashes: Any, starts: IntArray, weights: FloatArray
) -> FloatArray:
    """Return the sums of the weights of the units that differ from each unit in exactly 0, 1 and 2 columns.

    Two units differ in a column if their members do not agree jointly, as multisets, unless this column is omitted.

    Parameters
    ----------
    codes : numpy.ndarray of int, shape (units, p)
        Codes of the values of all members in each column. They can agree in every column without agreeing jointly.
    rows : numpy.ndarray of int, shape (u,)
        Distinct units that are compared.
    hashes : numpy.ndarray of uint64, shape (members, p or p + 1)
        Hashes of the values of each member, sorted by unit. A further column is always compared.
    starts : numpy.ndarray of int, shape (units + 1,)
        First member of each unit.
    weights : numpy.ndarray, shape (u, k)
        k weights of each compared unit.

    Returns
    -------
    numpy.ndarray, shape (u, 3, k)
    """
    near = np.zeros((rows.size, 3, weights.shape[1]))
    near[:, 0] = weights
    codes = codes[rows]
    groups = _balanced_groups(codes) if codes.shape[1] > 2 else np.zeros((1, rows.size), dtype=np.uint64)
    for number in range(len(groups)):
        order = np.argsort(groups[number], kind="stable")
        found = np.zeros_like(near)
        _compare_groups(codes[order], groups[:, order], number, rows[order], hashes, starts, weights[order], found)
        near[order] += found
    return near


def row_hashes(codes: IntArray) -> Any:
    """Return a 64-bit hash of each row."""
    hashes = np.zeros(codes.shape[0], dtype=np.uint64)
    _add_hashes(codes, np.arange(codes.shape[1]), hashes)
    return hashes


def _balanced_groups(codes: IntArray) -> Any:
    """Return the hashes of each row in three groups of columns with similar information, (3, u)."""
    shared = [
        -math.log(float((np.bincount(column).astype(np.float64) ** 2).sum()) / column.size**2) for column in codes.T
    ]
    members: list[list[int]] = [[], [], []]
    totals = [0.0, 0.0, 0.0]
    for column in sorted(range(len(shared)), key=lambda place: -shared[place]):
        smallest = min(range(3), key=lambda place: (totals[place], len(members[place])))
        members[smallest].append(column)
        totals[smallest] += shared[column]
    groups = np.zeros((3, codes.shape[0]), dtype=np.uint64)
    for place, chosen in enumerate(members):
        _add_hashes(codes, np.array(chosen, dtype=np.int64), groups[place])
    return groups


def _run_lengths(ordered: Any) -> IntArray:
    starts = np.flatnonzero(np.concatenate([[True], ordered[1:] != ordered[:-1]]))
    return np.diff(np.append(starts, ordered.size))


@compiled
def _hashed(code: Any, column: int) -> Any:
    """Return a 64-bit hash of a code (splitmix64), another one for each column."""
    x = np.uint64(code) + np.uint64(column + 1) * np.uint64(0x9E3779B97F4A7C15)
    x = (x ^ (x >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    x = (x ^ (x >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return x ^ (x >> np.uint64(31))


@compiled
def _add_hashes(codes: IntArray, columns: IntArray, hashes: Any) -> None:
    for i in range(codes.shape[0]):
        for j in columns:
            hashes[i] += _hashed(codes[i, j], j)


@compiled
def value_hashes(codes: IntArray) -> Any:
    """Return a 64-bit hash of each value, another one for each column."""
    hashes = np.zeros(codes.shape, dtype=np.uint64)
    for i in range(codes.shape[0]):
        for column in range(codes.shape[1]):
            hashes[i, column] = _hashed(codes[i, column], column)
    return hashes


@compiled
def set_hashes(sums: Any, starts: IntArray) -> Any:
    """Return a hash of the multiset of the members of each unit, from one hash per member."""
    found = np.zeros(starts.size - 1, dtype=np.uint64)
    for i in range(found.size):
        for member in range(starts[i], starts[i + 1]):
            found[i] += _hashed(sums[member], 0)
    return found


@compiled
def _last_bits(codes: IntArray) -> Any:
    """Return the last bits of the codes of each row in one number.

    Each column in which two rows differ changes at most one bit.
    """
    bits = np.zeros(codes.shape[0], dtype=np.uint64)
    for i in range(codes.shape[0]):
        for column in range(codes.shape[1]):
            bits[i] ^= np.uint64(codes[i, column] & 1) << np.uint64(column % 64)
    return bits


@compiled
def _differences(codes: IntArray, i: int, j: int) -> int:
    """Return in how many columns two rows differ; 3 for more than two."""
    differ = 0
    for column in range(codes.shape[1]):
        if codes[i, column] != codes[j, column]:
            differ += 1
            if differ == 3:
                break
    return differ


@compiled
def _agree_without(hashes: Any, starts: IntArray, a: int, b: int, first: int, second: int) -> Any:
    """Return whether two units have the same members without one column, or without two; -1: none."""
    total = np.uint64(0)
    for unit, sign in ((a, 1), (b, -1)):
        for member in range(starts[unit], starts[unit + 1]):
            key = np.uint64(0)
            for column in range(hashes.shape[1]):
                if column != first and column != second:
                    key += hashes[member, column]
            if sign > 0:
                total += _hashed(key, 0)
            else:
                total -= _hashed(key, 0)
    return total == np.uint64(0)


@compiled
def _joint_differences(codes: IntArray, i: int, j: int, hashes: Any, starts: IntArray, a: int, b: int) -> int:
    """Return the smallest number of columns without which units a and b agree; 3 for more than two.

    Rows i and j of `codes` are the codes of the units.
    """
    least, columns = _differences(codes, i, j), codes.shape[1]
    if least == 3:
        return 3
    first, second = -1, -1
    for column in range(columns):
        if codes[i, column] != codes[j, column]:
            first, second = column, first
    if least > 0 and _agree_without(hashes, starts, a, b, first, second):
        return least
    if least == 2:
        return 3
    if least == 0:
        for one in range(columns):
            if _agree_without(hashes, starts, a, b, one, -1):
                return 1
    for one in range(columns):
        for other in range(columns):
            allowed = (first < 0 and one < other) or (one == first and other != first)
            if allowed and _agree_without(hashes, starts, a, b, one, other):
                return 2
    return 3


@compiled
def _compare_groups(
    codes: IntArray,
    groups: Any,
    number: int,
    units: IntArray,
    hashes: Any,
    starts: IntArray,
    weights: FloatArray,
    near: FloatArray,
) -> None:
    """Compare the rows, which are sorted by a group of columns, with the rows of equal values in this group.

    Pairs that also agree on an earlier group were compared before. With `hashes`, the rows are units of several members.
    """
    start, size, bits = 0, codes.shape[0], _last_bits(codes)
    while start < size:
        stop = start + 1
        while stop < size and groups[number, stop] == groups[number, start]:
            stop += 1
        for i in range(start, stop):
            for j in range(i + 1, stop):
                changed = bits[i] ^ bits[j]
                changed &= changed - np.uint64(1)
                if changed & (changed - np.uint64(1)):
                    continue  # more than two bits, so that more than two columns differ
                if number > 0 and groups[0, i] == groups[0, j]:
                    continue
                if number > 1 and groups[1, i] == groups[1, j]:
                    continue
                if hashes.shape[0] == 0:
                    differ = _differences(codes, i, j)
                else:
                    differ = _joint_differences(codes, i, j, hashes, starts, units[i], units[j])
                if differ < 3:
                    for k in range(weights.shape[1]):
                        near[i, differ, k] += weights[j, k]
                        near[j, differ, k] += weights[i, k]
        start = stop


@compiled
def _sum_by_sets(codes: IntArray, weights: FloatArray, one: FloatArray, two: FloatArray) -> None:
    """Add the weights of the rows that agree on all columns but one, over these columns, and on all but two."""
    size, columns = codes.shape
    slots = 2
    while slots < 2 * size:
        slots *= 2
    keys, stamps = np.zeros(slots, dtype=np.uint64), np.zeros(slots, dtype=np.int64)
    sums, places = np.zeros((slots, weights.shape[1])), np.zeros(size, dtype=np.int64)
    total = np.zeros(size, dtype=np.uint64)
    for i in range(size):
        for j in range(columns):
            total[i] += _hashed(codes[i, j], j)
    stamp = 0
    for first in range(columns):
        for second in range(first, columns):
            stamp += 1
            for i in range(size):
                key = total[i] - _hashed(codes[i, first], first)
                if second > first:
                    key -= _hashed(codes[i, second], second)
                slot = np.int64(key & np.uint64(slots - 1))
                while stamps[slot] == stamp and keys[slot] != key:
                    slot = (slot + 1) & (slots - 1)
                if stamps[slot] != stamp:
                    stamps[slot], keys[slot] = stamp, key
                    sums[slot] = 0.0
                sums[slot] += weights[i]
                places[i] = slot
            found = one if second == first else two
            for i in range(size):
                found[i] += sums[places[i]]
