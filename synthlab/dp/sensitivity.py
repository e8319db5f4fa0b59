"""Sensitivities of queries: the largest change of an answer caused by one person.

Sensitivities are computed from declared bounds, never from the data. Declare the bounds from knowledge of the
questionnaire: bounds taken from the data (such as the largest income in the file) depend on one person and invalidate
the guarantee. Unlike these functions, `largest_change` uses the data and is not private. All sensitivities are L1: the
absolute changes of all numbers of an answer are added.
"""

from __future__ import annotations

from synthlab import _checks
from synthlab.dp.adjacency import Adjacency, check_adjacency
from synthlab.exceptions import InputError

# Sums of many numbers within these bounds are finite.
LARGEST = 1e150


def check_bounds(low: object, high: object) -> tuple[float, float]:
    """Return the declared bounds; raise `InputError` unless low < high."""
    lower, upper = (
        _checks.check_number(value, name, low=-LARGEST, high=LARGEST) for name, value in (("low", low), ("high", high))
    )
    if lower >= upper:
        raise InputError(f"low={low!r}, high={high!r}: low must be below high")
    return lower, upper


def count_sensitivity(*, adjacency: Adjacency = "add-remove") -> float:
    """Return the sensitivity of the number of records with a property, 1.

    Parameters
    ----------
    adjacency : {"add-remove", "replace"}
        Definition of neighboring databases. Adding, removing or replacing a record changes the count by at most 1.

    Returns
    -------
    float

    Raises
    ------
    InputError
        `adjacency` is unknown.

    Examples
    --------
    >>> from synthlab import dp
    >>> dp.count_sensitivity(adjacency="replace")
    1.0
    """
    check_adjacency(adjacency)
    return 1.0


def histogram_sensitivity(*, adjacency: Adjacency = "add-remove") -> float:
    """Return the sensitivity of a histogram in which each record is in one cell.

    Parameters
    ----------
    adjacency : {"add-remove", "replace"}
        Definition of neighboring databases. Adding or removing a record changes one cell by 1; replacing a record
        changes two cells by 1 each.

    Returns
    -------
    float
        1 (add-remove) or 2 (replace), for any number of cells.

    Raises
    ------
    InputError
        `adjacency` is unknown.

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
        Declared bounds; values outside are clipped to the nearer bound before they are added.
    adjacency : {"add-remove", "replace"}
        Definition of neighboring databases. Adding or removing a record changes the sum by at most
        ``max(|low|, |high|)``; replacing a record changes it by at most high - low.

    Returns
    -------
    float > 0

    Raises
    ------
    InputError
        The bounds are not finite or not in order, or `adjacency` is unknown.

    Examples
    --------
    >>> from synthlab import dp
    >>> dp.sum_sensitivity(-10, 50), dp.sum_sensitivity(-10, 50, adjacency="replace")
    (50.0, 60.0)
    """
    lower, upper = check_bounds(low, high)
    return max(abs(lower), abs(upper)) if check_adjacency(adjacency) == "add-remove" else upper - lower


def mean_sensitivity(low: float, high: float, n: int) -> float:
    """Return the sensitivity of the mean of n records under replace, (high - low) / n.

    Under add-remove, n is confidential, and `private_mean` computes the mean from a noisy sum and a noisy count.

    Parameters
    ----------
    low, high : float
        Declared bounds.
    n : int >= 1
        Public number of records.

    Returns
    -------
    float > 0

    Raises
    ------
    InputError
        The bounds are not finite or not in order, or n < 1.

    Examples
    --------
    >>> from synthlab import dp
    >>> dp.mean_sensitivity(0, 100, n=50)
    2.0
    """
    lower, upper = check_bounds(low, high)
    return (upper - lower) / _checks.check_count(n, "n")
