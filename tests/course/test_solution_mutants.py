"""Every mutant of a solution fails its check, and every accepted answer is converted to the documented form.

python -m tests.course.test_solution_mutants     # the table of mutants
"""

from __future__ import annotations

import sys

import numpy as np
import pytest

from synthlab.teaching.checking import NOTHING, exercise_lectures, exercises_of
from tests.course.answers import student_answers
from tests.course.solution_mutants import mutants, solutions
from tests.loops import every

EXERCISES = {exercise.name: exercise for lecture in exercise_lectures() for exercise in exercises_of(lecture)}
SAMPLE = ("06.expected", "07.combine_partial", "09b.em_step", "13.lipschitz", "15.off")
CONTINUOUS = "the draw is continuous, so equality has probability 0"
UNOBSERVED = "a combination without records has no people"
REPLACED = "posterior draws with replacement are as valid"
EQUIVALENT = {
    ("01.uniques", "groupby(known, observed=True, dropna=False) without observed"): UNOBSERVED,
    ("03.metropolis", "np.array(start, dtype=float) without dtype"): "the sum with a normal step is a float",
    ("03.metropolis", "ends of np.log(rng.random())"): CONTINUOUS,
    ("04.synthesize", "without replace"): REPLACED,
    ("05.draw_logistic", "without replace"): REPLACED,
    ("05.draw_logistic", "ends of rng.random(len(x)) < p"): CONTINUOUS,
    ("05b.gibbs", "ends of"): CONTINUOUS,
    ("06.pmse", "without disp"): "`disp` only prints",
    ("09.cap", "groupby(keys, observed=True) without observed"): UNOBSERVED,
    ("10b.guesses", "ends of u >"): CONTINUOUS,
    ("12.coins", "ends of rng.random(len(truth)) < 1 / 2"): CONTINUOUS,
    ("12b.exponential", "np.asarray(utility, dtype=float) without dtype"): "the utility is an array of floats",
}


def reason(exercise, what):
    """Return why a mutant gives the same results as the solution, or None."""
    return next((why for (name, part), why in EQUIVALENT.items() if name == exercise and part in what), None)


def check_solution(solution):
    exercise = EXERCISES[solution.exercise]
    assert exercise.check(solution.build()).passed
    survivors = []
    for what, tree in mutants(solution):
        with np.errstate(all="ignore"):
            result = exercise.check(solution.build(tree))
        if (result.passed and reason(solution.exercise, what) is None) or result.message == NOTHING:
            survivors.append(f"{what}: {result}")
    assert survivors == []


@pytest.mark.filterwarnings("ignore")
@every("solution", lambda: [one for one in solutions() if one.exercise in SAMPLE])
def test_mutants_of_some_solutions_fail(solution):
    check_solution(solution)


@pytest.mark.full
@pytest.mark.filterwarnings("ignore")
@every("solution", solutions)
def test_mutants_of_every_solution_fail(solution):
    check_solution(solution)


def test_every_lecture_has_a_solution_with_mutants():
    found = solutions()
    assert {one.exercise.partition(".")[0] for one in found} == set(exercise_lectures())
    for one in found:
        assert next(mutants(one), None) is not None
    for name, part in EQUIVALENT:
        assert any(part in what for one in found if one.exercise == name for what, _ in mutants(one)), (name, part)


def form_of(value):
    """Return the type, the shape and the kind of the values of a result."""
    if isinstance(value, tuple | list):
        return type(value), [form_of(one) for one in value]
    array = np.asarray(value)
    return type(value), array.shape, array.dtype.kind


class Recorder:
    """Function that also calls the converted answer and remembers how its forms differ from those of the solution."""

    def __init__(self, exercise, function):
        self.right, self.answer = exercise.converted(exercise.right), exercise.converted(function)
        self.differences = []

    def __call__(self, *arguments):
        """Compare the forms for the arguments of a check."""
        generators = [one for one in arguments if isinstance(one, np.random.Generator)]
        states = [one.bit_generator.state for one in generators]
        wanted = self.right(*arguments)
        for one, state in zip(generators, states, strict=True):
            one.bit_generator.state = state
        found = self.answer(*arguments)
        if form_of(found) != form_of(wanted):
            self.differences.append((form_of(found), form_of(wanted)))
        return wanted


def check_form(answer):
    exercise = EXERCISES[answer.exercise]
    recorder = Recorder(exercise, answer.function)
    exercise.answers(recorder)
    assert recorder.differences == []


@pytest.mark.filterwarnings("ignore")
@every("answer", lambda: [one for one in student_answers() if one.is_right and one.exercise in SAMPLE])
def test_some_right_answers_have_the_form_of_the_solution(answer):
    check_form(answer)


@pytest.mark.full
@pytest.mark.filterwarnings("ignore")
@every("answer", lambda: [one for one in student_answers() if one.is_right])
def test_every_right_answer_has_the_form_of_the_solution(answer):
    check_form(answer)


if __name__ == "__main__":
    for solution in solutions():
        if not sys.argv[1:] or solution.exercise in sys.argv[1:]:
            listed = [
                (what, EXERCISES[solution.exercise].check(solution.build(tree)).passed)
                for what, tree in mutants(solution)
            ]
            same = sum(reason(solution.exercise, what) is not None for what, _ in listed)
            print(
                solution.exercise,
                f"{len(listed)} mutants, {sum(not passed for _, passed in listed)} rejected, {same} equivalent",
            )
