"""A release: m synthetic datasets, which variables are synthesized, and how they were made.

Everything that looks at synthetic data takes one frame, a list of frames, or a `Release`;
`as_release` turns each of them into a `Release`.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from os import PathLike
from pathlib import Path
from types import MappingProxyType
from typing import Any, Unpack

import pandas as pd

from synthlab import _checks
from synthlab._typing import FrameLike, FrameOrFrames, PathOrStr
from synthlab.exceptions import InputError, RowAlignmentError
from synthlab.io import FileOptions, read_file
from synthlab.release import _release_io, _shuffle

# What a row of a release says about the row of the confidential data with the same number.
ROWS = ("aligned", "shuffled", "unknown")


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
        The making of the release, as far as it may be published: model, dataset, whether the confidential data are real
        or simulated. ``public_levels`` is a list of categorical columns all of whose levels may be published, see `save`.
        The keys are text; to be saved, the values must be what JSON knows, and no key may name a seed, a
        permutation, the draws that were used or the like: these go to `private`. Only keys are looked at, so write none
        into a text either.
    rows : {"unknown", "aligned", "shuffled"}, default "unknown"
        "aligned": row i is about record i of the confidential data. "shuffled": the rows were brought into a random order,
        and measures that compare row i with record i refuse the release. "unknown": not declared; such measures take
        row i to be about record i.
    private : mapping, optional
        Kept private: seed, numbers of the posterior draws, keys of `shuffled`. It is never shown, and
        `save` writes it to no place but the one named for it. ``private["seed"]`` is the number that was passed as `rng`, or
        the key of 128 bits that was drawn for ``rng=None``; pass it as `rng` to repeat the release. For a Generator it holds
        the arguments of its `numpy.random.SeedSequence`, or None if they are not known.

    Raises
    ------
    InputError
        If there is no frame (m = 0), or the frames differ in rows, columns or kinds of values, or
        a synthesized variable is not a column, the provenance or `private` is no mapping, or `rows` is none of the three words.

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
    rows: str = "unknown"
    private: Mapping[str, Any] = field(default_factory=dict, repr=False)

    def __init__(
        self,
        frames: Sequence[pd.DataFrame],
        synthesized: Sequence[str] | None = None,
        provenance: Mapping[str, Any] | None = None,
        *,
        rows: str = "unknown",
        private: Mapping[str, Any] | None = None,
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
        object.__setattr__(self, "frames", checked)
        object.__setattr__(self, "synthesized", synthesized)
        object.__setattr__(self, "provenance", _mapping(provenance, "provenance", '{"synthesizer": "by hand"}'))
        object.__setattr__(self, "rows", _checks.check_choice(rows, "rows", ROWS))
        object.__setattr__(self, "private", _mapping(private, "private", '{"seed": ...}'))

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
        shuffled = "; rows shuffled" if self.rows == "shuffled" else ""
        return f"Release of m = {self.m} synthetic datasets, n = {self.n:,}; synthesized: {what}{shuffled}" + (
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

    def shuffled(self, key: str | None = None) -> Release:
        """Return the release with the rows of every dataset in a random order of its own, for publication.

        Partial synthesis keeps the order of the confidential file. Where that file is sorted, the number of a row tells
        its value whatever is written there; in any file it links the m datasets to one another.

        Parameters
        ----------
        key : str, optional
            None: a fresh key of 256 random bits. Or a key that was used before, at least 32 hexadecimal characters, to have
            the same order again. A short number, such as a seed, can be found by trying, and with it the order.

        Returns
        -------
        Release
            Index 0, 1, ...; `rows` is "shuffled", and measures that compare row i with record i refuse it. The key is the
            last of ``private["shuffle_keys"]``: it undoes the shuffle, so whoever holds it holds the order.

        Raises
        ------
        InputError
            If `key` is no such text.

        Notes
        -----
        The key is stretched by SHAKE-256, apart for each dataset, and the rows are sorted by what comes out. Dataset l has
        the same order whatever m is. Use a key for one release: two of equal n have the same order under the same key.

        Examples
        --------
        >>> import pandas as pd
        >>> import synthlab as sl
        >>> release = sl.Release(pd.DataFrame({"income": [1.0, 2.0, 3.0, 4.0]}))
        >>> published = release.shuffled()
        >>> sorted(published[0]["income"]), published.rows
        ([1.0, 2.0, 3.0, 4.0], 'shuffled')
        >>> key = published.private["shuffle_keys"][-1]
        >>> release.shuffled(key)[0].equals(published[0])
        True
        """
        key = _shuffle.check_key(key)
        frames = tuple(
            frame.take(_shuffle.permutation(key, number, self.n)).reset_index(drop=True)
            for number, frame in enumerate(self.frames, start=1)
        )
        earlier = self.private.get("shuffle_keys", [])
        if not isinstance(earlier, list | tuple):
            raise InputError(f'private["shuffle_keys"]: must be a list of keys, got {type(earlier).__name__}')
        before = {} if self.rows == "shuffled" else {"rows": self.rows}
        private = {**self.private, **before, "shuffle_keys": [*earlier, key]}
        return replace(self, frames=frames, rows="shuffled", private=private)

    def unshuffled(self) -> Release:
        """Return the release with the rows in the order that they had before `shuffled`.

        Returns
        -------
        Release
            Index 0, 1, ...; `rows` is what it was before `shuffled`, and `private` no longer has the keys.

        Raises
        ------
        InputError
            If the rows are not shuffled, or `private` has no keys: load the release with ``private=``.

        Examples
        --------
        >>> import pandas as pd
        >>> import synthlab as sl
        >>> release = sl.Release(pd.DataFrame({"income": [1.0, 2.0, 3.0, 4.0]}), rows="aligned")
        >>> back = release.shuffled().unshuffled()
        >>> back[0]["income"].tolist(), back.rows
        ([1.0, 2.0, 3.0, 4.0], 'aligned')
        """
        keys = self.private.get("shuffle_keys")
        if self.rows != "shuffled" or not isinstance(keys, list | tuple) or not keys:
            raise InputError(
                "unshuffled: the rows are not shuffled, or the key is not known; load the release with private=, the file that "
                "`save` wrote with keep_private="
            )
        frames = self.frames
        for key in map(_shuffle.check_key, reversed(keys)):
            frames = tuple(
                frame.take(_shuffle.inverse(key, number, self.n)).reset_index(drop=True)
                for number, frame in enumerate(frames, start=1)
            )
        private = {name: value for name, value in self.private.items() if name not in ("shuffle_keys", "rows")}
        return replace(self, frames=frames, rows=self.private.get("rows", "unknown"), private=private)

    def save(self, folder: PathOrStr, *, keep_private: PathOrStr | None = None, allow_short_seed: bool = False) -> Path:
        """Write the datasets as CSV files with a manifest, ``release.json``, into a folder that may be published.

        A release whose seed is a number below 2**96 is refused, because such a seed can be found by trial: whoever has the folder
        then knows which record each value was drawn from, also after `shuffled`. The seed of a Generator, of a generator that
        was spawned from it, and of a SeedSequence is its entropy; a generator whose entropy is not known is refused too.
        Only the seeds that `private` names are checked. The seed given to `fit` is not among them: it does not choose records.

        The folder holds the m datasets and, in the manifest, a description in words (``contents``), the synthesized
        variables, the provenance, what `rows` are, what every column of every file holds, and digests. It does not hold
        `private`, nor the index and the ``attrs`` of the frames. The rows are written in the order they have: see `shuffled`
        before a release leaves the house.

        The dtype of a categorical column also lists levels that no synthetic record has, such as the disease of one person.
        Only the levels that occur in one of the m datasets are written. All levels of a column are written if
        ``provenance["public_levels"]`` names the column. Name it if its levels are public, such as the answers of the
        questionnaire. Files that you write from the frames yourself, such as Parquet files, still list all levels.

        `load` gives back the same values with the same dtypes, except for the levels that are not written: text stays
        text, whether it is "01", "NA" or nothing. A
        NumPy number within a column of objects comes back as the Python number it equals; of the provenance JSON makes
        lists out of tuples, and text out of the keys of inner mappings.

        The manifest has the SHA-256 of every file, and of itself. So `load` notices damage and careless edits. It cannot
        notice a forger, who would write new digests: only a signature proves where a folder comes from.

        Text is written unchanged. A spreadsheet may run a cell that begins with ``=``, ``+``, ``-`` or ``@`` as a
        formula, so open such files by importing their columns as text.

        Parameters
        ----------
        folder : path
            The folder; created with the folders above it. An existing release or dataset in it is never overwritten.
        keep_private : path, optional
            A file outside `folder`, in a folder that is there, for what must not be published: `private`, with the digest of
            the manifest it belongs to. Only its owner can read it (mode 0600). It regenerates the release from the
            confidential data and undoes `shuffled`. Without it `private` is not written.
        allow_short_seed : bool, default False
            Save a release although its seed can be found by trial or is not known, for lectures, tests and data that are public
            anyway. The manifest records it, so the release is also refused after `load`.

        Returns
        -------
        pathlib.Path
            The folder.

        Raises
        ------
        InputError
            If the folder holds a release already, or what is left of one, or cannot be written; `keep_private` is there
            already or lies in the folder; `private` names a seed below 2**96 or a seed that is not known; a column holds what text
            cannot give back (intervals, say); ``public_levels`` of the provenance is not a list of categorical columns; the
            provenance names a seed or the like, or it or `private` holds what JSON does not know (an array, say). No file is left
            behind then.

        Examples
        --------
        >>> from pathlib import Path
        >>> from tempfile import TemporaryDirectory
        >>> import pandas as pd
        >>> import synthlab as sl
        >>> release = sl.Release(pd.DataFrame({"county": ["01", "NA"], "income": [950.0, 1010.0]}), private={"note": "draft"})
        >>> with TemporaryDirectory() as place:
        ...     folder = release.save(Path(place) / "release", keep_private=Path(place) / "private.json")
        ...     again = sl.Release.load(folder)
        ...     kept = sl.Release.load(folder, private=Path(place) / "private.json")
        >>> again[0].equals(release[0]), again[0]["county"].tolist()
        (True, ['01', 'NA'])
        >>> dict(again.private), dict(kept.private)
        ({}, {'note': 'draft'})
        """
        return _release_io.write(
            folder,
            self.frames,
            self.synthesized,
            self.provenance,
            self.rows,
            self.private,
            keep_private,
            allow_short_seed=allow_short_seed,
        )

    @classmethod
    def load(cls, folder: PathOrStr, *, private: PathOrStr | None = None) -> Release:
        """Read a release written by `save`.

        Parameters
        ----------
        folder : path
            The folder, with ``release.json`` and the CSV files.
        private : path, optional
            The file that `save` wrote with ``keep_private=``.

        Returns
        -------
        Release
            The same values with the same dtypes, rows numbered from 0. Earlier versions wrote formats 1 and 2: there `rows`
            is "unknown", unless the provenance says "shuffled", and seeds in the provenance come to `private`; in format
            1 a cell with nothing in it is read as a missing value.

        Raises
        ------
        InputError
            If the folder holds no release; its manifest or a file is damaged, or was edited since it was saved; or
            `private` belongs to another release. In a folder of format 1, which has the dtypes of dataset 1 alone, also
            where these do not fit another dataset. Formats 1 and 2 have no digests.
        """
        return cls(**_release_io.read(folder, private))

    @classmethod
    def from_files(
        cls,
        paths: Sequence[PathOrStr],
        synthesized: Sequence[str] | None = None,
        *,
        rows: str = "unknown",
        like: FrameLike | None = None,
        **options: Unpack[FileOptions],
    ) -> Release:
        r"""Read one file a dataset: CSV, Excel, Parquet, Stata, SPSS, SAS or R, as by `synthlab.read`.

        Parameters
        ----------
        paths : sequence of paths
            The files.
        synthesized : sequence of str or None, optional
            The variables whose values are synthetic. None: not stated.
        rows : {"unknown", "aligned", "shuffled"}, default "unknown"
            As for `Release`.
        like : DataFrame or Dataset, optional
            The confidential data: columns of the same name get its types. None: all files get the types of the first.
        **options
            What the files are: `na`, `text`, `delimiter`, `encoding`, `decimal` and `table` of `synthlab.read`. An option that a
            file has no use for goes unused, as files may be of several formats.

        Returns
        -------
        Release
            Its provenance holds the names of the files.

        Raises
        ------
        InputError
            If a file cannot be read, see `synthlab.read`, or the datasets do not fit together, see `Release`.

        Examples
        --------
        >>> from pathlib import Path
        >>> from tempfile import TemporaryDirectory
        >>> import synthlab as sl
        >>> with TemporaryDirectory() as folder:
        ...     files = [Path(folder) / "one.csv", Path(folder) / "two.csv"]
        ...     _ = files[0].write_text("county;income\n01;950,5\n02;NA\n")
        ...     _ = files[1].write_text("county,income\n1,900.5\n02,NA\n")
        ...     release = sl.Release.from_files(files, ["income"], na="NA")
        >>> release[1]["county"].tolist(), release[1]["income"].tolist()
        (['1', '02'], [900.5, nan])
        """
        if isinstance(paths, str | bytes | bytearray | PathLike) or not isinstance(paths, Sequence) or not paths:
            raise InputError(
                f"paths={_checks.shown(paths)}: must be a list of files, one a dataset, for example "
                '["synthetic_1.csv", "synthetic_2.csv"]'
            )
        files = [_checks.check_path(path, f"paths[{i}]") for i, path in enumerate(paths)]
        model = None if like is None else _checks.check_frame(like, "like")
        return cls(
            read_frames(files, model, **options), synthesized, {"files": [file.name for file in files]}, rows=rows
        )


def read_frames(
    paths: Sequence[Path], like: pd.DataFrame | None, *, or_own_type: bool = False, **options: Unpack[FileOptions]
) -> list[pd.DataFrame]:
    """Read one file a dataset, with the types of `like`, or without it of the first file; `or_own_type` as `read_file`."""
    frames: list[pd.DataFrame] = []
    for file in paths:
        model = (frames[0] if frames else None) if like is None else like
        frames.append(read_file(file, "synthetic", model, or_own_type=or_own_type, **options))
    return frames


def as_release(
    synthetic: FrameOrFrames | PathOrStr | Sequence[PathOrStr],
    synthesized: Sequence[str] | None = None,
    *,
    name: str = "synthetic",
    like: object = None,
) -> Release:
    """Return the release meant by one frame or `Dataset`, a sequence of frames, a release, or paths.

    `name`: of the argument; `like`: the confidential data, whose types the columns of files get.
    """
    if isinstance(synthetic, Release):
        return synthetic
    frame, model = _checks.frame_of(synthetic), _checks.frame_of(like)
    if isinstance(frame, pd.DataFrame):
        return Release([frame], synthesized)
    model = model if isinstance(model, pd.DataFrame) else None
    if isinstance(synthetic, Sequence) and not isinstance(synthetic, str):
        parts: list[Any] = list(synthetic)
        if parts and all(isinstance(s, str | Path) for s in parts):
            return Release.from_files(parts, synthesized, like=model)
        return Release(parts, synthesized)
    if isinstance(synthetic, str | Path):
        path = _checks.check_path(synthetic, name)
        return Release.load(path) if path.is_dir() else Release.from_files([path], synthesized, like=model)
    raise InputError(
        f"{name}: must be a DataFrame, a sequence of DataFrames, a Release, or paths of files, got {type(synthetic).__name__}"
    )


def as_aligned_release(synthetic: FrameOrFrames | PathOrStr | Sequence[PathOrStr], *, like: object = None) -> Release:
    """Return the release a caller means, for a measure that compares row i with record i; `like`: as for `as_release`."""
    release = as_release(synthetic, like=like)
    if release.rows == "shuffled":
        raise RowAlignmentError(
            "synthetic: the rows of this release were shuffled for publication, so row i is not about record i; measure "
            "the release before `shuffled`"
        )
    return release


def _mapping(value: object, name: str, example: str) -> Mapping[str, Any]:
    if value is None:
        return MappingProxyType({})
    if not isinstance(value, Mapping) or not all(isinstance(key, str) for key in value):
        raise InputError(
            f"{name}: must be a mapping with keys that are text, for example {example}, or None, got {type(value).__name__}"
        )
    return MappingProxyType(dict(value))


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
