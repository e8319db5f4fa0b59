"""Small files of units for tests."""

from __future__ import annotations

import numpy as np
import pandas as pd


def households(number: int = 400, seed: int = 1) -> pd.DataFrame:
    """Return households with a head, perhaps a partner, and children, in random order within the file."""
    rng = np.random.default_rng(seed)
    rows = []
    for unit in range(number):
        region, age = rng.choice(["n", "s", "w"]), int(rng.integers(22, 80))
        members = [("head", age)]
        if rng.random() < 0.6:
            members.append(("partner", int(np.clip(age + rng.normal(0, 3), 20, 90))))
        youngest = min(age for _, age in members)
        if youngest < 60:
            members += [("child", int(rng.integers(0, youngest - 17))) for _ in range(rng.integers(0, 4))]
        education = int(rng.integers(1, 4))
        for relation, years in members:
            own = education if rng.random() < 0.7 else int(rng.integers(1, 4))
            income = 0.0 if years < 16 else round(float(np.exp(rng.normal(6 + 0.3 * own, 0.4))), 1)
            sex = rng.choice(["f", "m"])
            rows.append((5000 + 7 * unit, relation, region, len(members), sex, years, own, income))
    frame = pd.DataFrame(rows, columns=["hhid", "relation", "region", "hhsize", "sex", "age", "educ", "income"])
    return frame.sample(frac=1, random_state=seed).reset_index(drop=True)


def panel(number: int = 400, seed: int = 1) -> pd.DataFrame:
    """Return a panel of four waves with late entry, gaps and dropout of the jobless, in random order."""
    rng = np.random.default_rng(seed)
    rows = []
    for unit in range(number):
        sex, job = rng.choice(["f", "m"]), rng.random() < 0.7
        start, income = int(rng.choice([0, 0, 0, 1, 2])), float(rng.normal(20, 5))
        gone = False
        for wave in range(start, 4):
            job = job if rng.random() < 0.85 else not job
            income = income + float(rng.normal(0.5, 1.0))
            if gone:
                break
            if wave == start or rng.random() > 0.1:
                rows.append((900 + 3 * unit, 2015 + 2 * wave, sex, "yes" if job else "no", round(income, 1)))
            gone = rng.random() < (0.05 if job else 0.35)
    frame = pd.DataFrame(rows, columns=["pid", "year", "sex", "job", "income"])
    return frame.sample(frac=1, random_state=seed).reset_index(drop=True)
