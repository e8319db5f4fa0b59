"""Lecture 16b: matching of two households, member by member."""

from __future__ import annotations

from collections.abc import Callable
from itertools import permutations
from typing import Any

import numpy as np

from synthlab._typing import FloatArray
from synthlab.teaching.checking import Exercise
from synthlab.teaching.exercises.labels import as_number

# Members of two households, each with sex, age and level of education, and the radius of each column.
CASES: dict[str, tuple[list[list[float]], list[list[float]], list[float]]] = {
    "a couple, with itself": ([[0, 41, 4], [1, 39, 3]], [[0, 41, 4], [1, 39, 3]], [0, 0, 0]),
    "a couple in another order": ([[0, 41, 4], [1, 39, 3]], [[1, 40, 3], [0, 42, 4]], [0, 2, 0]),
    "two sisters, of whom the first has two possible partners": (
        [[0, 40, 3], [0, 42, 3]],
        [[0, 41, 3], [0, 39, 3]],
        [0, 2, 0],
    ),
    "two brothers with the same single partner": ([[1, 20, 2], [1, 21, 2]], [[1, 20, 2], [1, 30, 2]], [0, 2, 0]),
    "three brothers, of whom two have the same single partner": (
        [[1, 20, 2], [1, 30, 2], [1, 25, 2]],
        [[1, 21, 2], [1, 31, 2], [1, 35, 2]],
        [0, 5, 0],
    ),
    "a couple and a couple with a child": ([[0, 35, 4], [1, 36, 2]], [[0, 35, 4], [1, 36, 2], [1, 5, 1]], [0, 1, 1]),
    "a couple with a child and a couple": ([[0, 35, 4], [1, 36, 2], [1, 5, 1]], [[0, 35, 4], [1, 36, 2]], [0, 1, 1]),
    "twins, with two assignments": ([[1, 10, 1], [1, 10, 1]], [[1, 11, 1], [1, 10, 1]], [0, 2, 0]),
    "two women with exchanged levels of education": ([[0, 30, 5], [0, 50, 1]], [[0, 30, 1], [0, 50, 5]], [0, 2, 1]),
    "a woman and a man who agree in nothing": ([[0, 70, 2]], [[1, 30, 5]], [0, 3, 1]),
    "a woman and a man": ([[0, 70, 2]], [[1, 70, 2]], [0, 3, 1]),
    "two women whose ages differ by more than the radius": ([[0, 70, 2]], [[0, 74, 2]], [0, 3, 1]),
    "two men whose education differs by more than the radius": ([[1, 33, 1]], [[1, 33, 4]], [0, 3, 2]),
    "two men who differ by exactly the radius": ([[1, 33, 1]], [[1, 36, 3]], [0, 3, 2]),
    "a mother with two sons: the older one has less education": (
        [[0, 50, 4], [1, 20, 5], [1, 22, 1]],
        [[1, 22, 5], [1, 20, 1], [0, 51, 4]],
        [0, 2, 0],
    ),
    "households with equal means": ([[0, 30, 3], [0, 50, 3]], [[0, 35, 3], [0, 45, 3]], [0, 4, 1]),
    "two households of four": (
        [[0, 44, 3], [1, 45, 2], [0, 12, 1], [0, 9, 1]],
        [[0, 10, 1], [0, 45, 3], [0, 12, 1], [1, 44, 2]],
        [0, 1, 0],
    ),
}


def same_household(ours: FloatArray, theirs: FloatArray, radius: FloatArray) -> bool:
    """Return whether the members of two households can be assigned one to one."""
    if len(ours) != len(theirs):
        return False
    near = np.abs(ours[:, None] - theirs) <= radius
    fits = np.asarray(near.all(axis=2))
    places = range(len(ours))
    return any(all(fits[i, j] for i, j in zip(places, order, strict=True)) for order in permutations(places))


def _fits(ours: FloatArray, theirs: FloatArray, radius: FloatArray) -> Any:
    return (np.abs(ours[:, None] - theirs) <= radius).all(axis=2)


def _every_member_has_a_partner(ours: FloatArray, theirs: FloatArray, radius: FloatArray) -> bool:
    return len(ours) == len(theirs) and bool(_fits(ours, theirs, radius).any(axis=1).all())


def _both_sides_have_a_partner(ours: FloatArray, theirs: FloatArray, radius: FloatArray) -> bool:
    fits = _fits(ours, theirs, radius)
    return len(ours) == len(theirs) and bool(fits.any(axis=0).all() and fits.any(axis=1).all())


def _first_free_partner(ours: FloatArray, theirs: FloatArray, radius: FloatArray) -> bool:
    fits = _fits(ours, theirs, radius)
    for member in range(len(ours)):
        free = np.flatnonzero(fits[member])
        if len(free) == 0:
            return False
        fits[:, free[0]] = False
    return len(ours) == len(theirs)


def _in_the_order_of_the_file(ours: FloatArray, theirs: FloatArray, radius: FloatArray) -> bool:
    return len(ours) == len(theirs) and bool((np.abs(ours - theirs) <= radius).all())


def _sorted(ours: FloatArray, theirs: FloatArray, radius: FloatArray) -> bool:
    first, second = (one[np.lexsort(one.T[::-1])] for one in (ours, theirs))
    return _in_the_order_of_the_file(first, second, radius)


def _smaller_within_larger(ours: FloatArray, theirs: FloatArray, radius: FloatArray) -> bool:
    small, large = (ours, theirs) if len(ours) <= len(theirs) else (theirs, ours)
    fits, places = _fits(small, large, radius), range(len(small))
    return any(
        all(fits[i, j] for i, j in zip(places, order, strict=True))
        for order in permutations(range(len(large)), len(small))
    )


def _answers(function: Callable[..., Any]) -> dict[str, Any]:
    return {name: function(*(np.array(part, dtype=float) for part in case)) for name, case in CASES.items()}


EXERCISES = (
    Exercise(
        "16b.same_household",
        answers=_answers,
        right=same_household,
        form=lambda result, *_, **__: bool(as_number(result)),
        slips={
            "Households of different sizes never match.": _smaller_within_larger,
            "Each member has a possible partner, but two members can have the same one; assign them one to one.": (
                _every_member_has_a_partner
            ),
            "Both households have a partner for every member, but two members can have the same one; assign them one to one.": (
                _both_sides_have_a_partner
            ),
            "The first possible partner can be the only partner of the next member; try every assignment.": _first_free_partner,
            "The members are in no particular order; row 1 can correspond to any row of the other household.": (
                _in_the_order_of_the_file
            ),
            "Sorting pairs the members by one column first; with two numbers, another assignment can be the only one.": _sorted,
            "A difference equal to the radius is allowed.": {"<= radius": "< radius + (radius == 0) * 1e-9"},
            "All columns of a pair of members must be within the radius; one is not enough.": {
                ".all(axis=2)": ".any(axis=2)"
            },
            "Each column has its own radius; do not use the largest one for all of them.": {
                "<= radius": "<= radius.max()"
            },
            "Compare absolute differences: a released member can be younger or older.": {
                "np.abs(ours[:, None] - theirs)": "(ours[:, None] - theirs)"
            },
        },
    ),
)
