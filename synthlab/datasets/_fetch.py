"""Download the public files of a dataset into the user's cache.

Every file is downloaded, checked and converted before any file is written. A broken transfer or a wrong file leaves nothing
behind.
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
from synthlab.datasets._files import cache_folder, sha256
from synthlab.datasets._load import find_entry
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
    """Download the real data of a dataset from where they are published.

    Requires pooch, which the extra ``synthlab-sdc[data]`` installs.

    Parameters
    ----------
    name : str
        A dataset with public upstream files: acs, ce, ce_lecture.
    folder : path, optional
        Where to put the files; by default the user's cache, where `load` finds them. Another folder
        is found when SYNTHLAB_DATA_DIR names it.
    base_url : str, optional
        A mirror of ``https://raw.githubusercontent.com``; what comes from it is checked all the same.
    force : bool, optional
        Download also what is there already.
    progress : bool, optional
        Show a progress bar on a terminal.

    Returns
    -------
    list of pathlib.Path
        The files, whether just fetched or there already.

    Raises
    ------
    InputError
        If there is no such dataset, it has nothing to fetch, or a file cannot be written.
    ExtraUnavailableError
        If pooch is not installed.
    DatasetUnavailableError
        If the transfer fails; nothing is written.
    ChecksumError
        If a file is not the published one; nothing is written.

    Notes
    -----
    The proxies of the environment (HTTPS_PROXY, NO_PROXY) are used. Synthetic versions that were made
    for this project have no public place and are not fetched: `load` gives the confidential data
    without them.

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
        raise InputError(f"name={name!r}: nothing to fetch, this dataset comes with the package and is always there")
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
        except OSError as error:  # among them all errors of requests
            raise DatasetUnavailableError(
                f"cannot fetch {url}: {error}. Nothing was written. Behind a proxy, set HTTPS_PROXY; without a network, "
                f"put {file.name} into {cache_folder()} yourself"
            ) from error
        except ValueError:
            raise ChecksumError(
                f"the file at {url} is not the published one (expected SHA-256 {expected}); nothing was written"
            ) from None
        converted = convert(Path(path).read_bytes(), upstream.convert)
    if sha256(converted) != file.sha256:
        raise ChecksumError(
            f"{file.name}, made from {url}, is not the expected file (expected SHA-256 {file.sha256}); nothing was written"
        )
    return converted
