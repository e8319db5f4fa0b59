"""Check an answer: right or not yet, and a message that helps, without giving the answer away.

The same functions check in the notebook of a student and when a class is graded: an answer is first made plain data
(`synthlab.lab.homework.portable`), and then judged.
"""

from __future__ import annotations

import importlib.util
import json
from collections.abc import Callable, Mapping, Sized
from dataclasses import dataclass
from html import escape
from importlib.machinery import SourceFileLoader
from importlib.resources import files
from math import isfinite
from pathlib import Path
from typing import Any

import numpy as np

from synthlab._typing import PathOrStr
from synthlab.exceptions import InputError
from synthlab.lab.homework import seal
from synthlab.lab.homework.portable import as_plain, call, from_plain
from synthlab.lab.homework.questions import returned_numbers

NOT_YET = "not answered yet: put your answer in place of `...`."
ANSWERS = Path(str(files("synthlab.lab.homework").joinpath("answers")))  # those of the package
Judgement = str | tuple[float, str] | None


@dataclass(frozen=True, slots=True)
class CheckResult:
    """The outcome of the check of an answer, and its message.

    Attributes
    ----------
    question : str
        Homework and question, for example ``hw1.exposed``.
    passed : bool
    points : float
        Points earned, between 0 and `possible`.
    possible : int
        Points there are.
    message : str
        The next step.
    """

    question: str
    passed: bool
    points: float
    possible: int
    message: str

    def __str__(self) -> str:
        state = "right" if self.passed else "not yet"
        return f"{self.question}: {state} ({self.points:g} of {self.possible} points). {self.message}"

    __repr__ = __str__

    def _repr_html_(self) -> str:
        mark = "&#10003;" if self.passed else "&#10007;"
        return f"<p>{mark} {escape(str(self))}</p>"


@dataclass(frozen=True, slots=True)
class Homework:
    """The questions of a homework, without the answers.

    Attributes
    ----------
    name, salt : str
    questions : mapping {question: mapping}
    folder : Path
        Holds the sealed answers, and the file of checks where there is one.
    """

    name: str
    salt: str
    questions: dict[str, dict[str, Any]]
    folder: Path

    @property
    def checked(self) -> list[str]:
        """The questions that are checked by a program."""
        return [name for name, kept in self.questions.items() if kept["kind"] != "written"]

    @property
    def written(self) -> list[str]:
        """The questions that a person reads."""
        return [name for name, kept in self.questions.items() if kept["kind"] == "written"]

    def possible(self, question: str) -> int:
        """Return the points there are for a question."""
        return int(self.questions[question]["points"])

    def judge(self, question: str, answer: Any) -> CheckResult:
        """Return the outcome for an answer that is plain data; for a function, what `portable.call` returned."""
        kept = self.questions[question]
        try:
            judgement = self._judgement(question, kept, answer)
        except Exception as error:  # noqa: BLE001 - an answer can be anything, and the notebook must run on
            judgement = f"it could not be checked: {type(error).__name__}: {error}"
        if kept["kind"] == "written" and judgement is None:
            text = "Words are read by a person, who gives the points."
            return CheckResult(f"{self.name}.{question}", True, 0.0, self.possible(question), text)
        return self.result(question, judgement)

    def result(self, question: str, judgement: Judgement) -> CheckResult:
        """Return the outcome for None (right), a sentence, or a share of the points with a sentence."""
        share, text = _share(judgement)
        possible = self.possible(question)
        full = f"{self.name}.{question}"
        return CheckResult(full, share == 1, round(possible * share, 2), possible, text[:1].upper() + text[1:])

    def _judgement(self, question: str, kept: Mapping[str, Any], answer: Any) -> Judgement:
        match kept["kind"]:
            case "number":
                return _number_problem(self.salt, question, kept, answer)
            case "function":
                return _function_problem(self.salt, question, kept, answer)
            case "written":
                return _written_problem(kept, answer)
        return self.property(kept["name"])(answer, kept["settings"])

    def properties(self) -> None:
        """Look for the property of every question that has one.

        Raises
        ------
        InputError
            If one is not there: all answers would be wrong.
        """
        for kept in self.questions.values():
            if kept["kind"] == "property":
                self.property(kept["name"])

    def property(self, name: str) -> Callable[[Any, Mapping[str, Any]], Judgement]:
        """Return the property of a name: a function of the file of checks, else of the package."""
        own = read_checks(self.folder / f"{self.name}_checks.py")
        if name in own:
            return own[name]
        from synthlab.lab.homework.properties import PROPERTIES  # with the models and risks they look at: a second

        if name not in PROPERTIES:
            path = self.folder / f"{self.name}_checks.py"
            raise InputError(
                f"property={name!r}: must be a function of {str(path)!r}, or one of {', '.join(sorted(PROPERTIES))}"
            )
        return PROPERTIES[name]


def _share(judgement: Judgement) -> tuple[float, str]:
    """Return the share of the points, from 0 to 1, and the sentence."""
    match judgement:
        case None:
            return 1.0, "Well done."
        case (int() | float() as share, str(text)) if isfinite(share):
            return min(max(float(share), 0.0), 1.0), text
        case str(text):
            return 0.0, text
    return 0.0, "its check returned neither None nor a sentence; tell the lecturer."


class _Uncached(SourceFileLoader):
    """Runs a file without leaving another one beside it, in a folder that is handed out."""

    def set_data(self, path: str, data: object, *, _mode: int = 0o666) -> None:
        pass


def read_checks(path: Path) -> dict[str, Callable[[Any, Mapping[str, Any]], Judgement]]:
    """Return the functions of a file of checks; none if there is no such file.

    Raises
    ------
    InputError
        If the file cannot be run.
    """
    if not path.is_file():
        return {}
    spec = importlib.util.spec_from_file_location(path.stem, path, loader=_Uncached(path.stem, str(path)))
    if spec is None or spec.loader is None:
        raise InputError(f"{str(path)!r}: is no Python file")
    module = importlib.util.module_from_spec(spec)
    try:
        spec.loader.exec_module(module)
    except Exception as error:  # noqa: BLE001 - a lecturer's file can fail in any way, and is named
        raise InputError(f"{str(path)!r}: stopped with {type(error).__name__}: {error}") from None
    there = vars(module).items()
    return {n: f for n, f in there if callable(f) and getattr(f, "__module__", None) == path.stem and n[0] != "_"}


def sealed_homework(homework: str, answers: PathOrStr | None = None) -> Homework:
    """Return what is kept about a homework: its questions, without the answers.

    Parameters
    ----------
    homework : str
        Its short name.
    answers : path, optional
        The folder with ``<homework>.json``. By default the working folder, where a student's notebook is, and else the
        package.

    Returns
    -------
    Homework

    Raises
    ------
    InputError
        If there is no such homework, or its file is not one that `seal` wrote.
    """
    folders = [Path(answers)] if answers is not None else [Path.cwd(), ANSWERS]
    named = isinstance(homework, str) and homework.isidentifier()
    for folder in folders if named else []:
        if (path := folder / f"{homework}.json").is_file():
            return _read_homework(homework, path)
    there = sorted(path.stem for path in folders[-1].glob("*.json") if path.stem.isidentifier())
    hint = f"must be one of {', '.join(there)}" if there else f"{str(folders[-1])!r} holds no sealed answers"
    raise InputError(f"homework={homework!r}: {hint}")


def _read_homework(homework: str, path: Path) -> Homework:
    try:
        match json.loads(path.read_text(encoding="utf-8")):
            case {"homework": str(name), "salt": str(salt), "questions": dict(questions)} if name == homework:
                return Homework(name, salt, questions, path.resolve().parent)
    except (OSError, ValueError, RecursionError):
        pass
    raise InputError(f"{str(path)!r}: are no sealed answers of {homework}")


def check(question: str, answer: Any) -> CheckResult:
    """Check the answer to a question of a homework.

    Parameters
    ----------
    question : str
        Homework and question, for example ``"hw1.exposed"``.
    answer : object
        The answer found; for a written question the text.

    Returns
    -------
    CheckResult
        Shows itself at the end of a cell; it is never raised, so that the notebook runs on.

    Raises
    ------
    InputError
        If there is no such question.

    Notes
    -----
    Numbers are compared through salted digests of cells as wide as the tolerance: right within the tolerance, not right
    beyond twice of it. Functions are called on examples, and what they return is compared in the same way. Other answers
    are held against properties computed from the data.

    Examples
    --------
    >>> from synthlab.lab.homework import check
    >>> check("hw1.exposed", ...)
    hw1.exposed: not yet (0 of 2 points). Not answered yet: put your answer in place of `...`.
    """
    name, _, asked = str(question).partition(".")
    homework = sealed_homework(name)
    if asked not in homework.questions:
        raise InputError(
            f"question={question!r}: must be one of {', '.join(f'{name}.{q}' for q in homework.questions)}"
        )
    if answer is ...:
        return homework.result(asked, NOT_YET)
    kept = homework.questions[asked]
    if kept["kind"] == "function":
        if not callable(answer):
            return homework.result(asked, f"it should be a function, and is {type(answer).__name__}.")
        return homework.judge(asked, call(answer, [case["arguments"] for case in kept["cases"]]))
    try:
        plain = as_plain(answer)
    except Exception as error:  # noqa: BLE001 - an answer can be anything, and the notebook must run on
        said = str(error) if isinstance(error, InputError) else f"it stopped with {type(error).__name__}"
        return homework.result(asked, f"{said}.")
    return homework.judge(asked, plain)


def _number_problem(salt: str, name: str, kept: Mapping[str, Any], answer: Any) -> str | None:
    value = answer.item() if isinstance(answer, np.ndarray | np.generic) and np.size(answer) == 1 else answer
    if isinstance(value, bool) or not isinstance(value, int | float):
        size = f" of {len(value)} values" if isinstance(value, Sized) and not isinstance(value, str) else ""
        return f"asked for is one number ({kept['what']}), and this is {type(answer).__name__}{size}."
    if isinstance(value, float) and not isfinite(value):
        return f"asked for is one number ({kept['what']}), and this is {value}."
    tolerance = kept["tolerance"]
    if tolerance == 0 and value != round(value):
        return f"asked for is a whole number ({kept['what']}), and this is {value:g}."
    digests = [seal.digest(salt, name, cell) for cell in seal.candidates(value, tolerance)]
    if kept["right"] in digests:
        return None
    hints = [kept["wrong"][found] for found in digests if found in kept["wrong"]]
    return hints[0] if hints else f"that is not {kept['what']}. Do it by hand for the first ten rows, and compare."


def _function_problem(salt: str, name: str, kept: Mapping[str, Any], calls: Any) -> str | None:
    """Return what is wrong with what a function returned on the cases, or None."""
    cases = kept["cases"]
    if not isinstance(calls, list) or len(calls) != len(cases) or not all(isinstance(one, dict) for one in calls):
        return "what the function returned cannot be read."
    if any(one.get("value") == "..." for one in calls if isinstance(one.get("value"), str)):
        return "not answered yet: the function returns `...`."
    if any(one.get("value", ...) is None for one in calls):
        return "the function returns None: end it with `return`."
    if kept["own"] and (used := [one["package"] for one in calls if "package" in one]):
        return f"the question asks you to write it, and the function calls {used[0]} of the package."
    hints: list[set[str]] = []
    first: str | None = None
    for place, (case, one) in enumerate(zip(cases, calls, strict=True)):
        if "error" in one:
            return f"on example {place + 1} of {len(cases)} it stopped: {one['error']}."
        numbers = returned_numbers(one)
        if numbers is None:
            return f"on example {place + 1} of {len(cases)} it returns no finite number, or too many of them."
        found = seal.digest(salt, f"{name}:{place}", seal.cells_of(numbers, case["offsets"], kept["tolerance"]))
        if found != case["right"]:
            hints.append(set(case["wrong"].get(found, ())))
            first = first or _example(case["arguments"], numbers, place, len(cases))
    if first is None:
        return None
    shared = set.intersection(*hints) or next((one for one in hints if one), set())
    return sorted(shared)[0] if shared else f"{first} is not right. Work that example out with a pencil."


def _example(arguments: list[Any], numbers: tuple[float, ...], place: int, count: int) -> str:
    shown = ", ".join(str(np.asarray(one).tolist() if isinstance(one, np.ndarray) else one) for one in _seen(arguments))
    returned = ", ".join(f"{x:.6g}" for x in numbers[:5]) + (", ..." if len(numbers) > 5 else "")
    at = f" ({shown})" if 0 < len(shown) <= 80 and "\n" not in shown else ""
    return f"on example {place + 1} of {count}{at} it returns {returned}, which"


def _seen(arguments: list[Any]) -> list[Any]:
    return [from_plain(one) for one in arguments]


def _written_problem(kept: Mapping[str, Any], answer: Any) -> Judgement:
    words = len(answer.split()) if isinstance(answer, str) else 0
    wanted = f"What is looked for: {'; '.join(kept['criteria'])}."
    if words < kept["fewest"]:
        return f"{words} words; write at least {kept['fewest']}. {wanted}"
    return None
