"""Detection of identifiers by name, form, uniqueness and repetition."""

from __future__ import annotations

import re
from dataclasses import dataclass, replace

import numpy as np
import pandas as pd

from synthlab import _checks
from synthlab._typing import FloatArray, IntArray
from synthlab.io.date_formats import looks_like_dates
from synthlab.synthesis._variable_types import CATEGORY, NUMBER

MANY_TEXTS = 1000  # number of distinct texts above which a column is not a category
FEWEST = 10  # smallest number of distinct values of an identifier
ASCENDING = 50  # smallest number of records in which ascending whole numbers are an identifier
LONG, PHONE_DIGITS = 9, 6  # number of digits from which whole numbers are an identifier or a telephone number
FEW_RECORDS = 20  # largest average number of records per person if only the name denotes an identifier
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
    "town towns village area zip zipcode postcode postal fips geoid geo continent island river lake nuts msa isco naics "
    "isic sic icd occupation industry"
)
KINDS = _words(
    "model models make car cars brand product species variety language airport airline carrier occ job diagnosis crop "
    "disease treatment drug cluster clusters psu stratum strata block group team"
)
TIMES = _words(
    "time times date dates datetime timestamp day days week weeks month months quarter quarters year years yr period "
    "wave round season decade hour minute second age birthday dob trend created updated epoch"
)
FORMS = (
    (re.compile(r"[^@\s]+@[^@\s]+\.[A-Za-z]{2,}"), "email addresses"),
    (re.compile(r"[0-9A-Fa-f]{8}-(?:[0-9A-Fa-f]{4}-){3}[0-9A-Fa-f]{12}|[0-9a-f]{32}|[0-9a-f]{40,64}"), "random keys"),
    (re.compile(r"[+(][\d ()/.-]{7,}"), "telephone numbers"),
)


def why_identifier(frame: pd.DataFrame, column: str, role: str) -> str | None:
    """Return the reason why a column looks like an identifier of records or persons, or None.

    The name, the form of the values, their uniqueness, and the structure of repeated values are considered. Places,
    times and kinds of things, such as models of cars, are not identifiers.
    """
    series = frame[column].dropna()
    if role == CATEGORY and _is_text(series):
        return _why_texts(frame, column, series.astype(object))
    if role == NUMBER and len(series) >= FEWEST:
        values = _checks.as_float(series)
        if np.isfinite(values).all() and (values == np.rint(values)).all():
            return _why_numbers(frame, column, values)
    return None


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


def _why_texts(frame: pd.DataFrame, column: str, texts: pd.Series) -> str | None:
    counts = texts.value_counts()
    distinct = [str(text) for text in counts.index]
    for form, what in FORMS:
        if len(distinct) > 1 and _share(form, distinct) >= MOST:
            return f"its texts are {what}"
    name = _Name.of(column)
    if name.exempt or looks_like_dates(distinct):
        return None
    if counts.size > MANY_TEXTS:
        return f"it has more than {MANY_TEXTS:,} distinct texts"
    if counts.size > 1 and 2 * int((counts == 1).sum()) > len(texts):
        return "most of its texts occur once only"
    return _why_repeated(frame, column, replace(name, named=name.named or name.person))


def _why_numbers(frame: pd.DataFrame, column: str, values: FloatArray) -> str | None:
    name, distinct = _Name.of(column), np.unique(values)
    if name.exempt or distinct.size < FEWEST:
        return None
    if _are_long(distinct, PHONE_DIGITS if name.contact else LONG):
        return "its whole numbers have the same large number of digits"
    if distinct.size < len(values):
        return _why_repeated(frame, column, name)
    if name.suggests:
        return "its whole numbers are all different, and its name suggests an identifier"
    low, high = distinct[0], distinct[-1]
    if (YEARS[0] <= low and high <= YEARS[1]) or _are_days(distinct):
        return None
    if high - low == len(values) - 1 and (low in (0, 1) or low >= 100):
        return "its whole numbers are all different and have no gaps"
    if len(values) >= ASCENDING and bool((np.diff(values) > 0).all()):
        return "its whole numbers are all different and ascend in the file"
    return None


def _are_long(values: FloatArray, least: int) -> bool:
    """Return whether numbers have the same large number of digits, and are not rounded."""
    digits = np.floor(np.log10(np.maximum(np.abs(values), 1))) + 1
    return bool(digits.min() >= least and digits.min() == digits.max() and (values % 10 == 0).mean() < 0.5)


def _are_days(values: FloatArray) -> bool:
    """Return whether all numbers are dates in the form yyyymmdd."""
    year, month, day = values // 10_000, values // 100 % 100, values % 100
    return all(
        low <= part.min() and part.max() <= high
        for part, (low, high) in ((year, YEARS), (month, (1, 12)), (day, (1, 31)))
    )


def _why_repeated(frame: pd.DataFrame, column: str, name: _Name) -> str | None:
    """Return the reason why a column with repeated values identifies persons or households, or None."""
    codes, distinct = pd.factorize(frame[column])
    present = codes[codes >= 0]
    n, size = len(present), len(distinct)
    if size < FEWEST or size == n:
        return None
    blocks = int((np.diff(present) != 0).sum()) + 1 <= size / MOST  # the records of a value follow one another
    alike = (name.named and n <= FEW_RECORDS * size) or (blocks and (name.named or name.unit))
    if not alike and not name.suggests:
        counts = np.bincount(present)
        balanced = counts.min() > 1 and float((counts == np.bincount(counts).argmax()).mean()) >= MOST
        if not (blocks and balanced):
            return None
    if not (alike or _has_constant(frame, column, codes)):
        return None
    named = ", and its name suggests an identifier" * name.suggests
    return f"each value is repeated, as for a person or a household with several records{named}"


def _has_constant(frame: pd.DataFrame, column: str, codes: IntArray) -> bool:
    """Return whether another variable is constant within the values of a column, such as sex within a person."""
    there = np.flatnonzero(codes >= 0)
    groups, size = codes[there], codes.max() + 1
    first = np.empty(size, dtype=np.int64)
    first[groups[::-1]] = there[::-1]
    repeated = np.bincount(groups) > 1
    for other in frame.columns.drop(column):
        levels, kinds = pd.factorize(frame[other])
        if 1 < len(kinds) < size:
            differs = np.bincount(groups, levels[there] != levels[first[groups]], size) > 0
            if not differs[repeated].any() or 1 - differs[repeated].mean() >= MOST:
                return True
    return False


def _share(form: re.Pattern[str], texts: list[str]) -> float:
    return sum(form.fullmatch(text) is not None for text in texts) / max(1, len(texts))


def _is_text(series: pd.Series) -> bool:
    values = _checks.categories_of(series) if isinstance(series.dtype, pd.CategoricalDtype) else series
    return _checks.kind_of(values) == "text"
