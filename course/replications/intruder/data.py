"""The youths of Reiter and Mitra's example: which facilities, what for missing answers, which columns."""

from __future__ import annotations

import numpy as np
import pandas as pd

from replications.intruder.models import FACILITY, RACE, Predictors, indicators
from synthlab import datasets

# Not published which four. These have 59 youths, which gives the paper's 2,562; 12, 25 and 26 are the small facilities
# whose size is coded 999, and no other facility brings the number to 59 than 46, whose size is coded 99.
DROPPED = (12, 25, 26, 46)
KNOWN = ("ethnicty",)
SYNTHESIZED = (FACILITY, RACE)
NUMBERS = ("age", "numarr", "probtn", "corrinst", "agefirst")
SKEWED = ("numarr", "probtn", "corrinst")
DESIGN = ("stratum", "psu", "facsize", "finalwt", "randgrp")
FIRST_SEED = 1987
VARIED = 0.75  # share of the facilities within which a column has to vary to be among the few


def load_youths(version: str | None = None) -> datasets.Dataset:
    """Load the survey, or its stand-in."""
    return datasets.load("youths", version)


def prepare(frame: pd.DataFrame, seed: int = FIRST_SEED) -> pd.DataFrame:
    """Drop the four facilities, and give a missing answer that of a random youth of the same facility.

    The hot deck is drawn once with a fixed seed: the data are the same in every repetition.
    """
    kept = frame[~frame[FACILITY].isin(DROPPED)].reset_index(drop=True)
    rng = np.random.default_rng(seed)
    for column in kept.columns[kept.isna().any()]:
        lost = kept[column].isna()
        for facility, group in kept.loc[lost].groupby(FACILITY, observed=True):
            donors = kept.index[(kept[FACILITY] == facility) & ~lost]
            donors = donors if len(donors) else kept.index[~lost]
            kept.loc[group.index, column] = kept.loc[rng.choice(donors, len(group)), column].to_numpy()
    kept[FACILITY] = kept[FACILITY].cat.remove_unused_categories()
    return kept


def make_predictors(frame: pd.DataFrame, *, few: bool = False, plain: bool = False) -> Predictors:
    """Return the ones and 33 standardised columns: every answer but race, counts as logarithms, categories as indicators.

    Highest grade is a number up to 12, with an indicator of what is no grade (a GED, other). The survey's design
    variables are left out.

    Parameters
    ----------
    frame : pandas.DataFrame
    few : bool
        Leave out what causes multicollinearity: columns that are constant within more than a quarter of the facilities,
        and the indicator of the first facility.
    plain : bool
        Indicators of the facility of 0 and 1; by default they are standardised as if all facilities were equally large.
    """
    columns: dict[str, np.ndarray] = {}
    for name in frame.columns.drop([*DESIGN, *SYNTHESIZED]):
        values = frame[name]
        if name == "educ":
            columns["grade"], columns["no grade"] = values.clip(upper=12).to_numpy(float), (values > 12).to_numpy(float)
        elif name in NUMBERS:
            columns[name] = np.log1p(values) if name in SKEWED else values.to_numpy(float)
        else:
            levels = values.cat.categories
            columns |= {f"{name} {v}": (values == v).to_numpy(float) for v in levels[1:]}
    table = pd.DataFrame(columns)
    table = table.loc[:, table.std(ddof=0) > 0]  # of a few facilities some answers are nobody's
    if few:
        varies = (table.groupby(frame[FACILITY].to_numpy()).nunique() > 1).mean()
        table = table.loc[:, varies >= VARIED]
    standard = (table - table.mean()) / table.std(ddof=0)
    matrix = np.hstack([np.ones((len(frame), 1)), standard.to_numpy()])
    facilities = frame[FACILITY].cat.categories
    columns_of = np.eye(len(facilities)) if plain else indicators(len(facilities))
    return Predictors(matrix, facilities, frame[RACE].cat.categories, columns_of[:, 1:] if few else columns_of)
