"""Files that users bring: made-up files of the same layout become the dataset, others are refused and nothing of them is shown."""

from __future__ import annotations

import json

import numpy as np
import pandas as pd
import pytest

from synthlab import datasets
from synthlab.datasets import _user_files
from synthlab.datasets.esc import CELLS_BY_SIZE
from synthlab.exceptions import ChecksumError, DatasetUnavailableError, DtypeMismatchError

EDUCATION = (0, 10, 11, 12, 13, 14, 15, 16)


def write(frame, path):
    path.parent.mkdir(parents=True, exist_ok=True)
    frame.to_csv(path, index=False)


@pytest.fixture(scope="module")
def units():
    """The simulated units in the layout of the public file, with columns nobody asked for."""
    frame = datasets.load("ce2017", version="simulated").frame
    codes = frame.drop(columns="income").astype("int64")
    youngest = np.array([18, 25, 35, 50, 65])
    return pd.DataFrame(
        {
            "NEWID": np.arange(len(frame)) + 3_000_001,
            "AGE_REF": youngest[codes["age"] - 1] + np.arange(len(frame)) % 7,
            "BLS_URBN": codes["urban"],
            "EARNCOMP": np.where(codes["earner"] == 1, 1 + np.arange(len(frame)) % 4, 5 + np.arange(len(frame)) % 4),
            "EDUC_REF": np.array(EDUCATION)[codes["education"] - 1],
            "FAM_SIZE": codes["family_size"] + (codes["family_size"] == 11),
            "FINCBTXM": frame["income"] + 0.25,
            "MARITAL1": codes["marital"],
            "QINTRVMO": 1 + np.arange(len(frame)) % 3,
            "QINTRVYR": 2017,
            "REGION": codes["region"],
            "SEX_REF": codes["gender"],
            "TOTEXPPQ": 1.5,
        }
    )


@pytest.fixture
def folder(tmp_path, monkeypatch):
    monkeypatch.setenv("SYNTHLAB_DATA_DIR", str(tmp_path / "mine"))
    (tmp_path / "mine").mkdir()
    return tmp_path / "mine"


def test_the_public_file_becomes_the_sample(units, folder, cache):
    write(units, folder / "fmli171x.csv")
    survey = datasets.load("ce2017", version="pumd")
    simulated = datasets.load("ce2017")
    assert (survey.kind, survey.n, simulated.version) == ("real", 6_208, "simulated")
    same = [c for c in simulated.frame if c not in ("urban_type", "cbsa")]
    assert list(survey.frame) == same == list(survey.variables)
    for name in same[:-1]:
        pd.testing.assert_series_equal(survey.frame[name], simulated.frame[name])
    np.testing.assert_allclose(survey.frame["income"], simulated.frame["income"] + 0.25)
    assert survey.title.startswith("Consumer Expenditure Survey")
    assert json.loads((cache / _user_files.PINS).read_text()) == {"fmli171x.csv": survey.sha256}


def test_names_in_small_letters_and_codes_with_a_zero_in_front_are_the_same(units, folder):
    write(
        units.rename(columns=str.lower).assign(qintrvmo=lambda f: "0" + f["qintrvmo"].astype(str)),
        folder / "fmli171x.csv",
    )
    assert datasets.load("ce2017", version="pumd").n == 6_208


def test_another_file_than_the_first_is_refused(units, folder, cache):
    write(units, folder / "fmli171x.csv")
    datasets.load("ce2017", version="pumd")
    write(units.assign(FINCBTXM=units["FINCBTXM"] + 1), folder / "fmli171x.csv")
    with pytest.raises(ChecksumError, match="is not the file that was read first"):
        datasets.load("ce2017", version="pumd")
    (cache / _user_files.PINS).unlink()
    assert datasets.load("ce2017", version="pumd").n == 6_208


def test_without_the_file_the_message_says_where_it_is():
    with pytest.raises(DatasetUnavailableError, match=r"get fmli171x.csv of intrvw17.zip.*www.bls.gov/cex"):
        datasets.load("ce2017", version="pumd")
    with pytest.raises(DatasetUnavailableError, match=r"Lancaster University, as esc_rep.csv with columns GEOGRAPHY"):
        datasets.load("esc", version="archive")


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (lambda f: f.drop(columns=["EDUC_REF", "REGION"]), "has no column EDUC_REF, REGION; required are SEX_REF"),
        (lambda f: f.assign(QINTRVMO=4), "'QINTRVMO' must contain only 1, 2, 3: 6,208 of 6,208 rows, the first at position 0"),
        (lambda f: f.assign(QINTRVYR=2018), "'QINTRVYR' must contain only 2017"),
        (lambda f: f.iloc[1:], "has 6,207 rows, but the sample of the paper has 6,208"),
        (lambda f: f.assign(EDUC_REF=f["EDUC_REF"].replace(16, 77)), "'EDUC_REF' must contain only 0, 10, 11, 12, 13, 14, 15, 16"),
        (lambda f: f.assign(SEX_REF=f["SEX_REF"].where(f.index != 5)), "'SEX_REF' must contain numbers; 1 of 6,208 rows, .* 5"),
        (lambda f: f.assign(FINCBTXM=f["FINCBTXM"].astype(object).where(f.index != 7, "secret")), "'FINCBTXM' must contain numbers"),
        (lambda f: f.assign(FAM_SIZE=0), "'FAM_SIZE' must contain integers >= 1"),
        (lambda f: f.assign(AGE_REF=f["AGE_REF"] + 0.5), "'AGE_REF' must contain integers >= 1"),
    ],
)  # fmt: skip
def test_what_is_not_the_public_file_is_refused(units, folder, cache, change, message):
    write(change(units), folder / "fmli171x.csv")
    with pytest.raises(DtypeMismatchError, match=message) as caught:
        datasets.load("ce2017", version="pumd")
    assert "fmli171x.csv" in str(caught.value)
    assert not {"77", "secret", "2018"} & set(str(caught.value).replace(",", " ").split())
    assert not (cache / _user_files.PINS).exists()


@pytest.fixture(scope="module")
def cells():
    frame = datasets.load("esc", version="simulated").frame
    return frame.astype(dict.fromkeys(_user_files.ESC_VARIABLES, str)).assign(AGE=frame["AGE"].astype("int64"))


def test_a_table_of_cells_with_the_sizes_of_table_2_is_the_archive(cells, folder):
    write(cells.rename(columns=str.lower), folder / "esc_rep.csv")
    survey = datasets.load("esc", version="archive")
    simulated = datasets.load("esc").frame
    assert survey.n == 333_660
    assert {name: survey.frame[name].nunique() for name in _user_files.ESC_VARIABLES} == _user_files.ESC_VARIABLES
    assert survey.frame["count"].sum() == simulated["count"].sum()


@pytest.mark.parametrize("content", [b"", b"RDX2\nX\n", b"\x1f\x8b\x08 a truncated download"])
def test_interviews_with_another_digest_are_refused(folder, content):
    (folder / "CE.rda").write_bytes(content)
    with pytest.raises(ChecksumError, match="CE.rda"):
        datasets.load("ce2015")


def test_one_row_a_pupil_is_counted():
    few = pd.DataFrame(np.indices((326, 20)).reshape(2, -1).T, columns=["GEOGRAPHY", "ETHNICITY"])
    few = few.assign(SEX=few["GEOGRAPHY"] % 4, AGE=few["GEOGRAPHY"] % 19, LANGUAGE=few["ETHNICITY"] % 7)
    with pytest.raises(
        DtypeMismatchError, match="size 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, above 10 differ from table 2 of the paper"
    ):
        _user_files.school_census(pd.concat([few, few]), "a file")
    assert CELLS_BY_SIZE[2] != len(few)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (lambda f: f.drop(columns="SEX"), "has no column SEX; required are GEOGRAPHY, ETHNICITY, SEX, AGE, LANGUAGE"),
        (lambda f: f[f["LANGUAGE"] != "Refused"], "'LANGUAGE' has 6 categories, but table 1 of the paper has 7"),
        (lambda f: f.assign(AGE=f["AGE"].where(f.index != 3)), "'AGE' has missing values; it must have 19 categories"),
        (
            lambda f: f.assign(count=f["count"].where(f["count"] != 3, 4)),
            "of size 3, 4 differ from table 2 of the paper$",
        ),
        (lambda f: f.assign(count=-f["count"]), "'COUNT' must contain integers >= 0"),
        (lambda f: pd.concat([f, f.head(1)]), "each cell must have only one row; 1 of 333,661 rows"),
    ],
)
def test_what_is_not_the_table_is_refused(cells, change, message):
    with pytest.raises(DtypeMismatchError, match=message):
        _user_files.school_census(change(cells), "esc_rep.csv")
