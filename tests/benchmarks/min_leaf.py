"""Compare smallest leaves of the trees of `synthesize`, and the defaults of R's synthpop, in utility and risk.

Held constant: the file, its number of records, m and the order of synthesis, which is the order of the columns. Every number is
the mean over the m datasets and the seeds. The rows of synthpop require R with synthpop; they are left out without it.
``python -m tests.benchmarks.min_leaf`` takes about 3 minutes of CPU time.
"""

from __future__ import annotations

import shutil
import subprocess
import tempfile
from collections.abc import Mapping
from pathlib import Path

import numpy as np
import pandas as pd
from scipy.spatial.distance import cdist

import synthlab as sl

M, SEEDS, RECORDS = 5, (1, 2, 3), 1_000
LEAVES = (1, 5, 10, 20, 50)
DATASETS = ("affairs", "anes96", "ce2017")
NOTES = (
    "pMSE ratio: logistic regression with main effects; 1 for a draw from the correct model with known parameters.",
    "tables: mean ratio of pMSE of all two-way tables (numbers in 5 groups) to its expected value; 1 for a correct model.",
    "overlap: mean overlap of the 95% intervals of the means and of a regression of the last column on the others.",
    "whole: people with a released record that has the same values in all columns, minus the people who have such a twin "
    "among the other people. uniques: people whose values of all categories are unique in the file and in the dataset.",
    "closer: people who are closer to a released record than to every other person, minus the people who are closer to "
    "another person, in percent; n - 1 records on both sides; 0 for a draw from the true model.",
)
SYNTHPOP = """
suppressMessages(library(synthpop))
d <- read.csv("confidential.csv", stringsAsFactors = TRUE)
made <- suppressWarnings(syn(d, m = {m}, seed = {seed}, minnumlevels = -1, print.flag = FALSE))
for (i in 1:{m}) write.csv(if ({m} == 1) made$syn else made$syn[[i]], paste0("made", i, ".csv"), row.names = FALSE)
"""


def files(records: int = RECORDS) -> dict[str, pd.DataFrame]:
    """Return samples of datasets of the package; categories as text, because they are passed to R as CSV files."""
    found = {}
    for name in DATASETS:
        frame = sl.datasets.load(name).frame.dropna()
        if len(frame) > records:
            frame = frame.sample(records, random_state=1)
        codes = {c: str for c in frame if isinstance(frame[c].dtype, pd.CategoricalDtype)}
        found[name] = frame.astype(codes).reset_index(drop=True)
    return found


def has_synthpop() -> bool:
    """Return whether R and its package synthpop are installed."""
    if shutil.which("Rscript") is None:
        return False
    return not subprocess.run(["Rscript", "-e", "library(synthpop)"], capture_output=True, check=False).returncode


def made_by_synthpop(confidential: pd.DataFrame, m: int, seed: int) -> list[pd.DataFrame]:
    """Return m datasets made by `syn` of R's synthpop with its defaults."""
    with tempfile.TemporaryDirectory() as folder:
        confidential.to_csv(Path(folder, "confidential.csv"), index=False)
        code = SYNTHPOP.format(m=m, seed=seed)
        subprocess.run(["Rscript", "-e", code], cwd=folder, check=True, capture_output=True)
        made = [pd.read_csv(Path(folder, f"made{i}.csv")) for i in range(1, m + 1)]
    return [frame[list(confidential.columns)].astype(confidential.dtypes.to_dict()) for frame in made]


def closer(confidential: pd.DataFrame, frame: pd.DataFrame) -> float:
    """Return the percentage of people closer to a released record than to another person, beyond chance.

    The distance is the sum over the columns of the difference in mid-ranks, for numbers with more than 6 values, or 1 for
    different values. Twice the mid-ranks of the two files are compared, in shares of the records.
    """
    n = len(confidential)
    both = pd.concat([confidential, frame.iloc[: n - 1]], ignore_index=True)
    points = []
    for _, values in both.items():
        if pd.api.types.is_numeric_dtype(values) and values.nunique() > 6:
            points.append(values.rank(pct=True).to_numpy()[:, None])
        else:
            points.append(pd.get_dummies(values).to_numpy(dtype=float) / 2)
    place = np.hstack(points)
    distance = cdist(place[:n], place, "cityblock")
    np.fill_diagonal(distance, np.inf)
    difference = np.round(distance[:, :n].min(axis=1) - distance[:, n:].min(axis=1), 9)
    return 100 * float(np.sign(difference).mean())


def whole(confidential: pd.DataFrame, frame: pd.DataFrame) -> float:
    """Return how many more people have a released record with all their values than have a twin among the people."""
    columns = list(confidential.columns)
    people = pd.util.hash_pandas_object(confidential[columns].astype(str), index=False, categorize=False)
    released = pd.util.hash_pandas_object(frame[columns].astype(str), index=False, categorize=False)
    return float(people.isin(released).sum() - people.duplicated(keep=False).sum())


def coefficients(frame: pd.DataFrame) -> Mapping[str, tuple[float, float]]:
    """Return means of the numbers, and a regression of the last number on the other numbers, with standard errors."""
    numbers = frame.select_dtypes("number")
    n = len(numbers)
    found = {f"mean {c}": (values.mean(), values.std() / n**0.5) for c, values in numbers.items()}
    x, y = np.column_stack([np.ones(n), numbers.iloc[:, :-1]]), numbers.iloc[:, -1].to_numpy(float)
    slopes, *_ = np.linalg.lstsq(x, y)
    residuals = y - x @ slopes
    variance = np.linalg.pinv(x.T @ x).diagonal() * (residuals @ residuals) / (n - x.shape[1])
    errors = np.sqrt(variance)
    return found | {f"slope {c}": (slopes[j + 1], errors[j + 1]) for j, c in enumerate(numbers.columns[:-1])}
