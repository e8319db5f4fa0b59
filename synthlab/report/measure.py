"""Base class of the measures of a report.

To add a measure, write a class in `synthlab.report.measures` and add it to the registry there.
"""

from __future__ import annotations

import math
from base64 import b64encode
from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar, Generic, Literal, TypeVar, cast

import numpy as np
import pandas as pd

from synthlab._format import SMALLEST_GROUP, count, fewer_than_10, percent, round_people, three_digits, two_digits
from synthlab._result import Result
from synthlab.report.evaluation_inputs import Question

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

R = TypeVar("R", bound=Result)
Write = Callable[..., str]  # arguments: a number and, for a number of people, the totals that it is a part of
Section = Literal["risk", "utility"]
COLUMNS = ("synthetic", "confidential", "known_only", "random_guess")
WRITE: dict[str, Write] = {"people": count, "share": percent, "number": three_digits}
WIDE = (6.4, 4.2)
SQUARE = (5.5, 5.2)  # inches


@dataclass(frozen=True, slots=True, eq=False)
class Row:
    """One row of the summary: a number of the release with its baselines.

    Attributes
    ----------
    name, label : str
        The name in tables and files, and the name in the overview.
    kind : {"people", "share", "number"}
        A number of people, a share of people, or neither.
    per_dataset : array of m numbers, optional
        One number per dataset. `synthetic` is their mean unless it is given.
    synthetic, confidential, known_only, random_guess : float
        The number for the release, for the data released unchanged, for the known variables alone, and for a random
        guess. NaN: does not apply.
    of : tuple of float
        The total number of people: in the release, for `synthetic`; in the confidential data, for the other three
        columns.
    within : float
        A smaller total for `synthetic`. For example, people found with certainty are a part of the people with a single
        match. NaN: none.
    summarised : bool
        Whether the number is a row of the summary; if False, it appears only in comparisons of releases.
    hidden : tuple of str
        Columns that are not for publication.
    step : float
        For publication, the numbers are rounded to multiples of `step`; 0: not rounded.
    digits : int
        Significant digits of a number for publication.
    """

    name: str
    label: str
    kind: Literal["people", "share", "number"] = "number"
    per_dataset: Any = None
    synthetic: float | None = None
    confidential: float = math.nan
    known_only: float = math.nan
    random_guess: float = math.nan
    of: tuple[float, float] = (math.nan, math.nan)
    within: float = math.nan
    summarised: bool = True
    hidden: tuple[str, ...] = ()
    step: float = 0.0
    digits: int = 2

    @property
    def values(self) -> dict[str, float]:
        """The numbers of the four columns."""
        return {column: float(self.release if column == "synthetic" else getattr(self, column)) for column in COLUMNS}

    @property
    def release(self) -> float:
        """The number of the release; by default the mean over the datasets."""
        if self.synthetic is not None:
            return self.synthetic
        return float(pd.Series(np.asarray(self.per_dataset, dtype=np.float64)).mean())

    def texts(self, *, publish: bool = False) -> tuple[str, ...]:
        """Return the label and the columns as text; absent baselines are empty."""
        return (
            self.label,
            *(self._text(i, v) for i, v in enumerate((self.published() if publish else self.values).values())),
        )

    def _text(self, place: int, value: float | str) -> str:
        if isinstance(value, str):
            return value
        return "" if math.isnan(value) and place > 0 else WRITE[self.kind](value)

    def published(self) -> dict[str, float | str]:
        """Return the four columns, rounded, without counts of 1 to 9 people or their complements."""
        values = {name: coarse(value, self.step) for name, value in self.values.items()}
        values |= dict.fromkeys(self.hidden, math.nan)
        return {name: self._published(name, value) for name, value in values.items()}

    def _published(self, column: str, value: float) -> float | str:
        if self.kind == "number" or math.isnan(value):
            return float(f"{round(value, 9):.{self.digits}g}")  # not the rounding errors
        total = self.of[min(COLUMNS.index(column), 1)]
        people = value * total if self.kind == "share" else value
        text = fewer_than_10(abs(people), total, self.within if column == "synthetic" else math.nan)
        if "fewer" in text:
            return f"{text} records"
        rounded = math.copysign(round_people(abs(people), total), people)
        return round_share(rounded, total) if self.kind == "share" else rounded


@dataclass(frozen=True, slots=True)
class Line:
    """One line of the page: a measure, its values as text, and their meaning."""

    name: str
    synthetic: str
    confidential: str
    meaning: str


@dataclass(frozen=True, slots=True)
class Answer:
    """One row of the first screen: a question, what was found, and what chance explains.

    Attributes
    ----------
    question : str
        The question, without the name of a measure.
    found : str
        What was found in the release.
    by_chance : str
        The same for a release that depends on no single person: what chance explains, or a correct release has.
    word : str
        The judgment in one to three words. A finding of the measure replaces it by STOP or CHECK.
    level : {"STOP", "CHECK", "good", "fair", "poor", ""}
        The level of the word; "": neutral.
    """

    question: str
    found: str
    by_chance: str = ""
    word: str = ""
    level: Literal["STOP", "CHECK", "good", "fair", "poor", ""] = ""


NONE, CHANCE, NOTHING_ADDED = "none found", "as by chance", "adds nothing"
RATINGS: tuple[Literal["good", "fair", "poor"], ...] = ("good", "fair", "poor")


def rated(question: str, found: str, correct: str, value: float, good: float, fair: float) -> Answer:
    """Return a row on utility with its rating: "good" up to `good`, "fair" up to `fair`, otherwise "poor".

    >>> rated("All variables", "pMSE ratio 1.5", "1 to 2", 1.5, good=3, fair=10).word
    'good'
    """
    rating = RATINGS[(value > good) + (value > fair)]
    return Answer(question, found, correct, rating, rating)


@dataclass(frozen=True, slots=True)
class Finding:
    """Reason for the verdict STOP or CHECK.

    Attributes
    ----------
    level : {"STOP", "CHECK"}
        STOP: confidential records or values are released. CHECK: a person must judge.
    sentence : str
        The finding in one sentence of at most 30 words.
    measure : str
        The name of the measure.
    dataset : int or None
        The number of the dataset, from 1; None if the finding is about the whole release.
    columns : tuple of str
        The columns concerned.
    people, of : float
        The number of people concerned, out of how many; NaN if people are not counted.
    remedy : str
        What to do about the finding, in one sentence; for CHECK, the criterion by which a person can decide. "": not stated.
    estimated : bool
        Whether the number of people is estimated from a sample and includes people who are counted by another measure.
    """

    level: Literal["STOP", "CHECK"]
    sentence: str
    measure: str
    dataset: int | None = None
    columns: tuple[str, ...] = ()
    people: float = math.nan
    of: float = math.nan
    remedy: str = ""
    estimated: bool = False

    @property
    def severity(self) -> tuple[bool, float]:
        """The sort key: STOP before CHECK, then the share of the people.

        An estimated number comes before a count of people only if it is more than twice as large.
        """
        share_of_people = self.people / self.of if self.of > 0 else 0.0
        return self.level == "STOP", share_of_people / 2 if self.estimated else share_of_people


@dataclass(frozen=True, slots=True)
class Picture:
    """Figure as a data URI, with its caption and a description in words."""

    source: str
    caption: str
    description: str
    square: bool


@dataclass(frozen=True, slots=True)
class Table:
    """Table of texts: heading, explanation, column names and rows.

    `numbers` and `wrap` state how the command prints it: numbers to the right, and long cells in several lines.
    """

    heading: str
    text: str
    columns: list[str]
    rows: list[list[str]]
    numbers: bool = False
    wrap: bool = False


@dataclass(frozen=True, slots=True)
class Shown:
    """Figures and tables of a measure; `not_drawn` names variables without a figure."""

    pictures: tuple[Picture, ...] = ()
    tables: tuple[Table, ...] = ()
    not_drawn: tuple[str, ...] = ()


def out_of(value: float, total: float, people: Write) -> str:
    """Write a number of people out of a total.

    >>> out_of(1446, 1500, count), out_of(1496, 1500, fewer_than_10)
    ('1,446 of 1,500', 'all but fewer than 10 of 1,500')
    """
    return f"{people(value, total)} of {count(total)}"


def about(value: float, total: float, people: Write) -> str:
    """Write an expected number of people as a whole number.

    >>> about(10.9, 1500, count), about(11, 1500, count), about(0.25, 1500, count)
    ('about 11', '11', '0.25')
    """
    text = people(value, total)
    return text if value < 1 or float(value).is_integer() or text != count(value) else f"about {count(round(value))}"


def people_are(value: float, total: float, people: Write) -> str:
    """Write a number of people with the verb that agrees.

    >>> people_are(1, 1500, count), people_are(2, 1500, count)
    ('1 person is', '2 people are')
    """
    text = people(value, total)
    return "1 person is" if text == "1" else f"{text} people are"


def out_of_are(value: float, total: float, people: Write) -> str:
    """Write a number of people out of a total with the verb that agrees.

    >>> out_of_are(1, 1500, count), out_of_are(16, 1500, count)
    ('1 of 1,500 people is', '16 of 1,500 people are')
    """
    return f"{out_of(value, total, people)} people {'is' if people(value, total) == '1' else 'are'}"


def coarse(value: float, step: float) -> float:
    """Round to a multiple of `step`, unless it is 0."""
    return round(value / step) * step if step and math.isfinite(value) else value


def points(excess: float, of: float, people: Write) -> str:
    """Write a difference of two shares in percentage points; for publication, in steps of at least 10 people.

    >>> points(0.066, 2000, count), points(0.066, 200, fewer_than_10), points(-0.02, 2000, count)
    ('7 points', '5 points', 'adds nothing')
    """
    step = 0.01 if people is count else max(0.01, SMALLEST_GROUP / of)
    number = round(100 * coarse(excess, step))
    return f"{number} {'point' if number == 1 else 'points'}" if number > 0 else NOTHING_ADDED


def share(rate: float, of: float, people: Write, *totals: float) -> str:
    """Write a share as a percentage, or as a number if that would reveal a count."""
    part = round(rate * of, 9)
    text = people(part, of, *totals)
    if "fewer" in text:
        return text
    return percent(rate if people is count or math.isnan(rate) else round_share(round_people(part, of), of))


def round_share(people: float, total: float) -> float:
    """Return a share with two digits, or with two digits of the other share if that is smaller.

    >>> round_share(50, 137), round_share(1460, 1500), round_share(1500, 1500)
    (0.36, 0.973, 1.0)
    """
    rate = people / total
    return two_digits(rate) if rate <= 0.5 else round(1 - two_digits(1 - rate), 9)


def draw(onto: Callable[[Axes], Any], caption: str, description: str, figsize: tuple[float, float] = WIDE) -> Picture:
    """Draw a separate figure and return it as a data URI.

    Separate figures prevent clashes of their ids on the page.
    """
    from synthlab.plots import style

    with style.context():
        ax: Axes = style.off_screen(figsize)
        onto(ax)
        image = style.svg(cast("Figure", ax.figure))
    source = f"data:image/svg+xml;base64,{b64encode(image.encode()).decode()}"
    return Picture(source, caption, description, square=figsize is SQUARE)


class Measure(Generic[R]):
    """Base class of a measure of risk or utility.

    Attributes
    ----------
    name : str
        The name among the results and in files.
    title : str
        The name in sentences, for example if the measure could not be computed.
    section : {"risk", "utility"}
        The section of the page.
    by_row : str
        The name in the list of measures that compare row i with record i and apply only if rows may correspond; "" if
        the measure does not depend on the order of the rows.
    numbers : tuple of str
        The names of the rows of the summary. A limit can be set on each.
    exposes : str
        The name of the number that orders several intruders; "" if there is none.
    of_values : bool
        Whether the measure describes what an intruder learns about a person without finding that person's record.
    asks_intruder : bool
        Whether the result depends on the intruder.
    of_columns : bool
        Whether the result describes columns and not people. For publication, it is not computed from merged values.
    groups : bool
        Whether `compute` itself forms groups of at least 10 people for publication.
    per_unit : bool
        Whether the measure is about units, such as households; without units it is omitted.
    by_record : bool
        Whether the measure treats each record as a person even if units are declared; the report then says so.
    nothing : str
        For NOTHING FOUND: the sentence if this measure was computed; "" if another measure states it.
    """

    name: ClassVar[str]
    title: ClassVar[str]
    section: ClassVar[Section]
    by_row: ClassVar[str] = ""
    numbers: ClassVar[tuple[str, ...]] = ()
    exposes: ClassVar[str] = ""
    of_values: ClassVar[bool] = False
    asks_intruder: ClassVar[bool] = True
    of_columns: ClassVar[bool] = False
    groups: ClassVar[bool] = False
    per_unit: ClassVar[bool] = False
    by_record: ClassVar[bool] = False
    nothing: ClassVar[str] = ""

    def check(self, question: Question) -> None:
        """Raise an error if an argument that only this measure uses is invalid.

        An error in a later step does not stop the evaluation; the measure is reported as failed.
        """

    def applies(self, question: Question) -> str | None:
        """Return None, or the reason why the measure does not apply."""
        return None

    def left_out(self, question: Question) -> list[str]:
        """Return sentences on parts that cannot be measured.

        The method is called before `applies` and may warn.
        """
        return []

    def compute(self, question: Question) -> R:
        """Return the result; the evaluation records its warnings."""
        raise NotImplementedError

    def rows(self, result: R, question: Question) -> list[Row]:
        """Return the rows of the summary."""
        raise NotImplementedError

    def lines(self, result: R, question: Question, people: Write) -> list[Line]:
        """Return the lines of the page; `people` writes a number of people."""
        raise NotImplementedError

    def findings(self, result: R, question: Question, people: Write) -> list[Finding]:
        """Return the reasons for a verdict; `people` writes a number of people."""
        return []

    def answers(self, result: R, question: Question, people: Write) -> list[Answer]:
        """Return the rows of the first screen; `people` writes a number of people.

        If several measures answer the same question, the first screen shows the first answer with the worst rating.
        """
        return []

    def closeness(self, result: R) -> pd.DataFrame | None:
        """Return the curves of the first screen, or None.

        Columns: `score`, and the shares above it: `released` (people and released records), `people` (people and other
        people), and `release` (pairs of released records).
        """
        return None

    def power(self, result: R, question: Question, people: Write) -> str | None:
        """State which copies would have been found, in one sentence, or return None."""
        return None

    def headline(self, result: R, question: Question, people: Write) -> str | None:
        """Return a sentence for the headline if a difference is so clear that the reader must know it first."""
        return None

    def too_good(self, result: R, question: Question) -> str | None:
        """Return a sentence if the result is too good for independent synthetic data."""
        return None

    def to_dict(self, result: R, question: Question, *, publish: bool) -> Any:
        """Return the part of the JSON file.

        For publication, it contains no records, no list over the datasets and no small numbers.
        """
        return None if publish else result.to_dict()

    def show(self, result: R, question: Question, *, show_values: bool, publish: bool) -> Shown:
        """Return the figures and tables of the page.

        For publication, they show groups of at least 10 records.
        """
        return Shown()
