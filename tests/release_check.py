"""Check a release: build every product, install it in empty environments, and run it (`make release-check`).

    python -m tests.release_check build/release

Exit codes: 0 every check passed, 1 a check failed, 3 a check could not be made, for example because an interpreter is missing.
"""

from __future__ import annotations

import re
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Callable, Sequence
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
PYTHONS = ("3.11", "3.12", "3.13")
LECTURE = "12_differential_privacy.ipynb"
FAILED, NOT_MADE = 1, 3


class NotMadeError(Exception):
    """A check could not be made."""


def run(*command: object, folder: Path = ROOT) -> str:
    """Run a command and return its output, or raise a `CalledProcessError`."""
    print("$", *command, flush=True)
    words = [str(word) for word in command]
    done = subprocess.run(words, cwd=folder, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, check=False)
    if done.returncode:
        print(done.stdout[-2000:])
    done.check_returncode()
    return done.stdout


def interpreter(version: str) -> str:
    """Return the path of a Python interpreter, from PATH or from pyenv."""
    found = [
        shutil.which(f"python{version}"),
        *sorted(map(str, Path.home().glob(f".pyenv/versions/{version}.*/bin/python"))),
    ]
    for path in filter(None, found):
        shown = subprocess.run([path, "--version"], capture_output=True, text=True, check=False)
        if shown.stdout.startswith(f"Python {version}."):  # a shim of pyenv can exist without its interpreter
            return path
    raise NotMadeError(f"Python {version} is not installed")


def build(folder: Path) -> None:
    """Build the wheel and the source distribution."""
    run(sys.executable, "-m", "build", "--outdir", folder, ROOT)
    run(sys.executable, "-m", "twine", "check", "--strict", *folder.glob("synthlab_sdc-*"))


def build_r_package(folder: Path) -> None:
    """Build and check the R package."""
    source = ROOT / "course" / "r" / "synthlabr"
    if not (source / "DESCRIPTION").is_file():
        raise NotMadeError("the R package course/r/synthlabr does not exist")
    if shutil.which("R") is None:
        raise NotMadeError("R is not on PATH")
    run("R", "CMD", "build", source, folder=folder)
    (archive,) = folder.glob("synthlabr_*.tar.gz")
    run("R", "CMD", "check", "--no-manual", archive.name, folder=folder)


def build_site(folder: Path) -> None:
    """Build the documentation site."""
    run(sys.executable, ROOT / "course" / "site" / "build.py", folder / "site")


def install_and_run(folder: Path, pattern: str, version: str) -> None:
    """Install a distribution in an empty environment, and run the lines of the README, the demo and a lecture."""
    python = interpreter(version)
    found = sorted(folder.glob(pattern))
    if not found:
        raise NotMadeError(f"{pattern} was not built")
    with tempfile.TemporaryDirectory() as name:
        place = Path(name)
        run(python, "-m", "venv", place / "env")
        programs = place / "env" / "bin"
        run(programs / "python", "-m", "pip", "install", "--quiet", f"{found[0]}[course]")
        (place / "readme.py").write_text(readme_lines(), encoding="utf-8")
        assert "expected match risk" in run(programs / "python", "-I", "readme.py", folder=place)
        run(programs / "synthlab", "demo", "--out", "demo", folder=place)
        run(programs / "synthlab", "course", "student", "student", folder=place)
        command = (programs / "jupyter", "nbconvert", "--to", "notebook", "--execute", "--output", "done.ipynb")
        run(*command, LECTURE, folder=place / "student")


def readme_lines() -> str:
    """Return the first Python block of the README."""
    found = re.search(r"```python\n(.*?)```", (ROOT / "README.md").read_text(encoding="utf-8"), re.DOTALL)
    assert found, "README.md has no Python block"
    return found[1]


def checks(folder: Path) -> dict[str, Callable[[], None]]:
    """Return the checks by their names, in order."""
    every: dict[str, Callable[[], None]] = {
        "wheel and sdist": lambda: build(folder),
        "R package": lambda: build_r_package(folder),
        "site": lambda: build_site(folder),
    }
    for kind, pattern in {"wheel": "synthlab_sdc-*.whl", "sdist": "synthlab_sdc-*.tar.gz"}.items():
        for version in PYTHONS:
            every[f"{kind}, Python {version}"] = lambda p=pattern, v=version: install_and_run(folder, p, v)  # type: ignore[misc]
    return every


def report(every: dict[str, Callable[[], None]]) -> int:
    """Make the checks, print the result of each, and return the exit code."""
    results: dict[str, str] = {}
    for name, check in every.items():
        try:
            check()
            results[name] = "passed"
        except NotMadeError as error:
            results[name] = f"not made: {error}"
        except (subprocess.CalledProcessError, OSError, AssertionError) as error:
            results[name] = f"failed: {error}"
    print("\n".join(f"{name}: {result}" for name, result in results.items()))
    if any(result.startswith("failed") for result in results.values()):
        return FAILED
    return NOT_MADE if set(results.values()) != {"passed"} else 0


def main(arguments: Sequence[str]) -> int:
    """Make all checks with products in an empty folder."""
    folder = Path(arguments[0]).resolve()
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    return report(checks(folder))


if __name__ == "__main__":
    raise SystemExit(main(sys.argv[1:]))
