"""The example of every registered synthesizer, and its fit, which several files of tests share."""

from __future__ import annotations

from functools import cache

import numpy as np
import pandas as pd

from synthlab.synthesizers import Fitted
from synthlab.synthesizers.registry import SYNTHESIZERS


def example_survey(n: int = 80) -> pd.DataFrame:
    """Return a table with the columns of the examples."""
    rng = np.random.default_rng(5)
    frame = pd.DataFrame(
        {
            "age": rng.integers(18, 80, n),
            "region": rng.choice(["north", "south"], n),
            "job": rng.choice(["a", "b", "c"], n),
            "children": rng.poisson(1.5, n),
            "income": rng.lognormal(3.0, 0.5, n),
        }
    )
    frame["hours"] = np.where(rng.random(n) < 0.4, 0.0, rng.lognormal(2.0, 0.5, n))
    return frame


SURVEY = example_survey()
WEIGHTS = np.where(np.arange(len(SURVEY)) % 10 == 0, 0.0, np.linspace(0.2, 1.0, len(SURVEY)))


@cache
def fitted(name: str, *, weighted: bool = False) -> Fitted:
    """Return the fit of an example."""
    declaration = SYNTHESIZERS[name]
    fit: Fitted = declaration.example().fit(
        SURVEY.copy(), weights=WEIGHTS if weighted else None, rng=1, **declaration.options
    )
    return fit
