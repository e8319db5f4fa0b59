"""Partial knowledge of a value: an interval it lies in, or a set it is one of."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, TypeAlias

import numpy as np
import pandas as pd

from synthlab import _checks
from synthlab._typing import BoolArray, FloatArray
from synthlab.exceptions import InputError


@dataclass(frozen=True, slots=True, eq=False)
class Interval:
    """All that is known of a number: it lies between two ends, which belong to the interval.

    Parameters
    ----------
    lower, upper : number or array of shape (n,)
        Ends for every record alike, or one a record. Infinite ends are allowed.

    Examples
    --------
    >>> from synthlab.risk import Interval
    >>> Interval(100_000, float("inf")).of(3)
    (array([100000., 100000., 100000.]), array([inf, inf, inf]))
    """

    lower: Any
    upper: Any

    def of(self, n: int, name: str = "interval") -> tuple[FloatArray, FloatArray]:
        """Return the ends for n records, checked."""
        n, name = _checks.check_count(n, "n"), _checks.check_text(name, "name")
        ends = []
        for side, value in (("lower", self.lower), ("upper", self.upper)):
            array = _checks.check_array(value, f"{name}: {side}", f"a number, or an array of shape ({n},)").copy()
            if array.shape not in ((), (n,)) or np.isnan(array).any():
                raise InputError(f"{name}: {side} must be a number, or an array of shape ({n},), and not NaN")
            ends.append(np.array(np.broadcast_to(array, (n,))))
        if (ends[0] > ends[1]).any():
            raise InputError(f"{name}: lower is above upper for {int((ends[0] > ends[1]).sum())} of {n} records")
        return ends[0], ends[1]


@dataclass(frozen=True, slots=True, eq=False)
class OneOf:
    """All that is known of a value: it is one of a set.

    Parameters
    ----------
    values : mapping, or sequence of n collections
        For each value the set it is known to be in (the intruder knows a coarser category), or a set for each record.

    Examples
    --------
    >>> from synthlab.risk import OneOf
    >>> coarse = OneOf({"Black": {"Black", "Hispanic"}, "Hispanic": {"Black", "Hispanic"}, "White": {"White"}})
    >>> [sorted(s) for s in coarse.of(["White", "Black"])]
    [['White'], ['Black', 'Hispanic']]
    """

    values: Any

    def of(self, truth: Sequence[Any], name: str = "values") -> list[frozenset[Any]]:
        """Return the set of each record, whose true values are given."""
        name = _checks.check_text(name, "name")
        truth = _checks.check_list(truth, "truth", "a list with the true value of each record")
        if not all(map(pd.api.types.is_hashable, truth)):
            raise InputError("truth: must be a list with the true value of each record, each a number, text or a date")
        if isinstance(self.values, Mapping):
            absent = [v not in self.values for v in truth]
            if any(absent):
                raise InputError(
                    f"{name}: OneOf says nothing of the values of {_checks.first_of(absent, 'records')}; name a set for every value"
                )
            sets = [self.values[v] for v in truth]
        elif isinstance(self.values, Sequence) and not isinstance(self.values, str):
            sets = list(self.values)
        else:
            raise InputError(f"{name}: OneOf takes a mapping from values to sets, or a list with a set for each record")
        if len(sets) != len(truth):
            raise InputError(f"{name}: OneOf has {len(sets)} sets, there are {len(truth)} records")
        if any(isinstance(s, str) or not hasattr(s, "__iter__") for s in sets):
            raise InputError(f"{name}: every entry of OneOf must be a set of values, such as {{1, 2}}")
        try:
            frozen = [frozenset(s) for s in sets]
        except TypeError:
            raise InputError(f"{name}: a set of OneOf holds lists; it must hold numbers, text or dates") from None
        if not all(frozen):
            raise InputError(f"{name}: a set of OneOf is empty")
        return frozen


Knowledge: TypeAlias = Interval | OneOf


def check_knowledge(value: object, name: str) -> dict[str, Knowledge] | None:
    """Return a mapping from variables to what is known of them; None stays None."""
    if value is None:
        return None
    if not isinstance(value, Mapping) or not value:
        raise InputError(f"{name}: must be a mapping from variables to Interval or OneOf")
    for column, known in value.items():
        if not isinstance(known, Interval | OneOf):
            raise InputError(f"{name}[{column!r}]: must be an Interval or a OneOf, got {type(known).__name__}")
    return dict(value)


def holds(sets: Sequence[frozenset[Any]], values: Sequence[Any]) -> BoolArray:
    """Say for each record whether its value is in its set."""
    return np.array([v in s for v, s in zip(values, sets, strict=True)], dtype=bool)
