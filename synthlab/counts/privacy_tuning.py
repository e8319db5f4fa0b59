"""Choose sigma and nu of a count family to satisfy given epsilon and delta."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any, ClassVar, Literal

import numpy as np
import pandas as pd

from synthlab import _checks
from synthlab._result import Result
from synthlab._warnings import warn
from synthlab.counts._family import CountFamily, check_family
from synthlab.counts.privacy import SMALLEST_DELTA, Problem
from synthlab.exceptions import InputError, UndefinedStatisticWarning

_POINTS = 25
_STEPS = 20
_SIZES = (1, 10, 100)


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class PrivacyTuning(Result):
    """Smallest sigma, for each nu, that satisfies given epsilon and delta.

    Parameters
    ----------
    families : tuple of (CountFamily or None)
        Families with the smallest sigma; None if no sigma in the range satisfies delta.
    table : DataFrame
        One row per nu, with the columns ``nu`` (NaN for a family without nu), ``sigma`` (NaN if no sigma satisfies
        delta), ``delta`` (at this sigma, or the smallest delta found), and the standard deviations of the synthetic
        counts of cells of size 1, 10 and 100.
    wanted : (float, float)
        Required epsilon and delta.
    """

    families: tuple[CountFamily | None, ...]
    table: pd.DataFrame
    wanted: tuple[float, float]

    _table: ClassVar[str] = "to_frame"

    @property
    def title(self) -> str:
        """Required epsilon and delta, and the number of settings that satisfy them."""
        able = sum(family is not None for family in self.families)
        return f"epsilon {self.wanted[0]:g}, delta {self.wanted[1]:g}: {able} of {len(self.families)} settings reach it"

    def to_frame(self) -> pd.DataFrame:
        """Return one row per nu."""
        return self.table.copy()


def tune_privacy(
    family: CountFamily,
    *,
    epsilon: float,
    delta: float,
    nu: Any = None,
    between: tuple[float, float] = (0.05, 10.0),
    largest: int | None = None,
    pseudocount: float = 0.01,
    smoothing: Literal["empty", "every"] = "empty",
    zeros_to_ones: float = 0.0,
    adjacency: Literal["add-remove", "replace"] = "add-remove",
) -> PrivacyTuning:
    """Find the smallest sigma, for each nu, that satisfies given epsilon and delta.

    Parameters
    ----------
    family : CountFamily
        Distribution with a parameter sigma (NBI, PIG, GAF). The value of sigma is not used.
    epsilon : float
        Required epsilon, at least 0.
    delta : float
        Required delta, in [1e-15, 1).
    nu : float or array_like, optional
        Values of nu to try, for the GAF; by default the nu of `family`.
    between : (float, float), default (0.05, 10)
        Range in which to search for sigma.
    largest, pseudocount, smoothing, zeros_to_ones, adjacency
        As in `count_delta`.

    Returns
    -------
    PrivacyTuning
        One row per nu. Choose a row by its utility, but from public information only: a choice based on the
        confidential table would leak information about it.

    Raises
    ------
    InputError
        An argument is out of range, the family has no sigma, or `nu` is given for a family without nu.

    Warns
    -----
    UndefinedStatisticWarning
        No sigma in the range satisfies delta, so sigma is NaN.

    Notes
    -----
    delta does not always decrease as sigma increases. The search finds the first of 25 values of sigma that satisfies
    delta, and then bisects the interval before it. If no sigma satisfies delta, this is a result, not an error; see the
    ``cannot`` of `count_delta` for the reason.

    Examples
    --------
    >>> import synthlab.counts as slc
    >>> tuned = slc.tune_privacy(slc.NBI(sigma=1), epsilon=1, delta=0.01, pseudocount=1)
    >>> tuned.to_frame()[["sigma", "delta"]].round(3).to_numpy().tolist()
    [[7.789, 0.01]]
    """
    check_family(family)
    if not hasattr(family, "sigma"):
        raise InputError(f"family: {family.label} has no sigma; use NBI, PIG or GAF")
    epsilon = _checks.check_number(epsilon, "epsilon", low=0.0)
    delta = _checks.check_number(delta, "delta", low=SMALLEST_DELTA, high=1.0, open_high=True)
    low, high = _interval(between)
    tried = _with_nu(family, nu)
    options = (largest, pseudocount, smoothing, zeros_to_ones, adjacency)

    def reached(candidate: CountFamily, sigma: float) -> float:
        return Problem(replace(candidate, sigma=sigma), *options).worst(epsilon)[0]

    found, rows = [], []
    for candidate in tried:
        sigma, least = _smallest_sigma(candidate, reached, delta, low, high)
        tuned = replace(candidate, sigma=sigma) if np.isfinite(sigma) else None
        found.append(tuned)
        noise = [float(tuned.at(k).std) if tuned is not None else np.nan for k in _SIZES]
        rows.append((float(getattr(candidate, "nu", np.nan)), sigma, least, *noise))
    missed = [f.label for f, tuned in zip(tried, found, strict=True) if tuned is None]
    if missed:
        warn(
            f"no sigma from {low:g} to {high:g} gives epsilon {epsilon:g} and delta {delta:g} for {len(missed):,} of "
            f"{len(tried):,} settings: sigma is NaN and delta is the smallest value found",
            UndefinedStatisticWarning,
            stacklevel=2,
        )
    names = ["nu", "sigma", "delta", *(f"std_{k}" for k in _SIZES)]
    return PrivacyTuning(tuple(found), pd.DataFrame(rows, columns=names), (epsilon, delta))


def _interval(between: Any) -> tuple[float, float]:
    try:
        low, high = between
    except (TypeError, ValueError):
        raise InputError(f"between={_checks.shown(between)}: must be two numbers, (low, high)") from None
    low = _checks.check_number(low, "between[0]", low=1e-3)
    return low, _checks.check_number(high, "between[1]", low=low, high=1e3, open_low=True)


def _with_nu(family: CountFamily, nu: Any) -> list[CountFamily]:
    if nu is None:
        return [family]
    if not hasattr(family, "nu"):
        raise InputError(f"nu: {family.label} has no nu; omit it")
    values = _checks.check_numbers(nu, "nu")
    if not values:
        raise InputError("nu: is empty; give at least one number, or omit it")
    return [replace(family, nu=value) for value in values]


def _smallest_sigma(candidate: Any, reached: Any, delta: float, low: float, high: float) -> tuple[float, float]:
    """Return sigma and its delta; NaN and the smallest delta found if no sigma satisfies delta."""
    before, least = low, np.inf
    for sigma in np.geomspace(low, high, _POINTS):
        now = reached(candidate, float(sigma))
        least = min(least, now)
        if now <= delta:
            return (float(sigma), now) if sigma == low else _halve(candidate, reached, delta, before, float(sigma))
        before = float(sigma)
    return np.nan, least


def _halve(candidate: Any, reached: Any, delta: float, low: float, high: float) -> tuple[float, float]:
    at_high = reached(candidate, high)
    for _ in range(_STEPS):
        middle = float(np.sqrt(low * high))
        now = reached(candidate, middle)
        if now <= delta:
            high, at_high = middle, now
        else:
            low = middle
    return high, at_high
