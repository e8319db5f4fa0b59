"""What an evaluation looks at when the caller does not say: which variables, how wide a classifier, whether IR exists."""

from __future__ import annotations

import pandas as pd

from synthlab import _checks
from synthlab._typing import ColumnNames
from synthlab.release import Release
from synthlab.risk import IdentificationRiskResult

# With more columns than this in the classifier, two-way products are left out of it.
WIDEST = 200


def changed(release: Release, risk: IdentificationRiskResult) -> list[str]:
    """Return the synthesized variables, as named by the caller and as stated by the release."""
    return list(dict.fromkeys([*risk.rule.synthesized, *(release.synthesized or ())]))


def utility_variables(
    confidential: pd.DataFrame, release: Release, risk: IdentificationRiskResult, variables: ColumnNames | None
) -> list[str]:
    """Return the variables the utility measures compare: the caller's, or known and synthesized ones."""
    if variables is not None:
        return _checks.check_columns(confidential, variables, "variables", where="confidential")
    return [c for c in dict.fromkeys([*risk.rule.known, *changed(release, risk)]) if c in confidential.columns]


def why_no_probability(confidential: pd.DataFrame, release: Release, risk: IdentificationRiskResult) -> str | None:
    """Say why IR is not defined here, or None if it is."""
    measured = [c for c in risk.rule.known if c in risk.rule.radius]
    if measured:
        return f"it needs patterns of known variables compared by value, and {measured[0]!r} has a radius"
    used = risk.rule.used
    if any(frame[used].isna().to_numpy().any() for frame in (confidential, *release)):
        return "it is not defined for missing values"
    return None


def is_measured(series: pd.Series, name: str, categorical: ColumnNames) -> bool:
    """Whether a column holds measurements: numbers that are neither truth values nor declared categories."""
    dtype = series.dtype
    return pd.api.types.is_numeric_dtype(dtype) and not pd.api.types.is_bool_dtype(dtype) and name not in categorical


def order_of_products(
    confidential: pd.DataFrame, release: Release, names: list[str], categorical: ColumnNames, model: str
) -> int:
    """Return 2, with two-way products, while the design stays narrow for the number of records, else 1."""
    if model != "logistic" or len(names) < 2:
        return 1
    sizes = [1 if is_measured(confidential[c], c, categorical) else confidential[c].nunique() for c in names]
    width = sum(sizes) + (sum(sizes) ** 2 - sum(s**2 for s in sizes)) // 2
    return 2 if width <= min(WIDEST, (len(confidential) + release.n) // 10) else 1
