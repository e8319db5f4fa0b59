"""Interface to nnet::multinom of R for grouped data."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from synthlab._typing import FloatArray
from synthlab.r.session import require

PACKAGE = "nnet"
_FIT = """
function(x, y, maxit, decay) {
  fit <- nnet::multinom(y ~ 0 + x, maxit = maxit, decay = decay, trace = FALSE, MaxNWts = .Machine$integer.max)
  c(fit$value, fit$convergence, matrix(fit$wts, ncol(x) + 1)[-1, ])
}
"""
_VCOV = """
function(x, y, maxit, decay) {
  vcov(nnet::multinom(y ~ 0 + x, maxit = maxit, decay = decay, trace = FALSE, MaxNWts = .Machine$integer.max))
}
"""


@dataclass(frozen=True, slots=True, eq=False)
class Multinom:
    """Fit of nnet::multinom.

    Attributes
    ----------
    coefficients : numpy.ndarray of float, shape (K, p)
        Coefficients; those of the first level are 0.
    value : float
        Negative log-likelihood plus the penalty.
    stopped : bool
        Whether the fit stopped at the maximum number of iterations.
    """

    coefficients: FloatArray
    value: float
    stopped: bool


def multinom(rows: FloatArray, counts: FloatArray, iterations: int = 100, decay: float = 0.0) -> Multinom:
    """Fit by nnet::multinom(counts ~ 0 + rows, maxit=iterations).

    Parameters
    ----------
    rows : numpy.ndarray of float, shape (g, p)
        Predictors, including the column of ones.
    counts : numpy.ndarray of float, shape (g, K)
        Number of records of each level.
    iterations : int
        Maximum number of iterations (`maxit` of nnet).
    decay : float
        Weight decay (`decay` of nnet).

    Returns
    -------
    Multinom

    Raises
    ------
    RUnavailableError
        If R, rpy2 or nnet is missing.
    """
    value, code, *flat = _call(_FIT, rows, counts, iterations, decay)
    shape = counts.shape[1], rows.shape[1]
    return Multinom(np.reshape(flat, shape), float(value), code == 1)


def vcov(rows: FloatArray, counts: FloatArray, iterations: int = 100, decay: float = 0.0) -> FloatArray:
    """Return the covariance of the coefficients of `multinom`, by level.

    The first level is omitted. R computes one matrix product per row and level, which takes minutes for 100 coefficients and
    an hour for 1,500.
    """
    size = (counts.shape[1] - 1) * rows.shape[1]
    return _call(_VCOV, rows, counts, iterations, decay).reshape(size, size)


def _call(code: str, rows: FloatArray, counts: FloatArray, iterations: int, decay: float) -> FloatArray:
    robjects = require(PACKAGE)
    x, y = (
        robjects.r.matrix(robjects.FloatVector(np.ravel(one, order="F")), nrow=len(one))
        for one in (np.asarray(rows, dtype=np.float64), np.asarray(counts, dtype=np.float64))
    )
    return np.array(robjects.r(code)(x, y, int(iterations), float(decay)), dtype=np.float64)
