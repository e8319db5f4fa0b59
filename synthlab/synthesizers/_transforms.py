"""Transforms of a numeric response: forth, back, and the log Jacobian that belongs in a density."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from synthlab import _checks
from synthlab._typing import BoolArray, FloatArray
from synthlab.exceptions import InputError


@dataclass(frozen=True, slots=True)
class Transform:
    """A monotone function g with its inverse and log g'(y); `low` is where its domain begins."""

    name: str
    forward: Callable[[FloatArray], FloatArray]
    inverse: Callable[[FloatArray], FloatArray]
    log_jacobian: Callable[[FloatArray], FloatArray]
    low: float = -np.inf
    low_allowed: bool = False

    def check(self, values: FloatArray, column: str) -> None:
        """Raise when a value lies outside the domain."""
        outside = values < self.low if self.low_allowed else values <= self.low
        if outside.any():
            sign = ">=" if self.low_allowed else ">"
            raise InputError(
                f"transform={self.name!r}: needs values {sign} {self.low:g}, column {column!r} has {int(outside.sum())} "
                "others; a variable with many zeros needs TwoPart, or transform='log1p' or 'asinh'"
            )

    def at(self, y: FloatArray) -> tuple[FloatArray, FloatArray]:
        """Return g(y) and log g'(y); outside the domain, where the density is 0, a finite number and -inf."""
        inside = y >= self.low if self.low_allowed else y > self.low
        safe = np.where(inside, y, self.low + 1.0 if np.isfinite(self.low) else 0.0)
        jacobian = np.where(inside, self.log_jacobian(safe), -np.inf)
        if (jacobian == np.inf).any():
            raise InputError(f"transform={self.name!r}: the density of y is unbounded at y = 0, so is its logarithm")
        return self.forward(safe), jacobian


def outside(bounds: tuple[float | None, float | None], y: FloatArray) -> BoolArray:
    """Return which values nothing is drawn at."""
    low, high = bounds
    return (y < (-np.inf if low is None else low)) | (y > (np.inf if high is None else high))


def _square_from_zero(z: FloatArray) -> FloatArray:
    return np.square(np.maximum(z, 0.0))


def _cube_root_log_jacobian(y: FloatArray) -> FloatArray:
    with np.errstate(divide="ignore"):
        return -np.log(3.0) - 2.0 / 3.0 * np.log(np.abs(y))


def _sqrt_log_jacobian(y: FloatArray) -> FloatArray:
    with np.errstate(divide="ignore"):
        return -np.log(2.0) - 0.5 * np.log(y)


TRANSFORMS: dict[str | None, Transform] = {
    None: Transform("none", lambda y: y.copy(), lambda z: z.copy(), np.zeros_like),
    "log": Transform("log", np.log, np.exp, lambda y: -np.log(y), low=0.0),
    "log1p": Transform("log1p", np.log1p, np.expm1, lambda y: -np.log1p(y), low=-1.0),
    "asinh": Transform("asinh", np.arcsinh, np.sinh, lambda y: -0.5 * np.log1p(np.square(y))),
    "sqrt": Transform("sqrt", np.sqrt, _square_from_zero, _sqrt_log_jacobian, low=0.0, low_allowed=True),
    "cube_root": Transform("cube_root", np.cbrt, lambda z: z**3, _cube_root_log_jacobian),
}


def get_transform(name: str | None) -> Transform:
    """Return the transform of a name, or raise naming those there are."""
    return TRANSFORMS[_checks.check_choice(name, "transform", list(TRANSFORMS))]
