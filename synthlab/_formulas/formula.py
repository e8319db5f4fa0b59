"""Safe parsing of model formulas.

A formula is text from a user, and formulaic evaluates its function calls as Python. The formula is therefore parsed
here first. Every name is looked up among the columns and replaced by an alias. Only the functions in `FUNCTIONS` can be
called, and every remaining node is checked before formulaic gets the formula. A column name that is not a plain word is
enclosed in backticks; a backtick in the name is doubled.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from math import prod
from typing import Any

import numpy as np
import pandas as pd

from synthlab import _checks
from synthlab._formulas.formula_size import count_terms, is_large_basis, width
from synthlab._system import size_limits
from synthlab._warnings import library_warnings
from synthlab.exceptions import InputError

FUNCTIONS = ("C", "I", "bs", "cc", "center", "cr", "exp", "log", "log10", "log1p", "ns", "poly", "scale", "sqrt")
MAX_POWER = 4

_TOKEN = re.compile(
    r"\s*(?:(?P<quoted>`(?:[^`]|``)+`)|(?P<text>'[^'\\]*'|\"[^\"\\]*\")|(?P<number>(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?)"
    r"|(?P<name>[^\W\d]\w*)|(?P<operator>\*\*|[-+*/:^(),=\[\]]))"
)
_ALIAS = re.compile(r"_(?:number|category)_(\d+)_")


@dataclass(frozen=True, slots=True)
class Formula:
    """Parsed and validated formula.

    Parameters
    ----------
    text : str
        The formula as written by the user.
    response : str
        The column on the left.
    right : str
        The right-hand side with aliases instead of column names.
    columns : tuple of str
        The columns on the right; column j has the alias ``_number_j_`` if it is used as numbers and ``_category_j_`` if
        it is used as levels.
    terms : tuple of tuples of str
        The terms of the expanded right-hand side, each as a tuple of factors.
    """

    text: str
    response: str
    right: str
    columns: tuple[str, ...]
    terms: tuple[tuple[str, ...], ...] = ()

    @property
    def aliases(self) -> tuple[str, ...]:
        """Aliases on the right-hand side."""
        return tuple(dict.fromkeys(match.group() for match in _ALIAS.finditer(self.right)))

    def column_of(self, alias: str) -> str:
        """Return the column an alias stands for."""
        match = _ALIAS.fullmatch(alias)
        if match is None:
            raise InputError(f"{alias!r} is not an alias of formula {self.text!r}")
        return self.columns[int(match.group(1))]

    def reason(self, error: Exception) -> str:
        """Return the reason of a formulaic error, without quoted values of the data."""
        from formulaic.errors import FormulaicError

        text, factor = _first_line(error), ""
        if isinstance(error, FormulaicError):
            factor, _, text = text.partition(" [")
        # A message starts with the problem. After its first digit, quote, bracket or second colon it can quote values.
        found = re.match(r"(\w+Error: )?[^\d'\"():{}\[\]<>=]*", text)
        return self.with_names(" ".join(part for part in (factor, found.group().strip() if found else "") if part))

    def with_names(self, text: str) -> str:
        """Replace aliases by column names in a text."""
        return _ALIAS.sub(lambda match: self.columns[int(match.group(1))], text)

    def check_size(self, records: int, levels: Mapping[str, int]) -> None:
        """Raise if the design would be too large.

        `levels` are the numbers of levels by alias.
        """
        columns = sum(prod(width(factor, levels) for factor in term) for term in self.terms)
        if columns > size_limits.DESIGN_COLUMNS or columns * records > size_limits.DESIGN_CELLS:
            raise InputError(
                f"formula={self.text!r}: would make about {columns:,} columns for {records:,} records; at most "
                f"{size_limits.DESIGN_COLUMNS:,} columns and {size_limits.DESIGN_CELLS:,} numbers are computed"
            )


def compute(formula: Formula, spec: Any, data: pd.DataFrame, where: str, **options: Any) -> Any:
    """Return the matrix of a validated formula, computed by formulaic.

    The evaluation context contains only functions.

    Raises
    ------
    InputError
        If it cannot be computed. The message of formulaic is shortened because it can quote the data.
    """
    from formulaic import model_matrix
    from formulaic.errors import DataMismatchWarning, FormulaicError

    try:
        with (
            library_warnings("error", DataMismatchWarning),
            np.errstate(divide="ignore", invalid="ignore", over="ignore"),
        ):
            return model_matrix(spec, data, context=formula_functions(), na_action="ignore", **options)
    except DataMismatchWarning:
        why = "C(...) does not list all levels of the column"
    except (FormulaicError, ValueError, TypeError, KeyError) as error:
        why = formula.reason(error)
    raise InputError(f"formula={formula.text!r}: cannot be computed on {where}: {why}")


def parse_formula(formula: object, columns: Sequence[object], categorical: Sequence[object]) -> Formula:
    """Parse a formula for the columns of a frame.

    Parameters
    ----------
    formula : str
        ``"response ~ predictors"``.
    columns : sequence of str
        The columns of the frame.
    categorical : sequence of str
        The columns that contain levels, not numbers.

    Raises
    ------
    InputError
        If the text is not a formula, names an unknown variable, or contains anything except columns, numbers, the
        operators ``+ - * / : ^ **`` and calls of `FUNCTIONS`.
    """
    formula = _text(formula)
    left, right = _split(formula)
    response = _response(left, formula, columns)
    used: list[str] = []
    tokens = _some_tokens(right, formula)
    parts = []
    for position, (kind, text) in enumerate(tokens):
        following = tokens[position + 1][1] if position + 1 < len(tokens) else ""
        if kind == "quoted" or (kind == "name" and not _is_word_of_the_language(text, following)):
            name = text[1:-1].replace("``", "`") if kind == "quoted" else text
            _check_column(name, columns, formula)
            if name == response:
                raise InputError(f"formula={formula!r}: the response {name!r} is among its own predictors")
            if name not in used:
                used.append(name)
            before = [t for _, t in tokens[max(0, position - 2) : position]]
            as_levels = name in categorical or before == ["C", "("]
            parts.append(f" _{'category' if as_levels else 'number'}_{used.index(name)}_")
        elif kind == "name" and following == "(" and text not in FUNCTIONS:
            raise InputError(
                f"formula={formula!r}: {text}(...) is not allowed; "
                + ("write C(...) for the levels of a column; " if text == "factor" else "")
                + f"a formula can call {', '.join(FUNCTIONS)}"
            )
        else:
            parts.append(text if text == "(" else f" {text}")  # no space between a function and its parenthesis
    parsed = Formula(formula, response, "".join(parts).strip(), tuple(used))
    return replace(parsed, terms=_check_terms(parsed, tokens))


def check_formula(formula: object, name: str = "formula") -> None:
    """Raise unless this is text with one tilde, one response and at least one term."""
    formula = _text(formula, name)
    left, right = _split(formula)
    _one_response(left, formula)
    _some_tokens(right, formula)


def response_of(formula: object, columns: Sequence[object]) -> str:
    """Return the response of a formula, or raise if it is not one of the columns."""
    formula = _text(formula)
    return _response(_split(formula)[0], formula, columns)


def public_formula(formula: str) -> str:
    """Return a formula without values, such as knots and levels.

    The values can come from the confidential data. Columns, operators, functions, the names ``df=`` and ``degree=``,
    and whole numbers below 10 are kept. All other arguments, texts, lists and numbers are replaced by three dots.

    >>> public_formula("income ~ bs(age, knots=[17, 87.5], degree=3) + C(town, levels=['Ely']) + poly(age, 2) - 1")
    'income ~ bs(age, knots=..., degree=3) + C(town, levels=...) + poly(age, 2) - 1'
    """
    left, right = _split(formula)
    written, place, depth = "", 0, 0
    hidden_at: int | None = None  # nesting depth of an argument that is left out
    tokens = list(_TOKEN.finditer(right))
    for number, match in enumerate(tokens):
        kind, text = str(match.lastgroup), match.group(str(match.lastgroup))
        depth -= text in (")", "]")
        if hidden_at is not None and (depth < hidden_at or (depth == hidden_at and text == ",")):
            hidden_at = None
        if hidden_at is None:
            small = text.isdigit() and (int(text) < 10 or tokens[number - 1].group().strip() == "=")
            shown = "..." if kind == "text" or (kind == "number" and not small) or text == "[" else text
            written += match.group()[: len(match.group()) - len(text)] + shown
        if hidden_at is None and text == "[":
            hidden_at = depth
        elif hidden_at is None and text == "=" and tokens[number - 1].group().strip() not in ("df", "degree"):
            written, hidden_at = f"{written}...", depth
        depth += text in ("(", "[")
        place = match.end()
    return f"{left}~{written}" if not right[place:].strip() else f"{left}~ ..."


def _text(formula: object, name: str = "formula") -> str:
    if not isinstance(formula, str):
        raise InputError(f'{name}={_checks.shown(formula)}: must be text such as "income ~ age + C(region)"')
    return formula


def formula_functions() -> dict[str, Any]:
    """Return the `FUNCTIONS` that formulaic lacks, as evaluation context."""
    from formulaic.transforms import natural_cubic_spline, stateful_transform

    def ns(x: Any, df: int | None = None, knots: Any = None, _state: Any = None) -> Any:
        """Return a centered natural cubic spline basis, without the intercept."""
        return natural_cubic_spline(x, df=df, knots=knots, constraints="center", _state=_state)

    return {"log1p": np.log1p, "sqrt": np.sqrt, "ns": stateful_transform(ns)}


def _split(formula: str) -> tuple[str, str]:
    """Split at the tilde outside backticks and quotes."""
    bare = re.sub(r"`(?:[^`]|``)+`|'[^']*'|\"[^\"]*\"", lambda match: "_" * len(match.group()), formula)
    if bare.count("~") != 1:
        raise InputError(f'formula={formula!r}: must have one tilde, as in "income ~ age + C(region)"')
    place = bare.index("~")
    return formula[:place], formula[place + 1 :]


def _tokens(text: str, formula: str) -> list[tuple[str, str]]:
    found = []
    text = text.rstrip()
    place = 0
    while place < len(text):
        match = _TOKEN.match(text, place)
        if match is None or (text[match.end() : match.end() + 1] == "." and match.lastgroup != "operator"):
            rest = text[place:].strip() if match is None else match.group().strip() + text[match.end() :]
            why = "put column names that are not plain words in backticks"
            if rest == ".":
                why = "name the predictors, as in age + C(region)"
            raise InputError(f"formula={formula!r}: cannot read {rest[:40]!r}; {why}")
        found.append((str(match.lastgroup), match.group(str(match.lastgroup))))
        place = match.end()
    return found


def _some_tokens(right: str, formula: str) -> list[tuple[str, str]]:
    tokens = _tokens(right, formula)
    if not tokens:
        raise InputError(f'formula={formula!r}: no predictors after the tilde; write "~ 1" for none')
    return tokens


def _response(left: str, formula: str, columns: Sequence[object]) -> str:
    name = _one_response(left, formula)
    _check_column(name, columns, formula)
    return name


def _one_response(left: str, formula: str) -> str:
    tokens = _tokens(left, formula)
    if len(tokens) != 1 or tokens[0][0] not in ("name", "quoted"):
        raise InputError(
            f"formula={formula!r}: the left-hand side must be one column; to model a transformed response use transform"
        )
    kind, text = tokens[0]
    return text[1:-1].replace("``", "`") if kind == "quoted" else text


def _check_column(name: str, columns: Sequence[object], formula: str) -> None:
    if name not in columns:
        raise InputError(
            f"formula={formula!r}: unknown variable {name!r}; the data have {_checks.shorten(columns, 12)}"
        )


def _is_word_of_the_language(text: str, following: str) -> bool:
    """Return whether a name is a function, an argument name, True, False or None."""
    return following in ("(", "=") or text in ("True", "False", "None")


def _check_terms(formula: Formula, tokens: Sequence[tuple[str, str]]) -> tuple[tuple[str, ...], ...]:
    """Parse with formulaic, which evaluates nothing yet, and check every factor."""
    from formulaic import Formula as ParsedFormula
    from formulaic.errors import FormulaParsingError, FormulaSyntaxError

    # A power of a sum is expanded while parsing, which would not end for a large power.
    for power in re.findall(r"(?:\*\*|\^)\s*([^\s)]+)", formula.right):
        if not (power.isdigit() and 1 <= int(power) <= MAX_POWER):
            raise InputError(f"formula={formula.text!r}: a power must be a whole number from 1 to {MAX_POWER}")
    try:
        number = count_terms(tokens)
    except (IndexError, RecursionError):  # the parser reports the error more clearly
        number = 0
    if number > size_limits.TERMS:
        raise InputError(
            f"formula={formula.text!r}: expands to about {number:,} terms, but at most "
            f"{size_limits.TERMS:,} are allowed; use * and : for fewer variables"
        )
    try:
        terms = list(ParsedFormula(formula.right))
    except (FormulaParsingError, FormulaSyntaxError, SyntaxError, ValueError, TypeError, AttributeError) as error:
        raise InputError(f"formula={formula.text!r}: cannot be read: {_first_line(error)}") from None
    if not any(str(term) == "1" for term in terms):
        raise InputError(f"formula={formula.text!r}: the intercept cannot be left out")
    allowed = set(formula.aliases)
    for term in terms:
        for factor in term.factors:
            method = factor.eval_method.value
            if method == "lookup" and factor.expr in allowed:
                continue
            if method == "literal" and re.fullmatch(r"\d+\.?\d*", factor.expr):
                continue
            if method == "python":
                _check_call(factor.expr, formula, allowed)
                continue
            raise InputError(f"formula={formula.text!r}: {formula.with_names(factor.expr)!r} is not a column")
    return tuple(tuple(factor.expr for factor in term.factors) for term in terms)


def _check_call(expression: str, formula: Formula, allowed: set[str]) -> None:
    tree = ast.parse(expression, mode="eval").body
    if not isinstance(tree, ast.Call):
        raise InputError(f"formula={formula.text!r}: {formula.with_names(expression)!r} is neither a column nor a call")
    _check_node(tree, formula, allowed)


def _check_node(node: ast.AST, formula: Formula, allowed: set[str]) -> None:
    """Raise unless a node is arithmetic on columns or a call of `FUNCTIONS`.

    Further arguments of a call must be constants.
    """
    match node:
        case ast.Call(func=ast.Name(id=name), args=[first, *others], keywords=keywords) if name in FUNCTIONS:
            constants = [*others, *(k.value for k in keywords)]
            plain = name != "C" or isinstance(first, ast.Name)
            if (
                plain
                and all(k.arg and not k.arg.startswith("_") for k in keywords)
                and all(map(_is_constant, constants))
            ):
                if is_large_basis(name, others, keywords):
                    raise InputError(
                        f"formula={formula.text!r}: {name}(...) can have at most {size_limits.KNOTS} degrees of freedom, knots or "
                        "degrees"
                    )
                return _check_node(first, formula, allowed)
        case ast.Name(id=name) if name in allowed:
            return None
        case ast.Constant(value=int() | float()):
            return None
        case ast.BinOp(left=left, op=ast.Add() | ast.Sub() | ast.Mult() | ast.Div() | ast.Pow(), right=right) if any(
            isinstance(part, ast.Name) for part in ast.walk(node)
        ):
            _check_node(left, formula, allowed)
            return _check_node(right, formula, allowed)
        case ast.UnaryOp(op=ast.USub() | ast.UAdd(), operand=operand):
            return _check_node(operand, formula, allowed)
        case _:
            pass
    raise InputError(
        f"formula={formula.text!r}: {formula.with_names(ast.unparse(node))!r} is not allowed; "
        f"inside a call only columns, numbers, + - * / ** are allowed, and one of {', '.join(FUNCTIONS)}"
    )


def _is_constant(node: ast.AST) -> bool:
    if isinstance(node, ast.List | ast.Tuple):
        return all(map(_is_constant, node.elts))
    if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.USub):
        return isinstance(node.operand, ast.Constant)
    return isinstance(node, ast.Constant)


def _first_line(error: Exception) -> str:
    return str(error).strip().splitlines()[0] if str(error).strip() else type(error).__name__
