"""Posterior draws moved to the covariance that a survey design gives their estimates."""

from __future__ import annotations

from dataclasses import replace
from typing import Any, cast

import numpy as np

from synthlab._design_covariance import Sampled
from synthlab._typing import FloatArray, IntArray
from synthlab.exceptions import InputError
from synthlab.synthesizers._pooling import free_draws, of_free_draws
from synthlab.synthesizers._posterior import Posterior

STEP = 0.01  # of the derivatives, in posterior standard deviations


def adjusted(fitted: Any, sampled: Sampled, rows: IntArray) -> Posterior:
    """Return draws with the covariance of the design, see `Fitted.adjust_draws`.

    In the coordinates u in which the draws have mean 0 and the identity as covariance, theta = mean + L u, the gradients
    are those of u, and the draws become mean + L J^(1/2) u.

    Parameters
    ----------
    fitted : Fitted
        A fit that has coefficients.
    sampled : Sampled
        The design of the whole sample.
    rows : ndarray of int, shape (n,)
        The records of the fit among those of the sample; the others have no gradient.
    """
    kind, posterior = type(fitted.specification).__name__, cast(Posterior, fitted.posterior)
    if not fitted.has_coefficients:
        raise InputError(f"adjust_draws: {kind} has no coefficients whose draws could be adjusted")
    draws = free_draws(posterior, fitted.scales)
    number, p = draws.shape
    if sampled.df < p:
        raise InputError(
            f"adjust_draws: the design has {sampled.df} degrees of freedom (primary sampling units minus strata), {kind} {p} "
            "parameters: their covariance cannot be estimated"
        )
    if number <= p:
        raise InputError(
            f"adjust_draws: {number} draws of {p} parameters say nothing about their covariance; draw more"
        )
    mean = draws.mean(axis=0)
    spread = _root(np.atleast_2d(np.cov(draws, rowvar=False)))
    near = of_free_draws(mean + STEP * np.vstack([spread.T, -spread.T]), posterior, fitted.scales)
    values = replace(fitted, posterior=near).pseudo_log_likelihood()
    scores = np.zeros((sampled.n, p))
    scores[rows] = ((values[:p] - values[p:]) / (2 * STEP)).T
    standard = np.linalg.lstsq(spread, (draws - mean).T, rcond=None)[0]
    moved = of_free_draws(mean + (spread @ _root(sampled.covariance(scores)) @ standard).T, posterior, fitted.scales)
    by_chain = {name: moved[name].reshape(posterior.by_chain[name].shape) for name in moved}
    return replace(posterior, by_chain=by_chain)


def _root(matrix: FloatArray) -> FloatArray:
    """Return the symmetric square root of a covariance."""
    values, vectors = np.linalg.eigh(matrix)
    return np.asarray((vectors * np.sqrt(np.maximum(values, 0.0))) @ vectors.T, dtype=np.float64)


__all__ = ["adjusted"]
