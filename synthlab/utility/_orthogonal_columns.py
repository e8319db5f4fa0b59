"""Orthogonal basis of a design without redundant columns, and the rank of subsets of columns."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from synthlab._typing import BoolArray, FloatArray, IntArray

RANK_TOLERANCE = 1e-9
CLEAR = 1e-4  # above this smallest singular value, no column of a design is nearly redundant
LARGE = 1e9  # rows times squared columns above which the faster method is tried first


def basis(columns: FloatArray) -> FloatArray:
    """Return orthogonal columns of length sqrt(u) that span the constant and `columns`.

    The basis has shape (u, k). Redundant columns are dropped, as in R's glm (coefficient NA), so k is the number of
    parameters that can be estimated.
    """
    return independent(columns).basis


@dataclass(frozen=True, slots=True, eq=False)
class Independent:
    """Orthogonal basis of a design with redundant columns dropped.

    Attributes
    ----------
    basis : numpy.ndarray of float, shape (u, k)
        Orthogonal columns, as returned by `basis`.
    dropped : numpy.ndarray of int
        Positions of the redundant columns.
    triangle : numpy.ndarray of float, shape (r, 1 + p)
        Constant and columns, scaled to length 1, in the coordinates of an orthonormal basis. Linear dependence of the
        columns is the same as in the design.
    """

    basis: FloatArray
    dropped: IntArray
    triangle: FloatArray

    def rank(self, columns: BoolArray) -> int:
        """Return the number of parameters of the constant and a subset of the columns."""
        from scipy.linalg import qr

        (some,) = qr(self.triangle[:, np.concatenate([[True], columns])], mode="r", pivoting=True)[:1]
        return _rank(some)


def independent(columns: FloatArray) -> Independent:
    """Return an orthogonal basis of the constant and the columns of a design."""
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
    # Column 0 is the constant, which is not listed among the dropped columns.
    dropped = np.sort(pivot[rank:]) - 1
    triangle = np.empty_like(r)
    triangle[:, pivot] = r
    q = np.ascontiguousarray(q[:, :rank]) * np.sqrt(n)
    return Independent(q, np.asarray(dropped[dropped >= 0], dtype=np.int64), triangle)


def _clearly_independent(design: FloatArray) -> Independent | None:
    """Return a basis computed from cross products; None if a column might be redundant.

    This is ten times as fast as a QR decomposition and overwrites `design`, whose columns must have length 1. Cross
    products lose half of the digits, so they are used only far from the tolerance for redundant columns.
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
