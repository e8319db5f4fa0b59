"""Options for files, and messages on stderr about how the files were read."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from types import SimpleNamespace
from typing import TYPE_CHECKING, Annotated, Any

import typer

from synthlab._warnings import collected
from synthlab.cli.printing import say_warnings
from synthlab.exceptions import InputError

if TYPE_CHECKING:
    import pandas as pd

    from synthlab.release import Release


def path(text: str) -> Path:
    """Return the path of an option or argument, or raise an error if it is invalid."""
    from synthlab._checks import check_path

    try:
        return check_path(text, "path")
    except InputError as error:
        raise typer.BadParameter(str(error).removeprefix("path: ")) from None


def path_option(text: str) -> Any:
    """Return an option that is a path; `text` is its help."""
    return typer.Option(parser=path, help=text)


def path_argument(text: str) -> Any:
    """Return an argument that is a path; `text` is its help."""
    return typer.Argument(parser=path, help=text)


Na = Annotated[
    list[str] | None,
    typer.Option(
        help='Codes of missing values, such as "-9,NA", or of one column, such as "income=-9,NA"; by default only empty cells. '
        "Comma separated or repeated."
    ),
]
Text = Annotated[
    list[str] | None, typer.Option(help="Columns of the confidential file that are text; comma separated or repeated.")
]


FORMAT_OPTIONS = ("delimiter", "encoding", "decimal", "table", "dates")
READING = "reading"  # in the provenance of a release: the options with which the confidential file was read


class FileReader:
    """Reader of the files of one command, with the same options for all files.

    Parameters
    ----------
    na, text : list of str, optional
        The options of the command line.
    values : SimpleNamespace
        The values of the TOML file: delimiter, encoding, decimal, table, dates and, for `synthesize`, missing_codes.
    """

    def __init__(self, na: Sequence[str] | None, text: Sequence[str] | None, values: SimpleNamespace) -> None:
        from synthlab.io.read_options import parse_codes

        self.text = list(text or ())
        self.options: dict[str, Any] = {name: getattr(values, name) for name in FORMAT_OPTIONS}
        self.given = {"na": list(na or ()), "text": self.text, **self.options}
        self.options["na"] = parse_codes(na or ())
        self.missing_codes = {
            column: codes if isinstance(codes, list) else [codes]
            for column, codes in (getattr(values, "missing_codes", None) or {}).items()
        }
        self._lines: list[str] = []

    def stated(self, confidential: Path) -> dict[str, Any]:
        """Return the options with which the confidential data were read, for the provenance of a release."""
        given = {name: value for name, value in self.given.items() if value}
        return {READING: given | {"suffix": confidential.suffix.lower()}} if given else {}

    @classmethod
    def of_release(
        cls,
        na: Sequence[str] | None,
        text: Sequence[str] | None,
        values: SimpleNamespace,
        confidential: Path,
        synthetic: Sequence[Path],
    ) -> FileReader:
        """Return a reader; options that the command does not have are those that a saved release records.

        Options are recorded for one kind of file, so they are not used for a file with another suffix.
        """
        reader = cls(na, text, values)
        if len(synthetic) != 1 or not synthetic[0].is_dir():
            return reader
        from synthlab.release import manifest

        recorded = manifest.read(synthetic[0])["provenance"].get(READING)
        if not isinstance(recorded, Mapping) or recorded.get("suffix") != confidential.suffix.lower():
            return reader
        lists = [recorded.get(name, []) for name in ("na", "text")]
        if not all(isinstance(one, list) and all(isinstance(x, str) for x in one) for one in lists):
            raise InputError(
                f"{synthetic[0]}: {READING!r} in the provenance must have lists of text for 'na' and 'text'"
            )
        used = {name: recorded[name] for name, value in reader.given.items() if not value and recorded.get(name)}
        if not used:
            return reader
        merged = {**reader.given, **used}
        reader = cls(merged["na"], merged["text"], SimpleNamespace(**(vars(values) | merged)))
        listed = ", ".join(f"{name}={value!r}" for name, value in used.items())
        reader._lines.append(f"read as the release states: {listed}")
        return reader

    def confidential(self, path: Path) -> pd.DataFrame:
        """Return the confidential data."""
        return self._read(path, "confidential", None, text=self.text, missing_codes=self.missing_codes)

    def like(self, path: Path, name: str, first: pd.DataFrame, *, or_own_type: bool = False) -> pd.DataFrame:
        """Return another file with the types of the first; see `read_file`."""
        return self._read(path, name, first, or_own_type=or_own_type)

    def _read(self, path: Path, name: str, first: pd.DataFrame | None, **more: Any) -> pd.DataFrame:
        from synthlab.io import read_file

        with self._status(path):
            frame = read_file(path, name, first, **self.options, **more)
        self._describe([path], [frame])
        return frame

    def release(self, paths: Sequence[Path], synthesized: Sequence[str] | None, first: pd.DataFrame) -> Release:
        """Return the release in a folder or in files.

        Columns of files have the types of the first file if possible, otherwise their own types.
        """
        from synthlab.release import Release, as_release
        from synthlab.release.release import read_frames
        from synthlab.report.column_types import with_one_type

        if len(paths) == 1 and paths[0].is_dir():
            return as_release(paths[0], synthesized)
        with self._status(*paths):
            frames = with_one_type(read_frames(paths, first, or_own_type=True, **self.options), first)
            release = Release(frames, synthesized, {"files": [path.name for path in paths]})
        self._describe(paths, release.frames)
        return release

    @contextmanager
    def _status(self, *paths: Path) -> Iterator[None]:
        """Show on a terminal which files are read, and print warnings with option names."""
        from rich.console import Console
        from rich.text import Text

        names = ", ".join(path.name for path in paths)
        with Console(stderr=True).status(Text(f"reading {names}")), collected() as caught:
            yield
        say_warnings(caught)

    def print_description(self) -> None:
        """Write to stderr how the files were read."""
        for line in self._lines:
            typer.echo(line, err=True)

    def _describe(self, paths: Sequence[Path], frames: Sequence[pd.DataFrame]) -> None:
        from synthlab.io import described

        ways: dict[str, list[str]] = {}
        for path, frame in zip(paths, frames, strict=True):
            way = f"{described(frame)}; {len(frame):,} records, {frame.shape[1]} columns"
            ways.setdefault(way, []).append(path.name)
        for way, names in ways.items():
            files = f"{names[0]} to {names[-1]} ({len(names)} files)" if len(names) > 2 else ", ".join(names)
            self._lines.append(f"read {files}: {way}")
