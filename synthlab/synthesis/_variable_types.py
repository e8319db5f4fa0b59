"""The role of a column: a number, a category, a date, ..., a constant, or an identifier, by stated rules."""

from __future__ import annotations

import re

import numpy as np
import pandas as pd

from synthlab import _checks
from synthlab.exceptions import InputError
from synthlab.synthesis.dates import text_format

MANY_TEXTS = 1000  # distinct texts, above which a column is no category
FEWEST = 10  # numbers, below which nothing shows that they count the records
LONG = 1e8  # numbers of nine digits or more
NAMED_ID = re.compile(r"(^|[^a-z])(id|ids|identifier|uuid|guid|ssn|caseid|respid|serial)([^a-z]|$)")
NUMBER, CATEGORY, TRUTH, DATE, SPAN = "number", "category", "yes or no", "date", "time span"
CONSTANT, IDENTIFIER = "constant", "identifier"
ROLES = {"number": NUMBER, "bool": TRUTH, "text": CATEGORY, "date": DATE, "datetime.date": DATE, "time span": SPAN}


def role_of(series: pd.Series) -> str:
    """Return the role of a column, `IDENTIFIER` apart.

    Raises
    ------
    InputError
        If its values are of several kinds, or of one that has no model.
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
    """Return why a column looks like an identifier, in words, or None.

    A column of texts is one if more than half of the values occur in one record only, or more than 1,000 are distinct.
    A column of at least 10 whole numbers, all different, is one if they have no gaps, ascend in the file, have nine
    digits or more, or its name says so ("id", "person_id", "serial", ...).
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
