"""Limits on the memory for the content of a file.

A small compressed file can contain gigabytes.
"""

from __future__ import annotations

import os

from synthlab._system.memory import memory_gb
from synthlab.exceptions import InputError

VARIABLE = "SYNTHLAB_MAX_READ_MB"
MB = 10**6
SMALL = 100 * MB  # bytes that the content of every file can take, even of a small file
PACKED = 100  # bytes of unpacked content per byte of the file
CODED = 1_000  # bytes of decoded values per byte of a file that stores values by short codes
SHARE = 1 / 8  # share of the memory; reading a CSV file takes at least six times the memory of its content
UNKNOWN = 8.0  # GB of memory that is assumed if the size cannot be determined


class Expansion:
    """Number of bytes that the content of one file has taken, with a limit.

    The limit is the environment variable ``SYNTHLAB_MAX_READ_MB`` if it is set. Otherwise it is an eighth of the
    memory, and at most `ratio` times the size of the file or 100 MB, whichever is larger.

    Parameters
    ----------
    where : str
        Beginning of the message, with the path.
    size : int
        Size of the file in bytes.
    ratio : int, optional
        Largest number of bytes of content per byte of the file. By default there is no such limit.
    """

    def __init__(self, where: str, size: int, ratio: int | None = None) -> None:
        self._where, self._used = where, 0
        memory = int((memory_gb() or UNKNOWN) * SHARE * 10**9)
        chosen = _chosen_limit()
        self.limit = memory if chosen is None else chosen
        self._reason = "an eighth of the memory" if chosen is None else f"{VARIABLE}"
        if chosen is None and ratio is not None and max(SMALL, ratio * size) < memory:
            self.limit = max(SMALL, ratio * size)
            self._reason = f"{ratio} times the size of the file" if self.limit > SMALL else "the limit for a small file"

    def add(self, size: int) -> None:
        """Add a number of bytes, or raise an `InputError` if the sum exceeds the limit."""
        self._used += size
        if self._used > self.limit:
            raise InputError(
                f"{self._where}: its content takes more than {self.limit / MB:,.0f} MB ({self._reason}); it might be damaged or "
                f"made to exhaust the memory. If you trust the file, set the environment variable {VARIABLE} to a larger number of MB"
            )


def _chosen_limit() -> int | None:
    """Return the limit in bytes that the environment sets, if any."""
    text = os.environ.get(VARIABLE, "").strip()
    if not text:
        return None
    if not text.isascii() or not text.isdecimal() or not 1 <= len(text.lstrip("0")) <= 9:
        raise InputError(
            f"{VARIABLE}: must be a whole number of MB from 1 to 999999999; unset it to use the default limit"
        )
    return int(text) * MB
