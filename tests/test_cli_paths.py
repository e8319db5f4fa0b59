"""Paths of every command that cannot be used end in one line that names the option, before any work."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any, get_type_hints

import pytest

from synthlab import cli

READ = {  # these paths are read; all others are written
    ("evaluate", "confidential"),
    ("evaluate", "synthetic"),
    ("evaluate", "--config"),
    ("evaluate", "--control"),
    ("evaluate", "--private"),
    ("attack-score", "guesses"),
    ("attack-score", "--confidential"),
    ("attack-score", "--config"),
    ("synthesize", "confidential"),
    ("synthesize", "--config"),
    ("synthesize", "--repeat"),
    ("course solutions", "--source"),
    ("course student", "--source"),
    ("course teacher", "--source"),
}
SAVED = {("synthesize", "--out"), ("synthesize", "--private")}  # a release checks them itself
REQUIRED = {  # other arguments, without which the parser stops
    "evaluate": ["none.csv", "none.csv"],
    "attack-score": ["none.csv", "--confidential", "none.csv", "--target", "x"],
    "synthesize": ["none.csv", "--out", "release"],
    "replicate": ["lecture-8"],
    "data fetch": ["acs"],
    "homework new": ["hw20", "masters"],
    "homework gradebook": ["class"],
    "course open": ["edition"],
    "course solutions": ["8", "edition"],
    "course student": ["edition"],
    "course teacher": ["edition"],
    "r-package": ["synthlabr"],
}
ENDINGS = {"--report": ".html", "--page": ".html", "--json": ".json", "--csv": ".csv"}


def paths() -> Iterator[tuple[str, Any]]:
    """Yield every command with each of its parameters that is a path."""
    for words in cli.COMMANDS:
        command: Any = cli._all()
        for word in words.split():
            command = command.commands[word]
        hints = get_type_hints(cli.COMMANDS[words])
        yield from ((words, one) for one in command.params if "Path" in str(hints.get(one.name)))


PATHS = {(words, one.opts[0]): one for words, one in paths()}
WRITTEN = sorted(set(PATHS) - READ - SAVED)


def call(words: str, option: str, value: str) -> list[str]:
    """Return a command line with this path, as an option or in the place of an argument."""
    arguments = list(REQUIRED.get(words, []))
    if option.startswith("--"):
        if option in arguments:
            arguments[arguments.index(option) + 1] = value
        else:
            arguments += [option, value]
    else:
        command: Any = cli._all()
        for word in words.split():
            command = command.commands[word]
        names = [one.opts[0] for one in command.params if not one.opts[0].startswith("--")]
        arguments[names.index(option)] = value
    if words == "replicate" and option in ("--csv", "--page"):
        arguments = ["--summary", option, value]
    return [*words.split(), *arguments]


def test_every_path_is_known_to_be_read_or_written() -> None:
    assert set(PATHS) >= READ | SAVED
    assert {words for words, _ in PATHS} - set(REQUIRED) == {"demo"}


@pytest.fixture
def refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Any:
    """Return a function that runs a command, which must end with one line about the option and leave no file."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "file").write_text("an earlier file")
    (tmp_path / "folder").mkdir()
    for ending in (".html", ".json", ".md", ".csv"):
        (tmp_path / "folder" / f"folder{ending}").mkdir()
    before = sorted(tmp_path.rglob("*"))

    def check(words: str, option: str, value: str) -> None:
        with pytest.raises(SystemExit) as stopped:
            cli.main(call(words, option, value))
        said = capsys.readouterr()
        assert stopped.value.code == 2, said
        assert said.err.startswith("error: "), said.err
        assert said.err.count("\n") == 1
        assert option in re.split("[ '=:]", said.err.lower()), said.err
        assert said.out == ""
        assert sorted(tmp_path.rglob("*")) == before

    return check


@pytest.mark.parametrize("value", ["", "x" * 300, "a\0b", "\ud800"], ids=["empty", "long", "NUL", "surrogate"])
@pytest.mark.parametrize(("words", "option"), sorted(set(PATHS) - SAVED))
def test_what_is_no_path_is_refused(words: str, option: str, value: str, refused: Any) -> None:
    refused(words, option, value)


@pytest.mark.parametrize(("words", "option"), WRITTEN)
def test_a_path_that_cannot_be_written_is_refused(words: str, option: str, refused: Any) -> None:
    ending = ENDINGS.get(option, ".csv" if words == "replicate" else "")
    refused(words, option, f"file/x{ending}")
    refused(words, option, f"folder/folder{ending}" if ending else "file")
    refused(words, option, f"{'x' * 300}/y{ending}")
