"""Index of the numbered equations of the five documents.

A docstring with the line ``Equations: Reiter & Mitra (1), (2)`` implements these equations. The list of all equations is
``equations.csv``.
"""

from __future__ import annotations

import ast
import json
import re
from pathlib import Path

import pandas as pd

SITE = Path(__file__).resolve().parent
ROOT = SITE.parents[1]
TAG = re.compile(r"^ *Equations: (?P<document>[^()]+) (?P<labels>\(.+\))$", re.MULTILINE)
SHOWN = 3  # notebooks and files of tests in a row of the index


def listed() -> pd.DataFrame:
    """Return all equations: columns ``document``, ``label``, ``content``, and the reason if one is not implemented."""
    return pd.read_csv(SITE / "equations.csv", dtype=str, keep_default_na=False)


def tagged() -> dict[tuple[str, str], list[str]]:
    """Return the functions and classes whose docstring names an equation, by document and label."""
    found: dict[tuple[str, str], list[str]] = {}
    sources = [*(ROOT / "synthlab").rglob("*.py"), *(ROOT / "course/replications").rglob("*.py")]
    for path in sorted(sources):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.FunctionDef | ast.ClassDef):
                for tag in TAG.finditer(ast.get_docstring(node) or ""):
                    for label in re.findall(r"\(([^)]+)\)", tag["labels"]):
                        found.setdefault((tag["document"], label), []).append(node.name)
    return found


def users(files: dict[str, str], names: list[str]) -> list[str]:
    """Return the names of the files that call a function or load a dataset, those with most calls first."""
    either = "|".join(names)
    call = re.compile(rf"""\b(?:{either})\(|["'](?:{either})["']""")
    calls = {name: len(call.findall(text)) for name, text in files.items()}
    return sorted((name for name, number in calls.items() if number), key=lambda name: -calls[name])


def index() -> pd.DataFrame:
    """Return one row per equation, with the functions, notebooks and files of tests that use them."""
    implemented, table = tagged(), listed()
    lectures = sorted((ROOT / "course").glob("[0-9]*.ipynb"))
    notebooks = {f"lecture {path.stem.split('_')[0].lstrip('0')}": _code(path) for path in lectures}
    notebooks |= {
        f"replication {path.stem}": _code(path) for path in sorted((ROOT / "course/replications").glob("*/*.ipynb"))
    }
    tests = {
        path.relative_to(ROOT / "tests").as_posix(): path.read_text(encoding="utf-8")
        for path in sorted((ROOT / "tests").rglob("test_*.py"))
    }
    rows = []
    for document, label, content, reason in table.itertuples(index=False, name=None):
        names = implemented.get((document, label), [])
        where = [users(files, names)[:SHOWN] if names else [] for files in (notebooks, tests)]
        rows.append(
            (document, label, content, ", ".join(names) or f"not implemented: {reason}", *map(", ".join, where))
        )
    return pd.DataFrame(rows, columns=["document", "equation", "content", "functions", "notebooks", "tests"])


def _code(path: Path) -> str:
    cells = json.loads(path.read_text(encoding="utf-8"))["cells"]
    return "\n".join("".join(cell["source"]) for cell in cells if cell["cell_type"] == "code")
