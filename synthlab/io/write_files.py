"""Write data files."""

from __future__ import annotations

import io
import json
import re
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, Literal, NoReturn, TypeAlias

import numpy as np
import pandas as pd

from synthlab import _checks
from synthlab._calls import explains_arguments
from synthlab._system import optional_dependencies
from synthlab._system.atomic_write import write_bytes
from synthlab._typing import FrameLike, PathOrStr
from synthlab._warnings import library_warnings, warn
from synthlab.exceptions import FormatLimitWarning, InputError
from synthlab.io import csv_text
from synthlab.io.column_labels import LABELS, ColumnLabels, labels_of, names_of
from synthlab.io.missing_kinds import Code, MissingKinds, consistent, is_tag, kinds_of, renumbered
from synthlab.io.notation import as_written
from synthlab.io.written_codes import (
    Written,
    codes_written,
    declared_ranges,
    stata_label_code,
    tag_numbers,
    tag_stata,
    with_codes,
)

FileFormat: TypeAlias = Literal["csv", "sav", "dta", "parquet"]
FORMATS: tuple[FileFormat, ...] = ("csv", "sav", "dta", "parquet")
PROGRAM = {"csv": "a CSV file", "sav": "an SPSS file", "dta": "a Stata file", "parquet": "a Parquet file"}
NAME = {  # valid column names
    "sav": re.compile(r"[^\W\d_][\w.$#@]*(?<!\.)|@[\w.$#@]*(?<!\.)"),
    "dta": re.compile(r"[^\W\d]\w*"),
}
RESERVED = {
    "sav": {"ALL", "AND", "BY", "EQ", "GE", "GT", "LE", "LT", "NE", "NOT", "OR", "TO", "WITH"},
    "dta": {
        *(
            "aggregate",
            "alias",
            "array",
            "boolean",
            "break",
            "byte",
            "case",
            "catch",
            "class",
            "colvector",
            "complex",
            "const",
        ),
        *("continue", "default", "delegate", "delete", "do", "double", "else", "eltypedef", "end", "enum", "explicit"),
        *(
            "export",
            "external",
            "float",
            "for",
            "friend",
            "function",
            "global",
            "goto",
            "if",
            "in",
            "inline",
            "int",
            "local",
        ),
        *("long", "pragma", "protected", "quad", "rowvector", "short", "strL", "try", "typedef", "typename", "using"),
        *("virtual", "with", "_all", "_b", "_coef", "_cons", "_n", "_N", "_pi", "_pred", "_rc", "_skip"),
    },
}
NAME_LENGTH = {"sav": (64, "bytes"), "dta": (32, "characters")}
LABEL_LENGTH = {"sav": (256, "bytes"), "dta": (80, "characters")}
VALUE_LABEL_LENGTH = {"sav": (120, "bytes"), "dta": (32_000, "bytes")}
SHORT_TEXT = 2_045  # bytes; Stata stores longer texts apart
TEXT_LENGTH = {"sav": 32_767, "dta": 2**31 - 1}  # bytes
EXACT = 2**53  # larger integers are not exact as a number of SPSS or Stata
STATA_LARGEST = 8.9e307  # larger numbers mean missing
TRUTH = {0: "False", 1: "True"}
SPSS_START = pd.Timestamp("1582-10-15")
DECIMALS = 6  # largest number of decimals that SPSS shows

# How the values of a column are stored: as they are, as text, as 0 and 1, as seconds, as UTC, or as codes of categories.
Stored: TypeAlias = Literal["values", "text", "bool", "seconds", "utc"] | list[int]


@dataclass(frozen=True, slots=True)
class _Column:
    values: pd.Series
    stored: Stored = "values"
    labels: Mapping[Any, str] = field(default_factory=dict)
    missing: list[list[Any]] = field(default_factory=list)  # ranges that an SPSS file declares missing

    @property
    def used(self) -> set[float]:
        """The numbers of the column and its labels; empty for a column of text or dates."""
        if not pd.api.types.is_numeric_dtype(self.values.dtype):
            return set()
        return {*self.values.dropna().unique().tolist(), *self.labels}


@explains_arguments
def write(frame: FrameLike, path: PathOrStr, *, format: FileFormat | None = None) -> Path:
    """Write a CSV, SPSS, Stata or Parquet file with the labels of variables and values.

    Labels are written if the frame was read from a file with labels, or is a synthetic dataset of such a file. SPSS and
    Stata files contain a categorical variable as codes with value labels. The codes are those of the confidential file
    if it had value labels, otherwise 1, 2, ... Other formats than CSV require ``synthlab-sdc[files]``.

    Codes that the confidential file declares missing are written with their labels: as declared missing values in an
    SPSS file, as ``.a`` to ``.z`` in a Stata file, and as ordinary values in CSV and Parquet files. A code that the
    format does not have, such as ``.a`` in an SPSS file, is replaced by another code, which the warning names.

    Parameters
    ----------
    frame : DataFrame or Dataset
        The data. The index is not written.
    path : path
        The file. An existing file is replaced.
    format : {"csv", "sav", "dta", "parquet"}, optional
        File format. By default, the extension of `path`.

    Returns
    -------
    pathlib.Path
        The file.

    Raises
    ------
    InputError
        If the format is unknown, or the file cannot be written; or if the format allows no column of this name, no
        infinite number, no integer above 2**53, no text this long, or no date this early. The message names the column.

    Warns
    -----
    FormatLimitWarning
        If the format cannot hold a part of a column: a time zone, the fraction of a millisecond, a duration, long
        labels, the difference between empty text and a missing value, a code of missing values. The message names the
        column and the part.
    MissingKindWarning
        If the codes of missing values are lost because the rows of the frame were changed after `read`.

    See Also
    --------
    read : read a file. Release.save : write a release in one of these formats.

    Examples
    --------
    >>> from pathlib import Path
    >>> from tempfile import TemporaryDirectory
    >>> import pandas as pd
    >>> import synthlab as sl
    >>> frame = pd.DataFrame({"sex": pd.Categorical(["m", "f", "m"]), "age": [40, 31, 25]})
    >>> with TemporaryDirectory() as folder:
    ...     again = sl.read(sl.write(frame, Path(folder) / "survey.sav"))
    >>> again["sex"].tolist(), again["age"].tolist(), again["age"].dtype
    (['m', 'f', 'm'], [40, 31, 25], dtype('int64'))
    """
    frame = _checks.check_frame(frame, "frame")
    file = _checks.check_path(path, "path")
    if format is None:
        suffix = file.suffix.lower().removeprefix(".")
        if suffix not in FORMATS:
            raise InputError(
                f"path={str(file)!r}: the extension must be .csv, .sav, .dta or .parquet; or name the format with format="
            )
        format = suffix
    check_format(format, frame.columns)
    labels = labels_of(frame)
    frame = renumbered(consistent([frame], "frame")[0])
    notes = Notes()
    written = codes_in_files([frame], format, labels, notes)
    if format == "csv":
        _note_csv(frame, labels, notes)
        kinds = kinds_of(frame)[0]
        table = as_written(frame)
        cells = {name: with_codes(_loose(table[name]), kinds[name], codes) for name, codes in written.items()}
        data = csv_text.table_to_bytes(table.assign(**cells))
    else:
        data, _ = file_bytes(frame, format, labels, notes, written)
    write_bytes(file, data)
    notes.warn(format)
    return file


def _loose(series: pd.Series) -> pd.Series:
    """Return a column to which the texts of codes can be added."""
    return series if isinstance(series.dtype, pd.CategoricalDtype) else series.astype(object)


class Notes:
    """Parts of columns that a file format cannot hold."""

    def __init__(self) -> None:
        self._columns: dict[str, list[str]] = {}

    def add(self, what: str, column: str) -> None:
        """Note that a part of a column is lost."""
        columns = self._columns.setdefault(what, [])
        if column not in columns:
            columns.append(column)

    def warn(self, format: str) -> None:
        """Warn about each part, and name its columns."""
        for what, columns in self._columns.items():
            s = "s" * (len(columns) > 1)
            warn(
                f"column{s} {_checks.shorten(columns, 12)}: {PROGRAM[format]} {what}",
                FormatLimitWarning,
            )


def check_format(format: object, columns: Collection[str]) -> None:
    """Raise an error if a format is unknown, is not installed, or does not allow the names of columns."""
    name = _checks.check_choice(format, "format", FORMATS)
    if name == "parquet":
        optional_dependencies.load("files", "pyarrow", "a Parquet file")
    if name not in NAME:
        return
    if name == "sav":
        optional_dependencies.load("files", "pyreadstat", "an SPSS file")
    most, unit = NAME_LENGTH[name]
    reserved = RESERVED[name]

    def allowed(column: str) -> bool:
        length = len(column.encode()) if unit == "bytes" else len(column)
        word = column.upper() if name == "sav" else column
        return length <= most and NAME[name].fullmatch(column) is not None and word not in reserved

    odd = [column for column in columns if not allowed(column)]
    if odd:
        raise InputError(
            f"format={name!r}: {PROGRAM[name]} does not allow the column name{'s' * (len(odd) > 1)} {_checks.shorten(odd, 12)}; "
            f"use at most {most} {unit}: a letter, then letters, digits and underscores, and no word of the language of the "
            "program; rename the columns, or choose another format"
        )
    if name == "sav":
        seen: dict[str, str] = {}
        for column in columns:
            other = seen.setdefault(column.lower(), column)
            if other != column:
                raise InputError(
                    f"format='sav': the columns {other!r} and {column!r} differ only in capital letters, which SPSS ignores; "
                    "rename one of them, or choose another format"
                )


def codes_in_files(
    frames: Sequence[pd.DataFrame], format: str, labels: Mapping[str, ColumnLabels], notes: Notes
) -> Written:
    """Return what the files of some datasets contain instead of each code of a missing value."""

    def used(name: str) -> set[float]:
        own = Notes()
        return set().union(*(_column(frame[name], labels.get(name, {}), "sav", name, own).used for frame in frames))

    return codes_written(frames, labels, format, used, notes.add)


def file_bytes(
    frame: pd.DataFrame,
    format: str,
    labels: Mapping[str, ColumnLabels],
    notes: Notes,
    written: Written,
) -> tuple[bytes, dict[str, Stored]]:
    """Return a frame as an SPSS, Stata or Parquet file, and how each column is stored.

    `written` is the result of `codes_in_files`. The same frame always gives the same bytes: the file contains no date of
    creation.
    """
    kinds = kinds_of(frame)[0]
    if format == "parquet":
        return _parquet(frame, labels, kinds, written)
    columns = {name: _column(frame[name], labels.get(name, {}), format, name, notes) for name in frame.columns}
    codes = {name: written.get(name, {}) for name in columns}
    if format == "sav":
        columns = {
            name: _declared(column, kinds.get(name), codes[name], labels.get(name, {}), name, notes)
            for name, column in columns.items()
        }
    else:
        columns = {
            name: replace(column, labels={**column.labels, **_missing_labels(labels.get(name, {}), codes[name])})
            for name, column in columns.items()
        }
    table = pd.DataFrame({name: column.values for name, column in columns.items()})
    values = {name: _short_labels(column.labels, format, name, notes) for name, column in columns.items()}
    values = {name: texts for name, texts in values.items() if texts}
    titles = {name: _short(labels.get(name, {}).get("label", ""), LABEL_LENGTH[format]) for name in columns}
    for name, title in titles.items():
        if title != labels.get(name, {}).get("label", ""):
            notes.add(
                f"holds at most {LABEL_LENGTH[format][0]} {LABEL_LENGTH[format][1]} of a variable label; the rest is lost",
                name,
            )
    titles = {name: title for name, title in titles.items() if title}
    if format == "sav":
        data = _spss(table, titles, values, {name: column.missing for name, column in columns.items()})
    else:
        values = {name: {stata_label_code(code): text for code, text in one.items()} for name, one in values.items()}
        data = _stata(table, titles, values)
        tags = {name: tag_numbers(one, codes[name]) for name, one in kinds.items() if codes[name]}
        data = tag_stata(data, {list(table).index(name): one for name, one in tags.items()}) if tags else data
    return data, {name: column.stored for name, column in columns.items()}


def _declared(
    column: _Column,
    kinds: MissingKinds | None,
    codes: Mapping[Code, Any],
    entry: ColumnLabels,
    name: str,
    notes: Notes,
) -> _Column:
    """Return a column of an SPSS file with its codes of missing values, their labels and their declaration."""
    text = column.stored == "text"
    numbers = pd.api.types.is_numeric_dtype(column.values.dtype)
    used = set(column.values.dropna()) if text else column.used
    source = [pair for pair in entry.get("missing", []) if all(isinstance(end, str) == text for end in pair)]
    source = source if text or numbers else []
    if any(low <= value <= high for low, high in source for value in used):
        notes.add("would make values of the column missing that are declared missing; the declaration is lost", name)
        source = []
    found = [*codes.values()]
    if not all(any(low <= one <= high for low, high in source) for one in found):
        source = [[one, one] for one in found] if text else declared_ranges(found, used) or []
    values = column.values
    if kinds is not None and codes:
        values = with_codes(values, kinds, codes)
        values = values.astype("int64") if values.dtype == "Int64" and values.notna().all() else values
    return replace(column, values=values, labels={**column.labels, **_missing_labels(entry, codes)}, missing=source)


def _missing_labels(entry: ColumnLabels, codes: Mapping[Code, Any]) -> dict[Any, str]:
    labels = dict(entry.get("missing_values", []))
    return {one: labels[code] for code, one in codes.items() if code in labels}


def _column(series: pd.Series, entry: ColumnLabels, format: str, name: str, notes: Notes) -> _Column:
    """Return a column with values that SPSS and Stata files can hold."""
    if isinstance(series.dtype, pd.CategoricalDtype):
        categories = _checks.categories_of(series)
        if _checks.kind_of(categories) in ("number", "date", "time span"):
            loose = series.astype(categories.dtype if series.notna().all() else object)
            whole = categories.dtype.kind in "iu"
            loose = loose.astype("Int64") if whole else loose.astype(categories.dtype)
            return _column(loose, entry, format, name, notes)
        return _coded(series, categories.astype(str).tolist(), entry)
    if pd.api.types.is_bool_dtype(series.dtype):
        return _Column(series.astype("boolean").astype("Int64"), "bool", TRUTH)
    kind = _checks.kind_of(series)
    if kind == "datetime.date":
        series, kind = pd.to_datetime(series), "date"
    if kind == "bool":  # of objects
        return _Column(series.astype("boolean").astype("Int64"), "bool", TRUTH)
    if kind == "number":
        series = series.astype(float) if series.dtype == object else series
        return _Column(_numbers(series, format, name), "values", _number_labels(entry))
    if pd.api.types.is_timedelta64_dtype(series.dtype):
        notes.add("holds no durations; they are written as numbers of seconds", name)
        return _Column(series.dt.total_seconds(), "seconds")
    if kind == "date" and pd.api.types.is_datetime64_any_dtype(series.dtype):
        return _dates(series, format, name, notes)
    if kind not in ("text", "nothing"):
        notes.add(f"holds no {kind} values; they are written as text", name)
    texts = series.astype(object).where(series.notna(), None).map(str, na_action="ignore")
    present = texts.dropna()
    if present.str.endswith(" ").any() and format == "sav":
        notes.add("does not keep blanks at the end of a text", name)
    if (present == "").any():
        notes.add("does not distinguish empty text from a missing value", name)
    if present.str.contains("\0", regex=False).any():
        _refuse(name, format, "text with the character NUL")
    if _longest(present) > TEXT_LENGTH[format]:
        _refuse(name, format, f"text of more than {TEXT_LENGTH[format]:,} bytes")
    return _Column(texts, "text")


def _longest(texts: pd.Series) -> int:
    """Return the length of the longest text in bytes."""
    return max((len(text.encode("utf-8", errors="replace")) for text in texts), default=0)


def _coded(series: pd.Series, names: Sequence[str], entry: ColumnLabels) -> _Column:
    """Return a categorical column as codes with labels."""
    known = {text: code for code, text in names_of(entry).items() if isinstance(code, int)}
    if not set(names) <= known.keys():
        known = {text: code for code, text in enumerate(names, start=1)}
    codes = [known[name] for name in names]
    values = pd.Series(pd.array([*codes, pd.NA], dtype="Int64")[series.cat.codes.to_numpy()])
    original = dict(entry.get("values", []))
    return _Column(
        values, codes, {code: original.get(code, text) if code in original else text for text, code in known.items()}
    )


def _number_labels(entry: ColumnLabels) -> dict[Any, str]:
    return {code: text for code, text in entry.get("values", []) if not isinstance(code, str)}


def _numbers(series: pd.Series, format: str, name: str) -> pd.Series:
    values = series.dropna()
    if pd.api.types.is_integer_dtype(series.dtype):
        if len(values) and (int(values.max()) > EXACT or int(values.min()) < -EXACT):
            _refuse(name, format, "integers above 2**53")
        return series.astype("int64") if len(values) == len(series) else series.astype("Int64")
    numbers = values.to_numpy(dtype=float)
    if np.isinf(numbers).any():
        _refuse(name, format, "infinite numbers")
    if format == "dta" and (np.abs(numbers) > STATA_LARGEST).any():
        _refuse(name, format, "numbers above 8.9e307")
    return pd.Series(series.to_numpy(dtype=float, na_value=np.nan))


def _dates(series: pd.Series, format: str, name: str, notes: Notes) -> _Column:
    stored: Stored = "values"
    if isinstance(series.dtype, pd.DatetimeTZDtype):
        notes.add("holds no time zone; the times are written in UTC", name)
        series, stored = series.dt.tz_convert("UTC").dt.tz_localize(None), "utc"
    rounded = series.dt.floor("ms")
    if (rounded != series)[series.notna()].any():
        notes.add("holds no fractions of a millisecond; they are cut off", name)
    if format == "sav" and (rounded < SPSS_START).any():
        _refuse(name, format, "dates before 1582-10-15")
    return _Column(rounded, stored)


def _refuse(column: str, format: str, what: str) -> NoReturn:
    raise InputError(
        f"column {column!r}: {PROGRAM[format]} cannot hold {what}; change the values, or choose another format"
    )


def _short(text: str, limit: tuple[int, str]) -> str:
    most, unit = limit
    return text[:most] if unit == "characters" else text.encode()[:most].decode(errors="ignore")


def _short_labels(labels: Mapping[Any, str], format: str, name: str, notes: Notes) -> dict[Any, str]:
    limit = VALUE_LABEL_LENGTH[format]
    short = {code: _short(text, limit) for code, text in labels.items()}
    if short != dict(labels):
        notes.add(f"holds at most {limit[0]:,} {limit[1]} of a value label; the rest is lost", name)
    if format == "dta" and any(not isinstance(code, int) and not is_tag(code) for code in short):
        notes.add("holds only labels of whole numbers; the other labels are lost", name)
        short = {code: text for code, text in short.items() if isinstance(code, int) or is_tag(code)}
    return short


def _is_days(values: pd.Series) -> bool:
    present = values.dropna()
    return bool((present == present.dt.normalize()).all())


def _spss(
    table: pd.DataFrame,
    titles: dict[str, str],
    values: dict[str, dict[Any, str]],
    ranges: Mapping[str, list[list[Any]]],
) -> bytes:
    pyreadstat = optional_dependencies.load("files", "pyreadstat", "an SPSS file")
    formats, missing = {}, {}
    for name, column in table.items():
        if column.dtype.kind == "M":
            formats[name] = "DATE11" if _is_days(column) else "DATETIME23.3"
        elif pd.api.types.is_numeric_dtype(column.dtype):
            formats[name] = _number_format(column)
        if ranges.get(str(name)):
            missing[name] = [low if low == high else {"lo": low, "hi": high} for low, high in ranges[str(name)]]
    with TemporaryDirectory() as folder:
        file = Path(folder) / "data.sav"
        pyreadstat.write_sav(
            table,
            file,
            column_labels=titles,
            variable_value_labels=values,
            missing_ranges=missing,
            variable_format=formats,
        )
        data = file.read_bytes()
    # The header states the time of creation: the same data would have another digest in every second.
    return data[:92] + b"01 Jan 7000:00:00" + data[109:]


def _number_format(column: pd.Series) -> str:
    """Return the format with which SPSS shows a column: no decimals for integers."""
    present = column.dropna()
    if pd.api.types.is_integer_dtype(column.dtype):
        width = max((len(str(value)) for value in (present.min(), present.max())), default=1) if len(present) else 1
        return f"F{max(8, width)}.0"
    numbers = present.to_numpy(dtype=float)
    decimals = next((d for d in range(1, DECIMALS) if np.array_equal(np.round(numbers, d), numbers)), DECIMALS)
    width = len(f"{np.abs(numbers).max(initial=0):.0f}") + decimals + 2
    return f"F{min(40, max(8, width))}.{decimals}"


def _stata(table: pd.DataFrame, titles: dict[str, str], values: dict[str, dict[Any, str]]) -> bytes:
    buffer = io.BytesIO()
    texts = [
        name for name in table if not pd.api.types.is_numeric_dtype(table[name].dtype) and table[name].dtype.kind != "M"
    ]
    long = [name for name in texts if _longest(table[name].dropna()) > SHORT_TEXT]
    dates: dict[Any, Any] = {
        name: "td" if _is_days(table[name]) else "tc" for name in table if table[name].dtype.kind == "M"
    }
    with library_warnings("ignore"):  # about integers above 2**31, which are written as numbers without loss
        table.assign(**{str(name): table[name].fillna("") for name in texts}).to_stata(
            buffer,
            convert_dates=dates,
            write_index=False,
            version=118,
            byteorder="little",
            variable_labels=titles,
            value_labels=values,
            convert_strl=long,
            time_stamp=pd.Timestamp("1970-01-01").to_pydatetime(),
        )
    return buffer.getvalue()


def _parquet(
    frame: pd.DataFrame,
    labels: Mapping[str, ColumnLabels],
    kinds: Mapping[str, MissingKinds],
    written: Written,
) -> tuple[bytes, dict[str, Stored]]:
    pyarrow = optional_dependencies.load("files", "pyarrow", "a Parquet file")
    parquet = optional_dependencies.load("files", "pyarrow.parquet", "a Parquet file")
    cells = {name: with_codes(frame[name], one, written.get(name, {})) for name, one in kinds.items()}
    plain = frame.assign(**cells).reset_index(drop=True)
    plain.attrs = {}  # they would be written, and might describe the confidential file
    try:
        table = pyarrow.Table.from_pandas(plain, preserve_index=False)
    except (pyarrow.ArrowException, TypeError, ValueError) as error:
        odd = next((name for name in frame if not _is_arrow(pyarrow, plain[[name]])), "")
        raise InputError(
            f"column {odd!r}: a Parquet file cannot hold values of different types ({type(error).__name__}); convert them to "
            "numbers, text, bools or dates"
        ) from None
    stated = {name: [[code, one] for code, one in codes.items()] for name, codes in written.items() if codes}
    labels = {**labels, **{name: {**labels.get(name, {}), "written_missing": one} for name, one in stated.items()}}
    if labels:
        table = table.replace_schema_metadata(
            {**(table.schema.metadata or {}), LABELS.encode(): json.dumps(labels).encode()}
        )
    buffer = io.BytesIO()
    parquet.write_table(table, buffer)
    return buffer.getvalue(), {name: "text" if frame[name].dtype == object else "values" for name in frame.columns}


def _is_arrow(pyarrow: Any, frame: pd.DataFrame) -> bool:
    try:
        pyarrow.Table.from_pandas(frame, preserve_index=False)
    except (pyarrow.ArrowException, TypeError, ValueError):
        return False
    return True


def _note_csv(frame: pd.DataFrame, labels: Mapping[str, ColumnLabels], notes: Notes) -> None:
    for name in frame.columns:
        series = frame[name]
        if labels.get(name, {}).get("label"):
            notes.add("holds no variable labels; they are lost", name)
        if labels.get(name, {}).get("values"):
            categorical = isinstance(series.dtype, pd.CategoricalDtype)
            notes.add("holds labels without their codes" if categorical else "holds codes without their labels", name)
        if pd.api.types.is_timedelta64_dtype(series.dtype):
            notes.add("holds durations only as text", name)
        if (series.dtype == object or isinstance(series.dtype, pd.StringDtype)) and (series == "").any():
            notes.add("does not distinguish empty text from a missing value", name)
