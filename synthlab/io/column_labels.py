"""Labels of the columns of a frame: of variables, of values, and the declared missing values.

They are kept in the attrs of the frame, as plain lists and texts, so that they can be written as JSON.
"""

from __future__ import annotations

import math
import sys
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, TypeAlias

import pandas as pd

from synthlab.io.labelled_values import Stated, label_names, word
from synthlab.io.missing_kinds import Code, kinds_of

LABELS = "synthlab_labels"  # key in the attrs of a frame
# "label": the label of the variable; "values": pairs of a code and its label; "missing": ranges of codes (low, high)
# that are declared missing; "missing_values": pairs of a code that means missing and its label; "written_missing", only in
# a Parquet file: pairs of a code that means missing and the value that the file contains. Each key is optional.
ColumnLabels: TypeAlias = dict[str, Any]
HIGHEST = sys.float_info.max
LOWEST = math.nextafter(-HIGHEST, 0)
_CODE = (bool, int, float, str)


def as_entry(
    label: str | None,
    values: Mapping[Any, str] | None,
    missing: Sequence[Mapping[str, Any]],
    missing_values: Mapping[Any, str] | None = None,
) -> ColumnLabels:
    """Return the labels of one column, without empty parts.

    Examples
    --------
    >>> as_entry("Sex of respondent", {1.0: "male", 2.0: "female"}, [])
    {'label': 'Sex of respondent', 'values': [[1, 'male'], [2, 'female']]}
    """
    entry: ColumnLabels = {
        "label": label or "",
        "values": [[_plain(code), text] for code, text in (values or {}).items()],
        "missing": [[_bounded(one["lo"]), _bounded(one["hi"])] for one in missing],
        "missing_values": [[_plain(code), text] for code, text in (missing_values or {}).items()],
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
    kinds = [kinds_of(frame)[0] for frame in frames]
    for column, entry in labels.items():
        found: set[Any] = set()
        codes = {code for one in kinds if column in one for code in one[column].codes}
        for frame in frames:
            series = frame[column]
            levels = isinstance(series.dtype, pd.CategoricalDtype)
            found |= set(series.cat.categories if levels else series.dropna().unique())
        names = names_of(entry)
        values = [[code, text] for code, text in entry.get("values", []) if names[code] in found or code in found]
        lost = [[code, text] for code, text in entry.get("missing_values", []) if code in codes]
        parts = {**entry, "values": values, "missing_values": lost}
        kept[column] = {key: value for key, value in parts.items() if value}
    return {column: entry for column, entry in kept.items() if entry}


def names_of(entry: ColumnLabels) -> dict[Any, str]:
    """Return the category of each code; `read` gives codes with equal labels different categories."""
    return label_names(dict(entry.get("values", [])))


def missing_names_of(entry: ColumnLabels, codes: Iterable[Code], taken: Iterable[Any]) -> dict[Code, str]:
    """Return a text for each code that means missing: its label, or else the code; different from all taken texts."""
    labels, used = dict(entry.get("missing_values", [])), set(taken)
    names = {}
    for code in codes:
        name = labels.get(code) or word(code)
        while name in used:
            name = f"{name} [{word(code)}]"
        used.add(name)
        names[code] = name
    return names


def _plain(code: Any) -> Any:
    code = code.item() if hasattr(code, "item") else code
    return int(code) if isinstance(code, float) and code.is_integer() and abs(code) < 2**53 else code


def _bounded(end: Any) -> Any:
    """Return an end of a range; JSON has no infinite numbers, and SPSS calls these numbers LOWEST and HIGHEST."""
    end = _plain(end)
    return end if isinstance(end, str) else min(max(end, LOWEST), HIGHEST)


def _is_valid(entry: object) -> bool:
    if not isinstance(entry, Mapping) or not isinstance(entry.get("label", ""), str):
        return False
    lists = [entry.get(key, []) for key in ("values", "missing_values", "missing", "written_missing")]
    if not all(isinstance(one, list | tuple) for one in lists):
        return False
    pairs = [pair for one in lists for pair in one]
    return all(
        isinstance(pair, list | tuple) and len(pair) == 2 and isinstance(pair[0], _CODE) for pair in pairs
    ) and all(isinstance(text, str) for _, text in (*lists[0], *lists[1]))
