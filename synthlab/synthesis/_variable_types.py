"""Rules that detect the role of a column, such as number or date."""

from __future__ import annotations

import pandas as pd

from synthlab import _checks
from synthlab.exceptions import InputError
from synthlab.synthesis.dates import text_format

NUMBER, CATEGORY, TRUTH, DATE, SPAN = "number", "category", "yes or no", "date", "time span"
ON_A_SCALE = (NUMBER, DATE, SPAN)
CONSTANT, IDENTIFIER = "constant", "identifier"
ROLES = {"number": NUMBER, "bool": TRUTH, "text": CATEGORY, "date": DATE, "datetime.date": DATE, "time span": SPAN}


def role_of(series: pd.Series) -> str:
    """Return the role of a column, except `IDENTIFIER`.

    Raises
    ------
    InputError
        If its values have several types, or a type without a model.
    """
    present = series.dropna()
    if present.empty or (len(present) == len(series) and present.nunique() == 1):
        return CONSTANT
    if isinstance(series.dtype, pd.CategoricalDtype):
        return CATEGORY
    kind = _checks.kind_of(series)
    role = ROLES.get("date" if kind == "date" else kind)
    if role is None:
        raise InputError(
            f"confidential: column {series.name!r} holds {kind} values; make them numbers, text, bools or dates, or leave "
            "the column out"
        )
    if role == NUMBER and _checks.holds_loose_numbers(series):
        raise InputError(f"confidential: {_checks.loose_numbers(str(series.name))}")
    return DATE if role == CATEGORY and text_format(present) else role
