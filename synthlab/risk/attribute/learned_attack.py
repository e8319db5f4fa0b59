"""Attack by an intruder who learns the map from released to confidential values.

The intruder knows the confidential values of half of the people, for example because most values of a file are published
elsewhere, and learns how they follow from the release. A fixed recoding, another currency, noise or a permutation of
labels protects no value against such an intruder.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import ClassVar, Literal, NamedTuple

import numpy as np
import pandas as pd

from synthlab import _checks, _rng
from synthlab._calls import explains_arguments
from synthlab._format import percent
from synthlab._result import Result
from synthlab._typing import BoolArray, ColumnNames, FloatArray, FrameLike, FrameOrFrames, IntArray, RngLike
from synthlab._warnings import warn
from synthlab.exceptions import InputError, UndefinedStatisticWarning
from synthlab.release import as_release
from synthlab.risk.attribute import _learned_guesses as guesses
from synthlab.risk.attribute._learned_guesses import HALVES, Coded

SAMPLE = 2000  # people
FEWEST = 60  # people below whom the attack is undefined
POINTS, Z = 10.0, 5.0  # CHECK from this advantage in percentage points, with this z
FEW_POINTS, FEW_Z, AHEAD = 5.0, 4.0, 10.0  # or from this advantage if the truth is ahead of the twin by 10 people
MANY_POINTS, SURE = 50.0, 0.95  # STOP from this advantage, or from this share of correct predictions
ERRORS = 0.25  # STOP at this share of the baseline's errors if the attack is almost always right
TWIN_POINTS = 20.0  # STOP if the truth is ahead of the twin by as much

NUMBERS = ("right", "baseline", "points", "z", "twin_points", "twin_z")
Level = Literal["STOP", "CHECK"]


class Advantage(NamedTuple):
    """Correct predictions of one attack minus those of another: percentage points, and z of McNemar's test."""

    points: float
    z: float


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class LearnedAttackResult(Result):
    """Result of an attack that learns the map from released to confidential values.

    Attributes
    ----------
    table : pandas.DataFrame, one row per synthesized column
        right, baseline : share of the people whose value is predicted with and without their own released values, in
        [0, 1]. points, z : the difference in percentage points, and z of McNemar's test. twin_points, twin_z : the same
        comparison of the attack on the truth with an attack on the last dataset, both from the other datasets; NaN if there
        is one dataset or the advantage is small. level : "STOP", "CHECK" or None. All numbers are NaN with fewer than 60
        people.
    people : int
        Number of people in the sample; each half is attacked by the other half.
    n, m : int
        Number of confidential records and of datasets.
    radius : dict {str: float}
        Radius within which a prediction is right, for the columns that are not compared by equality.
    known : tuple of str
        Columns of which the intruder knows the confidential values of all people.
    """

    _figure: ClassVar[str] = "attribute.plot_learned_attack"
    _table: ClassVar[str] = "to_frame"

    table: pd.DataFrame
    people: int
    n: int
    m: int
    radius: Mapping[str, float]
    known: tuple[str, ...]

    def to_frame(self) -> pd.DataFrame:
        """Return the table, one row per synthesized column."""
        return self.table

    @property
    def worst(self) -> pd.Series:
        """The row that decides: the highest level, then the largest advantage."""
        rank = self.table["level"].map({"STOP": 2, "CHECK": 1}).fillna(0)
        order = pd.DataFrame({"level": rank, "points": self.table["points"].fillna(-np.inf)})
        worst: pd.Series = self.table.loc[
            order.sort_values(["level", "points"], ascending=False, kind="stable").index[0]
        ]
        return worst

    @property
    def level(self) -> Level | None:
        """The level of the worst column: "STOP", "CHECK" or None."""
        found: Level | None = self.worst["level"]
        return found

    @property
    def too_fine(self) -> tuple[str, ...]:
        """Columns with "CHECK" whose advantage the twin explains: the model follows single records too closely."""
        table = self.table
        explained = (table["twin_points"] < FEW_POINTS) | (table["twin_z"] < FEW_Z)
        return tuple(table.index[(table["level"] == "CHECK") & explained])

    @property
    def title(self) -> str:
        """A sentence on the worst column."""
        worst = self.worst
        if np.isnan(worst["right"]):
            return f"The attack is undefined: there are fewer than {FEWEST} records."
        return self.sentence(str(worst.name))

    def sentence(self, column: str) -> str:
        """Return the result for one column in a sentence."""
        column = self._checked(column)
        right, baseline = (float(self.table[name].to_dict()[column]) for name in ("right", "baseline"))
        return (
            f"An intruder who learns from half of the people predicts {column}{self.within(column)} for {percent(right)} of "
            f"the others; {percent(baseline)} without the released values."
        )

    def within(self, column: str) -> str:
        """Return the radius of a column as text that follows its name; "" if values are compared by equality."""
        radius = self.radius.get(self._checked(column), 0.0)
        if isinstance(radius, _checks.Days):
            return f" within {radius.words}"
        return f" within {100 * radius:.4g}%" if radius else ""

    def _checked(self, column: str) -> str:
        checked: str = _checks.check_choice(column, "column", list(self.table.index))
        return checked


@explains_arguments
def learned_attack(
    confidential: FrameLike,
    release: FrameOrFrames,
    *,
    synthesized: ColumnNames,
    known: ColumnNames | None = None,
    radius: float | Mapping[str, float | str] | None = None,
    rng: RngLike = 1,
) -> LearnedAttackResult:
    r"""Attack values by learning how they follow from the released values.

    Row i of every dataset must be about record i. An intruder knows the confidential values of half of the people, learns from
    them with a forest, and predicts each synthesized value of the other half. Compare `right` with `baseline`, the best of
    three predictions that do not see the person's own released values. An honest model that draws each value independently
    given the known variables gives no advantage. Every fixed map gives a large one, because the intruder undoes it: another
    currency, a recoding, rounding, permuted labels; and so does small noise.

    Parameters
    ----------
    confidential : pandas.DataFrame or Dataset, n rows
        The data as collected.
    release : DataFrame, sequence of DataFrames, Release, or paths of files
        m datasets with n rows each, in the order of `confidential`.
    synthesized : sequence of str
        The attacked columns.
    known : sequence of str, optional
        Columns of which the intruder knows the confidential values of all people. Default: all other columns that both files
        have.
    radius : number >= 0 or mapping {column: number >= 0 or text}, optional
        A prediction of an amount is right within ``radius * abs(y)``. A single number applies to all numbers with more than 20
        values. For dates, a text such as ``"1m"`` is an absolute radius. Default: 0.1 for numbers with more than 20 values. All
        other columns are compared by equality.
    rng : int, numpy.random.Generator or None
        Seed or generator for the sample and the forests. Default: 1.

    Returns
    -------
    LearnedAttackResult

    Raises
    ------
    InputError
        If a column is missing from a file, is both known and synthesized, or the radius is not a number >= 0.
    RowAlignmentError
        A dataset has another number of rows or another index than `confidential`.
    DtypeMismatchError
        A column has another type in the release.

    Warns
    -----
    UndefinedStatisticWarning
        With fewer than 60 records, all numbers are NaN.

    Notes
    -----
    At most 2,000 people, drawn with `rng`, are attacked. The attack is the better of two predictions. The first is a forest of
    30 trees (Breiman 2001, Machine Learning 45; leaves of 2, half of the columns per split) on the known variables, every
    dataset's value of the column, and for each synthesized column the mode, the number of datasets with this mode, the mean, the
    median and the geometric mean over the datasets. The second is one of these values of the column times one factor.
    The baseline is the best of a forest on the known variables, a ridge regression on their values, logarithms, ranks and
    indicators, and a forest that also sees the released value which the known variables predict in other people's records.

    The test of McNemar compares attack and baseline on the same people: :math:`z = (b - c)/\sqrt{b + c}` with b people for whom
    only the attack is right and c for whom only the baseline is right. With m > 1, an advantage is compared with the *twin*: an
    attack on the last dataset instead of the truth, both from the first m - 1 datasets. If an honest model is too fine, the
    last dataset is as easy to predict as the truth.

    `level` is "CHECK" from 10 points with z >= 5, and from 5 points with z >= 4 if the truth is ahead of the twin by 10 people
    with z >= 4. It is "STOP" if the first condition holds with 50 points, with 95% right, or with 20 points ahead of the twin
    (z >= 5). It is also "STOP" from 95% right with at most a quarter of the baseline's errors and z >= 5. The twin never cancels
    a "STOP", because a fixed map is the same in all datasets.

    References
    ----------
    McNemar, Q. (1947). Note on the sampling error of the difference between correlated proportions or percentages.
    Psychometrika 12.

    Examples
    --------
    >>> import numpy as np
    >>> import pandas as pd
    >>> import synthlab as sl
    >>> draw = np.random.default_rng(1)
    >>> people = pd.DataFrame({"age": draw.integers(18, 80, 400), "income": draw.lognormal(8, 0.6, 400).round()})
    >>> euros = people.assign(income=1.3 * people["income"])
    >>> print(sl.learned_attack(people, euros, synthesized=["income"]).title)
    An intruder who learns from half of the people predicts income within 10% for 100% of the others; 14.5% without the released values.
    >>> drawn = people.assign(income=draw.lognormal(8, 0.6, 400).round())
    >>> sl.learned_attack(people, drawn, synthesized=["income"]).level is None
    True
    """
    frame = _checks.check_frame(confidential, "confidential")
    datasets = as_release(release, name="release", like=frame)
    made = _checks.check_columns(frame, synthesized, "synthesized", where="confidential")
    if known is None:
        known = [c for c in frame.columns if c not in made and c in datasets[0].columns]
    given = _checks.check_columns(frame, known, "known", where="confidential", allow_empty=True)
    _checks.check_disjoint(given, made)
    _checks.check_columns(datasets[0], made, "synthesized", where="release")
    _checks.check_rows_aligned(frame, datasets.frames)
    _checks.check_same_kind(frame, datasets.frames, made)
    for number, one in enumerate((frame, *datasets)):
        where = f"synthetic dataset {number}" if number else "confidential"
        _checks.check_finite_or_missing(
            one, made if number else [*given, *made], where=where, numeric=[], missing="category"
        )
    frame, *frames = _checks.with_plain_numbers([frame, *datasets], made)
    [frame] = _checks.with_plain_numbers([frame], given)
    radii = _radii(frame, made, radius)
    draw = _rng.as_generator(rng)
    n = len(frame)
    if n < FEWEST:
        warn(
            f"learned_attack: there are {n} records, and at least {FEWEST} are required; all numbers are NaN",
            UndefinedStatisticWarning,
        )
        empty = pd.DataFrame(np.nan, index=pd.Index(made, name="column"), columns=list(NUMBERS)).assign(level=None)
        return LearnedAttackResult(empty, n, n, datasets.m, {}, tuple(given))
    chosen = draw.permutation(n)[:SAMPLE]
    sample = [one.iloc[chosen].reset_index(drop=True) for one in (frame, *frames)]
    columns = {c: guesses.coded([one[[c]] for one in sample], c, radii.get(c)) for c in made}
    values = [guesses.coded([sample[0][[c]]], c, None).values[0] for c in given]
    attack = _Attack(
        np.column_stack([*values, np.zeros(len(chosen))]),
        columns,
        np.arange(len(chosen)) % 2,
        draw.permutation(len(chosen)) % 2,
    )
    seeds = draw.integers(2**31 - 1, size=len(made))
    rows = [attack.on(c, int(seed)) for c, seed in zip(made, seeds, strict=True)]
    table = pd.DataFrame(rows, index=pd.Index(made, name="column"), columns=[*NUMBERS, "level"])
    table["level"] = table["level"].astype(object).where(table["level"].notna(), None)
    radii = {c: one.radius for c, one in columns.items() if one.radius}
    return LearnedAttackResult(table, len(chosen), n, datasets.m, radii, tuple(given))


def _radii(
    frame: pd.DataFrame, synthesized: ColumnNames, radius: float | Mapping[str, float | str] | None
) -> dict[str, float]:
    """Return the checked radius of each column for which the caller gives one."""
    if radius is None:
        return {}
    if not isinstance(radius, Mapping):
        value = _checks.check_number(radius, "radius", low=0.0)
        return {
            c: value
            for c in synthesized
            if _checks.kind_of(frame[c]) == "number" and frame[c].nunique() > guesses.MANY_VALUES
        }
    if unknown := [c for c in radius if c not in synthesized]:
        raise InputError(f"radius: {_checks.named(unknown)} is not in synthesized")
    return _checks.check_radius(radius, confidential=frame, known=(), synthesized=list(radius))


@dataclass(frozen=True, slots=True, eq=False)
class _Attack:
    """Data on the sample that the intruder uses.

    known : (n, k + 1) values of the known columns, and a constant
    columns : the synthesized columns
    half : (n,) the half of each person, attacked by the other half
    part : (n,) another division into halves, for released values that other people's records predict
    """

    known: FloatArray
    columns: Mapping[str, Coded]
    half: IntArray
    part: IntArray

    def on(self, name: str, seed: int) -> dict[str, float | str | None]:
        """Return the row of the table for one column."""
        column = self.columns[name]
        m, truth = len(column.released), column.values[0]
        right = self._right(name, truth, m, seed)
        baseline = self._baseline(name, seed)
        points, z = _advantage(right, baseline)
        twin = Advantage(np.nan, np.nan)
        if m > 1 and points >= FEW_POINTS and z >= FEW_Z:
            twin = _advantage(*(self._right(name, target, m - 1, seed) for target in (truth, column.released[-1])))
        shares = (float(right.mean()), float(baseline.mean()))
        level = _level(*shares, Advantage(points, z), twin, len(truth))
        return dict(zip((*NUMBERS, "level"), (*shares, points, z, *twin, level), strict=True))

    def _right(self, name: str, truth: FloatArray, datasets: int, seed: int) -> BoolArray:
        """Return for whom the better of the two attacks is right, from the first datasets."""
        column = self.columns[name]
        own = np.column_stack([column.released[:datasets].T, guesses.summaries(column, datasets)])
        others = [guesses.summaries(one, datasets) for other, one in self.columns.items() if other != name]
        forest = np.zeros(len(truth), dtype=bool)
        direct = forest.copy()
        seen = guesses.ranks(np.column_stack([own, self.known, *others]))
        for train, test in self._halves():
            forest[test] = column.is_right(guesses.forest_guess(seen, column, truth, train, test, seed), truth[test])
            direct[test] = column.is_right(guesses.direct_guess(own, column, truth, train, test), truth[test])
        return max(forest, direct, key=np.mean)

    def _baseline(self, name: str, seed: int) -> BoolArray:
        """Return for whom the best of three predictions is right that do not see the person's own released values."""
        column, truth = self.columns[name], self.columns[name].values[0]
        known = guesses.ranks(self.known)
        released = guesses.ranks(
            guesses.summaries(column, len(column.released))[:, -1:] if column.amount else column.released[:1].T
        )
        smooth = guesses.predicted_release(known, released[:, 0], self.part, seed)
        wider = np.column_stack([known, guesses.ranks(smooth[:, None])])
        found = np.zeros((3, len(truth)), dtype=bool)
        for train, test in self._halves():
            for place, guess in enumerate(
                (
                    guesses.forest_guess(known, column, truth, train, test, seed),
                    guesses.forest_guess(wider, column, truth, train, test, seed),
                    guesses.linear_guess(self.known, column, truth, train, test),
                )
            ):
                found[place, test] = column.is_right(guess, truth[test])
        return np.asarray(found[found.mean(axis=1).argmax()])

    def _halves(self) -> list[tuple[IntArray, IntArray]]:
        return [(np.flatnonzero(self.half != k), np.flatnonzero(self.half == k)) for k in HALVES]


def _advantage(one: BoolArray, other: BoolArray) -> Advantage:
    """Return the advantage of one attack over another, with z of McNemar's test (0 if they never differ)."""
    difference = one.astype(np.float64) - other
    differ = np.abs(difference).sum()
    return Advantage(float(100 * difference.mean()), float(difference.sum() / np.sqrt(differ)) if differ else 0.0)


def _level(right: float, baseline: float, over: Advantage, twin: Advantage, people: int) -> Level | None:
    """Return the level of one column; comparisons with a twin that was not tried (NaN) are false."""
    large = over.points >= POINTS and over.z >= Z
    certain = right >= SURE and 1 - right <= ERRORS * (1 - baseline) and over.z >= Z
    if certain or (large and (over.points >= MANY_POINTS or right >= SURE)):
        return "STOP"
    if large:
        return "STOP" if twin.points >= TWIN_POINTS and twin.z >= Z else "CHECK"
    return "CHECK" if twin.z >= FEW_Z and twin.points * people >= 100 * AHEAD else None
