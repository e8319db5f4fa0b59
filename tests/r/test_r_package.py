"""The R package synthlabr: its files, and what R itself says of it."""

from __future__ import annotations

import inspect
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

import synthlab as sl
from synthlab.exceptions import InputError
from synthlab.r.package_files import package_folder, write_r_package
from synthlab.r.session import UNUSABLE, package_state
from tests.snippets import in_shell

ROOT = Path(__file__).resolve().parents[2]
PACKAGE = ROOT / "course" / "r" / "synthlabr"
PAGE = ROOT / "course" / "r" / "synthlab.md"
VIGNETTE = PACKAGE / "vignettes" / "synthlabr.Rmd"
CHUNK = re.compile(r"^```\{r(?! (?:setup|reason))[^}]*\}\n(.*?)^```$", re.M | re.S)
LIBRARIES = ("reticulate", "testthat", "knitr", "rmarkdown")


def lacking() -> str:
    """Return why the package cannot be checked by R; empty if it can."""
    programs = [name for name in ("R", "Rscript", "pandoc") if shutil.which(name) is None]
    missing = [] if programs else [name for name in LIBRARIES if package_state(name) in UNUSABLE]
    return f"not installed: {', '.join(programs + missing)}" if programs or missing else ""


def written(name: str) -> str:
    return (PACKAGE / name).read_text(encoding="utf-8")


def exported() -> list[str]:
    return re.findall(r"\w+", " ".join(re.findall(r"^export\((.*?)\)", written("NAMESPACE"), re.M | re.S)))


def formals() -> dict[str, list[str]]:
    """Return the names of the arguments of the constructors in R."""
    code = written("R/models.R") + written("R/evaluation.R")
    found = re.findall(r"^([A-Z]\w+) <- function\(((?:[^()]|\([^()]*\))*)\)\s+create\(\"\1\"", code, re.M)
    return {name: re.findall(r"(\w+|\.\.\.)(?: = [^,]*)?(?:,|$)", given) for name, given in found}


def test_constructors_have_the_arguments_of_python() -> None:
    assert set(formals()) == {name for name in exported() if name[0].isupper()}
    for name, given in formals().items():
        parameters = [one for one in inspect.signature(getattr(sl, name)).parameters if not one.startswith("_")]
        own = [one for one in given if one != "..."]
        assert own == (parameters if own == given else parameters[: len(own)]), name


def test_every_exported_name_has_a_page_with_an_example() -> None:
    pages = [path.read_text(encoding="utf-8") for path in (PACKAGE / "man").glob("*.Rd")]
    for name in exported():
        (page,) = [text for text in pages if f"\\alias{{{name}}}" in text]
        assert "\\examples{" in page, name


def test_both_packages_have_one_version() -> None:
    assert f"\nVersion: {sl.__version__}\n" in written("DESCRIPTION")


def test_the_command_writes_the_package_and_prints_what_installs_it(tmp_path: Path) -> None:
    said = in_shell("synthlab r-package 'my r/synthlabr'", tmp_path)
    made = tmp_path / "my r" / "synthlabr"
    assert f'install.packages("{made.resolve().as_posix()}", repos = NULL, type = "source")' in said
    assert f'RETICULATE_PYTHON = "{Path(sys.executable).as_posix()}"' in said
    files = {path.relative_to(made) for path in made.rglob("*") if path.is_file()}
    assert files == {path.relative_to(PACKAGE) for path in PACKAGE.rglob("*") if path.is_file()}
    (made / "DESCRIPTION").write_text("Package: synthlabr\nVersion: 0.0.1\n")
    write_r_package(made)  # an earlier version is replaced
    assert (made / "DESCRIPTION").read_bytes() == (PACKAGE / "DESCRIPTION").read_bytes()


def test_a_folder_of_something_else_is_not_overwritten(tmp_path: Path) -> None:
    (tmp_path / "DESCRIPTION").write_text("Package: other\n")
    with pytest.raises(InputError, match="contains other files"):
        write_r_package(tmp_path)
    assert [path.name for path in tmp_path.iterdir()] == ["DESCRIPTION"]
    with pytest.raises(InputError, match="contains other files"):
        write_r_package(tmp_path / "DESCRIPTION")
    assert package_folder() == PACKAGE


def test_the_page_shows_the_code_of_the_vignette() -> None:
    shown = re.findall(r"^```r\n(.*?)^```$", PAGE.read_text(encoding="utf-8"), re.M | re.S)
    chunks = CHUNK.findall(VIGNETTE.read_text(encoding="utf-8"))
    assert len(chunks) >= 6
    assert "".join(shown).split() == "".join(chunks).split()
    assert "## Error" not in PAGE.read_text(encoding="utf-8")


def in_r(command: list[str], folder: Path) -> subprocess.CompletedProcess[str]:
    """Run R with this Python and this checkout."""
    hidden = ("LD_LIBRARY_PATH", "R_HOME", "VIRTUAL_ENV", "DISPLAY")
    settings = {"RETICULATE_PYTHON": sys.executable, "PYTHONPATH": str(ROOT), "LC_ALL": "C.UTF-8", "MPLBACKEND": "agg"}
    # Checks that need the internet are left out.
    settings |= {"_R_CHECK_FORCE_SUGGESTS_": "false", "_R_CHECK_CRAN_INCOMING_": "false", "_R_CHECK_SYSTEM_CLOCK_": "0"}
    environment = {key: value for key, value in os.environ.items() if key not in hidden} | settings
    return subprocess.run(
        command, cwd=folder, env=environment, capture_output=True, text=True, encoding="utf-8", timeout=800, check=False
    )


@pytest.mark.r
@pytest.mark.full
def test_r_builds_and_checks_the_package(tmp_path: Path) -> None:
    if why := lacking():
        pytest.skip(why)
    source = write_r_package(tmp_path / "synthlabr")
    built = in_r(["R", "CMD", "build", str(source)], tmp_path)
    assert built.returncode == 0, built.stdout + built.stderr
    checked = in_r(["R", "CMD", "check", "--no-manual", f"synthlabr_{sl.__version__}.tar.gz"], tmp_path)
    log = (tmp_path / "synthlabr.Rcheck" / "00check.log").read_text(encoding="utf-8")
    tests = "\n".join(path.read_text(encoding="utf-8") for path in tmp_path.glob("synthlabr.Rcheck/tests/*.Rout*"))
    assert checked.returncode == 0, log + tests
    assert not re.search(r"\.\.\.(?: \[.*\])* (?:WARNING|ERROR)$", log, re.M), log
    counted = re.search(r"\[ FAIL (\d+) \| WARN \d+ \| SKIP (\d+) \| PASS (\d+) \]", tests)
    assert counted, tests
    failed, skipped, passed = map(int, counted.groups())
    assert failed == 0, tests
    assert skipped <= 2, tests  # without haven, or without a second Python
    assert passed > 200, tests
    (vignette,) = (tmp_path / "synthlabr.Rcheck").glob("synthlabr/doc/synthlabr.html")
    printed = re.sub(r"<[^>]+>|&\w+;", "", vignette.read_text(encoding="utf-8"))
    rows = re.findall(r"^## (expected match risk .*)$", PAGE.read_text(encoding="utf-8"), re.M)
    assert rows
    assert all(row in printed for row in rows)
