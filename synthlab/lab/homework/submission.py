"""One submission: who handed it in, how it ran, its points, and the answers that a person reads.

    python -m synthlab.lab.homework.submission ORDER

grades the one submission that ORDER, a mapping in JSON, names, and prints what came of it.
"""

from __future__ import annotations

import hashlib
import json
import re
import signal
import sys
import tempfile
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from synthlab.lab.homework.checking import CheckResult, Homework, sealed_homework
from synthlab.lab.homework.judging import NOTHING, judge
from synthlab.lab.homework.limits import Limits
from synthlab.lab.homework.sandbox import Sandbox
from synthlab.lab.homework.versions import WRITTEN, YOURS, read_notebook

NO_NOTEBOOK = "no notebook"
LARGEST = 50_000_000  # bytes of a notebook
LONGEST = 50_000  # characters of a written answer that are kept: some eight thousand words


@dataclass(frozen=True, slots=True)
class Submission:
    """The points of one submission before its written answers are read.

    Attributes
    ----------
    student : str
        The folder it lies in, or its file name up to two underscores or the ending.
    name : str
        The path of its file within the folder of submissions.
    results : mapping {question: CheckResult}
    texts : mapping {question: str}
        The written answers.
    state : str
        How it ran, for example "ran through", "2 cells failed" or "cell 7 ran longer than 300 s".
    """

    student: str
    name: str
    results: Mapping[str, CheckResult]
    texts: Mapping[str, str]
    state: str

    def to_dict(self) -> dict[str, Any]:
        """Return everything as plain data."""
        points = {name: [one.points, one.message] for name, one in self.results.items()}
        return {"student": self.student, "name": self.name, "state": self.state, "points": points, "texts": self.texts}

    @classmethod
    def from_dict(cls, homework: Homework, kept: Mapping[str, Any]) -> Submission:
        """Return what `to_dict` was called on; points lie between 0 and what there are."""
        results = {}
        for name in homework.questions:
            points, message = kept["points"][name]
            possible = homework.possible(name)
            result = homework.result(name, (points / possible, message))
            written = name in homework.written
            results[name] = CheckResult(result.question, written or result.passed, result.points, possible, message)
        texts = {name: str(kept["texts"].get(name, "")) for name in homework.written}
        return cls(kept["student"], kept["name"], results, texts, kept["state"])

    @property
    def slug(self) -> str:
        """A name for files: what is plain in its own name, and a digest of the whole."""
        plain = re.sub(r"[^A-Za-z0-9-]+", "_", self.name.removesuffix(".ipynb"))[:60].strip("_")
        return f"{plain or 'submission'}-{hashlib.sha256(self.name.encode('utf-8', 'surrogatepass')).hexdigest()[:8]}"


def grade(path: Path, student: str, name: str, homework: Homework, sandbox: Sandbox, limits: Limits) -> Submission:
    """Run a submission in the sandbox and judge it in a clean process; whatever is wrong with it is its state."""
    from synthlab.lab.homework.running import Run

    nothing = {question: homework.result(question, NOTHING) for question in homework.questions}
    try:
        notebook = _read(path)
        texts = written_texts(notebook, homework.written)
    except Exception as error:  # noqa: BLE001 - a file called .ipynb can hold anything
        said = str(error) if isinstance(error, _Unfit) else "not read: is no notebook"
        return Submission(student, name, nothing, dict.fromkeys(homework.written, ""), said)
    with tempfile.TemporaryDirectory(prefix="synthlab-") as folder:
        state = Run(homework, sandbox, limits, Path(folder)).notebook(notebook)
        results = judge(homework, Path(folder), limits)
    results |= {question: homework.judge(question, text) for question, text in texts.items()}
    return Submission(student, name, {q: results[q] for q in homework.questions}, texts, state)


class _Unfit(Exception):  # noqa: N818 - a state of a submission, not a fault
    """A submission that is not run."""


def _read(path: Path) -> Any:
    if path.stat().st_size > LARGEST:
        raise _Unfit(f"not read: larger than {LARGEST // 1_000_000} MB")
    notebook = read_notebook(path)
    language = str(notebook.metadata.get("kernelspec", {}).get("language", "")) or str(
        notebook.metadata.get("language_info", {}).get("name", "python")
    )
    if language.lower() not in ("python", "ipython"):
        raise _Unfit(f"not run: a notebook in {language[:30]}")
    for cell in notebook.cells:
        cell.source = cell.source.encode("utf-8", "replace").decode("utf-8")  # half an emoji cannot be sent to a kernel
    return notebook


def written_texts(notebook: Any, names: list[str]) -> dict[str, str]:
    """Return the text of each written question: of the cell that bears its name, else below ``<!-- WRITTEN name -->``.

    A text of more than 50,000 characters is cut, and says so.
    """
    texts = dict.fromkeys(names, "")
    for cell in notebook.cells:
        if cell.cell_type != "markdown":
            continue
        mark = WRITTEN.search(cell.source)
        about = cell.metadata.get("synthlab", {})
        name = mark.group(1) if mark else about.get("written") if isinstance(about, Mapping) else None
        if name in texts:
            text = cell.source[mark.end() :] if mark else cell.source
            texts[name] = "\n\n".join(part for part in (texts[name], text.replace(YOURS, "").strip()) if part)
    for name, text in texts.items():
        if len(text) > LONGEST:
            texts[name] = (
                f"{text[:LONGEST]} ... (cut here: {len(text) - LONGEST:,} more characters are in the notebook)"
            )
    return texts


def main() -> None:
    """Grade the submission that is ordered, and print it."""
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))
    order = json.loads(sys.argv[1])
    homework = sealed_homework(order["homework"], order["answers"])
    sandbox, limits = Sandbox(**order["sandbox"]), Limits(**order["limits"])
    one = grade(Path(order["path"]), order["student"], order["name"], homework, sandbox, limits)
    sys.stdout.write(json.dumps(one.to_dict()))


if __name__ == "__main__":
    main()
