"""Fetch the public upstream files of a dataset into the user's cache.

Every file is downloaded whole, checked, converted and checked again in memory before any is
written. A broken transfer or a wrong file leaves nothing behind.
"""

from __future__ import annotations

from pathlib import Path

from synthlab import _checks, _files
from synthlab._typing import PathOrStr
from synthlab.datasets._convert import convert
from synthlab.datasets._entry import DataFile, Upstream
from synthlab.datasets._files import cache_folder, sha256
from synthlab.datasets._load import find_entry
from synthlab.exceptions import ChecksumError, DatasetUnavailableError, InputError

TIMEOUT = (10.0, 60.0)
CHUNK = 1 << 16


def fetch(
    name: str,
    *,
    folder: PathOrStr | None = None,
    base_url: str | None = None,
    force: bool = False,
    progress: bool = False,
) -> list[Path]:
    """Fetch the real data of a dataset from where they are published.

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
        _files.write_bytes(target / file_name, data)
    return [target / file_name for file_name in wanted]


def _is_there(path: Path, file: DataFile) -> bool:
    return path.is_file() and sha256(path.read_bytes()) == file.sha256


def _download(file: DataFile, upstream: Upstream, base_url: str | None, progress: bool) -> bytes:
    url = upstream.url(base_url)
    data = _get(url, file.name, progress)
    _check(data, upstream.sha256 or file.sha256, f"the file at {url}")
    converted = convert(data, upstream.convert)
    _check(converted, file.sha256, f"{file.name}, made from {url},")
    return converted


def _check(data: bytes, expected: str, what: str) -> None:
    found = sha256(data)
    if found != expected:
        raise ChecksumError(
            f"{what} is not the one it should be ({len(data):,} bytes, SHA-256 {found}, expected {expected}); "
            "nothing was written"
        )


def _get(url: str, label: str, progress: bool) -> bytes:
    import requests
    from tqdm import tqdm

    buffer = bytearray()
    try:
        with requests.get(url, stream=True, timeout=TIMEOUT, headers={"Accept-Encoding": "identity"}) as response:
            response.raise_for_status()
            size = int(response.headers.get("Content-Length", 0)) or None
            disable = None if progress else True
            with tqdm(total=size, unit="B", unit_scale=True, desc=label, leave=False, disable=disable) as bar:
                for chunk in response.iter_content(CHUNK):
                    buffer += chunk
                    bar.update(len(chunk))
    except requests.RequestException as error:
        raise DatasetUnavailableError(
            f"cannot fetch {url}: {error}. Nothing was written. Behind a proxy, set HTTPS_PROXY; without a network, "
            f"put {label} into {cache_folder()} yourself"
        ) from error
    return bytes(buffer)
