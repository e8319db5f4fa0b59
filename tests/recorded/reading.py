"""What a returned object holds, as plain data: its fields and what its methods without arguments return, without sentences."""

from __future__ import annotations

import dataclasses
import inspect
import io
import math
import re
import warnings
from collections.abc import Mapping
from contextlib import redirect_stdout
from typing import Any

import numpy as np
import pandas as pd

from synthlab.exceptions import SynthlabError

DEEP = 3  # objects in objects in objects
FEW = 12  # entries of an array, of a table or of a list that are kept one by one
TIMES = re.compile(r"seconds|duration|key|private")  # differ from run to run, or hold what does
WORD = re.compile(r"\S{0,60}|[^A-Za-z]{0,60}")  # a code, a name, a level; or numbers
ERROR = re.compile(r"(\w+(?:Error|Warning)): ")
SENTENCE = "..."
RTOL = 1e-6


def read(thing: Any, deep: int = DEEP) -> Any:
    """Return what a value holds, as numbers, words, lists and mappings."""
    if isinstance(thing, str):
        return without_sentences(thing)
    if thing is None or isinstance(thing, bool | int):
        return thing
    if isinstance(thing, float | np.floating):
        return _number(float(thing))
    if isinstance(thing, np.generic):
        return read(thing.item(), deep)
    if isinstance(thing, pd.DataFrame):
        few = pd.concat([thing.head(FEW), thing.tail(1)])
        return {
            "rows": len(thing),
            "index": [without_sentences(str(name)) for name in few.index],
            **{f"column {name}": [read(v, 0) for v in few[name].tolist()] for name in thing.columns},
        }
    if isinstance(thing, pd.Series | pd.Index):
        return {"length": len(thing), "values": [read(v, 0) for v in thing[:FEW].tolist()]}
    if isinstance(thing, np.ndarray):
        return {"shape": list(thing.shape), "values": [read(v, 0) for v in thing.ravel()[:FEW].tolist()]}
    if isinstance(thing, Mapping):
        return {f"key {key}": read(value, deep) for key, value in list(thing.items())[:FEW]}
    if isinstance(thing, list | tuple) and not hasattr(thing, "_repr_html_"):
        return [read(value, deep) for value in thing[:FEW]]
    if type(thing).__module__.startswith("synthlab") and deep:
        return _object(thing, deep - 1)
    return type(thing).__name__


def _object(thing: Any, deep: int) -> dict[str, Any]:
    found: dict[str, Any] = {"class": type(thing).__name__}
    for name in sorted(_names(thing)):
        if TIMES.search(name):
            continue
        value = _asked(thing, name)
        if not inspect.isroutine(value):
            found[name] = read(value, deep)
    return found


def without_sentences(recorded: Any) -> Any:
    """Return a reading with a mark in the place of every sentence, and with the name of an error in that of its message."""
    if isinstance(recorded, dict):
        return {key: without_sentences(value) for key, value in recorded.items()}
    if isinstance(recorded, list):
        return [without_sentences(value) for value in recorded]
    if isinstance(recorded, str):
        error = ERROR.match(recorded)
        return error[1] if error else recorded if WORD.fullmatch(recorded) else SENTENCE
    return recorded


def _names(thing: Any) -> set[str]:
    fields = {f.name for f in dataclasses.fields(thing)} if dataclasses.is_dataclass(thing) else set()
    shown = {name for name in dir(type(thing)) if not name.startswith("_")} | fields
    twice = {"to_dict"} if type(thing).__name__ == "Release" else set()  # its frames and metadata are recorded
    return {name for name in shown - twice if not name.startswith("_")}


def _asked(thing: Any, name: str) -> Any:
    """Return an attribute, or what a method that needs no argument returns; the name of an error is an answer too."""
    try:
        value = getattr(thing, name)
        if inspect.ismethod(value) and name not in ("plot", "generate", "fit", "save") and _needs_nothing(value):
            with redirect_stdout(io.StringIO()), warnings.catch_warnings():
                warnings.simplefilter("ignore")
                return value()
    except (SynthlabError, AttributeError) as error:
        return type(error).__name__
    return value


def _needs_nothing(method: Any) -> bool:
    parameters = list(inspect.signature(method).parameters.values())
    if any(p.name in ("rng", "key", "size") for p in parameters):
        return False
    optional = (inspect.Parameter.VAR_KEYWORD, inspect.Parameter.VAR_POSITIONAL)
    return all(p.default is not p.empty or p.kind in optional for p in parameters)


def _number(value: float) -> float | str:
    return value if math.isfinite(value) else str(value)


def differences(recorded: Any, found: Any, place: str = "") -> list[str]:
    """Return where two readings differ; numbers may differ by rounding."""
    if isinstance(recorded, dict) and isinstance(found, dict):
        told = (
            [f"{place}: {sorted(set(recorded) ^ set(found))} on one side only"] if set(recorded) != set(found) else []
        )
        return told + [
            d for k in recorded if k in found for d in differences(recorded[k], found[k], f"{place}.{k}".lstrip("."))
        ]
    if isinstance(recorded, list) and isinstance(found, list) and len(recorded) == len(found):
        return [
            d for i, (a, b) in enumerate(zip(recorded, found, strict=True)) for d in differences(a, b, f"{place}[{i}]")
        ]
    if _same(recorded, found):
        return []
    return [f"{place}: {recorded!r} is now {found!r}"]


def _same(recorded: Any, found: Any) -> bool:
    if isinstance(recorded, bool) or isinstance(found, bool):
        return recorded is found
    if isinstance(recorded, int | float) and isinstance(found, int | float):
        return math.isclose(recorded, found, rel_tol=RTOL, abs_tol=1e-12)
    return bool(recorded == found)
