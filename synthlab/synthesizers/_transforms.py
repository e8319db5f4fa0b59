"""Transforms of a numeric response, and bounds of synthetic values."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, TypeAlias

import numpy as np
import pandas as pd

from synthlab import _checks
from synthlab._typing import BoolArray, FloatArray
from synthlab.exceptions import InputError
from synthlab.synthesizers._design import numeric_response

Limits: TypeAlias = tuple[float | None, float | None]


@dataclass(frozen=True, slots=True)
class Transform:
    """Monotone function g with its inverse and log g'(y); its domain starts at `low`."""

    name: str
    forward: Callable[[FloatArray], FloatArray]
    inverse: Callable[[FloatArray], FloatArray]
    log_jacobian: Callable[[FloatArray], FloatArray]
    low: float = -np.inf
    low_allowed: bool = False

    def check(self, values: FloatArray, column: str) -> None:
        """Raise if a value lies outside the domain."""
        outside = values < self.low if self.low_allowed else values <= self.low
        if outside.any():
            sign = ">=" if self.low_allowed else ">"
            raise InputError(
                f"transform={self.name!r}: needs values {sign} {self.low:g}, but column {column!r} has "
                f"{int(outside.sum())} others; a variable with many zeros needs TwoPart, or transform='log1p' or 'asinh'"
            )

    def _inside(self, y: FloatArray) -> tuple[BoolArray, FloatArray]:
        """Return which values are in the domain, and values with the others replaced."""
        inside = y >= self.low if self.low_allowed else y > self.low
        return inside, np.where(inside, y, self.low + 1.0 if np.isfinite(self.low) else 0.0)

    def value(self, y: FloatArray) -> FloatArray:
        """Return g(y); an arbitrary finite number outside the domain."""
        return self.forward(self._inside(y)[1])

    def at(self, y: FloatArray) -> tuple[FloatArray, FloatArray]:
        """Return g(y) and log g'(y).

        Outside the domain the density is 0, so log g'(y) is -inf and g(y) is an arbitrary finite number.
        """
        inside, safe = self._inside(y)
        jacobian = np.where(inside, self.log_jacobian(safe), -np.inf)
        if (jacobian == np.inf).any():
            raise InputError(f"transform={self.name!r}: the density of y is unbounded at y = 0; use another transform")
        return self.forward(safe), jacobian


def _square_from_zero(z: FloatArray) -> FloatArray:
    return np.square(np.maximum(z, 0.0))


def _cube_root_log_jacobian(y: FloatArray) -> FloatArray:
    with np.errstate(divide="ignore"):
        return np.asarray(-np.log(3.0) - 2.0 / 3.0 * np.log(np.abs(y)), dtype=np.float64)


def _sqrt_log_jacobian(y: FloatArray) -> FloatArray:
    with np.errstate(divide="ignore"):
        return np.asarray(-np.log(2.0) - 0.5 * np.log(y), dtype=np.float64)


TRANSFORMS: dict[str | None, Transform] = {
    None: Transform("none", lambda y: y.copy(), lambda z: z.copy(), np.zeros_like),
    "log": Transform("log", np.log, np.exp, lambda y: -np.log(y), low=0.0),
    "log1p": Transform("log1p", np.log1p, np.expm1, lambda y: -np.log1p(y), low=-1.0),
    "asinh": Transform("asinh", np.arcsinh, np.sinh, lambda y: -np.log(np.hypot(1.0, y))),
    "sqrt": Transform("sqrt", np.sqrt, _square_from_zero, _sqrt_log_jacobian, low=0.0, low_allowed=True),
    "cube_root": Transform("cube_root", np.cbrt, lambda z: z**3, _cube_root_log_jacobian),
}


def get_transform(name: str | None) -> Transform:
    """Return the transform with this name, or raise if the name is unknown."""
    return TRANSFORMS[_checks.check_choice(name, "transform", list(TRANSFORMS))]


@dataclass(frozen=True, slots=True)
class Scale:
    """Scale g(y) of a numeric response, and bounds of its synthetic values."""

    transform: str | None
    bounds: Limits | None

    def __post_init__(self) -> None:
        get_transform(self.transform)
        if self.bounds is None:
            return
        if not isinstance(self.bounds, tuple) or len(self.bounds) != 2:
            raise InputError(f"bounds={_checks.shown(self.bounds)}: must be a pair (low, high); use None for no bound")
        low, high = (None if b is None else _checks.check_number(b, "bounds") for b in self.bounds)
        if low is not None and high is not None and low >= high:
            raise InputError(f"bounds={self.bounds!r}: low must be below high")

    @property
    def g(self) -> Transform:
        """Transform g."""
        return get_transform(self.transform)

    @property
    def limits(self) -> tuple[float, float]:
        """Bounds of y; infinite if there is no bound."""
        low, high = self.bounds or (None, None)
        return -np.inf if low is None else low, np.inf if high is None else high

    @property
    def ends(self) -> tuple[float, float]:
        """Bounds of g(y); infinite if there is no bound."""
        low, high = self.forward(np.array(self.limits))
        return float(low), float(high)

    def forward(self, values: FloatArray) -> FloatArray:
        """Return g(values); -inf below the domain of g."""
        below = values < self.g.low if self.g.low_allowed else values <= self.g.low
        return np.where(below, -np.inf, self.g.forward(np.where(below, 1.0, values)))

    def response(self, frame: pd.DataFrame, column: str) -> FloatArray:
        """Return g(y) of a confidential column, or raise if a value is not allowed."""
        y = numeric_response(frame, column)
        self.g.check(y, column)
        beyond = int(self.beyond(y).sum())
        if beyond:
            raise InputError(
                f"bounds={self.bounds!r}: {beyond} confidential values of {column!r} lie outside; use wider bounds"
            )
        return self.g.forward(y)

    def beyond(self, y: FloatArray) -> BoolArray:
        """Return which values lie outside the bounds."""
        low, high = self.limits
        return (y < low) | (y > high)

    def log_mass(self, mass: Any, y: FloatArray) -> FloatArray:
        """Return the log probability within the bounds; +inf for a value outside them."""
        return np.where(self.beyond(y), np.inf, np.log(mass))


def mass_between(low: float, high: float, mean: FloatArray, sigma: FloatArray) -> FloatArray:
    """Return the normal probability between two limits, with the shape of `mean`."""
    from scipy.special import ndtr

    if np.isinf(low) and np.isinf(high):
        return np.ones(mean.shape)
    return np.asarray(ndtr((high - mean) / sigma) - ndtr((low - mean) / sigma), dtype=np.float64)


def draw_normal(
    mean: FloatArray,
    sigma: FloatArray | float,
    rng: np.random.Generator,
    ends: tuple[float, float] | None = None,
) -> FloatArray:
    """Draw one (truncated) normal value per record by inversion."""
    if ends is None:
        return np.asarray(mean + sigma * rng.standard_normal(mean.size), dtype=np.float64)
    from scipy.stats import truncnorm

    a, b = ((end - mean) / sigma for end in ends)
    return np.asarray(truncnorm.ppf(rng.random(mean.size), a, b, loc=mean, scale=sigma), dtype=np.float64)


def as_continuous(values: FloatArray, like: pd.Series, index: pd.Index) -> pd.Series:
    """Return synthetic numbers as a column of the original float dtype or float64."""
    floating = pd.api.types.is_float_dtype(like.dtype)
    return pd.Series(values, index=index, name=like.name).astype(like.dtype if floating else np.float64)
