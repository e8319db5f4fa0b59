"""Draw one synthetic table from counts or from fitted means."""

from __future__ import annotations

import numpy as np

from synthlab._typing import FloatArray, IntArray
from synthlab.counts._family import CountFamily
from synthlab.counts.structural_zeros import choose_empty, empty_cells
from synthlab.counts.table import Table

_CHUNK = 2**20
_TABULATED = 512


def draw_saturated(
    table: Table,
    family: CountFamily,
    pseudocount: float,
    zeros_to_ones: float,
    structural: IntArray,
    rng: np.random.Generator,
) -> Table:
    """Draw every cell with its count as mean; draw the empty cells jointly."""
    drawn = np.asarray(family.at(table.counts).rvs(rng=rng)) if table.n_occupied else table.counts
    positive = drawn > 0
    cells, counts = table.cells[positive], drawn[positive]
    at_zero = family.at(pseudocount) if pseudocount > 0 or family.takes_zero else None
    by_family = 0.0 if at_zero is None else float(at_zero.sf(0))
    share = zeros_to_ones + (1.0 - zeros_to_ones) * by_family
    number = int(rng.binomial(empty_cells(table, structural), share))
    if number:
        new_cells = choose_empty(table, structural, number, rng)
        new_counts = np.ones(number, dtype=np.int64)
        from_family = rng.random(number) * share >= zeros_to_ones
        if at_zero is not None:
            new_counts[from_family] = _positive_counts(at_zero, int(from_family.sum()), rng)
        cells, counts = np.concatenate([cells, new_cells]), np.concatenate([counts, new_counts])
        order = np.argsort(cells)
        cells, counts = cells[order], counts[order]
    return table.with_counts(cells, counts)


def _positive_counts(family: CountFamily, number: int, rng: np.random.Generator) -> IntArray:
    """Draw counts conditional on being positive, by inversion of the upper tail."""
    tail = np.asarray(family.sf(np.arange(_TABULATED)))
    target = rng.random(number) * tail[0]
    target = np.maximum(target, np.finfo(float).tiny)
    # Find the smallest count whose upper tail is at most the target; the tail decreases, so search it reversed.
    counts = (_TABULATED - np.searchsorted(tail[::-1], target, side="right")).astype(np.int64)
    beyond = counts == _TABULATED
    if beyond.any():
        counts[beyond] = np.asarray(family.isf(target[beyond])).astype(np.int64)
    return np.asarray(np.maximum(counts, 1))


def draw_from_means(
    table: Table,
    family: CountFamily,
    means: FloatArray,
    zeros_to_ones: float,
    structural: IntArray,
    rng: np.random.Generator,
) -> Table:
    """Draw every cell from its mean; a cell of mean 0 can change only by the Bernoulli draw of empty cells."""
    possible = np.ones(means.size, dtype=bool)
    possible[structural] = False
    cells, counts = [], []
    for start in range(0, means.size, _CHUNK):
        part = np.flatnonzero(possible[start : start + _CHUNK]) + start
        by_family = means[part] > 0
        drawn = np.zeros(part.size, dtype=np.int64)
        if by_family.any():
            drawn[by_family] = family.at(means[part[by_family]]).rvs(rng=rng)
        if zeros_to_ones:
            empty = table.at(part) == 0
            drawn = np.where(empty & (rng.random(part.size) < zeros_to_ones), 1, drawn)
        positive = drawn > 0
        cells.append(part[positive])
        counts.append(drawn[positive])
    return table.with_counts(np.concatenate(cells), np.concatenate(counts))
