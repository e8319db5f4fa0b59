"""Labels of the columns of a frame: of variables, of values, and the declared missing values.

They are kept in the attrs of the frame, as plain lists and texts, so that they can be written as JSON.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, TypeAlias

import pandas as pd

from synthlab.io.labelled_values import Stated, label_names

LABELS = "synthlab_labels"  # key in the attrs of a frame
# "label": the label of the variable; "values": pairs of a code and its label; "missing": ranges of codes (low, high)
# that are declared missing. Each key is optional.
ColumnLabels: TypeAlias = dict[str, Any]
_CODE = (bool, int, float, str)


def as_entry(label: str | None, values: Mapping[Any, str] | None, missing: Sequence[Mapping[str, Any]]) -> ColumnLabels:
    """Return the labels of one column, without empty parts.

    Examples
    --------
    >>> as_entry("Sex of respondent", {1.0: "male", 2.0: "female"}, [])
    {'label': 'Sex of respondent', 'values': [[1, 'male'], [2, 'female']]}
    """
    entry: ColumnLabels = {
        "label": label or "",
        "values": [[_plain(code), text] for code, text in (values or {}).items()],
        "missing": [[_plain(one["lo"]), _plain(one["hi"])] for one in missing],
    }
    return {key: value for key, value in entry.items() if value}


def as_entry_of(column: Stated) -> ColumnLabels:
    """Return the labels of a column of a file."""
    return dict(column.all_labels) if column.all_labels else as_entry(None, column.labels, [])


def labels_of(frame: pd.DataFrame) -> dict[str, ColumnLabels]:
    """Return the labels of the columns of a frame."""
    return checked(frame.attrs.get(LABELS), frame.columns)


def checked(labels: object, columns: Iterable[str]) -> dict[str, ColumnLabels]:
    """Return the valid labels of some columns; other entries are omitted."""
    given = labels if isinstance(labels, Mapping) else {}
    return {column: given[column] for column in columns if column in given and _is_valid(given[column])}


def of_values(labels: Mapping[str, ColumnLabels], frames: Sequence[pd.DataFrame]) -> dict[str, ColumnLabels]:
    """Return the labels without labels of codes that occur in no frame.

    A label that only one person of the confidential data has would otherwise be published.
    """
    kept = {}
    for column, entry in labels.items():
        found: set[Any] = set()
        for frame in frames:
            series = frame[column]
            levels = isinstance(series.dtype, pd.CategoricalDtype)
            found |= set(series.cat.categories if levels else series.dropna().unique())
        names = names_of(entry)
        values = [[code, text] for code, text in entry.get("values", []) if names[code] in found or code in found]
        kept[column] = {key: value for key, value in {**entry, "values": values}.items() if value}
    return {column: entry for column, entry in kept.items() if entry}


def names_of(entry: ColumnLabels) -> dict[Any, str]:
    """Return the category of each code; `read` gives codes with equal labels different categories."""
    return label_names(dict(entry.get("values", [])))


def _plain(code: Any) -> Any:
    code = code.item() if hasattr(code, "item") else code
    return int(code) if isinstance(code, float) and code.is_integer() and abs(code) < 2**53 else code


def _is_valid(entry: object) -> bool:
    if not isinstance(entry, Mapping) or not isinstance(entry.get("label", ""), str):
        return False
    pairs = [*entry.get("values", []), *entry.get("missing", [])]
    return all(
        isinstance(pair, list | tuple) and len(pair) == 2 and isinstance(pair[0], _CODE) for pair in pairs
    ) and all(isinstance(text, str) for _, text in entry.get("values", []))
