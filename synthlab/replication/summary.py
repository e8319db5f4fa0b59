"""One table and one page over all replications, and the record of them.

``python -m synthlab.replication.summary`` writes claims and published numbers of every study again in the checkout, from
the recorded repetitions, and ``data/replication/summary.csv``.
"""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

import pandas as pd

from synthlab._system import atomic_write
from synthlab._typing import PathOrStr
from synthlab.datasets._files import packaged_file
from synthlab.replication import checkpoints, page, registry
from synthlab.replication.study import SAID

RECORD = "replication/summary.csv"
TITLE = "Every claim and every published number of the replications"
WORDS = (
    "Each published number is in one column: the number here is the same to the last printed digit; or inside where 95 % of the repetitions "
    "lie; or outside, with a reason; or beside a number on simulated data that allows no verdict, with the reason; or not "
    "computable, with the reason. A claim holds when it does in at least nine of ten repetitions, and does not when in at "
    "most one of ten."
)


def table(counts: pd.DataFrame | None = None) -> pd.DataFrame:
    """Return one row a paper and one in all: its published numbers by status, its claims by verdict, and the sums.

    Parameters
    ----------
    counts : pandas.DataFrame, optional
        What `registry.summary` counts; by default it is asked.

    Examples
    --------
    >>> from synthlab.replication import summary
    >>> summary.table().set_index("paper").loc["in all", ["exact", "published numbers"]].tolist()
    [16, 317]
    """
    found = pd.concat(by_kind(registry.summary()[0] if counts is None else counts).values(), axis=1)
    return found.rename_axis(index="paper", columns=None).reset_index()


def by_kind(counts: pd.DataFrame) -> dict[str, pd.DataFrame]:
    """Return what `registry.summary` counts as two tables, each with a column of its sums.

    Parameters
    ----------
    counts : pandas.DataFrame
    """
    parts = {kind: pd.DataFrame(counts[kind]) for kind in ("published numbers", "claims")}
    return {kind: part.assign(**{kind: part.sum(axis=1)}) for kind, part in parts.items()}


def write_page(path: PathOrStr) -> Path:
    """Write the page with the table, every claim and every published number, by paper; return it.

    Parameters
    ----------
    path : path
        Of the HTML file.
    """
    counts, rows = registry.summary()
    kinds = {kind: dict(list(part.groupby("paper"))) for kind, part in rows.groupby("kind")}
    found: list[dict[str, Any]] = []
    for paper in rows["paper"].unique():
        claims, numbers = (kinds[kind].get(paper) for kind in ("claim", "published number"))
        found.append(
            {
                "paper": paper,
                "claims": None if claims is None else page.claims(claims),
                "published": None if numbers is None else page.published(numbers),
            }
        )
    nothing = page.Shown("", [], [])
    text = page.render(
        "summary.html.j2", figures={}, title=TITLE, words=WORDS, claims=nothing, published=nothing, papers=found,
        counts=[page.shown(part[part[kind] > 0].reset_index(), f"The {kind}.") for kind, part in by_kind(counts).items()],
    )  # fmt: skip
    return atomic_write.write_text(Path(path), text)


def record(folder: Path | None = None) -> list[Path]:
    """Write the claims and published numbers that follow from the record, and the summary; return the files.

    Parameters
    ----------
    folder : Path, optional
        That holds the folders of the studies; by default those they are read from.
    """
    folder = Path(str(packaged_file("replication"))) if folder is None else folder
    written = []
    for name in registry.REPLICATIONS:
        study = registry.find(name)
        result = study.recorded()
        for each, digits in SAID.items():
            written.append(folder / study.name / study.file(each))
            checkpoints.write_table(getattr(result, each), written[-1], digits)
    written.append(folder / Path(RECORD).name)
    checkpoints.write_table(table(), written[-1], 8)
    return written


if __name__ == "__main__":
    for file in record():
        sys.stdout.write(f"{file}\n")
