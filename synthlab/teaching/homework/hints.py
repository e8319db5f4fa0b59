"""Checks of homework answers that raise hints for otter-grader."""

from __future__ import annotations

import copy
from collections.abc import Callable, Mapping, Sequence
from math import isfinite
from typing import Any

import numpy as np

from synthlab.teaching.checking import Exercise

NOT_YET = "Not answered yet: put your answer in place of `...`."
LONGEST_CALL = 60  # maximum number of characters of the arguments in the name of an example


def examples(*cases: Sequence[Any]) -> Callable[[Callable[..., Any]], dict[str, Any]]:
    """Return the `answers` of an `Exercise`: the values of a function on examples.

    Parameters
    ----------
    *cases : tuples
        Arguments of the function, one tuple per example. Each call gets a copy.

    Returns
    -------
    callable
        Takes a function and returns a mapping of its values; short arguments name their example.

    Examples
    --------
    >>> from synthlab.teaching.homework import examples
    >>> examples((1, 2), (3, 4))(max)
    {'(1, 2)': 2, '(3, 4)': 4}
    """
    named = {}
    for number, case in enumerate(cases, start=1):
        short = repr(case)
        named[short if len(short) <= LONGEST_CALL and "\n" not in short else f"example {number}"] = case
    return lambda function: {name: function(*copy.deepcopy(case)) for name, case in named.items()}


def require_function(exercise: Exercise, function: Any) -> None:
    """Raise the hint of an exercise unless a function is right.

    Parameters
    ----------
    exercise : Exercise
        Exercise with a correct function, typical mistakes, and the examples on which they are compared.
    function : object
        Function of the student.

    Raises
    ------
    AssertionError
        With the hint, if the function is not right.
    """
    if function is None or function is ...:
        raise AssertionError(NOT_YET)
    result = exercise.check(function)
    if not result.passed:
        raise AssertionError(result.message)


def require_number(value: Any, right: float, slips: Mapping[str, float], *, tolerance: float = 0.0) -> None:
    """Raise a hint unless a number is right.

    Parameters
    ----------
    value : object
        The answer of the student.
    right : float
    slips : mapping {hint: float}
        Typical wrong answers. A slip that gives the right number is ignored.
    tolerance : float >= 0, default 0
        The largest absolute difference that counts as equal.

    Raises
    ------
    AssertionError
        With the hint of the slip that gives this number, or with a general hint. The right number is not shown.

    Examples
    --------
    >>> from synthlab.teaching.homework import require_number
    >>> require_number(12, 3, {"This is the sum. Divide it by the number of values.": 12})
    Traceback (most recent call last):
    AssertionError: This is the sum. Divide it by the number of values.
    """
    if value is None or value is ...:
        raise AssertionError(NOT_YET)
    if isinstance(value, np.ndarray | np.generic) and np.size(value) == 1:
        value = value.item()
    if isinstance(value, bool) or not isinstance(value, int | float):
        raise AssertionError(f"The answer must be one number; this is {type(value).__name__}.")
    if isinstance(value, float) and not isfinite(value):
        raise AssertionError(f"The answer must be a finite number; this is {value}.")
    if abs(value - right) <= tolerance:
        return
    for hint, wrong in slips.items():
        if abs(value - wrong) <= tolerance:
            raise AssertionError(hint)
    raise AssertionError("This is not the right number. Compute the first ten rows by hand and compare.")


def require_property(problem: str | tuple[float, str] | None, least: float = 1.0) -> None:
    """Raise the hint of a property unless the answer earns a share of the points.

    Parameters
    ----------
    problem : str, tuple or None
        What a property returned: None if the answer is right, a hint, or a share of the points with a hint.
    least : float, default 1
        The share of the points that is required.

    Raises
    ------
    AssertionError
        With the hint, if the answer earns a smaller share.
    """
    if problem is None:
        return
    share, hint = (0.0, problem) if isinstance(problem, str) else problem
    if share < least:
        raise AssertionError(hint[:1].upper() + hint[1:])
