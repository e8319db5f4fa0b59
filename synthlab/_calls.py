"""Errors about the arguments of a call that name the argument that was meant."""

from __future__ import annotations

import functools
import inspect
import sys
from collections.abc import Callable, Collection, Mapping
from difflib import get_close_matches
from typing import Any, ParamSpec, TypeVar

P = ParamSpec("P")
R = TypeVar("R")
# Arguments of other packages, with ours.
ARGUMENTS = {
    "seed": "rng",
    "random_state": "rng",
    "random_seed": "rng",
    "method": "models",
    "k": "n",
    "size": "n",
    "num_rows": "n",
    "weights": "design",
    "data": "confidential",
    "real_data": "confidential",
    "synthetic_data": "synthetic",
}


def explains_arguments(function: Callable[P, R], name: str = "") -> Callable[P, R]:
    """Return a function whose errors about unknown and missing arguments name the argument that was meant.

    Parameters
    ----------
    function : callable
        The function.
    name : str, optional
        Name in messages. Default: that of the function.
    """
    signature = functools.cache(lambda: inspect.signature(function))

    @functools.wraps(function)
    def called(*args: P.args, **kwargs: P.kwargs) -> R:
        try:
            signature().bind(*args, **kwargs)
        except TypeError as error:
            message = _explanation(signature().parameters, args, kwargs) or str(error)
            raise TypeError(f"{name or function.__name__}: {message}") from None
        return function(*args, **kwargs)

    return called


def explained_class(found: Any) -> Any:
    """Return a public thing; the constructor and the method `fit` of a class explain their arguments from now on."""
    for kind in found.__mro__ if inspect.isclass(found) and not issubclass(found, BaseException) else ():
        for method in ("__init__", "fit"):
            own = vars(kind).get(method)
            if kind.__module__.startswith("synthlab.") and inspect.isfunction(own) and not hasattr(own, "__wrapped__"):
                setattr(kind, method, explains_arguments(own, kind.__name__ if method == "__init__" else method))
    return found


def proposal(name: str, names: Collection[str]) -> str:
    """Return the end of a message that proposes the most similar name; empty if none is similar."""
    close = get_close_matches(name, names, n=1)
    return f"; did you mean {close[0]!r}?" if close else ""


def _explanation(parameters: Mapping[str, inspect.Parameter], args: tuple[Any, ...], given: Mapping[str, Any]) -> str:
    """Return what is wrong with the arguments of a call; empty if it is something else than a name or a missing argument."""
    names = [one for one in parameters if one != "self" and not one.startswith("_")]
    unknown = [one for one in given if one not in parameters]
    if unknown:
        return f"no argument {unknown[0]!r}{_meant(unknown[0], names)}"
    required = [name for name, one in parameters.items() if one.default is one.empty and not _collects(one)]
    places = [name for name, one in parameters.items() if one.kind in (one.POSITIONAL_ONLY, one.POSITIONAL_OR_KEYWORD)]
    missing = [name for name in required if name not in given and name not in places[: len(args)]]
    if missing:
        return f"the argument {missing[0]!r} is missing; the arguments are {', '.join(names)}"
    if len(args) > len(places) and not any(one.kind == one.VAR_POSITIONAL for one in parameters.values()):
        named = [name for name, one in parameters.items() if one.kind == one.KEYWORD_ONLY]
        return f"only {', '.join(one for one in places if one != 'self')} can be given without a name; name the others: {', '.join(named)}"
    return ""


def _collects(parameter: inspect.Parameter) -> bool:
    return parameter.kind in (parameter.VAR_POSITIONAL, parameter.VAR_KEYWORD)


def _meant(name: str, names: Collection[str]) -> str:
    """Return which argument was probably meant."""
    if "intruder" in names and name in inspect.signature(sys.modules["synthlab"].Intruder).parameters:
        return f"; it is an argument of Intruder: intruder=Intruder({name}=...)"
    ours = ARGUMENTS.get(name)
    if ours == "design" and ours in names:
        return "; use design=SurveyDesign(weights=...)"
    if ours in names:
        return f"; use {ours}"
    return proposal(name, names) or f"; the arguments are {', '.join(names)}"
