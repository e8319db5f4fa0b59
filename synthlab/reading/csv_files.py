"""CSV files: encoding, delimiter and decimal mark are found out, and every record is checked to be whole."""

from __future__ import annotations

import csv
import io
import itertools
import re
from collections.abc import Iterator
from dataclasses import dataclass

from synthlab._csv import cells_of_any_length
from synthlab.exceptions import InputError
from synthlab.reading import cells as _cells, header
from synthlab.reading.content import Place
from synthlab.reading.notes import WORDS
from synthlab.reading.rules import DELIMITERS, MARKS, Rules, named

THOUSANDS = re.compile(r"\s*[+-]?[1-9][0-9]{0,2}\.[0-9]{3}\s*")
LOOKED_AT = 500  # records, to find out the delimiter
CHUNK = 5_000
FOUND_OUT = (",", ";", "\t", "|")
MARKED = ((b"\xef\xbb\xbf", "utf-8-sig"), (b"\xff\xfe", "utf-16"), (b"\xfe\xff", "utf-16"))
NAMES = {
    "utf-8": "UTF-8",
    "utf-8-sig": "UTF-8 with a byte-order mark",
    "utf-16": "UTF-16",
    "latin-1": "Latin-1",
    "cp1252": "Windows-1252",
}


@dataclass(frozen=True, slots=True)
class Table:
    """The cells of a CSV file, a list a column, and how they were found."""

    columns: dict[str, list[str]]
    delimiter: str
    encoding: str
    decimal: str
    row_names: bool
    doubtful: tuple[str, ...] = ()  # columns whose points may separate thousands
    complete: bool = True  # whether the last line has a line end, or its last value a closing quote

    def __str__(self) -> str:
        parts = [
            "CSV",
            f"delimiter {DELIMITERS.get(self.delimiter, repr(self.delimiter))}",
            NAMES.get(self.encoding, self.encoding),
        ]
        parts += [f"decimal {MARKS[self.decimal]}"] if self.decimal != "." else []
        parts += ["first column left out: row names"] if self.row_names else []
        return ", ".join(parts)


def read(data: bytes, rules: Rules, at: Place) -> Table:
    """Return the cells of a CSV file, or raise an `InputError` that says where."""
    text, encoding = _decode(data, rules.encoding, at)
    first, _, rest = text.partition("\n")
    told = rules.delimiter
    if first.rstrip("\r").lower().startswith("sep=") and len(first.rstrip("\r")) == 5:
        text, told = rest, told or first[4]  # a line for Excel
    try:
        with cells_of_any_length():
            delimiter = _delimiter(text, told, at)
            names, columns = _split(text, delimiter, at)
    except csv.Error as error:
        raise InputError(
            f"{at.cannot} as CSV: {error}; a quote opens text and is doubled within it. Is the delimiter another one than "
            f"{DELIMITERS.get(told or ',', told)!r}, or was the file cut off?"
        ) from None
    table, row_names = header.named(names, columns, at)
    decimal = rules.decimal or (_decimal(table, rules, at) if delimiter == ";" else ".")
    if decimal == delimiter:
        raise InputError(f'{at}: its delimiter is a comma, so the decimal mark is none; leave out decimal=","')
    doubtful = _in_threes(table) if decimal == "." and rules.decimal is None and delimiter == ";" else ()
    complete = text.rstrip(" \t").endswith(("\n", "\r", '"'))
    return Table(table, delimiter, encoding, decimal, row_names, doubtful, complete)


def _decode(data: bytes, told: str | None, at: Place) -> tuple[str, str]:
    marked = next((name for mark, name in MARKED if data.startswith(mark)), None)
    encoding = told or marked
    if told == "utf-8" and marked == "utf-8-sig":
        encoding = marked
    if encoding is None:
        try:
            return _checked(data.decode("utf-8"), at), "utf-8"
        except UnicodeDecodeError:
            encoding = _of_one_byte(data, at)
    try:
        return _checked(data.decode(encoding), at), encoding
    except UnicodeDecodeError as error:
        line = data[: error.start].count(b"\n") + 1
        raise InputError(
            f'{at.cannot} as CSV: line {line} is not {NAMES.get(encoding, encoding)}; say what it is, for example encoding="latin-1"'
            f"{', or leave it out' if told else ''}"
        ) from None


def _of_one_byte(data: bytes, at: Place) -> str:
    """Return the encoding of text that is not UTF-8, or raise where most of it is, as where a file was cut off."""
    lenient = data.decode("utf-8", errors="replace")
    wrong, right = lenient.count("\ufffd"), sum(character > "\x7f" for character in lenient)
    if right - wrong >= wrong:
        line = lenient[: lenient.index("\ufffd")].count("\n") + 1
        raise InputError(
            f"{at.cannot} as CSV: it is UTF-8 but for line {line}; was it cut off there, or put together from files in several encodings? "
            'encoding="cp1252" reads it as Windows-1252'
        )
    return "cp1252" if any(0x80 <= byte <= 0x9F for byte in set(data)) else "latin-1"


def _checked(text: str, at: Place) -> str:
    odd = next((c for c in set(text[:100_000]) if c < " " and c not in "\t\n\r\f\v\x1a"), None)
    if odd is not None:
        raise InputError(
            f"{at.cannot} as CSV: it is no text (line {text[: text.index(odd)].count(chr(10)) + 1} holds a control character); "
            'if it is text in UTF-16, type encoding="utf-16"'
        )
    return text.rstrip("\x1a")  # the end of a file of DOS


def _rows(text: str, delimiter: str) -> Iterator[tuple[int, int, list[str]]]:
    """Yield the records with the numbers of their first and last line; lines with nothing in them are passed over."""
    line = 1
    reader = csv.reader(io.StringIO(text, newline=""), delimiter=delimiter, strict=True)
    for row in reader:
        if row and not (len(row) == 1 and row[0].isspace()):
            yield line, reader.line_num, row
        line = reader.line_num + 1


def _widths(text: str, delimiter: str, several: bool = False) -> list[int]:
    """Return the numbers of values of the first records; nothing where they cannot be cut by a delimiter."""
    try:
        rows = itertools.islice(_rows(text, delimiter), LOOKED_AT)
        return [sum(map(bool, row)) if several else len(row) for *_, row in rows]
    except csv.Error:
        return []


def _delimiter(text: str, told: str | None, at: Place) -> str:
    """Return what the records are cut by: of what cuts all of them alike that which makes most columns."""
    widths = {mark: _widths(text, mark) for mark in FOUND_OUT}
    alike = {mark: w[0] for mark, w in widths.items() if len(set(w)) == 1 and w[0] > 1}
    if told is not None:
        others = [mark for mark in alike if mark != told]
        if others and set(_widths(text, told) or [1]) == {1}:
            raise InputError(
                f"{at}: no record has a {DELIMITERS.get(told, repr(told))} between values; a {DELIMITERS[others[0]]} cuts all of "
                f"them into {alike[others[0]]} columns: type delimiter={others[0]!r}, or leave delimiter out"
            )
        return told
    best = [mark for mark, width in alike.items() if width == max(alike.values())]
    if len(best) > 1:
        named = " and a ".join(DELIMITERS[mark] for mark in best)
        raise InputError(
            f"{at}: a {named} cut all records into {alike[best[0]]} columns alike; say which it is: delimiter={best[0]!r} or "
            f"delimiter={best[1]!r}"
        )
    if best:
        return best[0]
    headed = {mark: w[0] for mark, w in widths.items() if w and w[0] > 1}
    if headed:
        return max(headed, key=lambda mark: headed[mark])
    blank = set(_widths(text, " ", several=True)) - {1}
    if len(blank) == 1 and len(_widths(text, ",")) == 0:
        raise InputError(
            f'{at}: its values seem to be separated by blanks; type delimiter=" ", or write it with commas'
        )
    return ","


def _split(text: str, delimiter: str, at: Place) -> tuple[list[str], list[list[str]]]:
    rows = _rows(text, delimiter)
    *_, names = next(rows, (0, 0, []))
    if not names:
        raise InputError(f"{at.cannot} as CSV: the file is empty")
    columns: list[list[str]] = [[] for _ in names]
    known: list[dict[str, str]] = [{} for _ in names]  # one object for each different text
    before = 0
    while chunk := list(itertools.islice(rows, CHUNK)):
        for line, end, row in chunk:
            if len(row) != len(names):
                raise InputError(f"{at}, line {line}: " + _width(len(row), names, delimiter))
            if len(names) == 1 and before and line > before + 1:
                raise InputError(
                    f"{at}, line {before + 1} is empty; in a file of one column that may be a missing value or nothing: "
                    'write "" for the one, and remove the other'
                )
            before = end
        for place, values in enumerate(zip(*(row for *_, row in chunk), strict=True)):
            columns[place].extend(map(known[place].setdefault, values, values))
    if not before:
        raise InputError(f"{at.cannot} as CSV: it has a line of {len(names)} column names, and no record")
    return names, columns


def _width(found: int, names: list[str], delimiter: str) -> str:
    said = f"{found} values for {len(names)} columns; was the file cut off, or is there a {DELIMITERS.get(delimiter, repr(delimiter))} in text without quotes?"
    if found == len(names) + 1:
        said += " Or has the first column no name, as with write.table in R? row.names = FALSE leaves it out there"
    if len(names) == 1:
        said += ' Another delimiter is told by, for example, delimiter=";"'
    return said


def _decimal(table: dict[str, list[str]], rules: Rules, at: Place) -> str:
    """Return the decimal mark of a file that is cut by semicolons."""
    marked: dict[str, list[str]] = {",": [], ".": []}
    text = named(rules.text, table)
    for name, column in table.items():
        if name in text:
            continue
        different = {c for c in set(column) if c.strip() not in WORDS and not c.isspace()} - {""}
        different -= rules.na.among(different)
        for mark, names in marked.items():
            if any(mark in cell for cell in different) and _cells.are_numbers(different, mark):
                names.append(name)
    if marked[","] and marked["."]:
        raise InputError(
            f"{at}: column {marked[','][0]!r} holds numbers with a decimal comma, column {marked['.'][0]!r} with a point; say which "
            f'are numbers: decimal="," or decimal=".", or which are text: text="{marked["."][0]}"'
        )
    return "," if marked[","] else "."


def _in_threes(table: dict[str, list[str]]) -> tuple[str, ...]:
    """Return the columns of numbers in which three digits follow every point, as where it separates thousands."""
    found = []
    for name, column in table.items():
        pointed = [cell for cell in set(column) if "." in cell]
        if pointed and all(THOUSANDS.fullmatch(cell) for cell in pointed):
            found.append(name)
    return tuple(found)
