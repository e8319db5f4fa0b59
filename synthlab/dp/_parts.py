"""Disjoint parts of the records, for parallel composition."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from synthlab import _checks
from synthlab._typing import BoolArray
from synthlab.exceptions import InputError


def disjoint_parts(parts: Any, n: int | None) -> dict[str, BoolArray]:
    """Check that no row is in two parts; the masks belong to the records of this account, n of them if that is known."""
    if not isinstance(parts, Mapping) or not parts:
        raise InputError("parts: must be a mapping {name: one truth value a row} with at least one part")
    masks: dict[str, BoolArray] = {}
    for name, values in parts.items():
        _checks.check_unmasked(values, f"parts[{name!r}]")
        mask = np.array(values)
        if mask.ndim != 1 or mask.dtype != bool:
            raise InputError(f"parts[{name!r}]: must be one truth value a row, got {mask.dtype} of shape {mask.shape}")
        n = mask.size if n is None else n
        if mask.size != n:
            raise InputError(f"parts[{name!r}]: has {mask.size:,} rows, there are {n:,}")
        for earlier, other in masks.items():
            both = int((mask & other).sum())
            if both:
                raise InputError(
                    f"parts: {earlier!r} and {name!r} share {both:,} rows; parallel parts must be disjoint"
                )
        masks[str(name)] = _checks.read_only(mask)
    return masks
