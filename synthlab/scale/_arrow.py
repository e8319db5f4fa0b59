"""A Dask worker plugin that sets the memory pool of Arrow."""

from __future__ import annotations

from typing import Any

from distributed import WorkerPlugin


class SystemMemory(WorkerPlugin):  # type: ignore[misc]
    """Plugin that makes Arrow use the system allocator, which releases freed memory.

    Arrow's own allocators keep freed memory. Dask pauses a worker above its memory limit, so the worker could wait forever.
    """

    name = "synthlab: memory of Arrow"
    idempotent = True  # a repeated registration has no effect

    def setup(self, worker: Any) -> None:
        """Switch to the system allocator."""
        import pyarrow as pa

        pool, system = pa.default_memory_pool(), pa.system_memory_pool()
        # If several workers share one process, only the first sees the original pool.
        self.before = None if pool.backend_name == system.backend_name else pool
        pa.set_memory_pool(system)

    def teardown(self, worker: Any) -> None:
        """Restore the original memory pool when the worker closes."""
        import pyarrow as pa

        if self.before is not None:
            pa.set_memory_pool(self.before)
