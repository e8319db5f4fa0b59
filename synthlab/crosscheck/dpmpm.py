"""Dirichlet process mixture of multinomials compared with a sampler in base R."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

import numpy as np
import pandas as pd

from synthlab import datasets
from synthlab._typing import FloatArray
from synthlab.crosscheck._check import Row
from synthlab.r import Reference
from synthlab.synthesizers import DPMPM

PEOPLE = 1500
SEED = 7


def probabilities(answer: Reference) -> Iterator[Row]:
    """Yield the rows of one-way and two-way probabilities."""
    table = answer.table
    one_way = (table["other"] == "").to_numpy()
    variables = list(table.loc[one_way, "one"].unique())
    people = datasets.load("acs", version="simulated").frame.head(PEOPLE)
    fitted = DPMPM(variables, classes=12, thin=2).fit(people, rng=SEED, chains=2, tune=1500, draws=3000)
    pairs = {(a, b): fitted.two_way(a, b) for i, a in enumerate(variables) for b in variables[i + 1 :]}
    ours = _margins(table, variables, pairs)
    theirs = table.filter(like="chain_").mean(axis=1).to_numpy(dtype=float)
    case = f"{', '.join(variables)} of {PEOPLE:,} people"
    for what, rows in (("one-way probabilities", one_way), ("two-way probabilities", ~one_way)):
        yield Row(what, case, ours[rows], theirs[rows], "two samplers")


def _margins(table: pd.DataFrame, variables: list[str], pairs: Mapping[tuple[str, str], Any]) -> FloatArray:
    """Return our probabilities in the order of the rows of the table of R."""
    columns = table[["one", "level", "other", "other_level"]].astype(str).to_numpy()
    values = []
    for one, level, other, other_level in columns:
        if other:
            values.append(float(pairs[one, other].loc[int(level)][int(other_level)]))
        elif one == variables[-1]:
            values.append(float(pairs[variables[0], one][int(level)].sum()))
        else:
            after = variables[variables.index(one) + 1]
            values.append(float(pairs[one, after].loc[int(level)].sum()))
    return np.array(values, dtype=np.float64)
