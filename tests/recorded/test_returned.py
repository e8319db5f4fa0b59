"""Public calls return, warn of and refuse what they did when that was last recorded: numbers, fields, codes and shapes."""

from __future__ import annotations

import json
from typing import Any

import pytest

from tests.loops import every
from tests.recorded.calls import ANSWERS, CALLS, SIGNATURES, ask, files, signatures
from tests.recorded.reading import differences, without_sentences
from tests.recorded.refusals import ASKED, REFUSED, answers, expanded, grouped, same


def test_every_call_is_recorded_without_sentences() -> None:
    recorded = {name: one for content in files().values() for name, one in content.items()}
    assert {name for name, one in recorded.items() if "returned" in one} == set(CALLS)
    assert {name for name, one in recorded.items() if "refused" in one} == set(ASKED)
    returned = [one["returned"] for one in recorded.values() if "returned" in one]
    assert without_sentences(returned) == returned


FILES = sorted(path.stem for path in ANSWERS.glob("*.json"))
LARGE = ("Release", "plain_values")  # in the small case one call of four is asked what it refuses
SMALL = [pytest.param(file, 4 if file in LARGE else 1, id=file) for file in FILES if file != "EvaluationResult"]
WHOLE = [pytest.param(file, 1, id=f"{file}, whole", marks=pytest.mark.full) for file in (*LARGE, "EvaluationResult")]


@pytest.mark.parametrize(("file", "of"), [*SMALL, *WHOLE])
def test_returned(file: str, of: int) -> None:
    found: list[str] = []
    content = json.loads((ANSWERS / f"{file}.json").read_text(encoding="utf-8"))
    for place, (name, recorded) in enumerate(content.items(), 1):
        if "returned" in recorded:
            found += differences(recorded["returned"], json.loads(json.dumps(ask(name))), name)
        if "refused" in recorded and place % of == 0:
            found += _other_refusals(name, expanded(recorded["refused"]))
    assert found == []


def _other_refusals(name: str, recorded: dict[str, Any]) -> list[str]:
    found = answers(ASKED[name])
    assert set(recorded) <= set(found), name
    before = dict.fromkeys(found, REFUSED) | recorded
    return [f"{name}({k}): {before[k]!r} is now {v!r}" for k, v in found.items() if not same(before[k], v)]


def test_signatures() -> None:
    assert signatures() == json.loads(SIGNATURES.read_text(encoding="utf-8"))


@every(
    ("recorded", "found"),
    [(1.0, 1.001), ("STOP", "CHECK"), ([1], [1, 2]), ({"a": 1}, {"b": 1}), (True, 1), ("nan", 0.0)],
)
def test_a_difference_is_seen(recorded: object, found: object) -> None:
    assert differences(recorded, found)


@every(("recorded", "found"), [(1.0, 1.0 + 1e-9), ([1, "x"], [1, "x"])])
def test_rounding_is_not_a_difference(recorded: object, found: object) -> None:
    assert differences(recorded, found) == []


@every(("recorded", "found"), [("a", "b"), ([1, 2.0], [1, 2.1]), ([1], [1, "W"]), ("1", 1)])
def test_another_answer_is_seen(recorded: object, found: object) -> None:
    assert not same(recorded, found)


def test_answers_are_grouped_by_argument_and_found_again() -> None:
    found = {"a | 0": "KeyError", "a | 1": [1, 2.5], "a | [1 | 2]": "KeyError", "b | 0": [1, 2.5]}
    assert grouped(found)["a"] == [["KeyError", ["0", "[1 | 2]"]], [[1, 2.5], ["1"]]]
    assert expanded(grouped({**found, "b | 1": REFUSED})) == found


def test_a_sentence_is_not_recorded() -> None:
    given = {"title": "Risk of 3 records", "verdict": "STOP", "asked": ["InputError: x: must be 1", 2, "(1, 0)"]}
    assert without_sentences(given) == {"title": "...", "verdict": "STOP", "asked": ["InputError", 2, "(1, 0)"]}
