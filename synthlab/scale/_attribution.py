"""Correct attribution probability (CAP) in files larger than memory."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Any, Literal

import numpy as np
import pandas as pd

from synthlab import _checks
from synthlab._typing import BoolArray, FloatArray, IntArray, PathOrStr
from synthlab._warnings import warn
from synthlab.exceptions import InputError, UndefinedStatisticWarning
from synthlab.intruder import Intruder, check_intruder, resolved
from synthlab.risk._attack_result import AttackResult
from synthlab.risk.attribute import _cap_scores
from synthlab.risk.attribute._equivalence_classes import Values, best_constant, sums_near
from synthlab.risk.attribute.cap import OWN_ABSENT, CapResult as InMemoryResult, Variant
from synthlab.scale import _cells, _cluster
from synthlab.scale._cells import Cells
from synthlab.scale._count import Tally
from synthlab.scale._exact_sums import exact_sum
from synthlab.scale._moments import Moments, moments
from synthlab.scale._source import Source

IN_MEMORY: Any = InMemoryResult
Absent = Literal["zero", "drop", "marginal"]
A_NUMBER = 64  # bytes of a distinct number of a target, an interval, or a count, with the copies that sorting makes


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class CapResult(AttackResult):
    """Correct attribution probability of a release; numbers, intervals and tables are those of the result in memory.

    Attributes
    ----------
    scores : Moments
        Sums over the records, of which means and intervals are made.
    counted, absent : numpy.ndarray of int, shape (m,)
        Targets in the denominator, and targets whose key occurs in no synthetic record.
    confidential : float
        The same measure on the confidential data against themselves.
    best_constant : float
        The largest share of the targets for whom one answer, the same for all, is right.
    n : int
        Targets.
    intruder : Intruder
        The intruder; ``intruder.known`` are the keys.
    target : str
        The variable guessed.
    variant, absent_rule, near : str
        As asked for, and when a value counts as the right one.
    """

    scores: Moments
    counted: IntArray
    absent: IntArray
    confidential: float
    best_constant: float
    n: int
    intruder: Intruder
    target: str
    variant: str
    absent_rule: str
    near: str

    @property
    def m(self) -> int:
        """Number of synthetic datasets."""
        return self.counted.size

    def to_frame(self) -> pd.DataFrame:
        """Return one row per dataset 1..m: attack, baseline, targets counted, targets with an absent key."""
        return self.scores.to_frame().assign(counted=self.counted, absent=self.absent)

    def summary(self) -> pd.DataFrame:
        """Return attack, baseline and excess with intervals, the best constant answer, and the confidential data."""
        return pd.DataFrame(IN_MEMORY.summary(self))

    @property
    def title(self) -> str:
        """The variable guessed, the keys it is guessed from, and which targets count."""
        return str(IN_MEMORY.title.fget(self))


def cap(
    confidential: Any,
    synthetic: Any,
    intruder: Intruder,
    *,
    target: str,
    variant: Variant = "cap",
    absent: Absent | None = None,
    threshold: float = 1.0,
    level: float = 0.95,
    id: str | None = None,
    output: PathOrStr | None = None,
    partition_rows: int | None = None,
) -> CapResult:
    """Correct attribution probability (CAP) in files larger than memory.

    The numbers are those of `synthlab.cap`. No ids are needed: the order of the records plays no part.

    Parameters
    ----------
    confidential : path or dask DataFrame
        The data as collected; its records are the targets.
    synthetic : path, dask DataFrame, or a list of them
        m datasets of one number of records.
    intruder : Intruder
        As in memory, with all records as `targets`.
    target : str
        The variable the intruder wants to know, one of the synthesized; measurements with a radius.
    variant : {"cap", "dcap", "tcap", "tcap_released"}
        As in memory.
    absent : {None, "zero", "drop", "marginal"}
        As in memory; "nearest" compares all keys with all and is left to memory.
    threshold, level : float
        As in memory.
    id, output : str and path, optional
        The column of the confidential data that tells records apart, which is compared with nothing, and a new folder for Parquet
        files with a row a confidential record: its id, its `baseline`, and of each dataset `attack_1`, `weight_1`, `absent_1`, ..., as of the result in memory.
    partition_rows : int, optional
        The most records read at a time, about. By default as many as the memory of the workers takes.

    Returns
    -------
    CapResult

    Raises
    ------
    InputError, DtypeMismatchError, MissingValueError
        As in memory; and if a target with a radius has more distinct numbers than a worker holds.

    Warns
    -----
    UndefinedStatisticWarning, NoBetterThanBaselineWarning
        As in memory.

    Notes
    -----
    All that is kept of a file is how many records there are of each combination of keys and target. Those of one key are
    counted in one place, and the distinct numbers of a target with a radius go to all: rounded numbers take less memory.

    Examples
    --------
    >>> import tempfile, pandas as pd, synthlab as sl
    >>> people = pd.DataFrame({"region": list("NNNSSS"), "ill": ["yes", "yes", "no", "no", "no", "no"]})
    >>> folder = tempfile.mkdtemp()
    >>> people.to_parquet(f"{folder}/people.parquet")
    >>> people.assign(ill=["yes", "yes", "yes", "no", "no", "yes"]).to_parquet(f"{folder}/released.parquet")
    >>> someone = sl.Intruder(known=["region"], synthesized=["ill"])
    >>> files = [f"{folder}/people.parquet", f"{folder}/released.parquet"]
    >>> risk = sl.scale.cap(*files, someone, target="ill")
    >>> round(risk.attack, 4), round(risk.baseline, 4), round(risk.confidential, 4)
    (0.6667, 0.5556, 0.7778)
    """
    check_intruder(intruder, "cap", ("boundary", "missing"), norms=("box",))
    _checks.check_choice(variant, "variant", tuple(OWN_ABSENT))
    rule = (
        OWN_ABSENT[variant] if absent is None else _checks.check_choice(absent, "absent", ("zero", "drop", "marginal"))
    )
    if variant.startswith("tcap") and rule != "drop":
        raise InputError(f"absent={absent!r}: {variant} leaves absent keys out by definition; use 'drop' or None")
    threshold = _checks.check_number(threshold, "threshold", low=0.0, high=1.0, open_low=True)
    level = _checks.check_number(level, "level", low=0.0, high=1.0, open_low=True, open_high=True)
    everything, fit = _cells.opened(confidential, synthetic, partition_rows)
    keys = _cells.check_keys(everything, intruder, "cap")
    target = _checks.check_column(_cells.headers(everything)[0], target, "target", where="confidential")
    if target in keys or target not in intruder.synthesized:
        raise InputError(
            f"target={target!r}: must be among the synthesized variables of the intruder, one of which is guessed"
        )
    never = intruder.missing == "never"
    intruder, near = _met(intruder, everything[0], target)
    _cells.check_missing(everything, [*keys, target], intruder.missing)
    _cells.check_finite(everything, [*keys, target])
    with _cells.labels(id, output, everything) as asked:
        sizes, told = _cells.tabulated(everything, [target], target, fit, partial(_levels, near=near))
        margin = _margin(told, near, target, never)
        question = _Question(near, never, margin, sizes, variant, rule, threshold)
        finish, of_cell = partial(_scored, question=question), partial(_of_each, question=question)
        _, told = _cells.tabulated(everything, keys, target, fit, finish, asked, of_cell)
    sums = np.array([[float(v) for v in row] for row in np.sum([one["sums"] for one in told], axis=0)])
    scores = moments(sizes[0], sums[:, 1:], np.sum([one["gram"] for one in told], axis=0), level)
    _warn_if_undefined(scores, variant)
    scores.warn_if_useless(f"{variant.upper()} of {target!r}")
    counted, empty = (np.sum([one[name] for one in told], axis=0) for name in ("counted", "absent"))
    return CapResult(
        scores=scores,
        counted=_checks.read_only(counted),
        absent=_checks.read_only(empty),
        confidential=float(sums[0, 0] / sums[2, 0]) if sums[2, 0] else float("nan"),
        best_constant=best_constant(margin.values, margin.count[:, 0]),
        n=sizes[0],
        intruder=intruder,
        target=target,
        variant=variant,
        absent_rule=rule,
        near=_cap_scores.near_words(intruder, target, intruder.radii),
    )


@dataclass(frozen=True, slots=True)
class _Near:
    """When a number counts as the right one: within `radius` of it; `missing` is the meaning of a missing number."""

    target: str
    radius: float
    kind: str
    closed: bool
    missing: str

    def values(self, cells: Cells, codes: IntArray) -> Values:
        """Return the targets of the cells as numbers with their intervals."""
        values = [] if cells.value is None else cells.value.array
        numbers = _cap_scores.numbers(pd.Series(values, name=self.target), self.missing)
        lower, upper = _cap_scores.interval(numbers, self.radius, self.kind)
        return Values(codes, codes[:, None], numbers, lower, upper, self.closed)


@dataclass(frozen=True, slots=True, eq=False)
class _Margin:
    """The distinct values of the target, with the records of each in every file, (values, 1 + m).

    `place` finds a value that is compared by value; `values` are numbers with their intervals, of others the places.
    """

    place: dict[Any, int]
    values: Values
    count: IntArray


@dataclass(frozen=True, slots=True, eq=False)
class _Question:
    """The question asked of the cells of some keys, and the margin of the target in files of `sizes`.

    never : whether a missing value equals nothing.
    """

    near: _Near | None
    never: bool
    margin: _Margin
    sizes: Sequence[int]
    variant: str
    rule: str
    threshold: float


def _met(intruder: Intruder, confidential: Source, target: str) -> tuple[Intruder, _Near | None]:
    """Return the intruder who has met the data, and how near a target must be, None where it is compared by value."""
    sample = _cells.some_of(confidential, target).to_frame(target)
    radius = _cap_scores.radius_of(sample, intruder, target)
    if (radius is None or radius == {}) and _checks.looks_continuous(sample[target]):
        raise InputError(
            f"target={target!r}: looks continuous and has no radius: exact equality is almost surely not wanted; give "
            f"radius={{{target!r}: 0.1}}, or radius={{{target!r}: 0}} if equality is meant"
        )
    width = _checks.check_radius(radius, confidential=sample, known=(), synthesized=[target], continuous_known=False)
    closed = intruder.boundary == "closed"
    near = _Near(target, width[target], intruder.radius_kind, closed, intruder.missing) if width else None
    return resolved(intruder, width), near


def _name(value: Any) -> Any:
    return None if pd.isna(value) else value


def _levels(cells: Cells, near: _Near | None) -> Tally:
    if near is not None:
        return {"values": near.values(cells, np.zeros(len(cells.count), dtype=np.int64)), "count": cells.count}
    return {"names": [_name(value) for value in _listed(cells)], "count": cells.count}


def _listed(cells: Cells) -> list[Any]:
    return [] if cells.value is None else list(cells.value.tolist())


def _margin(told: Sequence[Tally], near: _Near | None, target: str, never: bool) -> _Margin:
    count = np.concatenate([one["count"] for one in told])
    everywhere = np.zeros(len(count), dtype=np.int64)
    if near is None:
        place = {name: at for at, name in enumerate(name for one in told for name in one["names"])}
        number = np.arange(len(count), dtype=np.float64)
        if never and None in place:
            number[place[None]] = np.nan
        return _Margin(place, Values(everywhere, everywhere[:, None], number, number, number, True), count)
    if len(count) > _cluster.room(A_NUMBER * (2 + count.shape[1])):
        raise InputError(
            f"target={target!r}: has {len(count):,} distinct numbers, more than a worker holds beside its part of the files; round "
            "it in all files, or give workers more memory"
        )
    value, lower, upper = (
        np.concatenate([getattr(one["values"], end) for one in told]) for end in ("value", "lower", "upper")
    )
    return _Margin({}, Values(everywhere, everywhere[:, None], value, lower, upper, near.closed), count)


def _scored(cells: Cells, question: _Question) -> Tally:
    people = cells.count[:, 0].astype(np.float64)
    share = _shares(cells, question)
    attack, weight, empty = _score(cells, share, question)
    # Column 0 is of the confidential data against themselves.
    parts = np.stack([weight * attack, weight * share[:, [0]], weight])
    flat = parts[:, :, 1:].transpose(1, 0, 2).reshape(len(people), -1)
    m = parts.shape[2] - 1
    return {
        "sums": np.array([[exact_sum(people * one) for one in part.T] for part in parts], dtype=object),
        "gram": (flat.T @ (people[:, None] * flat)).reshape(3, m, 3, m),
        "counted": (cells.count[:, [0]] * (weight > 0))[:, 1:].sum(axis=0),
        "absent": (cells.count[:, [0]] * empty)[:, 1:].sum(axis=0),
    }


def _shares(cells: Cells, question: _Question) -> FloatArray:
    """Return the share of the records of each file whose target is near that of the cell."""
    margin, near = question.margin, question.near
    if near is None:
        found = _present(cells, margin.count[[margin.place[_name(value)] for value in _listed(cells)]], question)
    else:
        mine = near.values(cells, np.zeros(len(cells.count), dtype=np.int64))
        found = sums_near(mine.codes, mine.lower, mine.upper, margin.values, margin.count)
    return np.asarray(found / np.array(question.sizes))


def _present(cells: Cells, count: IntArray, question: _Question) -> IntArray:
    """Return counts of the cells, 0 where the target is missing and a missing value equals nothing."""
    if not question.never or cells.value is None:
        return count
    return np.where(_checks.missing_mask(cells.value)[:, None], 0, count)


def _near(cells: Cells, count: IntArray, question: _Question) -> IntArray:
    """Return how many records of `count`, (cells, 1 + m), have the key of each cell and a target near its own."""
    if question.near is None:
        return _present(cells, count, question)
    mine = question.near.values(cells, cells.key)
    return sums_near(mine.codes, mine.lower, mine.upper, mine, count)


def _of_each(cells: Cells, question: _Question) -> pd.DataFrame:
    share = _shares(cells, question)
    attack, weight, empty = _score(cells, share, question)
    released = {"attack": attack[:, 1:], "weight": weight[:, 1:], "absent": empty[:, 1:]}
    return _cells.of_datasets({"baseline": share[:, 0], **released})


def _score(cells: Cells, share: FloatArray, question: _Question) -> tuple[FloatArray, FloatArray, BoolArray]:
    """Return each cell's score, its weight in the mean, and whether its key is absent, of each file as if released."""
    rule, variant = question.rule, question.variant
    if question.never:  # no record has the key of a record with a missing key
        count, sizes = (np.where(cells.lost[:, None], 0, one) for one in (cells.count, cells.sizes))
        cells = replace(cells, count=count, sizes=sizes)
    empty = cells.sizes == 0
    right = _near(cells, cells.count, question) / np.maximum(cells.sizes, 1)
    if not variant.startswith("tcap"):
        weight = np.where(empty & (rule == "drop"), 0.0, 1.0)
        return np.where(empty & (rule == "marginal"), share, right), weight, empty
    chosen = np.where((right >= question.threshold - 1e-12) & (cells.count > 0), cells.count, 0)
    size = np.zeros((int(cells.key.max()) + 1, chosen.shape[1]), dtype=np.int64)
    np.add.at(size, cells.key, chosen)
    of_key = size[cells.key]
    weight = (of_key > 0).astype(np.float64)
    if variant == "tcap_released":
        weight = of_key / np.maximum(cells.sizes[:, [0]], 1)
    return _near(cells, chosen, question) / np.maximum(of_key, 1), weight, empty


def _warn_if_undefined(scores: Moments, variant: str) -> None:
    nobody = int((scores.sums[2] == 0).sum())
    if nobody:
        warn(
            f"no target is in the denominator of {variant.upper()} in {nobody} of {scores.sums.shape[1]} datasets: it is "
            "0/0 there, reported as NaN, and left out of the mean",
            UndefinedStatisticWarning,
            stacklevel=3,
        )
