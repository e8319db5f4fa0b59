"""Distance to the closest record, to the confidential data and to people the synthesizer never saw."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from typing import ClassVar

import numpy as np
import pandas as pd

from synthlab import _checks
from synthlab._result import Result
from synthlab._typing import BoolArray, ColumnNames, FloatArray, FrameLike, FrameOrFrames, IntArray, Missing
from synthlab._warnings import warn
from synthlab.exceptions import InputError, UndefinedStatisticWarning
from synthlab.matching.kernel import block_codes
from synthlab.release import as_release
from synthlab.risk.copies._gower_points import as_points, without_distance

UNLIKELY = 1e-4  # chance that a control sample of other people holds as many records of the data
SAME = 1e-9  # distances that differ by less are equal


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class ClosestRecordResult(Result):
    """Share of the released records whose closest record is a confidential one, and not one of a control sample.

    Attributes
    ----------
    share : numpy.ndarray of float, shape (m,)
        That share; a released record as near to several records counts in parts.
    expected : float
        What it would be had the release been drawn without looking at the confidential records: their share of the
        confidential and control records together.
    standard_error : numpy.ndarray of float, shape (m,)
        Its standard deviation if it were so: which records are confidential and which are control is then pure chance.
    distance, control_distance : numpy.ndarray of float, shape (m,)
        Median distance of the released records to the closest confidential and the closest control record: the share of
        the variables that differ, a number by its part of the range.
    n, controls : int
        Confidential records, and records of the control sample.
    variables : tuple of str
        The compared variables.
    """

    _table: ClassVar[str] = "to_frame"

    share: FloatArray
    expected: float
    standard_error: FloatArray
    distance: FloatArray
    control_distance: FloatArray
    n: int
    controls: int
    variables: tuple[str, ...]

    @property
    def m(self) -> int:
        """Number of synthetic datasets."""
        return self.share.size

    @property
    def z(self) -> FloatArray:
        """Standard errors by which each share exceeds the expected one; NaN where chance leaves no room."""
        room = np.where(self.standard_error > 0, self.standard_error, np.nan)
        return np.asarray((self.share - self.expected) / room)

    def to_frame(self) -> pd.DataFrame:
        """Return one row per synthetic dataset 1..m."""
        columns = {
            "share": self.share,
            "expected": np.full(self.m, self.expected),
            "standard_error": self.standard_error,
            "z": self.z,
            "distance": self.distance,
            "control_distance": self.control_distance,
        }
        return pd.DataFrame(columns, index=pd.RangeIndex(1, self.m + 1, name="dataset"))

    @property
    def title(self) -> str:
        """Return the share in a sentence."""
        on_average = " on average" if self.m > 1 else ""
        return (
            f"{self.share.mean():.1%} of the released records{on_average} are nearer to one of the {self.n:,} confidential records "
            f"than to one of {self.controls:,} that were never seen; chance gives {self.expected:.1%}, give or take "
            f"{self.standard_error.mean():.1%}"
        )


def closest_record(
    confidential: FrameLike,
    synthetic: FrameOrFrames,
    control: FrameLike,
    *,
    variables: ColumnNames | None = None,
    categorical: ColumnNames = (),
    missing: Missing = "category",
) -> ClosestRecordResult:
    r"""Share of the released records that are nearer to the confidential data than to a control sample.

    The control sample is of the same population, and the synthesizer never saw it. With T(z) the records nearest to the
    released record z among the n confidential and c control ones,

    .. math:: share = \frac{1}{n_s} \sum_z \frac{\#\{confidential \in T(z)\}}{\#T(z)},

    which is n / (n + c) on average where the release depends on the population alone. Its standard error is that of
    choosing at random which n of the n + c records are confidential.

    Parameters
    ----------
    confidential : pandas.DataFrame or Dataset, n rows
        The data as collected, from which the release was made: all of them, for a record left out here counts as unseen.
    synthetic : DataFrame, sequence of DataFrames, Release, or CSV paths
        m datasets, of any number of rows.
    control : pandas.DataFrame or Dataset, c rows
        People of the same population whom the synthesizer did not see.
    variables : sequence of str, optional
        The compared variables. Default: all columns that the three files share.
    categorical : sequence of str
        Variables stored as numbers that are categories.
    missing : {"category", "raise", "never"}
        A missing value is a value of its own, see Notes, or an error. ("never" is refused.)

    Returns
    -------
    ClosestRecordResult

    Raises
    ------
    InputError
        If the control sample has no rows, holds mostly records of the confidential data (a part of the file the release was
        made from is no control), a variable is not in all files, or the files are too large to be compared.
    DtypeMismatchError
        A column holds numbers in one file and text in another.

    Warns
    -----
    UndefinedStatisticWarning
        All records are equally near to the released ones of a dataset, and `z` is NaN.

    Notes
    -----
    The distance is that of Gower (1971): the mean over the variables of ``|x - y|`` over the confidential range for numbers and dates, of 0
    or 1 otherwise. A missing category is a category; a missing number lies in the middle of the range, and one away from
    those that are there.

    A release of nothing but new people can still disclose values of people; a share at its expectation is no proof.

    References
    ----------
    Gower, J. C. (1971). A general coefficient of similarity and some of its properties. Biometrics 27, 857-871.
    Platzer, M. and Reutterer, T. (2021). Holdout-based empirical assessment of mixed-type synthetic data. Frontiers
    in Big Data 4, 679939.

    Examples
    --------
    >>> import numpy as np, pandas as pd
    >>> import synthlab as sl
    >>> rng = np.random.default_rng(1)
    >>> seen, unseen = (pd.DataFrame(rng.normal(size=(200, 3)), columns=list("abc")) for _ in range(2))
    >>> print(sl.closest_record(seen, seen + 0.01, unseen).title)  # doctest: +NORMALIZE_WHITESPACE
    100.0% of the released records are nearer to one of the 200 confidential records than to one of 200 that were never seen; chance
    gives 50.0%, give or take 2.5%
    """
    why = {"never": "a record with a value that equals none is at no distance from the others"}
    _checks.check_meaning(missing, "closest_record", why)
    frame = _checks.check_frame(confidential, "confidential")
    release = as_release(synthetic, like=frame)
    others = _checks.check_frame(control, "control")
    if not len(others):
        raise InputError("control: has no rows")
    if variables is None:
        variables = [c for c in frame.columns if c in release[0].columns and c in others.columns]
    names = _checks.check_columns(frame, variables, "variables", where="confidential", allow_empty=False)
    _checks.check_columns(release[0], names, "variables", where="the synthetic data")
    _checks.check_columns(others, names, "variables", where="control")
    categories = _checks.check_columns(frame, categorical, "categorical", where="confidential", allow_empty=True)
    _checks.check_same_kind(frame, release.frames, names)
    named = [("confidential", frame), ("control", others)]
    for where, one in [*named, *((f"synthetic dataset {i}", one) for i, one in enumerate(release, start=1))]:
        _checks.check_finite_or_missing(one, names, where=where, numeric=[], missing=missing)
    for reason in without_distance([frame, others, *release], names, categories).values():
        raise InputError(f"variables: {reason}; leave it out")
    check_unseen(frame, others, names)
    return compare_files(frame, release.frames, others, names, categories)


def compare_files(
    frame: pd.DataFrame,
    release: Sequence[pd.DataFrame],
    others: pd.DataFrame,
    names: Sequence[str],
    categories: Collection[str],
) -> ClosestRecordResult:
    """Return the result for files that were checked."""
    first, second, *released = as_points([frame, others, *release], names, set(categories))
    distinct, member = np.unique(np.vstack([first, second]), axis=0, return_inverse=True)
    own, unseen = (np.bincount(part, minlength=len(distinct)) for part in np.split(member.ravel(), [len(first)]))
    parts = [_compare(one, distinct, own, unseen) for one in released]
    share, error, near, far = (_checks.read_only(np.array(column)) for column in zip(*parts, strict=True))
    p = len(names)
    n, c = len(first), len(second)
    if not all(error):
        warn(
            f"in {int((error == 0).sum())} of {error.size} datasets all records are equally near, so that chance leaves no room: their "
            "standard error is 0 and z is NaN",
            UndefinedStatisticWarning,
            stacklevel=3,
        )
    return ClosestRecordResult(share, n / (n + c), error, near / p, far / p, n, c, tuple(names))


def _compare(
    released: FloatArray, distinct: FloatArray, own: IntArray, unseen: IntArray
) -> tuple[float, float, float, float]:
    """Return share, standard error, and both median distances; `own` and `unseen` count the records at each point."""
    from sklearn.neighbors import BallTree

    points, times = np.unique(released, axis=0, return_counts=True)
    distances: list[FloatArray] = []
    for here in (own > 0, unseen > 0):
        distances.append(BallTree(distinct[here], metric="manhattan").query(points)[0][:, 0])
    near, far = distances
    tied = np.abs(near - far) <= SAME
    weight = np.zeros(len(distinct))
    share = np.where(near < far, 1.0, 0.0)
    everything = own + unseen
    reach = np.minimum(near, far) + SAME
    for place, which in enumerate(BallTree(distinct, metric="manhattan").query_radius(points, r=reach)):
        people = everything[which]
        weight[which] += times[place] / people.sum()
        if tied[place]:
            share[place] = own[which].sum() / people.sum()
    n, c, records = int(own.sum()), int(unseen.sum()), int(times.sum())
    both = n + c
    weight /= records
    spread = float((everything * (weight - 1 / both) ** 2).sum())
    error = float(np.sqrt(n * c / (both * (both - 1)) * spread))
    middle = [float(np.median(np.repeat(one, times))) for one in distances]
    return float((share * times).sum() / records), error, middle[0], middle[1]


def check_unseen(frame: pd.DataFrame, control: pd.DataFrame, names: Sequence[str]) -> None:
    """Raise where most of the control records that could show it are records of the confidential data."""
    from scipy import stats

    own, others = block_codes([frame, control], list(names), "category")
    times = np.bincount(own, minlength=1 + max(int(own.max(initial=0)), int(others.max(initial=0))))
    among: BoolArray = times[others] > 0
    by_chance = float((times[own] > 1).mean())
    # Where nearly every record has a twin, people of the same population often all have one.
    luck = float(stats.binom.sf(int(among.sum()) - 1, among.size, by_chance))
    if among.mean() > (1 + by_chance) / 2 and luck < UNLIKELY:
        raise InputError(
            f"control: {int(among.sum()):,} of its {len(control):,} records are among the confidential ones; a control sample holds "
            "people whom the synthesizer did not see, and a part of the file the release was made from is none"
        )
