"""Every code block of the Markdown files is run by a test, and every call in their text can be made as it stands there."""

from __future__ import annotations

import ast
import contextlib
import inspect
import io
import re
import shlex
import shutil
import subprocess
import warnings
from collections.abc import Callable, Iterator
from functools import cache
from importlib import import_module
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
import typer

import synthlab as sl
from synthlab import cli
from tests.snippets import FENCE, LANGUAGES, NOT_RUN, ROOT, blocks, code, in_shell, pages, read

PAGES = pages()
RUN_BY = {
    "README.md": "tests/test_snippets.py",
    "data/foreign/README.md": "tests/test_snippets.py",
    "course/homework/project.md": "tests/course/test_project.py",
    "course/pages/from_my_laptop_to_the_cluster.md": "tests/scale/test_scale_page.py",
    "course/pages/coming_from_synthpop.md": "tests/r/test_synthpop_page.py",
    "course/pages/households.md": "tests/synthesis/test_units_page.py",
    "course/pages/sign_a_release.md": "tests/report/test_units_report.py",
    "course/pages/teach_30_students.md": "tests/teaching/homework/test_gradebook.py",
    "course/pages/write_a_homework.md": "tests/teaching/homework/test_otter.py",
    "course/r/synthlab.md": "tests/r/test_r_package.py",
}
HOW_TO = "course/site/how_to/"
INLINE = re.compile(r"(?<!`)`([^`]+)`(?!`)")
# Where the names of calls in the text are found: the package, and libraries the text mentions.
MODULES = ["synthlab", "joblib", "replications.dp", *(f"synthlab.{name}" for name in (
    "counts", "datasets", "dp", "report", "risk", "scale", "synthesizers", "units", "utility", "weights", "r",
    "teaching", "teaching.figures.release_diagram", "teaching.homework",
))]  # fmt: skip
OF_R = {"factor", "list", "print", "set.seed", "syn", "synthlab"}


def test_every_block_of_code_is_run_by_a_test() -> None:
    for page in PAGES:
        if not code(page):
            continue
        test = "tests/site/test_how_to.py" if page.startswith(HOW_TO) else RUN_BY.get(page)
        assert test, f"{page}: has code that no test runs"
        assert (Path(page).parent if page.startswith(HOW_TO) else Path(page)).name in read(test), f"{page}: {test}"
    assert {page for page in RUN_BY if code(page)} == {*RUN_BY}


def test_blocks_that_are_not_run_are_there_and_have_languages() -> None:
    every = [one for page in PAGES for one in blocks(read(page))]
    lines = [line for one in every for line in one.text.splitlines()]
    assert [start for start in NOT_RUN if not any(line.startswith(start) for line in lines)] == []
    words = {one.language for one in every}
    assert words <= {*LANGUAGES, "text", "toml", "{toctree}", ""}
    for one in every:
        commands = re.match(r"(synthlab|make|python|pip) |import |from \w+ import |library\(", one.text)
        assert one.language in LANGUAGES or not commands, f"a block of {one.language!r} holds code: {one.first}"


def in_python(block: str, names: dict[str, Any]) -> str:
    """Run code and return what it prints."""
    printed = io.StringIO()
    with contextlib.redirect_stdout(printed), warnings.catch_warnings():
        warnings.simplefilter("ignore", sl.exceptions.SynthlabWarning)
        exec(compile(block, "page", "exec"), names)  # noqa: S102 - our own pages, in a test
    return printed.getvalue()


def numbers(text: str) -> dict[str, float]:
    """Return the number of a line that holds one alone, the first of some rows of a table, and one of the verdict."""
    rows = re.findall(
        r"(?:^|; )(expected match risk|true match rate|unique matches|the unchanged columns identify|)\s*([\d.,]+)(?=\s)",
        text,
        re.MULTILINE,
    )
    return {name: float(value.replace(",", "")) for name, value in rows}


def write_survey(folder: Path) -> None:
    """Write small files with the names and variables of the commands of the README."""
    rng = np.random.default_rng(1)
    survey = pd.DataFrame({
        "age": rng.integers(20, 60, 80), "region": rng.choice(["north", "south"], 80),
        "income": rng.lognormal(10, 0.5, 80).round(),
    })  # fmt: skip
    for name in ("survey", "confidential", "synthetic1", "synthetic2"):
        released = survey.assign(income=rng.permutation(survey["income"])) if name.startswith("syn") else survey
        released.to_csv(folder / f"{name}.csv", index=False)


def test_the_readme_runs_and_prints_what_it_shows(tmp_path: Path) -> None:
    write_survey(tmp_path)
    names: dict[str, Any] = {}
    printed, compared = "", 0
    for one in blocks(read("README.md")):
        if not one.is_run:
            continue
        if one.language == "python":
            printed = in_python(one.text, names)
        elif one.language == "sh":
            assert in_shell(one.text, tmp_path)
        else:
            assert one.language == "text"
            # The chains are seeded; another CPU may round differently and move single records.
            assert numbers(printed) == pytest.approx(numbers(one.text), rel=0.05)
            compared += len(numbers(one.text))
    assert compared == 4
    assert (tmp_path / "out.html").is_file()
    assert len(sl.Release.load(tmp_path / "release")) == 5


def test_the_releases_of_this_package_are_made_as_the_page_says(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    names: dict[str, Any] = {}
    for one in code("data/foreign/README.md"):
        if one.language == "python":
            in_python(one.text, names)
    assert len(names["releases"]) == 3
    for number, made in enumerate(names["releases"], start=1):
        made.to_csv("made.csv", index=False)
        kept = pd.read_csv(ROOT / f"data/foreign/synthlab_{number}.csv.gz")
        pd.testing.assert_frame_equal(pd.read_csv("made.csv"), kept)


@cache
def missing_in_r(library: str) -> bool:
    if shutil.which("Rscript") is None:
        return True
    return bool(subprocess.run(["Rscript", "-e", f"library({library})"], capture_output=True, check=False).returncode)


def in_r() -> Iterator[Any]:
    for page in PAGES:
        if RUN_BY.get(page) not in ("tests/r/test_r_package.py", "tests/r/test_synthpop_page.py"):
            yield from (pytest.param(page, one.text, id=page) for one in code(page) if one.language == "r")


@pytest.mark.parametrize(("page", "block"), list(in_r()))
def test_a_block_of_r_runs_and_prints_what_python_prints(page: str, block: str, tmp_path: Path) -> None:
    libraries = re.findall(r"library\((\w+)\)", block)
    missing = [name for name in libraries if missing_in_r(name)]
    if missing:
        pytest.skip(f"not installed in R: {', '.join(missing)}")
    people = sl.datasets.load("affairs").frame.iloc[:200]
    people.to_csv(tmp_path / "given.csv", index=False)
    done = subprocess.run(["Rscript", "-e", block], cwd=tmp_path, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    shown = re.search(r"```text\n(?:.* )?([\d.]+)\n```\n\nThe same in R:", read(page))
    if shown:
        assert done.stdout.split()[-1] == shown[1]


# ---- calls and commands in the text ----------------------------------------------------------------


@cache
def callables() -> dict[str, list[Callable[..., Any]]]:
    """Return what can be called, and the methods of classes, by name."""
    found: dict[str, list[Callable[..., Any]]] = {}
    for name in MODULES:
        module = import_module(name)
        for word in {*dir(module), *getattr(module, "__all__", ())}:
            one = getattr(module, word, None)
            if not word.startswith("_") and callable(one):
                found.setdefault(word, []).append(one)
                for method, function in inspect.getmembers(one, callable) if inspect.isclass(one) else ():
                    found.setdefault(method, []).append(function)
    return found


def calls(text: str) -> Iterator[ast.Call]:
    """Yield the calls in a text between backquotes; what is not Python has none."""
    for said in INLINE.findall(FENCE.sub("", text)):
        with contextlib.suppress(SyntaxError):
            yield from (node for node in ast.walk(ast.parse(said)) if isinstance(node, ast.Call))


def accepts(function: Callable[..., Any], call: ast.Call) -> bool:
    try:
        parameters = inspect.signature(function).parameters.values()
    except ValueError:  # of a function written in C
        return True
    named = {one.name for one in parameters if one.kind in (one.KEYWORD_ONLY, one.POSITIONAL_OR_KEYWORD)}
    return any(one.kind is one.VAR_KEYWORD for one in parameters) or {key.arg for key in call.keywords} <= named


def wrong_calls(text: str) -> list[str]:
    """Return the calls of functions that there are not, or with arguments that they do not have."""
    wrong = []
    for call in calls(text):
        name = ast.unparse(call.func)
        functions = callables().get(name.rpartition(".")[2].rpartition("(")[2], [])
        if name not in OF_R and not any(accepts(function, call) for function in functions):
            wrong.append(ast.unparse(call))
    return wrong


@pytest.mark.parametrize("page", PAGES)
def test_every_call_in_the_text_can_be_made(page: str) -> None:
    assert wrong_calls(read(page)) == []


def test_a_call_that_cannot_be_made_is_noticed() -> None:
    assert wrong_calls('`identification_risk(..., convention="irc")`') == ["identification_risk(..., convention='irc')"]
    assert wrong_calls("`sl.no_such_function(1)`") == ["sl.no_such_function(1)"]
    assert wrong_calls("`sl.Intruder(known=[1], convention='irc')` and `x <- 1`") == []


def commands(text: str) -> list[list[str]]:
    """Return every command of synthlab that a text shows."""
    shown = "\n".join(one.text for one in blocks(text) if one.language in LANGUAGES).replace("\\\n", " ")
    lines = [*shown.splitlines(), *re.findall(r"`(synthlab [^`\n]+)`", text)]
    return [shlex.split(line, comments=True) for line in lines if line.startswith("synthlab ")]


def docstrings(command: Any) -> Iterator[str]:
    """Yield the help of a command and of its subcommands."""
    yield "\n".join(f"`{line.strip()}`" for line in (command.help or "").splitlines())
    for one in getattr(command, "commands", {}).values():
        yield from docstrings(one)


def unknown_options(words: list[str]) -> list[str]:
    """Return what a command does not know; of a group, an unknown command."""
    command, path = typer.main.get_command(cli.app), []
    words = words[1:]
    while words and words[0] in getattr(command, "commands", {}):
        path.append(words.pop(0))
        command = command.commands[path[-1]]
    known = {option for one in command.params for option in one.opts} | {"--help"}
    unknown = [word for word in words if word.startswith("--") and word.partition("=")[0] not in known]
    return unknown if path or words == ["--version"] else words


def test_every_command_that_is_shown_has_these_options() -> None:
    texts = {page: read(page) for page in PAGES}
    texts |= {f"help {i}": text for i, text in enumerate(docstrings(typer.main.get_command(cli.app)))}
    shown = [(where, words) for where, text in texts.items() for words in commands(text)]
    assert len(shown) > 60
    assert [(where, words) for where, words in shown if unknown_options(words)] == []
    assert unknown_options(["synthlab", "evaluate", "--no-such-option", "1"]) == ["--no-such-option"]


def test_no_example_of_a_docstring_is_skipped_but_the_download() -> None:
    skipped = [path for path in (ROOT / "synthlab").rglob("*.py") if re.search(r"doctest:.*SKIP", path.read_text())]
    assert [path.name for path in skipped] == ["_fetch.py"]
    for path in (ROOT / "synthlab").rglob("*.py"):
        assert not re.search(r"^(?! *\.\. )[^#\n]*\w::$", path.read_text(encoding="utf-8"), re.MULTILINE), (
            f"{path}: not a doctest"
        )
