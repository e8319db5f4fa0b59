"""Docstrings name the thing, and neither they nor messages use words that have no referent for a reader."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from pathlib import Path

from tests.loops import every

PACKAGE = Path(__file__).resolve().parents[1] / "synthlab"
QUESTION = re.compile(r"(What|How|Who|Where|Whether|Why)\b")
WORDS = re.compile(r"\b(ours|theirs|nobody|somebody)\b", re.IGNORECASE)
FIGURES = ("plots", "teaching/figures")
# Names of arguments, attributes, columns and recorded cases, and what the outputs of the lectures show.
ALLOWED = {
    "crosscheck/_check.py": [
        "ours, theirs : numpy.ndarray",
        "|ours - theirs - stated|",
        "ours : array_like",
        "ours: ",
    ],
    "crosscheck/match_risk.py": ["nobody matches"],
    "replication/gamma_family/reference.py": ["``ours``"],
    "replication/published.py": ["ours : float", "`ours`", "ours=0.044", "ours=173.0"],
}


def trees(*skipped: str) -> Iterator[tuple[str, ast.Module]]:
    """Yield every module of the package outside the skipped folders, by its path."""
    for file in sorted(PACKAGE.rglob("*.py")):
        name = file.relative_to(PACKAGE).as_posix()
        if not name.startswith(tuple(f"{folder}/" for folder in skipped)):
            yield name, ast.parse(file.read_text(encoding="utf-8"))


def questions(tree: ast.Module) -> list[str]:
    """Return the summary lines that ask instead of naming the thing."""
    documented = (ast.Module, ast.ClassDef, ast.FunctionDef, ast.AsyncFunctionDef)
    docstrings = [ast.get_docstring(node) or "" for node in ast.walk(tree) if isinstance(node, documented)]
    return [text.splitlines()[0] for text in docstrings if QUESTION.match(text)]


def unclear(tree: ast.Module, allowed: list[str]) -> list[str]:
    """Return the docstrings and string literals with one of the words; a name of a column is a word alone."""
    texts = [n.value for n in ast.walk(tree) if isinstance(n, ast.Constant) and isinstance(n.value, str)]
    found = []
    for text in texts:
        for phrase in allowed:
            text = text.replace(phrase, "")
        if WORDS.search(text) and text != "ours":
            found.append(text)
    return found


def test_summary_lines_name_the_thing():
    asked = {name: questions(tree) for name, tree in trees(*FIGURES)}
    assert {name: lines for name, lines in asked.items() if lines} == {}


def test_words_without_a_referent_do_not_occur():
    found = {name: unclear(tree, ALLOWED.get(name, [])) for name, tree in trees()}
    assert {name: texts for name, texts in found.items() if texts} == {}


@every(("name", "phrase"), [(name, phrase) for name, phrases in ALLOWED.items() for phrase in phrases])
def test_every_exception_is_needed(name, phrase):
    others = [p for p in ALLOWED[name] if p != phrase]
    assert unclear(ast.parse((PACKAGE / name).read_text(encoding="utf-8")), others)


def test_a_question_and_a_word_are_found():
    tree = ast.parse('"""What it does."""\ndef f():\n    """Return ours."""\n    return f"{1} of nobody"\n')
    assert questions(tree) == ["What it does."]
    assert unclear(tree, []) == ["Return ours.", " of nobody"]
