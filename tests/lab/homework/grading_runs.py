"""Runs of the grader from outside: a program of its own, and what it leaves in a folder."""

from __future__ import annotations

import csv
import hashlib
import os
import re
import subprocess
import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from html import unescape
from pathlib import Path
from typing import Any

import psutil

from tests.lab.homework.attacks import TOKEN
from tests.lab.homework.submissions import HOMEWORK

ROOT = Path(__file__).resolve().parents[3]


@dataclass(frozen=True)
class Lecturer:
    """The folders of a lecturer."""

    folder: Path
    submissions: Path = field(init=False)
    answers: Path = field(init=False)
    scratch: Path = field(init=False)

    def __post_init__(self) -> None:
        for name in ("submissions", "answers", "scratch"):
            object.__setattr__(self, name, self.folder / name)
            getattr(self, name).mkdir(exist_ok=True)

    @property
    def environment(self) -> dict[str, str]:
        """The environment of the lecturer, with something in it that is nobody's business."""
        paths = {"PYTHONPATH": str(ROOT), "TMPDIR": str(self.scratch), "MPLBACKEND": "agg"}
        return {**os.environ, **paths, "LECTURER_TOKEN": TOKEN}

    def start(self, *arguments: Any, code: str | None = None) -> subprocess.Popen[str]:
        """Start a command of synthlab, or code, as the leader of its own group."""
        program = ["-m", "synthlab.cli"] if code is None else ["-c", code]
        return subprocess.Popen(
            [sys.executable, *program, *map(str, arguments)],
            env=self.environment,
            cwd=self.folder,
            text=True,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            start_new_session=True,
        )

    def call(self, *arguments: Any, code: str | None = None) -> tuple[int, str, str]:
        """Run it to its end and return the exit code and what it printed."""
        started = self.start(*arguments, code=code)
        out, complaint = started.communicate()
        return started.returncode, out, complaint

    def grade(self, out: Path, *more: Any, submissions: Path | None = None) -> tuple[int, str, str]:
        """Grade a folder into another one."""
        return self.call(*self.arguments(out, submissions), *more)

    def arguments(self, out: Path, submissions: Path | None = None) -> list[Any]:
        """Return the arguments that grade a folder."""
        folder = submissions or self.submissions
        return ["homework", "grade", HOMEWORK, folder, "--out", out, "--answers", self.answers, "--jobs", 2]


def rows(path: Path) -> list[dict[str, str]]:
    """Return the rows of a CSV file as they are read by a program for tables."""
    with path.open(encoding="utf-8-sig", newline="") as file:
        return list(csv.DictReader(file))


def formulas(path: Path) -> list[str]:
    """Return the cells of a CSV file that a program for tables would run."""
    with path.open(encoding="utf-8-sig", newline="") as file:
        cells = [cell for row in csv.reader(file) for cell in row]
    return [
        cell for cell in cells if cell[:1] in tuple("=+-@\t\r\n") and cell and not re.fullmatch(r"-?\d+(\.\d+)?", cell)
    ]


def pages(out: Path) -> list[str]:
    """Return the feedback pages."""
    return [path.read_text(encoding="utf-8") for path in sorted((out / "feedback").glob("*.html"))]


def shown(page: str) -> str:
    """Return the text of a page without its tags."""
    body = re.sub(r"<(style|script).*?</\1>", "", page, flags=re.DOTALL)
    return " ".join(unescape(re.sub(r"<[^>]*>", " ", body)).split())


def prints(folder: Path, *patterns: str) -> Mapping[str, str]:
    """Return the digests of the files of a folder, by their paths."""
    files = [path for pattern in patterns or ("**/*",) for path in folder.glob(pattern) if path.is_file()]
    return {str(path.relative_to(folder)): hashlib.sha256(path.read_bytes()).hexdigest() for path in sorted(files)}


def processes_of(*words: str) -> list[str]:
    """Return the processes whose command line or folder names one of the words."""
    found = []
    for process in psutil.process_iter():
        try:
            told = [*process.cmdline(), process.cwd()]
        except psutil.Error:
            continue
        if process.pid != os.getpid() and any(word in part for word in words for part in told):
            found.append(" ".join(told))
    return found


def gone(processes: Sequence[psutil.Process], seconds: float) -> list[psutil.Process]:
    """Return the processes that are still there after some time."""
    _, alive = psutil.wait_procs(processes, timeout=seconds)
    return [one for one in alive if one.is_running() and one.status() != psutil.STATUS_ZOMBIE]
