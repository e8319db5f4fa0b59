"""The commands and the code of the how-to pages run, in their order, and print what the pages say they print."""

from __future__ import annotations

import contextlib
import io
import re
import warnings
from pathlib import Path

import pytest

from tests import snippets

ROOT = Path(__file__).resolve().parents[2]
WITHOUT_CODE = {"index", "verdict"}
PAGES = sorted(p for p in (ROOT / "course" / "site" / "how_to").glob("*.md") if p.stem not in WITHOUT_CODE)
FENCE = re.compile(r"^```(\w+)\n(.*?)^```$", re.MULTILINE | re.DOTALL)


def in_shell(commands: str) -> str:
    """Run commands as a reader would, and return what they print."""
    expected = re.search(r"# exit code (\d)$", commands, re.MULTILINE)
    return snippets.in_shell(commands, Path.cwd(), code=int(expected[1] if expected else 0))


def in_python(code: str) -> str:
    """Run code and return what it prints."""
    printed = io.StringIO()
    with contextlib.redirect_stdout(printed), warnings.catch_warnings():
        warnings.simplefilter("ignore")
        exec(compile(code, "how-to", "exec"), {})  # noqa: S102 - our own pages, in a test
    return printed.getvalue()


def plain(text: str) -> str:
    """Return a text with single spaces and without the lines of tables."""
    return re.sub(r"[\s─│]+", " ", text)


def run(page: str) -> int:
    """Run the blocks of a page; return how many there were."""
    printed, ran = "", 0
    for kind, block in FENCE.findall(page):
        if kind == "text":
            for line in block.splitlines():
                assert plain(line).strip() in plain(printed), f"{line!r} is not in\n{printed}"
        elif kind == "toml":
            Path(re.match(r"# (\w+\.toml)\n", block)[1]).write_text(block, encoding="utf-8")
        elif kind in ("sh", "python"):
            printed, ran = in_shell(block) if kind == "sh" else in_python(block), ran + 1
        else:  # tests/test_snippets.py runs the blocks of R, and tests/test_readme.py compares those of PowerShell with make
            assert kind in ("r", "powershell"), f"a block of {kind} is not run"
    return ran


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.stem)
def test_a_page_does_what_it_says(page: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("SYNTHLAB_DATA_DIR", "")
    (tmp_path / "course").symlink_to(ROOT / "course")
    assert run(page.read_text(encoding="utf-8")) >= 2


def test_the_pages_are_there() -> None:
    assert {page.stem for page in PAGES} == {
        "install",
        "datasets",
        "evaluate",
        "synthesize",
        "teach",
        "check_against_r",
        "choose_a_tool",
        "learn_the_map",
    }
    made = re.findall(r"`make ([a-z-]+)`", "".join(page.read_text(encoding="utf-8") for page in PAGES))
    targets = re.findall(r"^([a-z-]+):", (ROOT / "Makefile").read_text(encoding="utf-8"), re.MULTILINE)
    assert made
    assert set(made) <= set(targets)


@pytest.mark.parametrize(
    "page",
    [
        "```sh\nfalse\n```\n",
        "```sh\ntrue  # exit code 3\n```\n",
        "```python\n1 / 0\n```\n",
        "```python\nprint(1)\n```\n\n```text\n2\n```\n",
        "```ruby\n1\n```\n",
    ],
)
def test_a_page_that_is_wrong_is_noticed(page: str) -> None:
    with pytest.raises((AssertionError, ZeroDivisionError)):
        run(page)
