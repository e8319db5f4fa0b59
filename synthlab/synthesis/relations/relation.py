"""One relation between columns: its text, and the values that it implies."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass, replace
from typing import Literal

import numpy as np
import pandas as pd

from synthlab import _checks
from synthlab._typing import BoolArray, FloatArray
from synthlab.exceptions import InputError
from synthlab.matching.kernel import block_codes
from synthlab.synthesis import _variable_types
from synthlab.synthesis.relations.date_parts import CALENDAR_UNITS, PARTS, UNITS, elapsed, part_of
from synthlab.synthesis.relations.nesting import agrees, codes_of, levels_of
from synthlab.synthesis.relations.patterns import empty_levels, exactly_one
from synthlab.synthesis.relations.values import NUMBER, Scale, Values

Form = Literal[
    "linear",
    "product",
    "log",
    "log1p",
    "log10",
    "at least",
    "at most",
    "codes",
    "nested",
    "one hot",
    "missing",
    "date part",
    "date code",
    "elapsed",
]
LOGARITHMS = ("log", "log1p", "log10")
ORDERS = ("at least", "at most")
ROUNDING = 1e-12  # relative error of numbers that are equal up to floating-point rounding
EXACT = 1e-9  # relative error of sums in floating point
CLOSE = 1e-6  # relative error of other forms, which files may hold in single precision
PRESERVED = 0.999  # smallest share of the synthetic records in which a preserved relation holds
PATTERNS = ("codes", "nested", "one hot", "missing")  # forms without arithmetic
DATE_PARTS = ("date part", "date code")  # forms of one date
STATUS = re.compile(
    r"(?P<kept>computed|by construction|drawn as one category|drawn as shares|redrawn\b.*)|not preserved\b.*|proposed\b.*"
)
ONE_HOT = "exactly one of ", " is 1"
MISSING = " is missing for some values of "
TOKEN = re.compile(r"\s*(`(?:[^`]|``)+`|\d[\d,]*(?:\.\d+)?(?:[eE][-+]?\d+)?|[^\W\d][\w.]*|<=|<->|[-+*/^=()])")
PLAIN = re.compile(r"[^\W\d][\w.]*")
NAMES = re.compile(r"`(?:[^`]|``)+`|[^\W\d][\w.]*")


def _named(group: str) -> str:
    return rf"(?P<{group}>`(?:[^`]|``)+`|[^\W\d][\w.]*)"


def _one_of(group: str, words: Iterable[str]) -> str:
    return f"(?P<{group}>{'|'.join(map(re.escape, sorted(words, key=len, reverse=True)))})"


NESTED = re.compile(rf"\s*each {_named('source')} has one {_named('result')}\s*")
DATE_PART = re.compile(
    rf"\s*{_named('result')} = (?P<code>code of the )?{_one_of('part', PARTS)} of {_named('source')}"
    r"(?: (?P<sign>[-+]) (?P<number>\d[\d,]*))?\s*"
)
ELAPSED = re.compile(
    rf"\s*{_named('result')} = (?P<down>completed )?{_one_of('unit', UNITS)} from {_named('first')} to {_named('last')}\s*"
)


@dataclass(frozen=True, slots=True)
class Relation:
    """One relation: a result column and the columns that determine or bound it.

    Attributes
    ----------
    result : str
        The column that is computed.
    form : str
        "linear": the sum of multiples of the sources, and of a constant. "product": the product of powers of the
        sources, times a constant. "log", "log1p", "log10": the logarithm of the source. "at least", "at most": the
        source bounds the result. "codes": result and source are one-to-one codes. "nested": each value of the source
        occurs with one value of the result. "one hot": exactly one of the columns is 1. "missing": the result is missing
        for some values of the source. "date part": the result is the `part` of a date plus the constant, or a text for
        each part. "date code": the result is a number for each part of a date. "elapsed": the time from the first source
        to the second, in the unit `part`.
    terms : tuple of (str, float)
        The sources, with their multipliers ("linear") or exponents ("product").
    constant : float
        The constant of a linear relation or a product.
    down : bool
        Whether the result is rounded down instead of to the nearest number.
    part : str
        The part of a date, such as "weekday", or the unit of time, such as "years".
    """

    result: str
    form: Form
    terms: tuple[tuple[str, float], ...]
    constant: float = 0.0
    down: bool = False
    part: str = ""

    @property
    def sources(self) -> tuple[str, ...]:
        """The columns from which the result is computed."""
        return tuple(name for name, _ in self.terms)

    @property
    def columns(self) -> tuple[str, ...]:
        """The result and the sources."""
        return self.result, *self.sources

    @property
    def is_equation(self) -> bool:
        """Whether the result is computed from numbers."""
        return self.form not in (*ORDERS, *PATTERNS, *DATE_PARTS)

    def is_mapped(self, values: Values) -> bool:
        """Return whether the result is looked up in the confidential data instead of computed from numbers."""
        numeric = values.scale.get(self.result) == NUMBER
        return self.form in ("codes", "nested", "date code") or (self.form == "date part" and not numeric)

    def keys(self, numbers: Mapping[str, FloatArray], scales: Mapping[str, Scale]) -> FloatArray:
        """Return the part of the date of each record; NaN if the date is missing."""
        (source,) = self.sources
        return part_of(scales[source].days(numbers[source]), self.part)

    def distinct_keys(self, values: Values) -> int:
        """Return the number of distinct values of the source of a function that is looked up; 0 for other relations."""
        if self.form == "nested":
            return int(levels_of(values, self.sources[0]).max(initial=-1) + 1)
        if self.form not in DATE_PARTS or not self.is_mapped(values):
            return 0
        return int(pd.Series(self.keys(values.numbers, values.scales)).nunique())

    def exact(self, numbers: Mapping[str, FloatArray], scales: Mapping[str, Scale]) -> FloatArray:
        """Return the result before rounding; NaN if a source is missing or it is undefined.

        `scales` contains the meaning of the numbers of each column.
        """
        if self.form == "date part":
            return self.keys(numbers, scales) + self.constant
        if self.form == "elapsed":
            first, last = (scales[c].days(numbers[c]) for c in self.sources)
            return elapsed(first, last, self.part)
        first = numbers[self.sources[0]]
        with np.errstate(all="ignore"):
            if self.form == "linear":
                found = np.full(len(first), self.constant)
                for name, times in self.terms:
                    found = found + times * numbers[name]
            elif self.form == "product":
                found = np.full(len(first), self.constant)
                for name, power in self.terms:
                    found = found * (np.sqrt(numbers[name]) if power == 0.5 else np.power(numbers[name], power))
            else:
                found = getattr(np, self.form)(first) if self.form in LOGARITHMS else first
        return np.where(np.isfinite(found), found, np.nan)

    def rounded(self, values: Values, numbers: Mapping[str, FloatArray]) -> FloatArray:
        """Return the result with the number of decimals that it has in the data `values`."""
        found, decimals = self.exact(numbers, values.scales), values.decimals(self.result)
        if decimals is None:
            return found
        if self.down:
            scaled = found * 10.0**decimals
            return np.floor(scaled + EXACT * np.maximum(np.abs(scaled), 1)) / 10.0**decimals
        return np.round(found, decimals)

    def holds(self, values: Values, result: FloatArray | None = None) -> tuple[BoolArray, BoolArray]:
        """Return which records have all values, and in which of these the relation holds.

        `result` replaces the values of the result column.
        """
        if self.form == "codes":
            return _one_to_one(values, self.result, self.sources[0])
        if self.form == "one hot":
            return exactly_one(values.frame, self.columns)
        if self.form == "missing":
            return self.skips(values.frame, empty_levels(values.frame, self.sources[0], self.result))
        if self.is_mapped(values):
            if self.form == "nested":
                keys = levels_of(values, self.sources[0])
            else:
                keys = codes_of(pd.Series(self.keys(values.numbers, values.scales)))
            return agrees(keys, levels_of(values, self.result))
        given = values.numbers[self.result] if result is None else result
        decimals = None if self.form in ORDERS else values.decimals(self.result)
        return self.agrees(given, self.exact(values.numbers, values.scales), decimals)

    def skips(self, frame: pd.DataFrame, levels: Collection[object]) -> tuple[BoolArray, BoolArray]:
        """Return which records have one of the levels for which the result is missing, and where it is missing."""
        both = frame[self.sources[0]].isin(list(levels)).to_numpy(dtype=bool)
        return both, both & frame[self.result].isna().to_numpy(dtype=bool)

    def agrees(self, given: FloatArray, exact: FloatArray, decimals: int | None) -> tuple[BoolArray, BoolArray]:
        """Return where a result and its exact value are known, and where these agree up to rounding."""
        both = ~np.isnan(given) & ~np.isnan(exact)
        with np.errstate(invalid="ignore"):
            if self.form in ORDERS:
                error = ROUNDING * np.maximum(np.abs(given), np.abs(exact))
                return both, both & ((given >= exact - error) if self.form == "at least" else (given <= exact + error))
            low, high = self.tolerance(exact, decimals)
            return both, both & (exact - given >= low) & (exact - given <= high)

    def tolerance(self, exact: FloatArray, decimals: int | None) -> tuple[FloatArray, FloatArray]:
        """Return the smallest and largest difference that rounding explains."""
        error = (EXACT if self.form == "linear" and decimals is not None else CLOSE) * np.abs(exact) + 1e-9
        unit = 0.0 if decimals is None else 10.0**-decimals
        return (-error, unit + error) if self.down else (-unit / 2 - error, unit / 2 + error)

    def solved(self) -> list[Relation]:
        """Return the relation solved for each of its columns, itself first."""
        found = [self]
        if self.form in ORDERS:
            other: Form = "at most" if self.form == "at least" else "at least"
            found.append(Relation(self.sources[0], other, ((self.result, 1.0),)))
        elif self.form == "codes":
            found.append(Relation(self.sources[0], "codes", ((self.result, 1.0),)))
        elif self.form == "linear" and not self.down:
            for name, times in self.terms:
                rest = tuple((n, -t / times) for n, t in self.terms if n != name)
                found.append(Relation(name, "linear", (*rest, (self.result, 1 / times)), 0.0 - self.constant / times))
        elif self.form == "product" and not self.down:
            for name, power in self.terms:
                rest = tuple((n, -p / power) for n, p in self.terms if n != name)
                terms = (*rest, (self.result, 1 / power))
                found.append(Relation(name, "product", terms, self.constant ** (-1 / power)))
        return found

    def __str__(self) -> str:
        names = [_quoted(name) for name in self.sources]
        result = _quoted(self.result)
        if self.form == "codes":
            return f"{names[0]} <-> {result}"
        if self.form == "one hot":
            return ", ".join([result, *names]).join(ONE_HOT)
        if self.form == "missing":
            return f"{result}{MISSING}{names[0]}"
        if self.form in ORDERS:
            return f"{names[0]} <= {result}" if self.form == "at least" else f"{result} <= {names[0]}"
        if self.form == "nested":
            return f"each {names[0]} has one {result}"
        if self.form in DATE_PARTS:
            of = "code of the " if self.form == "date code" else ""
            sign = f" {'-' if self.constant < 0 else '+'} {_number(abs(self.constant))}" if self.constant else ""
            return f"{result} = {of}{self.part} of {names[0]}{sign}"
        if self.form == "elapsed":
            return f"{result} = {'completed ' * self.down}{self.part} from {names[0]} to {names[1]}"
        if self.form in LOGARITHMS:
            right = f"{self.form}({names[0]})"
        else:
            right = self._sum(names) if self.form == "linear" else self._product(names)
        return f"{result} = floor({right})" if self.down else f"{result} = {right}"

    def _sum(self, names: list[str]) -> str:
        parts = [(times, _multiple(abs(times), name)) for (_, times), name in zip(self.terms, names, strict=True)]
        if self.constant:
            parts.append((self.constant, _number(abs(self.constant))))
        parts.sort(key=lambda part: part[0] < 0)
        first = f"{'-' if parts[0][0] < 0 else ''}{parts[0][1]}"
        return first + "".join(f" {'-' if sign < 0 else '+'} {text}" for sign, text in parts[1:])

    def _product(self, names: list[str]) -> str:
        powers = [power for _, power in self.terms]
        above = [_power(name, p) for name, p in zip(names, powers, strict=True) if p > 0]
        below = [_power(name, -p) for name, p in zip(names, powers, strict=True) if p < 0]
        whole = self.constant >= 1
        text = " * ".join(above) or "1"
        text += "".join(f" / {name}" for name in below)
        if self.constant != 1:
            text += f" * {_number(self.constant)}" if whole else f" / {_number(_tidy(1 / self.constant))}"
        return text


def share_of(relation: Relation, values: Values) -> float:
    """Return the share of the complete records in which a relation holds.

    NaN if no record is complete, or if a column has no numbers.
    """
    absent = not is_of_numbers(relation, values.scale)
    if absent or not set(relation.columns) <= set(values.frame.columns):
        return float("nan")
    both, holds = relation.holds(values)
    return float(holds[both].mean()) if both.any() else float("nan")


def parse(text: object) -> Relation | None:
    """Return the relation that a text describes; None if it is marked "not preserved" or "proposed".

    >>> str(parse("bmi = weight / height^2 * 10,000: computed")), str(parse("start <= end"))
    ('bmi = weight / height^2 * 10,000', 'start <= end')
    """
    if not isinstance(text, str):
        raise InputError(f"relations: a relation must be a text such as 'c = a + b', got {_checks.described(text)}")
    body, _, status = text.rpartition(":")
    if body and (found := STATUS.fullmatch(status.strip())):
        if not found["kept"]:
            return None
        text = body
    return _phrase(text) or _pattern(text) or _Parser(text).relation()


def _phrase(text: str) -> Relation | None:
    """Return a relation that is written in words; None for a formula."""
    relation = None
    if found := NESTED.fullmatch(text):
        relation = Relation(_name(found["result"]), "nested", ((_name(found["source"]), 1.0),))
    elif found := DATE_PART.fullmatch(text):
        constant = float((found["sign"] or "") + (found["number"] or "0").replace(",", ""))
        form: Form = "date code" if found["code"] else "date part"
        relation = Relation(
            _name(found["result"]), form, ((_name(found["source"]), 1.0),), constant, part=found["part"]
        )
    elif found := ELAPSED.fullmatch(text):
        terms = ((_name(found["first"]), 1.0), (_name(found["last"]), 1.0))
        relation = Relation(_name(found["result"]), "elapsed", terms, down=bool(found["down"]), part=found["unit"])
        if relation.part in CALENDAR_UNITS and not relation.down:
            raise InputError(
                f"relations: {text!r}: {relation.part} of the calendar have no fixed length; write 'completed {relation.part}', "
                "or name a unit such as 'years of 365.25 days'"
            )
    if relation is not None and len(set(relation.columns)) < len(relation.columns):
        raise InputError(f"relations: {text!r} names a column twice")
    return relation


def _name(token: str) -> str:
    return token[1:-1].replace("``", "`") if token.startswith("`") else token


def _pattern(text: str) -> Relation | None:
    """Return the relation of one-hot columns or of missing values that a text describes, or None."""
    if text.startswith(ONE_HOT[0]) and text.endswith(ONE_HOT[1]):
        names = NAMES.findall(text[len(ONE_HOT[0]) : -len(ONE_HOT[1])])
        form: Form = "one hot"
    elif len(sides := text.split(MISSING)) == 2:
        names, form = sides, "missing"
    else:
        return None
    result, *sources = [_Parser(name).name() for name in names]
    if len({result, *sources}) <= len(sources):
        raise InputError(f"relations: {text!r} names a column twice")
    return Relation(result, form, tuple((name, 1.0) for name in sources))


class _Parser:
    """Reads the text of one relation from left to right."""

    def __init__(self, text: str) -> None:
        self.text = text
        self.rest: list[str] = []
        place = 0
        while place < len(text.rstrip()):
            match = TOKEN.match(text, place)
            if match is None:
                raise self.error()
            self.rest.append(match[1])
            place = match.end()

    def error(self) -> InputError:
        # A text without a sign may be a value of the data.
        text = (
            repr(self.text)
            if any(sign in self.text for sign in ("=", "<->", MISSING, ONE_HOT[0]))
            else "a text without '=', '<=' or '<->'"
        )
        return InputError(
            f"relations: cannot read {text}; write 'c = a + b', 'c = a - b', 'c = a * b', 'c = a / b^2 * 10000', "
            "'b = a^2', 'b = log(a)' (or log1p, log10), 'a <= b', 'a <-> b' for one-to-one codes, 'exactly one of a, b, c "
            "is 1', or 'b is missing for some values of a'; put other names than words into backquotes. In words: 'd = weekday "
            "of date', 'age = completed years from birth to visit', or 'each district has one province'"
        )

    def take(self, *allowed: str) -> str:
        if not self.rest or (allowed and self.rest[0] not in allowed):
            raise self.error()
        return self.rest.pop(0)

    def next_is(self, *allowed: str) -> bool:
        return bool(self.rest) and self.rest[0] in allowed

    def name(self) -> str:
        token = self.take()
        if token.startswith("`"):
            return token[1:-1].replace("``", "`")
        if not PLAIN.fullmatch(token):
            raise self.error()
        return token

    def number(self) -> float:
        try:
            return float(self.take().replace(",", ""))
        except ValueError:
            raise self.error() from None

    def relation(self) -> Relation:
        left = self.name()
        sign = self.take("=", "<=", "<->")
        if sign != "=":
            right = self.name()
            found = Relation(right, "at least" if sign == "<=" else "codes", ((left, 1.0),))
        elif len(self.rest) > 1 and self.rest[0] == "floor" and self.rest[1] == "(":
            del self.rest[:2]
            found = replace(self.formula(left), down=True)
            self.take(")")
        else:
            found = self.formula(left)
        if self.rest:
            raise self.error()
        if len(set(found.columns)) < len(found.columns):
            raise InputError(f"relations: {self.text!r} names a column twice")
        return found

    def formula(self, result: str) -> Relation:
        if len(self.rest) > 1 and self.rest[0] in LOGARITHMS and self.rest[1] == "(":
            form: Form = self.rest[0]  # type: ignore[assignment]
            del self.rest[:2]
            source = self.name()
            self.take(")")
            return Relation(result, form, ((source, 1.0),))
        sign = -1.0 if self.next_is("-") else 1.0
        if sign < 0:
            self.take()
        products = [self.product(sign)]
        while self.next_is("+", "-"):
            products.append(self.product(1.0 if self.take() == "+" else -1.0))
        if len(products) == 1 and (len(products[0][1]) > 1 or any(p != 1 for _, p in products[0][1])):
            factor, powers = products[0]
            return self.checked(Relation(result, "product", powers, factor))
        if any(len(powers) > 1 or any(p != 1 for _, p in powers) for _, powers in products):
            raise self.error()
        terms = tuple((powers[0][0], factor) for factor, powers in products if powers)
        return self.checked(Relation(result, "linear", terms, sum(factor for factor, powers in products if not powers)))

    def checked(self, found: Relation) -> Relation:
        numbers = [found.constant, *(value for _, value in found.terms)]
        zero = found.form == "product" and found.constant == 0
        if not found.terms or zero or 0 in numbers[1:] or not np.isfinite(numbers).all():
            raise self.error()
        return found

    def product(self, factor: float) -> tuple[float, tuple[tuple[str, float], ...]]:
        powers: list[tuple[str, float]] = []
        side = 1.0
        while True:
            if self.rest and self.rest[0][0].isdigit():
                number = self.number()
                if number == 0 and (side < 0 or powers):
                    raise self.error()
                factor = factor * number if side > 0 else factor / number
            else:
                name = self.name()
                power = 1.0
                if self.next_is("^"):
                    self.take()
                    power = self.number()
                powers.append((name, side * power))
            if not self.next_is("*", "/"):
                return factor, tuple(powers)
            side = 1.0 if self.take() == "*" else -1.0


def _one_to_one(values: Values, one: str, other: str) -> tuple[BoolArray, BoolArray]:
    """Return which records have both codes, and which have the most frequent partners."""
    frame = values.frame[[one, other]]
    both = frame.notna().all(axis=1).to_numpy(dtype=bool)
    codes = [block_codes([frame], [c], "category")[0] for c in (one, other)]
    pair = codes[0] * (codes[1].max(initial=0) + 1) + codes[1]
    found, place, count = np.unique(pair[both], return_inverse=True, return_counts=True)
    first, second = found // (codes[1].max(initial=0) + 1), found % (codes[1].max(initial=0) + 1)
    usual = np.ones(len(found), dtype=bool)
    for side in (first, second):
        order = np.lexsort((-count, side))
        partner = order[np.unique(side[order], return_index=True)[1]]  # the most frequent pair of each level
        usual &= np.isin(np.arange(len(found)), partner)
    holds = np.zeros(len(frame), dtype=bool)
    holds[np.flatnonzero(both)] = usual[place]
    return both, holds


def is_of_numbers(relation: Relation, scale: Mapping[str, str]) -> bool:
    """Return whether the dates of a relation cancel, or are the result of a sum."""
    if relation.form in PATTERNS:
        return True
    if relation.form in (*DATE_PARTS, "elapsed"):
        dates = all(scale.get(c, "").startswith(_variable_types.DATE) for c in relation.sources)
        return dates and (relation.form != "elapsed" or scale.get(relation.result) == NUMBER)
    groups = {scale.get(c, "") for c in relation.columns}
    if "" in groups:
        return False
    if relation.form in ORDERS:
        return len(groups) == 1
    dated = groups - {NUMBER}
    if not dated:
        return True
    if relation.form != "linear" or len(dated) > 1 or (relation.down and scale[relation.result] != NUMBER):
        return False
    if next(iter(dated)).startswith("time span"):
        return False
    balance = sum(times for name, times in relation.terms if scale[name] != NUMBER)
    return abs(balance - (scale[relation.result] != NUMBER)) < EXACT


def _power(name: str, power: float) -> str:
    return name if power == 1 else f"{name}^{_number(power)}"


def _tidy(value: float) -> float:
    return float(round(value)) if abs(round(value) - value) < EXACT * abs(value) else value


def _multiple(times: float, name: str) -> str:
    if times == 1:
        return name
    inverse = round(1 / times, 4)
    short = inverse.is_integer() or len(_number(inverse)) < len(_number(times))
    below = short and times < 1 and abs(inverse * times - 1) < EXACT
    return f"{name} / {_number(inverse)}" if below else f"{_number(times)} * {name}"


def _number(value: float) -> str:
    """Write a number with thousands separators, without rounding it."""
    return f"{value:,.0f}" if float(value).is_integer() else repr(float(value))


def _quoted(name: str) -> str:
    plain = PLAIN.fullmatch(name) and name not in (*LOGARITHMS, "floor")
    return name if plain else f"`{name.replace('`', '``')}`"
