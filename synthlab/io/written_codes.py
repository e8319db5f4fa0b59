"""Codes of missing values as each file format contains them."""

from __future__ import annotations

import math
import struct
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from string import ascii_lowercase
from typing import Any, TypeAlias

import numpy as np
import pandas as pd

from synthlab import _checks
from synthlab._typing import IntArray
from synthlab.io.column_labels import ColumnLabels, missing_names_of
from synthlab.io.labelled_values import word
from synthlab.io.missing_kinds import Code, MissingKinds, free_numbers, is_tag, kinds_of

# For each column, what the files contain instead of each code. All datasets of a release have the same codes.
Written: TypeAlias = dict[str, dict[Code, Any]]
LETTERS = [f".{letter}" for letter in ascii_lowercase]
SPSS_CODES = 3  # largest number of single codes that an SPSS file can declare missing for one variable
SPSS_BYTES = 8  # of a text that an SPSS file can declare missing
# Types of Stata 118: NumPy type, the value "." as an integer, and the difference between ".", ".a", ".b", ...
STATA_TYPES = {
    65_526: ("<u8", 0x7FE0000000000000, 1 << 40),
    65_527: ("<u4", 0x7F000000, 1 << 11),
    65_528: ("<i4", 2_147_483_621, 1),
    65_529: ("<i2", 32_741, 1),
    65_530: ("i1", 101, 1),
}
STRL = 32_768  # a reference of 8 bytes to a long text; smaller types are texts of this length


def kind_of_cells(series: pd.Series) -> str:
    """Return "number", "bool", "category", "text", or the name of another kind of values."""
    if isinstance(series.dtype, pd.CategoricalDtype):
        return "category" if _checks.kind_of(_checks.categories_of(series)) == "text" else "number"
    if pd.api.types.is_bool_dtype(series.dtype):
        return "bool"
    kind = _checks.kind_of(series)
    return "number" if kind == "nothing" and series.dtype.kind == "f" else "text" if kind == "nothing" else kind


def codes_written(
    frames: Sequence[pd.DataFrame],
    labels: Mapping[str, ColumnLabels],
    format: str,
    used: Callable[[str], set[float]],
    note: Callable[[str, str], None],
) -> Written:
    """Return what the files of some datasets contain instead of each code of a missing value.

    Parameters
    ----------
    frames : sequence of DataFrame
        The datasets, with equal columns.
    labels : mapping
        The labels of the columns.
    format : {"csv", "sav", "dta", "parquet"}
        The format of the files.
    used : callable
        Returns the numbers that an SPSS file contains in a column.
    note : callable
        Notes, for a column, what the format cannot hold.
    """
    kinds = [kinds_of(frame)[0] for frame in frames]
    codes = {
        name: _sorted(code for one in kinds if name in one for code in one[name].codes) for name in frames[0].columns
    }
    codes = {name: some for name, some in codes.items() if some}
    form = {name: kind_of_cells(frames[0][name]) for name in codes}
    coded = [name for name in codes if _has_numbers(form[name], format)]
    numbers = {name: used(name) for name in coded}
    shared = _shared(_sorted(code for name in coded for code in codes[name]), set().union(*numbers.values()), format)
    replaced = _replaced(shared)
    found: Written = {}
    for name, some in codes.items():
        entry = labels.get(name, {})
        texts = {word(value) for frame in frames for value in _distinct(frame[name])}
        found[name] = {}
        if name in numbers:
            found[name] = _letters(some, shared) if format == "dta" else _numbers(some, numbers[name], shared, format)
        elif format == "csv":
            stated = entry if form[name] == "category" else {}
            # "" and "NA" can be the marks of missing values without a code.
            found[name] = dict(missing_names_of(stated, some, texts | {"", "NA"}))
            note("holds codes of missing values as ordinary values; declare them with na= when the file is read", name)
        elif form[name] == "category":
            found[name] = dict(missing_names_of(entry, some, texts))
        elif form[name] == "text" and format != "dta" and not texts & set(map(word, some)):
            found[name] = {code: word(code) for code in some if format == "parquet" or _fit_spss(some)}
        if format == "parquet" and found[name]:
            note("holds codes of missing values as ordinary values, which only synthlab reads as missing", name)
        lost = [word(code) for code in some if code not in found[name]]
        if lost:
            note(
                f"cannot hold some codes of missing values in such a column ({', '.join(lost)}); they are merged", name
            )
        own = _replaced(found[name]) if name in numbers else []
        if own:
            stated_as = replaced if set(own) <= set(replaced) else own
            note(f"has other codes of missing values: {', '.join(stated_as)}", name)
    return found


def _sorted(codes: Iterable[Code]) -> list[Code]:
    return sorted(set(codes), key=lambda code: (isinstance(code, str), code))


def _has_numbers(kind: str, format: str) -> bool:
    """Return whether the files contain numbers in a column of this kind."""
    if format == "parquet":
        return kind == "number"
    return format != "csv" and kind in ("number", "category", "bool")


def _replaced(written: Mapping[Code, Any]) -> list[str]:
    return [f"{word(code)} is written as {word(one)}" for code, one in written.items() if word(one) != word(code)]


def _shared(codes: Sequence[Code], used: set[float], format: str) -> dict[Code, Any]:
    """Return what all columns of a file contain instead of a code that the format does not have."""
    if format == "dta":
        tags: dict[Code, Any] = {code: code for code in codes if code in LETTERS}
        free = (letter for letter in LETTERS if letter not in codes)
        return tags | dict(zip([code for code in codes if code not in tags], free, strict=False))
    tagged = [code for code in codes if is_tag(code)]
    lowest = free_numbers(1, [*used, *(code for code in codes if not isinstance(code, str) and math.isfinite(code))])[0]
    return {code: lowest - "abcdefghijklmnopqrstuvwxyz_".index(str(code)[1]) for code in tagged}


def _distinct(series: pd.Series) -> Sequence[Any]:
    levels = isinstance(series.dtype, pd.CategoricalDtype)
    return list(series.cat.categories if levels else series.dropna().unique())


def _fit_spss(codes: Sequence[Code]) -> bool:
    return len(codes) <= SPSS_CODES and all(len(word(code).encode()) <= SPSS_BYTES for code in codes)


def _letters(codes: Sequence[Code], shared: Mapping[Code, Any]) -> dict[Code, Any]:
    """Return a tag from .a to .z for each code; if there are more codes, the other codes are omitted."""
    return {
        code: one
        for code, one in (shared if set(codes) <= shared.keys() else _shared(codes, set(), "dta")).items()
        if code in codes
    }


def _numbers(codes: Sequence[Code], used: set[float], shared: Mapping[Code, Any], format: str) -> dict[Code, Any]:
    """Return a number for each code that is not a number of the column."""
    numbers = free_codes(codes, used, shared)
    if format == "sav" and declared_ranges([*numbers.values()], used) is None:
        # Consecutive numbers below the numbers of the column fit into one range.
        return dict(zip(codes, free_numbers(len(codes), used), strict=True))
    return numbers


def free_codes(
    codes: Sequence[Code], used: Collection[float], shared: Mapping[Code, Any] | None = None
) -> dict[Code, Any]:
    """Return a number for each code: its shared number, or the code itself if it is not a number of the column."""
    numbers: dict[Code, Any] = {code: one for code, one in (shared or {}).items() if code in codes}
    numbers |= {c: c for c in codes if not isinstance(c, str) and c not in used and math.isfinite(c)}
    rest = [code for code in codes if code not in numbers]
    numbers |= dict(zip(rest, free_numbers(len(rest), [*used, *numbers.values()]), strict=True))
    return {code: numbers[code] for code in codes}


def declared_ranges(numbers: Sequence[float], used: set[float]) -> list[list[float]] | None:
    """Return ranges that an SPSS file can declare missing, as pairs; None if they would contain a number in use."""
    if len(numbers) <= SPSS_CODES:
        return [[number, number] for number in sorted(numbers)]
    ordered = sorted(numbers)
    # An SPSS file can declare one range and one single code.
    for alone, rest in (([], ordered), (ordered[:1], ordered[1:]), (ordered[-1:], ordered[:-1])):
        if not any(rest[0] <= number <= rest[-1] for number in used):
            return [[rest[0], rest[-1]], *([number, number] for number in alone)]
    return None


def with_codes(values: pd.Series, kinds: MissingKinds, written: Mapping[Code, Any]) -> pd.Series:
    """Return values in which the codes replace missing values.

    Numbers are whole if all numbers and codes are whole.
    """
    given = {code: one for code, one in written.items() if code in kinds.codes}
    if not given:
        return values
    full: pd.Series
    if isinstance(values.dtype, pd.CategoricalDtype):
        more = [one for one in written.values() if one not in values.cat.categories]
        full = values.cat.add_categories(more)
    elif pd.api.types.is_numeric_dtype(values.dtype) and not pd.api.types.is_bool_dtype(values.dtype):
        whole = _checks.is_whole(values.dtype) and all(float(one).is_integer() for one in given.values())
        full = values.astype("Int64" if whole else "float64")
    else:
        full = values.astype(object)
    full = full.copy()
    for code, one in given.items():
        full[kinds.where(code)] = one
    return full


def tag_stata(data: bytes, cells: Mapping[int, IntArray]) -> bytes:
    """Return a Stata file of version 118 with tagged missing values.

    Parameters
    ----------
    data : bytes
        The file, with little-endian numbers.
    cells : mapping of int to ndarray of int
        For each position of a column with tags, 0 for a cell without a tag, 1 for .a, 2 for .b, ... The tagged cells are
        missing in the file.
    """
    offsets = struct.unpack_from("<14Q", data, data.index(b"<map>") + len("<map>"))
    start = offsets[2] + len("<variable_types>")
    count = (offsets[3] - start - len("</variable_types>")) // 2
    types = struct.unpack_from(f"<{count}H", data, start)
    sizes = [int(np.dtype(STATA_TYPES[t][0]).itemsize) if t in STATA_TYPES else 8 if t == STRL else t for t in types]
    starts = np.cumsum([0, *sizes])
    first = offsets[9] + len("<data>")
    rows = next(len(one) for one in cells.values())
    table = np.frombuffer(bytearray(data), dtype=np.uint8)
    records = table[first : first + rows * int(starts[-1])].reshape(rows, int(starts[-1]))
    for place, letters in cells.items():
        kind, dot, step = STATA_TYPES[types[place]]
        numbers = np.ascontiguousarray(records[:, starts[place] : starts[place + 1]]).view(kind)[:, 0].copy()
        tagged = letters > 0
        numbers[tagged] = (dot + letters[tagged] * step).astype(numbers.dtype)
        records[:, starts[place] : starts[place + 1]] = numbers.view(np.uint8).reshape(rows, -1)
    return table.tobytes()


def tag_numbers(kinds: MissingKinds, written: Mapping[Code, Any]) -> IntArray:
    """Return the number of the letter of each cell: 0 without a tag, 1 for .a, 2 for .b, ..."""
    tags = np.zeros(len(kinds.cells), dtype=np.int64)
    for code in kinds.codes:
        if code in written:
            tags[kinds.where(code)] = LETTERS.index(written[code]) + 1
    return tags


def stata_label_code(code: Any) -> Any:
    """Return the number by which the value labels of Stata name a tagged missing value."""
    return 2_147_483_621 + LETTERS.index(code) + 1 if is_tag(code) else code
