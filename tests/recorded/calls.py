"""The calls that are recorded: one of every public callable, with the ordinary arguments of the sweep."""

from __future__ import annotations

import inspect
import warnings
from pathlib import Path
from typing import Any

from synthlab.exceptions import SynthlabError
from tests.hostile.surface import CASES, public_callables
from tests.recorded.more import CASES as FURTHER
from tests.recorded.reading import read

FILE = Path(__file__).with_name("returned.json")
MORE = Path(__file__).with_name("more.json")
REFUSED = Path(__file__).with_name("refused.json")
SIGNATURES = Path(__file__).with_name("signatures.json")

LEFT_OUT = {
    "EvaluationResult.save": "writes a file",
    "linkage_risk": "its library estimates by its own threads",
    "LinkageResult.by_threshold": "its library estimates by its own threads",
}
CALLS = {case.name: case for case in (*CASES, *FURTHER) if case.name not in LEFT_OUT}
FURTHER_NAMES = {case.name for case in FURTHER}  # whose answers stand in a file of their own


def ask(name: str) -> Any:
    """Make a call, and return what came back as plain data."""
    case = CALLS[name]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            return read(case.call(**case.base()))
        except SynthlabError as error:  # the ordinary answer of a call that refuses
            return f"{type(error).__name__}: {error}"


def signatures() -> dict[str, str]:
    """Return the arguments of every public callable, with their defaults, without types."""
    return {name: _arguments(thing) for name, thing in public_callables().items()}


def _arguments(thing: Any) -> str:
    parameters = inspect.signature(thing).parameters.values()
    return str(inspect.Signature([p.replace(annotation=p.empty) for p in parameters]))
