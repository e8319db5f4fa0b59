"""Runs of the grader from outside: a program of its own, and what it leaves in a folder."""

from __future__ import annotations

import csv
import hashlib
import os
import re
import shutil
import subprocess
import sys
import threading
import time
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from html import unescape
from pathlib import Path
from typing import Any

import psutil

from tests.lab.homework.attacks import TOKEN
from tests.lab.homework.submissions import HOMEWORK, write_master

MOST_MEMORY = 700_000_000  # bytes that the grader itself may hold, whatever it grades
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

    def seal(self) -> None:
        """Write the master, seal it, and put its check beside the sealed answers."""
        code, _, complaint = self.call("homework", "seal", write_master(self.folder), "--out", self.answers)
        assert code == 0, complaint
        shutil.copy(self.folder / f"{HOMEWORK}_checks.py", self.answers)

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
        """Run it to its end, hold that nothing of it stays, and return the exit code and what it printed."""
        started = self.start(*arguments, code=code)
        watch = Watch(started.pid)
        out, complaint = started.communicate()
        assert watch.left() == []
        assert list(self.scratch.iterdir()) == []
        assert watch.peak < MOST_MEMORY
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
    body = re.sub(r"<style>.*?</style>", "", page, flags=re.DOTALL)
    return " ".join(unescape(re.sub(r"<[^>]*>", " ", body)).split())


def prints(folder: Path, *patterns: str) -> Mapping[str, str]:
    """Return the digests of the files of a folder, by their paths."""
    files = [path for pattern in patterns or ("**/*",) for path in folder.glob(pattern) if path.is_file()]
    return {str(path.relative_to(folder)): hashlib.sha256(path.read_bytes()).hexdigest() for path in sorted(files)}


class Watch:
    """Looks at a program while it runs: the processes it starts, the folders these name, and the memory of its own."""

    def __init__(self, pid: int) -> None:
        self.root = psutil.Process(pid)
        self.seen: set[psutil.Process] = set()
        self.boxes: set[Path] = set()
        self.peak = 0
        self.thread = threading.Thread(target=self._look, daemon=True)
        self.thread.start()

    def _look(self) -> None:
        while self.root.is_running() and self.root.status() != psutil.STATUS_ZOMBIE:
            with suppress(psutil.Error):
                for one in {*self.root.children(recursive=True)} - self.seen:
                    self.seen.add(one)
                    self.boxes |= {Path(path) for path in re.findall(r"/[^ ]*/sl-[^/ ]+", " ".join(one.cmdline()))}
                workers = [one for one in self.seen if "synthlab.lab.homework.submission" in one.cmdline()[:4]]
                self.peak = max(self.peak, *(one.memory_info().rss for one in [self.root, *workers]))
            time.sleep(0.1)

    def left(self) -> list[object]:
        """Return the processes and folders that are still there when the program has ended."""
        self.thread.join()
        return [*gone(list(self.seen), 10), *(box for box in self.boxes if box.exists())]


def gone(processes: Sequence[psutil.Process], seconds: float) -> list[psutil.Process]:
    """Return the processes that are still there after some time."""
    _, alive = psutil.wait_procs(processes, timeout=seconds)
    return [one for one in alive if one.is_running() and one.status() != psutil.STATUS_ZOMBIE]
