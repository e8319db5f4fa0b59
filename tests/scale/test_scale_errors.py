"""Input that cannot be used is named, without a value of the data, and leaves no files behind."""

from __future__ import annotations

import sys

import numpy as np
import pandas as pd
import pytest

import synthlab as sl
from synthlab.exceptions import (
    DtypeMismatchError,
    ExtraUnavailableError,
    InputError,
    MissingValueError,
    RowAlignmentError,
)

dask = pytest.importorskip("dask", reason="dask is not installed: the extra scale brings it")
pytest.importorskip("distributed", reason="distributed is not installed: the extra scale brings it")

PEOPLE = pd.DataFrame({"id": [11, 12, 13, 14], "k": list("aabb"), "y": [771.5, 772.5, 773.5, 774.5]})
SOMEONE = sl.Intruder(known=["k"], synthesized=["y"], radius={"y": 0.1})


def ask(tmp_path, people=PEOPLE, release=PEOPLE, intruder=SOMEONE, **options):
    for name, frame in {"people": people, "release": release}.items():
        frame.to_parquet(tmp_path / f"{name}.parquet")
    options = {"id": "id", "output": tmp_path / "risk", **options}
    with dask.config.set(scheduler="synchronous"):
        return sl.scale.identification_risk(
            tmp_path / "people.parquet", tmp_path / "release.parquet", intruder, **options
        )


WRONG = {
    "an id twice": (
        {"release": PEOPLE.assign(id=[11, 12, 12, 14])},
        InputError,
        "1 records of synthetic dataset 1 have the id",
    ),
    "other ids": (
        {"release": PEOPLE.assign(id=[11, 12, 99, 14])},
        RowAlignmentError,
        "1 ids of confidential are not in",
    ),
    "fewer ids": ({"release": PEOPLE.iloc[:3]}, RowAlignmentError, "1 ids of confidential are not in"),
    "an id missing": (
        {"people": PEOPLE.assign(id=pd.array([11, None, 13, 14], dtype="Int64"))},
        InputError,
        "1 missing values",
    ),
    "ids with fractions": ({"people": PEOPLE.assign(id=PEOPLE["y"])}, InputError, "whole numbers or text"),
    "no ids": ({"id": "nobody"}, InputError, "id: 'nobody' not in confidential"),
    "an id that is known": ({"id": "k"}, InputError, "is a variable that the intruder compares"),
    "text and numbers": (
        {"release": PEOPLE.assign(k=[1, 1, 2, 2])},
        DtypeMismatchError,
        "text values in confidential and number",
    ),
    "missing": (
        {"people": PEOPLE.assign(k=["a", None, "b", "b"])},
        MissingValueError,
        "column 'k' has 1 missing values",
    ),
    "infinite": ({"release": PEOPLE.assign(y=[1, 2, 3, np.inf])}, InputError, "column 'y' has 1 infinite values"),
    "no such column": ({"release": PEOPLE.drop(columns="y")}, InputError, "known and synthesized: 'y' not in"),
    "targets": (
        {"intruder": sl.Intruder(known=["k"], synthesized=["y"], radius=0.1, targets=[1])},
        InputError,
        "does not use it",
    ),
    "lists": ({"release": PEOPLE.assign(k=[[1]] * 4)}, InputError, "column 'k' has an unsupported type"),
    "no room": ({"partition_rows": 0}, InputError, "partition_rows=0"),
}


@pytest.mark.parametrize("case", WRONG)
def test_what_is_wrong_is_named(case, tmp_path):
    options, kind, said = WRONG[case]
    with pytest.raises(kind, match=said) as caught:
        ask(tmp_path, **options)
    assert not any(value in str(caught.value) for value in ("771", "772", "773", "774", "99"))
    assert sorted(path.name for path in tmp_path.iterdir()) == ["people.parquet", "release.parquet"]


def test_a_continuous_variable_needs_a_radius(tmp_path):
    amounts = np.random.default_rng(1).lognormal(5, 1, 80)
    frame = pd.DataFrame({"id": range(80), "region": ["a", "b"] * 40, "y": amounts})
    with pytest.raises(InputError, match="'y' looks continuous and has no radius"):
        ask(tmp_path, frame, frame, sl.Intruder(known=["region"], synthesized=["y"]))


def test_a_folder_that_is_there_is_left_alone(tmp_path):
    (tmp_path / "risk").mkdir()
    with pytest.raises(InputError, match="already exists"):
        ask(tmp_path)


@pytest.mark.filterwarnings("ignore::synthlab.exceptions.SynthlabWarning")
def test_folders_above_the_output_are_made(tmp_path):
    ask(tmp_path, output=str(tmp_path / "study" / "risk"))
    assert list((tmp_path / "study" / "risk").iterdir())
    assert not (tmp_path / "study" / "risk.unfinished").exists()


def test_frames_in_memory_are_sent_to_the_functions_in_memory(tmp_path):
    with pytest.raises(InputError, match="function of the same name in synthlab"):
        sl.scale.exact_copies(PEOPLE, PEOPLE)


def test_an_argument_without_files_is_named(tmp_path):
    PEOPLE.to_parquet(tmp_path / "people.parquet")
    for name in ("confidential", "synthetic"):
        files = {"confidential": tmp_path / "people.parquet", "synthetic": tmp_path / "people.parquet"} | {name: []}
        with pytest.raises(InputError, match=f"^{name}: must contain at least one path or dask DataFrame"):
            sl.scale.exact_copies(**files)
        with pytest.raises(InputError, match=f"^{name}: must contain at least one path or dask DataFrame"):
            sl.scale.identification_risk(**files, intruder=SOMEONE, id="id", output=tmp_path / "risk")


@pytest.mark.parametrize("value", ["a", None, True, float("nan"), float("inf")])
@pytest.mark.parametrize("name", ["scale", "shift"])
def test_scale_and_shift_are_checked_before_the_files_are_read(name, value, tmp_path):
    with pytest.raises(InputError, match=f"^{name}="):
        sl.scale.risk_weights(tmp_path / "none", SOMEONE, id="id", output=tmp_path / "weights", **{name: value})
    with pytest.raises(InputError, match="^scale=-1"):
        sl.scale.risk_weights(tmp_path / "none", SOMEONE, id="id", output=tmp_path / "weights", scale=-1)


def test_a_block_that_cannot_be_cut_says_what_to_change(tmp_path):
    people = pd.DataFrame({"id": range(50), "y": [5.5] * 50, "z": [1.5] * 50})
    intruder = sl.Intruder(known=[], synthesized=["y", "z"], radius={"y": 0.1, "z": 0.1})
    with pytest.raises(InputError, match="cannot be cut along y, z.*more memory.*more known variables.*smaller radius"):
        ask(tmp_path, people, people, intruder, partition_rows=10)


def test_a_worker_too_small_is_told_at_once(tmp_path):
    distributed = pytest.importorskip("distributed", reason="distributed is not installed: the extra scale brings it")
    options = {
        "n_workers": 1,
        "threads_per_worker": 2,
        "processes": False,
        "memory_limit": "1GiB",
        "dashboard_address": ":0",
    }
    PEOPLE.to_parquet(tmp_path / "people.parquet")
    files = [tmp_path / "people.parquet"] * 2
    with (
        distributed.LocalCluster(**options) as cluster,
        distributed.Client(cluster),
        pytest.raises(InputError, match=r"0\.50 GiB per thread, but 0\.62 GiB are required.*memory_limit"),
    ):
        sl.scale.identification_risk(*files, SOMEONE, id="id", output=tmp_path / "risk")


def test_row_groups_too_large_for_the_workers_are_told(tmp_path, monkeypatch):
    from synthlab.scale import _cluster

    monkeypatch.setattr(_cluster, "memory", lambda: _cluster.BASE + 2 * _cluster.SMALLEST)
    monkeypatch.setattr(_cluster, "room", lambda each: 3)
    with pytest.raises(InputError, match="row group of the Parquet files has 4"):
        ask(tmp_path)


def test_what_is_not_installed_is_named(tmp_path, monkeypatch):
    monkeypatch.setitem(sys.modules, "dask.dataframe", None)
    with pytest.raises(ExtraUnavailableError, match=r"synthlab\.scale needs dask\.dataframe, which is not installed"):
        ask(tmp_path)
