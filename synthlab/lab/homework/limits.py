"""Limits of a submission: time, memory, output, disk and processes."""

from __future__ import annotations

import sys
from dataclasses import asdict, dataclass, fields
from pathlib import Path

from synthlab import _checks

MB = 1_000_000


@dataclass(frozen=True, slots=True)
class Limits:
    """The limits of one submission.

    Parameters
    ----------
    cell_seconds, total_seconds : int >= 1
        Seconds a cell, and all cells together, may take. A cell that takes longer is interrupted, and the cells after it
        run; when it goes on, its kernel is ended.
    memory_mb, disk_mb : int >= 1
        MB of memory of all its processes, and of files.
    output_mb : int >= 1
        MB a cell may print.
    processes : int >= 1

    Raises
    ------
    InputError
        If one is no whole number of at least 1.

    Examples
    --------
    >>> from synthlab.lab.homework import Limits
    >>> Limits(cell_seconds=60).total_seconds
    1200
    """

    cell_seconds: int = 300
    total_seconds: int = 1200
    memory_mb: int = 4000
    disk_mb: int = 500
    output_mb: int = 10
    processes: int = 200

    def __post_init__(self) -> None:
        for one in fields(self):
            _checks.check_count(getattr(self, one.name), one.name)

    def to_dict(self) -> dict[str, int]:
        """Return the limits by name."""
        return asdict(self)

    def apply(self) -> None:
        """Put limits upon this process and those it starts, as far as the system has them."""
        if sys.platform == "win32":
            return
        import resource

        most = {
            resource.RLIMIT_FSIZE: self.disk_mb * MB,
            resource.RLIMIT_CORE: 0,
            resource.RLIMIT_DATA: _reserved() + self.memory_mb * MB,
        }
        for kind, value in most.items():
            hard = resource.getrlimit(kind)[1]
            allowed = value if hard == resource.RLIM_INFINITY else min(value, hard)
            resource.setrlimit(kind, (allowed, allowed))


def _reserved() -> int:
    """Return the bytes that this process has asked for so far, used or not: libraries ask for a lot when they load."""
    try:
        status = Path("/proc/self/status").read_text(encoding="ascii")
    except OSError:
        return 1000 * MB
    return next((1024 * int(line.split()[1]) for line in status.splitlines() if line.startswith("VmData:")), 0)


def size_of(folder: Path, most: int) -> int:
    """Return the bytes of the files below a folder; the count ends when it is beyond `most`."""
    total, waiting = 0, [folder]
    while waiting and total <= most:
        try:
            entries = list(waiting.pop().iterdir())
        except OSError:
            continue
        for entry in entries:
            try:
                about = entry.lstat()
            except OSError:
                continue
            total += about.st_blocks * 512 + 512
            if entry.is_dir() and not entry.is_symlink():
                waiting.append(entry)
    return total
