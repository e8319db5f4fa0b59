"""Maxima of a log-likelihood matrix that is read in blocks of records to save memory."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any, TypeAlias

import numpy as np
import numpy.typing as npt

from synthlab import _checks
from synthlab._system.compiled import compiled
from synthlab._typing import BoolArray, FloatArray
from synthlab.exceptions import InputError

CELLS = 2**21  # maximum number of cells of a block of a matrix (16 MB)
LogLikelihood: TypeAlias = npt.ArrayLike | Sequence[npt.ArrayLike] | Callable[[], Iterable[npt.ArrayLike]]


@dataclass(frozen=True, slots=True, eq=False)
class Reduced:
    """Largest absolute values of a (draws, records) matrix, by draw and by record.

    Attributes
    ----------
    by_draw : ndarray of float, shape (draws,)
        Delta_s, for all draws.
    kept : ndarray of bool, shape (draws,)
        Whether the draw is kept.
    by_record : ndarray of float, shape (n,)
        f_i over the kept draws; finite.
    """

    by_draw: FloatArray
    kept: BoolArray
    by_record: FloatArray


def reduce_blocks(
    log_likelihood: Any, n: int, quantile: float, weights: FloatArray | None = None, *, progress: bool = False
) -> Reduced:
    """Find the draws to keep, and the largest absolute value of each of the n records.

    The blocks are read twice. A draw is kept if its largest absolute value is at most the `quantile` of these values over the
    draws. The quantile is an order statistic: of S draws, the floor(q (S - 1)) + 1 smallest are kept, and ties of the largest.
    """
    _checks.check_choice(progress, "progress", (True, False))
    fresh = _fresh(log_likelihood)
    by_draw = np.empty(0)
    read = 0
    for block, own in _weighted(fresh(), weights, "draws", progress):
        if by_draw.size == 0:
            by_draw = np.zeros(block.shape[0])
        if not _largest_by_draw(block, own, by_draw):
            raise InputError(
                "log_likelihood: contains NaN or plus infinity; use a model with a bounded density (minus infinity, an "
                "impossible record, is allowed in draws that the quantile drops)"
            )
        read += block.shape[1]
    if read != n:
        turned = "; it is transposed: pass log_likelihood.T" if by_draw.size == n else ""
        raise InputError(
            f"log_likelihood: must have shape (draws, records), but it has {by_draw.size:,} draws of {read:,} records, not of "
            f"n={n:,}{turned}"
        )
    rank = int(np.floor(quantile * (by_draw.size - 1) + 1e-9))
    kept = by_draw <= np.partition(by_draw, rank)[rank]
    parts = [_largest_by_record(block, own, kept) for block, own in _weighted(fresh(), weights, "records", progress)]
    by_record = np.concatenate(parts)
    if by_record.size != n:
        raise InputError(
            f"log_likelihood: the function returned {n} records in the first call and {by_record.size} in the second; it must "
            "return the same blocks in each call"
        )
    _check_finite(by_record, by_draw)
    return Reduced(_checks.read_only(by_draw), _checks.read_only(kept), _checks.read_only(by_record))


@compiled
def _largest_by_draw(block: FloatArray, weights: FloatArray, largest: FloatArray) -> bool:
    """Update the maxima by draw; return whether all values are finite or minus infinity."""
    good = True
    for s in range(block.shape[0]):
        top = largest[s]
        for i in range(block.shape[1]):
            value = block[s, i]
            good = good and value < np.inf  # also false for NaN
            if weights[i] > 0:
                top = max(top, abs(value) * weights[i])
        largest[s] = top
    return good


@compiled
def _largest_by_record(block: FloatArray, weights: FloatArray, kept: BoolArray) -> FloatArray:
    """Return each record's largest absolute value over the kept draws."""
    largest: FloatArray = np.zeros(block.shape[1])
    for s in range(block.shape[0]):
        if kept[s]:
            for i in range(block.shape[1]):
                if weights[i] > 0:
                    largest[i] = max(largest[i], abs(block[s, i]) * weights[i])
    return largest


def _check_finite(by_record: FloatArray, by_draw: FloatArray) -> None:
    impossible = int(np.isinf(by_record).sum())
    if impossible:
        raise InputError(
            f"log_likelihood: {impossible:,} of {by_record.size:,} records have probability 0 (minus infinity) under a kept "
            f"draw ({int(np.isinf(by_draw).sum()):,} of {by_draw.size:,} draws have such a record), so the bound is infinite; keep "
            "fewer draws (a smaller quantile), or use a model under which every record is possible"
        )


def _weighted(
    blocks: Iterable[Any], weights: FloatArray | None, words: str, progress: bool
) -> Iterator[tuple[FloatArray, FloatArray]]:
    """Yield the validated blocks, each with the weights of its records."""
    from tqdm import tqdm

    start, draws = 0, None
    for number, given in enumerate(tqdm(blocks, desc=words, unit="block", delay=1.0, disable=not progress), start=1):
        block = _checked(given, number)
        if draws not in (None, block.shape[0]):
            raise InputError(
                f"log_likelihood: block {number} has {block.shape[0]} draws, but the first block has {draws}"
            )
        draws, stop = block.shape[0], start + block.shape[1]
        if weights is not None and stop > weights.size:
            raise InputError(
                f"weights: has {weights.size} values, but log_likelihood has more records; pass one per record"
            )
        # Copy, because Numba compiles separate code for read-only arrays.
        yield block, np.ones(block.shape[1]) if weights is None else weights[start:stop].copy()
        start = stop
    if draws is None:
        raise InputError("log_likelihood: has no records")


def _checked(given: Any, number: int) -> FloatArray:
    block = _checks.check_array(given, f"log_likelihood, block {number}", "a matrix of numbers")
    if block.ndim != 2 or block.shape[0] == 0 or block.shape[1] == 0:
        raise InputError(f"log_likelihood: must have shape (draws, records), both at least 1, got {block.shape}")
    return block


def _blocks_of(given: Any) -> Iterable[Any]:
    """Return the result of the caller's function after checking that it is iterable."""
    if not isinstance(given, Iterable) or isinstance(given, str | bytes):
        raise InputError(
            f"log_likelihood: the function must return a list or an iterator of matrices, not {type(given).__name__}"
        )
    return given


def _fresh(log_likelihood: Any) -> Callable[[], Iterable[Any]]:
    """Return a function that returns a new iterable of blocks."""
    if isinstance(log_likelihood, Iterator):
        raise InputError(
            "log_likelihood: an iterator can be read once, but two readings are needed; pass a function without arguments that "
            "returns a new iterator, a list of blocks, or a matrix"
        )
    if callable(log_likelihood):
        return lambda: _blocks_of(log_likelihood())
    if isinstance(log_likelihood, Sequence) and len(log_likelihood) and _checks.dimensions(log_likelihood[0]) == 2:
        return lambda: log_likelihood
    matrix = (
        log_likelihood
        if isinstance(log_likelihood, np.ndarray)
        else _checks.check_array(log_likelihood, "log_likelihood", "a matrix of numbers")
    )
    if matrix.ndim != 2 or 0 in matrix.shape:
        raise InputError(f"log_likelihood: must have shape (draws, records), both at least 1, got {matrix.shape}")
    width = max(1, CELLS // matrix.shape[0])
    return lambda: (matrix[:, start : start + width] for start in range(0, matrix.shape[1], width))
