"""Fit one regression formula to the confidential data and to every synthetic dataset.

The levels of a category are the same in all datasets, so that coefficients are comparable.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import pandas as pd

from synthlab import _checks
from synthlab._design_covariance import Sampled
from synthlab._formulas.formula import Formula, compute, parse_formula
from synthlab._typing import FloatArray
from synthlab._warnings import library_warnings
from synthlab.exceptions import FitError, InputError
from synthlab.release import Release
from synthlab.utility._design import MOST_BYTES
from synthlab.utility._frames import check_usable, is_number, is_time, labelled, prepare, sorted_values
from synthlab.utility._survey_result import SurveyResult, survey_result

FAMILIES = ("gaussian", "binomial", "poisson")
RANK_TOLERANCE = 1e-9


def fit_formula(
    formula: object,
    confidential: pd.DataFrame,
    release: Release,
    family: str,
    surveys: Sequence[tuple[Sampled, str]] | None = None,
    level: float = 0.95,
    missing: str = "raise",
) -> list[Any]:
    """Return the fitted statsmodels results, the confidential data first.

    If `surveys` holds the designs of the datasets and their descriptions, the results are design-based, and datasets
    without a design are left out. The records that have all variables are then a domain of the population.
    """
    parsed = _parse(formula, confidential, release, missing)
    used = [parsed.response, *parsed.columns]
    files = labelled(confidential, release)
    there = [_checks.complete_mask(frame, used) for _, frame in files]
    frames = [(where, frame[rows]) for (where, frame), rows in zip(files, there, strict=True)]
    for where, frame in frames:
        if frame.empty:
            raise InputError(f"{where}: no record has all variables of formula={parsed.text!r}; use fewer variables")
    levels = _common_levels(parsed, [frame for _, frame in frames])
    parsed.check_size(max(len(frame) for _, frame in frames), {alias: len(v) for alias, v in levels.items()})
    if surveys is None:
        return [_fit(parsed, frame, levels, family, where) for where, frame in frames]
    return [
        _fit_survey(parsed, frame, levels, family, where, sampled.domain(rows), words, level)
        for (where, frame), rows, (sampled, words) in zip(frames, there, surveys, strict=False)
    ]


def _parse(formula: object, confidential: pd.DataFrame, release: Release, missing: str) -> Formula:
    confidential = _checks.check_frame(confidential, "confidential")
    columns = list(confidential.columns)
    categorical = [
        c for c in columns if isinstance(confidential[c].dtype, pd.CategoricalDtype) or not _numeric(confidential[c])
    ]
    parsed = parse_formula(formula, columns, categorical)
    used = [parsed.response, *parsed.columns]
    prepare(confidential, release, used)
    for column in used:
        if is_time(confidential[column]):
            raise InputError(
                f"formula={parsed.text!r}: column {column!r} holds dates or time spans; convert it to a number first, for "
                f"example days since some date, (frame[{column!r}] - start).dt.days, or to text with .astype(str)"
            )
    check_usable(confidential, release, used, 'use missing="never" to leave these records out', missing)
    return parsed


def _numeric(series: pd.Series) -> bool:
    """Return whether a column holds numbers or bools."""
    return is_number(series) or pd.api.types.is_bool_dtype(series.dtype)


def _common_levels(formula: Formula, frames: Sequence[pd.DataFrame]) -> dict[str, pd.Index]:
    """Return the levels of each category over all datasets, in the order declared by the confidential data."""
    levels = {}
    for alias in formula.aliases:
        if alias.startswith("_category"):
            column = formula.column_of(alias)
            seen = pd.Index(pd.concat([frame[column].astype(object) for frame in frames]).unique())
            dtype = frames[0][column].dtype
            declared = list(dtype.categories) if isinstance(dtype, pd.CategoricalDtype) else []
            kept = [level for level in declared if level in seen]
            _check_levels(formula, column, len(seen), [len(frame) for frame in frames])
            levels[alias] = pd.Index([*kept, *sorted_values(seen.difference(kept, sort=False))])
    return levels


def _check_levels(formula: Formula, column: str, levels: int, sizes: Sequence[int]) -> None:
    """Raise `InputError` if a category has more levels than records, or indicators that take too much memory."""
    why = ""
    if levels > min(sizes):
        why = f", and a dataset has {min(sizes):,} records"
    elif levels * max(sizes) * 8 > MOST_BYTES:
        why = f", whose indicators would take {levels * max(sizes) * 8 / 2**30:.1f} GiB, more than {MOST_BYTES / 2**30:.0f}"
    if why:
        raise InputError(
            f"formula={formula.text!r}: column {column!r} is a category with {levels:,} levels{why}; leave it out, or group "
            "its levels"
        )


def _fit(
    formula: Formula,
    frame: pd.DataFrame,
    levels: dict[str, pd.Index],
    family: str,
    where: str,
    weights: FloatArray | None = None,
) -> Any:
    import statsmodels.api as sm

    response = _response(formula, frame, family, where)
    lacking = [formula.column_of(a) for a in levels if not (frame[formula.column_of(a)] == levels[a][0]).any()]
    design = _identified(_design(formula, frame, levels, where), formula, where, lacking)
    if family == "gaussian":
        return (sm.OLS(response, design) if weights is None else sm.WLS(response, design, weights=weights)).fit()
    chosen = sm.families.Binomial() if family == "binomial" else sm.families.Poisson()
    # Test the coefficients for convergence, not the deviance: under separation, only the deviance converges.
    with library_warnings("ignore"), np.errstate(all="ignore"):
        try:
            fit = sm.GLM(response, design, family=chosen, freq_weights=weights).fit(
                maxiter=200, tol_criterion="params", atol=1e-12, rtol=1e-10
            )
        except ValueError:  # includes LinAlgError; raised if numbers overflow during the fit
            raise FitError(
                f"formula={formula.text!r}, {where}: no finite estimate, because values are too large or too small; "
                "rescale the variables"
            ) from None
    if not fit.converged or np.allclose(fit.fittedvalues - response, 0):
        raise FitError(
            f"formula={formula.text!r}, {where}: no finite estimate; the predictors determine the response of some records "
            "exactly"
        )
    return fit


def _fit_survey(
    formula: Formula,
    frame: pd.DataFrame,
    levels: dict[str, pd.Index],
    family: str,
    where: str,
    sampled: Sampled,
    words: str,
    level: float,
) -> SurveyResult:
    """Return the weighted fit with the design-based covariance of its coefficients."""
    inside = sampled.inside
    w = sampled.normalised[inside]
    fit = _fit(formula, frame, levels, family, where, w)
    mean, x = np.asarray(fit.fittedvalues), np.asarray(fit.model.exog)
    slope = {"gaussian": np.ones_like(mean), "binomial": mean * (1 - mean), "poisson": mean}[family]
    scores = x * (w * (np.asarray(fit.model.endog) - mean))[:, None]
    size = np.abs(x).max(axis=0)  # squares of very large or small values would overflow or underflow
    bread = np.linalg.inv((x / size * (w * slope)[:, None]).T @ (x / size)) / size[:, None] / size
    of_all = np.zeros((sampled.n, x.shape[1]))
    of_all[inside] = scores @ bread
    covariance = sampled.covariance(of_all)
    df = sampled.df + 1 - x.shape[1]
    return survey_result(
        formula.text, fit.params.index, fit.params.to_numpy(), covariance, df, level, len(frame), words
    )


def _response(formula: Formula, frame: pd.DataFrame, family: str, where: str) -> FloatArray:
    series = frame[formula.response]
    if not _numeric(series):
        raise InputError(f"{where}: response {formula.response!r} is {series.dtype}; it must hold numbers")
    values = _checks.as_float(series)
    if family == "binomial" and not np.isin(values, (0.0, 1.0)).all():
        raise InputError(f"{where}: response {formula.response!r} must be 0 or 1 for family='binomial'")
    if family == "poisson" and (values < 0).any():
        raise InputError(f"{where}: response {formula.response!r} must be >= 0 for family='poisson'")
    return values


def _design(formula: Formula, frame: pd.DataFrame, levels: dict[str, pd.Index], where: str) -> pd.DataFrame:
    data: dict[str, Any] = {}
    for alias in formula.aliases:
        series = frame[formula.column_of(alias)]
        if alias in levels:
            data[alias] = pd.Categorical(series.astype(object), categories=levels[alias])
        else:
            data[alias] = _checks.as_float(series)
    table = pd.DataFrame(data, index=pd.RangeIndex(len(frame)))
    table = table if data else table.assign(_number_=0.0)
    matrix = compute(formula, formula.right, table, where)
    design = pd.DataFrame(matrix).astype(np.float64)
    design.columns = [formula.with_names(str(c)) for c in design.columns]
    bad = [c for c, ok in zip(design.columns, np.isfinite(design.to_numpy()).all(axis=0), strict=True) if not ok]
    if bad:
        raise InputError(f"formula={formula.text!r}: {_checks.without_levels(bad)} is not finite on {where}")
    return design


def _identified(design: pd.DataFrame, formula: Formula, where: str, lacking: Sequence[str]) -> pd.DataFrame:
    """Drop columns of zeros (levels that the dataset lacks); raise `FitError` if the others are collinear.

    `lacking` are the categories whose reference level the dataset lacks.
    """
    values = design.to_numpy()
    present = np.flatnonzero(values.any(axis=0))
    values = values[:, present]
    if values.shape[1] >= len(values):
        raise FitError(f"formula={formula.text!r}, {where}: {values.shape[1]} coefficients for {len(values)} records")
    values = values / np.abs(values).max(axis=0)  # squares of very large or small values would overflow or underflow
    size = np.linalg.svd(values / np.linalg.norm(values, axis=0), compute_uv=False)
    if size[-1] <= RANK_TOLERANCE * size[0]:
        columns = _checks.without_levels(design.columns[present])
        if not lacking:
            raise FitError(f"formula={formula.text!r}, {where}: the predictors are collinear; columns are {columns}")
        raise FitError(
            f"formula={formula.text!r}, {where}: the predictors are collinear, because the reference level of "
            f"{_checks.named(lacking)} does not occur; make a level that occurs in every dataset the first category, or "
            f"group levels; columns are {columns}"
        )
    return design.iloc[:, present]
