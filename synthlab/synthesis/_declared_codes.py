"""Codes that a file declares missing, as values of the columns that are synthesized.

`synthlab.read` returns them as missing values and keeps their kinds. A number is modeled with its codes, as with
`missing_codes`; a category, bool or text has one more level for each code.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import pandas as pd

from synthlab import _checks
from synthlab.io.column_labels import labels_of, missing_names_of
from synthlab.io.missing_kinds import PLAIN, THERE, Code, MissingKinds, attach, kinds_of, warn_of_lost
from synthlab.io.written_codes import free_codes, kind_of_cells, with_codes
from synthlab.synthesis.naming import SAMPLE, TREE
from synthlab.synthesizers._missing import Codes, without_codes

WITH_MORE_LEVELS = (TREE, SAMPLE, "multinomial")  # models of categories that can have a level for each code


@dataclass(frozen=True, slots=True, eq=False)
class DeclaredCodes:
    """Confidential data with codes as values.

    Parameters
    ----------
    original : pandas.DataFrame
        The confidential data, in which the codes are missing.
    frame : pandas.DataFrame
        The data with codes: as numbers, or as levels.
    numbers : mapping
        The numbers that represent the codes of columns of numbers.
    levels : mapping
        The levels that represent the codes of other columns.
    values : mapping of str to mapping of code to value
        The value that represents each code, by column.
    """

    original: pd.DataFrame = field(repr=False)
    frame: pd.DataFrame = field(repr=False)
    numbers: Codes
    levels: Mapping[str, tuple[str, ...]]
    values: Mapping[str, Mapping[Code, Any]]

    @classmethod
    def of(cls, confidential: pd.DataFrame, models: Mapping[str, object]) -> DeclaredCodes:
        """Return the data with codes; warn about columns whose codes are merged."""
        kinds, lost = kinds_of(confidential)
        warn_of_lost(lost, "confidential")
        labels = labels_of(confidential)
        numbers, levels, values, merged = {}, {}, {}, []
        columns = {}
        for column, one in kinds.items():
            series = confidential[column]
            kind = kind_of_cells(series)
            if _is_number(series) and series.notna().any():
                made = free_codes(one.codes, set(series.dropna().unique().tolist()))
                numbers[column] = tuple(made.values())
                columns[column] = with_codes(series, one, made)
            elif kind in ("category", "bool", "text", "number") and models.get(column, TREE) in WITH_MORE_LEVELS:
                texts = series.astype(object).map(str, na_action="ignore")
                made = missing_names_of(labels.get(column, {}), one.codes, texts.dropna().unique())
                levels[column] = tuple(made.values())
                columns[column] = _with_levels(series, texts, one, made)
            else:
                merged.append(column)
                continue
            values[column] = made
        warn_of_lost(
            merged,
            "confidential",
            why="the model of the column cannot draw them; use a model such as 'tree' or 'multinomial', and read dates as text",
        )
        frame = confidential.assign(**columns)
        return cls(confidential, frame, numbers, levels, values)

    def without_identifiers(self, identifiers: tuple[str, ...]) -> DeclaredCodes:
        """Return the data without codes in identifiers, which are not synthesized."""
        frame = self.frame.assign(**{c: self.original[c] for c in identifiers if c in self.values})

        def others(one: Mapping[str, Any]) -> dict[str, Any]:
            return {column: value for column, value in one.items() if column not in identifiers}

        return DeclaredCodes(self.original, frame, others(self.numbers), others(self.levels), others(self.values))

    def without_levels(self, frame: pd.DataFrame) -> pd.DataFrame:
        """Return a frame in which the levels that represent codes are missing."""
        return without_codes(frame, self.levels)  # type: ignore[arg-type]

    def apart(self, frame: pd.DataFrame) -> pd.DataFrame:
        """Return a synthetic dataset in which no number is declared missing.

        A drawn number that the file declares missing is replaced by the nearest confidential number.
        """
        moved = {}
        for column, entry in labels_of(self.original).items():
            ranges = [pair for pair in entry.get("missing", []) if not any(isinstance(end, str) for end in pair)]
            if not ranges or column not in frame or column in self.levels or not _is_number(self.original[column]):
                continue
            drawn = _checks.as_float(frame[column])
            hit = np.any([(drawn >= low) & (drawn <= high) for low, high in ranges], axis=0)
            hit &= ~np.isin(drawn, self.numbers.get(column, ()))
            there = np.unique(_checks.as_float(self.original[column].dropna()))
            if not hit.any() or not len(there):
                continue
            series = frame[column].copy()
            series[hit] = [there[np.abs(there - value).argmin()] for value in drawn[hit]]
            moved[column] = series
        return frame.assign(**moved) if moved else frame

    def restored(self, frame: pd.DataFrame) -> pd.DataFrame:
        """Return a synthetic dataset in which the codes are missing, with the kinds of missing values in its attrs."""
        columns, kinds = {}, {}
        for column, values in self.values.items():
            if column not in frame:
                continue
            series, like = frame[column], self.original[column]
            cells = np.where(series.isna().to_numpy(dtype=bool), PLAIN, THERE)
            for place, value in enumerate(values.values(), start=PLAIN + 1):
                cells[(series == value).fillna(False).to_numpy(dtype=bool)] = place
            whole = MissingKinds(tuple(values), cells.astype(np.int64))
            kinds[column] = whole.take(np.arange(len(cells)))
            columns[column] = _of_dtype(series.mask(whole.coded), like, column in self.levels)
        made = frame.assign(**columns)
        attach(made, kinds)
        return made


def _is_number(series: pd.Series) -> bool:
    return kind_of_cells(series) == "number" and not isinstance(series.dtype, pd.CategoricalDtype)


def _with_levels(series: pd.Series, texts: pd.Series, kinds: MissingKinds, names: Mapping[Code, str]) -> pd.Series:
    """Return a column of categories in which each code is a level."""
    if isinstance(series.dtype, pd.CategoricalDtype):
        levels, ordered = [str(level) for level in series.cat.categories], bool(series.dtype.ordered)
    else:
        levels, ordered = sorted(texts.dropna().unique()), False
    made = pd.Series(pd.Categorical(texts, levels, ordered=ordered), index=series.index, name=series.name)
    return with_codes(made, kinds, names)


def _of_dtype(series: pd.Series, like: pd.Series, levels: bool) -> pd.Series:
    """Return a column of synthetic values with the dtype of the confidential column."""
    if not levels:
        return series.astype(like.dtype)
    known = {str(value): value for value in _distinct(like)}
    if isinstance(like.dtype, pd.CategoricalDtype):
        places = pd.Index([*known]).get_indexer(pd.Index(series.astype(object)))
        return pd.Series(pd.Categorical.from_codes(places, dtype=like.dtype), index=series.index, name=series.name)
    mark = next(iter(like[like.isna()]))
    values = [mark if gone else known[value] for value, gone in zip(series, series.isna(), strict=True)]
    return pd.Series(values, index=series.index, name=series.name, dtype=like.dtype)


def _distinct(series: pd.Series) -> list[Any]:
    levels = isinstance(series.dtype, pd.CategoricalDtype)
    return list(series.cat.categories if levels else series.dropna().unique())
