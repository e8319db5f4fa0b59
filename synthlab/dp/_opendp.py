"""Access to OpenDP (extra `dp`): exact samplers, and privacy losses rounded upwards."""

from __future__ import annotations

from collections.abc import Callable
from importlib import import_module
from math import inf, nextafter
from typing import Any

from synthlab._system import optional_dependencies
from synthlab._typing import FloatArray

# OpenDP requires these flags for mechanisms without a complete review, which are nearly all of them.
_FEATURES = ("contrib", "honest-but-curious")


def library(what: str) -> Any:
    """Return OpenDP; raise `ExtraUnavailableError` if it is not installed."""
    optional_dependencies.load("dp", "opendp", what)
    opendp = import_module("opendp.prelude")
    opendp.enable_features(*_FEATURES)
    return opendp


def vector(opendp: Any, kind: type, distance: str) -> tuple[Any, Any]:
    """Return the domain and metric ("l1" or "l2") of lists of floats or 64-bit integers."""
    atom = opendp.atom_domain(T=float, nan=False) if kind is float else opendp.atom_domain(T="i64")
    metric = opendp.l1_distance if distance == "l1" else opendp.l2_distance
    return opendp.vector_domain(atom), metric(T=float if kind is float else "i64")


def scaled(make: Callable[[float], Any], scale: float, sensitivity: float, epsilon: float) -> Any:
    """Return the mechanism with the smallest float scale, at least `scale`, whose loss is at most epsilon.

    OpenDP rounds losses up, so the loss sensitivity / (sensitivity / epsilon) can be one float above epsilon.
    """
    mechanism = make(scale)
    while mechanism.map(sensitivity) > epsilon:
        scale = nextafter(scale, inf)
        mechanism = make(scale)
    return mechanism


def laplace_noise(answer: FloatArray, scale: float, sensitivity: float, epsilon: float) -> list[float]:
    """Return the answer with Laplace noise from OpenDP, drawn exactly and rounded to the nearest float."""
    opendp = library("sampler='opendp'")
    space = vector(opendp, float, "l1")
    mechanism = scaled(lambda s: opendp.m.make_laplace(*space, scale=s), scale, sensitivity, epsilon)
    return list(mechanism([float(v) for v in answer.ravel()]))
