"""attack_score: by hand, the best single guess, and at the edges."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings, strategies as st

from synthlab.exceptions import DtypeMismatchError, InputError, MissingValueError, NoBetterThanBaselineWarning
from synthlab.risk import attack_score
from synthlab.risk.linkage.attack_score import _in_most
from tests.loops import every

PEOPLE = pd.DataFrame({"ill": ["yes", "no", "no", "no", "yes"], "income": [100.0, 105.0, 300.0, -40.0, 109.0]})


def test_categories_by_hand():
    guesses = pd.DataFrame({"record": [4, 0, 1], "ill": ["yes", "yes", None]})
    score = attack_score(PEOPLE, guesses, target="ill", fewest=2)
    assert score.attack == 1.0
    assert score.best_guess == "no"
    assert score.baseline == 0.0
    assert score.right.tolist() == [True, True]
    assert "2 of 2 guesses of ill are right" in str(score)


@pytest.mark.filterwarnings("ignore::synthlab.exceptions.NoBetterThanBaselineWarning")
def test_numbers_by_hand():
    guesses = pd.DataFrame({"who": [0, 1, 2, 3], "income": [90.0, 94.4, 280, -44]})
    score = attack_score(PEOPLE, guesses, target="income", record="who", radius=0.1, fewest=4)
    assert score.right.tolist() == [True, False, True, True]
    # [98.1, 110] lies within 10% of 100, 105 and 109; the first two of them are guessed about.
    assert 98.1 <= score.best_guess <= 110
    assert score.baseline == pytest.approx(2 / 4)
    opened = attack_score(
        PEOPLE, guesses, target="income", record="who", radius=10, radius_kind="absolute", boundary="open", fewest=4
    )
    assert opened.right.tolist() == [False, False, False, True]
    assert opened.baseline == pytest.approx(2 / 4)


@settings(max_examples=80, deadline=None)
@given(
    centres=st.lists(st.integers(-10, 10), min_size=1, max_size=10),
    half=st.integers(1, 4),
    closed=st.booleans(),
)
def test_no_value_is_in_more_intervals(centres, half, closed):
    low, high = np.array(centres, dtype=float) - half, np.array(centres, dtype=float) + half

    def count(value):
        return ((low <= value) & (value <= high)).sum() if closed else ((low < value) & (value < high)).sum()

    best = count(_in_most(low, high, closed))
    assert best == max(count(v / 4) for v in range(-60, 61))


def test_a_poor_attack_warns():
    guesses = pd.DataFrame({"record": [0, 1, 2], "ill": ["no", "no", "yes"]})
    with pytest.warns(NoBetterThanBaselineWarning, match="the attack is right with probability 0.3333"):
        attack_score(PEOPLE, guesses, target="ill", fewest=1)


@every(
    ("guesses", "error", "match"),
    [
        ({"record": [0], "ill": ["no"]}, InputError, "1 guesses; at least 2"),
        (
            {"record": [0, 9], "ill": ["no", "no"]},
            InputError,
            "must name rows from 0 to 4; 1 of 2 entries, the first at position 1, do not",
        ),
        ({"record": [0, -1], "ill": ["no", "no"]}, InputError, "the first at position 1, do not"),
        ({"record": [1, 1], "ill": ["no", "no"]}, InputError, "names a person twice"),
        ({"record": [0.5, 1], "ill": ["no", "no"]}, InputError, "must hold row positions"),
        ({"record": ["a", 1], "ill": ["no", "no"]}, InputError, "must hold row positions"),
        ({"person": [0, 1], "ill": ["no", "no"]}, InputError, "'record' not in guesses"),
        ({"record": [0, 1], "ill": [1, 0]}, DtypeMismatchError, "'ill' holds text"),
    ],
)
def test_errors(guesses, error, match):
    with pytest.raises(error, match=match):
        attack_score(PEOPLE, pd.DataFrame(guesses), target="ill", fewest=2)


def test_nobody_is_scored_on_a_missing_answer():
    people = PEOPLE.assign(ill=["yes", None, "no", "no", "yes"])
    guesses = pd.DataFrame({"record": [0, 1], "ill": ["yes", "no"]})
    with pytest.raises(MissingValueError, match="confidential: column 'ill' has 1 missing"):
        attack_score(people, guesses, target="ill", fewest=2)


def test_people_without_a_value_are_left_out_when_asked_for():
    people = pd.DataFrame({"ill": ["yes", None, "no", "no", "yes"]})
    guesses = pd.DataFrame({"record": [0, 1, 2, 4], "ill": ["yes", "no", "yes", "yes"]})
    score = attack_score(people, guesses, target="ill", missing="never", fewest=3)
    assert score.records.tolist() == [0, 2, 4]
    assert score.right.tolist() == [True, False, True]
    with pytest.raises(InputError, match="guesses: 3 guesses; at least 4"):
        attack_score(people, guesses, target="ill", missing="never", fewest=4)
