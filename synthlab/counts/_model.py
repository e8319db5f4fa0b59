"""Design matrix and coefficient names of a log-linear model."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from synthlab._formulas.log_linear import Model, Terms, read_terms
from synthlab._typing import BoolArray, FloatArray
from synthlab.counts.table import Table


def read_model(table: Table, model: Model) -> Terms:
    """Return the terms of a model of a table; see `read_terms`."""
    return read_terms(table.variables, model)


def design_matrix(terms: Terms, shape: tuple[int, ...], cells: BoolArray | None = None) -> FloatArray:
    """Return the treatment-coded design, one row per cell in the mask `cells`, one column per coefficient."""
    codes = [axis.ravel() for axis in np.indices(shape, sparse=False)]
    if cells is not None:
        codes = [c[cells.ravel()] for c in codes]
    dummies = [np.eye(size)[code][:, 1:] for size, code in zip(shape, codes, strict=True)]
    blocks = []
    for term in terms.terms:
        block = np.ones((codes[0].size, 1))
        for axis in term:
            block = (block[:, :, None] * dummies[axis][:, None, :]).reshape(codes[0].size, -1)
        blocks.append(block)
    return np.hstack(blocks)


def cross_products(terms: Terms, means: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Return X'MX and X'M log(m), where X is the treatment-coded design and M = diag(m) for means m.

    Each entry is an entry of a margin, so the design is not computed. `means` has the shape of the table.
    """
    logs = means * np.log(means, out=np.zeros_like(means), where=means > 0)
    rows = [np.hstack([_block(means, one, other) for other in terms.terms]) for one in terms.terms]
    return np.vstack(rows), np.hstack([_block(logs, (), term)[0] for term in terms.terms])


def _block(values: FloatArray, one: tuple[int, ...], other: tuple[int, ...]) -> FloatArray:
    """Return the block of X'MX for two terms: sums of the table by their levels, without reference levels."""
    axes, shared = sorted({*one, *other}), {axis: axis + values.ndim for axis in one if axis in other}
    margin = values.sum(axis=tuple(axis for axis in range(values.ndim) if axis not in axes))
    operands: list[Any] = [margin, axes]
    for axis, again in shared.items():  # the sum is 0 unless both terms have the same level
        operands += [np.eye(values.shape[axis]), [axis, again]]
    sums = np.einsum(*operands, [*one, *(shared.get(axis, axis) for axis in other)])
    inner = sums[(slice(1, None),) * sums.ndim]
    return np.asarray(inner.reshape(math.prod(inner.shape[: len(one)]), math.prod(inner.shape[len(one) :])))


def coefficient_names(terms: Terms, table: Table) -> list[str]:
    """Return a name for each column of the design, such as ``SEX[M]:AGE[3]``."""
    names: list[str] = []
    for term in terms.terms:
        if not term:
            names.append("(intercept)")
            continue
        parts: list[list[Any]] = [[]]
        for axis in term:
            labels = [f"{table.variables[axis]}[{level}]" for level in table.levels[axis][1:]]
            parts = [[*head, label] for head in parts for label in labels]
        names += [":".join(p) for p in parts]
    return names
