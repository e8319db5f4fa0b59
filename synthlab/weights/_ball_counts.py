"""Number of balls that contain each record, and sums over the records in each ball.

Records are sorted once by cell (pattern and values compared exactly) and value. With one continuous variable a ball is a run
of the sorted records: counting balls merges two sorted lists, and a sum over a ball is a difference of prefix sums. With
several continuous variables, blocks are divided or scanned as in `synthlab.matching`.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from synthlab._system.compiled import compiled
from synthlab._typing import FloatArray, IntArray
from synthlab.matching import range_counting
from synthlab.matching.kernel import Intervals, _in_ball, divide_or_scan, sort_and_search
from synthlab.matching.range_counting import Runs

CHUNK = 20_000_000  # candidates per step of the progress bar


def balls_round_each(cell: IntArray, values: FloatArray, balls: Intervals | None, progress: bool) -> IntArray:
    """Count, for each record h, the records j of its cell whose ball contains y_h, shape (n,)."""
    if balls is None:
        _, place, count = np.unique(cell, return_inverse=True, return_counts=True)
        return count[place].astype(np.int64)
    covering = np.zeros(cell.size, dtype=np.int64)
    if values.shape[1] == 1:
        order, starts = _runs(cell, values[:, 0])
        ends = (balls.lower[order, 0], balls.upper[order, 0])
        covering[order] = _merge(values[order, 0], *ends, starts, balls.closed)
    else:
        orders, runs = sort_and_search(cell, values, cell, balls)
        halved, scanned = divide_or_scan(runs, cell.size, balls)
        if halved.size:
            covering = range_counting.count_covering(orders, runs.take(halved))
        if scanned.size:
            _scan(orders, runs, scanned, values, balls, covering, None, progress, "balls around each record")
    return covering


def sum_in_each_ball(
    cell: IntArray, values: FloatArray, balls: Intervals | None, share: FloatArray, progress: bool
) -> FloatArray:
    """Sum `share` over the records of each ball, shape (n,)."""
    if balls is None:
        _, place = np.unique(cell, return_inverse=True)
        return np.asarray(np.bincount(place, weights=share), dtype=np.float64)[place]
    total = np.zeros(cell.size)
    if values.shape[1] == 1:
        order, starts = _runs(cell, values[:, 0])
        ends = (balls.lower[order, 0], balls.upper[order, 0])
        total[order] = _run_sums(values[order, 0], *ends, share[order], starts, balls.closed)
    else:
        orders, runs = sort_and_search(cell, values, cell, balls)
        halved, scanned = divide_or_scan(runs, cell.size, balls)
        if halved.size:
            total[halved] = range_counting.sum_inside(orders, runs.take(halved), share)
        if scanned.size:
            _scan(orders, runs, scanned, values, balls, total, share, progress, "sums over each ball")
    return total


def group_share(outside: IntArray, size: IntArray, order: int) -> FloatArray:
    """Return C(g - 1, k - 1) / C(N - 1, k - 1) for each record, with k = min(order, N).

    `outside` is g, the number of balls of the pattern that do not contain the record; `size` is N.
    """
    if order == 1:
        return np.ones(size.size)
    sizes, place = np.unique(size, return_inverse=True)
    begins = np.concatenate([[0], np.cumsum(sizes + 1)[:-1]])
    table = np.concatenate([_share_table(int(number), min(order, int(number))) for number in sizes])
    return table[begins[place] + outside]


def _share_table(size: int, order: int) -> FloatArray:
    """Return the ratios for g = 0..N (g = 0 is not used for records outside a ball)."""
    g = np.arange(size, 1, -1)  # the ratio at g - 1 is computed from the ratio at g
    ratios = np.maximum(g - order, 0) / (g - 1)
    return np.concatenate([[0.0], np.cumprod(np.concatenate([[1.0], ratios]))[::-1]])


def _runs(cell: IntArray, column: FloatArray) -> tuple[IntArray, IntArray]:
    """Return the order by cell and value, and the start of each cell (followed by n)."""
    order = np.argsort(column, kind="stable")
    few = cell.min(initial=0) >= 0 and cell.max(initial=0) < 2**16  # NumPy sorts 16-bit integers in linear time
    order = order[np.argsort((cell.astype(np.uint16) if few else cell)[order], kind="stable")]
    sorted_cell = cell[order]
    starts = np.flatnonzero(np.concatenate([[True], sorted_cell[1:] != sorted_cell[:-1]]))
    return order, np.concatenate([starts, [cell.size]])


@compiled
def _merge(column: FloatArray, lower: FloatArray, upper: FloatArray, starts: IntArray, closed: bool) -> IntArray:
    """Count the intervals of the cell that contain each value."""
    covering = np.zeros(column.size, dtype=np.int64)
    for c in range(starts.size - 1):
        a, b = starts[c], starts[c + 1]
        holds = np.empty(b - a, dtype=np.bool_)
        for i in range(a, b):
            # An open interval of width 0 is empty and does not contain its center.
            holds[i - a] = lower[i] <= upper[i] if closed else lower[i] < upper[i]
        low, high = np.sort(lower[a:b][holds]), np.sort(upper[a:b][holds])
        begun, ended = 0, 0
        for h in range(a, b):
            value = column[h]
            while begun < low.size and (low[begun] < value or (closed and low[begun] == value)):
                begun += 1
            while ended < high.size and (high[ended] < value or (not closed and high[ended] == value)):
                ended += 1
            covering[h] = begun - ended
    return covering


@compiled
def _first_at_least(column: FloatArray, start: int, stop: int, bound: float, strictly: bool) -> int:
    """Return the first position with value >= bound (> bound if strictly); NaN is largest."""
    while start < stop:
        middle = (start + stop) // 2
        value = column[middle]
        if value < bound or (strictly and value == bound):
            start = middle + 1
        else:
            stop = middle
    return start


@compiled
def _run_sums(
    column: FloatArray, lower: FloatArray, upper: FloatArray, share: FloatArray, starts: IntArray, closed: bool
) -> FloatArray:
    """Sum `share` over the values of the cell inside each interval."""
    total = np.zeros(column.size)
    for c in range(starts.size - 1):
        a, b = starts[c], starts[c + 1]
        prefix = np.zeros(b - a + 1)
        for i in range(a, b):
            prefix[i - a + 1] = prefix[i - a] + share[i]
        for i in range(a, b):
            if lower[i] <= upper[i]:
                first = _first_at_least(column, a, b, lower[i], not closed)
                last = _first_at_least(column, first, b, upper[i], closed)
                total[i] = prefix[last - a] - prefix[first - a]
    return total


def _scan(
    orders: IntArray,
    runs: Runs,
    which: IntArray,
    values: FloatArray,
    balls: Intervals,
    out: IntArray | FloatArray,
    share: FloatArray | None,
    progress: bool,
    words: str,
) -> None:
    """Scan the records of the balls `which`.

    Without `share`, add 1 to each record in a ball; otherwise, add its share to the record of the ball.
    """
    from tqdm import tqdm

    stacked = np.stack([values[order] for order in orders])
    best, first, last = runs.take(which).narrowest()
    cumulative = np.cumsum(last - first)
    cuts = np.searchsorted(cumulative, np.arange(CHUNK, cumulative[-1] + CHUNK, CHUNK), side="left") + 1
    ends = np.unique(np.minimum(cuts, which.size))
    visit: Callable[..., None] = _add_one if share is None else _add_share
    with tqdm(
        total=int(cumulative[-1]), desc=words, unit="pair", unit_scale=True, delay=1.0, disable=not progress
    ) as bar:
        start = 0
        for stop in ends:
            shared = (balls.lower, balls.upper, balls.centre, balls.half_width, balls.closed, balls.scaled)
            weights = np.empty(0) if share is None else share
            visit(start, stop, which, stacked, orders, best, first, last, *shared, weights, out)
            bar.update(int(cumulative[stop - 1] - (cumulative[start - 1] if start else 0)))
            start = stop


@compiled
def _in_box(point: FloatArray, lower: FloatArray, upper: FloatArray, closed: bool) -> bool:
    for j in range(point.size):
        if closed:
            if not (point[j] >= lower[j] and point[j] <= upper[j]):
                return False
        elif not (point[j] > lower[j] and point[j] < upper[j]):
            return False
    return True


@compiled
def _holds(
    point: FloatArray, lower: FloatArray, upper: FloatArray, centre: FloatArray, half_width: FloatArray,
    closed: bool, scaled: bool,
) -> bool:  # fmt: skip
    if scaled:
        return bool(_in_ball(point, centre, half_width, closed))
    return bool(_in_box(point, lower, upper, closed))


@compiled
def _add_one(
    start: int, stop: int, which: IntArray, stacked: FloatArray, rows: IntArray,
    best: IntArray, first: IntArray, last: IntArray, lower: FloatArray, upper: FloatArray,
    centre: FloatArray, half: FloatArray, closed: bool, scaled: bool, share: FloatArray, out: IntArray,
) -> None:  # fmt: skip
    for t in range(start, stop):
        i = which[t]
        for place in range(first[t], last[t]):
            if _holds(stacked[best[t], place], lower[i], upper[i], centre[i], half[i], closed, scaled):
                out[rows[best[t], place]] += 1


@compiled
def _add_share(
    start: int, stop: int, which: IntArray, stacked: FloatArray, rows: IntArray,
    best: IntArray, first: IntArray, last: IntArray, lower: FloatArray, upper: FloatArray,
    centre: FloatArray, half: FloatArray, closed: bool, scaled: bool, share: FloatArray, out: FloatArray,
) -> None:  # fmt: skip
    for t in range(start, stop):
        i = which[t]
        total = 0.0
        for place in range(first[t], last[t]):
            if _holds(stacked[best[t], place], lower[i], upper[i], centre[i], half[i], closed, scaled):
                total += share[rows[best[t], place]]
        out[i] = total
