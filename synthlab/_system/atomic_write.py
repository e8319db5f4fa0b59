"""Write files whole or not at all, and read TOML files.

A file is written next to its destination, flushed, and only then moved into place. Whatever ends that, a full
disk or Ctrl-C, leaves the earlier file as it was, and nothing next to it.
"""

from __future__ import annotations

import errno
import os
import stat
import tomllib
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from contextvars import ContextVar
from pathlib import Path
from typing import TYPE_CHECKING, Any

from synthlab.exceptions import InputError

if TYPE_CHECKING:
    from synthlab._typing import PathOrStr

OWNER = 0o600  # of a file that only its owner may read
_noted: ContextVar[list[Path] | None] = ContextVar("noted", default=None)


def write_bytes(path: PathOrStr, data: bytes, *, private: bool = False) -> Path:
    """Put a file in its place, with its folder.

    An earlier file is replaced and keeps its mode, unless the new one is private; a link stays, and the file it leads to is
    replaced. What is no regular file, for example a pipe, is written into.

    Parameters
    ----------
    path : path
    data : bytes
    private : bool, default False
        Whether only the owner may read the file (mode 0600), because it contains individual confidential records.

    Returns
    -------
    Path
        The path that was given.

    Raises
    ------
    InputError
        If it cannot be written; the message names the path.
    """
    target = Path(path)
    try:
        mode = _mode_of(target)
        if mode is not None and not stat.S_ISREG(mode):
            target.write_bytes(data)
        else:
            _replace(target, data, OWNER if private else mode)
    except (OSError, ValueError) as error:  # of the latter kind is a path that holds a zero byte
        raise _unwritable(target, error) from None
    return target


def write_text(path: PathOrStr, text: str, *, private: bool = False) -> Path:
    r"""Put a text in its place, in UTF-8; arguments and errors as `write_bytes`.

    Half a character, which UTF-8 has no bytes for (a surrogate without its other half, as is left of an emoji that was
    cut), is written as its code: ``\ud83d``.
    """
    return write_bytes(path, text.encode("utf-8", errors="backslashreplace"), private=private)


def read_toml(path: PathOrStr, name: str) -> dict[str, Any]:
    """Return the content of a TOML file, or raise `InputError`; `name` is the name of the path in messages."""
    from synthlab._checks import check_path

    file = check_path(path, name)
    try:
        return tomllib.loads(file.read_text(encoding="utf-8-sig"))
    except OSError as error:
        raise InputError(f"{name}={str(file)!r}: cannot be read: {error.strerror}") from None
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        where = str(error).rpartition("(")[2].rstrip(")") if isinstance(error, tomllib.TOMLDecodeError) else ""
        raise InputError(f"{name}={str(file)!r}: is not TOML in UTF-8{': ' + where if where else ''}") from None


def check_writable(path: PathOrStr, name: str = "path", *, folder: bool = False) -> None:
    """Raise the error of `write_bytes` before the work; nothing is created or changed.

    Parameters
    ----------
    path : path
        The file, or with `folder` the folder in which files will be created.
    name : str, default "path"
        What the message calls the path: an argument, or an option of the command line.
    folder : bool
        Whether `path` is a folder.

    Raises
    ------
    InputError
        If nothing can be written there.
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
    """Give the list of the files that were put in their places since; it grows."""
    written: list[Path] = []
    token = _noted.set(written)
    try:
        yield written
    finally:
        _noted.reset(token)


def _mode_of(path: Path) -> int | None:
    """Return the mode of a file that may be written, or None where there is no file yet."""
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
