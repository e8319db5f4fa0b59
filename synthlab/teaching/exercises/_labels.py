"""Labels for the results of exercises that return several values."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np


def labeled(call: str, given: Any, labels: Sequence[str]) -> dict[str, Any]:
    """Return the values of one call by label, or only their number if it is wrong.

    Parameters
    ----------
    call : str
        Description of the call, for example ``"six people"``.
    given : any
        What the student's function returned: a sequence with one value per label.
    labels : sequence of str
        Descriptions of the values.
    """
    if given is None or given is ...:
        return {call: None}
    number = f"{call}: number of results"
    if isinstance(given, str) or (not isinstance(given, Sequence | Mapping) and np.ndim(given) == 0):
        return {number: 1}
    values = list(given.values()) if isinstance(given, Mapping) else list(given)
    if len(values) != len(labels):
        return {number: len(values)}
    return {number: len(values)} | {f"{call}: {label}": value for label, value in zip(labels, values, strict=True)}
