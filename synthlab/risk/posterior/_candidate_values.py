"""Guesses for a record: grids around the true values, levels of categories, and products."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import product

import numpy as np
import pandas as pd

from synthlab import _checks
from synthlab._typing import FloatArray, IntArray
from synthlab.exceptions import InputError

MAX_GUESSES = 5_000


def levels_of(frame: pd.DataFrame, columns: Sequence[str]) -> dict[str, pd.Index]:
    """Return the sorted values that occur in each column."""
    found = {}
    for column in columns:
        series = frame[column]
        categorical = isinstance(series.dtype, pd.CategoricalDtype)
        values = series.cat.remove_unused_categories().cat.categories if categorical else np.sort(series.unique())
        found[column] = pd.Index(values)
    return found


def check_grid(frame: pd.DataFrame, rows: IntArray, radii: dict[str, float], radius_kind: str) -> None:
    """Raise an error if the (rounded) grid around a target is a single point."""
    for column, radius in radii.items():
        values = _checks.exact_float(frame[column].iloc[rows])
        width = radius * np.abs(values) if radius_kind == "relative" else np.full(values.size, radius)
        ends = [_rounded(values + end, frame[column]) for end in (-width, width)]
        flat = np.flatnonzero(ends[0] == ends[1])
        if flat.size:
            whole = " of whole numbers" if pd.api.types.is_integer_dtype(frame[column].dtype) else ""
            raise InputError(
                f"radius[{column!r}]={radius:g}: the grid{whole} is a point for {flat.size} targets, the first in row "
                f'{rows[flat[0]]}; use a larger radius (for values of 0, with radius_kind="absolute"), or exclude these targets'
            )


def guesses_for(
    frame: pd.DataFrame, row: int, levels: dict[str, pd.Index], radii: dict[str, float], relative: bool, grid: int
) -> tuple[pd.DataFrame, int]:
    """Return the guesses for one record as a table, and the position of the true values.

    Parameters
    ----------
    frame : pandas.DataFrame
        The confidential data.
    row : int
        Position of the record.
    levels : dict
        The synthesized variables in order, each with the values that occur.
    radii : dict
        Half-widths of the numeric variables; the guesses of other variables are their levels.
    relative : bool
        Whether a half-width is relative to the absolute value.
    grid : int
        Number of grid points of a numeric variable; odd, so that the true value is a grid point. The points of an integer
        column are rounded.
    """
    choices, truth = [], []
    for column, values in levels.items():
        own = frame[column].iloc[row]
        if column in radii:
            points = _grid(float(own), radii[column] * (abs(float(own)) if relative else 1.0), grid, frame[column])
            truth.append(int(np.flatnonzero(points == float(own))[0]))
            choices.append(list(points))
        else:
            truth.append(int(np.flatnonzero(values == own)[0]))
            choices.append(list(values))
    sizes = [len(c) for c in choices]
    if np.prod(sizes) > MAX_GUESSES:
        raise InputError(
            f"grid={grid}: gives {np.prod(sizes):,} guesses per record, more than {MAX_GUESSES:,}; use a smaller grid"
        )
    copies = frame.iloc[[row] * int(np.prod(sizes))].reset_index(drop=True)
    for column, values_ in zip(levels, zip(*product(*choices), strict=True), strict=True):
        dtype = frame[column].dtype
        whole = column not in radii or pd.api.types.is_integer_dtype(dtype)
        copies[column] = pd.Series(list(values_)).astype(dtype if whole else np.float64)
    return copies, int(np.ravel_multi_index(truth, sizes))


def _grid(own: float, half: float, points: int, series: pd.Series) -> FloatArray:
    offsets = np.linspace(-half, half, points)
    offsets[points // 2] = 0.0
    values = _rounded(own + offsets, series)
    return np.unique(values) if pd.api.types.is_integer_dtype(series.dtype) else values


def _rounded(values: FloatArray, series: pd.Series) -> FloatArray:
    return np.round(values) if pd.api.types.is_integer_dtype(series.dtype) else values
