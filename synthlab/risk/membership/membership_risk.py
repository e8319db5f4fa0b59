"""Membership: how much more likely is what was released with a person in the data than without."""

from __future__ import annotations

from typing import Any

import numpy as np

from synthlab import _checks
from synthlab._system import optional_dependencies
from synthlab._typing import FloatArray, FrameLike, FrameOrFrames
from synthlab._warnings import warn
from synthlab.exceptions import InputError, LowEffectiveSampleSizeWarning
from synthlab.release import as_release
from synthlab.risk.attribute._posterior import check_fitted, contributions, log_release
from synthlab.risk.membership._membership_result import MembershipResult

LARGEST_K = 0.7  # of the generalised Pareto tail of the weights; beyond it their mean is not to be relied on
FEWEST_DRAWS = 100  # effective ones


def membership_risk(
    confidential: FrameLike, synthetic: FrameOrFrames, fitted: Any, *, targets: object = None, smooth: bool = False
) -> MembershipResult:
    r"""Tell how much more likely parameters and release are with a person's record in the data than without it.

    With :math:`\theta^{(h)}` the posterior draws and :math:`CPO_i = p(y_i \mid y_{-i})` the conditional predictive
    ordinate, the ratio for an intruder who sees a draw is

    .. math:: \log \frac{p(\theta \mid y)}{p(\theta \mid y_{-i})} = \log p(y_i \mid \theta) - \log CPO_i,

    and for one who sees a dataset z it is :math:`\log p(z \mid y) - \log p(z \mid y_{-i})`, with the record taken out of the
    posterior by reweighting the draws by :math:`1 / p(y_i \mid \theta^{(h)})`.

    Parameters
    ----------
    confidential : pandas.DataFrame or Dataset, n rows
        The data as collected, to which `fitted` was fitted.
    synthetic : DataFrame, sequence of DataFrames, or Release
        m datasets, made from `fitted`.
    fitted : fitted synthesizer
        One with posterior draws and a density, such as of `NormalRegression` or `DirichletMultinomial`. A weighted fit counts each
        record by its weight, a clipped one by its clipped contribution.
    targets : array of row positions or boolean mask, optional
        The people asked about; default all.
    smooth : bool, default False
        Smooth the largest of the weights that take a record out, by a generalised Pareto distribution.

    Returns
    -------
    MembershipResult
        A number is given only where it can be relied on: where the Pareto index of the weights is below 0.7, and for a
        dataset where at least 100 effective draws speak for it with and without the record.

    Raises
    ------
    ExtraUnavailableError
        If ArviZ is not installed.
    InputError
        If `fitted` has no density or was fitted to other records, a dataset lacks rows or variables, or a target or a
        dataset has density 0 (minus infinity), so that the fit cannot have produced it.

    Warns
    -----
    LowEffectiveSampleSizeWarning
        For some people or datasets the draws do not tell; these are NaN.

    Notes
    -----
    The ratio of the parameters is a lower bound of their epsilon, on these data. Few draws speak for a whole
    dataset as soon as there are many parameters: with some ten of them 2,000 draws leave about 30, and no number is given;
    fitting again without the record is the way then. In partial synthesis the unchanged variables show who is in the file
    anyway; the ratios are about the synthesized values alone.

    References
    ----------
    Savitsky, T. D., Williams, M. R. and Hu, J. (2022). Bayesian pseudo posterior mechanism under asymptotic differential
    privacy. Journal of Machine Learning Research 23(55), 1-37.
    Vehtari, A., Simpson, D., Gelman, A., Yao, Y. and Gabry, J. (2024). Pareto smoothed importance sampling. Journal of Machine
    Learning Research 25(72), 1-58.

    Examples
    --------
    >>> import pandas as pd
    >>> import synthlab as sl
    >>> people = pd.DataFrame({"ill": ["yes"] * 2 + ["no"] * 38})
    >>> fitted = sl.DirichletMultinomial(["ill"]).fit(people, rng=1)
    >>> risk = sl.membership_risk(people, fitted.generate(m=1, rng=2), fitted, targets=[0, 39])
    >>> risk.parameters.round(1).tolist()  # one of two, or one of 38: the rare answer gives itself away
    [2.7, 0.3]
    """
    from scipy.special import logsumexp

    frame, release = _checks.check_frame(confidential, "confidential"), as_release(synthetic)
    rows = _checks.check_targets(targets, len(frame))
    check_fitted(frame, release, fitted)
    arviz = optional_dependencies.load("bayes", "arviz", "membership_risk")
    _checks.check_choice(smooth, "smooth", (True, False))
    own = contributions(fitted, frame, rows)
    if impossible := int(np.isinf(own).any(axis=0).sum()):
        raise InputError(
            f"fitted: {impossible:,} of {rows.size:,} targets have density 0 (minus infinity) under a draw; fit a model under "
            "which every record is possible"
        )
    seen = log_release(fitted, release)
    for number, column in enumerate(seen.T, start=1):
        if np.isneginf(column).all():
            raise InputError(
                f"synthetic dataset {number}: has density 0 (minus infinity) under every draw of `fitted`, so it was not "
                "generated from it"
            )
    draws = len(own)
    taken_out, index = (
        np.array(part) for part in zip(*(_weights(arviz, -column, smooth) for column in own.T), strict=True)
    )
    taken_out = taken_out.T  # log weights of the draws without the record, of sum 1
    log_cpo = logsumexp(taken_out + own, axis=0)
    ratio = np.where(index < LARGEST_K, own - log_cpo, np.nan)
    gone = logsumexp(taken_out[:, :, None] + seen[:, None, :], axis=0)
    effective = np.minimum(
        [_effective(column) for column in seen.T],
        [min(_effective(column + one) for one in taken_out.T) for column in seen.T],
    )
    told = (index < LARGEST_K)[:, None] & (effective >= FEWEST_DRAWS)
    with_record = logsumexp(seen, axis=0) - np.log(draws)
    found = np.where(told, with_record - gone, np.nan)
    if not told.all():
        warn(
            f"the {draws:,} draws do not tell for {int((index >= LARGEST_K).sum()):,} of {rows.size:,} people (Pareto index of {LARGEST_K} "
            f"or more), nor for {int((effective < FEWEST_DRAWS).sum()):,} of {release.m} datasets (fewer than {FEWEST_DRAWS} effective "
            "draws); these are NaN",
            LowEffectiveSampleSizeWarning,
            stacklevel=2,
        )
    parameters = np.abs(ratio).max(axis=0)
    told_of = not np.isnan(parameters).all()
    worst = ratio[:, int(np.nanargmax(parameters))] if told_of else np.zeros(0)
    return MembershipResult(
        parameters=_checks.read_only(parameters),
        gain=_checks.read_only(ratio.mean(axis=0)),
        advantage=_checks.read_only(-np.expm1(np.minimum(-ratio, 0.0)).mean(axis=0)),
        release=_checks.read_only(found),
        pareto_k=_checks.read_only(index),
        effective_draws=_checks.read_only(np.asarray(effective, dtype=np.float64)),
        ess=_checks.read_only(np.array([_effective(one) for one in taken_out.T])),
        targets=_checks.read_only(rows),
        labels=tuple(frame.index[rows]),
        draws=draws,
        log_ratio=_checks.read_only(np.ascontiguousarray(worst)),
    )


def _weights(arviz: Any, log_weights: FloatArray, smooth: bool) -> tuple[FloatArray, float]:
    """Return log weights whose sum is 1, and their Pareto index; where the largest are all equal there is no tail."""
    from scipy.special import logsumexp

    size = log_weights.size
    tail = min(0.2 * size, 3.0 * np.sqrt(size))
    if (log_weights >= log_weights.max() - 1e-12).sum() > tail:  # such as those of clipped contributions
        return np.asarray(log_weights - logsumexp(log_weights)), -np.inf
    smoothed, index = arviz.psislw(log_weights[None, :])
    return np.asarray(smoothed[0]) if smooth else log_weights - logsumexp(log_weights), float(index[0])


def _effective(log_weights: FloatArray) -> float:
    """Return how many equally weighted draws the weights are worth."""
    from scipy.special import logsumexp

    return float(np.exp(2 * logsumexp(log_weights) - logsumexp(2 * log_weights)))
