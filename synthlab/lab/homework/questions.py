"""Questions of a homework: as the author writes them, with the answer, and as they are kept, without it."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, ClassVar

import numpy as np

from synthlab import _checks
from synthlab.exceptions import InputError
from synthlab.lab.homework import seal
from synthlab.lab.homework.portable import as_plain, call, from_plain, to_plain

# Right and wrong cells must not touch, or a wrong answer could pass.
APART = 3


@dataclass(frozen=True, slots=True)
class NumberAnswer:
    """A question whose answer is a number.

    Parameters
    ----------
    value : float
        The answer, computed in the master notebook.
    tolerance : float >= 0
        An answer within it passes, one beyond twice of it does not; 0 for an integer that must be exact.
    points : int >= 1
    wrong : mapping {hint: float}
        Typical wrong answers, each with the hint that whoever gives it is told.
    what : str
        The quantity asked for, in a few words.

    Raises
    ------
    InputError
        If a number is not finite, a whole number is wanted and is none, or a wrong answer is too near the right one.
    """

    kind: ClassVar[str] = "number"

    value: float
    tolerance: float
    points: int
    what: str
    wrong: Mapping[str, float] = field(default_factory=dict)

    def __post_init__(self) -> None:
        object.__setattr__(self, "tolerance", _checks.check_number(_plain(self.tolerance), "tolerance", low=0.0))
        for name, number in {"value": self.value, **self.wrong}.items():
            checked = _checks.check_number(_plain(number), name)
            if self.tolerance == 0 and checked != round(checked):
                raise InputError(f"{name}={checked!r}: with tolerance 0 it must be a whole number")
        _checks.check_count(self.points, "points")
        apart = APART if self.tolerance else 1
        near = [hint for hint, x in self.wrong.items() if abs(self._cell(x) - self._cell(self.value)) < apart]
        if near:
            raise InputError(
                f"wrong: {_checks.shorten(near)} cannot be told from the right answer; lower the tolerance"
            )

    def sealed(self, salt: str, question: str) -> dict[str, Any]:
        """Return what is kept: the digests, the hints, nothing that can be read."""
        wrong = {self._cell(x): hint for hint, x in self.wrong.items()}
        return {
            "kind": self.kind,
            "points": self.points,
            "what": self.what,
            "tolerance": self.tolerance,
            "right": seal.digest(salt, question, self._cell(self.value)),
            "wrong": {seal.digest(salt, question, cell): hint for cell, hint in wrong.items()},
        }

    def _cell(self, value: float) -> int:
        return seal.cell_of(seal.rounded(float(value), self.tolerance), self.tolerance)


MOST_CASES = 10
MOST_NUMBERS = 20


@dataclass(frozen=True, slots=True)
class FunctionAnswer:
    """A question whose answer is a function that the student writes.

    It is called on the cases, and the numbers it returns are held against digests: a student can read the cases, not
    what belongs to them.

    Parameters
    ----------
    function : callable
        A right one; it is not kept.
    cases : sequence of tuples
        At most 10 tuples of arguments: numbers, texts, lists, arrays, DataFrames. For each the function returns a number,
        or an array of at most 20, the same at every call.
    points : int >= 1
    what : str
        What is asked for, in a few words.
    tolerance : float > 0, default 1e-9
        A number within it passes, one beyond it does not.
    wrong : mapping {hint: callable}
        Functions with typical slips, each with the hint that whoever makes it is told.
    own : bool, default True
        Whether a function that calls the package does not count.

    Raises
    ------
    InputError
        If a case or what the function returns is not as above, the function itself calls the package although `own`,
        or a wrong one is right on all cases.
    """

    kind: ClassVar[str] = "function"

    function: Callable[..., Any]
    cases: Sequence[Sequence[Any]]
    points: int
    what: str
    tolerance: float = 1e-9
    wrong: Mapping[str, Callable[..., Any]] = field(default_factory=dict)
    own: bool = True

    def __post_init__(self) -> None:
        _checks.check_number(_plain(self.tolerance), "tolerance", low=0.0, open_low=True)
        _checks.check_count(self.points, "points")
        if not 1 <= len(self.cases) <= MOST_CASES:
            raise InputError(f"cases: there must be 1 to {MOST_CASES}, and there are {len(self.cases)}")
        given = call(self.function, self._cases())
        right = [returned_numbers(one) for one in given]
        if None in right:
            place = right.index(None)
            raise InputError(
                f"function: on case {place + 1} it must return a finite number or at most {MOST_NUMBERS} of them"
                + (f"; it stopped with {given[place]['error']}" if "error" in given[place] else "")
            )
        if self.own and any("package" in one for one in given):
            raise InputError("function: calls the package; with own=True it must not")
        for hint, slip in self.wrong.items():
            numbers = [returned_numbers(one) for one in call(slip, self._cases())]
            if all(self._near(a, b) for a, b in zip(numbers, right, strict=True)):
                raise InputError(f"wrong: {hint!r} is right on all cases")

    def sealed(self, salt: str, question: str) -> dict[str, Any]:
        """Return what is kept: the cases, and digests of what belongs to them."""
        right = [self._rounded(returned_numbers(one) or ()) for one in call(self.function, self._cases())]
        offsets = [self._rounded(x % (2 * self.tolerance) for x in one) for one in right]
        wrong: list[dict[str, list[str]]] = [{} for _ in right]
        for hint, slip in self.wrong.items():
            for place, one in enumerate(call(slip, self._cases())):
                numbers = returned_numbers(one)
                if numbers is not None and not self._near(numbers, right[place]):
                    cells = seal.cells_of(self._rounded(numbers), offsets[place], self.tolerance)
                    wrong[place].setdefault(seal.digest(salt, f"{question}:{place}", cells), []).append(hint)
        kept = [
            {
                "arguments": case,
                "offsets": offsets[place],
                "right": seal.digest(
                    salt, f"{question}:{place}", seal.cells_of(right[place], offsets[place], self.tolerance)
                ),
                "wrong": wrong[place],
            }
            for place, case in enumerate(self._cases())
        ]
        about = {"kind": self.kind, "points": self.points, "what": self.what, "own": self.own}
        return {**about, "tolerance": self.tolerance, "cases": kept}

    def _cases(self) -> list[list[Any]]:
        return [[to_plain(as_plain(one)) for one in case] for case in self.cases]

    def _rounded(self, numbers: Iterable[float]) -> list[float]:
        return [seal.rounded(x, self.tolerance) for x in numbers]

    def _near(self, one: Sequence[float] | None, other: Sequence[float] | None) -> bool:
        if one is None or other is None or len(one) != len(other):
            return False
        return all(abs(a - b) <= self.tolerance for a, b in zip(one, other, strict=True))


def returned_numbers(returned: Mapping[str, Any]) -> tuple[float, ...] | None:
    """Return the numbers a call returned, one after the other; None if it returned anything else."""
    try:
        values = np.asarray(from_plain(returned["value"])).ravel()
    except (KeyError, TypeError, ValueError):
        return None
    if values.dtype.kind not in "biuf" or not 1 <= values.size <= MOST_NUMBERS or not np.isfinite(values).all():
        return None
    return tuple(values.astype(float).tolist())


@dataclass(frozen=True, slots=True)
class PropertyAnswer:
    """A question with many right answers: what the answer must be like, computed from the data when it is checked.

    Parameters
    ----------
    name : str
        A property of `synthlab.lab.homework.properties`, or a function of the file of checks beside the master.
    points : int >= 1
    what : str
        The quantity asked for, in a few words.
    settings : mapping
        The values the property is checked against: plain ones.

    Raises
    ------
    InputError
        If the name is none, or a setting cannot be kept as JSON.
    """

    kind: ClassVar[str] = "property"

    name: str
    points: int
    what: str
    settings: Mapping[str, Any] = field(default_factory=dict)

    def __post_init__(self) -> None:
        if not isinstance(self.name, str) or not self.name.isidentifier():
            raise InputError("name: must be the name of a function")
        _checks.check_count(self.points, "points")
        try:
            json.dumps(dict(self.settings))
        except (TypeError, ValueError) as error:
            raise InputError(f"settings: must be plain values: {error}") from None

    def sealed(self, salt: str, question: str) -> dict[str, Any]:
        """Return what is kept; there is no answer to hide."""
        settings = dict(self.settings)
        return {"kind": self.kind, "points": self.points, "what": self.what, "name": self.name, "settings": settings}


@dataclass(frozen=True, slots=True)
class WrittenAnswer:
    """A question answered in words, for a person to read.

    Parameters
    ----------
    criteria : mapping {criterion: points}
        The rubric.
    what : str
        The quantity asked for, in a few words.
    fewest : int >= 1
        The number of words below which it is not read.
    """

    kind: ClassVar[str] = "written"

    criteria: Mapping[str, int]
    what: str
    fewest: int = 20

    def __post_init__(self) -> None:
        if not isinstance(self.criteria, Mapping) or not self.criteria:
            raise InputError("criteria: must be a mapping {criterion: points} with at least one criterion")
        for criterion, points in self.criteria.items():
            _checks.check_count(points, f"criteria[{criterion!r}]")
        _checks.check_count(self.fewest, "fewest")

    @property
    def points(self) -> int:
        """Points of all criteria together."""
        return sum(self.criteria.values())

    def sealed(self, salt: str, question: str) -> dict[str, Any]:
        """Return the rubric."""
        kept = {"kind": self.kind, "points": self.points, "what": self.what, "fewest": self.fewest}
        return {**kept, "criteria": dict(self.criteria)}


Answer = NumberAnswer | FunctionAnswer | PropertyAnswer | WrittenAnswer


def _plain(value: Any) -> Any:
    return value.item() if isinstance(value, np.generic) else value
