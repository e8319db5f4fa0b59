"""A second file gets the types of the first, and what differs is named."""

from __future__ import annotations

import pandas as pd
import pyreadstat
import pytest

import synthlab as sl
from synthlab.exceptions import ColumnTypeWarning, DtypeMismatchError
from synthlab.release import as_release


@pytest.fixture
def csv(tmp_path):
    def write(name: str, text: str):
        (tmp_path / name).write_text(text, encoding="utf-8")
        return tmp_path / name

    return write


def test_codes_that_are_text_in_the_first_file_are_text_in_the_second(csv):
    first = sl.read(csv("a.csv", "county,x,flag,n\n01,1,TRUE,1\n1,2,FALSE,2\n001,3,TRUE,3\n"))
    second = sl.read(csv("b.csv", "n,county,flag,x\n1.5,1,TRUE,2\n2,2,TRUE,3\n"), like=first)
    assert second["county"].tolist() == ["1", "2"]
    assert second["x"].dtype == first["x"].dtype
    assert second["flag"].dtype == bool
    assert second["n"].tolist() == [1.5, 2]
    floats = first.assign(x=first["x"].astype(float))
    assert sl.read(csv("b.csv", "x\n1\n2\n"), like=floats)["x"].dtype == float


def test_numbers_become_text_only_where_the_text_looks_like_numbers(csv):
    numbers = csv("b.csv", "x,y\n1,2\n3,4\n")
    like = pd.DataFrame({"x": ["N", "S"]})
    with pytest.raises(DtypeMismatchError, match="column 'x' contains numbers here but text"):
        sl.read(numbers, like=like)
    assert sl.read(numbers, like=pd.DataFrame({"x": ["1", "3+"]}))["x"].tolist() == ["1", "3"]
    with pytest.raises(DtypeMismatchError, match="contains bools"):
        sl.read(csv("c.csv", "x,y\nTRUE,1\n"), like=like)


def test_words_among_numbers_are_counted_and_those_for_missing_are_named(csv):
    like = pd.DataFrame({"x": [1.0, 2.0]})
    with pytest.raises(DtypeMismatchError, match='2 of 3 records, the first at position 1.*na="NA" makes them missing'):
        sl.read(csv("a.csv", "x,y\n1,2\nNA,3\nNA,3\n"), like=like)
    with pytest.raises(DtypeMismatchError, match="1 of 2 records") as caught:
        sl.read(csv("a.csv", "x,y\n1,2\nsecret,3\n"), like=like)
    assert "secret" not in str(caught.value)
    with pytest.raises(DtypeMismatchError, match="codes with leading zeros"):
        sl.read(csv("a.csv", "x,y\n01,2\n"), like=like)


def test_blank_cells_and_codes_of_missing_values_are_missing_numbers(csv):
    like = pd.DataFrame({"x": [1.5, 2.0], "y": [1.0, 2.0]})
    second = sl.read(csv("a.csv", "x,y\n1.5,1\n  ,2\nNA,3\n,4\n2,5\n"), like=like, na="NA")
    assert second["x"].fillna(-1).tolist() == [1.5, -1, -1, -1, 2]


def test_dates_of_a_typed_file_are_read_from_text(csv):
    like = pd.DataFrame({"day": pd.to_datetime(["2020-01-31"])})
    assert sl.read(csv("a.csv", "day,x\n2021-02-03,1\n,2\n"), like=like)["day"].tolist()[0] == pd.Timestamp(
        "2021-02-03"
    )
    with pytest.raises(DtypeMismatchError, match="column 'day' contains other values here but date values"):
        sl.read(csv("a.csv", "day,x\nsoon,1\n"), like=like)


def labelled(folder, name, codes, labels):
    pyreadstat.write_dta(pd.DataFrame({"sex": codes}), str(folder / name), variable_value_labels={"sex": labels})
    return folder / name


def test_labels_that_differ_are_counted(tmp_path, csv):
    first = sl.read(labelled(tmp_path, "a.dta", [1, 2], {1: "male", 2: "female", 3: "other"}))
    same = sl.read(labelled(tmp_path, "b.dta", [2, 2], {1: "male", 2: "female", 3: "other"}), like=first)
    assert same["sex"].dtype == first["sex"].dtype
    with pytest.warns(ColumnTypeWarning, match=r"labels differ .*: 'sex' \(1 new, 2 absent\)"):
        other = sl.read(labelled(tmp_path, "c.dta", [2, 1], {1: "Male", 2: "female"}), like=first)
    assert other["sex"].tolist() == ["female", "Male"]
    assert other["sex"].cat.categories.tolist() == ["male", "female", "other", "Male"]
    with pytest.raises(DtypeMismatchError, match="codes that are not all labelled"):
        sl.read(labelled(tmp_path, "d.dta", [2, 9], {1: "male", 2: "female"}), like=first)
    text = sl.read(csv("e.csv", "sex,x\nfemale,1\n,2\n"), like=first)
    assert text["sex"].dtype == first["sex"].dtype
    with pytest.raises(DtypeMismatchError, match="has none of the 3 labels"):
        sl.read(csv("f.csv", "sex,x\n1,1\n2,2\n"), like=first)


def test_a_partly_labelled_number_stays_one_in_both_files(tmp_path):
    first = sl.read(labelled(tmp_path, "a.dta", [1, 30], {1: "one"}))
    second = sl.read(labelled(tmp_path, "b.dta", [1, 1], {1: "one"}), like=first)
    assert second["sex"].tolist() == [1, 1]


def test_a_typed_file_does_not_change_its_types_in_silence(tmp_path):
    file = tmp_path / "b.parquet"
    pd.DataFrame({"county": [1, 2]}).to_parquet(file)
    with pytest.raises(DtypeMismatchError, match="contains numbers here but text"):
        sl.read(file, like=pd.DataFrame({"county": ["01", "02"]}))
    assert sl.read(file, text="county")["county"].tolist() == ["1", "2"]
    pd.DataFrame({"county": ["1", "2"]}).to_excel(tmp_path / "b.xlsx", index=False)
    read = sl.read(tmp_path / "b.xlsx", like=pd.DataFrame({"county": [1, 2]}))
    assert read["county"].tolist() == [1, 2]


def test_the_datasets_of_a_release_have_the_types_of_the_first(csv):
    files = [csv("1.csv", "county;x\n01;1,5\n02;2\n"), csv("2.csv", "x,county\n1.5,1\n2,2\n")]
    release = sl.Release.from_files(files, ["x"])
    assert [frame["county"].tolist() for frame in release] == [["01", "02"], ["1", "2"]]
    assert list(release[1]) == ["county", "x"]


def test_a_path_is_read_like_the_confidential_data(csv):
    frame = sl.read(csv("a.csv", "county,x\n01,1\n02,2\n03,4\n"))
    assert as_release(csv("b.csv", "county,x\n1,1\n2,2\n3,3\n"), like=frame)[0]["county"].tolist() == ["1", "2", "3"]
    copies = sl.exact_copies(frame, str(csv("b.csv", "county,x\n1,1\n02,2\n3,3\n")))
    assert copies.title.startswith("1 of 3 released records")
