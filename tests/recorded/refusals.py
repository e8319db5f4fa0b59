"""What every public call answers to a few wrong and a few odd values of each of its arguments."""

from __future__ import annotations

import contextlib
import math
from collections.abc import Iterator, Mapping
from tempfile import TemporaryDirectory
from typing import Any

import numpy as np

from synthlab.exceptions import SynthlabError, SynthlabWarning
from tests.hostile import values
from tests.hostile.bases import Case
from tests.hostile.surface import CASES
from tests.hostile.sweep import _quietly

SLOW = ("PIG", "Delaporte", "Sichel", "GeneralizedPoisson", "NBI", "Dataset.synthetic_version", "linkage_risk")
SLOW += ("LinkageResult.by_threshold",)
SLOW += ("fetch", "load", "diagnose_chains", "figure_with_description")  # the last ask the network, or draw
SCALARS = ("None", "0", "1", "-1", "0.5", "NaN", "inf", "text", "True", "[]", "[1, 2]")
CHANGES = ("no rows", "one row", "a missing number", "infinite", "a column less", "one text among numbers")
CHANGES += ("text as categorical", "Arrow dtypes", "truth values", "index reversed", "frames of two kinds")
CHANGES += ("one unknown", "one twice", "first name", "values are -1", "values are 0", "unknown key")
CHANGES += ("one NaN", "one minus infinite", "one negative", "all zero", "one less", "a column", "all equal")

REFUSED = "InputError"  # the answer to all values that the recorded answers do not name
ASKED: dict[str, Case] = {case.name: case for case in CASES if not case.few and case.name not in SLOW}


def answers(case: Case) -> dict[str, Any]:
    """Return the answers of a case by argument and value; the working folder is new, because some arguments are paths."""
    with TemporaryDirectory() as folder, contextlib.chdir(folder):
        return dict(_answers(case))


def _answers(case: Case) -> Iterator[tuple[str, Any]]:
    for parameter, ordinary in case.base().items():
        changes = values.changes(ordinary)
        for label in (*SCALARS, *(name for name in CHANGES if name in changes)):
            if parameter in ("rng", "generate_rng") and label == "None":
                continue  # another answer every time
            arguments = case.base()
            try:
                made = values.SCALARS[label]() if label in SCALARS else changes[label](arguments[parameter])
            except (TypeError, ValueError, KeyError, IndexError):
                continue
            yield f"{parameter} | {label}", _answer(case, {**arguments, parameter: made})


def _answer(case: Case, arguments: Mapping[str, Any]) -> Any:
    try:
        found, caught = _quietly(case, arguments)
    except SynthlabError as error:
        return type(error).__name__
    except Exception as error:  # noqa: BLE001 - the sweep says which of them are let pass
        return type(error).__name__
    told = sorted({w.category.__name__ for w in caught if issubclass(w.category, SynthlabWarning)})
    return [*_fingerprint(found), *told]


def _fingerprint(content: Any) -> list[Any]:
    """Return how many numbers there are, how many of them are undefined, and two sums of the others; and the texts."""
    numbers, texts = [], []
    for one in _leaves(content):
        (texts if isinstance(one, str) else numbers).append(one)
    array = np.array(numbers, dtype=float)
    solid = np.isfinite(array) & (np.abs(array) < 1e100)
    place = 1.0 + np.arange(array.size) % 7
    sums = [float(array[solid].sum()), float((place[solid] * array[solid]).sum())]
    return [array.size, int(np.isnan(array).sum()), int(np.isposinf(array).sum()), *sums, len(texts)]


def _leaves(content: Any) -> Iterator[float | str]:
    if isinstance(content, Mapping):
        for value in content.values():
            yield from _leaves(value)
    elif isinstance(content, np.ndarray):
        yield from content.ravel().tolist()
    elif isinstance(content, list | tuple):
        for value in content:
            yield from _leaves(value)
    elif isinstance(content, str):
        yield content
    else:
        yield float(content)


def grouped(found: Mapping[str, Any]) -> dict[str, list[Any]]:
    """Return for every argument the answers other than `REFUSED`, each with the values that get it."""
    groups: dict[str, list[Any]] = {}
    for key, answer in found.items():
        if answer == REFUSED:
            continue
        parameter, label = key.split(" | ", 1)
        known = groups.setdefault(parameter, [])
        for one, labels in known:
            if one == answer:
                labels.append(label)
                break
        else:
            known.append([answer, [label]])
    return groups


def expanded(groups: Mapping[str, list[Any]]) -> dict[str, Any]:
    """Return the answers by argument and value, from what `grouped` returned."""
    return {
        f"{parameter} | {label}": answer
        for parameter, known in groups.items()
        for answer, labels in known
        for label in labels
    }


def same(recorded: Any, found: Any) -> bool:
    """Say whether two answers are equal, numbers up to rounding."""
    if isinstance(recorded, list) and isinstance(found, list):
        return len(recorded) == len(found) and all(map(same, recorded, found))
    if isinstance(recorded, float | int) and isinstance(found, float | int):
        return math.isclose(recorded, found, rel_tol=1e-6, abs_tol=1e-9)
    return bool(recorded == found)
