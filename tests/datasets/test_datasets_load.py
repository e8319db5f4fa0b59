"""Loading: the real data where they are at hand, else a stand-in that says so."""

from __future__ import annotations

import json
import subprocess
import sys

import pandas as pd
import pytest

from synthlab import datasets
from synthlab.datasets import _load, _registry
from synthlab.datasets.files import declare, frame_sha256
from synthlab.exceptions import (
    ChecksumError,
    DatasetUnavailableError,
    DtypeMismatchError,
    InputError,
    StandInDataWarning,
)
from tests.loops import every

TOY_FILES = {
    "toy.csv": b"sex,income\r\n1,1200.5\r\n2,-40\r\n2,0\r\n",
    "toy_synthetic.csv": b'"sex","income"\n1,900\n2,-35.5\n2,10\n',
    "toy_homemade.csv": b"sex,income\n1,1\n2,2\n2,3\n",
}


def put(folder, *names, replace=()):
    folder.mkdir(parents=True, exist_ok=True)
    for name in names:
        data = TOY_FILES[name]
        for old, new in replace:
            data = data.replace(old, new)
        (folder / name).write_bytes(data)


def tag(frame):
    return frame.attrs["synthlab"]


# what is chosen


def test_nothing_at_hand_gives_the_stand_in(toy):
    survey = datasets.load("toy")
    assert (survey.kind, survey.version) == ("simulated", "simulated")
    assert not survey.is_real
    assert survey.title == "simulated stand-in for: three people"


def test_real_is_insisted_on(toy, cache):
    with pytest.raises(DatasetUnavailableError) as caught:
        datasets.load("toy", version="real")
    message = str(caught.value)
    for part in ("synthlab data fetch toy", "toy.csv", str(cache), "SYNTHLAB_DATA_DIR", 'version="simulated"'):
        assert part in message


def test_the_cache_is_found(toy, cache):
    put(cache, *TOY_FILES)
    survey = datasets.load("toy")
    assert survey.kind == "real"
    assert survey.labels == ("first", "second")
    assert survey.synthetic_version("second")["income"].tolist() == [1.0, 2.0, 3.0]
    assert survey.synthesized == ("income",)
    assert survey.notes == ""


def test_the_data_folder_comes_before_the_cache(toy, cache, tmp_path, monkeypatch):
    put(cache, "toy.csv", replace=[(b"1200.5", b"9")])
    put(tmp_path / "data", "toy.csv")
    with pytest.raises(ChecksumError, match="cache"):
        datasets.load("toy")
    monkeypatch.setenv("SYNTHLAB_DATA_DIR", str(tmp_path / "data"))
    assert datasets.load("toy").frame["income"].iloc[0] == 1200.5


def test_simulated_can_be_forced(toy, cache):
    put(cache, *TOY_FILES)
    assert datasets.load("toy", version="simulated").kind == "simulated"


def test_missing_synthetic_files_are_noted(toy, cache):
    put(cache, "toy.csv", "toy_homemade.csv")
    survey = datasets.load("toy")
    assert survey.labels == ("second",)
    assert survey.notes == "Not at hand: toy_synthetic.csv."
    with pytest.raises(InputError, match="label='first'"):
        survey.synthetic_version("first")


def test_a_damaged_file_is_never_replaced_by_the_stand_in(toy, cache):
    put(cache, "toy.csv", replace=[(b"\r\n", b"\n")])
    with pytest.raises(ChecksumError, match="other line ends"):
        datasets.load("toy")


def test_a_stand_in_in_spite_of_the_data_folder_warns(toy, tmp_path, monkeypatch):
    monkeypatch.setenv("SYNTHLAB_DATA_DIR", str(tmp_path))
    with pytest.warns(StandInDataWarning, match=r"no toy\.csv in SYNTHLAB_DATA_DIR"):
        datasets.load("toy")
    assert datasets.load("toy", version="simulated").kind == "simulated"


def test_a_data_folder_that_is_none(toy, tmp_path, monkeypatch):
    monkeypatch.setenv("SYNTHLAB_DATA_DIR", str(tmp_path / "nowhere"))
    with pytest.raises(InputError, match=r"SYNTHLAB_DATA_DIR='.*nowhere': no such folder"):
        datasets.load("toy")


def test_an_empty_data_folder_variable_is_unset(toy, monkeypatch):
    monkeypatch.setenv("SYNTHLAB_DATA_DIR", " ")
    assert datasets.load("toy").kind == "simulated"


# bad arguments


def test_unknown_name_suggests_the_near_one():
    with pytest.raises(InputError, match=r"name='affair': unknown dataset; .* did you mean 'affairs'\?"):
        datasets.load("affair")


@pytest.mark.parametrize("name", [None, 3, ["acs"]])
def test_a_name_is_text(name):
    with pytest.raises(InputError, match="unknown dataset"):
        datasets.load(name)


def test_unknown_version():
    with pytest.raises(InputError, match="version='lecture': must be one of 'real', 'simulated'"):
        datasets.load("acs", version="lecture")


@pytest.mark.parametrize(("argument", "value"), [("rng", 1), ("n", 10)])
def test_rng_and_n_are_for_versions_drawn_anew(argument, value):
    with pytest.raises(
        InputError, match=f"{argument}={value}: does not apply to dataset 'ce2017'.* which is not drawn anew"
    ):
        datasets.load("ce2017", **{argument: value})
    with pytest.raises(InputError, match=f'{argument}={value}: .*, or use version="simulated"'):
        datasets.load("nb_mixture", **{argument: value})


# what comes back


# The only dataset without a version that is always available.
FETCHED = "ce2015"


@every("name", lambda: [name for name in datasets.names() if name != FETCHED])
def test_every_frame_says_what_it_is(name):
    survey = datasets.load(name)
    assert tag(survey.frame) == {"dataset": name, "version": survey.version, "kind": survey.kind}
    for label, frame in zip(survey.labels, survey.synthetic, strict=True):
        assert tag(frame) == {**tag(survey.frame), "synthetic": label}
    assert json.loads(json.dumps(survey.frame.attrs)) == survey.frame.attrs
    first = survey.frame.columns[0]
    for derived in (survey.frame.copy(), survey.frame[[first]], survey.frame.assign(new=1), survey.frame.head()):
        assert tag(derived)["kind"] == survey.kind


def test_each_call_gives_fresh_frames():
    first = datasets.load("ce2017")
    first.frame["income"] = 0.0
    first.frame.attrs["synthlab"]["kind"] = "real"
    again = datasets.load("ce2017")
    assert again.frame["income"].max() > 0
    assert tag(again.frame)["kind"] == "simulated"


@pytest.mark.parametrize(
    ("name", "rows", "columns", "non_users"), [("affairs", 6366, 9, 4313), ("anes96", 944, 11, None)]
)
def test_the_surveys_that_are_always_there(name, rows, columns, non_users):
    survey = datasets.load(name)
    assert survey.kind == "real"
    assert survey.frame.shape == (rows, columns)
    assert not survey.frame.isna().any(axis=None)
    if non_users is not None:
        assert int((survey.frame["affairs"] == 0).sum()) == non_users


def test_another_affairs_is_noticed(monkeypatch):
    from statsmodels.datasets import fair

    class Changed:
        data = fair.load_pandas().data.assign(affairs=0.0)

    monkeypatch.setattr(fair, "load_pandas", Changed)
    monkeypatch.setattr(_load, "_made_once", _load._made_once.__wrapped__)  # as in a new process
    with pytest.raises(ChecksumError, match="dataset 'affairs': the installed source .* contains other data"):
        datasets.load("affairs")


def test_describe_has_a_row_a_version(toy, cache):
    table = datasets.describe().set_index(["name", "version"])
    assert table.loc[("acs", "real"), ["kind", "rows", "variables", "synthetic", "at_hand"]].tolist() == [
        *("real", 10_000, 9, 3, False)
    ]
    assert table.loc[("acs", "simulated"), "default"]
    assert not table.loc[("toy", "real"), "at_hand"]
    put(cache, "toy.csv")
    table = datasets.describe().set_index(["name", "version"])
    assert table.loc[("toy", "real"), "at_hand"]
    assert table.loc[("toy", "real"), "default"]
    defaults = table.groupby("name")["default"].sum()
    assert defaults.drop(FETCHED).eq(1).all()
    assert defaults[FETCHED] == 0


def test_names_are_those_of_the_registry():
    assert datasets.names() == [
        "affairs",
        "anes96",
        "acs",
        "ce",
        "ce_lecture",
        "ce2017",
        FETCHED,
        "nb_mixture",
        "esc",
        "youths",
        "households",
    ]


# declared columns and dtypes


def test_columns_that_are_not_declared():
    variables = _registry.CE_LECTURE.variables
    with pytest.raises(DtypeMismatchError, match="a file: has columns"):
        declare(pd.DataFrame({"Income": [1.0]}), variables, "a file")


@pytest.mark.parametrize(
    ("column", "value", "message"),
    [
        ("UrbanRural", 3, "contains codes that are not declared"),
        ("age", 1.5, "declared as integer but contains fractions"),
    ],
)
def test_values_that_are_not_declared(column, value, message):
    entry = _registry.CE_LECTURE if column == "UrbanRural" else _registry.ANES96
    frame = datasets.load(entry.name).frame.copy()
    frame[column] = value
    with pytest.raises(DtypeMismatchError, match=message):
        declare(frame, entry.variables, "a file")


def test_the_hash_of_a_frame_sees_values_and_names():
    frame = pd.DataFrame({"a": [1.0, 0.1 + 0.2]})
    assert frame_sha256(frame) == frame_sha256(pd.DataFrame({"a": [1.0, 0.3]}))
    assert frame_sha256(frame) != frame_sha256(frame.rename(columns={"a": "b"}))
    assert frame_sha256(frame) != frame_sha256(frame.iloc[::-1])


# light


def test_import_is_light():
    code = """
import sys
from synthlab import datasets
heavy = {"requests", "tqdm", "pooch", "statsmodels", "scipy", "rdata", "matplotlib", "pymc"} & set(sys.modules)
print(sorted(heavy))
"""
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert run.stdout.strip() == "[]"
