"""Numbers beyond 64 bits, and a last line without a line end, are reported; nothing else is."""

from __future__ import annotations

import decimal
import warnings
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

import synthlab as sl
from synthlab import cli
from synthlab.exceptions import DtypeMismatchError, IncompleteLastLineWarning, NumberPrecisionWarning

LONG = "12345678901234567890123"
# What is reported of a column "x" with these cells, and the values that are read.
NUMBERS: dict[str, tuple[list[str], str, list[object]]] = {
    "exponent": (["1e999", "2"], "infinite", [np.inf, 2.0]),
    "negative": (["-1e999", "2.5"], "infinite", [-np.inf, 2.5]),
    "digits": (["9" * 5_000, "0.5"], "infinite", [np.inf, 0.5]),
    "infinity": (["inf", "-Infinity"], "", [np.inf, -np.inf]),
    "rounded": ([LONG, "0.5"], "rounded", [float(LONG), 0.5]),
    "rounded, 54 bits": (["9007199254740993", "0.5"], "rounded", [2.0**53, 0.5]),
    "exact": (["9007199254740994", "0.5"], "", [2.0**53 + 2, 0.5]),
    "scale": (["1e23", "0.5"], "", [1e23, 0.5]),
    "long": ([LONG, "1"], "", [LONG, "1"]),
    "very long": (["9" * 5_000, "1"], "", ["9" * 5_000, "1"]),
    "unsigned": ([str(2**64 - 1), "1"], "", [2**64 - 1, 1]),
    "too long, signed": ([str(2**63), "-1"], "", [str(2**63), "-1"]),
}


def read(path: Path, **options: Any) -> tuple[pd.DataFrame, list[str]]:
    """Return the frame and the warnings about numbers."""
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        frame = sl.read(path, **options)
    return frame, [str(w.message) for w in caught if w.category is NumberPrecisionWarning]


@pytest.mark.parametrize("mark", [".", ","])
@pytest.mark.parametrize("case", NUMBERS)
def test_numbers_beyond_64_bits_are_reported(case: str, mark: str, tmp_path: Path) -> None:
    cells, what, values = NUMBERS[case]
    lines = [f"{cell.replace('.', mark)};a;{mark.join('05')}" for cell in cells]
    (tmp_path / "t.csv").write_text("\n".join(["x;y;z", *lines, ""]))
    frame, said = read(tmp_path / "t.csv", decimal=mark)
    assert frame["x"].tolist() == values
    assert len(said) == bool(what)
    assert not said or ("column 'x'" in said[0] and what in said[0])
    assert not any(cell in "".join(said) for cell in cells if len(cell) > 4)


@pytest.mark.parametrize("case", [case for case, (_, what, _) in NUMBERS.items() if what in ("infinite", "rounded")])
def test_numbers_beyond_64_bits_are_reported_with_the_types_of_another_file(case: str, tmp_path: Path) -> None:
    cells, what, values = NUMBERS[case]
    (tmp_path / "t.csv").write_text("\n".join(["x,y", *(f"{cell},a" for cell in cells), ""]))
    frame, said = read(tmp_path / "t.csv", like=pd.DataFrame({"x": [0.5, 1.5], "y": ["a", "b"]}))
    assert frame["x"].tolist() == values
    assert len(said) == 1
    assert what in said[0]


def test_whole_numbers_beyond_64_bits_do_not_get_the_type_of_another_file(tmp_path: Path) -> None:
    (tmp_path / "t.csv").write_text(f"x,y\n{LONG},a\n1,b\n")
    with pytest.raises(DtypeMismatchError, match="column 'x'"):
        sl.read(tmp_path / "t.csv", like=pd.DataFrame({"x": [1.5], "y": ["a"]}))


@pytest.mark.parametrize(
    ("cells", "what", "values"),
    [
        (["9" * 400, "0.5"], "infinite", [np.inf, 0.5]),
        (["1e999", "0.5"], "infinite", [np.inf, 0.5]),
        ([LONG, "0.5"], "rounded", [float(LONG), 0.5]),
        ([LONG, "1"], "", [LONG, "1"]),
    ],
)
def test_numbers_of_a_workbook_are_reported(cells: list[str], what: str, values: list[object], tmp_path: Path) -> None:
    book = pytest.importorskip("openpyxl").Workbook()
    book.active.append(["x", "y"])
    for line, cell in enumerate(cells, start=2):
        book.active.append([cell, "a"])
        book.active[f"A{line}"].data_type = "n"  # openpyxl itself would round the number
    book.save(tmp_path / "t.xlsx")
    frame, said = read(tmp_path / "t.xlsx")
    assert frame["x"].tolist() == values
    assert len(said) == bool(what)
    assert what in "".join(said)


def test_decimal_numbers_of_parquet_are_reported(tmp_path: Path) -> None:
    table = pd.DataFrame({"x": [decimal.Decimal(LONG), decimal.Decimal("1")], "y": [decimal.Decimal("0.5")] * 2})
    table.to_parquet(tmp_path / "t.parquet")
    frame, said = read(tmp_path / "t.parquet")
    assert frame["x"].tolist() == [float(LONG), 1.0]
    assert frame["y"].tolist() == [0.5, 0.5]
    assert len(said) == 1
    assert "column 'x'" in said[0]
    assert "rounded" in said[0]


# Files, and whether the last value might be cut off.
ENDS = {
    "a,b\n1,2": True,
    "a,b\r\n1,2": True,
    "a,b\n1,": True,
    "a,b\n1,x y": True,
    "a,b\n1,2\n": False,
    "a,b\r\n1,2\r\n": False,
    "a,b\r1,2\r": False,
    "a,b\n1,2\n\n": False,
    "a,b\n1,2\n  ": False,
    "a,b\n1,2\n\x1a": False,
    'a,b\n1,"2"': False,
}


@pytest.mark.parametrize("text", ENDS)
def test_a_last_line_without_a_line_end_is_reported(text: str, tmp_path: Path) -> None:
    path = tmp_path / "t.csv"
    path.write_bytes(text.encode())
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        frame = sl.read(path)
    assert frame.shape == (1, 2)
    assert [w.category for w in caught] == [IncompleteLastLineWarning] * ENDS[text]
    assert all("column 'b'" in str(w.message) and w.filename == __file__ for w in caught)


def test_a_last_line_with_fewer_values_is_an_error_alone(tmp_path: Path) -> None:
    (tmp_path / "t.csv").write_text("a,b\n1,2\n3")
    with pytest.raises(
        sl.exceptions.InputError, match="line 3: 1 values for 2 columns"
    ):  # pytest makes warnings errors
        sl.read(tmp_path / "t.csv")


def test_the_command_line_reports_both(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "t.csv").write_text("id,x\n1,1e999\n2,0.5\n3,0.5")
    (tmp_path / "g.csv").write_text("record,x\n0,0.5\n")
    with pytest.raises(SystemExit):
        cli.main(["attack-score", f"{tmp_path}/g.csv", "--confidential", f"{tmp_path}/t.csv", "--target", "x"])
    said = capsys.readouterr().err
    assert said.count("warning: IncompleteLastLineWarning: ") == 1
    assert said.count("warning: NumberPrecisionWarning: ") == 1
