"""Samples of a class: the same rows for all its students."""

from __future__ import annotations

import numpy as np
import pandas as pd

from synthlab import _checks, datasets


def class_sample(dataset: str, n: int, number: int) -> pd.DataFrame:
    """Return the rows of a dataset for a class, drawn without replacement.

    Parameters
    ----------
    dataset : str
        Name of a dataset. If the real data do not ship with the package, the simulated stand-in is always used, so that all
        students of a class have the same rows.
    n : int
        Number of rows, from 1 to the number of rows of the dataset.
    number : int >= 0
        Number of the class.

    Returns
    -------
    DataFrame
        Rows in the order of the file, with index 0 to n - 1.

    Raises
    ------
    InputError
        If the dataset does not exist or has fewer than `n` rows.

    Examples
    --------
    >>> from synthlab.teaching.homework import class_sample
    >>> class_sample("affairs", 3, 1).shape
    (3, 9)
    """
    known = datasets.describe()
    versions = known.loc[known["name"] == dataset, "version"].tolist()
    frame = datasets.load(dataset, "simulated" if "simulated" in versions else None).frame
    size = _checks.check_count(n, "n", 1, len(frame))
    rng = np.random.default_rng(_checks.check_count(number, "number", 0))
    rows = np.sort(rng.choice(len(frame), size, replace=False))
    return frame.iloc[rows].reset_index(drop=True)
