"""Printing of tables, evaluations and warnings."""

from __future__ import annotations

import sys
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from synthlab._warnings import WarningMessage
from synthlab.cli.option_messages import in_options, name_keys

if TYPE_CHECKING:
    from synthlab.report import EvaluationResult

OPTIONS: dict[str, str] = {}  # options of the running command, by the library arguments that they set
TOML_KEYS: list[str] = []  # keys of its TOML file that are not options


def as_typed(message: str) -> str:
    """Return a library message with the options and the TOML keys of the running command."""
    return name_keys(in_options(message, OPTIONS, TOML_KEYS), TOML_KEYS)


def check_outputs(*files: tuple[str, Path | None, tuple[str, ...]], **folders: Path) -> None:
    """Raise an error before the computation if a file or folder cannot be written.

    Parameters
    ----------
    *files : tuple of option, path, file name extensions
        Files to write. Paths that are None are not checked.
    **folders : path
        Folders in which files will be created, by the name of the command's argument.
    """
    from synthlab._system.atomic_write import check_writable
    from synthlab.report.export import check_ending

    for option, path, endings in files:
        if path is not None:
            check_ending(path, *endings, name=option)
            check_writable(path, option)
    for name, folder in folders.items():
        check_writable(folder, OPTIONS.get(name, name), folder=True)


def print_evaluation(result: EvaluationResult, *, publish: bool = False) -> None:
    """Print the verdict, the tables, the missing measures and the warnings.

    With `publish`, the numbers of the published report are printed, and only the names of the warnings.
    """
    from synthlab.report.content import Content

    content = Content(result, publish=publish)
    print(content.headline, end="\n\n")
    for table in content.tables:
        print_table(table.heading, table.columns, table.rows, numbers=table.numbers)
    for line in content.notes:
        print(as_typed(line))
    for name, text in result.warnings:
        _print_warning(name, "see the internal report" if publish else text)


def say_warnings(caught: Iterable[WarningMessage]) -> None:
    """Print warnings on stderr, with option names."""
    for warning in caught:
        _print_warning(warning.category.__name__, str(warning.message))


def _print_warning(name: str, text: str) -> None:
    print(f"warning: {name}: {as_typed(text)}", file=sys.stderr)


def print_table(title: str, columns: Sequence[str], rows: Iterable[Sequence[str]], *, numbers: bool = False) -> None:
    """Print a table; numbers are aligned to the right."""
    from rich.box import SIMPLE_HEAD
    from rich.console import Console
    from rich.table import Table
    from rich.text import Text

    table = Table(title=Text(title), title_justify="left", title_style="bold", box=SIMPLE_HEAD, padding=(0, 1))
    for place, column in enumerate(columns):
        last = place == len(columns) - 1
        table.add_column(column, justify="right" if numbers and place else "left", no_wrap=not last and not numbers)
    for row in rows:
        table.add_row(*[Text(cell) for cell in row])
    Console().print(table)
