"""Notebook magic ``%%R``, which runs R through rpy2 or shows a recorded answer.

``%load_ext synthlab.r`` registers the magic. ``-i name`` passes frames, releases, arrays and numbers to a cell; ``-o name``
returns frames and vectors from R, if R is installed. Columns keep their types: see `converter`. If R or a package is missing,
the cell prints the recorded answer for its text and its inputs (to ten digits), or states that none is recorded. The answer is
also stored as text in the variable ``r_output``, so that the next cell can compare it with a result of Python.
"""

from __future__ import annotations

import hashlib
import json
import os
import re
import shlex
import sys
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from synthlab._system import atomic_write
from synthlab.datasets.files import packaged_file
from synthlab.exceptions import InputError, RUnavailableError
from synthlab.r.rpy2_converter import converter
from synthlab.r.session import UNUSABLE, package_state, probe, require

RECORD = "SYNTHLAB_RECORD_R"  # environment variable: folder to which the answers of R are written
CELLS = "reference/r_cells"
ANSWER = "r_output"  # variable with the text of the last answer
DIGITS = 10
_PACKAGES = re.compile(r"(?:library|require|requireNamespace)\(\s*[\"']?([\w.]+)|\b([A-Za-z][\w.]*)::")


@dataclass(frozen=True, slots=True)
class CellAnswer:
    """Answer of R: the text printed for a cell, and the version of R."""

    output: str
    version: str

    def to_json(self) -> str:
        """Return the answer as JSON text."""
        return json.dumps({"version": self.version, "output": self.output}, indent=1) + "\n"


def load_ipython_extension(shell: Any) -> None:
    """Register the magic ``%%R``; called by ``%load_ext synthlab.r``.

    In a notebook, ``%%R -i frame -o result`` passes frames both ways.

    Examples
    --------
    >>> from IPython.core.interactiveshell import InteractiveShell
    >>> shell = InteractiveShell()
    >>> _ = shell.run_line_magic("load_ext", "synthlab.r")
    >>> shell.find_cell_magic("R") is not None
    True
    """

    def run(line: str, cell: str) -> None:
        run_cell(shell, line, cell)

    shell.register_magic_function(run, magic_kind="cell", magic_name="R")


def run_cell(shell: Any, line: str, cell: str) -> None:
    """Run a cell of R; print its live or recorded answer, and state which it is."""
    inputs = {name: _value(shell, name) for name in input_names(line)}
    why = _why_not_live(cell)
    outputs = output_names(line)
    shell.user_ns[ANSWER] = ""
    if why is not None and outputs:
        raise RUnavailableError(f"%%R -o {','.join(outputs)}: R cannot return objects, because {why}")
    if why is None:
        answer = _live(shell, line, cell)
        where = f"Live: {answer.version}"
        if os.environ.get(RECORD) and not outputs:
            atomic_write.write_text(Path(os.environ[RECORD]) / file_name(cell, inputs), answer.to_json())
    else:
        found = recorded(cell, inputs)
        if found is None:
            sys.stdout.write(f"{cell.strip()}\n(No answer of R is recorded for these inputs, and {why}.)\n")
            return
        answer, where = found, f"Recorded: {found.version} ({why})"
    shell.user_ns[ANSWER] = answer.output
    sys.stdout.write("\n".join([answer.output.rstrip("\n"), where, ""]))


def input_names(line: str) -> list[str]:
    """Return the names of ``-i a,b -i c``.

    Raises
    ------
    InputError
        If the line contains an option other than ``-i`` and ``-o``.
    """
    return _names(line, "-i", "--input")


def output_names(line: str) -> list[str]:
    """Return the names of ``-o a,b -o c``; raise `InputError` for other options."""
    return _names(line, "-o", "--output")


def _names(line: str, *wanted: str) -> list[str]:
    words = shlex.split(line)
    options = words[::2]
    if len(words) % 2 or any(option not in ("-i", "--input", "-o", "--output") for option in options):
        raise InputError(f"%%R {line}: unknown option; only -i NAME and -o NAME are supported")
    given = zip(options, words[1::2], strict=True)
    return [name for option, names in given if option in wanted for name in names.split(",")]


def packages(cell: str) -> list[str]:
    """Return the R packages that a cell names, in alphabetical order.

    Examples
    --------
    >>> from synthlab.r.magic import packages
    >>> packages("library(gamlss.dist); MASS::fractions(0.5)")
    ['MASS', 'gamlss.dist']
    """
    return sorted({first or second for first, second in _PACKAGES.findall(cell)})


def file_name(cell: str, inputs: Mapping[str, Any]) -> str:
    """Return the file name of a recorded answer, from the cell's text and inputs."""
    return (
        f"{cell_digest(cell)}-{_digest([f'{name}={_written(value)}' for name, value in sorted(inputs.items())])}.json"
    )


def cell_digest(cell: str) -> str:
    """Return a digest of a cell's text that ignores spaces at the ends of lines."""
    return _digest([line.rstrip() for line in cell.strip().splitlines()])


def recorded(cell: str, inputs: Mapping[str, Any]) -> CellAnswer | None:
    """Return the recorded answer of R to a cell with these inputs, or None."""
    file = packaged_file(f"{CELLS}/{file_name(cell, inputs)}")
    if not file.is_file():
        return None
    kept = json.loads(file.read_text(encoding="utf-8"))
    return CellAnswer(kept["output"], kept["version"])


def _why_not_live(cell: str) -> str | None:
    status = probe()
    if not status.usable:
        return status.problem
    missing = [name for name in packages(cell) if package_state(name) in UNUSABLE]
    return f"the R package {missing[0]} is {package_state(missing[0])}" if missing else None


def _live(shell: Any, line: str, cell: str) -> CellAnswer:
    from IPython.utils.capture import capture_output

    require()
    from rpy2.ipython.rmagic import RMagics

    with capture_output() as captured:
        RMagics(shell, converter=converter()).R(line, cell)
    pictures: list[Any] = [
        output for output in captured.outputs if any(kind.startswith("image/") for kind in output.data)
    ]
    for picture in pictures:
        picture.display()
    shown = [output.data.get("text/plain", "") for output in captured.outputs if output not in pictures]
    return CellAnswer("".join([captured.stdout, *shown]), _versions(cell))


def _versions(cell: str) -> str:
    found = [re.match(r"R version [\d.]+", probe().r or "R")]
    r = found[0].group() if found[0] else "R"
    return ", ".join([r.replace(" version", ""), *(f"{name} {package_state(name)}" for name in packages(cell))])


def _value(shell: Any, name: str) -> Any:
    if name not in shell.user_ns:
        raise InputError(f"-i {name}: no variable has this name; define it first")
    return shell.user_ns[name]


def _written(value: Any) -> str:
    """Return a value as text, with numbers to ten digits, equal on every machine."""
    if isinstance(value, pd.DataFrame | pd.Series):
        return value.to_csv(float_format=f"%.{DIGITS}g", lineterminator="\n")
    array = np.asarray(value)
    if array.dtype.kind == "f":
        return ",".join(f"{number:.{DIGITS}g}" for number in array.ravel()) + f"|{array.shape}"
    return f"{array.tolist()!r}|{array.shape}"


def _digest(parts: list[str]) -> str:
    return hashlib.sha256("\n".join(parts).encode()).hexdigest()[:16]
