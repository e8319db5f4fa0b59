"""Access to parts of R objects: classes, attributes, elements and values."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from synthlab import _checks
from synthlab.r.session import require


def ask(function: str, *given: Any) -> Any:
    """Call an R function on R objects, independent of the active converter."""
    robjects = require()
    with robjects.default_converter.context():
        return robjects.r(function)(*given)


def slot(vector: Any, name: str) -> Any:
    """Return an attribute of an R object, or None if it does not exist."""
    try:
        return vector.do_slot(name)
    except (LookupError, AttributeError):
        return None


def classes_of(value: Any) -> list[str]:
    """Return the classes of an R object; empty for other objects."""
    return [str(c) for c in getattr(value, "rclass", [])]


def described(value: Any) -> str:
    """Describe the type of a value, for a message."""
    classes = classes_of(value)
    return f"an R object of class {_checks.shorten(classes)}" if classes else type(value).__name__


def names_of(vector: Any) -> list[str]:
    """Return the names of a vector, or the column names of a matrix or data frame."""
    given = slot(vector, "names")
    if given is None:
        dimnames = slot(vector, "dimnames")
        given = dimnames[1] if dimnames is not None and len(dimnames) > 1 else ()
    return [str(name) for name in values_of(given) or ()]


def element(parts: Any, name: str) -> Any:
    """Return a named element of a list; None if it does not exist or is NULL."""
    for key, value in zip(names_of(parts), parts, strict=False):
        if key == name:
            return None if classes_of(value) == ["NULL"] else value
    return None


def values_of(vector: Any) -> list[Any]:
    """Return the values of an R vector with None for NA; empty for other objects."""
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
    """Return the values of a named vector, or the columns of a matrix, by name."""
    names, values = names_of(vector), values_of(vector)
    rows = len(values) // len(names) if names else 0
    return {name: values[i * rows : (i + 1) * rows] for i, name in enumerate(names)}


def named_list(names: Sequence[str] | None, values: Sequence[Any]) -> Any:
    """Return an R list with names."""
    from rpy2 import rinterface

    made = rinterface.ListSexpVector(list(values))
    if names is not None:
        made.do_slot_assign("names", rinterface.StrSexpVector(list(names)))
    return made
