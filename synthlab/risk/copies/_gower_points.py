"""Records as points whose Manhattan distance is Gower's distance."""

from __future__ import annotations

from collections.abc import Collection, Sequence

import numpy as np
import pandas as pd

from synthlab import _checks
from synthlab._system import size_limits
from synthlab._typing import BoolArray, FloatArray, IntArray
from synthlab.matching.kernel import block_codes

MOST_LEVELS = 1_000  # maximum number of levels of a category; each level is a column


def without_distance(
    frames: Sequence[pd.DataFrame], names: Sequence[str], categories: Collection[str]
) -> dict[str, str]:
    """Return the reason for each variable that cannot be compared.

    `frames` are the confidential data, the control sample, and the synthetic datasets. If the files are too large,
    categories with few levels are kept first.
    """
    _checks.check_same_kind(frames[0], [frames[1]], names, "control")
    labels = ["confidential", "control", *(f"synthetic dataset {i}" for i in range(1, len(frames) - 1))]
    reasons: dict[str, str] = {}
    cells: dict[str, int] = {}
    for name in names:
        if not _checks.is_measured(frames[0][name]) or name in categories:
            codes = _codes(frames, name)
            levels = int(codes.max(initial=0)) + 1
            if name not in categories and any(_checks.holds_loose_numbers(frame[name]) for frame in frames):
                reasons[name] = _checks.loose_numbers(name)
            elif levels > MOST_LEVELS:
                reasons[name] = f"{name!r} is not a measurement and has {levels:,} values, more than {MOST_LEVELS:,}"
            else:
                cells[name] = codes.size * levels
        else:
            infinite = [
                label
                for label, frame in zip(labels, frames, strict=True)
                if np.isinf(_checks.measurements(frame[name])).any()
            ]
            if infinite:
                reasons[name] = f"{name!r} of {infinite[0]} has an infinite value, which has no distance"
    total = 0
    for name in sorted(cells, key=cells.__getitem__):
        total += cells[name]
        if total > size_limits.DESIGN_CELLS:
            reasons[name] = f"with {name!r} the files have more than {size_limits.DESIGN_CELLS:,} cells"
    return reasons


def _numbers(frames: Sequence[pd.DataFrame], name: str) -> FloatArray:
    return np.concatenate([_checks.measurements(frame[name]) for frame in frames])


def _codes(frames: Sequence[pd.DataFrame], name: str) -> IntArray:
    return np.concatenate(block_codes(frames, [name], "category"))


def as_codes(
    frames: Sequence[pd.DataFrame], names: Sequence[str], categories: set[str]
) -> tuple[list[FloatArray], BoolArray]:
    """Return the frames as rows of scaled numbers and negative codes, and which columns are codes."""
    columns: list[FloatArray] = []
    coded: list[bool] = []
    for name in names:
        if _checks.is_measured(frames[0][name]) and name not in categories:
            columns += _number(_numbers(frames, name), len(frames[0]))
        else:
            columns.append(-_codes(frames, name).astype(np.float64))
            coded += [False] * (len(columns) - 1 - len(coded)) + [True]
    coded += [False] * (len(columns) - len(coded))
    ends = np.cumsum([len(frame) for frame in frames])[:-1]
    return np.split(np.column_stack(columns), ends), np.array(coded)


def as_points(frames: Sequence[pd.DataFrame], names: Sequence[str], categories: set[str]) -> list[FloatArray]:
    """Return the frames as points whose Manhattan distance is the number of variables that differ."""
    columns: list[FloatArray] = []
    for name in names:
        if _checks.is_measured(frames[0][name]) and name not in categories:
            columns += _number(_numbers(frames, name), len(frames[0]))
        else:
            codes = _codes(frames, name)
            columns += [(codes == code) / 2.0 for code in range(int(codes.max(initial=0)) + 1)]
    ends = np.cumsum([len(frame) for frame in frames])[:-1]
    return [np.ascontiguousarray(part) for part in np.split(np.column_stack(columns), ends)]


def _number(values: FloatArray, n: int) -> list[FloatArray]:
    """Return the values scaled by the confidential range, and an indicator of missing values."""
    lost = np.isnan(values)
    there = values[:n][~lost[:n]]
    low, high = (float(there.min()), float(there.max())) if there.size else (0.0, 0.0)
    scaled = np.where(lost, 0.5, (values - low) / ((high - low) or 1.0))
    return [scaled, lost.astype(float)] if lost.any() else [scaled]
