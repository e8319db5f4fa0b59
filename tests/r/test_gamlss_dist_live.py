"""What data/reference records of gamlss.dist is what R says now."""

from __future__ import annotations

import shutil
import subprocess

import pandas as pd
import pytest

FILES = ("gamlss_dist_GAF.csv", "gamlss_dist_qGAF.csv", "gamlss_dist_NBI_PIG_PO.csv", "gamlss_dist_draws.csv")


@pytest.fixture(scope="module")
def live(tmp_path_factory, reference):
    rscript = shutil.which("Rscript")
    if rscript is None:
        pytest.skip("R is not on PATH")
    probe = [rscript, "-e", "quit(status = !requireNamespace('gamlss.dist', quietly = TRUE))"]
    if subprocess.run(probe, check=False).returncode:
        pytest.skip("the R package gamlss.dist is not installed: install.packages('gamlss.dist')")
    folder = tmp_path_factory.mktemp("gamlss_dist")
    subprocess.run([rscript, str(reference / "make_gamlss_dist.R"), str(folder)], check=True, capture_output=True)
    return folder


@pytest.mark.r
@pytest.mark.parametrize("name", FILES)
def test_recorded_equals_live(live, reference, name):
    now, recorded = (pd.read_csv(folder / name, skipinitialspace=True) for folder in (live, reference))
    pd.testing.assert_frame_equal(now[list(recorded)], recorded, check_dtype=False, rtol=1e-13)
