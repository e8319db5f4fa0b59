"""The README names files and targets that exist, and the installation page gives the commands of the Makefile without make."""

from __future__ import annotations

import os
import re
import shlex
import subprocess
import tomllib

from tests.loops import every


def test_pictures_and_files_it_names_are_there(root):
    readme = (root / "README.md").read_text(encoding="utf-8")
    for target in re.findall(r"\]\(((?!http)[^)#]+)\)", readme):
        assert (root / target).is_file(), target


INSTALL = "course/site/how_to/install.md"


def rows(root) -> dict[str, list[str]]:
    """Return the commands without make, by the target of make."""
    page = (root / INSTALL).read_text(encoding="utf-8")
    table = page[page.index("| with make | without |") :].split("\n\n")[0]
    lines = re.findall(r"^\| `make ([a-z-]+)` \| (.*) \|$", table, re.MULTILINE)
    return {target: re.findall(r"`([^`]+)`", re.sub(r"\(.*\)", "", said)) for target, said in lines}


def made(root, target: str) -> list[list[str]]:
    """Return the commands that make would run for a target, without the folder of the environment and the options of Linux."""
    done = [word for stamp in (".pip", ".base", ".full", ".full-r", ".site") for word in ("-o", f".venv/{stamp}")]
    command = ["make", "-n", "--no-print-directory", *done, target]
    settings = {name: value for name, value in os.environ.items() if not name.startswith("MAKE")}
    printed = subprocess.run(command, cwd=root, check=True, capture_output=True, text=True, env=settings).stdout
    words = [shlex.split(line) for line in printed.replace("\\\n", " ").splitlines()]
    return [[first.removeprefix(".venv/bin/"), *more] for first, *more in words]


TARGETS = [
    "demo",
    "student",
    "course",
    "site",
    "lint",
    "check",
    "test",
    "test-all",
    "homework",
    "bench",
]


def test_every_target_it_names_has_a_form_without_make(root):
    named = set(
        re.findall(r"(?:^|`)make ([a-z][a-z-]+)", (root / "README.md").read_text(encoding="utf-8"), re.MULTILINE)
    )
    assert {*TARGETS} == {*rows(root)} >= named


@every("target", TARGETS)
def test_a_form_without_make_is_what_make_runs(root, target):
    for command in rows(root)[target]:
        words = shlex.split(command)
        run = made(root, target)
        if target == "course":  # make also names the edition and the port
            run = [line[: len(words)] for line in run]
        assert words in run


def test_what_is_typed_once_is_what_make_install_installs(root):
    page, makefile = ((root / name).read_text(encoding="utf-8") for name in (INSTALL, "Makefile"))
    typed = re.search(r"```powershell\n(.*?)```", page, re.DOTALL)[1].splitlines()
    project = tomllib.loads((root / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    assert f"py -{project['requires-python'].removeprefix('>=')} -m venv .venv" == typed[0]
    assert "pip install --quiet --editable '.[course,homework,scale,dp]' --group dev" in makefile
    assert 'python -m pip install --editable ".[course,homework,scale,dp]" --group dev' in typed
    assert "--upgrade pip" in makefile  # pip below 25.1 knows no --group
    assert "python -m pip install --upgrade pip" in typed


def commands(root) -> list[list[str]]:
    """Return every command of synthlab that the README shows in full."""
    readme = "".join((root / name).read_text(encoding="utf-8") for name in ("README.md", INSTALL))
    blocks = "\n".join(re.findall(r"```(?:sh|powershell)\n(.*?)```", readme, re.DOTALL)).replace("\\\n", " ")
    lines = [*blocks.splitlines(), *re.findall(r"`(synthlab [^`]+)`", readme)]
    shown = [shlex.split(line, comments=True) for line in lines if line.startswith("synthlab ")]
    assert len(shown) > 12
    return shown
