"""Near copies: people who are closer to released records than people are to each other."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from typing import ClassVar, Literal, get_args

import numpy as np
import pandas as pd

from synthlab import _checks, _rng
from synthlab._calls import explains_arguments
from synthlab._result import Result
from synthlab._system.parallel import parallel_map
from synthlab._typing import ColumnNames, FloatArray, FrameLike, FrameOrFrames, IntArray, RngLike
from synthlab.exceptions import InputError
from synthlab.release import as_release
from synthlab.risk.copies._surprise import Columns, Places, Scale, best_scores, places, surprise_by_column

CANDIDATES = 20_000  # maximum number of records with which a record is compared
COMPARISONS = 1e11  # maximum number of compared values in all datasets; with more, there are fewer candidates
FEWEST_CANDIDATES = 1_000
FEWEST = 20  # records of each file
FEWEST_SYNTHESIZED = 4  # compared columns of a partially synthetic file
THRESHOLDS = 400
TIMES = (1, 2)
CHECK, STOP, PEOPLE = 4.0, 5.0, 10
NAMED = 3  # columns that a result names
RARELY = 0.99  # share of the people to whom no other person is closer
MOSTLY = 0.4  # share of released records from which the level is STOP; at most 0.28 in 218 honest releases
COLUMNS = ["people", "z", "threshold", "times", "columns", "baseline", "candidates"]

Level = Literal["STOP", "CHECK"]
Baseline = Literal["people", "holdout", "holdout people"]


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class NearCopiesResult(Result):
    """People who are closer to released records than people, and released records, are to each other.

    Attributes
    ----------
    table : pandas.DataFrame
        One row per dataset (1..m; 0: all datasets together) and scale ("values", "ranks"). Columns: `people`, the number of
        people beyond chance; `z`; `threshold`, the score for which z is largest (infinite if z is 0); `times`, the number of released records
        that reach it (1 or 2); `columns`, which contribute most; `candidates`, the number of records with which each record
        is compared at a time; `baseline`. The baseline is "people" (other people of the
        confidential data). With a holdout sample, further rows have the baselines "holdout" (the people of the holdout
        sample instead) and "holdout people": people of the holdout sample who are closer to released records than to
        confidential ones.
    closer_people : float
        Share of the people who are closer to a released record than to any other person, minus one half, in [-0.5, 0.5];
        about 0 for an independent sample of the population, because the closest record is then in either file by chance.
    closer_share : float
        Share of the released records that are closer to a person than 99% of the people are to another person; the
        largest share of a dataset.
    compared : int
        People whose closest records were searched.
    compared_released : int
        Released records of each dataset whose closest records were searched.
    records : int
        Records in each dataset.
    n : int
        Confidential people.
    partial : bool
        Whether the release is partially synthetic, so that the level is at most "CHECK".
    variables : tuple of str
        The compared variables.
    """

    _table: ClassVar[str] = "to_frame"

    table: pd.DataFrame
    closer_people: float
    closer_share: float
    compared: int
    compared_released: int
    records: int
    n: int
    partial: bool
    variables: tuple[str, ...]
    _curves: pd.DataFrame
    _first: First

    def to_frame(self) -> pd.DataFrame:
        """Return the table, with the columns as text."""
        return self.table.assign(columns=self.table["columns"].map(", ".join))

    def curves(self) -> pd.DataFrame:
        """Return the shares above each score, in the row that decides.

        Columns: `score`; `released`, people with released records above the score; `people`, people with other people above
        it; `release`, released records with other released records above it.
        """
        return self._curves

    @property
    def levels(self) -> pd.Series:
        """The level of each row of the table: "STOP", "CHECK" or None."""
        return pd.Series(
            [graded(people, z, self.partial) for people, z in zip(self.table["people"], self.table["z"], strict=True)],
            index=self.table.index,
            dtype=object,
        )

    @property
    def level(self) -> Level | None:
        """The level of the result: "STOP", "CHECK" or None."""
        if self.from_few_people:
            return "STOP"
        return graded(float(self.worst["people"]), float(self.worst["z"]), self.partial)

    @property
    def from_few_people(self) -> bool:
        """Whether many released records are closer to a person than people are to each other.

        It is False for fewer than 100 people, because 1% of the people are then less than 1 person.
        """
        enough = self.compared >= 1 / (1 - RARELY) and self.closer_share * self.compared_released >= PEOPLE
        return enough and self.closer_share >= MOSTLY and not self.partial

    @property
    def least(self) -> bool:
        """Whether the numbers of people are lower bounds, because only a share of the records is compared at a time."""
        return bool(self.records > self.worst["candidates"] + 1)

    @property
    def worst(self) -> pd.Series:
        """The row of the table that decides: the largest z among the rows with the highest level."""
        return self.table.iloc[self.place]

    @property
    def place(self) -> int:
        """The position of the row that decides."""
        return _worst(self.table)

    @property
    def dataset(self) -> int:
        """The dataset of the row that decides; 0 for all datasets together."""
        return int(self.table.index[self.place][0])

    @property
    def title(self) -> str:
        """Sentence that states the number of people."""
        row = self.worst
        dataset, scale = self.table.index[_worst(self.table)]
        where = f"dataset {dataset}" if dataset else "all datasets together"
        return (
            f"{row['people']:,.0f} of {self.n:,} people have a released record that is closer than chance explains "
            f"(z = {row['z']:.1f}; {where}, compared by {scale}); {self.closer_people:.1%} of the people are closer to a released "
            "record than to any other person, minus one half."
        )


def graded(people: float, z: float, partial: bool) -> Level | None:
    """Return the level of a number of people beyond chance."""
    if people < PEOPLE or not z >= CHECK:
        return None
    return "STOP" if z >= STOP and not partial else "CHECK"


def _worst(table: pd.DataFrame) -> int:
    enough = (table["people"] >= PEOPLE).to_numpy()
    z = table["z"].to_numpy()
    return int(np.lexsort((z, np.where(enough, np.digitize(z, [CHECK, STOP]), 0)))[-1])


@dataclass(frozen=True, slots=True, eq=False)
class Compared:
    """Best scores in one dataset on one scale; scores have the shape (queries, chunks, 2).

    Attributes
    ----------
    released, people, release : numpy.ndarray
        Scores of people and released records, of people and other people, and of released records and other records of the
        same dataset.
    reverse : numpy.ndarray
        Scores of released records and people.
    another : numpy.ndarray or None
        Scores of the records of the next dataset and the released records.
    gain : numpy.ndarray, shape (p, queries)
        Score of each person and the closest released record, minus the score of the closest other person, by column.
    """

    released: FloatArray
    people: FloatArray
    release: FloatArray
    reverse: FloatArray
    another: FloatArray | None
    gain: FloatArray


@dataclass(frozen=True, slots=True, eq=False)
class First:
    """Scores in the first dataset by scale, and the people whose closest records were searched."""

    queries: IntArray
    compared: dict[Scale, Compared]


@dataclass(frozen=True, slots=True)
class Row:
    """Evidence of one set of datasets: mean difference, z, threshold, number of times and columns."""

    difference: float = 0.0
    z: float = 0.0
    threshold: float = float("inf")
    times: int = 1
    columns: tuple[int, ...] = ()


@explains_arguments
def near_copies(
    confidential: FrameLike,
    release: FrameOrFrames,
    *,
    variables: ColumnNames | None = None,
    partial: bool = False,
    control: FrameLike | None = None,
    entity: object = None,
    categorical: ColumnNames = (),
    sample: int = 1500,
    rng: RngLike = 1,
) -> NearCopiesResult:
    r"""Count people who are closer to released records than chance explains.

    The score of two records is the sum of :math:`-\log p` over the variables, where p is the probability that two records
    agree as well by chance: agreement in a rare value is more surprising. The best scores of people and released records are
    compared with the best scores of people and other people, and with those of released records and other records of their
    dataset, always among the same number of candidates. If the release is a sample of the same population, the three behave
    alike. If people were copied, also with small changes, the first are larger.

    Parameters
    ----------
    confidential : pandas.DataFrame or Dataset, n rows
        The data as collected; at least 20 rows.
    release : DataFrame, sequence of DataFrames, Release, or paths of files
        m datasets of at least 20 rows, in any order.
    variables : sequence of str, optional
        The compared variables. Default: all columns that both files have.
    partial : bool, default False
        Whether the release is partially synthetic. Then `variables` are the synthesized variables, at least 4; the next
        dataset is another baseline if m > 1, and the level is at most "CHECK".
    control : pandas.DataFrame or Dataset, optional
        Holdout sample: people of the same population who were not used for synthesis. They are a further baseline, and are
        themselves searched in the release.
    entity : array of n values, optional
        The person of each confidential record. Default: each record is a person.
    categorical : sequence of str
        Categorical variables that are stored as numbers. Default: none.
    sample : int, default 1500
        People, and released records of each dataset, whose closest records are searched. The evidence grows with the sample,
        and the limits of the levels are calibrated for 1,500.
    rng : int, numpy.random.Generator or None, default 1
        Seed of the samples.

    Returns
    -------
    NearCopiesResult

    Raises
    ------
    InputError
        If a variable is missing from a file, the files share none, or there are fewer than 20 records.
    DtypeMismatchError
        A column has another type in the release.

    Notes
    -----
    For numbers, dates and ordered categories with more than 6 values, p is the probability of a difference of ranks that is
    at most as large, at least 5 ranks. For a category, p is the frequency of the shared value. Two missing values are a
    shared category; one contributes nothing. The scale "ranks" compares ranks within each file and orders categories by their
    frequencies, so that it recognizes other units, logarithms and fixed maps. A record is compared with at most 20,000
    records, and fewer if there are many datasets; in larger files, the numbers of people are lower bounds.

    References
    ----------
    Yale, A., Dash, S., Dutta, R., Guyon, I., Pavao, A. and Bennett, K. P. (2020). Generation and evaluation of privacy
    preserving synthetic health data. Neurocomputing 416, 244-255.

    Examples
    --------
    >>> import numpy as np, pandas as pd
    >>> import synthlab as sl
    >>> rng = np.random.default_rng(1)
    >>> people, others = (pd.DataFrame(rng.normal(size=(300, 4)), columns=list("abcd")) for _ in range(2))
    >>> sl.near_copies(people, others).level, sl.near_copies(people, people * 1.1 + 0.01).level
    (None, 'STOP')
    """
    frame = _checks.check_frame(confidential, "confidential")
    made = as_release(release, name="release", like=frame)
    if variables is None:
        variables = [c for c in frame.columns if c in made[0].columns]
        if not variables:
            raise InputError("release: has no column in common with the confidential data")
    names = _checks.check_columns(frame, variables, "variables", where="confidential")
    _checks.check_columns(made[0], names, "variables", where="release")
    _checks.check_same_kind(frame, made.frames, names)
    categories = _checks.check_columns(frame, categorical, "categorical", where="confidential", allow_empty=True)
    if not names:
        raise InputError("variables: near copies require at least 1 variable")
    partial = bool(_checks.check_choice(partial, "partial", (True, False)))
    if partial and len(names) < FEWEST_SYNTHESIZED:
        raise InputError(
            f"variables: in a partially synthetic release, near copies require at least {FEWEST_SYNTHESIZED} synthesized variables"
        )
    unseen = None
    if control is not None:
        unseen = _checks.check_frame(control, "control")
        _checks.check_columns(unseen, names, "variables", where="control")
        _checks.check_same_kind(frame, [unseen], names, "control")
    for number, one in enumerate([frame, *made.frames, *([] if unseen is None else [unseen])]):
        if len(one) < FEWEST:
            where = "confidential" if not number else "control" if number > made.m else f"synthetic dataset {number}"
            raise InputError(f"{where}: near copies require at least {FEWEST} records")
    _checks.check_count(sample, "sample")
    people = _checks.check_entity(entity, len(frame))
    generator = _rng.as_generator(rng)
    return compare_files(
        frame,
        made.frames,
        names,
        partial=partial,
        categories=categories,
        unseen=unseen,
        people=people,
        sample=sample,
        rng=generator,
    )


def compare_files(
    frame: pd.DataFrame,
    made: Sequence[pd.DataFrame],
    names: Sequence[str],
    *,
    partial: bool,
    categories: Sequence[str],
    unseen: pd.DataFrame | None = None,
    people: IntArray | None = None,
    sample: int,
    rng: np.random.Generator,
) -> NearCopiesResult:
    """Return the result for validated files; the datasets can have different numbers of records."""
    m = len(made)
    people = np.arange(len(frame)) if people is None else people
    frames = [frame, *made, *([] if unseen is None else [unseen])]
    frame, *others = _checks.with_dates(_checks.with_plain_numbers(frames, names), names, categories)
    datasets, holdout = others[:m], others[m:]
    searches: list[tuple[Baseline, list[pd.DataFrame], IntArray]] = [("people", [frame], people)]
    if holdout:
        searches.append(("holdout", [frame, holdout[0]], people))
        searches.append(("holdout people", [holdout[0], frame], np.arange(len(holdout[0]))))
    keys: list[tuple[int, Scale]] = []
    rows: list[tuple[float, float, float, int, tuple[str, ...], Baseline, int]] = []
    every: list[list[Compared]] = []
    for baseline, files, persons in searches:
        compared, count, queries = _compare(files, datasets, names, categories, persons, partial, sample, rng)
        if baseline == "people":
            own = compared["values"]
            first = First(queries, {scale: parts[0] for scale, parts in compared.items()})
        total = int(np.unique(persons).size)
        for scale, parts in compared.items():
            for dataset in [*range(1, m + 1), *[0] * (m > 1)]:
                some = [parts[dataset - 1]] if dataset else parts
                row = judge(some)
                columns = tuple(names[j] for j in row.columns)
                keys.append((dataset, scale))
                rows.append(
                    (max(0.0, row.difference) * total, row.z, row.threshold, row.times, columns, baseline, count)
                )
                every.append(some)
    table = pd.DataFrame(rows, columns=COLUMNS, index=pd.MultiIndex.from_tuples(keys, names=["dataset", "scale"]))
    worst = _worst(table)
    return NearCopiesResult(
        table=table,
        closer_people=_closer_people(own),
        closer_share=max(_closer_share(part) for part in own),
        compared=len(own[0].released),
        compared_released=len(own[0].release),
        records=max(map(len, datasets)),
        n=int(np.unique(people).size),
        partial=partial,
        variables=tuple(names),
        _curves=_curves(every[worst], rows[worst][3]),
        _first=first,
    )


def _compare(
    files: list[pd.DataFrame],
    datasets: list[pd.DataFrame],
    names: Sequence[str],
    categories: Collection[str],
    persons: IntArray,
    partial: bool,
    sample: int,
    rng: np.random.Generator,
) -> tuple[dict[Scale, list[Compared]], int, IntArray]:
    """Return the scores of every dataset by scale, the number of candidates, and the rows of the sampled people.

    `files` are the people, and the holdout sample if it replaces the other people.
    """
    n, m = len(files[0]), len(datasets)
    sizes = [n, *(len(one) for one in datasets), *(len(one) for one in files[1:])]
    limit = int(COMPARISONS / (8 * m * len(names) * min(sample, n)))
    most = min(CANDIDATES, max(FEWEST_CANDIDATES, limit))
    k = min(*sizes, most + 1) - 1
    order = rng.permutation(n)
    queries = order[np.sort(np.unique(persons[order], return_index=True)[1])[:sample]]  # one record of each person
    streams = rng.spawn(m)

    def work(number: int) -> dict[Scale, Compared]:
        draw, dataset = streams[number], datasets[number]
        records = draw.permutation(len(dataset))
        released = np.sort(draw.permutation(len(dataset))[:sample])
        mixed = [draw.permutation(len(one)) for one in (files[-1], dataset)]
        mixed = [one[:most] for one in mixed]
        frames, rows = [files[0], dataset], [queries, released]
        frames += [files[-1], dataset]
        rows += mixed
        sides: list[Literal[0, 1]] = [0, 1, 0, 1]
        third = partial and m > 1
        if third:
            following = datasets[(number + 1) % m]
            frames.append(following)
            rows.append(records[records < len(following)][:sample])
            sides.append(1)
        found: dict[Scale, Compared] = {}
        whose = None if len(files) > 1 else (persons[queries], persons[mixed[0]])
        for scale, (columns, placed) in places(frames, rows, sides, names, categories).items():
            asked, given, others, cohort = placed[:4]
            spread = (
                _chunks(len(mixed[1]), k, 0),
                _chunks(len(mixed[0]), k, int(whose is not None)),
                _chunks(len(mixed[1]), k, 1),
            )
            hit, which = best_scores(columns, asked, cohort, spread[0])
            twin, twins = best_scores(columns, asked, others, spread[1], whose)
            own, _ = best_scores(columns, given, cohort, spread[2], (released, mixed[1]))
            back, _ = best_scores(columns, given, others, _chunks(len(mixed[0]), k, 0))
            next_one = best_scores(columns, placed[4], cohort, spread[0])[0] if third else None
            gain = _closest(columns, asked, cohort, hit, which) - _closest(columns, asked, others, twin, twins)
            found[scale] = Compared(hit, twin, own, back, next_one, gain)
        return found

    done = parallel_map(work, range(m), prefer="threads")
    return {scale: [one[scale] for one in done] for scale in get_args(Scale)}, k, queries


def _closest(columns: Columns, queries: Places, candidates: Places, scores: FloatArray, best: IntArray) -> FloatArray:
    """Return the score of each query and its best candidate, by column."""
    chunk = scores[:, :, 0].argmax(axis=1)
    which = best[np.arange(len(chunk)), chunk]
    found = surprise_by_column(columns, queries, candidates.take(np.maximum(which, 0)))
    return np.asarray(np.where(which >= 0, found, 0.0))


def _chunks(size: int, k: int, same: int) -> tuple[IntArray, IntArray]:
    """Divide the candidates into chunks of k, plus the record itself; the last ones can overlap."""
    length = size if size <= 1.02 * k + 2 else k + same
    begins = np.linspace(0, size - length, int(np.ceil(size / length))).round().astype(np.int64)
    return begins, begins + length


def judge(parts: Sequence[Compared]) -> Row:
    """Return the threshold and the number of times with the largest z, for the datasets together."""
    every = [one for part in parts for one in (part.released, part.people, part.release)]
    levels = np.quantile(np.concatenate([one[:, :, 0].ravel() for one in every]), np.linspace(0, 1, THRESHOLDS))
    least = 4.0 if len(parts) == 1 else 1e-9
    top = Row()
    for place, times in enumerate(TIMES):
        hit = np.mean([_above(part.released, levels, place) for part in parts], axis=0)
        twin = np.mean([_above(part.people, levels, place) for part in parts], axis=0)
        baselines = [np.concatenate([_above(part.release, levels, place) for part in parts], axis=1)]
        if parts[0].another is not None:
            rows = min(part.another.shape[0] for part in parts if part.another is not None)
            baselines.append(
                np.mean([_above(p.another[:rows], levels, place) for p in parts if p.another is not None], axis=0)
            )
        d = hit - twin
        spread = (np.square(d) * np.where(d > 0, 1, 2)).sum(axis=1)
        z = d.sum(axis=1) / np.sqrt(np.maximum(spread, least))
        difference = d.mean(axis=1)
        people = hit.shape[1]
        for baseline in baselines:
            apart = hit.mean(axis=1) - baseline.mean(axis=1)
            variance = hit.var(axis=1) / people + 2 * baseline.var(axis=1) / baseline.shape[1]
            z = np.minimum(z, apart / np.sqrt(np.maximum(variance, (2 / (people * len(parts))) ** 2)))
            difference = np.minimum(difference, apart)
        at = int(z.argmax())
        if z[at] > top.z:
            top = Row(float(difference[at]), float(z[at]), float(levels[at]), times, _named(parts, d[at]))
    return top


def _above(scores: FloatArray, levels: FloatArray, place: int) -> FloatArray:
    """Return the share of the chunks in which each query exceeds each level, shape (levels, queries)."""
    above = np.zeros((levels.size, scores.shape[0]))
    for chunk in range(scores.shape[1]):
        above += scores[:, chunk, place] > levels[:, None]
    above /= scores.shape[1]
    return above


def _named(parts: Sequence[Compared], difference: FloatArray) -> tuple[int, ...]:
    """Return the columns in which the people beyond chance are closer to released records than to other people."""
    weight = np.maximum(difference, 0)
    gain = np.mean([part.gain @ weight for part in parts], axis=0)
    order = np.argsort(-gain, kind="stable")[:NAMED]
    return tuple(int(j) for j in order if gain[j] > 0)


def _curves(parts: Sequence[Compared], times: int) -> pd.DataFrame:
    """Return the share of the queries above each score."""
    every = [one[:, :, times - 1] for part in parts for one in (part.released, part.people, part.release)]
    levels = np.unique(np.quantile(np.concatenate([one.ravel() for one in every]), np.linspace(0, 1, THRESHOLDS)))
    shares = {
        name: np.mean([_above(getattr(part, name), levels, times - 1).mean(axis=1) for part in parts], axis=0)
        for name in ("released", "people", "release")
    }
    return pd.DataFrame({"score": levels, **shares})


def _closer_people(parts: Sequence[Compared]) -> float:
    """Return the share of the people who are closer to a released record than to any person, beyond chance."""
    shares = []
    for part in parts:
        hit, twin = part.released[:, :, 0].mean(axis=1), part.people[:, :, 0].mean(axis=1)
        shares.append(((hit > twin).mean() - (hit < twin).mean()) / 2)
    return float(np.mean(shares))


def _closer_share(part: Compared) -> float:
    """Return the share of the released records that are closer to a person than RARELY of the people are to another one."""
    limit = np.quantile(part.people[:, :, 0].max(axis=1), RARELY)
    return float((part.reverse[:, :, 0].max(axis=1) > limit).mean())
