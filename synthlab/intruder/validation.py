"""Validation and normalization of the fields of `Intruder`."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import pairwise
from typing import Any

import numpy as np
import pandas as pd

from synthlab import _checks
from synthlab._typing import Levels
from synthlab.exceptions import InputError


def one(name: str, value: Any) -> float:
    """Return the single half-width of a variable."""
    first, *others = levels(value)
    if others:
        raise InputError(f"radius[{name!r}]: must be one half-width; several half-widths are only for linkage_risk")
    return first


def levels(value: Any) -> tuple[float, ...]:
    """Return the half-widths of a variable, in increasing order."""
    return tuple(value) if isinstance(value, Sequence) else (value,)


def check_radius(radius: object, used: Sequence[str]) -> Levels:
    """Return a number, or the half-widths of variables in the order of `used`."""
    if radius is None:
        return None
    if not isinstance(radius, Mapping):
        return _checks.check_half_width(radius, "radius")
    unknown = [c for c in radius if c not in used]
    if unknown:
        raise InputError(f"radius: {_checks.named(unknown)} is neither in known nor in synthesized")
    return _checks.ReadOnlyMapping({c: check_levels(radius[c], f"radius[{c!r}]") for c in used if c in radius})


def check_levels(value: object, name: str) -> float | tuple[float, ...]:
    """Return a half-width, or several in increasing order."""
    if not isinstance(value, list | tuple | np.ndarray) or _checks.dimensions(value) == 0:
        return _checks.check_half_width(value, name)
    if any(isinstance(one, str | _checks.Days) for one in value):
        found = tuple(_checks.check_half_width(one, name) for one in value)
    else:
        found = tuple(_checks.check_numbers(value, name, low=0.0))
    if not found or any(b <= a for a, b in pairwise(found)):
        raise InputError(f"{name}={_checks.shown(value)}: must be half-widths in increasing order")
    return found


def numbers(value: object, name: str) -> Any:
    """Return a read-only vector."""
    return _checks.read_only(_checks.check_vector(value, name).copy())


def population(value: object) -> Any:
    """Return a census table, or a vector of N_t."""
    table = isinstance(value, pd.Series) and list(value.index.names) != [None]
    return value.copy() if table and isinstance(value, pd.Series) else numbers(value, "population")


def unit(columns: object, order: object) -> dict[str, tuple[str, ...] | None]:
    """Return the columns that identify a unit and the columns that order its members."""
    if columns is None and order is not None:
        raise InputError("unit_order: orders the members of units; also set unit")
    given = {"unit": columns, "unit_order": order}
    return {
        name: None if value is None else tuple(_checks.check_names(value, name, allow_empty=False))
        for name, value in given.items()
    }


def plain(value: Any) -> Any:
    """Return a field as a JSON-compatible value; a radius in days becomes text."""
    if isinstance(value, _checks.Days):
        return f"{float(value)!r}d"
    if isinstance(value, Mapping):
        return {name: plain(one) for name, one in value.items()}
    return (
        [plain(one) for one in value]
        if isinstance(value, tuple)
        else value.tolist()
        if isinstance(value, np.ndarray)
        else value
    )
