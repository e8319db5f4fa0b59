"""Alignment of records by id: join each record with its own released values."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from synthlab._system.optional_dependencies import load
from synthlab._typing import BoolArray, IntArray
from synthlab.exceptions import InputError, RowAlignmentError
from synthlab.matching.match_inputs import Prepared, exact_floats
from synthlab.scale import _cluster, _hashing
from synthlab.scale._count import in_places, own_match
from synthlab.scale._source import Source, pieces_of, read_piece
from synthlab.scale._validation import Question


@dataclass(frozen=True, slots=True, eq=False)
class Aligned:
    """Counts of id problems in one partition.

    repeated : (1 + m,) repeated ids per file. lacking : (m,) ids missing from the dataset. extra : (m,) ids missing from
    the confidential file. changed : (m, known variables by value) records whose known value differs.
    """

    repeated: IntArray
    lacking: IntArray
    extra: IntArray
    changed: IntArray


def aligned(
    confidential: Source, synthetic: Sequence[Source], question: Question, rows: int, total: int, folder: Path
) -> tuple[Any, IntArray]:
    """Return the targets as a dask DataFrame, and counts of changed known values.

    The counts have shape (m, known variables by value). A target has its values and two flags per dataset: `t1`, ...
    whether its own released record matches, and `g1`, ... whether its own released record has its known values. Without
    synthetic data, the function only checks the ids and returns the confidential records as targets.
    """
    dd = load("scale", "dask.dataframe", _cluster.WHAT)
    places = max(1, -(-total // rows))
    names = _cluster.names_of_places(places)
    m = len(synthetic)
    parts = []
    for dataset, one in enumerate([confidential, *synthetic]):
        frame = one.records(question.wanted(with_id=True) if m else [question.id])
        meta = _marked(question.meta(with_id=True)[slice(None) if m else ["id"]], names[:0], 0)
        parts.append(
            frame.map_partitions(_to_places, question, names, dataset, bool(m), meta=meta, enforce_metadata=False)
        )
    together = _cluster.shuffled(dd.concat(parts) if m else parts[0], places)
    (folder / "aligned").mkdir(mode=0o700)
    found = _cluster.each_part(_aligned_places, together, question, m, str(folder / "aligned"))
    told = [one for part in found for one in part]
    _check_ids(told, confidential, synthetic, question.id)
    changed = np.sum([one.changed for one in told], axis=0)
    if not m:
        meta = question.meta(with_id=True)
        records = confidential.records(question.wanted(with_id=True))
        return records.map_partitions(question.shaped, with_id=True, meta=meta, enforce_metadata=False), changed
    meta = question.meta(with_id=True).assign(**{name: np.empty(0, dtype=bool) for name in _flags(m)})
    pieces = [piece for file in sorted((folder / "aligned").glob("*.parquet")) for piece in pieces_of(file)]
    return dd.from_map(read_piece, pieces, wanted=dict(meta.dtypes), meta=meta, enforce_metadata=False), changed


def _flags(m: int) -> list[str]:
    return [f"{letter}{number}" for letter in "tg" for number in range(1, m + 1)]


def _marked(frame: pd.DataFrame, place: IntArray, dataset: int) -> pd.DataFrame:
    frame = frame.copy(deep=False)
    frame.insert(0, "place", place)
    frame.insert(1, "dataset", np.full(len(frame), dataset, dtype=np.int16))
    return frame


def _to_places(part: pd.DataFrame, question: Question, names: IntArray, dataset: int, whole: bool) -> pd.DataFrame:
    if whole:
        frame = question.shaped(part, with_id=True)
    else:
        frame = pd.DataFrame({"id": part[question.id].astype(question.dtypes["id"])})
    number = (_hashing.hashes(frame, ["id"]) % np.uint64(names.size)).astype(np.int64)
    return _marked(frame, names[number], dataset)


def _aligned_places(part: pd.DataFrame, question: Question, m: int, folder: str) -> list[Aligned]:
    found = []
    for place, some in in_places(part):
        files = [
            some[some["dataset"] == dataset].sort_values("id", ignore_index=True).drop(columns=["place", "dataset"])
            for dataset in range(m + 1)
        ]
        repeated = np.array([int(one["id"].duplicated().sum()) for one in files])
        own, others = files[0], files[1:]
        same = [len(own) == len(other) and bool((own["id"] == other["id"]).all()) for other in others]
        lacking, extra = (np.zeros(m, dtype=np.int64) for _ in range(2))
        for j, other in enumerate(others):
            if not same[j]:
                lacking[j] = int((~own["id"].isin(other["id"])).sum())
                extra[j] = int((~other["id"].isin(own["id"])).sum())
        changed = np.zeros((m, len(question.known)), dtype=np.int64)
        if m and all(same) and not repeated.any():
            flags = {}
            for j, other in enumerate(others, start=1):
                flags[f"t{j}"], flags[f"g{j}"], changed[j - 1] = _own(own, other, question)
            target = own.assign(**{name: flags[name] for name in _flags(m)})
            _cluster.write(target, folder, f"part-{place:08d}.parquet")
        found.append(Aligned(repeated, lacking, extra, changed))
    return found


def _own(own: pd.DataFrame, other: pd.DataFrame, question: Question) -> tuple[BoolArray, BoolArray, IntArray]:
    """Compare each record with its own released record: matches, known, changed."""
    same = {name: _equal(own[name], other[name]) for name in question.by_value}
    changed = np.array([int((~same[name]).sum()) for name in question.known], dtype=np.int64)
    known = np.all([np.ones(len(own), dtype=bool), *(same[name] for name in question.known)], axis=0)
    equal = np.all([known, *same.values()], axis=0)
    if question.inner.missing == "never":
        known &= ~_hashing.lost(own, question.known)
        equal &= ~_hashing.lost(own, question.by_value)
    if not question.near:
        return equal, known, changed
    prepared = Prepared(question.inner, own, (), np.arange(len(own)))
    values, intervals = exact_floats(other, question.near), prepared.intervals(question.near)
    return own_match(prepared, equal, values, intervals), known, changed


def _equal(own: pd.Series, other: pd.Series) -> BoolArray:
    """Return where two columns of one dtype are equal; missing equals missing."""
    same = (own == other).fillna(False).to_numpy(dtype=bool)
    return np.asarray(same | (own.isna() & other.isna()).to_numpy())


def _check_ids(told: Sequence[Aligned], confidential: Source, synthetic: Sequence[Source], name: str) -> None:
    repeated = np.sum([one.repeated for one in told], axis=0)
    for one, count in zip([confidential, *synthetic], repeated, strict=True):
        if count:
            raise InputError(
                f"id={name!r}: {int(count):,} records of {one.name} have the id of another record; ids must be unique"
            )
    for j, one in enumerate(synthetic):
        lacking, extra = (int(sum(getattr(part, what)[j] for part in told)) for what in ("lacking", "extra"))
        if lacking or extra:
            raise RowAlignmentError(
                f"id={name!r}: {lacking:,} ids of {confidential.name} are not in {one.name}, and {extra:,} ids of "
                f"{one.name} are not in the confidential data; both must have the same ids, because each record is "
                "compared with its own released record"
            )
