"""CONTRIBUTING.md names what exists, a new measure is in every output, and the workflows call what the Makefile has."""

from __future__ import annotations

import json
import re
import warnings
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
import yaml

import synthlab as sl
from synthlab.exceptions import SynthlabWarning
from synthlab.report.measures import MEASURES
from tests.toys.same_row import SameRow

ROOT = Path(__file__).resolve().parents[1]
TEXT = (ROOT / "CONTRIBUTING.md").read_text(encoding="utf-8")
TREE = re.search(r"^## Structure$.*?^Next to", TEXT, flags=re.M | re.S)[0]
MADE = ("NAME", "build/")  # a placeholder; the product of a command, which a fresh clone does not have
PATHS = sorted({p for p in re.findall(r"`([\w./-]+)`", TEXT.replace(TREE, "")) if "/" in p and not p.startswith(MADE)})
WORKFLOWS = sorted((ROOT / ".github" / "workflows").glob("*.yml"))


def test_every_path_and_module_exists() -> None:
    assert len(PATHS) > 20
    assert [path for path in PATHS if not (ROOT / path).exists()] == []
    modules = {name.replace(".", "/") for name in re.findall(r"`python -m ([\w.]+)", TEXT)}
    modules = {name.replace("replications", "course/replications") for name in modules}
    assert {name for name in modules if not ((ROOT / f"{name}.py").is_file() or (ROOT / name).is_dir())} == set()


def test_the_table_of_the_package_lists_its_folders() -> None:
    folders = {path.parent.name for path in (ROOT / "synthlab").glob("*/__init__.py")}
    assert {name for name in folders if not name.startswith("_")} == {*re.findall(r"`(\w+)/`", TREE)}


def test_a_new_measure_is_in_the_text_the_page_and_the_json_file(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    measure = SameRow()
    monkeypatch.setitem(MEASURES, measure.name, measure)
    rng = np.random.default_rng(1)
    survey = pd.DataFrame({"region": rng.choice(list("NESW"), 60), "income": rng.normal(50, 9, 60)})
    release = survey.assign(income=np.where(np.arange(60) < 7, survey["income"], rng.normal(50, 9, 60)))
    intruder = sl.Intruder(known=["region"], synthesized=["income"], radius={"income": 0.05})
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", SynthlabWarning)
        evaluation = sl.evaluate(survey, [release, survey], intruder, rows="aligned")
    assert evaluation[measure.name].counts == [7, 60]
    assert evaluation.summary().loc["same_row", ["synthetic", "confidential"]].tolist() == [33.5, 60]
    assert "same_row" in str(evaluation)
    assert "Records that are released unchanged." in evaluation.to_html()
    saved = json.loads(evaluation.save(tmp_path / "evaluation.json").read_text(encoding="utf-8"))
    assert saved["summary"]["same_row"]["synthetic"] == 33.5


def jobs(path: Path) -> dict[str, Any]:
    return dict(yaml.safe_load(path.read_text(encoding="utf-8"))["jobs"])


@pytest.mark.parametrize("path", WORKFLOWS, ids=lambda path: path.name)
def test_the_workflows_call_what_the_makefile_has(path: Path) -> None:
    commands = [step["run"] for job in jobs(path).values() for step in job["steps"] if "run" in step]
    targets = set(re.findall(r"^([a-z-]+):", (ROOT / "Makefile").read_text(encoding="utf-8"), flags=re.M))
    called = {target for line in commands for target in re.findall(r"\bmake ([a-z-]+)", line)}
    assert called
    assert called <= targets
    tests = {name for line in commands for name in re.findall(r"\btests/[\w/.]+", line)}
    assert {name for name in tests if not (ROOT / name).exists()} == set()


def test_nothing_is_uploaded_without_a_tag_and_by_trusted_publishing_alone() -> None:
    path = ROOT / ".github" / "workflows" / "release.yml"
    uploading = [
        name for name, job in jobs(path).items() if any("pypi-publish" in step.get("uses", "") for step in job["steps"])
    ]
    assert uploading == ["publish"]
    publish = jobs(path)["publish"]
    assert publish["if"] == "github.event_name == 'push' && startsWith(github.ref, 'refs/tags/v')"
    assert publish["permissions"] == {"id-token": "write"}
    assert not any("run" in step for step in publish["steps"]), "code of the repository runs in the job that publishes"
    assert "secrets." not in path.read_text(encoding="utf-8")
