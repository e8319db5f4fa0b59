"""What the package offers: every public callable, and the methods of public classes that take arguments."""

from __future__ import annotations

import inspect
from dataclasses import replace
from importlib import import_module
from typing import Any

from synthlab.exceptions import SynthlabError
from tests.hostile import cases_counts, cases_models, cases_risk, cases_utility, examples
from tests.hostile.bases import Case
from tests.hostile.listed import NOT_SWEPT

MODULES = (
    "synthlab",
    *(
        f"synthlab.{part}"
        for part in ("risk", "weights", "utility", "counts", "dp", "synthesizers", "report", "datasets")
    ),
)

# What else a message may name: the argument that a value does not go with.
NEIGHBORS: dict[str, dict[str, tuple[str, ...]]] = {
    "lipschitz_weights": {"log_likelihood": ("mapping",)},
    "lipschitz_weights (blocks)": {"log_likelihood": ("mapping",)},
    "policy_frontier": {"settings": ("evaluate",)},
    "attack_score": {"fewest": ("guesses",)},
    "bootstrap_statistic": {"variable": ("variables",)},
    "bootstrap_statistic (function)": {"variable": ("variables",)},
    "barycenter": {"variable": ("variables",)},
    "analysis_utility": {"confidential": ("formula",)},
    "analysis_utility (counts)": {"confidential": ("formula",)},
    "analysis_utility (function)": {"analysis": ("confidential",)},
    "PseudoPosteriorMechanism": {"confidential": ("mapping",), "quantile": ("draws",)},
    "ScalarWeightMechanism": {"confidential": ("lipschitz_bound",)},
    "TwoPart": {"amount": ("formula",)},
    "Interval": {"n": ("lower", "upper")},
    "attribute_risk": {"confidential": ("fitted",)},
    "achieved_epsilon": {"weights": ("log_likelihood",)},
    "match_lipschitz_bound": {"target": ("bound_of",)},
    "pmse": {"confidential": ("variables",), "synthetic": ("variables",)},
    "Release": {"frames": ("synthesized",)},
    "frontier": {"families": ("family",)},
    "Release.from_files": {"paths": ("synthetic",)},
    "audit_epsilon": {"database": ("neighbor",)},
    "private_quantile": {"high": ("step",), "low": ("step",)},
    "quantile_probabilities": {"high": ("step",), "low": ("step",)},
    "AllowedCombinations": {"columns": ("combinations",)},
    "Release.load": {"folder": ("private",)},
}
_PARTS = (cases_risk, cases_utility, cases_counts, cases_models)


def public_callables() -> dict[str, Any]:
    """Return the callables by name, methods as ``"Class.method"``; drawing is left to the tests of the figures."""
    found: dict[str, Any] = {}
    for module in map(import_module, MODULES):
        for name in module.__all__:
            thing = getattr(module, name)
            if not callable(thing) or (isinstance(thing, type) and issubclass(thing, SynthlabError)):
                continue
            found[name] = thing
            if isinstance(thing, type):
                found |= {f"{name}.{m}": getattr(thing, m) for m in _methods(thing)}
    return found


def _methods(kind: type) -> list[str]:
    return [
        name
        for name in dir(kind)
        if not name.startswith("_")
        and name != "plot"
        and callable(getattr(kind, name))
        and _arguments(getattr(kind, name))
    ]


def _arguments(method: Any) -> list[str]:
    try:
        return [p for p in inspect.signature(method).parameters if p != "self"]
    except ValueError:
        return []


def arguments_of(thing: Any) -> list[str]:
    """Return the names of the public arguments of a callable, without self and ``**options``."""
    parameters = inspect.signature(thing).parameters.values()
    return [
        p.name for p in parameters if p.name != "self" and not p.name.startswith("_") and p.kind is not p.VAR_KEYWORD
    ]


def _documented(name: str, function: Any) -> Case:
    """Return a case with the arguments of the first call in the example of a docstring."""
    calls = [call for call in examples.calls_of(function) if call.name == name]
    return Case(name, function, lambda: dict(calls[0].arguments), few=True)


def _cases() -> list[Case]:
    """Return the cases of all modules, and a documented call of every public function that has no case."""
    cases = [case for part in _PARTS for case in part.CASES]
    covered = {name for case in cases for name in case.covered} | {*NOT_SWEPT}
    functions = {name: thing for name, thing in public_callables().items() if inspect.isfunction(thing)}
    cases += [_documented(name, thing) for name, thing in functions.items() if "." not in name and name not in covered]
    return [replace(case, aliases={**case.aliases, **NEIGHBORS.get(case.name, {})}) for case in cases]


CASES = _cases()
