"""Files as other programs write them: read back with types, labels and missing values."""

from __future__ import annotations

import bz2
import gzip
import lzma
import shutil
import subprocess
from pathlib import Path

import numpy as np
import pandas as pd
import pyreadstat
import pytest

import synthlab as sl
from synthlab.exceptions import InputError
from synthlab.io import described

SURVEY = pd.DataFrame(
    {
        "county": ["01", "02", "001"],
        "answer": ["None", "NA", "yes"],
        "age": [34, 71, 19],
        "income": [1200.5, np.nan, 0.125],
        "since": pd.to_datetime(["2020-01-31", None, "1960-12-01"]),
    }
)


def same(read: pd.DataFrame, wanted: pd.DataFrame) -> None:
    pd.testing.assert_frame_equal(
        read, wanted, check_dtype=False, check_index_type=False, check_column_type=False, check_freq=False
    )
    assert [column.dtype.kind for _, column in read.items()] == [column.dtype.kind for _, column in wanted.items()]


@pytest.mark.parametrize("delimiter", [",", ";", "\t", "|"])
@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "latin-1", "cp1252", "utf-16"])
@pytest.mark.parametrize("pack", [None, gzip.compress, bz2.compress, lzma.compress])
def test_csv_in_any_dress(delimiter, encoding, pack, tmp_path):
    frame = SURVEY.drop(columns="since").assign(town=["Köln", 'a "b", c;\td|e', "two\nlines"])
    if encoding == "cp1252":
        frame["town"] = ["Köln", "5 €", "“quoted”"]
    data = frame.to_csv(index=False, sep=delimiter, decimal="," if delimiter == ";" else ".").encode(encoding)
    file = tmp_path / "survey.csv"
    file.write_bytes(pack(data) if pack else data)
    same(sl.read(file), frame)


def test_what_was_found_out_is_said(tmp_path):
    file = tmp_path / "survey.csv"
    file.write_bytes("x;town\n1,5;Köln\n2,5;€\n".encode("cp1252"))
    assert described(sl.read(file)) == "CSV, delimiter semicolon, Windows-1252, decimal comma"
    file.write_bytes("x\ttown\n1\tKöln\n".encode("latin-1"))
    assert described(sl.read(file)) == "CSV, delimiter tab, Latin-1"


def test_an_excel_workbook(tmp_path):
    file = tmp_path / "survey.xlsx"
    SURVEY.assign(works=[True, False, True]).to_excel(file, index=False)
    frame = sl.read(file)
    same(frame, SURVEY.assign(works=[True, False, True]))
    assert described(frame) == "Excel, sheet 'Sheet1'"


def test_a_workbook_with_several_sheets_names_them(tmp_path):
    file = tmp_path / "survey.xlsx"
    with pd.ExcelWriter(file) as book:
        SURVEY.to_excel(book, sheet_name="data", index=False)
        SURVEY[["age"]].to_excel(book, sheet_name="codes", index=False)
        pd.DataFrame().to_excel(book, sheet_name="empty")
    with pytest.raises(InputError, match="2 sheets: 'data', 'codes'; choose one, for example table='data'"):
        sl.read(file)
    with pytest.raises(InputError, match="and none named 'x'"):
        sl.read(file, table="x")
    assert list(sl.read(file, table="codes")) == ["age"]


def test_text_and_numbers_in_one_column_of_a_workbook_are_text(tmp_path):
    file = tmp_path / "survey.xlsx"
    pd.DataFrame({"code": [1, "3+", 2.5], "income": [10, "NA", 12]}).to_excel(file, index=False)
    with pytest.warns(sl.exceptions.ColumnTypeWarning, match="column 'income' is text because of the words 'NA'"):
        frame = sl.read(file)
    assert frame["code"].tolist() == ["1", "3+", "2.5"]
    assert frame["income"].tolist() == ["10", "NA", "12"]
    again = sl.read(file, na="NA")
    assert again["income"].tolist() == pytest.approx([10, np.nan, 12], nan_ok=True)


def test_parquet(tmp_path):
    file = tmp_path / "survey.parquet"
    frame = SURVEY.assign(
        region=pd.Categorical(["b", "a", "b"], categories=["b", "a", "z"]),
        number=pd.array([2**60 + 1, None, 3], dtype="Int64"),
        works=[True, False, True],
    )
    frame.to_parquet(file)
    read = sl.read(file)
    same(read.drop(columns="number"), frame.drop(columns="number"))
    assert read["number"].tolist()[0] == 2**60 + 1
    frame.set_index("county").to_parquet(file)
    assert next(iter(sl.read(file))) == "county"


@pytest.mark.parametrize("version", [8, 10, 12, 13, 14, 15])
def test_stata_with_labels_and_its_kinds_of_missing(version, tmp_path):
    file = tmp_path / "survey.dta"
    frame = pd.DataFrame(
        {"sex": [1, 2, 1], "age": [30.0, np.nan, 99.0], "town": ["Köln", "", "NA"], "day": SURVEY["since"]}
    )
    labels = {"sex": {1: "male", 2: "female", 3: "other"}, "age": {99: "refused"}}
    if version < 14:
        frame["town"] = ["Koeln", "", "NA"]
    pyreadstat.write_dta(frame, str(file), variable_value_labels=labels, version=version)
    read = sl.read(file)
    assert read["sex"].tolist() == ["male", "female", "male"]
    assert read["sex"].cat.categories.tolist() == ["male", "female", "other"]
    assert not read["sex"].cat.ordered
    assert read["age"].tolist() == pytest.approx([30, np.nan, 99], nan_ok=True)  # one label does not make it categories
    assert read["town"].isna().tolist() == [False, True, False]
    assert read["day"].tolist()[::2] == SURVEY["since"].tolist()[::2]
    assert sl.read(file, na=99)["age"].isna().tolist() == [False, True, True]


def test_statas_extended_missing_values_are_missing(tmp_path):
    file = tmp_path / "survey.dta"
    frame = pd.DataFrame({"income": [10.0, "a", "z"], "sex": [1, 2, "b"]}, dtype=object)
    pyreadstat.write_dta(
        frame,
        str(file),
        missing_user_values={"income": ["a", "z"], "sex": ["b"]},
        variable_value_labels={"sex": {1: "m", 2: "f", "b": "refused"}},
    )
    read = sl.read(file)
    assert read["income"].isna().tolist() == [False, True, True]
    assert read["sex"].cat.categories.tolist() == ["m", "f"]
    assert read["sex"].isna().tolist() == [False, False, True]


@pytest.mark.parametrize("ending", [".sav", ".zsav"])
def test_spss_with_labels_and_what_it_declares_missing(ending, tmp_path):
    file = tmp_path / f"survey{ending}"
    frame = pd.DataFrame(
        {
            "sex": [1.0, 2.0, 9.0],
            "income": [10.5, -8.0, -9.0],
            "answer": ["None", "NA", "x"],
            "day": SURVEY["since"],
            "at": pd.to_datetime(["2020-01-31 10:30:00"] * 3),
        }
    )
    pyreadstat.write_sav(
        frame,
        str(file),
        compress=ending == ".zsav",
        variable_value_labels={"sex": {1: "male", 2: "female", 9: "refused"}, "answer": {"NA": "none at all"}},
        missing_ranges={"sex": [9], "income": [{"lo": -9, "hi": -8}], "answer": ["x"]},
    )
    read = sl.read(file)
    assert read["sex"].cat.categories.tolist() == ["male", "female"]
    assert read["sex"].isna().tolist() == [False, False, True]
    assert read["income"].isna().tolist() == [False, True, True]
    assert read["answer"].tolist()[:2] == ["None", "NA"]
    assert read["answer"].isna().tolist() == [False, False, True]
    assert read["day"].tolist()[::2] == SURVEY["since"].tolist()[::2]
    assert read["at"].tolist() == [pd.Timestamp("2020-01-31 10:30:00")] * 3


def test_spss_portable_and_sas_transport(tmp_path):
    frame = pd.DataFrame({"SEX": [1.0, 2.0, 1.0], "AGE": [30.0, np.nan, 41.0], "CODE": ["01", "NA", ""]})
    pyreadstat.write_por(frame, str(tmp_path / "survey.por"))
    pyreadstat.write_xport(frame, str(tmp_path / "survey.xpt"))
    for name in ("survey.por", "survey.xpt"):
        read = sl.read(tmp_path / name)
        assert read["AGE"].tolist() == pytest.approx([30, np.nan, 41], nan_ok=True)
        assert read["CODE"].tolist()[:2] == ["01", "NA"]
        assert read["CODE"].isna().tolist() == [False, False, True]


def test_one_label_of_two_codes_makes_two_categories(tmp_path):
    file = tmp_path / "survey.dta"
    pyreadstat.write_dta(
        pd.DataFrame({"q": [1, 2, 3]}), str(file), variable_value_labels={"q": {1: "yes", 2: "yes", 3: "no"}}
    )
    assert sl.read(file)["q"].tolist() == ["yes [1]", "yes [2]", "no"]


R_CODE = """
d <- data.frame(county = c("01", "02", "001"), answer = c("None", "NA", "yes"), age = c(34L, 71L, 19L),
                income = c(1200.5, NA, 0.125), works = c(TRUE, FALSE, NA), town = c("K\\u00f6ln", "x;y", "a \\"b\\""),
                region = factor(c("b", "a", "b"), levels = c("b", "a", "z")), stringsAsFactors = FALSE)
write.csv2(d, "semicolon.csv", row.names = FALSE, na = "")
write.csv(d, "comma.csv", na = "", fileEncoding = "UTF-8")
write.table(d, "tab.tsv", sep = "\\t", row.names = FALSE, na = "", fileEncoding = "latin1", qmethod = "double")
d$since <- as.Date(c("2020-01-31", NA, "1960-12-01")); d$at <- as.POSIXct(d$since, tz = "UTC")
d$sex <- structure(c(1, 2, 1), class = c("haven_labelled", "vctrs_vctr", "double"), labels = c(male = 1, female = 2))
d$few <- structure(c(1, 2, -9), class = c("haven_labelled_spss", "haven_labelled"), labels = c(refused = -9), na_values = -9)
tibble <- structure(d, class = c("tbl_df", "tbl", "data.frame"))
saveRDS(tibble, "survey.rds"); saveRDS(d, "xz.rds", compress = "xz"); saveRDS(d, "ascii.rds", ascii = TRUE)
save(d, file = "survey.RData"); other <- d["age"]; save(d, other, file = "two.rda", compress = "bzip2")
saveRDS(list(1, "a"), "list.rds"); saveRDS(1:3, "vector.rds")
d$m <- matrix(1:6, 3); saveRDS(d, "matrix.rds")
foreign::write.dta(d[c("county", "answer", "age", "income", "region")], "survey.dta")
"""


@pytest.fixture(scope="module")
def written_by_r(tmp_path_factory) -> Path:
    program = shutil.which("Rscript")
    if program is None:
        pytest.skip("Rscript is not on PATH")
    folder = tmp_path_factory.mktemp("r")
    (folder / "write.R").write_text(R_CODE, encoding="utf-8")
    subprocess.run([program, "--vanilla", "write.R"], cwd=folder, check=True, capture_output=True)
    return folder


@pytest.mark.parametrize(
    ("name", "told"),
    [
        ("semicolon.csv", "CSV, delimiter semicolon, UTF-8, decimal comma"),
        ("comma.csv", "CSV, delimiter comma, UTF-8, first column left out: row names"),
        ("tab.tsv", "CSV, delimiter tab, Latin-1"),
        ("survey.rds", "RDS"),
        ("xz.rds", "RDS"),
        ("ascii.rds", "RDS"),
        ("survey.RData", "RData, data frame 'd'"),
        ("survey.dta", "Stata"),
    ],
)
def test_files_that_r_writes(written_by_r, name, told):
    frame = sl.read(written_by_r / name)
    assert described(frame) == told
    assert frame["county"].tolist() == ["01", "02", "001"]
    assert frame["answer"].tolist() == ["None", "NA", "yes"]
    assert frame["age"].tolist() == [34, 71, 19]
    assert frame["income"].tolist() == pytest.approx([1200.5, np.nan, 0.125], nan_ok=True)
    assert frame["region"].tolist() == ["b", "a", "b"]
    if "works" in frame:
        assert frame["works"].isna().tolist() == [False, False, True]
        assert frame["works"].dtype == "boolean"
        assert frame["town"].tolist() == ["Köln", "x;y", 'a "b"']
    if name.endswith((".rds", ".RData", ".dta")):
        assert frame["region"].cat.categories.tolist() == ["b", "a", "z"]
    if "since" in frame:
        assert frame["since"].tolist()[::2] == SURVEY["since"].tolist()[::2]
        assert frame["at"].tolist()[::2] == SURVEY["since"].tolist()[::2]
        assert frame["sex"].tolist() == ["male", "female", "male"]
        assert frame["few"].tolist() == pytest.approx([1, 2, np.nan], nan_ok=True)


def test_a_file_of_r_with_other_things_in_it_says_what_they_are(written_by_r):
    with pytest.raises(InputError, match="2 data frames: 'd', 'other'; choose one, for example table='d'"):
        sl.read(written_by_r / "two.rda")
    assert list(sl.read(written_by_r / "two.rda", table="other")) == ["age"]
    for name in ("list.rds", "vector.rds"):
        with pytest.raises(InputError, match="not a data frame|contains no data frame"):
            sl.read(written_by_r / name)
    with pytest.raises(InputError, match="column 'm' is a matrix or an array; split it"):
        sl.read(written_by_r / "matrix.rds")
