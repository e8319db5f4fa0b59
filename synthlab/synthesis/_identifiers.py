"""Detection of identifiers by structure: form, uniqueness, repetition and order of the values.

The name of a column is only a hint. A column with repeated values is an identifier of groups of records, such as
households of 1 to 5 members, if it has many values with few records each, and if other columns are constant within the
values more often than by chance, or if the file is sorted or grouped by the column. Amounts that are constant within
groups, such as the income of a household, are not identifiers: they are skewed or rounded, and different groups share
them.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np
import pandas as pd

from synthlab import _checks
from synthlab._typing import FloatArray, IntArray
from synthlab.io.date_formats import are_periods, looks_like_dates
from synthlab.synthesis._variable_types import CATEGORY, CONSTANT, IDENTIFIER, NUMBER

MANY_TEXTS = 1000  # number of distinct texts above which a column is not a category
FEWEST = 10  # smallest number of distinct values of an identifier
ASCENDING = 50  # smallest number of records in which ascending whole numbers are an identifier
LONG, PHONE_DIGITS = 9, 6  # number of digits from which whole numbers are an identifier or a telephone number
FEW_RECORDS = 20  # largest average number of records per person if only the name denotes an identifier
GROUP = 30  # largest average number of records per value of an identifier that is detected by structure
REPEATED = 10  # smallest number of values with several records
BY_CHANCE = 1e-6  # probability below which constant columns are not attributed to chance
SMOOTH = 0.5  # agreement of neighboring values above which another column is a function of the numbers
EVENLY = 1.36  # Kolmogorov-Smirnov statistic, times the root of the number of values, of numbers that are spread evenly
MANY = 50  # smallest number of values whose distribution is compared
COINCIDENCES = 5  # expected number of pairs of equal numbers from which different numbers are not attributed to chance
DEVIATION = 0.15  # largest Kolmogorov-Smirnov statistic of codes of equal length
CODE_DIGITS = 4  # number of digits from which numbers of equal length can be codes
EXACT = 2.0**53  # whole numbers from which nothing is counted or measured
LOOKED_AT = 2000  # largest number of texts whose form is examined
DISTINCT = 0.95  # distinct texts per record from which even places and kinds of things identify records
MOST = 0.9  # share of records or values that must have a property
YEARS = (1500, 2200)

WORD = re.compile(r"[a-z]+|\d+")
CAMEL = re.compile(r"(?<=[a-z0-9])(?=[A-Z])")


def _words(text: str) -> frozenset[str]:
    return frozenset(text.split())


# Words of a name that denote an identifier.
IDENTIFIES = _words(
    "id ids identifier ident idn idno idnum idcode psid hid uuid guid ssn nin pid uid userid serial serialno seqno recno iban passport mrn barcode"
)
# Words of two parts, such as "hhid" and "personnr".
COMPOUND = re.compile(
    "(pers|person|resp|respondent|case|subj|usubj|subject|pat|patient|hh|household|user|member|cust|customer|client|"
    "rec|record|row|obs|ind|indiv|unit|firm|emp|employee|school|class|hospital|site|stud|student|pupil|child|mother|"
    "family|fam|account|acct|order|session|device|vehicle|claim|policy)(id|ids|no|nr|num|nummer|number|code|key|serial)"
)
# A name that consists only of units of observation denotes an identifier if the values are unique or repeat like one.
UNITS = _words(
    "person persons respondent patient subject subj participant interviewee individual member household hh family worker "
    "employee student pupil customer client account voter tenant case record row index obs observation seq sequence"
)
NUMBERS = _words("number no nr num nummer key code")  # last words, such as in "policy number"
CONTACTS = _words("email emails mail phone telephone tel mobile cell fax")
NAMES = _words("name names firstname lastname surname fullname username address street")
# Places and times are not identifiers. Kinds of things are not unless their name denotes an identifier.
PLACES = _words(
    "state states county counties country countries nation province canton municipality district region city cities "
    "town towns village area zip zipcode postcode postal fip fips statefip statefips countyfips geoid geo continent island river lake nuts msa isco naics "
    "isic sic icd occupation industry"
)
KINDS = _words(
    "model models make car cars brand product species variety language airport airline carrier occ job diagnosis crop "
    "disease treatment drug stratum strata block group team"
)
TIMES = _words(
    "time times date dates datetime timestamp day days julday yday week weeks month months quarter quarters year years yr period "
    "wave round season decade hour minute second age birthday dob trend created updated epoch"
)
FORMS = (
    (re.compile(r"[^@\s]+@[^@\s]+\.[A-Za-z]{2,}"), "email addresses"),
    (re.compile(r"[0-9A-Fa-f]{8}-(?:[0-9A-Fa-f]{4}-){3}[0-9A-Fa-f]{12}|[0-9A-Fa-f]{16,64}"), "random keys"),
    (re.compile(r"[+(][\d ()/.-]{7,}"), "telephone numbers"),
)
SHORT_KEY = re.compile("[0-9A-Fa-f]{8,15}")


def find_identifiers(frame: pd.DataFrame, role: Mapping[str, str]) -> dict[str, str]:
    """Return the columns that look like identifiers of records, persons or groups, with the reason.

    `role` contains the role of each column that is examined. Places, times and kinds of things, such as models of cars,
    are not identifiers.
    """
    found: dict[str, str] = {}
    columns = {
        c: _Column(frame[c], c, role[c]) for c in frame.columns if role.get(c, CONSTANT) not in (CONSTANT, IDENTIFIER)
    }
    repeated = []
    for column in columns.values():
        if column.values is None:
            continue
        why = column.why_form() or column.why_unique()
        if why is not None:
            found[column.name] = why
        elif column.may_identify_groups:
            repeated.append(column)
    # An identifier determines the columns that are constant within its values. These are examined again with one record
    # per value: an identifier of larger groups remains one, and an amount does not.
    groups = _Groups(columns)
    for column in sorted(repeated, key=lambda c: -c.size):
        rows = groups.rows_for(column)
        why = column.why_repeated(groups, rows)
        if why is not None:
            found[column.name] = why
            groups.accepted.append(column)
    return {c: found[c] for c in columns if c in found}


@dataclass(frozen=True, slots=True)
class _Name:
    """Properties that the name of a column suggests."""

    named: bool  # it denotes an identifier
    unit: bool  # it denotes a unit of observation
    number: bool  # it ends with a word such as "number"
    person: bool  # it denotes names or addresses
    contact: bool  # it denotes email addresses or telephone numbers
    exempt: bool  # it denotes places, times or kinds of things

    @classmethod
    def of(cls, column: str) -> _Name:
        words = WORD.findall(CAMEL.sub(" ", column).lower())
        there = frozenset(words)
        plain = [word for word in words if not word.isdigit()]
        named = bool(there & IDENTIFIES) or any(map(COMPOUND.fullmatch, words))
        place = bool(there & PLACES) and (
            not named or {*plain} <= PLACES | NUMBERS | NAMES | {"id", "ids", "identifier"}
        )
        exempt = place or (bool(there & (TIMES | KINDS)) and not named)
        unit = {*plain} <= UNITS | NUMBERS and bool(there & UNITS)
        number = bool(plain) and plain[-1] in NUMBERS and len(plain) <= 2
        return cls(named, unit, number, bool(there & NAMES), bool(there & CONTACTS), exempt)

    @property
    def suggests(self) -> bool:
        """Whether the name suggests an identifier."""
        return self.named or self.unit or self.number


class _Column:
    """Values of a column, and their evidence for an identifier."""

    def __init__(self, series: pd.Series, name: str, role: str) -> None:
        self.name, self.series = name, series
        self.hint = _Name.of(name)
        self.values: pd.Series | None = None
        self.numbers: FloatArray | None = None
        self.texts: list[str] | None = None
        present = series.dropna()
        if role == CATEGORY and _is_text(present):
            self.values = present.astype(object)
            self.hint = replace(self.hint, named=self.hint.named or self.hint.person)
            self.texts = [str(text) for text in self.distinct]
        elif role == NUMBER and len(present) >= FEWEST:
            numbers = _checks.as_float(present)
            if np.isfinite(numbers).all() and (numbers == np.rint(numbers)).all():
                self.values, self.numbers = present, numbers

    @cached_property
    def _factorized(self) -> tuple[IntArray, pd.Index]:
        codes, distinct = pd.factorize(self.series)
        return codes.astype(np.int64), pd.Index(distinct)

    @property
    def codes(self) -> IntArray:
        """Number of the value of each record; -1 for a missing value."""
        return self._factorized[0]

    @property
    def distinct(self) -> pd.Index:
        """The distinct values, in the order of the file."""
        return self._factorized[1]

    @property
    def size(self) -> int:
        """Number of distinct values."""
        return len(self.distinct)

    @cached_property
    def ordered(self) -> IntArray:
        """Place of each distinct value in the order of the values."""
        return np.argsort(np.argsort(self.distinct.to_numpy(), kind="stable")).astype(np.int64)

    def why_form(self) -> str | None:
        """Return the reason why the form of the values shows an identifier, or None."""
        if self.texts is not None:
            some = self.texts[:: max(1, len(self.texts) // LOOKED_AT)]
            for form, what in FORMS:
                if len(some) > 1 and _share(form, some) >= MOST:
                    return f"its texts are {what}"
            if not self.hint.exempt and self.size >= FEWEST and _are_short_keys(some):
                return "its texts are random keys"
            return None
        if self.hint.exempt or self.size < FEWEST:
            return None
        distinct = self._distinct_numbers
        if _are_long(distinct, PHONE_DIGITS if self.hint.contact else LONG):
            return "its whole numbers have the same large number of digits"
        if float((np.abs(distinct) >= EXACT).mean()) >= 0.5:
            return "its whole numbers have 16 or more digits"
        if np.ptp(distinct) >= 10**LONG and _is_unrounded(distinct) and _is_even(distinct):
            return "its whole numbers are large and spread evenly"
        return None

    @property
    def _distinct_numbers(self) -> FloatArray:
        return np.unique(self.distinct.to_numpy(dtype=np.float64))

    def why_unique(self) -> str | None:
        """Return the reason why unique values identify records, or None."""
        if self.values is None:
            return None
        if self.texts is not None and FEWEST <= self.size >= DISTINCT * len(self.values):
            return (
                None
                if looks_like_dates(self.texts) or are_periods(self.texts)
                else "nearly all of its texts are different"
            )
        if self.hint.exempt:
            return None
        if self.texts is not None:
            if looks_like_dates(self.texts):
                return None
            if self.size > MANY_TEXTS:
                return f"it has more than {MANY_TEXTS:,} distinct texts"
            if self.size > 1 and 2 * int((np.bincount(self.codes[self.codes >= 0]) == 1).sum()) > len(self.values):
                return "most of its texts occur once only"
            return None
        return None if self.numbers is None else self._why_unique_numbers(self.numbers)

    def _why_unique_numbers(self, values: FloatArray) -> str | None:
        distinct = np.unique(values)
        if distinct.size < max(FEWEST, len(values)):
            return None
        low, high = distinct[0], distinct[-1]
        if self.hint.suggests:
            return "its whole numbers are all different, and its name suggests an identifier"
        if (YEARS[0] <= low and high <= YEARS[1]) or _are_days(distinct):
            return None
        if high - low == len(values) - 1 and (low in (0, 1) or low >= 100):
            return "its whole numbers are all different and have no gaps"
        if len(values) >= ASCENDING and bool((np.diff(values) > 0).all()):
            return "its whole numbers are all different and ascend in the file"
        if len(values) ** 2 / 2 >= COINCIDENCES * (high - low):
            return "its whole numbers are all different, although amounts in this range would coincide"
        return None

    @property
    def may_identify_groups(self) -> bool:
        """Whether the number of values and of records per value, and the form of the values, allow an identifier."""
        if self.hint.exempt or self.values is None or not FEWEST <= self.size < len(self.values):
            return False
        if self.texts is not None:
            return not looks_like_dates(self.texts)
        if self.hint.suggests:
            return True
        distinct = self._distinct_numbers
        return not ((YEARS[0] <= distinct[0] and distinct[-1] <= YEARS[1]) or _are_days(distinct))

    def why_repeated(self, groups: _Groups, rows: IntArray) -> str | None:
        """Return the reason why repeated values identify groups, or None; `rows` is one record per accepted group."""
        codes = self.codes[rows]
        rows, codes = rows[codes >= 0], codes[codes >= 0]
        size = len(np.unique(codes))
        if self.numbers is not None and size == len(codes):
            return self._why_unique_numbers(self.series.iloc[rows].to_numpy(dtype=np.float64))
        if size < FEWEST or size == len(codes):
            return None
        hint = self.hint
        runs = int((np.diff(codes) != 0).sum()) + 1
        blocks = runs <= size / MOST  # the records of a value follow one another
        named = ", and its name suggests an identifier" * hint.suggests
        reason = f"each value is repeated, as for a person or a household with several records{named}"
        if (hint.named and len(codes) <= FEW_RECORDS * size) or (blocks and (hint.named or hint.unit)):
            return reason
        counts = np.bincount(codes)
        counts = counts[counts > 0]
        several = int((counts > 1).sum())
        balanced = runs == size and several == size and float((counts == np.bincount(counts).argmax()).mean()) >= MOST
        if (hint.suggests or balanced) and groups.constant_within(self, rows, any_function=True):
            return reason
        if len(codes) > GROUP * size or several < REPEATED or not self._has_form_of_code(rows):
            return None
        if runs == size and several >= MANY:
            return "the records of each value follow one another, as for the members of a household"
        if groups.constant_within(self, rows):
            return "other columns are constant within its repeated values, as for the members of a household"
        return None

    def _has_form_of_code(self, rows: IntArray) -> bool:
        """Return whether the values can be codes: no amounts, and no words."""
        codes = self.codes[rows]
        codes = codes[codes >= 0]
        places = self.ordered[codes]
        ascends = bool((np.diff(places) >= 0).all() or (np.diff(places) <= 0).all())
        if self.texts is not None:
            with_digits = sum(any(c.isdigit() for c in text) for text in self.texts) >= MOST * len(self.texts)
            lengths = np.bincount([len(text) for text in self.texts])
            return with_digits and (ascends or lengths.max() >= MOST * len(self.texts))
        distinct = np.unique(self.distinct.to_numpy(dtype=np.float64)[np.unique(codes)])
        counted = float((np.diff(distinct) == 1).mean()) >= 0.5
        return counted or ascends or _has_equal_length(distinct) or (_is_even(distinct) and _is_unrounded(distinct))


class _Groups:
    """Columns of a file, and the identifiers of groups that were found."""

    def __init__(self, columns: Mapping[str, _Column]) -> None:
        self.columns = columns
        self.accepted: list[_Column] = []

    def rows_for(self, column: _Column) -> IntArray:
        """Return all records, or one record per value of the coarsest accepted identifier that determines a column."""
        rows = np.arange(len(column.series))
        for finer in self.accepted:
            there = np.flatnonzero(finer.codes >= 0)
            first = _first_rows(finer.codes[there], there)
            if bool((column.codes[first][finer.codes[there]] == column.codes[there]).all()):
                rows = np.sort(first)
        return rows

    def constant_within(self, column: _Column, rows: IntArray, any_function: bool = False) -> bool:
        """Return whether another column is constant within the values of a column, such as sex within a person.

        The other column must not be a function of the numbers, such as classes of age, unless `any_function` is set.
        """
        codes = np.unique(column.codes[rows], return_inverse=True)[1]
        sizes = np.bincount(codes)
        first = _first_rows(codes, rows)
        several = sizes > 1
        order = np.argsort(column.ordered[column.codes[first]])
        for other in self.columns.values():
            if other is column:
                continue
            levels = other.codes[rows]
            counts = np.bincount(levels + 1)
            if not 1 < int((counts > 0).sum()) < len(sizes):
                continue
            own = other.codes[first]
            share = 1 - float((np.bincount(codes, levels != own[codes]) > 0)[several].mean())
            if share < MOST:
                continue
            if any_function:
                return True
            shares = counts / len(levels)
            chances = np.array([(shares**k).sum() for k in range(int(sizes.max()) + 1)])[sizes[several]]
            chance = float(chances.mean())
            surprise = several.sum() * (
                share * np.log(share / chance) + (1 - share) * np.log(max(1 - share, 1e-9) / max(1 - chance, 1e-9))
            )
            if (
                share > chance
                and surprise > -np.log(BY_CHANCE)
                and not _is_function(own[order], other, float((shares**2).sum()))
            ):
                return True
        return False


def _first_rows(codes: IntArray, rows: IntArray) -> IntArray:
    """Return the first row of each code from 0."""
    first = np.empty(int(codes.max()) + 1, dtype=np.int64)
    first[codes[::-1]] = rows[::-1]
    return first


def _is_function(levels: IntArray, other: _Column, chance: float) -> bool:
    """Return whether the other column follows from the number: neighbors are similar, or one follows from the other.

    `levels` contains the codes of the other column in the order of the identifier; `chance` is the probability that two
    records agree in the other column. Classes of a number and its logarithm are similar for neighbors, and even and odd
    numbers alternate. The sex of persons and the region of households do neither, unless numbers were given by region.
    """
    here, there = levels[:-1], levels[1:]
    if float((here == there).mean()) - chance > SMOOTH * (1 - chance):
        return True
    pairs = pd.crosstab(here, there).to_numpy()
    if 5 * pairs.size <= len(here):  # fewer pairs of levels than pairs of neighbors
        most = pairs.sum(axis=0).max() / len(here)
        if pairs.max(axis=1).sum() / len(here) - most > SMOOTH * (1 - most):
            return True
    places = (
        np.concatenate([[-1], other.ordered])[levels + 1] if pd.api.types.is_numeric_dtype(other.series.dtype) else None
    )
    if places is None or np.ptp(places[:-1]) == 0 or np.ptp(places[1:]) == 0:
        return False
    return bool(np.corrcoef(places[:-1], places[1:])[0, 1] > SMOOTH)


def _are_long(values: FloatArray, least: int) -> bool:
    """Return whether numbers have the same large number of digits, and are not rounded."""
    digits = _digits(values)
    return bool(digits.min() >= least and digits.min() == digits.max() and _is_unrounded(values))


def _has_equal_length(values: FloatArray) -> bool:
    """Return whether many whole numbers have the same number of digits, 4 or more, and are neither rounded nor skewed."""
    digits = _digits(values)
    equal = bool(digits.min() >= CODE_DIGITS and digits.min() == digits.max()) and values.size >= MANY
    return equal and float((values % 10 == 0).mean()) < 0.2 and _unevenness(values) < DEVIATION


def _digits(values: FloatArray) -> FloatArray:
    return np.floor(np.log10(np.maximum(np.abs(values), 1))) + 1


def _is_unrounded(values: FloatArray) -> bool:
    return bool((values % 10 == 0).mean() < 0.5)


def _is_even(values: FloatArray) -> bool:
    """Return whether many distinct numbers are spread evenly over their range, as drawn or counted ones are."""
    return values.size >= MANY and _unevenness(values) * np.sqrt(values.size) < EVENLY


def _unevenness(values: FloatArray) -> float:
    """Return the Kolmogorov-Smirnov statistic of sorted distinct numbers and the uniform distribution on their range."""
    at = (values - values[0]) / (values[-1] - values[0])
    return float(np.abs(at - np.arange(values.size) / (values.size - 1)).max())


def _are_days(values: FloatArray) -> bool:
    """Return whether all numbers are dates in the form yyyymmdd."""
    year, month, day = values // 10_000, values // 100 % 100, values % 100
    return all(
        low <= part.min() and part.max() <= high
        for part, (low, high) in ((year, YEARS), (month, (1, 12)), (day, (1, 31)))
    )


def _are_short_keys(texts: list[str]) -> bool:
    """Return whether texts are hexadecimal numbers of equal length with both letters and digits."""
    if len({len(text) for text in texts}) > 1 or not SHORT_KEY.fullmatch(texts[0]):
        return False
    if _share(SHORT_KEY, texts) < MOST:
        return False
    mixed = sum(any(c.isdigit() for c in text) and any(c.isalpha() for c in text) for text in texts)
    return mixed >= MOST * len(texts)


def _share(form: re.Pattern[str], texts: list[str]) -> float:
    return sum(form.fullmatch(text) is not None for text in texts) / max(1, len(texts))


def _is_text(series: pd.Series) -> bool:
    values = _checks.categories_of(series) if isinstance(series.dtype, pd.CategoricalDtype) else series
    return _checks.kind_of(values) == "text"
