"""Two datasets under one another as a design matrix, and which columns the release changed.

Categories become indicator columns, numbers one standardised column; products of up to `order`
variables follow. Column names are looked up, never evaluated.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import combinations
from math import comb

import numpy as np
import pandas as pd

from synthlab import _checks
from synthlab._typing import BoolArray, FloatArray, IntArray
from synthlab.exceptions import InputError
from synthlab.utility._frames import is_number

RANK_TOLERANCE = 1e-9


@dataclass(frozen=True, slots=True, eq=False)
class Stacked:
    """Two datasets stacked, the first one labelled 0 and the second one 1.

    Attributes
    ----------
    distinct : numpy.ndarray of float, shape (u, p)
        The design without its constant, all main effects first: one row per distinct record.
    member : numpy.ndarray of int, shape (N,)
        The row of each record.
    changed : numpy.ndarray of bool, shape (p,)
        Whether a column involves a variable whose values differ row by row between the datasets.
    label : numpy.ndarray of float, shape (N,)
        0 for a record of the first dataset, 1 for one of the second.
    """

    distinct: FloatArray
    member: IntArray
    changed: BoolArray
    label: FloatArray

    @property
    def columns(self) -> FloatArray:
        """The design of all records, shape (N, p)."""
        return self.distinct[self.member]

    @property
    def paired(self) -> bool:
        """Whether some variable is the same row by row, so that row i of both datasets is one person."""
        return not bool(self.changed.all())


def stack(
    first: pd.DataFrame,
    second: pd.DataFrame,
    variables: Sequence[str],
    *,
    categorical: Sequence[str],
    order: int,
    every_level: bool = False,
) -> Stacked:
    """Stack two frames with complete or missing values (a missing value is a category of its own).

    With `every_level` a category has an indicator for its first level too: for trees and distances,
    which treat the levels alike then; a regression leaves it out.
    """
    blocks = {c: _block(first[c], second[c], c in categorical, every_level) for c in variables}
    total = len(first) + len(second)
    if not every_level:
        _check_width(blocks, order, total)
    same_length = len(first) == len(second)
    moved = {c: not (same_length and np.array_equal(b[: len(first)], b[len(first) :])) for c, b in blocks.items()}
    kept, member = _distinct(np.hstack([blocks[c] for c in variables]))
    blocks = {c: b[kept] for c, b in blocks.items()}
    columns, changed = [], []
    for size in range(1, order + 1):
        for group in combinations(variables, size):
            product = blocks[group[0]]
            for column in group[1:]:
                product = (product[:, :, None] * blocks[column][:, None, :]).reshape(kept.size, -1)
            columns.append(product)
            changed.append(np.full(product.shape[1], any(moved[c] for c in group)))
    label = np.repeat([0.0, 1.0], [len(first), len(second)])
    return Stacked(np.hstack(columns), member, np.concatenate(changed), label)


def basis(columns: FloatArray) -> FloatArray:
    """Return columns of length sqrt(u), at right angles, that span the constant and `columns`, shape (u, k).

    Redundant columns are dropped, as R's glm drops them (coefficient NA): the number of columns of
    the basis is the number k of parameters that can be estimated.
    """
    from scipy.linalg import qr

    n = len(columns)
    design = np.hstack([np.ones((n, 1)), columns])
    length = np.linalg.norm(design, axis=0)
    design = design / np.where(length > 0, length, 1.0)
    q, r, _ = qr(design, mode="economic", pivoting=True)
    diagonal = np.abs(np.diag(r))
    rank = int((diagonal > RANK_TOLERANCE * diagonal[0]).sum())
    return np.ascontiguousarray(q[:, :rank]) * np.sqrt(n)


def _distinct(rows: FloatArray) -> tuple[IntArray, IntArray]:
    """Return the first position of each distinct row, and for each row the number of its distinct one."""
    if rows.shape[1] == 0:
        return np.zeros(1, dtype=np.int64), np.zeros(len(rows), dtype=np.int64)
    plain = np.ascontiguousarray(rows + 0.0)  # -0.0 becomes 0.0
    as_bytes = plain.view(np.dtype((np.void, plain.itemsize * plain.shape[1]))).ravel()
    _, kept, member = np.unique(as_bytes, return_index=True, return_inverse=True)
    return kept, np.asarray(member, dtype=np.int64).ravel()


def _block(first: pd.Series, second: pd.Series, as_category: bool, every_level: bool) -> FloatArray:
    """Return the columns of one variable: indicators, or standardised numbers and an indicator of missing ones."""
    both = pd.concat([first.astype(object), second.astype(object)], ignore_index=True)
    if as_category or not is_number(first):
        codes, levels = pd.factorize(both, use_na_sentinel=False)
        return np.asarray(codes[:, None] == np.arange(0 if every_level else 1, len(levels)), dtype=np.float64).reshape(
            len(both), -1
        )
    values = np.concatenate([_checks.as_float(first), _checks.as_float(second)])
    missing = np.isnan(values)
    spread = float(np.std(values[~missing])) if not missing.all() else 0.0
    centre = float(np.mean(values[~missing])) if not missing.all() else 0.0
    scaled = np.where(missing, 0.0, (values - centre) / (spread if spread > 0 else 1.0))
    return np.column_stack([scaled, missing]) if missing.any() else scaled[:, None]


def _check_width(blocks: dict[str, FloatArray], order: int, total: int) -> None:
    """Raise when the design would have as many columns as there are records."""
    widths = [b.shape[1] for b in blocks.values()]
    if order > 2 and comb(len(widths), min(order, len(widths) // 2)) > total:
        width = total
    else:
        width = sum(
            int(np.prod([widths[i] for i in group]))
            for size in range(1, order + 1)
            for group in combinations(range(len(widths)), size)
        )
    if width + 1 >= total:
        widest = sorted(blocks, key=lambda c: -blocks[c].shape[1])
        raise InputError(
            f"variables: {width + 1} parameters for {total} stacked records; leave out or merge levels of "
            f"{_checks.shorten(widest, 3)}, use a lower order, or model='cart'"
        )
