"""Rules that detect the role of a column, such as number, date or identifier."""

from __future__ import annotations

import re

import numpy as np
import pandas as pd

from synthlab import _checks
from synthlab.exceptions import InputError
from synthlab.synthesis.dates import text_format

MANY_TEXTS = 1000  # number of distinct texts above which a column is not a category
FEWEST = 10  # smallest number of records in which whole numbers are recognized as identifiers
LONG = 1e8  # smallest number with nine digits
NAMED_ID = re.compile(r"(^|[^a-z])(id|ids|identifier|uuid|guid|ssn|caseid|respid|serial)([^a-z]|$)")
NUMBER, CATEGORY, TRUTH, DATE, SPAN = "number", "category", "yes or no", "date", "time span"
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


def why_identifier(series: pd.Series, role: str) -> str | None:
    """Return the reason why a column looks like an identifier, or None.

    A text column looks like an identifier if more than half of its values occur in only one record, or more than 1,000
    are distinct. A column of at least 10 distinct whole numbers looks like one if they have no gaps, ascend in the
    file, or have nine digits or more, or if its name is typical ("id", "person_id", "serial", ...).
    """
    present = series.dropna()
    if role == CATEGORY and _is_text(series):
        counts = present.value_counts()
        counts = counts[counts > 0]
        if counts.size > MANY_TEXTS:
            return f"it has more than {MANY_TEXTS:,} distinct texts"
        alone = int((counts == 1).sum())
        return "most of its texts occur once only" if counts.size > 1 and 2 * alone > len(present) else None
    if role != NUMBER or len(present) < FEWEST or not present.is_unique:
        return None
    values = _checks.as_float(present)
    if not (np.isfinite(values).all() and (values == np.rint(values)).all()):
        return None
    if values.max() - values.min() == len(values) - 1:
        return "its whole numbers are all different and have no gaps"
    if bool((np.diff(values) > 0).all()):
        return "its whole numbers are all different and ascend in the file"
    if np.abs(values).min() >= LONG:
        return "its whole numbers are all different and have nine digits or more"
    named = NAMED_ID.search(str(series.name).lower())
    return "its whole numbers are all different, and its name says so" if named else None


def _is_text(series: pd.Series) -> bool:
    values = _checks.categories_of(series) if isinstance(series.dtype, pd.CategoricalDtype) else series
    return _checks.kind_of(values) == "text"
