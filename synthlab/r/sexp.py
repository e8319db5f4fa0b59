"""Objects of R read by their parts: classes, elements by name, values with None for NA, rows of a matrix."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from synthlab import _checks
from synthlab.r.session import require


def ask(function: str, *given: Any) -> Any:
    """Return what a function of R says of objects of R, whatever converter is in use."""
    robjects = require()
    with robjects.default_converter.context():
        return robjects.r(function)(*given)


def slot(vector: Any, name: str) -> Any:
    """Return an attribute of an R object, None where it has none of the name."""
    try:
        return vector.do_slot(name)
    except (LookupError, AttributeError):
        return None


def classes_of(value: Any) -> list[str]:
    """Return the classes of an R object; none of what is not R's."""
    return [str(c) for c in getattr(value, "rclass", [])]


def described(value: Any) -> str:
    """Say what a value is, for a message."""
    classes = classes_of(value)
    return f"an R object of class {_checks.shorten(classes)}" if classes else type(value).__name__


def names_of(vector: Any) -> list[str]:
    """Return the names of a vector or the column names of a matrix or data frame; empty where it has none."""
    given = slot(vector, "names")
    if given is None:
        dimnames = slot(vector, "dimnames")
        given = dimnames[1] if dimnames is not None and len(dimnames) > 1 else ()
    return [str(name) for name in values_of(given) or ()]


def element(parts: Any, name: str) -> Any:
    """Return the element of a list by its name, None where there is none or it is NULL."""
    for key, value in zip(names_of(parts), parts, strict=False):
        if key == name:
            return None if classes_of(value) == ["NULL"] else value
    return None


def values_of(vector: Any) -> list[Any]:
    """Return the values of an R vector as those of Python, None for NA; empty for NULL and what is no vector."""
    from rpy2 import rinterface

    if vector is None or not isinstance(vector, rinterface.SexpVector | tuple | list):
        return []
    missing = (rinterface.NA_Character, rinterface.NA_Logical, rinterface.NA_Integer)
    whole = isinstance(vector, rinterface.IntSexpVector)
    return [None if _absent(v, missing, whole) else v for v in vector]


def _absent(value: Any, missing: tuple[Any, ...], whole: bool) -> bool:
    if any(value is gone for gone in missing) or (whole and value == -(2**31)):
        return True
    return isinstance(value, float) and bool(np.isnan(value))


def by_name(vector: Any) -> dict[str, list[Any]]:
    """Return what a named vector has for each name; of a matrix, its columns."""
    names, values = names_of(vector), values_of(vector)
    rows = len(values) // len(names) if names else 0
    return {name: values[i * rows : (i + 1) * rows] for i, name in enumerate(names)}


def named_list(names: Sequence[str] | None, values: Sequence[Any]) -> Any:
    """Return a list of R, with names."""
    from rpy2 import rinterface

    made = rinterface.ListSexpVector(list(values))
    if names is not None:
        made.do_slot_assign("names", rinterface.StrSexpVector(list(names)))
    return made
