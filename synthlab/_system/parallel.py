"""Parallel processing of items with joblib.

Results do not depend on the number of workers.

The number of workers is the setting of joblib, ``joblib.parallel_config(n_jobs=2)``; by default all cores are used.
While an item is processed, BLAS and OpenMP use one thread, so that sums do not depend on the number of threads.
"""

from __future__ import annotations

import os
import sys
import threading
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager, nullcontext
from functools import cache, lru_cache
from multiprocessing import current_process
from pathlib import Path
from pickle import PicklingError
from typing import Any, Literal, TypeVar

from synthlab._warnings import WarningMessage, all_recorded, issue_again, library_warnings
from synthlab.exceptions import InputError, SynthlabError

T = TypeVar("T")
R = TypeVar("R")
Place = Literal["threads", "processes"]
LOOK = 1.0  # seconds of work in this process before `probe` considers workers
LIBRARIES = "LD_LIBRARY_PATH"
START = 3.0  # seconds that workers must save; this is about the time to start them


def one_thread() -> Any:
    """Return a context in which BLAS and OpenMP use one thread of this process."""
    return _controller(len(sys.modules)).limit(limits=1)


@lru_cache(maxsize=1)
def _controller(modules: int) -> Any:
    """Return the controller of thread pools.

    It is cached because the search for thread pools takes about 10 ms.
    """
    from threadpoolctl import ThreadpoolController  # type: ignore[import-untyped]

    return ThreadpoolController()


def workers(most: int | None = None, prefer: Place = "threads") -> int:
    """Return the number of parallel workers; 1 inside another parallel call."""
    from joblib.parallel import get_active_backend

    configured, backend = get_active_backend()[1], _backend(prefer)
    if configured == 0:
        raise InputError(
            "n_jobs=0: must be a number of workers, or -1 for all cores; set it with joblib.parallel_config"
        )
    if (backend.nesting_level or 0) > 0:
        return 1
    count: int = backend.effective_n_jobs(-1 if configured is None else configured)
    return max(1, count if most is None else min(count, most))


def _place(prefer: Place) -> dict[str, str]:
    return {"require": "sharedmem"} if prefer == "threads" else {"prefer": "processes"}


def _backend(prefer: Place) -> Any:
    from joblib.parallel import get_active_backend

    return get_active_backend(**_place(prefer))[0]


def parallel_map(
    function: Callable[[T], R],
    items: Iterable[T],
    *,
    prefer: Place,
    n_jobs: int | None = None,
    what: str | None = None,
    unit: str = "it",
    progress: bool = False,
    probe: bool = False,
    done: Callable[[int, R], None] | None = None,
) -> list[R]:
    """Return the results of a function for all items, in the order of the items.

    Parameters
    ----------
    function : callable
        Function of one item. Its result must depend only on the item; an item that needs random numbers contains its
        own generator.
    items : iterable
        Items to process.
    prefer : {"threads", "processes"}
        Threads for compiled code that releases the GIL; processes for other code. Only for processes can
        ``joblib.parallel_config(backend=...)`` choose another backend.
    n_jobs : int, optional
        Number of workers. Default: the setting of joblib, or all cores.
    what, unit, progress
        Name and unit of the progress bar, and whether to show it.
    probe : bool, default False
        Whether to process the first items in this process and to start workers only if they would save time.
    done : callable, optional
        Function that is called with the number and the result of each item when it is finished, in any order.

    Raises
    ------
    Exception
        The exception of the first item that raised one. Warnings are issued in the order of the items.
    """
    from joblib import parallel_config
    from tqdm import tqdm

    items, found = list(items), dict[int, R]()
    with (
        nullcontext() if n_jobs is None else parallel_config(n_jobs=n_jobs),
        one_thread(),
        tqdm(total=len(items), desc=what, unit=unit, delay=1.0, disable=not progress) as bar,
    ):

        def keep(number: int, result: R) -> None:
            if done is not None:
                done(number, result)
            found[number] = result
            bar.update()

        begun, first, n = time.monotonic(), 0, len(items)
        while first < n and (workers(n - first, prefer) == 1 or (probe and not _pays(n, n - first, begun, prefer))):
            keep(first, function(items[first]))
            first += 1
        if first < n:
            with _same_libraries() if prefer == "processes" else nullcontext():
                _send(function, items, range(first, n), prefer, keep)
        for number in range(first, n):  # an item or a result that cannot be sent to another process
            if number not in found:
                keep(number, function(items[number]))
    return [found[number] for number in range(len(items))]


def _pays(n: int, left: int, begun: float, prefer: Place) -> bool:
    """Return whether workers would save time.

    A backend chosen by the user is always used.
    """
    if type(_backend(prefer)).__name__ not in ("LokyBackend", "ThreadingBackend"):
        return True
    spent = time.monotonic() - begun
    return spent >= LOOK and left * spent / (n - left) * (1 - 1 / workers(left, prefer)) > START


def _send(
    function: Callable[[T], R], items: Sequence[T], left: Sequence[int], prefer: Place, keep: Callable[[int, R], None]
) -> None:
    """Process items in workers.

    Items that cannot be sent to another process are omitted.
    """
    from joblib import Parallel, delayed
    from joblib.externals.loky.process_executor import BrokenProcessPool, TerminatedWorkerError

    # max_nbytes=None: joblib must not write confidential arrays to temporary files.
    run = Parallel(workers(len(left), prefer), return_as="generator_unordered", max_nbytes=None, **_place(prefer))
    finished, failed, given = set[int](), dict[int, Exception](), dict[int, list[WarningMessage]]()
    arriving = run(delayed(_piece)(function, number, items[number]) for number in left)
    try:
        for number, result, error, given[number] in arriving:
            finished.add(number)
            if error is None:
                keep(number, result)
            else:
                failed[number] = error
            if failed and finished.issuperset(n for n in left if n < min(failed)):
                break
    except TerminatedWorkerError:
        raise SynthlabError(
            "a worker process was killed, most likely for lack of memory; use fewer workers: "
            "joblib.parallel_config(n_jobs=1)"
        ) from None
    except (PicklingError, TypeError, AttributeError, BrokenProcessPool):
        pass  # an item or a result cannot be pickled; `parallel_map` processes the remaining items here
    finally:
        with library_warnings("ignore"):  # joblib warns about unfinished work
            arriving.close()
    registry: dict[Any, int] = {}
    for number in sorted(given):
        issue_again(given[number], registry)
        if number in failed:
            raise failed[number]


@contextmanager
def _same_libraries() -> Iterator[None]:
    """Let new processes find shared libraries where this process found them.

    rpy2 adds R's folders to LD_LIBRARY_PATH. A worker could then load another version of Python's library.
    """
    at_start, now = Path("/proc/self/environ"), os.environ.get(LIBRARIES)
    if now is None or not at_start.exists():
        yield
        return
    given = dict(part.split("=", 1) for part in os.fsdecode(at_start.read_bytes()).split("\0") if "=" in part)
    os.environ[LIBRARIES] = given.get(LIBRARIES, "")
    try:
        yield
    finally:
        os.environ[LIBRARIES] = now


def _piece(
    function: Callable[[T], R], number: int, item: T
) -> tuple[int, R | None, Exception | None, list[WarningMessage]]:
    """Return the number of an item, its result or exception, and its warnings."""
    from joblib import parallel_config

    _end_with_parent()
    error = result = None
    with parallel_config("sequential"), one_thread(), all_recorded() as caught:
        try:
            result = function(item)
        except Exception as raised:  # noqa: BLE001 - raised again when all earlier items are finished
            error = raised
    return number, result, error, [WarningMessage(w.message, w.category, w.filename, w.lineno) for w in caught]


@cache
def _end_with_parent() -> None:
    """End this worker process soon after its parent, even if that was killed."""
    if not current_process().name.startswith("LokyProcess"):
        return
    parent = os.getppid()

    def watch() -> None:
        while os.getppid() == parent:
            time.sleep(1.0)
        os._exit(1)

    threading.Thread(target=watch, daemon=True).start()
