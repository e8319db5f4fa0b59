"""Loading of datasets by name."""

from __future__ import annotations

from functools import cache
from io import BytesIO

import pandas as pd

from synthlab import _checks
from synthlab._system import size_limits
from synthlab._typing import RngLike
from synthlab._warnings import warn
from synthlab.datasets import _user_files
from synthlab.datasets._dataset import Dataset
from synthlab.datasets._entry import Entry, Version
from synthlab.datasets._registry import REGISTRY
from synthlab.datasets.files import (
    DATA_DIR_VARIABLE,
    cache_folder,
    data_folder,
    declare,
    find_on_machine,
    frame_sha256,
    packaged_file,
    read_checked,
    sha256,
)
from synthlab.exceptions import ChecksumError, DatasetUnavailableError, InputError, StandInDataWarning


def load(name: str, version: str | None = None, *, rng: RngLike = None, n: int | None = None) -> Dataset:
    """Load a dataset with its description.

    Parameters
    ----------
    name : str
        Name of the dataset, see `names`.
    version : str, optional
        Version of the dataset, see `describe`. By default, the real data are loaded if they are in the folder named by
        SYNTHLAB_DATA_DIR or in the user's cache, where `fetch` writes them. Otherwise a simulated stand-in with the
        same number of rows, columns, dtypes and roles is loaded. `Dataset.kind` and ``frame.attrs["synthlab"]["kind"]``
        state which of them it is. ``"real"`` requires the real data, ``"simulated"`` the simulated data.
    rng : int or numpy.random.Generator, optional
        Random seed or generator, for versions that are drawn anew (nb_mixture, ``version="simulated"``).
    n : int, optional
        Number of records, for versions that are drawn anew. Default: the number in the original study.

    Returns
    -------
    Dataset
        Dataset with new frames, which the caller can change.

    Raises
    ------
    InputError
        If there is no such dataset or version, if `rng` or `n` is given for a version that is not
        drawn anew, or if SYNTHLAB_DATA_DIR is not a folder.
    DatasetUnavailableError
        If the version is not available locally; the message states how to get it.
    ChecksumError
        If a file is not the expected file.

    Warns
    -----
    StandInDataWarning
        If the stand-in is loaded by default although SYNTHLAB_DATA_DIR is set.

    Examples
    --------
    >>> from synthlab import datasets
    >>> survey = datasets.load("acs", version="simulated")
    >>> survey.kind, survey.frame.shape, len(survey.synthetic)
    ('simulated', (10000, 9), 3)
    >>> counts = datasets.load("nb_mixture", version="simulated", rng=1, n=500)
    >>> counts.frame["outcome"].size
    500
    """
    entry = find_entry(name)
    chosen = _choose_version(entry, version)
    if chosen.seeded:
        size = chosen.rows if n is None else _checks.check_count(n, "n", maximum=size_limits.RECORDS)
        frame, digest = _make(entry, chosen, rng, size)
        return _dataset(entry, chosen, [frame], [], digest, chosen.notes)
    for argument, value in (("rng", rng), ("n", n)):
        if value is not None:
            drawn = [v.name for v in entry.versions if v.seeded]
            hint = f'; omit it, or use version="{drawn[0]}"' if drawn else "; omit it"
            raise InputError(
                f"{argument}={value!r}: does not apply to dataset {name!r}, version {chosen.name!r}, which is not drawn anew{hint}"
            )
    if chosen.make is not None:
        frame, digest = _made_once(name, chosen)
        return _dataset(entry, chosen, [frame.copy()], [], digest, chosen.notes)
    return _read(entry, chosen)


def names() -> list[str]:
    """Return the names of the datasets.

    Examples
    --------
    >>> from synthlab import datasets
    >>> "affairs" in datasets.names()
    True
    """
    return list(REGISTRY)


def describe() -> pd.DataFrame:
    """Return one row per version of each dataset.

    Returns
    -------
    pandas.DataFrame
        Columns ``name``, ``version``, ``kind`` (real or simulated), ``rows``, ``variables``, ``synthetic`` (largest
        number of synthetic versions), ``at_hand`` (whether it is available locally), ``default`` (whether `load` uses
        it by default on this machine) and ``title``.

    Examples
    --------
    >>> from synthlab import datasets
    >>> table = datasets.describe()
    >>> table.loc[table["name"] == "affairs", ["version", "kind", "rows", "at_hand"]].values.tolist()
    [['real', 'real', 6366, True]]
    """
    rows = []
    for entry in REGISTRY.values():
        default = _default_version(entry)
        rows += [
            {
                "name": entry.name,
                "version": version.name,
                "kind": version.kind,
                "rows": version.rows,
                "variables": len(entry.variables),
                "synthetic": sum(file.label is not None for file in version.files),
                "at_hand": is_at_hand(version),
                "default": version is default,
                "title": entry.title_of(version),
            }
            for version in entry.versions
        ]
    return pd.DataFrame(rows)


def find_entry(name: str) -> Entry:
    """Return the registry entry of a dataset."""
    if not isinstance(name, str) or name not in REGISTRY:
        hint = _checks.did_you_mean(name, REGISTRY)
        raise InputError(f"name={_checks.shown(name)}: unknown dataset; available are {', '.join(REGISTRY)}{hint}")
    return REGISTRY[name]


def is_at_hand(version: Version) -> bool:
    """Return whether a version is available locally, without reading it."""
    return not version.files or version.packaged or find_on_machine(version.files[0].name) is not None


def _default_version(entry: Entry) -> Version | None:
    return next((version for version in entry.versions if is_at_hand(version)), None)


def _choose_version(entry: Entry, version: str | None) -> Version:
    if version is not None:
        _checks.check_choice(version, "version", [v.name for v in entry.versions])
        chosen = next(v for v in entry.versions if v.name == version)
        if not is_at_hand(chosen):
            raise DatasetUnavailableError(_how_to_get(entry, chosen))
        return chosen
    default = _default_version(entry)
    if default is None:
        raise DatasetUnavailableError(_how_to_get(entry, entry.versions[0]))
    chosen = default
    folder = data_folder()
    if folder is not None and chosen.kind == "simulated" and entry.versions[0].kind == "real":
        warn(
            f"dataset {entry.name!r}: no {entry.versions[0].files[0].name} in {DATA_DIR_VARIABLE} ({folder}) or in the "
            'cache, so the simulated stand-in was loaded; set version="simulated" if this is intended',
            StandInDataWarning,
        )
    return chosen


def _how_to_get(entry: Entry, version: Version) -> str:
    file = version.files[0]
    if version.bring:
        return (
            f"version {version.name!r} of {entry.name!r} requires a file: get {version.bring}, and put {file.name} into "
            f"{cache_folder()} or into the folder named by {DATA_DIR_VARIABLE}"
        )
    where = (
        f"put {file.name} (SHA-256 {file.sha256}) into {cache_folder()} or into the folder named by {DATA_DIR_VARIABLE}"
    )
    if file.upstream is not None:
        where = f"run `synthlab data fetch {entry.name}` (requires a network), or {where}"
    stand_in = ' The simulated stand-in is version="simulated".' if len(entry.versions) > 1 else ""
    return f"the real data of {entry.name!r} are not on this machine: {where}.{stand_in}"


@cache
def _made_once(name: str, version: Version) -> tuple[pd.DataFrame, str]:
    """Return a frame without random draws, made only once, and its SHA-256."""
    return _make(find_entry(name), version, None, version.rows)


def _make(entry: Entry, version: Version, rng: RngLike, n: int) -> tuple[pd.DataFrame, str]:
    if version.make is None:
        raise InputError(f"dataset {entry.name!r}, version {version.name!r}: has neither files nor a maker")
    frame = declare(version.make(rng, n), entry.variables, entry.name)
    found = frame_sha256(frame)
    if version.sha256 is not None and found != version.sha256:
        raise ChecksumError(
            f"dataset {entry.name!r}: the installed source ({version.source}) contains other data than expected "
            f"(SHA-256 {found}, expected {version.sha256}); install another version of the source"
        )
    return frame, found


def _read_own(entry: Entry, version: Version) -> Dataset:
    """Read a file that the user supplied."""
    path = find_on_machine(version.files[0].name)
    if path is None or version.recode is None:
        raise DatasetUnavailableError(_how_to_get(entry, version))
    data = path.read_bytes()
    digest = sha256(data)
    _user_files.check_pin(path, digest, cache_folder())
    frame = version.recode(pd.read_csv(BytesIO(data), encoding="utf-8-sig", low_memory=False), path.name)
    _user_files.pin(path.name, digest, cache_folder())
    return _dataset(entry, version, [frame], [], digest, version.notes)


def _read(entry: Entry, version: Version) -> Dataset:
    if version.bring:
        return _read_own(entry, version)
    frames, labels, absent = [], [], []
    for file in version.files:
        path = packaged_file(file.name) if version.packaged else find_on_machine(file.name)
        if path is None:
            absent.append(file.name)
            continue
        frame = read_checked(path, file)
        if version.recode is not None:
            frame = version.recode(frame, file.name)
        frames.append(declare(frame[list(entry.variables)] if file.more_columns else frame, entry.variables, file.name))
        if file.label is not None:
            labels.append(file.label)
    notes = [version.notes, f"Not at hand: {', '.join(absent)}." if absent else ""]
    return _dataset(entry, version, frames, labels, version.files[0].sha256, " ".join(filter(None, notes)))


def _dataset(
    entry: Entry, version: Version, frames: list[pd.DataFrame], labels: list[str], sha256: str, notes: str
) -> Dataset:
    return Dataset(
        name=entry.name,
        version=version.name,
        kind=version.kind,
        title=entry.title_of(version),
        frame=frames[0],
        roles={"known": entry.known, "sensitive": entry.sensitive},
        source=version.source,
        licence=version.licence,
        variables={name: entry.variables[name].text for name in entry.variables if name in frames[0]},
        sha256=sha256,
        synthetic=tuple(frames[1:]),
        labels=tuple(labels),
        synthesized=(entry.synthesized if version.synthesized is None else version.synthesized) if labels else (),
        notes=notes,
        unit=entry.unit,
    )
