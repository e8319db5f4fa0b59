"""Partial knowledge of a value: an interval or a set that contains it."""

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
    """Closed interval that is known to contain a number.

    Parameters
    ----------
    lower, upper : number or array of shape (n,)
        Ends of the interval: one number for all records, or one per record. Infinite ends are allowed.

    Examples
    --------
    >>> from synthlab.risk import Interval
    >>> Interval(100_000, float("inf")).of(3)
    (array([100000., 100000., 100000.]), array([inf, inf, inf]))
    """

    lower: Any
    upper: Any

    def of(self, n: int, name: str = "interval") -> tuple[FloatArray, FloatArray]:
        """Return the validated ends for n records."""
        n, name = _checks.check_count(n, "n"), _checks.check_text(name, "name")
        ends = []
        for side, value in (("lower", self.lower), ("upper", self.upper)):
            array = _checks.check_array(value, f"{name}: {side}", f"a number, or an array of shape ({n},)").copy()
            if array.shape not in ((), (n,)) or np.isnan(array).any():
                raise InputError(f"{name}: {side} must be a number, or an array of shape ({n},), and not NaN")
            ends.append(np.array(np.broadcast_to(array, (n,))))
        if (ends[0] > ends[1]).any():
            raise InputError(
                f"{name}: lower must not exceed upper, but it does for {int((ends[0] > ends[1]).sum())} of {n} records"
            )
        return ends[0], ends[1]


@dataclass(frozen=True, slots=True, eq=False)
class OneOf:
    """Set that is known to contain a value.

    Parameters
    ----------
    values : mapping, or sequence of n collections
        A mapping from each true value to a set that contains it (a coarser category), or a sequence with one set per record.

    Examples
    --------
    >>> from synthlab.risk import OneOf
    >>> coarse = OneOf({"Black": {"Black", "Hispanic"}, "Hispanic": {"Black", "Hispanic"}, "White": {"White"}})
    >>> [sorted(s) for s in coarse.of(["White", "Black"])]
    [['White'], ['Black', 'Hispanic']]
    """

    values: Any

    def of(self, truth: Sequence[Any], name: str = "values") -> list[frozenset[Any]]:
        """Return the set of each record, given the true values."""
        name = _checks.check_text(name, "name")
        truth = _checks.check_list(truth, "truth", "a list with the true value of each record")
        if not all(map(pd.api.types.is_hashable, truth)):
            raise InputError("truth: must be a list with the true value of each record, each a number, text or a date")
        if isinstance(self.values, Mapping):
            absent = [v not in self.values for v in truth]
            if any(absent):
                raise InputError(
                    f"{name}: OneOf has no set for the values of {_checks.first_of(absent, 'records')}; add a set for every value"
                )
            sets = [self.values[v] for v in truth]
        elif isinstance(self.values, Sequence) and not isinstance(self.values, str):
            sets = list(self.values)
        else:
            raise InputError(f"{name}: OneOf takes a mapping from values to sets, or a list with a set for each record")
        if len(sets) != len(truth):
            raise InputError(
                f"{name}: OneOf has {len(sets)} sets, but there are {len(truth)} records; pass one per record"
            )
        if any(isinstance(s, str) or not hasattr(s, "__iter__") for s in sets):
            raise InputError(f"{name}: every entry of OneOf must be a set of values, such as {{1, 2}}")
        try:
            frozen = [frozenset(s) for s in sets]
        except TypeError:
            raise InputError(f"{name}: a set of OneOf contains lists; use numbers, text or dates") from None
        if not all(frozen):
            raise InputError(f"{name}: a set of OneOf is empty; every set must contain the true value")
        return frozen


Knowledge: TypeAlias = Interval | OneOf


def check_knowledge(value: object, name: str) -> dict[str, Knowledge] | None:
    """Return a validated mapping from variables to partial knowledge, or None."""
    if value is None:
        return None
    if not isinstance(value, Mapping) or not value:
        raise InputError(f"{name}: must be a mapping from variables to Interval or OneOf")
    for column, known in value.items():
        if not isinstance(known, Interval | OneOf):
            raise InputError(f"{name}[{column!r}]: must be an Interval or a OneOf, got {type(known).__name__}")
    return dict(value)


def holds(sets: Sequence[frozenset[Any]], values: Sequence[Any]) -> BoolArray:
    """Return whether the value of each record is in its set."""
    return np.array([v in s for v, s in zip(values, sets, strict=True)], dtype=bool)
