"""Version, commit and data: what is said is so, and what is not known is called unknown."""

from __future__ import annotations

import ast
import hashlib
import os
import subprocess
import tomllib
from importlib import metadata
from pathlib import Path

import pytest
import yaml
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

import synthlab
from synthlab._system import optional_dependencies, versions
from synthlab.exceptions import ExtraUnavailableError

NAME = "0123456789abcdef" * 2 + "01234567"


def git(folder: Path, *words: str) -> str:
    who = {"GIT_AUTHOR_NAME": "a", "GIT_AUTHOR_EMAIL": "a@b", "GIT_COMMITTER_NAME": "a", "GIT_COMMITTER_EMAIL": "a@b"}
    command = ["git", "-c", "init.defaultBranch=main", "-C", str(folder), *words]
    return subprocess.run(command, check=True, capture_output=True, text=True, env={**os.environ, **who}).stdout.strip()


@pytest.fixture
def checkout(tmp_path: Path) -> Path:
    """Return a folder with a repository of one commit and a package in it."""
    root = tmp_path / "checkout"
    (root / "synthlab").mkdir(parents=True)
    (root / "pyproject.toml").write_text("")
    git(root, "init", "--quiet")
    git(root, "add", ".")
    git(root, "commit", "--quiet", "--message", "first")
    return root


@pytest.fixture
def nowhere(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Let the package stand in a folder that is no checkout and holds no record."""
    package = tmp_path / "site-packages" / "synthlab"
    package.mkdir(parents=True)
    monkeypatch.setattr(versions, "PACKAGE", package)
    return package


class Installed:
    """A distribution with one file."""

    def __init__(self, text: str | None) -> None:
        self.text = text

    def read_text(self, name: str) -> str | None:
        assert name == "direct_url.json"
        return self.text


def test_a_checkout_is_asked_and_says_whether_it_was_changed(checkout, monkeypatch):
    name = git(checkout, "rev-parse", "HEAD")
    assert versions.git_commit(checkout) == (name, "git checkout", False)
    (checkout / "untracked.txt").write_text("x")
    assert not versions.git_commit(checkout).changed
    (checkout / "pyproject.toml").write_text("[project]")
    monkeypatch.setattr(versions, "PACKAGE", checkout / "synthlab")
    assert str(versions.commit()) == f"{name[:12]} (git checkout, with uncommitted changes)"


def test_git_is_not_led_to_another_repository(checkout, tmp_path, monkeypatch):
    name = git(checkout, "rev-parse", "HEAD")
    monkeypatch.setenv("GIT_DIR", str(tmp_path / "elsewhere"))
    assert versions.git_commit(checkout).name == name
    inner = checkout / "venv" / "site-packages"  # an environment within the checkout of some other project
    inner.mkdir(parents=True)
    assert versions.git_commit(inner) is None


def test_without_git_a_checkout_says_nothing(checkout, tmp_path, monkeypatch):
    monkeypatch.setenv("PATH", str(tmp_path))
    assert versions.git_commit(checkout) is None
    (tmp_path / "git").write_text("#!/bin/sh\nexec /bin/sleep 60\n")
    (tmp_path / "git").chmod(0o755)
    monkeypatch.setattr(versions, "TIMEOUT", 0.5)
    assert versions.git_commit(checkout) is None


def test_unknown_is_said(nowhere, monkeypatch):
    monkeypatch.setattr(metadata, "distribution", lambda name: Installed(None))
    assert versions.commit() == ("unknown", "", False)
    assert "unknown" in versions.describe("1.0")[1]

    def absent(name):
        raise metadata.PackageNotFoundError(name)

    monkeypatch.setattr(metadata, "distribution", absent)
    assert versions.commit().name == "unknown"


@pytest.mark.parametrize(
    ("text", "found"),
    [
        (f"{NAME}\n", (NAME, "recorded at the build", False)),
        (f"{NAME} changed\n", (NAME, "recorded at the build", True)),
        ("", None),
        ("main\n", None),
        ("é", None),
    ],
)
def test_the_record_of_the_build_is_read(nowhere, monkeypatch, text, found):
    monkeypatch.setattr(metadata, "distribution", lambda name: Installed(None))
    (nowhere / versions.BAKED).write_text(text, encoding="utf-8")
    assert versions.commit() == (found or ("unknown", "", False))


@pytest.mark.parametrize(
    ("text", "known"),
    [
        (f'{{"url": "https://x/y", "vcs_info": {{"vcs": "git", "commit_id": "{NAME}"}}}}', True),
        ('{"url": "file:///x", "dir_info": {"editable": true}}', False),
        ('{"vcs_info": {"commit_id": "HEAD"}}', False),
        ("[]", False),
        ("{", False),
    ],
)
@pytest.mark.usefixtures("nowhere")
def test_pip_is_asked_where_it_installed_from_a_repository(monkeypatch, text, known):
    monkeypatch.setattr(metadata, "distribution", lambda name: Installed(text))
    assert versions.commit() == ((NAME, "direct_url.json of pip", False) if known else ("unknown", "", False))


def test_the_data_version_is_that_of_sha256sum_and_changes_with_every_file(tmp_path):
    (tmp_path / "deep").mkdir()
    for name, text in {"b.csv": "1", "deep/a.json": "2", "a.csv": "3", "make.py": "4", "deep/x.pyc": "5"}.items():
        (tmp_path / name).write_text(text)
    lines = "".join(
        f"{hashlib.sha256(text).hexdigest()}  {name}\n"
        for name, text in (("a.csv", b"3"), ("b.csv", b"1"), ("deep/a.json", b"2"))
    )
    version = versions.data_version(tmp_path)
    assert version == (hashlib.sha256(lines.encode()).hexdigest(), 3)
    (tmp_path / "make.py").write_text("else")
    assert versions.data_version(tmp_path) == version
    (tmp_path / "deep" / "a.json").write_text("else")
    assert versions.data_version(tmp_path)[0] != version[0]
    assert versions.data_version(tmp_path / "nowhere") == ("unknown", 0)


def loads() -> list[tuple[str, str, str]]:
    """Return (file, extra, library) for every call of `optional_dependencies.load` with a library that is written out."""
    found = []
    for path in sorted(versions.PACKAGE.rglob("*.py")):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if (
                isinstance(node, ast.Call)
                and ast.unparse(node.func) in ("optional_dependencies.load", "load")
                and len(node.args) == 3
            ):
                extra, name = node.args[:2]
                if isinstance(extra, ast.Constant) and isinstance(name, ast.Constant):
                    found.append((path.name, extra.value, name.value))
    return found


def test_what_is_loaded_from_an_extra_is_in_it():
    asked = loads()
    assert {extra for _, extra, _ in asked} >= {"plots", "report", "files", "bayes", "course", "scale", "dp"}
    for file, extra, name in asked:
        inside = {one for one, _ in optional_dependencies.requirements(extra)}
        assert canonicalize_name(name.partition(".")[0]) in inside, f"{file}: {name} is not in the extra {extra}"


def test_what_is_missing_is_named_with_its_extra_and_the_distribution(monkeypatch):
    with pytest.raises(ExtraUnavailableError) as raised:
        optional_dependencies.load("files", "no_such_library", "An Excel file")
    assert str(raised.value).startswith(
        "An Excel file needs no_such_library, which is not installed; it is in the extra synthlab-sdc[files]: "
        "python -m pip install '"
    )
    assert "'rdata>=0.11" in str(raised.value)
    monkeypatch.setattr(optional_dependencies, "declared", list)
    assert optional_dependencies.how_to_install("files") == "python -m pip install 'synthlab-sdc[files]'"


def test_an_extra_holds_those_it_takes_in(root):
    project = tomllib.loads((root / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    for extra, lines in project["optional-dependencies"].items():
        wanted = [Requirement(line) for line in lines]
        inner = {e for one in wanted if one.name == versions.DISTRIBUTION for e in one.extras}
        assert inner <= {*project["optional-dependencies"]}
        held = {name for name, _ in optional_dependencies.requirements(extra)}
        assert held >= {canonicalize_name(one.name) for one in wanted if one.name != versions.DISTRIBUTION}
        assert all(held >= {name for name, _ in optional_dependencies.requirements(e)} for e in inner)
        assert "synthlab" not in {one.name for one in wanted}, "the project of another author"


def test_requirements_are_those_of_the_checkout_where_nothing_is_installed(monkeypatch):
    installed = {extra: dict(optional_dependencies.requirements(extra)) for extra in ("", "bayes", "course")}

    def absent(name):
        raise metadata.PackageNotFoundError(name)

    monkeypatch.setattr(metadata, "requires", absent)
    for extra, found in installed.items():
        assert {name for name, _ in optional_dependencies.requirements(extra)} == {*found} != set()
    monkeypatch.setattr(optional_dependencies, "PACKAGE", Path("/nowhere/synthlab"))
    assert optional_dependencies.requirements("bayes") == []


def test_no_page_or_message_names_the_project_of_another_author(root):
    texts = [*root.glob("*.md"), *(root / "synthlab").rglob("*.py"), *(root / "course").rglob("*.md")]
    texts += [*(root / "course").rglob("*.R"), *(root / "course").rglob("*.Rmd")]
    texts += [*(root / "course").rglob("*.ipynb"), root / "pyproject.toml", *(root / "binder").iterdir()]
    wrong = (
        "synthlab[",
        "pip install synthlab ",
        "pip install synthlab`",
        "pip install synthlab\n",
        "pip install synthlab,",
        "pipx run synthlab`",
    )
    found = [(p.name, w) for p in texts if p.is_file() for w in wrong if w in p.read_text(encoding="utf-8")]
    assert found == []


def test_the_citation_says_what_pyproject_says(root):
    project = tomllib.loads((root / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    cited = yaml.safe_load((root / "CITATION.cff").read_text(encoding="utf-8"))
    assert project["name"] == versions.DISTRIBUTION
    assert cited["version"] == synthlab.__version__
    assert cited["license"] == project["license"]
    assert cited["keywords"] == project["keywords"]
    assert [one["name"] for one in cited["authors"]] == [one["name"] for one in project["authors"]]
    assert cited["title"].partition(":")[0] == "synthlab"
    assert cited.get("repository-code") == project.get("urls", {}).get("Repository")
    assert not (root / ".zenodo.json").exists(), "Zenodo reads CITATION.cff where there is no .zenodo.json"


def test_the_requirements_of_the_grading_image_name_the_wheel_of_this_version() -> None:
    text = (Path(__file__).resolve().parents[1] / "course" / "instructor" / "requirements.txt").read_text(
        encoding="utf-8"
    )
    assert (
        text == f"synthlab-sdc[homework,plots] @ file:///wheels/synthlab_sdc-{synthlab.__version__}-py3-none-any.whl\n"
    )
