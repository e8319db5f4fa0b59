"""Mutants of the functions in the solution cells of the lectures.

Every mutant contains one typical mistake: an operand or a keyword is dropped, an index is 0, a draw is replaced by its mean,
the generator has a seed of its own, rows and columns are exchanged, or the ends of an interval are open.
"""

from __future__ import annotations

import ast
import copy
import json
import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

TABLES = (
    "03.metropolis",
    "04.synthesize",
    "05.draw_logistic",
    "08.matches",
    "10b.guesses",
    "13b.clipped",
)  # two dimensions
COURSE = Path(__file__).resolve().parents[2] / "course"
TRANSPOSED = "transposed result"
OPEN = {ast.LtE: ast.Lt, ast.Lt: ast.LtE, ast.GtE: ast.Gt, ast.Gt: ast.GtE}
MEANS = {  # draws and their means, with the arguments of the draw
    "normal": "({0}) + 0 * ({1})",
    "standard_normal": "np.zeros({0})",
    "beta": "np.full({size}, ({0}) / (({0}) + ({1})))",
    "binomial": "({0}) * ({1})",
    "random": "np.full({0}, 0.5)",
    "laplace": "np.zeros({2})",
    "dirichlet": "({0}) / np.sum({0})",
    "standard_gamma": "1.0 * ({0})",
}


@dataclass(frozen=True)
class Solution:
    """Function in a solution cell.

    Parameters
    ----------
    exercise, name : str
        Exercise, and name of the function.
    cells : str
        Source of the imports and functions that it needs.
    source : str
        Source of the function.
    """

    exercise: str
    name: str
    cells: str
    source: str

    def build(self, tree: ast.AST | None = None) -> Callable[..., Any]:
        """Return the function, or its mutant."""
        names: dict[str, Any] = {}
        exec(self.cells, names)  # noqa: S102 - code of the lecture
        exec(self.source if tree is None else ast.unparse(tree), names)  # noqa: S102
        return names[self.name]


def solutions() -> list[Solution]:
    """Return the functions that the solution cells of the lectures check."""
    found = []
    for path in sorted(COURSE.glob("*.ipynb")):
        cells = [cell for cell in json.loads(path.read_text(encoding="utf-8"))["cells"] if cell["cell_type"] == "code"]
        sources = ["".join(cell["source"]) for cell in cells]
        checks = dict(re.findall(r'check\("([\w.]+)", (\w+)[,)]', "\n".join(sources)))
        solved = [s for s, cell in zip(sources, cells, strict=True) if "solution" in cell["metadata"].get("tags", ())]
        functions = {node.name: ast.unparse(node) for s in solved for node in _functions(s)}
        others = {node.name: ast.unparse(node) for s in sources for node in _functions(s) if node.name not in functions}
        imports = [node for s in sources for node in _imports(s)]
        for exercise, name in checks.items():
            if name in functions:
                needed = "\n".join(others[one] for one in _names(functions[name]) if one in others)
                used = {*_names(functions[name]), *_names(needed)}
                loaded = [ast.unparse(node) for node in imports if used & {a.asname or a.name for a in node.names}]
                found.append(
                    Solution(exercise, name, "\n".join(["import numpy as np", *loaded, needed]), functions[name])
                )
    return found


def mutants(solution: Solution) -> Iterator[tuple[str, ast.AST]]:
    """Yield each mutant with its description."""
    tree = ast.parse(solution.source)
    number = sum(1 for _ in ast.walk(tree))
    for position in range(number):
        node = _at(tree, position)
        for what, change in _changes(node):
            if what == TRANSPOSED and solution.exercise not in TABLES:
                continue
            mutant = copy.deepcopy(tree)
            new = change(_at(mutant, position))
            if new is not None:
                mutant = _Replace(_at(mutant, position), new).visit(mutant)
            yield f"line {getattr(node, 'lineno', 0)}: {what}", ast.fix_missing_locations(mutant)
    first = tree.body[0]
    assert isinstance(first, ast.FunctionDef)
    for value in ("np.random.default_rng(1)", "np.random"):
        if "rng" in [one.arg for one in first.args.args]:
            mutant = copy.deepcopy(tree)
            mutant.body[0].body.insert(0, ast.parse(f"rng = {value}").body[0])  # type: ignore[attr-defined]
            yield f"rng = {value}", ast.fix_missing_locations(mutant)


def _changes(node: ast.AST) -> Iterator[tuple[str, Callable[[Any], ast.AST | None]]]:
    text = ast.unparse(node) if isinstance(node, ast.expr) else ""
    if isinstance(node, ast.BinOp) and isinstance(
        node.op, ast.Add | ast.Sub | ast.Mult | ast.Div | ast.Pow | ast.BitAnd
    ):
        yield f"only the left side of {text}", lambda one: one.left
        if not isinstance(node.op, ast.Pow):
            yield f"only the right side of {text}", lambda one: one.right
    if isinstance(node, ast.Compare) and len(node.ops) == 1 and type(node.ops[0]) in OPEN:
        yield f"ends of {text}", lambda one: ast.Compare(one.left, [OPEN[type(one.ops[0])]()], one.comparators)
    if isinstance(node, ast.Subscript) and isinstance(node.slice, ast.Name):
        yield f"index 0 in {text}", lambda one: ast.Subscript(one.value, ast.Constant(0), ast.Load())
        yield (
            f"mean instead of {text}",
            lambda one: ast.parse(f"({ast.unparse(one.value)}).mean(axis=0)", mode="eval").body,
        )
    if isinstance(node, ast.Call):
        for place, keyword in enumerate(node.keywords):
            yield f"{text} without {keyword.arg}", lambda one, place=place: _without(one, place)
        draw = node.func.attr if isinstance(node.func, ast.Attribute) and ast.unparse(node.func.value) == "rng" else ""
        if draw in MEANS and (mean := _mean(node, MEANS[draw])) is not None:
            yield f"mean instead of {text}", lambda _, mean=mean: mean
    if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.USub | ast.Invert):
        yield f"no sign in {text}", lambda one: one.operand
    if isinstance(node, ast.Return) and node.value is not None and not isinstance(node.value, ast.Tuple):
        yield (
            "transposed result",
            lambda one: ast.Return(ast.parse(f"np.asarray({ast.unparse(one.value)}).T", mode="eval").body),
        )


def _without(call: ast.Call, place: int) -> ast.Call:
    return ast.Call(call.func, call.args, [k for number, k in enumerate(call.keywords) if number != place])


def _mean(call: ast.Call, formula: str) -> ast.expr | None:
    named = {str(keyword.arg): ast.unparse(keyword.value) for keyword in call.keywords}
    try:
        text = formula.format(*map(ast.unparse, call.args), **{"size": "()"} | named)
    except IndexError:
        return None
    return ast.parse(text, mode="eval").body


def _at(tree: ast.AST, position: int) -> ast.AST:
    return next(node for number, node in enumerate(ast.walk(tree)) if number == position)


class _Replace(ast.NodeTransformer):
    def __init__(self, old: ast.AST, new: ast.AST) -> None:
        self.old, self.new = old, new

    def visit(self, node: ast.AST) -> Any:
        """Replace one node."""
        return self.new if node is self.old else self.generic_visit(node)


def _functions(source: str) -> list[ast.FunctionDef]:
    return [node for node in _parsed(source) if isinstance(node, ast.FunctionDef)]


def _imports(source: str) -> list[ast.Import | ast.ImportFrom]:
    return [node for node in _parsed(source) if isinstance(node, ast.Import | ast.ImportFrom)]


def _parsed(source: str) -> list[ast.stmt]:
    if source.startswith("%%"):
        return []
    return ast.parse(re.sub(r"^%.*$", "", source, flags=re.MULTILINE)).body


def _names(source: str) -> list[str]:
    return [node.id for node in ast.walk(ast.parse(source)) if isinstance(node, ast.Name)]
