"""Correct attribution probability (CAP) in files larger than memory."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Any, Literal

import numpy as np
import pandas as pd

from synthlab import _checks
from synthlab._typing import FloatArray, IntArray, PathOrStr
from synthlab._warnings import warn
from synthlab.exceptions import InputError, UndefinedStatisticWarning
from synthlab.intruder import Intruder, check_intruder, resolved
from synthlab.matching.kernel import block_codes
from synthlab.risk._attack_result import AttackResult
from synthlab.risk.attribute import _cap_scores
from synthlab.risk.attribute._equivalence_classes import Values, best_constant, sums_near
from synthlab.risk.attribute.cap import OWN_ABSENT, CapResult as InMemoryResult, Variant
from synthlab.scale import _cells, _facts, _files
from synthlab.scale._cells import Cells
from synthlab.scale._engine import Tally, working
from synthlab.scale._moments import Moments, moments

IN_MEMORY: Any = InMemoryResult
Absent = Literal["zero", "drop", "marginal"]


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
        Approximate maximum number of distinct records of all files per partition; by default limited by the memory.

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
    _cells.check_output(id, output)
    options = ("cap", confidential, synthetic, output, partition_rows, intruder, target, variant, rule, threshold, id)
    with working(*options) as (work, everything):
        keys = _cells.check_keys(everything, intruder, "cap")
        target = _checks.check_column(_cells.headers(everything)[0], target, "target", where="confidential")
        if target in keys or target not in intruder.synthesized:
            raise InputError(f"target={target!r}: must be a synthesized variable of the intruder")
        types = _files.common_types(everything, [target])
        sample = _facts.samples(work, everything[0], types, [target])
        intruder = _met(intruder, sample, target)
        finite = [*keys, target]
        columns = _cells.columns_of(work, everything, keys, target, id, intruder.missing, finite, list(intruder.radii))
        values, count = _cells.margin_of(work, everything, target, columns.types[target])
        question = _Question(
            intruder, target, variant, rule, threshold, values, count, [one.rows for one in everything]
        )
        tallies = _cells.tabulated(work, everything, columns, partial(_scored, question=question))
        n = everything[0].rows
    sums = np.sum([one["sums"] for one in tallies], axis=0)
    scores = moments(n, sums[:, 1:], np.sum([one["gram"] for one in tallies], axis=0), level)
    _warn_if_undefined(scores, variant)
    scores.warn_if_useless(f"{variant.upper()} of {target!r}")
    counted, empty = (np.sum([one[name] for one in tallies], axis=0) for name in ("counted", "absent"))
    return CapResult(
        scores=scores,
        counted=_checks.read_only(counted),
        absent=_checks.read_only(empty),
        confidential=float(sums[0, 0] / sums[2, 0]) if sums[2, 0] else float("nan"),
        best_constant=best_constant(replace(question.margin(), count=count[:, 0])),
        n=n,
        intruder=intruder,
        target=target,
        variant=variant,
        absent_rule=rule,
        near=_cap_scores.near_words(intruder, target, intruder.radii),
    )


@dataclass(frozen=True, slots=True, eq=False)
class _Question:
    """Options of the measure, and the values of the target with the number of their records in each file."""

    intruder: Intruder
    target: str
    variant: str
    rule: str
    threshold: float
    values: pd.Series
    count: IntArray
    sizes: Sequence[int]

    def margin(self) -> Values:
        """Return the values of the target as one class."""
        nothing = np.zeros(len(self.values), dtype=np.int64)
        numbers, ends = self.numbers([self.values])[0]
        return Values(
            nothing, nothing[:, None], numbers, *ends, self.intruder.boundary == "closed" or not self.intruder.radii
        )

    def numbers(self, columns: Sequence[pd.Series]) -> list[tuple[FloatArray, tuple[FloatArray, FloatArray]]]:
        """Return the targets of each column as numbers, with the ends of their intervals."""
        missing, radii = self.intruder.missing, self.intruder.radii
        if not radii:
            codes = block_codes([one.to_frame(self.target) for one in columns], [self.target], missing)
            labels = [np.where(one < 0, np.nan, one) for one in codes]
            return [(one, (one, one)) for one in labels]
        found = [_cap_scores.numbers(one, missing) for one in columns]
        return [(one, _cap_scores.interval(one, radii[self.target], self.intruder.radius_kind)) for one in found]


def _met(intruder: Intruder, sample: pd.DataFrame, target: str) -> Intruder:
    """Return the intruder with the radius of the target, if it has one above 0."""
    radius = _cap_scores.radius_of(sample, intruder, target)
    if (radius is None or radius == {}) and _checks.looks_continuous(sample[target]):
        raise InputError(
            f"target={target!r}: looks continuous and has no radius; exact equality is almost certainly not what you want; give "
            f"radius={{{target!r}: 0.1}}, or radius={{{target!r}: 0}} if you want equality"
        )
    width = _checks.check_radius(radius, confidential=sample, known=(), synthesized=[target], continuous_known=False)
    return resolved(intruder, width)


def _scored(cells: Cells, question: _Question) -> tuple[Tally, dict[str, Any]]:
    frame, *frames = cells.frames
    m, intruder, target = len(frames), question.intruder, question.target
    if frame.empty:
        nobody = np.zeros(m, dtype=np.int64)
        return {"sums": np.zeros((3, 1 + m)), "gram": np.zeros((3, m, 3, m)), "counted": nobody, "absent": nobody}, {}
    values, _, _ = _cap_scores.prepare(frame, frames, intruder, target)
    counts = [*cells.counts, cells.counts[0]]
    own, *others, released = (replace(one, count=count) for one, count in zip(values, counts, strict=True))
    # The confidential data are attacked too, in column 0, as if they were released.
    rule = "zero" if question.rule == "marginal" else question.rule
    parts = [_cap_scores.score(own, other, question.variant, rule, question.threshold) for other in (released, *others)]
    columns: list[Any] = [np.column_stack([part[j] for part in parts]) for j in range(3)]
    attack, weight, empty = columns
    (_, (lower, upper)), (margin, _) = question.numbers([frame[target], question.values])
    nothing = np.zeros(len(question.values), dtype=np.int64)
    everyone = Values(nothing, nothing[:, None], margin, margin, margin, own.closed)
    share = sums_near(nothing[:1].repeat(len(frame)), lower, upper, everyone, question.count) / np.array(question.sizes)
    if question.rule == "marginal":
        attack = np.where(empty, share, attack)
    people = own.counts.astype(np.float64)
    three = np.stack([weight * attack, weight * share[:, [0]], weight])
    flat = three[:, :, 1:].transpose(1, 0, 2).reshape(len(people), -1)
    tally = {
        "sums": (people[:, None] * three).transpose(0, 2, 1).copy().sum(axis=2),
        "gram": (flat.T @ (people[:, None] * flat)).reshape(3, m, 3, m),
        "counted": own.counts @ (weight > 0)[:, 1:],
        "absent": own.counts @ empty[:, 1:],
    }
    of_each = {"attack": attack[:, 1:], "weight": weight[:, 1:], "absent": empty[:, 1:].astype(bool)}
    return tally, _cells.of_datasets({"baseline": share[:, 0], **of_each})


def _warn_if_undefined(scores: Moments, variant: str) -> None:
    nobody = int((scores.sums[2] == 0).sum())
    if nobody:
        warn(
            f"no target is in the denominator of {variant.upper()} in {nobody} of {scores.sums.shape[1]} datasets: it is "
            "0/0 there, reported as NaN, and left out of the mean",
            UndefinedStatisticWarning,
        )
