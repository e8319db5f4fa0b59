"""Grade a folder of submissions: each in a sandbox, judged in a clean process, written down as it comes."""

from __future__ import annotations

import hashlib
import json
import os
import subprocess
import sys
import threading
from collections import Counter
from collections.abc import Sequence
from concurrent.futures import Future, ThreadPoolExecutor, as_completed
from contextlib import suppress
from dataclasses import asdict
from pathlib import Path
from typing import Any

from synthlab import __version__, _checks, _files
from synthlab._typing import PathOrStr
from synthlab.exceptions import InputError, SynthlabError
from synthlab.lab.homework.checking import ANSWERS, Homework, sealed_homework
from synthlab.lab.homework.gradebook import GradeBook, read_written
from synthlab.lab.homework.judging import NOTHING
from synthlab.lab.homework.limits import Limits
from synthlab.lab.homework.sandbox import Sandbox, find_sandbox
from synthlab.lab.homework.submission import NO_NOTEBOOK, Submission

STUDENT_ENDS = "__"  # in a file name, what follows is not the student's name
WRITTEN = "written.csv"


def grade_folder(
    folder: PathOrStr,
    homework: str,
    *,
    out: PathOrStr,
    answers: PathOrStr | None = None,
    jobs: int = 1,
    limits: Limits | None = None,
    unsafe: bool = False,
    image: str | None = None,
    written: PathOrStr | None = None,
    progress: bool = False,
) -> GradeBook:
    """Run and check every submission of a folder.

    A submission runs in a sandbox, without network, environment and the files of others, and gives its answers out; a
    process that runs none of its code judges them. What was graded before, and did not change, is not run again: an
    interrupted run goes on where it was, and points for written answers take a moment.

    Parameters
    ----------
    folder : path
        Holds notebooks, ``NAME.ipynb`` or ``NAME__anything.ipynb``, or one folder a student with the notebook in it.
    homework : str
        Its short name, for example ``"hw1"``.
    out : path
        Folder of what comes of it: ``grades.csv``, ``class.html``, ``feedback`` with one page a submission,
        ``written.csv`` to fill in points and comments for written answers, and ``results``, one file a submission.
    answers : path, optional
        Folder with the sealed answers; by default those of the package.
    jobs : int >= 1
        Number of submissions graded at once.
    limits : Limits, optional
        What a submission may use.
    unsafe : bool, default False
        Whether to run the submissions without a sandbox, with the rights of whoever calls this.
    image : str, optional
        Run them in Docker, in this image, which holds synthlab.
    written : path, optional
        Points for written answers; by default ``written.csv`` of `out`, where it is.
    progress : bool
        Show a progress bar on standard error if it takes more than a second.

    Returns
    -------
    GradeBook

    Raises
    ------
    InputError
        If there is no such homework, no submission or no sandbox, or the points for written answers do not fit.
    SynthlabError
        If not one submission could be graded.

    Examples
    --------
    >>> from synthlab.lab.homework import grade_folder
    >>> grade_folder("no such folder", "hw1", out="grades")
    Traceback (most recent call last):
    synthlab.exceptions.InputError: folder='no such folder': is no folder
    """
    kept = sealed_homework(homework, ANSWERS if answers is None else answers)
    kept.properties()
    found = find_submissions(folder)
    workers = _checks.check_count(jobs, "jobs")
    limits = Limits() if limits is None else limits
    target = Path(out)
    if target.resolve().is_relative_to(Path(folder).resolve()):
        raise InputError(f"out={str(out)!r}: lies in the folder of submissions; name another one")
    points = Path(written) if written is not None else target / WRITTEN
    if written is not None or points.is_file():
        read_written(points, kept, [name for _, _, name in found])  # what is wrong with it is said before anything runs
    sandbox = find_sandbox(unsafe, image)
    graded = _Class(kept, target / "results", sandbox, limits).grade(found, workers, progress)
    given = read_written(points, kept, [one.name for one in graded]) if points.is_file() else {}
    if all(one.state.startswith(("not graded", NO_NOTEBOOK)) for one in graded):
        raise SynthlabError(next(one.state for one in graded if one.state != NO_NOTEBOOK))
    book = GradeBook(kept, tuple(_said_twice(graded)), given)
    book.write(target)
    if written is None or Path(written).resolve() == (target / WRITTEN).resolve():
        _files.write_text(target / WRITTEN, book.written_frame().to_csv(index=False, lineterminator="\n"))
    return book


def find_submissions(folder: PathOrStr) -> list[tuple[Path | None, str, str]]:
    """Return the path, the student and the name of each submission; a student's folder without a notebook has no path.

    Raises
    ------
    InputError
        If `folder` is no folder, or there is nothing in it.
    """
    root = Path(folder)
    if not root.is_dir():
        raise InputError(f"folder={str(folder)!r}: is no folder")
    found: list[tuple[Path | None, str, str]] = []
    for entry in sorted(root.iterdir(), key=lambda one: os.fsencode(one.name)):
        if entry.name.startswith("."):
            continue
        if entry.is_dir() and not entry.is_symlink():
            books = [p for p in sorted(entry.rglob("*.ipynb")) if _counts(p, root)]
            found += [(p, entry.name, p.relative_to(root).as_posix()) for p in books]
            if not books:
                found.append((None, entry.name, entry.name))
        elif entry.suffix == ".ipynb":
            path = entry if entry.is_file() and not entry.is_symlink() else None
            found.append((path, entry.stem.split(STUDENT_ENDS)[0] or entry.stem, entry.name))
    if not any(path for path, _, _ in found):
        raise InputError(f"folder={str(folder)!r}: holds no notebook")
    return found


def _counts(path: Path, root: Path) -> bool:
    hidden = any(part.startswith(".") for part in path.relative_to(root).parts)
    return path.is_file() and not path.is_symlink() and not hidden


class _Class:
    """Grade submissions in processes of their own, and keep what came of each."""

    def __init__(self, homework: Homework, results: Path, sandbox: Sandbox, limits: Limits) -> None:
        self.homework, self.results, self.sandbox, self.limits = homework, results, sandbox, limits
        self._running: set[subprocess.Popen[str]] = set()
        self._lock = threading.Lock()
        self._stopped = False

    def grade(self, found: Sequence[tuple[Path | None, str, str]], jobs: int, progress: bool) -> list[Submission]:
        from tqdm import tqdm

        with ThreadPoolExecutor(jobs) as pool:
            waiting: dict[Future[Submission], int] = {
                pool.submit(self._one, *one): place for place, one in enumerate(found)
            }
            graded: dict[int, Submission] = {}
            bar = tqdm(total=len(found), desc="submissions", delay=1.0, disable=not progress)
            try:
                for future in as_completed(waiting):
                    graded[waiting[future]] = future.result()
                    bar.update()
            except BaseException:
                self._stop()
                pool.shutdown(wait=True, cancel_futures=True)
                raise
            finally:
                bar.close()
        return [graded[place] for place in range(len(found))]

    def _one(self, path: Path | None, student: str, name: str) -> Submission:
        if path is None:
            return self._unmarked(student, name, NO_NOTEBOOK)
        one = Submission(student, name, {}, {}, "")
        try:
            place, key = self.results / f"{one.slug}.json", self._key(path)
        except OSError as error:
            return self._unmarked(student, name, f"not read: {error.strerror}")
        with suppress(OSError, ValueError, KeyError, TypeError):
            kept = json.loads(place.read_text(encoding="utf-8"))
            if kept.pop("key") == key and (kept["student"], kept["name"]) == (student, name):
                return Submission.from_dict(self.homework, kept)
        order = {"path": str(path), "student": student, "name": name, "homework": self.homework.name}
        order |= {"answers": str(self.homework.folder)}
        settings = {"sandbox": asdict(self.sandbox), "limits": self.limits.to_dict()}
        code, said, wrong = self._run(json.dumps({**order, **settings}))
        try:
            kept = json.loads(said) if code == 0 else None
            graded = Submission.from_dict(self.homework, kept or {})
        except (ValueError, KeyError, TypeError):
            last = " ".join(wrong.strip().splitlines()[-1:]).rpartition("Error: ")[2][:200]
            return self._unmarked(student, name, f"not graded: {last or f'its grader ended with code {code}'}")
        _files.write_text(place, json.dumps({"key": key, **(kept or {})}, indent=1))
        return graded

    def _run(self, order: str) -> tuple[int, str, str]:
        command = [sys.executable, "-m", "synthlab.lab.homework.submission", order]
        pipes: dict[str, Any] = {"stdin": subprocess.DEVNULL, "stdout": subprocess.PIPE, "stderr": subprocess.PIPE}
        with self._lock:
            if self._stopped:
                return 1, "", ""
            process = subprocess.Popen(command, text=True, start_new_session=True, **pipes)
            self._running.add(process)
        try:
            said, wrong = process.communicate()
        finally:
            with self._lock:
                self._running.discard(process)
        return process.returncode, said, wrong

    def _stop(self) -> None:
        """End the graders that run; each ends its kernel."""
        with self._lock:
            self._stopped = True
            running = list(self._running)
        for process in running:
            process.terminate()
        for process in running:
            try:
                process.wait(20)
            except subprocess.TimeoutExpired:
                process.kill()

    def _key(self, path: Path) -> str:
        """Return a digest of all that a result depends on: the notebook, the homework, the limits."""
        parts = [
            __version__.encode(),
            path.read_bytes(),
            json.dumps(self.limits.to_dict()).encode(),
            self.sandbox.kind.encode(),
        ]
        folder, name = self.homework.folder, self.homework.name
        data = sorted((folder / f"{name}_data").rglob("*"))
        for one in (folder / f"{name}.json", folder / f"{name}_checks.py", *data):
            if one.is_file():
                parts += [one.name.encode(), one.read_bytes()]
        return hashlib.sha256(b"".join(hashlib.sha256(part).digest() for part in parts)).hexdigest()

    def _unmarked(self, student: str, name: str, state: str) -> Submission:
        nothing = {question: self.homework.result(question, NOTHING) for question in self.homework.questions}
        return Submission(student, name, nothing, dict.fromkeys(self.homework.written, ""), state)


def _said_twice(graded: Sequence[Submission]) -> list[Submission]:
    """Say of each submission whether its student handed in several."""
    counts = Counter(one.student.casefold() for one in graded)
    made = []
    for one in graded:
        several = counts[one.student.casefold()]
        state = f"{one.state}; one of {several} notebooks of this student" if several > 1 else one.state
        made.append(Submission(one.student, one.name, one.results, one.texts, state))
    return made
