"""The ACS sample with labels where the file has codes, so that a lecture can say "widowed" and not MAR = 2."""

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
    """Return the ACS sample with a label for each code.

    Parameters
    ----------
    frame : pandas.DataFrame
        The ACS sample, or a release of it; other columns stay as they are.

    Returns
    -------
    pandas.DataFrame
        A new frame; the levels of a variable are in the order of its codes.

    Raises
    ------
    InputError
        If a variable holds something else than its codes.

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
            raise InputError(f"frame: column {name!r} must hold the codes 1 to {len(ACS[name])}")
        labelled[name] = pd.Categorical.from_codes(codes.to_numpy(dtype=np.int64) - 1, pd.Index(ACS[name]))
    return frame.assign(**labelled)
