"""The example of the README runs, and prints what the README says it prints."""

from __future__ import annotations

import contextlib
import io
import os
import re
import shlex
import subprocess
import sys
import tomllib
import warnings

import pytest
import typer

from synthlab import cli
from synthlab.exceptions import NoBetterThanBaselineWarning


def numbers(text: str) -> dict[str, float]:
    """Return the first number of each row of the printed table."""
    rows = re.findall(r"^(expected match risk|true match rate|unique matches)\s+([\d.,]+)", text, re.MULTILINE)
    return {name: float(value.replace(",", "")) for name, value in rows}


def test_the_example_prints_what_it_says(root):
    readme = (root / "README.md").read_text(encoding="utf-8")
    code = re.search(r"```python\n(.*?)```\n\n```text\n(.*?)```", readme, re.DOTALL)
    assert code, "the README has no example followed by its output"
    printed = io.StringIO()
    with contextlib.redirect_stdout(printed), warnings.catch_warnings():
        warnings.simplefilter("ignore", NoBetterThanBaselineWarning)
        exec(compile(code[1], "README.md", "exec"), {})  # noqa: S102 - our own README, in a test
    said, found = numbers(code[2]), numbers(printed.getvalue())
    assert len(said) == 3
    # The chains are seeded; another CPU may round differently and move single records.
    assert found == pytest.approx(said, rel=0.05)


def test_pictures_and_files_it_names_are_there(root):
    readme = (root / "README.md").read_text(encoding="utf-8")
    for target in re.findall(r"\]\(((?!http)[^)#]+)\)", readme):
        assert (root / target).is_file(), target


def test_targets_it_names_exist(root):
    readme, makefile = ((root / name).read_text(encoding="utf-8") for name in ("README.md", "Makefile"))
    for target in set(re.findall(r"(?:^|`)make ([a-z][a-z-]+)", readme, re.MULTILINE)):
        assert re.search(rf"^{target}:", makefile, re.MULTILINE), target


def rows(root) -> dict[str, list[str]]:
    """Return the commands without make, by the target of make."""
    readme = (root / "README.md").read_text(encoding="utf-8")
    table = readme[readme.index("| with make | without |") :].split("\n\n")[0]
    lines = re.findall(r"^\| `make ([a-z-]+)` \| (.*) \|$", table, re.MULTILINE)
    return {target: re.findall(r"`([^`]+)`", re.sub(r"\(.*\)", "", said)) for target, said in lines}


def made(root, target: str) -> list[list[str]]:
    """Return the commands that make would run for a target, without the folder of the environment and the options of Linux."""
    done = [word for stamp in (".base", ".full", ".full-r", ".site") for word in ("-o", f".venv/{stamp}")]
    command = ["make", "-n", "--no-print-directory", *done, target]
    settings = {name: value for name, value in os.environ.items() if not name.startswith("MAKE")}
    printed = subprocess.run(command, cwd=root, check=True, capture_output=True, text=True, env=settings).stdout
    words = [shlex.split(line) for line in printed.replace("\\\n", " ").splitlines()]
    return [[first.removeprefix(".venv/bin/"), *more] for first, *more in words]


TARGETS = [
    "demo",
    "student",
    "course",
    "slides",
    "site",
    "lint",
    "test",
    "class",
    "bench",
    "hostile",
    "mutate",
    "r-reference",
]


def test_every_target_it_names_has_a_form_without_make(root):
    named = set(
        re.findall(r"(?:^|`)make ([a-z][a-z-]+)", (root / "README.md").read_text(encoding="utf-8"), re.MULTILINE)
    )
    assert {*TARGETS} == {*rows(root)} == named - {"help"}


@pytest.mark.parametrize("target", TARGETS)
def test_a_form_without_make_is_what_make_runs(root, target):
    for command in rows(root)[target]:
        words = shlex.split(command)
        if words[0] == "jupyter":  # make names the port, and the folder in full
            (run,) = [line for line in made(root, target) if line[0] == "jupyter"]
            run = [word.replace(f"{root}/", "") for word in run]
            assert {*words} <= {*run}
        else:
            assert words in made(root, target)


def test_what_is_typed_once_is_what_make_install_installs(root):
    readme, makefile = ((root / name).read_text(encoding="utf-8") for name in ("README.md", "Makefile"))
    typed = re.search(r"```powershell\n(.*?)```", readme, re.DOTALL)[1].splitlines()
    project = tomllib.loads((root / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    assert f"py -{project['requires-python'].removeprefix('>=')} -m venv .venv" == typed[0]
    assert "pip install --quiet --editable '.[course,dev]'" in makefile
    assert 'python -m pip install --editable ".[course,dev]"' in typed


def commands(root) -> list[list[str]]:
    """Return every command of synthlab that the README shows in full."""
    readme = (root / "README.md").read_text(encoding="utf-8")
    blocks = "\n".join(re.findall(r"```(?:sh|powershell)\n(.*?)```", readme, re.DOTALL)).replace("\\\n", " ")
    lines = [*blocks.splitlines(), *re.findall(r"`(synthlab [^`]+)`", readme)]
    shown = [shlex.split(line, comments=True) for line in lines if line.startswith("synthlab ")]
    assert len(shown) > 15
    return shown


def test_every_command_it_shows_has_these_options(root):
    for _, *words in commands(root):
        command, path = typer.main.get_command(cli.app), []
        while words and words[0] in getattr(command, "commands", {}):
            path.append(words.pop(0))
            command = command.commands[path[-1]]
        known = {option for p in command.params for option in p.opts} | {"--help"}
        assert path or words == ["--version"], words
        assert {word for word in words if word.startswith("--")} <= known, (path, words)


def test_the_cheap_commands_run_as_they_are_typed(root, tmp_path):
    (tmp_path / "course").symlink_to(root / "course")
    cheap = [*rows(root)["student"], "synthlab data list", "synthlab replicate", "synthlab --version"]
    shown = {" ".join(words) for words in commands(root)}
    assert {*cheap} <= shown
    settings = {**os.environ, "PYTHONPATH": os.pathsep.join([str(root), os.environ.get("PYTHONPATH", "")])}
    for command in cheap:
        words = [sys.executable, "-m", "synthlab.cli", *shlex.split(command)[1:]]
        done = subprocess.run(words, cwd=tmp_path, capture_output=True, text=True, check=False, env=settings)
        assert (done.returncode, done.stderr) == (0, ""), command
        assert done.stdout
    assert (tmp_path / "build" / "course" / "student" / "README.md").is_file()
