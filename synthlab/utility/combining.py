"""Combining rules: one estimate and one variance from m synthetic datasets.

Each dataset gives an estimate and its usual variance. The average of these variances is too small for partial
synthesis and for full synthesis with as many records as the survey; the rules correct it. They are the rules of Reiter
(2003) for partial synthesis, of Raab, Nowok and Dibben (2016) and of Raghunathan, Reiter and Rubin (2003) for full
synthesis, and of Reiter (2004) for partial synthesis after multiple imputation of missing values.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import numpy.typing as npt
import pandas as pd

from synthlab import _checks
from synthlab._calls import explains_arguments
from synthlab._typing import FloatArray
from synthlab.exceptions import InputError
from synthlab.utility._combined import CombinedResult, combined_result

PARAMETER_STATUSES = ("fixed", "drawn", "mixed")


@explains_arguments
def combine_partial(
    estimates: npt.ArrayLike, variances: npt.ArrayLike, *, level: float = 0.95, names: Sequence[str] | None = None
) -> CombinedResult:
    """Combine the estimates of m partially synthetic datasets.

    Let q_l and v_l be the estimate and variance of dataset l, ``q_bar = mean q_l``, ``b = var q_l`` (divisor
    m - 1), and ``v_bar = mean v_l``. Then (Reiter 2003)

    - ``T_p = b/m + v_bar`` (`total_variance`),
    - ``df = (m - 1) (1 + v_bar / (b/m))**2``,
    - interval ``q_bar -+ t_df sqrt(T_p)``.

    Parameters
    ----------
    estimates : array_like, shape (m,) or (m, p)
        Estimates, one row per synthetic dataset. The columns of a DataFrame are the default of `names`.
    variances : array_like, same shape
        Squared standard errors, >= 0.
    level : float
        Confidence level, in (0, 1).
    names : sequence of str, optional
        Names of the p quantities.

    Returns
    -------
    CombinedResult

    Raises
    ------
    InputError
        The shapes differ, an estimate is infinite, a variance is negative, or `level` is outside (0, 1).

    Warns
    -----
    UndefinedIntervalWarning
        m = 1, an estimate or a variance is NaN, or the squares of the estimates exceed the largest float.
    FewDegreesOfFreedomWarning
        There are fewer than 2 degrees of freedom.

    Notes
    -----
    Degenerate cases:

    - m = 1: the variance between datasets cannot be estimated, so `between`, `total_variance`, `df` and `interval`
      are NaN (v_bar alone would be too small).
    - b = 0: ``T_p = v_bar`` with infinite degrees of freedom, and the interval is normal.
    - b = 0 and v_bar = 0: the interval has length 0.
    - A quantity that is NaN in one dataset is NaN in the result.

    References
    ----------
    Reiter, J. P. (2003). Inference for partially synthetic, public use microdata sets. Survey
    Methodology 29(2), 181-188.

    Examples
    --------
    >>> from synthlab.utility import combine_partial
    >>> result = combine_partial([10.0, 12.0, 14.0], [3.0, 3.0, 3.0], names=["mean income"])
    >>> result.summary().round(3)
                 q_bar  std_error      df  lower   upper
    name
    mean income   12.0      2.082  21.125  7.672  16.328
    """
    q, v, labels = _check(estimates, variances, names)
    m = len(q)
    with np.errstate(over="ignore", invalid="ignore"):
        q_bar, between, within = _moments(q, v)
        excess = between / m
        total = excess + within
        df = _square_times(m - 1, 1 + _ratio(within, excess))
    return combined_result(q_bar, between, within, total, df, np.zeros(q_bar.size, bool), labels, m, level, "partial")


@explains_arguments
def combine_full(
    estimates: npt.ArrayLike,
    variances: npt.ArrayLike,
    *,
    level: float = 0.95,
    names: Sequence[str] | None = None,
    size_ratio: float = 1.0,
    parameters: str | None = None,
) -> CombinedResult:
    """Combine the estimates of m fully synthetic datasets.

    Every variable of the datasets is synthetic. Let k = n_syn/n be `size_ratio`, and q_bar, b and v_bar as in
    `combine_partial`. With `parameters`, the variance is that of Raab, Nowok and Dibben (2016):

    - "fixed": ``v_bar (k + 1/m)``, with infinite degrees of freedom;
    - "drawn": ``v_bar (k + (1 + k)/m)``, with infinite degrees of freedom;
    - "mixed": ``k v_bar + b/m``, with ``df = (m - 1) (1 + k v_bar / (b/m))**2``.

    Without `parameters`, the rule is that of Raghunathan, Reiter and Rubin (2003), for published results and for data of
    agencies that prescribe it:

    - ``T_f = (1 + 1/m) b - v_bar``, which can be negative. `total_variance` is therefore the non-negative variance
      of Reiter (2002), ``max(0, T_f) + 1{T_f < 0} (n_syn/n) v_bar``;
    - ``df = (m - 1) (1 - v_bar / ((1 + 1/m) b))**2``.

    Parameters
    ----------
    estimates, variances, level, names
        As in `combine_partial`.
    size_ratio : float
        n_syn / n: number of records of one synthetic dataset divided by the number of confidential records.
    parameters : {"fixed", "drawn", "mixed"}, optional
        How the parameters of the synthesizer were drawn. "fixed": all datasets come from the same estimates, such as trees
        without bootstrap and plug-in models. "drawn": all parameters were drawn anew for each dataset, such as posterior
        draws and trees with bootstrap. "mixed": some were drawn, or records had risk weights in the fit. Default: the rule
        of Raghunathan, Reiter and Rubin.

    Returns
    -------
    CombinedResult
        Its `rule`, `assumptions` and `reference` describe the rule.

    Raises
    ------
    InputError
        As `combine_partial`; or `size_ratio` or `parameters` is invalid.

    Warns
    -----
    UndefinedIntervalWarning, FewDegreesOfFreedomWarning
        As `combine_partial`. With "fixed" or "drawn", m = 1 gives an interval.

    Notes
    -----
    All rules assume that the confidential data are a simple random sample, that the synthesizer fits them, and a large
    sample. T_f also requires parameters that are drawn anew for each dataset, and many or large datasets. For a normal model
    with drawn parameters (n = 300, m = 5, 95% intervals), its coverage is 60%, 69% and 85% for n_syn = 100, 300 and 900, and
    13% to 34% of its intervals are NaN. The rules with `parameters` have a coverage of 94% to 96%.
    ``python -m tests.benchmarks.coverage`` simulates their coverage.

    Degenerate cases of T_f:

    - m = 1: `between`, `total_variance`, `df` and `interval` are NaN.
    - T_f < 0 (including b = 0): the variance is replaced, `adjusted` is True, and the degrees of freedom are infinite,
      because the formula for df applies only to T_f.
    - T_f = 0 and b > 0: there are 0 degrees of freedom.
    - T_f positive but small: the degrees of freedom are near 0. Below 1, the interval is NaN.

    Some lecture code uses min instead of max in the formula of Reiter (2002).

    References
    ----------
    Raab, G. M., Nowok, B. and Dibben, C. (2016). Practical data synthesis for large samples. Journal of Privacy and
    Confidentiality 7(3), 67-97.
    Raghunathan, T. E., Reiter, J. P. and Rubin, D. B. (2003). Multiple imputation for statistical disclosure
    limitation. Journal of Official Statistics 19(1), 1-16.
    Reiter, J. P. (2002). Satisfying disclosure restrictions with synthetic data sets. Journal of Official
    Statistics 18(4), 531-544.

    Examples
    --------
    >>> from synthlab.utility import combine_full
    >>> result = combine_full([9.0, 11.0, 12.0, 16.0], [1.0, 1.0, 1.0, 1.0], names=["mean income"])
    >>> result.summary().round(3)
                 q_bar  std_error     df  lower   upper
    name
    mean income   12.0      3.136  2.472  0.698  23.302

    Datasets from one set of estimates, such as trees, with twice as many records as the survey:

    >>> combine_full([9.0, 11.0, 12.0, 16.0], [1.0] * 4, parameters="fixed", size_ratio=2.0).summary().round(3)
              q_bar  std_error   df  lower   upper
    name
    estimate   12.0        1.5  inf   9.06   14.94
    """
    q, v, labels = _check(estimates, variances, names)
    ratio = _checks.check_number(size_ratio, "size_ratio", low=0.0, open_low=True)
    _checks.check_choice(parameters, "parameters", [None, *PARAMETER_STATUSES])
    m = len(q)
    with np.errstate(over="ignore", invalid="ignore"):
        q_bar, between, within = _moments(q, v)
        if parameters is not None:
            none_adjusted, df = np.zeros(q_bar.size, bool), np.full(q_bar.size, np.inf)
            if parameters == "mixed":
                total = ratio * within + between / m
                df = _square_times(m - 1, 1 + _ratio(ratio * within, between / m))
            else:
                total = within * (ratio + (1 / m if parameters == "fixed" else (1 + ratio) / m))
            return combined_result(
                q_bar, between, within, total, df, none_adjusted, labels, m, level, "full", parameters=parameters
            )
        spread = (1 + 1 / m) * between
        total = spread - within
        adjusted = total < 0
        df = np.where(adjusted, np.inf, _square_times(m - 1, 1 - _ratio(within, spread)))
        total = np.where(adjusted, ratio * within, total)
    return combined_result(q_bar, between, within, total, df, adjusted, labels, m, level, "full")


@explains_arguments
def combine_nested(
    estimates: npt.ArrayLike, variances: npt.ArrayLike, *, level: float = 0.95, names: Sequence[str] | None = None
) -> CombinedResult:
    """Combine estimates of r partially synthetic datasets in each of M nests.

    The nests are M imputations of the missing values. Let ``q_li`` and ``u_li`` be the estimate and variance of
    synthesis i = 1, ..., r in nest l = 1, ..., M. With

    - ``q_l = mean_i q_li`` and ``q_bar = mean_l q_l``,
    - ``b_M = sum_l (q_l - q_bar)**2 / (M - 1)`` (`between`),
    - ``w_M = sum_l sum_i (q_li - q_l)**2 / (M (r - 1))`` (`within_nests`),
    - ``u_M = mean u_li`` (`within`),

    the two-level rule (Reiter 2004) is

    - ``T_M = (1 + 1/M) b_M - w_M / r + u_M`` (`total_variance`),
    - ``1/df = ((1 + 1/M) b_M)**2 / ((M - 1) T_M**2) + (w_M / r)**2 / (M (r - 1) T_M**2)``,
    - interval ``q_bar -+ t_df sqrt(T_M)``.

    Parameters
    ----------
    estimates : array_like, shape (M, r) or (M, r, p)
        Estimates, one row per nest, with r >= 2 syntheses in each nest.
    variances, level, names
        As in `combine_partial`.

    Returns
    -------
    CombinedResult

    Raises
    ------
    InputError
        The shapes differ, r = 1, an estimate is infinite, a variance is negative, or `level` is outside (0, 1).

    Warns
    -----
    UndefinedIntervalWarning
        M = 1, or an estimate is NaN.
    FewDegreesOfFreedomWarning
        There are fewer than 2 degrees of freedom. Below 1, the interval is NaN.

    Notes
    -----
    The variance b_M between nests includes the variance w_M / r caused by the r syntheses of each nest. The rule
    subtracts w_M / r, so that only the variance caused by the imputations remains. With r = 1, the two cannot be
    separated. If T_M < 0, it is replaced by ``(1 + 1/M) b_M + u_M``, which is too large, with
    ``(M - 1) (1 + u_M / ((1 + 1/M) b_M))**2`` degrees of freedom, and `adjusted` is True. If b_M = w_M = 0, then
    ``T_M = u_M`` with infinite degrees of freedom. Like the one-level rules, this rule assumes a large sample, in which
    the estimate is normal with known variance u.

    With r = 2 or 3, T_M is often negative, or positive but small, which gives nearly 0 degrees of freedom. This is why
    `Imputed.synthesize` makes r = 5 datasets from each imputation by default. The table shows a simulation of a fully
    synthesized variable with M = 5 (normal theory, 5,000 repetitions per row, 95% intervals; a NaN interval counts as
    unbounded):

    ===================  ==  ===========  ================  ===================  =============
    missing information   r  coverage, %  T_M replaced, %   NaN or > 5 times     median length
                                                            too long, %          over the
                                                                                 right one
    ===================  ==  ===========  ================  ===================  =============
    10%                   2  98.7         9.5               17.8                 1.81
    10%                   3  97.3         1.3               5.3                  1.35
    10%                   5  94.8         0.0               0.0                  1.08
    30%                   2  98.4         7.1               15.9                 1.72
    30%                   3  96.7         0.7               3.9                  1.32
    30%                   5  94.4         0.0               0.0                  1.09
    50%                   2  97.8         4.7               12.2                 1.63
    50%                   3  95.9         0.4               2.3                  1.29
    50%                   5  94.6         0.0               0.0                  1.12
    ===================  ==  ===========  ================  ===================  =============

    References
    ----------
    Reiter, J. P. (2004). Simultaneous use of multiple imputation for missing data and disclosure limitation. Survey
    Methodology 30(2), 235-242.

    Examples
    --------
    >>> from synthlab.utility import combine_nested
    >>> estimates = [[9.0, 11.0], [12.0, 14.0], [15.0, 17.0], [10.0, 12.0]]
    >>> combine_nested(estimates, [[1.0, 1.0]] * 4, names=["mean income"]).summary().round(3)
                 q_bar  std_error     df  lower   upper
    name
    mean income   12.5      2.958  2.971  3.034  21.966
    """
    q, v = _numbers(estimates, "estimates"), _numbers(variances, "variances")
    if q.ndim not in (2, 3) or q.size == 0:
        raise InputError(f"estimates: must have shape (M, r) or (M, r, p) with M, r, p >= 1, got {q.shape}")
    if q.shape[1] < 2:
        raise InputError(
            "estimates: r = 1 synthesis per nest: the variance between the syntheses of one imputation cannot be "
            "estimated; make r >= 2"
        )
    if q.shape != v.shape:
        raise InputError(f"variances: shape {v.shape} must be that of estimates, {q.shape}")
    nests, r = q.shape[:2]
    flat, v, labels = _check(q.reshape(nests * r, -1), v.reshape(nests * r, -1), names)
    q = flat.reshape(nests, r, -1)
    with np.errstate(over="ignore", invalid="ignore"):
        q_bar, between, within = _moments(q.mean(axis=1), v)
        inner = q.var(axis=1, ddof=1).mean(axis=0)
        outer, lost = (1 + 1 / nests) * between, inner / r
        total = outer - lost + within
        adjusted = total < 0
        squares = outer**2 / max(nests - 1, 1) + lost**2 / (nests * (r - 1))
        df = np.where(adjusted, _square_times(nests - 1, 1 + _ratio(within, outer)), _ratio(total**2, squares))
        df = np.where((total == 0) & (squares == 0), np.inf, df)
        total = np.where(adjusted, outer + within, total)
    return combined_result(
        q_bar, between, within, total, df, adjusted, labels, nests * r, level, "nested", within_nests=inner
    )


def without_rule(estimates: FloatArray, variances: FloatArray, *, level: float, names: Sequence[str]) -> CombinedResult:
    """Return the means over the datasets, with NaN for the combined variance and interval."""
    q, v, labels = _check(estimates, variances, names)
    unknown = np.full(q.shape[1], np.nan)
    q_bar, between, within = _moments(q, v)
    return combined_result(
        q_bar, between, within, unknown, unknown.copy(), np.zeros(q_bar.size, bool), labels, len(q), level, "none"
    )


def _check(
    estimates: npt.ArrayLike, variances: npt.ArrayLike, names: Sequence[str] | None
) -> tuple[FloatArray, FloatArray, tuple[str, ...]]:
    """Return estimates and variances of shape (m, p) and the p names."""
    if names is None and isinstance(estimates, pd.DataFrame):
        names = [str(c) for c in estimates.columns]
    q, v = _numbers(estimates, "estimates"), _numbers(variances, "variances")
    if q.shape != v.shape:
        raise InputError(f"variances: shape {v.shape} must be that of estimates, {q.shape}")
    if q.ndim not in (1, 2) or q.size == 0:
        raise InputError(f"estimates: must have shape (m,) or (m, p) with m, p >= 1, got {q.shape}")
    if np.isinf(q).any() or np.isinf(v).any():
        raise InputError("estimates and variances must not be infinite")
    if (v < 0).any():
        raise InputError(f"variances: must be >= 0 (squared standard errors); {_checks.first_of(v < 0)}, are not")
    q, v = q.reshape(len(q), -1), v.reshape(len(v), -1)
    default: list[Any] = ["estimate"] if q.shape[1] == 1 else [f"estimate {j}" for j in range(1, q.shape[1] + 1)]
    labels = tuple(default if names is None else _checks.check_list(names, "names", "a list of names"))
    if not all(isinstance(label, str) for label in labels):
        raise InputError("names: must be a list of names, which are text")
    if len(labels) != q.shape[1]:
        raise InputError(f"names: {len(labels)} names for {q.shape[1]} quantities")
    return q, v, labels


def _numbers(values: Any, name: str) -> FloatArray:
    return _checks.check_array(values, name, "numbers in an array of shape (m,) or (m, p)").copy()


def _moments(q: FloatArray, v: FloatArray) -> tuple[FloatArray, FloatArray, FloatArray]:
    """Return q_bar, b, v_bar; b is NaN for m = 1."""
    with np.errstate(over="ignore"):
        between = q.var(axis=0, ddof=1) if len(q) > 1 else np.full(q.shape[1], np.nan)
    return q.mean(axis=0), between, v.mean(axis=0)


def _ratio(above: FloatArray, below: FloatArray) -> FloatArray:
    """Return above / below; infinite where below is 0 or the quotient overflows."""
    with np.errstate(over="ignore"):
        return np.asarray(np.divide(above, below, out=np.full(above.size, np.inf), where=~(below == 0)))


def _square_times(factor: int, values: FloatArray) -> FloatArray:
    """Return factor * values**2; infinite on overflow."""
    with np.errstate(over="ignore"):
        return np.asarray(factor * values**2)
