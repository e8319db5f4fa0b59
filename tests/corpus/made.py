"""Files with kinds of columns that the packages do not contain, generated in code."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import numpy as np
import pandas as pd

N = 1_200


def one_hot(rng: np.random.Generator) -> pd.DataFrame:
    """Exactly one of five indicators is 1; its distribution depends on age."""
    age = rng.integers(18, 90, N)
    job = (age // 20 + rng.integers(0, 3, N)) % 5
    block = {f"job_{name}": (job == place).astype(int) for place, name in enumerate("abcde")}
    return pd.DataFrame(
        {"age": age, **block, "income": np.round(1_000 + 300 * job + 20 * age + rng.normal(0, 200, N), 2)}
    )


def dates(rng: np.random.Generator) -> pd.DataFrame:
    """Dates with functions of them, and an age with a missing birth date in some records."""
    born = pd.Series(pd.Timestamp("1940-03-01") + pd.to_timedelta(rng.integers(0, 22_000, N), "D"))
    visit = pd.Series(pd.Timestamp("2018-01-01") + pd.to_timedelta(rng.integers(0, 1_200, N), "D"))
    before = visit.dt.month * 100 + visit.dt.day < born.dt.month * 100 + born.dt.day
    frame = pd.DataFrame({"birth": born, "interview": visit, "age": visit.dt.year - born.dt.year - before})
    frame["year"], frame["quarter"] = visit.dt.year, "Q" + visit.dt.quarter.astype(str)
    frame["month"], frame["week"] = visit.dt.month_name(), visit.dt.isocalendar().week.astype(int)
    frame["day"], frame["wday"] = visit.dt.day, (visit.dt.day_of_week + 1) % 7 + 1
    frame["weekend"] = np.where(visit.dt.day_of_week >= 5, "TRUE", "FALSE")
    frame["visits"] = rng.poisson(2 + (visit.dt.day_of_week >= 5))
    frame.loc[rng.random(N) < 0.1, ["birth", "age"]] = None
    for column in ("birth", "interview"):
        frame[column] = frame[column].dt.strftime("%Y-%m-%d")
    frame["age"] = frame["age"].astype("Int64")
    return frame


def nested(rng: np.random.Generator) -> pd.DataFrame:
    """Numeric districts in provinces in regions, occupations in major groups, and a flag of the region."""
    district = np.minimum(rng.zipf(1.3, N), 150)
    province = rng.integers(1, 21, 151)[district]
    occupation = rng.choice([1112, 1120, 2211, 2310, 2330, 3112, 4110, 5120, 5131, 5223, 9112, 9333], N)
    frame = pd.DataFrame(
        {"province": province, "district": 100 + district, "region": np.array(list("nsew"))[province % 4]}
    )
    frame["coast"], frame["isco"] = np.where(np.isin(frame["region"], ["n", "w"]), "yes", "no"), occupation
    frame["major"] = occupation // 1_000
    return frame.assign(income=np.round(rng.lognormal(7 + 0.05 * (province % 5), 0.4), 0).astype(int))


def total(rng: np.random.Generator) -> pd.DataFrame:
    """Parts of a total with two decimals, some of them 0, and the minutes of a day."""
    parts = np.round(rng.gamma(0.8, 300, (N, 4)) * (rng.random((N, 4)) < 0.8), 2)
    frame = pd.DataFrame(parts, columns=["food", "rent", "travel", "other"])
    frame["spending"] = parts.sum(axis=1).round(2)
    day = np.floor(rng.dirichlet([4, 5, 3], N) * 144).astype(int) * 10
    frame["sleep"], frame["work"] = day[:, 0], day[:, 1]
    frame["rest"] = 1_440 - frame["sleep"] - frame["work"]
    return frame.assign(adults=rng.integers(1, 4, N))


def partial(rng: np.random.Generator) -> pd.DataFrame:
    """Dates of several precisions, whole numbers with missing cells, and bools with missing cells."""
    start = pd.Series(pd.Timestamp("2013-01-01") + pd.to_timedelta(rng.integers(0, 700, N), "D"))
    end = start + pd.to_timedelta(rng.integers(0, 40, N), "D")
    kind = rng.choice(["%Y-%m-%d", "%Y-%m", "%Y"], (N, 2), p=[0.85, 0.12, 0.03])
    texts = [
        [day.strftime(form) for day, form in zip(days, kind[:, i], strict=True)] for i, days in enumerate((start, end))
    ]
    frame = pd.DataFrame(
        {"start": texts[0], "end": texts[1], "severity": rng.choice(list("abc"), N, p=[0.6, 0.3, 0.1])}
    )
    frame["doses"] = pd.array(rng.poisson(3, N), dtype="Int64")
    frame.loc[rng.random(N) < 0.2, "doses"] = pd.NA
    frame["serious"] = np.where(rng.random(N) < 0.1, "", np.where(rng.random(N) < 0.3, "TRUE", "FALSE"))
    return frame


MADE: dict[str, Callable[[np.random.Generator], pd.DataFrame]] = {
    "one_hot": one_hot, "dates": dates, "nested": nested, "total": total, "partial": partial,
}  # fmt: skip


def write_all(folder: Path) -> list[Path]:
    """Write the generated files, and return their paths."""
    folder.mkdir(parents=True, exist_ok=True)
    paths = []
    for name, make in MADE.items():
        path = folder / f"made_{name}.csv"
        make(np.random.default_rng(1)).to_csv(path, index=False)
        paths.append(path)
    return paths
