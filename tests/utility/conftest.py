"""The simulated inputs and the answers base R gave for them (data/reference/utility.R)."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import numpy as np
import pandas as pd
import pytest


def _datasets(path: Path) -> list[pd.DataFrame]:
    stacked = pd.read_csv(path)
    return [part.drop(columns="dataset").reset_index(drop=True) for _, part in stacked.groupby("dataset")]


@pytest.fixture(scope="session")
def confidential(reference: Path) -> pd.DataFrame:
    return pd.read_csv(reference / "utility_confidential.csv")


@pytest.fixture(scope="session")
def releases(reference: Path) -> dict[str, list[pd.DataFrame]]:
    """Partial synthesis (age and region unchanged, m = 4) and full synthesis (250 records each, m = 3)."""
    return {kind: _datasets(reference / f"utility_{kind}.csv") for kind in ("partial", "full")}


@pytest.fixture(scope="session")
def answer(reference: Path) -> Callable[..., pd.Series]:
    """Return what R said: answer(what, release) is a Series with index (dataset, name)."""
    table = pd.read_csv(reference / "utility.csv").set_index(["what", "release", "dataset", "name"])["value"]
    table = table.astype(np.float64)

    def look_up(what: str, release: str) -> pd.Series:
        return table.xs((what, release), level=("what", "release"))

    return look_up


@pytest.fixture
def small() -> pd.DataFrame:
    """Eight records with every kind of column."""
    return pd.DataFrame(
        {
            "income": [10.0, 20.0, 30.0, 40.0, 50.0, 60.0, 70.0, 80.0],
            "sex": ["f", "m", "f", "m", "f", "m", "f", "m"],
            "working": [True, True, False, False, True, True, False, False],
            "__import__('os')": [1, 2, 3, 4, 5, 6, 7, 9],
        }
    )
