"""Options that describe files, and messages on stderr about how the files were read."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from synthlab._options import in_options
from synthlab._warnings import collected
from synthlab.exceptions import InputError

if TYPE_CHECKING:
    import pandas as pd

    from synthlab.reading import FileOptions
    from synthlab.release import Release


def path(text: str) -> Path:
    """Return the path that an option or argument names; an empty text would be the working folder."""
    from synthlab._checks import check_path

    try:
        return check_path(text, "path")
    except InputError as error:
        raise typer.BadParameter(str(error).removeprefix("path: ")) from None


Na = Annotated[
    list[str] | None,
    typer.Option(
        help='Codes of missing values, such as "-9,NA"; without it only an empty cell is missing. Comma separated or repeated.'
    ),
]
Text = Annotated[
    list[str] | None, typer.Option(help="Columns of the confidential file that are text; comma separated or repeated.")
]
Delimiter = Annotated[
    str | None,
    typer.Option(help="Delimiter of CSV files: one character, or comma, semicolon, tab; by default found out."),
]
Encoding = Annotated[str | None, typer.Option(help="Encoding of text: utf-8, cp1252, latin-1; by default found out.")]
Decimal = Annotated[str | None, typer.Option(help="Decimal mark of CSV files: point or comma; by default found out.")]
Table = Annotated[
    str | None, typer.Option(help="Sheet of Excel files, or data frame of RData files, where they hold several.")
]


@dataclass(frozen=True, slots=True)
class FileReader:
    """The files of one command, read alike.

    Parameters
    ----------
    na, text, delimiter, encoding, decimal, table
        As typed.
    options : mapping
        Option of the command by argument of the library, for what is said on stderr.
    """

    na: Sequence[str] | None
    text: Sequence[str] | None
    delimiter: str | None
    encoding: str | None
    decimal: str | None
    table: str | None
    options: Mapping[str, str]
    _said: list[str] = field(default_factory=list)

    def first(self, path: Path, name: str) -> pd.DataFrame:
        """Return the confidential data."""
        from synthlab.reading import read_file

        with self._telling(path):
            told = self._told()
            told["text"] = list(self.text or ())
            frame = read_file(path, name, None, **told)
        self._note([path], [frame])
        return frame

    def like(self, path: Path, name: str, first: pd.DataFrame, *, or_own_type: bool = False) -> pd.DataFrame:
        """Return another file, with the types of the first; `or_own_type` as `read_file`."""
        from synthlab.reading import read_file

        with self._telling(path):
            frame = read_file(path, name, first, or_own_type=or_own_type, **self._told())
        self._note([path], [frame])
        return frame

    def release(self, paths: Sequence[Path], synthesized: Sequence[str] | None, first: pd.DataFrame) -> Release:
        """Return the release in a folder or in files, which get the types of the first file, or their own."""
        from synthlab.release import Release, as_release, read_frames
        from synthlab.report.column_types import with_one_type

        if len(paths) == 1 and paths[0].is_dir():
            return as_release(paths[0], synthesized)
        with self._telling(*paths):
            frames = with_one_type(read_frames(paths, first, or_own_type=True, **self._told()), first)
            release = Release(frames, synthesized, {"files": [path.name for path in paths]})
        self._note(paths, release.frames)
        return release

    def _told(self) -> FileOptions:
        return {
            "na": ",".join(self.na or ()),
            "delimiter": self.delimiter,
            "encoding": self.encoding,
            "decimal": self.decimal,
            "table": self.table,
        }

    @contextmanager
    def _telling(self, *paths: Path) -> Iterator[None]:
        """Write to stderr what is being read, on a terminal, and warnings in the words of the command."""
        from rich.console import Console
        from rich.text import Text

        names = ", ".join(path.name for path in paths)
        with Console(stderr=True).status(Text(f"reading {names}")), collected() as caught:
            yield
        for warning in caught:
            text = in_options(str(warning.message), self.options)
            typer.echo(f"warning: {warning.category.__name__}: {text}", err=True)

    def say(self) -> None:
        """Write to stderr how the files were read."""
        for line in self._said:
            typer.echo(line, err=True)

    def _note(self, paths: Sequence[Path], frames: Sequence[pd.DataFrame]) -> None:
        from synthlab.reading import described

        ways: dict[str, list[str]] = {}
        for path, frame in zip(paths, frames, strict=True):
            way = f"{described(frame)}; {len(frame):,} records, {frame.shape[1]} columns"
            ways.setdefault(way, []).append(path.name)
        for way, names in ways.items():
            last = (
                f" to {names[-1]} ({len(names)} files)"
                if len(names) > 2
                else "".join(f", {name}" for name in names[1:])
            )
            self._said.append(f"read {names[0]}{last}: {way}")
