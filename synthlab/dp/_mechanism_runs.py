"""Run a mechanism many times."""

from __future__ import annotations

from typing import Any

import numpy as np

from synthlab._checks import dimensions
from synthlab.dp._records import attempt
from synthlab.exceptions import InputError


def run(mechanism: Any, database: Any, runs: int, rng: np.random.Generator) -> Any:
    """Return the outputs as an array if all are numbers, else as a list of hashable values."""
    made = [mechanism(database, rng) for _ in range(runs)]
    numbers = all(dimensions(x) == 0 and isinstance(x, int | float | np.number | np.ndarray) for x in made)
    if numbers and not any(isinstance(x, bool) for x in made):
        array = np.array([attempt(float, x, np.nan) for x in made])
        if not np.isfinite(array).all():
            raise InputError("mechanism: returned a number that is not finite; it must return finite numbers")
        return array
    try:
        hash(tuple(made))
    except TypeError:
        raise InputError(
            f"mechanism: returned {type(made[0]).__name__}; it must return one finite number, or a hashable value"
        ) from None
    return made
