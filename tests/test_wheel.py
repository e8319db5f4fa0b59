"""The installed wheel works without the checkout, data and templates included."""

from __future__ import annotations

import os
import subprocess
import sys
import sysconfig
import tarfile
import venv
import zipfile
from pathlib import Path

import pytest

import synthlab
from synthlab._system import versions
from synthlab.teaching.editions import write_edition

ROOT = Path(__file__).resolve().parents[1]


@pytest.fixture(scope="module")
def distributions(tmp_path_factory) -> Path:
    """The folder with the source distribution, and the wheel that is built from it."""
    out = tmp_path_factory.mktemp("wheel")
    command = [sys.executable, "-m", "build", "--no-isolation", "--outdir", str(out), str(ROOT)]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr[-2000:]
    assert len(list(out.iterdir())) == 2
    return out


@pytest.fixture(scope="module")
def wheel(distributions) -> Path:
    return next(distributions.glob("synthlab_sdc-*.whl"))


def test_distributions_are_as_the_index_wants_them(distributions, wheel):
    files = [str(path) for path in distributions.iterdir()]
    for words in (["twine", "check", "--strict", *files], ["check_wheel_contents", str(wheel)]):
        command = [sys.executable, "-m", *words]
        done = subprocess.run(command, capture_output=True, text=True, check=False, cwd=ROOT)
        assert done.returncode == 0, done.stdout + done.stderr


def test_the_source_distribution_holds_what_a_build_and_the_tests_read(distributions):
    with tarfile.open(next(distributions.glob("*.tar.gz"))) as archive:
        names = {name.partition("/")[2] for name in archive.getnames()}
    for name in (
        "pyproject.toml",
        "hatch_build.py",
        "CITATION.cff",
        "CONTRIBUTING.md",
        "tests/test_wheel.py",
        "conftest.py",
    ):
        assert name in names
    assert not [name for name in names if "__pycache__" in name or name.startswith(("build/", ".venv"))]


@pytest.fixture(scope="module")
def environment(wheel, tmp_path_factory) -> Path:
    """A fresh environment into which pip installed the wheel; the libraries are those of this one."""
    folder = tmp_path_factory.mktemp("fresh")
    venv.create(folder, with_pip=False)
    python = folder / "bin" / "python"
    command = [sys.executable, "-m", "pip", "--python", str(python), "install", "--no-deps", "--no-index", str(wheel)]
    settings = {name: value for name, value in os.environ.items() if name != "PYTHONPATH"}
    done = subprocess.run(command, capture_output=True, text=True, check=False, env=settings)
    assert done.returncode == 0, done.stderr
    site = next((folder / "lib").glob("python*")) / "site-packages"
    (site / "libraries.pth").write_text(f"{sysconfig.get_path('purelib')}\n")
    return folder


@pytest.fixture(scope="module")
def installed(environment):
    """Return a function that runs code where the wheel is installed, without the checkout."""
    check = f"import synthlab\nassert synthlab.__file__.startswith({str(environment)!r}), synthlab.__file__\n"

    def run(code: str) -> str:
        command = [str(environment / "bin" / "python"), "-I", "-c", code + check]
        done = subprocess.run(command, capture_output=True, text=True, cwd=environment, env={"HOME": str(environment)})
        assert done.returncode == 0, done.stderr[-3000:]
        return done.stdout

    return run


@pytest.mark.full
@pytest.mark.parametrize("command", ["synthlab", "synthlab-sdc"])
def test_both_commands_say_version_commit_and_data_of_the_build(environment, command):
    done = subprocess.run(
        [environment / "bin" / command, "--version"],
        capture_output=True,
        text=True,
        check=False,
        cwd=environment,
        env={"HOME": str(environment), "PATH": "/usr/bin:/bin"},
    )
    assert (done.returncode, done.stderr) == (0, "")
    version, commit, data = done.stdout.splitlines()
    assert version == f"synthlab {synthlab.__version__} (distribution {versions.DISTRIBUTION})"
    digest, files = versions.data_version()
    assert data == f"data {digest[:12]} (SHA-256 of {files} bundled files)"
    here = versions.git_commit(ROOT)
    if here is None:
        assert commit.startswith("commit unknown")
    else:
        assert commit.startswith(f"commit {here.name[:12]} (recorded at the build")
        assert commit.endswith("with uncommitted changes)") == here.changed


def test_wheel_holds_the_data_and_the_licence(wheel):
    names = zipfile.ZipFile(wheel).namelist()
    assert any(n.startswith("synthlab/_data/") and n.endswith(".csv") for n in names)
    assert any(n.endswith("LICENSE") for n in names)
    files = [f for f in (ROOT / "course" / "r" / "synthlabr").rglob("*") if f.is_file()]
    assert {n for n in names if n.startswith("synthlab/_r_package/")} == {
        f"synthlab/_r_package/{f.relative_to(ROOT / 'course' / 'r' / 'synthlabr').as_posix()}" for f in files
    }
    assert any(n.endswith(".html.j2") or n.endswith(".html") for n in names if n.startswith("synthlab/report"))
    assert not any(n.startswith(("tests/", "course/")) for n in names)


def test_the_wheel_contains_the_student_edition_of_the_checkout(wheel, tmp_path):
    edition = write_edition("student", tmp_path / "student", source=ROOT / "course")
    here = {path.relative_to(edition.folder).as_posix(): path.read_bytes() for path in edition.written}
    with zipfile.ZipFile(wheel) as archive:
        names = [name for name in archive.namelist() if name.startswith("synthlab/_course/")]
        assert {name.removeprefix("synthlab/_course/"): archive.read(name) for name in names} == here
        assert sum(archive.getinfo(name).file_size for name in names) < 6_000_000


@pytest.mark.full
def test_the_course_is_written_without_a_checkout(installed):
    printed = installed("""
from synthlab.teaching.editions import write_edition
print(len(write_edition("student", "student").written))
try:
    write_edition("teacher", "teacher")
except ValueError as error:
    print(error)
""")
    written, message = printed.splitlines()
    assert int(written) > 40
    assert "'course' of a checkout" in message


@pytest.mark.full
@pytest.mark.parametrize("folder", ["student/replications/coverage", "."])
def test_the_replications_are_found_without_a_checkout(installed, folder):
    """A notebook uses the course that contains it, and another folder the course in the wheel."""
    printed = installed(f"""
import os
from synthlab.teaching import course_path
from synthlab.teaching.editions import write_edition
write_edition("student", "student")
os.chdir({folder!r})
course_path()
from replications import coverage
print(coverage.__file__, len(coverage.recorded().claims))
""")
    file, claims = printed.split()
    assert ("/student/replications/" in file, "/synthlab/_course/" in file) == (folder != ".", folder == ".")
    assert int(claims) == 8


@pytest.mark.full
def test_installed_wheel_works_without_the_checkout(installed):
    printed = installed("""
import synthlab, synthlab.cli
frames = [synthlab.datasets.load(name).frame for name in ("affairs", "acs", "ce", "ce2017", "nb_mixture")]
print([len(f) for f in frames])
f = frames[0]
print(round(float(synthlab.identification_risk(f, f, synthlab.Intruder(known=["age"], synthesized=["educ"])).expected_match_risk[0])))
""")
    assert printed.startswith("[6366, 10000, 5571, 6208, 1000]")
