"""Counts of matches per partition, by the kernel used in memory, and their files."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd

from synthlab._typing import BoolArray, FloatArray, IntArray
from synthlab.matching.kernel import Intervals, _inside, block_codes
from synthlab.matching.match_inputs import Prepared, exact_floats
from synthlab.scale import _cluster
from synthlab.scale._partitioning import Plan
from synthlab.scale._shuffle import CROWD, PATTERN, RECORD
from synthlab.scale._validation import Question


@dataclass(frozen=True, slots=True, eq=False)
class Counted:
    """Counts for the targets of one place, in the order of their ids.

    Column 0 is for the confidential data, the other columns for the datasets. count : (n, 1 + m) matching records.
    own : whether the target's own record matches. size : records with the same known values, compared by value.
    known : whether the target's own record is one of these. whole : whether the place contains whole blocks.
    """

    targets: pd.DataFrame
    question: Question
    whole: bool
    count: IntArray
    own: BoolArray
    size: IntArray
    known: BoolArray


Tally = dict[str, Any]
Finish = Callable[[Counted], tuple[pd.DataFrame, Tally]]


def count_places(
    targets: pd.DataFrame, released: pd.DataFrame, question: Question, plan: Plan, m: int, finish: Finish, folder: str
) -> list[Tally]:
    """Count at each place of a partition, write the records, and return the tallies."""
    number = {int(name): at for at, name in enumerate(plan.names)}
    there = dict(in_places(released))
    found = []
    for place, some in in_places(targets):
        at = number[place]
        near = there.pop(place, released.iloc[:0])
        counted = _counted(some.sort_values("id", ignore_index=True), near, question, at < plan.whole, m)
        records, tally = finish(counted)
        records.insert(0, question.id, counted.targets["id"])
        _cluster.write(records, folder, f"part-{at:05d}.parquet")
        found.append({**tally, "records": len(records)})
    return found


def in_places(frame: pd.DataFrame) -> Iterator[tuple[int, pd.DataFrame]]:
    """Yield each place of a partition with its records; usually there is only one."""
    groups: Any = frame.groupby("place", sort=True)
    for place, some in groups:
        yield int(place), some


def _counted(targets: pd.DataFrame, released: pd.DataFrame, question: Question, whole: bool, m: int) -> Counted:
    near, missing = question.near, question.inner.missing
    records = released[released["kind"] == RECORD]
    others = [records[records["dataset"] == dataset] for dataset in range(m + 1)]
    frames = [targets, *(others[1:] if whole else others)]
    cell = _codes(frames, question.by_value, missing, whole)
    pattern = cell if question.by_value == question.known else _codes(frames, question.known, missing, whole)
    prepared = Prepared(question.inner, targets, (), np.arange(len(targets)))
    intervals = prepared.intervals(near) if near else None
    count, size = (np.zeros((len(targets), m + 1), dtype=np.int64) for _ in range(2))
    for dataset, other in enumerate(others):
        if m or not whole:  # weights on whole blocks are computed elsewhere
            values = exact_floats(targets if whole and not dataset else other, near)
            codes, values = _padded(cell[2 + dataset], values, len(targets))
            count[:, dataset] = prepared.match_codes(cell[0], codes, values, intervals)[0]
        size[:, dataset] = _sizes(pattern[0], pattern[2 + dataset])
    own, known = (np.ones((len(targets), m + 1), dtype=bool) for _ in range(2))
    own[:, 0] = _own(prepared, cell, near)
    known[:, 0] = pattern[0] == pattern[1]
    for dataset in range(1, m + 1):
        own[:, dataset], known[:, dataset] = targets[f"t{dataset}"], targets[f"g{dataset}"]
    if not whole:
        size[:] = _crowds(targets, released[released["kind"] == PATTERN], question.known, [], missing, m)
        crowd = _crowds(targets, released[released["kind"] == CROWD], question.by_value, near, missing, m)
        if intervals is not None:
            absent = np.isnan(intervals.centre[:, 0])
            crowd[~absent & ~(intervals.lower[:, 0] <= intervals.upper[:, 0])] = 0
        count += crowd
    return Counted(targets, question, whole, count, own, size, known)


def _codes(frames: list[pd.DataFrame], columns: list[str], missing: str, whole: bool) -> list[IntArray]:
    """Return block codes: targets, their copies as if released, datasets 0, 1, ...

    The confidential data are on both sides: a missing value that never matches does not match its own copy either.
    """
    own, *others = block_codes(frames, columns, missing)
    copies = np.where(own < 0, own - 2**40, own) if missing == "never" else own
    return [own, copies, *([copies] if whole else []), *others]


def _padded(codes: IntArray, values: FloatArray, least: int) -> tuple[IntArray, FloatArray]:
    """Pad to at least `least` records; the added records have a block of their own."""
    more = least - codes.size
    if more <= 0:
        return codes, values
    nowhere = min(int(codes.min(initial=0)), 0) - 1 - 2**40
    return np.append(codes, np.full(more, nowhere)), np.concatenate([values, np.full((more, values.shape[1]), np.nan)])


def _own(prepared: Prepared, cell: list[IntArray], near: list[str]) -> BoolArray:
    """Return whether each target matches its own copy."""
    equal = cell[0] == cell[1]
    if not near:
        return np.asarray(equal)
    values, intervals = exact_floats(prepared.confidential, near), prepared.intervals(near)
    return own_match(prepared, equal, values, intervals)


def own_match(prepared: Prepared, equal: BoolArray, values: FloatArray, intervals: Intervals) -> BoolArray:
    """Return whether each record's own released values match.

    `equal` states whether the values that are compared by value are equal.
    """
    if prepared.intruder.missing != "category":
        return equal & _inside(values, intervals)
    alone = np.arange(equal.size)
    return prepared.match_codes(alone, np.where(equal, alone, -1 - alone), values, intervals)[1]


def _sizes(codes: IntArray, others: IntArray, weights: IntArray | None = None) -> IntArray:
    """Return the records (or total weight) with each target's code; negative codes: 0."""
    there = others >= 0
    total = np.bincount(
        others[there], weights=None if weights is None else weights[there], minlength=1 + int(codes.max(initial=0))
    )
    return np.where(codes >= 0, total[np.maximum(codes, 0)], 0).astype(np.int64)


def _crowds(
    targets: pd.DataFrame, crowds: pd.DataFrame, columns: list[str], near: list[str], missing: str, m: int
) -> IntArray:
    """Return the matching records, (targets, 1 + m), that were sent as counts."""
    found = np.zeros((len(targets), m + 1), dtype=np.int64)
    here, there = block_codes([targets, crowds], columns, missing)
    if len(near) == 1:
        # A missing measurement forms its own cell, which matches nothing unless missing equals missing.
        gone = [frame[near[0]].isna().to_numpy() for frame in (targets, crowds)]
        here, there = (np.where(c < 0, c, 2 * c + g) for c, g in zip((here, there), gone, strict=True))
        if missing != "category":
            there[gone[1]] = -1
    weights, dataset = crowds["count"].to_numpy(), crowds["dataset"].to_numpy()
    for number in range(m + 1):
        mine = dataset == number
        found[:, number] = _sizes(here, there[mine], weights[mine])
    return found
