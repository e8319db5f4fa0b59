"""People with equal or almost equal released records, compared with twins in both files."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any, ClassVar, Literal

import numpy as np
import pandas as pd

from synthlab import _checks
from synthlab._calls import explains_arguments
from synthlab._result import Result
from synthlab._system.compiled import compiled
from synthlab._typing import BoolArray, ColumnNames, FloatArray, FrameLike, FrameOrFrames, IntArray
from synthlab.matching.kernel import block_codes
from synthlab.release import as_release
from synthlab.risk.copies.closest_record import check_unseen
from synthlab.risk.copies.record_twins import row_hashes, weights_nearby

DIFFER = (0, 1, 2)  # columns in which a released record may differ from a person
TIMES = (1, 2, 3)  # released records that match a person
PEOPLE, SCORE = 10, 3.0  # excess in people, and its z, from which copies are reported
EQUAL = 2  # columns in which records must agree; a value of one column is not a record
HALF, TENTH = 0.5, 0.1  # share of released records that are copies, and twins per person hit, of a bootstrap
Level = Literal["STOP", "CHECK"]
Reason = Literal["copies", "bootstrap", "repeats"]


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class CopiedPeopleResult(Result):
    """Counts of people with matching released records, next to the counts that chance explains.

    Attributes
    ----------
    table : pandas.DataFrame
        One row per dataset (1..m, and 0 for all datasets together if m > 1), number of columns that may differ (`differ`: 0,
        1, 2) and number of matching released records (`times`: 1, 2, 3). The columns:

        - people: people with at least so many matching released records; in any dataset for all datasets together.
        - hits: the same count if every comparison has the same number of candidates, min(n, N) - 1, which matters if the
          numbers of records differ. For all datasets together, the mean over the datasets.
        - twins, release_twins: as `hits`, between a person and the other people, and between a released record and the
          other records of its dataset, times n/N.
        - excess, z: people beyond the larger of both counts, summed over the datasets, and the smaller z.
        - beyond_people, z_people: the same with the twins among people only.
    n : int
        People: confidential records, or entities.
    records : int
        N, records in each synthetic dataset.
    variables : tuple of str
        The compared columns.
    partial : bool
        Whether the compared columns are the synthesized columns of a partially synthetic release.
    copies : numpy.ndarray, shape (m,)
        Share of the released records of each dataset that equal a person in all compared columns.
    control : CopiedPeopleResult or None
        The same counts for the people of the holdout sample.
    closer : float or None
        Share of the released records that are closer to a person than 99% of the people are to another person.
    most_differing : int or None
        Largest number of differing columns that is judged. Default: two columns must be equal.
    score : float
        Smallest z at which copies that differ in one or two columns are reported; whole copies are reported from z = 3.
    what : str
        What is counted: "people" or "units".
    """

    _table: ClassVar[str] = "table"

    table: pd.DataFrame = field(repr=False)
    n: int
    records: int
    variables: tuple[str, ...]
    partial: bool
    copies: FloatArray
    control: CopiedPeopleResult | None = None
    closer: float | None = None
    most_differing: int | None = None
    score: float = SCORE
    what: str = "people"

    def to_frame(self) -> pd.DataFrame:
        """Return the table."""
        return self.table

    @property
    def m(self) -> int:
        """Number of synthetic datasets."""
        return self.copies.size

    @property
    def reason(self) -> Reason | None:
        """The reason for the level.

        "copies": more people are released than chance explains. "bootstrap": at least half of the released records are
        copies. "repeats": more people are released than have a twin, but the records of the release repeat as often.
        """
        return self._decided[0]

    @property
    def level(self) -> Level | None:
        """STOP, CHECK, or None if chance explains the copies."""
        reason = self.reason
        return None if reason is None else "CHECK" if reason == "repeats" else "STOP"

    @property
    def worst(self) -> pd.Series:
        """The row of the table that decides; without a level, the whole copies of the dataset with most of them."""
        return self._decided[1]

    @property
    def _decided(self) -> tuple[Reason | None, pd.Series]:
        most = max(len(self.variables) - EQUAL, 0) if self.most_differing is None else self.most_differing
        table = self.table[self.table["differ"] <= most]
        score = np.where(table["differ"] > 0, self.score, SCORE)
        beyond = table[(table["excess"] >= PEOPLE) & (table["z"] >= score)]
        if len(beyond):
            # The plainest row that contains most of the people: few differences, few times, one dataset.
            beyond = beyond[beyond["excess"] >= beyond["excess"].max() / 2]
            keys = (-beyond["excess"], beyond["dataset"] == 0, beyond["times"], beyond["differ"])
            return "copies", beyond.iloc[int(np.lexsort(keys)[0])]
        whole = table[(table["differ"] == 0) & (table["times"] == 1)]
        single = whole[whole["dataset"] > 0]
        if not self.partial:
            resampled = single[(self.copies >= HALF) & (single["twins"] < TENTH * single["people"]).to_numpy()]
            if len(resampled):
                return "bootstrap", _largest(resampled, "people")
            if self.closer is not None and self.closer >= HALF:
                return "bootstrap", _largest(single, "people")
            repeats = whole[(whole["beyond_people"] >= PEOPLE) & (whole["z_people"] >= SCORE)]
            repeats = repeats[repeats["dataset"] > 0] if (repeats["dataset"] > 0).any() else repeats
            if len(repeats):
                return "repeats", _largest(repeats, "beyond_people")
        return None, _largest(single, "people")

    @property
    def title(self) -> str:
        """The row that decides in a sentence."""
        row = self.worst
        where = (
            ""
            if self.m == 1
            else " in all datasets together"
            if not row["dataset"]
            else f" in dataset {row['dataset']:.0f}"
        )
        return f"{row['people']:,.0f} of {self.n:,} {self.what} are released with {values_copied(row, len(self.variables))}{where}; by chance {explained(row, self.reason):,.0f}."


def _largest(rows: pd.DataFrame, column: str) -> pd.Series:
    return rows.iloc[int(rows[column].to_numpy().argmax())]


def values_copied(row: pd.Series, columns: int, kind: str = "") -> str:
    """Return which values are copied, and how often, in words; `kind` is an adjective of the values."""
    amount = ("all", "all but one of", "all but two of")[int(row["differ"])]
    often = ("", " twice", " three times")[int(row["times"]) - 1]
    return f"{amount} {columns} {kind}value{'s' if columns > 1 else ''}{often}"


def explained(row: pd.Series, reason: str | None) -> float:
    """Return the number of people in a row of the table that chance explains.

    The twins in the release are not used if they are the people who are released repeatedly.
    """
    twins = row["twins"] if reason in ("bootstrap", "repeats") else max(row["twins"], row["release_twins"])
    return float(row["people"] * twins / row["hits"] if row["hits"] else twins)


@explains_arguments
def copied_people(
    confidential: FrameLike,
    release: FrameOrFrames,
    *,
    variables: ColumnNames | None = None,
    partial: bool = False,
    control: FrameLike | None = None,
    entity: Any = None,
    categorical: ColumnNames = (),
) -> CopiedPeopleResult:
    r"""Count people whose values are released together, beyond what chance explains.

    A released record that equals a real person proves nothing by itself, because people also resemble each other. The
    baseline is the twin: another person, or for a released record another released record, that is equally close. The
    order of the rows does not matter.

    Parameters
    ----------
    confidential : pandas.DataFrame or Dataset, n rows
        The data as collected.
    release : DataFrame, sequence of DataFrames, Release, or paths of files
        m datasets of N records each.
    variables : sequence of str, optional
        The columns that are compared by value; two missing values are equal. Default: all columns that `confidential` and
        the release have in common. Of a partially synthetic release, compare the synthesized columns only.
    partial : bool
        Whether the release is partially synthetic. Then only an excess over chance is reported.
    control : pandas.DataFrame or Dataset, optional
        Holdout sample of people who were not used for synthesis. They are real people too: their copies are counted in the
        same way, with twins among the people of the holdout sample.
    entity : array_like of shape (n,), optional
        The person or unit of each confidential record. An entity with several records counts once, and its own records are
        not twins of each other. Default: each record is an entity.
    categorical : sequence of str
        Columns whose numbers are category codes. All values are compared by equality, so that the counts do not depend on
        this argument.

    Returns
    -------
    CopiedPeopleResult

    Raises
    ------
    InputError
        If a column of `variables` is missing from a file, the files have no column in common, `entity` does not have one
        entry per confidential record, or `control` consists of confidential records.
    DtypeMismatchError
        If a column holds numbers in one file and text in another.

    Notes
    -----
    For people who differ from a released record in at most 0, 1 and 2 columns, and for at least b = 1, 2 and 3 such records,
    let :math:`h_i` be 1 if person i has at least b matching released records, and :math:`t_i` be 1 if the person matches at
    least b other people. Each comparison has K = min(n, N) - 1 candidates. If there are more than K + 1, the indicators are
    probabilities: each candidate is kept with probability K divided by their number.

    Released records with at least b matches among the other records of their dataset count n/N each. They are divided among
    the people whom they match, which gives :math:`q_i`. The excess is
    :math:`\sum h_i - \max(\sum t_i, \sum q_i)`, and z is the smaller of

    .. math:: z = \sum_i d_i \Big/ \sqrt{\sum_i (1 + c_i) d_i^2}

    for :math:`d_i = h_i - t_i` and :math:`d_i = h_i - q_i`, where :math:`c_i` is the number of twins of person i, so that a
    group of equal people counts as one. Released twins that match no person enter the second sum with their own groups.
    Over several datasets, :math:`d_i` is summed for each person.

    The level is STOP if the excess is at least 10 people and z is at least 3. It is also STOP if at least half of the
    released records are whole copies and fewer than a tenth of the people hit have a twin, which is the case for a
    resampled file. It is CHECK if whole copies exceed the twins among people by 10 with z of at least 3, but the release
    repeats its own records as often. A number of differing columns is judged only if at least two columns are equal.

    The counts extend the nearest-neighbor adversarial accuracy of Yale et al. (2020) from shares to people.

    References
    ----------
    Yale, A., Dash, S., Dutta, R., Guyon, I., Pavao, A. and Bennett, K. P. (2020). Generation and evaluation of privacy
    preserving synthetic health data. Neurocomputing 416, 244-255.

    Examples
    --------
    >>> import numpy as np, pandas as pd
    >>> import synthlab as sl
    >>> rng = np.random.default_rng(1)
    >>> people = pd.DataFrame(rng.integers(0, 9, (500, 6)), columns=list("abcdef"))
    >>> release = pd.DataFrame(rng.integers(0, 9, (500, 6)), columns=list("abcdef"))
    >>> release.iloc[:40] = people.iloc[:40]
    >>> found = sl.copied_people(people, release)
    >>> print(found.level, found.title)
    STOP 41 of 500 people are released with all 6 values; by chance 0.
    """
    frame = _checks.check_frame(confidential, "confidential")
    files = as_release(release, name="release", like=frame)
    if variables is None:
        variables = [c for c in frame.columns if c in files[0].columns]
    names = _checks.check_columns(frame, variables, "variables", where="confidential")
    _checks.check_columns(files[0], names, "variables", where="release")
    _checks.check_same_kind(frame, files.frames, names)
    _checks.check_columns(frame, categorical, "categorical", where="confidential", allow_empty=True)
    unseen = None if control is None else _holdout(frame, control, names)
    partial = bool(_checks.check_choice(partial, "partial", (True, False)))
    people = _checks.check_entity(entity, len(frame))
    counts = [count_records(frame, one, names, people) for one in files]
    n = len(frame) if people is None else int(people.max()) + 1
    return CopiedPeopleResult(
        table=table_of(counts, n),
        n=n,
        records=files.n,
        variables=tuple(names),
        partial=partial,
        copies=_checks.read_only(np.array([one.copies for one in counts])),
        control=None if unseen is None else copied_people(unseen, files, variables=names, partial=partial),
    )


@dataclass(frozen=True, slots=True, eq=False)
class Counts:
    """Counts for each person and one dataset; the last two axes are `differ` and `times`.

    hit, twin, release_twin : (n, 3, 3) whether a person has enough matches, or the probability, and the twins in the release
    that match the person. alone, spread : (3, 3) sum and variance of the released twins that match no person. found : (n, 3, 3)
    whether a person has enough matches among all released records. groups : (n, 3) 1 + number of twins of the person. scale :
    factor of the excess. copies : share of the released records that equal a person.
    """

    hit: FloatArray
    twin: FloatArray
    release_twin: FloatArray
    alone: FloatArray
    spread: FloatArray
    found: BoolArray
    groups: FloatArray
    scale: float
    copies: float


def count_records(
    frame: pd.DataFrame, released: pd.DataFrame, names: Sequence[str], people: IntArray | None = None
) -> Counts:
    """Count the matches of confidential records, or of their persons, in one dataset."""
    codes = _codes(frame, released, names)
    within = None if people is None else _within_entities(codes[: len(frame)], people)

    def nearby(rows: IntArray, weights: FloatArray) -> FloatArray:
        return weights_nearby(codes[rows], weights)

    return count_matches(row_hashes(codes), nearby, len(frame), within, people)


def count_matches(
    keys: Any,
    nearby: Callable[[IntArray, FloatArray], FloatArray],
    n: int,
    within: FloatArray | None = None,
    people: IntArray | None = None,
) -> Counts:
    """Count the matches of n confidential records, or units, in one dataset.

    Parameters
    ----------
    keys : numpy.ndarray of uint64
        Hashes of the n confidential records, then of the records of the dataset.
    nearby : callable
        Returns the sums of weights of the records that differ in exactly 0, 1 and 2 columns, for rows of distinct records.
    within : numpy.ndarray, shape (n, 3), optional
        Number of records of the same person that differ in at most 0, 1 and 2 columns.
    people : numpy.ndarray of int, shape (n,), optional
        The person of each confidential record.
    """
    records = keys.size - n
    _, first, place = np.unique(keys, return_index=True, return_inverse=True)
    place = place.reshape(-1)
    own, other = place[:n], place[n:]
    sizes = np.stack([np.bincount(one, minlength=first.size) for one in (own, other)], axis=1).astype(np.float64)
    near = nearby(first, sizes).cumsum(axis=1)
    among_people, among_released = near[..., 0], near[..., 1]
    twins = among_people[own] - 1
    if within is not None:
        twins -= within
    candidates = max(min(n, records) - 1, 1)
    share = n / records * _at_least(among_released[other] - 1, records - 1, candidates)
    matched = among_people[other]
    # Each released twin is divided among the people whom it matches.
    weights = np.where(matched > 0, 1 / np.maximum(matched, 1), 0.0)[..., None] * share
    attributed = _attributed(first, nearby, own, other, weights)
    unmatched = np.where((matched > 0)[..., None], 0.0, share)
    every = among_released[own][..., None] >= np.array(TIMES)
    return Counts(
        hit=_each(_at_least(among_released[own], records, candidates), people, np.maximum),
        twin=_each(_at_least(twins, n - 1, candidates), people, np.maximum),
        release_twin=_each(attributed, people, np.add),
        alone=unmatched.sum(axis=0),
        spread=(unmatched**2 * among_released[other][..., None]).sum(axis=0),
        found=_each(every, people, np.maximum),
        groups=_each(1 + twins, people, np.maximum),
        scale=1.0 if records - n < 2 else records / candidates,
        copies=float((matched[:, 0] > 0).mean()),
    )


def _attributed(
    first: IntArray,
    nearby: Callable[[IntArray, FloatArray], FloatArray],
    own: IntArray,
    other: IntArray,
    weights: FloatArray,
) -> FloatArray:
    """Return the twins in the release that match each person, (n, 3, 3)."""
    flat = weights.reshape(weights.shape[0], -1)
    sums: FloatArray = np.stack([np.bincount(other, column, minlength=first.size) for column in flat.T], axis=1)
    used = np.asarray(sums.any(axis=1))
    if not used.any():
        return np.zeros((own.size, 3, 3))
    used[own] = True
    rows = np.flatnonzero(used)
    near = nearby(first[rows], sums[rows]).reshape(rows.size, 3, 3, 3)
    total = np.zeros((first.size, 3, 3))
    for differ in DIFFER:
        total[rows, differ] = near[:, : differ + 1, differ].sum(axis=1)
    return total[own]


def _at_least(matches: FloatArray, number: int, candidates: int) -> FloatArray:
    """Return whether there are at least 1, 2, 3 matches among the candidates, (..., 3).

    With more candidates than in the other comparisons, it is the probability if each of them is kept with probability
    `candidates` / `number`.
    """
    if number - candidates < 2:
        return np.asarray(matches[..., None] >= np.array(TIMES), dtype=np.float64)
    kept = candidates / number
    powers = [
        ways * kept**i * (1 - kept) ** np.maximum(matches - i, 0)
        for i, ways in enumerate((np.ones_like(matches), matches, matches * (matches - 1) / 2))
    ]
    return np.where(matches[..., None] > 0, 1 - np.cumsum(np.stack(powers, axis=-1), axis=-1), 0.0)


def table_of(counts: Sequence[Counts], n: int) -> pd.DataFrame:
    """Return the table of the counts of all datasets."""
    tables = [_table(number, [one], n) for number, one in enumerate(counts, start=1)]
    if len(counts) > 1:
        tables.insert(0, _table(0, counts, n))
    return pd.concat(tables, ignore_index=True)


def _table(number: int, counts: Sequence[Counts], n: int) -> pd.DataFrame:
    hit, twin, release = (sum(getattr(one, name) for one in counts) for name in ("hit", "twin", "release_twin"))
    groups, scale, m = counts[0].groups[..., None], counts[0].scale, len(counts)
    found = np.any([one.found for one in counts], axis=0).sum(axis=0)
    alone, spread = sum(one.alone for one in counts), sum(one.spread for one in counts)
    hits, twins, releases = hit.sum(axis=0), twin.sum(axis=0), release.sum(axis=0) + alone
    z_people = (hits - twins) / np.maximum(np.sqrt(((hit - twin) ** 2 * groups).sum(axis=0)), 1e-9)
    z_release = (hits - releases) / np.maximum(np.sqrt(((hit - release) ** 2 * groups).sum(axis=0) + spread), 1e-9)
    excess = scale * (hits - np.maximum(twins, releases))
    differ, times = np.meshgrid(DIFFER, TIMES, indexing="ij")
    once = found[:, :1]
    columns = {
        "dataset": np.full(differ.shape, number),
        "differ": differ,
        "times": times,
        "people": found,
        "hits": hits / m,
        "twins": twins / m,
        "release_twins": releases / m,
        "excess": np.minimum(once, excess),
        "z": np.minimum(z_people, z_release),
        "beyond_people": np.minimum(once, scale * (hits - twins)),
        "z_people": z_people,
    }
    return pd.DataFrame({name: values.reshape(-1) for name, values in columns.items()})


def _codes(frame: pd.DataFrame, released: pd.DataFrame, names: Sequence[str]) -> IntArray:
    """Return the codes of all records, the confidential ones first, with the columns of many values first."""
    codes = np.empty((len(frame) + len(released), len(names)), dtype=np.int32)
    for column, name in enumerate(names):
        codes[:, column] = np.concatenate(block_codes([frame[[name]], released[[name]]], [name], "category"))
    return np.ascontiguousarray(codes[:, np.argsort(-codes.max(axis=0), kind="stable")])


def _holdout(frame: pd.DataFrame, control: FrameLike, names: Sequence[str]) -> pd.DataFrame:
    others = _checks.check_frame(control, "control")
    _checks.check_columns(others, names, "variables", where="control")
    _checks.check_same_kind(frame, [others], names, "control")
    check_unseen(frame, others, names)
    return others


def _each(values: Any, people: IntArray | None, combine: np.ufunc) -> Any:
    """Return one entry per entity from one entry per record."""
    if people is None:
        return values
    order = np.argsort(people, kind="stable")
    starts = np.flatnonzero(np.concatenate([[True], np.diff(people[order]) > 0]))
    return combine.reduceat(values[order], starts, axis=0)


def _within_entities(codes: IntArray, people: IntArray) -> FloatArray:
    """Return how many records of the same entity differ from each record in at most 0, 1, 2 columns."""
    order = np.argsort(people, kind="stable")
    found = np.zeros((codes.shape[0], 3))
    found[order] = _compare_within(codes[order], people[order])
    return found


@compiled
def _compare_within(codes: IntArray, people: IntArray) -> FloatArray:
    found = np.zeros((codes.shape[0], 3))
    for i in range(codes.shape[0]):
        j = i + 1
        while j < codes.shape[0] and people[j] == people[i]:
            differ = 0
            for column in range(codes.shape[1]):
                differ += codes[i, column] != codes[j, column]
            for level in range(differ, 3):
                found[i, level] += 1
                found[j, level] += 1
            j += 1
    return found
