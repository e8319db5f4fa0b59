"""Result of design-based estimation."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import pandas as pd

from synthlab import _checks
from synthlab._result import Result
from synthlab._typing import FloatArray
from synthlab._warnings import warn
from synthlab.exceptions import UndefinedStatisticWarning


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class SurveyResult(Result):
    """Population estimates from a survey, with design-based standard errors.

    Attributes
    ----------
    what : str
        Kind of quantity, such as "mean", or a formula.
    names : tuple of str
        Names of the p estimated quantities.
    estimate, std_error : numpy.ndarray of float, shape (p,)
        Estimates, and their standard errors by Taylor linearization.
    interval : numpy.ndarray of float, shape (p, 2)
        Lower and upper end at `level`.
    covariance : numpy.ndarray of float, shape (p, p)
        Covariance of the estimates. For quantiles, which are estimated one by one, it is NaN off the diagonal.
    df : float
        Degrees of freedom of the t distribution of the interval: number of primary sampling units minus number of
        strata. For a regression with k coefficients, k - 1 is subtracted.
    level : float
        Confidence level.
    n : int
        Number of records.
    design : str
        Description of the design.
    """

    what: str
    names: tuple[str, ...]
    estimate: FloatArray
    std_error: FloatArray
    interval: FloatArray
    covariance: FloatArray
    df: float
    level: float
    n: int
    design: str

    def summary(self) -> pd.DataFrame:
        """Return estimate, standard error and interval of each quantity."""
        ends = {"lower": self.interval[:, 0], "upper": self.interval[:, 1]}
        columns = {"estimate": self.estimate, "std_error": self.std_error, **ends}
        return pd.DataFrame(columns, index=pd.Index(self.names, name="name"))

    @property
    def title(self) -> str:
        """Description of the estimated quantity and the design."""
        return (
            f"Design-based estimates of the population: {self.what}, n = {self.n:,}, {self.level:.0%} intervals with "
            f"{self.df:g} degrees of freedom. {self.design}"
        )

    @property
    def params(self) -> pd.Series:
        """The estimates by name."""
        return pd.Series(self.estimate, index=list(self.names))

    @property
    def bse(self) -> pd.Series:
        """The standard errors by name."""
        return pd.Series(self.std_error, index=list(self.names))

    @property
    def nobs(self) -> int:
        """Number of records."""
        return self.n

    def conf_int(self, alpha: float = 0.05) -> FloatArray:
        """Return the intervals at level 1 - alpha, shape (p, 2)."""
        share = _checks.check_number(alpha, "alpha", low=0.0, high=1.0, open_low=True, open_high=True)
        return t_interval(self.estimate, self.std_error, self.df, 1 - share)


def t_interval(estimate: FloatArray, std_error: FloatArray, df: float, level: float) -> FloatArray:
    """Return estimate -+ t std_error, shape (p, 2); NaN if there are no degrees of freedom."""
    from scipy import stats

    with np.errstate(invalid="ignore", over="ignore"):
        half = (stats.t.ppf((1 + level) / 2, df) if df > 0 else np.nan) * std_error
        return np.column_stack([estimate - half, estimate + half])


def warn_undefined(names: Sequence[str], interval: FloatArray) -> None:
    """Warn about estimates whose interval is undefined."""
    bad = ~np.asarray(np.isfinite(interval).all(axis=1), dtype=bool)
    if bad.any():
        which = _checks.without_levels([name for name, b in zip(names, bad, strict=True) if b])
        warn(
            f"survey estimates: the interval of {which} is undefined (the design has no degrees of freedom left, a share is too "
            "near 0 or 1, or values or weights are too large or too small for their squares)",
            UndefinedStatisticWarning,
        )


def survey_result(
    what: str,
    names: Sequence[str],
    estimate: FloatArray,
    covariance: FloatArray,
    df: float,
    level: float,
    n: int,
    design: str,
) -> SurveyResult:
    """Return a result with t intervals computed from the covariance."""
    std_error = np.sqrt(np.maximum(np.diag(covariance), 0.0))
    interval = t_interval(estimate, std_error, df, level)
    warn_undefined(names, interval)
    return SurveyResult(
        what=what,
        names=tuple(map(str, names)),
        estimate=_checks.read_only(np.array(estimate)),
        std_error=_checks.read_only(std_error),
        interval=_checks.read_only(interval),
        covariance=_checks.read_only(np.array(covariance)),
        df=float(df),
        level=level,
        n=n,
        design=design,
    )
