"""Reading of CSV files, with detection of encoding, delimiter and decimal mark."""

from __future__ import annotations

import csv
import io
import itertools
import re
from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import pandas as pd
from packaging.version import Version

from synthlab import _checks
from synthlab._typing import IntArray
from synthlab._warnings import library_warnings
from synthlab.exceptions import InputError
from synthlab.io import header, type_inference as _cells
from synthlab.io.column_warnings import WORDS
from synthlab.io.csv_text import cells_of_any_length
from synthlab.io.format_detection import Place
from synthlab.io.notation import Notation
from synthlab.io.read_options import DELIMITERS, MARKS, Codes, Rules, named

THOUSANDS = re.compile(r"\s*[+-]?[1-9][0-9]{0,2}\.[0-9]{3}\s*")
NOTED = 1_000  # records from which the notation of numbers is detected
SAMPLED = 500  # records from which the delimiter is detected
DETECTED = (",", ";", "\t", "|")
MARKED = ((b"\xef\xbb\xbf", "utf-8-sig"), (b"\xff\xfe", "utf-16"), (b"\xfe\xff", "utf-16"))
NAMES = {
    "utf-8": "UTF-8",
    "utf-8-sig": "UTF-8 with a byte-order mark",
    "utf-16": "UTF-16",
    "latin-1": "Latin-1",
    "cp1252": "Windows-1252",
}
LINE, RETURN, QUOTE = b'\n\r"'
PREFIX = np.isin(np.arange(256), list(b'"+- \t\v\f\r\n'))  # bytes that can precede the digits of a number in a cell
BOOLS = frozenset().union(*_cells.TRUTH)
DIGITS = np.isin(np.arange(256), list(b"0123456789"))
# The default parser of earlier versions rounds the last digit.
EXACT: dict[str, Any] = {} if Version(pd.__version__) >= Version("3.1") else {"float_precision": "round_trip"}


@dataclass(frozen=True, slots=True)
class Table:
    """Columns of a CSV file, numbers or text, and the detected properties of the file."""

    columns: dict[str, pd.Series]
    delimiter: str
    encoding: str
    decimal: str
    row_names: bool
    doubtful: tuple[str, ...] = ()  # columns whose points might separate thousands
    complete: bool = True  # whether the last line has a line end, or its last value a closing quote
    notations: Mapping[str, Notation] = field(
        default_factory=dict
    )  # of columns of numbers with a decimal or missing cell

    def __str__(self) -> str:
        parts = ["CSV", f"delimiter {_mark(self.delimiter)}", NAMES.get(self.encoding, self.encoding)]
        parts += [f"decimal {MARKS[self.decimal]}"] if self.decimal != "." else []
        parts += ["first column left out: row names"] if self.row_names else []
        return ", ".join(parts)


@dataclass(frozen=True, slots=True)
class _Body:
    """Records of a CSV file without its first line, and the ends of its cells.

    `ends` contains the positions in `codes` where cells end.

    The last byte before the first record, a line end, has the first place.
    """

    data: bytes
    codes: Any  # the bytes of the file
    ends: IntArray
    width: int
    delimiter: str
    na: list[Codes]  # the codes of each column

    def parse(self, columns: Collection[int], text: Collection[int], decimal: str = ".") -> dict[int, pd.Series]:
        """Return some columns; those in `text` as text, the others as pandas infers."""
        # Columns whose parts have different types are objects, and are read again as text.
        with library_warnings("ignore", pd.errors.DtypeWarning):
            frame = pd.read_csv(
                io.BytesIO(self.data),
                sep=self.delimiter,
                header=None,
                names=range(self.width),
                usecols=sorted(columns),
                dtype=dict.fromkeys(text, _cells.TEXT),
                decimal=decimal,
                keep_default_na=False,
                na_values=self._na_values(),  # pandas would also match other spellings of numbers
                skip_blank_lines=False,
                index_col=False,
                encoding="utf-8",
                **EXACT,
            )
        return dict(frame.items())

    def _na_values(self) -> Any:
        if all(codes == self.na[0] for codes in self.na):
            return ["", *self.na[0].texts]
        return {place: ["", *codes.texts] for place, codes in enumerate(self.na)}

    def cells(self, column: int) -> set[str]:
        """Return the distinct texts of a column in up to 1,000 records spread over the file."""
        n = (len(self.ends) - 1) // self.width
        rows = np.unique(np.linspace(0, n - 1, min(n, NOTED)).astype(np.int64)) * self.width + column
        spans = zip(self.ends[rows] + 1, self.ends[rows + 1], strict=True)
        return {self.codes[start:stop].tobytes().decode().strip(' "\r\t') for start, stop in spans} - {""}

    def padded(self) -> set[int]:
        """Return the columns in which a number might have leading zeros."""
        first = self.codes[self.ends[:-1] + 1]
        zeros, prefixed = np.flatnonzero(first == ord("0")), np.flatnonzero(PREFIX[first])
        after_zero = self.codes.take(self.ends[zeros] + 2, mode="clip")
        second, third = (self.codes.take(self.ends[prefixed] + place, mode="clip") for place in (2, 3))
        odd = PREFIX[second] | (second == ord("0")) & DIGITS[third]
        return set(np.unique(np.concatenate([zeros[DIGITS[after_zero]], prefixed[odd]]) % self.width).tolist())


def read(data: bytes, rules: Rules, at: Place, like: Mapping[str, pd.Series]) -> Table:
    """Return the columns of a CSV file, or raise an `InputError` that names the line.

    Columns that are text in `like`, or dates or bools, are read as text.
    """
    data, encoding = _as_utf8(data, rules.encoding, at)
    chosen = rules.delimiter
    if declared := re.match(rb"(?i)sep=([ -~\t])\r?\n", data):  # a line for Excel
        data, chosen = data[declared.end() :], chosen or declared[1].decode()
    complete = data.rstrip(b" \t").endswith((b"\n", b"\r", b'"'))
    if not data.endswith(b"\n"):
        data += b"\n"
    try:
        with cells_of_any_length():
            delimiter = _delimiter(data, chosen, at)
            names, body = _split(data, delimiter, rules, at)
    except csv.Error as error:
        raise InputError(
            f"{at.cannot} as CSV: {error}; quotes inside quoted text must be doubled. Check whether the delimiter is a character "
            f"other than {_mark(chosen or ',')}, and whether the file was cut off"
        ) from None
    text = {*named(rules.text, names)}
    decimal, doubtful = rules.decimal or ".", list[str]()
    text |= {name for name, form in rules.dates.items() if form is not None}
    if rules.decimal is None and (delimiter == ";" or (delimiter in "\t|" and b"," in body.data)):
        decimal, doubtful = _decimal(body, names, text, at, refuse=delimiter == ";")
    if decimal == delimiter:
        raise InputError(
            f'{at}: decimal="," requires another delimiter, but the delimiter of this file is a comma; omit decimal'
        )
    text |= {name for name, column in like.items() if _checks.kind_of(column) not in ("number", "nothing")}
    columns = _columns(body, {place for place, name in enumerate(names) if name in text}, decimal)
    table, row_names = header.named(names, [*columns.values()], at)
    notations = {
        name: Notation.of_numbers([cell for cell in body.cells(place) if _cells.are_numbers([cell], decimal)], decimal)
        for place, name in enumerate(names)
        if columns[place].dtype.kind == "f" and name in table
    }
    return Table(table, delimiter, encoding, decimal, row_names, tuple(doubtful), complete, notations)


def _mark(delimiter: str) -> str:
    return DELIMITERS.get(delimiter, repr(delimiter))


def _as_utf8(data: bytes, chosen: str | None, at: Place) -> tuple[bytes, str]:
    """Return text in UTF-8 without a byte-order mark, and the encoding of the file."""
    marked = next((name for mark, name in MARKED if data.startswith(mark)), None)
    encoding = chosen or marked
    if chosen == "utf-8" and marked == "utf-8-sig":
        encoding = marked
    try:
        text = data.decode(encoding or "utf-8")
    except UnicodeDecodeError as error:
        if encoding is not None:
            line = data[: error.start].count(b"\n") + 1
            raise InputError(
                f"{at.cannot} as CSV: line {line} is not {NAMES.get(encoding, encoding)}; choose another encoding, for example "
                f'encoding="latin-1"{", or omit it" if chosen else ""}'
            ) from None
        encoding = _of_one_byte(data, at)
        text = data.decode(encoding)
    odd = next((c for c in set(text[:100_000]) if c < " " and c not in "\t\n\r\f\v\x1a"), "\0")
    if odd in text:
        raise InputError(
            f"{at.cannot} as CSV: line {text[: text.index(odd)].count(chr(10)) + 1} contains a control character, so the file is not "
            'text; for text in UTF-16, use encoding="utf-16"; other formats are Excel (.xlsx), Parquet, Stata, SPSS, SAS, RDS and RData'
        )
    text = text.rstrip("\x1a")  # end-of-file mark of DOS
    if not text or text.isspace():
        raise InputError(f"{at.cannot} as CSV: the file is empty")
    if encoding in (None, "utf-8"):
        return data.rstrip(b"\x1a"), "utf-8"
    return text.encode(), encoding


def _of_one_byte(data: bytes, at: Place) -> str:
    """Return the encoding of text that is not UTF-8; raise an error if most of it is.

    Text that is mostly UTF-8 was probably cut off.
    """
    lenient = data.decode("utf-8", errors="replace")
    wrong, right = lenient.count("\ufffd"), sum(character > "\x7f" for character in lenient)
    if right - wrong >= wrong:
        line = lenient[: lenient.index("\ufffd")].count("\n") + 1
        raise InputError(
            f"{at.cannot} as CSV: it is UTF-8 except for line {line}; the file might be cut off there, or combine several encodings; "
            'encoding="cp1252" reads it as Windows-1252'
        )
    return "cp1252" if any(0x80 <= byte <= 0x9F for byte in set(data)) else "latin-1"


def _rows(data: bytes, delimiter: str) -> Iterator[list[str]]:
    lines = io.TextIOWrapper(io.BytesIO(data), "utf-8", newline="")
    return csv.reader(lines, delimiter=delimiter, strict=True)


def _widths(data: bytes, delimiter: str) -> list[int]:
    """Return the number of values of each of the first records.

    The list is empty if the delimiter cannot separate them.
    """
    try:
        filled = (row for row in _rows(data, delimiter) if row and not (len(row) == 1 and row[0].isspace()))
        return [len(row) for row in itertools.islice(filled, SAMPLED)]
    except csv.Error:
        return []


def _delimiter(data: bytes, chosen: str | None, at: Place) -> str:
    """Return the delimiter that gives the most values, equally many in all records."""
    widths = {mark: _widths(data, mark) for mark in DETECTED}
    alike = {mark: w[0] for mark, w in widths.items() if len(set(w)) == 1 and w[0] > 1}
    if chosen is not None:
        others = [mark for mark in alike if mark != chosen]
        if others and set(_widths(data, chosen) or [1]) == {1}:
            raise InputError(
                f"{at}: no record has a {_mark(chosen)} between values, but a {_mark(others[0])} separates all records into "
                f"{alike[others[0]]} columns; use delimiter={others[0]!r}, or omit delimiter"
            )
        return chosen
    best = [mark for mark, width in alike.items() if width == max(alike.values())]
    if len(best) > 1:
        raise InputError(
            f"{at}: both a {' and a '.join(map(_mark, best))} separate all records into {alike[best[0]]} columns; choose one: "
            f"delimiter={best[0]!r} or delimiter={best[1]!r}"
        )
    headed = {mark: w[0] for mark, w in widths.items() if w and w[0] > 1}
    return best[0] if best else max(headed, key=lambda mark: headed[mark], default=",")


def _ends(data: bytes, delimiter: str) -> IntArray | None:
    """Return the positions where cells end, or None for irregular quotes or line ends."""
    if not delimiter.isascii():
        return None
    codes = np.frombuffer(data, np.uint8)
    marks = (codes == ord(delimiter)) | (codes == LINE)
    if b'"' not in data and b"\r" not in data:
        return np.flatnonzero(marks)
    places = np.flatnonzero(marks | (codes == QUOTE))
    quotes = codes[places] == QUOTE
    inside = np.bitwise_xor.accumulate(quotes.view(np.uint8)).view(np.bool_)
    quoted = places[quotes]
    opening, closing = quoted[::2], quoted[1::2]
    beside = np.isin(np.arange(256), [ord(delimiter), LINE, RETURN, QUOTE])
    # Index -1 is the last byte, a line end, so a quote at the start of the file counts as regular.
    if inside[-1] or not (beside[codes[opening - 1]].all() and beside[codes[closing + 1]].all()):
        return None
    if b"\r" in data:
        returns = np.flatnonzero(codes == RETURN)
        alone = returns[codes[returns + 1] != LINE]
        # Text before the first mark, and the last mark, are outside of quotes.
        if not inside[np.searchsorted(places, alone) - 1].all():
            return None
    ends: IntArray = places[~(quotes | inside)]
    return ends


def _split(data: bytes, delimiter: str, rules: Rules, at: Place) -> tuple[list[str], _Body]:
    """Return the column names and the records, or raise an error."""
    between = delimiter
    ends = _ends(data, between)
    if ends is None:
        regular, between = io.StringIO(newline=""), ","
        csv.writer(regular).writerows(_rows(data, delimiter))
        data = regular.getvalue().encode()
        ends = _ends(data, between)
    if ends is None:
        raise InputError(f"{at.cannot} as CSV: its quotes or line ends are not valid in a CSV file")
    codes = np.frombuffer(data, np.uint8)
    last = np.flatnonzero(codes[ends] == LINE)  # the last cell of each record
    widths = np.diff(last, prepend=-1)
    stops = ends[last] + 1
    starts = np.concatenate([[0], stops[:-1]])
    short = np.flatnonzero(widths == 1)
    empty = short[[not data[starts[one] : stops[one]].decode().strip() for one in short]] if len(short) else short
    filled = np.delete(np.arange(len(widths)), empty)
    if not len(filled):
        raise InputError(f"{at.cannot} as CSV: the file is empty")
    width = int(widths[filled[0]])
    wrong = filled[widths[filled] != width]
    if len(wrong):
        line = data.count(b"\n", 0, starts[wrong[0]]) + 1
        raise InputError(f"{at}, line {line}: " + _ragged(int(widths[wrong[0]]), width, delimiter))
    if len(filled) == 1:
        raise InputError(f"{at.cannot} as CSV: it has a line of {width} column names but no records")
    gaps = np.flatnonzero(np.diff(filled[1:]) > 1)
    if width == 1 and len(gaps):
        raise InputError(
            f"{at}, line {data.count(bytes([LINE]), 0, stops[filled[1 + gaps[0]]]) + 1} is empty; in a file with one column, an empty "
            'line can be a missing value or no record: write "" for a missing value, and remove other empty lines'
        )
    if len(empty):
        data = b"".join(data[starts[one] : stops[one]] for one in filled)
        codes, ends = np.frombuffer(data, np.uint8), np.asarray(_ends(data, between))
    ends = ends[width - 1 :]
    first, rest = data[: ends[0] + 1], data[ends[0] + 1 :]
    names = next(_rows(first, between))
    # R puts text in quotes, but not NA for a missing value.
    if b"NA" in rest and (b'"NA"' in rest or _all_quoted(first, width)):
        rest, codes, ends = _without_unquoted_na(rest, codes, ends, between)
    return names, _Body(rest, codes, ends, width, between, [rules.na.of(name) for name in names])


def _all_quoted(line: bytes, width: int) -> bool:
    return line.startswith(b'"') and line.count(b'"') >= 2 * width


def _without_unquoted_na(data: bytes, codes: Any, ends: IntArray, delimiter: str) -> tuple[bytes, Any, IntArray]:
    """Return the records, the bytes of the file and the ends of cells with NA without quotes as empty cells."""
    starts, stops = ends[:-1] + 1, ends[1:] - (codes[ends[1:] - 1] == RETURN)
    found = starts[(stops - starts == 2) & (codes[starts] == ord("N"))]
    found = found[codes[found + 1] == ord("A")]
    if not len(found):
        return data, codes, ends
    changed = np.delete(codes, np.concatenate([found, found + 1]))
    # Each cell end moves by two bytes per NA before it.
    moved = ends - 2 * np.searchsorted(found, ends)
    return changed[moved[0] + 1 :].tobytes(), changed, moved


def _ragged(found: int, width: int, delimiter: str) -> str:
    text = f"{found} values for {width} columns; was the file cut off, or is there a {_mark(delimiter)} in text without quotes?"
    if found == width + 1:
        text += " If the first column has no name, as with write.table in R, write the file with row.names = FALSE"
    return text + (' For another delimiter, use, for example, delimiter=";"' if width == 1 else "")


def _columns(body: _Body, text: set[int], decimal: str) -> dict[int, pd.Series]:
    """Return the columns as numbers if all digits are significant, else as text."""
    with cells_of_any_length():
        first = next(_rows(body.data, body.delimiter))
    text = text | body.padded() | {place for place, cell in enumerate(first) if cell in BOOLS}
    columns = body.parse(range(body.width), text, decimal)
    again = {
        place for place, values in columns.items() if place not in text and not _is_settled(values, body.na[place])
    }
    return columns | (body.parse(again, again) if again else {})


def _is_settled(values: pd.Series, na: Codes) -> bool:
    """Return whether pandas read a column as text, or as numbers without loss."""
    if not _is_numeric(values):
        # Empty cells remain if pandas tried to read 64-bit integers before it read text.
        return isinstance(values.dtype, pd.StringDtype) and not (values == "").any()
    gone = values.isna()
    if na.numbers:
        gone |= values.isin(list(na.numbers))
    exact = not bool(gone.any()) and values.dtype.kind != "f"
    return exact or not (gone.all() or (values.abs() >= _checks.LARGEST_EXACT).any())


def _decimal(body: _Body, names: list[str], text: Collection[str], at: Place, *, refuse: bool) -> tuple[str, list[str]]:
    """Return the decimal mark of a file without commas as delimiter, and the doubtful columns.

    If both marks occur, `refuse` raises an error; otherwise the mark is a point.

    The points of a doubtful column might separate thousands.
    """
    rest = [place for place, name in enumerate(names) if name not in text]
    parsed = {mark: body.parse(rest, (), mark) for mark in MARKS}

    def marked(mark: str, other: str) -> list[int]:
        """Return the columns of numbers with this decimal mark."""
        found = []
        for place in rest:
            column = parsed[mark][place]
            if _is_numeric(column) or _is_numeric(parsed[other][place]):
                is_marked = _is_numeric(column) and not _is_numeric(parsed[other][place])
            else:
                cells = [c for c in _checks.distinct_texts(column) if c.strip() and c.strip() not in WORDS]
                na = body.na[place]
                cells = [c for c in cells if not na.is_missing_code(c)] if na.words else cells
                is_marked = _cells.are_numbers(cells, mark) and any(mark in c for c in cells)
            found += [place] * is_marked
        return found

    comma, point = marked(",", "."), marked(".", ",")
    if not refuse and (point or any(map(_separates_thousands, body.parse(comma, comma).values()))):
        return ".", []
    if comma and point:
        raise InputError(
            f"{at}: column {names[comma[0]]!r} has numbers with a decimal comma, and column {names[point[0]]!r} numbers with a point; "
            f'set decimal="," or decimal=".", or read one of the columns as text, for example text="{names[point[0]]}"'
        )
    if comma or not point:
        return "," if comma else ".", []
    cells = {
        place: [c for c in _checks.distinct_texts(column) if "." in c]
        for place, column in body.parse(point, point).items()
    }
    return ".", [names[place] for place, pointed in cells.items() if all(map(THOUSANDS.fullmatch, pointed))]


def _separates_thousands(column: pd.Series) -> bool:
    """Return whether three digits follow every comma of a column of text."""
    cells = [cell.replace(",", ".") for cell in _checks.distinct_texts(column) if "," in cell]
    return bool(cells) and all(map(THOUSANDS.fullmatch, cells))


def _is_numeric(column: pd.Series) -> bool:
    return column.dtype.kind in "iuf"
