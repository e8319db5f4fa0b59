"""Checks of functions that students write in lectures and homework.

An exercise contains a correct function and typical mistakes, most of which are edits of the source of this function. The
student's function is called with the same arguments, and its result is compared with the result of each of these functions.
The solutions are not secret, because the exercises of a lecture are for learning.
"""

from __future__ import annotations

import functools
import importlib
import inspect
import textwrap
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from html import escape
from importlib.resources import files
from types import FunctionType
from typing import Any, cast

import numpy as np
import numpy.typing as npt

from synthlab.exceptions import InputError
from synthlab.teaching import saved_functions
from synthlab.teaching.function_errors import WatchedFunction, describe_error

Answer = float | npt.ArrayLike | Mapping[str, Any]
Mistake = Mapping[str, str] | Callable[..., Any]
EXERCISES = "synthlab.teaching.exercises"
FEWEST_SLIPS = 3
NOTHING = "The function returns nothing yet. Write its body and end with `return`."
_AXES = {1: ("value",), 2: ("row", "column"), 3: ("table", "row", "column")}


@dataclass(frozen=True, slots=True)
class Exercise:
    """Exercise to write a function, with a solution and typical mistakes.

    Parameters
    ----------
    name : str
        Lecture and function, for example ``"08.matches"``.
    answers : callable
        Function that takes the student's function and returns its results on small examples: a number, an array, or a mapping of these.
    right : callable
        Correct function.
    slips : mapping {str: mapping or callable}
        Hints, each with the corresponding mistake: replacements ``{"<=": "<"}`` in the source of `right`, or a function that
        makes the mistake. A text to be replaced must occur exactly once.
    tolerance : float >= 0
        Largest absolute difference from the correct answer that counts as correct. For functions that draw random numbers,
        it must allow for the sampling variation of `answers`.
    form : callable, optional
        Function that converts a result to the documented form. It gets the result and the arguments of the call. By default,
        a result is an array of numbers.

    Examples
    --------
    >>> from synthlab.teaching import Exercise
    >>> def average(x):
    ...     return sum(x) / len(x)
    >>> mean = Exercise(
    ...     "00.mean",
    ...     answers=lambda f: f([1.0, 2.0, 6.0]),
    ...     right=average,
    ...     slips={"That is the sum; divide by the number of values.": {" / len(x)": ""}},
    ... )
    >>> mean.check(average)
    00.mean: right. Well done.
    >>> mean.check(sum)
    00.mean: not yet. That is the sum; divide by the number of values.
    """

    name: str
    answers: Callable[[Callable[..., Any]], Answer]
    right: Callable[..., Any]
    slips: Mapping[str, Mistake] = field(default_factory=dict)
    tolerance: float = 1e-9
    form: Callable[..., Any] = lambda result, *_, **__: np.asarray(result, dtype=np.float64)
    _known: dict[str | None, Answer] = field(default_factory=dict, init=False, repr=False, compare=False)

    def check(self, function: Callable[..., Any]) -> ExerciseResult:
        """Check a function; errors of the function are reported, not raised."""
        problem = self._problem(function)
        return ExerciseResult(self.name, problem is None, "Well done." if problem is None else problem)

    def mistake(self, hint: str) -> Callable[..., Any]:
        """Return the function that makes the mistake of a hint."""
        slip = self.slips[hint]
        return slip if callable(slip) else _edited(self.right, slip)

    def converted(self, function: Callable[..., Any]) -> Callable[..., Any]:
        """Return the function with its result converted to the documented form."""

        @functools.wraps(function)
        def call(*arguments: Any, **named: Any) -> Any:
            return self.form(function(*arguments, **named), *arguments, **named)

        return call

    def _problem(self, function: Any) -> str | None:
        if not callable(function):
            return f"Pass the function itself, without calling it; this is {type(function).__name__}."
        watched = WatchedFunction(function)
        try:
            given = self.answers(watched)
        except Exception as error:  # noqa: BLE001 - a student's function can raise anything, and the notebook runs on
            return NOTHING if watched.returned_nothing else describe_error(error, function)
        if watched.returned_nothing:
            return NOTHING
        difference = _difference(given, self._expected(None), self.tolerance)
        if difference is None:
            return None
        for hint in self.slips:  # a hint is shown only if it explains every part of the answer
            if _difference(given, self._expected(hint), self.tolerance) is None:
                return hint
        return difference

    def _expected(self, hint: str | None) -> Answer:
        """Return the answer of the correct function, or of the mistake of a hint (cached)."""
        if hint not in self._known:
            function = self.right if hint is None else self.mistake(hint)
            self._known[hint] = self.answers(function)
        return self._known[hint]


@dataclass(frozen=True, slots=True)
class ExerciseResult:
    """Result of a check, with a hint.

    Attributes
    ----------
    name : str
        Lecture and function.
    passed : bool
    message : str
        Feedback in one or two sentences.
    saved : str
        Whether the function was saved, in a sentence; "" if `save` was not requested or the function did not pass.
    """

    name: str
    passed: bool
    message: str
    saved: str = ""

    def __str__(self) -> str:
        return " ".join(
            [f"{self.name}: {'right' if self.passed else 'not yet'}. {self.message}", *filter(None, [self.saved])]
        )

    __repr__ = __str__

    def _repr_html_(self) -> str:
        link = saved_functions.download_link() if self.saved else ""
        return f"<p>{'&#10003;' if self.passed else '&#10007;'} {escape(str(self))}{link}</p>"


def check(name: str, function: Callable[..., Any], *, save: bool = False) -> ExerciseResult:
    """Check a function written in a lecture.

    Parameters
    ----------
    name : str
        Lecture and function, for example ``"08.matches"``.
    function : callable
        Function to check, not its result.
    save : bool, default False
        Whether to save a function that passes in the file ``mine.py`` in the current folder, from which `mine` loads it. The
        function is first checked again in a namespace that contains only `np`, `pd` and `stats`, so it cannot use other cells. If the
        environment variable SYNTHLAB_MINE is ``off``, nothing is saved.

    Returns
    -------
    ExerciseResult
        Result, displayed at the end of a cell. It reports errors of the function, which are never raised.

    Raises
    ------
    InputError
        If no exercise has this name.

    Examples
    --------
    >>> from synthlab.teaching import check
    >>> check("08.matches", None)
    08.matches: not yet. Pass the function itself, without calling it; this is NoneType.
    """
    exercise = _find(name)
    result = exercise.check(function)
    if not (save and result.passed and saved_functions.is_on()):
        return result
    return replace(result, saved=_save(exercise, function))


def _save(exercise: Exercise, function: Callable[..., Any]) -> str:
    """Save a function if it passes its check without the other cells, and state the result in a sentence."""
    try:
        source = saved_functions.source_of(function)
        again = exercise.check(saved_functions.run_alone(source))
    except saved_functions.NotSavableError as error:
        return f"Not saved: the function {error}."
    if not again.passed:
        return f"Not saved: without the other cells, the function does not pass. {again.message}"
    return saved_functions.save(exercise.name, source)


def mine(name: str) -> Callable[..., Any]:
    """Return the student's saved function if it passes its check, otherwise the solution, and print which one it is.

    Parameters
    ----------
    name : str
        Lecture and function, for example ``"04.synthesize"``.

    Returns
    -------
    callable
        The function that ``check(name, function, save=True)`` saved in ``mine.py`` in the current folder, or the solution of the
        exercise. The result is converted to the documented form. If the environment variable SYNTHLAB_MINE is ``off``, the file is
        not read and the solution is returned.

    Raises
    ------
    InputError
        If no exercise has this name.

    Examples
    --------
    >>> from synthlab.teaching import mine
    >>> synthesize = mine("04.synthesize")
    04.synthesize: no function is saved in mine.py. The solution is used.
    """
    exercise = _find(name)
    source = saved_functions.saved_source(name) if saved_functions.is_on() else None
    if source is None:
        return _solution(exercise, f"no function is saved in {saved_functions.FILE}")
    try:
        function = saved_functions.run_alone(source)
    except saved_functions.NotSavableError as error:
        return _solution(exercise, f"your saved function {error}")
    if not exercise.check(function).passed:
        return _solution(exercise, "your saved function does not pass its check")
    print(f"{name}: your saved function is used.")  # noqa: T201 - the cell of a lecture shows it
    return exercise.converted(function)


def _solution(exercise: Exercise, reason: str) -> Callable[..., Any]:
    """Return the solution, and print why it is used."""
    print(f"{exercise.name}: {reason}. The solution is used.")  # noqa: T201 - the cell of a lecture shows it
    return exercise.converted(exercise.right)


def _find(name: str) -> Exercise:
    """Return the exercise with a name."""
    lecture, _, _ = str(name).partition(".")
    lectures = exercise_lectures()
    if lecture not in lectures:
        raise InputError(f"name={name!r}: must begin with a lecture that has exercises: one of {', '.join(lectures)}")
    exercises = {exercise.name: exercise for exercise in exercises_of(lecture)}
    if name not in exercises:
        raise InputError(f"name={name!r}: must be one of {', '.join(exercises)}")
    return exercises[name]


def own_or_solution(name: str, function: Callable[..., Any]) -> Callable[..., Any]:
    """Return the student's function if it passes its check, otherwise the solution, and print which one it is.

    Parameters
    ----------
    name : str
        Lecture and function, for example ``"08.matches"``.
    function : callable
        The student's function.

    Returns
    -------
    callable
        `function`, with its result converted to the documented form, or the solution of the exercise.

    Raises
    ------
    InputError
        If no exercise has this name.

    Examples
    --------
    >>> from synthlab.teaching import own_or_solution
    >>> def r_hat(chains):
    ...     return 1.0
    >>> used = own_or_solution("03.r_hat", r_hat)
    03.r_hat: your function does not pass its check yet. The solution is used instead.
    """
    exercise = _find(name)
    if exercise.check(function).passed:
        print(f"{name}: your function is used.")  # noqa: T201 - the cell of a lecture shows it
        return exercise.converted(function)
    print(f"{name}: your function does not pass its check yet. The solution is used instead.")  # noqa: T201
    return exercise.converted(exercise.right)


def exercise_lectures() -> list[str]:
    """Return the lectures that have exercises, for example ``["08", "09b"]``."""
    names = sorted(entry.name for entry in files(EXERCISES).iterdir())
    return [
        name[len("lecture_") : -len(".py")] for name in names if name.startswith("lecture_") and name.endswith(".py")
    ]


def exercises_of(lecture: str) -> tuple[Exercise, ...]:
    """Return the exercises of a lecture."""
    exercises: tuple[Exercise, ...] = importlib.import_module(f"{EXERCISES}.lecture_{lecture}").EXERCISES
    return exercises


def _edited(function: Callable[..., Any], edits: Mapping[str, str]) -> Callable[..., Any]:
    """Return a function from the source of `function` with replaced texts, each of which must occur once."""
    source = textwrap.dedent(inspect.getsource(function))
    for old, new in edits.items():
        if source.count(old) != 1:
            raise InputError(
                f"slips: {old!r} occurs {source.count(old)} times in {function.__name__}; it must occur once"
            )
        source = source.replace(old, new)
    names = dict(cast("FunctionType", function).__globals__)
    exec(compile(source, f"<mistake in {function.__name__}>", "exec"), names)  # noqa: S102 - solution and edits belong to one exercise
    edited: Callable[..., Any] = np.errstate(all="ignore")(names[function.__name__])  # a mistake can divide by zero
    return edited


def _difference(given: Answer, wanted: Answer, tolerance: float) -> str | None:
    """Describe the difference between two answers, or return None."""
    if isinstance(wanted, Mapping):
        if not isinstance(given, Mapping):
            return f"The result must contain {', '.join(map(str, wanted))}."
        parts = ((part, _difference(given.get(part, np.nan), value, tolerance)) for part, value in wanted.items())
        return next((f"{part}: {difference}" for part, difference in parts if difference is not None), None)
    right = np.asarray(wanted, dtype=float)
    try:
        student = np.asarray(given, dtype=float)
    except (TypeError, ValueError):
        return f"The function must return {_kind(right)}, but it returns {type(given).__name__}."
    if student.shape != right.shape:
        return f"The function must return {_kind(right)}, but it returns {_kind(student)}."
    if np.allclose(student, right, rtol=0.0, atol=tolerance, equal_nan=True):
        return None
    return _first_difference(student, right, tolerance)


def _first_difference(student: npt.NDArray[np.float64], right: npt.NDArray[np.float64], tolerance: float) -> str:
    """Describe the first value that differs, with its position counted from 1."""
    index = tuple(np.argwhere(~np.isclose(student, right, rtol=0.0, atol=tolerance, equal_nan=True))[0])
    label = ", ".join(
        f"{axis} {position + 1}" for axis, position in zip(_AXES.get(right.ndim, ()), index, strict=False)
    )
    digits = 17 if f"{student[index]:.6g}" == f"{right[index]:.6g}" else 6
    message = f"The function returns {student[index]:.{digits}g}; the correct result is {right[index]:.{digits}g}."
    return f"{label}: {message}" if label else message


def _kind(values: npt.NDArray[np.float64]) -> str:
    if values.ndim == 0:
        return "one number"
    return f"{' by '.join(map(str, values.shape))} numbers"
