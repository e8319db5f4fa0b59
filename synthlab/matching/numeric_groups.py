"""Grouping of numbers, with the same groups in the confidential and synthetic data."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from itertools import pairwise
from typing import Any

import numpy as np
import pandas as pd

from synthlab import _checks
from synthlab._calls import explains_arguments
from synthlab._typing import FloatArray, FrameLike, FrameOrFrames, IntArray
from synthlab.exceptions import InputError
from synthlab.release import Release, as_release

FEWEST = 3  # minimum number of quantile groups; if ties leave fewer, the groups have equal width


@explains_arguments
def group_numbers(
    confidential: FrameLike, synthetic: FrameOrFrames, *, groups: Mapping[str, int]
) -> tuple[pd.DataFrame, Release]:
    """Group numbers for measures that compare by value: uniques, disclosure, CAP, tables.

    Parameters
    ----------
    confidential : pandas.DataFrame or Dataset
        The data as collected.
    synthetic : DataFrame, sequence of DataFrames, Release, or CSV paths
        m datasets, of any number of rows.
    groups : mapping {variable: int >= 2}
        The number of groups of each variable; the variables must be numeric.

    Returns
    -------
    confidential : pandas.DataFrame
        The data with the variables as ordered categories; missing values remain missing.
    synthetic : Release
        The m datasets with the same groups.

    Raises
    ------
    InputError
        If a variable is not in all files, is not numeric, has only missing values or an infinite value, or has fewer than 2
        groups.

    Notes
    -----
    The groups are cut at the quantiles (type 7) i / g of the pooled values of all files, for g groups. They are closed on the
    left; the last group is closed on both sides. Equal quantiles count once. If this leaves fewer than three groups (or only
    one group when two are requested), the g groups have equal width. With at most g distinct values, each value is a group.

    These are the groups of R's synthpop 1.9-3 (``ngroups_keys``, ``ngroups_target``, and the five groups of
    ``utility.tab``), with two exceptions: synthpop always cuts two groups at the middle of the range, not at the median, and
    stops if a variable has only one value. The groups depend on the synthetic data and differ between releases.

    Examples
    --------
    >>> import pandas as pd
    >>> import synthlab as sl
    >>> people = pd.DataFrame({"pay": [1.0, 2.0, 3.0, 4.0, 5.0]})
    >>> grouped, release = sl.group_numbers(people, people + 1, groups={"pay": 3})
    >>> grouped["pay"].tolist()
    ['[1, 3)', '[1, 3)', '[3, 4)', '[4, 6]', '[4, 6]']
    >>> release[0]["pay"].tolist()
    ['[1, 3)', '[3, 4)', '[4, 6]', '[4, 6]', '[4, 6]']
    """
    frame = _checks.check_frame(confidential, "confidential")
    release = as_release(synthetic)
    given = _checks.check_mapping(groups, "groups", "variables and numbers of groups")
    names = _checks.check_columns(frame, list(given), "groups", where="confidential", allow_empty=False)
    frames = [frame, *release]
    for column in names:
        number = _checks.check_count(given[column], f"groups[{column!r}]", 2)
        values = [_numbers(one, column, position) for position, one in enumerate(frames)]
        grouped = _grouped(values, number, column)
        frames = [one.assign(**{column: new}) for one, new in zip(frames, grouped, strict=True)]
    return frames[0], replace(release, frames=tuple(frames[1:]))


def _numbers(frame: pd.DataFrame, column: str, position: int) -> FloatArray:
    where = f"synthetic dataset {position}" if position else "confidential"
    _checks.check_columns(frame, [column], "groups", where=where)
    _checks.check_numeric_column(frame, column, where=where, why="only numbers are put into groups")
    _checks.check_no_infinity(frame, column, where)
    return _checks.as_float(frame[column])


def _grouped(values: Sequence[FloatArray], number: int, column: str) -> list[Any]:
    pooled = np.sort(np.concatenate(values))
    pooled = pooled[~np.isnan(pooled)]
    if not pooled.size:
        raise InputError(f"groups: column {column!r} has only missing values; omit it")
    distinct = np.unique(pooled)
    if number >= distinct.size:
        edges, labels = distinct[1:], _written(distinct)
    else:
        ends = _ends(pooled, number)
        edges, text = ends[1:-1], _written(ends)
        labels = [f"[{low}, {high})" for low, high in pairwise(text)]
        labels[-1] = f"{labels[-1][:-1]}]"
    codes: list[IntArray] = [np.where(np.isnan(one), -1, np.searchsorted(edges, one, side="right")) for one in values]
    return [pd.Categorical.from_codes(code, pd.Index(labels), ordered=True) for code in codes]


def _ends(pooled: FloatArray, number: int) -> FloatArray:
    """Return the increasing ends of the groups of sorted values (> `number` distinct values)."""
    # Compute the shares as i * (1 / g), like R: .2 * 3 is not .6, and a value can lie between the two.
    place = (pooled.size - 1) * np.minimum(np.arange(number + 1) * (1 / number), 1.0)
    low = np.floor(place).astype(np.int64)
    part = place - low
    below, above = pooled[low], pooled[np.minimum(low + 1, pooled.size - 1)]
    # Do not interpolate between equal values, because rounding can change the result.
    ends = np.unique(np.where((part > 0) & (above != below), (1 - part) * below + part * above, below))
    ends[-1] = pooled[-1]
    if ends.size - 1 < min(FEWEST, number):
        return np.linspace(pooled[0], pooled[-1], number + 1)
    return ends


def _written(values: FloatArray) -> list[str]:
    """Format numbers with 8 digits, or with more if needed to distinguish them."""
    for digits in range(8, 18):
        text = [f"{value:.{digits}g}" for value in values]
        if len(set(text)) == len(text):
            break
    return text
