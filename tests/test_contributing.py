"""What CONTRIBUTING.md lists is there, and what a newcomer would add by its lists can be added."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
import yaml

from tests.loops import every

ROOT = Path(__file__).resolve().parents[1]
TEXT = (ROOT / "CONTRIBUTING.md").read_text(encoding="utf-8")
MADE = ("NAME", "build/")  # a placeholder; what a command makes, and a fresh clone has not
PATHS = sorted({p for p in re.findall(r"`([\w./-]+)`", TEXT) if "/" in p and not p.startswith(MADE)})
LISTS = dict(re.findall(r"^## How to add (.*?)\n\n(.*?)(?=^## )", TEXT, flags=re.M | re.S))
TOYS = {
    "a measure": "tests/report/test_measures.py",
    "a synthesizer": "tests/synthesizers/test_regression.py",
    "a replication": "tests/lab/replication/test_study.py",
}


def test_six_things_can_be_added() -> None:
    assert list(LISTS) == ["a measure", "a synthesizer", "a dataset", "a replication", "a lecture", "a check against R"]
    assert all(text.count("- [ ]") >= 2 for text in LISTS.values())


@every("path", PATHS)
def test_every_path_is_there(path: str) -> None:
    assert (ROOT / path).exists()


@pytest.mark.parametrize("path", [p for p in PATHS if re.fullmatch(r"synthlab/.+/__init__\.pyi?", p)])
def test_a_registry_names_what_the_list_takes_as_its_example(path: str) -> None:
    registry = (ROOT / path).read_text(encoding="utf-8")
    examples = [p for p in PATHS if Path(p).parent == Path(path).parent and p != path and p.endswith(".py")]
    assert all(
        Path(example).stem in registry for example in examples if Path(example).stem not in ("base", "regression")
    )


@pytest.mark.parametrize(("thing", "file"), TOYS.items())
def test_the_toy_is_named_in_the_list(thing: str, file: str) -> None:
    assert file in LISTS[thing]


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
