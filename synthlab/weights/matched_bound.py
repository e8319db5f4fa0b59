"""The scalar weight whose refit reaches a wanted Lipschitz bound: two mechanisms compared at equal privacy."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import ClassVar

import numpy as np
import pandas as pd

from synthlab import _checks
from synthlab._result import Result
from synthlab._warnings import warn
from synthlab.exceptions import ConvergenceWarning


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class MatchedWeight(Result):
    """A scalar weight and the bound its refit reaches.

    Attributes
    ----------
    weight, lipschitz_bound : float
        The weight, and the bound achieved with it.
    target : float
        The bound wanted.
    tolerance : float
        Relative distance from the target that is near enough.
    tried : pandas.DataFrame
        One row a refit: ``weight``, ``lipschitz_bound``; the first is the formula of the exponential mechanism.
    """

    _table: ClassVar[str] = "tried"

    weight: float
    lipschitz_bound: float
    target: float
    tolerance: float
    tried: pd.DataFrame

    @property
    def matched(self) -> bool:
        """Return whether the bound is near enough to the target."""
        return abs(self.lipschitz_bound / self.target - 1.0) <= self.tolerance

    def to_frame(self) -> pd.DataFrame:
        """Return one row a refit."""
        return self.tried.copy()

    def summary(self) -> pd.DataFrame:
        """Return one row a quantity."""
        rows = {
            "weight": self.weight,
            "lipschitz_bound": self.lipschitz_bound,
            "target": self.target,
            "refits": float(len(self.tried)),
        }
        return pd.DataFrame({"value": rows}).rename_axis("quantity")

    @property
    def title(self) -> str:
        """The weight found."""
        first = self.tried.iloc[0]
        return (
            f"Weight {self.weight:.4g} for every record reaches the Lipschitz bound {self.lipschitz_bound:.4g} (wanted {self.target:.4g}) "
            f"after {len(self.tried)} refits; the first weight tried, {first['weight']:.4g}, reached {first['lipschitz_bound']:.4g}."
        )


def match_lipschitz_bound(
    bound_of: Callable[[float], float],
    target: float,
    *,
    start: float,
    tolerance: float = 0.01,
    max_fits: int = 12,
) -> MatchedWeight:
    """Find the scalar weight whose refit achieves a Lipschitz bound.

    The bound is ``weight * Delta(weight)``, and Delta grows as the weight falls, because the posterior spreads. A step is
    by the power law through the two nearest refits, kept inside the bracket they have made.

    Parameters
    ----------
    bound_of : callable
        ``bound_of(weight)`` refits with this weight for every record and returns the bound achieved. Use the same seed in
        every refit, or the noise of the draws moves the target.
    target : float > 0
        The bound wanted, for example that of `PseudoPosteriorMechanism`.
    start : float in (0, 1]
        First weight, for example from `exponential_mechanism_weight`.
    tolerance : float > 0
        Relative distance from `target` that is near enough.
    max_fits : int
        Most refits.

    Returns
    -------
    MatchedWeight
        The nearest weight tried.

    Raises
    ------
    InputError
        If an argument is not what it may be, or `bound_of` returns something else than a positive number.

    Warns
    -----
    ConvergenceWarning
        If no refit comes near enough: the bound is a maximum over draws, so it is noisy and may jump over the target;
        or even the weight 1 stays below it.

    Examples
    --------
    >>> from synthlab.weights import match_lipschitz_bound
    >>> found = match_lipschitz_bound(lambda weight: 10 * weight**0.8, 4.0, start=0.4, tolerance=1e-6)
    >>> round(found.weight, 4), found.matched, len(found.tried)
    (0.3181, True, 3)
    """
    target = _checks.check_number(target, "target", low=0.0, open_low=True)
    weight = _checks.check_number(start, "start", low=0.0, high=1.0, open_low=True)
    tolerance = _checks.check_number(tolerance, "tolerance", low=0.0, open_low=True)
    max_fits = _checks.check_count(max_fits, "max_fits")
    _checks.check_callable(bound_of, "bound_of", "a function of the weight that returns the bound it achieves")
    tried: list[tuple[float, float]] = []
    while len(tried) < max_fits:
        bound = _checks.check_number(bound_of(weight), "bound_of(weight)", low=0.0, open_low=True)
        tried.append((weight, bound))
        if abs(bound / target - 1.0) <= tolerance or (weight == 1.0 and bound < target):
            break
        weight = _next_weight(tried, target)
    best = min(tried, key=lambda pair: abs(np.log(pair[1] / target)))
    table = pd.DataFrame(tried, columns=["weight", "lipschitz_bound"])
    found = MatchedWeight(*best, target, tolerance, table)
    if not found.matched:
        warn(
            f"no weight in (0, 1] was found whose refit reaches the Lipschitz bound {target:.4g} within {tolerance:.2%}: the nearest of "
            f"{len(tried)} refits, weight {best[0]:.4g}, reaches {best[1]:.4g}",
            ConvergenceWarning,
            stacklevel=2,
        )
    return found


def _next_weight(tried: list[tuple[float, float]], target: float) -> float:
    """Return the next weight, by a power law on the logarithms, inside the bracket."""
    x, y = np.log(np.array(tried)).T
    goal = np.log(target)
    below, above = x[y < goal], x[y > goal]
    low = below.max() if below.size else -np.inf
    high = min(above.min() if above.size else 0.0, 0.0)
    nearest = np.argsort(np.abs(y - goal))[:2]
    slope = 1.0
    if nearest.size == 2 and x[nearest[0]] != x[nearest[1]]:
        slope = float(np.diff(y[nearest])[0] / np.diff(x[nearest])[0])
    step = x[nearest[0]] + (goal - y[nearest[0]]) / (slope if 0.2 < slope < 5.0 else 1.0)
    if low >= high:  # noise: a larger weight reached less; go to the middle of what is near
        step = float(x[nearest].mean())
    elif not above.size and step >= 0.0:
        step = 0.0  # weight 1 itself is not tried yet, or the search would have ended
    elif np.isfinite(low) and not low < step < high:
        step = 0.5 * (low + high)
    return float(np.exp(min(step, 0.0)))
