"""Design-based estimates of population means, totals, quantiles and regressions.

The estimates and standard errors agree with those of R's survey package: Taylor linearization with the first stage of
sampling (Binder 1983; Lumley 2010).
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from synthlab import _checks
from synthlab._calls import explains_arguments
from synthlab._design_covariance import Sampled
from synthlab._typing import ColumnNames, FloatArray, FrameLike
from synthlab.design import SurveyDesign
from synthlab.exceptions import InputError
from synthlab.release import as_release
from synthlab.utility._regression import FAMILIES, fit_formula
from synthlab.utility._survey_result import SurveyResult, survey_result, t_interval, warn_undefined


@explains_arguments
def survey_mean(
    survey: FrameLike, variables: ColumnNames, design: SurveyDesign, *, level: float = 0.95, missing: str = "raise"
) -> SurveyResult:
    """Estimate population means, as R's ``svymean`` does.

    With weights w_i, the estimate is ``m = sum w_i y_i / sum w_i``. Its variance is the variance of the total of
    ``w_i (y_i - m) / sum w``.

    Parameters
    ----------
    survey : DataFrame or Dataset, n rows
        The survey data.
    variables : sequence of str
        Columns of numbers or bools. The mean of a column of bools is a share.
    design : SurveyDesign
        The survey design.
    level : float
        Confidence level, in (0, 1).
    missing : {"raise", "never"}
        Treatment of missing values: "raise" raises an error. With "never", the records that have all variables are a
        domain of the population, as in R's ``subset`` of a design. The other records keep their stratum and cluster
        with weight 0, and the degrees of freedom count the clusters and strata in the domain. "category" is not
        supported, because an estimate requires numbers.

    Returns
    -------
    SurveyResult

    Raises
    ------
    InputError
        A column is absent, non-numeric or infinite; the design cannot be read; or a stratum has only one primary
        sampling unit and the design does not state how to treat it.
    MissingValueError
        A variable has missing values and ``missing="raise"``, or a part of the design has missing values.

    Warns
    -----
    UndefinedStatisticWarning
        An interval is undefined because there are no degrees of freedom, or because the squares of values or weights
        are above the largest or below the smallest float.

    Examples
    --------
    >>> import pandas as pd, synthlab as sl
    >>> from synthlab.utility import survey_mean
    >>> survey = pd.DataFrame({"income": [10.0, 20.0, 30.0, 50.0], "weight": [4, 4, 1, 1]})
    >>> survey_mean(survey, ["income"], sl.SurveyDesign(weights="weight")).summary().round(2)
            estimate  std_error  lower  upper
    name
    income      20.0       5.89   1.26  38.74
    """
    values, names, sampled, level = _read(survey, variables, design, level, missing, "survey_mean")
    mean = sampled.normalised @ values / sampled.n
    scores = (values - mean) * (sampled.weights / sampled.weights.sum())[:, None]
    covariance = sampled.covariance(scores)
    return survey_result("mean", names, mean, covariance, sampled.df, level, _members(sampled), design.describe())


@explains_arguments
def survey_total(
    survey: FrameLike, variables: ColumnNames, design: SurveyDesign, *, level: float = 0.95, missing: str = "raise"
) -> SurveyResult:
    """Estimate population totals ``sum w_i y_i``, as R's ``svytotal`` does.

    Parameters
    ----------
    survey, variables, design, level, missing
        As in `survey_mean`. The weights must be numbers of people, not rescaled weights.

    Returns
    -------
    SurveyResult

    Raises
    ------
    InputError
        As in `survey_mean`. Also if records are the sampling units, fpc states the size of the population, and the
        weights do not sum to this size within 1%.
    MissingValueError
        A variable has missing values and ``missing="raise"``, or a part of the design has missing values.

    Examples
    --------
    >>> import pandas as pd, synthlab as sl
    >>> from synthlab.utility import survey_total
    >>> survey = pd.DataFrame({"income": [10.0, 20.0, 30.0, 50.0], "weight": [4, 4, 1, 1]})
    >>> survey_total(survey, ["income"], sl.SurveyDesign(weights="weight")).summary().round(1)
            estimate  std_error  lower  upper
    name
    income     200.0       43.2   62.5  337.5
    """
    values, names, sampled, level = _read(survey, variables, design, level, missing, "survey_total")
    scores = values * sampled.weights[:, None]
    covariance = sampled.covariance(scores)
    return survey_result(
        "total", names, scores.sum(axis=0), covariance, sampled.df, level, _members(sampled), design.describe()
    )


@explains_arguments
def survey_quantile(
    survey: FrameLike,
    variable: str,
    design: SurveyDesign,
    *,
    probabilities: npt.ArrayLike = (0.25, 0.5, 0.75),
    level: float = 0.95,
    missing: str = "raise",
) -> SurveyResult:
    """Estimate population quantiles, as R's ``svyquantile`` does.

    The quantile of probability p is the smallest value at which the weighted distribution function reaches p. Its
    interval is the interval of the share of values <= the quantile, converted back to values (Woodruff 1952). The
    standard error is the length of the interval divided by 2 t. If a probability is below the share of the smallest
    value, the quantile is the smallest value; ``svyquantile`` returns the second smallest value. This difference
    affects both p and the ends of an interval.

    Parameters
    ----------
    survey, design, level, missing
        As in `survey_mean`.
    variable : str
        A numeric column.
    probabilities : array_like of float in (0, 1)
        One or more probabilities.

    Returns
    -------
    SurveyResult
        An end of an interval and the standard error are NaN if the share would be below 0 or above 1.

    Raises
    ------
    InputError
        As in `survey_mean`, or a probability is outside (0, 1).
    MissingValueError
        The variable has missing values and ``missing="raise"``, or a part of the design has missing values.

    References
    ----------
    Woodruff, R. S. (1952). Confidence intervals for medians and other position measures. Journal of the American
    Statistical Association 47, 635-646.

    Examples
    --------
    >>> import pandas as pd, synthlab as sl
    >>> from synthlab.utility import survey_quantile
    >>> survey = pd.DataFrame({"income": range(1, 101), "weight": [1.0] * 50 + [3.0] * 50})
    >>> survey_quantile(survey, "income", sl.SurveyDesign(weights="weight"), probabilities=[0.5]).summary().round(2)
                estimate  std_error  lower  upper
    name
    income 0.5      67.0       3.78   60.0   75.0
    """
    name = _checks.check_column(_checks.check_frame(survey, "survey"), variable, "variable", where="survey")
    values, _, sampled, level = _read(survey, [name], design, level, missing, "survey_quantile")
    points = _checks.check_numbers(probabilities, "probabilities", low=0.0, high=1.0, open_low=True)
    if not points or max(points) >= 1:
        raise InputError("probabilities: must be one or several numbers in (0, 1)")
    y, w = values[:, 0], sampled.weights
    order = np.argsort(y, kind="stable")
    order = order[sampled.inside[order]]
    reached, found = np.cumsum(w[order]) / w.sum(), y[order]
    estimate = np.array([_inverse(found, reached, p) for p in points])
    # Use the values above the quantile: at the largest value, their share and its standard error are exactly 0.
    above = (y[:, None] > estimate) * 1.0
    share = w @ above / w.sum()
    covariance = sampled.covariance((above - share) * (w / w.sum())[:, None])
    ends = t_interval(1 - share, np.sqrt(np.diag(covariance)), sampled.df, level)
    interval = np.array([[_inverse(found, reached, p) for p in pair] for pair in ends])
    width = np.diff(t_interval(np.zeros(1), np.ones(1), sampled.df, level))[0, 0]
    with np.errstate(invalid="ignore", over="ignore", divide="ignore"):
        std_error = np.diff(interval, axis=1)[:, 0] / width
    matrix = np.full((estimate.size, estimate.size), np.nan)
    np.fill_diagonal(matrix, std_error**2)
    names = tuple(f"{name} {p:g}" for p in points)
    warn_undefined(names, np.column_stack([interval, std_error]))
    return SurveyResult(
        what="quantiles",
        names=names,
        estimate=_checks.read_only(estimate),
        std_error=_checks.read_only(std_error),
        interval=_checks.read_only(interval),
        covariance=_checks.read_only(matrix),
        df=float(sampled.df),
        level=level,
        n=_members(sampled),
        design=design.describe(),
    )


@explains_arguments
def survey_regression(
    survey: FrameLike,
    formula: str,
    design: SurveyDesign,
    *,
    family: str = "gaussian",
    level: float = 0.95,
    missing: str = "raise",
) -> SurveyResult:
    """Estimate a population regression, as R's ``svyglm`` does.

    The coefficients solve ``sum w_i s_i = 0``, where s_i is the score of record i. Their covariance is ``A^-1 V A^-1``,
    where A is the weighted information and V the design-based covariance of the total of ``w_i s_i``.

    Parameters
    ----------
    survey, design, level, missing
        As in `survey_mean`.
    formula : str
        Regression formula, such as ``"income ~ age + C(region)"``; see `analysis_utility`.
    family : {"gaussian", "binomial", "poisson"}
        Weighted least-squares, logistic, or log-linear Poisson regression.

    Returns
    -------
    SurveyResult

    Raises
    ------
    InputError
        As in `survey_mean`, or the formula or the response cannot be used.
    MissingValueError
        A variable of the formula has missing values and ``missing="raise"``, or a part of the design has missing
        values.
    FitError
        The predictors are collinear, a model is separated, or there are at least as many coefficients as records.

    Examples
    --------
    >>> import pandas as pd, synthlab as sl
    >>> from synthlab.utility import survey_regression
    >>> survey = pd.DataFrame({"y": [1.0, 2.0, 4.0, 3.0], "x": [0, 1, 2, 3], "weight": [4, 4, 1, 1]})
    >>> survey_regression(survey, "y ~ x", sl.SurveyDesign(weights="weight")).summary().round(2)
               estimate  std_error  lower  upper
    name
    Intercept      1.10       0.13   0.52   1.68
    x              0.89       0.27  -0.26   2.04
    """
    _checks.check_choice(family, "family", FAMILIES)
    level = _level(level)
    _checks.check_meaning(missing, "survey_regression", {"category": "an additional level would change the analysis"})
    frame = _checks.check_frame(survey, "survey")
    read = _design(design).read(frame, "survey")
    surveys = [(read, design.describe())]
    fit: SurveyResult = fit_formula(formula, frame, as_release(frame), family, surveys, level, missing)[0]
    return fit


def _read(
    survey: FrameLike, variables: object, design: SurveyDesign, level: float, missing: str, function: str
) -> tuple[FloatArray, list[str], Sampled, float]:
    """Return the values (0 in incomplete records) and the design of the domain of complete records."""
    _checks.check_meaning(missing, function, {"category": "an estimate requires numbers"})
    frame = _checks.check_frame(survey, "survey")
    names = _checks.check_columns(frame, variables, "variables", where="survey")
    for column in names:
        _checks.check_numeric_column(frame, column, where="survey", why="an estimate requires numbers or bools")
        if missing == "raise":
            _checks.check_present(frame, column, "survey", 'use missing="never" to leave these records out')
        _checks.check_no_infinity(frame, column, "survey")
    values = np.column_stack([_checks.as_float(frame[column]) for column in names])
    there = ~np.asarray(np.isnan(values).any(axis=1), dtype=bool)
    if not there.any():
        raise InputError("survey: no record has all of the variables")
    sampled = _design(design).read(frame, "survey")
    if function == "survey_total":
        sampled.check_totals()
    return np.where(there[:, None], values, 0.0), names, sampled.domain(there), _level(level)


def _members(sampled: Sampled) -> int:
    return int(np.count_nonzero(sampled.inside))


def _design(design: object) -> SurveyDesign:
    if not isinstance(design, SurveyDesign):
        raise InputError(
            f"design={_checks.shown(design)}: must be a SurveyDesign, such as SurveyDesign(weights='weight')"
        )
    return design


def _level(level: object) -> float:
    return _checks.check_number(level, "level", low=0.0, high=1.0, open_low=True, open_high=True)


def _inverse(values: FloatArray, reached: FloatArray, p: float) -> float:
    """Return the smallest value at which the distribution function reaches p; NaN if p is outside [0, 1]."""
    if not 0 <= p <= 1:
        return float("nan")
    return float(values[min(int(np.searchsorted(reached, p * (1 - 1e-14), side="left")), values.size - 1)])


__all__ = ["survey_mean", "survey_quantile", "survey_regression", "survey_total"]
