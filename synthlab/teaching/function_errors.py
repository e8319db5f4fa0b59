"""Descriptions of the errors of a student's function: the line, and why a value is None."""

from __future__ import annotations

import ast
import inspect
import textwrap
import traceback
from collections.abc import Callable
from types import CodeType
from typing import Any


class WatchedFunction:
    """Function that remembers whether a call returned nothing.

    Attributes
    ----------
    returned_nothing : bool
        Whether a call returned None or `...`.
    """

    def __init__(self, function: Callable[..., Any]) -> None:
        self._function = function
        self.returned_nothing = False

    def __call__(self, *arguments: Any, **named: Any) -> Any:
        """Call the function."""
        result = self._function(*arguments, **named)
        self.returned_nothing |= result is None or result is ...
        return result


def describe_error(error: BaseException, function: Callable[..., Any]) -> str:
    """Return the line of a function that raised an error, and why a value in it is None.

    Parameters
    ----------
    error : exception
        Error raised by the function, or by the use of its result.
    function : callable

    Examples
    --------
    >>> from synthlab.teaching.function_errors import describe_error
    >>> describe_error(ZeroDivisionError("division by zero"), len)
    'The function raised ZeroDivisionError: division by zero'
    """
    what = f"{type(error).__name__}: {error}"
    code = getattr(inspect.unwrap(function), "__code__", None)
    steps = [step for step in traceback.walk_tb(error.__traceback__) if _is_part(step[0].f_code, code)]
    if code is not None and not steps:
        return f"The result of the function cannot be used: {what}"
    if code is None:
        return f"The function raised {what}"
    frame, number = steps[-1]
    line = number - code.co_firstlineno + 1
    text = traceback.extract_tb(error.__traceback__)
    source = next((step.line for step in text if step.lineno == number and step.filename == code.co_filename), "")
    where = f"Line {line} (`{source}`)" if source else f"Line {line}"
    names = [name for name, value in frame.f_locals.items() if value is None]
    causes = (_reason(function, name) for name in names if "NoneType" in str(error) and source and name in source)
    return " ".join([f"{where} raised {what}.", *filter(None, [next(causes, "")])])


def _is_part(inner: CodeType, code: CodeType | None) -> bool:
    """Return whether code belongs to a function or to a function inside it."""
    return code is not None and (
        inner is code or any(_is_part(inner, one) for one in code.co_consts if isinstance(one, CodeType))
    )


def _reason(function: Callable[..., Any], name: str) -> str:
    """State why a variable is None: the line that assigned the result of a call to it."""
    try:
        tree = ast.parse(textwrap.dedent(inspect.getsource(inspect.unwrap(function))))
    except (OSError, TypeError, SyntaxError):
        return f"`{name}` is None."
    for node in ast.walk(tree):
        if not isinstance(node, ast.Assign) or not isinstance(node.value, ast.Call):
            continue
        named = any(isinstance(target, ast.Name) and target.id == name for target in node.targets)
        if named and isinstance(node.value.func, ast.Attribute):
            call = node.value.func.attr
            return (
                f"`{name}` is None, because line {node.lineno} assigns the result of `{call}` to it: `{call}` changes "
                "its object and returns None. Call it without assigning its result."
            )
    return f"`{name}` is None."
