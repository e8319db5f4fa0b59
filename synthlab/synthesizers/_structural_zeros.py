"""Structural zeros: impossible records as disjoint boxes of levels.

A box consists of one set of levels per variable. A record lies in the box if each of its levels is in the set of its
variable. A mixture in which the variables are independent gives a box the probability
``sum_k pi_k prod_j sum_{l in set_j} psi_kjl``. Within a class and a box, the variables of a record are independent.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import prod

import numpy as np
import pandas as pd

from synthlab._typing import BoolArray, FloatArray, IntArray
from synthlab.exceptions import InputError
from synthlab.synthesizers._levels import Levels, draw_codes
from synthlab.synthesizers.constraints import AllowedCombinations, Constraint, columns_of

MOST_CELLS = 1_000_000  # largest number of level combinations in which a constraint is evaluated
MOST_BOXES = 20_000
CHUNK = 4_000_000  # largest number of elements of a matrix of records by boxes

Table = tuple[tuple[int, ...], IntArray]  # variables in order, and the sorted allowed combinations of their levels


@dataclass(frozen=True, slots=True, eq=False)
class Region:
    """Possible and impossible records of a mixture.

    Parameters
    ----------
    possible : ndarray of bool, shape (A, L)
        Disjoint boxes: whether each level of each variable belongs to the box.
    impossible : ndarray of bool, shape (C, L)
        Disjoint boxes that contain all other records.
    first : ndarray of shape (J + 1,)
        Levels first[j] to first[j + 1] are those of variable j.
    """

    possible: BoolArray
    impossible: BoolArray
    first: IntArray

    def within(self, boxes: BoolArray, psi: FloatArray, variables: Sequence[int]) -> FloatArray:
        """Return the probability of each box in each class, shape (boxes, K)."""
        result = np.ones((len(boxes), psi.shape[1]))
        for j in variables:
            levels = slice(self.first[j], self.first[j + 1])
            result *= boxes[:, levels] @ psi[levels]
        return result

    def log_mass(self, pi: FloatArray, psi: FloatArray) -> float:
        """Return the log probability of the possible records."""
        return float(np.log(self.within(self.possible, psi, range(self.first.size - 1)).sum(axis=0) @ pi))

    def are_impossible(self, rows: IntArray) -> BoolArray:
        """Return whether each record, given as rows of psi, lies in an impossible box."""
        return np.asarray(self._fitting(self.impossible, rows.T, len(rows)).any(axis=1), dtype=bool)

    def two_way(self, pi: FloatArray, psi: FloatArray, one: int, other: int) -> FloatArray:
        """Return the joint probabilities of two variables in possible records."""
        rest = [j for j in range(self.first.size - 1) if j not in (one, other)]
        weight, boxes = self.within(self.possible, psi, rest) * pi, self.possible.astype(np.float64)
        a, b = (slice(self.first[j], self.first[j + 1]) for j in (one, other))
        held = (boxes[:, a].T * weight.T[:, None, :]) @ boxes[:, b]  # shape (K, levels, levels)
        table = (held * psi[a].T[:, :, None] * psi[b].T[:, None, :]).sum(axis=0)
        return np.asarray(table / table.sum(), dtype=np.float64)

    def shares(
        self, rows: Sequence[IntArray], share: FloatArray, psi: FloatArray, drawn: Sequence[int]
    ) -> tuple[FloatArray, FloatArray]:
        """Return the probabilities of possible boxes given `rows`, and of `drawn` in them.

        The shapes are (n, A) and (A, K).
        """
        inside = self.within(self.possible, psi, drawn)
        return self._fitting(self.possible, rows, len(share)) * (share @ inside.T), inside

    def draw(
        self,
        rows: Sequence[IntArray],
        share: FloatArray,
        psi: FloatArray,
        drawn: Sequence[int],
        rng: np.random.Generator,
    ) -> list[IntArray]:
        """Draw codes of the variables `drawn` given the levels in `rows`.

        The class probabilities have shape (n, K). If a record is impossible for every possible draw, its levels are
        drawn without the constraints.
        """
        size = max(1, CHUNK // len(self.possible))
        parts = [
            self._draw([row[i : i + size] for row in rows], share[i : i + size], psi, drawn, rng)
            for i in range(0, len(share), size)
        ]
        return [np.concatenate(codes) for codes in zip(*parts, strict=True)]

    def _draw(
        self,
        rows: Sequence[IntArray],
        share: FloatArray,
        psi: FloatArray,
        drawn: Sequence[int],
        rng: np.random.Generator,
    ) -> list[IntArray]:
        weight, inside = self.shares(rows, share, psi, drawn)
        lost = weight.sum(axis=1) <= 0.0
        box = draw_codes(weight, rng)
        chosen = draw_codes(np.where(lost[:, None], share, share * inside[box]), rng)
        allowed = self.possible[box] | lost[:, None]
        levels = [slice(self.first[j], self.first[j + 1]) for j in drawn]
        return [draw_codes(psi[part].T[chosen] * allowed[:, part], rng) for part in levels]

    def _fitting(self, boxes: BoolArray, rows: Sequence[IntArray] | IntArray, n: int) -> BoolArray:
        fits = np.ones((n, len(boxes)), dtype=bool)
        for row in rows:
            fits &= boxes[:, row].T
        return fits


def region_of(constraints: Sequence[Constraint], levels: Sequence[Levels], first: IntArray) -> Region | None:
    """Return the region that constraints make impossible, or None if it is empty."""
    sizes = [len(level) for level in levels]
    tables = [table_of(constraint, levels) for constraint in constraints]
    found: tuple[list[BoolArray], list[BoolArray]] = ([], [])
    if any(len(rows) < prod(sizes[j] for j in variables) for variables, rows in tables):
        _split(tables, sizes, first, np.ones(int(first[-1]), dtype=bool), found)
    possible, impossible = found
    return Region(np.array(possible), np.array(impossible), first) if impossible else None


def table_of(constraint: Constraint, levels: Sequence[Levels]) -> Table:
    """Return the variables of a constraint, and the allowed combinations of levels."""
    columns = columns_of(constraint) or ()
    names = [level.column for level in levels]
    order = sorted(columns, key=names.index)
    chosen = [levels[names.index(column)] for column in order]
    if isinstance(constraint, AllowedCombinations):
        places = [{value: code for code, value in enumerate(_values(level))} for level in chosen]
        position = [list(columns).index(column) for column in order]
        listed = [
            [place.get(c[p], -1) for place, p in zip(places, position, strict=True)]
            for c in constraint.combinations or ()
        ]
        codes = np.array(listed, dtype=np.int64).reshape(-1, len(order))
        codes = codes[(codes >= 0).all(axis=1)]
    else:
        sizes = [len(level) for level in chosen]
        if prod(sizes) > MOST_CELLS:
            raise InputError(
                f"constraints: {constraint!r} has {prod(sizes):,} combinations of levels, but at most {MOST_CELLS:,} "
                "are supported; use AllowedCombinations"
            )
        codes = np.indices(sizes).reshape(len(sizes), -1).T
        cells = {level.column: level.series(codes[:, j], pd.RangeIndex(len(codes))) for j, level in enumerate(chosen)}
        codes = codes[np.asarray(constraint.holds(pd.DataFrame(cells)), dtype=bool)]
    return tuple(names.index(column) for column in order), np.unique(codes, axis=0)


def _values(level: Levels) -> list[object]:
    """Return the values of the levels, with None for missing."""
    return [*level.values.tolist(), *[None] * level.lost]


def _split(
    tables: Sequence[Table],
    sizes: Sequence[int],
    first: IntArray,
    box: BoolArray,
    found: tuple[list[BoolArray], list[BoolArray]],
) -> None:
    """Split a box along its variables until each part is possible or impossible.

    Levels that allow the same combinations of the other variables are not split.
    """
    tables = [(variables, rows) for variables, rows in tables if len(rows) < prod(sizes[j] for j in variables)]
    empty = any(len(rows) == 0 for _, rows in tables)
    if empty or not tables:
        found[int(empty)].append(box)
        if len(found[0]) + len(found[1]) > MOST_BOXES:
            raise InputError(
                f"constraints: the possible records consist of more than {MOST_BOXES:,} boxes of levels; use fewer "
                "variables in one constraint, or use Sequential with the variables in several models"
            )
        return
    j = min(variables[0] for variables, _ in tables)
    alike: dict[tuple[tuple[int, bytes], ...], tuple[list[int], list[Table]]] = {}
    for level in range(sizes[j]):
        rest = [
            (variables[1:], rows[rows[:, 0] == level][:, 1:]) if variables[0] == j else (variables, rows)
            for variables, rows in tables
        ]
        alike.setdefault(tuple((len(rows), rows.tobytes()) for _, rows in rest), ([], rest))[0].append(level)
    for members, rest in alike.values():
        part = box.copy()
        part[first[j] : first[j + 1]] = np.isin(np.arange(sizes[j]), members)
        _split(rest, sizes, first, part, found)
