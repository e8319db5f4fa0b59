"""The memory of Arrow on the workers."""

from __future__ import annotations

from typing import Any

from distributed import WorkerPlugin


class SystemMemory(WorkerPlugin):  # type: ignore[misc]
    """Arrow asks the system for memory, and gives it back: its own allocators keep what was freed for later.

    A worker that holds more than Dask allows takes no task until it holds less, and with memory kept that may be never.
    """

    name = "synthlab: memory of Arrow"
    idempotent = True  # told again, a worker does nothing

    def setup(self, worker: Any) -> None:
        """Take the system's memory, on a worker that is there or joins."""
        import pyarrow as pa

        pool, system = pa.default_memory_pool(), pa.system_memory_pool()
        # Of several workers in one process the first finds what was there before.
        self.before = None if pool.backend_name == system.backend_name else pool
        pa.set_memory_pool(system)

    def teardown(self, worker: Any) -> None:
        """Take the memory of before, when the worker closes."""
        import pyarrow as pa

        if self.before is not None:
            pa.set_memory_pool(self.before)
