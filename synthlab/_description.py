"""Description of synthesizers and constraints without values of the data."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import fields, is_dataclass
from typing import Any

import numpy as np
import pandas as pd

from synthlab._formulas.formula import public_formula

FEWEST = 3  # values of a constraint that fewer confidential records have are not published
HIDDEN = "<not public>"
# Fields with values of a variable. They are often computed from the confidential data, and a value that equals a
# confidential one by chance cannot be distinguished from a computed one. They are left out unless declared public.
VALUES = {"bounds", "bottom", "high", "low", "top", "values"}


def describe(value: Any, confidential: pd.DataFrame | None = None) -> str:
    """Return the description of a specification that can be published with a release.

    The description contains names of variables, choices and tuning constants. Bounds, cutoffs, the values of a
    `ZeroUnless`, and numbers and texts within a formula are replaced by ``<not public>``, unless the constraint has
    ``public=True``. Even then the values are left out if fewer than 3 confidential records have one of them. For a
    class outside this package, only the name and the formula or the columns are given, because its representation could
    contain anything.

    Parameters
    ----------
    value : object
        A synthesizer, a constraint, or the value of one of their fields.
    confidential : pandas.DataFrame, optional
        The data in which the records with a public value are counted. Default: no value is left out as rare.

    Returns
    -------
    str

    Examples
    --------
    >>> import synthlab as sl
    >>> describe(sl.NormalRegression("income ~ bs(age, knots=[87.5], degree=3)", bounds=(0, 9e6)))
    "NormalRegression(formula='income ~ bs(age, knots=..., degree=3)', bounds=<not public>)"
    >>> describe(sl.Bounds("age", 18, 99)), describe(sl.Bounds("age", 18, 99, public=True))
    ("Bounds(column='age', low=<not public>, high=<not public>)", "Bounds(column='age', low=18, high=99)")
    """
    if isinstance(value, Mapping):
        return "{" + ", ".join(f"{key!r}: {describe(item, confidential)}" for key, item in value.items()) + "}"
    if isinstance(value, list | tuple):
        items = ", ".join(describe(item, confidential) for item in value)
        return f"[{items}]" if isinstance(value, list) else f"({items}{',' * (len(value) == 1)})"
    if isinstance(value, np.generic):
        value = value.item()
    if value is None or isinstance(value, str | bool | int | float):
        return repr(value)
    own = type(value).__module__.partition(".")[0] == "synthlab"
    if not own or not is_dataclass(value) or isinstance(value, type):
        return _name(value)
    shown = getattr(value, "public", False) and not rare_values(value, confidential)
    parts = []
    for field in fields(value):
        item = getattr(value, field.name)
        if not field.repr or field.name == "public" or item is None or (isinstance(item, tuple) and not item):
            continue
        if field.name in VALUES and not shown:
            text = HIDDEN
        else:
            text = repr(public_formula(item)) if field.name == "formula" else describe(item, confidential)
        parts.append(f"{field.name}={text}")
    return f"{type(value).__name__}({', '.join(parts)})"


def rare_values(rule: Any, confidential: pd.DataFrame | None) -> int:
    """Return how many stated values only 1 or 2 confidential records have."""
    if confidential is None or not hasattr(rule, "stated_values"):
        return 0
    column, values = rule.stated_values
    held = [int((confidential[column] == value).sum()) for value in values] if column in confidential else []
    return sum(0 < records < FEWEST for records in held)


def _name(value: Any) -> str:
    """Return the name of a class or function, with its formula or columns."""
    name = str(getattr(value, "__name__", type(value).__name__))
    formula, columns = getattr(value, "formula", None), getattr(value, "columns", None)
    if isinstance(formula, str):
        return f"{name}(formula={public_formula(formula)!r})"
    if isinstance(columns, list | tuple) and all(isinstance(column, str) for column in columns):
        return f"{name}(columns=[{', '.join(map(repr, columns))}])"
    return name
