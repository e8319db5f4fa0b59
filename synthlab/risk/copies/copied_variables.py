"""Sets of variables on which released records copy unique confidential records beyond chance."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import Any, ClassVar, Literal

import numpy as np
import pandas as pd
from scipy import stats

from synthlab import _checks
from synthlab._result import Result
from synthlab._typing import ColumnNames, FloatArray, FrameLike, FrameOrFrames, IntArray
from synthlab.exceptions import InputError
from synthlab.matching.kernel import block_codes
from synthlab.release import as_release

PEOPLE = 1000  # confidential records that the search looks up
ROWS = 20_000  # rows of a file that the search reads
SEED = 1  # of the records that the search reads
PAIRS = 100  # of confidential records with the same value, so that their agreement is estimated without other pairs
LOOKED_INTO = 0.02  # an excess over chance from which a second explanation is computed
SEARCHED = 20  # datasets in which sets of variables are searched
STARTS = 3  # pairs of variables from which the search adds variables
PAIRED = 10  # variables of a set up to which the agreement on every pair of them is used
Degree = Literal["all", "all but one", "subset"]


@dataclass(frozen=True, slots=True, eq=False)
class CopiedSet:
    """Unique confidential records that a release copies on one set of variables.

    Attributes
    ----------
    degree : {"all", "all but one", "subset"}
        All compared variables, all but one of them, or the set that the search found.
    variables : tuple of str
        The variables of the set.
    unique : int
        Confidential records that are unique on these variables.
    copied : numpy.ndarray of int, shape (m,)
        Unique confidential records with an equal record in each dataset.
    released : numpy.ndarray of int, shape (m,)
        Records of each dataset that equal a unique confidential record.
    people : numpy.ndarray of int, shape (m,)
        Confidential records, unique or not, with an equal record in each dataset.
    records : int
        Records in each dataset.
    expected_copied, expected_released : float
        Shares of the unique records and of the released records that chance explains.
    choices : int
        Sets of the same number of variables among the compared variables, from which this set was chosen.
    """

    degree: Degree
    variables: tuple[str, ...]
    unique: int
    copied: IntArray
    released: IntArray
    people: IntArray
    records: int
    expected_copied: float
    expected_released: float
    choices: int

    @property
    def copied_share(self) -> FloatArray:
        """Share of the unique records that are copied, in each dataset; 0 without a unique record."""
        return self.copied / max(self.unique, 1)

    @property
    def released_share(self) -> FloatArray:
        """Share of the released records that equal a unique confidential record, in each dataset."""
        return self.released / self.records

    @property
    def excess(self) -> FloatArray:
        """The larger of both shares minus what chance explains, in each dataset."""
        return np.maximum(self.copied_share - self.expected_copied, self.released_share - self.expected_released)

    @property
    def luck(self) -> FloatArray:
        """Bound of the probability that chance copies as many unique records, in each dataset.

        The binomial probability, with at least one expected copy, is multiplied by the number of datasets and by `choices`.
        """
        share = max(self.expected_copied, 1 / max(self.unique, 1))
        tail = stats.binom.logsf(self.copied - 1, self.unique, min(share, 1.0))
        return np.asarray(np.exp(np.minimum(tail + math.log(self.choices * self.copied.size), 0.0)), dtype=np.float64)


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class CopiedVariablesResult(Result):
    """Degrees of copying: all variables, all but one, and the set with the most copied unique records.

    Attributes
    ----------
    sets : tuple of CopiedSet
        One set of variables for each degree; a degree that does not apply is absent.
    n : int
        Confidential records.
    variables : tuple of str
        The compared variables.
    sampled : bool
        Whether the search read a sample of the records, drawn with seed 1.
    """

    _table: ClassVar[str] = "summary"

    sets: tuple[CopiedSet, ...]
    n: int
    variables: tuple[str, ...]
    sampled: bool

    @property
    def title(self) -> str:
        """The largest excess over chance in a sentence."""
        worst = max(self.sets, key=lambda one: float(one.excess.max()))
        dataset = int(worst.excess.argmax())
        return (
            f"{worst.copied[dataset]:,} of {worst.unique:,} confidential records that are unique on {len(worst.variables)} of "
            f"{len(self.variables)} variables occur in dataset {dataset + 1}; chance explains "
            f"{worst.expected_copied * worst.unique:,.0f}."
        )

    def summary(self) -> pd.DataFrame:
        """Return one row per degree: the maximum over the datasets, and the shares that chance explains."""
        rows = {
            one.degree: {
                "variables": len(one.variables),
                "unique": one.unique,
                "copied": int(one.copied.max()),
                "people": int(one.people.max()),
                "released": int(one.released.max()),
                "expected_copied": one.expected_copied,
                "expected_released": one.expected_released,
                "excess": float(one.excess.max()),
            }
            for one in self.sets
        }
        return pd.DataFrame.from_dict(rows, orient="index").rename_axis("degree")


def copied_variables(
    confidential: FrameLike, synthetic: FrameOrFrames, *, variables: ColumnNames | None = None
) -> CopiedVariablesResult:
    r"""Measure how many unique confidential records a release copies on all, nearly all, or some of the variables.

    A copy with one changed column has no exact copy, so that `exact_copies` does not see it. This function also compares
    all variables but one, and searches for the set of variables on which the release copies the most unique records.

    Parameters
    ----------
    confidential : pandas.DataFrame or Dataset, n rows
        The data as collected.
    synthetic : DataFrame, sequence of DataFrames, Release, or paths of files
        m datasets of N records each, in any order.
    variables : sequence of str, optional
        The compared variables, by value; a missing value is a value of its own. Default: all columns of `confidential` that
        the synthetic data also have.

    Returns
    -------
    CopiedVariablesResult

    Raises
    ------
    InputError
        If a variable is missing from a file, the files share no variable, or its values have another type.

    Notes
    -----
    Chance is estimated from the confidential data alone. Split them at random into halves A and B, and let u be the share of
    the unique records of A that occur in B. With :math:`s_i` records equal to record i on the set, the expected value is

    .. math:: u = \sum_{i: s_i \ge 2} 2^{-s_i} \Big/ \sum_i 2^{-s_i}.

    A release drawn from the population without looking at the data copies at most a share
    :math:`1 - (1 - u)^{2N/n}` of the unique records. The share of released records that equal a unique record is treated
    alike. A synthesizer that resamples values, such as a tree, exceeds this on sets of few variables. In small files, the search
    also finds sets on which few confidential records happen to agree, so that u is too small. If the release copies more than u
    explains, the expected share is therefore at least :math:`1 - (1 - f_i)^N`, averaged over the unique records i. Here
    :math:`f_i` is the frequency of the values of record i among the other confidential records if some of the variables are
    independent: the frequency on all variables but one, on two variables, or on one, multiplied by the frequencies of the
    values of the remaining variables. The largest of these averages is used; pairs are used for sets of at most 10 variables.

    The search reads at most 20,000 rows of each file and looks up at most 1,000 people, drawn with seed 1. It starts from the
    three best pairs of variables and adds the variable that copies the most people beyond chance, while that number grows. The
    counts of the sets it returns use all rows. Of more than 20 datasets, it covers the 20 that copy the most people on all
    variables but one.

    Examples
    --------
    >>> import numpy as np, pandas as pd
    >>> import synthlab as sl
    >>> rng = np.random.default_rng(1)
    >>> people = pd.DataFrame(rng.integers(0, 9, (300, 5)), columns=list("abcde"))
    >>> release = people.assign(e=rng.permutation(people["e"])).sample(frac=1, random_state=1)
    >>> sl.copied_variables(people, release).summary().loc["all but one", ["variables", "unique", "copied"]].tolist()
    [4, 292, 292]
    """
    frame = _checks.check_frame(confidential, "confidential")
    release = as_release(synthetic, like=frame)
    if variables is None:
        variables = [c for c in frame.columns if c in release[0].columns]
        if not variables:
            raise InputError("synthetic: has no column in common with the confidential data")
    names = list(_checks.check_columns(frame, variables, "variables", where="confidential"))
    _checks.check_columns(release[0], names, "variables", where="the synthetic data")
    _checks.check_same_kind(frame, release.frames, names)
    hashes = _Hashes.of(frame, release.frames, names)
    every = tuple(range(len(names)))
    found: list[tuple[Degree, tuple[int, ...]]] = [("all", every)]
    sampled = max(len(frame), release.n) > PEOPLE
    if len(names) > 2:
        searches = hashes.searches()
        fewer = [tuple(c for c in every if c != left) for left in every]
        gains = np.array([[search.gain(columns) for columns in fewer] for search in searches])
        most = np.argsort(-gains.max(axis=1), kind="stable")[:SEARCHED]
        best = max((searches[dataset].run(len(names)) for dataset in most), key=lambda one: one[0])
        found += [("all but one", fewer[int(gains.max(axis=0).argmax())]), ("subset", best[1])]
    sets = [hashes.compare(degree, columns) for degree, columns in dict(found).items()]
    return CopiedVariablesResult(tuple(sets), len(frame), tuple(names), sampled)


@dataclass(frozen=True, slots=True, eq=False)
class _Hashes:
    """One 64-bit hash of each value; the hash of a record on a set of variables is their sum."""

    names: Sequence[str]
    own: IntArray  # (p, n)
    others: tuple[IntArray, ...]  # m arrays (p, N)
    ranks: list[FloatArray | None]  # of each ordered variable

    @classmethod
    def of(cls, frame: pd.DataFrame, frames: Sequence[pd.DataFrame], names: Sequence[str]) -> _Hashes:
        """Hash the values of all files."""
        own: list[Any] = []
        others: list[list[Any]] = [[] for _ in frames]
        for place, name in enumerate(names):
            codes, *rest = block_codes([frame, *frames], [name], "category")
            own.append(_hashed(codes, place))
            for hashed, one in zip(others, rest, strict=True):
                hashed.append(_hashed(one, place))
        return cls(
            names, np.stack(own), tuple(np.stack(one) for one in others), [_ranks(frame[name]) for name in names]
        )

    def compare(self, degree: Degree, columns: tuple[int, ...]) -> CopiedSet:
        """Count the copies on a set of variables, in all rows."""
        here = _total(self.own, columns)
        values, place, sizes = np.unique(here, return_inverse=True, return_counts=True)
        alone = values[sizes == 1]
        n, records = here.size, self.others[0].shape[1]
        copied, released, people = [], [], []
        for other in self.others:
            there = _total(other, columns)
            there_too = np.isin(values, there)
            copied.append(int(there_too[sizes == 1].sum()))
            people.append(int(sizes[there_too].sum()))
            released.append(int(np.isin(there, alone).sum()))
        size = sizes[place].astype(np.float64)
        share = share_by_chance(here, records)
        share_released = _by_chance(float((2.0**-size * (size - 1)).sum() / (n / 2)), n, n)
        if max(copied, default=0) > (share + LOOKED_INTO) * alone.size:
            resampled = self._by_resampling(columns, size)
            independent = self._by_independence(columns, size == 1, records)
            share = max(share, resampled[0], independent)
            share_released = max(share_released, resampled[1])
        return CopiedSet(
            degree,
            tuple(self.names[column] for column in columns),
            int(alone.size),
            _checks.read_only(np.array(copied, dtype=np.int64)),
            _checks.read_only(np.array(released, dtype=np.int64)),
            _checks.read_only(np.array(people, dtype=np.int64)),
            records,
            share,
            min(max(share * alone.size / n, share_released), 1.0),
            math.comb(len(self.names), len(columns)),
        )

    def _by_resampling(self, columns: tuple[int, ...], size: FloatArray) -> tuple[float, float]:
        """Return the shares that resampling the values of a single variable explains, in the dataset where they are largest."""
        singles = [_sizes(self.own[column]) for column in columns]
        values = [np.unique(self.own[column], return_inverse=True) for column in columns]
        shares = [(0.0, 0.0)]
        for other in self.others:
            times = [
                _occurrences(other[column], asked)[place]
                for column, (asked, place) in zip(columns, values, strict=True)
            ]

            def rest(place: int) -> float:
                others = _total(self.own, [c for c in columns if c != columns[place]])
                return max(_agreement(_sizes(others), size.size), _adjacent(others, self.ranks[columns[place]]))

            shares.append(_resampled(size, singles, times, rest, other.shape[1]))
        copied, released = zip(*shares, strict=True)
        return max(copied), max(released)

    def _by_independence(self, columns: tuple[int, ...], alone: Any, records: int) -> float:
        """Return the share that chance explains if all variables, all but two or one of them, are independent of the rest."""
        rows = np.flatnonzero(alone)
        if rows.size > PEOPLE:
            rows = np.random.default_rng(SEED).choice(rows, PEOPLE, replace=False)

        def frequency(chosen: Sequence[int]) -> FloatArray:
            return _frequency(_total(self.own, chosen), rows)

        singles = {column: frequency([column]) for column in columns}
        parts: set[tuple[int, ...]] = {tuple(c for c in columns if c != left) for left in columns}
        parts.update(combinations(columns, 2) if len(columns) <= PAIRED else ())
        shares = [_found(_product(list(singles.values())), records)]
        for part in parts:
            others = [singles[c] for c in columns if c not in part]
            shares.append(_found(_product([frequency(part), *others]), records))
        return max(shares)

    def searches(self) -> list[_Search]:
        """Return the search in each dataset, on samples of large files."""
        rng = np.random.default_rng(SEED)
        n = self.own.shape[1]
        rows = np.arange(n) if n <= ROWS else rng.choice(n, ROWS, replace=False)
        here, ranks = self.own[:, rows], [None if one is None else one[rows] for one in self.ranks]
        people = rng.choice(here.shape[1], min(PEOPLE, here.shape[1]), replace=False)
        files = (
            other if other.shape[1] <= ROWS else other[:, rng.choice(other.shape[1], ROWS, replace=False)]
            for other in self.others
        )
        return [_Search.of(here, other, people, ranks) for other in files]


@dataclass(frozen=True, slots=True, eq=False)
class _Search:
    """The search for a set of variables in one dataset."""

    own: IntArray
    other: IntArray
    people: IntArray
    sizes: list[FloatArray]  # of each variable: how many own records have the person's value
    times: list[IntArray]  # of each variable: how many records of the dataset have it
    ranks: list[FloatArray | None]

    @classmethod
    def of(cls, own: IntArray, other: IntArray, people: IntArray, ranks: list[FloatArray | None]) -> _Search:
        """Look up every single variable."""
        sizes, times = [], []
        for here, there in zip(own, other, strict=True):
            asked, place = np.unique(here[people], return_inverse=True)
            sizes.append(_occurrences(here, asked)[place].astype(np.float64))
            times.append(_occurrences(there, asked)[place])
        return cls(own, other, people, sizes, times, ranks)

    def gain(self, columns: Sequence[int]) -> float:
        """Return the looked-up people copied on a set of variables, minus the number that chance explains."""
        frequency = _product([self._frequency(column) for column in columns])
        return self._gain(_total(self.own, columns), _total(self.other, columns), columns, [frequency])[0]

    def _frequency(self, column: int) -> FloatArray:
        """Return how often another own record has the person's value of a variable."""
        return np.asarray((self.sizes[column] - 1) / max(self.own.shape[1] - 1, 1), dtype=np.float64)

    def _gain(
        self, own: IntArray, other: IntArray, columns: Sequence[int], expected: Sequence[FloatArray]
    ) -> tuple[float, FloatArray]:
        """Return the gain, and how often another own record equals each person.

        `expected` has further estimates of this frequency, from fewer variables.
        """
        asked, place = np.unique(own[self.people], return_inverse=True)
        size = _occurrences(own, asked)[place].astype(np.float64)
        alone = size == 1
        copied = float(((_occurrences(other, asked)[place] > 0) & alone).sum())
        chance = _by_chance(_found_elsewhere(size), other.size, own.size)
        if copied > chance * alone.sum():
            singles, times = [self.sizes[c] for c in columns], [self.times[c] for c in columns]
            rest = lambda k: self._rest(own, columns[k])  # noqa: E731
            chance = max(chance, _resampled(size, singles, times, rest, other.size)[0])
            chance = max(chance, *(_found(one[alone], other.size) for one in expected))
        return copied - chance * float(alone.sum()), (size - 1) / max(own.size - 1, 1)

    def _rest(self, own: IntArray, left: int) -> float:
        """Return how often two own records agree on the set without one variable."""
        rest = own - self.own[left]
        asked, place = np.unique(rest[self.people], return_inverse=True)
        size = _occurrences(rest, asked)[place].astype(np.float64)
        return max(_agreement(size, own.size), _adjacent(rest, self.ranks[left]))

    def run(self, width: int) -> tuple[float, tuple[int, ...]]:
        """Return the largest gain and its set of variables, from the best pairs."""
        pairs = {pair: self.gain(pair) for pair in combinations(range(width), 2)}
        starts = sorted(pairs, key=lambda pair: -pairs[pair])[:STARTS]
        return max((self._extend(pair, pairs[pair], width) for pair in starts), key=lambda found: found[0])

    def _extend(self, columns: tuple[int, ...], gain: float, width: int) -> tuple[float, tuple[int, ...]]:
        own, other = _total(self.own, columns), _total(self.other, columns)
        together = self._gain(own, other, columns, [np.zeros(self.people.size)])[1]
        expected = [_product([self._frequency(column) for column in columns]), together]
        while rest := [column for column in range(width) if column not in columns]:
            found = {
                c: self._gain(
                    own + self.own[c],
                    other + self.other[c],
                    (*columns, c),
                    [one * self._frequency(c) for one in expected],
                )
                for c in rest
            }
            column = max(found, key=lambda one: found[one][0])
            if found[column][0] <= gain:
                break
            gain, together = found[column]
            columns = (*columns, column)
            expected = [*(one * self._frequency(column) for one in expected), together]
            own, other = own + self.own[column], other + self.other[column]
        return gain, tuple(sorted(columns))


def share_by_chance(values: IntArray, records: int) -> float:
    """Return the share of the unique values of n records that N independent records of the population are expected to contain.

    Parameters
    ----------
    values : numpy.ndarray, shape (n,)
        One value or code per record.
    records : int
        N, the number of released records.

    Returns
    -------
    float
        An upper bound; see the notes of `copied_variables`.
    """
    return _by_chance(_found_elsewhere(_sizes(values)), records, values.size)


def _total(hashes: IntArray, columns: Sequence[int]) -> Any:
    return hashes[list(columns)].sum(axis=0, dtype=np.uint64)


def _occurrences(values: IntArray, asked: IntArray) -> IntArray:
    """Return how often each of the sorted distinct numbers `asked` occurs in `values`."""
    bits = np.uint64(48)
    wanted = np.zeros(1 << 16, dtype=bool)
    wanted[(asked >> bits).astype(np.int64)] = True
    values = values[wanted[(values >> bits).astype(np.int64)]]  # few of the others remain
    place = np.minimum(np.searchsorted(asked, values), asked.size - 1)
    return np.bincount(place[asked[place] == values], minlength=asked.size)


def _sizes(values: IntArray) -> FloatArray:
    """Return how many of the numbers equal each of them."""
    _, place, sizes = np.unique(values, return_inverse=True, return_counts=True)
    return sizes[place].astype(np.float64)


def _resampled(
    size: FloatArray,
    singles: Sequence[FloatArray],
    times: Sequence[IntArray],
    rest: Callable[[int], float],
    records: int,
) -> tuple[float, float]:
    """Return the shares of unique and of released records that resampling the values of one variable explains.

    The release has the person's value of this variable, `times` times. Two records that share the value agree on the others as
    often as two confidential records that share it do. Where few share it, they agree at least as often as any two confidential
    records, or two neighbors in the order of the values, and each of the `times` records can agree.
    """
    alone = size == 1
    if not alone.any():
        return 1.0, 1.0
    copied, released = [0.0], [0.0]
    for place, (single, found) in enumerate(zip(singles, times, strict=True)):
        pairs = float((single - 1).sum())
        agree = float((size - 1).sum()) / max(pairs, 1.0)
        if pairs >= PAIRS:
            copied.append(float((found[alone] > 0).mean()) * min(agree, 1.0))
            continue
        agree = min(max(agree, rest(place)), 1.0)
        copied.append(float((1 - (1 - agree) ** found[alone]).mean()))
        released.append(agree * float(found[alone].sum()) / records)
    return max(copied), max(released)


def _agreement(size: FloatArray, n: int) -> float:
    """Return how often a record agrees with another one, from the number of the n records that equal each."""
    return float((size - 1).sum()) / (size.size * max(n - 1, 1))


def _adjacent(hashes: IntArray, ranks: FloatArray | None) -> float:
    """Return how often neighbors in an order agree; 0 without an order."""
    if ranks is None or hashes.size < 2:
        return 0.0
    ordered = hashes[np.argsort(ranks)]
    return float((ordered[1:] == ordered[:-1]).mean())


def _product(frequencies: Sequence[FloatArray]) -> FloatArray:
    """Return the frequency of independent values of several variables."""
    return np.asarray(np.prod(np.stack(frequencies), axis=0), dtype=np.float64)


def _frequency(values: IntArray, rows: IntArray) -> FloatArray:
    """Return how often another record has the value of each of some rows."""
    asked, place = np.unique(values[rows], return_inverse=True)
    return (_occurrences(values, asked)[place] - 1) / max(values.size - 1, 1)


def _found(frequency: FloatArray, records: int) -> float:
    """Return the mean probability that one of N independent records has a value, from the frequency of the value."""
    if not frequency.size:
        return 0.0
    return float(-np.expm1(records * np.log1p(-np.minimum(frequency, 1 - 1e-12))).mean())


def _ranks(series: pd.Series) -> FloatArray | None:
    """Return the ranks of numbers and dates, None of other values."""
    if not pd.api.types.is_numeric_dtype(series.dtype):
        days = _checks.as_days(series)
        if days is None:
            return None
        series = pd.Series(days)
    return np.asarray(series.rank(method="first", na_option="bottom"), dtype=np.float64)


def _found_elsewhere(sizes: FloatArray) -> float:
    """Return the share of the unique records of one half of the data that the other half also has."""
    weight = 2.0**-sizes
    total = float(weight.sum())
    return float(weight[sizes > 1].sum()) / total if total else 1.0


def _by_chance(share: float, records: int, n: int) -> float:
    """Return the share that chance explains, from the share for half of n records."""
    return float(1.0 - (1.0 - min(share, 1.0)) ** (2.0 * records / n))


def _hashed(codes: IntArray, place: int) -> Any:
    """Return a 64-bit hash of each code (splitmix64), another one for each column."""
    with np.errstate(over="ignore"):
        x = codes.astype(np.uint64) + np.uint64((place + 1) * 0x9E3779B97F4A7C15 & 0xFFFFFFFFFFFFFFFF)
        x = (x ^ (x >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
        x = (x ^ (x >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
        return x ^ (x >> np.uint64(31))
