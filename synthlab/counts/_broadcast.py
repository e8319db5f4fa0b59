"""Check that parameters, arguments and draws of a distribution broadcast."""

from __future__ import annotations

import numbers
from dataclasses import fields
from typing import Any

import numpy as np

from synthlab import _checks
from synthlab._typing import FloatArray
from synthlab.exceptions import InputError


def parameters(family: Any) -> list[Any]:
    """Return the fields of a distribution that are numbers or arrays."""
    return [f for f in fields(family) if not f.metadata.get("fixed")]


def check_parameters(family: Any, **allowed: dict[str, Any]) -> None:
    """Convert the parameters of a distribution to arrays; raise `InputError` unless they broadcast.

    `allowed` maps the name of a parameter to its limits; by default, a parameter must be > 0.
    """
    for f in parameters(family):
        limits = allowed.get(f.name, {"low": 0.0, "open_low": True})
        object.__setattr__(family, f.name, _checks.check_parameter(getattr(family, f.name), f.name, **limits))
    shapes = _shapes_of(family)
    try:
        np.broadcast_shapes(*shapes.values())
    except ValueError:
        raise InputError(f"{_words(shapes)}: the parameters of {type(family).__name__} do not broadcast") from None


def common_shape(family: Any, values: FloatArray, name: str) -> tuple[int, ...]:
    """Return the common shape of an argument and the parameters, or raise `InputError`."""
    shapes = _shapes_of(family)
    try:
        return np.broadcast_shapes(values.shape, *shapes.values())
    except ValueError:
        raise InputError(
            f"{name}: has shape {values.shape}, which does not broadcast with the parameters of {type(family).__name__}, "
            f"{_words(shapes)}; to combine every value with every parameter, add a last axis of length 1 to {name}"
        ) from None


def _shapes_of(family: Any) -> dict[str, tuple[int, ...]]:
    return {f.name: np.shape(getattr(family, f.name)) for f in parameters(family)}


def _words(shapes: dict[str, tuple[int, ...]]) -> str:
    return ", ".join(f"{name} of shape {shape}" for name, shape in shapes.items())


def wanted_shape(size: object, parameters: tuple[int, ...]) -> tuple[int, ...]:
    """Return the shape of the draws; raise `InputError` unless the parameters broadcast to it."""
    shape = check_shape(size)
    try:
        fits = np.broadcast_shapes(shape, parameters) == shape
    except ValueError:
        fits = False
    if not fits:
        raise InputError(f"size={size!r}: the parameters have shape {parameters} and do not broadcast to this size")
    return shape


def check_shape(size: object) -> tuple[int, ...]:
    """Return the shape of the draws as a tuple."""
    allowed = "a whole number >= 0, or a tuple of them"
    if isinstance(size, numbers.Number):
        return (_checks.check_count(size, "size", 0),)
    if not isinstance(size, tuple | list):
        raise InputError(f"size={_checks.shown(size)}: must be {allowed}")
    return tuple(_checks.check_count(k, "size", 0) for k in size)
