"""The simulated table, and the numbers that the paper publishes of its own."""

from __future__ import annotations

from functools import cache

import pandas as pd

import synthlab.counts as slc
from synthlab import datasets
from synthlab.datasets.esc import ESC_LEVELS, occupied_sizes
from synthlab.replication.gamma_family.settings import PAPER
from synthlab.replication.published import Published, beside, records

TABLE_1 = {"GEOGRAPHY": "326", "ETHNICITY": "20", "SEX": "4", "AGE": "19", "LANGUAGE": "7"}
# count: cells, per cent of the cells; the last are counts of 11 and more
TABLE_2 = (
    ("3134980", "90.38"), ("119917", "3.46"), ("51412", "1.48"), ("25952", "0.75"), ("19450", "0.56"), ("13076", "0.38"),
    ("10345", "0.30"), ("7947", "0.23"), ("7077", "0.20"), ("5809", "0.17"), ("5163", "0.15"), ("67512", "1.95"),
)  # fmt: skip
CELLS = "3468640"
GIVEN = "the simulated table was made to have it"


@cache
def load_table(version: str = "simulated") -> slc.Table:
    """Return the simulated table, or that of the archive."""
    return slc.Table.from_frame(datasets.load("esc", version=version).frame, count="count")


@cache
def known() -> tuple[int, dict[str, int]]:
    """Return the grand total of the simulated table and the number of categories of its variables, without making it."""
    return int(occupied_sizes().sum()), {name: len(levels) for name, levels in ESC_LEVELS.items()}


def published(sizes: pd.DataFrame, simulated: bool = True) -> pd.DataFrame:
    """Return Tables 1 and 2 with the table at hand; a simulated one was made from them."""
    numbers = [("Table 1", f"categories of {name}", TABLE_1[name], float(n)) for name, n in known()[1].items()]
    for row, (cells, percent) in zip(records(sizes), TABLE_2, strict=True):
        numbers.append(("Table 2", f"cells of size {row.count}", cells, float(row.cells)))
        numbers.append(("Table 2", f"per cent of the cells of size {row.count}", percent, float(row.percent)))
    numbers.append(("Table 2", "cells", CELLS, float(sizes["cells"].sum())))
    reason = GIVEN if simulated else ""
    return beside(
        PAPER, [Published(*n, *n[3:], n[3], repetitions=1, stand_in=simulated, reason=reason) for n in numbers]
    )
