"""Compare smallest leaves of the trees of `synthesize`, and the defaults of R's synthpop, in utility and risk.

Held constant: the file, its number of records, m and the order of synthesis, which is the order of the columns. Every number is
the mean over the m datasets and the seeds. The rows of synthpop require R with synthpop; they are left out without it.
``python -m tests.benchmarks.min_leaf`` takes about 3 minutes of CPU time.
"""

from __future__ import annotations

import argparse
import shutil
import subprocess
import tempfile
import warnings
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from scipy.spatial.distance import cdist

import synthlab as sl
from synthlab.exceptions import SynthlabWarning

M, SEEDS, RECORDS = 5, (1, 2, 3), 1_000
LEAVES = (1, 5, 10, 20, 50)
DATASETS = ("affairs", "anes96", "ce", "ce2017")
NOTES = (
    "pMSE ratio: logistic regression with main effects; 1 for a draw from the correct model with known parameters.",
    "tables: mean over all two-way tables of the total variation, divided by its expected value for records drawn from the "
    "confidential table (numbers in 10 groups).",
    "overlap: mean overlap of the 95% intervals of the means and of a regression of the last number on the other numbers.",
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

    The distance is the sum over the columns of the difference in mid-ranks, as shares of the records, for numbers with more
    than 6 values, and of 1 for different values of another column. One released record is left out, so that every person is
    compared with n - 1 records of both files.
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


def measure(confidential: pd.DataFrame, release: sl.Release, seed: int) -> dict[str, float]:
    """Return the utility and the risk of a release, as means over its datasets."""
    tables = sl.table_utility(confidential, release)
    two = np.array([len(margin.variables) == 2 for margin in tables.margins])
    numbers = sl.analysis_utility(confidential, release, analysis=coefficients, synthesis="none")
    categories = [c for c in confidential if confidential[c].nunique() <= 20]
    keys = sl.Intruder(
        known=categories, synthesized=[c for c in confidential if c not in categories] or categories[-1:]
    )
    return {
        "pMSE ratio": float(np.mean(sl.pmse(confidential, release, rng=seed).ratio)),
        "tables": float((tables.total_variation[two].T / tables.expected_total_variation[two]).mean()),
        "overlap": float(np.nanmean(numbers.dataset_overlap)),
        "whole": float(np.mean([whole(confidential, frame) for frame in release])),
        "uniques": float(sl.replicated_uniques(confidential, release, keys).replicated.mean()),
        "closer": float(np.mean([closer(confidential, frame) for frame in release])),
    }


def compare(confidential: pd.DataFrame, m: int, seeds: tuple[int, ...], synthpop: bool) -> Iterator[dict[str, Any]]:
    """Return one row per synthesizer: the means over the seeds."""
    order = list(confidential.columns)
    ways: dict[str, Any] = {"default": None} | {f"min_leaf={leaf}": leaf for leaf in LEAVES}
    made = {
        name: [sl.synthesize(confidential, m=m, rng=seed, order=order, min_leaf=leaf) for seed in seeds]
        for name, leaf in ways.items()
    }
    if synthpop:
        made["synthpop"] = [sl.Release(made_by_synthpop(confidential, m, seed)) for seed in seeds]
    for name, releases in made.items():
        found = [measure(confidential, release, seed) for release, seed in zip(releases, seeds, strict=True)]
        yield {"made by": name, **pd.DataFrame(found).mean()}


def main(arguments: list[str] | None = None) -> None:
    parser = argparse.ArgumentParser(prog="python -m tests.benchmarks.min_leaf", description=__doc__)
    parser.add_argument("--records", type=int, default=RECORDS)
    parser.add_argument("--seeds", type=int, default=len(SEEDS))
    chosen = parser.parse_args(arguments)
    synthpop = has_synthpop()
    rows = []
    for name, frame in files(chosen.records).items():
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", SynthlabWarning)
            rows += [
                {"file": name, "n": len(frame), **row} for row in compare(frame, M, SEEDS[: chosen.seeds], synthpop)
            ]
        print(f"{name}: done", flush=True)
    print(f"Means over m = {M} datasets and {chosen.seeds} seeds:")
    print(pd.DataFrame(rows).round(2).to_string(index=False))
    print(*NOTES, sep="\n")


if __name__ == "__main__":
    main()
