"""Disjoint partitions of the records, for parallel composition."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from synthlab import _checks
from synthlab._typing import BoolArray
from synthlab.dp._records import check_column, records_of, truths_of
from synthlab.exceptions import InputError


def disjoint_parts(parts: Any, outer: Sequence[BoolArray]) -> dict[str, BoolArray]:
    """Return one mask per part, over the records selected by the outer masks.

    A record that several parts claim belongs to the first of them.
    """
    if not isinstance(parts, Mapping) or not parts:
        raise InputError("parts: must be a mapping {name: one bool per row} with at least one part")
    names = list(map(str, parts))
    if len(set(names)) < len(names):
        raise InputError("parts: two parts have the same name; use unique names")
    for name, values in parts.items():
        check_column(values, f"parts[{name!r}]")
    claims = [truths_of(records_of(values, outer)) for values in parts.values()]
    taken = np.zeros(int(outer[-1].sum()) if outer else max(c.size for c in claims), dtype=bool)
    masks: dict[str, BoolArray] = {}
    for name, claim in zip(names, claims, strict=True):
        mask = np.zeros_like(taken)
        mask[: claim.size] = claim
        mask &= ~taken
        taken |= mask
        masks[name] = _checks.read_only(mask)
    return masks
