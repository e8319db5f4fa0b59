"""Many small fits: one thread each is faster than several, and much faster on a busy machine."""

from __future__ import annotations

from typing import Any


def one_thread() -> Any:
    """Return a context in which BLAS and OpenMP use a single thread of this process."""
    from threadpoolctl import threadpool_limits  # type: ignore[import-untyped]

    return threadpool_limits(limits=1)
