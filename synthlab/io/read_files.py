"""Read data files."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any, TypedDict, Unpack

import pandas as pd

from synthlab import _checks
from synthlab._calls import explains_arguments
from synthlab._typing import FrameLike, PathOrStr
from synthlab.exceptions import DtypeMismatchError, InputError
from synthlab.io import csv_files, format_detection, harmonize_dtypes, header, read_options as _rules, tables
from synthlab.io.column_labels import LABELS, as_entry_of, labels_of, missing_names_of
from synthlab.io.column_warnings import Notes
from synthlab.io.date_formats import FORMATS
from synthlab.io.format_detection import Place
from synthlab.io.labelled_values import Column, Stated, Untyped, word
from synthlab.io.missing_kinds import attach, kinds_of
from synthlab.io.notation import NOTATIONS
from synthlab.io.read_options import Rules
from synthlab.io.written_codes import kind_of_cells

NOTE = "synthlab_file"  # key in the attrs of a frame


class FileOptions(TypedDict, total=False):
    """Options of `read` that describe a file."""

    na: str | float | Sequence[str | float] | Mapping[str | None, Any]
    text: str | Sequence[str]
    delimiter: str | None
    encoding: str | None
    decimal: str | None
    table: str | None
    dates: Mapping[str, str | None] | None


@explains_arguments
def read(
    path: PathOrStr,
    *,
    na: str | float | Sequence[str | float] | Mapping[str | None, Any] = (),
    text: str | Sequence[str] = (),
    delimiter: str | None = None,
    encoding: str | None = None,
    decimal: str | None = None,
    table: str | None = None,
    dates: Mapping[str, str | None] | None = None,
    like: FrameLike | None = None,
) -> pd.DataFrame:
    r"""Read a CSV, Excel, Parquet, Stata, SPSS, SAS, RDS or RData file.

    The format is detected from the content. If the file extension belongs to another format, an error is raised. The
    delimiter, encoding and decimal mark of CSV files are detected. Other formats require ``synthlab-sdc[files]``.

    Parameters
    ----------
    path : path
        The file, or a pipe into which another program writes. Files compressed by gzip, bzip2 or xz are decompressed.
    na : text, number, list of them, or mapping, optional
        Codes of missing values in all columns, such as ``["NA", -9]`` or ``"NA,-9"``, or of single columns, such as
        ``{"income": [-9, "NA"]}`` or ``"income=-9,NA"``; the key None of a mapping means all columns. By default, only
        empty cells count as missing; "None" and "NA" are read as text. In a CSV file with quoted column names or a
        quoted "NA", as R writes it, an NA without quotes is missing and a quoted "NA" is text. Values that an SPSS file
        declares missing, the values ``.``, ``.a``, ..., ``.z`` of Stata and SAS, empty text in the files of these three
        programs, and NA in files of R are always missing.
    text : str or list of str, optional
        Columns to read as text, such as ``"id,county"``, so that 01 and 1 are different values. A column of a CSV file
        is always text if one of its values has leading zeros.
    delimiter : str, optional
        Delimiter of CSV files: one character, or comma, semicolon, tab, blank or bar. By default, the delimiter among
        ``, ; tab |`` that separates all records into the same number of values.
    encoding : str, optional
        Encoding of CSV files, or of old Stata, SPSS or SAS files: "utf-8", "cp1252", "latin-1" or another. By default,
        the encoding that the file declares; a CSV file without a declaration is UTF-8 if possible, else Windows-1252 or
        Latin-1.
    decimal : {".", ","}, optional
        Decimal mark of CSV files. By default, a comma if the delimiter is a semicolon and a column holds only numbers
        with a comma.
    table : str, optional
        Sheet of an Excel workbook, or data frame of an RData file. Required if there are several.
    dates : mapping of str to str, optional
        Formats of columns of dates, such as ``{"visit": "%d/%m/%Y"}``, with the directives of `datetime.strptime`;
        "none" or None for a column that is not a date. By default, texts in a usual format are dates if all cells of
        the column have this format: year-month-day with or without a time and a time zone, days and months in either
        order, or English names of months. If each cell could have the day or the month first, the day is first. Two
        digits of a year mean 1969 to 1999, or 2000 to 2068. Whole numbers are dates yyyymmdd if there are at least 5
        distinct ones and all are dates from 1900 to 2100. A time of day such as 10:30 stays text.
    like : DataFrame or Dataset, optional
        Reference data, such as the confidential data. Columns with the same name get the types of the reference data,
        so that values are comparable between the files. Codes that the reference data declare missing are also missing.

    Returns
    -------
    pandas.DataFrame
        Columns of numbers, bools, text, dates and categories. Numbers with a percent sign, a currency, separators of
        thousands or a typographic minus are read as numbers; 12.5% is 12.5. A column whose codes all have value labels
        becomes categorical, with the labels in the order of the codes. If only some codes have labels, it remains
        numeric. Times of day and durations become time spans; dates and times with a time zone keep it. A
        first column of row names, as R and pandas write it, is omitted. ``frame.attrs["synthlab_file"]`` describes how
        the file was read, ``frame.attrs["synthlab_dates"]`` contains the formats of dates, in which a release of these
        data is written, and ``frame.attrs["synthlab_labels"]`` the labels of variables and values. Codes that SPSS,
        Stata, SAS and R files declare missing are missing values of the frame. Their kinds (which cell has which code)
        are kept in ``frame.attrs["synthlab_missing"]`` by row label, so that `synthesize` and `write` use them. They
        are kept for a selection of rows, but not after ``reset_index`` of a selection.

    Raises
    ------
    InputError
        If the file does not exist, has another format than its name, or is damaged, encrypted or cut off; if a record
        has more or fewer values than there are columns; if the file contains several tables and none was chosen; if
        an option does not apply to the format; if a column mixes two formats of dates; or if the file changed while it
        was read. Messages never show values.
    DtypeMismatchError
        If a column cannot have the type of the column in `like`.

    Warns
    -----
    ColumnTypeWarning
        If a column of numbers is text because of one or two words in it, such as NA; if its points might separate
        thousands; if texts with a percent sign, a currency or separators of thousands are read as numbers, or numbers
        yyyymmdd as dates; if the order of day and month is ambiguous; if a column of dates is text because some cells
        are not dates; if texts differ only in blanks or case; if labels differ from the labels in `like`; if the first
        records of a CSV file or a workbook look like more lines of column names; if a workbook does not store the
        results of formulas, whose cells are then missing; or if the class of an R vector is unknown.
    UndeclaredCodeWarning
        If a column contains a number such as -9 or 999998, or a date such as 9999-12-31, that occurs several times, is
        far from all other values, and is not declared in `na`.
    NumberPrecisionWarning
        If finite numbers are too large for a 64-bit number and become infinite, or if integers are rounded. A column
        that contains only integers, some of them too large for 64 bits, is read as text.
    IncompleteLastLineWarning
        If the last line of a CSV file has no line end, so that its last value might be cut off. Many complete files end
        this way.

    Notes
    -----
    The unpacked content of a file must not exceed an eighth of the memory. The content of a compressed file
    is also limited to 100 times its size or 100 MB, whichever is larger; for the values of a Parquet, SPSS or SAS file,
    the factor is 1,000. If a file that you trust exceeds a limit, set the environment variable ``SYNTHLAB_MAX_READ_MB``
    to a larger number of MB.

    Examples
    --------
    >>> from pathlib import Path
    >>> from tempfile import TemporaryDirectory
    >>> import synthlab as sl
    >>> with TemporaryDirectory() as folder:
    ...     file = Path(folder) / "survey.csv"
    ...     _ = file.write_text("county;answer;income\n01;None;1200,5\n02;NA;-9\n")
    ...     frame = sl.read(file, na=[-9])
    >>> frame["county"].tolist(), frame["answer"].tolist(), frame["income"].tolist()
    (['01', '02'], ['None', 'NA'], [1200.5, nan])
    >>> frame.attrs["synthlab_file"]
    'CSV, delimiter semicolon, UTF-8, decimal comma'
    """
    rules = _rules.check(na, text, delimiter, encoding, decimal, table, dates)
    model = None if like is None else _checks.check_frame(like, "like")
    return _read(Place("path", _checks.check_path(path, "path")), rules, model, strict=True)


def read_file(
    path: PathOrStr,
    name: str,
    like: pd.DataFrame | None = None,
    *,
    or_own_type: bool = False,
    missing_codes: Mapping[str, Sequence[float]] | None = None,
    **options: Unpack[FileOptions],
) -> pd.DataFrame:
    """Read a file; ignore options that do not apply to its format.

    `name` names the file's argument in messages.

    With `or_own_type`, a column that cannot have the type of the column in `like` keeps its own type. Values in
    `missing_codes` are kept and are not reported as undeclared codes.
    """
    given: FileOptions = {
        "na": (),
        "text": (),
        "delimiter": None,
        "encoding": None,
        "decimal": None,
        "table": None,
        "dates": None,
    }
    rules = _rules.check(**{**given, **options})
    place = Place(name, _checks.check_path(path, name))
    return _read(place, rules, like, strict=False, or_own_type=or_own_type, missing_codes=missing_codes)


def read_columns(data: bytes, file: Path) -> dict[str, Stated]:
    """Return the columns of an SPSS, Stata or Parquet file, with codes instead of their labels."""
    at = Place("path", file)
    return tables.read(data, format_detection.recognise(data, at), Rules(), at)[0]


def described(frame: pd.DataFrame) -> str:
    """Return how the file of a frame was read, such as "CSV, delimiter comma, UTF-8"."""
    return str(frame.attrs.get(NOTE, ""))


def _read(
    at: Place,
    rules: Rules,
    like: pd.DataFrame | None,
    *,
    strict: bool,
    or_own_type: bool = False,
    missing_codes: Mapping[str, Sequence[float]] | None = None,
) -> pd.DataFrame:
    data = format_detection.load(at)
    kind = format_detection.recognise(data, at)
    if strict:
        _check_used(rules, kind, at)
    columns: dict[str, Column]
    notes = Notes(at)
    if kind == format_detection.CSV:
        table = csv_files.read(data, rules, at, {} if like is None else {str(name): one for name, one in like.items()})
        columns = {name: Untyped(values, table.decimal) for name, values in table.columns.items()}
        said, notes.thousands = str(table), table.doubtful
        notes.notations |= table.notations
        notes.cut_at = "" if table.complete else [*columns][-1]
    else:
        stated, said = tables.read(data, kind, rules, at)
        for name, column in stated.items():
            if column.values.dtype.kind not in "iufbmM":
                _checks.check_values(pd.Series(column.values, name=name), str(at))
        columns = dict(stated)
        if kind == format_detection.EXCEL:  # a workbook cannot contain infinite numbers, so these overflowed
            notes.infinite += [name for name, column in stated.items() if any(map(_is_infinite, column.values))]
    if kind in (format_detection.CSV, format_detection.EXCEL):
        notes.header = header.second_header({name: column.values for name, column in columns.items()})
    text = _rules.named(rules.text, columns)
    absent = [column for column in text if column not in columns]
    if absent and like is None:
        raise InputError(
            f"text: {_checks.named(absent)} not in {str(at.path)!r}, which has {_checks.shorten(columns, 12)}"
        )
    given = [*rules.na.columns, *rules.dates]
    absent = [column for column in given if column not in columns]
    if absent and like is None:
        option = "na" if absent[0] in rules.na.columns else "dates"
        raise InputError(
            f"{option}: {_checks.named(absent)} not in {str(at.path)!r}, which has {_checks.shorten(columns, 12)}"
        )
    models = {} if like is None else {str(name): one for name, one in like.items()}
    if like is not None:
        rules = replace(rules, na=rules.na.with_columns(_declared_codes(like)))

    def typed(name: str, column: Column) -> pd.Series:
        try:
            return harmonize_dtypes.harmonize_column(column, rules, name, notes, name in text, models.get(name))
        except DtypeMismatchError:
            if not or_own_type:
                raise
            return harmonize_dtypes.harmonize_column(column, rules, name, notes, name in text, None)

    frame = pd.DataFrame({name: typed(name, column) for name, column in columns.items()})
    if like is None:
        notes.add_codes(frame, missing_codes or {})
    notes.warn()
    frame.attrs[NOTE] = said
    if notes.dates:
        frame.attrs[FORMATS] = {name: form for name, form in notes.dates.items() if name in frame}
    if notes.notations:
        frame.attrs[NOTATIONS] = {name: one for name, one in notes.notations.items() if name in frame}
    labels = {name: as_entry_of(column) for name, column in columns.items() if isinstance(column, Stated)}
    if any(labels.values()):
        frame.attrs[LABELS] = {name: entry for name, entry in labels.items() if entry}
    kinds = {name: column.kinds for name, column in columns.items() if isinstance(column, Stated)}
    attach(frame, {name: one and one.among(frame[name].isna().to_numpy()) for name, one in kinds.items()})
    return _checks.check_frame(frame, str(at))


def _declared_codes(like: pd.DataFrame) -> dict[str, _rules.Codes]:
    """Return the codes that the reference data declare missing, and their labels, as a CSV file contains them."""
    labels, found = labels_of(like), {}
    for name, one in kinds_of(like)[0].items():
        texts = set(like[name].dropna().unique()) if kind_of_cells(like[name]) in ("category", "text") else set()
        codes = [code for code in one.codes if word(code) not in texts]
        words = {word(code) for code in codes} | set(missing_names_of(labels.get(name, {}), one.codes, texts).values())
        found[name] = _rules.Codes(
            frozenset(words), frozenset(float(code) for code in codes if not isinstance(code, str))
        )
    return found


def _is_infinite(value: object) -> bool:
    return isinstance(value, float) and math.isinf(value)


def _check_used(rules: Rules, kind: str, at: Place) -> None:
    """Raise an error if an option does not apply to the format of the file."""
    only = {
        "delimiter": (format_detection.CSV,),
        "decimal": (format_detection.CSV,),
        "table": (format_detection.EXCEL, format_detection.R),
        "encoding": (
            format_detection.CSV,
            format_detection.STATA,
            format_detection.SPSS,
            format_detection.SAS,
            format_detection.TRANSPORT,
        ),
    }
    for option, kinds in only.items():
        if getattr(rules, option) is not None and kind not in kinds:
            raise InputError(
                f"{option} does not apply to {str(at.path)!r}, which is {format_detection.WHAT[kind]}; omit it"
            )
