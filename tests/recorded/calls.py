"""The calls that are recorded: one of every public callable, with the ordinary arguments of the sweep."""

from __future__ import annotations

import inspect
import json
import warnings
from collections.abc import Mapping
from dataclasses import fields, is_dataclass
from pathlib import Path
from typing import Any

import numpy as np

from synthlab._result import Result
from synthlab.exceptions import SynthlabError
from tests.hostile.surface import CASES, public_callables
from tests.recorded.more import CASES as FURTHER
from tests.recorded.reading import read

ANSWERS = Path(__file__).with_name("answers")
SIGNATURES = Path(__file__).with_name("signatures.json")

LEFT_OUT = {
    "EvaluationResult.save": "writes a file",
    "linkage_risk": "its library estimates by its own threads",
    "LinkageResult.by_threshold": "its library estimates by its own threads",
}
CALLS = {case.name: case for case in (*CASES, *FURTHER) if case.name not in LEFT_OUT}


def ask(name: str) -> Any:
    """Make a call, and return what came back as plain data."""
    case = CALLS[name]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            answer = case.call(**case.base())
        except SynthlabError as error:  # the ordinary answer of a call that refuses
            return type(error).__name__
        if isinstance(answer, Result):
            check_shown(answer)
        return read(answer)


def check_shown(result: Result) -> None:
    """Check that a result has the same text by its name and by print, HTML for notebooks, and read-only arrays."""
    assert repr(result) == str(result)
    assert result._repr_html_().startswith("<")
    names = [field.name for field in fields(result)] if is_dataclass(result) else []
    values = {name: getattr(result, name) for name in names}
    arrays = {name for name, value in values.items() if isinstance(value, np.ndarray) and value.flags.writeable}
    assert not arrays, f"{type(result).__name__}: {arrays} can be written"


def files() -> dict[str, dict[str, Any]]:
    """Return the recorded answers by the name of their file: for each call what it returns and what it refuses."""
    return {path.stem: json.loads(path.read_text(encoding="utf-8")) for path in sorted(ANSWERS.glob("*.json"))}


def write(calls: Mapping[str, Mapping[str, Any]]) -> None:
    """Write the answers, one file for every class that is returned and one for plain values."""
    sorted_by_class: dict[str, dict[str, Any]] = {}
    for name, recorded in sorted(calls.items()):
        returned = recorded.get("returned")
        kind = returned["class"] if isinstance(returned, dict) and "class" in returned else "plain_values"
        sorted_by_class.setdefault(kind, {})[name] = recorded
    ANSWERS.mkdir(exist_ok=True)
    for path in ANSWERS.glob("*.json"):
        path.unlink()
    for kind, content in sorted_by_class.items():
        (ANSWERS / f"{kind}.json").write_text(text(content), encoding="utf-8")


def text(content: Any) -> str:
    """Return JSON in which everything that fits stands on one line."""
    return _lines(content, 0) + "\n"


def _lines(content: Any, indent: int) -> str:
    line = json.dumps(content, ensure_ascii=False, sort_keys=True)
    if len(line) + indent <= 120 or not content or not isinstance(content, dict | list):
        return line
    if isinstance(content, dict):
        parts = [
            f"{json.dumps(key, ensure_ascii=False)}: {_lines(content[key], indent + 1)}" for key in sorted(content)
        ]
    else:
        parts = [_lines(value, indent + 1) for value in content]
    start, end = "{}" if isinstance(content, dict) else "[]"
    return f"{start}\n" + ",\n".join(" " * (indent + 1) + part for part in parts) + f"\n{' ' * indent}{end}"


def signatures() -> dict[str, str]:
    """Return the arguments of every public callable, with their defaults, without types."""
    return {name: _arguments(thing) for name, thing in public_callables().items()}


def _arguments(thing: Any) -> str:
    parameters = inspect.signature(thing).parameters.values()
    return str(inspect.Signature([p.replace(annotation=p.empty) for p in parameters]))
