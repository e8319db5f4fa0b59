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
from synthlab.matching.kernel import block_codes, record_counts
from synthlab.risk.attribute.attribute_disclosure import REFUSED, disclosed_values
from synthlab.risk.identification.replicated_uniques import radius_names
from synthlab.scale import _cells, _facts, _files
from synthlab.scale._cells import Cells
from synthlab.scale._engine import Tally, working


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
        Approximate maximum number of distinct records of all files per partition; by default limited by the memory.

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
    _cells.check_output(id, output)
    listed = [] if not len(harmless) else _checks.check_list(harmless, "harmless", "a list of values of the target")
    if odd := [at for at, one in enumerate(listed) if not pd.api.types.is_scalar(one)]:
        raise InputError(f"harmless: must be a list of values of the target; position {odd[0]} is not a value")
    options = ("attribute_disclosure", confidential, synthetic, output, partition_rows, intruder, target, harmless, id)
    with working(*options) as (work, everything):
        known = _cells.check_keys(everything, intruder, "attribute_disclosure", REFUSED)
        types = _files.common_types(everything, [target])
        sample = _facts.samples(work, everything[0], types, [target])
        if target in radius_names(intruder) or _checks.looks_continuous(sample[target]):
            raise InputError(
                f"target={target!r}: holds measurements, which are never equal; group them first, for example with group_numbers"
            )
        columns = _cells.columns_of(work, everything, known, target, id, intruder.missing)
        measure = partial(_disclosed, known=known, target=target, harmless=listed)
        tallies = _cells.tabulated(work, everything, columns, measure)
        _check_found(listed, tallies)
        sizes = [one.rows for one in everything]
    return AttributeDisclosureResult(_shares(tallies, sizes), sizes[0], intruder, target)


def _check_found(listed: Sequence[Any], tallies: Sequence[Tally]) -> None:
    for at in range(len(listed)):
        if not any(one["harmless"][at] for one in tallies):
            raise InputError(f"harmless: the value at position {at} of {len(listed)} does not occur in the target")


def _disclosed(cells: Cells, known: list[str], target: str, harmless: list[Any]) -> tuple[Tally, dict[str, Any]]:
    values = [frame[target] for frame in cells.frames]
    same = [[_same(one, value) for value in harmless] for one in values]
    kept = [~np.any([np.zeros(len(one), dtype=bool), *marks], axis=0) for one, marks in zip(values, same, strict=True)]
    keys, targets = (block_codes(cells.frames, names, "category") for names in (known, [target]))
    found = disclosed_values(keys, targets, kept, cells.counts)
    determined, *others = found.determined
    people = cells.counts[0]
    number = np.zeros((int(found.cells.max(initial=-1)) + 1, found.disclosed.shape[1]), dtype=np.int64)
    np.add.at(number, found.cells, people[:, None] * found.disclosed)
    marks = {"present": found.present, "claimed": found.claimed, "disclosed": found.disclosed}
    tally = {
        "harmless": [any(one[at].any() for one in same) for at in range(len(harmless))],
        "determined": people[determined].sum(),
        "synthetic": [count[one].sum() for count, one in zip(cells.counts[1:], others, strict=True)],
        **{name: people @ where for name, where in marks.items()},
        "both": people @ (found.disclosed & determined[:, None]),
        "levels": [_by_value(values[0], targets[0], people * one) for one in found.disclosed.T],
        "largest": number.max(axis=0, initial=0),
        "cells": (number > 0).sum(axis=0),
    }
    return tally, _cells.of_datasets({"determined": determined, **marks})


def _by_value(values: pd.Series, codes: IntArray, counts: IntArray) -> dict[str, int]:
    """Return the number of records with each value; the values are names that all partitions share."""
    if pd.api.types.is_float_dtype(values.dtype):
        values = pd.Series(_checks.without_rounding_errors(_checks.as_float(values)))
    total = record_counts([codes], [counts])[0]
    place, first = np.unique(codes, return_index=True)
    there = total[place] > 0
    names = ["" if pd.isna(value) else f"value {value}" for value in values.iloc[first[there]]]
    return dict(zip(names, total[place[there]].tolist(), strict=True))


def _same(value: Any, one: Any) -> BoolArray:
    same = value.isna() if pd.isna(one) else (value == one).fillna(False)
    return np.asarray(same.to_numpy(dtype=bool))


def _shares(tallies: Sequence[Tally], sizes: Sequence[int]) -> pd.DataFrame:
    n, m = sizes[0], len(sizes) - 1
    sums: dict[str, IntArray] = {
        name: np.sum([one[name] for one in tallies], axis=0)
        for name in ("present", "claimed", "disclosed", "both", "synthetic", "cells")
    }
    most = []
    for dataset in range(m):
        levels: dict[Any, int] = {}
        for one in tallies:
            for name, count in one["levels"][dataset].items():
                levels[name] = levels.get(name, 0) + count
        most.append(max(levels.values(), default=0))
    disclosed = sums["disclosed"]
    with np.errstate(invalid="ignore", divide="ignore"):
        columns = {
            "Dorig": np.full(m, sum(one["determined"] for one in tallies) / n),
            "Dsyn": sums["synthetic"] / sizes[1],
            "iS": sums["present"] / n,
            "DiS": sums["claimed"] / n,
            "DiSCO": disclosed / n,
            "DiSDiO": sums["both"] / n,
            "TCAP": disclosed / sums["claimed"],
            "TCAP_present": disclosed / sums["present"],
            "level_share": np.array(most) / disclosed,
            "max_denom": np.max([one["largest"] for one in tallies], axis=0),
            "mean_denom": disclosed / sums["cells"],
        }
    return pd.DataFrame(columns, index=pd.RangeIndex(1, m + 1, name="dataset"))
