"""Reading of Excel, Parquet, Stata, SPSS and SAS files."""

from __future__ import annotations

import io
import json
import re
import zipfile
from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import pandas as pd

from synthlab import _checks
from synthlab._system import optional_dependencies
from synthlab._warnings import warn
from synthlab.exceptions import ColumnTypeWarning, ExtraUnavailableError, InputError
from synthlab.io import format_detection, header, r_files
from synthlab.io.column_labels import LABELS, ColumnLabels, as_entry, checked
from synthlab.io.dates_from_numbers import converted, kind_of_format
from synthlab.io.expansion import CODED, PACKED, Expansion
from synthlab.io.format_detection import Place
from synthlab.io.labelled_values import Stated, word
from synthlab.io.missing_kinds import MissingKinds, without_missing_codes
from synthlab.io.read_options import Rules
from synthlab.io.write_files import EXACT, TRUTH

EXCEL_ROWS = 2**20  # largest number of rows of a sheet
VALUE = 8  # bytes
BATCH = 16_384  # records
_WORDS = re.compile(r"[A-Za-z][A-Za-z ,.;:()_-]{,150}")  # no digits and no quotation marks
TRUE = {0: False, 1: True}
WHOLE = re.compile(r"F[0-9]+(\.0)?")  # format of SPSS for integers
READERS = {
    format_detection.STATA: "read_dta",
    format_detection.SPSS: "read_sav",
    format_detection.PORTABLE: "read_por",
    format_detection.SAS: "read_sas7bdat",
    format_detection.TRANSPORT: "read_xport",
}

PROGRAMS = {
    format_detection.STATA: "Stata",
    **dict.fromkeys((format_detection.SPSS, format_detection.PORTABLE), "SPSS"),
    **dict.fromkeys((format_detection.SAS, format_detection.TRANSPORT), "SAS"),
}


def read(data: bytes, kind: str, rules: Rules, at: Place) -> tuple[dict[str, Stated], str]:
    """Return the columns of a file with types, and a description of how it was read."""
    try:
        if kind == format_detection.EXCEL:
            return _excel(data, rules, at)
        if kind == format_detection.R:
            return r_files.read(data, rules, at)
        return (_parquet(data, at), kind) if kind == format_detection.PARQUET else _statistical(data, kind, rules, at)
    except (InputError, ExtraUnavailableError):
        raise
    except Exception as error:  # noqa: BLE001
        raise InputError(
            f"{at.cannot}: it is {format_detection.WHAT[kind]}, but it could not be read ({_described(error)}); either it "
            f"{format_detection.DAMAGED}, or it has a password or an unsupported part; save it again, or export it as CSV"
        ) from None


def _described(error: Exception) -> str:
    """Return the type of an error of another library, and its message if it cannot contain values."""
    message = str(error).strip()
    return type(error).__name__ + (f": {message.rstrip('.')}" if _WORDS.fullmatch(message) else "")


def _excel(data: bytes, rules: Rules, at: Place) -> tuple[dict[str, Stated], str]:
    openpyxl = optional_dependencies.load("files", "openpyxl", "an Excel workbook")
    book = openpyxl.load_workbook(io.BytesIO(data), read_only=True, data_only=True)
    sheets: dict[str, dict[int, tuple[Any, ...]]] = {}
    expansion = Expansion(at.cannot, len(data), PACKED)
    for sheet in book.worksheets:
        sheet.reset_dimensions()  # some programs write wrong dimensions
        rows = {}
        for number, row in enumerate(sheet.iter_rows(values_only=True), start=1):
            if number > EXCEL_ROWS:
                raise InputError(f"{at.cannot}: sheet {sheet.title!r} has a row number above {EXCEL_ROWS:,}")
            if any(cell not in (None, "") for cell in row):
                rows[number] = row
            # A text that several cells share is stored only once in the file.
            expansion.add(VALUE * len(row) + sum(len(cell) for cell in row if isinstance(cell, str)))
        if rows:
            sheets[sheet.title] = rows
    chosen = format_detection.choose(sheets, rules.table, "sheet", at)
    first, *records = sheets[chosen].values()
    width = max(map(len, sheets[chosen].values()))
    if not records:
        raise InputError(f"{at.cannot}: sheet {chosen!r} has a line of column names but no records")
    names = ["" if cell is None else word(cell) for cell in (*first, *[None] * (width - len(first)))]
    cells = [
        [row[place] if place < len(row) and row[place] != "" else None for row in records] for place in range(width)
    ]
    columns, row_names = header.named(names, [pd.Series(column, dtype=object) for column in cells], at)
    _warn_of_formulas(data, chosen, sheets[chosen], dict(enumerate(names)), at)
    said = f"Excel, sheet {chosen!r}" + ", first column left out: row names" * row_names
    return {name: Stated(column) for name, column in columns.items()}, said


def _warn_of_formulas(
    data: bytes, sheet: str, rows: Mapping[int, Sequence[Any]], names: Mapping[int, str], at: Place
) -> None:
    """Warn if a workbook does not store the results of formulas, so that their cells are read as empty."""
    with zipfile.ZipFile(io.BytesIO(data)) as parts:
        sheets = [part for part in parts.namelist() if part.startswith("xl/worksheets/")]
        if not any(re.search(rb"<(\w+:)?f[ >/]", parts.read(part)) for part in sheets):
            return
    openpyxl = optional_dependencies.load("files", "openpyxl", "an Excel workbook")
    formulas = openpyxl.load_workbook(io.BytesIO(data), read_only=True, data_only=False)[sheet]
    formulas.reset_dimensions()
    lost: Counter[int] = Counter()
    for number, cells in enumerate(formulas.iter_rows(), start=1):
        results = rows.get(number, ())
        lost.update(
            place
            for place, cell in enumerate(cells)
            if cell.data_type == "f" and (place >= len(results) or results[place] is None)
        )
    found = [f"{names.get(place) or f'Unnamed: {place}'!r} ({count:,} cells)" for place, count in sorted(lost.items())]
    if found:
        warn(
            f"{at}: formulas without a stored result are read as missing in column{'s' * (len(found) > 1)} "
            f"{', '.join(found[:12])}{', ...' * (len(found) > 12)}; open the workbook in Excel or LibreOffice, which "
            "computes them, and save it",
            ColumnTypeWarning,
        )


def _parquet(data: bytes, at: Place) -> dict[str, Stated]:
    pyarrow = optional_dependencies.load("files", "pyarrow", "a Parquet file")
    parquet = optional_dependencies.load("files", "pyarrow.parquet", "a Parquet file")
    file = parquet.ParquetFile(pyarrow.BufferReader(data))
    groups = [file.metadata.row_group(place) for place in range(file.num_row_groups)]
    Expansion(at.cannot, len(data), PACKED).add(sum(group.total_byte_size for group in groups))
    Expansion(at.cannot, len(data)).add(VALUE * file.metadata.num_rows * file.metadata.num_columns)
    # A text that several cells share is stored only once, so the values must be read to know the size of the columns.
    expansion, batches = Expansion(at.cannot, len(data), CODED), []
    for batch in file.iter_batches(BATCH):
        expansion.add(batch.nbytes)
        batches.append(batch)
    table = pyarrow.Table.from_batches(batches, file.schema_arrow)
    frame: pd.DataFrame = table.to_pandas(integer_object_nulls=True)
    labels = _parquet_labels((file.schema_arrow.metadata or {}).get(LABELS.encode()), frame)
    named = [name for name in frame.index.names if name is not None]
    frame = frame.reset_index(level=named).reset_index(drop=True) if named else frame.reset_index(drop=True)
    twice = [name for name, count in Counter(map(str, frame.columns)).items() if count > 1]
    if twice:
        raise InputError(f"{at}: column names must be unique; these names occur twice: {_checks.shorten(twice)}")
    return {str(name): _with_kinds(column, labels.get(str(name))) for name, column in frame.items()}


def _with_kinds(values: pd.Series, labels: ColumnLabels | None) -> Stated:
    """Return a column of a Parquet file in which the codes of missing values are missing."""
    if not labels or "written_missing" not in labels:
        return Stated(values, all_labels=labels)
    codes = {value: code for code, value in labels["written_missing"]}
    given = [codes.get(value) if gone else None for value, gone in zip(values, values.isin([*codes]), strict=True)]
    kept = values.mask(np.array([code is not None for code in given]))
    if isinstance(values.dtype, pd.CategoricalDtype):
        kept = kept.cat.remove_categories([value for value in codes if value in kept.cat.categories])
    rest = {key: value for key, value in labels.items() if key != "written_missing"}
    return Stated(kept, all_labels=rest, kinds=MissingKinds.of(given, kept.isna().to_numpy()))


def _parquet_labels(text: bytes | None, frame: pd.DataFrame) -> dict[str, ColumnLabels]:
    try:
        return checked(json.loads(text or b"{}"), map(str, frame.columns))
    except ValueError:  # of another program
        return {}


def _statistical(data: bytes, kind: str, rules: Rules, at: Place) -> tuple[dict[str, Stated], str]:
    pyreadstat = optional_dependencies.load("files", "pyreadstat", format_detection.WHAT[kind])
    # pyreadstat converts only some formats of dates, and loses the days of time spans.
    options: dict[str, Any] = {"disable_datetime_conversion": True}
    if kind != format_detection.PORTABLE and rules.encoding is not None:
        options["encoding"] = rules.encoding
    if kind in (format_detection.SPSS, format_detection.STATA, format_detection.SAS):
        options["user_missing"] = True  # keep the codes of missing values
    reader = getattr(pyreadstat, READERS[kind])
    # pyreadstat allocates memory for the number of records in the header, which can be wrong or unknown.
    _, about = reader(io.BytesIO(data), metadataonly=True, **options)
    record = VALUE * max(1, about.number_columns)
    declared, found = Expansion(at.cannot, len(data), CODED), Expansion(at.cannot, len(data), CODED)
    declared.add(record * max(0, about.number_rows or 0))
    frame, about = reader(io.BytesIO(data), row_limit=found.limit // record + 1, **options)
    found.add(record * len(frame))
    columns = {}
    for name, values in frame.items():
        labels = dict(about.variable_value_labels.get(name, {}))
        ranges = about.missing_ranges.get(name, []) if kind == format_detection.SPSS else []
        letters = set(about.missing_user_values.get(name, ())) if kind != format_detection.SPSS else set()
        tags = {letter: f".{letter.lower()}" for letter in letters}
        kinds, lost = None, {}
        if tags:
            values, kinds = _without_tags(values, tags)
        if values.dtype == object or isinstance(values.dtype, pd.StringDtype):
            values = values.astype(object).where(values.notna() & (values != ""), None).infer_objects()
        text = any(isinstance(value, str) for value in values) if labels or ranges else False
        if ranges:
            gone = {code for code in [*values.dropna().unique(), *labels] if _within(code, ranges)}
            values, kinds = without_missing_codes(values, gone)
            lost = {code: label for code, label in labels.items() if code in gone}
            labels = {code: label for code, label in labels.items() if code not in gone}
        elif not text and kind == format_detection.STATA:  # Stata labels missing values by a letter
            lost = {f".{code.lower()}": label for code, label in labels.items() if isinstance(code, str)}
        labels = {code: label for code, label in labels.items() if isinstance(code, str) == text}
        about_column = as_entry(about.column_names_to_labels.get(name), labels, ranges, lost)
        written_as = about.original_variable_types.get(name) or ""
        counted = kind_of_format(written_as, PROGRAMS[kind])
        if counted is not None and values.dtype.kind in "iuf":
            values = converted(values, counted, at.column(str(name)))
            if values.dtype.kind == "M":  # the programs store fractions of a second as floating-point numbers
                values = values.dt.round("ms")
            labels = {}
        elif labels == TRUTH:
            values, labels = values.map(TRUE).astype("boolean" if values.isna().any() else bool), {}
        elif values.dtype.kind == "f" and WHOLE.fullmatch(written_as):
            whole = kind in (format_detection.SPSS, format_detection.PORTABLE) and (values == np.rint(values)).all()
            values = values.astype(np.int64) if whole and (values.abs() <= EXACT).all() else values
        columns[str(name)] = Stated(values, labels, about_column, kinds)
    encoding = f", {about.file_encoding}" if about.file_encoding else ""
    return columns, kind + encoding


def _without_tags(values: pd.Series, tags: Mapping[str, str]) -> tuple[pd.Series, MissingKinds | None]:
    """Return numbers without letters that mean missing, and the kinds of missing values."""
    tagged = [tags.get(value) if isinstance(value, str) else None for value in values]
    numbers = pd.Series([np.nan if tag else value for tag, value in zip(tagged, values, strict=True)], dtype=np.float64)
    return numbers, MissingKinds.of(tagged, numbers.isna().to_numpy())


def _within(code: Any, ranges: Sequence[Mapping[str, Any]]) -> bool:
    return any(
        isinstance(code, str) == isinstance(r["lo"], str) and r["lo"] <= code <= r["hi"] for r in ranges
    ) and not (isinstance(code, float) and np.isnan(code))
