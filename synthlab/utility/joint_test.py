"""Joint tests of several quantities estimated from m synthetic datasets."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
import pandas as pd

from synthlab import _checks
from synthlab._calls import explains_arguments
from synthlab._result import Result
from synthlab._typing import FloatArray
from synthlab._warnings import warn
from synthlab.exceptions import InputError, UndefinedStatisticWarning


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class JointTestResult(Result):
    """F test of k quantities estimated from m synthetic datasets.

    Attributes
    ----------
    statistic : float
        F statistic S, >= 0.
    df_numerator : int
        Number k of tested quantities.
    df_denominator : float
        Degrees of freedom w of the denominator; infinite if k S is compared with a chi-squared distribution.
    p_value : float
        Probability that F exceeds S if the null hypothesis is true.
    ratio : float
        r, the average ratio of the variance between datasets to the variance within datasets.
    adjusted : bool
        Whether the variance was not positive and was replaced; always False for partial synthesis.
    m : int
        Number of synthetic datasets.
    synthesis : {"partial", "full"}
        Kind of synthesis.
    """

    statistic: float
    df_numerator: int
    df_denominator: float
    p_value: float
    ratio: float
    adjusted: bool
    m: int
    synthesis: str

    def summary(self) -> pd.DataFrame:
        """Return statistic, degrees of freedom, p-value and ratio in one row."""
        names = ("statistic", "df_numerator", "df_denominator", "p_value", "ratio")
        return pd.DataFrame([{name: getattr(self, name) for name in names}])

    @property
    def title(self) -> str:
        """Description of the test."""
        return f"Joint test of {self.df_numerator} quantities over m = {self.m} datasets by the rule for {self.synthesis} synthesis."


@explains_arguments
def joint_test(
    estimates: npt.ArrayLike,
    covariances: npt.ArrayLike,
    *,
    null: npt.ArrayLike = 0.0,
    synthesis: str = "partial",
    size_ratio: float = 1.0,
) -> JointTestResult:
    """Test the hypothesis that k quantities equal given values.

    Let q_l and U_l be the k estimates and their covariance matrix from dataset l, ``q_bar = mean q_l``,
    ``B = cov q_l`` (divisor m - 1), ``U = mean U_l``, ``D = (q_bar - null)' U^-1 (q_bar - null)`` and ``t = k (m - 1)``.
    The statistic is compared with an F distribution with k and w degrees of freedom (Reiter 2005b, Wald tests):

    - partial synthesis: ``r = (1/m) trace(B U^-1) / k``, ``S = D / (k (1 + r))``,
      ``w = 4 + (t - 4) (1 + (1 - 2/t) / r)**2``;
    - full synthesis: ``r = (1 + 1/m) trace(B U^-1) / k``, ``S = D / (k (r - 1))``,
      ``w = 4 + (t - 4) (1 - (1 - 2/t) / r)**2``.

    Parameters
    ----------
    estimates : array_like, shape (m, k)
        Estimates, one row per synthetic dataset.
    covariances : array_like, shape (m, k, k)
        Covariance matrix of the estimates of each dataset, symmetric. Their mean must be positive definite.
    null : float or array_like of shape (k,)
        Values of the quantities under the null hypothesis; default 0.
    synthesis : {"partial", "full"}
        Kind of synthesis.
    size_ratio : float
        Full synthesis: n_syn / n, as in `combine_full`.

    Returns
    -------
    JointTestResult

    Raises
    ------
    InputError
        The shapes do not fit, a number is infinite, a matrix is not symmetric, their mean is not positive definite, or
        `synthesis` is unknown.

    Warns
    -----
    UndefinedStatisticWarning
        m = 1, or a number is NaN.

    Notes
    -----
    The rule assumes that the covariance between datasets is proportional to the covariance within datasets, because m
    datasets are too few to estimate k (k + 1) / 2 covariances. The degrees of freedom follow from the posterior
    distribution of 1 + r (partial) or r - 1 (full), in which r is multiplied by ``t / chi2_t``: an inverse chi-squared
    distribution with w degrees of freedom has the same coefficient of variation (Li, Raghunathan and Rubin 1991). This
    variance exists only for t > 4. If t <= 4 or k = 1, ``w = t (1 + 1/k) (1 +- 1/r)**2 / 2``, which Li, Raghunathan and
    Rubin use for missing data. For k = 1, the test is then the t test of `combine_partial` or `combine_full`.

    The rule for full synthesis assumes that the parameters of the synthesizer are drawn anew for each dataset. With few
    datasets, it rejects a true null hypothesis too often: for k = 3, m = 5 and n_syn = n, the size of a nominal 0.05 test is
    0.076 (6,000 simulated surveys); for m >= 20, it is 0.046 to 0.050. If the parameters are fixed, as for trees, r varies
    around 1 and the test is not valid: its size is then 0.21 for m = 5 and 0.36 for m = 20. For fixed parameters, compare ``D / (n_syn/n + 1/m)`` with a chi-squared distribution
    with k degrees of freedom, and for drawn parameters ``D / (n_syn/n + (1 + n_syn/n)/m)`` (`combine_full`).

    Degenerate cases:

    - m = 1: the result is NaN.
    - B = 0 and partial synthesis: r = 0, w is infinite, and k S is compared with a chi-squared distribution.
    - r <= 1 and full synthesis: the estimated variance is not positive. As in `combine_full`, it is replaced by
      size_ratio U: ``S = D / (k size_ratio)`` with infinite w, and `adjusted` is True.

    References
    ----------
    Reiter, J. P. (2005b). Significance tests for multi-component estimands from multiply imputed, synthetic microdata.
    Journal of Statistical Planning and Inference 131(2), 365-377.
    Li, K. H., Raghunathan, T. E. and Rubin, D. B. (1991). Large-sample significance levels from multiply imputed data
    using moment-based statistics and an F reference distribution. Journal of the American Statistical Association 86,
    1065-1073.

    Examples
    --------
    >>> from synthlab.utility import joint_test
    >>> estimates = [[1.0, 0.0], [3.0, 2.0], [2.0, 4.0]]
    >>> covariances = [[[1.0, 0.5], [0.5, 2.0]]] * 3
    >>> joint_test(estimates, covariances).summary().round(3)
       statistic  df_numerator  df_denominator  p_value  ratio
    0      1.548             2           28.83     0.23  0.476
    """
    from scipy import stats

    kind = _checks.check_choice(synthesis, "synthesis", ("partial", "full"))
    scale = _checks.check_number(size_ratio, "size_ratio", low=0.0, open_low=True)
    q = _checks.check_array(estimates, "estimates", "numbers in an array of shape (m, k)")
    u = _checks.check_array(covariances, "covariances", "numbers in an array of shape (m, k, k)")
    if q.ndim != 2 or q.size == 0:
        raise InputError(f"estimates: must have shape (m, k) with m, k >= 1, got {q.shape}")
    m, k = q.shape
    if u.shape != (m, k, k):
        raise InputError(
            f"estimates, covariances: {q.shape} estimates require {(m, k, k)} covariances, one matrix per dataset, got {u.shape}"
        )
    target = _checks.check_array(null, "null", "a number, or one number per quantity")
    if target.shape not in ((), (k,)) or not np.isfinite(target).all():
        raise InputError(f"null: must be a finite number or an array of {k} finite numbers")
    if np.isinf(q).any() or np.isinf(u).any():
        raise InputError("estimates and covariances must not be infinite")
    undefined = JointTestResult(np.nan, k, np.nan, np.nan, np.nan, False, m, kind)
    if np.isnan(q).any() or np.isnan(u).any():
        warn("joint_test: an estimate or a covariance is NaN; the test is NaN", UndefinedStatisticWarning)
        return undefined
    if not np.allclose(u, u.transpose(0, 2, 1), rtol=1e-6, atol=1e-9 * np.abs(u).max(initial=0.0)):
        raise InputError("covariances: every matrix must be symmetric")
    root = _root(u.mean(axis=0))
    if m == 1:
        why = "the variance between datasets cannot be estimated from m = 1 dataset"
        warn(f"joint_test: {why}; the test is NaN", UndefinedStatisticWarning)
        return undefined
    # With U = L L', the columns of L^-1 q have within-dataset covariance I, so that D is a sum of squares.
    scaled = np.linalg.solve(root, (q - target).T)
    distance, between = float((scaled.mean(axis=1) ** 2).sum()), float(scaled.var(axis=1, ddof=1).mean())
    if not np.isfinite([distance, between]).all():
        warn(
            "joint_test: a sum of squares exceeds the largest float; the test is NaN",
            UndefinedStatisticWarning,
        )
        return undefined
    sign = 1.0 if kind == "partial" else -1.0
    ratio = between / m if kind == "partial" else (1 + 1 / m) * between
    factor, adjusted = (1 + ratio, False) if kind == "partial" else (ratio - 1, ratio <= 1)
    w = np.inf if adjusted or ratio == 0 else _denominator(k, k * (m - 1), sign / ratio)
    statistic = distance / (k * (scale if adjusted else factor))
    p_value = stats.chi2.sf(k * statistic, k) if np.isinf(w) else stats.f.sf(statistic, k, w)
    return JointTestResult(statistic, k, float(w), float(p_value), ratio, adjusted, m, kind)


def _denominator(k: int, t: int, share: float) -> float:
    """Return the degrees of freedom w; `share` is 1/r for partial and -1/r for full synthesis."""
    if k == 1 or t <= 4:
        return t * (1 + 1 / k) * (1 + share) ** 2 / 2
    return 4 + (t - 4) * (1 + (1 - 2 / t) * share) ** 2


def _root(within: FloatArray) -> FloatArray:
    """Return the Cholesky factor of the mean covariance, computed from the correlations."""
    spread = np.sqrt(np.maximum(np.diag(within), 0.0))
    if (spread > 0).all():
        correlation = within / spread / spread[:, None]
        if np.linalg.eigvalsh(correlation).min() > 1e-12:
            return np.asarray(spread[:, None] * np.linalg.cholesky(correlation))
    raise InputError(
        "covariances: their mean must be positive definite; a quantity has variance 0 or is a linear combination of others"
    )


__all__ = ["JointTestResult", "joint_test"]
