"""The workers: who they are, how much they hold, and tasks whose failures tell no values."""

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
BASE = 512 * 2**20  # a worker's libraries and the buffers of a shuffle
SHARE = 0.5  # of what is left, for the records of a partition and the copies that counting makes of them
SMALLEST = 64 * 2**20
GROUP = 1_000_000  # records of a row group that is written
PLACES = 20_000  # partitions, more of which are slower than workers with more memory

P = ParamSpec("P")
R = TypeVar("R")


@dataclass(frozen=True, slots=True)
class Failed:
    """An error of a task, handed back as a value: Dask would write the records it was given into its log."""

    error: SynthlabError


@dataclass(frozen=True, slots=True)
class Quiet(Generic[P, R]):
    """A task that hands errors back as `Failed`, those that may hold values by their type alone."""

    function: Callable[P, R]

    @property
    def __name__(self) -> str:  # by which Dask calls the task
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
    """Return the results of tasks, or raise the first error among them."""
    dask = load("scale", "dask", WHAT)
    give_memory_back()
    with dask.config.set({"dataframe.convert-string": False}):
        results = list(dask.compute(*tasks))
    for result in results:
        if isinstance(result, Failed):
            raise result.error
    return results


def give_memory_back() -> None:
    """Let memory that Arrow freed go back to the system on the workers, from now on; on those that join later too."""
    asked = client()
    if asked is not None:
        from synthlab.scale._arrow import SystemMemory

        with suppress(OSError):  # a worker died just now; the one in its place will be told
            asked.register_plugin(SystemMemory())


def each_part(function: Callable[..., Any], frame: Any, *more: Any) -> list[Any]:
    """Return the results of a function of each partition of a frame, which may be none."""
    delayed = load("scale", "dask", WHAT).delayed
    shared = [delayed(one, traverse=False) for one in more]
    return run([delayed(Quiet(function), pure=False)(part, *shared) for part in frame.to_delayed()])


def client() -> Any:
    """Return the client that computes, None where Dask computes in this process."""
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
    """Return the bytes for each thread of the smallest worker."""
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
    """Return the records that a partition may hold, counted with the copies that the work makes of them."""
    each = memory()
    left = (each - BASE) * SHARE
    if left < SMALLEST:
        least = (BASE + SMALLEST / SHARE) / 2**30
        raise InputError(
            f"workers: the smallest has {each / 2**30:.2f} GiB for each of its threads, and {least:.2f} GiB are the least; give "
            "workers more memory (memory_limit), or fewer threads (threads_per_worker=1)"
        )
    return max(1, int(left / bytes_a_record))


def write(frame: pd.DataFrame, folder: str, name: str) -> None:
    """Write a Parquet file beside the folder, then put it in place: a task may run twice, or its worker be killed in the midst."""
    import pyarrow as pa
    import pyarrow.parquet as pq

    path = Path(folder) / name
    unfinished = path.parent.parent / f".{name}.{uuid.uuid4().hex}"
    try:
        table = pa.Table.from_pandas(frame, preserve_index=False).replace_schema_metadata(None)
        # Only the owner may read it: it holds one row for each confidential record.
        unfinished.touch(mode=OWNER, exist_ok=False)
        pq.write_table(table, unfinished, compression="zstd", row_group_size=GROUP)
        os.replace(unfinished, path)
    finally:
        unfinished.unlink(missing_ok=True)


def shuffled(frame: Any, places: int) -> Any:
    """Bring the records of each `place` together; a partition may hold several places."""
    how = "tasks" if client() is None else "p2p"
    return frame.shuffle(on=["place"], npartitions=places, shuffle_method=how)


def names_of_places(places: int) -> Any:
    """Return an int for each place so that Dask sends every one to a partition of its own, as far as one is found."""
    tried = np.arange(64 + 24 * places, dtype=np.int64)
    partition = pd.util.hash_pandas_object(pd.DataFrame({"place": tried}), index=False).to_numpy() % np.uint64(places)
    first = np.unique(partition, return_index=True)
    names = np.full(places, -1, dtype=np.int64)
    names[first[0].astype(np.int64)] = tried[first[1]]
    spare = np.setdiff1d(tried, names)
    names[names < 0] = spare[: int((names < 0).sum())]
    return names
