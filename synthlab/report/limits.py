"""Limits: what an agency will not exceed."""

from __future__ import annotations

import math
from dataclasses import dataclass

from synthlab import _checks
from synthlab.exceptions import InputError
from synthlab.report.measures import MEASURES


@dataclass(frozen=True, slots=True)
class Limit:
    """The largest value of one number; `share`: it was given as a percentage."""

    name: str
    value: float
    share: bool


def check_limits(limits: object) -> tuple[Limit, ...]:
    """Read {number of the summary: its largest value}; of people below 1, or as text "1%", a share of them."""
    found = [] if limits is None else list(_checks.check_mapping(limits, "limits", "{number: largest value}").items())
    known = [name for measure in MEASURES.values() for name in measure.numbers]
    for name, _ in found:
        if name not in known:
            raise InputError(f"limits: {_checks.shown(name)} is no number of a report; there are {', '.join(known)}")
    return tuple(_limit(name, value) for name, value in found)


def _limit(name: str, value: object) -> Limit:
    share = isinstance(value, str) and value.strip().endswith("%")
    if isinstance(value, str):
        try:
            value = float(value.strip().removesuffix("%"))
        except ValueError:
            raise InputError(f"limits[{name!r}]: cannot be read; write a number, or a share as 1%") from None
    number = _checks.check_number(value, f"limits[{name!r}]", low=0.0, high=100.0 if share else math.inf)
    return Limit(name, number / 100 if share else number, share)
