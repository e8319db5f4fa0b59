"""Distance between the empirical distribution functions of one variable at a time.

The measures are the largest and the mean squared vertical distance between the two step functions (Woo, Reiter,
Oganian and Karr 2009, section 3.3).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np
import pandas as pd

from synthlab import _checks
from synthlab._calls import explains_arguments
from synthlab._result import Result
from synthlab._typing import ColumnNames, FloatArray, FrameLike, FrameOrFrames
from synthlab.design import SurveyDesign
from synthlab.exceptions import InputError
from synthlab.utility._frames import check_usable, is_number, is_time, measurements, prepare
from synthlab.utility._survey_weights import DesignOfSynthetic, designs, weights_of


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class EcdfUtilityResult(Result):
    """Distances between the ECDFs of the confidential and the synthetic data.

    Attributes
    ----------
    variables : tuple of str
        Names of the v numeric variables.
    ecdf_max : numpy.ndarray of float, shape (v, m)
        U_m: the largest vertical distance, in [0, 1]; 0 is best.
    ecdf_mean_square : numpy.ndarray of float, shape (v, m)
        U_a: the mean squared vertical distance over the pooled values, in [0, 1]; 0 is best.
    n_confidential, n_synthetic : int
        Number of records of each dataset, including records with missing values.
    """

    _figure: ClassVar[str] = "distances.plot_ecdf_distances"

    variables: tuple[str, ...]
    ecdf_max: FloatArray
    ecdf_mean_square: FloatArray
    n_confidential: int
    n_synthetic: int

    @property
    def m(self) -> int:
        """Number of synthetic datasets."""
        return int(self.ecdf_max.shape[1])

    def to_frame(self) -> pd.DataFrame:
        """Return one row per variable and dataset 1..m."""
        index = pd.MultiIndex.from_product([self.variables, range(1, self.m + 1)], names=["variable", "dataset"])
        values = {"ecdf_max": self.ecdf_max.ravel(), "ecdf_mean_square": self.ecdf_mean_square.ravel()}
        return pd.DataFrame(values, index=index).reset_index()

    def summary(self) -> pd.DataFrame:
        """Return both distances averaged over the m datasets, one row per variable."""
        index = pd.Index(self.variables, name="variable")
        means = {"ecdf_max": self.ecdf_max.mean(axis=1), "ecdf_mean_square": self.ecdf_mean_square.mean(axis=1)}
        return pd.DataFrame(means, index=index)

    @property
    def title(self) -> str:
        """Description of the data compared."""
        return (
            f"ECDF utility, mean over m = {self.m}: {self.n_confidential:,} confidential against "
            f"{self.n_synthetic:,} synthetic records; 0 means equal distributions, 1 no overlap."
        )


@explains_arguments
def ecdf_utility(
    confidential: FrameLike,
    synthetic: FrameOrFrames,
    *,
    variables: ColumnNames | None = None,
    missing: str = "raise",
    design: SurveyDesign | None = None,
    synthetic_design: DesignOfSynthetic = "same",
) -> EcdfUtilityResult:
    """Measure the distance between the ECDFs of each number, date or duration.

    Equations: Hu, Savitsky & Williams (U_m and U_a)

    Let S_c and S_s be the two empirical distribution functions, and x_1..x_N the pooled values of both datasets
    (N = n_c + n_s; tied values are counted as often as they occur):

    - U_m (`ecdf_max`) = max over i of ``|S_c(x_i) - S_s(x_i)|``, the Kolmogorov-Smirnov statistic;
    - U_a (`ecdf_mean_square`) = mean over i of ``(S_c(x_i) - S_s(x_i))**2``.

    Parameters
    ----------
    confidential : pandas.DataFrame or Dataset
        The confidential data.
    synthetic : DataFrame, sequence of DataFrames, or Release
        The m synthetic datasets.
    variables : sequence of str, optional
        Variables to compare: numbers, dates and durations, including texts that are all ISO dates. By default, all
        such variables among the synthesized variables stated by the release, or of the confidential data if the
        release states none.
    missing : {"raise", "category", "never"}
        Treatment of missing values: "raise" raises an error, "category" treats missing as a separate value below all
        numbers, and "never" leaves missing values out, separately for each variable.
    design : SurveyDesign, optional
        Survey design of the confidential data. The distribution functions are then those of the population,
        ``S(x) = sum of w_i over y_i <= x / sum of w_i``, and U_a is a weighted mean over the records of both datasets.
        By default, all records have equal weight.
    synthetic_design : {"same"}, SurveyDesign or None
        Survey design of the synthetic data. "same" reads `design` from the columns of the synthetic data. None is a
        simple random sample, which is correct for pseudo-populations.

    Returns
    -------
    EcdfUtilityResult
        Distances per variable and dataset; `summary` averages over the m datasets.

    Raises
    ------
    InputError
        A variable is absent, neither numbers nor dates, or infinite, or has only missing values.
    MissingValueError
        A variable has missing values and ``missing="raise"``.

    Notes
    -----
    Some texts define U_a as the mean of absolute differences. Here, as in Woo et al. (2009), it is the mean of squared
    differences. In R, the differences are ``ecdf(x)(c(x, z)) - ecdf(z)(c(x, z))``.

    References
    ----------
    Woo, M.-J., Reiter, J. P., Oganian, A. and Karr, A. F. (2009). Global measures of data utility for
    microdata masked for disclosure limitation. Journal of Privacy and Confidentiality 1(1), 111-124.

    Examples
    --------
    >>> import pandas as pd
    >>> from synthlab.utility import ecdf_utility
    >>> confidential = pd.DataFrame({"income": [1.0, 2.0, 3.0, 4.0]})
    >>> synthetic = pd.DataFrame({"income": [2.0, 3.0, 4.0, 5.0]})
    >>> print(ecdf_utility(confidential, synthetic).summary())
              ecdf_max  ecdf_mean_square
    variable
    income        0.25          0.054688
    """
    _checks.check_meaning(missing, "ecdf_utility")
    frame = _checks.check_frame(confidential, "confidential")
    confidential, release, names = prepare(frame, synthetic, _default_variables(frame, synthetic, variables))
    for column in [c for c in names if not is_time(confidential[c])]:
        why = "an ECDF requires numbers, dates or durations; compare categories with table_utility"
        _checks.check_numeric_column(confidential, column, where="confidential", why=why)
        for number, frame in enumerate(release, start=1):
            _checks.check_numeric_column(frame, column, where=f"synthetic dataset {number}", why=why)
    check_usable(confidential, release, names, 'use missing="never" to compare the observed values', missing)
    surveys = designs(confidential, release, design, synthetic_design)
    distances = np.empty((2, len(names), release.m))
    for row, column in enumerate(names):
        ours = _observed(confidential, column, "confidential", missing, weights_of(surveys, 0))
        for dataset, frame in enumerate(release):
            where = f"synthetic dataset {dataset + 1}"
            theirs = _observed(frame, column, where, missing, weights_of(surveys, dataset + 1))
            distances[:, row, dataset] = _distances(ours, theirs)
    return EcdfUtilityResult(
        variables=tuple(names),
        ecdf_max=_checks.read_only(distances[0].copy()),
        ecdf_mean_square=_checks.read_only(distances[1].copy()),
        n_confidential=len(confidential),
        n_synthetic=release.n,
    )


def _default_variables(
    confidential: pd.DataFrame, synthetic: FrameOrFrames, variables: ColumnNames | None
) -> ColumnNames | None:
    """Return the synthesized numbers, dates and durations, or all if the release states no variables."""
    if variables is not None:
        return variables
    stated = getattr(synthetic, "synthesized", None)
    pool = [c for c in stated if c in confidential.columns] if stated else list(confidential.columns)
    numeric = [
        c
        for c in pool
        if is_number(confidential[c])
        or _checks.is_date(confidential[c])
        or _checks.holds_loose_numbers(confidential[c])
    ]
    if not numeric:
        raise InputError(
            f"variables: none of {_checks.shorten(pool, 12)} is a number, date or duration; compare categories with table_utility"
        )
    return numeric


def _observed(
    frame: pd.DataFrame, column: str, where: str, missing: str, weights: FloatArray | None
) -> tuple[FloatArray, FloatArray | None]:
    """Return the sorted values and their weights; missing values are left out or sorted first."""
    values = measurements(frame[column])
    if missing == "category":
        values = np.where(np.isnan(values), -np.inf, values)
    there = ~np.isnan(values)
    values = values[there]
    if values.size == 0:
        raise InputError(f"{where}: column {column!r} has only missing values")
    if weights is None:
        return np.sort(values), None
    order = np.argsort(values, kind="stable")
    return values[order], weights[there][order]


Observed = tuple[FloatArray, FloatArray | None]


def _distances(confidential: Observed, synthetic: Observed) -> tuple[float, float]:
    """Return (U_m, U_a) of two sorted arrays."""
    pooled = np.concatenate([confidential[0], synthetic[0]])
    gap = _ecdf(*confidential, pooled) - _ecdf(*synthetic, pooled)
    halves = [np.ones(len(v)) if w is None else w for v, w in (confidential, synthetic)]
    weights = None if confidential[1] is None else np.concatenate(halves)
    return float(np.abs(gap).max()), float(np.mean(gap**2) if weights is None else np.average(gap**2, weights=weights))


def _ecdf(values: FloatArray, weights: FloatArray | None, at: FloatArray) -> FloatArray:
    """Return the share of the sorted `values` that are <= each point of `at`."""
    place = np.searchsorted(values, at, side="right")
    if weights is None:
        return place / values.size
    return np.asarray(np.concatenate([[0.0], np.cumsum(weights)])[place] / weights.sum(), dtype=np.float64)
