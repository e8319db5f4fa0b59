"""Labels for the codes of the ACS sample."""

from __future__ import annotations

import numpy as np
import pandas as pd

from synthlab import _checks
from synthlab.exceptions import InputError

ACS = {
    "SEX": ("male", "female"),
    "RACE": ("White", "Black", "American Indian", "other", "two or more", "Asian"),
    "MAR": ("married", "widowed", "divorced", "separated", "never married"),
    "LANX": ("other language", "only English"),
    "WAOB": ("US state", "US islands", "Latin America", "Asia", "Europe", "Africa", "Northern America"),
    "DIS": ("disability", "none"),
    "HICOV": ("insured", "not insured"),
    "MIG": ("same house", "abroad", "other house"),
    "SCH": ("no school", "public", "private"),
}


def with_labels(frame: pd.DataFrame) -> pd.DataFrame:
    """Return the ACS sample with labels instead of codes.

    Parameters
    ----------
    frame : pandas.DataFrame
        ACS sample, or a release of it; other columns are not changed.

    Returns
    -------
    pandas.DataFrame
        New frame; the levels of a variable are in the order of its codes.

    Raises
    ------
    InputError
        If a variable contains other values than its codes.

    Examples
    --------
    >>> import synthlab as sl
    >>> from synthlab.teaching.labels import with_labels
    >>> with_labels(sl.datasets.load("acs", version="simulated").frame)["MAR"].cat.categories.tolist()
    ['married', 'widowed', 'divorced', 'separated', 'never married']
    """
    frame = _checks.check_frame(frame, "frame")
    labelled = {}
    for name in (name for name in ACS if name in frame.columns):
        codes = pd.to_numeric(frame[name].astype(str), errors="coerce")
        if not codes.isin(range(1, len(ACS[name]) + 1)).all():
            raise InputError(f"frame: column {name!r} must contain only the codes 1 to {len(ACS[name])}")
        labelled[name] = pd.Categorical.from_codes(codes.to_numpy(dtype=np.int64) - 1, pd.Index(ACS[name]))
    return frame.assign(**labelled)
