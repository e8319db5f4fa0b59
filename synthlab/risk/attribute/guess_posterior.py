"""Posterior over guesses of an intruder, by importance sampling from posterior draws.

The functions take arrays, for S posterior draws of the parameters given the confidential data, G guesses for the
synthesized values of a record i, and m synthetic datasets.
"""

from __future__ import annotations

import numpy as np

from synthlab import _checks
from synthlab._calls import explains_arguments
from synthlab._typing import FloatArray
from synthlab.exceptions import InputError

LARGEST = 1e300  # larger finite log densities could overflow when they are subtracted or doubled


@explains_arguments
def guess_posterior(
    own: FloatArray, guesses: FloatArray, release: FloatArray, prior: FloatArray | None = None
) -> tuple[FloatArray, FloatArray, FloatArray]:
    r"""Return the posterior over guesses for one record, given each synthetic dataset.

    The draws :math:`\theta_s` are given all records. The weights
    :math:`w_s(g) = f(g \mid \theta_s) / f(y_i \mid \theta_s)` turn them into draws given the other records and the
    guess, so that

    .. math:: p(Z^{(l)} \mid g, y_{-i}) \approx \frac{\sum_s w_s(g)\, p(Z^{(l)} \mid \theta_s)}{\sum_s w_s(g)}.

    Parameters
    ----------
    own : array of shape (S,)
        log f(y_i | theta_s), as in the posterior (multiplied by the record's weight in a weighted fit).
    guesses : array of shape (S, G)
        log f(g | theta_s) of each guess g, also multiplied by the record's weight in a weighted fit.
    release : array of shape (S, m)
        log p(Z(l) | theta_s) of each dataset, up to one constant per dataset.
    prior : array of shape (G,), optional
        Log probabilities of the guesses before the release, up to a constant. Default: the predictive probabilities of
        the model given the other records, the mean of ``f(g) / f(y_i)``. -inf excludes a guess.

    Returns
    -------
    posterior : array of shape (G, m)
        Probabilities of the guesses given dataset l; they sum to 1.
    prior : array of shape (G,)
        Probabilities of the guesses without a release; they sum to 1.
    ess : array of shape (m,)
        Effective number of draws, ``(sum q)^2 / sum q^2`` of ``q = w p(Z)``, the smallest over the guesses.

    Raises
    ------
    InputError
        If an argument does not contain numbers, the shapes do not agree, a log density is NaN or plus infinity, a value of
        `own` is infinite, all guesses have density 0, or a dataset has density 0 under every guess.

    References
    ----------
    Hu, J. (2019). Bayesian estimation of attribute and identification disclosure risks in synthetic data.
    Transactions on Data Privacy 12(1), 61-89.
    Reiter, J. P., Wang, Q. and Zhang, B. (2014). Bayesian estimation of disclosure risks for multiply imputed,
    synthetic data. Journal of Privacy and Confidentiality 6(1).

    Examples
    --------
    >>> import numpy as np
    >>> from synthlab.risk import guess_posterior
    >>> # Two draws, 0.2 and 0.8, of Pr(yes). The record says no; the guesses are no and yes; one released record says yes.
    >>> yes = np.array([0.2, 0.8])
    >>> guesses = np.log(np.column_stack([1 - yes, yes]))
    >>> posterior, prior, ess = guess_posterior(np.log(1 - yes), guesses, np.log(yes)[:, None], np.zeros(2))
    >>> posterior[:, 0].round(4).tolist()  # 1/2 against (0.2 * 1/4 + 0.8 * 4) / (1/4 + 4)
    [0.3953, 0.6047]
    """
    from scipy.special import logsumexp

    own, guesses, release = (
        _checks.check_array(values, name, "log densities, which are numbers")
        for name, values in (("own", own), ("guesses", guesses), ("release", release))
    )
    shapes = own.shape, guesses.shape, release.shape
    if tuple(map(len, shapes)) != (1, 2, 2) or len({shape[0] for shape in shapes}) > 1 or 0 in sum(shapes, ()):
        raise InputError(
            f"own, guesses, release: shapes {', '.join(map(str, shapes))} must be (S,), (S, G), (S, m), with no dimension 0"
        )
    infinite = int((~np.isfinite(own)).sum())
    if infinite:
        raise InputError(
            f"own: {infinite} of {own.size} log densities are infinite or NaN; the record's own value must have a finite log "
            "density under every draw"
        )
    for name, values in (("guesses", guesses), ("release", release)):
        if np.isnan(values).any() or np.isposinf(values).any():
            raise InputError(f"{name}: a log density is NaN or plus infinity")
    if np.isneginf(guesses).all():
        raise InputError("guesses: every guess has density 0 (minus infinity) under every draw")
    for name, values in (("own", own), ("guesses", guesses), ("release", release)):
        if np.abs(values[np.isfinite(values)]).max(initial=0.0) > LARGEST:
            raise InputError(f"{name}: a log density is larger than {LARGEST:g} in absolute value; pass log densities")
    weight = guesses - own[:, None]
    total = logsumexp(weight, axis=0)
    before = total if prior is None else _checked(prior, guesses.shape[1])
    possible = np.isfinite(before) & np.isfinite(total)
    if not possible.any():
        raise InputError("prior: leaves no guess with a density above 0 (minus infinity) under some draw")
    before = before - logsumexp(before)
    after = np.full((guesses.shape[1], release.shape[1]), -np.inf)
    ess = np.zeros(release.shape[1])
    for dataset in range(release.shape[1]):
        joint = weight[:, possible] + release[:, [dataset]]
        after[possible, dataset] = before[possible] + logsumexp(joint, axis=0) - total[possible]
        sums = logsumexp(joint, axis=0)
        if not np.isfinite(sums).any():
            raise InputError(f"release: dataset {dataset + 1} has density 0 (minus infinity) under every guess")
        if np.isfinite(sums).all():  # otherwise a guess has weight 0 under every draw
            ess[dataset] = np.exp(2 * sums - logsumexp(2 * joint, axis=0)).min()
    return np.exp(after - logsumexp(after, axis=0)), np.exp(before), ess


def _checked(prior: FloatArray, guesses: int) -> FloatArray:
    values = _checks.check_array(prior, "prior", f"{guesses} log probabilities")
    if (
        values.shape != (guesses,)
        or np.isnan(values).any()
        or not np.isfinite(values).any()
        or np.isposinf(values).any()
    ):
        raise InputError(
            f"prior: must be {guesses} log probabilities, at least one of them finite and none plus infinity"
        )
    return values


def together(posterior: FloatArray, prior: FloatArray) -> FloatArray:
    """Return the posterior given all datasets, (G,), from one posterior each, (G, m).

    The datasets are independent given the confidential data, so their likelihoods multiply.
    """
    from scipy.special import logsumexp

    used = prior > 0
    before = np.log(prior[used])
    with np.errstate(divide="ignore"):
        joint = before + (np.log(posterior[used]) - before[:, None]).sum(axis=1)
    result = np.zeros(prior.size)
    result[used] = np.exp(joint - logsumexp(joint))
    return result
