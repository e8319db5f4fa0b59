"""Exact copies: released records that equal a confidential record."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from synthlab import _checks
from synthlab._calls import explains_arguments
from synthlab._result import Result
from synthlab._typing import ColumnNames, FrameLike, FrameOrFrames, IntArray, Missing
from synthlab.matching.kernel import block_codes, record_counts
from synthlab.release import as_release


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class ExactCopiesResult(Result):
    """Released records that equal a confidential record in all compared variables.

    Attributes
    ----------
    copies : numpy.ndarray of int, shape (m,)
        Released records that equal at least one confidential record.
    unique_copies : numpy.ndarray of int, shape (m,)
        Released records that equal exactly one confidential record, which is unique in the confidential data.
    records : int
        Records in each synthetic dataset.
    n : int
        Confidential records.
    duplicates : int
        Confidential records that equal another confidential record. A copy of such a record does not identify a single
        person, but it can disclose a value that all of them have.
    variables : tuple of str
        The compared variables.
    """

    _table: ClassVar[str] = "to_frame"
    _per_dataset: ClassVar[dict[str, str]] = {"exact_copies": "copies", "unique_copies": "unique_copies"}

    copies: IntArray
    unique_copies: IntArray
    records: int
    n: int
    duplicates: int
    variables: tuple[str, ...]

    @property
    def m(self) -> int:
        """Number of synthetic datasets."""
        return self.copies.size

    @property
    def share(self) -> float:
        """Share of the released records that are copies: the mean over the datasets."""
        return float(self.copies.mean()) / self.records

    @property
    def duplicate_share(self) -> float:
        """Share of the confidential records that equal another confidential record."""
        return self.duplicates / self.n

    @property
    def title(self) -> str:
        """Sentence that states the counts."""
        return sentence(self, _count)


@explains_arguments
def exact_copies(
    confidential: FrameLike,
    synthetic: FrameOrFrames,
    *,
    variables: ColumnNames | None = None,
    missing: Missing = "category",
) -> ExactCopiesResult:
    """Count released records that equal a confidential record in all variables.

    The order of the rows is irrelevant, so that the function also detects a shuffled or sorted confidential file. Copies are
    unavoidable if there are few variables with few values. Compare `share` with `duplicate_share`, the share of confidential
    records that equal another one, and look at the copies of unique records.

    Parameters
    ----------
    confidential : pandas.DataFrame or Dataset, n rows
        The data as collected.
    synthetic : DataFrame, sequence of DataFrames, Release, or paths of files
        m datasets, of any number of rows.
    variables : sequence of str, optional
        The variables compared by value. Default: all columns that `confidential` and the synthetic data have in common.
    missing : {"category", "never", "raise"}
        Meaning of a missing value. "category" (default): missing values are equal. "never": a missing value equals no
        value, so that its record is never a copy. "raise": a missing value is an error.

    Returns
    -------
    ExactCopiesResult

    Raises
    ------
    InputError
        If a variable is not in both files, or the files have no variable in common.
    DtypeMismatchError
        If a column holds numbers in one file and text in the other.
    MissingValueError
        Missing values with ``missing="raise"``.

    Examples
    --------
    >>> import pandas as pd
    >>> import synthlab as sl
    >>> people = pd.DataFrame({"region": list("NNNSSS"), "income": [10, 20, 20, 15, 30, 30]})
    >>> shuffled = people.sample(frac=1, random_state=1)
    >>> print(sl.exact_copies(people, shuffled).title)
    Every one of the 6 released records is an exact copy of a confidential record in all 2 compared variables, 2 of them of a
    record that is unique in the confidential data; of the confidential records, 4 of 6 equal another.
    """
    frame = _checks.check_frame(confidential, "confidential")
    release = as_release(synthetic, like=frame)
    if variables is None:
        variables = [c for c in frame.columns if c in release[0].columns]
    names = _checks.check_columns(frame, variables, "variables", where="confidential")
    _checks.check_columns(release[0], names, "variables", where="the synthetic data")
    _checks.check_same_kind(frame, release.frames, names)
    _checks.check_meaning(missing, "exact_copies")
    for number, one in enumerate((frame, *release)):
        where = f"synthetic dataset {number}" if number else "confidential"
        _checks.check_finite_or_missing(one, names, where=where, numeric=[], missing=missing)
    found = count_copies(record_counts(block_codes([frame, *release], names, missing)))
    return ExactCopiesResult(
        copies=_checks.read_only(found["copies"]),
        unique_copies=_checks.read_only(found["unique"]),
        records=release.n,
        n=len(frame),
        duplicates=found["duplicates"],
        variables=tuple(names),
    )


def count_copies(times: Sequence[IntArray]) -> dict[str, Any]:
    """Return the copies, from the number of records with each code in the confidential data and in each dataset."""
    own, *others = times
    return {
        "copies": np.array([int(other[own > 0].sum()) for other in others]),
        "unique": np.array([int(other[own == 1].sum()) for other in others]),
        "duplicates": int(own[own > 1].sum()),
    }


def sentence(result: ExactCopiesResult, write: Callable[..., str]) -> str:
    """Return the counts in a sentence; `write` formats the numbers of records."""
    average = " on average" if result.m > 1 else ""
    found = float(result.copies.mean())
    copies, unique = (
        write(found, result.records),
        write(float(result.unique_copies.mean()), result.records, found),
    )
    if (result.copies == result.records).all():
        first = f"Every one of the {result.records:,} released records is an exact copy of a confidential record"
    else:
        first = f"{copies} of {result.records:,} released records{average} are exact copies of a confidential record"
    return (
        f"{first} in all {len(result.variables)} compared variables, {unique} of them of a record that is unique in the "
        f"confidential data; of the confidential records, {write(float(result.duplicates), result.n)} of {result.n:,} equal another."
    )


def _count(value: float, *totals: float) -> str:
    return f"{value:,.0f}" if value >= 100 or value.is_integer() else f"{value:.1f}"
