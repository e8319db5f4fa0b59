"""Homework 4: the master passes, the student edition runs empty, typical wrong answers get their hint, and a release
is looked at record by record as well as in the mean.
"""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

import synthlab as sl
from synthlab.exceptions import InputError
from synthlab.lab.homework import check, class_sample
from synthlab.lab.homework.properties import protected_release
from tests.lab.homework import mastered

STEM = "hw4_a_release_of_your_own"
NUMBERS = ("uniques", "colleague_risk", "colleague_worst", "draw_excess", "rational_gain")
CHECKED = (*NUMBERS, "match_risks", "my_release")


class TestMaster(mastered.MasterTests):
    stem = STEM
    checked = CHECKED
    points = 24
    written = ("board", "says which")


@pytest.fixture(scope="module")
def master():
    return mastered.run_master(STEM)


def hint(question, answer):
    return mastered.hint(f"hw4.{question}", answer)


def test_answers_that_are_no_number(master):
    assert "Do it by hand for the first ten rows" in hint("uniques", 17)
    assert "a whole number" in hint("uniques", 444.5)
    assert "of 980 values" in hint("uniques", master["sizes"])
    assert "this is str" in hint("colleague_risk", "69")
    assert "this is nan" in hint("colleague_risk", float("nan"))
    assert "this is bool" in hint("colleague_risk", True)
    # no float holds the last of these, and no text the one before
    for far in (10**30, -(10**30), 1e308, 10**400, 10**5000):
        for question in NUMBERS:
            assert not check(f"hw4.{question}", far).passed
    # one number in an array is a number
    assert check("hw4.colleague_worst", np.array([master["colleague_worst"]])).passed


def test_a_function_that_calls_the_package_is_not_ones_own():
    def called(confidential, synthetic, known, synthesized):
        who = sl.Intruder(known=known, synthesized=synthesized)
        return sl.identification_risk(confidential, synthetic, who).record_match_risk[:, 0]

    assert "asks you to write it" in hint("match_risks", called)


def test_functions_that_return_something_else():
    assert "On example 1 of 8 it stopped: ZeroDivisionError" in hint("match_risks", lambda *frames: 1 / 0)
    assert "it should be a function, and is float" in hint("match_risks", 69.0).lower()
    assert "no finite number" in hint("match_risks", lambda *frames: np.nan)
    assert "the function returns None" in hint("match_risks", lambda *frames: None).replace("The", "the")


def release_of(women, *, given=("age",), pseudocount=0.02):
    model = sl.DirichletMultinomial(["educ", "occupation"], given=list(given), pseudocount=pseudocount)
    return model.fit(women, rng=3).generate(m=5, rng=4)


def test_releases_that_expose_too_many(master):
    women, known = master["women"], master["known"]
    large, settings = release_of(women, given=known), master["answers"]["my_release"].settings
    assert "true values in all 5 datasets, and none may be" in hint("my_release", large)
    said = protected_release(list(large), {k: v for k, v in settings.items() if k != "most_as_is"})
    assert "A smaller model knows fewer of them by name" in said
    assert "releases 'educ' as it is" in hint("my_release", [women] * 5)


def test_a_release_that_exposes_fifteen_women_as_they_are_is_not_right(master):
    """Its mean risk is small and its means are right: the rest is permuted within the age groups."""
    women, synthesized, rng = master["women"], master["synthesized"], np.random.default_rng(1)
    alone = women.index[~women.duplicated(master["known"], keep=False)][:15]
    frames = []
    for _ in range(5):
        rows = women.groupby("age", group_keys=False)["age"].transform(lambda one: rng.permutation(one.index))
        one = women.copy()
        one[synthesized] = women.loc[rows.astype(int), synthesized].to_numpy()
        one.loc[alone, synthesized] = women.loc[alone, synthesized]
        frames.append(one.astype(women.dtypes.to_dict()))
    settings = master["answers"]["my_release"].settings
    settings = settings | {"most_risk": 85}
    looked_at_in_the_mean = {k: v for k, v in settings.items() if k not in ("most_as_is", "most_record_risk")}
    assert protected_release(frames, looked_at_in_the_mean) is None
    assert protected_release(frames, settings).startswith("15 of the records that are unique")
    assert hint("my_release", frames).startswith("15 of the records that are unique in the confidential data")
    share, said = protected_release(frames, {k: v for k, v in settings.items() if k != "most_as_is"})
    assert share == pytest.approx(2 / 3)
    assert "the mean is kind to the crowd" in said


def test_the_worst_record_counts_and_what_is_kept_earns_a_share(master):
    plain = release_of(master["women"])
    result = check("hw4.my_release", plain)
    assert (result.passed, result.points) == (False, 4)
    assert result.message.startswith("The mean is kind to the crowd: ")
    assert "Who shares what is released unchanged with few others?" in result.message


def test_who_only_protects_or_only_keeps_earns_nothing(master):
    women = master["women"]
    assert "kind to the crowd" in hint("my_release", master["colleague"])  # the model adds too much to small groups
    same = [one.assign(educ=12.0, occupation=3).astype(women.dtypes.to_dict()) for one in master["my_release"]]
    assert "Is 'age' in your model, and is what the model adds to it small?" in said_of(same, master)


def said_of(frames, master):
    """Return what is said when the worst record is not looked at."""
    settings = {**master["answers"]["my_release"].settings, "most_as_is": 6_000, "most_record_risk": 1}
    said = protected_release(frames, settings)
    assert isinstance(said, str)
    return said


def test_releases_of_another_form(master):
    assert "It has 1 dataset, asked for are 5" in hint("my_release", master["my_release"][0])
    touched = [one.assign(age=one["age"] + 1) for one in master["my_release"]]
    assert "Dataset 1 changes 'age'" in hint("my_release", touched)
    assert "must have the 5,000 rows" in hint("my_release", [one.head(10) for one in master["my_release"]])
    assert "is not a release" in hint("my_release", 3)


def test_releases_of_other_types(master):
    """What a column holds decides, not how it is stored; what cannot be measured is said, and never raised."""

    def changed(**types):
        return [one.astype(types) for one in master["my_release"]]

    assert check("hw4.my_release", changed(educ="Float64", age="Float64")).passed
    assert "Dataset 1 holds 'educ' as category" in hint("my_release", changed(educ="category"))
    assert ".astype({'educ': 'float64'})" in hint("my_release", changed(educ="category"))
    assert "Dataset 1 holds 'age' as category" in hint("my_release", changed(age="category"))
    lost = changed(age="Float64")
    for one in lost:
        one.loc[3, "age"] = pd.NA
    assert "Dataset 1 changes 'age'" in hint("my_release", lost)


def test_what_is_not_asked_for_is_not_looked_at(master):
    settings = master["answers"]["my_release"].settings
    form = {k: v for k, v in settings.items() if not k.startswith("most") and k != "keeps"}
    nearly = [one.copy() for one in master["my_release"]]
    assert protected_release(nearly, form) is None
    assert protected_release(nearly, form | {"most_record_risk": 0.3}) is None
    assert protected_release(nearly, form | {"most_record_risk": 0.1}).startswith("the mean is kind")


def test_amounts_are_matched_within_a_radius():
    """Incomes of households, of which the intruder knows about how large they are."""
    settings = {"dataset": "ce", "n": 300, "class": 1, "m": 1, "known": ["Tenure"], "synthesized": ["Income"]}
    truth = class_sample("ce", 300, 1)
    near = [truth.assign(Income=truth["Income"] * 1.001)]
    said = protected_release(near, settings | {"radius": 0.01, "most_risk": 5})
    assert said.startswith("its expected match risk is")
    assert protected_release(near, settings | {"radius": 0.0001, "most_risk": 60}) is None


def test_an_answer_that_breaks_the_check_is_said():
    class Odd(pd.DataFrame):
        @property
        def columns(self):
            raise OSError("no columns today")

    assert "OSError" in hint("my_release", [Odd()])


def test_questions_that_are_not_there():
    with pytest.raises(InputError, match=r"question='hw4.q9': must be one of hw4.uniques, "):
        check("hw4.q9", 1)


def test_a_result_shows_itself():
    result = check("hw4.uniques", 17)
    assert str(result).startswith("hw4.uniques: not yet (0 of 2 points). ")
    assert result._repr_html_().startswith("<p>&#10007; hw4.uniques: not yet")
