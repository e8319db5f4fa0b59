"""Match probabilities (sparse) averaged over guesses, and their limit for many guesses."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

import numpy as np
import pandas as pd

from synthlab import _checks
from synthlab._typing import BoolArray, FloatArray, IntArray
from synthlab.exceptions import InputError
from synthlab.risk.posterior._targets import Matcher, Pairs

TIE = 1e-9  # relative tolerance within which two match probabilities are equal
BATCH = 3_000_000  # entries summed at a time


@dataclass(frozen=True, slots=True, eq=False)
class Average:
    """Averaged match probabilities of G profiles.

    matched : CSR (G, n), Pr(J = j) from the guesses in which j matches; spread : (G,), additional probability of each record
    that agrees on the known variables; outside : (G,), Pr(J = n + 1).
    """

    matched: Any
    spread: FloatArray
    outside: FloatArray


@dataclass(frozen=True, slots=True, eq=False)
class Population:
    """N_t, from the `weights` of the matching records or the `counts` of the profiles."""

    weights: FloatArray | None
    counts: FloatArray | None

    def size(self, pairs: Pairs) -> FloatArray:
        """Return N_t of each profile, at least the number of matching records."""
        if self.counts is not None:
            return np.maximum(self.counts, pairs.count)
        weights = self.weights if self.weights is not None else np.ones(0)
        total = np.bincount(pairs.profile, weights=weights[pairs.record], minlength=pairs.count.size)
        return np.maximum(total, pairs.count)


def average(
    guesses: Iterable[pd.DataFrame], matcher: Matcher, n: int, known_count: IntArray, *, fallback: bool,
    population: Population | None, classes: IntArray | None = None,
) -> Average:  # fmt: skip
    """Average Pr(J = j | t, Z_D, Y_S) over the guesses of Y_S.

    known_count : (G,) the number of records that agree with the profile on the known variables; classes : (n,) if given, the
    rows of all guesses but the first are known only up to an order within each class, and all orders are equally likely.
    """
    matched, shared = _Sum((matcher.size, n)), _Sum((matcher.size, n))
    spread, outside, number = np.zeros(matcher.size), np.zeros(matcher.size), 0
    for guess in guesses:
        pairs = matcher.match(guess)
        nobody = pairs.count == 0
        size = population.size(pairs) if population is not None else pairs.count.astype(np.float64)
        share = np.divide(1.0, size, out=np.zeros(matcher.size), where=~nobody)
        sums = shared if classes is not None and number else matched
        sums.add(pairs.profile, pairs.record, share[pairs.profile])
        if population is not None:
            outside += np.where(nobody, 1.0, (size - pairs.count) * share)
        else:
            falls_back = nobody & (known_count > 0) & fallback
            spread += falls_back / np.maximum(known_count, 1)
            outside += nobody & ~falls_back
        number += 1
    total = matched.total() + _class_means(shared.total(), classes) if classes is not None else matched.total()
    return Average(total / number, spread / number, outside / number)


def _class_means(matched: Any, classes: IntArray) -> Any:
    """Return the probabilities with the mean of its class for each record.

    The mean over all k! orders of k records gives each record the mean of the k probabilities.
    """
    from scipy.sparse import csr_array

    n, size = classes.size, np.bincount(classes)
    member = csr_array((np.ones(n), (np.arange(n), classes)), shape=(n, size.size))
    mean = csr_array((1.0 / size[classes], (classes, np.arange(n))), shape=(size.size, n))
    found = csr_array(matched @ member @ mean)
    found.sort_indices()
    return found


class _Sum:
    """Sparse sum of entries that are added in batches."""

    def __init__(self, shape: tuple[int, int]) -> None:
        from scipy.sparse import csr_array

        self._total: Any = csr_array(shape)
        self._parts: list[tuple[IntArray, IntArray, FloatArray]] = []
        self._size = 0

    def add(self, row: IntArray, column: IntArray, value: FloatArray) -> None:
        self._parts.append((row, column, value))
        self._size += row.size
        if self._size > BATCH:
            self.total()

    def total(self) -> Any:
        from scipy.sparse import csr_array

        if self._parts:
            row, column, value = (np.concatenate(p) for p in zip(*self._parts, strict=True))
            self._total = self._total + csr_array((value, (row, column)), shape=self._total.shape)
            self._total.sort_indices()
            self._parts, self._size = [], 0
        return self._total


def limit(
    probability: FloatArray, matcher: Matcher, known: Pairs, known_profile: IntArray, n: int, fallback: bool
) -> Average:
    r"""Average over infinitely many simulated datasets with independent records.

    If :math:`p_j` is the probability that record j matches, then
    :math:`Pr(J = j) = p_j \int_0^1 \prod_{i \ne j} (1 - p_i + p_i u) \, du`. With `fallback`, Pr(no match) is spread equally
    over the records that agree on the known variables.

    probability : (n, G) p_j of each record and profile; known : pairs of a known profile and a record that agrees on the
    known variables; known_profile : (G,) the known profile of each profile.
    """
    matched = _Sum((matcher.size, n))
    spread, outside = np.zeros(matcher.size), np.zeros(matcher.size)
    start = np.concatenate([[0], np.cumsum(known.count)])
    for g in range(matcher.size):
        rows = known.record[start[known_profile[g]] : start[known_profile[g] + 1]]
        p = probability[rows, g]
        used = p > 0
        share = share_of_match(p[used])
        matched.add(np.full(share.size, g), rows[used], share)
        nobody = float(np.prod(1 - p[used]))
        if fallback and rows.size:
            spread[g] = nobody / rows.size
        else:
            outside[g] = nobody
    return Average(matched.total(), spread, outside)


def share_of_match(p: FloatArray) -> FloatArray:
    """Return E[1{j matches} / number of matches] for independent matches with probabilities p, shape (n,)."""
    if p.size == 0:
        return np.empty(0)
    # The integrand is approximately exp(-sum(p) (1 - u)), so integrate over (1 - width, 1) and the rest separately.
    width = min(1.0, 40.0 / max(float(p.sum()), 1e-300))
    nodes, weights = _nodes()
    pieces = [(1 - width, 1.0)] + ([(0.0, 1 - width)] if width < 1 else [])
    result = np.zeros(p.size)
    for low, high in pieces:
        u, w = low + (high - low) * (nodes + 1) / 2, weights * (high - low) / 2
        factors = np.log1p(-p[:, None] * (1 - u))
        result += np.exp(factors.sum(axis=0) - factors) @ w
    return p * result


@lru_cache(maxsize=1)
def _nodes() -> tuple[FloatArray, FloatArray]:
    nodes, weights = np.polynomial.legendre.leggauss(60)
    return nodes, weights


@dataclass(frozen=True, slots=True, eq=False)
class Declared:
    """Declared match of each target: the largest probability, and the records that attain it.

    own : whether the target's own record attains it; the probability of this, if the own record is known up to its class.
    """

    largest: FloatArray
    count: IntArray
    own: BoolArray | FloatArray
    own_probability: FloatArray
    outside: FloatArray


def declare(
    result: Average,
    profile: IntArray,
    own: IntArray,
    own_known: BoolArray,
    known_count: IntArray,
    may_decline: bool,
) -> Declared:
    """Find the records with the largest match probability (ties within a relative 1e-9).

    profile : (t,) profile of each target; own : (t,) its own record, or -1; own_known : (t,) whether the own record agrees on
    the known variables.
    """
    matched = result.matched
    rows = np.repeat(np.arange(matched.shape[0]), np.diff(matched.indptr))
    values = matched.data + result.spread[rows]
    top = result.spread.copy()
    np.maximum.at(top, rows, values)
    at_top = values >= top[rows] * (1 - TIE)
    count = np.bincount(rows[at_top], minlength=top.size).astype(np.int64)
    # If no record ever matched, all records that agree on the known variables are tied, unless their probability is 0.
    bare = np.diff(matched.indptr) == 0
    count = np.where(bare, np.where(top > 0, known_count, 0), count)
    own_value = _entries(matched, rows, profile, own) + np.where(own_known, result.spread[profile], 0.0)
    largest = top[profile]
    at_own = (own_value > 0) & (own_value >= largest * (1 - TIE))
    if may_decline:
        declined = result.outside[profile] > largest * (1 + TIE)
        count_t, at_own = np.where(declined, 0, count[profile]), at_own & ~declined
    else:
        count_t = count[profile]
    return Declared(largest, count_t.astype(np.int64), at_own, own_value, result.outside[profile])


def _entries(matched: Any, rows: IntArray, profile: IntArray, record: IntArray) -> FloatArray:
    """Return the entries (profile[i], record[i]) of a CSR matrix with sorted indices; 0 for a negative record."""
    if matched.nnz == 0:
        return np.zeros(profile.size)
    keys = rows * matched.shape[1] + matched.indices
    wanted = profile * matched.shape[1] + record
    place = np.minimum(np.searchsorted(keys, wanted), keys.size - 1)
    return np.where((record >= 0) & (keys[place] == wanted), matched.data[place], 0.0)


def census_counts(
    population: pd.Series, confidential: pd.DataFrame, matcher_columns: Sequence[str], matcher: Matcher
) -> FloatArray:
    """Sum the counts of a census table over the cells consistent with each profile.

    Raise an error if the table has other variables or other types of values, or counts fewer people than the file.
    """
    names = list(population.index.names)
    if sorted(map(str, names)) != sorted(map(str, matcher_columns)):
        raise InputError(
            f"population: its index has the levels {names}, expected the known and synthesized variables {list(matcher_columns)}"
        )
    cells = population.index.to_frame(index=False)[list(matcher_columns)]
    _checks.check_same_kind(confidential, [cells], matcher_columns, name="population")
    counts = _checks.check_array(population, "population", "counts >= 0")
    if not np.isfinite(counts).all() or counts.min(initial=0.0) < 0:
        raise InputError("population: counts must be finite and >= 0")
    pairs = matcher.match(cells)
    size = np.bincount(pairs.profile, weights=counts[pairs.record], minlength=matcher.size)
    in_file = matcher.match(confidential).count
    short = np.flatnonzero(size < in_file * (1 - TIE))
    if short.size:
        raise InputError(
            f"population: counts fewer people than the file for {short.size} of {matcher.size} kinds of targets, the first "
            f"of them the record in row {matcher.first[short[0]]}; correct the counts, or pass N_t of each record"
        )
    return np.asarray(size, dtype=np.float64)


def given_counts(population: object, profile_first: IntArray, profile: IntArray, n: int) -> FloatArray:
    """Return N_t of each profile from N_t of each record."""
    counts = _checks.check_weights(population, n, "population")
    if not np.array_equal(counts, counts[profile_first][profile]):
        raise InputError("population: N_t must be equal for records about which the intruder has the same knowledge")
    return counts[profile_first]
