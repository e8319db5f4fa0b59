"""Combining rules for synthetic data generated from pseudo-populations."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

from synthlab import _checks
from synthlab._calls import explains_arguments
from synthlab.exceptions import InputError
from synthlab.utility._combined import CombinedResult, combined_result
from synthlab.utility.combining import _check


@explains_arguments
def combine_pseudo_populations(
    estimates: npt.ArrayLike,
    variances: npt.ArrayLike,
    *,
    level: float = 0.95,
    names: Sequence[str] | None = None,
    parameters: str = "drawn",
    fraction: float = 0.0,
) -> CombinedResult:
    """Combine estimates of r fully synthetic datasets from each of M pseudo-populations.

    `synthesize_pseudo_populations` generates the datasets. It draws pseudo-population l from the survey, a simple
    random sample of size n from the pseudo-population, and r datasets of n records from a model of that sample. Let
    ``q_lk`` and ``v_lk`` be the estimate and its usual variance (for a simple random sample) of dataset k of nest l,
    and let ``q_l`` be the mean of nest l:

    - ``q_bar`` = mean q_l, ``b_M`` = variance of the q_l (divisor M - 1), ``v_bar`` = mean v_lk;
    - ``w_M`` = mean over nests of the variance within a nest (divisor r - 1);
    - r >= 2: ``T = (1 + 1/M) b_M - w_M / r - 2 (1 - f) v_bar``;
    - r = 1: ``T = (1 + 1/M) b_M - c v_bar``, with ``c = 2 (1 - f) + 2`` if the model draws its parameters anew for each
      dataset, and ``c = 2 (1 - f) + 1`` if they are fixed.

    T estimates the design-based variance of the survey. Given the survey, the variance of q_l has four components: the
    bootstrap of the primary sampling units (the variance to be estimated), the Polya urn (``(1 - f) v``), the simple
    random sample (``(1 - f) v``), and the synthesis (``w / r``; for r = 1, v for the records and, if the parameters are
    drawn, v for the parameters).

    Parameters
    ----------
    estimates : array_like, shape (M, r) or (M, r, p)
        Estimates by pseudo-population and dataset; r can be 1.
    variances : array_like, same shape
        Squared standard errors, >= 0, computed as if each dataset were a simple random sample.
    level : float
        Confidence level, in (0, 1).
    names : sequence of str, optional
        Names of the p quantities.
    parameters : {"drawn", "fixed"}
        Whether the model draws its parameters anew for each dataset. Bayesian models draw them; `CART` without
        ``bootstrap=True`` keeps them fixed. Used only if r = 1.
    fraction : float
        f = n / N, the share of the population in the simple random sample, in [0, 1).

    Returns
    -------
    CombinedResult
        `between` is b_M, `within` is v_bar, and `m` is the number of datasets, M r. The degrees of freedom are ``T^2``
        divided by ``((1 + 1/M) b_M)^2 / (M - 1) + (w_M / r)^2 / (M (r - 1))`` (Satterthwaite; the second term only for
        r >= 2).

    Raises
    ------
    InputError
        The shapes are wrong or differ, M = 1, an estimate is infinite, a variance is negative, or `level` is outside
        (0, 1).

    Warns
    -----
    UndefinedIntervalWarning
        An estimate is NaN, or the squares of the estimates exceed the largest float.
    FewDegreesOfFreedomWarning
        There are fewer than 2 degrees of freedom. Below 1, the interval is NaN.

    Notes
    -----
    The cases r >= 2 and r = 1 correspond to the two designs of Mathur, Si and Reiter (2024). The rules are not taken
    from that paper, whose symbols might differ. They are derived from the variance components above, as Raghunathan,
    Reiter and Rubin (2003) derive theirs, and checked by simulation (``synthlab replicate survey-design``). If T < 0,
    it is replaced by v_bar, `adjusted` is True, and the degrees of freedom are infinite.

    T is a difference. With few pseudo-populations and a small design effect, it is often negative, or positive but
    small with nearly 0 degrees of freedom, because the design-based variance is small compared with the synthesis
    variance. This is why `synthesize_pseudo_populations` makes M = 100 pseudo-populations by default. The table shows a
    simulation with drawn parameters and r = 1 (normal theory, 5,000 repetitions per row, 95% intervals; a NaN interval
    counts as unbounded):

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

    With r = 2 datasets per pseudo-population and M = 100, the percentages of replaced and of NaN or too long intervals
    are about two thirds as large for a design effect of 1, and about a quarter as large for 2.3.

    References
    ----------
    Mathur, S., Si, Y. and Reiter, J. P. (2024). Fully synthetic data for complex surveys. Survey Methodology 50(2),
    347-373. Raghunathan, T. E., Reiter, J. P. and Rubin, D. B. (2003). Multiple imputation for statistical disclosure
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
