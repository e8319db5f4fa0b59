"""The design of a log-linear model of a table, and the names of its coefficients."""

from __future__ import annotations

from typing import Any

import numpy as np

from synthlab._log_linear import Model, Terms, read_terms
from synthlab._typing import BoolArray, FloatArray
from synthlab.counts.table import Table


def read_model(table: Table, model: Model) -> Terms:
    """Return the terms of a model of a table, see `read_terms`."""
    return read_terms(table.variables, model)


def design_matrix(terms: Terms, shape: tuple[int, ...], cells: BoolArray | None = None) -> FloatArray:
    """Return the treatment-coded design, one row a cell (those marked in `cells`), one column a coefficient."""
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
