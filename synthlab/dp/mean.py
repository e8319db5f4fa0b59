"""Mean of a variable with declared bounds, with Laplace noise."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from synthlab import _checks
from synthlab._typing import FloatArray, RngLike
from synthlab.dp._query import begin, charge, in_part, laplace_result, records
from synthlab.dp._records import check_column, numbers_of
from synthlab.dp.adjacency import Adjacency, check_adjacency
from synthlab.dp.budget import Budget
from synthlab.dp.laplace import LaplaceMechanism
from synthlab.dp.result import PrivateResult
from synthlab.dp.sensitivity import check_bounds, count_sensitivity, mean_sensitivity, sum_sensitivity
from synthlab.exceptions import InputError


def private_mean(
    confidential: Any,
    *,
    low: float,
    high: float,
    epsilon: float,
    missing: float | None = None,
    adjacency: Adjacency = "add-remove",
    budget: Budget | None = None,
    level: float = 0.95,
    query: str = "mean",
    rng: RngLike = None,
) -> PrivateResult:
    """Return the mean of a variable with declared bounds, with Laplace noise.

    Values outside [low, high], including infinite values, are clipped to the nearer bound. Under replace, n is public,
    and the noise of the mean has scale (high - low) / (n epsilon). Under add-remove, n is confidential: half of epsilon
    is spent on the sum of the distances from the middle of the bounds (sensitivity (high - low) / 2), and half on the
    number of records.

    Parameters
    ----------
    confidential : array_like of shape (n,)
        A numeric variable.
    low, high : float
        Declared bounds. Narrow bounds clip more values; wide bounds require more noise.
    epsilon : float > 0
        Privacy loss of this mean.
    missing : float, optional
        Replacement for missing and non-numeric values, clipped to the bounds. By default, these values are left out if
        the number of records is estimated (under add-remove and in parts), and replaced by the middle of the bounds if
        n is public.
    adjacency, budget, level, query, rng
        As in `private_count`.

    Returns
    -------
    PrivateResult
        Estimate, clipped to [low, high], and interval. Under add-remove, the interval combines intervals of the sum and
        of the number of records, each of level (1 + level) / 2, so its level is at least `level`.

    Raises
    ------
    InputError
        The bounds are not in order, an argument is out of range, or n is public and there are no records. The error
        never depends on a record.
    BudgetExceededError
        The budget has less than epsilon left.

    Notes
    -----
    The guarantee holds for all values. If n is public, every record contributes one number in [low, high], so replacing
    a record changes the mean by at most (high - low) / n. If n is estimated, a record adds (d, 1) to the sum and the
    number of records, with d in [-h, h] and h = (high - low) / 2, or (0, 0) if it is left out. The scales of the noise
    are 2 h / epsilon and 2 / epsilon. Adding or removing a record costs at most h / (2 h / epsilon) + 1 / (2 / epsilon)
    = epsilon. Replacing a record changes the pair by at most (2 h, 0), or by (h, 1) if one of the two values is left
    out. Both changes cost at most epsilon.

    In a part of a parallel block, n is not public under replace, because a person can move from one part to another,
    and the scale of the noise would reveal the size of the part. The size is then estimated as under add-remove, and
    the mean satisfies epsilon under both adjacencies.

    Examples
    --------
    >>> from synthlab import dp
    >>> answer = dp.private_mean([20.0, 30.0] * 500, low=0, high=100, epsilon=1.0, adjacency="replace", rng=1)
    >>> answer.mechanisms["mean"].sensitivity, round(answer.value, 2)
    (0.1, 25.0)
    """
    check_column(confidential)
    lower, upper = check_bounds(low, high)
    epsilon = _checks.check_number(epsilon, "epsilon", low=0.0, open_low=True)
    filled = None if missing is None else min(max(_checks.check_number(missing, "missing"), lower), upper)
    check_adjacency(adjacency)
    generator = begin(level, rng)
    public = adjacency == "replace" and not in_part(budget)
    mechanisms = _mechanisms(lower, upper, epsilon, len(confidential) if public else None)
    charge(budget, epsilon, query, adjacency=adjacency, sources=[generator])
    values = numbers_of(records(confidential, budget))
    absent = np.isnan(values)
    if filled is None and not public:
        values = values[~absent]
    else:
        values = np.where(absent, (lower + upper) / 2 if filled is None else filled, values)
    inside = np.clip(values, lower, upper)
    kind = _checks.data_kind(confidential)
    if public:
        mechanism = mechanisms["mean"]
        noisy = mechanism.add_noise([inside.mean()], rng=generator)
        bounds = laplace_result(query, (query,), noisy, mechanism, "mean", level, adjacency, kind).interval
    else:
        noisy, bounds = _mean_of_unknown_size(inside, lower, upper, level, mechanisms, generator)
    estimate, interval = (_checks.read_only(np.clip(x, lower, upper)) for x in (noisy, bounds))
    return PrivateResult(query, (query,), estimate, interval, level, epsilon, adjacency, mechanisms, kind)


def _mechanisms(low: float, high: float, epsilon: float, n: int | None) -> dict[str, LaplaceMechanism]:
    """Return the noise of the mean (public n), or of the sum and the number of records (n = None)."""
    if n == 0:
        raise InputError("confidential: must contain at least one record under replace, where n is public")
    if n is not None:
        return {"mean": LaplaceMechanism(epsilon, mean_sensitivity(low, high, n))}
    half = (high - low) / 2
    return {
        "sum of distances from the middle": LaplaceMechanism(epsilon / 2, sum_sensitivity(-half, half)),
        "number of records": LaplaceMechanism(epsilon / 2, count_sensitivity()),
    }


def _mean_of_unknown_size(
    inside: FloatArray,
    low: float,
    high: float,
    level: float,
    mechanisms: Mapping[str, LaplaceMechanism],
    rng: np.random.Generator,
) -> tuple[FloatArray, FloatArray]:
    of_sum, of_size = mechanisms.values()
    middle = (low + high) / 2
    total = float(of_sum.add_noise((inside - middle).sum(), rng=rng))
    size = float(of_size.add_noise(float(inside.size), rng=rng))
    each = (1.0 + level) / 2
    sums = total + np.array([-1.0, 1.0]) * of_sum.margin(each)
    sizes = np.maximum(size + np.array([-1.0, 1.0]) * of_size.margin(each), 1.0)
    ratios = (sums[:, None] / sizes[None, :]).ravel()
    estimate = np.array([middle + total / max(size, 1.0)])
    return estimate, middle + np.array([[ratios.min(), ratios.max()]])
