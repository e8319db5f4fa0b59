"""Sensitivity: by how much one person can change an answer, from what is declared and never from the data.

The bounds of a variable are declared by whoever knows the questionnaire. Bounds read from the data (the largest
income in the file) depend on one person, and the promise is void. Nothing here is given the data; `largest_change` is,
and is not private. All sensitivities are L1: where a query has several answers, their absolute changes are added up.
"""

from __future__ import annotations

from synthlab import _checks
from synthlab.dp.adjacency import Adjacency, check_adjacency
from synthlab.exceptions import InputError

# Sums of many numbers within such bounds are still finite.
LARGEST = 1e150


def check_bounds(low: object, high: object) -> tuple[float, float]:
    """Return two declared bounds, low < high."""
    lower, upper = (
        _checks.check_number(value, name, low=-LARGEST, high=LARGEST) for name, value in (("low", low), ("high", high))
    )
    if lower >= upper:
        raise InputError(f"low={low!r}, high={high!r}: low must be below high")
    return lower, upper


def count_sensitivity(*, adjacency: Adjacency = "add-remove") -> float:
    """Return the sensitivity of the number of records with some property: 1.

    Parameters
    ----------
    adjacency : {"add-remove", "replace"}
        One record more or less moves the count by at most 1, and so does one record replaced.

    Returns
    -------
    float

    Raises
    ------
    InputError
        If `adjacency` is neither of the two.

    Examples
    --------
    >>> from synthlab import dp
    >>> dp.count_sensitivity(adjacency="replace")
    1.0
    """
    check_adjacency(adjacency)
    return 1.0


def histogram_sensitivity(*, adjacency: Adjacency = "add-remove") -> float:
    """Return the sensitivity of a whole histogram, each record in one cell.

    Parameters
    ----------
    adjacency : {"add-remove", "replace"}
        One record more or less moves one cell by 1; one record replaced moves two cells, each by 1.

    Returns
    -------
    float
        1 or 2, whatever the number of cells.

    Raises
    ------
    InputError
        If `adjacency` is neither of the two.

    Examples
    --------
    >>> from synthlab import dp
    >>> dp.histogram_sensitivity(), dp.histogram_sensitivity(adjacency="replace")
    (1.0, 2.0)
    """
    return 1.0 if check_adjacency(adjacency) == "add-remove" else 2.0


def sum_sensitivity(low: float, high: float, *, adjacency: Adjacency = "add-remove") -> float:
    """Return the sensitivity of the sum of a variable with declared bounds.

    Parameters
    ----------
    low, high : float
        Declared bounds; values outside are moved to the nearer bound before they are added up.
    adjacency : {"add-remove", "replace"}
        One record more or less moves the sum by up to ``max(|low|, |high|)``; one replaced by up to high - low.

    Returns
    -------
    float > 0

    Raises
    ------
    InputError
        If the bounds are not finite or not in order, or `adjacency` is neither of the two.

    Examples
    --------
    >>> from synthlab import dp
    >>> dp.sum_sensitivity(-10, 50), dp.sum_sensitivity(-10, 50, adjacency="replace")
    (50.0, 60.0)
    """
    lower, upper = check_bounds(low, high)
    return max(abs(lower), abs(upper)) if check_adjacency(adjacency) == "add-remove" else upper - lower


def mean_sensitivity(low: float, high: float, n: int) -> float:
    """Return the sensitivity of the mean of n records when one of them is replaced, (high - low) / n.

    Under add-remove n is itself confidential, and a noisy mean is made of a noisy sum and a noisy count:
    `private_mean` does that.

    Parameters
    ----------
    low, high : float
        Declared bounds.
    n : int >= 1
        Number of records, public.

    Returns
    -------
    float > 0

    Raises
    ------
    InputError
        If the bounds are not finite or not in order, or n < 1.

    Examples
    --------
    >>> from synthlab import dp
    >>> dp.mean_sensitivity(0, 100, n=50)
    2.0
    """
    lower, upper = check_bounds(low, high)
    return (upper - lower) / _checks.check_count(n, "n")
