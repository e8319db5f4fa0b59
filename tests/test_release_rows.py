"""What row i of a release is: aligned with record i, shuffled, or unknown."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

import synthlab as sl
from synthlab.dp import private_table
from synthlab.exceptions import InputError, RowAlignmentError
from synthlab.release import Release, as_release
from synthlab.release.release import as_aligned_release
from synthlab.weights import PseudoPosteriorMechanism


@pytest.fixture
def people() -> pd.DataFrame:
    rng = np.random.default_rng(5)
    return pd.DataFrame(
        {
            "sex": rng.choice(["f", "m"], 60),
            "region": rng.choice(["n", "s", "w"], 60),
            "income": rng.normal(50.0, 10.0, 60),
        }
    )


# Nothing here looks at the draws, so a few do.
pytestmark = pytest.mark.filterwarnings("ignore::synthlab.exceptions.ConvergenceWarning")
SHORT = {"draws": 30, "tune": 30, "chains": 1}


@pytest.mark.parametrize(
    ("model", "columns", "rows"),
    [
        (sl.Resample(["sex", "region"]), ["sex", "region"], "unknown"),
        (sl.DirichletMultinomial(["sex", "region"]), ["sex", "region"], "unknown"),
        (sl.Sequential([sl.Resample(["region"]), sl.CART(["income"], ["region"])]), ["region", "income"], "unknown"),
        (sl.DPMPM(["sex", "region"]), ["sex", "region"], "unknown"),
        # Both draw a record with its own confidential value.
        (sl.DPMPM(["sex", "region"], membership="record"), ["sex", "region"], "aligned"),
        (sl.Topcoding("income", top=55.0), ["income"], "aligned"),
        # A column is not synthesized.
        (sl.DPMPM(["sex", "region"], synthesized=["region"]), ["sex", "region"], "aligned"),
    ],
)
def test_where_every_column_is_synthetic_nothing_is_said_unless_the_record_itself_was_used(
    model, columns, rows, people
):
    assert model.fit(people[columns], rng=1, **SHORT).generate(1, rng=2).rows == rows


def test_tables_hold_nobodys_rows(people):
    levels = {"sex": ["f", "m"], "region": ["n", "s", "w"]}
    result = private_table(people[["sex", "region"]], levels=levels, n_synthetic=50, epsilon=100.0, m=1, rng=1)
    assert result.release().rows == "unknown"


def test_a_mechanism_hands_on_the_rows_of_its_synthesizer(people):
    model = sl.DirichletMultinomial(["region"], given=["sex"])
    release = PseudoPosteriorMechanism(synthesizer=model, quantile=1.0).fit(people, rng=1).generate(1, rng=1)
    assert release.rows == "aligned"
    assert "epsilon_total" in release.provenance


def test_rows_are_unknown_unless_said(people, tmp_path):
    people.to_csv(tmp_path / "a.csv", index=False)
    assert Release([people]).rows == as_release(people).rows == as_release([people, people]).rows == "unknown"
    assert Release.from_files([tmp_path / "a.csv"]).rows == as_release(tmp_path / "a.csv").rows == "unknown"
    assert Release.from_files([tmp_path / "a.csv"], rows="aligned").rows == "aligned"
    with pytest.raises(InputError, match="rows='sorted': must be one of 'aligned', 'shuffled', 'unknown'"):
        Release([people], rows="sorted")
    with pytest.raises(InputError, match="rows="):
        Release.from_files([tmp_path / "a.csv"], rows=["aligned"])


@pytest.mark.parametrize("rows", ["aligned", "shuffled", "unknown"])
def test_rows_are_saved_and_loaded_and_are_no_part_of_the_provenance(rows, people, tmp_path):
    release = Release([people], ["income"], {"synthesizer": "by hand"}, rows=rows)
    folder = release.save(tmp_path / "out", keep_order=True)
    loaded = Release.load(folder)
    assert loaded.rows == as_release(folder).rows == rows
    assert dict(loaded.provenance) == {"synthesizer": "by hand"}
    if rows == "shuffled":
        with pytest.raises(RowAlignmentError, match="before `shuffled`"):
            as_aligned_release(loaded)
    else:
        assert as_aligned_release(loaded) is loaded


def test_a_copy_with_another_provenance_keeps_the_rows(people):
    assert replace(Release([people], rows="aligned"), provenance={"a": 1}).rows == "aligned"


@pytest.mark.parametrize("number", [1, 2])
@pytest.mark.parametrize(("said", "rows"), [("shuffled", "shuffled"), ("aligned", "unknown"), (None, "unknown")])
def test_folders_of_the_old_formats_are_unknown_unless_shuffled(number, said, rows, tmp_path: Path):
    (tmp_path / "synthetic_001.csv").write_text("x\n1\n2\n")
    column = "int64" if number == 1 else {"dtype": "int64"}
    manifest = {"format": number, "files": ["synthetic_001.csv"], "n": 2, "columns": {"x": column}}
    provenance = {"seed": 1} if said is None else {"seed": 1, "rows": said}
    manifest |= {"differing": {}, "synthesized": None, "provenance": provenance}
    (tmp_path / "release.json").write_text(json.dumps(manifest))
    loaded = Release.load(tmp_path)
    assert loaded.rows == rows
    assert loaded[0]["x"].tolist() == [1, 2]
    assert (dict(loaded.provenance), dict(loaded.private)) == ({}, {"seed": 1})
