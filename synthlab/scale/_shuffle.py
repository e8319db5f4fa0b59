"""Redistribution of records across partitions."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np
import pandas as pd

from synthlab._typing import BoolArray, IntArray
from synthlab.matching.kernel import block_codes
from synthlab.scale import _hashing
from synthlab.scale._partitioning import Cut, Plan
from synthlab.scale._validation import Question

RECORD, CROWD, PATTERN = (
    0,
    1,
    2,
)  # one record; a count of records that every target of the cell matches; a count of a pattern
HEAD = {"place": "int64", "kind": "int8", "dataset": "int16", "count": "int64"}


def to_targets(part: pd.DataFrame, question: Question, plan: Plan) -> pd.DataFrame:
    """Return the targets with their places."""
    found = part.copy(deep=False)
    found.insert(0, "place", plan.names[plan.place_of(part, question)])
    return found


def released_meta(question: Question) -> pd.DataFrame:
    """Return an empty frame of released records."""
    head = pd.DataFrame({name: pd.Series([], dtype=dtype) for name, dtype in HEAD.items()})
    return pd.concat([head, question.meta(with_id=False)], axis=1)


def to_released(part: pd.DataFrame, question: Question, plan: Plan, dataset: int) -> pd.DataFrame:
    """Return the released records of a chunk with their positions.

    A released record goes to every slice whose targets could match it. Dataset 0 is the confidential data; whole blocks
    already contain their records.
    """
    part = part[question.meta(with_id=False).columns]
    if question.inner.missing == "never":
        part = part[~_hashing.lost(part, question.known)]
    bucket = plan.buckets(part, question)
    place = plan.place[bucket]
    pieces = []
    if dataset:
        rows = np.flatnonzero(place >= 0)
        pieces.append(_rows(part, rows, plan.names[place[rows]], RECORD, dataset, np.ones(rows.size, dtype=np.int64)))
    for number, cut in plan.large.items():
        block = part[bucket == number]
        if len(block):
            names = plan.names[cut.first : cut.first + cut.slices]
            for kind, rows, slices, counts in _to_slices(block.reset_index(drop=True), question, cut):
                pieces.append(_rows(block, rows, names[slices], kind, dataset, counts))
    return pd.concat(pieces, ignore_index=True) if pieces else released_meta(question)


def _rows(
    part: pd.DataFrame, rows: IntArray, place: IntArray, kind: int, dataset: int, counts: IntArray
) -> pd.DataFrame:
    found = part.iloc[rows].reset_index(drop=True)
    head: dict[str, Any] = {"place": place, "kind": kind, "dataset": dataset, "count": counts}
    for at, (name, value) in enumerate(head.items()):
        found.insert(at, name, np.full(len(found), value, dtype=HEAD[name]) if np.ndim(value) == 0 else value)
    return found


Group = tuple[int, IntArray, IntArray, IntArray]  # kind, rows of the block, slice and count of each


def _to_slices(block: pd.DataFrame, question: Question, cut: Cut) -> Iterator[Group]:
    """Yield the parts of the released records `block` that each slice needs."""
    everyone = np.ones(len(block), dtype=bool)
    yield from _counted(block, question.known, everyone, [np.arange(len(block))] * cut.slices, PATTERN)
    if cut.variable < 0:
        # Every target matches all other records of its cell, or none.
        if not question.near:
            yield from _counted(block, question.by_value, everyone, [np.arange(len(block))] * cut.slices, CROWD)
        return
    values = block[question.near[cut.variable]].to_numpy()
    order = np.argsort(values, kind="stable")
    order = order[~np.isnan(values[order])]
    ordered = values[order]
    low, first_high = (np.searchsorted(ordered, cut.ends[:, j], side="left") for j in (0, 2))
    last_low, high = (np.searchsorted(ordered, cut.ends[:, j], side="right") for j in (1, 3))
    high = np.maximum(low, high)
    missing = np.flatnonzero(np.isnan(values))
    if len(question.near) > 1:
        yield _picked(order, low, high)
        for number in range(cut.slices if missing.size else 0):
            yield RECORD, missing, np.full(missing.size, number), np.ones(missing.size, dtype=np.int64)
        return
    # Every target matches the records between the largest lower and the smallest upper end, so a count suffices.
    middle = (last_low < first_high) & (low < high)
    a, b = np.where(middle, last_low, high), np.where(middle, first_high, high)
    yield _picked(order, low, a)
    yield _picked(order, b, high)
    crowds = [order[start:stop] for start, stop in zip(a, b, strict=True)]
    if missing.size:
        crowds = [np.concatenate([crowd, missing]) for crowd in crowds]
    yield from _counted(block, question.by_value, ~np.isnan(values), crowds, CROWD)


def _picked(order: IntArray, start: IntArray, stop: IntArray) -> Group:
    sizes = np.maximum(stop - start, 0)
    rows = np.concatenate([order[a:b] for a, b in zip(start, stop, strict=True)]) if sizes.any() else order[:0]
    return RECORD, rows, np.repeat(np.arange(sizes.size), sizes), np.ones(rows.size, dtype=np.int64)


def _counted(
    block: pd.DataFrame, columns: Sequence[str], there: BoolArray, members: Sequence[IntArray], kind: int
) -> Iterator[Group]:
    """Yield one record per cell and slice, with the number of equal records."""
    codes = block_codes([block], list(columns), "category")[0] * 2 + there
    _, example, codes = np.unique(codes, return_index=True, return_inverse=True)
    known: dict[int, Any] = {}
    for number, rows in enumerate(members):
        key = id(rows)
        if key not in known:
            counts = np.bincount(codes[rows], minlength=example.size)
            known[key] = (example[counts > 0], counts[counts > 0])
        cells, counts = known[key]
        yield kind, cells, np.full(cells.size, number), counts
