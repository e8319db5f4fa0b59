"""What is recorded in data/reference is what R says today, and was computed from the inputs that lie beside it."""

from __future__ import annotations

import hashlib
import shutil
import subprocess
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

INPUTS = ("utility_confidential.csv", "utility_partial.csv", "utility_full.csv")


def test_inputs_are_those_the_answers_were_computed_from(reference: Path) -> None:
    session = (reference / "utility_session.txt").read_text(encoding="utf-8")
    assert "R version" in session
    for name in INPUTS:
        digest = hashlib.sha256((reference / name).read_bytes()).hexdigest()
        assert f"sha256 {digest} {name}" in session


@pytest.mark.r
def test_recorded_answers_are_what_r_says_now(reference: Path, tmp_path: Path) -> None:
    if shutil.which("Rscript") is None:
        pytest.skip("R is not on PATH")
    shutil.copy(reference / "utility.R", tmp_path)
    subprocess.run(["Rscript", str(tmp_path / "utility.R")], check=True, capture_output=True, timeout=120)
    for name in INPUTS:
        assert (tmp_path / name).read_bytes() == (reference / name).read_bytes()
    live, recorded = (pd.read_csv(folder / "utility.csv") for folder in (tmp_path, reference))
    keys = ["what", "release", "dataset", "name"]
    pd.testing.assert_frame_equal(live[keys], recorded[keys])
    np.testing.assert_allclose(live["value"], recorded["value"], rtol=1e-8, atol=1e-15)
