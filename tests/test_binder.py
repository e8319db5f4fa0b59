"""The files of the Binder service: readable as repo2docker reads them, at the versions the package asks for, links that agree."""

from __future__ import annotations

import importlib.util
import re
import shutil
import stat
import subprocess
import sys
import sysconfig
import tomllib
import venv
from pathlib import Path

import pytest
import yaml
from packaging.requirements import Requirement
from packaging.specifiers import SpecifierSet
from packaging.utils import canonicalize_name

from synthlab._system.versions import DISTRIBUTION
from synthlab.r import session

SCRIPTS = ("postBuild", "start", "rehearse.sh")


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


def test_python_is_one_the_project_allows(conda, project):
    assert SpecifierSet(project["requires-python"]).contains(f"{conda['python']}.0")
    assert f"Programming Language :: Python :: {conda['python']}" in project["classifiers"]


@pytest.mark.parametrize("extra", ["", "plots", "report", "bayes", "linkage", "files", "data", "course", "homework"])
def test_every_requirement_is_pinned_to_a_version_it_allows(project, pip, extra):
    declared = project["optional-dependencies"][extra] if extra else project["dependencies"]
    for requirement in map(Requirement, declared):
        if requirement.name == DISTRIBUTION:
            assert requirement.extras <= {
                "plots",
                "report",
                "bayes",
                "linkage",
                "files",
                "data",
            }  # which are tested here too
            continue
        version = pip[canonicalize_name(requirement.name)]
        assert requirement.specifier.contains(version), f"{requirement}: environment.yml has {version}"


def test_rpy2_is_the_one_of_the_extra_and_of_the_probe(project, conda):
    declared = {
        Requirement(line).name: str(Requirement(line).specifier) for line in project["optional-dependencies"]["r"]
    }
    assert declared == {"rpy2": f"=={conda['rpy2']}", "rpy2-rinterface": f"=={conda['rpy2']}"}
    assert conda["rpy2"] == session.RPY2


def test_post_build_adds_the_packages_of_r_that_the_crosscheck_uses(binder):
    text = (binder / "postBuild").read_text(encoding="utf-8")
    pinned = dict(re.findall(r"\br-([\w.]+)=([\w.]+)", text))
    assert pinned.pop("base").startswith("4.")
    assert pinned.pop("rcpp")  # IdentificationRiskCalculation is compiled against it
    # The others bring dozens of packages along; their recorded answers are used there.
    assert {"gamlss.dist", "mass", "nnet", "survey"} == set(pinned) <= {name.lower() for name in session.PACKAGES}
    repository, _, commit = session.IDENTIFICATION_RISK_CALCULATION.partition("@")
    assert f"https://github.com/{repository} \\\n  {commit}\n" in text


@pytest.mark.full
def test_repo2docker_builds_neither_a_second_r_nor_its_servers(root, tmp_path):
    shutil.copytree(root / "binder", tmp_path / "repository" / "binder")
    command = [sys.executable, "-m", "repo2docker", "--no-build", "--debug", str(tmp_path / "repository")]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    file = done.stdout + done.stderr
    assert 'env update -p ${NB_PYTHON_PREFIX} --file "binder/environment.yml"' in file
    assert "binder/postBuild" in file
    assert not re.search(r"rstudio|shiny|r-irkernel|devtools", file, re.IGNORECASE)


@pytest.mark.parametrize("name", SCRIPTS)
def test_scripts_can_be_run(binder, name):
    assert (binder / name).stat().st_mode & stat.S_IXUSR
    done = subprocess.run(["bash", "-n", str(binder / name)], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr


def stub(folder: Path, name: str, code: int) -> None:
    """Write a command that ends with an exit code."""
    folder.mkdir(parents=True, exist_ok=True)
    (folder / name).write_text(f"#!/bin/sh\nexit {code}\n")
    (folder / name).chmod(0o755)


def test_the_image_has_no_package_that_only_developers_need(pip):
    groups = {"pytest", "nbval", "coverage", "hypothesis", "mypy", "ruff", "slipcover", "twine", "build", "numpydoc"}
    assert not groups & set(pip)


@pytest.mark.parametrize("failing", ["mamba", "git", "R", "python"])
def test_post_build_stops_when_a_step_fails(binder, tmp_path, failing):
    for name in ("mamba", "git", "R", "python"):
        stub(tmp_path, name, 3 if name == failing else 0)
    path = f"{tmp_path}:{Path(shutil.which('bash')).parent}:/bin"
    settings = {"PATH": path, "NB_PYTHON_PREFIX": str(tmp_path / "prefix")}
    done = subprocess.run(
        ["bash", str(binder / "postBuild")], env=settings, cwd=tmp_path, capture_output=True, check=False
    )
    assert done.returncode == 3


def test_start_hands_over_to_the_command_with_one_thread(binder):
    command = ["bash", str(binder / "start"), "bash", "-c", 'echo "$OMP_NUM_THREADS $NUMBA_NUM_THREADS $1"', "x", "a b"]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    assert done.stdout == "1 1 a b\n"
    failed = subprocess.run(["bash", str(binder / "start"), "false"], check=False)
    assert failed.returncode == 1


PUBLISHED = "gh/somebody/somewhere/main"
LINKS = re.compile(r"mybinder\.org/(?:v2|badge)|OWNER|github\.com/[\w-]+/synthlab")


@pytest.fixture
def published(links, monkeypatch):
    monkeypatch.setattr(links, "repository", lambda: PUBLISHED)


def pages(root) -> dict[str, str]:
    """Return every page, lecture and file of metadata, outputs of notebooks included."""
    found = [*root.glob("*.md"), *root.glob("*.toml"), root / "CITATION.cff"]
    found += [path for kind in ("md", "ipynb") for path in (root / "course").rglob(f"*.{kind}")]
    assert len(found) > 50
    return {path.relative_to(root).as_posix(): path.read_text(encoding="utf-8") for path in found}


def test_without_a_repository_no_page_has_a_launch_link(root, links):
    if links.repository() is not None:
        assert all(LINKS.search(pages(root)[name]) for name in links.CHANGES)
        return
    assert [name for name, text in pages(root).items() if LINKS.search(text)] == []


@pytest.mark.parametrize("name", ["README.md", "course/README.md", "pyproject.toml", "CITATION.cff"])
def test_the_links_are_those_of_the_address(root, links, name):
    text = (root / name).read_text(encoding="utf-8")
    assert links.CHANGES[name](text) == text, f"{name}: run python binder/links.py"
    assert len(links.CHANGES) == 4


@pytest.mark.parametrize("name", ["README.md", "course/README.md", "pyproject.toml", "CITATION.cff"])
def test_links_come_with_an_address_go_without_one_and_change_with_it(root, links, name, monkeypatch):
    change, text = links.CHANGES[name], (root / name).read_text(encoding="utf-8")
    monkeypatch.setattr(links, "repository", lambda: None)
    without = change(text)
    assert not LINKS.search(without)
    for address in (PUBLISHED, "gl/others/synthlab/v1"):
        monkeypatch.setattr(links, "repository", lambda address=address: address)
        there = change(without)
        assert change(text) == change(there) == there
        owners = {found[1] for found in re.finditer(r"(?:v2/g[hl]|git(?:hub|lab)\.com)/(\w+)/", there)} - {
            "RyanHornby",
            "monika76five",
        }
        assert owners == {address.split("/")[1]}
    monkeypatch.setattr(links, "repository", lambda: None)
    assert change(there) == without


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("# nothing but comments\n\n", None),
        ("# where\ngh/somebody/synthlab/HEAD\n", "gh/somebody/synthlab/HEAD"),
        ("gh/somebody/synthlab\n", SystemExit),
        ("gh/a/b/c\ngh/a/b/d\n", SystemExit),
        ("https://github.com/a/b\n", SystemExit),
    ],
)
def test_the_address_is_one_line_or_none(links, tmp_path, monkeypatch, text, said):
    (tmp_path / "binder").mkdir()
    (tmp_path / "binder" / "repository.txt").write_text(text, encoding="ascii")
    monkeypatch.setattr(links, "ROOT", tmp_path)
    if said is SystemExit:
        with pytest.raises(SystemExit, match="must hold one line such as gh/OWNER"):
            links.repository()
    else:
        assert links.repository() == said


@pytest.mark.usefixtures("published")
def test_every_lecture_that_is_written_gets_a_launch_link_to_the_student_edition(root, links):
    text = links.with_launches((root / "course" / "README.md").read_text(encoding="utf-8"))
    for path in sorted((root / "course").glob("[01]*.ipynb")):
        assert text.count(links.link(f"student/{path.name}")) == 1, path.name
    opened = re.findall(r"urlpath=lab/tree/([\w/.]+)", text)
    assert opened
    assert all(path.startswith("student/") for path in opened)
    assert all((root / "course" / path.removeprefix("student/")).is_file() for path in opened)
    table = text[text.index("| | lecture |") :].split("\n\n")[0]
    assert len({line.count("|") for line in table.splitlines()}) == 1


@pytest.fixture(scope="module")
def image(root, binder, tmp_path_factory) -> Path:
    """The folder of the project in the image, after postBuild has run in it, with its environment beside it."""
    lines = [line for line in (binder / "postBuild").read_text(encoding="utf-8").splitlines() if " course" in line]
    assert lines[-2:] == ["synthlab course student student", "rm -rf course"]
    ignored = [line for line in (binder / ".dockerignore").read_text().splitlines() if line and line[0] != "#"]
    assert all(re.fullmatch(r"[\w./]+", line) for line in ignored), "names of folders alone"
    listed = subprocess.run(["git", "ls-files", "-z"], cwd=root, check=True, capture_output=True, text=True).stdout
    top = tmp_path_factory.mktemp("binder")
    folder = top / "image"
    for name in filter(None, [*listed.split("\0"), ".git"]):
        if (root / name).is_file() and not any(f"{name}/".startswith(f"{one}/") for one in ignored):
            (folder / name).parent.mkdir(parents=True, exist_ok=True)
            (folder / name).write_bytes((root / name).read_bytes())
    assert list((folder / "course").glob("*.ipynb"))
    assert not (folder / "course" / "instructor").exists()
    # As conda's environment, which has the libraries and not the package.
    venv.create(top / "env", with_pip=False)
    site = next((top / "env" / "lib").glob("python*")) / "site-packages"
    (site / "libraries.pth").write_text(f"{sysconfig.get_path('purelib')}\n")
    place = f"{top / 'env' / 'bin'}:{Path(shutil.which('bash')).parent}:/usr/bin:/bin"
    for name in ("mamba", "git", "R"):  # need a network
        stub(top / "env" / "bin", name, 0)
    settings = {"PATH": place, "HOME": str(top), "PIP_NO_BUILD_ISOLATION": "0", "LC_ALL": "C.UTF-8"}
    settings["NB_PYTHON_PREFIX"] = str(top / "env")
    done = subprocess.run(
        ["bash", "binder/postBuild"], cwd=folder, env=settings, capture_output=True, text=True, check=False
    )
    (top / "printed").write_text(done.stdout)
    assert done.returncode == 0, done.stdout[-2000:] + done.stderr[-2000:]
    return folder


@pytest.mark.full
def test_post_build_installs_the_package_opens_rendered_pages_and_asks_the_doctor(image):
    env = image.parent / "env"
    assert (env / "share/jupyter/lab/settings/overrides.json").is_file()
    installed = next((env / "lib").glob("python*")) / "site-packages" / "synthlab"
    assert (installed / "_data").is_dir()
    assert not [path for path in installed.rglob("*") if re.search(r"instructor|solutions", path.name)]
    printed = (image.parent / "printed").read_text()
    assert "files of the student edition written to student" in printed
    assert "synthlab on this machine" in printed


@pytest.mark.full
def test_the_image_holds_no_solution_and_no_history(image):
    there = [path.relative_to(image).as_posix() for path in image.rglob("*") if path.is_file()]
    required = {"student/README.md", "student/replications/registry.py", "pyproject.toml", "synthlab/__init__.py"}
    assert required <= set(there)
    assert any(re.fullmatch(r"student/homework/hw\d_\w+\.ipynb", name) for name in there)
    assert not [name for name in there if re.search(r"solutions|instructor|^\.git(/|$)|^(tests|course)/", name)]
    texts = {name: (image / name).read_text(encoding="utf-8") for name in there if name.endswith(".ipynb")}
    assert [name for name in texts if not name.startswith("student/")] == []
    held = re.compile(r'BEGIN SOLUTION|"output_type"|"solution"')
    assert [name for name, text in texts.items() if held.search(text)] == []
