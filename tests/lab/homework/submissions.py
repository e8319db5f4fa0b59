"""A small homework, and a class that hands it in: right, wrong in typical ways, and files that are no notebook."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from nbformat import NotebookNode, write
from nbformat.v4 import new_code_cell, new_markdown_cell, new_notebook

HOMEWORK = "small"
QUESTIONS = ("mean", "tax", "made")
RIGHT, NOTHING = (2.0, 3.0, 3.0), (0.0, 0.0, 0.0)

SETUP = """
import pandas as pd
from synthlab.lab.homework import check

CLASS = 1
people = pd.DataFrame({"age": [21, 35, 35, 48, 60, 74], "income": [12.0, 30.0, 34.0, 51.0, 47.0, 24.0]})
people["income"] += CLASS
""".strip()
MEAN = 'mean = people["income"].mean()'
TAX = """
def tax(income, rate):
    return income * rate if income > 20 else 0.0
""".strip()
MADE = """
one = people.assign(income=people["income"].to_numpy()[::-1])
other = people.assign(income=people["income"].to_numpy()[[1, 0, 3, 2, 5, 4]])
made = [one, other]
""".strip()
MARK = "<!-- WRITTEN why -->\n"
WHY = "Whoever earns most is known to everybody, and the mean of six people tells a lot about each of them."
LAST, IN_LAST = 7, 5  # the first cell after those of the homework, and its number among those with code

CHECKS = '''
"""The check of the homework small."""

import pandas as pd


def two_datasets(answer, settings):
    if not isinstance(answer, list) or not all(isinstance(one, pd.DataFrame) for one in answer):
        return "it should be a list of two frames."
    if len(answer) != 2:
        return f"it has {len(answer)} dataset, asked for are 2."
    if any(list(one) != ["age", "income"] or one.notna().sum().sum() != 12 for one in answer):
        return "every dataset must have the rows and the columns of people."
    kept = [row for row, income in enumerate(settings["income"]) if all(one["income"].iloc[row] == income for one in answer)]
    if kept:
        return 1 / 3, f"row {kept[0]} is released as it is in every dataset."
    return None
'''
SEALED = """
# ANSWERS
from synthlab.lab.homework import FunctionAnswer, NumberAnswer, PropertyAnswer, WrittenAnswer

homework, salt = "small", "six people"
answers = {
    "mean": NumberAnswer(
        mean, 0.01, 2, "the mean income",
        wrong={"that is the median.": people["income"].median(), "that is the sum.": people["income"].sum(),
               "that divides by one less.": people["income"].sum() / 5},
    ),
    "tax": FunctionAnswer(
        tax, [(13.0, 0.1), (20.0, 0.5), (35.0, 0.2)], 3, "the tax",
        wrong={"20 is not more than 20.": lambda income, rate: income * rate if income >= 20 else 0.0,
               "the rate is a share.": lambda income, rate: income * rate / 100 if income > 20 else 0.0,
               "up to 20 nothing is due.": lambda income, rate: income * rate},
    ),
    "made": PropertyAnswer("two_datasets", 3, "two datasets", {"income": people["income"].tolist()}),
    "why": WrittenAnswer({"says who": 1, "says why": 1}, "why", fewest=10),
}
""".strip()


def write_master(folder: Path) -> Path:
    """Write the master of the homework and its check beside it; return the master."""

    def solved(code: str, name: str, stub: str) -> str:
        return f'# SOLUTION BEGIN\n# STUDENT: {stub}\n{code}\n# SOLUTION END\ncheck("{HOMEWORK}.{name}", {name})'

    cells = [
        new_markdown_cell("# Small"),
        new_code_cell(SETUP),
        new_code_cell(solved(MEAN, "mean", "mean = ...")),
        new_code_cell(solved(TAX, "tax", "tax = ...")),
        new_code_cell(solved(MADE, "made", "made = ...")),
        new_markdown_cell(f"{MARK}<!-- SOLUTION BEGIN -->\n{WHY}\n<!-- SOLUTION END -->"),
        new_code_cell(SEALED),
    ]
    (folder / f"{HOMEWORK}_checks.py").write_text(CHECKS, encoding="utf-8")
    write(new_notebook(cells=cells), folder / f"{HOMEWORK}_people.ipynb")
    return folder / f"{HOMEWORK}_people.ipynb"


def submission(
    *last: str, first: str = "", mean: str = MEAN, tax: str = TAX, made: str = MADE, why: str = MARK + WHY
) -> Any:
    """Return a notebook: the cells of the homework as they are answered, and what comes after them."""
    answers = [
        f'{code}\ncheck("{HOMEWORK}.{name}", {name})' for name, code in zip(QUESTIONS, (mean, tax, made), strict=True)
    ]
    code = [new_code_cell(text) for text in (f"{SETUP}\n{first}", *answers)]
    return new_notebook(cells=[new_markdown_cell("# Small"), *code, _written(why), *map(new_code_cell, last)])


def _written(text: str) -> Any:
    """Return the cell of the written answer, with what the student edition says about it."""
    return new_markdown_cell(text, metadata={"synthlab": {"written": "why"}})


@dataclass(frozen=True)
class Case:
    """A file of the class, and what is expected of its grading.

    `points` are those of mean, tax and made; `state` is a regular expression of the whole state; `says` are texts on
    the feedback page. `harms` marks what must not be run outside of a sandbox.
    """

    file: str
    content: Any
    points: tuple[float, float, float] = RIGHT
    state: str = "ran through"
    says: tuple[str, ...] = ()
    harms: bool = False

    @property
    def name(self) -> str:
        """Short name, for the list of tests."""
        return self.file.removesuffix(".ipynb")

    def write(self, folder: Path) -> None:
        """Write the file."""
        path = folder / self.file
        path.parent.mkdir(exist_ok=True)
        content = self.content if isinstance(self.content, bytes) else json.dumps(self.content).encode()
        path.write_bytes(content)


NUMPY = """
import numpy as np

mean = np.array([people["income"].mean()])
"""
RELEASE = MADE.replace("made = [one, other]", "import synthlab\n\nmade = synthlab.Release([one, other])")
R = {"kernelspec": {"name": "ir", "language": "R", "display_name": "R"}, "language_info": {"name": "R"}}


def right() -> list[Case]:
    """Return right answers in several styles."""
    in_two = submission()
    in_two.cells[2:3] = [new_code_cell(MEAN), new_code_cell(f'check("{HOMEWORK}.mean", mean)')]
    failed = submission(first="1 / 0")
    failed.cells.insert(3, new_code_cell("nobody.knows"))
    return [
        Case("anna.ipynb", submission()),
        Case("ben.ipynb", in_two),
        Case("carla.ipynb", submission(mean=NUMPY, tax="tax = lambda income, rate: (income > 20) * income * rate")),
        Case("dora.ipynb", submission(made=RELEASE)),
        Case("emil.ipynb", failed, state="2 cells failed"),
        Case("fay.ipynb", submission("mean, tax, made = None, None, None")),
        Case("gus__late_12.ipynb", submission('check("small.mean", 1)')),
    ]


def wrong() -> list[Case]:
    """Return typical wrong answers, each with what it is told."""
    stubs = {name: f"{name} = ..." for name in QUESTIONS}
    raising = 'def tax(income, rate):\n    raise ValueError("<b>no</b> idea")'
    return [
        Case("hana.ipynb", submission(**stubs), NOTHING, says=("No answer was found",)),
        Case(
            "ivan.ipynb",
            submission(
                mean='mean = people["income"].median()', tax=TAX.replace("> 20", ">= 20"), made="made = [people] * 2"
            ),
            (0, 0, 1),
            says=("That is the median.", "20 is not more than 20.", "Row 0 is released as it is in every dataset."),
        ),
        Case(
            "jana.ipynb",
            submission(
                mean='mean = people["income"].sum()',
                tax=TAX.replace("rate if", "rate / 100 if"),
                made=f"{MADE.splitlines()[0]}\nmade = [one]",
            ),
            NOTHING,
            says=("That is the sum.", "rate is a share.", "has 1 dataset"),
        ),
        Case(
            "kim.ipynb",
            submission(mean='mean = "34"', tax=raising, made="made = people"),
            NOTHING,
            says=("Asked for is one number", "ValueError: <b>no</b> idea", "hould be a list of two"),
        ),
        Case(
            "lena.ipynb",
            submission(mean='mean = people["income"]', tax="tax = 3", made="made = None", why=WHY),
            NOTHING,
            says=("6 values", "function", "hould be a list of two"),
        ),
    ]


def odd_files() -> list[Case]:
    """Return files that are no notebook, or not the one that was asked for."""
    nested = b'{"cells": ' + b"[" * 200_000
    many = submission()
    for cell, count in ((new_code_cell("x = 1"), 300), (new_markdown_cell("x"), 4700)):
        # Made anew, each would be validated.
        many.cells += [NotebookNode(cell, id=f"{cell.id}-{i}") for i in range(count)]
    loud = submission()
    loud.cells[1]["outputs"] = [{"output_type": "stream", "name": "stdout", "text": "x" * 20_000_000}]
    in_r = new_notebook(cells=[new_code_cell("x <- 1")], metadata=R)
    unread = {"points": NOTHING, "state": "not read: is no notebook"}
    wordy = submission(why=MARK + "words " * 2_000_000)
    half = "\\ud83d"  # of an emoji
    return [
        Case("o_broken.ipynb", json.dumps(submission()).encode()[:-40], **unread),
        Case("o_bytes.ipynb", bytes(range(256)) * 40, **unread),
        Case("o_deep.ipynb", nested, **unread),
        Case("o_digits.ipynb", b'{"nbformat": ' + b"4" * 200_000 + b', "cells": []}', **unread),
        Case("o_list.ipynb", b"[1, 2]", **unread),
        Case("o_zero.ipynb", b"", **unread),
        Case("o_empty.ipynb", new_notebook(), NOTHING, "ran through", ("No answer was found",)),
        Case("o_in_r.ipynb", in_r, NOTHING, "not run: a notebook in R"),
        Case("o_long.ipynb", many),
        Case("o_wordy.ipynb", wordy),
        Case("o_loud.ipynb", loud),
        Case(
            "o_half_emoji.ipynb",
            json.dumps(submission("print('HALF')", why=MARK + WHY + "HALF")).replace("HALF", half).encode(),
            state="ran through|1 cell failed",
        ),
        Case("otto__1.ipynb", submission(), state="ran through; one of 2 notebooks of this student"),
        Case(
            "otto__2.ipynb", submission(mean="mean = 1"), (0, 3, 3), "ran through; one of 2 notebooks of this student"
        ),
    ]


def odd_names() -> list[Case]:
    """Return names that are meant for a table, a page or a shell; what hands over a path is tried by those that run."""
    run = ("=cmd|'calc'!A0", "<img src=x onerror=alert(1)>", "$(id);&")
    not_run = ("\"quo'ted", "line\nend", "@sum", "\ttab", "-n", "a..", "+")
    return [
        *(Case(f"{name}.ipynb", submission()) for name in run),
        *(Case(f"{name}.ipynb", b"", NOTHING, "not read: is no notebook") for name in not_run),
    ]


def write_class(folder: Path, cases: Sequence[Case]) -> None:
    """Write a class into a folder."""
    folder.mkdir(parents=True, exist_ok=True)
    for case in cases:
        case.write(folder)
