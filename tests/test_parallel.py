"""Pieces of work at once: the same answer, errors and warnings as one by one, and no more busy threads than cores."""

from __future__ import annotations

import os
import pickle
import signal
import subprocess
import sys
import threading
import time
import warnings
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import joblib
import numpy as np
import psutil
import pytest
from threadpoolctl import threadpool_info

from synthlab import exceptions
from synthlab._system import parallel
from synthlab._system.parallel import parallel_map, workers
from synthlab._warnings import warn
from synthlab.exceptions import ConvergenceWarning, InputError, SynthlabError

ROOT = Path(__file__).resolve().parents[1]
PATIENCE = 100.0
PLACES = ["threads", "processes"]


@pytest.fixture(scope="module", autouse=True)
def ended() -> Iterator[None]:
    """End the workers that are kept for the next call."""
    yield
    joblib.externals.loky.get_reusable_executor(max_workers=1).shutdown(wait=True, kill_workers=True)


def draw(stream: np.random.Generator) -> list[float]:
    return stream.normal(size=3).tolist()


@pytest.mark.parametrize("place", PLACES)
def test_the_answer_is_that_of_one_by_one_whatever_the_number(place: Any) -> None:
    expected = [draw(stream) for stream in np.random.default_rng(1).spawn(7)]
    for jobs in (1, 2, 4):
        assert parallel_map(draw, np.random.default_rng(1).spawn(7), prefer=place, n_jobs=jobs) == expected
        with joblib.parallel_config(n_jobs=jobs):
            assert parallel_map(draw, np.random.default_rng(1).spawn(7), prefer=place) == expected


def who(_: int) -> tuple[int, int]:
    time.sleep(0.2)
    return os.getpid(), threading.get_ident()


def test_processes_are_others_and_threads_are_here() -> None:
    here = os.getpid(), threading.get_ident()
    assert set(parallel_map(who, range(3), prefer="processes", n_jobs=1)) == {here}
    assert here[0] not in {pid for pid, _ in parallel_map(who, range(3), prefer="processes", n_jobs=2)}
    threads = parallel_map(who, range(3), prefer="threads", n_jobs=2)
    assert {pid for pid, _ in threads} == {here[0]}
    assert len({ident for _, ident in threads} - {here[1]}) == 2
    with joblib.parallel_config(backend="threading", n_jobs=2):
        assert {pid for pid, _ in parallel_map(who, range(3), prefer="processes")} == {here[0]}


def test_the_number_is_joblibs() -> None:
    assert workers() == workers(prefer="processes") == joblib.cpu_count()
    for place in PLACES:
        with joblib.parallel_config(n_jobs=3):
            assert workers(prefer=place) == 3  # type: ignore[arg-type]
            assert workers(2, place) == 2  # type: ignore[arg-type]
        with joblib.parallel_config(n_jobs=-1):
            assert workers(prefer=place) == joblib.cpu_count()  # type: ignore[arg-type]
    with joblib.parallel_config(n_jobs=0), pytest.raises(InputError, match="n_jobs=0"):
        workers()


def fail(item: int) -> int:
    if item >= 2:
        time.sleep(0.3 / item)  # the later, the sooner
        raise InputError(f"item {item}: too large")
    return item


class StubbornError(Exception):
    """Cannot be sent: it cannot be made again from what it was made of."""

    def __init__(self, *, reason: str) -> None:
        super().__init__(reason)


def fail_stubbornly(item: int) -> int:
    raise StubbornError(reason=f"at {item}")


@pytest.mark.parametrize("jobs", [1, 2, 4])
@pytest.mark.parametrize("place", PLACES)
def test_the_error_is_that_of_the_first_item_as_it_is(place: Any, jobs: int) -> None:
    with pytest.raises(InputError, match=r"^item 2: too large$"):
        parallel_map(fail, range(9), prefer=place, n_jobs=jobs)
    with pytest.raises(StubbornError, match="^at 0$"):
        parallel_map(fail_stubbornly, range(3), prefer=place, n_jobs=jobs)


def test_every_error_of_the_package_can_be_sent() -> None:
    for name in dir(exceptions):
        if name.endswith("Error"):
            error = pickle.loads(pickle.dumps(getattr(exceptions, name)("said")))
            assert type(error) is getattr(exceptions, name)
            assert str(error) == "said"


def warning(item: int) -> int:
    warn(f"chain {item % 2}", ConvergenceWarning)
    return item


@pytest.mark.parametrize("jobs", [1, 2])
def test_warnings_of_workers_arrive_in_the_order_of_the_items(jobs: int) -> None:
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        assert parallel_map(warning, range(4), prefer="processes", n_jobs=jobs) == [0, 1, 2, 3]
    assert [(w.category, str(w.message)) for w in caught] == [(ConvergenceWarning, f"chain {i % 2}") for i in range(4)]
    with pytest.raises(ConvergenceWarning, match="chain 0"):
        parallel_map(warning, range(4), prefer="processes", n_jobs=jobs)
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("default")
        parallel_map(warning, range(4), prefer="processes", n_jobs=jobs)
    assert [str(w.message) for w in caught] == ["chain 0", "chain 1"]


def test_what_cannot_be_sent_is_done_here() -> None:
    lock = threading.Lock()

    def locked(item: int) -> tuple[int, int]:
        with lock:
            return item, os.getpid()

    assert parallel_map(locked, range(3), prefer="processes", n_jobs=2) == [(i, os.getpid()) for i in range(3)]
    generators = parallel_map(lambda item: (one for one in [item]), range(3), prefer="processes", n_jobs=2)
    assert [list(one) for one in generators] == [[0], [1], [2]]


def threads_inside(_: int) -> list[int]:
    np.ones((2, 2)) @ np.ones((2, 2))
    return [pool["num_threads"] for pool in threadpool_info()]


def nested(_: int) -> tuple[int, int, int, int]:
    inner = parallel_map(who, range(2), prefer="processes", n_jobs=2)
    return workers(), workers(prefer="processes"), len({pid for pid, _ in inner}), len({ident for _, ident in inner})


@pytest.mark.parametrize("place", PLACES)
def test_no_piece_is_split_again_and_its_libraries_have_one_thread(place: Any) -> None:
    for found in parallel_map(threads_inside, range(3), prefer=place, n_jobs=2):
        assert set(found) == {1}
    assert set(parallel_map(threads_inside, range(3), prefer=place, n_jobs=1)[0]) == {1}
    assert parallel_map(nested, range(3), prefer=place, n_jobs=2) == [(1, 1, 1, 1)] * 3
    assert workers(prefer=place) == joblib.cpu_count()


def test_few_moments_of_work_start_no_process(monkeypatch: pytest.MonkeyPatch) -> None:
    assert {pid for pid, _ in parallel_map(who, range(3), prefer="processes", n_jobs=2, probe=True)} == {os.getpid()}
    monkeypatch.setattr(parallel, "LOOK", 0.1)
    monkeypatch.setattr(parallel, "START", 0.1)
    found = [pid for pid, _ in parallel_map(who, range(6), prefer="processes", n_jobs=2, probe=True)]
    assert found[0] == os.getpid()
    assert os.getpid() not in found[1:]


@pytest.mark.parametrize("place", PLACES)
def test_finished_pieces_are_handed_over_as_they_come(place: Any) -> None:
    handed: dict[int, int] = {}
    with pytest.raises(InputError, match="item 2"):
        parallel_map(fail, range(4), prefer=place, n_jobs=2, done=handed.__setitem__)
    assert handed == {0: 0, 1: 1}


def test_a_bar_counts_the_pieces(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    import tqdm

    class AtOnce(tqdm.tqdm):  # type: ignore[type-arg]
        """A bar without delay."""

        def __init__(self, *arguments: Any, **options: Any) -> None:
            super().__init__(*arguments, **{**options, "delay": 0, "mininterval": 0})

    monkeypatch.setattr(tqdm, "tqdm", AtOnce)
    parallel_map(draw, np.random.default_rng(1).spawn(3), prefer="threads", what="drawn", unit="stream", progress=True)
    said = capsys.readouterr().err
    assert "drawn" in said
    assert "3/3" in said
    parallel_map(draw, np.random.default_rng(1).spawn(3), prefer="threads", what="drawn")
    assert capsys.readouterr().err == ""


def libraries(_: int) -> str:
    return os.environ.get("LD_LIBRARY_PATH", "")


def test_workers_search_libraries_where_this_process_did(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    at_start, changed = libraries(0), f"{tmp_path}{os.pathsep}{tmp_path}"
    monkeypatch.setenv("LD_LIBRARY_PATH", changed)  # as rpy2 does
    joblib.externals.loky.get_reusable_executor().shutdown()  # new workers
    found = parallel_map(libraries, range(3), prefer="processes", n_jobs=2)
    assert found == [at_start if Path("/proc/self/environ").exists() else changed] * 3
    assert libraries(0) == changed


def die(item: int) -> int:
    os.kill(os.getpid(), signal.SIGKILL)
    return item


def test_a_killed_worker_is_said_with_what_to_do() -> None:
    with pytest.raises(SynthlabError, match=r"worker process was killed.*parallel_config\(n_jobs=1\)"):
        parallel_map(die, range(2), prefer="processes", n_jobs=2)
    assert parallel_map(abs, [-1, -2], prefer="processes", n_jobs=2) == [1, 2]


LONG = """
import sys, time
from synthlab._system import parallel
from synthlab._system import signals

def long(item):
    open(f"{item}.here", "w").close()
    end = time.monotonic() + 100
    while time.monotonic() < end:
        sum(range(10**5))

def program():
    print("there", flush=True)
    parallel.parallel_map(long, range(4), prefer=sys.argv[1], n_jobs=2)
    return 0

sys.exit(signals.run(program))
"""


@pytest.mark.skipif(not hasattr(os, "killpg"), reason="Ctrl-C is sent to a group of processes")
@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
@pytest.mark.parametrize("place", PLACES)
def test_ctrl_c_ends_the_workers_at_once(tmp_path: Path, place: str, number: signal.Signals) -> None:
    program = subprocess.Popen(
        [sys.executable, "-c", LONG, place],
        cwd=tmp_path,
        env={**os.environ, "PYTHONPATH": str(ROOT)},
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        start_new_session=True,
        preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL),
    )
    assert program.stdout is not None
    assert program.stdout.readline() == "there\n"
    others: list[psutil.Process] = []
    end = time.monotonic() + PATIENCE
    while time.monotonic() < end and program.poll() is None:
        others = psutil.Process(program.pid).children(recursive=True)
        if len(list(tmp_path.glob("*.here"))) == 2:
            break
        time.sleep(0.02)
    if number == signal.SIGINT:
        os.killpg(program.pid, number)  # as a terminal does
    else:
        program.send_signal(number)
    _, said = program.communicate(timeout=PATIENCE)
    assert program.returncode == 128 + number
    assert said.splitlines()[0] == "error: stopped; nothing was written"
    assert "Traceback" not in said  # joblib's own process may warn of a semaphore that was already removed
    _, alive = psutil.wait_procs(others, timeout=10)
    assert [one.pid for one in alive if one.status() != psutil.STATUS_ZOMBIE] == []
