"""The page from the laptop to the cluster: its scripts are saved and run, one after the other, in an empty folder."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pandas as pd
import pytest

import synthlab as sl
from tests.clusters import start_cluster
from tests.snippets import code

pytest.importorskip("distributed", reason="distributed is not installed: the extra scale brings it")

ROOT = Path(__file__).resolve().parents[2]
PAGE = (ROOT / "course" / "pages" / "from_my_laptop_to_the_cluster.md").read_text(encoding="utf-8")


def test_the_functions_of_the_page_are_all_there_are():
    table = PAGE.split("## Functions")[1].split("\n## ")[0]
    named = {
        name for row in re.findall(r"^\| (`.*?) \|", table, flags=re.MULTILINE) for name in re.findall(r"`(\w+)`", row)
    }
    assert named == {name for name in sl.scale.__all__ if name[0].islower()}


@pytest.mark.full
def test_the_scripts_of_the_page_run(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)  # where the workers find the files
    said = {}
    environment = {**os.environ, "PYTHONPATH": str(ROOT), "DASK_LOGGING__DISTRIBUTED": "error"}
    fitted = sl.Resample(["a"]).fit(pd.DataFrame({"a": [1, 2, 3]}), rng=1)

    def run(script: str) -> str:
        command = [sys.executable, script]
        done = subprocess.run(command, cwd=tmp_path, env=environment, capture_output=True, text=True, check=False)
        assert done.returncode == 0, done.stderr
        return done.stdout

    with start_cluster(n_workers=1, dashboard_address=None) as cluster:
        for one in code("course/pages/from_my_laptop_to_the_cluster.md"):
            text = re.sub(r"tcp://[\w.]+:8786", cluster.scheduler_address, one.text)
            name = re.match(r"(?:# |python )(\w+\.py)\n", text)
            if one.language == "bash":
                said[name[1]] = run(name[1])
            elif name:
                (tmp_path / name[1]).write_text(text, encoding="utf-8")
            else:
                names = {"fitted": fitted}
                exec(compile(text, "page", "exec"), names)  # noqa: S102 - our own page, in a test
                assert names["release"].m in (20, 200)
        shutil.rmtree(tmp_path / "risk")  # which is there only when all of it is written
        assert run("by_hand.py") == said["risk.py"]
    assert list(said) == ["data.py", "risk.py", "look.py"]
    frames = [
        pd.read_parquet(tmp_path / name).sort_values("person", ignore_index=True)
        for name in ("confidential", "synthetic")
    ]
    intruder = sl.Intruder(known=["region", "age"], synthesized=["income"], radius={"income": 0.2})
    risk = sl.identification_risk(*frames, intruder)
    assert f"expected match risk {risk.expected_match_risk[0]:.6f}".rstrip("0") in said["look.py"]
    assert "20,000 records, m = 1" in said["risk.py"]
    assert f"{risk.n_unique[0]}" in said["risk.py"]
