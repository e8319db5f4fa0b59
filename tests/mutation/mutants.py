"""Small faults planted in a module's syntax tree, one at a time.

Left alone: docstrings and message texts, type annotations, `if TYPE_CHECKING` blocks, decorators, what is said in a
raise or a warning, and the keywords of `QUIET`, which change how something looks and never what it is.
"""

from __future__ import annotations

import ast
import copy
import random
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

QUIET = {"repr", "strict", "stacklevel", "frozen", "slots", "kw_only", "cache", "nogil", "disable", "progress", "delay"}
COMPARE: dict[type, tuple[type, ...]] = {
    ast.Lt: (ast.LtE, ast.GtE),
    ast.LtE: (ast.Lt, ast.Gt),
    ast.Gt: (ast.GtE, ast.LtE),
    ast.GtE: (ast.Gt, ast.Lt),
    ast.Eq: (ast.NotEq,),
    ast.NotEq: (ast.Eq,),
    ast.In: (ast.NotIn,),
    ast.NotIn: (ast.In,),
    ast.Is: (ast.IsNot,),
    ast.IsNot: (ast.Is,),
}
OPERATOR: dict[type, type] = {
    ast.Add: ast.Sub,
    ast.Sub: ast.Add,
    ast.Mult: ast.Div,
    ast.Div: ast.Mult,
    ast.FloorDiv: ast.Mult,
    ast.Mod: ast.Mult,
    ast.Pow: ast.Mult,
    ast.BitAnd: ast.BitOr,
    ast.BitOr: ast.BitAnd,
}
PAIRS = (
    *(("min", "max"), ("nanmin", "nanmax"), ("minimum", "maximum"), ("argmin", "argmax"), ("any", "all")),
    *(("zeros", "ones"), ("zeros_like", "ones_like"), ("floor", "ceil"), ("log", "log1p"), ("exp", "expm1")),
)
NAMES = {**dict(PAIRS), **{b: a for a, b in PAIRS}}
SIDES = {"left": "right", "right": "left"}


@dataclass(frozen=True)
class Mutant:
    """One fault: where it is, and the text of the statement with `[before -> after]` in it."""

    file: str
    where: str
    first: int
    last: int
    change: str
    site: int
    variant: int

    @property
    def key(self) -> tuple[str, str, str]:
        return self.file, self.where, self.change


@dataclass
class _Site:
    parent: ast.AST
    field: str
    index: int | None
    node: ast.AST
    statement: ast.stmt
    where: str

    def put(self, node: ast.AST) -> None:
        if self.index is None:
            setattr(self.parent, self.field, node)
        else:
            getattr(self.parent, self.field)[self.index] = node


def mutants(root: Path, file: str) -> list[Mutant]:
    """Return all mutants of a file, in the order of its text."""
    tree = ast.parse((root / file).read_text(encoding="utf-8"))
    found = []
    for number, site in enumerate(_sites(tree)):
        before = _header(site.statement)
        for variant, new in enumerate(_changes(site.node)):
            site.put(new)
            after = _header(new if isinstance(new, ast.stmt) else site.statement)
            site.put(site.node)
            first, last = _span(site.statement)
            found.append(Mutant(file, site.where, first, last, _difference(before, after), number, variant))
    return found


def sample(root: Path, file: str, *, seed: int, size: int) -> list[Mutant]:
    """Return the first `size` of the file's mutants in an order drawn by the seed."""
    all_of_them = mutants(root, file)
    random.Random(f"{seed} {file}").shuffle(all_of_them)
    return all_of_them[:size]


def planted(root: Path, mutant: Mutant) -> ast.Module:
    """Return the module's tree with the fault in it."""
    tree = ast.parse((root / mutant.file).read_text(encoding="utf-8"))
    site = list(_sites(tree))[mutant.site]
    site.put(_changes(site.node)[mutant.variant])
    return ast.fix_missing_locations(tree)


def _sites(tree: ast.Module) -> Iterator[_Site]:
    yield from _below(tree, tree.body[0], "")


def _below(node: ast.AST, statement: ast.stmt, where: str) -> Iterator[_Site]:
    quiet = _defaults(node)
    for field, value in ast.iter_fields(node):
        if field in ("annotation", "returns", "decorator_list", "type_params"):
            continue
        if isinstance(node, ast.Raise | ast.JoinedStr | ast.Import | ast.ImportFrom) or _is_warning(node):
            continue
        for index, child in enumerate(value) if isinstance(value, list) else [(None, value)]:
            if not isinstance(child, ast.AST) or _is_left_alone(child) or child in quiet:
                continue
            inner = child if isinstance(child, ast.stmt) else statement
            yield _Site(node, field, index, child, inner, where)
            named = isinstance(child, ast.FunctionDef | ast.ClassDef)
            yield from _below(child, inner, f"{where}.{child.name}".lstrip(".") if named else where)


def _defaults(node: ast.AST) -> list[ast.expr]:
    """Return the defaults of the quiet arguments of a function."""
    if not isinstance(node, ast.arguments):
        return []
    return [d for a, d in zip(node.kwonlyargs, node.kw_defaults, strict=True) if d is not None and a.arg in QUIET]


def _is_warning(node: ast.AST) -> bool:
    return isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.func.attr == "warn"


def _is_left_alone(node: ast.AST) -> bool:
    match node:
        case ast.If(test=ast.Name(id="TYPE_CHECKING")) | ast.Assign(targets=[ast.Name(id="__all__")]):
            return True
        case ast.keyword(arg=str(name)):
            return name in QUIET
        case ast.Expr(value=ast.Constant()):
            return True
    return False


def _changes(node: ast.AST) -> list[ast.AST]:
    """Return what the node is replaced by, one at a time."""
    match node:
        case ast.Compare(ops=[only]):
            return [_with(node, ops=[new()]) for new in COMPARE[type(only)]]
        case ast.BoolOp(op=op):
            return [_with(node, op=ast.Or() if isinstance(op, ast.And) else ast.And())]
        case ast.BinOp(left=left, op=op, right=right) if type(op) in OPERATOR and not (
            _is_text(left) or _is_text(right)
        ):
            return [_with(node, op=OPERATOR[type(op)]())]
        case ast.AugAssign(op=op) if type(op) in OPERATOR:
            return [_with(node, op=OPERATOR[type(op)]())]
        case ast.UnaryOp(op=ast.Not() | ast.USub() | ast.Invert(), operand=operand):
            return [operand]
        case ast.Constant(value=bool(value)):
            return [ast.Constant(not value)]
        case ast.Constant(value=int(value)):
            return [ast.Constant(value + 1), ast.Constant(value - 1)]
        case ast.Constant(value=float(value)):
            return [ast.Constant(1.5 * value if value else 1.0)]
        case ast.Constant(value=str(value)) if value in SIDES:
            return [ast.Constant(SIDES[value])]
        case ast.Name(id=name, ctx=ast.Load()) if name in NAMES:
            return [_with(node, id=NAMES[name])] if name in ("min", "max", "any", "all") else []
        case ast.Attribute(attr=name, ctx=ast.Load()) if name in NAMES:
            return [_with(node, attr=NAMES[name])]
        case ast.If(test=test, orelse=orelse):
            return [*_negated(node, test), *([] if orelse else [ast.Pass()])]
        case ast.IfExp(test=test) | ast.While(test=test):
            return _negated(node, test)
        case ast.Return(value=ast.expr() as value) if not (isinstance(value, ast.Constant) and value.value is None):
            return [_with(node, value=ast.Constant(None))]
        case ast.Raise() | ast.Expr(value=ast.Call()):
            return [ast.Pass()]
        case ast.Continue():
            return [ast.Break()]
        case ast.Break():
            return [ast.Continue()]
    return []


def _negated(node: ast.AST, test: ast.expr) -> list[ast.AST]:
    """Return the node with its condition turned round; a `not` and a single comparison are mutants of their own."""
    own = isinstance(test, ast.UnaryOp) or (isinstance(test, ast.Compare) and len(test.ops) == 1)
    return [] if own else [_with(node, test=ast.UnaryOp(ast.Not(), test))]


def _with(node: ast.AST, **fields: object) -> ast.AST:
    new = copy.copy(node)
    for name, value in fields.items():
        setattr(new, name, value)
    return new


def _is_text(node: ast.AST) -> bool:
    return isinstance(node, ast.JoinedStr) or (isinstance(node, ast.Constant) and isinstance(node.value, str))


def _span(statement: ast.stmt) -> tuple[int, int]:
    """Return the lines of a statement, of a compound one those of its head; a function's head counts where it runs."""
    if isinstance(statement, ast.FunctionDef):
        return statement.lineno, statement.end_lineno or statement.lineno
    body = getattr(statement, "body", None)
    last = body[0].lineno - 1 if body else statement.end_lineno or statement.lineno
    return statement.lineno, max(statement.lineno, last)


def _header(statement: ast.stmt) -> str:
    return ast.unparse(_with(statement, body=[ast.Pass()], orelse=[]) if hasattr(statement, "body") else statement)


def _difference(before: str, after: str, around: int = 32) -> str:
    """Return the text with what changes in brackets, and so much around it.

    >>> _difference("return first <= last", "return first < last")
    'return first [<= -> <] last'
    """
    before, after = (" ".join(text.split()) for text in (before, after))
    start = 0
    while start < min(len(before), len(after)) and before[start] == after[start]:
        start += 1
    end = 0
    while end < min(len(before), len(after)) - start and before[-1 - end] == after[-1 - end]:
        end += 1
    while start and before[start - 1] != " ":  # whole words read better than halves
        start -= 1
    while end and before[len(before) - end] != " ":
        end -= 1
    old, new = before[start : len(before) - end], after[start : len(after) - end]
    old, new = (text if len(text) <= 3 * around else text[: 3 * around] + "..." for text in (old, new))
    left, right = before[:start], before[len(before) - end :]
    left = left if len(left) <= around else "..." + left[-around:]
    right = right if len(right) <= around else right[:around] + "..."
    return f"{left}[{old} -> {new}]{right}"
