"""The youths of the lectures: a part of the survey that a class can fit in seconds.

The survey has 50 facilities, and a multinomial regression of facility on the answers has 49 rows of coefficients.
`classroom_youths` keeps the largest facilities, those who answered everything, and three races.
"""

from __future__ import annotations

import pandas as pd

from synthlab import _checks

RACES = {1: "White", 2: "Black"}
OTHER = "other"


def classroom_youths(confidential: pd.DataFrame, *, facilities: int = 12) -> pd.DataFrame:
    """Return the youths of the largest facilities who answered everything, their races in three.

    Parameters
    ----------
    confidential : pandas.DataFrame
        The data of ``load("youths")``, real or simulated: `facility` and `race` are categories, as codes.
    facilities : int >= 1
        How many facilities to keep: those with the most youths, counted before anybody is left out.

    Returns
    -------
    pandas.DataFrame
        The rows in their order, numbered from 0. `facility` has the categories kept, `race` the categories
        "Black", "White" and "other".

    Raises
    ------
    InputError
        If there is no such column, or `facilities` is no number of facilities.

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
