"""Synthetic tables of an ordered variable by the exponential mechanism with the Kolmogorov-Smirnov distance."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from synthlab import _checks, _rng
from synthlab._typing import BoolArray, FloatArray, FrameLike, IntArray, RngLike
from synthlab.dp._query import charge, in_part
from synthlab.dp.budget import Budget
from synthlab.dp.exponential import ExponentialMechanism
from synthlab.dp.table import count_cells, declared_levels, table_frame
from synthlab.dp.table_result import PrivateTableResult
from synthlab.exceptions import InputError

MOST_POINTS = 14_000
CHUNK = 2_000_000
LARGEST = 1e300


def private_ks_table(
    confidential: FrameLike,
    *,
    levels: Mapping[str, Sequence[Any]],
    n_synthetic: int,
    epsilon: float,
    other: Mapping[str, Any] | None = None,
    m: int = 1,
    budget: Budget | None = None,
    query: str = "Kolmogorov-Smirnov table",
    rng: RngLike = None,
) -> PrivateTableResult:
    """Choose synthetic tables of an ordered variable by their Kolmogorov-Smirnov distance.

    Parameters
    ----------
    confidential, other, m, budget, query, rng
        As in `private_table`. The additional level of `other` is the last one.
    levels : mapping {variable: levels}
        The declared levels of one variable, in increasing order, such as bands of income.
    n_synthetic : int >= 1
        Public number M of synthetic records. The number K of levels times (M + 1) must be at most 14,000.
    epsilon : float > 0
        Privacy loss of one table if one record is replaced; m tables have m times this loss.

    Returns
    -------
    PrivateTableResult
        Synthetic tables. The pseudocount is 0, because this mechanism does not use one.

    Raises
    ------
    InputError
        There is more than one variable, the table is too large, `budget` is for a part of the records, whose number is
        not public, or an argument is out of range. The error never depends on a record.
    BudgetExceededError
        The budget has less than m epsilon left.

    Notes
    -----
    The candidates are all tables s of M records in the K levels. With the distribution functions
    ``F(k) = (records in levels 1..k) / n`` and ``G(k) = (s_1 + ... + s_k) / M``, the distance is
    ``D = max_k |F(k) - G(k)|``, and a table is drawn with probability proportional to ``exp(-epsilon n D / 2)``. This is
    the exponential mechanism with the utility of Wasserman and Zhou (2010), which Savitsky, Williams and Hu name as
    an alternative to the log-likelihood.

    Sensitivity: if one of n records is replaced, every F(k) changes by 0 or 1/n. By the triangle inequality, D changes
    by at most 1/n for each candidate, and by exactly 1/n for some. Each weight therefore changes by a factor of at most
    ``exp(epsilon / 2)``, and so does their sum, which gives epsilon. The number of records n is public, so the adjacency
    is "replace". If records are added or removed, the sensitivity depends on n, which is then confidential; there is no
    such version.

    The draw is exact (up to floating-point errors), unlike the Markov chains of the papers: because
    ``exp(-c D) = integral over t >= D of c exp(-c t)``, a threshold t is drawn with density proportional to
    ``exp(-c t) N(t)``, where N(t) is the number of tables with D <= t, and then one of these tables is drawn with equal
    probabilities. N(t) is a number of increasing paths within a band. This sampler is derived here.

    References
    ----------
    Wasserman, L. and Zhou, S. (2010). A statistical framework for differential privacy. Journal of the American
    Statistical Association 105, 375-389.
    Savitsky, T. D., Williams, M. R. and Hu, J. (2022). Bayesian pseudo posterior mechanism under asymptotic differential
    privacy. Journal of Machine Learning Research 23(55), 1-37.

    Examples
    --------
    >>> import pandas as pd
    >>> from synthlab import dp
    >>> people = pd.DataFrame({"age": ["young"] * 50 + ["middle"] * 30 + ["old"] * 20})
    >>> table = dp.private_ks_table(people, levels={"age": ["young", "middle", "old"]}, n_synthetic=100, epsilon=5.0, rng=1)
    >>> table.n_synthetic, table.epsilon_total
    (100, 5.0)
    """
    frame = table_frame(confidential)
    known, widened = declared_levels(frame, levels, other)
    if len(known) != 1:
        raise InputError(f"levels: must have exactly one variable, whose levels are ordered, got {len(known)}")
    size, m = _checks.check_count(n_synthetic, "n_synthetic"), _checks.check_count(m, "m", maximum=100_000)
    values = next(iter(widened.values()))
    if len(values) * (size + 1) > MOST_POINTS:
        raise InputError(
            f"levels, n_synthetic: {len(values):,} levels times {size + 1:,} are more than {MOST_POINTS:,}; this mechanism "
            "is for small tables"
        )
    if in_part(budget):
        raise InputError(
            "budget: is for a part of the records, whose number is not public; use a budget of all records"
        )
    n = len(frame)  # public under replace
    mechanism = ExponentialMechanism(epsilon, 1.0 / max(n, 1))
    if mechanism.rate > LARGEST:
        raise InputError(f"epsilon={epsilon!r}: is so large that always the best table is chosen; use a smaller value")
    streams, seed = _rng.spawn_for_release(rng, m)
    charge(budget, m * mechanism.epsilon, query, adjacency="replace", rng=rng, sources=streams)
    shares = np.cumsum(count_cells(frame, known, widened, budget)) / max(n, 1)
    drawn = draw_tables(shares, size, mechanism.rate, streams)
    return PrivateTableResult(
        widened,
        _checks.read_only(drawn),
        0.0,
        mechanism.epsilon,
        "replace",
        _checks.data_kind(frame),
        "exponential mechanism of the Kolmogorov-Smirnov distance",
        _rng.is_safe(seed),
    )


def draw_tables(shares: FloatArray, size: int, rate: float, streams: Sequence[np.random.Generator]) -> IntArray:
    """Draw tables of `size` records with probability proportional to exp(-rate D), one column per stream.

    `shares` is the confidential distribution function at each level.
    """
    distance = np.abs(shares[:, None] - np.arange(size + 1) / size)  # of a table with s records up to level k
    thresholds = np.unique(distance)
    number = _tables_within(distance, thresholds)
    possible = number > 0
    thresholds, number = thresholds[possible], number[possible]
    with np.errstate(under="ignore", over="ignore"):
        gaps = np.append(-np.expm1(-rate * np.diff(thresholds)), 1.0)
        weights = number / number.max() * np.exp(-rate * (thresholds - thresholds[0])) * gaps
    tables = np.zeros((len(shares), len(streams)), dtype=np.int64)
    for column, stream in enumerate(streams):
        threshold = stream.choice(thresholds, p=weights / weights.sum())
        tables[:, column] = _uniform_table(distance <= threshold, stream)
    return tables


def _tables_within(distance: FloatArray, thresholds: FloatArray) -> FloatArray:
    """Return the number of tables with D <= t for each threshold t.

    The numbers are below 1e100 because of the limit on the size of the table.
    """
    found = []
    for part in np.array_split(thresholds, max(1, thresholds.size * distance.shape[1] // CHUNK)):
        paths = np.zeros((part.size, distance.shape[1]))
        paths[:, 0] = 1.0
        for row in distance:
            paths = np.cumsum(paths, axis=1) * (row <= part[:, None])
        found.append(paths[:, -1])
    return np.concatenate(found)


def _uniform_table(allowed: BoolArray, stream: np.random.Generator) -> IntArray:
    """Draw one of the tables whose cumulative counts are `allowed` at every level, with equal probabilities."""
    n_levels, points = allowed.shape
    paths = np.zeros((n_levels + 1, points))
    paths[0, 0] = 1.0
    for k in range(n_levels):
        paths[k + 1] = np.cumsum(paths[k]) * allowed[k]
    sums = np.zeros(n_levels + 1, dtype=np.int64)
    sums[n_levels] = points - 1
    for k in range(n_levels - 1, 0, -1):
        chance = paths[k, : sums[k + 1] + 1]
        sums[k] = stream.choice(chance.size, p=chance / chance.sum())
    return np.diff(sums)
