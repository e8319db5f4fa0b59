"""Agreement by row: values that a person's row of the release has in common with the person's own record.

The baseline for several datasets is the agreement of each dataset with the next one.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import ClassVar, Literal, NamedTuple

import numpy as np
import pandas as pd

from synthlab import _checks
from synthlab._result import Result
from synthlab._typing import BoolArray, FloatArray, IntArray
from synthlab.matching.kernel import block_codes

FEWEST = 60  # rows
PEOPLE, Z = 10.0, 4.0  # CHECK from this many people, with this z
POINTS_ALL, POINTS_ONE = 20.0, 50.0  # STOP from this many percentage points: all columns together, one column
MANY_VALUES = 20  # a number with more values is an amount
STEPS = (1000.0, 500.0, 100.0, 50.0, 10.0, 5.0, 1.0, 0.1, 0.01)
NEAR = 5  # grid steps of a near miss, on both sides
LUCK = 1e-3  # probability that equal counts are found by chance
DISTINCT = 20  # fewest distinct values of which equal counts are evidence

Level = Literal["STOP", "CHECK"]


class Agreed(NamedTuple):
    """Agreement of one set of columns: shares of rows, points in percent, people and z; NaN without a baseline."""

    columns: tuple[str, ...]
    own: float
    others: float
    points: float
    people: float
    z: float
    level: Level | None


class OwnAmounts(NamedTuple):
    """People whose row has exactly their own amount, which no other person has, in any dataset."""

    column: str
    people: float
    chance: float
    z: float
    level: Level | None


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class RowAgreementResult(Result):
    """Agreement of rows with the record of the same person.

    Attributes
    ----------
    agreed : tuple of Agreed
        One entry per synthesized column and, with several columns, one for all columns together. `own` is the share of rows
        with the person's own value, `others` the share with the value of the next dataset (NaN if m = 1).
    amounts : tuple of OwnAmounts
        One entry per number with more than 20 distinct values.
    n : int
        Number of compared people.
    """

    _table: ClassVar[str] = "to_frame"

    agreed: tuple[Agreed, ...]
    amounts: tuple[OwnAmounts, ...]
    n: int

    def to_frame(self) -> pd.DataFrame:
        """Return one row per column, and one for all columns together."""
        frame = pd.DataFrame(list(self.agreed), columns=list(Agreed._fields))
        own = pd.DataFrame(list(self.amounts), columns=list(OwnAmounts._fields)).set_index("column")
        one = frame["columns"].map(lambda names: names[0] if len(names) == 1 else None)
        return frame.assign(
            **{f"own_amounts_{name}": one.map(own[name]) for name in ("people", "chance", "z", "level")}
        )

    @property
    def level(self) -> Level | None:
        """The level of the worst entry."""
        levels = {*(one.level for one in self.agreed), *(one.level for one in self.amounts)}
        return "STOP" if "STOP" in levels else "CHECK" if "CHECK" in levels else None

    @property
    def title(self) -> str:
        """A sentence on the column that agrees most often."""
        worst = max(self.agreed, key=lambda one: (one.level == "STOP", one.level == "CHECK", one.own))
        return f"{worst.own:.1%} of the rows have the person's own value of {', '.join(worst.columns)}."


def row_agreement(frame: pd.DataFrame, frames: Sequence[pd.DataFrame], columns: Sequence[str]) -> RowAgreementResult:
    """Compare each row with the record of the same person, and each dataset with the next.

    Parameters
    ----------
    frame : pandas.DataFrame, n rows
        The confidential data.
    frames : sequence of m DataFrames, n rows each
        The datasets; row i is about record i.
    columns : sequence of str
        The synthesized columns, with the same types in all files.

    Returns
    -------
    RowAgreementResult
    """
    n, m = len(frame), len(frames)
    own_all, others_all = np.ones((m, n), dtype=bool), np.ones((m, n), dtype=bool)
    agreed, amounts = [], []
    for column in columns:
        own, *released = block_codes([frame, *frames], [column], "category")
        same = np.stack([one == own for one in released])
        others = np.stack([one == released[(place + 1) % m] for place, one in enumerate(released)])
        own_all, others_all = own_all & same, others_all & others
        agreed.append(_agreed((column,), same, others))
        if _is_amount(frame[column]) and all(_checks.is_measured(one[column]) for one in frames):
            amounts.append(_own_amounts(column, own, np.stack(released), [one[column] for one in (frame, *frames)]))
    if len(columns) > 1:
        agreed.append(_agreed(tuple(columns), own_all, others_all))
    return RowAgreementResult(tuple(agreed), tuple(amounts), n)


def _agreed(columns: tuple[str, ...], own: BoolArray, others: BoolArray) -> Agreed:
    """Compare the agreement with the own record with the agreement of datasets, both of shape (m, n)."""
    if len(own) == 1:
        return Agreed(columns, float(own.mean()), np.nan, np.nan, np.nan, np.nan, None)
    d = own.sum(axis=0) - others.sum(axis=0).astype(np.float64)
    people, spread = float(d.sum()), float(np.sqrt((d**2).sum()))
    points, z = 100 * float(d.mean()) / len(own), people / spread if spread else 0.0
    level: Level | None = None
    if z >= Z and points >= (POINTS_ONE if len(columns) == 1 else POINTS_ALL):
        level = "STOP"
    elif z >= Z and people >= PEOPLE:
        level = "CHECK"
    return Agreed(columns, float(own.mean()), float(others.mean()), points, people, z, level)


def _is_amount(series: pd.Series) -> bool:
    return _checks.is_measured(series) and _checks.kind_of(series) == "number" and series.nunique() > MANY_VALUES


def _own_amounts(column: str, own: IntArray, released: IntArray, values: Sequence[pd.Series]) -> OwnAmounts:
    """Count people whose row has their own amount, and compare them with near misses.

    `own` (n,) and `released` (m, n) are codes of equal values.
    """
    n, m = own.size, len(released)
    truth, *others = (_checks.without_rounding_errors(_checks.as_float(one)) for one in values)
    once = (np.bincount(own)[own] == 1) & np.isfinite(truth)
    with np.errstate(invalid="ignore", over="ignore"):
        gaps = np.abs(np.stack(others) - truth) / _grid_step(truth[np.isfinite(truth)])
    hit = (released == own) & once
    near = ~(released == own) & once & (gaps < NEAR + 0.5)
    d = hit.sum(axis=0) - near.sum(axis=0) / (2 * NEAR)
    chance = max(float(near.sum()) / (2 * NEAR), float(np.isin(released, own[once]).sum()) / n)
    spread = float(np.sqrt((d**2).sum() + chance))
    z = (float(hit.sum()) - chance) / spread if spread else 0.0
    people = float(hit.any(axis=0).sum())
    found = people - chance / m >= PEOPLE and z >= Z
    return OwnAmounts(column, people, chance / m, z, "CHECK" if found else None)


def _grid_step(values: FloatArray) -> float:
    """Return the largest step of a grid that contains all values."""
    distinct = np.unique(values)
    for step in STEPS:
        steps = distinct / step
        if np.allclose(steps, np.rint(steps), rtol=1e-12, atol=1e-6):
            return step
    return 1e-6 * float(np.abs(distinct).max())


def is_design(series: pd.Series, codes: IntArray) -> bool:
    """Return whether a column has the same counts in every file by design: all values equally often, or a count of the rows.

    Examples are the waves of a balanced panel and its persons. `codes` are codes of the values.
    """
    counts = np.bincount(codes)
    counts = counts[counts > 0]
    if counts.min() == counts.max() > 1 or counts.size < 2:
        return True
    if counts.max() > 1 or not _checks.is_measured(series):
        return False
    values = np.sort(_checks.measurements(series))
    return bool((np.diff(values) == 1).all())


def same_in_another_order(codes: Mapping[str, tuple[IntArray, IntArray]]) -> list[str]:
    """Return the columns with the same values in both files, equally often, more often than by chance.

    `codes` contains the values of each column in the confidential data and in a dataset. A column needs at least 20 distinct
    values. The chance is the probability that draws from the confidential distribution have its counts.
    """
    return [
        column
        for column in equal_counts(codes)
        if np.unique(codes[column][0]).size >= DISTINCT and chance_of_counts(codes[column][0]) * len(codes) < LUCK
    ]


def equal_counts(codes: Mapping[str, tuple[IntArray, IntArray]]) -> list[str]:
    """Return the columns with the same values, equally often, in both files."""
    return [c for c, (own, other) in codes.items() if np.array_equal(np.sort(own), np.sort(other))]


def jointly_in_another_order(codes: Mapping[str, tuple[IntArray, IntArray]]) -> list[str]:
    """Return the largest set of columns with the same combinations in both files, more often than by chance.

    A set needs at least two columns and 20 distinct combinations. The chance is the larger of two probabilities of the
    combinations: if each is drawn from the confidential distribution, and if the columns are permuted independently. It is
    multiplied by the number of sets of columns.
    """
    left = sorted(equal_counts(codes), key=lambda c: -np.unique(codes[c][0]).size)
    tried = len(left) * np.log(2)
    best: list[str] = []
    while len(left) > max(1, len(best)):
        start = left[0]
        same, (own, other) = [start], codes[start]
        for column in left[1:]:
            here, there = _joint(own, other, *codes[column])
            if np.array_equal(np.sort(here), np.sort(there)):
                same, own, other = [*same, column], here, there
        if np.unique(own).size >= DISTINCT:
            permuted = _log_factorials(own, -1.0) - (len(same) - 1) * _log_factorial(own.size)
            permuted += sum(_log_factorials(codes[c][0], 1.0) for c in same)
            if max(permuted, _log_chance(own)) + tried < np.log(LUCK):
                best = max(best, same, key=len)
        left = [c for c in left if c not in same]
    return best if len(best) > 1 else []


def _joint(own: IntArray, other: IntArray, here: IntArray, there: IntArray) -> tuple[IntArray, IntArray]:
    """Return one code for each pair of codes, with the same coding in both files."""
    levels = np.int64(max(int(here.max(initial=0)), int(there.max(initial=0))) + 1)
    codes = pd.factorize(np.concatenate([own * levels + here, other * levels + there]))[0].astype(np.int64)
    return codes[: own.size], codes[own.size :]


def chance_of_counts(codes: IntArray) -> float:
    """Return the probability that as many draws from the distribution of the codes have exactly their counts.

    >>> import numpy as np
    >>> round(chance_of_counts(np.array([0, 1])), 3), round(chance_of_counts(np.repeat([0, 1], 50)), 3)
    (0.5, 0.08)
    """
    return float(np.exp(_log_chance(codes)))


def _log_chance(codes: IntArray) -> float:
    counts = np.unique(codes, return_counts=True)[1].astype(np.float64)
    return (
        _log_factorial(codes.size) + _log_factorials(codes, -1.0) + float((counts * np.log(counts / codes.size)).sum())
    )


def _log_factorials(codes: IntArray, sign: float) -> float:
    from scipy.special import gammaln

    return sign * float(gammaln(np.unique(codes, return_counts=True)[1] + 1.0).sum())


def _log_factorial(n: int) -> float:
    from scipy.special import gammaln

    return float(gammaln(n + 1.0))


def copied_datasets(frames: Sequence[pd.DataFrame], columns: Sequence[str]) -> list[tuple[int, int]]:
    """Return pairs of datasets (from 1) with the same joint values of all columns, in any row order.

    They need at least 20 distinct joint values, and their counts must not be equal by chance. Each dataset is paired with the
    first one that it equals.
    """
    if len(frames) < 2 or not columns:
        return []
    codes = [np.sort(one) for one in block_codes(list(frames), list(columns), "category")]
    pairs = len(frames) * (len(frames) - 1) / 2
    first: dict[bytes, int] = {}
    found = []
    for place, one in enumerate(codes, start=1):
        earlier = first.setdefault(one.tobytes(), place)
        if earlier < place and np.unique(one).size >= DISTINCT and chance_of_counts(one) * pairs < LUCK:
            found.append((earlier, place))
    return found
