"""Design matrices: computed from a formula and the columns of a frame."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any, cast

import numpy as np
import pandas as pd

from synthlab import _checks
from synthlab._formulas.formula import Formula, compute, parse_formula
from synthlab._typing import BoolArray, FloatArray, IntArray
from synthlab.exceptions import InputError
from synthlab.synthesizers._missing import LABEL, LOST, Codes, Kinds

COLLINEAR = 1e-9  # tolerance, relative to the norm of the largest column
ROUNDING = 16 * np.finfo(np.float64).eps  # rounding error of a column, relative to its largest value
SMALLEST = np.sqrt(np.finfo(np.float64).tiny)  # smallest standard deviation whose square keeps all digits


@dataclass(frozen=True, slots=True, eq=False)
class DesignMatrix:
    """Predictors of a model: their computation, and their values at the fit.

    Parameters
    ----------
    formula : Formula
        The parsed formula.
    names : tuple of str
        Names of the p columns of the matrix, without the intercept.
    matrix : ndarray of shape (n, p)
        Their values for the confidential records.
    levels : mapping
        The levels at the fit of each variable used as a category. If values were missing, the last level is the missing
        value.
    kinds : mapping
        The kinds of missing values of each variable that has any.
    kept : ndarray of int, optional
        The p columns that are used, out of those made by the formula and the indicators of missing values. Default:
        all.
    """

    formula: Formula
    names: tuple[str, ...]
    matrix: FloatArray = field(repr=False)
    levels: Mapping[str, pd.Index] = field(repr=False)
    spec: Any = field(repr=False)
    kinds: Mapping[str, Kinds] = field(repr=False, default_factory=dict)
    kept: IntArray | None = field(repr=False, default=None)

    def of(self, frame: pd.DataFrame) -> DesignMatrix:
        """Return the same predictors with their values for other records."""
        return replace(self, matrix=self.apply(frame))

    def where(self, rows: BoolArray) -> DesignMatrix:
        """Return the predictors of a subset of records, without redundant columns.

        A column is redundant if it is constant or a copy of others in the subset.
        """
        matrix = self.matrix[rows]
        free = _independent(matrix, np.zeros(0, dtype=np.int64))
        kept = free if self.kept is None else self.kept[free]
        names = tuple(self.names[j] for j in free)
        return replace(self, names=names, matrix=_checks.read_only(matrix[:, free]), kept=kept)

    def apply(self, frame: pd.DataFrame, where: str = "data") -> FloatArray:
        """Return the (n, p) matrix of other records.

        Raises
        ------
        InputError
            If a variable is absent, has missing or infinite values, or has a level that was not in the data of the fit.
        """
        _check_predictors(frame, self.formula, where, self.kinds)
        data = _aliased(frame, self.formula, self.levels, where, self.kinds)
        matrix = _without_intercept(_evaluate(self.spec, data, self.formula, where))[0]
        for column in _numbers(self.formula, self.kinds):
            matrix = np.hstack([matrix, self.kinds[column].indicators(frame, where)])
        return matrix if self.kept is None else np.ascontiguousarray(matrix[:, self.kept])


def make_design(
    formula: object,
    frame: pd.DataFrame,
    where: str = "confidential",
    codes: Codes | None = None,
    check_spread: bool = True,
) -> DesignMatrix:
    """Return the design matrix of a formula, and check that it is identifiable.

    With `codes`, the values that mean missing by column, missing values are kept. In a category they are a level. In a
    number they are replaced by the median, and an indicator of each kind is added unless it repeats other columns. A
    constant number is represented only by its indicators. With ``check_spread=False``, variances are not checked, for
    fits that use declared units.

    Raises
    ------
    InputError
        If a variable is unknown, a value is infinite, a predictor is constant, the variance of a predictor is outside
        the range of floats, or a predictor is a linear combination of others.
    MissingValueError
        If a variable of the formula has missing values and `codes` is not given.
    """
    _checks.check_frame(frame, where)
    parsed = parse_formula(formula, list(frame.columns), [c for c in frame.columns if is_categorical(frame[c])])
    found = {} if codes is None else {c: Kinds.of(frame, c, codes) for c in parsed.columns}
    kinds = {column: one for column, one in found.items() if one is not None}
    _check_predictors(frame, parsed, where, kinds)
    for column in parsed.columns:
        if column not in kinds and frame[column].nunique() == 1:
            raise InputError(f"formula={parsed.text!r}: predictor {column!r} is constant in {where}; leave it out")
    levels = {
        alias: _levels(frame[parsed.column_of(alias)]) for alias in parsed.aliases if alias.startswith("_category")
    }
    parsed.check_size(len(frame), {alias: len(values) for alias, values in levels.items()})
    evaluated = _evaluate(parsed.right, _aliased(frame, parsed, levels, where, kinds), parsed, where)
    matrix, aliased = _without_intercept(evaluated)
    names = tuple(parsed.with_names(name) for name in aliased)
    if check_spread:
        _check_spread(matrix, names, parsed.text, where)
    if not kinds:
        _check_identified(matrix, names, parsed.text, where)
        return DesignMatrix(parsed, names, _checks.read_only(matrix), levels, evaluated.model_spec)
    # A number whose observed values are all equal carries no information, but its indicator can.
    lost = [alias for alias in parsed.aliases if alias.startswith("_number") and parsed.column_of(alias) in kinds]
    same = [any(alias in name for alias in lost) and not np.ptp(x) for name, x in zip(aliased, matrix.T, strict=True)]
    core = np.flatnonzero([LABEL not in name and not one for name, one in zip(names, same, strict=True)])
    _check_identified(matrix[:, core], tuple(names[j] for j in core), parsed.text, where)
    for column in _numbers(parsed, kinds):
        matrix, names = np.hstack([matrix, kinds[column].indicators(frame)]), (*names, *kinds[column].names)
    kept = _independent(matrix, core)
    names = tuple(names[j] for j in kept)
    return DesignMatrix(
        parsed, names, _checks.read_only(matrix[:, kept].copy()), levels, evaluated.model_spec, kinds, kept
    )


def is_categorical(series: pd.Series) -> bool:
    """Return whether a column has levels, not numbers; bools count as numbers."""
    return isinstance(series.dtype, pd.CategoricalDtype) or not pd.api.types.is_numeric_dtype(series.dtype)


def numeric_response(frame: pd.DataFrame, column: str, where: str = "confidential") -> FloatArray:
    """Return a response as float64, or raise if it is not numeric and finite."""
    _checks.check_numeric_column(frame, column, where=where, why="this model is for a numeric response")
    if pd.api.types.is_bool_dtype(frame[column].dtype):
        raise InputError(
            f"{where}: column {column!r} has bools, but this model requires a numeric response; use LogisticRegression, "
            f"or frame[{column!r}].astype(float) for the numbers 0 and 1"
        )
    check_complete(frame, column, where)
    return _checks.as_float(frame[column])


def check_complete(frame: pd.DataFrame, column: str, where: str, lost: bool = False) -> None:
    """Raise on infinite values, and on missing values unless `lost` is True."""
    if not lost:
        _checks.check_present(
            frame, column, where, "drop these records, impute them, or make missing a level of its own before the fit"
        )
    if not is_categorical(frame[column]):
        _checks.check_no_infinity(frame, column, where)


def _check_predictors(frame: pd.DataFrame, formula: Formula, where: str, kinds: Mapping[str, Kinds]) -> None:
    for column in formula.columns:
        if column not in frame.columns:
            raise InputError(f"{where}: variable {column!r} of formula {formula.text!r} is absent")
        kind = _checks.kind_of(frame[column])
        if kind not in ("number", "bool", "text", "nothing"):
            raise InputError(f"{where}: column {column!r} holds {kind} values; a predictor must be numbers or text")
        check_complete(frame, column, where, column in kinds)
        if _checks.holds_loose_numbers(frame[column]):
            raise InputError(f"{where}: {_checks.loose_numbers(column)}")


def _numbers(formula: Formula, kinds: Mapping[str, Kinds]) -> list[str]:
    """Return the columns with missing values that are used as numbers."""
    return [c for a in formula.aliases if a.startswith("_number") and (c := formula.column_of(a)) in kinds]


def _levels(series: pd.Series) -> pd.Index:
    """Return the levels of a column, followed by `LABEL` if values are missing."""
    if isinstance(series.dtype, pd.CategoricalDtype):
        levels = series.cat.remove_unused_categories().cat.categories
    else:
        levels = cast(pd.Index, pd.Index(sorted(series.dropna().unique())))
    if not series.isna().any():
        return levels
    label = LABEL
    while label in levels:
        label = f"({label})"
    return levels.append(pd.Index([label]))


def _aliased(
    frame: pd.DataFrame,
    formula: Formula,
    levels: Mapping[str, pd.Index],
    where: str,
    kinds: Mapping[str, Kinds],
) -> pd.DataFrame:
    """Return the predictors under their aliases, as float64 or categories of the fit."""
    data: dict[str, Any] = {}
    for alias in formula.aliases:
        column = formula.column_of(alias)
        series = frame[column]
        if alias in levels:
            category = series.array if isinstance(series.dtype, pd.CategoricalDtype) else pd.Categorical(series)
            missing = len(levels[alias]) - 1 if kinds.get(column) is not None and LOST in kinds[column].seen else -1
            place = np.append(levels[alias].get_indexer(category.categories), missing)[category.codes]
            unseen = place < 0
            if unseen.any():
                raise InputError(
                    f"{where}: column {column!r} has levels not seen when the model was fitted: "
                    f"{_checks.first_of(unseen, 'rows')}; {len(levels[alias])} levels were seen"
                )
            data[alias] = pd.Categorical.from_codes(place, categories=levels[alias])
        elif is_categorical(series):
            raise InputError(f"{where}: column {column!r} is {series.dtype}; the model was fitted to numbers")
        else:
            data[alias] = kinds[column].filled(series) if column in kinds else _checks.as_float(series)
    return pd.DataFrame(data, index=pd.RangeIndex(len(frame)))


def _evaluate(spec: Any, data: pd.DataFrame, formula: Formula, where: str) -> Any:
    data = data if data.shape[1] else data.assign(_number_=0.0)
    matrix = compute(formula, spec, data, where, output="numpy")
    values = np.asarray(matrix, dtype=np.float64)
    bad = np.logical_not(np.isfinite(values).all(axis=0)).tolist()
    if any(bad):
        names = [formula.with_names(n) for n, b in zip(matrix.model_spec.column_names, bad, strict=True) if b]
        raise InputError(
            f"formula={formula.text!r}: {_checks.without_levels(names)} is not finite on {where} "
            "(an overflow, or the logarithm or root of a value outside its domain)"
        )
    return matrix


def _without_intercept(matrix: Any) -> tuple[FloatArray, tuple[str, ...]]:
    names = list(matrix.model_spec.column_names)
    keep = [j for j, name in enumerate(names) if name != "Intercept"]
    values = np.asarray(matrix, dtype=np.float64)
    return np.ascontiguousarray(values[:, keep]), tuple(names[j] for j in keep)


def _independent(matrix: FloatArray, first: IntArray) -> IntArray:
    """Return the columns that are linearly independent of earlier columns.

    The columns in `first` come before all others.
    """
    basis, found = np.empty((len(matrix), 0)), []
    for j in [*first, *(j for j in range(matrix.shape[1]) if j not in set(first.tolist()))]:
        column = matrix[:, j] - matrix[:, j].mean()
        size = np.linalg.norm(column)
        if size <= ROUNDING * np.sqrt(len(matrix)) * np.abs(matrix[:, j]).max(initial=0.0):
            continue
        rest = column / size
        for _ in range(2):  # repeated because of rounding errors
            rest = rest - basis @ (basis.T @ rest)
        left = np.linalg.norm(rest)
        if left > COLLINEAR:
            basis = np.column_stack([basis, rest / left])
            found.append(int(j))
    return np.array(sorted(found), dtype=np.int64)


def _check_spread(matrix: FloatArray, names: tuple[str, ...], formula: str, where: str) -> None:
    """Raise if the values of a column differ, but their variance overflows or loses digits near 0."""
    with np.errstate(over="ignore", invalid="ignore", under="ignore"):
        spread, differ = matrix.std(axis=0), (matrix != matrix[:1]).any(axis=0)
    outside = differ & ~((spread >= SMALLEST) & (spread < np.inf))
    extreme = [name for name, one in zip(names, outside, strict=True) if one]
    if extreme:
        raise InputError(
            f"formula={formula!r}: predictor {_checks.without_levels(extreme)}: the variance of its values in {where} "
            "overflows or underflows; multiply or divide them by a power of ten"
        )


def _check_identified(matrix: FloatArray, names: tuple[str, ...], formula: str, where: str) -> None:
    """Raise if a column is constant or a linear combination of other columns."""
    if matrix.shape[1] == 0:
        return
    spread = matrix.std(axis=0)
    largest = np.abs(matrix).max(axis=0)
    constant = [name for name, s, top in zip(names, spread, largest, strict=True) if s <= ROUNDING * top]
    if constant:
        raise InputError(
            f"formula={formula!r}: predictor {_checks.without_levels(constant)} is constant in {where}; leave it out"
        )
    scaled = (matrix - matrix.mean(axis=0)) / spread
    from scipy.linalg import qr

    triangle, pivots = qr(scaled, mode="r", pivoting=True)[0:2]
    size = np.abs(np.diag(triangle[: len(names)]))
    # A column whose mean is large relative to its spread has lost digits, so the remainder is rounding error.
    tolerance = max(COLLINEAR, float(ROUNDING * (largest / spread).max()))
    rank = int((size > tolerance * size[0]).sum())
    if rank == len(names):
        return
    kept, dropped = pivots[:rank], pivots[rank]
    weights = np.linalg.lstsq(scaled[:, kept], scaled[:, dropped], rcond=None)[0]
    partners = [names[j] for j, w in zip(kept, weights, strict=True) if abs(w) > 1e-6]
    raise InputError(
        f"formula={formula!r}: perfect collinearity in {where}: {_checks.without_levels([names[dropped]])} is a "
        f"linear combination of {_checks.without_levels(partners)}; leave one of them out"
    )
