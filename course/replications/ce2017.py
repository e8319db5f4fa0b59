"""Common parts of the studies on ce2017.

The studies use the public file of the survey if it is on the machine, and simulated consumer units otherwise.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd

from synthlab import _rng, datasets
from synthlab.intruder import Intruder

KNOWN = ("gender", "age", "region")
SOMEONE = Intruder(known=KNOWN, synthesized=["income"], radius={"income": 0.2})
VERSIONS = {
    "simulated": "SIMULATED consumer units in the shape of the paper's",
    "pumd": "the consumer units of the public file of the survey",
}
BOUNDS = (-10_000.0, 2_000_000.0)  # the range the papers print, rounded outwards


def version() -> str:
    """Return the version of ce2017 to use: "pumd" if the public file is available, otherwise "simulated"."""
    table = datasets.describe().set_index(["name", "version"])
    return "pumd" if table.loc[("ce2017", "pumd"), "at_hand"] else "simulated"


def source(data: str) -> dict[str, Any]:
    """Return the settings of a run that depend on the version of the data."""
    return {} if data == "simulated" else {"data": data}


def kind(data: str) -> str:
    """Return the data label of a version for figures."""
    return "simulated" if data == "simulated" else "real"


def consumer_units(seed: int, share: int, data: str | None = None) -> pd.DataFrame:
    """Return all consumer units of a version, or one of every `share` units, in file order."""
    frame = datasets.load("ce2017", version=data or version()).frame
    if share == 1:
        return frame
    rows = _rng.as_generator(seed).choice(len(frame), len(frame) // share, replace=False)
    return frame.iloc[np.sort(rows)].reset_index(drop=True)
