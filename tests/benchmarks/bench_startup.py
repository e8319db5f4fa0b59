"""Time for starting: the package and its commands beside Python itself, and CPU time of the first result of the demo."""

from __future__ import annotations

import os
import resource
import subprocess
import sys
import tempfile
from collections.abc import Iterator

from tests.benchmarks.rows import Row
from tests.benchmarks.timing import best_of

STARTED = {
    "import synthlab": ["-c", "import synthlab"],
    "synthlab --help": ["-m", "synthlab.cli", "--help"],
    "synthlab evaluate --help": ["-m", "synthlab.cli", "evaluate", "--help"],
    "import synthlab and pandas": ["-c", "import synthlab, pandas"],
    "a first match risk": [
        "-c",
        "import pandas as pd, synthlab as sl; f = pd.DataFrame({'a': [1, 2], 'b': [1, 1]});"
        "sl.identification_risk(f, f, sl.Intruder(known=['b'], synthesized=['a']))",
    ],
}
DEMO = """
import sys, warnings
from synthlab.report.demo import demonstrate
warnings.simplefilter("ignore")
demonstrate()
print(*sys.modules)
"""
IMPORTS = """
import importlib, sys, warnings
from contextlib import suppress
warnings.simplefilter("ignore")
for name in sys.argv[1:]:
    with suppress(ImportError):
        importlib.import_module(name)
"""


def seconds_of(words: list[str]) -> float:
    command = [sys.executable, *words]
    return best_of(lambda: subprocess.run(command, check=True, capture_output=True), repeats=5)[0]


def cpu_of(words: list[str], cache: str) -> tuple[float, str]:
    """Return the CPU seconds of a new process with caches in a folder, and what it printed."""
    environment = {**os.environ, "NUMBA_CACHE_DIR": cache, "XDG_CACHE_HOME": cache}
    environment["PYTENSOR_FLAGS"] = f"base_compiledir={cache}"
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    done = subprocess.run([sys.executable, *words], check=True, capture_output=True, text=True, env=environment)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime - before.ru_utime + after.ru_stime - before.ru_stime, done.stdout


def demo() -> Iterator[Row]:
    with tempfile.TemporaryDirectory() as cache:
        first, modules = cpu_of(["-c", DEMO], cache)
        again, _ = cpu_of(["-c", DEMO], cache)
        imports, _ = cpu_of(["-c", IMPORTS, *modules.split()], cache)
    parts = {
        "imports": imports,
        "compilation (first run less second run)": first - again,
        "sampling and measuring (the rest)": again - imports,
    }
    yield Row("first result of the demo, CPU", 1, first, note="empty caches")
    for part, seconds in parts.items():
        yield Row(f"  {part}", 1, seconds, note=f"{seconds / first:.0%} of the first result")


def run() -> Iterator[Row]:
    nothing = seconds_of(["-c", "pass"])
    for what, words in STARTED.items():
        yield Row(what, 1, seconds_of(words), "python -c pass", nothing, "elapsed, a process of its own")
    yield from demo()
