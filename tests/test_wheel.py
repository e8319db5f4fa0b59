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
        assert commit.endswith("not committed)") == here.changed


def test_wheel_holds_the_data_and_the_licence(wheel):
    names = zipfile.ZipFile(wheel).namelist()
    assert any(n.startswith("synthlab/_data/") and n.endswith(".csv") for n in names)
    assert any(n.endswith("LICENSE") for n in names)
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


@pytest.fixture(scope="module")
def installed(wheel, tmp_path_factory):
    """Return a function that runs code in a fresh environment that sees the wheel and the libraries, not the checkout."""
    folder = tmp_path_factory.mktemp("installed")
    venv.create(folder / "env", with_pip=False)
    python = folder / "env" / "bin" / "python"
    ask = [sys.executable, "-c", "import sysconfig; print(sysconfig.get_path('purelib'))"]
    libraries = subprocess.run(ask, capture_output=True, text=True, check=True).stdout.strip()
    site = next((folder / "env" / "lib").glob("python*")) / "site-packages"
    zipfile.ZipFile(wheel).extractall(site)
    # Appended behind the wheel, and without the .pth files that point back to the checkout.
    begin = f"import sys\nsys.path.append({libraries!r})\n"
    check = f"import synthlab\nassert synthlab.__file__.startswith({str(site)!r}), synthlab.__file__\n"

    def run(code: str) -> str:
        command = [str(python), "-I", "-c", begin + code + check]
        done = subprocess.run(command, capture_output=True, text=True, cwd=folder, env={"HOME": str(folder)})
        assert done.returncode == 0, done.stderr[-3000:]
        return done.stdout

    return run


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


# Nothing but what the wheel itself requires, and what that requires, can be imported.
ONLY_REQUIRED = """
from importlib import metadata
from importlib.abc import MetaPathFinder
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

needed, waiting = set(), ["synthlab-sdc"]
while waiting:
    name = canonicalize_name(waiting.pop())
    if name in needed:
        continue
    needed.add(name)
    try:
        lines = metadata.requires(name) or []
    except metadata.PackageNotFoundError:
        continue
    wanted = [Requirement(line) for line in lines]
    waiting += [r.name for r in wanted if r.marker is None or r.marker.evaluate({"extra": ""})]
homes = metadata.packages_distributions()
hidden = {top for top, of in homes.items() if not any(canonicalize_name(one) in needed for one in of)}

class Hide(MetaPathFinder):
    def find_spec(self, name, path=None, target=None):
        if name.partition(".")[0] in hidden:
            raise ModuleNotFoundError(f"No module named {name!r}", name=name)

sys.meta_path.insert(0, Hide())
assert {"matplotlib", "jinja2", "pymc", "nutpie", "arviz", "splink", "rdata", "pyreadstat", "openpyxl", "pyarrow", "jupyterlab", "ipywidgets", "rpy2"} & set(homes) <= hidden
"""


@pytest.mark.full
def test_two_files_are_measured_without_the_extras(installed):
    printed = installed(
        ONLY_REQUIRED
        + """
import json
import pandas as pd
import synthlab, synthlab.cli
survey = pd.DataFrame({"region": list("NNSSNNSS") * 5, "age": list(range(40)), "income": [10.0 * i for i in range(40)]})
survey.to_csv("survey.csv", index=False)
survey.assign(income=survey["income"].to_numpy()[::-1]).to_csv("release.csv", index=False)
arguments = ["evaluate", "survey.csv", "release.csv", "--known", "region,age", "--synthesized", "income", "--radius", "income=0.1",
             "--rows", "aligned", "--json", "found.json"]
try:
    synthlab.cli.main(arguments)
except SystemExit as end:
    print("ended with", end.code)
print(sorted(json.load(open("found.json"))))
try:
    synthlab.synthesizers.diagnose_chains({"mu": [[0.1, 0.2, 0.3, 0.1], [0.2, 0.1, 0.4, 0.3]]})
except ImportError as error:
    print(error)
fitted = synthlab.CART(["income"]).fit(survey, rng=1)
print(fitted.generate(m=2, rng=1).m, "datasets by CART")
"""
    )
    assert "ended with 0" in printed or "ended with None" in printed, printed
    assert (
        "diagnostics of chains needs arviz, which is not installed; it is in the extra synthlab-sdc[bayes]: python -m pip install"
        in printed
    )
    assert "'pymc" in printed
    assert "2 datasets by CART" in printed
