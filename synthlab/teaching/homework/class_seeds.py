"""Data of a class: the same file for all its students, another one for the next class."""

from __future__ import annotations

import numpy as np
import pandas as pd

from synthlab import _checks, datasets


def class_sample(dataset: str, n: int, number: int) -> pd.DataFrame:
    """Return rows of a dataset, drawn without replacement, as a class with this number gets them.

    Parameters
    ----------
    dataset : str
        A dataset that ships with the package. Of one that does not it is the simulated stand-in, also where the real file
        is at hand: all students of a class have the same rows.
    n : int
        Number of rows, at least 1 and at most as many as there are.
    number : int >= 0
        The number of the class.

    Returns
    -------
    DataFrame
        In the order of the file, with index 0 to n - 1.

    Raises
    ------
    InputError
        If there is no such dataset, or it has fewer rows.

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
