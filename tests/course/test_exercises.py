"""The exercises of the lectures: a right function passes, every typical slip gets its own sentence, nothing is raised."""

from __future__ import annotations

import pytest

from synthlab.exceptions import InputError
from synthlab.teaching.checking import FEWEST_SLIPS, Exercise, check, exercise_lectures, exercises_of
from tests.loops import every

ALL = [exercise for lecture in exercise_lectures() for exercise in exercises_of(lecture)]
SLIPS = [(exercise, sentence) for exercise in ALL for sentence in exercise.slips]


def mean(values):
    return sum(values) / len(values)


MEAN = Exercise("00.mean", answers=lambda f: f([1.0, 2.0, 6.0]), right=mean, slips={"That is the sum.": sum})
PARTS = Exercise("00.parts", answers=lambda f: {"a": f(1), "b": f(2)}, right=lambda x: [x, x])


@every("exercise", ALL)
def test_the_right_function_passes(exercise):
    assert check(exercise.name, exercise.right).passed


@every(("exercise", "sentence"), SLIPS[::12])
def test_some_slips_get_their_own_sentence(exercise, sentence):
    check_slip(exercise, sentence)


@pytest.mark.full
@every(("exercise", "sentence"), SLIPS)
def test_every_slip_gets_its_own_sentence(exercise, sentence):
    check_slip(exercise, sentence)


def check_slip(exercise, sentence):
    result = exercise.check(exercise.mistake(sentence))
    assert (result.passed, result.message) == (False, sentence)


@every("exercise", ALL)
def test_an_empty_function_is_not_yet_right(exercise):
    result = exercise.check(lambda *_, **__: ...)
    assert not result.passed
    assert not exercise.check(lambda *_, **__: None).passed
    assert len(exercise.slips) >= FEWEST_SLIPS


def test_a_function_without_return_is_told_so():
    assert (
        MEAN.check(lambda values: None).message
        == "The function returns nothing yet. Write its body and end with `return`."
    )
    assert "returns nothing yet" in Exercise("0.x", lambda f: f(1) + 1, lambda x: x).check(lambda x: None).message


def appended(values):
    chain = []
    for value in values:
        chain = chain.append(value)
    return chain


def sorted_in_place(values):
    ordered = list(values).sort()
    return ordered[0]


@every(("function", "line", "cause"), [(appended, 4, "append"), (sorted_in_place, 3, "sort")])
def test_the_line_that_assigns_none_is_named(function, line, cause):
    message = MEAN.check(function).message
    assert "nothing yet" not in message
    assert message.startswith(f"Line {line} (")
    assert f"assigns the result of `{cause}` to it" in message


def test_a_result_that_cannot_be_used_is_not_an_error_of_the_function():
    message = Exercise("0.x", lambda f: f(1) + 1, lambda x: x).check(lambda x: "a").message
    assert message.startswith("The result of the function cannot be used: TypeError")


def test_an_unknown_slip_shows_both_answers():
    assert MEAN.check(lambda values: 1.0).message == "The function returns 1; the correct result is 3."
    assert PARTS.check(lambda x: [x, 1]).message == "b: value 2: The function returns 1; the correct result is 2."
    assert PARTS.check(lambda x: x).message == "a: The function must return 2 numbers, but it returns one number."
    assert MEAN.check(lambda values: "three").message == "The function must return one number, but it returns str."


def test_a_hint_explains_every_part_of_an_answer():
    both = {"That is the sum.": lambda x: [sum([x, x]), 0]}
    parts = Exercise("00.parts", lambda f: {"a": f(0), "b": f(1), "c": f(2)}, lambda x: [x, x], both)
    assert parts.check(lambda x: [2 * x, 0]).message == "That is the sum."
    assert parts.check(lambda x: [2 * x, 0] if x == 1 else [x, x]).message.startswith(
        "b: value 1: The function returns"
    )
    assert parts.check(lambda x: [x, 7]).message.startswith("a: value 2: The function returns")


def test_a_mistake_is_an_edit_of_the_solution():
    exercise = Exercise(
        "00.mean", lambda f: f([1.0, 2.0, 6.0]), mean, {"Sum.": {" / len(values)": ""}, "No.": {"values": ""}}
    )
    assert exercise.mistake("Sum.")([1.0, 2.0]) == 3.0
    assert exercise.check(sum).message == "Sum."
    with pytest.raises(InputError, match="'values' occurs 3 times in mean"):
        exercise.mistake("No.")


def test_a_missing_part_is_a_wrong_part():
    exercise = Exercise("00.parts", lambda f: f(), lambda: {"shape": 1, "mean": 2.0}, {"S.": lambda: {"shape": 2}})
    assert not exercise.check(lambda: {"shape": 1}).passed
    assert exercise.check(lambda: {"shape": 2}).message == "S."
    assert exercise.check(lambda: {"shape": 1, "mean": 3.0}).message.startswith("mean: ")


def test_an_error_of_the_function_is_told_and_not_raised():
    message = MEAN.check(lambda values: 1 / 0).message
    assert message.startswith("Line 1 (")
    assert message.endswith("raised ZeroDivisionError: division by zero.")
    assert MEAN.check(int).message.startswith("The function raised TypeError: int()")
    assert not MEAN.check(3.0).passed


def test_the_result_shows_itself_in_a_notebook():
    assert MEAN.check(mean)._repr_html_() == "<p>&#10003; 00.mean: right. Well done.</p>"
    assert "&lt;" in MEAN.check(lambda values: "<b>")._repr_html_() or "str" in MEAN.check(lambda v: "<b>").message


def test_there_is_no_such_exercise():
    with pytest.raises(InputError, match=r"must begin with a lecture that has exercises"):
        check("99.matches", mean)
    with pytest.raises(InputError, match=r"must be one of 08\.matches"):
        check("08.match", mean)
