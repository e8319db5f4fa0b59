"""The memory of Arrow on the workers."""

from __future__ import annotations

from typing import Any

from distributed import WorkerPlugin


class SystemMemory(WorkerPlugin):  # type: ignore[misc]
    """Arrow asks the system for memory, and gives it back: its own allocators keep what was freed for later.

    A worker that holds more than Dask allows takes no task until it holds less, and with memory kept that may be never.
    """

    name = "synthlab: memory of Arrow"

    def setup(self, worker: Any) -> None:
        """Take the system's memory, on a worker that is there or joins."""
        import pyarrow as pa

        self.before = pa.default_memory_pool()
        pa.set_memory_pool(pa.system_memory_pool())

    def teardown(self, worker: Any) -> None:
        """Take the memory of before."""
        import pyarrow as pa

        pa.set_memory_pool(self.before)
