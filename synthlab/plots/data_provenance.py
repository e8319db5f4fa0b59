"""Detection of whether data are real or simulated, from their metadata."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, TypeAlias

from synthlab import _checks

if TYPE_CHECKING:
    import pandas as pd

    from synthlab._result import Result
    from synthlab.datasets import Dataset
    from synthlab.release import Release

# Objects whose metadata can state the data kind.
Source: TypeAlias = "Dataset | pd.DataFrame | Release | Result | str | None"
WORDS = {"real": "real data", "simulated": "simulated data"}


def data_kind(*sources: Any) -> str | None:
    """Return whether data are "real" or "simulated", or None if it is unknown.

    Parameters
    ----------
    *sources : Dataset, DataFrame, Release, result, a mapping or list of these, the words themselves, or None
        Objects to look at; the first one that states its kind decides. The kind is read from a `kind` or `data_kind`
        attribute, from ``attrs["synthlab"]["kind"]`` of a frame, or from the provenance of a release (its ``kind``, or
        the ``kind`` of its ``dataset``) and its frames.

    Returns
    -------
    {"real", "simulated"} or None

    Raises
    ------
    InputError
        If a string is given that is neither "real" nor "simulated".

    Examples
    --------
    >>> from synthlab import datasets
    >>> from synthlab.plots.style import data_kind
    >>> data_kind(None, datasets.load("affairs").frame)
    'real'
    """
    for source in sources:
        found = _kind_of_source(source)
        if found is not None:
            return found
    return None


def _kind_of_source(source: Any) -> str | None:
    if source is None:
        return None
    if isinstance(source, str):
        return str(_checks.check_choice(source, "data", tuple(WORDS)))
    if isinstance(source, Mapping | list | tuple):
        members = source.values() if isinstance(source, Mapping) else source
        # Other text in a list might be a confidential value, so the message does not show it.
        return data_kind(*(one for one in members if not isinstance(one, str) or one in WORDS))
    provenance = getattr(source, "provenance", None) or {}
    made_from = provenance.get("dataset")
    said = [getattr(source, "kind", None), getattr(source, "data_kind", None), provenance.get("kind")]
    said.append(made_from.get("kind") if isinstance(made_from, Mapping) else None)
    said += [_checks.data_kind(frame) for frame in (source, *list(getattr(source, "frames", ()))[:1])]
    return next((word for word in said if isinstance(word, str) and word in WORDS), None)
