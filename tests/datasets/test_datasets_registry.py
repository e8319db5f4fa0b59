"""Every entry of the registry is complete, and every file of ``data`` is the one it says."""

from __future__ import annotations

import subprocess
import sys

import pandas as pd
import pytest

from synthlab import datasets
from synthlab.datasets._registry import REGISTRY
from synthlab.datasets.files import packaged_file, sha256
from tests.loops import every

PACKAGED = [file for e in REGISTRY.values() for v in e.versions if v.packaged for file in v.files]
LOADABLE = [(e.name, v.name) for e in REGISTRY.values() for v in e.versions if v.packaged or v.make is not None]
AVAILABLE = {name for name, _ in LOADABLE}


@every("entry", REGISTRY.values())
def test_roles_and_texts(entry):
    assert REGISTRY[entry.name] is entry
    variables = set(entry.variables)
    assert set(entry.known) <= variables
    assert set(entry.synthesized) <= variables
    assert entry.sensitive
    assert set(entry.sensitive) <= variables - set(entry.known)
    assert not set(entry.known) & set(entry.synthesized)
    assert all(variable.text for variable in entry.variables.values())
    if entry.name in AVAILABLE:
        assert datasets.load(entry.name).variables == {name: v.text for name, v in entry.variables.items()}


@every("entry", REGISTRY.values())
def test_versions(entry):
    assert len({v.name for v in entry.versions}) == len(entry.versions)
    for version in entry.versions:
        assert version.source
        assert version.licence
        assert (version.make is None) != (not version.files)
        assert [file.label for file in version.files[:1]] in ([], [None])
        assert None not in [file.label for file in version.files[1:]]
        assert version.kind == "simulated" or not version.packaged
    assert (entry.name in AVAILABLE) == (entry.name != "ce2015")  # which has no stand-in


@every("file", PACKAGED)
def test_packaged_files_have_their_hash(file):
    assert sha256(packaged_file(file.name).read_bytes()) == file.sha256


def test_every_csv_of_the_project_is_registered_and_none_is_real(root):
    files = {path.name: sha256(path.read_bytes()) for path in (root / "data").glob("*.csv")}
    assert set(files) == {file.name for file in PACKAGED}
    real = {f.sha256 for e in REGISTRY.values() for v in e.versions if v.kind == "real" for f in v.files}
    assert not real & set(files.values())


@every(("name", "version"), LOADABLE)
def test_frames_are_as_declared(name, version):
    survey = datasets.load(name, version=version)
    assert survey.n == next(v.rows for v in REGISTRY[name].versions if v.name == version)
    check_frames(survey)


def check_frames(survey):
    entry = REGISTRY[survey.name]
    for frame in (survey.frame, *survey.synthetic):
        assert frame.dtypes.to_dict() == {
            name: pd.api.types.pandas_dtype(v.dtype) for name, v in entry.variables.items()
        }
        assert len(frame) == survey.n
        missing = {column for column in frame if frame[column].isna().any()}
        assert missing == {name for name, v in entry.variables.items() if v.missing}
    for column in survey.frame.select_dtypes("category"):
        # Every level occurs: none is an empty column of a model.
        assert survey.frame[column].value_counts().min() > 0
    for frame in survey.synthetic:
        changed = {c for c in frame if (frame[c] != survey.frame[c]).any()}
        assert changed == set(survey.synthesized)


@pytest.mark.parametrize(
    "script", ["make_acs.py", "make_ce.py", "make_ce2017.py", "make_youths.py", "make_households.py"]
)
def test_the_scripts_make_the_committed_files(script, root, tmp_path):
    run = subprocess.run(
        [sys.executable, "-B", str(root / "data" / script), "--to", str(tmp_path)],
        capture_output=True,
        text=True,
        check=True,
    )
    made = {path.name: path.read_bytes() for path in tmp_path.glob("*.csv")}
    printed = {line.split()[1]: line.split()[0] for line in run.stdout.splitlines()}
    assert made
    assert printed == {name: sha256(data) for name, data in made.items()}
    for name, data in made.items():
        assert data == (root / "data" / name).read_bytes(), name


@pytest.mark.real
@pytest.mark.parametrize("name", ["acs", "ce", "ce_lecture", "youths"])
def test_real_data_have_the_shape_of_their_stand_in(name, real_data, monkeypatch):
    monkeypatch.setenv("SYNTHLAB_DATA_DIR", str(real_data))
    real, stand_in = datasets.load(name), datasets.load(name, version="simulated")
    assert (real.kind, stand_in.kind) == ("real", "simulated")
    assert real.frame.shape == stand_in.frame.shape
    assert real.labels == stand_in.labels
    assert real.roles == stand_in.roles
    check_frames(real)
