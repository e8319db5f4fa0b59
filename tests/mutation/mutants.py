"""Small changes of a source file, one at a time: comparisons, arithmetic, conditions, numbers and returned values."""

from __future__ import annotations

import ast
import copy
import itertools
import random
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

COMPARISONS = {
    ast.Lt: ast.LtE, ast.LtE: ast.Lt, ast.Gt: ast.GtE, ast.GtE: ast.Gt, ast.Eq: ast.NotEq, ast.NotEq: ast.Eq,
    ast.In: ast.NotIn, ast.NotIn: ast.In, ast.Is: ast.IsNot, ast.IsNot: ast.Is,
}  # fmt: skip
OPERATORS = {
    ast.Add: ast.Sub, ast.Sub: ast.Add, ast.Mult: ast.Div, ast.Div: ast.Mult, ast.FloorDiv: ast.Mult, ast.Mod: ast.Mult,
    ast.Pow: ast.Mult, ast.BitAnd: ast.BitOr, ast.BitOr: ast.BitAnd, ast.MatMult: ast.Mult,
}  # fmt: skip


class Mutant(NamedTuple):
    """One change: the file, the line, the function, the changed bytes of the file, and the text before and after."""

    file: Path
    line: int
    function: str
    place: slice
    before: str
    after: str

    @property
    def source(self) -> str:
        """The whole text of the changed file."""
        text = self.file.read_bytes()
        return (text[: self.place.start] + self.after.encode() + text[self.place.stop :]).decode()

    @property
    def compiles(self) -> bool:
        """Whether the change is Python; within a pattern or a target it may not be."""
        try:
            compile(self.source, str(self.file), "exec")
        except SyntaxError:
            return False
        return True


def changes(node: ast.AST) -> Iterator[ast.AST]:
    """Yield the nodes that can replace a node."""
    new: ast.AST = copy.deepcopy(node)
    match new:
        case ast.Compare(ops=[one]) if type(one) in COMPARISONS:
            new.ops = [COMPARISONS[type(one)]()]
            yield new
        case ast.BinOp(op=one) if type(one) in OPERATORS:
            new.op = OPERATORS[type(one)]()
            yield new
        case ast.BoolOp():
            new.op = ast.Or() if isinstance(new.op, ast.And) else ast.And()
            yield new
        case ast.UnaryOp(op=ast.Not() | ast.USub() | ast.Invert()):
            yield new.operand
        case ast.Constant(value=bool()):
            yield ast.Constant(not new.value)
        case ast.Constant(value=int() | float()):
            yield ast.Constant(new.value + 1)
        case ast.IfExp():
            yield ast.IfExp(ast.UnaryOp(ast.Not(), new.test), new.body, new.orelse)
        case ast.Call(args=[first, second, *_]) if not isinstance(first, ast.Starred) and not isinstance(
            second, ast.Starred
        ):
            new.args[:2] = [second, first]
            yield new


def sites(tree: ast.AST, function: str = "") -> Iterator[tuple[ast.expr, ast.AST, str]]:
    """Yield every node that can be changed with its replacement and the name of its function."""
    for name, value in ast.iter_fields(tree):
        if name in ("annotation", "returns", "decorator_list", "type_params"):
            continue
        for node in value if isinstance(value, list) else [value]:
            if not isinstance(node, ast.AST) or isinstance(
                node, ast.Raise | ast.JoinedStr | ast.Import | ast.ImportFrom
            ):
                continue
            if isinstance(node, ast.If) and "TYPE_CHECKING" in ast.unparse(node.test):
                continue
            if isinstance(node, ast.expr):
                yield from ((node, other, function) for other in changes(node))
            inner = node.name if isinstance(node, ast.FunctionDef | ast.ClassDef) else function
            yield from sites(node, inner)


def mutants(file: Path) -> list[Mutant]:
    """Return every mutant of a file."""
    text = file.read_bytes()
    starts = [0]
    for line in text.splitlines(keepends=True):
        starts.append(starts[-1] + len(line))
    found = []
    for node, other, function in sites(ast.parse(text)):
        start, end = starts[node.lineno - 1] + node.col_offset, starts[node.end_lineno - 1] + node.end_col_offset
        before, after = text[start:end].decode(), f"({ast.unparse(other)})"
        found.append(Mutant(file, node.lineno, function, slice(start, end), before, after))
    return found


def draw(folder: Path, n: int, seed: int) -> list[Mutant]:
    """Return n mutants of a folder, drawn by the seed with equal chances."""
    files = sorted(folder.rglob("*.py")) if folder.is_dir() else [folder]
    every = [one for file in files for one in mutants(file)]
    random.Random(f"{folder.name} {seed}").shuffle(every)
    return list(itertools.islice((one for one in every if one.compiles), n))
