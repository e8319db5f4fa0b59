"""Near copies: released records closer to a confidential record than its own nearest neighbor."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
import pandas as pd

from synthlab import _checks
from synthlab._result import Result
from synthlab._typing import ColumnNames, FloatArray, FrameLike, FrameOrFrames
from synthlab.exceptions import InputError
from synthlab.matching.kernel import block_codes
from synthlab.release import as_release

RECORDS = 1000  # maximum number of compared released records
FEWEST = 50
COMPARISONS = 500_000_000  # maximum number of compared values in all datasets
FEW_VALUES = 12  # a number with at most this many distinct values is a category
SAME = 1e-6  # distances that differ by less are equal
SEED = 1


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class NearCopiesResult(Result):
    """Share of released records that are near copies of a confidential record.

    A near copy is closer to a confidential record than that record's own nearest neighbor.

    Attributes
    ----------
    share : numpy.ndarray of float, shape (m,)
        The share in each dataset, in [0, 1]; a tie counts one half.
    compared : int
        Released records compared in each dataset, drawn with seed 1.
    records : int
        Records in each dataset.
    variables : tuple of str
        The compared variables.
    """

    _table: ClassVar[str] = "to_frame"

    share: FloatArray
    compared: int
    records: int
    variables: tuple[str, ...]

    def to_frame(self) -> pd.DataFrame:
        """Return one row per synthetic dataset 1..m."""
        return pd.DataFrame({"share": self.share}, index=pd.RangeIndex(1, self.share.size + 1, name="dataset"))

    @property
    def title(self) -> str:
        """Sentence that states the largest share."""
        return (
            f"In dataset {int(self.share.argmax()) + 1}, {self.share.max():.1%} of {self.compared:,} released records are closer to "
            "a confidential record than that record's own nearest neighbor in the confidential data."
        )


def near_copies(
    confidential: FrameLike,
    synthetic: FrameOrFrames,
    *,
    variables: ColumnNames | None = None,
    categorical: ColumnNames = (),
) -> NearCopiesResult:
    r"""Measure how many released records are near copies of a confidential record.

    A near copy is closer to a confidential record than that record's own nearest neighbor. A holdout sample is not required.
    For the released record z, let t(z) be the closest confidential record, and d' the distance of t(z) to the closest
    other confidential record. For an independent sample of the same population, the share of records with
    :math:`d(z, t(z)) < d'` is about one half with many variables and up to two thirds with few. It is close to 1 if records are
    copied with small changes. A large share does not prove copying; `closest_record` with a holdout sample is a better measure.

    Parameters
    ----------
    confidential : pandas.DataFrame or Dataset, n rows
        The data as collected; at least 3 rows.
    synthetic : DataFrame, sequence of DataFrames, Release, or paths of files
        m datasets, in any order.
    variables : sequence of str, optional
        The compared variables, at least two. Default: all columns that both files have.
    categorical : sequence of str
        Categorical variables that are stored as numbers. Default: none.

    Returns
    -------
    NearCopiesResult

    Raises
    ------
    InputError
        If a variable is missing from a file, the files share none, or there are fewer than 2 variables or 3 confidential records.
    DtypeMismatchError
        A column has another type in the release.

    Notes
    -----
    The distance is the number of variables that differ. A number or date with more than 12 distinct values contributes the
    difference of its relative ranks, each within its own file, so that a change of units does not hide a copy. A missing value is
    a category of its own; a missing number has the middle rank. At most 1,000 released records of each dataset are
    compared, and fewer in very large files.

    Examples
    --------
    >>> import numpy as np, pandas as pd
    >>> import synthlab as sl
    >>> rng = np.random.default_rng(1)
    >>> people, others = (pd.DataFrame(rng.normal(size=(300, 4)), columns=list("abcd")) for _ in range(2))
    >>> sl.near_copies(people, others).share.round(1), sl.near_copies(people, people * 1.1 + 0.01).share.round(1)
    (array([0.5]), array([1.]))
    """
    frame = _checks.check_frame(confidential, "confidential")
    release = as_release(synthetic, like=frame)
    if variables is None:
        variables = [c for c in frame.columns if c in release[0].columns]
        if not variables:
            raise InputError("synthetic: has no column in common with the confidential data")
    names = _checks.check_columns(frame, variables, "variables", where="confidential")
    _checks.check_columns(release[0], names, "variables", where="the synthetic data")
    _checks.check_same_kind(frame, release.frames, names)
    categories = _checks.check_columns(frame, categorical, "categorical", where="confidential", allow_empty=True)
    if len(names) < 2:
        raise InputError(
            "variables: near copies require at least 2 variables, because with a single variable every record has a close "
            "neighbor"
        )
    if len(frame) < 3:
        raise InputError("confidential: near copies require at least 3 records")
    frame, *frames = _checks.with_dates([frame, *release.frames], names, categories)
    compared = min(RECORDS, release.n, max(FEWEST, COMPARISONS // (2 * len(frame) * len(names) * release.m)))
    rng = np.random.default_rng(SEED)
    shares = []
    for one in frames:
        here, there, ranks = _columns(frame, one, names, categories)
        rows = np.sort(rng.permutation(release.n)[:compared])
        shares.append(_share(here, there[:, rows], ranks))
    return NearCopiesResult(_checks.read_only(np.array(shares)), compared, release.n, tuple(names))


def _columns(
    frame: pd.DataFrame, other: pd.DataFrame, names: Sequence[str], categories: Collection[str]
) -> tuple[FloatArray, FloatArray, list[bool]]:
    """Return both files as ranks and codes, shape (p, rows), and which columns are ranks."""
    here: list[Any] = []
    there: list[Any] = []
    ranks: list[bool] = []
    for name in names:
        series = frame[name]
        ranked = _checks.is_measured(series) and name not in categories and series.nunique() > FEW_VALUES
        ranks.append(ranked)
        if ranked:
            numbers = (_checks.without_rounding_errors(_checks.measurements(one[name])) for one in (frame, other))
            both = (pd.Series(values).rank(pct=True).fillna(0.5) for values in numbers)
        else:
            both = (pd.Series(codes) for codes in block_codes([frame, other], [name], "category"))
        for files, values in zip((here, there), both, strict=True):
            files.append(values.to_numpy(dtype=np.float32))
    return np.stack(here), np.stack(there), ranks


def _share(own: FloatArray, released: FloatArray, ranks: Sequence[bool]) -> float:
    """Return the share of the released records that are near copies."""
    closer: float = 0.0
    step = max(1, 4_000_000 // own.shape[1])
    for start in range(0, released.shape[1], step):
        some = released[:, start : start + step]
        distance = _distances(some, own, ranks)
        nearest = distance.argmin(axis=1)
        apart = _distances(own[:, nearest], own, ranks)
        apart[np.arange(nearest.size), nearest] = np.inf
        difference = apart.min(axis=1) - distance[np.arange(nearest.size), nearest]
        closer += float((difference > SAME).sum()) + 0.5 * float((np.abs(difference) <= SAME).sum())
    return float(closer / released.shape[1])


def _distances(some: FloatArray, own: FloatArray, ranks: Sequence[bool]) -> Any:
    total = np.zeros((some.shape[1], own.shape[1]), dtype=np.float32)
    for here, there, ranked in zip(some, own, ranks, strict=True):
        total += np.abs(here[:, None] - there) if ranked else here[:, None] != there
    return total
