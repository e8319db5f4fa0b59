"""Summary table of all replications, and the command that records it.

``python -m replications.summary`` writes the claims and published numbers of every study in the checkout again, from
the recorded repetitions, and ``course/replications/summary.csv``.
"""

from __future__ import annotations

import sys
from pathlib import Path

import pandas as pd

from replications import checkpoints, registry
from replications.paper_tables import FOLDER
from replications.study import SAID

RECORD = "summary.csv"
WORDS = (
    "Every published number has one status. Exact: the computed number rounds to the printed number. Inside 95 %: the printed number is in "
    "the interval that contains 95% of the repetitions (for Reiter and Mitra a prediction interval under the fit with fewer columns). "
    "Outside: it is not. Similar or different: the data are simulated, so a ratio to another number or a count of records is compared in "
    "place of the level; the reason states the rule, and the ten numbers of a column of records share one count. Input: the simulated data were calibrated to the number, so agreement is not evidence. "
    "No verdict: the data are simulated, and neither ratios nor counts can be compared. Not computable: there is no computed number. "
    "All statuses except exact and inside 95 % have a reason. "
    "A claim holds if it holds in at least nine of ten repetitions, and does not hold if it holds in at most one of ten."
)


def table(counts: pd.DataFrame | None = None) -> pd.DataFrame:
    """Return published numbers by status and claims by verdict, one row per paper and two totals.

    Parameters
    ----------
    counts : pandas.DataFrame, optional
        First return value of `registry.summary`. Default: it is computed.

    Examples
    --------
    >>> from replications import summary
    >>> summary.table().set_index("paper").loc["Reiter & Mitra", ["exact", "published numbers"]].tolist()
    [0, 44]
    """
    found = pd.concat(by_kind(registry.summary()[0] if counts is None else counts).values(), axis=1)
    return found.rename_axis(index="paper", columns=None).reset_index()


def by_kind(counts: pd.DataFrame) -> dict[str, pd.DataFrame]:
    """Return the counts of `registry.summary` as two tables, each with a column of sums.

    Parameters
    ----------
    counts : pandas.DataFrame
    """
    parts = {kind: pd.DataFrame(counts[kind]) for kind in ("published numbers", "claims")}
    return {kind: part.assign(**{kind: part.sum(axis=1)}) for kind, part in parts.items()}


def record(folder: Path | None = None) -> list[Path]:
    """Write the claims, the published numbers and the summary of the recorded results; return the files.

    Parameters
    ----------
    folder : Path, optional
        Folder that contains the folders of the studies. Default: the folder of the recorded results.
    """
    folder = FOLDER if folder is None else folder
    written = []
    for name in registry.REPLICATIONS:
        study = registry.find(name)
        result = study.recorded()
        for each, digits in SAID.items():
            written.append(folder / study.name / study.file(each))
            checkpoints.write_table(getattr(result, each), written[-1], digits)
    written.append(folder / RECORD)
    checkpoints.write_table(table(), written[-1], 8)
    return written


if __name__ == "__main__":
    for file in record():
        sys.stdout.write(f"{file}\n")
