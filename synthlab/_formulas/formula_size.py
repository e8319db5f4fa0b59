"""Size of a formula, determined before it is computed."""

from __future__ import annotations

import ast
import re
from collections.abc import Mapping, Sequence
from math import comb

from synthlab._system import size_limits

BASES = ("bs", "cc", "cr", "ns", "poly")
SIZES = ("df", "knots", "degree")


def count_terms(tokens: Sequence[tuple[str, str]]) -> int:
    """Return the number of terms after expansion; a function call counts as one."""
    place = 0
    binding = {"+": 1, "-": 1, "*": 2, "/": 2, ":": 3, "^": 4, "**": 4}

    def operand() -> int:
        nonlocal place
        kind, text = tokens[place]
        place += 1
        following = tokens[place][1] if place < len(tokens) else ""
        if text in ("+", "-"):
            return operand()
        if text == "(" or (kind == "name" and following == "("):
            depth, start = 1, place if text == "(" else place + 1
            place = start
            while place < len(tokens) and depth:
                depth += {"(": 1, ")": -1}.get(tokens[place][1], 0)
                place += 1
            return count_terms(tokens[start : place - 1]) if text == "(" else 1
        return 1

    def expression(least: int) -> int:
        nonlocal place
        number = operand()
        while place < len(tokens) and binding.get(tokens[place][1], 0) >= least:
            operator = tokens[place][1]
            place += 1
            if operator in ("^", "**"):
                power = tokens[place][1] if place < len(tokens) else "1"
                place += 1
                number = sum(comb(number, k) for k in range(1, int(power) + 1)) if power.isdigit() else number
                continue
            other = expression(binding[operator] + 1)
            if operator in ("+", "-"):
                number += other
            else:
                number = number * other + {"*": number + other, "/": number, ":": 0}[operator]
        return number

    return expression(1) if tokens else 0


def width(factor: str, levels: Mapping[str, int]) -> int:
    """Return the largest possible number of columns of a factor."""
    for alias, number in levels.items():
        if alias in factor:
            return number
    if not factor.startswith(tuple(f"{name}(" for name in BASES)):
        return 1
    return 1 + sum(map(int, re.findall(r"(?<![\w.])\d+(?![\w.])", factor)))


def is_large_basis(name: str, others: Sequence[ast.expr], keywords: Sequence[ast.keyword]) -> bool:
    """Return whether a spline or polynomial has too many degrees or knots.

    `others` are the positional arguments after the variable; the first one is the size.
    """
    sizes = [*others[: len(SIZES)], *(k.value for k in keywords if k.arg in SIZES)]
    return name in BASES and any(map(_is_large, sizes))


def _is_large(node: ast.AST) -> bool:
    """Return whether a constant is too large; positions of knots are not checked."""
    if isinstance(node, ast.List | ast.Tuple):
        return len(node.elts) > size_limits.KNOTS
    return isinstance(node, ast.Constant) and isinstance(node.value, int | float) and node.value > size_limits.KNOTS
