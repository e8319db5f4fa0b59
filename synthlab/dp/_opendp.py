"""The OpenDP library (extra `dp`): exact samplers, and the arithmetic of privacy losses rounded upwards."""

from __future__ import annotations

from collections.abc import Callable
from importlib import import_module
from math import inf, nextafter
from typing import Any

from synthlab._system import optional_dependencies
from synthlab._typing import FloatArray

# The library marks what has not been through its full review, which is nearly all of it.
_FEATURES = ("contrib", "honest-but-curious")


def library(what: str) -> Any:
    """Return OpenDP, or raise saying what needs it and how to install it."""
    optional_dependencies.load("dp", "opendp", what)
    opendp = import_module("opendp.prelude")
    opendp.enable_features(*_FEATURES)
    return opendp


def vector(opendp: Any, kind: type, distance: str) -> tuple[Any, Any]:
    """Return the space of lists of numbers, compared by "l1" or "l2"; whole numbers have 64 bits, not the library's 32."""
    atom = opendp.atom_domain(T=float, nan=False) if kind is float else opendp.atom_domain(T="i64")
    metric = opendp.l1_distance if distance == "l1" else opendp.l2_distance
    return opendp.vector_domain(atom), metric(T=float if kind is float else "i64")


def scaled(make: Callable[[float], Any], scale: float, sensitivity: float, epsilon: float) -> Any:
    """Return the mechanism of this scale, or of the next larger one whose loss is not above epsilon.

    The library rounds losses up, so that sensitivity / (sensitivity / epsilon) may be one float above epsilon.
    """
    mechanism = make(scale)
    while mechanism.map(sensitivity) > epsilon:
        scale = nextafter(scale, inf)
        mechanism = make(scale)
    return mechanism


def laplace_noise(answer: FloatArray, scale: float, sensitivity: float, epsilon: float) -> list[float]:
    """Return the answer with Laplace noise from the library: drawn exactly, then rounded to the nearest float."""
    opendp = library("sampler='opendp'")
    space = vector(opendp, float, "l1")
    mechanism = scaled(lambda s: opendp.m.make_laplace(*space, scale=s), scale, sensitivity, epsilon)
    return list(mechanism([float(v) for v in answer.ravel()]))
