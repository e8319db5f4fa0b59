"""The calls that the examples of the documentation make: every public callable, called rightly, to be called wrongly."""

from __future__ import annotations

import ast
import contextlib
import doctest
import importlib
import inspect
import io
import pkgutil
import sys
import warnings
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import synthlab

ROOMS = ("counts", "dp", "report", "risk", "synthesizers", "utility", "weights", "teaching.widgets")
HIDDEN = {"_decorators", "color", "data_provenance", "style", "svg"}  # rooms of plots that are given no data
CALLS = 3  # of one function in one example
WATCHED = "_watched"


@dataclass(frozen=True)
class Call:
    """One call: the arguments by name, as the signature has them."""

    name: str
    function: Callable[..., Any]
    positional: dict[str, Any]
    keywords: dict[str, Any]

    def __call__(self, **instead: Any) -> Any:
        given = {k: instead.get(k, v) for k, v in self.positional.items()}
        return self.function(*given.values(), **{k: instead.get(k, v) for k, v in self.keywords.items()})

    @property
    def arguments(self) -> dict[str, Any]:
        return {**self.positional, **self.keywords}


def public() -> dict[str, Any]:
    """Return every public callable by its name."""
    found: dict[int, tuple[str, Any]] = {}
    rooms = [synthlab, *(importlib.import_module(f"synthlab.{room}") for room in ROOMS)]
    for room in rooms:
        for name in room.__all__:
            thing = getattr(room, name)
            if callable(thing):
                found.setdefault(
                    id(thing), (f"{room.__name__}.{name}".removeprefix("synthlab.").removeprefix("teaching."), thing)
                )
    for _, name, _ in pkgutil.iter_modules(importlib.import_module("synthlab.plots").__path__):
        module = importlib.import_module(f"synthlab.plots.{name}")
        for given, thing in {} if name in HIDDEN else vars(module).items():
            if inspect.isfunction(thing) and thing.__module__ == module.__name__ and not given.startswith("_"):
                found.setdefault(id(thing), (f"plots.{name}.{given}", thing))
    return dict(found.values())


def calls_of(thing: Any) -> list[Call]:
    """Run the example of a callable and return the calls of it, and of the methods of what the example made.

    Each call that the example writes is watched; what happens inside of it runs at its full speed.
    """
    known = {**vars(sys.modules[thing.__module__]), "sl": synthlab}  # as in the collected examples of the module
    example = doctest.DocTestParser().get_doctest(inspect.getdoc(thing) or "", known, "example", None, 0)
    calls: dict[str, list[Call]] = {}

    def watched(function: Any, *positional: Any, **keywords: Any) -> Any:
        call = _read(thing, function, positional, keywords)
        if call is not None and len(calls.setdefault(call.name, [])) < CALLS:
            calls[call.name].append(call)
        return function(*positional, **keywords)

    example.globs[WATCHED] = watched
    for part in example.examples:
        part.source = ast.unparse(_Watch().visit(ast.parse(part.source))) + "\n"
    with (
        contextlib.redirect_stdout(io.StringIO()),
        contextlib.redirect_stderr(io.StringIO()),
        warnings.catch_warnings(),
    ):
        warnings.simplefilter("ignore")
        doctest.DocTestRunner(verbose=False).run(example, out=lambda _: None, clear_globs=False)
    return [call for several in calls.values() for call in several]


class _Watch(ast.NodeTransformer):
    """Let every call go through the watch: f(x) becomes watch(f, x)."""

    def visit_Call(self, node: ast.Call) -> ast.AST:
        self.generic_visit(node)
        return ast.copy_location(ast.Call(ast.Name(WATCHED, ast.Load()), [node.func, *node.args], node.keywords), node)


def _read(thing: Any, function: Any, positional: tuple[Any, ...], keywords: dict[str, Any]) -> Call | None:
    """Return a call of the callable, or of a public method of an object of the package."""
    if function is thing and inspect.isfunction(thing):
        name = inspect.unwrap(thing).__name__
    elif isinstance(function, type):
        if not function.__module__.startswith("synthlab") or not inspect.isfunction(function.__init__):
            return None
        name = function.__name__
    elif inspect.ismethod(function):
        owner = function.__self__
        kind = owner if isinstance(owner, type) else type(owner)
        if not kind.__module__.startswith("synthlab") or function.__name__.startswith("_"):
            return None
        name = f"{kind.__name__}.{function.__name__}"
    else:
        return None
    bound = inspect.signature(function).bind(*positional, **keywords)
    bound.apply_defaults()
    given: dict[Any, dict[str, Any]] = {kind: {} for kind in inspect._ParameterKind}
    for argument, value in bound.arguments.items():
        given[bound.signature.parameters[argument].kind][argument] = value
    rest = next(iter(given[inspect.Parameter.VAR_KEYWORD].values()), {})
    return Call(
        name,
        function,
        given[inspect.Parameter.POSITIONAL_ONLY] | given[inspect.Parameter.POSITIONAL_OR_KEYWORD],
        given[inspect.Parameter.KEYWORD_ONLY] | rest,
    )
