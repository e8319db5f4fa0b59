"""The example of the README runs, and prints what the README says it prints."""

from __future__ import annotations

import contextlib
import io
import re
import warnings

import pytest

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
