"""What an evaluation looks at when the caller does not say: which variables, how wide a classifier, whether IR exists."""

from __future__ import annotations

import pandas as pd

from synthlab import _checks
from synthlab._typing import ColumnNames
from synthlab.exceptions import DtypeMismatchError
from synthlab.intruder import Intruder
from synthlab.release import Release
from synthlab.utility._design import pmse_refuses
from synthlab.utility._frames import is_measured as measured_in_pmse

# With more columns than this in the classifier, two-way products are left out of it.
WIDEST = 200


def changed(release: Release, intruder: Intruder) -> list[str]:
    """Return the synthesized variables, as named by the caller and as stated by the release."""
    return list(dict.fromkeys([*intruder.synthesized, *(release.synthesized or ())]))


def utility_variables(
    confidential: pd.DataFrame, release: Release, intruder: Intruder, variables: ColumnNames | None
) -> list[str]:
    """Return the variables the utility measures compare: the caller's, or known and synthesized ones."""
    if variables is not None:
        return _checks.check_columns(confidential, variables, "variables", where="confidential")
    return [c for c in dict.fromkeys([*intruder.known, *changed(release, intruder)]) if c in confidential.columns]


def why_no_probability(confidential: pd.DataFrame, release: Release, intruder: Intruder) -> str | None:
    """Say why IR is not defined here, or None if it is."""
    measured = [c for c in intruder.known if c in intruder.radii]
    if measured:
        return f"it needs patterns of known variables compared by value, and {measured[0]!r} has a radius"
    used = intruder.used
    if any(frame[used].isna().to_numpy().any() for frame in (confidential, *release)):
        return "it is not defined for missing values"
    return None


def is_measured(series: pd.Series, name: str, categorical: ColumnNames) -> bool:
    """Whether a column holds measurements: numbers that are neither truth values nor declared categories."""
    dtype = series.dtype
    return pd.api.types.is_numeric_dtype(dtype) and not pd.api.types.is_bool_dtype(dtype) and name not in categorical


def alike(confidential: pd.DataFrame, release: Release) -> tuple[list[str], list[str]]:
    """Return the columns that both files have, and of these the ones with other kinds of values in the release apart."""
    names, unlike = [], []
    for column in (c for c in confidential.columns if c in release[0].columns):
        try:
            _checks.check_same_kind(confidential, release.frames, [column])
        except DtypeMismatchError:
            unlike.append(column)
        else:
            names.append(column)
    return names, unlike


def products(
    confidential: pd.DataFrame, release: Release, names: list[str], categorical: ColumnNames, model: str
) -> tuple[int, str | None]:
    """Return the highest order of products in the classifier, and what is left out of it, or None.

    Two-way products are in while the design stays narrow for the number of records.
    """
    if model != "logistic" or len(names) < 2:
        return 1, None
    sizes = [
        1 if measured_in_pmse(confidential[c]) and c not in categorical else confidential[c].nunique() for c in names
    ]
    width = sum(sizes) + (sum(sizes) ** 2 - sum(s**2 for s in sizes)) // 2
    widest = min(WIDEST, (len(confidential) + release.n) // 10)
    if width <= widest:
        return 2, None
    pairs = len(names) * (len(names) - 1) // 2
    return 1, (
        f"the classifier sees the {len(names)} variables one by one; their {pairs:,} two-way products would make {width:,} "
        f"columns, more than {widest:,}, and are left out, so that a relation of two variables that was lost does not "
        'show; name fewer variables, or take model="cart"'
    )


def too_many_levels(
    confidential: pd.DataFrame, release: Release, names: list[str], categorical: ColumnNames
) -> dict[str, str]:
    """Return the variables that the classifier of pMSE cannot take, each with the reason."""
    reasons = {name: pmse_refuses(confidential, release.frames, name, categorical) for name in names}
    return {name: reason.removeprefix("variables: ") for name, reason in reasons.items() if reason is not None}
