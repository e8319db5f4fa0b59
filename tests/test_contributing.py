"""CONTRIBUTING.md: its files exist, its steps lead to a registered measure, and workflows and lock file agree with it."""

from __future__ import annotations

import inspect
import json
import re
import shlex
import subprocess
import tomllib
import warnings
from importlib import import_module
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
import yaml
from packaging.requirements import Requirement

import synthlab as sl
from synthlab.exceptions import SynthlabWarning
from synthlab.report.measure import Measure
from synthlab.report.measures import MEASURES

ROOT = Path(__file__).resolve().parents[1]
TEXT = (ROOT / "CONTRIBUTING.md").read_text(encoding="utf-8")
MADE = ("NAME", "build/")  # a placeholder; the product of a command, which a fresh clone does not have
TREE = re.search(r"^## The package$.*?^## ", TEXT, flags=re.M | re.S)[0]
FOLDERS = re.findall(r"^\| \d \| `(\w+)/` \|", TREE, flags=re.M)
PATHS = sorted({p for p in re.findall(r"`([\w./-]+)`", TEXT.replace(TREE, "")) if "/" in p and not p.startswith(MADE)})
LISTS = dict(re.findall(r"^## How to add (.*?)\n\n(.*?)(?=^## )", TEXT, flags=re.M | re.S))
TOP_LEVEL = {
    *("README.md", "pyproject.toml", "Makefile", "conftest.py", "hatch_build.py", "uv.lock"),
    *("CHANGELOG.md", "CITATION.cff", "CONTRIBUTING.md", "LICENSE", "SECURITY.md"),
    *(".gitignore", ".pre-commit-config.yaml", ".github", ".ci"),
    *("synthlab", "course", "data", "tests", "binder"),
}


def test_there_is_a_list_for_each_kind_of_contribution() -> None:
    assert list(LISTS) == [
        "a risk measure",
        "a synthesizer",
        "a utility measure",
        "a lecture",
        "a dataset",
        "a replication",
        "a check against R",
    ]
    assert all(text.count("- [ ]") >= 2 for text in LISTS.values())


def test_every_path_exists() -> None:
    assert len(PATHS) > 40
    assert [path for path in PATHS if not (ROOT / path).exists()] == []


def test_the_table_of_the_package_lists_its_folders() -> None:
    package = ROOT / "synthlab"
    found = {path.parent.name for path in package.glob("*/__init__.py") if not path.parent.name.startswith("_")}
    assert found == {*FOLDERS}
    below = set(re.findall(r"`(\w+)/`", next(line for line in TREE.splitlines() if "`risk/`" in line))) - {"risk"}
    assert {path.parent.name for path in (package / "risk").glob("*/__init__.py")} == below


def test_the_repository_has_no_other_files_at_the_top_level() -> None:
    listed = subprocess.run(["git", "ls-files", "-z"], cwd=ROOT, capture_output=True, text=True, check=True).stdout
    assert {name.partition("/")[0] for name in listed.split("\0") if name} <= TOP_LEVEL


def test_a_registry_names_what_the_list_takes_as_its_example() -> None:
    registries = [p for p in PATHS if re.fullmatch(r"synthlab/.+/__init__\.pyi?", p)]
    assert len(registries) >= 4
    for path in registries:
        registry = (ROOT / path).read_text(encoding="utf-8")
        examples = {Path(p).stem for p in PATHS if Path(p).parent == Path(path).parent and p != path} - {"__init__"}
        assert [one for one in examples - {"base", "regression"} if one not in registry] == [], path


def test_the_steps_add_a_risk_measure(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """The code of the list is run and registered as it says, and the measure is in the text, the page and the JSON file."""
    file = tmp_path / "toy_of_contributing.py"
    file.write_text(re.search(r"```python\n(.*?)```", LISTS["a risk measure"], flags=re.S)[1], encoding="utf-8")
    monkeypatch.syspath_prepend(tmp_path)
    module = import_module(file.stem)
    classes = [one for one in vars(module).values() if inspect.isclass(one) and issubclass(one, Measure)]
    (measure,) = [one() for one in classes if one is not Measure]
    monkeypatch.setitem(MEASURES, measure.name, measure)
    rng = np.random.default_rng(1)
    survey = pd.DataFrame({"region": rng.choice(list("NESW"), 60), "income": rng.normal(50, 9, 60)})
    release = survey.assign(income=np.where(np.arange(60) < 7, survey["income"], rng.normal(50, 9, 60)))
    intruder = sl.Intruder(known=["region"], synthesized=["income"], radius={"income": 0.05})
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", SynthlabWarning)
        found = sl.evaluate(survey, [release, survey], intruder, rows="aligned")
    assert found[measure.name].counts == [7, 60]
    assert found.summary().loc["same_row", ["synthetic", "confidential"]].tolist() == [33.5, 60]
    assert "same_row" in str(found)
    assert "Records that are released unchanged." in found.to_html()
    saved = json.loads(found.save(tmp_path / "found.json").read_text(encoding="utf-8"))
    assert saved["summary"]["same_row"]["synthetic"] == 33.5


def test_the_steps_add_a_lecture() -> None:
    """Every lecture has what the list asks for: solutions, a row of the table, an exercise, and its modules can be run."""
    table = (ROOT / "course" / "README.md").read_text(encoding="utf-8")
    (exercise,) = re.findall(r"`(synthlab/[\w/]+/)lecture_08\.py`", LISTS["a lecture"])
    lectures = sorted((ROOT / "course").glob("[01]*.ipynb"))
    assert len(lectures) >= 16
    missing = []
    for path in lectures:
        number = path.name.partition("_")[0]
        needed = [ROOT / exercise / f"lecture_{number}.py"]
        missing += [str(one) for one in needed if not one.is_file()]
        missing += [] if list((ROOT / "course" / "solutions").glob(f"{number}_*")) else [f"solutions of {number}"]
        missing += [] if f"({path.name})" in table else [f"row of {number}"]
    assert missing == []
    for module in re.findall(r"`python -m ([\w.]+)", TEXT):
        if module not in ("pip", "pytest"):
            place = ROOT / module.replace(".", "/")
            assert place.with_suffix(".py").is_file() or (place / "__main__.py").is_file(), module


def test_the_lock_file_is_up_to_date() -> None:
    """It records the requirements of pyproject.toml; after a change of these: uv lock."""
    data = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
    project, groups = data["project"], data["dependency-groups"]
    lock = tomllib.loads((ROOT / "uv.lock").read_text(encoding="utf-8"))
    (own,) = [one for one in lock["package"] if one["name"] == project["name"]]
    assert lock["requires-python"] == project["requires-python"]

    def declared(lines: list[Any]) -> set[tuple[str, str]]:
        found = set()
        for line in lines:
            if isinstance(line, dict):
                found |= declared(groups[line["include-group"]])
                continue
            one = Requirement(line)
            if one.name == project["name"]:
                for extra in one.extras:
                    found |= declared(project["optional-dependencies"][extra])
            else:
                found.add((one.name.lower().replace("_", "-"), str(one.specifier)))
        return found

    def recorded(entries: list[dict[str, Any]]) -> set[tuple[str, str]]:
        return {(one["name"], str(Requirement(f"x{one.get('specifier', '')}").specifier)) for one in entries}

    metadata = own["metadata"]
    extras = project["optional-dependencies"]
    every = declared([*project["dependencies"], *(line for lines in extras.values() for line in lines)])
    assert recorded([one for one in metadata["requires-dist"] if one["name"] != project["name"]]) == every
    assert {name: recorded(lines) for name, lines in metadata["requires-dev"].items()} == {
        name: declared(lines) for name, lines in groups.items()
    }
    sources = {one["source"].get("registry", "") for one in lock["package"] if one is not own}
    assert sources == {"https://pypi.org/simple"}


def test_the_workflows_run_what_exists_and_the_table_lists_every_job() -> None:
    workflow = yaml.safe_load((ROOT / ".github" / "workflows" / "tests.yml").read_text(encoding="utf-8"))
    table = TEXT[TEXT.index("| job of tests.yml |") :]
    assert re.findall(r"^\| `([\w-]+)` \|", table, flags=re.M) == list(workflow["jobs"])
    assert {line.split("|")[3].strip() for line in table.splitlines() if line.startswith("| `")} == {
        "Linux, Python 3.11, on a development machine"
    }
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
    for job in workflow["jobs"].values():
        for line in (step.get("run", "") for step in job["steps"]):
            for word in shlex.split(line):
                assert not word.startswith("tests/") or (ROOT / word).is_file(), word
                if found := re.fullmatch(r"\.\[([\w,]+)\]", word):
                    assert {*found[1].split(",")} <= {*project["project"]["optional-dependencies"]}
            for group in re.findall(r"--group (\w+)", line):
                assert group in project["dependency-groups"]
    systems = workflow["jobs"]["systems"]["strategy"]["matrix"]
    assert {one.partition("-")[0] for one in systems["system"]} == {"ubuntu", "macos", "windows"}
    assert systems["python"] == ["3.11", "3.12", "3.13", "3.14"]


def test_the_templates_are_valid_and_ask_for_no_confidential_data() -> None:
    for path in sorted((ROOT / ".github" / "ISSUE_TEMPLATE").glob("*.yml")):
        form = yaml.safe_load(path.read_text(encoding="utf-8"))
        assert {"name", "description", "body"} <= set(form), path.name
        assert all(one["type"] in ("markdown", "textarea", "checkboxes") for one in form["body"])
        ids = [one["id"] for one in form["body"] if "id" in one]
        assert len(ids) == len(set(ids)) == sum(one["type"] != "markdown" for one in form["body"])
    assert "confidential" in (ROOT / ".github" / "PULL_REQUEST_TEMPLATE.md").read_text(encoding="utf-8")


@pytest.mark.parametrize("file", sorted((ROOT / ".github" / "workflows").glob("*.yml")), ids=lambda f: f.name)
def test_the_workflows_call_what_the_makefile_has(file: Path) -> None:
    jobs = yaml.safe_load(file.read_text(encoding="utf-8"))["jobs"]
    called = [step["run"] for job in jobs.values() for step in job["steps"] if "run" in step]
    targets = set(re.findall(r"^([a-z-]+):", (ROOT / "Makefile").read_text(encoding="utf-8"), flags=re.M))
    assert {word for line in called for word in re.findall(r"\bmake ([a-z-]+)", line)} <= targets
    assert any("make " in line for line in called)


def test_nothing_is_uploaded_without_a_tag_and_by_trusted_publishing_alone() -> None:
    text = (ROOT / ".github" / "workflows" / "release.yml").read_text(encoding="utf-8")
    workflow = yaml.safe_load(text)
    assert workflow["permissions"] == {"contents": "read"}
    assert {"push", "pull_request"} == set(workflow[True]), "yaml reads the word on as true"
    uploads = {
        name
        for name, job in workflow["jobs"].items()
        for step in job["steps"]
        if "pypi-publish" in step.get("uses", "")
    }
    assert uploads == {"publish"}
    publish = workflow["jobs"]["publish"]
    assert publish["if"] == "github.event_name == 'push' && startsWith(github.ref, 'refs/tags/v')"
    assert (publish["needs"], publish["permissions"], publish["environment"]) == (
        "build",
        {"id-token": "write"},
        "pypi",
    )
    assert not any("run" in step for step in publish["steps"]), (
        "the job that may publish runs no code of the repository"
    )
    assert "make dist" in [step.get("run") for step in workflow["jobs"]["build"]["steps"]]
    assert "secrets." not in text
    assert not re.search(r"password|token:(?! write)", text.replace("id-token", "token"))
    made = re.search(r"^dist:.*?\n\n", (ROOT / "Makefile").read_text(encoding="utf-8"), flags=re.M | re.S)
    assert made is not None
    for words in ("-m build", "twine check --strict", "check-wheel-contents", "synthlab-sdc --version"):
        assert words in made[0]
    assert "upload" not in made[0]


def test_the_hooks_are_those_of_make_lint() -> None:
    hooks = yaml.safe_load((ROOT / ".pre-commit-config.yaml").read_text(encoding="utf-8"))["repos"][0]["hooks"]
    lint = re.search(r"^lint:.*?\n\n", (ROOT / "Makefile").read_text(encoding="utf-8"), flags=re.M | re.S)
    assert lint is not None
    for hook in hooks:
        assert hook["entry"].removeprefix(".venv/bin/") in lint[0]


def test_the_citation_has_the_version_of_the_package() -> None:
    import synthlab

    assert yaml.safe_load((ROOT / "CITATION.cff").read_text(encoding="utf-8"))["version"] == synthlab.__version__
