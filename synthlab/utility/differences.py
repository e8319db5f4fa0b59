"""Columns whose missing values, categories or range differ between the release and the confidential data."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any, ClassVar

import numpy as np
import pandas as pd

from synthlab import _checks
from synthlab._calls import explains_arguments
from synthlab._format import percent
from synthlab._result import Result
from synthlab._typing import ColumnNames, FrameLike, FrameOrFrames
from synthlab.matching.kernel import block_codes
from synthlab.release import as_release

POINTS, SCORE = 0.05, 5.0  # difference of two shares, and its z, from which it is named
BEYOND = 0.05  # share of the confidential range by which released values must leave it
FEW_VALUES = 20  # largest number of distinct numbers that are compared like categories
COLUMNS = ("column", "difference", "category", "release", "confidential", "z")


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class ColumnDifferencesResult(Result):
    """Differences between the columns of a release and of the confidential data.

    Attributes
    ----------
    table : pandas.DataFrame
        One row per difference. The columns:

        - column: the column.
        - difference: "missing values", "category", "below the range" or "above the range".
        - category: the category, for a difference of categories; otherwise None.
        - release, confidential: the share of missing values, of the category among the values, or of the records outside
          the confidential range; the share in the release is a mean over the datasets.
        - z: difference of the shares in standard errors; NaN for a range.
    columns : int
        Compared columns.
    """

    _table: ClassVar[str] = "table"

    table: pd.DataFrame = field(repr=False)
    columns: int

    @property
    def title(self) -> str:
        """Sentence that states how many columns differ, with the first difference."""
        differing = self.table["column"].nunique()
        first = f" {self.sentences()[0]}" if differing else ""
        return f"{differing} of {self.columns} {'column' if self.columns == 1 else 'columns'} {'differs' if differing == 1 else 'differ'} clearly.{first}"

    def sentences(self) -> list[str]:
        """Return one sentence per difference."""
        return [
            f"{percent(row.release)} of {_what(row)} in the release, {percent(row.confidential)} in the confidential data."
            for row in _rows(self.table)
        ]

    def to_frame(self) -> pd.DataFrame:
        """Return the table."""
        return self.table


def _rows(table: pd.DataFrame) -> list[Any]:
    return list(table.itertuples(index=False))


def _what(row: Any) -> str:
    if row.difference == "missing values":
        return f"{row.column} is missing"
    if row.difference == "category":
        return f"{row.column} is {row.category}"
    return f"{row.column} is {row.difference} of the confidential data"


@explains_arguments
def column_differences(
    confidential: FrameLike,
    synthetic: FrameOrFrames,
    *,
    variables: ColumnNames | None = None,
    categorical: ColumnNames = (),
) -> ColumnDifferencesResult:
    """Name the columns that differ clearly between a release and the confidential data.

    Three kinds of differences are named: a share of missing values that differs by at least 5 percentage points with
    z >= 5; a share of a category that does; and numbers or dates that leave the confidential range by at least 5% of it.
    Texts, bools, categoricals and numbers with at most 20 distinct values have categories.

    Parameters
    ----------
    confidential : pandas.DataFrame or Dataset, n rows
        The data as collected.
    synthetic : DataFrame, sequence of DataFrames, Release, or paths of files
        m datasets, of any number of rows.
    variables : sequence of str, optional
        The columns that are compared. Default: all columns that `confidential` and `synthetic` have in common.
    categorical : sequence of str
        Columns whose numbers are category codes.

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
    z is the difference of the two shares divided by sqrt(p (1 - p) (1/n + 1/N)), where p is the share in both files
    together and N is the number of records of one dataset.

    Examples
    --------
    >>> import pandas as pd
    >>> import synthlab as sl
    >>> people = pd.DataFrame({"sex": ["f", "m"] * 100, "income": range(200)})
    >>> release = people.assign(income=people["income"].where(people["income"] % 3 > 0))
    >>> print(sl.column_differences(people, release).title)
    1 of 2 columns differs clearly. 33.5% of income is missing in the release, 0% in the confidential data.
    """
    frame = _checks.check_frame(confidential, "confidential")
    release = as_release(synthetic, like=frame)
    if variables is None:
        variables = [c for c in frame.columns if c in release[0].columns]
    names = _checks.check_columns(frame, variables, "variables", where="confidential")
    _checks.check_columns(release[0], names, "variables", where="the synthetic data")
    codes = _checks.check_columns(frame, categorical, "categorical", where="confidential", allow_empty=True)
    _checks.check_same_kind(frame, release.frames, names)
    rows: list[tuple[Any, ...]] = []
    for name in names:
        files = [frame[name], *(one[name] for one in release)]
        missing = [one.isna().to_numpy(dtype=bool) for one in files]
        rows += _compared(
            name, "missing values", [None], [np.array([mask.sum()]) for mask in missing], list(map(len, files))
        )
        if all(mask.all() for mask in missing[:1]) or all(mask.all() for mask in missing[1:]):
            continue
        if name in codes or _has_categories(files[0]):
            rows += _categories(name, files)
        elif _checks.is_measured(files[0]) or _checks.is_date(files[0]):
            rows += _ranges(name, files)
    return ColumnDifferencesResult(pd.DataFrame(rows, columns=list(COLUMNS)), len(names))


def _has_categories(series: pd.Series) -> bool:
    if isinstance(series.dtype, pd.CategoricalDtype) or _checks.kind_of(series) == "bool":
        return True
    if _checks.is_date(series):
        return False
    return _checks.kind_of(series) == "text" or series.nunique() <= FEW_VALUES


def _categories(name: str, files: Sequence[pd.Series]) -> list[tuple[Any, ...]]:
    plain = [one.dropna().reset_index(drop=True) for one in files]
    codes = block_codes([one.to_frame("x") for one in plain], ["x"], "category")
    values = pd.Series(np.concatenate([one.astype(object).to_numpy() for one in plain]), dtype=object)
    first = np.unique(np.concatenate(codes), return_index=True)[1]
    counts = [np.bincount(one, minlength=first.size) for one in codes]
    found = _compared(name, "category", values.iloc[first].tolist(), counts, [len(one) for one in plain])
    return sorted(found, key=lambda row: -abs(row[3] - row[4]))


def _compared(
    name: str, difference: str, categories: Sequence[Any], counts: Sequence[Any], sizes: Sequence[int]
) -> list[tuple[Any, ...]]:
    """Return the shares that differ clearly, one row per share."""
    own = counts[0] / sizes[0]
    filled = [(count, size) for count, size in zip(counts[1:], sizes[1:], strict=True) if size]
    made = np.mean([count / size for count, size in filled], axis=0)
    records = float(np.mean([size for _, size in filled]))
    both = (sizes[0] * own + records * made) / (sizes[0] + records)
    error = np.sqrt(np.maximum(both * (1 - both), 1e-300) * (1 / sizes[0] + 1 / records))
    z = (made - own) / error
    clear = np.flatnonzero((np.abs(made - own) >= POINTS) & (np.abs(z) >= SCORE))
    return [(name, difference, categories[int(k)], float(made[k]), float(own[k]), float(z[k])) for k in clear]


def _ranges(name: str, files: Sequence[pd.Series]) -> Iterator[tuple[Any, ...]]:
    own, *others = (_checks.measurements(one) for one in files)
    own = own[np.isfinite(own)]
    if not own.size:
        return
    low, high = own.min(), own.max()
    margin = BEYOND * (high - low)
    for what, sign, limit in (("below the range", -1, low), ("above the range", 1, high)):
        beyond = [sign * (one[np.isfinite(one)] - limit) for one in others]
        if any(one.size and one.max() > 0 and one.max() >= margin for one in beyond):
            share = float(np.mean([(one > 0).mean() for one in beyond if one.size]))
            yield name, what, None, share, 0.0, float("nan")
