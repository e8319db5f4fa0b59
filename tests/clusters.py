"""Local clusters of Dask for the tests.

On a busy machine, a worker process sometimes ends before it is connected, and Dask does not start it again.
"""

from __future__ import annotations

from typing import Any


def start_cluster(**options: Any) -> Any:
    """Start a cluster with one thread per worker, the second time if a worker process does not start."""
    from distributed import LocalCluster

    try:
        return LocalCluster(threads_per_worker=1, **options)
    except RuntimeError:
        return LocalCluster(threads_per_worker=1, **options)


def wait_for_workers(client: Any, number: int) -> None:
    """Wait for workers; start another one if one of them does not come back."""
    try:
        client.wait_for_workers(number, timeout=60)
    except TimeoutError:
        client.cluster.scale(number + 1)
        client.wait_for_workers(number, timeout=60)
