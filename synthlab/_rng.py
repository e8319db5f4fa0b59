"""Randomness: every `rng` becomes one Generator, with one spawned stream per synthetic dataset.

The streams are spawned from the seed sequence, so dataset l gets the same stream whatever m is:
the first 5 datasets of a release with m = 20 are the release with m = 5.
"""

from __future__ import annotations

import numpy as np

from synthlab import _checks
from synthlab._typing import RngLike
from synthlab.exceptions import InputError


def as_generator(rng: RngLike, name: str = "rng") -> np.random.Generator:
    """Turn a seed or a Generator into a Generator, without touching global state."""
    if isinstance(rng, bool) or not (
        rng is None or isinstance(rng, int | np.integer | np.random.Generator | np.random.SeedSequence)
    ):
        raise InputError(f"{name}={_checks.shown(rng)}: give an int >= 0, a numpy.random.Generator, or None")
    if isinstance(rng, int | np.integer) and rng < 0:
        raise InputError(f"{name}={rng!r}: a seed must be >= 0")
    return np.random.default_rng(rng)


def spawn(rng: RngLike, n: int, name: str = "rng") -> list[np.random.Generator]:
    """Return `n` independent streams; stream l does not depend on `n`."""
    return as_generator(rng, name).spawn(n)


def integer_seed(rng: np.random.Generator) -> int:
    """Draw a 31-bit seed for a library that takes only whole numbers."""
    return int(rng.integers(0, 2**31 - 1))
