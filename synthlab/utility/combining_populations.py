"""Combining rules for synthetic data made by way of pseudo-populations, in nests of one or of several datasets."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

from synthlab import _checks
from synthlab.exceptions import InputError
from synthlab.utility._combined import CombinedResult, combined_result
from synthlab.utility.combining import _check


def combine_pseudo_populations(
    estimates: npt.ArrayLike,
    variances: npt.ArrayLike,
    *,
    level: float = 0.95,
    names: Sequence[str] | None = None,
    parameters: str = "drawn",
    fraction: float = 0.0,
) -> CombinedResult:
    """Combine the estimates of fully synthetic datasets that come from M pseudo-populations, r from each.

    They are made by `synthesize_pseudo_populations`: pseudo-population l is drawn from the survey, a simple random sample
    of n from it, and r datasets of n records from a model of that sample. With ``q_lk`` and ``v_lk`` estimate and
    usual variance (of a simple random sample) of dataset k of nest l, ``q_l`` the mean of nest l:

    - ``q_bar`` = mean q_l, ``b_M`` = variance of the q_l (divisor M - 1), ``v_bar`` = mean v_lk;
    - ``w_M`` = mean over nests of the variance within a nest (divisor r - 1);
    - r >= 2: ``T = (1 + 1/M) b_M - w_M / r - 2 (1 - f) v_bar``;
    - r = 1: ``T = (1 + 1/M) b_M - c v_bar``, with ``c = 2 (1 - f) + 2`` where the model draws its parameters anew for each
      dataset, and ``c = 2 (1 - f) + 1`` where they are fixed.

    T estimates the design-based variance of the survey. Given the survey, q_l varies by what the bootstrap of the primary sampling
    units adds (the variance sought), by the Polya urn (``(1 - f) v``), by the simple random sample (``(1 - f) v``), and
    by the synthesis (``w / r``; for r = 1, v for the records and v for the parameters, if drawn).

    Parameters
    ----------
    estimates : array_like, shape (M, r) or (M, r, p)
        Estimates by pseudo-population and dataset; r may be 1.
    variances : array_like, same shape
        Squared standard errors, >= 0, of the dataset taken for a simple random sample.
    level : float
        Confidence level, in (0, 1).
    names : sequence of str, optional
        Names of the p quantities.
    parameters : {"drawn", "fixed"}
        For r = 1: whether the model draws its parameters anew for each dataset, as Bayesian ones do, or not, as `CART`
        without ``bootstrap=True``. For r >= 2 it does not matter.
    fraction : float
        f = n / N, the share of the population in the simple random sample, in [0, 1).

    Returns
    -------
    CombinedResult
        `between` is b_M, `within` v_bar, and `m` the number of datasets, M r. Degrees of freedom are ``T^2`` over
        ``((1 + 1/M) b_M)^2 / (M - 1) + (w_M / r)^2 / (M (r - 1))`` (Satterthwaite; the second term for r >= 2).

    Raises
    ------
    InputError
        Shapes that differ or are none of these, M = 1, infinite estimates, negative variances, a level outside (0, 1).

    Warns
    -----
    UndefinedStatisticWarning
        An estimate that is NaN, or estimates whose squares are beyond the largest float.
    FewDegreesOfFreedomWarning
        Fewer than 2 degrees of freedom; below 1, the interval is NaN.

    Notes
    -----
    The two ways of making the data are the two designs of Mathur, Si and Reiter (2024), several datasets from each sample or one. The
    rules are derived here from the variances named, as those of Raghunathan, Reiter and Rubin (2003) are, and checked by
    simulation (``synthlab replicate survey-design``); they are not taken over from the paper, whose symbols may differ. If T < 0,
    then v_bar takes its place, `adjusted` is True, and the degrees of freedom are infinite.

    T is a difference. It is often negative, or positive but small with nearly 0 degrees of freedom, if there are few
    pseudo-populations and the variance sought is small compared with the noise of synthesis, that is, if the design effect is
    small. This is why `synthesize_pseudo_populations` makes M = 100 pseudo-populations by default. A simulation with drawn
    parameters and r = 1 (normal theory, 5,000 repetitions per row, 95% intervals; an interval that is NaN counts as
    unbounded):

    =============  ===  ===========  ==============  ================  =============
    design effect    M  coverage, %  T replaced, %   NaN or > 5 times  median length
                                                     too long, %       over the
                                                                       right one
    =============  ===  ===========  ==============  ================  =============
    1               20  97.6         24.3            33.4              2.86
    1              100  99.5         6.2             14.5              1.52
    1              200  98.5         1.9             5.4               1.24
    2.3             20  98.1         8.9             18.2              1.85
    2.3             50  98.3         1.8             5.4               1.29
    2.3            100  96.8         0.1             0.8               1.11
    5               20  97.9         1.4             4.2               1.32
    5               50  95.6         0.0             0.1               1.09
    5              100  95.5         0.0             0.0               1.04
    =============  ===  ===========  ==============  ================  =============

    With r = 2 datasets from each, the shares are about two thirds as large for a design effect of 1, and a quarter for 2.3, at
    M = 100.

    References
    ----------
    Mathur, S., Si, Y. and Reiter, J. P. (2024). Fully synthetic data for complex surveys. Survey Methodology 50(2), 347-373.
    Raghunathan, T. E., Reiter, J. P. and Rubin, D. B. (2003). Multiple imputation for statistical disclosure
    limitation. Journal of Official Statistics 19(1), 1-16.

    Examples
    --------
    >>> from synthlab.utility import combine_pseudo_populations
    >>> estimates = [[9.0, 11.0], [12.0, 16.0], [7.0, 9.0], [15.0, 13.0], [10.0, 12.0], [6.0, 8.0]]
    >>> variances = [[0.25, 0.25]] * 6
    >>> combine_pseudo_populations(estimates, variances, names=["mean income"]).summary().round(3)
                  q_bar  std_error    df  lower   upper
    name
    mean income  10.667      2.848  3.16  1.857  19.477
    """
    _checks.check_choice(parameters, "parameters", ("drawn", "fixed"))
    f = _checks.check_number(fraction, "fraction", low=0.0, high=1.0, open_high=True)
    given = _checks.check_array(estimates, "estimates", "numbers in an array of shape (M, r) or (M, r, p)")
    shape = given.shape
    if len(shape) not in (2, 3) or given.size == 0 or shape[0] < 2:
        raise InputError(
            f"estimates: must have shape (M, r) or (M, r, p), with M >= 2 pseudo-populations and r >= 1 datasets from each, got {shape}"
        )
    stated = _checks.check_array(variances, "variances", "numbers in an array of the shape of estimates")
    if stated.shape != shape:
        raise InputError(f"variances: shape {stated.shape} must be that of estimates, {shape}")
    M, r = shape[:2]
    q, v, labels = _check(given.reshape(M * r, -1), stated.reshape(M * r, -1), names)
    nests = q.reshape(M, r, -1)
    with np.errstate(over="ignore", invalid="ignore", divide="ignore"):
        centre, v_bar = nests.mean(axis=1), v.mean(axis=0)
        between, spread = centre.var(axis=0, ddof=1), (1 + 1 / M) * centre.var(axis=0, ddof=1)
        if r > 1:
            inside = nests.var(axis=1, ddof=1).mean(axis=0) / r
            total, noise = spread - inside - 2 * (1 - f) * v_bar, inside**2 / (M * (r - 1))
        else:
            total = spread - (2 * (1 - f) + (2 if parameters == "drawn" else 1)) * v_bar
            noise = np.zeros_like(total)
        adjusted = total < 0
        df = np.where(adjusted | (spread**2 + noise == 0), np.inf, total**2 / (spread**2 / (M - 1) + noise))
        total = np.where(adjusted, v_bar, total)
    return combined_result(
        q.mean(axis=0), between, v_bar, total, df, adjusted, labels, M * r, level, "pseudo-population"
    )


__all__ = ["combine_pseudo_populations"]
