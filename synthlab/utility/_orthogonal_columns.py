"""Columns at right angles that span a design, without the columns that others tell, and the rank of some of them."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from synthlab._typing import BoolArray, FloatArray, IntArray

RANK_TOLERANCE = 1e-9
CLEAR = 1e-4  # smallest singular value of a design of which no column is nearly redundant
LARGE = 1e9  # rows times squared columns from which that is looked at first


def basis(columns: FloatArray) -> FloatArray:
    """Return columns of length sqrt(u), at right angles, that span the constant and `columns`, shape (u, k).

    Redundant columns are dropped, as R's glm drops them (coefficient NA): the number of columns of
    the basis is the number k of parameters that can be estimated.
    """
    return independent(columns).basis


@dataclass(frozen=True, slots=True, eq=False)
class Independent:
    """The constant and the columns of a design, with the redundant ones dropped.

    Attributes
    ----------
    basis : numpy.ndarray of float, shape (u, k)
        What `basis` returns.
    dropped : numpy.ndarray of int
        Positions of the columns that are redundant.
    triangle : numpy.ndarray of float, shape (r, 1 + p)
        Constant and columns, each of length 1, in the coordinates of some directions at right angles: columns depend on
        one another here as they do there.
    """

    basis: FloatArray
    dropped: IntArray
    triangle: FloatArray

    def rank(self, columns: BoolArray) -> int:
        """Return how many parameters the constant and some of the columns have."""
        from scipy.linalg import qr

        (some,) = qr(self.triangle[:, np.concatenate([[True], columns])], mode="r", pivoting=True)[:1]
        return _rank(some)


def independent(columns: FloatArray) -> Independent:
    """Return the columns of a design that do not depend on the others."""
    from scipy.linalg import qr

    n = len(columns)
    design = np.hstack([np.ones((n, 1)), columns])
    length = np.linalg.norm(design, axis=0)
    design /= np.where(length > 0, length, 1.0)
    if design.size * design.shape[1] > LARGE:
        found = _clearly_independent(design)
        if found is not None:
            return found
    q, r, pivot = qr(design, mode="economic", pivoting=True)
    rank = _rank(r)
    # Column 0 is the constant; where another one replaces it, that one is not lost.
    dropped = np.sort(pivot[rank:]) - 1
    triangle = np.empty_like(r)
    triangle[:, pivot] = r
    q = np.ascontiguousarray(q[:, :rank]) * np.sqrt(n)
    return Independent(q, np.asarray(dropped[dropped >= 0], dtype=np.int64), triangle)


def _clearly_independent(design: FloatArray) -> Independent | None:
    """Return a basis from the products of columns of length 1 where none is nearly redundant; None where one may be.

    Ten times as fast as turning the whole design column by column; it is made in the place of `design`. Products lose half
    of the digits, so that they are used only far from the tolerance for redundant columns.
    """
    from scipy.linalg import solve_triangular

    products = design.T @ design
    if np.linalg.eigvalsh(products)[0] < CLEAR**2:
        return None
    triangle = np.asarray(np.linalg.cholesky(products).T, dtype=np.float64)
    turned = solve_triangular(triangle, design.T, trans="T", overwrite_b=True, check_finite=False).T
    turned *= np.sqrt(len(design))
    return Independent(turned, np.empty(0, dtype=np.int64), triangle)


def _rank(triangle: FloatArray) -> int:
    diagonal = np.abs(np.diag(triangle))
    return int((diagonal > RANK_TOLERANCE * diagonal[0]).sum())
