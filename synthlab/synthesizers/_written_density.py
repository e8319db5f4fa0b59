"""Densities written by hand for nutpie, in place of those that PyMC derives and compiles for ten seconds.

The chains are those of the PyMC model, but for the rounding of sums: they start where PyMC starts them.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from math import prod
from typing import Any

import numpy as np

from synthlab._typing import FloatArray


@dataclass(frozen=True, slots=True)
class WrittenDensity:
    """The log density of the parameters, and its gradient.

    Parameters
    ----------
    value : callable
        ``value(point, gradient, *data)`` returns the log density, up to a constant, and fills the gradient; the data come in
        the order in which `sample` was given them. Where it is not finite, the sampler turns back.
    parameters : mapping of str to tuple of int
        Names and shapes of the parameters, in the order in which they form a point; none of them is bounded.
    """

    value: Callable[..., float]
    parameters: Mapping[str, tuple[int, ...]]

    @property
    def ends(self) -> list[int]:
        """The place in a point at which each parameter ends."""
        return [int(end) for end in np.cumsum([prod(shape) for shape in self.parameters.values()])]

    def start(self, seed: int) -> FloatArray:
        """Return the point at which PyMC starts a chain: uniform on (-1, 1), with a stream for each parameter, the last first."""
        streams = np.random.SeedSequence(seed).spawn(len(self.parameters))[::-1]
        sizes = [prod(shape) for shape in self.parameters.values()]
        draws = [np.random.Generator(np.random.PCG64(s)).uniform(-1, 1, n) for s, n in zip(streams, sizes, strict=True)]
        return np.concatenate(draws)

    def model(self, nutpie: Any, data: Mapping[str, FloatArray]) -> Any:
        """Return the model for ``nutpie.sample``."""
        arrays = tuple(data.values())

        def make_value() -> Callable[..., tuple[float, FloatArray]]:
            def value(point: FloatArray, **_: Any) -> tuple[float, FloatArray]:
                gradient = np.empty(point.size)
                return self.value(point, gradient, *arrays), gradient

            return value

        def make_expand(*_: Any) -> Callable[..., dict[str, FloatArray]]:
            def expand(point: FloatArray, **_: Any) -> dict[str, FloatArray]:
                parts = np.split(point, self.ends[:-1])
                return {n: p.reshape(s) for (n, s), p in zip(self.parameters.items(), parts, strict=True)}

            return expand

        return nutpie.compiled_pyfunc.from_pyfunc(
            ndim=self.ends[-1],
            make_logp_fn=make_value,
            make_expand_fn=make_expand,
            make_initial_point_fn=self.start,
            expanded_names=list(self.parameters),
            expanded_shapes=list(self.parameters.values()),
            expanded_dtypes=[np.dtype(np.float64)] * len(self.parameters),
        )
