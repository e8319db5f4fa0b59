"""A small release with known risks, and two results on it."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest


@pytest.fixture(scope="session")
def people() -> pd.DataFrame:
    rng = np.random.default_rng(5)
    frame = pd.DataFrame({"region": rng.choice(list("NESW"), 80), "income": rng.lognormal(8, 0.8, 80).round(2)})
    frame.attrs["synthlab"] = {"kind": "simulated"}
    return frame


@pytest.fixture(scope="session")
def synthetic(people: pd.DataFrame) -> list[pd.DataFrame]:
    rng = np.random.default_rng(6)
    return [people.assign(income=people["income"] * np.exp(rng.normal(0, 0.1, len(people)))) for _ in range(3)]
