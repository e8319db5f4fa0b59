"""Docstrings, messages and pages avoid phrases that a technical editor would rewrite."""

from __future__ import annotations

import ast
import re
from pathlib import Path

import pytest

from tests.loops import every

ROOT = Path(__file__).resolve().parents[1]
LIMIT = 5.0  # phrases per 1,000 sentences of docstrings
PHRASES = re.compile(
    r"""\b(is|are|was)\ no\ [a-z]+ | \bone\ [a-z]+\ a\ [a-z]+ | \bwhatever\b | \b(nobody|everybody|somebody)\b | \btold\b
    | \bmend(s|ed)?\b | \bas\ it\ stands\b | \bthose\ of\b | \bfound\ out\b | \bhas\ none\b | \bwhat\ is\ (there|said|left)\b
    | \b(ours|theirs)\b""",
    re.VERBOSE | re.IGNORECASE,
)
PERMITTED = re.compile(
    r"\bthere (is|are|was) no\b|\b(is|are|was) no (longer|more|less|fewer|larger|smaller|greater|better|worse|later|closer)\b"
    r"|\bone (as|at|by|for|from|in|of|per|to|with) a\b"
    r"|\bours(, theirs)? :|\b(ours|theirs)=|nobody matches",  # names of arguments and of a case of the comparison with R
    re.IGNORECASE,
)
FILES = sorted([*(ROOT / "synthlab").rglob("*.py"), *(ROOT / "course" / "replications").rglob("*.py")])
DOCUMENTED = (ast.Module, ast.ClassDef, ast.FunctionDef, ast.AsyncFunctionDef)


@pytest.fixture(scope="module")
def nodes() -> list[ast.AST]:
    return [node for file in FILES for node in ast.walk(ast.parse(file.read_bytes()))]


@pytest.fixture(scope="module")
def docstrings(nodes: list[ast.AST]) -> list[str]:
    return [text for node in nodes if isinstance(node, DOCUMENTED) and (text := ast.get_docstring(node))]


def found(text: str) -> list[str]:
    """Return the phrases in a text without its code."""
    text = re.sub(r"^\s*(>>>|\.\.\. ).*$|`+[^`]*`+", "", text, flags=re.MULTILINE)
    return [hit[0] for hit in PHRASES.finditer(PERMITTED.sub("", " ".join(text.split())))]


def test_docstrings_have_few_of_these_phrases(docstrings: list[str]) -> None:
    sentences = [one for text in docstrings for one in re.split(r"(?<=[.?!:])\s+|\n\s*\n", text) if one.strip()]
    hits = [f"{hit!r} in {' '.join(one.split())!r}" for one in sentences for hit in found(one)]
    assert (rate := 1000 * len(hits) / len(sentences)) <= LIMIT, f"{rate:.1f} per 1,000 sentences:\n" + "\n".join(hits)


def test_summary_lines_name_the_thing(docstrings: list[str]) -> None:
    lines = [text.splitlines()[0] for text in docstrings]
    assert [line for line in lines if re.match(r"(What|How|Who|Where|Why)\b", line)] == []


def test_messages_do_not_speak_of_nobody(nodes: list[ast.AST]) -> None:
    texts = [node.value for node in nodes if isinstance(node, ast.Constant) and isinstance(node.value, str)]
    assert [text for text in texts if re.search(r"\b(no|some)body\b", PERMITTED.sub("", text), re.IGNORECASE)] == []


@every("page", ["README.md", "CHANGELOG.md", "CONTRIBUTING.md"])
def test_pages_have_none_of_these_phrases(page: str) -> None:
    assert found(re.sub(r"```.*?```", "", (ROOT / page).read_text(encoding="utf-8"), flags=re.DOTALL)) == []


def test_phrases_are_found_and_exceptions_are_permitted() -> None:
    assert found("The key is no number; one row a record.") == ["is no number", "one row a record"]
    assert found("There is no limit, and `mend` is no longer a key.") == []
