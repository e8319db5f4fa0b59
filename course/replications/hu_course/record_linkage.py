"""Probabilistic record linkage as the R package reclin 0.1.1 does it.

`synthlab.risk.linkage_risk` fixes the share of matches, maximizes the likelihood, and breaks ties at random. The slides
use reclin, which estimates the share of matches, stops the EM algorithm early, links greedily, and breaks ties by the
positions of the records in the files. These rules are implemented in this module.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import pandas as pd
from scipy.special import xlogy

from synthlab._typing import FloatArray, IntArray
from synthlab.matching.kernel import block_codes

START_M, START_U, START_SHARE = 0.95, 0.02, 0.05
TOLERANCE = 1e-5  # sum of the squared changes of the m and u probabilities in one iteration


@dataclass(frozen=True, slots=True, eq=False)
class Blocks:
    """All pairs of records with the same blocking values.

    Attributes
    ----------
    parts : list of (left rows, right rows, patterns)
        Row positions of both files in one block, and the agreement pattern of every pair: bit j states whether
        variable j agrees.
    counts : numpy.ndarray of int, shape (2**k,)
        Number of pairs with each pattern.
    agree : numpy.ndarray of int, shape (2**k, k)
        The bits of each pattern.
    """

    parts: list[tuple[IntArray, IntArray, IntArray]]
    counts: IntArray
    agree: IntArray


@dataclass(frozen=True, slots=True, eq=False)
class Linkage:
    """Pairs, match weights of the patterns (natural logarithm), and the link of each record of the left file.

    ``linked`` is the row position in the right file, -1 for a record without a link.
    """

    blocks: Blocks
    weights: FloatArray
    linked: IntArray

    @property
    def true_links(self) -> int:
        """Number of records linked to the record at the same position."""
        return int((self.linked == np.arange(self.linked.size)).sum())


def link(left: pd.DataFrame, right: pd.DataFrame, keys: Sequence[str], compared: Sequence[str]) -> Linkage:
    """Link the records of two files one to one.

    Parameters
    ----------
    left, right : pandas.DataFrame
        Two files without missing values.
    keys : sequence of str
        Variables that are equal in every pair.
    compared : sequence of str
        Variables whose agreement is scored.
    """
    blocks = pairs_within_blocks(left, right, keys, compared)
    weights = match_weights(blocks)
    return Linkage(blocks, weights, link_greedily(blocks, weights, len(left)))


def pairs_within_blocks(
    left: pd.DataFrame, right: pd.DataFrame, keys: Sequence[str], compared: Sequence[str]
) -> Blocks:
    """Return all pairs with the same keys and their agreement patterns."""
    ours, theirs = block_codes([left, right], list(keys))
    values = [(left[name].to_numpy(), right[name].to_numpy()) for name in compared]
    counts, parts = np.zeros(2 ** len(compared), dtype=np.int64), []
    for block in np.unique(ours):
        rows, columns = np.flatnonzero(ours == block), np.flatnonzero(theirs == block)
        patterns = np.zeros((rows.size, columns.size), dtype=np.int64)
        for bit, (one, other) in enumerate(values):
            patterns |= (one[rows][:, None] == other[columns]).astype(np.int64) << bit
        counts += np.bincount(patterns.ravel(), minlength=counts.size)
        parts.append((rows, columns, patterns))
    agree = (np.arange(counts.size)[:, None] >> np.arange(len(compared))) & 1
    return Blocks(parts, counts, agree)


def match_weights(blocks: Blocks) -> FloatArray:
    """Return the match weight log(m / u) of every pattern, with m and u estimated by the EM algorithm of reclin."""
    occurs = blocks.counts > 0
    agree, counts = blocks.agree[occurs].astype(np.float64), blocks.counts[occurs].astype(np.float64)
    m, u = np.full(agree.shape[1], START_M), np.full(agree.shape[1], START_U)
    share, change = START_SHARE, np.inf
    while change >= TOLERANCE:
        match = share * np.exp(_log_probability(agree, m))
        match = match / (match + (1 - share) * np.exp(_log_probability(agree, u)))
        share = float(counts @ match / counts.sum())
        before, m, u = (m, u), (counts * match) @ agree, (counts * (1 - match)) @ agree
        m, u = m / (counts @ match), u / (counts @ (1 - match))
        change = float(np.square(m - before[0]).sum() + np.square(u - before[1]).sum())
    everything = blocks.agree.astype(np.float64)
    with np.errstate(invalid="ignore"):  # NaN for a pattern that no pair can have
        return _log_probability(everything, m) - _log_probability(everything, u)


def _log_probability(agree: FloatArray, probability: FloatArray) -> FloatArray:
    return np.asarray((xlogy(agree, probability) + xlogy(1 - agree, 1 - probability)).sum(axis=1))


def link_greedily(blocks: Blocks, weights: FloatArray, n: int) -> IntArray:
    """Link pairs in decreasing order of their weight, if it is positive and both records are free.

    Pairs with equal weights are taken in the order of the left file, then of the right file.
    """
    linked = np.full(n, -1, dtype=np.int64)
    order = [p for p in np.argsort(-weights, kind="stable") if blocks.counts[p] and weights[p] > 0]
    for rows, columns, patterns in blocks.parts:
        free_rows, free = np.ones(rows.size, dtype=bool), np.ones(columns.size, dtype=bool)
        for pattern in order:
            left = np.flatnonzero(free_rows)
            if not (left.size and free.any()):
                break
            fits = patterns[left] == pattern
            for place in np.flatnonzero((fits & free).any(axis=1)):
                open_columns = np.flatnonzero(fits[place] & free)
                if open_columns.size:
                    linked[rows[left[place]]] = columns[open_columns[0]]
                    free_rows[left[place]] = free[open_columns[0]] = False
    return linked
