"""Local clusters of Dask for the tests."""

from __future__ import annotations

from typing import Any


def start_cluster(**options: Any) -> Any:
    """Start a cluster with one thread per worker; try a second time if a worker process does not start."""
    from distributed import LocalCluster

    try:
        return LocalCluster(threads_per_worker=1, **options)
    except RuntimeError:  # seen once, on a busy machine
        return LocalCluster(threads_per_worker=1, **options)
