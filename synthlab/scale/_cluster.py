"""Dask workers: their memory, and tasks whose errors contain no values."""

from __future__ import annotations

import os
import uuid
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Generic, ParamSpec, TypeVar

import numpy as np
import pandas as pd

from synthlab._system.atomic_write import OWNER
from synthlab._system.optional_dependencies import load
from synthlab.exceptions import InputError, SynthlabError

WHAT = "synthlab.scale"
BASE = 512 * 2**20  # memory of a worker for libraries and shuffle buffers
SHARE = 0.5  # share of the remaining memory for the records of a partition and the copies made while counting
SMALLEST = 64 * 2**20
GROUP = 1_000_000  # records per row group of an output file
PLACES = 20_000  # maximum number of partitions; more partitions are slow, so more memory is required instead

P = ParamSpec("P")
R = TypeVar("R")


@dataclass(frozen=True, slots=True)
class Failed:
    """Error of a task, returned as a value so that Dask does not log its records."""

    error: SynthlabError


@dataclass(frozen=True, slots=True)
class Quiet(Generic[P, R]):
    """Task that returns errors as `Failed`, without messages that may contain values."""

    function: Callable[P, R]

    @property
    def __name__(self) -> str:  # the name of the task in Dask
        return self.function.__name__

    def __call__(self, *args: P.args, **kwargs: P.kwargs) -> R | Failed:
        try:
            return self.function(*args, **kwargs)
        except InputError as error:
            return Failed(error)
        except MemoryError:
            raise
        except Exception as error:  # noqa: BLE001
            return Failed(SynthlabError(f"{WHAT}: {self.__name__} failed with {type(error).__name__}"))


def run(tasks: Sequence[Any]) -> list[Any]:
    """Return the results of the tasks, or raise the first error."""
    dask = load("scale", "dask", WHAT)
    give_memory_back()
    with dask.config.set({"dataframe.convert-string": False}):
        results = list(dask.compute(*tasks))
    for result in results:
        if isinstance(result, Failed):
            raise result.error
    return results


def give_memory_back() -> None:
    """Make all current and future workers release the memory that Arrow frees."""
    asked = client()
    if asked is not None:
        from synthlab.scale._arrow import SystemMemory

        with suppress(OSError):  # a worker just died; its replacement gets the plugin when it joins
            asked.register_plugin(SystemMemory())


def each_part(function: Callable[..., Any], frame: Any, *more: Any) -> list[Any]:
    """Apply a function to each partition of a frame and return the results."""
    delayed = load("scale", "dask", WHAT).delayed
    shared = [delayed(one, traverse=False) for one in more]
    return run([delayed(Quiet(function), pure=False)(part, *shared) for part in frame.to_delayed()])


def client() -> Any:
    """Return the active Dask client, or None if Dask computes in this process."""
    dask = load("scale", "dask", WHAT)
    distributed = load("scale", "distributed", WHAT)
    if isinstance(dask.config.get("scheduler", None), str) and dask.config.get("scheduler") not in (
        "distributed",
        "dask.distributed",
    ):
        return None
    with suppress(ValueError):
        return distributed.default_client()
    return None


def memory() -> int:
    """Return the bytes per thread of the smallest worker."""
    asked = client()
    if asked is None:
        load("scale", "distributed", WHAT)
        from dask.system import CPU_COUNT
        from distributed.system import MEMORY_LIMIT

        return int(MEMORY_LIMIT // CPU_COUNT)
    workers = asked.scheduler_info(n_workers=-1)["workers"].values()
    if not workers:
        raise InputError(
            f"{WHAT}: the cluster of the Dask client has no workers yet; wait for them with client.wait_for_workers(1)"
        )
    limits = [(worker["memory_limit"] or 2**40) // worker["nthreads"] for worker in workers]
    return int(min(limits))


def room(bytes_a_record: float) -> int:
    """Return the maximum number of records per partition, including working copies."""
    each = memory()
    left = (each - BASE) * SHARE
    if left < SMALLEST:
        least = (BASE + SMALLEST / SHARE) / 2**30
        raise InputError(
            f"workers: the smallest worker has {each / 2**30:.2f} GiB per thread, but {least:.2f} GiB are required; give "
            "workers more memory (memory_limit), or fewer threads (threads_per_worker=1)"
        )
    return max(1, int(left / bytes_a_record))


def write(frame: pd.DataFrame, folder: str, name: str) -> None:
    """Write a Parquet file to a temporary name, then rename it.

    A task can run twice, and its worker can be killed while it writes.
    """
    import pyarrow as pa
    import pyarrow.parquet as pq

    path = Path(folder) / name
    unfinished = path.parent.parent / f".{name}.{uuid.uuid4().hex}"
    try:
        table = pa.Table.from_pandas(frame, preserve_index=False).replace_schema_metadata(None)
        # Readable by the owner only, because it contains one row per confidential record.
        unfinished.touch(mode=OWNER, exist_ok=False)
        pq.write_table(table, unfinished, compression="zstd", row_group_size=GROUP)
        os.replace(unfinished, path)
    finally:
        unfinished.unlink(missing_ok=True)


def shuffled(frame: Any, places: int) -> Any:
    """Shuffle so that each `place` is in one partition, which can hold several places."""
    how = "tasks" if client() is None else "p2p"
    return frame.shuffle(on=["place"], npartitions=places, shuffle_method=how)


def names_of_places(places: int) -> Any:
    """Return ints that Dask hashes to one partition per place, if possible."""
    tried = np.arange(64 + 24 * places, dtype=np.int64)
    partition = pd.util.hash_pandas_object(pd.DataFrame({"place": tried}), index=False).to_numpy() % np.uint64(places)
    first = np.unique(partition, return_index=True)
    names = np.full(places, -1, dtype=np.int64)
    names[first[0].astype(np.int64)] = tried[first[1]]
    spare = np.setdiff1d(tried, names)
    names[names < 0] = spare[: int((names < 0).sum())]
    return names
