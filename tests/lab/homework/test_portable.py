"""Answers as plain data: there and back, and what is not taken."""

from __future__ import annotations

import json
import warnings
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

import synthlab as sl
from synthlab.exceptions import InputError, SynthlabWarning
from synthlab.lab.homework.portable import as_plain, call, from_plain, read_answer, to_plain, write_answer

FRAME = pd.DataFrame({
    "n": [1, 2], "x": [0.5, np.nan], "t": ["a", None], "c": pd.Categorical(["u", "v"], ["v", "u"], ordered=True),
    "i": pd.Categorical([3, 1], [1, 2, 3]), "f": pd.Categorical([0.5, None], [0.5, 1.5], ordered=True),
})  # fmt: skip


@pytest.mark.parametrize(
    "value",
    [1, 2.5, "text", True, None, [1, [2, "x"]], {"a": 1.5, "b": [1]}, np.array([1, 2]), np.array([[0.5, np.nan]])],
    ids=str,
)
def test_plain_answers_come_back(value: Any, tmp_path: Path) -> None:
    write_answer(value, tmp_path)
    np.testing.assert_equal(read_answer(tmp_path), value)


def test_tables_and_releases_come_back(tmp_path: Path) -> None:
    write_answer(FRAME, tmp_path / "one")
    pd.testing.assert_frame_equal(read_answer(tmp_path / "one"), FRAME)
    write_answer([FRAME, FRAME], tmp_path / "two")
    assert len(read_answer(tmp_path / "two")) == 2
    people = pd.DataFrame({"x": list("abab"), "y": list("uuvv")})
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", SynthlabWarning)
        release = sl.DirichletMultinomial(["y"]).fit(people, rng=1).generate(m=3, rng=2)
    write_answer(release, tmp_path / "release")
    for back, one in zip(read_answer(tmp_path / "release"), release, strict=True):
        pd.testing.assert_frame_equal(back, one)


def test_arguments_of_cases_come_back() -> None:
    case = [np.array([1.0, 2.0]), FRAME.drop(columns=["c", "i", "f"]), "t", [1, 2]]
    back = from_plain(json.loads(json.dumps(to_plain([as_plain(one) for one in case]))))
    np.testing.assert_array_equal(back[0], case[0])
    pd.testing.assert_frame_equal(back[1], FRAME.drop(columns=["c", "i", "f"]))
    assert back[2:] == case[2:]


@pytest.mark.parametrize(
    ("value", "message"),
    [
        (object(), "of type object"),
        (len, "a function"),
        (np.zeros(100_001), "100,001 values"),
        (list(range(100_001)), "100,001 values"),
        ([FRAME] * 101, "101 tables"),
        ([[[[[[[[1]]]]]]]], "nested"),
        (np.array([object()]), "of type object"),
    ],
)
def test_what_is_not_taken_is_said(value: Any, message: str, tmp_path: Path) -> None:
    with pytest.raises(InputError, match=message):
        as_plain(value)
    write_answer(value, tmp_path)
    with pytest.raises(InputError, match=message):
        read_answer(tmp_path)


def test_numbers_that_no_float_holds() -> None:
    assert as_plain(10**400) == float("inf")
    assert as_plain(np.float32(0.5)) == 0.5
    assert as_plain(np.array([3])) == 3


def test_an_answer_that_fights_back(tmp_path: Path) -> None:
    class Hostile(dict):  # type: ignore[type-arg]
        def items(self) -> Any:
            raise RuntimeError("no")

    write_answer(Hostile(a=1), tmp_path)
    with pytest.raises(InputError, match="it cannot be written down: RuntimeError: no"):
        read_answer(tmp_path)


def test_calls_of_a_function() -> None:
    def own(x: float) -> float:
        if x > 2:
            raise ValueError("too much")
        return x

    assert call(own, [(1.0,), (3.0,)]) == [{"value": 1.0}, {"error": "ValueError: too much"}]
    assert call(lambda x: ..., [(1,)]) == [{"value": "..."}]
    assert "of type object" in call(lambda x: object(), [(1,)])[0]["error"]
    asked = call(lambda x: sl.combine_partial(np.ones(3), np.ones(3)).m, [(1,)])
    assert asked[0]["package"].startswith("combine_partial")
