"""Attribute disclosure (DiSCO) in files larger than memory."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any, ClassVar

import numpy as np
import pandas as pd

from synthlab import _checks
from synthlab._result import Result
from synthlab._typing import BoolArray, IntArray, PathOrStr
from synthlab.exceptions import InputError
from synthlab.intruder import Intruder, check_intruder
from synthlab.risk.attribute.attribute_disclosure import REFUSED
from synthlab.risk.identification.replicated_uniques import radius_names
from synthlab.scale import _cells
from synthlab.scale._cells import Cells
from synthlab.scale._count import Tally


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class AttributeDisclosureResult(Result):
    """Shares of records whose target value is determined by the known variables.

    Attributes
    ----------
    shares : pandas.DataFrame
        One row per dataset 1..m, as ``to_frame`` of the result in memory.
    n : int
        Number of confidential records.
    intruder : Intruder
        Intruder; ``intruder.known`` are the keys.
    target : str
        Target variable.
    """

    _table: ClassVar[str] = "to_frame"

    shares: pd.DataFrame
    n: int
    intruder: Intruder
    target: str

    @property
    def m(self) -> int:
        """Number of synthetic datasets."""
        return len(self.shares)

    def to_frame(self) -> pd.DataFrame:
        """Return the measures, one row per synthetic dataset 1..m, as in memory."""
        return self.shares.copy()

    @property
    def title(self) -> str:
        """Return the shares in a sentence."""
        on_average = " on average" if self.m > 1 else ""
        return (
            f"The release tells {self.target} rightly and for sure of {self.shares['DiSCO'].mean():.1%} of {self.n:,} people"
            f"{on_average} (DiSCO), to an intruder who knows {', '.join(self.intruder.known)}; the confidential data would tell it "
            f"of {self.shares['Dorig'].mean():.1%} (Dorig)"
        )


def attribute_disclosure(
    confidential: Any,
    synthetic: Any,
    intruder: Intruder,
    *,
    target: str,
    harmless: Sequence[object] = (),
    id: str | None = None,
    output: PathOrStr | None = None,
    partition_rows: int | None = None,
) -> AttributeDisclosureResult:
    """Compute the attribute disclosure by a release of files larger than memory.

    The shares equal those of `synthlab.attribute_disclosure`. The order of records does not matter, so ids are not
    required.

    Parameters
    ----------
    confidential : path or dask DataFrame
        Confidential data.
    synthetic : path, dask DataFrame, or a list of them
        The m synthetic datasets, all with the same number of records.
    intruder : Intruder
        As in `synthlab.attribute_disclosure`.
    target : str
        Target variable, compared by value.
    harmless : sequence of values
        As in `synthlab.attribute_disclosure`.
    id, output : str and path, optional
        Column with the record ids of the confidential data, which is not compared, and a new folder for Parquet files.
        The files have one row per confidential record: its id, whether the confidential data determine its target, and
        `present_1`, `claimed_1`, `disclosed_1`, ... for each dataset, as in the result in memory.
    partition_rows : int, optional
        Approximate maximum number of records read at a time; by default limited by the memory of the workers.

    Returns
    -------
    AttributeDisclosureResult

    Raises
    ------
    InputError, DtypeMismatchError, MissingValueError
        As in `synthlab.attribute_disclosure`.

    Examples
    --------
    >>> import tempfile, pandas as pd, synthlab as sl
    >>> people = pd.DataFrame({"region": list("NNSSEE"), "ill": ["yes", "yes", "no", "no", "no", "yes"]})
    >>> folder = tempfile.mkdtemp()
    >>> people.to_parquet(f"{folder}/people.parquet")
    >>> people.assign(ill=["yes", "yes", "no", "yes", "yes", "yes"]).to_parquet(f"{folder}/released.parquet")
    >>> someone = sl.Intruder(known=["region"], synthesized=["ill"])
    >>> files = [f"{folder}/people.parquet", f"{folder}/released.parquet"]
    >>> float(sl.scale.attribute_disclosure(*files, someone, target="ill").shares["DiSCO"].iloc[0])
    0.5
    """
    check_intruder(intruder, "attribute_disclosure", ("missing",))
    target = _checks.check_text(target, "target")
    if target not in intruder.synthesized:
        raise InputError("target: must be a synthesized variable of the intruder")
    everything, fit = _cells.opened(confidential, synthetic, partition_rows)
    known = _cells.check_keys(everything, intruder, "attribute_disclosure", REFUSED)
    if target in radius_names(intruder) or _cells.looks_continuous(everything[0], target):
        raise InputError(
            f"target={target!r}: holds measurements, which are never equal; group them first, for example with group_numbers"
        )
    _cells.check_missing(everything, [*known, target], intruder.missing)
    listed = [] if not len(harmless) else _checks.check_list(harmless, "harmless", "a list of values of the target")
    if odd := [at for at, one in enumerate(listed) if not pd.api.types.is_scalar(one)]:
        raise InputError(f"harmless: must be a list of values of the target; position {odd[0]} is not a value")
    with _cells.labels(id, output, everything) as asked:
        sizes, told = _cells.tabulated(
            everything,
            known,
            target,
            fit,
            partial(_disclosed, harmless=listed),
            asked,
            partial(_of_each, harmless=listed),
        )
        _check_found(listed, told)
    return AttributeDisclosureResult(_shares(told, sizes), sizes[0], intruder, target)


def _check_found(listed: Sequence[Any], told: Sequence[Tally]) -> None:
    for at in range(len(listed)):
        if not any(one["harmless"][at] for one in told):
            raise InputError(f"harmless: the value at position {at} of {len(listed)} does not occur in the target")


def _marks(cells: Cells, harmless: list[Any]) -> tuple[BoolArray, dict[str, BoolArray], BoolArray, list[BoolArray]]:
    """Return masks: determined, present in the release (cells, m), kept, harmless."""
    found = [_same(cells.value, one) for one in harmless]
    kept = ~np.any(found, axis=0) if found else np.ones(cells.key.size, dtype=bool)
    sure = (cells.count == cells.sizes) & (cells.count > 0)
    sure_key = np.zeros((int(cells.key.max()) + 1, sure.shape[1]), dtype=bool)
    np.logical_or.at(sure_key, cells.key, sure)
    present = ((cells.sizes > 0) & kept[:, None])[:, 1:]
    claimed = sure_key[cells.key][:, 1:] & present
    disclosed = (cells.count[:, 1:] > 0) & claimed
    return sure, {"present": present, "claimed": claimed, "disclosed": disclosed}, kept, found


def _of_each(cells: Cells, harmless: list[Any]) -> pd.DataFrame:
    sure, marks, kept, _ = _marks(cells, harmless)
    return _cells.of_datasets({"determined": sure[:, 0] & kept, **marks})


def _disclosed(cells: Cells, harmless: list[Any]) -> Tally:
    value: Any = cells.value
    sure, marks, kept, found = _marks(cells, harmless)
    people, disclosed = cells.count[:, 0], marks["disclosed"]
    determined = sure[:, 0] & kept
    if pd.api.types.is_float_dtype(value.dtype):
        value = pd.Series(_checks.without_rounding_errors(_checks.as_float(value)))
    level = pd.factorize(value, use_na_sentinel=False)
    told = [np.bincount(level[0], weights=people * one, minlength=len(level[1])) for one in disclosed.T]
    names = [None if pd.isna(name) else name for name in level[1]]
    return {
        "harmless": [bool(one.any()) for one in found],
        "determined": int(people[determined].sum()),
        "synthetic": (cells.count * (sure & kept[:, None])).sum(axis=0)[1:],
        **{
            name: (people[:, None] * where).sum(axis=0)
            for name, where in {**marks, "both": disclosed & determined[:, None]}.items()
        },
        "levels": [dict(zip(names, counts.astype(np.int64).tolist(), strict=True)) for counts in told],
        "largest": (people[:, None] * disclosed).max(axis=0),
        "cells": (disclosed & (people > 0)[:, None]).sum(axis=0),
    }


def _same(value: Any, one: Any) -> BoolArray:
    same = value.isna() if pd.isna(one) else (value == one).fillna(False)
    return np.asarray(same.to_numpy(dtype=bool))


def _shares(told: Sequence[Tally], sizes: Sequence[int]) -> pd.DataFrame:
    n, m = sizes[0], len(sizes) - 1
    sums: dict[str, IntArray] = {
        name: np.sum([one[name] for one in told], axis=0)
        for name in ("present", "claimed", "disclosed", "both", "synthetic", "cells")
    }
    most = []
    for dataset in range(m):
        levels: dict[Any, int] = {}
        for one in told:
            for name, count in one["levels"][dataset].items():
                levels[name] = levels.get(name, 0) + count
        most.append(max(levels.values(), default=0))
    disclosed = sums["disclosed"]
    with np.errstate(invalid="ignore", divide="ignore"):
        columns = {
            "Dorig": np.full(m, sum(one["determined"] for one in told) / n),
            "Dsyn": sums["synthetic"] / sizes[1],
            "iS": sums["present"] / n,
            "DiS": sums["claimed"] / n,
            "DiSCO": disclosed / n,
            "DiSDiO": sums["both"] / n,
            "TCAP": disclosed / sums["claimed"],
            "TCAP_present": disclosed / sums["present"],
            "level_share": np.array(most) / disclosed,
            "max_denom": np.max([one["largest"] for one in told], axis=0),
            "mean_denom": disclosed / sums["cells"],
        }
    return pd.DataFrame(columns, index=pd.RangeIndex(1, m + 1, name="dataset"))
