"""A wide survey and a release of it: categories, whole numbers, measurements."""

from __future__ import annotations

import numpy as np
import pandas as pd

CHANGED = ["income", "spending", "job", "health"]
KNOWN = ["region", "sex", "age", "v01", "v02", "v03"]


def wide_survey(n: int, columns: int = 58, seed: int = 1) -> pd.DataFrame:
    """Return `columns` dependent variables: two thirds text of 2 to 12 levels, the others numbers."""
    rng = np.random.default_rng(seed)
    factor = rng.normal(size=n)
    frame = {
        "region": np.array([f"region {i}" for i in range(12)])[rng.integers(0, 12, n)],
        "sex": np.array(["f", "m"])[rng.integers(0, 2, n)],
        "age": np.clip(45 + 15 * factor + 10 * rng.normal(size=n), 18, 95).astype(int),
        "income": np.round(np.exp(10 + 0.5 * factor + 0.5 * rng.normal(size=n)), -1),
        "spending": np.round(np.exp(9 + 0.4 * factor + 0.4 * rng.normal(size=n)), 2),
        "job": _levels("job", factor, 8, rng),
        "health": _levels("health", factor, 5, rng),
    }
    for j in range(1, columns - len(frame) + 1):
        name = f"v{j:02d}"
        if j % 3:
            frame[name] = _levels(name, factor, 2 + j % 11, rng)
        else:
            frame[name] = np.round(10 * (factor + rng.normal(size=n)), j % 4)
    return pd.DataFrame(frame)


def wide_release(confidential: pd.DataFrame, m: int, seed: int = 2) -> list[pd.DataFrame]:
    """Return m datasets in which four variables are drawn anew within deciles of age."""
    made = []
    group = pd.qcut(confidential["age"], 10, labels=False, duplicates="drop")
    for each in np.random.default_rng(seed).spawn(m):
        shuffled = confidential.copy()
        for _, rows in group.groupby(group).groups.items():
            for column in CHANGED:
                shuffled.loc[rows, column] = each.permutation(confidential.loc[rows, column].to_numpy())
        made.append(shuffled)
    return made


def _levels(name: str, factor: np.ndarray, size: int, rng: np.random.Generator) -> np.ndarray:
    place = np.clip(((factor + rng.normal(size=factor.size)) / 6 + 0.5) * size, 0, size - 1).astype(int)
    return np.array([f"{name} {i}" for i in range(size)])[place]
