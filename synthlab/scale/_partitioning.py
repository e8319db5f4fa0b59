"""Assignment of records to partitions; blocks too large for one are split."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import pandas as pd

from synthlab._typing import BoolArray, FloatArray, IntArray
from synthlab.exceptions import InputError
from synthlab.matching.match_inputs import Prepared
from synthlab.scale import _cluster, _hashing
from synthlab.scale._validation import Facts, Question

SAMPLE = 20_000  # number of sampled targets that determine the cuts of a large block
SLICES = 4096


@dataclass(frozen=True, slots=True, eq=False)
class Cut:
    """Block that is split over several places.

    Each place has some of the targets, and the released records that these targets could match.

    Attributes
    ----------
    first, slices : int
        First place, and number of places.
    variable : int
        Position of the continuous variable along which the block is cut; -1 if there is none.
    at : numpy.ndarray of float, shape (slices - 1,)
        Values at which the block is cut.
    ends : numpy.ndarray of float, shape (slices, 4)
        Smallest and largest lower end, and smallest and largest upper end, over the targets of each slice.
    """

    first: int
    slices: int
    variable: int
    at: FloatArray
    ends: FloatArray

    def slice_of(self, frame: pd.DataFrame, question: Question) -> IntArray:
        """Return the slice of each target; targets with equal values can be in several."""
        spread = _hashing.hashes(frame, ["id"])
        if self.variable < 0:
            return (spread % np.uint64(self.slices)).astype(np.int64)
        values = frame[question.near[self.variable]].to_numpy()
        low, high = (np.searchsorted(self.at, values, side=side) for side in ("left", "right"))
        sound = sound_ends(frame, question, self.variable)[2]
        low, high = np.where(sound, low, 0), np.where(sound, high, self.slices - 1)
        return np.asarray(low + (spread % (high - low + 1).astype(np.uint64)).astype(np.int64))

    def share(self, values: FloatArray, several: bool) -> FloatArray:
        """Return the share of the released values that each slice needs individually."""
        ordered = np.sort(values[~np.isnan(values)])
        low, last_low, first_high, high = (
            np.searchsorted(ordered, self.ends[:, j], side="left" if j % 2 == 0 else "right") for j in range(4)
        )
        width = np.maximum(high - low, 0)
        if not several:
            width = np.minimum(width, np.maximum(last_low - low, 0) + np.maximum(high - first_high, 0))
        return np.asarray(width / max(ordered.size, 1))


@dataclass(frozen=True, slots=True, eq=False)
class Plan:
    """Place of each bucket; the first `whole` places hold whole blocks, others slices."""

    place: IntArray
    whole: int
    large: dict[int, Cut]
    names: IntArray

    @property
    def places(self) -> int:
        """Number of places."""
        return self.whole + sum(cut.slices for cut in self.large.values())

    def numbered(self) -> Plan:
        """Return the plan with the ints that represent the places in Dask."""
        if self.places > _cluster.PLACES:
            raise InputError(
                f"partition_rows: {self.places:,} partitions are needed, but at most {_cluster.PLACES:,} are allowed; give workers more memory"
            )
        return replace(self, names=_cluster.names_of_places(self.places))

    def buckets(self, frame: pd.DataFrame, question: Question) -> IntArray:
        """Return the bucket of each record.

        Records with missing values that match nothing can go anywhere, so they are spread by their id.
        """
        numbers = _hashing.hashes(frame, question.known)
        if question.inner.missing == "never" and "id" in frame.columns and question.known:
            gone = _hashing.lost(frame, question.known)
            numbers[gone] = _hashing.hashes(frame[gone], ["id"])
        return _hashing.buckets(numbers)

    def place_of(self, frame: pd.DataFrame, question: Question) -> IntArray:
        """Return the place of each target."""
        bucket = self.buckets(frame, question)
        place = self.place[bucket]
        for number, cut in self.large.items():
            rows = np.flatnonzero(bucket == number)
            if rows.size:
                place[rows] = cut.first + cut.slice_of(frame.iloc[rows], question)
        return place


def sound_ends(frame: pd.DataFrame, question: Question, variable: int) -> tuple[FloatArray, FloatArray, BoolArray]:
    """Return the interval ends of one variable, and whether a match is possible."""
    prepared = Prepared(question.inner, frame, (), np.arange(len(frame)))
    lower, upper = prepared.intervals(question.near).reach()
    lower, upper = lower[:, variable], upper[:, variable]
    return lower, upper, lower <= upper


def first_plan(facts: Sequence[Facts], rows: int) -> Plan:
    """Return the plan of the blocks that fit, with large blocks not yet split."""
    total = np.sum([told.buckets for told in facts], axis=0)
    large = np.flatnonzero(total > rows)
    place = np.full(_hashing.BUCKETS, -1, dtype=np.int64)
    used, current = 0, rows + 1
    for bucket in np.flatnonzero((total > 0) & (total <= rows)):
        if current + total[bucket] > rows:
            used, current = used + 1, 0
        place[bucket] = used - 1
        current += int(total[bucket])
    # Buckets missing in one file also get a place, because a known value may have been changed.
    place[total == 0] = 0 if used else -1
    whole = used
    if not used and (total == 0).any():
        place[total == 0], whole = 0, 1
    empty = Cut(0, 1, -1, np.empty(0), np.empty((1, 4)))
    return Plan(place, whole, dict.fromkeys(map(int, large), empty), np.empty(0, dtype=np.int64))


def cut_large(plan: Plan, targets: Any, question: Question, facts: Sequence[Facts], rows: int) -> Plan:
    """Return the plan with large blocks split at sample values, with all target ends."""
    sizes = {b: [int(told.buckets[b]) for told in facts] for b in plan.large}
    samples = _cluster.each_part(
        _sample, targets, question, plan, {b: SAMPLE / own[0] for b, own in sizes.items() if own[0]}
    )
    first, large = plan.whole, {}
    for bucket, counts in sizes.items():
        some = [part[bucket] for part in samples if bucket in part]
        sample = pd.concat(some, ignore_index=True) if some else targets._meta
        large[bucket] = _choose(sample, question, counts, rows, first)
        first += large[bucket].slices
    plan = replace(plan, large=large)
    found = _cluster.each_part(_ends, targets, question, plan)
    for bucket, cut in plan.large.items():
        if cut.variable >= 0:
            parts = [part[bucket] for part in found if bucket in part]
            large[bucket] = replace(cut, ends=_joined(parts, cut.slices))
    return replace(plan, large=large)


def _sample(part: pd.DataFrame, question: Question, plan: Plan, shares: dict[int, float]) -> dict[int, pd.DataFrame]:
    bucket = plan.buckets(part, question)
    # Uses other bits than those that spread targets over slices.
    drawn = (_hashing.hashes(part, ["id"]) >> np.uint64(11)).astype(np.float64) / 2.0**53
    chosen = {b: part[(bucket == b) & (drawn < share)] for b, share in shares.items()}
    return {b: frame.sort_values("id", ignore_index=True) for b, frame in chosen.items() if len(frame)}


def _choose(sample: pd.DataFrame, question: Question, counts: Sequence[int], rows: int, first: int) -> Cut:
    """Return the cut with the fewest fitting slices and the fewest copied records."""
    targets, released = counts[0], sum(counts)
    slices = max(2, -(-targets // rows) if not question.near else -(-released // rows))
    if not question.near or not len(sample):
        return Cut(first, min(slices, SLICES), -1, np.empty(0), np.empty((0, 4)))
    several = len(question.near) > 1
    while slices <= SLICES:
        cuts = [_cut(sample, question, variable, slices, first) for variable in range(len(question.near))]
        need = [
            targets / slices + released * float(cut.share(sample[name].to_numpy(), several).max())
            for cut, name in zip(cuts, question.near, strict=True)
        ]
        best = int(np.argmin(need))
        if need[best] <= rows:
            return cuts[best]
        slices *= 2
    columns = ", ".join(question.columns[name] for name in question.near)
    raise InputError(
        f"partition_rows: a block of {released:,} records with the same known values cannot be cut along {columns} into "
        f"partitions of {rows:,} records, because one target has more records within its radius; give workers more memory, or "
        "the intruder more known variables or a smaller radius"
    )


def _cut(sample: pd.DataFrame, question: Question, variable: int, slices: int, first: int) -> Cut:
    _, _, sound = sound_ends(sample, question, variable)
    values = np.sort(sample[question.near[variable]].to_numpy()[sound])
    at = values[(np.arange(1, slices) * values.size) // slices] if values.size else np.zeros(slices - 1)
    cut = Cut(first, slices, variable, at, np.empty((0, 4)))
    ends = _slice_ends(sample, question, cut)
    return replace(cut, ends=ends)


def _ends(part: pd.DataFrame, question: Question, plan: Plan) -> dict[int, FloatArray]:
    bucket = plan.buckets(part, question)
    found = {}
    for number, cut in plan.large.items():
        rows = bucket == number
        if cut.variable >= 0 and rows.any():
            found[number] = _slice_ends(part[rows], question, cut)
    return found


def _slice_ends(frame: pd.DataFrame, question: Question, cut: Cut) -> FloatArray:
    lower, upper, sound = sound_ends(frame, question, cut.variable)
    at = cut.slice_of(frame, question)[sound]
    ends = _nothing(cut.slices)
    for j, (values, keep) in enumerate(
        [(lower, np.minimum), (lower, np.maximum), (upper, np.minimum), (upper, np.maximum)]
    ):
        keep.at(ends[:, j], at, values[sound])
    return ends


def _nothing(slices: int) -> FloatArray:
    return np.tile([np.inf, -np.inf, np.inf, -np.inf], (slices, 1))


def _joined(parts: Sequence[FloatArray], slices: int) -> FloatArray:
    found = np.stack([_nothing(slices), *parts])
    return np.column_stack([found[:, :, j].min(axis=0) if j % 2 == 0 else found[:, :, j].max(axis=0) for j in range(4)])
