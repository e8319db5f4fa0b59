"""Right answers pass, and wrong answers get the hint that describes them, or a labeled difference.

python -m tests.course.test_answers     # the table of outcomes of each exercise
"""

from __future__ import annotations

import collections
import sys

import pytest

from synthlab.teaching.checking import exercise_lectures, exercises_of
from tests.course.answers import StudentAnswer, student_answers
from tests.loops import every

EXERCISES = {exercise.name: exercise for lecture in exercise_lectures() for exercise in exercises_of(lecture)}
FEWEST_WRONG, FEWEST_RIGHT = 6, 3
EXPECTED = {"right, accepted", "wrong, right hint", "wrong, no hint"}


def outcome(answer: StudentAnswer) -> str:
    """Return what a check makes of an answer."""
    exercise = EXERCISES[answer.exercise]
    result = exercise.check(answer.function)
    if answer.is_right:
        return "right, accepted" if result.passed else "right, rejected"
    if result.passed:
        return "wrong, accepted"
    if answer.hint is not None and sum(hint.startswith(answer.hint) for hint in exercise.slips) != 1:
        return "unknown hint"
    if result.message in exercise.slips:
        expected = answer.hint is not None and result.message.startswith(answer.hint)
        return "wrong, right hint" if expected else "wrong, wrong hint"
    return "wrong, no hint" if answer.hint is None else "wrong, hint missing"


@every("answer", lambda: list(student_answers())[::15])
def test_some_answers_get_what_they_deserve(answer):
    check_outcome(answer)


@pytest.mark.full
@every("answer", student_answers)
def test_an_answer_gets_what_it_deserves(answer):
    check_outcome(answer)


def check_outcome(answer):
    assert outcome(answer) in EXPECTED, answer


def test_every_exercise_has_enough_answers():
    count = collections.Counter((answer.exercise, answer.is_right) for answer in student_answers())
    mistakes = {name: count[name, False] + len(exercise.slips) for name, exercise in EXERCISES.items()}
    few = {name for name in EXERCISES if mistakes[name] < FEWEST_WRONG or count[name, True] < FEWEST_RIGHT}
    assert few == set()


if __name__ == "__main__":
    only = set(sys.argv[1:])
    table: dict[str, collections.Counter[str]] = {}
    for answer in student_answers():
        if not only or answer.exercise in only or answer.exercise.partition(".")[0] in only:
            result = outcome(answer)
            table.setdefault(answer.exercise, collections.Counter())[result] += 1
            if result not in EXPECTED:
                print(f"{answer}: {result}: {EXERCISES[answer.exercise].check(answer.function).message}")
    for name, counts in table.items():
        print(name, dict(counts))
