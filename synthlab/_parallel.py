"""Many pieces of work at once, on joblib: on all cores, or where `joblib.parallel_config` sends them; same answer anywhere.

How many is joblib's setting: ``joblib.parallel_config(n_jobs=2)``; without one, every core this process may use
(``LOKY_MAX_CPU_COUNT`` lowers that). Inside a piece nothing is split again, and BLAS and OpenMP have one thread, so that
there are never more busy threads than workers, and a sum does not depend on how many threads added it up.
"""

from __future__ import annotations

import os
import signal
import sys
import threading
import time
from collections.abc import Callable, Generator, Iterable, Iterator, Sequence
from contextlib import AbstractContextManager, ExitStack, closing, contextmanager, nullcontext
from functools import cache, lru_cache
from multiprocessing import current_process
from pickle import PicklingError, loads
from types import FrameType
from typing import Any, Literal, TypeVar

from synthlab._warnings import WarningMessage, all_recorded, collected, issue_again, library_warnings
from synthlab.exceptions import InputError, SynthlabError

T = TypeVar("T")
R = TypeVar("R")
Place = Literal["threads", "processes"]
# What of the environment may keep R from starting, and what a running R leads other processes astray with.
MISLEADING = ("LD_LIBRARY_PATH", "R_HOME", "R_PROFILE", "R_ENVIRON")
LOOK = 1.0  # seconds of work here before it is asked whether workers would pay
START = 3.0  # seconds of work that must be left for them: what they take to start and to import
_here = threading.local()


def one_thread() -> Any:
    """Return a context in which BLAS and OpenMP use a single thread of this process.

    Many small fits are faster with one thread each, and much faster on a busy machine.
    """
    return _libraries(len(sys.modules)).limit(limits=1)


@lru_cache(maxsize=1)
def _libraries(modules: int) -> Any:
    """Return what sets the threads of the libraries loaded; they are looked for again when modules were imported since.

    To look through all that a process has loaded takes longer than many a fit.
    """
    from threadpoolctl import ThreadpoolController  # type: ignore[import-untyped]

    return ThreadpoolController()


def _set(n_jobs: int) -> AbstractContextManager[object]:
    from joblib import parallel_config

    setting: AbstractContextManager[object] = parallel_config(n_jobs=n_jobs)
    return setting


def workers(most: int | None = None, prefer: Place = "threads") -> int:
    """Return how many pieces may run at once: 1 inside a piece, otherwise what joblib is set to, by default all cores."""
    from joblib.parallel import get_active_backend

    configured, backend = (
        get_active_backend()[1],
        _backend(prefer),
    )  # where threads are forced joblib forgets the number
    if configured == 0:
        raise InputError("n_jobs=0: joblib.parallel_config takes a number of workers, or -1 for all cores")
    if getattr(_here, "inside", False) or (backend.nesting_level or 0) > 0:
        return 1
    count: int = backend.effective_n_jobs(-1 if configured is None else configured)
    return max(1, count if most is None else min(count, most))


def _backend(prefer: Place) -> Any:
    from joblib.parallel import get_active_backend

    return get_active_backend(**({"require": "sharedmem"} if prefer == "threads" else {"prefer": "processes"}))[0]


def each(
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
    """Call a function on every item, several at once, and return what it returned in the order of the items.

    Parameters
    ----------
    function : callable
        Of one item. Its answer may depend on nothing else; an item that needs random numbers holds its stream.
    items : iterable
    prefer : {"threads", "processes"}
        Threads of this process, for compiled code that lets go of the interpreter; or processes of their own, which
        take a copy of the function and the item. Processes alone can be moved by ``joblib.parallel_config(backend=...)``.
    n_jobs : int, optional
        The number at once; by default what joblib is set to, or all cores.
    what, unit, progress
        Name, unit and whether there is a progress bar.
    probe : bool, default False
        Where the work of an item may be small: the first are done here, and workers are started where what is left
        takes longer than starting them.
    done : callable, optional
        Called here with the number of an item and its result as soon as there is one, in any order.

    Returns
    -------
    list
        The results.

    Raises
    ------
    Exception
        That of the first item, in their order, which raised one; warnings arrive as if they were given here.
    """
    from tqdm import tqdm

    items = list(items)
    found: dict[int, R] = {}
    with (
        nullcontext() if n_jobs is None else _set(n_jobs),
        one_thread(),
        tqdm(total=len(items), desc=what, unit=unit, delay=1.0, disable=not progress) as bar,
        closing(_results(function, items, prefer, probe)) as arriving,
    ):
        for number, result in arriving:
            found[number] = result
            if done is not None:
                done(number, result)
            bar.update()
    return [found[number] for number in range(len(items))]


def _results(
    function: Callable[[T], R], items: Sequence[T], prefer: Place, probe: bool
) -> Generator[tuple[int, R], None, None]:
    """Yield the number of an item and its result, in any order."""
    left: Sequence[int] = range(len(items))
    begun = time.monotonic()
    while left and probe and not _pays(len(items), len(left), time.monotonic() - begun, prefer):
        yield left[0], function(items[left[0]])
        left = left[1:]
    count = workers(len(left), prefer) if left else 1
    if count == 1:
        yield from ((number, function(items[number])) for number in left)
    elif getattr(_backend(prefer), "supports_sharedmem", False):
        yield from _in_threads(function, items, left, count)
    else:
        yield from _in_processes(function, items, left, count)


def _pays(n: int, left: int, spent: float, prefer: Place) -> bool:
    """Return whether workers would save time; a backend that was chosen is used at once."""
    if "joblib" in sys.modules and type(_backend(prefer)).__name__ not in ("LokyBackend", "ThreadingBackend"):
        return True
    return spent >= LOOK and left * spent / (n - left) * (1 - 1 / workers(left, prefer)) > START


def _in_threads(
    function: Callable[[T], R], items: Sequence[T], left: Sequence[int], count: int
) -> Iterator[tuple[int, R]]:
    from joblib import Parallel, delayed

    def piece(item: T) -> tuple[R | None, Exception | None, list[WarningMessage]]:
        with _inside(), collected() as caught:
            try:
                return function(item), None, caught
            except Exception as error:  # noqa: BLE001 - it is raised when those before it are there
                return None, error, caught

    run = Parallel(n_jobs=count, require="sharedmem", return_as="generator", batch_size=1)
    with _closing(run(delayed(piece)(items[number]) for number in left)) as arriving:
        once: dict[Any, int] = {}
        for number, (result, error, caught) in zip(left, arriving, strict=True):
            issue_again(caught, once)
            if error is not None:
                raise error
            yield number, result


def _in_processes(
    function: Callable[[T], R], items: Sequence[T], left: Sequence[int], count: int
) -> Iterator[tuple[int, R]]:
    from joblib import Parallel, delayed
    from joblib.externals.loky.process_executor import TerminatedWorkerError

    # No arrays in files: a confidential one would lie in the folder for temporary files.
    run = Parallel(n_jobs=count, prefer="processes", return_as="generator_unordered", max_nbytes=None)
    waiting, given = set(left), dict[int, list[WarningMessage]]()
    failed: dict[int, BaseException] = {}
    try:
        with ExitStack() as stack:
            with _starting():
                pieces = (delayed(_piece)(function, number, items[number]) for number in left)
                arriving = stack.enter_context(_closing(run(pieces)))
            for number, packed in arriving:
                if packed is None:
                    continue
                waiting.discard(number)
                result, error, given[number] = loads(packed)
                if error is not None:
                    failed[number] = error
                else:
                    yield number, result
                if failed and not any(number < min(failed) for number in waiting):
                    break
    except PicklingError:
        pass
    except TerminatedWorkerError:
        raise SynthlabError(
            "a worker was killed, most likely for want of memory; fewer at once need less: joblib.parallel_config(n_jobs=1)"
        ) from None
    once: dict[Any, int] = {}
    for number in left:
        issue_again(given.get(number, ()), once)
        if number in failed:
            raise failed[number]
        if number in waiting:  # the item, or what became of it, cannot be sent from process to process
            yield number, function(items[number])


def _piece(function: Callable[[T], R], number: int, item: T) -> tuple[int, bytes | None]:
    """Return the result of an item, or what it raised, and its warnings; None in place of what cannot be sent."""
    from joblib.externals.loky.backend.reduction import dumps  # also of what a notebook defines

    _end_with_parent()
    error = result = None
    with _inside(), all_recorded() as caught:
        try:
            result = function(item)
        except Exception as raised:  # noqa: BLE001 - it is raised where the result is wanted
            error = raised
    given = [WarningMessage(one.message, one.category, one.filename, one.lineno) for one in caught]  # can be sent
    try:
        packed = bytes(dumps((result, error, given)))
        if error is not None:
            loads(packed)
    except Exception:  # noqa: BLE001 - whatever an object raises that cannot be sent
        return number, None
    return number, packed


@cache
def _end_with_parent() -> None:
    """End this worker soon after the process that started it, which may be killed without a word."""
    if not current_process().name.startswith("LokyProcess"):
        return
    parent = os.getppid()

    def watch() -> None:
        while os.getppid() == parent:
            time.sleep(1.0)
        os._exit(1)

    threading.Thread(target=watch, daemon=True).start()


@contextmanager
def _inside() -> Iterator[None]:
    """Mark this thread as one that works on a piece."""
    before = getattr(_here, "inside", False)
    _here.inside = True
    try:
        with one_thread():
            yield
    finally:
        _here.inside = before


@contextmanager
def _closing(arriving: Any) -> Iterator[Any]:
    """Let go of a generator of joblib, which says how much work was in vain."""
    try:
        yield arriving
    finally:
        with library_warnings("ignore"):
            arriving.close()


@contextmanager
def _starting() -> Iterator[None]:
    """Start processes that do not hear Ctrl-C, which is for this one to hear, and do not see where R is.

    Ctrl-C waits until they are there: a start that is torn apart leaves a worker that is never ended.
    """
    heard: list[int] = []

    def hear(number: int, frame: FrameType | None) -> None:
        heard.append(number)

    listens = threading.current_thread() is threading.main_thread()
    known = {s: signal.getsignal(s) for s in (signal.SIGINT, signal.SIGTERM) if listens}
    known = {s: handler for s, handler in known.items() if callable(handler)}
    hidden = {name: os.environ.pop(name) for name in MISLEADING if name in os.environ}
    for number in known:
        signal.signal(number, hear)
    masks = hasattr(signal, "pthread_sigmask")
    if masks:
        from multiprocessing import resource_tracker

        resource_tracker.ensure_running()  # which would take the mask off
    _start_clearing_up()
    mask = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT}) if masks else set()
    try:
        yield
    finally:
        if masks:
            signal.pthread_sigmask(signal.SIG_SETMASK, mask)
        for number, handler in known.items():
            signal.signal(number, handler)
        os.environ.update(hidden)
    if heard:
        signal.raise_signal(heard[0])


def _start_clearing_up() -> None:
    """Start loky's process that clears up after this one, which need not warn when a stop has left it something."""
    from joblib.externals.loky.backend import resource_tracker

    before = os.environ.get("PYTHONWARNINGS")
    os.environ["PYTHONWARNINGS"] = "ignore"
    try:
        resource_tracker.ensure_running()
    finally:
        if before is None:
            del os.environ["PYTHONWARNINGS"]
        else:
            os.environ["PYTHONWARNINGS"] = before
