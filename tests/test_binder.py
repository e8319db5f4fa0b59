"""The files of the Binder service: readable as repo2docker reads them, at the versions the package asks for, links that agree."""

from __future__ import annotations

import importlib.util
import re
import shutil
import stat
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest
import yaml
from packaging.requirements import Requirement
from packaging.specifiers import SpecifierSet
from packaging.utils import canonicalize_name

from synthlab.r import session

SCRIPTS = ("postBuild", "start", "rehearse.sh")
FILES = {
    ".dockerignore",
    "README.md",
    "environment.yml",
    "links.py",
    "postBuild",
    "rehearse.sh",
    "repository.txt",
    "start",
}
# What repo2docker would take in the place of environment.yml, or cannot combine with it.
RIVALS = ("Dockerfile", "runtime.txt", "install.R", "DESCRIPTION", "Project.toml", "default.nix", "Pipfile", "setup.py")


@pytest.fixture(scope="module")
def binder(root) -> Path:
    return root / "binder"


@pytest.fixture(scope="module")
def project(root) -> dict:
    return tomllib.loads((root / "pyproject.toml").read_text(encoding="utf-8"))["project"]


@pytest.fixture(scope="module")
def environment(binder) -> dict:
    return yaml.safe_load((binder / "environment.yml").read_text(encoding="utf-8"))


@pytest.fixture(scope="module")
def conda(environment) -> dict[str, str]:
    pins = [line.partition("=") for line in environment["dependencies"] if isinstance(line, str)]
    return {name: version for name, _, version in pins}


@pytest.fixture(scope="module")
def pip(environment) -> dict[str, str]:
    (lines,) = [line["pip"] for line in environment["dependencies"] if isinstance(line, dict)]
    pins = [Requirement(line) for line in lines]
    assert all(re.fullmatch(r"==[\d.]+(post\d+)?", str(pin.specifier)) for pin in pins), "every version is pinned"
    assert len({canonicalize_name(pin.name) for pin in pins}) == len(pins)
    return {canonicalize_name(pin.name): str(pin.specifier).removeprefix("==") for pin in pins}


@pytest.fixture(scope="module")
def links(binder):
    spec = importlib.util.spec_from_file_location("links", binder / "links.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_the_folder_holds_what_it_should(binder):
    assert {path.name for path in binder.iterdir() if path.is_file()} == FILES
    assert not any((binder / name).exists() for name in RIVALS)


def test_conda_reads_the_environment(environment, conda):
    assert set(environment) == {"name", "channels", "dependencies"}
    assert environment["channels"] == ["conda-forge", "nodefaults"]
    assert all(version for name, version in conda.items() if name != "pip"), "every version is pinned"
    assert {"python", "pip", "r-base", "r-mass", "r-nnet", "r-gamlss.dist", "rpy2"} == set(conda)


def test_python_is_one_the_project_allows(conda, project):
    assert SpecifierSet(project["requires-python"]).contains(f"{conda['python']}.0")
    assert f"Programming Language :: Python :: {conda['python']}" in project["classifiers"]


@pytest.mark.parametrize("extra", ["", "bayes", "linkage", "files", "course"])
def test_every_requirement_is_pinned_to_a_version_it_allows(project, pip, extra):
    declared = project["optional-dependencies"][extra] if extra else project["dependencies"]
    for requirement in map(Requirement, declared):
        if requirement.name == "synthlab":
            assert requirement.extras == {"bayes", "linkage", "files"}
            continue
        version = pip[canonicalize_name(requirement.name)]
        assert requirement.specifier.contains(version), f"{requirement}: environment.yml has {version}"


def test_rpy2_is_the_one_of_the_extra_and_of_the_probe(project, conda):
    declared = {
        Requirement(line).name: str(Requirement(line).specifier) for line in project["optional-dependencies"]["r"]
    }
    assert declared == {"rpy2": f"=={conda['rpy2']}", "rpy2-rinterface": f"=={conda['rpy2']}"}
    assert conda["rpy2"] == session.RPY2


def test_r_is_old_enough_for_this_rpy2_and_has_what_the_crosscheck_asks(conda):
    assert conda["r-base"].startswith("4.")
    # One is in no registry; the other brings dozens of packages along, and its recorded answers are used there.
    asked = {f"r-{name.lower()}" for name in session.PACKAGES} - {"r-identificationriskcalculation", "r-synthpop"}
    assert asked <= set(conda)


def test_nothing_there_that_is_not_needed(pip):
    assert "synthlab" not in pip, "postBuild installs it"
    assert not {name for name in pip if name.startswith("rpy2")}, "conda installs it with R"


@pytest.mark.parametrize("name", SCRIPTS)
def test_scripts_can_be_run_stop_at_the_first_error_and_have_unix_line_ends(binder, name):
    path = binder / name
    text = path.read_bytes().decode()
    assert path.stat().st_mode & stat.S_IXUSR
    assert text.startswith("#!/usr/bin/env bash\n")
    assert "\nset -euo pipefail\n" in text
    assert "\r" not in text
    done = subprocess.run(["bash", "-n", str(path)], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr


def test_no_script_builds_an_r_package_from_fetched_code(binder):
    for path in binder.iterdir():
        if path.is_file():
            assert not re.search(r"install_github|R CMD INSTALL|git clone", path.read_text(encoding="utf-8")), path.name


def test_post_build_installs_the_project_and_only_it(binder):
    text = (binder / "postBuild").read_text(encoding="utf-8")
    assert "pip install --no-cache-dir --no-deps ." in text
    assert text.count("pip install") == 1
    assert text.rstrip().endswith("synthlab doctor")


def test_post_build_stops_when_a_step_fails(binder, tmp_path):
    broken = tmp_path / "python"
    broken.write_text("#!/bin/sh\nexit 3\n")
    broken.chmod(0o755)
    path = f"{tmp_path}:{Path(shutil.which('bash')).parent}:/bin"
    done = subprocess.run(
        ["bash", str(binder / "postBuild")], env={"PATH": path}, cwd=tmp_path, capture_output=True, check=False
    )
    assert done.returncode == 3


def test_start_hands_over_to_the_command_with_one_thread(binder):
    command = ["bash", str(binder / "start"), "bash", "-c", 'echo "$OMP_NUM_THREADS $NUMBA_NUM_THREADS $1"', "x", "a b"]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    assert done.stdout == "1 1 a b\n"
    failed = subprocess.run(["bash", str(binder / "start"), "false"], check=False)
    assert failed.returncode == 1


def test_the_address_is_in_one_place(binder):
    address = (binder / "repository.txt").read_text(encoding="ascii")
    assert re.fullmatch(r"(gh|gl)/[\w.%-]+/[\w.%-]+/[\w.-]+\n", address)


def test_the_links_are_those_of_that_address(root, links):
    assert set(links.CHANGES) == {"README.md", "course/README.md", "pyproject.toml"}
    for name, change in links.CHANGES.items():
        text = (root / name).read_text(encoding="utf-8")
        assert change(text) == text, f"{name}: run python binder/links.py"


def test_every_lecture_that_is_written_has_its_launch_link(root, links):
    text = (root / "course" / "README.md").read_text(encoding="utf-8")
    for path in sorted((root / "course").glob("[01]*.ipynb")):
        assert text.count(links.link(f"student/{path.name}")) == 1, path.name
    opened = re.findall(r"urlpath=lab/tree/([\w/.]+)", text)
    assert opened
    assert all((root / "course" / path.removeprefix("student/")).is_file() for path in opened)


@pytest.fixture(scope="module")
def image(root, binder, tmp_path_factory) -> Path:
    """The folder of the project in the image: what git has without what is ignored, after two lines of postBuild."""
    lines = [line for line in (binder / "postBuild").read_text(encoding="utf-8").splitlines() if " course" in line]
    assert lines[-2:] == ["synthlab course student student", "rm -rf course"]
    ignored = [line for line in (binder / ".dockerignore").read_text().splitlines() if line and line[0] != "#"]
    assert all(re.fullmatch(r"[\w./]+", line) for line in ignored), "names of folders alone"
    listed = subprocess.run(["git", "ls-files", "-z"], cwd=root, check=True, capture_output=True, text=True).stdout
    folder = tmp_path_factory.mktemp("image")
    for name in filter(None, [*listed.split("\0"), ".git"]):
        if (root / name).is_file() and not any(f"{name}/".startswith(f"{one}/") for one in ignored):
            (folder / name).parent.mkdir(parents=True, exist_ok=True)
            (folder / name).write_bytes((root / name).read_bytes())
    assert list((folder / "course").glob("*.ipynb"))
    assert not (folder / "course" / "instructor").exists()
    command = [sys.executable, "-m", "synthlab.cli", "course", "student", "student"]
    subprocess.run(command, cwd=folder, check=True, capture_output=True)
    shutil.rmtree(folder / "course")
    return folder


def test_the_image_holds_no_solution_and_no_history(image):
    there = [path.relative_to(image).as_posix() for path in image.rglob("*") if path.is_file()]
    assert {"student/README.md", "pyproject.toml", "synthlab/__init__.py"} <= set(there)
    assert any(re.fullmatch(r"student/homework/hw\d_\w+\.ipynb", name) for name in there)
    assert not [name for name in there if re.search(r"solutions|instructor|^\.git(/|$)|^(tests|course)/", name)]
    texts = {name: (image / name).read_text(encoding="utf-8") for name in there if name.endswith(".ipynb")}
    assert [name for name in texts if not name.startswith("student/")] == []
    held = re.compile(r'SOLUTION BEGIN|# ANSWERS|NumberAnswer|"output_type"|"solution"')
    assert [name for name, text in texts.items() if held.search(text)] == []


def test_another_address_changes_every_link(root, links, monkeypatch):
    monkeypatch.setattr(links, "repository", lambda: "gh/somebody/somewhere/main")
    urls = links.with_urls((root / "pyproject.toml").read_text(encoding="utf-8"))
    assert set(re.findall(r"https://github\.com/[\w-]+/\w+", urls)) == {"https://github.com/somebody/somewhere"}
    for name, change in (("README.md", links.with_badge), ("course/README.md", links.with_launches)):
        text = change((root / name).read_text(encoding="utf-8"))
        assert set(re.findall(r"mybinder\.org/v2/([\w/.-]+)\?", text)) == {"gh/somebody/somewhere/main"}
