"""Distance to the closest record in the confidential data and in a holdout sample."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from typing import ClassVar

import numpy as np
import pandas as pd

from synthlab import _checks
from synthlab._calls import explains_arguments
from synthlab._result import Result
from synthlab._system.compiled import compiled
from synthlab._typing import BoolArray, ColumnNames, FloatArray, FrameLike, FrameOrFrames, IntArray, Missing
from synthlab._warnings import warn
from synthlab.exceptions import InputError, UndefinedStatisticWarning
from synthlab.matching.kernel import block_codes
from synthlab.release import as_release
from synthlab.risk.copies._gower_points import as_codes, without_distance

UNLIKELY = 1e-4  # probability that a holdout sample of other people has this many records in common with the data
BLOCK = 256  # candidates compared at a time, so that their distances stay in the cache
SAME = 1e-9  # distances that differ by less are equal


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class ClosestRecordResult(Result):
    """Share of released records whose closest record is confidential, not holdout.

    Attributes
    ----------
    share : numpy.ndarray of float, shape (m,)
        Share of the released records that are closer to the confidential data than to the holdout sample. A released
        record with several closest records contributes the share of these that are confidential.
    expected : float
        Expected share if the release does not depend on the confidential records: n / (n + controls).
    standard_error : numpy.ndarray of float, shape (m,)
        Standard deviation of `share` under this hypothesis, in which records are confidential or holdout at random.
    distance, control_distance : numpy.ndarray of float, shape (m,)
        Median distance of the released records to the closest confidential record and to the closest holdout record. The
        distance is Gower's, in [0, 1] within the confidential range.
    n, controls : int
        Numbers of confidential records and of holdout records.
    variables : tuple of str
        The compared variables.
    """

    _table: ClassVar[str] = "to_frame"
    _per_dataset: ClassVar[tuple[str, ...]] = (
        "share", "expected", "standard_error", "z", "distance", "control_distance",
    )  # fmt: skip

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
        """Excess of each share in standard errors; NaN if the standard error is 0."""
        room = np.where(self.standard_error > 0, self.standard_error, np.nan)
        return np.asarray((self.share - self.expected) / room)

    @property
    def title(self) -> str:
        """Sentence that states the share."""
        on_average = " on average" if self.m > 1 else ""
        return (
            f"{self.share.mean():.1%} of the released records{on_average} are closer to the {self.n:,} confidential records "
            f"than to the {self.controls:,} holdout records; the share expected by chance is {self.expected:.1%} (standard "
            f"error {self.standard_error.mean():.1%})"
        )


@explains_arguments
def closest_record(
    confidential: FrameLike,
    synthetic: FrameOrFrames,
    control: FrameLike,
    *,
    variables: ColumnNames | None = None,
    categorical: ColumnNames = (),
    missing: Missing = "category",
) -> ClosestRecordResult:
    r"""Measure how many released records are closer to the data than to a holdout sample.

    The holdout sample comes from the same population and was not used for synthesis. Let T(z) be the records that are
    closest to the released record z among the n confidential records and the c holdout records. Then

    .. math:: share = \frac{1}{n_s} \sum_z \frac{\#\{confidential \in T(z)\}}{\#T(z)}.

    The expected share is n / (n + c) if the release depends only on the population. The standard error is the standard
    deviation of the share if n of the n + c records are labeled confidential at random.

    Parameters
    ----------
    confidential : pandas.DataFrame or Dataset, n rows
        The data as collected. Include all records that were used for synthesis.
    synthetic : DataFrame, sequence of DataFrames, Release, or CSV paths
        m datasets, of any number of rows.
    control : pandas.DataFrame or Dataset, c rows
        Holdout sample: records of the same population that were not used for synthesis.
    variables : sequence of str, optional
        The compared variables. Default: all columns that the three files have in common.
    categorical : sequence of str
        Categorical variables that are stored as numbers. Default: none.
    missing : {"category", "raise", "never"}
        Meaning of a missing value: "category" (default) is a value of its own, see Notes; "raise" is an error. "never" is
        not supported and raises `InputError`.

    Returns
    -------
    ClosestRecordResult

    Raises
    ------
    InputError
        If `control` has no rows or contains mostly records of the confidential data (a subset of the confidential data is
        not a holdout sample), a variable is not in all files, or the files are too large to compare.
    DtypeMismatchError
        A column holds numbers in one file and text in another.

    Warns
    -----
    UndefinedStatisticWarning
        If all confidential and holdout records are equally close to the released records of a dataset; `z` is then NaN.

    Notes
    -----
    The distance is Gower's (1971), the mean of the distances of the variables. The distance of numbers and dates is ``|x - y|``
    divided by the confidential range; the distance of categories is 0 or 1. A missing category is a level of its own. A
    missing number is placed at the middle of the range, with an additional distance of 1 to every observed number.

    A share at its expected value does not prove that the release is safe: synthetic records of new people can still
    disclose values of confidential records.

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
    100.0% of the released records are closer to the 200 confidential records than to the 200 holdout records; the share
    expected by chance is 50.0% (standard error 2.5%)
    """
    why = {"never": "a record with a value that equals no other value has no distance to other records"}
    _checks.check_meaning(missing, "closest_record", why)
    frame = _checks.check_frame(confidential, "confidential")
    release = as_release(synthetic, like=frame)
    others = _checks.check_frame(control, "control")
    if not len(others):
        raise InputError("control: has no rows; pass a holdout sample with at least 1 record")
    if variables is None:
        variables = [c for c in frame.columns if c in release[0].columns and c in others.columns]
    names = _checks.check_columns(frame, variables, "variables", where="confidential", allow_empty=False)
    _checks.check_columns(release[0], names, "variables", where="the synthetic data")
    _checks.check_columns(others, names, "variables", where="control")
    categories = _checks.check_columns(frame, categorical, "categorical", where="confidential", allow_empty=True)
    _checks.check_same_kind(frame, release.frames, names)
    frame, others, *frames = _checks.with_dates([frame, others, *release.frames], names, categories)
    named = [("confidential", frame), ("control", others)]
    for where, one in [*named, *((f"synthetic dataset {i}", one) for i, one in enumerate(frames, start=1))]:
        _checks.check_finite_or_missing(one, names, where=where, numeric=[], missing=missing)
    for reason in without_distance([frame, others, *frames], names, categories).values():
        raise InputError(f"variables: {reason}; leave it out")
    check_unseen(frame, others, names)
    return compare_files(frame, frames, others, names, categories)


def compare_files(
    frame: pd.DataFrame,
    release: Sequence[pd.DataFrame],
    others: pd.DataFrame,
    names: Sequence[str],
    categories: Collection[str],
) -> ClosestRecordResult:
    """Return the result for validated files."""
    (first, second, *released), coded = as_codes([frame, others, *release], names, set(categories))
    distinct, member = np.unique(np.vstack([first, second]), axis=0, return_inverse=True)
    own, unseen = (np.bincount(part, minlength=len(distinct)) for part in np.split(member.ravel(), [len(first)]))
    parts = [_compare(one, distinct, coded, own, unseen) for one in released]
    share, error, near, far = (_checks.read_only(np.array(column)) for column in zip(*parts, strict=True))
    p = len(names)
    n, c = len(first), len(second)
    if not all(error):
        warn(
            f"in {int((error == 0).sum())} of {error.size} datasets all confidential and control records are equally close to the "
            "released records: the standard error of these datasets is 0 and z is NaN",
            UndefinedStatisticWarning,
        )
    return ClosestRecordResult(
        share, n / (n + c), error, _checks.read_only(near / p), _checks.read_only(far / p), n, c, tuple(names)
    )


def _compare(
    released: FloatArray, distinct: FloatArray, coded: BoolArray, own: IntArray, unseen: IntArray
) -> tuple[float, float, float, float]:
    """Return share, standard error and both median distances of one dataset.

    `own` and `unseen` are the numbers of confidential and holdout records at each distinct point.
    """
    points, times = np.unique(released, axis=0, return_counts=True)
    blocks, spare = -(-len(distinct) // BLOCK), -len(distinct) % BLOCK
    padded = np.pad(distinct.T, ((0, 0), (0, spare)), constant_values=np.inf).reshape(-1, blocks, BLOCK)
    counts = (np.pad(one, (0, spare)) for one in (own, unseen))
    near, far, share, weight = _closest(points, times, np.ascontiguousarray(padded.swapaxes(0, 1)), coded, *counts)
    distances, weight = (near, far), weight[: len(distinct)]
    everything = own + unseen
    n, c, records = int(own.sum()), int(unseen.sum()), int(times.sum())
    both = n + c
    weight /= records
    spread = float((everything * (weight - 1 / both) ** 2).sum())
    error = float(np.sqrt(n * c / (both * (both - 1)) * spread))
    middle = [float(np.median(np.repeat(one, times))) for one in distances]
    return float((share * times).sum() / records), error, middle[0], middle[1]


@compiled
def _closest(
    points: FloatArray, times: IntArray, candidates: FloatArray, coded: BoolArray, own: IntArray, unseen: IntArray
) -> tuple[FloatArray, FloatArray, FloatArray, FloatArray]:
    """Compare each point with all candidates, shape (blocks, columns, `BLOCK`), the last padded with infinity.

    Return the distances to the closest confidential and holdout record, the share of confidential records among the closest
    ones, and for each candidate the number of points that have it as closest record, divided by the number of such records.
    """
    size = own.size
    near, far, share = np.full(len(points), np.inf), np.full(len(points), np.inf), np.zeros(len(points))
    weight, distance = np.zeros(size), np.empty(size)
    within = np.empty(len(candidates), dtype=np.bool_)  # blocks that can contain a closest record
    for i in range(len(points)):
        low, high = np.inf, np.inf
        for block in range(len(within)):
            begin, end = block * BLOCK, block * BLOCK + BLOCK
            total = distance[begin:end]
            _distances(total, points[i], candidates[block], coded)
            reach, hits = max(low, high) + SAME, 0
            for h in range(BLOCK):
                hits += total[h] <= reach
            within[block] = hits > 0
            if hits:
                for h in range(begin, end):
                    if own[h] > 0:
                        low = min(low, distance[h])
                    if unseen[h] > 0:
                        high = min(high, distance[h])
        near[i], far[i] = low, high
        reach, people, mine = min(low, high) + SAME, 0, 0
        for near_block in np.flatnonzero(within):
            for h in range(near_block * BLOCK, near_block * BLOCK + BLOCK):
                if distance[h] <= reach:
                    people += own[h] + unseen[h]
                    mine += own[h]
        for near_block in np.flatnonzero(within):
            for h in range(near_block * BLOCK, near_block * BLOCK + BLOCK):
                if distance[h] <= reach:
                    weight[h] += times[i] / people
        if abs(low - high) <= SAME:
            share[i] = mine / people
        else:
            share[i] = 1.0 if low < high else 0.0
    return near, far, share, weight


@compiled
def _distances(total: FloatArray, point: FloatArray, candidates: FloatArray, coded: BoolArray) -> None:
    """Write the distances of a point to the candidates, shape (columns, candidates), to `total`."""
    total[:] = 0.0
    for j in range(len(candidates)):
        value, column = point[j], candidates[j]
        if coded[j]:
            for h in range(BLOCK):
                half = 0.5 if column[h] != value else 0.0  # one half for each of the two levels, as in `as_points`
                total[h] = total[h] + half + half
        else:
            for h in range(BLOCK):
                total[h] += abs(column[h] - value)


def check_unseen(frame: pd.DataFrame, control: pd.DataFrame, names: Sequence[str]) -> None:
    """Raise an error if the holdout sample contains mostly confidential records."""
    from scipy import stats

    own, others = block_codes([frame, control], list(names), "category")
    times = np.bincount(own, minlength=1 + max(int(own.max(initial=0)), int(others.max(initial=0))))
    among: BoolArray = times[others] > 0
    by_chance = float((times[own] > 1).mean())
    # If nearly all confidential records have duplicates, a genuine holdout sample can consist of duplicates too.
    luck = float(stats.binom.sf(int(among.sum()) - 1, among.size, by_chance))
    if among.mean() > (1 + by_chance) / 2 and luck < UNLIKELY:
        raise InputError(
            f"control: {int(among.sum()):,} of its {len(control):,} records are among the confidential ones; pass a holdout sample "
            "that was not used for synthesis, because a subset of the confidential data does not qualify"
        )
