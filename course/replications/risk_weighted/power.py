"""The power of the rule that marks a record whose IR rises by 0.25: the noise of L synthetic datasets, from the record.

IR of a record is the mean over L datasets of T (1 - covered): T says whether its own synthetic value lies in the ball,
and the share of the others outside hardly varies. So IR is c B / L with B ~ Binomial(L, e / c), where e is the expected
IR and c the share outside the ball in the data, both recorded.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd

from synthlab import _rng
from synthlab._typing import FloatArray

THRESHOLD = 0.25
RISES = (0.0, 0.05, 0.10, 0.15, 0.25, 0.35)
SIZES = (20, 100, 400)
TIMES = 20
SEED = 20210711


def simulate(
    expected: FloatArray, outside: FloatArray, rise: float, m: int, rng: np.random.Generator
) -> tuple[float, int]:
    """Return the share of the records seen to rise by more than the threshold where all rise by `rise`, and how many can."""
    can = expected + rise <= outside
    e, c = expected[can], outside[can]
    before, after = (rng.binomial(m, np.clip(p / c, 0, 1), (TIMES, c.size)) * (c / m) for p in (e, e + rise))
    return float((after - before > THRESHOLD).mean()) if c.size else float("nan"), int(can.sum())


def shares_seen(studies: dict[str, tuple[FloatArray, FloatArray]]) -> pd.DataFrame:
    """Return one row per study, L and true rise: the share seen, and for no rise the number of false alarms.

    `studies` holds expected IR under the unweighted synthesizer, and the share outside the ball in the data.
    """
    rows: list[dict[str, Any]] = []
    for study, (expected, outside) in studies.items():
        rng = _rng.as_generator(SEED)
        for m in SIZES:
            for rise in RISES:
                seen, can = simulate(expected, outside, rise, m, rng)
                alarms = seen * can if rise == 0 else np.nan
                rows.append(
                    {"study": study, "L": m, "true rise": rise, "records": can, "share seen": seen, "false alarms": alarms}
                )  # fmt: skip
    return pd.DataFrame(rows)
