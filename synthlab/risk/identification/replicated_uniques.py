"""Replicated uniques: records with known values that are unique in data and release."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
import pandas as pd

from synthlab import _checks
from synthlab._calls import explains_arguments
from synthlab._result import Result
from synthlab._typing import FrameLike, FrameOrFrames, IntArray
from synthlab.exceptions import InputError, MissingValueError
from synthlab.intruder import Intruder, check_intruder
from synthlab.matching.kernel import block_codes, record_counts
from synthlab.matching.match_inputs import check_variables
from synthlab.release import as_release

REFUSED = {"never": "a record whose missing value equals no other value would count as unique"}


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class ReplicatedUniquesResult(Result):
    """Numbers of unique and replicated unique records of a release.

    Attributes
    ----------
    unique : int
        Confidential records whose known values no other confidential record has (unique records).
    found : numpy.ndarray of int, shape (m,)
        Unique records whose known values occur at least once in the dataset.
    replicated : numpy.ndarray of int, shape (m,)
        Unique records whose known values occur exactly once in the dataset.
    synthetic_unique : numpy.ndarray of int, shape (m,)
        Synthetic records whose known values no other synthetic record has.
    n, records : int
        Confidential records, and records in each synthetic dataset.
    intruder : Intruder
        The intruder; ``intruder.known`` are the keys.
    """

    _table: ClassVar[str] = "to_frame"

    unique: int
    found: IntArray
    replicated: IntArray
    synthetic_unique: IntArray
    n: int
    records: int
    intruder: Intruder

    @property
    def m(self) -> int:
        """Number of synthetic datasets."""
        return self.replicated.size

    def to_frame(self) -> pd.DataFrame:
        """Return one row per synthetic dataset 1..m, as shares.

        UiO, UiOiS and repU are shares of the n confidential records; UiS is a share of the synthetic records.
        """
        columns = {
            "UiO": np.full(self.m, self.unique / self.n),
            "UiS": self.synthetic_unique / self.records,
            "UiOiS": self.found / self.n,
            "repU": self.replicated / self.n,
        }
        return pd.DataFrame(columns, index=pd.RangeIndex(1, self.m + 1, name="dataset"))

    @property
    def title(self) -> str:
        """Sentence that states the counts."""
        on_average = " on average" if self.m > 1 else ""
        return (
            f"{self.unique:,} of {self.n:,} people are unique in {', '.join(self.intruder.known)}; "
            f"{self.replicated.mean():,.6g} of them{on_average} are unique with the same values in the release"
        )


@explains_arguments
def replicated_uniques(
    confidential: FrameLike, synthetic: FrameOrFrames, intruder: Intruder
) -> ReplicatedUniquesResult:
    r"""Count records whose known values are unique in both the data and the release.

    Let kd and ks be the numbers of confidential and synthetic records with the known values k, and n the number of
    confidential records. Then

    .. math:: UiO = \#\{k : kd = 1\} / n, \qquad repU = \#\{k : kd = 1,\; ks = 1\} / n.

    The order of the rows is irrelevant, and the synthesized variables are not compared. The function therefore detects a
    shuffled confidential file, and it also applies to fully synthetic data.

    Parameters
    ----------
    confidential : pandas.DataFrame or Dataset, n rows
        The data as collected.
    synthetic : DataFrame, sequence of DataFrames, Release, or paths of files
        m datasets, of any number of rows.
    intruder : Intruder
        The intruder. `known` are the keys (at least one), compared by value. With ``missing="category"`` missing values are
        equal; "never" is an error, because a record whose missing value equals no other value would count as unique.

    Returns
    -------
    ReplicatedUniquesResult

    Raises
    ------
    InputError
        If the intruder has no known variables, a key is not in both files, or an option of the intruder does not apply.
    DtypeMismatchError
        A column holds numbers in one frame and text in the other.
    MissingValueError
        Missing values with ``missing="raise"``.

    Notes
    -----
    A release with unchanged known variables has repU = UiO, independent of the synthesized variables.

    R's synthpop 1.9-3 (``disclosure``) returns the same numbers as percentages. The exception is UiOiS of a single key, where
    synthpop counts a declared level as present even if it has no records in the release. To group numbers as synthpop does,
    use `group_numbers`. The third row of synthpop's ``replicated.uniques`` is the converse of UiOiS: the uniques of the
    release that occur in the confidential data. If there are several keys of different types, ``replicated.uniques`` formats
    numbers with 7 digits and a common width in each file before it compares them, so that equal values might not match. With
    one key it excludes missing values, and its third row is 0.

    References
    ----------
    Raab, G. M., Nowok, B. and Dibben, C. (2025). Practical privacy metrics for synthetic data. arXiv:2406.16826.

    Examples
    --------
    >>> import pandas as pd
    >>> import synthlab as sl
    >>> people = pd.DataFrame({"region": list("NNSSE"), "age": [20, 30, 20, 20, 40], "income": [1, 2, 3, 4, 5]})
    >>> released = people.assign(age=[20, 31, 20, 20, 40])
    >>> someone = sl.Intruder(known=["region", "age"], synthesized=["income"])
    >>> print(sl.replicated_uniques(people, released, someone).title)
    3 of 5 people are unique in region, age; 2 of them are unique with the same values in the release
    """
    check_intruder(intruder, "replicated_uniques", ("missing",))
    own, others = key_codes(confidential, synthetic, intruder, "replicated_uniques", refused=REFUSED)
    found = count_uniques(record_counts([own, *others]))
    return ReplicatedUniquesResult(
        unique=found["unique"],
        found=_checks.read_only(found["found"]),
        replicated=_checks.read_only(found["replicated"]),
        synthetic_unique=_checks.read_only(found["synthetic_unique"]),
        n=own.size,
        records=others[0].size,
        intruder=intruder,
    )


def count_uniques(times: Sequence[IntArray]) -> dict[str, Any]:
    """Return the uniques, from the number of records with each code in the confidential data and in each dataset."""
    own, *others = times
    alone = own == 1
    return {
        "unique": int(alone.sum()),
        "found": np.array([int((alone & (other > 0)).sum()) for other in others]),
        "replicated": np.array([int((alone & (other == 1)).sum()) for other in others]),
        "synthetic_unique": np.array([int((other == 1).sum()) for other in others]),
    }


def check_keys(
    frame: pd.DataFrame,
    frames: Sequence[pd.DataFrame],
    intruder: Intruder,
    function: str,
    refused: Mapping[str, str] | None = None,
) -> list[str]:
    """Return the known variables after checking that they can be compared by value.

    `refused` maps each unsupported meaning of a missing value to the reason.
    """
    known, _ = check_variables(frame, frames, intruder)
    if not known:
        raise InputError(f"known: is empty; {function} requires at least 1 known variable")
    if near := [name for name in known if name in radius_names(intruder)]:
        raise InputError(f"radius of {near[0]!r}: {function} compares known variables by value; omit this radius")
    _checks.check_meaning(intruder.missing, function, refused)
    return known


def key_codes(
    confidential: FrameLike,
    synthetic: FrameOrFrames,
    intruder: Intruder,
    function: str,
    *more: str,
    refused: Mapping[str, str],
) -> tuple[IntArray, list[IntArray]]:
    """Return one code per record for its known values, comparable across files.

    The variables `more` are checked like the known variables but are not part of the code.
    """
    frame = _checks.check_frame(confidential, "confidential")
    release = as_release(synthetic, like=frame)
    known = check_keys(frame, release.frames, intruder, function, refused)
    names = [*known, *more]
    _checks.check_same_kind(frame, release.frames, names)
    for position, one in enumerate([frame, *release] if intruder.missing == "raise" else []):
        lost = [name for name in names if one[name].isna().any()]
        if lost:
            where = f"synthetic dataset {position}" if position else "confidential"
            raise MissingValueError(
                f'{where}: column {lost[0]!r} has {int(one[lost[0]].isna().sum()):,} missing values; use missing="category" '
                "to treat them as a category of their own"
            )
    own, *others = block_codes([frame, *release], known, "category")
    return own, others


def radius_names(intruder: Intruder) -> set[str]:
    """Return the variables that have their own radius."""
    return set(intruder.radius) if isinstance(intruder.radius, Mapping) else set()
