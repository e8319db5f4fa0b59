"""The processes that a submission starts: how many there are, what they hold, and that none lives on."""

from __future__ import annotations

import ctypes
import signal
import sys
from collections.abc import Iterator
from contextlib import contextmanager, suppress

SUBREAPER = 36  # PR_SET_CHILD_SUBREAPER: what a kernel leaves behind becomes a child of this process


def used() -> tuple[int, int]:
    """Return the number of processes that this one started, and the bytes of memory they hold together."""
    import psutil

    count = memory = 0
    with suppress(psutil.Error):
        for one in psutil.Process().children(recursive=True):
            with suppress(psutil.Error):
                memory += one.memory_info().rss
                count += 1
    return count, memory


@contextmanager
def left_behind() -> Iterator[None]:
    """End every process that was started within, also one that went into the background."""
    import psutil

    if sys.platform == "linux":
        ctypes.CDLL(None).prctl(SUBREAPER, 1, 0, 0, 0)
    before = {one.pid for one in psutil.Process().children(recursive=True)}
    try:
        yield
    finally:
        for _ in range(20):
            left = [one for one in psutil.Process().children(recursive=True) if one.pid not in before]
            for one in left:
                with suppress(psutil.Error):
                    one.send_signal(signal.SIGKILL)
            _gone, alive = psutil.wait_procs(left, timeout=0.5)
            if not alive:
                break
