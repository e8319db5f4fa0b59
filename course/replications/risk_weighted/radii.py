"""Six radii, those of the figures and the two the paper names as extreme: where in the distribution of IR weights act."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd

from replications.risk_weighted.counts import (
    NOTICEABLE,
    ORDERS,
    RADII,
    M,
    expected_ir,
    grid_posterior,
    make_release,
)
from synthlab import _rng
from synthlab._typing import FloatArray
from synthlab._warnings import quiet
from synthlab.intruder import Intruder
from synthlab.risk import identification_probability
from synthlab.weights import risk_weights

ALL = (0.70, *RADII, 0.05)
DRAWS = 200  # of the posterior, for the expected IR


def repeat(frame: pd.DataFrame, seed: int, number: int) -> tuple[pd.DataFrame, pd.DataFrame]:
    """Look at every radius once; return one row per number, and one row per record (for the figures)."""
    rng = _rng.as_generator(np.random.SeedSequence([seed, 2, number]))
    y = frame["outcome"].to_numpy()
    near = np.abs(y - y.mean()) <= 0.15 * y.mean()
    rows: list[dict[str, Any]] = []
    records: dict[str, FloatArray] = {}

    def add(synthesizer: str, r: float, measure: str, value: float) -> None:
        rows.append({"synthesizer": synthesizer, "r": r, "L": M, "measure": measure, "value": float(value)})

    for r in ALL:
        someone = Intruder(known=[], synthesized=["outcome"], radius={"outcome": r})
        before: FloatArray | None = None
        for name in ("S", "M", "P"):
            weights = risk_weights(frame, someone, order=ORDERS[name]).weights if name in ORDERS else None
            posterior = grid_posterior(y, weights)
            exact = expected_ir(y, r, posterior, rng, DRAWS)
            add(name, r, "expected IR, mean", exact.mean())
            add(name, r, "expected IR, 25 % quantile", np.quantile(exact, 0.25))
            add(name, r, "expected IR about the mean", exact[near].mean())
            if before is not None:
                rise = exact - before
                add(name, r, "largest expected rise", rise.max())
                add(name, r, "noticeable expected rises", (rise > NOTICEABLE).sum())
                add(name, r, "expected rises, share of IR", np.maximum(rise, 0).sum() / before.sum())
            if name == "P":
                continue
            with quiet():
                ir = identification_probability(frame, make_release(posterior, y.size, M, rng), someone)
            add(name, r, "IR, mean", ir.record.mean())
            add(name, r, "IR, 25 % quantile", np.quantile(ir.record, 0.25))
            records |= {f"{name} {r:.2f}": np.asarray(ir.record), f"expected {name} {r:.2f}": exact}
            if before is None:
                before = exact
                add("D", r, "IR, mean", ir.confidential.mean())
                records[f"D {r:.2f}"] = np.asarray(ir.confidential)
    return pd.DataFrame(rows), pd.DataFrame(records)
