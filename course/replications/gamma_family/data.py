"""The simulated table, and the comparison of its sizes with the published numbers."""

from __future__ import annotations

from functools import cache

import pandas as pd

import synthlab.counts as slc
from replications.gamma_family.settings import PAPER
from replications.paper_tables import read_numbers
from replications.published import INPUT, Value, compare, records
from synthlab import datasets
from synthlab.datasets.esc import ESC_LEVELS, occupied_sizes


@cache
def load_table(version: str = "simulated") -> slc.Table:
    """Return the simulated table or the table of the archive."""
    return slc.Table.from_frame(datasets.load("esc", version=version).frame, count="count")


@cache
def known() -> tuple[int, dict[str, int]]:
    """Return the grand total and the numbers of categories of the simulated table, without simulating it."""
    return int(occupied_sizes().sum()), {name: len(levels) for name, levels in ESC_LEVELS.items()}


def published(sizes: pd.DataFrame, simulated: bool = True) -> pd.DataFrame:
    """Return Tables 1 and 2 compared with a table; the simulated table was constructed from them."""
    found = {f"levels_{name.lower()}": float(n) for name, n in known()[1].items()}
    for row in records(sizes):
        size = str(row.count).replace("> ", "over_")
        found |= {f"cells_{size}": float(row.cells), f"percent_{size}": float(row.percent)}
    found["cells"] = float(sizes["cells"].sum())
    instead = INPUT if simulated else None
    values = {key: Value(number, number, number, repetitions=1, instead=instead) for key, number in found.items()}
    return compare(PAPER, read_numbers("gamma_family"), values)
