"""Make the releases about which synthpop.R asks: m = 3 datasets each, all variables by CART.

    python data/reference/make_synthpop_cases.py

affairs: a survey of 6,366 women, which statsmodels carries; here are the synthetic datasets alone. youths: the simulated
stand-in, with missing values, which the trees take for a value of its own; dataset 0 is the confidential one.
"""

from __future__ import annotations

import gzip
from pathlib import Path

import pandas as pd

from synthlab import datasets
from synthlab.synthesizers import CART

FOLDER = Path(__file__).resolve().parent
SEED = 20261122
M = 3
MISSING = -9
AFFAIRS = ["age", "yrs_married", "children", "religious", "educ", "occupation", "rate_marriage", "affairs"]
YOUTHS = ["age", "race", "ethnicty", "gender", "educ", "livewith", "crimtype", "everviol", "alcuse", "agefirst"]


def synthesized(frame: pd.DataFrame) -> pd.DataFrame:
    """Return confidential and synthetic data under one another."""
    release = CART(list(frame)).fit(frame, rng=SEED).generate(m=M, rng=SEED + 1)
    return pd.concat([frame, *release], keys=range(M + 1), names=["dataset", None]).reset_index("dataset")


def write(frame: pd.DataFrame, name: str) -> None:
    """Write a table, the same bytes every time."""
    text = frame.to_csv(index=False, lineterminator="\n").encode()
    (FOLDER / name).write_bytes(gzip.compress(text, mtime=0))


def main() -> None:
    """Write both."""
    affairs = synthesized(datasets.load("affairs").frame[AFFAIRS])
    write(affairs[affairs["dataset"] > 0], "synthpop_affairs.csv.gz")
    youths = datasets.load("youths", version="simulated").frame[YOUTHS].astype(float)
    answers = youths.fillna(MISSING).astype(int).astype(str)
    numbers = synthesized(answers).astype(int)
    write(numbers.where(numbers != MISSING).astype("Int64"), "synthpop_youths.csv.gz")


if __name__ == "__main__":
    main()
