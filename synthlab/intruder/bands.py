"""Variables released in bands: the intruder knows a value, and the release states only the band that contains it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, TypeAlias

import numpy as np
import pandas as pd

from synthlab import _checks
from synthlab._typing import BoolArray, IntArray
from synthlab.exceptions import InputError
from synthlab.intruder.partial_knowledge import Interval, Knowledge, OneOf, holds

Band: TypeAlias = Any  # an Interval, a pandas.Interval, or a set of values
Bands: TypeAlias = Mapping[str, Mapping[Any, Band]]


def check_bands(value: object) -> dict[str, dict[Any, Band]] | None:
    """Return validated bands: for each variable a mapping from released values to what they contain, or None."""
    if value is None:
        return None
    if not isinstance(value, Mapping) or not value:
        raise InputError("bands: must be a mapping from variables to mappings from released values to Interval or sets")
    found = {}
    for column, bands in value.items():
        name = f"bands[{column!r}]"
        if not isinstance(bands, Mapping) or not bands:
            raise InputError(f"{name}: must be a mapping from released values to Interval or sets of true values")
        found[column] = {released: _check_band(band, name) for released, band in bands.items()}
    return found


def _check_band(band: Band, name: str) -> Band:
    if isinstance(band, pd.Interval):
        return band
    if isinstance(band, Interval):
        lower, upper = band.of(1, name)
        return Interval(float(lower[0]), float(upper[0]))
    if isinstance(band, set | frozenset | list | tuple) and len(band):
        try:
            return frozenset(band)
        except TypeError:
            pass
    raise InputError(f"{name}: every band must be an Interval, a pandas.Interval, or a set of true values")


def in_bands(frame: pd.DataFrame, frames: Sequence[pd.DataFrame], bands: Bands | None) -> pd.DataFrame:
    """Return the confidential data with the bands of the variables that the datasets contain in bands.

    Examples
    --------
    >>> import pandas as pd
    >>> from synthlab.intruder.bands import in_bands
    >>> from synthlab.risk import Interval
    >>> bands = {"age": {"45-49": Interval(45, 49), "50+": Interval(50, float("inf"))}}
    >>> in_bands(pd.DataFrame({"age": [47, 80]}), [pd.DataFrame({"age": ["45-49", "50+"]})], bands)["age"].tolist()
    ['45-49', '50+']
    """
    found = {}
    for column, of_column in (bands or {}).items():
        if column not in frame.columns or any(column not in one.columns for one in frames):
            continue  # the check of the columns reports it
        name = f"bands[{column!r}]"
        for number, one in enumerate(frames, start=1):
            unknown = sum(value not in of_column for value in one[column].dropna().unique())
            if unknown:
                raise InputError(
                    f"{name}: has no band for {unknown} released values of synthetic dataset {number}; add their bands"
                )
        place = band_numbers(frame[column], of_column, name)
        nowhere = int(((place < 0) & ~_checks.missing_mask(frame[column])).sum())
        if nowhere:
            raise InputError(
                f"{name}: contains no band for the true values of {nowhere} of {len(frame)} records; add bands"
            )
        values = np.empty(len(of_column) + 1, dtype=object)
        values[:-1], values[-1] = list(of_column), None
        found[column] = pd.Series(values[place], index=frame.index, dtype=object).infer_objects()
    return frame.assign(**found) if found else frame


def band_numbers(series: pd.Series, bands: Mapping[Any, Band], name: str) -> IntArray:
    """Return the position of the band of each value; -1 if there is none. The bands must not overlap."""
    place = np.full(len(series), -1, dtype=np.int64)
    for number, band in enumerate(bands.values()):
        inside = _contains(band, series, name)
        twice = int((inside & (place >= 0)).sum())
        if twice:
            raise InputError(
                f"{name}: the bands overlap, because {twice} values are in two of them; use disjoint bands"
            )
        place[inside] = number
    return place


def _contains(band: Band, series: pd.Series, name: str) -> BoolArray:
    """Return which values a band contains; a missing value is in no band."""
    if isinstance(band, frozenset):
        return np.asarray(series.isin(list(band)) & series.notna(), dtype=bool)
    left, right = (band.lower, band.upper) if isinstance(band, Interval) else (band.left, band.right)
    open_left, open_right = (False, False) if isinstance(band, Interval) else (band.open_left, band.open_right)
    try:
        above = series > left if open_left else series >= left
        below = series < right if open_right else series <= right
    except TypeError:
        raise InputError(f"{name}: an interval requires values that can be ordered; use sets of true values") from None
    return np.asarray((above & below).fillna(False), dtype=bool)


def knowledge_in_bands(
    knowledge: Mapping[str, Knowledge] | None, frame: pd.DataFrame, bands: Bands | None
) -> dict[str, Knowledge] | None:
    """Return partial knowledge of variables in bands as the set of bands that are possible.

    frame : the confidential data, with the true values.
    """
    found = dict(knowledge or {})
    for column in [c for c in found if c in (bands or {}) and c in frame.columns]:
        known, name, of_column = found[column], f"knowledge[{column!r}]", (bands or {})[column]
        if isinstance(known, Interval):
            _checks.check_numeric_column(frame, column, where="confidential", why="an Interval is for numbers")
            lower, upper = known.of(len(frame), name)
            value = _checks.exact_float(frame[column])
            true = (lower <= value) & (value <= upper)
            possible = np.column_stack([_meets(band, lower, upper) for band in of_column.values()])
        else:
            truth = frame[column].tolist()
            sets = known.of(truth, name)
            true = holds(sets, truth)
            values = pd.Series(sorted(frozenset[Any]().union(*sets), key=repr))
            place = dict(zip(values.tolist(), band_numbers(values, of_column, f"bands[{column!r}]"), strict=True))
            possible = np.zeros((len(frame), len(of_column) + 1), dtype=bool)
            for i, one in enumerate(sets):
                possible[i, [place[value] for value in one]] = True
            possible = possible[:, :-1]
        if not true.all():
            raise InputError(
                f"{name}: is false for {int((~true).sum())} of {len(frame)} records; the knowledge must contain the true value"
            )
        names = list(of_column)
        found[column] = OneOf([{names[k] for k in np.flatnonzero(row)} for row in possible])
    return found or None


def _meets(band: Band, lower: Any, upper: Any) -> BoolArray:
    """Return which of the closed intervals contain a value of the band."""
    if isinstance(band, frozenset):
        return np.asarray(np.any([(lower <= value) & (value <= upper) for value in band], axis=0), dtype=bool)
    if isinstance(band, Interval):
        return np.asarray((band.lower <= upper) & (lower <= band.upper), dtype=bool)
    below = band.left < upper if band.open_left else band.left <= upper
    above = lower < band.right if band.open_right else lower <= band.right
    return np.asarray(below & above, dtype=bool)
