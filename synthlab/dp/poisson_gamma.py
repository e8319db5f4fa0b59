"""Differentially private counts from a Poisson-gamma model with a minimum prior strength.

Cell i has the confidential count ``y_i ~ Poisson(N_i r_i)`` with the rate ``r_i ~ Gamma(a_i, a_i / r0_i)``, whose mean is
the public guess r0_i; ``E_i = N_i r0_i`` is the expected count, and the prior strength a_i counts imaginary events. The
synthetic counts are the predictive counts z given their public sum M. Each z_i is negative binomial with size
``g_i = y_i + a_i`` and ``q_i = 1 / (2 + a_i / E_i)``, so that

    P(z | y) = prod_i C(z_i + g_i - 1, z_i) q_i^z_i / S(g),   S(g) = coefficient of x^M in F(x) = prod_i (1 - q_i x)^-g_i.

Let S_k be the coefficient of x^k in F. From ``x F' = F sum_k P_k x^k`` with ``P_k = sum_i g_i q_i^k >= g_j q_j^k`` follows
``M S_M = sum_k P_k S_(M-k)``, and therefore ``sum_(k>=1) q_j^k S_(M-k) <= M S_M / g_j``.         (*)

- A record is added to cell j: the probability changes by the factor ``(z_j + g_j) / g_j * S(g) / S(g + e_j)``. The first
  part is between 1 and 1 + M / a_j. By (*), ``S(g + e_j) / S(g) = sum_(k>=0) q_j^k S_(M-k) / S_M`` is too. The loss is at
  most ``log(1 + M / a_j)``.
- A record moves from cell i to cell j: the probability of z is divided by
  ``(z_i + g_i - 1) / (g_i - 1) * g_j / (z_j + g_j) * S(g') / S(g)``. The first part is at most 1 + M / a_i, because
  ``g_i - 1 >= a_i``; the second is at most 1. The last is ``1 + (q_j - q_i) sum_(k>=1) q_j^(k-1) S_(M-k) / S_M``, by (*) at
  most ``1 + max(0, 1 - q_i / q_j) M / a_j``. Exchanging i and j bounds the inverse.

If all q_i are equal, the counts are Dirichlet-multinomial and the loss is that of `dirichlet_epsilon`.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from math import prod
from typing import Any

import numpy as np
import numpy.typing as npt

from synthlab import _checks, _rng
from synthlab._typing import FloatArray, FrameLike, RngLike
from synthlab.dp._query import charge
from synthlab.dp.adjacency import Adjacency, check_adjacency
from synthlab.dp.budget import Budget
from synthlab.dp.minimum_prior import LARGEST, minimum_pseudocount
from synthlab.dp.pmse_table import MOST_RECORDS, MOST_WORK, draw_tables
from synthlab.dp.table import count_cells, declared_levels, table_frame
from synthlab.dp.table_result import PrivateTableResult
from synthlab.exceptions import InputError

STEPS = 200
LARGEST_STRENGTH = 1e12
SMALLEST, LARGEST_GIVEN = 1e-50, 1e50


def poisson_gamma_epsilon(
    strength: npt.ArrayLike, n_synthetic: int, *, expected: npt.ArrayLike, adjacency: Adjacency = "add-remove"
) -> float:
    """Return an upper bound of the privacy loss of one Poisson-gamma table.

    Parameters
    ----------
    strength : float or array_like of shape (K,)
        Prior strength a_i > 0 of each cell.
    n_synthetic : int from 1 to 10**15
        Public number M of synthetic records, never taken from the data under add-remove.
    expected : array_like of shape (K,)
        Expected counts E_i > 0 under the prior, from public sources.
    adjacency : {"add-remove", "replace"}
        Definition of neighboring databases.

    Returns
    -------
    float > 0
        Under add-remove, ``log(1 + M / min a)``. Under replace, ``log(1 + M / min a) + log(1 + max_j (1 - min q / q_j) M /
        a_j)`` with ``q_j = 1 / (2 + a_j / E_j)``.

    Raises
    ------
    InputError
        An argument is out of range, or the shapes differ.

    Notes
    -----
    The proof is in `synthlab.dp.poisson_gamma`. Under replace, the bound is the exact loss if all a_i and all E_i are equal;
    otherwise, the exact loss can be smaller.

    References
    ----------
    Quick, H. (2021). Generating Poisson-distributed differentially private synthetic data. Journal of the Royal
    Statistical Society, Series A 184(3), 1093-1108. The Poisson-gamma model with a minimum prior strength is from the
    paper; the bounds are derived here, not taken from it.

    Examples
    --------
    >>> from synthlab import dp
    >>> round(dp.poisson_gamma_epsilon(5.0, 100, expected=[10.0, 40.0, 50.0]), 3)
    3.045
    >>> round(dp.poisson_gamma_epsilon(5.0, 100, expected=[10.0, 40.0, 50.0], adjacency="replace"), 3)
    4.48
    """
    size = _checks.check_count(n_synthetic, "n_synthetic", maximum=LARGEST)
    check_adjacency(adjacency)
    means = _positive(expected, "expected")
    a = _positive(strength, "strength")
    if a.size == 1:
        a = np.broadcast_to(a, means.shape)
    if a.shape != means.shape:
        raise InputError(f"strength, expected: {a.size} strengths for {means.size} expected counts; give one per cell")
    with np.errstate(over="ignore"):
        loss = np.log1p(size / a).max()
        if adjacency == "replace":
            inverse = 2 + a / means  # 1 / q
            loss += np.log1p(((1 - inverse / inverse.max()) * size / a).max())
    return float(loss)


def minimum_prior_strength(
    epsilon: float, n_synthetic: int, *, expected: npt.ArrayLike, adjacency: Adjacency = "add-remove"
) -> float:
    """Return the smallest equal prior strength per cell for which `poisson_gamma_epsilon` is at most epsilon.

    Parameters
    ----------
    epsilon : float > 0
        Privacy loss of one table.
    n_synthetic, expected, adjacency
        As in `poisson_gamma_epsilon`.

    Returns
    -------
    float > 0
        Under add-remove, ``M / (exp(epsilon) - 1)``. Under replace, it is found by bisection.

    Raises
    ------
    InputError
        An argument is out of range.

    References
    ----------
    As in `poisson_gamma_epsilon`.

    Examples
    --------
    >>> from synthlab import dp
    >>> expected = [10.0, 40.0, 50.0]
    >>> round(dp.minimum_prior_strength(3.0, 100, expected=expected), 2)
    5.24
    >>> round(dp.minimum_prior_strength(3.0, 100, expected=expected, adjacency="replace"), 2)
    18.21
    """
    low = minimum_pseudocount(epsilon, n_synthetic)
    if low > LARGEST_STRENGTH:
        raise InputError(f"epsilon={epsilon!r}: is so small that only the prior would be left; use a larger value")
    if poisson_gamma_epsilon(low, n_synthetic, expected=expected, adjacency=adjacency) <= epsilon * (1 + 1e-12):
        return low
    high = 2 * low
    while poisson_gamma_epsilon(high, n_synthetic, expected=expected, adjacency=adjacency) > epsilon:
        high *= 2
    for _ in range(STEPS):
        middle = (low + high) / 2
        if not low < middle < high:
            break
        enough = poisson_gamma_epsilon(middle, n_synthetic, expected=expected, adjacency=adjacency) <= epsilon
        low, high = (low, middle) if enough else (middle, high)
    return high


def private_poisson_gamma_table(
    confidential: FrameLike,
    *,
    levels: Mapping[str, Sequence[Any]],
    expected: npt.ArrayLike,
    n_synthetic: int,
    epsilon: float,
    other: Mapping[str, Any] | None = None,
    m: int = 1,
    adjacency: Adjacency = "add-remove",
    budget: Budget | None = None,
    query: str = "Poisson-gamma table",
    rng: RngLike = None,
) -> PrivateTableResult:
    """Draw synthetic tables from a Poisson-gamma model with the smallest prior strength for epsilon.

    Parameters
    ----------
    confidential, levels, other, m, budget, query, rng
        As in `private_table`.
    expected : array_like of shape (K,)
        Expected count of each cell under the prior, > 0, in the order of the cells (the last variable changes fastest):
        for example, population sizes times a national rate. It must come from public sources, never from these records.
    n_synthetic : int from 1 to 5,000
        Public number M of synthetic records. The number of cells times (M + 1) squared must be at most 200 million.
    epsilon : float > 0
        Privacy loss of one table; m tables have m times this loss.
    adjacency : {"add-remove", "replace"}
        Definition of neighboring databases. Under replace, the prior must be stronger if `expected` differs between
        cells. Under add-remove, M must not be the confidential n.

    Returns
    -------
    PrivateTableResult
        Synthetic tables; `pseudocount` is the prior strength a of every cell.

    Raises
    ------
    InputError
        `expected` is not one number above 0 per cell, the table is too large, or an argument is out of range. The error
        never depends on a record.
    BudgetExceededError
        The budget has less than m epsilon left.

    Notes
    -----
    With prior strength a, the predictive mean of cell i before conditioning on the sum is
    ``(y_i + a) / (1 + a / E_i)``: the data have weight ``1 / (1 + a / E_i)`` and the expected count E_i has the rest. In
    contrast, `private_table` shrinks all cells to equal counts. The tables are drawn exactly (up to floating-point
    errors) from ``P(z | y)``; see `synthlab.dp.poisson_gamma` for the model and the proof of epsilon.

    References
    ----------
    As in `poisson_gamma_epsilon`.

    Examples
    --------
    >>> import pandas as pd
    >>> from synthlab import dp
    >>> deaths = pd.DataFrame({"county": ["a"] * 5 + ["b"] * 40 + ["c"] * 55})
    >>> table = dp.private_poisson_gamma_table(
    ...     deaths, levels={"county": ["a", "b", "c"]}, expected=[10.0, 40.0, 50.0], n_synthetic=100, epsilon=3.0, rng=1
    ... )
    >>> table.n_synthetic, round(table.pseudocount, 2)
    (100, 5.24)
    """
    frame = table_frame(confidential)
    known, widened = declared_levels(frame, levels, other)
    cells = prod(map(len, widened.values()))
    means = _positive(expected, "expected")
    if means.shape != (cells,):
        raise InputError(
            f"expected, levels, other: {means.size:,} expected counts for {cells:,} cells; give one per declared cell"
        )
    size = _checks.check_count(n_synthetic, "n_synthetic", maximum=MOST_RECORDS)
    m = _checks.check_count(m, "m", maximum=100_000)
    if cells * (size + 1) ** 2 > MOST_WORK:
        raise InputError(
            f"levels, n_synthetic: {cells:,} cells times {size:,} records squared are more than {MOST_WORK:,}; this "
            "mechanism is for small tables"
        )
    check_adjacency(adjacency)
    strength = minimum_prior_strength(epsilon, size, expected=means, adjacency=adjacency)
    streams, seed = _rng.spawn_for_release(rng, m)
    charge(budget, m * float(epsilon), query, adjacency=adjacency, rng=rng, sources=streams)
    weights = log_weights(count_cells(frame, known, widened, budget), strength, means, size)
    return PrivateTableResult(
        widened,
        _checks.read_only(draw_tables(weights, streams)),
        strength,
        float(epsilon),
        adjacency,
        _checks.data_kind(frame),
        "Poisson-gamma model with the minimum prior strength",
        _rng.is_safe(seed),
    )


def log_weights(counts: FloatArray, strength: float, expected: FloatArray, size: int) -> FloatArray:
    """Return log C(z + g - 1, z) q^z for z = 0..M, one row per cell."""
    z, g = np.arange(1.0, size + 1.0), (counts + strength)[:, None]
    # log((g + z - 1) / z) is summed, because differences of log-gamma functions are inaccurate for large g.
    steps = np.log((g + z - 1) / z) - np.log(2 + strength / expected)[:, None]
    return np.concatenate([np.zeros_like(g), np.cumsum(steps, axis=1)], axis=1)


def _positive(values: Any, name: str) -> FloatArray:
    array = np.atleast_1d(_checks.check_array(values, name, "numbers above 0").astype(np.float64))
    if array.ndim != 1 or array.size == 0 or not ((array >= SMALLEST) & (array <= LARGEST_GIVEN)).all():
        raise InputError(f"{name}: must be numbers above 0, from {SMALLEST:g} to {LARGEST_GIVEN:g}")
    return array
