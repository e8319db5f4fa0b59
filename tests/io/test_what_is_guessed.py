"""What a CSV file is taken for: nothing that it does not say."""

from __future__ import annotations

import gzip
import sys
import warnings
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

import synthlab as sl
from synthlab.exceptions import ColumnTypeWarning, ExtraUnavailableError, InputError
from synthlab.io import described


@pytest.fixture
def written(tmp_path):
    def write(text: str | bytes, name: str = "survey.csv") -> Path:
        (tmp_path / name).write_bytes(text if isinstance(text, bytes) else text.encode())
        return tmp_path / name

    return write


def column(file: Path, name: str = "x", **options) -> pd.Series:
    return sl.read(file, **options)[name]


@pytest.mark.parametrize(
    ("cells", "kind", "values"),
    [
        (["1", "2"], "i", [1, 2]),
        (["1", ""], "f", [1, np.nan]),
        (["1.5", "-.5e3", "+2"], "f", [1.5, -500.0, 2.0]),
        ([" 1", "2 "], "i", [1, 2]),
        (["1", " "], "f", [1, np.nan]),
        (["0", "-0", "0.5"], "f", [0, 0, 0.5]),
        (["01", "1"], "O", ["01", "1"]),
        (["007", "-9"], "O", ["007", "-9"]),
        (["-01", "1"], "O", ["-01", "1"]),
        (["None", "NA", "null"], "O", ["None", "NA", "null"]),
        (["NA", "01"], "O", ["NA", "01"]),
        (["1_000", "2_000"], "O", ["1_000", "2_000"]),
        (["0x1F", "12"], "O", ["0x1F", "12"]),
        (["٣", "٤"], "O", ["٣", "٤"]),
        (["3+", "1", "2-", "4*"], "O", ["3+", "1", "2-", "4*"]),
        (["2020-01-01", "2020-01-02"], "M", [pd.Timestamp("2020-01-01"), pd.Timestamp("2020-01-02")]),
        (["True", "False"], "b", [True, False]),
        (["TRUE", "TRUE"], "b", [True, True]),
        (["TRUE", "yes", "no", "maybe"], "O", ["TRUE", "yes", "no", "maybe"]),
        (["Inf", "-Inf", "1"], "f", [np.inf, -np.inf, 1]),
        ([str(2**63 - 1), "1"], "i", [2**63 - 1, 1]),
        ([str(2**63), "1"], "u", [2**63, 1]),
        ([str(2**64), "1"], "O", [str(2**64), "1"]),
        ([str(2**63), "-1"], "O", [str(2**63), "-1"]),
        (["9" * 400, "1"], "O", ["9" * 400, "1"]),
    ],
)
def test_a_column_is_what_all_its_cells_are(written, cells, kind, values):
    read = column(written("x,y\n" + "".join(f"{cell},1\n" for cell in cells)))
    assert read.dtype.kind == kind
    assert read.tolist() == pytest.approx(values, nan_ok=True) if kind == "f" else read.tolist() == values


def test_large_whole_numbers_with_a_missing_one_stay_exact(written):
    assert column(written(f"x,y\n{2**53 + 1},1\n,1\n")).tolist()[0] == 2**53 + 1
    assert column(written(f"x,y\n{2**64 - 1},1\n,1\n")).tolist()[0] == 2**64 - 1


def test_bools_may_be_missing(written):
    read = column(written("x,y\nTRUE,1\n,2\n"))
    assert read.isna().tolist() == [False, True]
    assert read.dtype == "boolean"


def test_a_column_with_nothing_in_it_has_no_kind(written):
    read = column(written("x,y\n,1\n,2\n"))
    assert read.isna().all()
    assert sl._checks.kind_of(read) == "nothing"


@pytest.mark.parametrize("na", ["NA,-9", ["NA", -9], ["NA", "-9"], ("NA", -9.0), ["-9,NA"[:2], "NA"]])
def test_codes_of_missing_values_are_those_that_are_told(written, na):
    file = written("x,y,z\n-9,NA,-9.0\n1,None,2.5\nNA,-9,3\n")
    frame = sl.read(file, na=na)
    assert frame["x"].tolist() == pytest.approx([np.nan, 1, np.nan], nan_ok=True)
    assert frame["y"].isna().tolist() == [True, False, True]
    assert frame["y"].tolist()[1] == "None"
    assert frame["z"].tolist() == pytest.approx([np.nan, 2.5, 3], nan_ok=True)


def test_text_stays_text(written):
    file = written('id,"a,b",x\n1,2,3\n,4,5\n')
    frame = sl.read(file, text="id,x")
    assert frame["x"].tolist() == ["3", "5"]
    assert frame["id"].isna().tolist() == [False, True]
    assert sl.read(file, text=["a,b"])["a,b"].tolist() == ["2", "4"]
    with pytest.raises(InputError, match="text: 'nobody' not in"):
        sl.read(file, text=["nobody"])


def test_a_code_among_numbers_is_named_and_what_to_type(written):
    file = written("x,y,z\n1,NA,a\n.,2,NA\n3,NA,b\n")
    with pytest.warns(ColumnTypeWarning) as caught:
        frame = sl.read(file)
    assert len(caught) == 1
    assert "columns 'x', 'y' are text because of the words '.', 'NA' in 3 cells" in str(caught[0].message)
    assert 'na=".,NA" makes them missing' in str(caught[0].message)
    assert frame["x"].tolist() == ["1", ".", "3"]
    assert sl.read(file, na=".,NA")["x"].dtype == float


def test_an_odd_word_that_may_be_an_answer_is_not_shown(written):
    numbers = "".join(f"{i},1\n" for i in range(20))
    with pytest.warns(
        ColumnTypeWarning, match="column 'x' is text because of one or two words .* in 2 cells"
    ) as caught:
        sl.read(written(f"x,y\n{numbers}secret,1\nsecret,2\n"))
    assert "secret" not in str(caught[0].message)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        sl.read(written("x,y\n1,1\n2,1\n3+,1\n"))  # levels, of which one is no number


@pytest.mark.parametrize(
    ("text", "width", "found"),
    [
        ("a,b\n1,2\n", 2, "comma"),
        ("a;b\n1,5;2,5\n", 2, "semicolon"),
        ("a\tb\n1,5\t2;5\n", 2, "tab"),
        ("a|b\n1|2\n", 2, "bar"),
        ('"x, y";b\n"1, 2";3\n', 2, "semicolon"),
        ('"x;y",b\n"1;2",3\n', 2, "comma"),
        ("a;b;c,d\n1;2;3,4\n", 3, "semicolon"),
        ("sep=;\na;b\n1;2\n", 2, "semicolon"),
        ("a\n1\n2\n", 1, "comma"),
        ('a\n"1,5"\n"2;5"\n', 1, "comma"),
        ("a,b,\n1,2,\n3,4,\n", 2, "comma"),
    ],
)
def test_the_delimiter_cuts_all_records_alike(written, text, width, found):
    frame = sl.read(written(text))
    assert frame.shape[1] == width
    assert f"delimiter {found}" in described(frame)


def test_two_delimiters_that_do_are_both_named(written):
    file = written("a,b;c\n1,2;3\n")
    with pytest.raises(InputError, match="a comma and a semicolon"):
        sl.read(file)
    assert list(sl.read(file, delimiter="semicolon")) == ["a,b", "c"]


def test_a_wrong_delimiter_is_told_the_right_one(written):
    for told, right in [(";", ","), ("tab", ","), (",", ";")]:
        file = written(f"a{right}b\n1{right}2\n")
        with pytest.raises(InputError, match=f"use delimiter='{right}'"):
            sl.read(file, delimiter=told)
    assert sl.read(written("a b\n1 2\n"), delimiter=" ").shape == (1, 2)
    with pytest.raises(InputError, match="whether the delimiter is a character other than comma"):
        sl.read(written('"a" "b"\n"x" 2\n'))


def test_a_decimal_comma_needs_a_semicolon_and_all_cells(written):
    assert column(written("x;y\n1,5;a\n2;b\n")).tolist() == [1.5, 2]
    assert column(written("x;y\n1,5;a\nNA;b\n"), na="NA").tolist() == pytest.approx([1.5, np.nan], nan_ok=True)
    assert column(written("x;y\n1.5;a\n2;b\n")).tolist() == [1.5, 2]
    assert column(written('x,y\n"1,5",a\n')).tolist() == ["1,5"]
    assert column(written("x\ty\n1,5\ta\n")).tolist() == [1.5]
    assert column(written("x\ty\n1,5\t2.5\n")).tolist() == ["1,5"]
    assert column(written("x\ty\n1,5\ta\n"), decimal=",").tolist() == [1.5]
    assert column(written("x;y\n1,5;a\n"), decimal="point").tolist() == ["1,5"]


def test_numbers_of_both_kinds_in_one_file_are_asked_about(written):
    file = written("x;grade\n1,5;1.2\n")
    with pytest.raises(
        InputError, match="column 'x' has numbers with a decimal comma, and column 'grade' numbers with a point"
    ) as e:
        sl.read(file)
    assert "1.2" not in str(e.value)
    with pytest.raises(InputError, match="decimal comma"):
        sl.read(written("x;grade\n1,5;1.2\n2,5;1.3\nNA;1.4\n"))
    file = written("x;grade\n1,5;1.2\n")
    assert column(file, decimal=",").tolist() == [1.5]
    assert column(file, text="grade").tolist() == [1.5]


def test_a_comma_cannot_be_both(written):
    with pytest.raises(InputError, match="decimal=','"):
        sl.read(written("x,y\n1,2\n"), decimal=",", delimiter=",")
    with pytest.raises(InputError, match="requires another delimiter"):
        sl.read(written("x,y\n1,2\n"), decimal=",")


def test_an_encoding_that_is_told_is_taken(written):
    data = "x,y\nKöln,1\n".encode("cp850")
    assert column(written(data), encoding="cp850").tolist() == ["Köln"]
    with pytest.raises(InputError, match="line 2 is not UTF-8"):
        sl.read(written(data), encoding="utf-8")
    with pytest.raises(InputError, match="encoding='martian': unknown encoding"):
        sl.read(written(data), encoding="martian")
    assert column(written("x,y\nKöln,1\n".encode("utf-16-le")), encoding="utf-16-le").tolist() == ["Köln"]


def test_utf_8_that_was_cut_within_a_letter_is_not_taken_for_latin(written):
    with pytest.raises(InputError, match="UTF-8 except for line 3"):
        sl.read(written("x,y\nKöln,1\nMünchen,ü".encode()[:-1]))
    assert column(written("x,y\n1,ü\n".encode("latin-1")), "y").tolist() == ["ü"]


def test_row_names_and_empty_columns_are_no_variables(written):
    assert list(sl.read(written(",x\n0,5\n1,6\n"))) == ["x"]
    assert list(sl.read(written('"",x\n"1",5\n"2",6\n'))) == ["x"]
    assert list(sl.read(written(",x\n7,5\n9,6\n"))) == ["Unnamed: 0", "x"]


def test_names_that_occur_twice_are_refused(written):
    with pytest.raises(InputError, match="these names occur twice: 'a'"):
        sl.read(written("a,b,a\n1,2,3\n"))


def test_an_empty_line_in_a_file_of_one_column_is_asked_about(written):
    with pytest.raises(InputError, match="line 3 is empty"):
        sl.read(written("a\n1\n\n2\n"))
    assert len(sl.read(written("\na\n1\n2\n\n"))) == 2
    assert column(written('a\n1\n""\n2\n'), "a").isna().tolist() == [False, True, False]


@pytest.mark.parametrize(
    ("name", "data", "said"),
    [
        ("a.csv", b"", "the file is empty"),
        ("a.csv", b" \n\n", "the file is empty"),
        ("a.csv", b"a,b\n", "a line of 2 column names but no records"),
        ("a.csv", b'a,b\n"x,1\n', "unexpected end of data"),
        ("a.csv", b'a,b\n"x"y,1\n', "quotes inside quoted text must be doubled"),
        ("a.csv", b"PK\x03\x04 nothing", "another zip archive, and is damaged"),
        ("a.csv", b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1" + b"\0" * 600, "not text"),
        ("a.csv", b"\x89PNG\r\n\x1a\n" + b"\0" * 99, "not text"),
        ("a.csv", b"<!DOCTYPE html><html>a,b</html>", "a web page"),
        ("a.csv", b'{"a": [1, 2]}', "a JSON document"),
        ("a.csv", b"%PDF-1.4", "no record"),
        ("a.csv", b"a,b\n1,\x00\x01\n", "line 2 contains a control character, so the file is not text"),
        ("a.csv.gz", gzip.compress(b"a,b\n1,2\n", mtime=0)[:-4], "packed, and is damaged"),
        ("a.sav", b"a,b\n1,2\n", "by its name, it is an SPSS file, but by its content a CSV file"),
        ("a.dta", b"\x01\x02\x03\x04" * 9, "by its name, it is a Stata file, .* or it is damaged"),
        ("a.parquet", b"PAR1 nothing PAR1", "a Parquet file, but it could not be read"),
        ("a.sav", b"$FL2 nothing", "an SPSS file, but it could not be read"),
        ("a.rds", gzip.compress(b"X\n\0\0\0\3 nothing", mtime=0), "an R file, but it could not be read"),
        ("a.xpt", b"HEADER RECORD*******LIB", "a SAS transport file, but it could not be read"),
    ],
)
def test_what_cannot_be_read_is_said_to_be_what_it_is(written, name, data, said):
    with pytest.raises(InputError, match=said):
        sl.read(written(data, name))


def test_a_workbook_called_csv_is_named(written, tmp_path):
    pd.DataFrame({"a": [1]}).to_excel(tmp_path / "a.xlsx", index=False)
    with pytest.raises(InputError, match="by its content an Excel workbook; .* rename it to 'b.xlsx'"):
        sl.read(written((tmp_path / "a.xlsx").read_bytes(), "b.csv"))
    assert sl.read(written((tmp_path / "a.xlsx").read_bytes(), "b.old"))["a"].tolist() == [1]


def test_a_folder_and_a_file_that_is_not_there(tmp_path):
    with pytest.raises(InputError, match="it is a folder; Release.load reads"):
        sl.read(tmp_path)
    with pytest.raises(InputError, match="path: no file"):
        sl.read(tmp_path / "none.csv")


def test_options_that_are_not_for_the_format_are_refused(tmp_path):
    file = tmp_path / "a.parquet"
    pd.DataFrame({"a": [1]}).to_parquet(file)
    for option in ({"delimiter": ";"}, {"decimal": ","}, {"encoding": "utf-8"}, {"table": "x"}):
        with pytest.raises(InputError, match=f"{next(iter(option))} does not apply to .* a Parquet file"):
            sl.read(file, **option)


@pytest.mark.parametrize(
    ("option", "value"),
    [
        *(
            ("na", v)
            for v in ({"c": [1]}, {5: [1]}, {"a": [None]}, 5j, [None], [float("nan")], [True], [["a"]], {"a", "b"})
        ),
        *(("text", v) for v in (5, [1], ["a", "a"])),
        *(("delimiter", v) for v in ("", ",,", "a", '"', "\n", 5)),
        *(("encoding", v) for v in (5, "base64", "rot13", "\ud800")),
        *(("decimal", v) for v in (";", 5, "")),
        *(("dates", v) for v in (5, "a", {"a": 5}, {"a": "dd/mm"}, {"c": "%d/%m/%Y"}, {5: "%d/%m/%Y"})),
        *(("table", v) for v in (5, ["a"])),
        *(("like", v) for v in (5, {"a": [1]})),
    ],
)
def test_options_are_checked_by_name(written, option, value):
    with pytest.raises(InputError, match=rf"\b{option}\b"):
        sl.read(written("a,b\n1,2\n"), **{option: value})


def test_lists_in_a_typed_file_and_the_end_of_a_file_of_dos(tmp_path, written):
    pd.DataFrame({"a": [[1], [2]]}).to_parquet(tmp_path / "a.parquet")
    with pytest.raises(InputError, match="column 'a' holds ndarray values"):
        sl.read(tmp_path / "a.parquet")
    assert len(sl.read(written("a,b\n1,2\n\x1a"))) == 1


def test_points_that_may_separate_thousands_are_named(written):
    file = written("x;y\n1.200;1.5\n900;2.25\n")
    with pytest.warns(ColumnTypeWarning, match="column 'x' three digits follow"):
        assert column(file).tolist() == [1.2, 900]
    assert column(file, decimal="point").tolist() == [1.2, 900]
    assert column(written("x;y\n0.125;1\n2.250;2\n")).tolist() == [0.125, 2.25]


def test_a_file_of_nothing_but_a_mark_is_empty(written):
    for text in ("\ufeff\n", "sep=;\n", "\ufeff"):
        with pytest.raises(InputError, match="the file is empty"):
            sl.read(written(text))


def test_a_library_that_is_missing_is_named(tmp_path, monkeypatch):
    file = tmp_path / "a.parquet"
    pd.DataFrame({"a": [1]}).to_parquet(file)
    monkeypatch.setitem(sys.modules, "pyarrow.parquet", None)
    words = r"a Parquet file needs pyarrow.parquet, which is not installed; .*\[files\]: python -m pip install"
    with pytest.raises(ExtraUnavailableError, match=words):
        sl.read(file)
