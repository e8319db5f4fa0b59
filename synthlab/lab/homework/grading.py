"""Grade a folder of submissions: the checks into a table, the written answers to a rubric."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from os import PathLike
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar

import pandas as pd

from synthlab import _checks
from synthlab._result import Result
from synthlab._typing import PathOrStr
from synthlab.exceptions import InputError
from synthlab.lab.homework.checking import sealed_homework
from synthlab.lab.homework.submission import Submission, run_submission

if TYPE_CHECKING:
    from jinja2 import Template


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class GradeBook(Result):
    """The points of all submissions to one homework.

    Attributes
    ----------
    homework : str
        Its short name.
    submissions : tuple of Submission
        In the order of their names.
    written : mapping {(submission, question): points}
        The points a person gave for written answers.
    """

    _table: ClassVar[str] = "page"

    homework: str
    submissions: tuple[Submission, ...]
    written: Mapping[tuple[str, str], float]

    @property
    def title(self) -> str:
        """Of which homework."""
        return f"Grades of {self.homework}"

    @property
    def questions(self) -> dict[str, Any]:
        """The questions, without their answers."""
        kept: dict[str, Any] = sealed_homework(self.homework).questions
        return kept

    def to_frame(self) -> pd.DataFrame:
        """Return one row a submission: points a question, total, how it ran; unread written answers are missing."""
        rows = []
        for one in self.submissions:
            points = {name: self._points(one, name) for name in self.questions}
            total = sum(value for value in points.values() if value is not None)
            rows.append({"submission": one.name, **points, "total": float(total), "state": one.state})
        frame = pd.DataFrame(rows, columns=["submission", *self.questions, "total", "state"])
        return frame.astype(dict.fromkeys([*self.questions, "total"], "float64"))

    def page(self) -> pd.DataFrame:
        """Return `to_frame` with what a person has still to read."""
        table = self.to_frame()
        return table.astype(object).where(table.notna(), "to read")

    def summary(self) -> pd.DataFrame:
        """Return one row a checked question: how many submissions have it right."""
        checked = [name for name, kept in self.questions.items() if kept["kind"] != "written"]
        right = [sum(one.results[name].passed for one in self.submissions) for name in checked]
        columns = {"question": checked, "right": right, "submissions": len(self.submissions)}
        return pd.DataFrame(columns)

    def to_html(self) -> str:
        """Return one page: the points, the messages, and the written answers with their rubric."""
        frame = self.to_frame()
        rows = [self._row(one, line) for one, line in zip(self.submissions, frame.to_dict("records"), strict=True)]
        shares = {r["question"]: f"{r['right']} of {r['submissions']}" for r in self.summary().to_dict("records")}
        possible = {kind: _possible(self.questions, kind) for kind in (False, True)}
        return _template().render(
            homework=self.homework,
            questions=self.questions,
            rows=rows,
            shares=shares,
            checked=possible[False],
            written=possible[True],
        )

    def _row(self, one: Submission, line: Mapping[Any, Any]) -> dict[str, Any]:
        points = {name: "to read" if pd.isna(line[name]) else f"{line[name]:g}" for name in self.questions}
        messages = {name: result.message for name, result in one.results.items()}
        about = {"submission": one.name, "total": f"{line['total']:g}", "state": one.state}
        return about | {"points": points, "messages": messages, "texts": one.texts}

    def _points(self, one: Submission, name: str) -> float | None:
        if self.questions[name]["kind"] == "written":
            return self.written.get((one.name, name))
        return float(one.results[name].points)


def grade_folder(
    folder: PathOrStr,
    homework: str,
    *,
    written: pd.DataFrame | PathOrStr | None = None,
    timeout: int = 300,
    progress: bool = False,
) -> GradeBook:
    """Run every notebook of a folder and check it.

    The submissions' code is RUN, each in a kernel of its own, with the rights of whoever calls this. Grade strangers'
    notebooks in a container.

    Parameters
    ----------
    folder : path
        Holds one ``.ipynb`` a submission.
    homework : str
        Its short name, for example ``"hw1"``.
    written : DataFrame or path, optional
        Points for written answers, with the columns submission, question, points. In a CSV file the submission ``0123``
        is that name, not a number.
    timeout : int >= 1
        Seconds a cell may take.
    progress : bool
        Show a progress bar on standard error if it takes more than a second.

    Returns
    -------
    GradeBook

    Raises
    ------
    InputError
        If there is no such homework or no notebook, or the points for written answers do not fit.

    Examples
    --------
    >>> from synthlab.lab.homework import grade_folder
    >>> grade_folder("no such folder", "hw1")
    Traceback (most recent call last):
    synthlab.exceptions.InputError: folder='no such folder': holds no notebook
    """
    from tqdm import tqdm

    questions = sealed_homework(homework).questions
    seconds = _checks.check_count(timeout, "timeout")
    paths = sorted(Path(folder).glob("*.ipynb"))
    if not paths:
        raise InputError(f"folder={str(folder)!r}: holds no notebook")
    given = {} if written is None else _written_points(written, questions, [path.stem for path in paths])
    shown = tqdm(paths, desc="submissions", delay=1.0, disable=not progress)
    return GradeBook(homework, tuple(run_submission(path, homework, timeout=seconds) for path in shown), given)


def _read_points(path: PathOrStr) -> pd.DataFrame:
    """Read the points for written answers, the names of submissions and questions as they are typed."""
    try:
        return pd.read_csv(
            path,
            encoding="utf-8-sig",
            dtype={"submission": str, "question": str},
            keep_default_na=False,
            na_values={"points": ["", "NA"]},
        )
    except (OSError, ValueError) as error:  # of the latter kind is all that is wrong with a text or its encoding
        raise InputError(f"written: cannot read {str(path)!r} as CSV: {error}") from None


def _written_points(
    table: pd.DataFrame | PathOrStr, questions: Mapping[str, Any], submissions: Sequence[str]
) -> dict[tuple[str, str], float]:
    frame = _checks.check_frame(_read_points(table) if isinstance(table, str | PathLike) else table, "written")
    _checks.check_columns(frame, ["submission", "question", "points"], "columns", where="written")
    given: dict[tuple[str, str], float] = {}
    for row in frame.to_dict("records"):
        submission, question = str(row["submission"]), str(row["question"])
        if submission not in submissions:
            raise InputError(f"written: submission {submission!r} is not in the folder")
        if questions.get(question, {}).get("kind") != "written":
            raise InputError(f"written: {question!r} is not a written question")
        if (submission, question) in given:
            raise InputError(f"written: {submission!r} has points for {question!r} twice")
        high = questions[question]["points"]
        given[submission, question] = _checks.check_number(row["points"], f"points of {submission!r}", low=0, high=high)
    return given


def _possible(questions: Mapping[str, Any], written: bool) -> int:
    return sum(kept["points"] for kept in questions.values() if (kept["kind"] == "written") == written)


@cache
def _template() -> Template:
    from jinja2 import Environment, StrictUndefined

    source = files("synthlab.lab.homework").joinpath("templates", "grades.html.j2").read_text(encoding="utf-8")
    return Environment(autoescape=True, undefined=StrictUndefined, keep_trailing_newline=True).from_string(source)
