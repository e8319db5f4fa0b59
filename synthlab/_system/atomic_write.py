"""Atomic writing of files.

A file is written next to its destination, flushed, and then moved into place. If this is interrupted, for example by a
full disk or Ctrl-C, the earlier file is unchanged and no other file remains.
"""

from __future__ import annotations

import errno
import os
import stat
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from contextvars import ContextVar
from pathlib import Path
from typing import TYPE_CHECKING

from synthlab.exceptions import InputError

if TYPE_CHECKING:
    from synthlab._typing import PathOrStr

OWNER = 0o600  # mode of a file that only its owner can read
_noted: ContextVar[list[Path] | None] = ContextVar("noted", default=None)


def write_bytes(path: PathOrStr, data: bytes, *, private: bool = False) -> Path:
    """Write a file atomically and create its folder.

    An existing file is replaced and keeps its mode, unless the new file is private. If the path is a link, its target
    is replaced. Data for a path that is not a regular file, such as a pipe, are written into it.

    Parameters
    ----------
    path : path
        File to write.
    data : bytes
        Content of the file.
    private : bool, default False
        Whether only the owner can read the file (mode 0600), for files about individual confidential records.

    Returns
    -------
    Path
        The given path.

    Raises
    ------
    InputError
        If the file cannot be written; the message names the path.
    """
    target = Path(path)
    try:
        mode = _mode_of(target)
        if mode is not None and not stat.S_ISREG(mode):
            target.write_bytes(data)
        else:
            _replace(target, data, OWNER if private else mode)
    except (OSError, ValueError) as error:  # a path with a zero byte raises ValueError
        raise _unwritable(target, error) from None
    return target


def write_text(path: PathOrStr, text: str, *, private: bool = False) -> Path:
    r"""Write a text atomically in UTF-8; arguments and errors as in `write_bytes`.

    Half a surrogate pair, for example of a truncated emoji, is not valid in UTF-8 and is written as its code:
    ``\ud83d``.
    """
    return write_bytes(path, text.encode("utf-8", errors="backslashreplace"), private=private)


def check_writable(path: PathOrStr, name: str = "path", *, folder: bool = False) -> None:
    """Raise the error of `write_bytes` before the computation, without changes.

    Parameters
    ----------
    path : path
        The file, or with `folder` the folder in which files will be created.
    name : str, default "path"
        Name of the path in messages: an argument, or an option of the command line.
    folder : bool, default False
        Whether `path` is a folder.

    Raises
    ------
    InputError
        If the path is not writable.
    """
    from tempfile import TemporaryFile

    target = Path(path, "file") if folder else Path(path)
    try:
        mode = _mode_of(target)
        if mode is None or stat.S_ISREG(mode):
            folders = Path(os.path.realpath(target)).parents
            TemporaryFile(dir=next(one for one in folders if one.exists())).close()
    except (OSError, ValueError) as error:
        raise _unwritable(Path(path), error, name) from None


@contextmanager
def noted() -> Iterator[list[Path]]:
    """Collect the paths of all files that are written within the context."""
    written: list[Path] = []
    token = _noted.set(written)
    try:
        yield written
    finally:
        _noted.reset(token)


def _mode_of(path: Path) -> int | None:
    """Return the mode of a writable file, or None if it does not exist."""
    try:
        mode = path.stat().st_mode
    except FileNotFoundError:
        return None
    if stat.S_ISDIR(mode):
        raise IsADirectoryError(errno.EISDIR, os.strerror(errno.EISDIR))
    if not os.access(path, os.W_OK):
        raise PermissionError(errno.EACCES, os.strerror(errno.EACCES))
    return mode


def _replace(path: Path, data: bytes, mode: int | None) -> None:
    place = Path(os.path.realpath(path))
    place.parent.mkdir(parents=True, exist_ok=True)
    part = place.with_name(f".synthlab-{os.urandom(8).hex()}.part")
    begun = False
    try:
        with part.open("xb") as stream:
            begun = True
            if mode is not None:
                part.chmod(stat.S_IMODE(mode))
            stream.write(data)
            stream.flush()
            os.fsync(stream.fileno())
        os.replace(part, place)
    finally:
        written, moved = _noted.get(), begun and not part.exists()
        if written is not None and moved:
            written.append(path)
        with suppress(OSError):
            part.unlink(missing_ok=True)


def _unwritable(path: Path, error: Exception, name: str = "path") -> InputError:
    return InputError(f"{name}={str(path)!r}: cannot write: {getattr(error, 'strerror', None) or error}")
