"""Printed numbers that other numbers of the slides are computed from."""

from __future__ import annotations

from collections.abc import Sequence

import pandas as pd

from replications.paper_tables import read_numbers

STUDY = "hu_course"
DRAWS = 3  # the slides print the first three draws of each model


def printed(key: str) -> float:
    """Return a printed number."""
    return float(read_numbers(STUDY)[key]["printed"])


def parameters_of(model: str, parameters: Sequence[str]) -> pd.DataFrame:
    """Return the printed draws of a model, one row per draw and one column per parameter."""
    rows = [[printed(f"{model}_{number}_{name}") for name in parameters] for number in range(1, DRAWS + 1)]
    return pd.DataFrame(rows, columns=list(parameters))
