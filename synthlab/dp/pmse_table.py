"""Synthetic tables by the exponential mechanism with the pMSE as utility (Snoke and Slavkovic 2018)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from math import prod
from typing import Any

import numpy as np

from synthlab import _checks, _rng
from synthlab._typing import FloatArray, FrameLike, IntArray, RngLike
from synthlab.dp._query import charge
from synthlab.dp.adjacency import Adjacency, check_adjacency
from synthlab.dp.budget import Budget
from synthlab.dp.exponential import ExponentialMechanism
from synthlab.dp.table import count_cells, declared_levels, table_frame
from synthlab.dp.table_result import PrivateTableResult
from synthlab.exceptions import InputError

MOST_WORK = 200_000_000
MOST_RECORDS = 5_000
LARGEST = 1e300  # largest product of rate and utility


def private_pmse_table(
    confidential: FrameLike,
    *,
    levels: Mapping[str, Sequence[Any]],
    n_synthetic: int,
    epsilon: float,
    other: Mapping[str, Any] | None = None,
    m: int = 1,
    adjacency: Adjacency = "add-remove",
    budget: Budget | None = None,
    query: str = "pMSE table",
    rng: RngLike = None,
) -> PrivateTableResult:
    """Choose small synthetic tables by the exponential mechanism with the pMSE as utility.

    Parameters
    ----------
    confidential, levels, other, m, budget, query, rng
        As in `private_table`.
    n_synthetic : int from 1 to 5,000
        Public number M of synthetic records. The number of cells times (M + 1) squared must be at most 200 million.
    epsilon : float > 0
        Privacy loss of one table; m tables have m times this loss.
    adjacency : {"add-remove", "replace"}
        Definition of neighboring databases. Under add-remove, a record changes the utilities of all tables in one
        direction, which makes the choice more accurate.

    Returns
    -------
    PrivateTableResult
        Synthetic tables. The pseudocount is 0, because this mechanism does not use one.

    Raises
    ------
    InputError
        The table is too large, or an argument is out of range. The error never depends on a record.
    BudgetExceededError
        The budget has less than m epsilon left.

    Notes
    -----
    The candidates are all tables of M records in the declared cells. With the cells as leaves of the classifier,
    ``pMSE = sum_k s_k^2 / (n_k + s_k) / N - c^2``, where N = n + M and c = M / N are the same for all candidates. The
    utility is ``-sum_k s_k^2 / (n_k + s_k)``, the negative pMSE in units of 1 / N. One more record in cell k increases
    it by ``s_k^2 / ((n_k + s_k) (n_k + s_k + 1))``, at most M / (M + 1). This is the sensitivity, and it is attained.

    The paper uses the sensitivity 1 / n for the pMSE of any tree, and draws parameters by Markov chains, whose
    approximation error adds to the privacy loss. Here, the utility is a sum over the cells, so a table can be drawn
    exactly from all candidates (up to floating-point errors), cell by cell. This result is derived here for a saturated
    table.

    Most candidates are far from the data. In a table with many cells and few records, the choice is therefore hardly
    better than a random choice.

    References
    ----------
    Snoke, J. and Slavkovic, A. (2018). pMSE mechanism: differentially private synthetic data with maximal
    distributional similarity. Privacy in Statistical Databases, 138-159.

    Examples
    --------
    >>> import pandas as pd
    >>> from synthlab import dp
    >>> people = pd.DataFrame({"tenure": ["owns"] * 60 + ["rents"] * 40})
    >>> levels = {"tenure": ["owns", "rents", "neither"]}
    >>> table = dp.private_pmse_table(people, levels=levels, n_synthetic=100, epsilon=5.0, rng=1)
    >>> table.n_synthetic, table.epsilon_total
    (100, 5.0)
    """
    frame = table_frame(confidential)
    known, widened = declared_levels(frame, levels, other)
    size = _checks.check_count(n_synthetic, "n_synthetic", maximum=MOST_RECORDS)
    m = _checks.check_count(m, "m", maximum=100_000)
    cells = prod(map(len, widened.values()))
    if cells * (size + 1) ** 2 > MOST_WORK:
        raise InputError(
            f"levels, n_synthetic: {cells:,} cells times {size:,} records squared are more than {MOST_WORK:,}; this "
            "mechanism is for small tables"
        )
    one_way = check_adjacency(adjacency) == "add-remove"
    mechanism = ExponentialMechanism(epsilon, size / (size + 1.0), monotone=one_way)
    if mechanism.rate * size > LARGEST:
        raise InputError(f"epsilon={epsilon!r}: is so large that always the best table is chosen; use a smaller value")
    streams, seed = _rng.spawn_for_release(rng, m)
    charge(budget, m * mechanism.epsilon, query, adjacency=adjacency, rng=rng, sources=streams)
    utility = table_utility(count_cells(frame, known, widened, budget), size)
    drawn = draw_tables(mechanism.rate * utility, streams)
    return PrivateTableResult(
        widened,
        _checks.read_only(drawn),
        0.0,
        mechanism.epsilon,
        adjacency,
        _checks.data_kind(frame),
        "exponential mechanism of the pMSE",
        _rng.is_safe(seed),
    )


def table_utility(counts: FloatArray, size: int) -> FloatArray:
    """Return the contribution of each cell to the utility, -s^2 / (n_k + s) for s = 0..M, one row per cell."""
    s = np.arange(size + 1.0)
    with np.errstate(invalid="ignore"):
        return -np.where(s > 0, s * s / (counts[:, None] + s), 0.0)


def draw_tables(log_weights: FloatArray, streams: Sequence[np.random.Generator]) -> IntArray:
    """Draw s_1..s_K with sum M and probability proportional to exp(sum_k log_weights[k, s_k])."""
    n_cells, size = log_weights.shape[0], log_weights.shape[1] - 1
    rest = np.full((n_cells + 1, size + 1), -np.inf)  # log total weight of placing r records in cells k, k + 1, ...
    rest[n_cells, 0] = 0.0
    for k in range(n_cells - 1, -1, -1):
        for r in range(size + 1):
            rest[k, r] = np.logaddexp.reduce(log_weights[k, : r + 1] + rest[k + 1, r::-1])
    tables = np.zeros((n_cells, len(streams)), dtype=np.int64)
    for column, stream in enumerate(streams):
        left = size
        for k in range(n_cells):
            logs = log_weights[k, : left + 1] + rest[k + 1, left::-1]
            chance = np.exp(logs - rest[k, left])
            tables[k, column] = taken = stream.choice(left + 1, p=chance / chance.sum())
            left -= taken
    return tables
