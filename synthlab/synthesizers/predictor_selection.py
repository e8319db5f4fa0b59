"""Selection of the predictors of each variable by strength of association."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
import pandas as pd

from synthlab import _checks
from synthlab._typing import FloatArray

MOST = 30  # largest number of predictors of one variable
RECORDS = 5000  # largest number of records used to measure association
LEVELS = 10  # largest number of levels per category used to measure association


def predictors_of(
    frame: pd.DataFrame, available: Mapping[str, Sequence[str]], needed: Mapping[str, Sequence[str]]
) -> dict[str, tuple[str, ...]]:
    """Return at most 30 predictors of each variable, in the order of those available.

    If more are available, the predictors with the largest correlation are used. The correlation is computed from ranks
    or from indicators of the 10 most frequent levels, in at most 5,000 records spread over the file. Predictors that
    share a constraint with the variable take precedence.
    """
    if all(len(names) <= MOST for names in available.values()):
        return {variable: tuple(names) for variable, names in available.items()}
    strength = _association(frame)
    chosen = {}
    for variable, names in available.items():
        tied = {name for name in needed.get(variable, ()) if name in names}
        strong = strength.loc[variable, list(names)].to_numpy(dtype=np.float64)
        loose = np.array([name not in tied for name in names])
        best = {names[place] for place in np.lexsort((-strong, loose))[:MOST]}
        chosen[variable] = tuple(name for name in names if name in best)
    return chosen


def _association(frame: pd.DataFrame) -> pd.DataFrame:
    """Return the largest absolute correlation of features for each pair of columns."""
    rows = np.unique(np.linspace(0, len(frame) - 1, min(len(frame), RECORDS)).astype(int))
    parts = [_features(frame[column].iloc[rows]) for column in frame.columns]
    matrix = np.hstack(parts)
    size = np.sqrt(np.square(matrix).sum(axis=0))
    matrix = matrix / np.where(size > 0, size, 1.0)
    start = np.concatenate([[0], np.cumsum([part.shape[1] for part in parts])[:-1]])
    largest = np.maximum.reduceat(np.abs(matrix.T @ matrix), start, axis=0)
    return pd.DataFrame(np.maximum.reduceat(largest, start, axis=1), frame.columns, frame.columns)


def _features(series: pd.Series) -> FloatArray:
    """Return centered ranks of numbers, or indicators of levels, shape (n, features).

    Missing values are a level.
    """
    missing = series.isna().to_numpy()
    if pd.api.types.is_numeric_dtype(series.dtype):
        ranks = pd.Series(_checks.as_float(series)).rank().to_numpy()
        made = np.column_stack([np.where(missing, np.nanmean(ranks) if not missing.all() else 0.0, ranks), missing])
    else:
        codes = pd.Series(pd.factorize(series)[0])
        made = np.column_stack([codes == level for level in codes.value_counts().index[:LEVELS]])
    return np.asarray(made - made.mean(axis=0), dtype=np.float64)
