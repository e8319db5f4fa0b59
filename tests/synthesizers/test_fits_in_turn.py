"""FitsInTurn: several fits without coefficients to average, each as often as the others, each through its own draws."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np
import pandas as pd
import pytest

from synthlab.exceptions import InputError
from synthlab.synthesizers._pooling import FitsInTurn

FRAME = pd.DataFrame({"x": [1, 2, 3]})
VALUES = pd.DataFrame({"y": ["p", "q"]})


@dataclass
class Stub:
    """A fit that notes what it is asked for; its values are its name and the number of the draw."""

    name: str
    records_independent: bool = True
    has_probabilities: bool = True
    synthesized: tuple[str, ...] = ("y",)
    asked: list = field(default_factory=list)

    def draw(self, frame, draw, rng):
        self.asked.append((draw, rng))
        return {"y": pd.Series([f"{self.name}{draw}"] * len(frame))}

    def probability_of(self, frame, values, draw):
        return np.full((len(frame), len(values)), draw / 100)


def test_the_fits_take_turns_and_each_goes_on_in_its_own_draws():
    one, two = Stub("one"), Stub("two")
    both = FitsInTurn([one, two], [[4, 2, 9], [7, 1, 5]])
    assert both.n_draws == 6
    assert both.synthesized == ("y",)
    rng = np.random.default_rng(1)
    found = [both.draw(FRAME, s, rng)["y"] for s in range(7)]
    # The seventh is the first again.
    assert [series[0] for series in found] == ["one4", "two7", "one2", "two1", "one9", "two5", "one4"]
    assert [len(series) for series in found] == [3] * 7
    assert [draw for draw, _ in one.asked] == [4, 2, 9, 4]
    assert [draw for draw, _ in two.asked] == [7, 1, 5]
    assert all(passed is rng for _, passed in one.asked + two.asked)


def test_a_fit_with_fewer_draws_begins_again():
    both = FitsInTurn([Stub("one"), Stub("two")], [[4, 2, 9], [7]])
    assert both.n_draws == 6
    rng = np.random.default_rng(1)
    found = [both.draw(FRAME, s, rng)["y"][0] for s in range(6)]
    assert found == ["one4", "two7", "one2", "two7", "one9", "two7"]


def test_without_draws_of_the_parameters_only_the_fits_differ():
    three = FitsInTurn([Stub(name) for name in "abc"], [[0], [0], [0]])
    assert three.n_draws == 3
    rng = np.random.default_rng(1)
    assert [three.draw(FRAME, s, rng)["y"][0] for s in range(5)] == ["a0", "b0", "c0", "a0", "b0"]


def test_probabilities_are_those_of_a_single_fit():
    alone = FitsInTurn([Stub("one")], [[4, 2, 9]])
    assert alone.has_probabilities
    found = [alone.probability_of(FRAME, VALUES, s) for s in range(4)]
    assert found[0].shape == (3, 2)
    assert [p[0, 0] for p in found] == [0.04, 0.02, 0.09, 0.04]
    assert not FitsInTurn([Stub("one", has_probabilities=False)], [[0]]).has_probabilities
    both = FitsInTurn([Stub("one"), Stub("two")], [[0], [0]])
    assert not both.has_probabilities
    with pytest.raises(InputError, match=r"several fits of \('y',\) are used in turn"):
        both.probability_of(FRAME, VALUES, 0)


def test_one_fit_that_needs_the_other_records_is_enough():
    assert FitsInTurn([Stub("one"), Stub("two")], [[0], [0]]).records_independent
    assert not FitsInTurn([Stub("one"), Stub("two", records_independent=False)], [[0], [0]]).records_independent
