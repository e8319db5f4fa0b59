"""Every public call returns, prints and draws as HTML what it did when that was last read and recorded."""

from __future__ import annotations

import json

import pytest

from tests.recorded.calls import CALLS, FILE, MORE, SIGNATURES, ask, signatures
from tests.recorded.reading import differences

ANSWERS = json.loads(FILE.read_text(encoding="utf-8")) | json.loads(MORE.read_text(encoding="utf-8"))


def test_every_call_is_recorded() -> None:
    assert set(ANSWERS) == set(CALLS)


@pytest.mark.parametrize("name", sorted(CALLS))
def test_returned(name: str) -> None:
    assert differences(ANSWERS[name], json.loads(json.dumps(ask(name)))) == []


def test_signatures() -> None:
    assert signatures() == json.loads(SIGNATURES.read_text(encoding="utf-8"))


@pytest.mark.parametrize(
    ("recorded", "found"),
    [
        (1.0, 1.001),
        ("risk 0.25", "risk 0.35"),
        ("risk 12", "risk 13"),
        ("1,085 people", "1,086 people"),
        ("a", "b"),
        ([1], [1, 2]),
        ({"a": 1}, {"b": 1}),
        (True, 1),
        ("nan", 0.0),
    ],
)
def test_a_difference_is_seen(recorded: object, found: object) -> None:
    assert differences(recorded, found)


@pytest.mark.parametrize(
    ("recorded", "found"), [(1.0, 1.0 + 1e-9), ("mean 1.2345", "mean 1.2346"), ([1, "x"], [1, "x"])]
)
def test_rounding_is_not_a_difference(recorded: object, found: object) -> None:
    assert differences(recorded, found) == []
