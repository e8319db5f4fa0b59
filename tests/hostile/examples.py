"""The calls that the examples of the documentation make: every public callable, called rightly, to be called wrongly."""

from __future__ import annotations

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
from types import FrameType
from typing import Any

import synthlab

ROOMS = ("counts", "dp", "report", "risk", "synthesizers", "utility", "weights", "lab.widgets")
HIDDEN = {"colour", "draw", "kind", "style", "svg"}  # rooms of plots that are given no data
CALLS = 3  # of one function in one example


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
                    id(thing), (f"{room.__name__}.{name}".removeprefix("synthlab.").removeprefix("lab."), thing)
                )
    figures = [importlib.import_module(f"synthlab.{room}") for room in ("plots", "lab.figures")]
    for home, name in [(room.__name__, name) for room in figures for _, name, _ in pkgutil.iter_modules(room.__path__)]:
        module = importlib.import_module(f"{home}.{name}")
        for given, thing in {} if name in HIDDEN else vars(module).items():
            if inspect.isfunction(thing) and thing.__module__ == module.__name__ and not given.startswith("_"):
                found.setdefault(id(thing), (f"plots.{name}.{given}", thing))
    return dict(found.values())


def calls_of(thing: Any) -> list[Call]:
    """Run the example of a callable and return the calls of it, and of the methods of what the example made."""
    known = {**vars(sys.modules[thing.__module__]), "sl": synthlab}  # as in the collected examples of the module
    example = doctest.DocTestParser().get_doctest(inspect.getdoc(thing) or "", known, "example", None, 0)
    space = example.globs
    calls: dict[str, list[Call]] = {}

    def watch(frame: FrameType, event: str, _: Any) -> None:
        if event != "call" or frame.f_globals is space or not _called_from(frame, space):
            return
        call = _read(frame, thing)
        if call is not None and len(calls.setdefault(call.name, [])) < CALLS:
            calls[call.name].append(call)

    with (
        contextlib.redirect_stdout(io.StringIO()),
        contextlib.redirect_stderr(io.StringIO()),
        warnings.catch_warnings(),
    ):
        warnings.simplefilter("ignore")
        sys.setprofile(watch)
        try:
            doctest.DocTestRunner(verbose=False).run(example, out=lambda _: None, clear_globs=False)
        finally:
            sys.setprofile(None)
    return [call for several in calls.values() for call in several]


def _called_from(frame: FrameType, space: dict[str, Any]) -> bool:
    """Say whether the example made the call, itself or through the decorator of figures."""
    caller = frame.f_back
    if caller is not None and caller.f_globals.get("__name__") == "synthlab.plots.draw" and caller.f_back is not None:
        caller = caller.f_back.f_back
    return caller is not None and caller.f_globals is space


def _read(frame: FrameType, thing: Any) -> Call | None:
    """Return a call of the callable, or of a public method of an object of the package, as the frame shows it."""
    values, name = dict(frame.f_locals), frame.f_code.co_name
    code = frame.f_code
    names = list(code.co_varnames[: code.co_argcount])
    if getattr(inspect.unwrap(thing), "__code__", None) is code:
        function: Any = thing
    elif names and names[0] in ("self", "cls"):
        owner = values[names.pop(0)]
        kind = owner if isinstance(owner, type) else type(owner)
        if not kind.__module__.startswith("synthlab") or (name.startswith("_") and name != "__init__"):
            return None
        function = kind if name == "__init__" else getattr(owner, name)
        name = kind.__name__ if name == "__init__" else f"{kind.__name__}.{name}"
    else:
        return None
    only = code.co_varnames[code.co_argcount : code.co_argcount + code.co_kwonlyargcount]
    keywords = {k: values[k] for k in only}
    if code.co_flags & inspect.CO_VARKEYWORDS:
        keywords |= values[code.co_varnames[len(only) + code.co_argcount + bool(code.co_flags & inspect.CO_VARARGS)]]
    return Call(name, function, {k: values[k] for k in names}, keywords)
