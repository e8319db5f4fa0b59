"""Logistic regression by maximum likelihood, without a penalty, and an exact test for separation."""

from __future__ import annotations

import numpy as np

from synthlab._typing import FloatArray
from synthlab.exceptions import FitError

MAX_STEPS = 100
CONVERGED = 1e-10
FAR = 30.0
SUSPICIOUS = 15.0
ZERO = 1e-9


def fitted_probabilities(basis: FloatArray, ones: FloatArray, count: FloatArray) -> FloatArray:
    """Return the maximum-likelihood probabilities of label 1, shape (u,).

    Row i represents ``count[i]`` equal records, of which ``ones[i]`` have label 1. The fit uses Newton's method
    (iteratively reweighted least squares, as in R's glm) with step halving on orthogonal columns. Under separation, the
    likelihood has no maximum. The iteration then continues until the deviance no longer decreases, and the
    probabilities are the limits.
    """
    from scipy.special import expit

    eta = np.zeros(len(count))
    deviance = _deviance(eta, ones, count)
    for _ in range(MAX_STEPS):
        move = basis @ _newton_step(basis, ones, count, expit(eta))
        for _ in range(30):
            new = _deviance(eta + move, ones, count)
            if new <= deviance * (1 + 1e-12) + 1e-12:
                break
            move = move / 2
        eta = eta + move
        flat = abs(deviance - new) <= 1e-13 * (new + 0.1)
        deviance = new
        if np.abs(move).max() < CONVERGED or (flat and np.abs(eta).max() > FAR):
            return np.asarray(expit(eta))
    raise FitError(
        "the logistic regression of the propensity score did not converge; use fewer variables or model='cart'"
    )


def is_separated(basis: FloatArray, ones: FloatArray, count: FloatArray, probability: FloatArray | None = None) -> bool:
    """Return whether a linear combination of the columns separates the labels, completely or quasi-completely.

    The labels s_i = -1, +1 are separated if some b satisfies ``s_i x_i'b >= 0`` for all i and ``> 0`` for one i. A
    linear program decides this (Konis 2007, chapter 4). If fitted probabilities are given, the program is solved only
    if one of them is within 3e-7 of 0 or 1, and only if the next Newton step is not such a b itself (it nearly always
    is).
    """
    from scipy.optimize import linprog

    if probability is not None:
        if np.minimum(probability, 1 - probability).min() > 1.0 / (1.0 + np.exp(SUSPICIOUS)):
            return False
        onward = basis @ _newton_step(basis, ones, count, probability)
        splits = np.concatenate([onward[ones > 0], -onward[ones < count]])
        if splits.max() > 0 and splits.min() >= -ZERO * splits.max():
            return True
    signed = np.vstack([basis[ones > 0], -basis[ones < count]])
    answer = linprog(-signed.mean(axis=0), A_ub=-signed, b_ub=np.zeros(len(signed)), bounds=(-1, 1), method="highs")
    return bool(answer.status == 0 and -answer.fun > ZERO)


def _deviance(eta: FloatArray, ones: FloatArray, count: FloatArray) -> float:
    return 2.0 * float((ones * np.logaddexp(0.0, -eta) + (count - ones) * np.logaddexp(0.0, eta)).sum())


def _newton_step(basis: FloatArray, ones: FloatArray, count: FloatArray, probability: FloatArray) -> FloatArray:
    weight = count * probability * (1 - probability)
    curvature = basis.T @ (basis * weight[:, None])
    gradient = basis.T @ (ones - count * probability)
    try:
        lower = np.linalg.cholesky(curvature)
    except np.linalg.LinAlgError:
        return np.asarray(np.linalg.lstsq(curvature, gradient, rcond=1e-14)[0])
    return np.asarray(np.linalg.solve(lower.T, np.linalg.solve(lower, gradient)))
