"""Relations between columns, found without the functions of the package for the same purpose."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import combinations, permutations
from typing import Any, TypeAlias

import numpy as np
import pandas as pd

from synthlab import _checks

FEWEST = 50  # records with a value
PRESERVED = 0.998
SPAN_COLUMNS = 15  # columns in which sums are searched
FUNCTION_COLUMNS = 25  # columns in which functions are searched
Broken: TypeAlias = tuple[
    str, tuple[str, ...], float
]  # a text, the columns, and the share of synthetic records in which it holds


def numbers_of(frame: pd.DataFrame) -> dict[str, Any]:
    """Return the numbers and dates (in days) of a frame."""
    found = {}
    for c in frame:
        if _checks.is_measured(frame[c]) or _checks.is_date(frame[c]):
            found[c] = _checks.measurements(frame[c])
    return found


def broken_relations(own: pd.DataFrame, made: pd.DataFrame) -> Iterator[Broken]:
    """Yield relations that all confidential records satisfy and the synthetic ones do not, with their columns."""
    yield from _broken_functions(own, made)
    before, after = numbers_of(own), numbers_of(made)
    shuffled = np.random.default_rng(1).permutation(len(own))
    names = [c for c in before if c in after and np.unique(before[c][np.isfinite(before[c])]).size > 2]
    for forms in _forms(names):
        for text, used, holds in forms:
            values = [before[c] for c in used]
            there = np.isfinite(values).all(axis=0)
            if there.sum() < FEWEST or not holds(*(v[there] for v in values)).all():
                continue
            paired = [values[0][shuffled], *values[1:]]
            both = np.isfinite(paired).all(axis=0)
            if holds(*(v[both] for v in paired)).mean() > 0.95:
                continue  # also true of unrelated columns
            released = [after[c] for c in used]
            present = np.isfinite(released).all(axis=0)
            share = float(holds(*(v[present] for v in released)).mean()) if present.any() else 1.0
            if share < PRESERVED:
                yield text, used, share


def _forms(names: list[str]) -> Iterator[list[tuple[str, tuple[str, ...], Any]]]:
    def close(a: Any, b: Any) -> Any:
        return np.isclose(a, b, rtol=1e-3, atol=1e-6)

    def log(a: Any, b: Any) -> Any:
        return (b > 0) & close(a, np.log(np.where(b > 0, b, 1)))

    for a, b in combinations(names, 2):
        for x, y in ((a, b), (b, a)):
            yield [
                (f"{x} <= {y}", (x, y), lambda u, v: u <= v),
                (f"{x} = log({y})", (x, y), log),
                (f"{x} = {y} squared", (x, y), lambda u, v: close(u, v**2)),
            ]
    for a, b, c in combinations(names[:SPAN_COLUMNS], 3):
        for x, y, z in ((a, b, c), (b, a, c), (c, a, b)):
            yield [(f"{x} = {y} + {z}", (x, y, z), lambda u, v, w: close(u, v + w))]


def _broken_functions(own: pd.DataFrame, made: pd.DataFrame) -> Iterator[Broken]:
    """Yield nested codes and functions of dates that the synthetic records break."""
    names = [c for c in made if 2 <= own[c].nunique() <= len(own) / 2][:FUNCTION_COLUMNS]
    codes, after = ({c: one[c].astype(object).map(_text, na_action="ignore") for c in names} for one in (own, made))
    for a, b in permutations(names, 2):
        if own[b].nunique() <= own[a].nunique() and not _checks.is_date(own[a]):
            yield from _broken_function(f"each {a} has one {b}", (a, b), codes[a], codes[b], after[a], after[b])
    for date in [c for c in made if _checks.is_date(own[c])]:
        for part in ("day_of_week", "day", "month", "quarter", "year"):
            keys = [getattr(pd.Series(_checks.as_instants(one[date])).dt, part) for one in (own, made)]
            for b in [b for b in names if b != date and keys[0].nunique() > 1]:
                yield from _broken_function(f"{b} = {part} of {date}", (date, b), keys[0], codes[b], keys[1], after[b])


def _text(value: Any) -> str:
    """Return a value as text; numbers that differ by a rounding error, or in single precision, are equal."""
    return f"{value:.6g}" if isinstance(value, float | np.floating) else str(value)


def _broken_function(
    text: str, used: tuple[str, ...], a: pd.Series, b: pd.Series, new_a: pd.Series, new_b: pd.Series
) -> Iterator[Broken]:
    known = pd.DataFrame({"a": a.to_numpy(), "b": b.to_numpy()}).dropna()
    groups = known.groupby("a")["b"]
    if len(known) - known["a"].nunique() < FEWEST or (groups.nunique() > 1).any():
        return
    if np.square(known["b"].value_counts(normalize=True)).sum() > 0.95:
        return  # also true of unrelated columns
    table = groups.first()
    fresh = pd.DataFrame({"a": new_a.to_numpy(), "b": new_b.to_numpy()}).dropna()
    fresh = fresh[fresh["a"].isin(table.index)]
    coarse = fresh["a"].astype(str).str.contains(".", regex=False).any()  # a key with six digits, such as a logarithm
    share = float(_equal(fresh["a"].map(table), fresh["b"], bool(coarse)).mean()) if len(fresh) else 1.0
    if share < PRESERVED:
        yield text, used, share


def _equal(one: pd.Series, other: pd.Series, coarse: bool) -> Any:
    """Return whether texts are equal, or fractions that differ by rounding; codes must be equal unless the key is coarse."""
    same = one == other
    if not coarse and not pd.concat([one, other]).astype(str).str.contains(".", regex=False).any():
        return same
    a, b = (pd.to_numeric(values, errors="coerce") for values in (one, other))
    return same | (np.isclose(a, b, rtol=1e-3) & (coarse | (a % 1 != 0)))
