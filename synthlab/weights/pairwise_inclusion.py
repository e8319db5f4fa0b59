"""Survey weights from pairwise inclusion probabilities (Williams and Savitsky 2018)."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from synthlab import _checks
from synthlab._typing import FloatArray, FrameLike
from synthlab.design import SurveyDesign
from synthlab.exceptions import InputError

MOST_RECORDS = 20_000
CLOSE = 1e-6


def joint_inclusion(survey: FrameLike, design: SurveyDesign) -> FloatArray:
    """Return the inclusion probabilities of all pairs under stratified sampling of clusters.

    In stratum h, n_h of N_h clusters are drawn by simple random sampling without replacement, and all members of a drawn
    cluster are in the sample. Without clusters, each record is a cluster.

    Parameters
    ----------
    survey : DataFrame or Dataset, n rows
        The sample, at most 20,000 records.
    design : SurveyDesign
        The survey design with `fpc`, and with at least two drawn clusters in each stratum that is not drawn as a whole.
        Weights, if given, must be N_h / n_h, up to one common factor.

    Returns
    -------
    numpy.ndarray of float, shape (n, n)
        The probability that records i and j are both in the sample: ``n_h / N_h`` for records of one cluster (on the
        diagonal, the probability of one record), ``n_h (n_h - 1) / (N_h (N_h - 1))`` for clusters of one stratum, and
        the product of the first-order probabilities for records of different strata.

    Raises
    ------
    InputError
        The design has no fpc, a stratum has one of several clusters (a pair of clusters is then impossible), the weights
        contradict this design, or the sample is too large.
    MissingValueError
        A part of the design has missing values.

    Examples
    --------
    >>> import pandas as pd
    >>> import synthlab as sl
    >>> from synthlab.weights import joint_inclusion
    >>> survey = pd.DataFrame({"school": [1, 1, 2], "schools": [4, 4, 4]})
    >>> joint_inclusion(survey, sl.SurveyDesign(clusters="school", fpc="schools")).round(3)
    array([[0.5  , 0.5  , 0.167],
           [0.5  , 0.5  , 0.167],
           [0.167, 0.167, 0.5  ]])
    """
    if not isinstance(design, SurveyDesign):
        raise InputError(f"design={_checks.shown(design)}: must be a SurveyDesign with fpc")
    sampled = design.read(survey, "survey")
    if sampled.n > MOST_RECORDS:
        raise InputError(
            f"survey: has {sampled.n:,} records, more than {MOST_RECORDS:,}, too many for a matrix of pairs"
        )
    if not np.isfinite(sampled.population).all():
        raise InputError("design: must have fpc, the number of clusters (or records) of each stratum in the population")
    drawn, population = sampled.units.astype(np.float64), sampled.population
    if ((drawn == 1) & (population > 1)).any():
        raise InputError(
            "design, survey: a stratum has one drawn cluster of several, so pairs of its clusters cannot be in a sample"
        )
    first = drawn / population
    scaled = sampled.weights * first[sampled.stratum]
    if design.weights is not None and np.ptp(scaled) > CLOSE * scaled.max():
        raise InputError(
            "design, survey: the weights are not proportional to N_h / n_h, so records were not drawn by this design; compute the "
            "matrix from the actual design"
        )
    within = np.where(population > 1, first * (drawn - 1) / np.maximum(population - 1, 1), 1.0)
    h, c = sampled.stratum, sampled.cluster
    pairs = np.where(h[:, None] == h, within[h][:, None], first[h][:, None] * first[h])
    return np.asarray(np.where(c[:, None] == c, first[h][:, None], pairs))


def pairwise_inclusion_weights(inclusion: npt.ArrayLike, *, population: float | None = None) -> FloatArray:
    """Return the weight of each record from the inclusion probabilities of pairs.

    The weight of record i of the sample S is

        ``w_i = sum over j in S, j != i, of 1 / pi_ij, divided by N - 1``.

    Williams and Savitsky (2018) raise the likelihood of each pair to the power ``1 / pi_ij``. For records that are
    independent given the parameters, the likelihood of record i then gets the power w_i (divided by N - 1, the number of
    pairs that contain i). First-order weights ``1 / pi_i`` are an alternative. Use the result as weights of a
    `SurveyDesign` or as `weights` of a fit.

    Parameters
    ----------
    inclusion : array_like, shape (n, n), n >= 2
        pi_ij, the probability that records i and j are both in the sample, in (0, 1]; symmetric, with the probabilities
        pi_i on the diagonal. `joint_inclusion` computes it for samples of clusters.
    population : float, optional
        Number N of records in the population; > 1. Default: the estimate ``sum 1 / pi_i``.

    Returns
    -------
    numpy.ndarray of float, shape (n,)
        The weights, > 0.

    Raises
    ------
    InputError
        The matrix is not symmetric, a probability is outside (0, 1], a pair is more probable than one of its records, or
        `population` is not above 1.

    Notes
    -----
    With known N, weighted totals are unbiased over repeated samples: record i is in the sample with each other record j
    with probability pi_ij, so the expected value of w_i (0 outside the sample) is ``sum over j != i of 1 / (N - 1) = 1``.
    For a simple random sample, w_i = N / n. For Poisson sampling, ``w_i = sum_(j != i) 1 / (pi_i pi_j) / (N - 1)``, nearly
    1 / pi_i. In a sample of clusters, records in large clusters get smaller weights, because pairs of one cluster are more
    probable. The weights do not widen intervals: use `Fitted.adjust_draws` for the covariance under the design.

    References
    ----------
    Williams, M. R. and Savitsky, T. D. (2018). Bayesian pairwise estimation under dependent informative sampling.
    Electronic Journal of Statistics 12(1), 1631-1661. The constant N - 1 is derived here from unbiasedness.

    Examples
    --------
    >>> from synthlab.weights import pairwise_inclusion_weights
    >>> pairwise_inclusion_weights([[0.5, 0.5, 1 / 6], [0.5, 0.5, 1 / 6], [1 / 6, 1 / 6, 0.5]], population=8).round(3)
    array([1.143, 1.143, 1.714])
    """
    pi = _checks.check_array(inclusion, "inclusion", "probabilities in an array of shape (n, n)").astype(np.float64)
    if pi.ndim != 2 or pi.shape[0] != pi.shape[1] or len(pi) < 2:
        raise InputError(f"inclusion: must have shape (n, n) with n >= 2, got {pi.shape}")
    if not ((pi > 1e-150) & (pi <= 1)).all():
        raise InputError("inclusion: must be probabilities in (0, 1]")
    if not np.allclose(pi, pi.T, rtol=CLOSE, atol=0.0):
        raise InputError("inclusion: must be symmetric")
    first = np.diag(pi)
    if (pi > first * (1 + CLOSE)).any():
        raise InputError("inclusion: a pair cannot be more probable than one of its records (on the diagonal)")
    size = (
        float((1 / first).sum())
        if population is None
        else _checks.check_number(population, "population", low=1.0, open_low=True)
    )
    if size <= 1:
        raise InputError("population: must be above 1; state it, because the estimate from the diagonal is not")
    return np.asarray(((1 / pi).sum(axis=1) - 1 / first) / (size - 1))


__all__ = ["joint_inclusion", "pairwise_inclusion_weights"]
