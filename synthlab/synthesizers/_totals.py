"""Totals computed from their parts, as a part of a sequential synthesis."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import pandas as pd

from synthlab import _checks
from synthlab._typing import FloatArray
from synthlab.exceptions import InputError
from synthlab.synthesizers._smoothing import decimals_of
from synthlab.synthesizers.base import Fitted
from synthlab.synthesizers.constraints import SumOf


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class FittedTotal(Fitted):
    """A total that follows from its parts; its specification is the `SumOf`."""

    def draw(self, frame: pd.DataFrame, draw: int, rng: np.random.Generator) -> dict[str, pd.Series]:
        """Return the sums of the parts of the records of `frame`."""
        rule: SumOf = self.specification
        return {rule.total: total_of(rule, frame, self.confidential[rule.total])}

    def log_likelihood(self) -> FloatArray:
        """Return 0 for every record: given its parts the total is certain."""
        return np.zeros((1, len(self.confidential)))


def total_of(rule: SumOf, frame: pd.DataFrame, like: pd.Series) -> pd.Series:
    """Return the sums with the decimals of the confidential total, and in its dtype where that holds them."""
    sums = rule.sum(frame)
    decimals = decimals_of(like.dropna())
    values = pd.Series(sums if decimals is None else np.round(sums, decimals), index=frame.index, name=rule.total)
    whole = pd.api.types.is_integer_dtype(like.dtype)
    fits = bool((np.isnan(sums) | (sums == np.rint(sums))).all()) if whole else True
    if whole and fits and np.isnan(sums).any() and isinstance(like.dtype, np.dtype):
        fits = False
    return values.astype(like.dtype) if fits else values


def place_of_total(rule: SumOf, frame: pd.DataFrame, parts: list[Fitted], done: list[str]) -> int | None:
    """Return where a total is to be computed, after the last of its parts; None where no part is synthesized."""
    if rule.total in done:
        raise InputError(f"models: {rule.total!r} is computed by {rule!r}; leave its model out")
    places = [place for place, part in enumerate(parts) if set(part.synthesized) & set(rule.parts)]
    if not places:
        return None
    gone = frame[list(rule.parts)].isna().any(axis=1)
    if bool((gone & frame[rule.total].notna()).any()):
        raise InputError(
            f"constraints: {rule!r}: {int((gone & frame[rule.total].notna()).sum())} confidential records have a total, and "
            "a part that is missing; make it 0, or the total missing"
        )
    _checks.check_numeric_column(frame, rule.total, where="confidential", why="totals are for numbers")
    return max(places) + 1
