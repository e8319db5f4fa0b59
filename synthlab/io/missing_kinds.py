"""Kinds of missing values: codes such as -8 or .a that a file declares missing.

The cells themselves are missing, so that no measure counts a code as a number. The kind of each cell is kept in the attrs
of the frame, by row label, as text that can be written as JSON.
"""

from __future__ import annotations

import base64
import re
import zlib
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, TypeAlias

import numpy as np
import pandas as pd

from synthlab import _checks
from synthlab._typing import BoolArray, IntArray
from synthlab._warnings import warn
from synthlab.exceptions import MissingKindWarning

# Key in the attrs of a frame. "rows": the number of rows, or the hashes of their labels; "columns": for each column its
# codes and the kind of each cell.
KINDS = "synthlab_missing"
THERE, PLAIN, FIRST = 0, 1, 2  # observed, missing without a code, missing with the first code
Code: TypeAlias = int | float | str  # a tagged missing value of Stata, SAS and R is the text ".a", ".b", ...
_TAG = re.compile(r"\.[a-z_]")


@dataclass(frozen=True, slots=True, eq=False)
class MissingKinds:
    """Kind of each cell of a column.

    Parameters
    ----------
    codes : tuple of numbers or text
        The codes that occur. In a column that is not text, the texts ".a", ".b", ... are tagged missing values.
    cells : ndarray of int, shape (n,)
        0 for an observed value, 1 for a missing value without a code, 2 for the first code, 3 for the second, ...
    """

    codes: tuple[Code, ...]
    cells: IntArray

    @classmethod
    def of(cls, given: Sequence[Any], missing: BoolArray) -> MissingKinds | None:
        """Return the kinds of a column from the code or None of each cell; None if there is no code."""
        found = {_plain(code) for code in given if code is not None}
        codes = tuple(sorted(found, key=lambda code: (isinstance(code, str), code)))
        if not codes:
            return None
        places = {code: place for place, code in enumerate(codes, start=FIRST)}
        cells = [PLAIN if code is None else places[_plain(code)] for code in given]
        return cls(codes, np.where(missing, cells, THERE))

    def where(self, code: Code) -> BoolArray:
        """Return which cells have a code."""
        return np.asarray(self.cells == FIRST + self.codes.index(code))

    def among(self, missing: BoolArray) -> MissingKinds:
        """Return the kinds in a column in which more cells are missing, without a code."""
        return MissingKinds(self.codes, np.where(missing & (self.cells == THERE), PLAIN, self.cells))

    def equals(self, other: object) -> bool:
        """Return whether another object has the same codes in the same cells."""
        return isinstance(other, MissingKinds) and self.codes == other.codes and np.array_equal(self.cells, other.cells)

    @property
    def coded(self) -> BoolArray:
        """Which cells have any code."""
        return np.asarray(self.cells >= FIRST)

    def take(self, rows: IntArray) -> MissingKinds | None:
        """Return the kinds of some rows, without codes that do not occur in them; None if there is no code."""
        cells = self.cells[rows]
        kept = [place for place in range(len(self.codes)) if (cells == FIRST + place).any()]
        if not kept:
            return None
        new = np.zeros(FIRST + len(self.codes), dtype=np.int64)
        new[PLAIN] = PLAIN
        new[[FIRST + place for place in kept]] = np.arange(FIRST, FIRST + len(kept))
        return MissingKinds(tuple(self.codes[place] for place in kept), new[cells])


def without_missing_codes(values: pd.Series, codes: Collection[Any]) -> tuple[pd.Series, MissingKinds | None]:
    """Return values without codes that mean missing, and the kinds of missing values."""
    gone = values.isin(list(codes)) if codes else pd.Series(False, values.index)
    if not gone.any():
        return values, None
    given = [value if lost else None for value, lost in zip(values, gone, strict=True)]
    kept = values.mask(gone)
    return kept, MissingKinds.of(given, kept.isna().to_numpy())


def is_tag(code: Code) -> bool:
    """Return whether a code is a tagged missing value such as .a."""
    return isinstance(code, str) and _TAG.fullmatch(code) is not None


def attach(frame: pd.DataFrame, kinds: Mapping[str, MissingKinds | None]) -> None:
    """Store the kinds of missing values of a frame in its attrs, instead of earlier ones."""
    stored = {
        column: {"codes": list(one.codes), "cells": _packed(one.cells)}
        for column, one in kinds.items()
        if one is not None and column in frame
    }
    if stored:
        frame.attrs[KINDS] = {"rows": _row_labels(frame.index), "columns": stored}
    else:
        frame.attrs.pop(KINDS, None)


def without_kinds(attrs: Mapping[Any, Any]) -> dict[Any, Any]:
    """Return attrs without the kinds of missing values, which belong to the rows of one frame."""
    return {key: value for key, value in attrs.items() if key != KINDS}


def kinds_of(frame: pd.DataFrame) -> tuple[dict[str, MissingKinds], list[str]]:
    """Return the kinds of missing values of a frame, and the columns that have lost them.

    The kinds of a column are lost if its missing values are not those of the rows that were read.
    """
    stored = frame.attrs.get(KINDS)
    if not isinstance(stored, Mapping) or not isinstance(columns := stored.get("columns"), Mapping):
        return {}, []
    found, lost = {}, []
    for column in map(str, frame.columns):
        if column not in columns:
            continue
        missing = frame[column].isna().to_numpy(dtype=bool)
        if not missing.any():
            continue
        whole = _valid(columns[column])
        rows = None if whole is None else _rows(frame.index, stored.get("rows"), len(whole.cells))
        if whole is None or rows is None or ((whole.cells[rows] != THERE) != missing).any():
            lost.append(column)
            continue
        one = whole.take(rows)
        if one is not None:
            found[column] = one
    if lost:  # nothing shows whether the rows are the same if a column has no value at all
        empty = [column for column, one in found.items() if (one.cells != THERE).all()]
        lost += empty
        found = {column: one for column, one in found.items() if column not in empty}
    return found, lost


def renumbered(frame: pd.DataFrame) -> pd.DataFrame:
    """Return a frame with rows numbered from 0 that keeps the kinds of missing values."""
    kinds, _ = kinds_of(frame)
    frame = frame.reset_index(drop=True)
    attach(frame, kinds)
    return frame


def consistent(frames: Sequence[pd.DataFrame], name: str) -> list[pd.DataFrame]:
    """Return frames without kinds that do not belong to their rows; warn about lost kinds."""
    if not any(KINDS in frame.attrs for frame in frames):
        return list(frames)
    made, gone = [], {}
    for frame in frames:
        kinds, lost = kinds_of(frame)
        one = frame.copy(deep=False)
        attach(one, kinds)
        made.append(one)
        gone.update(dict.fromkeys(lost))
    warn_of_lost(list(gone), name)
    return made


def warn_of_lost(columns: Sequence[str], name: str, why: str = "") -> None:
    """Warn that the kinds of missing values of some columns are merged into one."""
    if columns:
        why = why or (
            "the missing values are not in the rows of the file that was read. synthlab.synthesize keeps kinds of missing "
            "values if it gets the frame of synthlab.read or a selection of its rows with their row labels"
        )
        warn(
            f"{name}: column{'s' * (len(columns) > 1)} {_checks.shorten(columns, 12)}: the codes that the file declares "
            f"missing are merged into one kind of missing value, because {why}",
            MissingKindWarning,
        )


def _plain(code: Any) -> Code:
    code = code.item() if hasattr(code, "item") else code
    return int(code) if isinstance(code, float) and code.is_integer() and abs(code) < 2**53 else code


def _packed(cells: IntArray) -> str:
    return base64.b64encode(zlib.compress(np.asarray(cells, dtype="<u4").tobytes())).decode("ascii")


def _valid(entry: Any) -> MissingKinds | None:
    """Return stored kinds, or None if they are damaged."""
    try:
        codes = tuple(entry["codes"])
        cells = np.frombuffer(zlib.decompress(base64.b64decode(entry["cells"])), dtype="<u4").astype(np.int64)
    except (KeyError, TypeError, ValueError, zlib.error):
        return None
    known = all(isinstance(code, int | float | str) and not isinstance(code, bool) for code in codes)
    return MissingKinds(codes, cells) if known and (cells < FIRST + len(codes)).all() else None


def _row_labels(index: pd.Index) -> int | str:
    """Return the number of rows if they are numbered from 0, else the hashes of their labels."""
    if index.equals(pd.RangeIndex(len(index))):
        return len(index)
    return base64.b64encode(zlib.compress(_hashes(index).tobytes())).decode("ascii")


def _hashes(index: pd.Index) -> Any:
    return np.asarray(pd.util.hash_pandas_object(index, index=False), dtype="<u8")


def _rows(index: pd.Index, labels: Any, n: int) -> IntArray | None:
    """Return the position of each row among the n rows that were read, or None if it is not known."""
    if isinstance(labels, int):
        whole = index.to_numpy() if index.nlevels == 1 and index.dtype.kind in "iu" else np.array([-1])
        if len(index) and whole.min(initial=0) >= 0 and whole.max(initial=0) < n:
            return whole.astype(np.int64)
    else:
        try:
            known = pd.Index(np.frombuffer(zlib.decompress(base64.b64decode(labels)), dtype="<u8"))
        except (TypeError, ValueError, zlib.error):
            return None
        rows = known.get_indexer(pd.Index(_hashes(index))) if known.is_unique else np.array([-1])
        if len(rows) == len(index) and (rows >= 0).all():
            return rows.astype(np.int64)
    return np.arange(n) if len(index) == n else None


def free_numbers(count: int, used: Iterable[float]) -> list[int]:
    """Return consecutive negative integers, from the largest, below all numbers in use."""
    lowest = min([0, *(int(np.floor(number)) for number in used)])
    return [lowest - 1 - place for place in range(count)]
