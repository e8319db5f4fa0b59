"""Correct attribution probability (CAP) in files larger than memory."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any, Literal
from warnings import warn

import numpy as np
import pandas as pd

from synthlab import _checks
from synthlab._typing import BoolArray, FloatArray, IntArray, PathOrStr
from synthlab.exceptions import InputError, UndefinedStatisticWarning
from synthlab.intruder import Intruder, check_intruder
from synthlab.risk import _cap
from synthlab.risk._attack import AttackResult
from synthlab.risk._cap import OWN_ABSENT, Variant
from synthlab.risk.uniques import radius_names
from synthlab.scale import _cells
from synthlab.scale._cells import Cells
from synthlab.scale._count import Tally
from synthlab.scale._moments import Moments, moments
from synthlab.scale._sums import exact_sum

IN_MEMORY: Any = _cap.CapResult
Absent = Literal["zero", "drop", "marginal"]


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
    """Correct attribution probability of a variable compared by value, in files larger than memory.

    The numbers are those of `synthlab.cap`. No ids are needed: the order of the records plays no part.

    Parameters
    ----------
    confidential : path or dask DataFrame
        The data as collected; its records are the targets.
    synthetic : path, dask DataFrame, or a list of them
        m datasets of one number of records.
    intruder : Intruder
        As in memory, with a target without a radius, all records as `targets`, and missing values that are an error or a value.
    target : str
        The variable the intruder wants to know, one of the synthesized; measurements in groups, such as `group_numbers` makes.
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
        As in memory.

    Warns
    -----
    UndefinedStatisticWarning, NoBetterThanBaselineWarning
        As in memory.

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
    if target in radius_names(intruder) or _cells.looks_continuous(everything[0], target):
        raise InputError(f"target={target!r}: holds measurements; give groups of them, such as group_numbers makes")
    _cells.check_missing(everything, [*keys, target], intruder.missing)
    with _cells.labels(id, output, everything) as asked:
        sizes, told = _cells.tabulated(everything, [target], target, fit, _levels)
        margin = {name: counts for one in told for name, counts in one["levels"].items()}
        options: Any = {"margin": margin, "sizes": sizes, "variant": variant, "rule": rule, "threshold": threshold}
        finish, of_cell = partial(_scored, **options), partial(_of_each, **options)
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
        best_constant=max(counts[0] for counts in margin.values()) / sizes[0],
        n=sizes[0],
        intruder=intruder,
        target=target,
        variant=variant,
        absent_rule=rule,
        near=f"{target} is equal",
    )


def _name(value: Any) -> Any:
    return None if pd.isna(value) else value


def _levels(cells: Cells) -> Tally:
    values = [] if cells.value is None else cells.value.tolist()
    return {"levels": {_name(value): counts.tolist() for value, counts in zip(values, cells.count, strict=True)}}


def _scored(
    cells: Cells, margin: dict[Any, list[int]], sizes: Sequence[int], variant: str, rule: str, threshold: float
) -> Tally:
    people = cells.count[:, 0].astype(np.float64)
    share = _shares(cells, margin, sizes)
    attack, weight, empty = _score(cells, share, variant, rule, threshold)
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


def _shares(cells: Cells, margin: dict[Any, list[int]], sizes: Sequence[int]) -> FloatArray:
    levels = [] if cells.value is None else cells.value.tolist()
    return np.asarray(np.array([margin[_name(value)] for value in levels]) / np.array(sizes))


def _of_each(
    cells: Cells, margin: dict[Any, list[int]], sizes: Sequence[int], variant: str, rule: str, threshold: float
) -> pd.DataFrame:
    share = _shares(cells, margin, sizes)
    attack, weight, empty = _score(cells, share, variant, rule, threshold)
    released = {"attack": attack[:, 1:], "weight": weight[:, 1:], "absent": empty[:, 1:]}
    return _cells.of_datasets({"baseline": share[:, 0], **released})


def _score(
    cells: Cells, share: FloatArray, variant: str, rule: str, threshold: float
) -> tuple[FloatArray, FloatArray, BoolArray]:
    """Return each cell's score, its weight in the mean, and whether its key is absent, of each file as if released."""
    empty = cells.sizes == 0
    near = cells.count / np.maximum(cells.sizes, 1)
    if not variant.startswith("tcap"):
        weight = np.where(empty & (rule == "drop"), 0.0, 1.0)
        return np.where(empty & (rule == "marginal"), share, near), weight, empty
    chosen = np.where((near >= threshold - 1e-12) & (cells.count > 0), cells.count, 0)
    size = np.zeros((int(cells.key.max()) + 1, chosen.shape[1]), dtype=np.int64)
    np.add.at(size, cells.key, chosen)
    of_key = size[cells.key]
    weight = (of_key > 0).astype(np.float64)
    if variant == "tcap_released":
        weight = of_key / np.maximum(cells.sizes[:, [0]], 1)
    return chosen / np.maximum(of_key, 1), weight, empty


def _warn_if_undefined(scores: Moments, variant: str) -> None:
    nobody = int((scores.sums[2] == 0).sum())
    if nobody:
        warn(
            f"no target is in the denominator of {variant.upper()} in {nobody} of {scores.sums.shape[1]} datasets: it is "
            "0/0 there, reported as NaN, and left out of the mean",
            UndefinedStatisticWarning,
            stacklevel=3,
        )
