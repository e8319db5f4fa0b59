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
A_NUMBER = 64  # bytes per distinct target value, interval or count, including the copies made by sorting


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class CapResult(AttackResult):
    """Correct attribution probability (CAP) of a release.

    Numbers, intervals and tables equal those of the result in memory.

    Attributes
    ----------
    scores : Moments
        Sums over the records, from which means and intervals are computed.
    counted, absent : numpy.ndarray of int, shape (m,)
        Number of targets in the denominator, and of targets whose key occurs in no synthetic record.
    confidential : float
        The same measure with the confidential data released unchanged.
    best_constant : float
        Largest share of targets for which a single answer is correct.
    n : int
        Number of targets.
    intruder : Intruder
        The intruder; ``intruder.known`` are the keys.
    target : str
        Variable that the intruder guesses.
    variant, absent_rule, near : str
        Options of the call; `near` describes when a guess counts as correct.
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
        """Return attack, baseline and counts of targets, one row per dataset 1..m."""
        return self.scores.to_frame().assign(counted=self.counted, absent=self.absent)

    def summary(self) -> pd.DataFrame:
        """Return attack, baseline, excess, best constant answer and confidential data."""
        return pd.DataFrame(IN_MEMORY.summary(self))

    @property
    def title(self) -> str:
        """Guessed variable, its keys, and the targets that count."""
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
    """Compute the correct attribution probability (CAP) of files larger than memory.

    The numbers equal those of `synthlab.cap`. The order of records does not matter, so ids are not required.

    Parameters
    ----------
    confidential : path or dask DataFrame
        Confidential data; all records are targets.
    synthetic : path, dask DataFrame, or a list of them
        The m synthetic datasets, all with the same number of records.
    intruder : Intruder
        Intruder, as in `synthlab.cap`; `targets` must include all records.
    target : str
        Synthesized variable that the intruder guesses; a continuous variable needs a radius.
    variant : {"cap", "dcap", "tcap", "tcap_released"}
        As in `synthlab.cap`.
    absent : {None, "zero", "drop", "marginal"}
        As in `synthlab.cap`; "nearest" is not supported because it compares all pairs of keys.
    threshold, level : float
        As in `synthlab.cap`.
    id, output : str and path, optional
        Column with the record ids of the confidential data, which is not compared, and a new folder for Parquet files.
        The files have one row per confidential record: its id, its `baseline`, and `attack_1`, `weight_1`, `absent_1`,
        ... for each dataset, as in the result in memory.
    partition_rows : int, optional
        Approximate maximum number of records read at a time; by default limited by the memory of the workers.

    Returns
    -------
    CapResult

    Raises
    ------
    InputError, DtypeMismatchError, MissingValueError
        As in `synthlab.cap`; also if a target with a radius has more distinct numbers than fit into a worker.

    Warns
    -----
    UndefinedStatisticWarning, NoBetterThanBaselineWarning
        As in `synthlab.cap`.

    Notes
    -----
    Each file is reduced to the number of records of each combination of keys and target. All records with the same key are
    counted in one partition. The distinct numbers of a target with a radius are sent to all partitions, so rounding the
    target saves memory.

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
        raise InputError(f"target={target!r}: must be a synthesized variable of the intruder")
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
    """Rule for correct numbers: `radius`, and the meaning of a `missing` number."""

    target: str
    radius: float
    kind: str
    closed: bool
    missing: str

    def values(self, cells: Cells, codes: IntArray) -> Values:
        """Return the targets of the cells as numbers with intervals."""
        values = [] if cells.value is None else cells.value.array
        numbers = _cap_scores.numbers(pd.Series(values, name=self.target), self.missing)
        lower, upper = _cap_scores.interval(numbers, self.radius, self.kind)
        return Values(codes, codes[:, None], numbers, lower, upper, self.closed)


@dataclass(frozen=True, slots=True, eq=False)
class _Margin:
    """Distinct values of the target, with record counts per file, (values, 1 + m).

    `place` maps a value that is compared by value to its row. `values` contains numbers with intervals, or the rows.
    """

    place: dict[Any, int]
    values: Values
    count: IntArray


@dataclass(frozen=True, slots=True, eq=False)
class _Question:
    """Options of the measure, and the margin of the target for the file sizes in `sizes`.

    never : whether a missing value matches no value.
    """

    near: _Near | None
    never: bool
    margin: _Margin
    sizes: Sequence[int]
    variant: str
    rule: str
    threshold: float


def _met(intruder: Intruder, confidential: Source, target: str) -> tuple[Intruder, _Near | None]:
    """Return the intruder with its radii, and the rule for a numeric target or None."""
    sample = _cells.some_of(confidential, target).to_frame(target)
    radius = _cap_scores.radius_of(sample, intruder, target)
    if (radius is None or radius == {}) and _checks.looks_continuous(sample[target]):
        raise InputError(
            f"target={target!r}: looks continuous and has no radius; exact equality is almost certainly not what you want; give "
            f"radius={{{target!r}: 0.1}}, or radius={{{target!r}: 0}} if you want equality"
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
            f"target={target!r}: has {len(count):,} distinct numbers, which do not fit into the memory of a worker; round "
            "the target in all files, or give workers more memory"
        )
    value, lower, upper = (
        np.concatenate([getattr(one["values"], end) for one in told]) for end in ("value", "lower", "upper")
    )
    return _Margin({}, Values(everywhere, everywhere[:, None], value, lower, upper, near.closed), count)


def _scored(cells: Cells, question: _Question) -> Tally:
    people = cells.count[:, 0].astype(np.float64)
    share = _shares(cells, question)
    attack, weight, empty = _score(cells, share, question)
    # Column 0 compares the confidential data with themselves.
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
    """Return each file's share of records whose target is near the cell's target."""
    margin, near = question.margin, question.near
    if near is None:
        found = _present(cells, margin.count[[margin.place[_name(value)] for value in _listed(cells)]], question)
    else:
        mine = near.values(cells, np.zeros(len(cells.count), dtype=np.int64))
        found = sums_near(mine.codes, mine.lower, mine.upper, margin.values, margin.count)
    return np.asarray(found / np.array(question.sizes))


def _present(cells: Cells, count: IntArray, question: _Question) -> IntArray:
    """Return the counts of the cells; 0 for a missing target that matches no value."""
    if not question.never or cells.value is None:
        return count
    return np.where(_checks.missing_mask(cells.value)[:, None], 0, count)


def _near(cells: Cells, count: IntArray, question: _Question) -> IntArray:
    """Count the records with the key of each cell and a near target, (cells, 1 + m)."""
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
    """Return score, weight in the mean, and absence of the key for each cell and file."""
    rule, variant = question.rule, question.variant
    if question.never:  # a record with a missing key matches no record
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
