"""Download of the public files of a dataset into the user's cache.

All files are downloaded, checked and converted before any file is written, so an error leaves no files.
"""

from __future__ import annotations

import sys
from pathlib import Path
from tempfile import TemporaryDirectory

from synthlab import _checks
from synthlab._system import atomic_write, optional_dependencies
from synthlab._typing import PathOrStr
from synthlab.datasets._convert import convert
from synthlab.datasets._entry import DataFile, Upstream
from synthlab.datasets._load import find_entry
from synthlab.datasets.files import cache_folder, sha256
from synthlab.exceptions import ChecksumError, DatasetUnavailableError, InputError

TIMEOUT = (10.0, 60.0)


def fetch(
    name: str,
    *,
    folder: PathOrStr | None = None,
    base_url: str | None = None,
    force: bool = False,
    progress: bool = False,
) -> list[Path]:
    """Download the real data of a dataset from their publisher.

    Requires pooch, which the extra ``synthlab-sdc[data]`` installs.

    Parameters
    ----------
    name : str
        Name of a dataset with public files: acs, ce, ce_lecture or ce2015.
    folder : path, optional
        Folder for the files. Default: the user's cache, where `load` finds them. To use another folder, set
        SYNTHLAB_DATA_DIR to it.
    base_url : str, optional
        Mirror of ``https://raw.githubusercontent.com``. Files from the mirror are checked in the same way.
    force : bool, default False
        Whether to download existing files again.
    progress : bool, default False
        Whether to show a progress bar on a terminal.

    Returns
    -------
    list of pathlib.Path
        The files, downloaded or already existing.

    Raises
    ------
    InputError
        If there is no such dataset, if it has no public files, or if a file cannot be written.
    ExtraUnavailableError
        If pooch is not installed.
    DatasetUnavailableError
        If the transfer fails; no file is written.
    ChecksumError
        If a file is not the published file; no file is written.

    Notes
    -----
    The proxies of the environment (HTTPS_PROXY, NO_PROXY) are used. Synthetic versions that were made for this project
    are not published and cannot be downloaded; `load` then returns the confidential data without them.

    Examples
    --------
    >>> import synthlab as sl
    >>> files = sl.datasets.fetch("acs")  # doctest: +SKIP
    """
    entry = find_entry(name)
    target = cache_folder() if folder is None else _checks.check_path(folder, "folder").expanduser()
    if base_url is not None:
        _checks.check_text(base_url, "base_url")
    for option, value in (("force", force), ("progress", progress)):
        _checks.check_choice(value, option, (True, False))
    wanted = {f.name: (f, f.upstream) for v in entry.versions for f in v.files if f.upstream is not None}
    if not wanted:
        raise InputError(f"name={name!r}: has no files to fetch; use load, because the dataset is always available")
    contents = {
        file.name: _download(file, upstream, base_url, progress)
        for file, upstream in wanted.values()
        if force or not _is_there(target / file.name, file)
    }
    for file_name, data in contents.items():
        atomic_write.write_bytes(target / file_name, data)
    return [target / file_name for file_name in wanted]


def _is_there(path: Path, file: DataFile) -> bool:
    return path.is_file() and sha256(path.read_bytes()) == file.sha256


def _download(file: DataFile, upstream: Upstream, base_url: str | None, progress: bool) -> bytes:
    pooch = optional_dependencies.load("data", "pooch", "downloading a dataset")
    pooch.get_logger().setLevel("WARNING")
    url, expected = upstream.url(base_url), upstream.sha256 or file.sha256
    downloader = pooch.HTTPDownloader(
        progressbar=progress and sys.stderr.isatty(), timeout=TIMEOUT, headers={"Accept-Encoding": "identity"}
    )
    with TemporaryDirectory() as folder:
        try:
            path = pooch.retrieve(url, f"sha256:{expected}", "download", folder, downloader=downloader)
        except OSError as error:  # includes all errors of requests
            raise DatasetUnavailableError(
                f"cannot fetch {url}: {error}. Nothing was written. Behind a proxy, set HTTPS_PROXY; without a network, "
                f"put {file.name} into {cache_folder()} yourself"
            ) from error
        except ValueError:
            raise ChecksumError(
                f"the file at {url} is not the published file (expected SHA-256 {expected}); nothing was written"
            ) from None
        converted = convert(Path(path).read_bytes(), upstream.convert)
    if sha256(converted) != file.sha256:
        raise ChecksumError(
            f"{file.name}, made from {url}, is not the expected file (expected SHA-256 {file.sha256}); nothing was written"
        )
    return converted
