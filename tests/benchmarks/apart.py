"""A benchmark in a process of its own (a module of its own, since a new process does not load ``__main__``)."""

from __future__ import annotations

import importlib
import multiprocessing
from concurrent.futures import Future, ProcessPoolExecutor

from tests.benchmarks.rows import Row


def measure(name: str) -> list[Row]:
    return list(importlib.import_module(f"tests.benchmarks.bench_{name}").run())


def in_own_process(name: str) -> Future[list[Row]]:
    with ProcessPoolExecutor(1, mp_context=multiprocessing.get_context("spawn")) as pool:
        return pool.submit(measure, name)
