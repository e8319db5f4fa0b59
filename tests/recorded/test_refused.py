"""Every public call refuses, warns of or takes a wrong or odd argument as it did when that was last read and recorded."""

from __future__ import annotations

import json

import pytest

from tests.recorded.calls import REFUSED
from tests.recorded.refusals import ASKED, answers, same

ANSWERS = json.loads(REFUSED.read_text(encoding="utf-8"))


def test_every_call_is_recorded() -> None:
    assert set(ANSWERS) == set(ASKED)


@pytest.mark.parametrize("name", sorted(ASKED))
def test_refused(name: str) -> None:
    found = answers(ASKED[name])
    assert set(found) == set(ANSWERS[name])
    assert {key: value for key, value in found.items() if not same(ANSWERS[name][key], value)} == {}


@pytest.mark.parametrize(("recorded", "found"), [("a", "b"), ([1, 2.0], [1, 2.1]), ([1], [1, "W"]), ("1", 1)])
def test_another_answer_is_seen(recorded: object, found: object) -> None:
    assert not same(recorded, found)
