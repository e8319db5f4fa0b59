"""Size of the memory."""

from __future__ import annotations

import os
from pathlib import Path


def memory_gb() -> float | None:
    """Return the memory of the machine or its container in GB; None if it is unknown."""
    sizes = []
    try:
        sizes.append(os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES"))
    except (AttributeError, ValueError, OSError):  # Windows has no sysconf
        try:
            import psutil

            sizes.append(int(psutil.virtual_memory().total))
        except ImportError:
            return None
    for file in ("/sys/fs/cgroup/memory.max", "/sys/fs/cgroup/memory/memory.limit_in_bytes"):
        try:
            sizes.append(int(Path(file).read_text(encoding="ascii")))
        except (OSError, ValueError):  # the file does not exist or contains the word max
            continue
    return min(sizes) / 1e9
