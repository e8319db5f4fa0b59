"""A release: m synthetic datasets, which variables are synthesized, and how they were made.

Everything that looks at synthetic data takes one frame, a list of frames, or a `Release`;
`as_release` turns each of them into a `Release` at the door.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from os import PathLike
from pathlib import Path
from types import MappingProxyType
from typing import Any

import pandas as pd

from synthlab import _checks, _folder, _rng
from synthlab._typing import FrameOrFrames, PathOrStr, RngLike
from synthlab.exceptions import InputError, RowAlignmentError


@dataclass(frozen=True, slots=True, eq=False)
class Release:
    """m synthetic datasets of equal shape, with what was synthesized and how.

    Parameters
    ----------
    frames : sequence of pandas.DataFrame
        The m synthetic datasets: same number of rows, same columns, same kinds of values. Columns in another order are
        brought to the order of the first dataset. Dtypes may differ where the kind does not: whole numbers in one
        dataset, fractions in another; other categories.
    synthesized : sequence of str or None, optional
        The variables whose values are synthetic. None: not stated.
    provenance : mapping, optional
        How the release was made: model, seed, dataset, whether the confidential data are real
        or simulated. The keys are text; to be saved, the values must be what JSON knows.

    Raises
    ------
    InputError
        If there is no frame (m = 0), or the frames differ in rows, columns or kinds of values, or
        a synthesized variable is not a column, or the provenance is no mapping.

    Examples
    --------
    >>> import pandas as pd
    >>> import synthlab as sl
    >>> first = pd.DataFrame({"age": [30, 41], "income": [1200.0, 800.0]})
    >>> release = sl.Release([first, first.assign(income=[950.0, 1010.0])], synthesized=["income"])
    >>> release.m, release.n
    (2, 2)
    >>> release[1]["income"].tolist()
    [950.0, 1010.0]
    """

    frames: tuple[pd.DataFrame, ...]
    synthesized: tuple[str, ...] | None = None
    provenance: Mapping[str, Any] = field(default_factory=dict)

    def __init__(
        self,
        frames: Sequence[pd.DataFrame],
        synthesized: Sequence[str] | None = None,
        provenance: Mapping[str, Any] | None = None,
    ) -> None:
        if isinstance(frames, pd.DataFrame):
            frames = [frames]
        if isinstance(frames, str) or not isinstance(frames, Sequence):
            raise InputError(f"frames: must be a sequence of DataFrames, got {type(frames).__name__}")
        if len(frames) == 0:
            raise InputError("synthetic: m = 0 datasets; at least one synthetic dataset is needed")
        checked = tuple(
            _checks.check_frame(frame, f"synthetic dataset {number} of {len(frames)}")
            for number, frame in enumerate(frames, start=1)
        )
        checked = _same_shape(checked)
        if synthesized is not None:
            synthesized = tuple(
                _checks.check_columns(
                    checked[0], synthesized, "synthesized", where="the synthetic data", allow_empty=True
                )
            )
        provenance = {} if provenance is None else provenance
        if not isinstance(provenance, Mapping) or not all(isinstance(key, str) for key in provenance):
            raise InputError(
                f"provenance={_checks.shown(provenance)}: must be a mapping with keys that are text, for example "
                '{"synthesizer": "by hand"}, or None'
            )
        object.__setattr__(self, "frames", checked)
        object.__setattr__(self, "synthesized", synthesized)
        object.__setattr__(self, "provenance", MappingProxyType(dict(provenance)))

    @property
    def m(self) -> int:
        """Number of synthetic datasets."""
        return len(self.frames)

    @property
    def n(self) -> int:
        """Number of records in each dataset."""
        return len(self.frames[0])

    def __len__(self) -> int:
        return self.m

    def __iter__(self) -> Iterator[pd.DataFrame]:
        return iter(self.frames)

    def __getitem__(self, index: int) -> pd.DataFrame:
        return self.frames[index]

    def __str__(self) -> str:
        made = self.provenance.get("synthesizer")
        what = ", ".join(self.synthesized) if self.synthesized else "not stated"
        return f"Release of m = {self.m} synthetic datasets, n = {self.n:,}; synthesized: {what}" + (
            f"; made by {made}" if made else ""
        )

    __repr__ = __str__

    def _repr_html_(self) -> str:
        from html import escape

        return f"<p>{escape(str(self))}</p>" + self.frames[0].head().to_html()

    def stacked(self) -> pd.DataFrame:
        """Return the m datasets under one another, with a leading column ``dataset`` from 1 to m."""
        names = range(1, self.m + 1)
        return pd.concat(self.frames, keys=names, names=["dataset", "record"]).reset_index(level="dataset")

    def shuffled(self, rng: RngLike = None) -> Release:
        """Return the release with the rows of every dataset in a random order of its own, for publication.

        Partial synthesis keeps the order of the confidential file. Where that file is sorted, the number of a row tells
        its value whatever is written there; in any file it links the m datasets to one another.

        Parameters
        ----------
        rng : seed or Generator, optional
            One spawned stream a dataset.

        Returns
        -------
        Release
            Index 0, 1, ...; ``provenance["rows"]`` is "shuffled", and measures that compare row i with record i refuse it.

        Examples
        --------
        >>> import pandas as pd
        >>> import synthlab as sl
        >>> release = sl.Release(pd.DataFrame({"income": [1.0, 2.0, 3.0, 4.0]}))
        >>> published = release.shuffled(rng=1)
        >>> sorted(published[0]["income"]), published.provenance["rows"]
        ([1.0, 2.0, 3.0, 4.0], 'shuffled')
        """
        streams = _rng.spawn(rng, self.m)
        frames = [
            frame.take(stream.permutation(self.n)).reset_index(drop=True)
            for frame, stream in zip(self.frames, streams, strict=True)
        ]
        return Release(frames, self.synthesized, {**self.provenance, "rows": "shuffled"})

    def save(self, folder: PathOrStr) -> Path:
        """Write the datasets as CSV files with a manifest, ``release.json``.

        The manifest says what every column of every file holds, so that `load` gives back the same values with the same
        dtypes: text stays text, whether it is "01", "NA" or nothing. The index and the ``attrs`` of the frames are not
        written; of the provenance JSON makes lists out of tuples, and text out of the keys of inner mappings. The rows
        are written in the order they have: see `shuffled` before a release leaves the house.

        Parameters
        ----------
        folder : path
            Where to; created with the folders above it. An existing release or dataset in it is never overwritten.

        Returns
        -------
        pathlib.Path
            The folder.

        Raises
        ------
        InputError
            If the folder holds a release already or cannot be written, a column holds what text cannot give back
            (intervals, say), or the provenance holds what JSON does not know (an array, say). Nothing is left behind then.

        Examples
        --------
        >>> from pathlib import Path
        >>> from tempfile import TemporaryDirectory
        >>> import pandas as pd
        >>> import synthlab as sl
        >>> release = sl.Release(pd.DataFrame({"county": ["01", "NA"], "income": [950.0, 1010.0]}))
        >>> with TemporaryDirectory() as place:
        ...     again = sl.Release.load(release.save(Path(place) / "release"))
        >>> again[0].equals(release[0]), again[0]["county"].tolist()
        (True, ['01', 'NA'])
        """
        return _folder.write(folder, self.frames, self.synthesized, self.provenance)

    @classmethod
    def load(cls, folder: PathOrStr) -> Release:
        """Read a release written by `save`.

        Parameters
        ----------
        folder : path
            The folder, with ``release.json`` and the CSV files.

        Returns
        -------
        Release
            The same values with the same dtypes, rows numbered from 0. In a folder of format 1, which earlier versions
            wrote, a cell with nothing in it is read as a missing value.

        Raises
        ------
        InputError
            If the folder holds no release, or its manifest or a file is damaged: they cannot be read, or do not say the
            same. In a folder of format 1 also where the manifest, which has the dtypes of dataset 1 alone, does not fit
            another dataset.
        """
        frames, synthesized, provenance = _folder.read(folder)
        return cls(frames, synthesized, provenance)

    @classmethod
    def from_csv(cls, paths: Sequence[PathOrStr], synthesized: Sequence[str] | None = None) -> Release:
        """Read one CSV file a dataset.

        What a column holds is guessed as `pandas.read_csv` does: 01 becomes the number 1, and "NA" a missing value.

        Parameters
        ----------
        paths : sequence of paths
            CSV files in UTF-8 with a line of column names; a byte-order mark is accepted.
        synthesized : sequence of str or None, optional
            The variables whose values are synthetic. None: not stated.

        Returns
        -------
        Release
            Its provenance holds the names of the files.

        Raises
        ------
        InputError
            If a file is not there or is no CSV file, or the datasets do not fit together, see `Release`.
        """
        if isinstance(paths, str | PathLike) or not isinstance(paths, Sequence):
            raise InputError(
                f"paths={_checks.shown(paths)}: must be a list of CSV files, one a dataset, for example [{paths!r}]"
            )
        return cls(
            [read_csv(path, "synthetic") for path in paths], synthesized, {"files": [Path(path).name for path in paths]}
        )


def as_release(synthetic: FrameOrFrames, synthesized: Sequence[str] | None = None) -> Release:
    """Return the release a caller means by one frame, a sequence of frames, or a release."""
    if isinstance(synthetic, Release):
        return synthetic
    if isinstance(synthetic, pd.DataFrame):
        return Release([synthetic], synthesized)
    if isinstance(synthetic, Sequence) and not isinstance(synthetic, str):
        if synthetic and all(isinstance(s, str | Path) for s in synthetic):
            return Release.from_csv(synthetic, synthesized)
        return Release(synthetic, synthesized)
    if isinstance(synthetic, str | Path):
        path = Path(synthetic)
        return Release.load(path) if path.is_dir() else Release.from_csv([path], synthesized)
    raise InputError(
        f"synthetic: must be a DataFrame, a sequence of DataFrames, a Release, or CSV paths, got {type(synthetic).__name__}"
    )


def as_aligned_release(synthetic: FrameOrFrames, synthesized: Sequence[str] | None = None) -> Release:
    """Return the release a caller means, for a measure that compares row i with record i."""
    release = as_release(synthetic, synthesized)
    if release.provenance.get("rows") == "shuffled":
        raise RowAlignmentError(
            "synthetic: the rows of this release were shuffled for publication, so row i is not about record i; measure "
            "the release before `shuffled`"
        )
    return release


def read_csv(path: PathOrStr, name: str) -> pd.DataFrame:
    """Read a CSV file, with or without a byte-order mark, or raise an `InputError` that names it."""
    try:
        frame = pd.read_csv(path, encoding="utf-8-sig", low_memory=False)
    except FileNotFoundError:
        raise InputError(f"{name}: no file {str(path)!r}") from None
    except (OSError, UnicodeDecodeError, pd.errors.ParserError, pd.errors.EmptyDataError) as error:
        raise InputError(f"{name}: cannot read {str(path)!r} as CSV: {error}") from None
    return _checks.check_frame(frame, f"{name} {str(path)!r}")


def _same_shape(frames: Sequence[pd.DataFrame]) -> tuple[pd.DataFrame, ...]:
    """Return the frames with their columns in the order of the first, or raise where they do not fit together."""
    first = frames[0]
    same = [first]
    for number, frame in enumerate(frames[1:], start=2):
        if len(frame) != len(first):
            raise InputError(f"synthetic dataset {number} has {len(frame)} rows, dataset 1 has {len(first)}")
        if set(frame.columns) != set(first.columns):
            odd = sorted(map(repr, set(frame.columns) ^ set(first.columns)))
            raise InputError(f"synthetic dataset {number} and dataset 1 differ in columns: {', '.join(odd)}")
        same.append(frame if list(frame.columns) == list(first.columns) else frame[list(first.columns)])
    _checks.check_same_kind(first, same, list(first.columns), first="synthetic dataset 1")
    return tuple(same)
