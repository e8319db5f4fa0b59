"""A release: m synthetic datasets, which variables are synthesized, and how they were made.

Everything that looks at synthetic data takes one frame, a list of frames, or a `Release`;
`as_release` turns each of them into a `Release` at the door.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from types import MappingProxyType
from typing import Any

import pandas as pd

from synthlab import _checks, _rng
from synthlab._typing import FrameOrFrames, PathOrStr, RngLike
from synthlab.exceptions import InputError, RowAlignmentError

MANIFEST = "release.json"
FORMAT = 1


@dataclass(frozen=True, slots=True, eq=False)
class Release:
    """m synthetic datasets of equal shape, with what was synthesized and how.

    Parameters
    ----------
    frames : sequence of pandas.DataFrame
        The m synthetic datasets: same number of rows, same columns in the same order, same dtypes.
    synthesized : sequence of str or None, optional
        The variables whose values are synthetic. None: not stated.
    provenance : mapping, optional
        How the release was made: model, seed, dataset, whether the confidential data are real
        or simulated. Values must be JSON-serializable to be saved.

    Raises
    ------
    InputError
        If there is no frame (m = 0), or the frames differ in rows, columns or kinds of values, or
        a synthesized variable is not a column.

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
        _check_same_shape(checked)
        if synthesized is not None:
            synthesized = tuple(
                _checks.check_columns(
                    checked[0], synthesized, "synthesized", where="the synthetic data", allow_empty=True
                )
            )
        object.__setattr__(self, "frames", checked)
        object.__setattr__(self, "synthesized", synthesized)
        object.__setattr__(self, "provenance", MappingProxyType(dict(provenance or {})))

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
        """Write the datasets as CSV files with a manifest; returns the folder.

        Dtypes are written to the manifest, so that `load` gives back the same frames. The folder is
        created; an existing release in it is an error, never overwritten. The rows are written in the order
        they have: see `shuffled` before a release leaves the house.
        """
        path = Path(folder)
        if (path / MANIFEST).exists():
            raise InputError(f"folder={str(path)!r}: holds a release already; choose another folder")
        path.mkdir(parents=True, exist_ok=True)
        names = [f"synthetic_{number:03d}.csv" for number in range(1, self.m + 1)]
        for name, frame in zip(names, self.frames, strict=True):
            frame.to_csv(path / name, index=False, encoding="utf-8")
        manifest = {
            "format": FORMAT,
            "files": names,
            "n": self.n,
            "columns": {c: _describe_dtype(self.frames[0][c]) for c in self.frames[0].columns},
            "synthesized": None if self.synthesized is None else list(self.synthesized),
            "provenance": dict(self.provenance),
        }
        # The manifest is written last: a folder without one is not a release.
        (path / MANIFEST).write_text(json.dumps(manifest, indent=2, ensure_ascii=False) + "\n", encoding="utf-8")
        return path

    @classmethod
    def load(cls, folder: PathOrStr) -> Release:
        """Read a release written by `save`."""
        path = Path(folder)
        if not (path / MANIFEST).is_file():
            raise InputError(f"folder={str(path)!r}: holds no {MANIFEST}, so it is not a saved release")
        manifest = json.loads((path / MANIFEST).read_text(encoding="utf-8"))
        if manifest.get("format") != FORMAT:
            raise InputError(
                f"{path / MANIFEST}: format {manifest.get('format')!r} is not {FORMAT}, the one this version reads"
            )
        frames = []
        for name in manifest["files"]:
            frame = read_csv(path / name, "release file")
            for column, dtype in manifest["columns"].items():
                frame[column] = _restore_dtype(frame[column], dtype)
            frames.append(frame)
        return cls(frames, manifest["synthesized"], manifest["provenance"])

    @classmethod
    def from_csv(cls, paths: Sequence[PathOrStr], synthesized: Sequence[str] | None = None) -> Release:
        """Read one CSV file a dataset (a byte-order mark is accepted)."""
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


def _check_same_shape(frames: Sequence[pd.DataFrame]) -> None:
    first = frames[0]
    for number, frame in enumerate(frames[1:], start=2):
        if len(frame) != len(first):
            raise InputError(f"synthetic dataset {number} has {len(frame)} rows, dataset 1 has {len(first)}")
        if set(frame.columns) != set(first.columns):
            odd = sorted(map(repr, set(frame.columns) ^ set(first.columns)))
            raise InputError(f"synthetic dataset {number} and dataset 1 differ in columns: {', '.join(odd)}")
    _checks.check_same_kind(first, frames, list(first.columns), first="synthetic dataset 1")


def _describe_dtype(series: pd.Series) -> Any:
    dtype = series.dtype
    if isinstance(dtype, pd.CategoricalDtype):
        return {
            "categories": dtype.categories.tolist(),
            "ordered": bool(dtype.ordered),
            "of": str(dtype.categories.dtype),
        }
    return str(dtype)


def _restore_dtype(series: pd.Series, dtype: Any) -> pd.Series:
    if isinstance(dtype, dict):
        categories: pd.Index = pd.Index(dtype["categories"]).astype(dtype["of"])
        return series.astype(categories.dtype).astype(pd.CategoricalDtype(categories, ordered=dtype["ordered"]))
    return series.astype(dtype)
