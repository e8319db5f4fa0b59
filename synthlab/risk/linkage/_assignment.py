"""One-to-one links with the largest sum of match weights in each block."""

from __future__ import annotations

import numpy as np

from synthlab._typing import FloatArray, IntArray
from synthlab.risk.linkage._splink import Pairs

TIE = 1e-9  # weights are rounded to this, because the order of summation changes the last digits


def assign(
    left_blocks: IntArray, right_blocks: IntArray, pairs: Pairs, rng: np.random.Generator
) -> tuple[IntArray, FloatArray]:
    """Link each record of the left file to at most one record of the right file (Jaro 1989).

    The rows and columns of each block are shuffled first, so that indistinguishable records are linked at random. Their
    positions in the files must not be used, because the positions reveal the true links.

    Parameters
    ----------
    left_blocks, right_blocks : (n,) block of each record
    pairs : all pairs within blocks
    rng : numpy.random.Generator

    Returns
    -------
    linked : (n,) position in the right file, -1 for no link
    probability : (n,) match probability of the link, NaN for no link
    """
    from scipy.optimize import linear_sum_assignment

    linked = np.full(left_blocks.size, -1, dtype=np.int64)
    probability = np.full(left_blocks.size, np.nan)
    block_of_pair = left_blocks[pairs.left]
    order = np.argsort(block_of_pair, kind="stable")
    cuts = np.flatnonzero(np.diff(block_of_pair[order])) + 1
    for chosen in np.split(order, cuts):
        if chosen.size == 0:
            continue
        block = block_of_pair[chosen[0]]
        rows = rng.permutation(np.flatnonzero(left_blocks == block))
        columns = rng.permutation(np.flatnonzero(right_blocks == block))
        weight, chance = np.zeros((rows.size, columns.size)), np.zeros((rows.size, columns.size))
        at = _places(rows)[pairs.left[chosen]], _places(columns)[pairs.right[chosen]]
        weight[at], chance[at] = np.round(pairs.weight[chosen] / TIE) * TIE, pairs.probability[chosen]
        row, column = linear_sum_assignment(weight, maximize=True)
        linked[rows[row]], probability[rows[row]] = columns[column], chance[row, column]
    return linked, probability


def _places(rows: IntArray) -> IntArray:
    """Return an array that maps the position of a record in the file to its index in `rows`."""
    places = np.zeros(int(rows.max()) + 1, dtype=np.int64)
    places[rows] = np.arange(rows.size)
    return places
