"""Seals: what is within the tolerance passes, what is beyond twice of it does not, and nothing can be read."""

from __future__ import annotations

import json
from math import pi

import numpy as np
import pytest
from hypothesis import given, settings, strategies as st

from synthlab.exceptions import InputError
from synthlab.lab.homework import FunctionAnswer, NumberAnswer, PropertyAnswer, WrittenAnswer, seal_answers
from synthlab.lab.homework.seal import candidates, cell_of, digest


@settings(max_examples=200, deadline=None)
@given(st.floats(-1e6, 1e6), st.floats(1e-3, 100), st.floats(-1, 1))
def test_the_cells_keep_the_tolerance(value, tolerance, share):
    cell = cell_of(value, tolerance)
    assert cell in candidates(value + 0.999 * share * tolerance, tolerance)
    for far in (value + 2.001 * tolerance, value - 2.001 * tolerance):
        assert cell not in candidates(far, tolerance)


def test_tolerance_zero_is_equality_of_whole_numbers():
    assert candidates(465, 0) == [465]
    assert cell_of(465.0, 0) == 465


def test_a_digest_depends_on_salt_question_and_cell():
    made = {digest(s, q, c) for s in "ab" for q in ("x", "y") for c in (1, 2)}
    assert len(made) == 8
    assert digest("a", "x", 1) == digest("a", "x", 1)


def test_nothing_that_is_kept_can_be_read():
    answers = {
        "circle": NumberAnswer(pi, 0.001, 2, "the circumference", wrong={"that is the diameter.": 1.0}),
        "words": WrittenAnswer({"says why": 3}, "why", fewest=5),
    }
    kept = seal_answers("hw9", answers, "salt")
    text = json.dumps(kept)
    assert "3.14" not in text
    assert len(kept["questions"]["circle"]["right"]) == 32
    assert list(kept["questions"]["circle"]["wrong"].values()) == ["that is the diameter."]
    assert kept["questions"]["words"]["points"] == 3
    assert seal_answers("hw9", answers, "pepper")["questions"]["circle"]["right"] not in text


def test_a_function_is_kept_as_its_examples_and_digests():
    answer = FunctionAnswer(lambda x: x + 41.75, [(1.0,), (2.0,)], 1, "a sum", wrong={"no.": lambda x: x - 41.75})
    kept = seal_answers("hw9", {"add": answer}, "salt")["questions"]["add"]
    assert [case["arguments"] for case in kept["cases"]] == [[1.0], [2.0]]
    assert not any(number in json.dumps(kept) for number in ("42.75", "43.75", "40.75", "39.75"))
    digests = [case["right"] for case in kept["cases"]] + [d for case in kept["cases"] for d in case["wrong"]]
    assert len(set(digests)) == 4
    other = seal_answers("hw9", {"add": answer}, "pepper")["questions"]["add"]
    assert not {case["right"] for case in other["cases"]} & set(digests)
    with pytest.raises(InputError, match="'the same' is right on all cases"):
        FunctionAnswer(lambda x: x, [(1,)], 1, "x", wrong={"the same": lambda x: x})


@pytest.mark.parametrize("value", [0.12, -0.3, 1.0, 1 / 3, 345.678, 0.0])
@pytest.mark.parametrize("tolerance", [0.01, 0.04, 1e-6, 1e-9, 5.0])
def test_a_machine_that_rounds_otherwise_seals_the_same(value, tolerance):
    def kept(moved):
        number = NumberAnswer(value + moved, tolerance, 1, "x")
        function = FunctionAnswer(lambda: value + moved, [()], 1, "x", tolerance, {"no.": lambda: value + 99 + moved})
        return seal_answers("hw9", {"number": number, "function": function}, "salt")

    noise = 4e-16 * max(abs(value), 1)
    assert kept(noise) == kept(-noise)


def test_answers_are_checked_when_they_are_written():
    with pytest.raises(InputError, match="'half'.* cannot be told from the right answer"):
        NumberAnswer(1.0, 0.2, 1, "x", wrong={"half": 0.6})
    with pytest.raises(InputError, match="with tolerance 0 it must be a whole number"):
        NumberAnswer(1.5, 0, 1, "x")
    with pytest.raises(InputError, match="value=nan"):
        NumberAnswer(float("nan"), 0.1, 1, "x")
    with pytest.raises(InputError, match="points=0"):
        NumberAnswer(1.0, 0.1, 0, "x")
    with pytest.raises(InputError, match="name: must be the name of a function"):
        PropertyAnswer("no name", 1, "x")
    with pytest.raises(InputError, match="settings: must be plain values"):
        PropertyAnswer("name", 1, "x", {"a": object()})
    with pytest.raises(InputError, match="at least one criterion"):
        WrittenAnswer({}, "x")
    with pytest.raises(InputError, match="named by letters, digits and underscores"):
        seal_answers("hw 1", {}, "salt")
    with pytest.raises(InputError, match="'q' is none of"):
        seal_answers("hw1", {"q": 3}, "salt")
    with pytest.raises(InputError, match="salt"):
        seal_answers("hw1", {}, "")
    assert NumberAnswer(np.int64(3), 0, 1, "x").value == 3
