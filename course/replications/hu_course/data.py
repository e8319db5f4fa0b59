"""The two samples of the slides and their synthetic versions, with all columns of the files."""

from __future__ import annotations

from dataclasses import dataclass

import pandas as pd

from synthlab import datasets
from synthlab.datasets._load import find_entry
from synthlab.datasets.files import find_on_machine, read_checked
from synthlab.exceptions import DatasetUnavailableError

KEYS = ("SEX", "RACE", "MAR")
CONSUMERS = ("UrbanRural", "Income", "Race", "Expenditure", "KidsCount")


@dataclass(frozen=True, slots=True, eq=False)
class Samples:
    """The data of the slides.

    Attributes
    ----------
    ce, ce_synthetic : pandas.DataFrame
        5,133 consumer units with the variables `CONSUMERS`, and their version with a synthetic Expenditure.
    acs, acs_synthetic : pandas.DataFrame
        10,000 people with ten categorical variables, and their version with synthetic DIS and HICOV.
    """

    ce: pd.DataFrame
    ce_synthetic: pd.DataFrame
    acs: pd.DataFrame
    acs_synthetic: pd.DataFrame


def load() -> Samples:
    """Return the data of the slides.

    The file of the ACS sample lacks HISP. The slides release HISP unchanged, so that it is read from the synthetic file.

    Raises
    ------
    DatasetUnavailableError
        If a file is not on this machine; the message states how to get it.
    ChecksumError
        If a file is not the expected file.
    """
    ce, ce_synthetic = _files("ce_lecture")
    acs, acs_synthetic = _files("acs")
    acs = acs.assign(HISP=acs_synthetic["HISP"])
    return Samples(ce[list(CONSUMERS)], ce_synthetic[list(CONSUMERS)], acs, acs_synthetic[list(acs)])


def _files(name: str) -> tuple[pd.DataFrame, pd.DataFrame]:
    """Return both files of the version "slides" of a dataset, as published."""
    datasets.load(name, version="slides")  # raises, with the command that gets the data, if the first file is absent
    files = next(version for version in find_entry(name).versions if version.name == "slides").files
    frames = []
    for file in files:
        path = find_on_machine(file.name)
        if path is None:
            raise DatasetUnavailableError(
                f"{file.name} is not on this machine: run `synthlab data fetch {name}` (requires a network)"
            )
        frames.append(read_checked(path, file))
    confidential, synthetic = frames
    return confidential, synthetic
