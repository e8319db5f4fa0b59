"""The mean of a variable with declared bounds, with Laplace noise."""

from __future__ import annotations

from typing import Any

import numpy as np

from synthlab import _checks
from synthlab._typing import FloatArray, RngLike
from synthlab.dp._query import begin, charge, column_of, laplace_result
from synthlab.dp.budget import Budget
from synthlab.dp.laplace import LaplaceMechanism
from synthlab.dp.neighbours import Adjacency, check_adjacency
from synthlab.dp.result import PrivateResult
from synthlab.dp.sensitivity import check_bounds, count_sensitivity, mean_sensitivity, sum_sensitivity


def private_mean(
    confidential: Any,
    *,
    low: float,
    high: float,
    epsilon: float,
    adjacency: Adjacency = "add-remove",
    budget: Budget | None = None,
    level: float = 0.95,
    query: str = "mean",
    rng: RngLike = None,
) -> PrivateResult:
    """Return the mean of a variable with declared bounds, with Laplace noise.

    Values outside [low, high] are moved to the nearer bound. Under replace, n of the whole file is public and the mean
    gets noise of scale (high - low) / (n epsilon). Under add-remove n is confidential: half of epsilon goes to the sum of
    the distances from the middle of the bounds (sensitivity (high - low) / 2), half to the number of records.

    Parameters
    ----------
    confidential : array_like of shape (n,)
        The variable, numbers.
    low, high : float
        Declared bounds: narrow ones cut people off, wide ones need more noise.
    epsilon : float > 0
        Privacy loss of this mean.
    adjacency, budget, level, query, rng
        As `private_count`.

    Returns
    -------
    PrivateResult
        The estimate is moved into [low, high]. The interval under add-remove follows from one of the sum and one of the
        number, each of level (1 + level) / 2, and holds at least with probability `level`.

    Raises
    ------
    InputError
        If the values are not finite numbers, the bounds are not in order, or an argument is out of its range.
    MissingValueError
        If a value is missing.
    BudgetExceededError
        If the budget has less than epsilon left.

    Notes
    -----
    In a part of a parallel block n is not public under replace: a person may move from one part to another, and the
    scale of the noise would tell how many are left. There the size is estimated as under add-remove, and the mean holds
    its epsilon under either adjacency.

    Examples
    --------
    >>> from synthlab import dp
    >>> answer = dp.private_mean([20.0, 30.0] * 500, low=0, high=100, epsilon=1.0, adjacency="replace", rng=1)
    >>> answer.mechanisms["mean"].sensitivity, round(answer.value, 2)
    (0.1, 25.0)
    """
    series = column_of(confidential)
    lower, upper = check_bounds(low, high)
    _checks.check_numeric_column(series.to_frame("value"), "value", where="confidential", why="a mean needs numbers")
    values = _checks.check_parameter(series, "confidential")
    epsilon = _checks.check_number(epsilon, "epsilon", low=0.0, open_low=True)
    check_adjacency(adjacency)
    generator = begin(level, rng)
    charge(budget, epsilon, query, adjacency=adjacency, n=values.size)
    inside = np.clip(values, lower, upper)
    kind = _checks.data_kind(confidential)
    if adjacency == "replace" and (budget is None or budget.rows is None):
        mechanism = LaplaceMechanism(epsilon, mean_sensitivity(lower, upper, values.size))
        noisy = mechanism.add_noise([inside.mean()], rng=generator)
        result = laplace_result(query, (query,), noisy, mechanism, "mean", level, adjacency, kind)
        bounds = result.interval
        mechanisms = {"mean": mechanism}
    else:
        noisy, bounds, mechanisms = _mean_of_unknown_size(inside, lower, upper, epsilon, level, generator)
    estimate, interval = (_checks.read_only(np.clip(x, lower, upper)) for x in (noisy, bounds))
    return PrivateResult(query, (query,), estimate, interval, level, epsilon, adjacency, mechanisms, kind)


def _mean_of_unknown_size(
    inside: FloatArray, low: float, high: float, epsilon: float, level: float, rng: np.random.Generator
) -> tuple[FloatArray, FloatArray, dict[str, LaplaceMechanism]]:
    middle, half = (low + high) / 2, (high - low) / 2
    of_sum = LaplaceMechanism(epsilon / 2, sum_sensitivity(-half, half))
    of_size = LaplaceMechanism(epsilon / 2, count_sensitivity())
    total = float(of_sum.add_noise((inside - middle).sum(), rng=rng))
    size = float(of_size.add_noise(float(inside.size), rng=rng))
    each = (1.0 + level) / 2
    sums = total + np.array([-1.0, 1.0]) * of_sum.margin(each)
    sizes = np.maximum(size + np.array([-1.0, 1.0]) * of_size.margin(each), 1.0)
    ratios = (sums[:, None] / sizes[None, :]).ravel()
    estimate = np.array([middle + total / max(size, 1.0)])
    bounds = middle + np.array([[ratios.min(), ratios.max()]])
    return estimate, bounds, {"sum of distances from the middle": of_sum, "number of records": of_size}
