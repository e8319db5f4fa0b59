"""Multinomial regression without a prior, by the variable metric method, stopped after so many iterations.

Where a category is separated from the others the likelihood has no maximum: its coefficients grow for as long as the
optimiser runs. What programs report is where it stopped. R's nnet::multinom minimises by ``vmmin``, algorithm 21 of Nash
(1990), from zero, the first level being the reference, and stops after 100 iterations.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from synthlab._typing import FloatArray

ITERATIONS = 100
SHRINK, ACCEPT, SAME = 0.2, 1e-4, 10.0  # of a step; decrease that is enough; numbers that differ by less are equal
ABSOLUTE, RELATIVE = 1e-4, 1e-8  # a value, and a relative decrease, too small to go on
Objective = Callable[[FloatArray], tuple[float, FloatArray]]
Moves = list[tuple[FloatArray, FloatArray, float]]  # step, change of the gradient, their product


def stopped_mode(rows: FloatArray, counts: FloatArray, iterations: int, decay: float = 0.0) -> tuple[FloatArray, bool]:
    """Return coefficients after at most `iterations`, shape (K, p), those of the first level 0; and whether it was stopped.

    Parameters
    ----------
    rows : numpy.ndarray of float, shape (g, p)
        Predictors, the ones first.
    counts : numpy.ndarray of float, shape (g, K)
        Records of each level.
    iterations : int
        Evaluations of the gradient after which the search ends.
    decay : float
        Times the sum of squared coefficients, added to minus the log likelihood.

    Examples
    --------
    >>> import numpy as np
    >>> from replications.intruder.early_stopped_multinomial import stopped_mode
    >>> rows, counts = np.array([[1.0, -1.0], [1.0, 1.0]]), np.array([[3.0, 0.0], [0.0, 3.0]])
    >>> for iterations in (3, 10):  # separated: the slope grows for as long as it may
    ...     beta, stopped = stopped_mode(rows, counts, iterations)
    ...     print(round(float(beta[1, 1]), 2), stopped)
    3.31 True
    7.91 True
    """
    levels, p = counts.shape[1], rows.shape[1]
    totals, score = counts.sum(axis=1), (counts.T @ rows)[1:]

    def minus_log_likelihood(flat: FloatArray) -> tuple[float, FloatArray]:
        beta = flat.reshape(levels - 1, p)
        eta = rows @ np.vstack([np.zeros(p), beta]).T
        highest = eta.max(axis=1)
        shares = np.exp(np.subtract(eta, highest[:, None], out=eta), out=eta)
        sums = shares.sum(axis=1)
        value = totals @ (np.log(sums) + highest) - np.sum(score * beta) + decay * (flat @ flat)
        shares *= (totals / sums)[:, None]
        return float(value), ((shares.T @ rows)[1:] - score + 2 * decay * beta).ravel()

    flat, stopped = variable_metric(minus_log_likelihood, np.zeros((levels - 1) * p), iterations)
    return np.vstack([np.zeros(p), flat.reshape(levels - 1, p)]), stopped


def variable_metric(objective: Objective, start: FloatArray, iterations: int) -> tuple[FloatArray, bool]:
    """Minimise by algorithm 21 of Nash (1990): BFGS whose steps shrink until the decrease is enough, from time to time anew.

    The inverse of the Hessian is kept as the steps that made it, not as a matrix.

    Returns
    -------
    flat : numpy.ndarray of float
    stopped : bool
        Whether the iterations were used up before the value stayed the same.
    """
    here = start.copy()
    value, gradient = objective(here)
    done = 1
    moves: Moves = []
    while done < iterations:
        if len(moves) > 2 * start.size:
            moves.clear()
        direction = -_times_inverse(moves, gradient)
        slope = float(direction @ gradient)
        found = _search(objective, here, value, direction, slope) if slope < 0 else None
        enough = False
        if found is not None:
            step, lower, after = found
            enough = lower > ABSOLUTE and abs(lower - value) > RELATIVE * (abs(value) + RELATIVE)
            here, value = here + step, lower
        if found is None or not enough:
            if not moves:
                return here, False
            moves.clear()  # the steepest descent is tried before giving up
            continue
        change, gradient = after - gradient, after
        done, along = done + 1, float(step @ change)
        if along > 0:
            moves.append((step, change, along))
        else:
            moves.clear()
    return here, True


def _times_inverse(moves: Moves, vector: FloatArray) -> FloatArray:
    """Return the product with the approximate inverse of the Hessian, from the identity on."""
    result, shares = vector.copy(), []
    for step, change, along in reversed(moves):
        shares.append(float(step @ result) / along)
        result -= shares[-1] * change
    for (step, change, along), share in zip(moves, reversed(shares), strict=True):
        result += (share - float(change @ result) / along) * step
    return result


def _search(
    objective: Objective, here: FloatArray, value: float, direction: FloatArray, slope: float
) -> tuple[FloatArray, float, FloatArray] | None:
    """Return the first step that decreases enough, the value and the gradient there; None if none moves."""
    length = 1.0
    while True:
        step = length * direction
        if np.array_equal(SAME + here, SAME + here + step):
            return None
        lower, gradient = objective(here + step)
        if np.isfinite(lower) and lower <= value + slope * length * ACCEPT:
            return step, lower, gradient
        length *= SHRINK
