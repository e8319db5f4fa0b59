"""Subset of the youths survey for lectures.

The survey has 50 facilities, so a multinomial regression of the facility has 49 rows of coefficients.
`classroom_youths` keeps the largest facilities, complete records, and three categories of race.
"""

from __future__ import annotations

import pandas as pd

from synthlab import _checks

RACES = {1: "White", 2: "Black"}
OTHER = "other"


def classroom_youths(confidential: pd.DataFrame, *, facilities: int = 12) -> pd.DataFrame:
    """Return complete records of the largest facilities, with three races.

    Parameters
    ----------
    confidential : pandas.DataFrame
        The data of ``load("youths")``, real or simulated, with the categorical codes `facility` and `race`.
    facilities : int >= 1
        Number of facilities to keep. The facilities with the most youths are kept, counted before incomplete records
        are omitted.

    Returns
    -------
    pandas.DataFrame
        The rows in the original order, numbered from 0. `facility` has the remaining categories; `race` has the
        categories "Black", "White" and "other".

    Raises
    ------
    InputError
        If a column is missing, or `facilities` is not a number from 1 to the number of facilities.

    Examples
    --------
    >>> import synthlab as sl
    >>> from synthlab.datasets.youths import classroom_youths
    >>> youths = classroom_youths(sl.datasets.load("youths", version="simulated").frame)
    >>> len(youths), youths["facility"].nunique(), list(youths["race"].cat.categories)
    (1101, 12, ['Black', 'White', 'other'])
    """
    frame = _checks.check_frame(confidential, "confidential")
    _checks.check_columns(frame, ["facility", "race"], "columns", where="confidential")
    sizes = frame["facility"].value_counts()
    facilities = _checks.check_count(facilities, "facilities", minimum=1, maximum=int((sizes > 0).sum()))
    kept = frame[frame["facility"].isin(sizes.index[:facilities])].dropna().reset_index(drop=True)
    race = kept["race"].map(RACES).astype(object).fillna(OTHER)
    levels = [RACES[2], RACES[1], OTHER]
    facility = kept["facility"].astype("category").cat.remove_unused_categories()
    return kept.assign(facility=facility, race=pd.Categorical(race, categories=levels))
