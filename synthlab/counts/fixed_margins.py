"""Draw synthetic tables whose margins equal those of the confidential table."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from synthlab import _checks
from synthlab._typing import FloatArray, IntArray
from synthlab.counts._family import CountFamily
from synthlab.counts._margin_chain import move_along_lines
from synthlab.counts.poisson import Poisson
from synthlab.counts.table import Table, check_dense
from synthlab.exceptions import InputError

SWEEPS = 200
MOST_PROBABILITIES = 20_000_000
MOST_RECORDS = 100_000_000
IMPOSSIBLE = -1e6  # stands for log 0, so that the chain can leave an impossible start


@dataclass(frozen=True, slots=True, eq=False)
class Layout:
    """Order of the cells in which one or two fixed margins are simple.

    The variables are divided into those in both margins, only in the first, only in the second, and in neither. The
    cells get the shape (s, a, b, r) of the four groups, so that the margins are the sums over (b, r) and over (a, r).

    Parameters
    ----------
    order : tuple of int
        Axes of the table in the order of the groups.
    shape : tuple of 4 ints
        Number of combinations of each group.
    margins : tuple of tuples of str
        Variables of the fixed margins.
    """

    order: tuple[int, ...]
    shape: tuple[int, int, int, int]
    margins: tuple[tuple[str, ...], ...]

    def arrange(self, values: Any, table: Table) -> Any:
        """Return cell values in the shape (s, a, b, r)."""
        return np.asarray(values).reshape(table.shape).transpose(self.order).reshape(self.shape)

    def restore(self, values: IntArray, table: Table) -> IntArray:
        """Return values of shape (s, a, b, r) in the order of the table, flat."""
        axes = [table.shape[axis] for axis in self.order]
        return np.ascontiguousarray(values.reshape(axes).transpose(np.argsort(self.order))).ravel()


def read_margins(table: Table, fixed_margins: Sequence[Sequence[str]]) -> Layout:
    """Return the layout of one or two margins; a margin contained in another is omitted."""
    given = _checks.check_list(fixed_margins, "fixed_margins", "a list of lists of variables, or [[]] for the total")
    if not given:
        raise InputError("fixed_margins: must contain a list of variables; [[]] fixes the total")
    if any(isinstance(one, str) or not isinstance(one, Iterable) for one in given):
        raise InputError("fixed_margins: must be a list of lists of variables, or [[]] for the total")
    sets = [frozenset(table._positions(list(one), "fixed_margins")) for one in given]
    largest = [s for s in dict.fromkeys(sets) if not any(s < other for other in sets)]
    if any(len(s) == len(table.variables) for s in largest):
        raise InputError("fixed_margins: a margin has all variables, so every table would be the confidential table")
    if len(largest) > 2:
        raise InputError(
            f"fixed_margins: {len(largest)} margins, none of which contains another; at most 2 can be fixed"
        )
    first, second = largest[0], largest[-1]
    groups = (first & second, first - second, second - first, set(range(len(table.variables))) - first - second)
    axes = [sorted(group) for group in groups]
    size = [math.prod(table.shape[axis] for axis in group) for group in axes]
    return Layout(
        tuple(axis for group in axes for axis in group),
        (size[0], size[1], size[2], size[3]),
        tuple(tuple(table.variables[axis] for axis in sorted(margin)) for margin in largest),
    )


class FixedMargins:
    """Distribution of the counts of a table, conditional on its margins.

    Parameters
    ----------
    table : Table
        The confidential table.
    family : CountFamily
        Distribution of the counts, without means.
    means : ndarray of float, shape (n_cells,)
        Mean of each cell; 0 for structural zeros.
    layout : Layout
        The fixed margins.

    Raises
    ------
    InputError
        If a mean is 0 or the table is too large, unless one margin of Poisson counts is fixed.
    """

    def __init__(self, table: Table, family: CountFamily, means: FloatArray, layout: Layout) -> None:
        check_dense(table)
        self.table, self.layout = table, layout
        self.means = np.ascontiguousarray(layout.arrange(means, table))
        counts = layout.arrange(table.dense(), table)
        self.first, self.second = counts.sum(axis=(2, 3)), counts.sum(axis=(1, 3))
        self.exact = isinstance(family, Poisson) and len(layout.margins) == 1
        if self.exact:
            return
        if (self.means <= 0).any():
            raise InputError(
                "fixed_margins, pseudocount, structural_zeros: unless one margin of Poisson counts is fixed, every cell must "
                "have a mean above 0; use a pseudocount above 0 and no structural zeros"
            )
        if table.total > MOST_RECORDS:
            raise InputError(f"fixed_margins: the table has more than {MOST_RECORDS:,} records")
        bounds = np.minimum(self.first[:, :, None, None], self.second[:, None, :, None])
        bounds = np.ascontiguousarray(np.broadcast_to(bounds, layout.shape)).ravel()
        pairs, self.which = np.unique(np.stack([self.means.ravel(), bounds]), axis=1, return_inverse=True)
        self.which = self.which.ravel()
        lengths = pairs[1].astype(np.int64) + 1
        if lengths.sum() > MOST_PROBABILITIES:
            raise InputError(
                f"fixed_margins: the counts can have {int(lengths.sum()):,} values, more than {MOST_PROBABILITIES:,}; fix one "
                "margin of Poisson counts, or use a smaller table"
            )
        self.start = np.concatenate([[0], np.cumsum(lengths)[:-1]])
        k = np.arange(lengths.sum()) - np.repeat(self.start, lengths)
        logs = np.asarray(family.at(np.repeat(pairs[0], lengths)).logpmf(k), dtype=np.float64)
        self.logs = np.maximum(np.nan_to_num(logs, nan=IMPOSSIBLE, neginf=IMPOSSIBLE), IMPOSSIBLE)

    def draw(self, rng: np.random.Generator) -> Table:
        """Return one synthetic table."""
        counts = self._multinomial(rng) if self.exact else self._chain(rng)
        flat = self.layout.restore(counts, self.table)
        cells = np.flatnonzero(flat)
        return self.table.with_counts(cells, flat[cells])

    def _multinomial(self, rng: np.random.Generator) -> IntArray:
        """Draw independent Poisson counts given their sums, which are multinomial."""
        means, totals = self.means[:, 0, 0, :], self.first[:, 0]
        sums = means.sum(axis=1)
        if ((sums == 0) & (totals > 0)).any():
            raise InputError("fixed_margins: all cells of an occupied group have mean 0; use a pseudocount above 0")
        shares = np.divide(means, sums[:, None], out=np.full(means.shape, 1 / means.shape[1]), where=sums[:, None] > 0)
        return np.asarray(rng.multinomial(totals, shares), dtype=np.int64)

    def _chain(self, rng: np.random.Generator) -> IntArray:
        """Draw a table by a Gibbs sampler, starting from a table that depends on the margins only."""
        s, a, b, r = self.layout.shape
        counts = np.zeros(self.layout.shape, dtype=np.int64)
        for i in range(s):
            one, two = np.repeat(np.arange(a), self.first[i]), rng.permutation(np.repeat(np.arange(b), self.second[i]))
            np.add.at(counts[i], (one, two, rng.integers(r, size=one.size)), 1)
        if r > 1 or min(a, b) > 1:
            move_along_lines(counts, self.logs, self.start[self.which].reshape(counts.shape), SWEEPS * counts.size, rng)
        logs = self.logs[self.start[self.which] + counts.ravel()]
        if (logs <= IMPOSSIBLE).any():
            raise InputError(
                "fixed_margins: the sampler found no table with these margins that the family can produce; use a larger "
                "pseudocount"
            )
        return counts


__all__ = ["FixedMargins", "Layout", "read_margins"]
