"""Columns of a release that differ plainly from the confidential data: missing values, categories and ranges."""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from typing import Any, ClassVar

import numpy as np
import pandas as pd

from synthlab import _checks
from synthlab._result import Result
from synthlab._typing import ColumnNames, FrameLike, FrameOrFrames
from synthlab.matching.kernel import block_codes
from synthlab.release import as_release

POINTS, SCORE = 0.05, 5.0  # difference of a share, and its z, from which it is reported
BEYOND = 0.05  # of the range of the confidential values, by which released values leave it
CATEGORIES = 100  # largest number of categories whose shares are compared
COLUMNS = ("column", "kind", "category", "file", "release", "z")


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class ColumnDifferencesResult(Result):
    """Columns whose missing values, categories or ranges differ.

    Attributes
    ----------
    table : pandas.DataFrame
        One row per difference. The columns: column; kind ("missing", "category" or "range"); category (its name, or "");
        file and release (shares, or the smallest and the largest value as text); z (NaN for a range).
    compared : int
        Columns compared.
    """

    _table: ClassVar[str] = "table"

    table: pd.DataFrame = field(repr=False)
    compared: int

    def to_frame(self) -> pd.DataFrame:
        """Return the table."""
        return self.table

    @property
    def title(self) -> str:
        """The number of columns that differ."""
        return f"{self.table['column'].nunique()} of {self.compared} columns differ in missing values, a category or the range."


def column_differences(
    confidential: FrameLike, release: FrameOrFrames, *, variables: ColumnNames | None = None
) -> ColumnDifferencesResult:
    """Find columns with other missing values, other categories or another range in the release.

    A share differs if it does so by at least 5 percentage points, on average over the datasets, with z of at least 5. A
    range differs if a dataset leaves the range of the confidential values by at least 5% of it.

    Parameters
    ----------
    confidential : pandas.DataFrame or Dataset, n rows
        The data as collected.
    release : DataFrame, sequence of DataFrames, Release, or paths of files
        m datasets, of any number of rows.
    variables : sequence of str, optional
        The columns to compare. Default: all columns that both files have.

    Returns
    -------
    ColumnDifferencesResult

    Raises
    ------
    InputError
        If a column is missing from a file, or the files have no column in common.
    DtypeMismatchError
        If a column holds numbers in one file and text in the other.

    Notes
    -----
    z is the difference of the shares p (release) and q (file), divided by the root of r (1 - r) (1/n + 1/N), where r is the
    share in both files together, and N is the number of records of a dataset. R has no such function.

    Examples
    --------
    >>> import numpy as np, pandas as pd
    >>> import synthlab as sl
    >>> people = pd.DataFrame({"income": np.arange(200.0), "region": ["north", "south"] * 100})
    >>> other = people.assign(income=people["income"].where(people.index % 3 > 0))
    >>> sl.utility.column_differences(people, other).table[["column", "kind"]].values.tolist()
    [['income', 'missing']]
    """
    frame = _checks.check_frame(confidential, "confidential")
    files = as_release(release, like=frame)
    if variables is None:
        variables = [c for c in frame.columns if c in files[0].columns]
    names = _checks.check_columns(frame, variables, "variables", where="confidential")
    _checks.check_columns(files[0], names, "variables", where="the synthetic data")
    _checks.check_same_kind(frame, files.frames, names)
    rows: list[dict[str, Any]] = []
    for name in names:
        own, others = frame[name], [one[name] for one in files]
        lost = [float(one.isna().mean()) for one in (own, *others)]
        rows += _shares(name, "missing", "", lost[0], float(np.mean(lost[1:])), len(frame), files.n)
        numbers = (
            _checks.is_measured(own) and not pd.api.types.is_bool_dtype(own.dtype) and _checks.is_measured(others[0])
        )
        rows += _range(name, own, others) if numbers else _categories(name, own, others)
    return ColumnDifferencesResult(pd.DataFrame(rows, columns=list(COLUMNS)), len(names))


def _shares(
    name: str, kind: str, category: str, own: float, other: float, n: int, released: int
) -> list[dict[str, Any]]:
    """Return a row if two shares differ."""
    both = (own * n + other * released) / (n + released)
    spread = math.sqrt(both * (1 - both) * (1 / n + 1 / released)) if 0 < both < 1 else 0.0
    z = (other - own) / spread if spread else 0.0
    if abs(other - own) < POINTS or abs(z) < SCORE:
        return []
    return [dict(zip(COLUMNS, (name, kind, category, own, other, z), strict=True))]


def _categories(name: str, own: pd.Series, others: list[pd.Series]) -> list[dict[str, Any]]:
    """Return the category whose share differs most, if it differs."""
    files = [own.to_frame(name), *(one.to_frame(name) for one in others)]
    codes = block_codes(files, [name], "category")
    size = 1 + max(int(one.max(initial=0)) for one in codes)
    if size > CATEGORIES:
        return []
    shares = [np.bincount(one, minlength=size) / max(one.size, 1) for one in codes]
    difference = np.mean(shares[1:], axis=0) - shares[0]
    labels: dict[int, Any] = {}
    for one, series in zip(codes, (own, *others), strict=True):
        labels.update({int(code): value for code, value in zip(one, series, strict=True) if not pd.isna(value)})
    difference[[code for code in range(size) if code not in labels]] = 0.0
    place = int(np.abs(difference).argmax())
    return _shares(
        name, "category", str(labels.get(place, "")), float(shares[0][place]), float(shares[0][place] + difference[place]),
        len(own), len(others[0]),
    )  # fmt: skip


def _range(name: str, own: pd.Series, others: list[pd.Series]) -> list[dict[str, Any]]:
    """Return a row if released values leave the range of the confidential values."""
    values = _checks.measurements(own)
    released = np.concatenate([_checks.measurements(one) for one in others])
    values, released = values[np.isfinite(values)], released[np.isfinite(released)]
    if not values.size or not released.size:
        return []
    low, high = float(values.min()), float(values.max())
    reach = BEYOND * (high - low)
    if low == high or (released.min() > low - reach and released.max() < high + reach):
        return []
    texts = [
        f"{own.dropna().min()} to {own.dropna().max()}",
        f"{min(o.min() for o in others)} to {max(o.max() for o in others)}",
    ]
    return [dict(zip(COLUMNS, (name, "range", "", *texts, np.nan), strict=True))]
