"""Class `Release`: m synthetic datasets with metadata.

Functions that use synthetic data accept one frame, a list of frames, or a `Release`. `as_release` converts each of them
to a `Release`.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from importlib import import_module
from os import PathLike
from pathlib import Path
from typing import Any, Unpack

import pandas as pd

from synthlab import _checks
from synthlab._format import plain
from synthlab._typing import FrameLike, FrameOrFrames, IntArray, PathOrStr
from synthlab._warnings import warn
from synthlab.exceptions import InputError, RowAlignmentError, ShuffleKeyNotSavedWarning
from synthlab.io import FileFormat, FileOptions, read_file, write
from synthlab.io.missing_kinds import consistent, renumbered
from synthlab.release import _release_io, _shuffle

# Relations between row i of a release and row i of the confidential data.
ROWS = ("aligned", "shuffled", "unknown")


@dataclass(frozen=True, slots=True, eq=False)
class Release:
    """Release of m synthetic datasets of equal shape, with metadata.

    Parameters
    ----------
    frames : sequence of pandas.DataFrame
        The m synthetic datasets, with the same number of rows, the same columns and the same kinds of values. Columns
        are put into the order of the first dataset. Dtypes of the same kind may differ between datasets: integers and
        fractions, or different categories.
    synthesized : sequence of str or None, optional
        The variables whose values are synthetic. None: not stated.
    provenance : mapping, optional
        Publishable facts about the making of the release: model, dataset, whether the confidential data are real or
        simulated. ``public_levels`` is a list of categorical columns all of whose levels can be published, see `save`.
        ``synthesis`` and ``parameters`` determine the combining rule, see `analysis_utility`.
        Keys are text. To save the release, values must be valid in JSON, and no key can name a seed, a permutation, the
        used draws or similar secrets, which belong in `private`. Only keys are checked, so texts must not contain
        secrets either.
    rows : {"unknown", "aligned", "shuffled"}, default "unknown"
        "aligned": row i describes record i of the confidential data. "shuffled": the rows have a random order, and
        measures that compare row i with record i reject the release. "unknown": not declared; such measures assume that
        row i describes record i.
    private : mapping, optional
        Values that must not be published: seed, numbers of the posterior draws, keys of `shuffled`. They are never
        shown, and `save` writes them only to `keep_private`. ``private["seed"]`` is the number that was passed as
        `rng`, or the 128-bit key that was drawn for ``rng=None``; pass it as `rng` to reproduce the release. For a
        Generator, it contains the arguments of its `numpy.random.SeedSequence`, or None if they are not known.

    Raises
    ------
    InputError
        If there is no frame (m = 0); if the frames differ in rows, columns or kinds of values; if a synthesized
        variable is not a column; if `provenance` or `private` is not a mapping; or if `rows` is invalid.

    Warns
    -----
    MissingKindWarning
        If a dataset has the codes of missing values of a file that `synthlab.read` read, but its missing values are in other
        rows. The codes of these columns are then merged into one kind of missing value.

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
        one = _checks.frame_of(frames, "frames")
        if isinstance(one, pd.DataFrame):
            frames = [one]
        if isinstance(frames, str) or not isinstance(frames, Sequence):
            raise InputError(f"frames: must be a sequence of DataFrames, got {type(frames).__name__}")
        if len(frames) == 0:
            raise InputError("synthetic: m = 0 datasets; at least one synthetic dataset is needed")
        checked = tuple(
            _checks.check_frame(frame, f"synthetic dataset {number} of {len(frames)}")
            for number, frame in enumerate(frames, start=1)
        )
        checked = _same_shape(consistent(checked, "synthetic"))
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
        if isinstance(index, str):
            raise InputError(
                f"release[{index!r}]: a release contains {self.m} datasets; for a column of the first one write release[0][{index!r}]"
            )
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
        """Return the stacked m datasets, with a leading column ``dataset`` from 1 to m."""
        names = range(1, self.m + 1)
        return pd.concat(self.frames, keys=names, names=["dataset", "record"]).reset_index(level="dataset")

    def to_csv(self, path: PathOrStr, *, keep_order: bool = False) -> Path:
        """Write all m datasets to one CSV file, with a leading column ``dataset`` from 1 to m.

        A folder with one file per dataset, the labels and the provenance is written by `save`.

        Parameters
        ----------
        path : path
            The file. An existing file is replaced.
        keep_order : bool, default False
            Whether to write the rows in their current order. By default, every dataset has a random order, see `save`.

        Returns
        -------
        pathlib.Path
            The file.

        Raises
        ------
        InputError
            If the file cannot be written.

        Examples
        --------
        >>> from tempfile import TemporaryDirectory
        >>> import pandas as pd
        >>> import synthlab as sl
        >>> release = sl.Release([pd.DataFrame({"income": [950.0, 1010.0]})] * 2)
        >>> with TemporaryDirectory() as place:
        ...     sl.read(release.to_csv(f"{place}/release.csv")).groupby("dataset").size().tolist()
        [2, 2]
        """
        _checks.check_choice(keep_order, "keep_order", (True, False))
        written = self if keep_order or self.rows == "shuffled" else self.shuffled()
        return write(written.stacked(), path, format="csv")

    def to_dict(self) -> dict[str, Any]:
        """Return the datasets and the metadata as JSON-compatible values; missing values are None.

        Returns
        -------
        dict
            Keys ``m``, ``n``, ``synthesized``, ``rows``, ``provenance`` and ``datasets``, a list of m dicts that contain
            the values of each column in the order of the rows. `private` is not included.

        Examples
        --------
        >>> import pandas as pd
        >>> import synthlab as sl
        >>> sl.Release(pd.DataFrame({"income": [950.0, None]})).to_dict()["datasets"]
        [{'income': [950.0, None]}]
        """
        empty = [frame.astype(object).where(frame.notna(), None) for frame in self.frames]
        datasets = [{column: plain(frame[column].tolist()) for column in frame} for frame in empty]
        about = {"m": self.m, "n": self.n, "synthesized": self.synthesized, "rows": self.rows}
        return {**plain({**about, "provenance": dict(self.provenance)}), "datasets": datasets}

    def plot(self, confidential: FrameLike, **options: Any) -> Any:
        """Draw the distribution of each variable next to that of the confidential data, see `plots.plot_marginals`.

        Parameters
        ----------
        confidential : pandas.DataFrame or Dataset, n rows
            The data as collected.
        **options
            `variables`, `bins` and `data` of `plots.plot_marginals`.

        Returns
        -------
        numpy.ndarray of matplotlib.axes.Axes
            One panel per variable.

        Raises
        ------
        InputError
            As in `plots.plot_marginals`.
        ExtraUnavailableError
            If Matplotlib is not installed; it is in the extra ``plots``.

        Examples
        --------
        >>> import pandas as pd
        >>> import synthlab as sl
        >>> people = pd.DataFrame({"sex": list("ffmm"), "age": [20, 30, 40, 50]})
        >>> len(sl.Release(people).plot(people, variables=["sex"]))
        1
        """
        return import_module("synthlab.plots.marginals").plot_marginals(self, confidential, **options)

    def shuffled(self, key: str | None = None) -> Release:
        """Return the release with the rows of every dataset in a separate random order.

        `save` shuffles a release for publication unless it is already shuffled. Partial synthesis keeps the order of the confidential file. If that file
        is sorted, the position of a row reveals its value. In any file, the position links the m datasets to one
        another.

        Parameters
        ----------
        key : str, optional
            A key that was used before, of at least 32 hexadecimal characters, to reproduce the same order. Default: a
            new key of 256 random bits. Short numbers are rejected because the order could then be found by trial.

        Returns
        -------
        Release
            Release with index 0, 1, ... and `rows` "shuffled"; measures that compare row i with record i reject it. The
            key is the last entry of ``private["shuffle_keys"]``. Keep it secret, because it can undo the shuffle.

        Raises
        ------
        InputError
            If `key` is not such a text.

        Notes
        -----
        SHAKE-256 expands the key separately for each dataset, and the rows are sorted by the result. The order of
        dataset l does not depend on m. Use a key for only one release: releases with equal n have the same order under
        the same key.

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
            renumbered(frame).pipe(_taken, _shuffle.permutation(key, number, self.n))
            for number, frame in enumerate(self.frames, start=1)
        )
        earlier = self.private.get("shuffle_keys", [])
        if not isinstance(earlier, list | tuple):
            raise InputError(f'private["shuffle_keys"]: must be a list of keys, got {type(earlier).__name__}')
        before = {} if self.rows == "shuffled" else {"rows": self.rows}
        private = {**self.private, **before, "shuffle_keys": [*earlier, key]}
        return replace(self, frames=frames, rows="shuffled", private=private)

    def unshuffled(self) -> Release:
        """Return the release with the rows in the order before `shuffled`.

        Returns
        -------
        Release
            Release with index 0, 1, ... and the earlier value of `rows`, without the keys in `private`.

        Raises
        ------
        InputError
            If the rows are not shuffled, or `private` contains no keys.

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
                "unshuffled: the rows are not shuffled, or the key is not known. Release.load with private=, the file that `save` wrote "
                "with keep_private=, restores the order"
            )
        frames = self.frames
        for key in map(_shuffle.check_key, reversed(keys)):
            frames = tuple(
                renumbered(frame).pipe(_taken, _shuffle.inverse(key, number, self.n))
                for number, frame in enumerate(frames, start=1)
            )
        private = {name: value for name, value in self.private.items() if name not in ("shuffle_keys", "rows")}
        return replace(self, frames=frames, rows=self.private.get("rows", "unknown"), private=private)

    def save(
        self,
        folder: PathOrStr,
        *,
        format: FileFormat = "csv",
        keep_private: PathOrStr | None = None,
        keep_order: bool = False,
        allow_short_seed: bool = False,
    ) -> Path:
        """Write the datasets and a manifest, ``release.json``, for publication.

        A release whose seed is a number below 2**96 is rejected because such a seed can be found by trial. A longer seed
        is rejected if its digits have a pattern that a person would choose: few distinct or repeated digits, sequences,
        dates, powers, factorials. Numbers of 128 random bits, such as ``secrets.randbits(128)``, are accepted; famous
        constants and texts are not recognized. Anyone with the folder would then know from which record each value was drawn, even after `shuffled`. The seed of a
        Generator, of its spawned generators, and of a SeedSequence is its entropy; a generator with unknown entropy is
        also rejected. Only the seeds in `private` are checked. The seed given to `fit` is not among them, because it
        does not choose records.

        The folder contains the m datasets and the manifest. The manifest contains a description in words
        (``contents``), the synthesized variables, the provenance, `rows`, a description and the labels of every column,
        and digests. The folder does not contain `private`, the index or other ``attrs`` of the frames.

        The rows of every dataset are written in a random order of their own, as after `shuffled`, because the order of a
        partially synthetic file is that of the confidential file. The key is written to `keep_private`, so that `load`
        restores the order for measures that compare row i with record i. A release whose rows are already shuffled is
        written as it is.

        The dtype of a categorical column can list levels that no synthetic record has, such as the disease of one
        person. Therefore only levels that occur in one of the m datasets are written. All levels of a column are
        written if ``provenance["public_levels"]`` names the column. Name it if its levels are public, such as the
        answers of the questionnaire. The same applies to the labels of values. Files that you write from the frames yourself, such as Parquet files, still list
        all levels.

        `load` restores the same values with the same dtypes, except for levels that are not written. Text stays text,
        even "01", "NA" or "". A NumPy number in a column of objects is restored as the equal Python number. In the
        provenance, tuples become lists, and keys of inner mappings become text.

        The manifest contains the SHA-256 of every file and of itself, so `load` detects damage and accidental edits. It
        cannot detect forgery with new digests; only a signature proves the origin of a folder.

        Text is written unchanged. A spreadsheet can run a cell that begins with ``=``, ``+``, ``-`` or ``@`` as a
        formula, so import the columns of such files as text.

        Parameters
        ----------
        folder : path
            The folder; it is created with its parents. An existing release or dataset in it is never overwritten.
        format : {"csv", "sav", "dta", "parquet"}, default "csv"
            Format of the datasets: CSV, SPSS, Stata or Parquet, see `synthlab.write`. SPSS, Stata and Parquet files contain
            the labels of variables and values; SPSS and Stata files contain categories as codes. `load` reads all of them.
        keep_private : path, optional
            New file outside `folder`, in an existing folder, for `private` and the digest of the manifest. Only its
            owner can read it (mode 0600). With it, the release can be reproduced from the confidential data, and `load`
            restores the order of the rows. By default `private` is not written.
        keep_order : bool, default False
            Whether to write the rows in their current order. Use it for public data, or for a folder that is not published.
        allow_short_seed : bool, default False
            Whether to save a release although its seed can be found by trial or is not known. Use it for lectures,
            tests and public data. The manifest records it, so after `load` the release is rejected in the same way.

        Returns
        -------
        pathlib.Path
            The folder.

        Raises
        ------
        InputError
            If the folder already contains a complete or incomplete release, or cannot be written; if `keep_private`
            already exists or is in the folder; if `private` contains a seed that is below 2**96, can be guessed, or is not known; if a column
            cannot be restored from text (for example intervals) or in this format (such as a name with blanks in Stata);
            if ``public_levels`` of the provenance is not a list
            of categorical columns; if the provenance contains a seed or a similar secret; or if the provenance or
            `private` cannot be written as JSON (for example an array). No files remain after an error.

        Warns
        -----
        ShuffleKeyNotSavedWarning
            If the rows are shuffled and `keep_private` is not given, unless all variables are synthetic and `rows` is
            "unknown": measures that compare row i with record i cannot be computed from the folder.
        FormatLimitWarning
            If the files cannot hold a part of a column, such as a time zone, which only `load` restores; or if the codes
            of missing values are replaced, merged or not declared, see `synthlab.write`.

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
        >>> again.rows, sorted(again[0]["county"]), dict(again.private)
        ('shuffled', ['01', 'NA'], {})
        >>> kept.rows, kept[0].equals(release[0]), dict(kept.private)
        ('unknown', True, {'note': 'draft'})
        """
        _checks.check_choice(keep_order, "keep_order", (True, False))
        written = self if keep_order or self.rows == "shuffled" else self.shuffled()
        path = _release_io.write(
            folder,
            written.frames,
            written.synthesized,
            written.provenance,
            written.rows,
            written.private,
            keep_private,
            format=format,
            allow_short_seed=allow_short_seed,
        )
        if written is not self and keep_private is None and self._may_correspond():
            warn(
                "the rows were shuffled, and the key was not saved: measures that compare row i with record i cannot be computed "
                "from this folder. Pass keep_private= to save the key, or keep_order=True to keep the order of the rows",
                ShuffleKeyNotSavedWarning,
            )
        return path

    def _may_correspond(self) -> bool:
        """Return whether row i may describe record i: it is stated, or a variable is not synthetic."""
        given = self.frames[0].columns if self.synthesized is None else set(self.frames[0]) - set(self.synthesized)
        return self.rows == "aligned" or any(self.frames[0][column].nunique(dropna=False) > 1 for column in given)

    @classmethod
    def load(cls, folder: PathOrStr, *, private: PathOrStr | None = None) -> Release:
        """Read a release written by `save`.

        Parameters
        ----------
        folder : path
            The folder, with ``release.json`` and the files of the datasets.
        private : path, optional
            The file that `save` wrote with ``keep_private=``. With it, shuffled rows are put back into their order.

        Returns
        -------
        Release
            Release with the same values and dtypes, and rows numbered from 0. In formats 1 and 2 of earlier versions,
            `rows` is "unknown" unless the provenance states "shuffled", and seeds are moved from the provenance to
            `private`. In format 1, an empty cell is a missing value.

        Raises
        ------
        InputError
            If the folder contains no release; if its manifest or a file is damaged or was edited; or if `private`
            belongs to another release. Formats 1 and 2 have no digests. A folder of format 1 contains only the dtypes
            of dataset 1; an error is raised if they do not fit another dataset.
        """
        release = cls(**_release_io.read(folder, private))
        restored = private is not None and release.rows == "shuffled" and "shuffle_keys" in release.private
        return release.unshuffled() if restored else release

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
        r"""Read one file per dataset, in any format of `synthlab.read`.

        Parameters
        ----------
        paths : sequence of paths
            The files.
        synthesized : sequence of str or None, optional
            The variables whose values are synthetic. None: not stated.
        rows : {"unknown", "aligned", "shuffled"}, default "unknown"
            Relation of row i to record i, as in `Release`.
        like : DataFrame or Dataset, optional
            The confidential data, whose types the columns with the same names get. Default: the types of the first
            file.
        **options
            Options `na`, `text`, `delimiter`, `encoding`, `decimal` and `table` of `synthlab.read`. An option that does
            not apply to the format of a file is ignored.

        Returns
        -------
        Release
            Release with the names of the files in its provenance.

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
                f"paths={_checks.shown(paths)}: must be a list of files, one per dataset, for example "
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
    """Read one file per dataset, with the types of `like` or of the first file.

    `or_own_type` as in `read_file`.
    """
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
    """Convert frames, a `Dataset`, a release, or paths to a `Release`.

    `name` names the argument in messages. `like` is the confidential data, whose types the columns of files get.

    Examples
    --------
    >>> import pandas as pd
    >>> from synthlab.release import as_release
    >>> as_release([pd.DataFrame({"age": [30, 41]}), pd.DataFrame({"age": [35, 40]})]).m
    2
    """
    if isinstance(synthetic, Release):
        return synthetic
    frame, model = _checks.frame_of(synthetic, name), _checks.frame_of(like, "like")
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
    """Return the release, or raise an error if its rows are shuffled."""
    release = as_release(synthetic, like=like)
    if release.rows == "shuffled":
        raise RowAlignmentError(
            "synthetic: the rows of this release were shuffled for publication, so row i does not describe record i; measure "
            "the release before `shuffled` (intruder_risk can also link shuffled datasets: links=)"
        )
    return release


def _taken(frame: pd.DataFrame, rows: IntArray) -> pd.DataFrame:
    """Return some rows, numbered from 0, with their kinds of missing values."""
    return renumbered(frame.take(rows))


def _mapping(value: object, name: str, example: str) -> Mapping[str, Any]:
    if value is None:
        return _checks.ReadOnlyMapping({})
    if not isinstance(value, Mapping) or not all(isinstance(key, str) for key in value):
        raise InputError(
            f"{name}: must be a mapping with text keys, for example {example}, or None, got {type(value).__name__}"
        )
    return _checks.ReadOnlyMapping(value)


def _same_shape(frames: Sequence[pd.DataFrame]) -> tuple[pd.DataFrame, ...]:
    """Return the frames with the columns in the order of the first, or raise."""
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
