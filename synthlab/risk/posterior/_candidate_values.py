"""The guesses an intruder considers for a record: grids around the truth, levels of a category, and their products."""

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
    """Return the values that occur in each column, in their order."""
    found = {}
    for column in columns:
        series = frame[column]
        categorical = isinstance(series.dtype, pd.CategoricalDtype)
        values = series.cat.remove_unused_categories().cat.categories if categorical else np.sort(series.unique())
        found[column] = pd.Index(values)
    return found


def check_grid(frame: pd.DataFrame, rows: IntArray, radii: dict[str, float], radius_kind: str) -> None:
    """Raise when the grid around a target would be a point, for whole numbers after rounding."""
    for column, radius in radii.items():
        values = _checks.exact_float(frame[column].iloc[rows])
        width = radius * np.abs(values) if radius_kind == "relative" else np.full(values.size, radius)
        ends = [_rounded(values + end, frame[column]) for end in (-width, width)]
        flat = np.flatnonzero(ends[0] == ends[1])
        if flat.size:
            whole = " of whole numbers" if pd.api.types.is_integer_dtype(frame[column].dtype) else ""
            raise InputError(
                f"radius[{column!r}]={radius:g}: the grid{whole} is a point for {flat.size} targets, the first in row "
                f'{rows[flat[0]]}; use a larger radius, with radius_kind="absolute" where the value is 0, or leave them out '
                "of targets"
            )


def guesses_for(
    frame: pd.DataFrame, row: int, levels: dict[str, pd.Index], radii: dict[str, float], relative: bool, grid: int
) -> tuple[pd.DataFrame, int]:
    """Return the guesses for one record as copies of it with other values, and the place of the true one.

    Parameters
    ----------
    frame : pandas.DataFrame
        The confidential data.
    row : int
        Position of the record.
    levels : dict
        The synthesized variables in order, each with the values that occur.
    radii : dict
        Half-widths of the numeric ones; the others are guessed among their levels.
    relative : bool
        Whether a half-width is a share of the absolute value.
    grid : int
        Points of the grid of a numeric variable, odd so that the truth is one; whole numbers for a column of integers.
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
        raise InputError(f"grid={grid}: makes {np.prod(sizes):,} guesses a record; at most {MAX_GUESSES:,}")
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
