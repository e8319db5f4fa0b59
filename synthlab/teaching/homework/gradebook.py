"""Gradebook of a class: the automatic scores of otter-grader and the points of the written answers."""

from __future__ import annotations

import json
import re
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from synthlab import _checks
from synthlab._system import atomic_write
from synthlab._typing import PathOrStr
from synthlab.exceptions import InputError
from synthlab.io import read
from synthlab.teaching.files import read_notebook

GRADEBOOK, WRITTEN, GRADES = "gradebook.csv", "written_points.csv", "final_grades.csv"
KEY = ["student", "homework", "question"]
COLUMNS = ["student", "homework", "automatic", "written", "total", "maximum", "remark"]
_POSSIBLE = "points-per-question"  # row of final_grades.csv with the points that a question gives
_NUMBER = r"^points: *([\d.]+)"


@dataclass(frozen=True, slots=True)
class Gradebook:
    """Points of a class.

    Attributes
    ----------
    table : pandas.DataFrame
        One row per submission: student, homework, automatic, written and total points, the maximum, and a remark. Points
        that are not known yet are NaN.
    files : tuple of Path
        Files that were written: the gradebook, and the file of the written points if it is new or has new rows.
    """

    table: pd.DataFrame
    files: tuple[Path, ...]


def write_gradebook(folder: PathOrStr) -> Gradebook:
    """Add automatic and written points of all submissions, and write them to ``gradebook.csv``.

    Parameters
    ----------
    folder : path
        Folder of the class. For each homework it contains a folder, for example ``hw1``, with the master notebook, the
        folder ``submissions`` with a notebook such as ``ada.ipynb`` for each student, and the results of otter-grader:
        ``final_grades.csv`` of ``otter grade``, or ``grades/ada/results.json`` of ``otter run``. If a student has both,
        ``results.json`` counts. The points of the written answers are in ``written_points.csv``, which is created with a
        row for each student and written question; rows for later submissions are added.

    Returns
    -------
    Gradebook
        The total of a student is NaN (an empty cell) until all written answers have points. A submission that is not a
        notebook or that otter-grader could not run has 0 automatic points and a remark.

    Raises
    ------
    InputError
        If there is no homework, a homework has no master, or ``written_points.csv`` has a row without a submission, a row
        twice, or points outside [0, maximum].
    """
    root = _checks.check_path(folder, "folder")
    homes = sorted(path.parent for path in root.glob("*/submissions") if path.is_dir())
    if not homes:
        raise InputError(f"folder={str(folder)!r}: must contain a folder such as hw1/submissions for each homework")
    table = pd.concat([_automatic(home) for home in homes], ignore_index=True)
    questions = pd.concat([_written_questions(home) for home in homes], ignore_index=True)
    asked = table[KEY[:2]].merge(questions, on="homework")
    given, is_new = _written_points(root / WRITTEN, asked)
    files = [atomic_write.write_text(root / WRITTEN, given.to_csv(index=False, float_format="%g"))] if is_new else []
    groups = given.groupby(KEY[:2])
    sums = pd.DataFrame({"points": groups["points"].sum(), "maximum": groups["maximum"].sum()})
    sums["points"] = sums["points"].mask(groups["points"].count() < groups.size())  # some points are not given yet
    sums = table[KEY[:2]].join(sums, on=KEY[:2])
    no_question = sums["maximum"].isna()
    table["written"] = sums["points"].mask(no_question, 0.0)
    table["total"] = table["automatic"] + table["written"]
    table["maximum"] += sums["maximum"].fillna(0.0)
    table = table[COLUMNS]
    files.insert(0, atomic_write.write_text(root / GRADEBOOK, table.to_csv(index=False, float_format="%g")))
    return Gradebook(table, tuple(files))


def _automatic(home: Path) -> pd.DataFrame:
    """Return the automatic points of every submission of a homework, with their maximum and a remark."""
    results = _results(home)
    possible = pd.Series([one["possible"] for one in results.values()], dtype=float).dropna()
    maximum = float(possible.mode().iloc[0]) if len(possible) else np.nan
    files: dict[str, list[Path]] = {}
    for path in sorted((home / "submissions").glob("[!.]*")):
        files.setdefault(path.stem, []).append(path)
    rows = []
    for student, paths in files.items():
        notebooks = [path for path in paths if path.suffix == ".ipynb" and _is_notebook(path)]
        points, remark = np.nan, ""
        if not notebooks:
            points, remark = 0.0, f"not a notebook: {', '.join(path.name for path in paths)}"
        elif student not in results:
            remark = "not graded: otter-grader has no result"
        elif error := results[student]["error"]:
            points, remark = 0.0, f"otter-grader failed: {error}"
        else:
            points = results[student]["points"]
            if points > maximum or results[student]["possible"] != maximum:
                remark = "other points than the class: read the notebook"
        if notebooks and len(paths) > 1:
            remark = "; ".join(filter(None, [remark, f"{len(paths)} files"]))
        rows.append((student, home.name, points, maximum, remark))
    return pd.DataFrame(rows, columns=["student", "homework", "automatic", "maximum", "remark"])


def _is_notebook(path: Path) -> bool:
    try:
        return bool(read_notebook(path).cells)
    except (InputError, AttributeError, KeyError, TypeError):  # nbformat raises the others for other JSON files
        return False


def _results(home: Path) -> dict[str, dict[str, Any]]:
    """Return points, possible points and error of every student whom otter-grader graded."""
    results = {}
    if (home / GRADES).exists():
        grades = read(home / GRADES, text=["file", "grading_status"]).set_index("file")
        possible = grades["total_points_earned"].get(_POSSIBLE, np.nan)
        for file, row in grades.drop(_POSSIBLE, errors="ignore").iterrows():
            status = str(row["grading_status"])
            error = "" if status == "Completed" else " ".join(status.split())[:200]
            points = row["total_points_earned"]
            results[Path(str(file)).stem] = {"points": points, "possible": possible, "error": error}
    for path in sorted(home.glob("grades/*/results.json")):
        try:
            tests = json.loads(path.read_text(encoding="utf-8"))["tests"]
            points, possible = (sum(one.get(name, 0.0) for one in tests) for name in ("score", "max_score"))
            results[path.parent.name] = {"points": points, "possible": possible, "error": ""}
        except (OSError, ValueError, KeyError, TypeError, AttributeError):
            results[path.parent.name] = {"points": 0.0, "possible": np.nan, "error": "results.json cannot be read"}
    return results


def _written_questions(home: Path) -> pd.DataFrame:
    """Return the questions of a master that a person grades, with their points."""
    masters = sorted(home.glob("*.ipynb"))
    if len(masters) != 1:
        raise InputError(f"{str(home)!r}: must contain one notebook, the master of the homework, got {len(masters)}")
    rows = []
    for cell in read_notebook(masters[0]).cells:
        source = cell.source if cell.cell_type == "raw" else ""
        if source.startswith("# BEGIN QUESTION") and re.search(r"^manual: *true", source, re.MULTILINE):
            name, points = (re.search(rule, source, re.MULTILINE) for rule in (r"^name: *(.+?) *$", _NUMBER))
            if name is None or points is None:
                raise InputError(f"{str(masters[0])!r}: each question with 'manual: true' must have a name and points")
            rows.append((home.name, name[1], float(points[1])))
    return pd.DataFrame(rows, columns=["homework", "question", "maximum"])


def _written_points(path: Path, asked: pd.DataFrame) -> tuple[pd.DataFrame, bool]:
    """Return the points of every written answer, NaN if not given, and whether the file lacks rows."""
    if not path.exists():
        return asked.assign(points=np.nan)[[*KEY, "points", "maximum"]], len(asked) > 0
    given = read(path, text=KEY)
    for name in (*KEY, "points"):
        _checks.check_column(given, name, WRITTEN, where="the file")
    rows = given[[*KEY, "points"]].merge(asked, on=KEY, how="left", validate="m:1")
    is_given = rows["points"].notna()
    rows["points"] = pd.to_numeric(rows["points"], errors="coerce")
    wrong = {
        "for a student without a submission of this homework, or for another question": rows["maximum"].isna(),
        "there twice": rows.duplicated(KEY),
        "with points that are not a number from 0 to the maximum": is_given
        & ~rows["points"].between(0, rows["maximum"]),
    }
    for what, marked in wrong.items():
        if marked.any():
            raise InputError(f"{str(path)!r}: line {int(marked.to_numpy().argmax()) + 2} is {what}; correct this line")
    new = asked.merge(rows[KEY], on=KEY, how="left", indicator=True)["_merge"] == "left_only"
    return pd.concat([rows, asked[new.to_numpy()].assign(points=np.nan)], ignore_index=True), bool(new.any())
