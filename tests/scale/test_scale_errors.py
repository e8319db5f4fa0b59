"""Input that cannot be used is named, without a value of the data, and leaves no files behind."""

from __future__ import annotations

import subprocess
import sys
import warnings

import numpy as np
import pandas as pd
import pytest

import synthlab as sl
from synthlab.exceptions import (
    DtypeMismatchError,
    ExtraUnavailableError,
    FitsInMemoryWarning,
    InputError,
    MissingValueError,
    RowAlignmentError,
)
from synthlab.scale import _engine
from synthlab.scale._engine import Work

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


def test_what_is_not_installed_is_named(tmp_path, monkeypatch):
    monkeypatch.setitem(sys.modules, "duckdb", None)
    with pytest.raises(ExtraUnavailableError, match=r"synthlab\.scale needs duckdb, which is not installed"):
        ask(tmp_path)


@pytest.mark.filterwarnings("ignore::synthlab.exceptions.SynthlabWarning")
def test_a_partition_larger_than_memory_is_cut(tmp_path):
    rng = np.random.default_rng(1)
    regions = np.where(rng.random(3000) < 0.95, "city", rng.choice(["a", "b", "c"], 3000))
    people = pd.DataFrame({"id": range(3000), "k": regions, "y": np.round(rng.lognormal(10, 1, 3000), 1)})
    release = people.assign(y=people["y"] * rng.lognormal(0, 0.1, 3000))
    found = ask(tmp_path, people, release, partition_rows=1500)
    wanted = sl.identification_risk(people, release, SOMEONE)
    pd.testing.assert_frame_equal(found.summary(), wanted.summary(), rtol=1e-12)
    files = [len(pd.read_parquet(path)) for path in found.output.iterdir()]
    assert len(files) > 4
    assert max(files) < 750  # a slice has at most 1,500 records of both files


FULL = """
import resource, sys, warnings
import synthlab as sl
warnings.simplefilter("ignore")
someone = sl.Intruder(known=["k"], synthesized=["y"], radius={"y": 0.1})
resource.setrlimit(resource.RLIMIT_FSIZE, (int(sys.argv[2]), resource.RLIM_INFINITY))
try:
    sl.scale.identification_risk(
        sys.argv[1] + "/people.parquet", sys.argv[1] + "/people.parquet", someone, id="id", output=sys.argv[1] + "/risk"
    )
except sl.exceptions.InputError as error:
    print(error)
"""


@pytest.mark.parametrize("bytes_", [1_000, 60_000], ids=["partitions", "records"])
def test_a_full_disk_leaves_nothing_behind_and_names_the_folder(bytes_, tmp_path):
    rng = np.random.default_rng(1)
    people = pd.DataFrame({"id": rng.permutation(9000), "k": rng.integers(0, 3, 9000), "y": rng.lognormal(10, 1, 9000)})
    people.to_parquet(tmp_path / "people.parquet")
    command = [sys.executable, "-c", FULL, str(tmp_path), str(bytes_)]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    assert "cannot be written" in done.stdout
    assert f"{tmp_path / 'risk.unfinished'}" in done.stdout
    assert [path.name for path in tmp_path.iterdir()] == ["people.parquet"]


def test_a_folder_of_the_user_is_not_removed(tmp_path):
    pd.DataFrame({"id": range(8), "k": [1, 2] * 4, "y": np.arange(8.0)}).to_parquet(tmp_path / "people.parquet")
    kept = tmp_path / "risk.unfinished" / "thesis.txt"
    kept.parent.mkdir()
    kept.write_text("mine")
    files = [tmp_path / "people.parquet"] * 2
    with pytest.raises(InputError, match=r"risk\.unfinished.*no unfinished work"):
        sl.scale.identification_risk(*files, SOMEONE, id="id", output=tmp_path / "risk")
    assert kept.read_text() == "mine"


@pytest.mark.filterwarnings("ignore::synthlab.exceptions.SynthlabWarning")
@pytest.mark.parametrize("changed", [False, True], ids=["the same files", "a changed file"])
def test_an_interrupted_run_continues_unless_a_file_changed(changed, tmp_path, monkeypatch):
    rng = np.random.default_rng(1)
    people = pd.DataFrame({"id": range(800), "k": rng.integers(0, 40, 800), "y": rng.lognormal(10, 1, 800)})
    people.to_parquet(tmp_path / "people.parquet")
    finished, computed = Work.write, []

    def interrupted(self, frame, name):
        if len(computed) == 3:
            raise KeyboardInterrupt
        computed.append(name)
        finished(self, frame, name)

    def run():
        files = [tmp_path / "people.parquet"] * 2
        return sl.scale.identification_risk(*files, SOMEONE, id="id", output=tmp_path / "risk", partition_rows=200)

    monkeypatch.setattr(Work, "write", interrupted)
    with pytest.raises(KeyboardInterrupt):
        run()
    assert (tmp_path / "risk.unfinished").stat().st_mode & 0o777 == 0o700
    before = list(computed)
    computed.clear()
    if changed:
        people = people.assign(y=people["y"] + 1)
        people.to_parquet(tmp_path / "people.parquet")
    monkeypatch.setattr(
        Work, "write", lambda self, frame, name: (computed.append(name), finished(self, frame, name))[1]
    )
    found = run()
    assert set(before).isdisjoint(computed) is not changed
    assert len({*before, *computed}) == len(list(found.output.iterdir()))
    pd.testing.assert_frame_equal(
        found.summary(), sl.identification_risk(people, people, SOMEONE).summary(), rtol=1e-12
    )
    assert not (tmp_path / "risk.unfinished").exists()


@pytest.mark.filterwarnings("ignore::synthlab.exceptions.NoBetterThanBaselineWarning")
def test_files_that_fit_in_memory_are_told(tmp_path, monkeypatch):
    monkeypatch.setattr(_engine, "FEW", 8)
    with pytest.warns(FitsInMemoryWarning, match=r"8 records fit in memory: synthlab\.identification_risk"):
        ask(tmp_path, release=PEOPLE.assign(y=[1.0, 772.5, 773.5, 774.5]))
    monkeypatch.setattr(_engine, "IN_MEMORY", 2**60)
    with warnings.catch_warnings(record=True) as seen:
        warnings.simplefilter("always")
        ask(tmp_path, output=tmp_path / "more")
    assert not [one for one in seen if one.category is FitsInMemoryWarning]
