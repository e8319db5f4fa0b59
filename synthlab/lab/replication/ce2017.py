"""Common parts of the studies on ce2017: simulated units in the shape of those of Hu, Savitsky and Williams."""

from __future__ import annotations

import numpy as np
import pandas as pd

from synthlab import _rng, datasets
from synthlab.intruder import Intruder

KNOWN = ("gender", "age", "region")
SOMEONE = Intruder(known=KNOWN, synthesized=["income"], radius={"income": 0.2})
BOUNDS = (-10_000.0, 2_000_000.0)  # the range the papers print, rounded outwards


def consumer_units(seed: int, share: int) -> pd.DataFrame:
    """Return all consumer units, or for a quick run one in `share` of them, in their order."""
    frame = datasets.load("ce2017").frame
    if share == 1:
        return frame
    rows = _rng.as_generator(seed).choice(len(frame), len(frame) // share, replace=False)
    return frame.iloc[np.sort(rows)].reset_index(drop=True)
