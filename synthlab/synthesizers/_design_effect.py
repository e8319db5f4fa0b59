"""Adjustment of posterior draws to the covariance under a survey design."""

from __future__ import annotations

from dataclasses import replace
from typing import Any, cast

import numpy as np

from synthlab._design_covariance import Sampled
from synthlab._typing import FloatArray, IntArray
from synthlab.exceptions import InputError
from synthlab.synthesizers._pooling import free_draws, of_free_draws
from synthlab.synthesizers._posterior import Posterior

STEP = 0.01  # step of numerical derivatives, in posterior standard deviations


def adjusted(fitted: Any, sampled: Sampled, rows: IntArray) -> Posterior:
    """Return draws with the covariance under the design; see `Fitted.adjust_draws`.

    Coordinates u are used in which the draws have mean 0 and identity covariance, theta = mean + L u. Gradients are
    taken with respect to u, and the adjusted draws are mean + L J^(1/2) u.

    Parameters
    ----------
    fitted : Fitted
        A fit with coefficients.
    sampled : Sampled
        The design of the whole sample.
    rows : ndarray of int, shape (n,)
        Positions in the sample of the records of the fit; the gradients of other records are 0.
    """
    kind, posterior = type(fitted.specification).__name__, cast(Posterior, fitted.posterior)
    if not fitted.has_coefficients:
        raise InputError(f"adjust_draws: {kind} has no coefficients whose draws can be adjusted")
    draws = free_draws(posterior, fitted.scales)
    number, p = draws.shape
    if sampled.df < p:
        raise InputError(
            f"adjust_draws: the design has {sampled.df} degrees of freedom (primary sampling units minus strata), but "
            f"{kind} has {p} parameters, so their covariance cannot be estimated; use a model with fewer parameters"
        )
    if number <= p:
        raise InputError(
            f"adjust_draws: {number} draws of {p} parameters do not determine their covariance; fit with more draws"
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
