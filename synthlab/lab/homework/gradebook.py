"""The points of a class: a table, a page for each student, a page of the class, and the answers to be read."""

from __future__ import annotations

import csv
import io
import unicodedata
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar

import pandas as pd

from synthlab import _checks, _files
from synthlab._result import Result
from synthlab._typing import PathOrStr
from synthlab.exceptions import InputError
from synthlab.lab.homework.checking import Homework
from synthlab.lab.homework.submission import Submission

if TYPE_CHECKING:
    from jinja2 import Template

COLUMNS = ("submission", "question", "criterion", "possible", "points", "comment")
Written = Mapping[tuple[str, str, str], tuple[float | None, str]]


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class GradeBook(Result):
    """The points of all submissions to one homework.

    Attributes
    ----------
    homework : Homework
    submissions : tuple of Submission
        In the order of their names.
    written : mapping {(submission, question, criterion): (points, comment)}
        What a person gave for written answers; points are None where an answer is still to be read.
    """

    _table: ClassVar[str] = "page"

    homework: Homework
    submissions: tuple[Submission, ...]
    written: Written

    @property
    def title(self) -> str:
        """Of which homework."""
        return f"Grades of {self.homework.name}"

    def to_frame(self) -> pd.DataFrame:
        """Return one row a submission: points a question, total, how it ran; unread written answers are missing."""
        questions = list(self.homework.questions)
        rows = []
        for one in self.submissions:
            points = {name: self.points(one, name) for name in questions}
            total = sum(value for value in points.values() if value is not None)
            about = {"student": shown(one.student), "submission": shown(one.name)}
            rows.append({**about, **points, "total": float(total), "state": shown(one.state)})
        frame = pd.DataFrame(rows, columns=["student", "submission", *questions, "total", "state"])
        return frame.astype(dict.fromkeys([*questions, "total"], "float64"))

    def page(self) -> pd.DataFrame:
        """Return `to_frame` with what a person has still to read."""
        table = self.to_frame()
        return table.astype(object).where(table.notna(), "to read")

    def summary(self) -> pd.DataFrame:
        """Return one row a checked question: how many submissions have it right."""
        checked = self.homework.checked
        right = [sum(one.results[name].passed for one in self.submissions) for name in checked]
        return pd.DataFrame({"question": checked, "right": right, "submissions": len(self.submissions)})

    def points(self, one: Submission, question: str) -> float | None:
        """Return the points of a submission for a question, or None where a person has still to read."""
        if question in self.homework.checked:
            return float(one.results[question].points)
        given = [self._given(one, question, criterion)[0] for criterion in self._criteria(question)]
        return None if None in given else float(sum(value for value in given if value is not None))

    def written_frame(self) -> pd.DataFrame:
        """Return one row a criterion of a written answer, to be filled in; names are safe for a spreadsheet."""
        rows = []
        for one in self.submissions:
            for question in self.homework.written:
                for criterion, possible in self._criteria(question).items():
                    points, comment = self._given(one, question, criterion)
                    names = [safe(shown(one.name)), question, safe(criterion)]
                    rows.append([*names, possible, "" if points is None else f"{points:g}", safe(comment)])
        return pd.DataFrame(rows, columns=list(COLUMNS))

    def to_csv(self) -> str:
        """Return `to_frame` as CSV in which no cell is taken for a formula."""
        frame = self.to_frame()
        for column in ("student", "submission", "state"):
            frame[column] = frame[column].map(safe)
        return str(frame.to_csv(index=False, lineterminator="\n"))

    def to_html(self) -> str:
        """Return the page of the class: points, how each question went, and the messages."""
        frame = self.page().to_dict("records")
        rows = [(one, line) for one, line in zip(self.submissions, frame, strict=True)]
        possible = {name: self.homework.possible(name) for name in self.homework.questions}
        return _template("class").render(
            homework=self.homework,
            rows=rows,
            shares=self.summary().to_dict("records"),
            possible=possible,
            total=sum(possible.values()),
            shown=shown,
        )

    def feedback(self, one: Submission) -> str:
        """Return the page of one submission: its own results alone."""
        rubrics = {
            question: [
                (criterion, possible, *self._given(one, question, criterion))
                for criterion, possible in self._criteria(question).items()
            ]
            for question in self.homework.written
        }
        points = {name: self.points(one, name) for name in self.homework.questions}
        return _template("feedback").render(
            homework=self.homework, one=one, points=points, rubrics=rubrics, shown=shown,
            earned=sum(value for value in points.values() if value is not None),
            total=sum(map(self.homework.possible, self.homework.questions)),
        )  # fmt: skip

    def write(self, folder: PathOrStr) -> list[Path]:
        """Write ``grades.csv``, ``class.html`` and ``feedback/*.html`` into a folder, and return their paths.

        Raises
        ------
        InputError
            If a file cannot be written.
        """
        target = Path(folder)
        made = [_files.write_text(target / "grades.csv", self.to_csv())]
        for one in self.submissions:
            made.append(_files.write_text(target / "feedback" / f"{one.slug}.html", self.feedback(one)))
        return [*made, _files.write_text(target / "class.html", self.to_html())]

    def _criteria(self, question: str) -> dict[str, int]:
        kept: dict[str, int] = self.homework.questions[question]["criteria"]
        return kept

    def _given(self, one: Submission, question: str, criterion: str) -> tuple[float | None, str]:
        return self.written.get((one.name, question, criterion), (None, ""))


def shown(text: str) -> str:
    r"""Return a text on one line, what cannot be printed as an escape.

    Examples
    --------
    >>> from synthlab.lab.homework.gradebook import shown
    >>> print(shown("two\nlines"))
    two\nlines
    """
    return "".join(c if c.isprintable() else c.encode("unicode_escape").decode() for c in text)


def safe(text: str) -> str:
    """Return a text that no spreadsheet takes for a formula.

    Examples
    --------
    >>> from synthlab.lab.homework.gradebook import safe
    >>> safe("=1+1"), safe("anna")
    ("'=1+1", 'anna')
    """
    first = unicodedata.normalize("NFKC", text[:1])  # a wide equals sign is one too
    return f"'{text}" if first in ("=", "+", "-", "@", "\t", "\r") else text


def read_written(path: PathOrStr, homework: Homework, submissions: Sequence[str]) -> dict[Any, Any]:
    """Return the points and comments for written answers that a person filled in.

    Parameters
    ----------
    path : path
        A CSV file with the columns of `GradeBook.written_frame`; `possible` and `comment` may be left out, and points
        that are empty are still to be given.
    homework : Homework
    submissions : sequence of str
        The names that there are.

    Returns
    -------
    dict {(submission, question, criterion): (points, comment)}

    Raises
    ------
    InputError
        If the file cannot be read, or a line does not fit; the message names the line.
    """
    try:
        lines = list(csv.DictReader(io.StringIO(Path(path).read_text(encoding="utf-8-sig"))))
    except (OSError, ValueError, csv.Error) as error:
        raise InputError(f"written: cannot read {str(path)!r} as CSV: {error}") from None
    names = {safe(shown(name)): name for name in submissions} | {name: name for name in submissions}
    given: dict[tuple[str, str, str], tuple[float | None, str]] = {}
    for number, line in enumerate(lines, start=2):
        where = f"written: line {number} of {str(path)!r}"
        if missing := [name for name in ("submission", "question", "criterion", "points") if line.get(name) is None]:
            raise InputError(f"{where}: has no {missing[0]!r}")
        name, question = names.get(line["submission"]), line["question"]
        if name is None and not (line["points"] + (line.get("comment") or "")).strip():
            continue  # of a template that was written when the submission was still there
        if name is None:
            raise InputError(f"{where}: no such submission")
        if question not in homework.written:
            raise InputError(f"{where}: {question!r} is not a written question")
        criteria = {safe(one): one for one in homework.questions[question]["criteria"]}
        criterion = criteria.get(safe(line["criterion"]))
        if criterion is None:
            raise InputError(f"{where}: no such criterion of {question!r}")
        if (name, question, criterion) in given:
            raise InputError(f"{where}: is there twice")
        comment = line.get("comment") or ""
        comment = comment[1:] if comment[:1] == "'" and safe(comment[1:]) == comment else comment
        most = homework.questions[question]["criteria"][criterion]
        given[name, question, criterion] = (_points(line["points"], where, most), comment)
    return given


def _points(text: str, where: str, most: int) -> float | None:
    if not text.strip():
        return None
    try:
        value = float(text)
    except ValueError:
        raise InputError(f"{where}: points are no number") from None
    return _checks.check_number(value, f"{where}: points", low=0, high=most)


@cache
def _template(name: str) -> Template:
    from jinja2 import Environment, StrictUndefined
    from markupsafe import Markup

    folder = files("synthlab.lab.homework").joinpath("templates")
    environment = Environment(autoescape=True, undefined=StrictUndefined, trim_blocks=True)
    environment.globals["css"] = Markup(folder.joinpath("page.css").read_text(encoding="utf-8"))
    return environment.from_string(folder.joinpath(f"{name}.html.j2").read_text(encoding="utf-8"))
