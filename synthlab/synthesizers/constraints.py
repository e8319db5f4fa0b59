"""Constraints on synthetic records: bounds, combinations, zeros and totals."""

from __future__ import annotations

from collections.abc import Iterable, Sequence, Set
from dataclasses import dataclass, field
from typing import Protocol, runtime_checkable

import numpy as np
import pandas as pd

from synthlab import _checks
from synthlab._typing import BoolArray, FloatArray
from synthlab.exceptions import InputError
from synthlab.synthesizers._frozen import set_fields


@runtime_checkable
class Constraint(Protocol):
    """A condition that each synthetic record must satisfy.

    A `DPMPM` can include the constraint in its model if the attribute ``columns`` lists the names of its columns.
    """

    def holds(self, frame: pd.DataFrame) -> BoolArray:
        """Return for each record whether the constraint holds, shape (n,)."""
        ...


@dataclass(frozen=True)
class Bounds:
    """Constraint ``low <= column <= high``; missing values satisfy it.

    Parameters
    ----------
    column : str
        A numeric column.
    low, high : float, optional
        The limits, which are themselves allowed. Default: no limit.
    public : bool, default False
        Whether the limits are public knowledge, such as the age range of a survey. Only then does a release state their
        values. Limits computed from the confidential data, such as the largest income, are values of single records: do
        not declare them public.

    Raises
    ------
    InputError
        If `column` is not text, no limit is given, a limit is not finite, low is above high, or `public` is neither
        True nor False.

    Examples
    --------
    >>> import pandas as pd
    >>> Bounds("age", 18, 99).holds(pd.DataFrame({"age": [17, 18, 99]})).tolist()
    [False, True, True]
    """

    column: str
    low: float | None = None
    high: float | None = None
    public: bool = field(default=False, repr=False)

    def __post_init__(self) -> None:
        _checks.check_name(self.column, "column")
        _checks.check_choice(self.public, "public", (True, False))
        ends = [None if v is None else _checks.check_number(v, n) for n, v in (("low", self.low), ("high", self.high))]
        if ends == [None, None]:
            raise InputError(f"Bounds({self.column!r}): give low, high or both")
        if ends[0] is not None and ends[1] is not None and ends[0] > ends[1]:
            raise InputError(f"Bounds({self.column!r}): low={self.low!r} is above high={self.high!r}")

    @property
    def stated_values(self) -> tuple[str, list[object]]:
        """Column, and the limits that are given."""
        return self.column, [end for end in (self.low, self.high) if end is not None]

    def holds(self, frame: pd.DataFrame) -> BoolArray:
        """Return whether the value of each record lies within the bounds."""
        frame = _require(frame, [self.column], self)
        _checks.check_numeric_column(frame, self.column, where="data", why="bounds are for numbers")
        values = _checks.as_float(frame[self.column])
        low, high = -np.inf if self.low is None else self.low, np.inf if self.high is None else self.high
        return ((values >= low) & (values <= high)) | np.isnan(values)


@dataclass(frozen=True)
class AllowedCombinations:
    """Constraint that the values of `columns` form an allowed combination.

    Missing values, written as None or NaN, are treated like other values.

    Parameters
    ----------
    columns : sequence of str
    combinations : iterable of tuples, optional
        The allowed combinations, with values in the order of `columns`. Default: the combinations that occur in the
        confidential data.

    Raises
    ------
    InputError
        If `columns` is not a list of distinct column names, or `combinations` is not a list of tuples with one value
        per column.

    Examples
    --------
    >>> import pandas as pd
    >>> rule = AllowedCombinations(["age", "status"], [("child", "single"), ("adult", "single"), ("adult", "married")])
    >>> rule.holds(pd.DataFrame({"age": ["child", "adult"], "status": ["married", "married"]})).tolist()
    [False, True]
    """

    columns: Sequence[str]
    combinations: Iterable[Sequence[object]] | None = field(default=None, repr=False)

    def __post_init__(self) -> None:
        names = _checks.check_names(self.columns, "columns", allow_empty=False)
        listed = None if self.combinations is None else _combinations(self.combinations, len(names))
        set_fields(self, columns=names, combinations=listed)

    def fitted_to(self, confidential: pd.DataFrame) -> AllowedCombinations:
        """Return the constraint with the combinations of the data unless some are listed."""
        if self.combinations is not None:
            return self
        frame = _checks.check_frame(confidential, "confidential")
        frame = _require(frame, self.columns, self, "confidential")
        return AllowedCombinations(self.columns, set(_tuples(frame, self.columns)))

    def holds(self, frame: pd.DataFrame) -> BoolArray:
        """Return whether the combination of each record is allowed."""
        if self.combinations is None:
            raise InputError("AllowedCombinations: no combinations are listed; use fitted_to(confidential) first")
        frame = _require(frame, self.columns, self)
        allowed = self.combinations
        return np.fromiter((row in allowed for row in _tuples(frame, self.columns)), dtype=bool, count=len(frame))


@dataclass(frozen=True)
class ZeroUnless:
    """Constraint that `column` is 0 or missing unless `other` has one of `values`.

    In `Sequential` the model of `column` is fitted to the records whose value of `other` is one of `values`. The other
    records are set to 0.

    Parameters
    ----------
    column : str
        A numeric column.
    other : str
        The variable on which the constraint depends.
    values : sequence
        The values of `other` for which `column` can differ from 0.
    public : bool, default False
        Whether the values are public knowledge, such as the answers of the questionnaire. Only then does a release say
        what they are.

    Raises
    ------
    InputError
        If `column` or `other` is not text, both are the same, `values` is not a list of at least one value, or `public`
        is neither True nor False.

    Examples
    --------
    >>> import pandas as pd
    >>> rule = ZeroUnless("wage", "works", ["yes"])
    >>> rule.holds(pd.DataFrame({"wage": [0.0, 9.0, 9.0], "works": ["no", "no", "yes"]})).tolist()
    [True, False, True]
    """

    column: str
    other: str
    values: Sequence[object]
    public: bool = field(default=False, repr=False)

    def __post_init__(self) -> None:
        column, other, values = self.column, self.other, self.values
        _checks.check_choice(self.public, "public", (True, False))
        if isinstance(values, str) or not isinstance(values, Sequence) or not values:
            raise InputError(f"values={_checks.shown(values)}: must be a list of values of {other!r}")
        _checks.check_values(pd.Series(list(values), dtype=object), "values")
        _checks.check_name(column, "column")
        if column == _checks.check_name(other, "other"):
            raise InputError(f"ZeroUnless: column and other are both {column!r}")
        set_fields(self, values=tuple(values))

    @property
    def stated_values(self) -> tuple[str, list[object]]:
        """Variable `other`, and its values."""
        return self.other, list(self.values)

    def applies(self, frame: pd.DataFrame) -> BoolArray:
        """Return whether `column` can differ from 0 in each record."""
        frame = _require(frame, [self.other], self)
        return frame[self.other].isin(list(self.values)).to_numpy(dtype=bool)

    def holds(self, frame: pd.DataFrame) -> BoolArray:
        """Return whether each record satisfies the constraint."""
        frame = _require(frame, [self.column, self.other], self)
        _checks.check_numeric_column(frame, self.column, where="data", why="ZeroUnless is for numbers")
        value = _checks.as_float(frame[self.column])
        return np.asarray(self.applies(frame) | (value == 0) | np.isnan(value), dtype=bool)


@dataclass(frozen=True)
class SumOf:
    """Constraint that `total` is the sum of `parts`.

    In `Sequential` the total has no model: it is computed as soon as its parts are drawn, and later models can use it.
    A record with a missing part satisfies the constraint; in synthetic data its total is missing.

    Parameters
    ----------
    total : str
        A numeric column.
    parts : sequence of str
        At least two numeric columns.

    Raises
    ------
    InputError
        If `total` is not text, or `parts` is not a list of at least two columns without `total`.

    Examples
    --------
    >>> import pandas as pd
    >>> rule = SumOf("income", ["wage", "rent"])
    >>> rule.holds(pd.DataFrame({"income": [9.0, 9.0], "wage": [9.0, 5.0], "rent": [0.0, 5.0]})).tolist()
    [True, False]
    """

    total: str
    parts: Sequence[str]

    def __post_init__(self) -> None:
        total, parts = _checks.check_name(self.total, "total"), _checks.check_names(self.parts, "parts")
        if len(parts) < 2 or total in parts:
            raise InputError(f"parts: must be at least two columns, without the total {total!r}")
        set_fields(self, parts=parts)

    def __repr__(self) -> str:
        return f"SumOf(total={self.total!r}, parts=[{_checks.shorten(self.parts)}])"

    def sum(self, frame: pd.DataFrame) -> FloatArray:
        """Return the sum of the parts of each record, NaN if a part is missing.

        >>> import pandas as pd
        >>> SumOf("income", ["wage", "rent"]).sum(pd.DataFrame({"wage": [9.0], "rent": [1.0]})).tolist()
        [10.0]
        """
        frame = _require(frame, self.parts, self)
        for column in self.parts:
            _checks.check_numeric_column(frame, column, where="data", why="totals are for numbers")
        columns = [_checks.as_float(frame[c]) for c in self.parts]
        return np.asarray(np.add.reduce(columns), dtype=np.float64)

    def holds(self, frame: pd.DataFrame) -> BoolArray:
        """Return whether the total of each record is the sum of its parts, up to rounding.

        True if the total or a part is missing.
        """
        frame = _require(frame, [self.total], self)
        _checks.check_numeric_column(frame, self.total, where="data", why="totals are for numbers")
        total, found = _checks.as_float(frame[self.total]), self.sum(frame)
        return np.isnan(total) | np.isnan(found) | np.isclose(total, found, rtol=1e-9, atol=1e-9)


def columns_of(constraint: Constraint) -> tuple[str, ...] | None:
    """Return the columns that a constraint refers to, or None if they are unknown."""
    if isinstance(constraint, Bounds):
        return (constraint.column,)
    if isinstance(constraint, ZeroUnless):
        return constraint.other, constraint.column
    if isinstance(constraint, SumOf):
        return (*constraint.parts, constraint.total)
    columns = getattr(constraint, "columns", None)
    if isinstance(columns, list | tuple) and columns and all(isinstance(c, str) for c in columns):
        return tuple(columns)
    return None


def is_about(constraint: Constraint, names: Sequence[str]) -> bool:
    """Return whether a constraint is known to refer only to these columns."""
    columns = columns_of(constraint)
    return columns is not None and set(columns) <= set(names)


def fitted_constraints(constraints: Sequence[Constraint], confidential: pd.DataFrame) -> tuple[Constraint, ...]:
    """Return the constraints for these data, or raise if the data break one of them."""
    fitted = tuple(c.fitted_to(confidential) if isinstance(c, AllowedCombinations) else c for c in constraints)
    for constraint in fitted:
        broken = int((~np.asarray(constraint.holds(confidential), dtype=bool)).sum())
        if broken:
            raise InputError(f"constraints: {broken} confidential records break {constraint!r}")
    return fitted


def check_constraints(constraints: object) -> tuple[Constraint, ...]:
    """Return a list of constraints as a tuple, or raise."""
    if not isinstance(constraints, Sequence):
        raise InputError(f"constraints={_checks.shown(constraints)}: must be a list of constraints")
    for constraint in constraints:
        if not isinstance(constraint, Constraint) or isinstance(constraint, type):
            raise InputError(
                f"constraints: {_checks.described(constraint)} is not a constraint: it has no method holds(frame)"
            )
    return tuple(constraints)


def _require(frame: pd.DataFrame, columns: Sequence[str], constraint: object, name: str = "frame") -> pd.DataFrame:
    """Return the frame, which can be empty, or raise if it lacks a column."""
    if not isinstance(frame, pd.DataFrame) or not frame.empty:
        frame = _checks.check_frame(frame, name)
    absent = [c for c in columns if c not in frame.columns]
    if absent:
        raise InputError(
            f"{name}: {constraint!r}: {_checks.named(absent)} not among the columns {_checks.shorten(frame.columns, 12)}"
        )
    return frame


def _combinations(combinations: object, size: int) -> frozenset[tuple[object, ...]]:
    """Return the set of allowed combinations, or raise if one is invalid."""
    if isinstance(combinations, Set):
        combinations = list(combinations)
    allowed = f"a non-empty list of tuples of {size} values"
    given = _checks.check_list(combinations, "combinations", allowed)
    odd = [not isinstance(c, list | tuple) or len(c) != size or not pd.api.types.is_hashable(tuple(c)) for c in given]
    if not given or any(odd):
        raise InputError(
            f"combinations: must be {allowed}, got {_checks.described(combinations)}"
            + (f"; not so in {_checks.first_of(odd)}" if given else "")
        )
    return frozenset(tuple(None if _is_missing(value) else value for value in row) for row in given)


def _tuples(frame: pd.DataFrame, columns: Sequence[str]) -> list[tuple[object, ...]]:
    plain = (
        frame[c].astype(object).where(frame[c].notna(), None) if frame[c].isna().any() else frame[c] for c in columns
    )
    return list(zip(*(column.tolist() for column in plain), strict=True))


def _is_missing(value: object) -> bool:
    return value is None or value is pd.NA or value is pd.NaT or (isinstance(value, float) and value != value)


__all__ = ["AllowedCombinations", "Bounds", "Constraint", "SumOf", "ZeroUnless"]
