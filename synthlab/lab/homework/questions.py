"""Questions of a homework: as the author writes them, with the answer, and as they are kept, without it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, ClassVar

import numpy as np

from synthlab import _checks
from synthlab.exceptions import InputError
from synthlab.lab.homework import seal
from synthlab.lab.homework.properties import PROPERTIES

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
        right = seal.cell_of(float(self.value), self.tolerance)
        apart = APART if self.tolerance else 1
        near = [hint for hint, x in self.wrong.items() if abs(seal.cell_of(float(x), self.tolerance) - right) < apart]
        if near:
            raise InputError(
                f"wrong: {_checks.shorten(near)} cannot be told from the right answer; lower the tolerance"
            )

    def sealed(self, salt: str, question: str) -> dict[str, Any]:
        """Return what is kept: the digests, the hints, nothing that can be read."""
        cells = {seal.cell_of(float(x), self.tolerance): hint for hint, x in self.wrong.items()}
        return {
            "kind": self.kind,
            "points": self.points,
            "what": self.what,
            "tolerance": self.tolerance,
            "right": seal.digest(salt, question, seal.cell_of(float(self.value), self.tolerance)),
            "wrong": {seal.digest(salt, question, cell): hint for cell, hint in cells.items()},
        }


@dataclass(frozen=True, slots=True)
class PropertyAnswer:
    """A question with many right answers: what the answer must be like, computed from the data when it is checked.

    Parameters
    ----------
    name : str
        One of the properties in `synthlab.lab.homework.properties`.
    points : int >= 1
    what : str
        The quantity asked for, in a few words.
    settings : mapping
        The values the property is checked against: plain ones.

    Raises
    ------
    InputError
        If there is no such property.
    """

    kind: ClassVar[str] = "property"

    name: str
    points: int
    what: str
    settings: Mapping[str, Any] = field(default_factory=dict)

    def __post_init__(self) -> None:
        _checks.check_choice(self.name, "name", tuple(PROPERTIES))
        _checks.check_count(self.points, "points")

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


Answer = NumberAnswer | PropertyAnswer | WrittenAnswer


def _plain(value: Any) -> Any:
    return value.item() if isinstance(value, np.generic) else value
