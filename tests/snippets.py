"""The code blocks of the Markdown files, and the few that no test runs, each with the reason."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path
from typing import NamedTuple

ROOT = Path(__file__).resolve().parents[1]
LANGUAGES = ("python", "sh", "bash", "shell", "console", "powershell", "r")
FENCE = re.compile(r"^ *(`{3,}|~{3,})[ \t]*([^\n`]*)\n(.*?)^ *\1[ \t]*$", re.MULTILINE | re.DOTALL)
NOT_RUN = {  # by the start of one of their lines
    "make demo ": (
        "test_readme.py compares what make runs with the forms without make, and test_cli.py runs `synthlab demo`"
    ),
    "py -3.11 -m venv .venv": "PowerShell; test_readme.py compares it with the Makefile",
    "from copulas.multivariate import GaussianMultivariate": "copulas is not installed: its license is not open",
    "from synthpop import CARTMethod, DataProcessor, MissingDataHandler  # of python-synthpop": (
        "python-synthpop is not installed: it needs older versions of our libraries"
    ),
    "python -m pip install 'synthlab-sdc[scale]'": "the package is not on the index yet",
    "python -m pip install jupyterhub": "needs a network; the page states what was tried",
    "printf 'FROM ubuntu:22.04": "needs Docker",
    "for file in class/hw20/submissions": "takes ten seconds per notebook; test_otter.py runs otter",
    "dask scheduler": "a cluster of several machines",
    "dask worker tcp://10.0.0.1:8786 --nthreads 1 --nworkers 8 --memory-limit 8GiB": "a cluster of several machines",
    "from dask_jobqueue import SLURMCluster": "a cluster with Slurm",
    "synthlab replicate risk-weighted --jobs 8": "takes half an hour; tests/replications runs each study in small",
}


class Block(NamedTuple):
    """A code block."""

    language: str
    text: str

    @property
    def first(self) -> str:
        """The first line."""
        return self.text.splitlines()[0] if self.text.strip() else ""

    @property
    def is_run(self) -> bool:
        """Whether a test has to run it: no line starts as one of `NOT_RUN`."""
        return not any(line.startswith(tuple(NOT_RUN)) for line in self.text.splitlines())


def pages() -> list[str]:
    """Return the Markdown files of the repository."""
    listed = subprocess.run(
        ["git", "ls-files", "--cached", "--others", "--exclude-standard", "*.md"],
        cwd=ROOT, capture_output=True, text=True, check=True,
    )  # fmt: skip
    return sorted(listed.stdout.split())


def read(page: str) -> str:
    """Return the text of a page."""
    return (ROOT / page).read_text(encoding="utf-8")


def blocks(text: str) -> list[Block]:
    """Return all fenced blocks of a text."""
    return [Block(language.strip().lower(), block) for _, language, block in FENCE.findall(text)]


def code(page: str) -> list[Block]:
    """Return the blocks of code of a page that a test has to run."""
    return [one for one in blocks(read(page)) if one.language in LANGUAGES and one.is_run]


def in_shell(commands: str, folder: Path, *, code: int = 0) -> str:
    """Run commands as a reader would, and return what they print."""
    script = f'synthlab() {{ "{sys.executable}" -m synthlab.cli "$@"; }}\n{commands}'
    environment = {**os.environ, "PYTHONPATH": str(ROOT), "COLUMNS": "200", "SYNTHLAB_DATA_DIR": ""}
    done = subprocess.run(
        ["bash", "-euo", "pipefail", "-c", script], cwd=folder, capture_output=True, text=True, env=environment
    )
    assert done.returncode == code, done.stderr + done.stdout
    return done.stdout
