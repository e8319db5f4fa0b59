"""Scalar weight whose refit reaches a target Lipschitz bound."""

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
    """Scalar weight and the Lipschitz bound that its refit achieves.

    Attributes
    ----------
    weight, lipschitz_bound : float
        The weight, and the bound achieved with it.
    target : float
        The target bound.
    tolerance : float
        Maximum relative distance from the target.
    tried : pandas.DataFrame
        One row per refit: ``weight``, ``lipschitz_bound``. The first weight is `start`.
    """

    _table: ClassVar[str] = "tried"

    weight: float
    lipschitz_bound: float
    target: float
    tolerance: float
    tried: pd.DataFrame

    @property
    def matched(self) -> bool:
        """Whether the bound is within the tolerance of the target."""
        return abs(self.lipschitz_bound / self.target - 1.0) <= self.tolerance

    def to_frame(self) -> pd.DataFrame:
        """Return one row per refit."""
        return self.tried.copy()

    def summary(self) -> pd.DataFrame:
        """Return one row per quantity."""
        rows = {
            "weight": self.weight,
            "lipschitz_bound": self.lipschitz_bound,
            "target": self.target,
            "refits": float(len(self.tried)),
        }
        return pd.DataFrame({"value": rows}).rename_axis("quantity")

    @property
    def title(self) -> str:
        """Sentence that states the weight and its bound."""
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

    The bound is ``weight * Delta(weight)``. Delta increases as the weight decreases, because the posterior becomes wider. Each
    step uses the power law through the two nearest refits and stays inside the bracket of the previous refits.

    Parameters
    ----------
    bound_of : callable
        Function ``bound_of(weight)`` that refits with this weight for all records and returns the achieved bound. Use the same
        seed in all refits, so that the bounds differ only because of the weight.
    target : float > 0
        The target bound, for example the bound of a `PseudoPosteriorMechanism`.
    start : float in (0, 1]
        First weight, for example from `exponential_mechanism_weight`.
    tolerance : float > 0
        Maximum relative distance from `target`; default 0.01.
    max_fits : int
        Maximum number of refits; default 12.

    Returns
    -------
    MatchedWeight
        The weight whose bound is closest to the target.

    Raises
    ------
    InputError
        If an argument has a wrong type or value, or `bound_of` does not return a positive number.

    Warns
    -----
    ConvergenceWarning
        If no refit is within the tolerance. The bound is a maximum over draws and therefore noisy, so that it can jump over the
        target; or the bound of weight 1 is below the target.

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
            f"no weight in (0, 1] was found whose refit reaches the Lipschitz bound {target:.4g} within {tolerance:.2%}: the closest of "
            f"{len(tried)} refits, weight {best[0]:.4g}, reaches {best[1]:.4g}; increase the tolerance or the number of refits",
            ConvergenceWarning,
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
    if low >= high:  # because of noise, a larger weight had a smaller bound; use the midpoint of the nearest weights
        step = float(x[nearest].mean())
    elif not above.size and step >= 0.0:
        step = 0.0  # weight 1 was not tried yet; otherwise the search would have ended
    elif np.isfinite(low) and not low < step < high:
        step = 0.5 * (low + high)
    return float(np.exp(min(step, 0.0)))
