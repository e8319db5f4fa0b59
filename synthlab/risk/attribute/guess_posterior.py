"""The intruder's posterior over guesses, by importance sampling from posterior draws already made.

Arrays only: S draws of the parameters from the posterior given the confidential data, a record i, G guesses for
its synthesized values, m synthetic datasets.
"""

from __future__ import annotations

import numpy as np

from synthlab import _checks
from synthlab._typing import FloatArray
from synthlab.exceptions import InputError

LARGEST = 1e300  # of finite log densities: their differences and doubles are floats


def guess_posterior(
    own: FloatArray, guesses: FloatArray, release: FloatArray, prior: FloatArray | None = None
) -> tuple[FloatArray, FloatArray, FloatArray]:
    r"""Return the posterior over guesses for one record, given each synthetic dataset.

    With draws :math:`\theta_s` given all records, the weights
    :math:`w_s(g) = f(g \mid \theta_s) / f(y_i \mid \theta_s)` turn them into draws given the other records and the
    guess, and

    .. math:: p(Z^{(l)} \mid g, y_{-i}) \approx \frac{\sum_s w_s(g)\, p(Z^{(l)} \mid \theta_s)}{\sum_s w_s(g)}.

    Parameters
    ----------
    own : array of shape (S,)
        log f(y_i | theta_s), as in the posterior (times the record's weight in a weighted fit).
    guesses : array of shape (S, G)
        The same with each guess in the place of y_i.
    release : array of shape (S, m)
        log p(Z(l) | theta_s) of each dataset, up to a constant of its own.
    prior : array of shape (G,), optional
        log probability of the guesses before the release, up to a constant; None: that of the model given the
        other records, ``mean of f(g) / f(y_i)``. -inf excludes a guess.

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
        If an argument holds no numbers, the shapes do not fit, a log density is NaN or plus infinity, one in `own` is
        infinite, or all guesses or all of a dataset's densities are 0.

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
            f"own, guesses, release: shapes {', '.join(map(str, shapes))} must be (S,), (S, G), (S, m), none of them 0"
        )
    infinite = int((~np.isfinite(own)).sum())
    if infinite:
        raise InputError(
            f"own: {infinite} of {own.size} log densities are infinite or NaN; the draws were made with the record at its own "
            "value, which has a finite one under each of them"
        )
    for name, values in (("guesses", guesses), ("release", release)):
        if np.isnan(values).any() or np.isposinf(values).any():
            raise InputError(f"{name}: a log density is NaN or plus infinity")
    if np.isneginf(guesses).all():
        raise InputError("guesses: every guess has density 0 (minus infinity) under every draw")
    for name, values in (("own", own), ("guesses", guesses), ("release", release)):
        if np.abs(values[np.isfinite(values)]).max(initial=0.0) > LARGEST:
            raise InputError(f"{name}: a finite log density is beyond {LARGEST:g}, and no density is")
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
        if np.isfinite(sums).all():  # else no draw at all speaks for some guess
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
    """Return the posterior given all m datasets, shape (G,), from those given each, shape (G, m).

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
