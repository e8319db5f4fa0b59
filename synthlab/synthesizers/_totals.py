"""Totals computed from their parts in a sequential synthesis."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np
import pandas as pd

from synthlab import _checks
from synthlab._typing import FloatArray
from synthlab.exceptions import InputError
from synthlab.synthesizers._missing import Codes, without_codes
from synthlab.synthesizers._smoothing import decimals_of
from synthlab.synthesizers.base import Fitted
from synthlab.synthesizers.constraints import SumOf


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class FittedTotal(Fitted):
    """Total that is computed from its parts.

    The specification is the `SumOf`; `codes` are values that mean missing.
    """

    codes: Codes = field(repr=False)

    def draw(self, frame: pd.DataFrame, draw: int, rng: np.random.Generator) -> dict[str, pd.Series]:
        """Return the sums of the parts of the records of `frame`."""
        rule: SumOf = self.specification
        return {rule.total: total_of(rule, without_codes(frame, self.codes), self.confidential[rule.total])}

    def log_likelihood(self) -> FloatArray:
        """Return 0 if the total is the sum of its parts, otherwise -inf, shape (1, n)."""
        return np.where(self.specification.holds(without_codes(self.confidential, self.codes)), 0.0, -np.inf)[None, :]


def total_of(rule: SumOf, frame: pd.DataFrame, like: pd.Series) -> pd.Series:
    """Return the sums, rounded and typed like the confidential total if possible."""
    sums = rule.sum(frame)
    rounded = np.round(sums, decimals_of(like.dropna()) or 0)
    if np.allclose(rounded, sums, rtol=1e-12, atol=1e-9, equal_nan=True):  # makes 0.1 + 0.2 equal to 0.3
        sums = rounded
    values = pd.Series(sums, index=frame.index, name=rule.total)
    if not _checks.is_whole(like.dtype):
        return values.astype(like.dtype)
    whole = bool((np.isnan(sums) | (sums == np.rint(sums))).all()) and (_may_lack(like) or not np.isnan(sums).any())
    return values.astype(like.dtype) if whole else values


def place_of_total(rule: SumOf, frame: pd.DataFrame, parts: list[Fitted], done: list[str], codes: Codes) -> int | None:
    """Return the position after the last synthesized part of a total, or None."""
    if rule.total in done:
        raise InputError(f"models: {rule.total!r} is computed by {rule!r}; remove its model")
    places = [place for place, part in enumerate(parts) if set(part.synthesized) & set(rule.parts)]
    if not places:
        return None
    known = without_codes(frame, codes)
    gone = ~_checks.complete_mask(known, rule.parts)
    odd = int((gone & known[rule.total].notna()).sum())
    if odd:
        raise InputError(
            f"constraints: {rule!r}: {odd} confidential records have a total but a missing part; set the part to 0, "
            "or the total to missing"
        )
    if gone.any() and not _may_lack(frame[rule.total]):
        raise InputError(
            f"constraints: {rule!r}: parts are missing, but {rule.total!r} is {frame[rule.total].dtype}, which cannot "
            "hold missing values; convert it to float64 or Int64"
        )
    return max(places) + 1


def _may_lack(series: pd.Series) -> bool:
    """Return whether a column of numbers can have missing values."""
    return not (isinstance(series.dtype, np.dtype) and series.dtype.kind in "iu")
