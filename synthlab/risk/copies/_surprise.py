"""Closeness of two records: the surprise that their values agree."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
import pandas as pd

from synthlab import _checks
from synthlab._system.compiled import compiled
from synthlab._typing import BoolArray, FloatArray, IntArray
from synthlab.matching.kernel import block_codes

FLOOR = 5  # a difference of fewer ranks is not more surprising
FEW_VALUES = 6  # a number with at most this many distinct values is a category
SHIFTED = 0.2  # Kolmogorov-Smirnov distance above which a column is compared by ranks within each file
ABSENT = np.float32(1e6)  # the place of a missing number
MOST_CODES = 2**24  # larger whole numbers are not exact in float32
DIFFERENT = 0.95  # share of distinct values from which the frequencies of categories are not compared
BLOCK = 1024  # candidates that are compared at a time
DIGITS = 4  # scores are rounded, because processors differ in the last digit

Scale = Literal["values", "ranks"]


@dataclass(frozen=True, slots=True, eq=False)
class Places:
    """Records as places on the scales of their columns.

    Attributes
    ----------
    place : numpy.ndarray of float32, shape (p, rows)
        Twice the place of a number in [0, 1]; the code of a category; `ABSENT` for a missing number.
    frequency : numpy.ndarray of float32, shape (p, rows)
        The frequency of the value, the mean of both files.
    """

    place: FloatArray
    frequency: FloatArray

    def take(self, rows: IntArray) -> Places:
        """Return a subset of the records."""
        return Places(self.place[:, rows].copy(), self.frequency[:, rows].copy())


@dataclass(frozen=True, slots=True, eq=False)
class Columns:
    """Properties of the compared columns.

    Attributes
    ----------
    number : numpy.ndarray of bool, shape (p,)
        Columns in which close values also count as similar.
    observed : numpy.ndarray of float32, shape (p,)
        The share of observed values, the mean of both files.
    floor : float32
        The smallest probability that two numbers are equally close by chance.
    """

    number: BoolArray
    observed: FloatArray
    floor: np.float32


def places(
    frames: Sequence[pd.DataFrame],
    rows: Sequence[IntArray],
    sides: Sequence[Literal[0, 1]],
    names: Sequence[str],
    categories: Collection[str],
) -> dict[Scale, tuple[Columns, list[Places]]]:
    """Return the places of records by their values, and by their ranks within each file.

    Parameters
    ----------
    frames : sequence of DataFrames
        The confidential data, a synthetic dataset, and further files that are placed on their scales.
    rows : sequence of arrays of int
        The rows of each file that are placed.
    sides : sequence of {0, 1}
        Whether a file has the units of the confidential data (0) or of the synthetic dataset (1).
    names, categories : the compared columns, and the columns whose numbers are category codes.
    """
    sizes = [len(one) for one in frames]
    grid = min(sizes[:2])
    found: dict[Scale, list[tuple[bool, float, list[tuple[FloatArray, FloatArray]]]]] = {"values": [], "ranks": []}
    for name in names:
        values = _numbers(frames, name, categories)
        if values is None:
            codes = block_codes(frames, [name], "category")
            lost = [frame[name].isna().to_numpy() for frame in frames]
            for scale in found:
                found[scale].append(_category(codes, lost, rows, sides, by_rank=scale == "ranks"))
        else:
            for scale, column in zip(found, _number(values, rows, sides, grid), strict=True):
                found[scale].append(column)
    answer: dict[Scale, tuple[Columns, list[Places]]] = {}
    for scale, columns in found.items():
        number, observed, placed = zip(*columns, strict=True)
        meta = Columns(np.array(number), np.array(observed, dtype=np.float32), np.float32(FLOOR / grid))
        stacked = [
            Places(_float32([column[file][0] for column in placed]), _float32([column[file][1] for column in placed]))
            for file in range(len(frames))
        ]
        answer[scale] = meta, stacked
    return answer


def _float32(columns: Sequence[FloatArray]) -> Any:
    return np.array(columns, dtype=np.float32)


def _numbers(frames: Sequence[pd.DataFrame], name: str, categories: Collection[str]) -> list[FloatArray] | None:
    """Return numbers, dates and ordered categories as numbers; None for a column of categories."""
    columns = [frame[name] for frame in frames]
    if name in categories:
        return None
    if all(isinstance(c.dtype, pd.CategoricalDtype) and c.dtype == columns[0].dtype for c in columns):
        if not columns[0].cat.ordered:
            return None
        codes = [c.cat.codes.to_numpy(dtype=np.float64) for c in columns]
        values = [np.where(c < 0, np.nan, c) for c in codes]
    elif all(_checks.is_measured(c) for c in columns):
        values = [_checks.without_rounding_errors(_checks.measurements(c)) for c in columns]
    else:
        return None
    return values if pd.Series(values[0]).nunique() > FEW_VALUES else None


def _number(
    values: Sequence[FloatArray], rows: Sequence[IntArray], sides: Sequence[Literal[0, 1]], grid: int
) -> list[tuple[bool, float, list[tuple[FloatArray, FloatArray]]]]:
    """Return a column of numbers, by values and by ranks."""
    lost = [np.isnan(one) for one in values]
    levels, codes = np.unique(np.concatenate(values), return_inverse=True)  # the last level is NaN, if there is one
    parts = np.split(codes.ravel(), np.cumsum([len(one) for one in values])[:-1])
    middle, frequency = np.empty((2, levels.size + 1)), np.empty((2, levels.size + 1))
    for side in (0, 1):
        counts = np.bincount(parts[side][~lost[side]], minlength=levels.size + 1)
        total = max(1, int(counts.sum()))
        frequency[side] = counts / total
        middle[side] = (np.cumsum(counts) - counts / 2) / total
    present = [parts[side][~lost[side]] for side in (0, 1)]
    apart = max((np.abs(middle[0] - middle[1])[codes].max(initial=0.0) for codes in present), default=0.0)
    missing = (lost[0].mean() + lost[1].mean()) / 2
    # The ranks of the synthetic dataset lie between those of the confidential data: two files share no exact rank.
    ranks = np.array([(np.round(middle[side] * grid) + side / 2) / grid for side in (0, 1)])
    columns = []
    for by_rank in (False, True):
        own = by_rank or apart > SHIFTED
        placed = []
        for part, away, some, side in zip(parts, lost, rows, sides, strict=True):
            code, away = part[some], away[some]
            place = ranks[side][code] if own else middle.mean(axis=0)[code]
            often = frequency[side][code] if own else frequency.mean(axis=0)[code]
            placed.append((np.where(away, ABSENT, 2 * place), np.where(away, missing, often)))
        columns.append((True, 1 - missing, placed))
    return columns


def _category(
    codes: Sequence[IntArray],
    lost: Sequence[BoolArray],
    rows: Sequence[IntArray],
    sides: Sequence[Literal[0, 1]],
    *,
    by_rank: bool,
) -> tuple[bool, float, list[tuple[FloatArray, FloatArray]]]:
    """Return a column of categories; `by_rank` matches the categories of both files by the order of their frequencies."""
    levels = 1 + max(int(code.max(initial=0)) for code in codes)
    counts = np.array([np.bincount(codes[side][~lost[side]], minlength=levels) for side in (0, 1)])
    names = np.tile(np.arange(levels), (2, 1))
    if by_rank or not (counts.min(axis=0) > 0).any():
        different = any(_in_ties(one) >= DIFFERENT for one in counts)  # frequencies give no order
        for side in (0, 1):
            names[side, np.argsort(-counts[side], kind="stable")] = np.arange(levels) + levels * side * different
    frequency = np.zeros(2 * levels)
    for side in (0, 1):
        frequency[names[side]] += counts[side] / max(1, len(codes[side])) / 2
    missing = (lost[0].mean() + lost[1].mean()) / 2
    placed = []
    for code, away, some, side in zip(codes, lost, rows, sides, strict=True):
        name, away = names[side][code[some]], away[some]
        placed.append((np.where(away, 2 * levels, name) % MOST_CODES, np.where(away, missing, frequency[name])))
    return False, 1.0, placed


def _in_ties(counts: IntArray) -> float:
    """Return the share of the records whose level is as frequent as another level."""
    _, place, sizes = np.unique(counts, return_inverse=True, return_counts=True)
    return float(counts[sizes[place] > 1].sum() / max(1, counts.sum()))


def best_scores(
    columns: Columns,
    queries: Places,
    candidates: Places,
    chunks: tuple[IntArray, IntArray],
    own: tuple[IntArray, IntArray] | None = None,
) -> tuple[FloatArray, IntArray]:
    """Return the two best scores of each query among the candidates of each chunk, and the best candidate.

    Parameters
    ----------
    columns : Columns
    queries, candidates : Places
    chunks : pair of arrays of int
        The first candidate of each chunk, and the last plus one.
    own : pair of arrays of int, optional
        The person of each query and candidate; a query is not compared with candidates of the same person.

    Returns
    -------
    scores : numpy.ndarray of float, shape (queries, chunks, 2)
    best : numpy.ndarray of int, shape (queries, chunks)
    """
    number_of_queries, number_of_candidates = queries.place.shape[1], candidates.place.shape[1]
    mine, theirs = own or (np.full(number_of_queries, -1), np.zeros(number_of_candidates, dtype=np.int64))
    key, best = _best(
        np.ascontiguousarray(queries.place.T),
        np.ascontiguousarray(queries.frequency.T),
        np.ascontiguousarray(candidates.place),
        columns.number,
        columns.observed,
        columns.floor,
        np.asarray(mine, dtype=np.int64),
        np.asarray(theirs, dtype=np.int64),
        *(np.asarray(end, dtype=np.int64) for end in chunks),
    )
    # A key is the exponent plus the mantissa minus 1 of the product of the probabilities.
    whole = np.floor(key)
    scores = -(whole + np.log2(1 + key - whole)) * np.log(2)
    found = np.asarray(np.where(best[..., None] >= 0, scores, 0.0), dtype=np.float64)
    return np.round(found, DIGITS) + 0.0, best


@compiled
def _best(
    place: FloatArray,
    frequency: FloatArray,
    candidates: FloatArray,
    number: BoolArray,
    observed: FloatArray,
    floor: np.float32,
    mine: IntArray,
    theirs: IntArray,
    begins: IntArray,
    ends: IntArray,
) -> tuple[FloatArray, IntArray]:
    """Return the keys of the two best candidates, and the best candidate, -1 if there is none."""
    one = np.float32(1)
    keys = np.zeros((place.shape[0], begins.size, 2))
    best = np.full((place.shape[0], begins.size), -1)
    product = np.empty(BLOCK, dtype=np.float32)
    bits = product.view(np.int32)
    exponent = np.empty(BLOCK, dtype=np.int32)
    for chunk in range(begins.size):
        for start in range(begins[chunk], ends[chunk], BLOCK):
            size = min(BLOCK, ends[chunk] - start)
            for i in range(place.shape[0]):
                product[:] = one
                exponent[:] = 0
                for j in range(place.shape[1]):
                    a, f, o = place[i, j], frequency[i, j], observed[j]
                    other = candidates[j, start : start + size]
                    if not number[j] or a == ABSENT:
                        for r in range(size):
                            product[r] *= f if other[r] == a else one
                    elif o == one:
                        for r in range(size):
                            product[r] *= min(max(abs(a - other[r]) + f, floor), one)
                    else:
                        for r in range(size):
                            product[r] *= one if other[r] == ABSENT else o * min(max(abs(a - other[r]) + f, floor), one)
                    if j % 4 == 3:  # the exponent is moved out of the float, so that the product cannot underflow
                        for r in range(size):
                            exponent[r] += (bits[r] >> 23) - 127
                            bits[r] = (bits[r] & 0x7FFFFF) | 0x3F800000
                first, second, which = keys[i, chunk, 0], keys[i, chunk, 1], best[i, chunk]
                for r in range(size):
                    key = exponent[r] + ((bits[r] >> 23) - 127) + (bits[r] & 0x7FFFFF) / 8388608.0
                    if key < second or which < 0:
                        if theirs[start + r] == mine[i]:
                            continue
                        if key < first or which < 0:
                            first, second, which = key, first, start + r
                        else:
                            second = key
                keys[i, chunk, 0], keys[i, chunk, 1], best[i, chunk] = first, second, which
    return keys, best


def surprise_by_column(columns: Columns, queries: Places, candidates: Places) -> FloatArray:
    """Return the score of pairs of records by column, shape (p, pairs)."""
    a, b, f = queries.place, candidates.place, queries.frequency
    number = columns.number[:, None] & (a != ABSENT)
    with np.errstate(divide="ignore"):
        near = columns.observed[:, None] * np.clip(np.abs(a - b) + f, columns.floor, 1)
        probability = np.where(number, np.where(b == ABSENT, 1, near), np.where(a == b, f, 1))
        found: FloatArray = -np.log(np.maximum(probability, 1e-30))
    return found
