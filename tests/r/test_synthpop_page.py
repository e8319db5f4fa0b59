"""The page course/pages/coming_from_synthpop.md: its code in R and in Python prints what the page shows."""

from __future__ import annotations

import json
import re
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest

from synthlab.r.session import UNUSABLE, package_state
from tests.r.test_r_package import PACKAGE, in_r, lacking
from tests.snippets import Block, blocks, read
from tests.test_snippets import in_python

PAGE = "course/pages/coming_from_synthpop.md"
NUMBER = re.compile(r"[-+]?\d[\d,]*\.?\d*(?:e[-+]?\d+)?")
FUNCTIONS = [
    *(
        "syn",
        "compare",
        "utility.gen",
        "utility.tab",
        "multi.compare",
        "lm.synds",
        "glm.synds",
        "replicated.uniques",
        "sdc",
    ),
    *("disclosure", "write.syn", "read.obs", "codebook.syn", "numtocat.syn"),
]


def shown(language: str) -> list[tuple[str, str]]:
    """Return the blocks of code in a language, each with the output below it, or an empty text."""
    every = [*blocks(read(PAGE)), Block("", "")]
    return [
        (one.text, after.text if after.language == "text" else "")
        for one, after in pairwise(every)
        if one.language == language
    ]


def parts(text: str) -> tuple[list[str], list[float]]:
    """Return the words and the numbers of a text."""
    numbers = [float(number.replace(",", "")) for number in NUMBER.findall(text)]
    return NUMBER.sub(" # ", text).split(), numbers


def agree(printed: str, page: str) -> None:
    words, numbers = parts(page)
    assert parts(printed)[0] == words, printed
    # Another version of R, or another CPU, can draw some other records.
    assert parts(printed)[1] == pytest.approx(numbers, rel=0.05, abs=0.01), printed


def test_the_page_names_every_function() -> None:
    table = [line for line in read(PAGE).splitlines() if line.startswith("| `")]
    rows = " ".join(line.split("|")[1] for line in table)
    assert [name for name in FUNCTIONS if f"`{name}`" not in rows] == []


@pytest.mark.r
@pytest.mark.full
def test_the_page_runs_in_r_and_in_python(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    why = lacking() or ("" if package_state("synthpop") not in UNUSABLE else "not installed: synthpop")
    if why:
        pytest.skip(why)
    (tmp_path / "library").mkdir()
    installed = in_r(["R", "CMD", "INSTALL", "--no-docs", f"--library={tmp_path / 'library'}", str(PACKAGE)], tmp_path)
    assert installed.returncode == 0, installed.stderr
    start = f".libPaths(c({json.dumps(str(tmp_path / 'library'))}, .libPaths()))\ngrDevices::pdf(NULL)\n"
    code = "".join(f'cat("\\n@@@@\\n")\n{block}' for block, _ in shown("r"))
    (tmp_path / "page.R").write_text(start + code, encoding="utf-8")
    done = in_r(["Rscript", "--vanilla", "page.R"], tmp_path)
    assert done.returncode == 0, done.stderr
    printed = done.stdout.split("\n@@@@\n")[1:]
    for one, (_, page) in zip(printed, shown("r"), strict=True):
        agree(one, page)
    monkeypatch.chdir(tmp_path)
    names: dict[str, Any] = {}
    for block, page in shown("python"):
        agree(in_python(block, names), page)
